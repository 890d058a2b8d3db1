// Package nodefile reads the files that describe the cluster's nodes and their cards.
package nodefile

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Node is one node of the cluster.
type Node struct {
	Name        string            `json:"name"`
	Arch        string            `json:"arch,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Accelerator string            `json:"accelerator,omitempty"`
	Runtime     string            `json:"runtime,omitempty"`
	Cards       []Card            `json:"cards,omitempty"`
}

// Card is one accelerator of a node.
type Card struct {
	UUID      string `json:"uuid"`
	Model     string `json:"model"`
	MemoryMiB int    `json:"memoryMiB"`
	PCI       string `json:"pci,omitempty"`
}

// How pods reach a node's accelerators.
const (
	RuntimeDefault = "default" // the accelerator's runtime runs every container
	RuntimeClass   = "class"   // it runs those of RuntimeClass nvidia
	RuntimeCDI     = "cdi"     // there is no such runtime, only CDI specifications
	RuntimeNone    = "none"    // nothing but the driver
)

// The accelerators that can be simulated.
const (
	Nvidia  = "nvidia"
	Jetson  = "jetson"
	Ascend  = "ascend"
	Bitmain = "bitmain"
)

var (
	nameForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`)
	uuidForm = regexp.MustCompile(`^[A-Za-z0-9-]{4,80}$`)
	pciForm  = regexp.MustCompile(`^[0-9a-fA-F]{8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]$`)
)

// HasNvidiaRuntime tells whether the node has the container runtime that gives containers their cards.
func (n Node) HasNvidiaRuntime() bool {
	return n.Accelerator == Nvidia && (n.Runtime == RuntimeDefault || n.Runtime == RuntimeClass)
}

// Read reads node files and checks them, one by one and together.
func Read(paths []string) ([]Node, error) {
	var nodes []Node
	names, uuids := map[string]string{}, map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%w: name a node file such as dev/nodes/default/edge-p4.yaml", err)
		}
		var n Node
		if err := yaml.UnmarshalStrict(text, &n); err != nil {
			why := err.Error()
			if at := strings.LastIndex(why, "json: "); at >= 0 {
				why = why[at+len("json: "):]
			}
			return nil, fmt.Errorf("%s: %s; a node has name, arch, labels, accelerator, runtime and cards, a card has uuid, model, memoryMiB and pci", path, why)
		}
		if err := n.complete(); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if other, taken := names[n.Name]; taken {
			return nil, fmt.Errorf("%s: name: %s is the name in %s too: give each node a name of its own", path, n.Name, other)
		}
		names[n.Name] = path
		for _, c := range n.Cards {
			if other, taken := uuids[c.UUID]; taken {
				return nil, fmt.Errorf("%s: cards: uuid %s is in %s too: give each card a uuid of its own", path, c.UUID, other)
			}
			uuids[c.UUID] = path
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// Default lists the node files of a folder.
func Default(folder string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("%s holds no *.yaml: name the node files", folder)
	}
	slices.Sort(paths)
	return paths, err
}

func (n *Node) complete() error {
	if !nameForm.MatchString(n.Name) {
		return fmt.Errorf("name: %q has to be lower-case letters, digits and dashes, 32 at most", n.Name)
	}
	if n.Arch == "" {
		n.Arch = runtime.GOARCH
	}
	if !slices.Contains([]string{"amd64", "arm64", "arm"}, n.Arch) {
		return fmt.Errorf("arch: %q is not one of amd64, arm64, arm", n.Arch)
	}
	if !slices.Contains([]string{"", Nvidia, Jetson, Ascend, Bitmain}, n.Accelerator) {
		return fmt.Errorf("accelerator: %q is not known: write nvidia, jetson, ascend or bitmain, or leave the field out for a plain node", n.Accelerator)
	}
	if n.Accelerator == "" {
		if len(n.Cards) > 0 || n.Runtime != "" {
			return fmt.Errorf("accelerator: is missing, but cards or runtime is there: write accelerator: nvidia, or leave those out")
		}
		return nil
	}
	switch n.Accelerator {
	case Jetson:
		return n.completeJetson()
	case Ascend:
		return n.completeAscend()
	case Bitmain:
		return n.completeBitmain()
	}
	if n.Runtime == "" {
		n.Runtime = RuntimeDefault
	}
	if !slices.Contains([]string{RuntimeDefault, RuntimeClass, RuntimeCDI, RuntimeNone}, n.Runtime) {
		return fmt.Errorf("runtime: %q is not one of default, class, cdi, none", n.Runtime)
	}
	for i, c := range n.Cards {
		if err := c.check(); err != nil {
			return fmt.Errorf("cards[%d].%w", i, err)
		}
	}
	return nil
}

