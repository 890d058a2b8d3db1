package containerruntime

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"io.baetyl.gpu/dev/simulator/nvidia/node"
)

const variable = "NVIDIA_VISIBLE_DEVICES"

// requested returns what the container asks for. As with any environment the last one counts, so that whoever appends
// one decides.
func requested(env []string) (value string, asked bool) {
	for _, entry := range env {
		if name, v, _ := strings.Cut(entry, "="); name == variable {
			value, asked = v, true
		}
	}
	return value, asked && value != "" && value != "void"
}

// visible returns the cards of a value: UUIDs and indexes with commas between them, all, or none.
func visible(n node.Node, value string) ([]node.Card, error) {
	if err := driverAnswers(n); err != nil {
		return nil, err
	}
	present, err := n.Present()
	if err != nil || value == "none" {
		return nil, err
	}
	var chosen []node.Card
	for _, name := range strings.Split(value, ",") {
		if name == "all" {
			chosen = present
			break
		}
		i := slices.IndexFunc(present, func(c node.Card) bool { return strings.EqualFold(c.UUID, name) })
		if index, err := strconv.Atoi(name); err == nil {
			i = index
		}
		if i < 0 || i >= len(present) {
			return nil, hookFailed("device error: %s: unknown device", name)
		}
		if !slices.ContainsFunc(chosen, func(c node.Card) bool { return c.UUID == present[i].UUID }) {
			chosen = append(chosen, present[i])
		}
	}
	for _, c := range chosen {
		if err := cardAnswers(n, c); err != nil {
			return nil, err
		}
	}
	return chosen, nil
}

const poll = 20 * time.Millisecond

// driverAnswers waits for a driver that hangs, as the real hook does.
func driverAnswers(n node.Node) error {
	for {
		state, err := n.Driver()
		if err != nil {
			return err
		}
		switch state {
		case node.DriverOK:
			return nil
		case node.DriverMismatch:
			return hookFailed("initialization error: nvml error: driver/library version mismatch")
		case node.DriverAbsent:
			return hookFailed("initialization error: nvml error: driver not loaded")
		case node.DriverHang:
			time.Sleep(poll)
		}
	}
}

func cardAnswers(n node.Node, c node.Card) error {
	for {
		state, err := n.State(c.UUID)
		if err != nil {
			return err
		}
		switch state {
		case node.OK:
			return nil
		case node.Failed, node.Vanished:
			return hookFailed("detection error: nvml error: gpu is lost")
		case node.Hung:
			time.Sleep(poll)
		}
	}
}

// hookFailed words an error as it reaches kubelet from NVIDIA's prestart hook through runc.
func hookFailed(format string, args ...any) error {
	return fmt.Errorf("runc create failed: unable to start container process: error during container init: "+
		"error running prestart hook #0: exit status 1, stdout: , stderr: Auto-detected mode as 'legacy'\n"+
		"nvidia-container-cli: "+format, args...)
}
