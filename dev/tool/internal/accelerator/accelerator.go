// Package accelerator puts the simulated accelerators into the nodes.
package accelerator

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"io.baetyl.gpu/dev/simulator/ascend"
	"io.baetyl.gpu/dev/simulator/bitmain"
	"io.baetyl.gpu/dev/simulator/jetson"
	"io.baetyl.gpu/dev/simulator/nvidia"

	"io.baetyl.gpu/dev/tool/internal/nodefile"
	"io.baetyl.gpu/dev/tool/internal/place"
	"io.baetyl.gpu/dev/tool/internal/report"
)

// NvidiaRuntime is the path of the OCI runtime that gives containers their cards.
const NvidiaRuntime = "/usr/bin/nvidia-container-runtime"

// artifacts are the paths of what the simulators compile.
type artifacts struct {
	Nvidia nvidia.Artifacts
	DCMI   string
	BmLib  string
}

// Build compiles what the simulation needs and describes it.
func Build() (made json.RawMessage, err error) {
	err = report.Step("simulated accelerators", func() (err error) {
		var a artifacts
		if a.Nvidia, err = nvidia.Build(place.Cache()); err != nil {
			return err
		}
		if a.DCMI, err = ascend.Build(place.Cache()); err != nil {
			return err
		}
		if a.BmLib, err = bitmain.Build(place.Cache()); err != nil {
			return err
		}
		made, err = json.Marshal(a)
		return err
	})
	return made, err
}

// Toolbox returns the folder that becomes the image for trying things, and a text that changes when its contents do.
func Toolbox() (root, key string, err error) {
	err = report.Step("toolbox", func() error {
		root, err = nvidia.Toolbox(place.Cache())
		if err != nil {
			return err
		}
		text, err := os.ReadFile(filepath.Join(filepath.Dir(root), "key"))
		key = string(text)
		return err
	})
	return root, key, err
}

// Prepare makes a node's accelerators, their driver and container runtime appear in its file system.
func Prepare(tree string, n nodefile.Node, made json.RawMessage) error {
	var a artifacts
	if err := json.Unmarshal(made, &a); err != nil {
		return err
	}
	switch n.Accelerator {
	case nodefile.Nvidia:
		return prepareNvidia(tree, n, a.Nvidia)
	case nodefile.Ascend:
		return ascend.Prepare(tree, chips(n.Cards), a.DCMI)
	case nodefile.Bitmain:
		var chips []bitmain.Chip
		for i, c := range n.Cards {
			chips = append(chips, bitmain.Chip{Serial: c.UUID, Model: c.Model, MemoryMiB: c.MemoryMiB, Number: i})
		}
		return bitmain.Prepare(tree, chips, a.BmLib)
	case nodefile.Jetson:
		c := n.Cards[0]
		return jetson.Prepare(tree, jetson.Board{Serial: c.UUID, Model: c.Model, MemoryMiB: c.MemoryMiB})
	}
	return nil
}

// chips are on one card, and have device nodes that begin at 3, so that a number is no index.
func chips(cards []nodefile.Card) (chips []ascend.Chip) {
	for i, c := range cards {
		chips = append(chips, ascend.Chip{Die: c.UUID, Model: c.Model, MemoryMiB: c.MemoryMiB, Card: 6, Unit: i, Number: 3 + i})
	}
	return chips
}

func prepareNvidia(tree string, n nodefile.Node, artifacts nvidia.Artifacts) error {
	var cards []nvidia.Card
	for _, c := range n.Cards {
		cards = append(cards, nvidia.Card{UUID: c.UUID, Model: c.Model, MemoryMiB: c.MemoryMiB, PCI: c.PCI})
	}
	var options []nvidia.Option
	if n.Runtime == nodefile.RuntimeNone {
		options = append(options, nvidia.WithoutCDI())
	}
	if err := nvidia.Prepare(tree, cards, artifacts, options...); err != nil {
		return fmt.Errorf("accelerators: %w", err)
	}
	if !n.HasNvidiaRuntime() {
		os.Remove(filepath.Join(tree, NvidiaRuntime)) // of a node file before
		return nil
	}
	program, err := os.ReadFile(artifacts.Runtime)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(tree, NvidiaRuntime), program, 0o755)
}
