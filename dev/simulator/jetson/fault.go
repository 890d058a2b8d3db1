package jetson

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"syscall"
)

// Fault makes the GPU fail, or be used: fail, recover, vanish, return, hang, unhang, use MIB.
//
//   - fail: its driver is not loaded any more. vanish: its device nodes are gone as well.
//   - hang: whoever reads its load waits, as in a driver that does not answer.
func Fault(root, serial, verb string, args []string) error {
	b, err := load(root)
	if err != nil {
		return err
	}
	if strings.TrimPrefix(serial, "jetson-") != b.Serial { // the product's name for it, or the node file's
		return fmt.Errorf("card %s is not on this node: it has %s", serial, b.Serial)
	}
	if verb != "use" && len(args) > 0 {
		return fmt.Errorf("%s takes nothing more, but %q was given: leave it out", verb, strings.Join(args, " "))
	}
	busy := filepath.Join(root, Hardware, gpu, "load")
	switch verb {
	case "fail":
		return hideGPU(root)
	case "recover":
		return showGPU(root)
	case "vanish":
		if err := hideGPU(root); err != nil {
			return err
		}
		return removeNodes(root)
	case "return":
		if err := makeNodes(root); err != nil {
			return err
		}
		return showGPU(root)
	case "hang":
		return hang(busy)
	case "unhang":
		return unhang(root, b, busy)
	case "use":
		if len(args) != 1 {
			return fmt.Errorf("%q: write use MIB", strings.Join(append([]string{verb}, args...), " "))
		}
		mib, err := strconv.Atoi(args[0])
		if err != nil || mib < 0 || mib > b.MemoryMiB {
			return fmt.Errorf("%q is not a number of MiB up to %d: write use MIB", args[0], b.MemoryMiB)
		}
		return use(root, b, mib)
	}
	return fmt.Errorf("verb %q is not known: it is one of fail, recover, vanish, return, hang, unhang, use", verb)
}

// hang puts a pipe in place of a file: whoever opens it for reading waits for somebody who writes.
func hang(file string) error {
	part := file + ".part"
	if err := syscall.Mkfifo(part, 0o644); err != nil {
		return err
	}
	return os.Rename(part, file)
}

func unhang(root string, b Board, file string) error {
	pipe, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer pipe.Close() // lets those go that wait
	return use(root, b, 0)
}
