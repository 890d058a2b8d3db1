package node

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"io.baetyl.gpu/dev/tool/internal/control"
)

// keepArchitecture makes the Node carry the architecture of the node file. The kubelet writes the one it was compiled for whenever
// it starts, so that this has to go on for as long as the node lives. The kubelet's own identity may change that label.
func (p Plan) keepArchitecture(api *control.API) {
	if p.Arch == runtime.GOARCH {
		return
	}
	const label = "kubernetes.io/arch"
	for ; ; time.Sleep(500 * time.Millisecond) {
		var n struct {
			Metadata struct{ Labels map[string]string }
		}
		found, err := api.Get("/api/v1/nodes/"+p.Name, &n)
		if err != nil || !found || n.Metadata.Labels[label] == p.Arch {
			continue
		}
		change := map[string]any{"metadata": map[string]any{"labels": map[string]string{label: p.Arch}}}
		if err := api.Merge("/api/v1/nodes/"+p.Name, change); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}
