package bitmain

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// states are what the verbs lead to.
var states = map[string]string{
	"fail": "failed", "recover": "ok", "vanish": "vanished", "return": "ok", "hang": "hung", "unhang": "ok",
}

// Fault makes a chip fail, or be used: fail, recover, vanish, return, hang, unhang, use MIB.
func Fault(root, name, verb string, args []string) error {
	number, err := find(root, name)
	if err != nil {
		return err
	}
	if verb == "use" {
		if len(args) != 1 {
			return fmt.Errorf("%q: write use MIB", strings.Join(append([]string{verb}, args...), " "))
		}
		if mib, err := strconv.Atoi(args[0]); err != nil || mib < 0 {
			return fmt.Errorf("%q is not a number of MiB: write use MIB", args[0])
		}
		return write(file(root, number, "used_mb"), args[0]+"\n")
	}
	state, known := states[verb]
	if !known {
		return fmt.Errorf("verb %q is not known: it is one of fail, recover, vanish, return, hang, unhang, use", verb)
	}
	if len(args) > 0 {
		return fmt.Errorf("%s takes nothing more, but %q was given: leave it out", verb, strings.Join(args, " "))
	}
	if err := write(file(root, number, "state"), state+"\n"); err != nil {
		return err
	}
	switch verb {
	case "vanish":
		err = os.Remove(filepath.Join(root, "dev", nodeName(number)))
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
	case "return":
		err = makeNode(root, nodeName(number))
	}
	return err
}

// find returns the number of a chip's device node, by the serial number of its card, alone or with the chip's place on it or
// its PCI address.
func find(root, name string) (int, error) {
	chips, err := os.ReadDir(filepath.Join(root, simulator))
	if err != nil {
		return 0, err
	}
	places := map[string]int{}
	for _, c := range chips { // in the order of their numbers, as long as these have one digit
		number, err := strconv.Atoi(c.Name())
		if err != nil {
			continue
		}
		facts, err := os.ReadFile(file(root, number, "facts"))
		fields := strings.Fields(string(facts))
		if err != nil || len(fields) != 3 {
			continue
		}
		serial := fields[1]
		if name == serial || name == fmt.Sprintf("%s-%d", serial, places[serial]) || name == serial+"-"+addressOf(root, number) {
			return number, nil
		}
		places[serial]++
	}
	return 0, fmt.Errorf("card %s is not on this node", name)
}