// completeJetson checks a module, which has one GPU and no bus.
func (n *Node) completeJetson() error {
	switch {
	case n.Runtime != "":
		return fmt.Errorf("runtime: a Jetson's containers get its device nodes from the device plugin: leave the field out")
	case len(n.Cards) != 1:
		return fmt.Errorf("cards: a Jetson has one, and there are %d", len(n.Cards))
	case n.Cards[0].PCI != "":
		return fmt.Errorf("cards[0].pci: a Jetson's GPU is on no bus: leave the field out")
	case !uuidForm.MatchString(n.Cards[0].UUID):
		return fmt.Errorf("cards[0].uuid: %q has to look like a board's serial number, such as 1421323012345", n.Cards[0].UUID)
	case n.Cards[0].Model == "" || n.Cards[0].MemoryMiB <= 0:
		return fmt.Errorf("cards[0]: model and memoryMiB have to be there")
	}
	return nil
}

var dieForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{8}){4}$`)

// completeAscend checks a card's chips, which are told apart by their dies and lie on one card.
func (n *Node) completeAscend() error {
	if n.Runtime != "" {
		return fmt.Errorf("runtime: an Ascend's containers get its device nodes from the device plugin: leave the field out")
	}
	for i, c := range n.Cards {
		switch {
		case !dieForm.MatchString(c.UUID):
			return fmt.Errorf("cards[%d].uuid: %q has to be five groups of eight hexadecimal digits, joined by dashes", i, c.UUID)
		case c.Model != "310" && c.Model != "310P3":
			return fmt.Errorf("cards[%d].model: %q is not one of 310, 310P3", i, c.Model)
		case c.MemoryMiB <= 0 || c.PCI != "":
			return fmt.Errorf("cards[%d]: memoryMiB has to be there, and pci not", i)
		}
	}
	return nil
}

var serialForm = regexp.MustCompile(`^[A-Z0-9]{4,17}$`)

// completeBitmain checks a card's chips, which have its serial number in common.
func (n *Node) completeBitmain() error {
	if n.Runtime != "" {
		return fmt.Errorf("runtime: a BM1684's containers get its device nodes from the device plugin: leave the field out")
	}
	for i, c := range n.Cards {
		switch {
		case !serialForm.MatchString(c.UUID):
			return fmt.Errorf("cards[%d].uuid: %q has to be a serial number of 4 to 17 capital letters and digits", i, c.UUID)
		case c.Model != "BM1684" && c.Model != "BM1684X":
			return fmt.Errorf("cards[%d].model: %q is not one of BM1684, BM1684X", i, c.Model)
		case c.MemoryMiB <= 0 || c.PCI != "":
			return fmt.Errorf("cards[%d]: memoryMiB has to be there, and pci not", i)
		}
	}
	return nil
}

func (c Card) check() error {
	switch {
	case !uuidForm.MatchString(c.UUID):
		return fmt.Errorf("uuid: %q has to look like GPU-9f12f917-e458-4bb8-3d9d-8dc7fd6cddf7", c.UUID)
	case c.Model == "":
		return fmt.Errorf("model: is empty: write what the driver calls the card, such as Tesla P4")
	case c.MemoryMiB <= 0:
		return fmt.Errorf("memoryMiB: %d has to be more than 0", c.MemoryMiB)
	case !pciForm.MatchString(c.PCI):
		return fmt.Errorf(`pci: %q has to look like "00000000:03:00.0", in quotes`, c.PCI)
	}
	return nil
}
