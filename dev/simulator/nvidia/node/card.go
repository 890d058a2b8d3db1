// Package node keeps the simulator's files in a node's /dev, from which the stub of NVML answers.
// It is compiled into the container runtime too, so that it uses nothing but the standard library.
package node

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Card is one accelerator, as a node file describes it.
type Card struct {
	UUID      string // GPU-9f12f917-e458-4bb8-3d9d-8dc7fd6cddf7
	Model     string // what the driver calls it, such as Tesla P4
	MemoryMiB int
	PCI       string // 00000000:03:00.0, or with four digits before the first colon
	Minor     *int   // of /dev/nvidia<minor>; by default its place in PCI order
}

var (
	uuidForm = regexp.MustCompile(`^[A-Za-z0-9-]{4,80}$`)
	pciForm  = regexp.MustCompile(`^([0-9a-fA-F]{4}|[0-9a-fA-F]{8}):[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]$`)
)

// Ordered checks cards and returns them as the driver finds them: in PCI order, each with a minor number and a long bus id.
func Ordered(cards []Card) ([]Card, error) {
	ordered := slices.Clone(cards)
	for i := range ordered {
		c := &ordered[i]
		switch {
		case !uuidForm.MatchString(c.UUID):
			return nil, fmt.Errorf("card %q: its UUID has to look like GPU-9f12f917-e458-4bb8-3d9d-8dc7fd6cddf7", c.UUID)
		case c.Model == "" || len(c.Model) > 95 || strings.ContainsAny(c.Model, "\r\n"):
			return nil, fmt.Errorf("card %s: model %q has to be a line of 1 to 95 characters, such as Tesla P4", c.UUID, c.Model)
		case !pciForm.MatchString(c.PCI):
			return nil, fmt.Errorf("card %s: PCI address %q has to look like 00000000:03:00.0", c.UUID, c.PCI)
		case c.MemoryMiB <= modelOf(c.Model).reservedMiB:
			return nil, fmt.Errorf("card %s: memory of %d MiB has to be more than the %d MiB that its driver keeps",
				c.UUID, c.MemoryMiB, modelOf(c.Model).reservedMiB)
		}
		if len(c.PCI) == len("0000:03:00.0") {
			c.PCI = "0000" + c.PCI
		}
		c.PCI = strings.ToUpper(c.PCI)
	}
	slices.SortFunc(ordered, func(a, b Card) int { return strings.Compare(a.PCI, b.PCI) })
	return ordered, number(ordered)
}

func number(ordered []Card) error {
	taken := map[string]string{}
	for i := range ordered {
		c := &ordered[i]
		if c.Minor == nil {
			minor := i
			c.Minor = &minor
		}
		for _, key := range []string{"UUID " + strings.ToLower(c.UUID), "PCI address " + c.PCI, "minor " + strconv.Itoa(*c.Minor)} {
			if other, found := taken[key]; found {
				return fmt.Errorf("cards %s and %s: both have %s; give each its own", other, c.UUID, key)
			}
			taken[key] = c.UUID
		}
	}
	return nil
}
