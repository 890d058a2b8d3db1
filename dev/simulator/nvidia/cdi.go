package nvidia

import (
	"fmt"
	"strconv"
	"strings"

	"io.baetyl.gpu/dev/simulator/nvidia/node"
)

// Device names that begin with a digit came with this version of CDI, and nothing here needs a later one.
const cdiVersion = "0.5.0"

// writeSpec writes the CDI specification as nvidia-ctk does: a device per index, one per UUID, and one for all.
// With no cards there is none, as CDI calls for one device at least.
func writeSpec(n node.Node) error {
	present, err := n.Present()
	if err != nil {
		return err
	}
	state, err := n.Driver()
	if err != nil {
		return err
	}
	if state == node.DriverAbsent {
		return nil // nvidia-ctk fails then, and what it wrote before stays
	}
	if len(present) == 0 {
		return removeSpec(n)
	}
	return n.Write(CDISpec, spec(present), 0o644)
}

func spec(present []Card) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\ncdiVersion: %s\nkind: nvidia.com/gpu\ndevices:\n", cdiVersion)
	var all node.Edits
	for i, c := range present {
		device(&b, strconv.Itoa(i), c.Edits())
		device(&b, c.UUID, c.Edits())
		all.Devices = append(all.Devices, c.Edits().Devices...)
		all.Mounts = append(all.Mounts, c.Edits().Mounts...)
	}
	device(&b, "all", all)
	// A container that has its card by CDI gets none from the nvidia runtime as well.
	b.WriteString("containerEdits:\n  env:\n  - NVIDIA_VISIBLE_DEVICES=void\n")
	edits(&b, "  ", node.DriverEdits())
	return b.String()
}

func device(b *strings.Builder, name string, e node.Edits) {
	fmt.Fprintf(b, "- name: %q\n  containerEdits:\n", name)
	edits(b, "    ", e)
}

func edits(b *strings.Builder, indent string, e node.Edits) {
	fmt.Fprintf(b, "%sdeviceNodes:\n", indent)
	for _, path := range e.Devices {
		fmt.Fprintf(b, "%s- path: %s\n", indent, path)
	}
	fmt.Fprintf(b, "%smounts:\n", indent)
	for _, path := range e.Mounts {
		fmt.Fprintf(b, "%[1]s- hostPath: %[2]s\n%[1]s  containerPath: %[2]s\n%[1]s  options: [ro, nosuid, nodev, rbind, rprivate]\n", indent, path)
	}
}
