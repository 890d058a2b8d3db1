// Package nvidia simulates NVIDIA accelerators on the nodes of the development cluster, below the library that NVIDIA's
// own tools use: everything above it is what runs on a real node.
package nvidia

import "io.baetyl.gpu/dev/simulator/nvidia/node"

// Card is one accelerator, as a node file describes it.
type Card = node.Card

// CDISpec is where a node's CDI specification lies.
const CDISpec = "/etc/cdi/nvidia.yaml"
