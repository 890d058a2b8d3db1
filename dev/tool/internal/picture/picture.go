// Package picture draws nodes, their cards as bars, and who sits on them, from the status of GpuNodes.
package picture

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// widest is how many characters a bar has at most; a card of more units has several units to a character.
const widest = 58

type list struct {
	Items []gpuNode `json:"items"`
}

type gpuNode struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Status struct {
		Accelerator string       `json:"accelerator"`
		Allocation  string       `json:"allocation"`
		Summary     summary      `json:"summary"`
		Devices     []device     `json:"devices"`
		Allocations []allocation `json:"allocations"`
	} `json:"status"`
}

type summary struct {
	Cards            int `json:"cards"`
	Units            int `json:"units"`
	AllocatedUnits   int `json:"allocatedUnits"`
	LargestFreeUnits int `json:"largestFreeUnits"`
	Devices          []struct {
		ID        string `json:"id"`
		Occupancy string `json:"occupancy"`
	} `json:"devices"`
}

type device struct {
	ID     string `json:"id"`
	Index  int    `json:"index"`
	Model  string `json:"model"`
	Units  int    `json:"units"`
	Health string `json:"health"`
}

type allocation struct {
	Namespace string `json:"namespace"`
	Pod       string `json:"pod"`
	Container string `json:"container"`
	Device    string `json:"device"`
	Units     int    `json:"units"`
	State     string `json:"state"`
}

func (a allocation) String() string {
	return fmt.Sprintf("%s/%s %s, %s", a.Namespace, a.Pod, a.Container, a.State)
}

// Draw reads a list of GpuNodes in JSON, as kubectl prints it, and draws it.
func Draw(w io.Writer, gpuNodes []byte) error {
	var nodes list
	if err := json.Unmarshal(gpuNodes, &nodes); err != nil {
		return fmt.Errorf("the GpuNodes cannot be read: %w", err)
	}
	if len(nodes.Items) == 0 {
		_, err := fmt.Fprintln(w, "There is no GpuNode yet: apply one, such as config/samples/gpunode.yaml.")
		return err
	}
	for _, node := range nodes.Items {
		drawNode(w, node)
	}
	return nil
}

func drawNode(w io.Writer, node gpuNode) {
	sum := node.Status.Summary
	draw := drawCard
	fmt.Fprintf(w, "%s  %s  %s  ", node.Metadata.Name, orDash(node.Status.Accelerator), orDash(node.Status.Allocation))
	switch {
	case node.Status.Allocation == "Devices":
		fmt.Fprintf(w, "%d of %d devices taken\n", sum.AllocatedUnits, sum.Units)
		draw = drawDevice
	case sum.Units > 0:
		fmt.Fprintf(w, "%d of %d units taken, largest free block %d\n", sum.AllocatedUnits, sum.Units, sum.LargestFreeUnits)
	default:
		fmt.Fprintf(w, "%d cards\n", sum.Cards)
	}
	for _, card := range node.Status.Devices {
		draw(w, node, card)
	}
	fmt.Fprintln(w)
}

// drawDevice draws one that is handed out whole.
func drawDevice(w io.Writer, node gpuNode, device device) {
	holder := "free"
	for _, share := range node.Status.Allocations {
		if share.Device == device.ID {
			holder = share.String()
		}
	}
	note := ""
	if device.Health == "Unhealthy" {
		note = ", unhealthy"
	}
	fmt.Fprintf(w, "  device %d  %s  %s\n    %s%s\n", device.Index, device.Model, device.ID, holder, note)
}

func drawCard(w io.Writer, node gpuNode, card device) {
	var bar, guests strings.Builder
	scale := max(1, (card.Units+widest-1)/widest)
	taken, letter := 0, 'A'
	for _, share := range node.Status.Allocations {
		if share.Device != card.ID {
			continue
		}
		taken += share.Units
		end := (taken + scale - 1) / scale
		bar.WriteString(strings.Repeat(string(letter), max(1, end-utf8.RuneCountInString(bar.String()))))
		fmt.Fprintf(&guests, "      %c %4d units  %s\n", letter, share.Units, share)
		letter++
	}
	free := max(0, (card.Units+scale-1)/scale-utf8.RuneCountInString(bar.String()))
	fill := "·"
	note := ""
	for _, entry := range node.Status.Summary.Devices {
		if entry.ID == card.ID && entry.Occupancy == "Exclusive" {
			fill, note = "×", ", held alone"
		}
	}
	if card.Health == "Unhealthy" {
		fill, note = "!", ", unhealthy"
	}
	fmt.Fprintf(w, "  card %d  %s  %s\n", card.Index, card.Model, card.ID)
	fmt.Fprintf(w, "    [%s%s]  %d of %d units%s\n%s", bar.String(), strings.Repeat(fill, free), taken, card.Units, note, guests.String())
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
