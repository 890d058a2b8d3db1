// Package containerruntime does what NVIDIA's container runtime does before it becomes runc.
package containerruntime

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"io.baetyl.gpu/dev/simulator/nvidia/node"
)

// Main runs as runc with the same arguments; it returns only when something is wrong.
func Main(args []string, root string) int {
	in := parse(args[1:])
	if in.command == "create" || in.command == "run" {
		if err := edit(in.bundle, node.Node{Root: root}); err != nil {
			report(in, err)
			return 1
		}
	}
	runc, err := findRunc(args[0])
	if err == nil {
		err = syscall.Exec(runc, append([]string{runc}, args[1:]...), os.Environ())
	}
	report(in, err)
	return 1
}

// findRunc takes the one beside this program first: it is the one that the cluster was built with.
func findRunc(self string) (string, error) {
	if path, err := os.Executable(); err == nil {
		self = path
	}
	for _, candidate := range []string{filepath.Join(filepath.Dir(self), "runc"), "runc"} {
		if path, err := exec.LookPath(candidate); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", errors.New("no runc beside nvidia-container-runtime or in PATH: put it there")
}

// report tells the reason the way runc does, or containerd would not find it.
func report(in invocation, err error) {
	fmt.Fprintln(os.Stderr, err)
	if in.log == "" {
		return
	}
	file, openErr := os.OpenFile(in.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if openErr != nil {
		return
	}
	defer file.Close()
	now := time.Now().Format(time.RFC3339)
	if !in.json {
		fmt.Fprintf(file, "time=%q level=error msg=%q\n", now, err)
		return
	}
	json.NewEncoder(file).Encode(map[string]string{"level": "error", "msg": err.Error(), "time": now})
}
