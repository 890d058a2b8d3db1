package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Dir is where the simulator keeps its files, in a node's own /dev: whoever sees the devices sees them too.
const Dir = "/dev/nvidia-simulator"

// Node is a node's file system, seen through the path of its root.
type Node struct{ Root string }

// Path returns where a file of the node is for the caller.
func (n Node) Path(parts ...string) string {
	return filepath.Join(append([]string{n.Root}, parts...)...)
}

// CardDir is the folder of a card's files. It is a folder so that a container which has it mounted sees files replaced.
func CardDir(uuid string) string { return filepath.Join(Dir, "cards", uuid) }

// DriverDir is the folder of what belongs to the driver and to no card.
func DriverDir() string { return filepath.Join(Dir, "driver") }

// InstallDir keeps the files that an absent driver lacks, to put them back.
func InstallDir() string { return filepath.Join(Dir, "install") }

// Read returns the text of one of the node's files, without the last line end; a missing one is empty.
func (n Node) Read(path string) (string, error) {
	text, err := os.ReadFile(n.Path(path))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSuffix(string(text), "\n"), err
}

// Write replaces one of the node's files as a whole, so that a reader never finds half of it.
func (n Node) Write(path, text string, mode fs.FileMode) error {
	path = n.Path(path)
	if have, err := os.ReadFile(path); err == nil && string(have) == text {
		return os.Chmod(path, mode)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(path), ".*.part")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name())
	_, err = part.WriteString(text)
	if err = errors.Join(err, part.Chmod(mode), part.Close()); err != nil {
		return err
	}
	return os.Rename(part.Name(), path)
}

// Lock keeps two commands from changing a node at once; call the result to let the next one in.
func (n Node) Lock() (func(), error) {
	path := n.Path(Dir)
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, err
	}
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX); err != nil {
		dir.Close()
		return nil, fmt.Errorf("lock of %s: %w", path, err)
	}
	return func() { dir.Close() }, nil
}
