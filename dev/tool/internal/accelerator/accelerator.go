// Package accelerator puts the simulated accelerators into the nodes.
package accelerator

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"io.baetyl.gpu/dev/simulator/jetson"
	"io.baetyl.gpu/dev/simulator/nvidia"

	"io.baetyl.gpu/dev/tool/internal/nodefile"
	"io.baetyl.gpu/dev/tool/internal/place"
	"io.baetyl.gpu/dev/tool/internal/report"
)

// NvidiaRuntime is the path of the OCI runtime that gives containers their cards.
const NvidiaRuntime = "/usr/bin/nvidia-container-runtime"

// Build compiles what the simulation needs and describes it.
func Build() (made json.RawMessage, err error) {
	err = report.Step("simulated accelerators", func() error {
		artifacts, err := nvidia.Build(place.Cache())
		if err == nil {
			made, err = json.Marshal(artifacts)
		}
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
	switch n.Accelerator {
	case nodefile.Nvidia:
		return prepareNvidia(tree, n, made)
	case nodefile.Jetson:
		c := n.Cards[0]
		return jetson.Prepare(tree, jetson.Board{Serial: c.UUID, Model: c.Model, MemoryMiB: c.MemoryMiB})
	}
	return nil
}

func prepareNvidia(tree string, n nodefile.Node, made json.RawMessage) error {
	var artifacts nvidia.Artifacts
	if err := json.Unmarshal(made, &artifacts); err != nil {
		return err
	}
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
