// Package accelerator puts the simulated accelerators into the nodes.
package accelerator

import (
	"encoding/json"

	"io.baetyl.gpu/dev/tool/internal/nodefile"
)

// NvidiaRuntime is the path of the OCI runtime that gives containers their cards.
const NvidiaRuntime = "/usr/bin/nvidia-container-runtime"

// Build compiles what the simulation needs and describes it.
func Build() (json.RawMessage, error) { return nil, nil }

// Prepare makes cards, driver and runtime appear in a node's file system.
func Prepare(tree string, cards []nodefile.Card, artifacts json.RawMessage) error { return nil }

// Toolbox returns the folder that becomes the image for trying things.
func Toolbox() (string, error) { return "", nil }
