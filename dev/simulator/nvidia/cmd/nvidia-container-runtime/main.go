// Command nvidia-container-runtime stands in for NVIDIA's: it is called like runc, gives the container the cards that its
// NVIDIA_VISIBLE_DEVICES names, and then is runc.
package main

import (
	"os"

	"io.baetyl.gpu/dev/simulator/nvidia/containerruntime"
)

func main() {
	os.Exit(containerruntime.Main(os.Args, "/"))
}
