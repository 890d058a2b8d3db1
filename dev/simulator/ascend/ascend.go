// Package ascend simulates Huawei Ascend chips on a node of the development cluster, below the driver's library DCMI.
package ascend

import (
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Library is where a node has DCMI.
const Library = "/usr/local/dcmi/libdcmi.so"

// simulator is where the library reads its chips.
const simulator = "/dev/ascend-simulator/chips"

const nullDevice = 1<<8 | 3 // major 1, minor 3

// sharedNodes are the driver's own, beside those of the chips.
var sharedNodes = []string{"davinci_manager", "devmm_svm", "hisi_hdc"}

// Chip is one accelerator, as a node file describes it.
type Chip struct {
	Die       string // five groups of eight hexadecimal digits
	Model     string // 310 or 310P3
	MemoryMiB int
	Card      int
	Unit      int // its number on the card
	Number    int // of its device node
}

//go:embed dcmi/dcmi.c
var source string

// Build compiles the library, unless the cache has it.
func Build(cacheDir string) (library string, err error) {
	sum := sha256.Sum256([]byte(source))
	library = filepath.Join(cacheDir, fmt.Sprintf("simulator-ascend-%x", sum[:6]), "libdcmi.so")
	if _, err := os.Stat(library); err == nil {
		return library, nil
	}
	if err := os.MkdirAll(filepath.Dir(library), 0o755); err != nil {
		return "", err
	}
	part := fmt.Sprintf("%s.part-%d", library, os.Getpid())
	cmd := exec.Command("gcc", "-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden",
		"-Wl,-soname,libdcmi.so", "-x", "c", "-o", part, "-")
	cmd.Stdin = strings.NewReader(source)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("gcc: %w\n%s", err, out)
	}
	return library, os.Rename(part, library)
}

// On tells whether a node has such chips.
func On(root string) bool {
	_, err := os.Stat(filepath.Join(root, simulator))
	return err == nil
}

// Prepare gives a node its chips and their driver, as a boot does. Faults that were set stay.
func Prepare(root string, chips []Chip, library string) error {
	text, err := os.ReadFile(library)
	if err != nil {
		return fmt.Errorf("%w: call Build first", err)
	}
	if err := write(filepath.Join(root, Library), string(text)); err != nil {
		return err
	}
	for _, name := range sharedNodes {
		if err := makeNode(root, name); err != nil {
			return err
		}
	}
	for _, c := range chips {
		facts := fmt.Sprintf("%d %d %s %d %s\n", c.Card, c.Unit, c.Model, c.MemoryMiB, c.Die)
		if err := errors.Join(write(file(root, c.Number, "facts"), facts), makeNode(root, nodeName(c.Number))); err != nil {
			return err
		}
	}
	return nil
}

func nodeName(number int) string { return "davinci" + strconv.Itoa(number) }

func file(root string, number int, name string) string {
	return filepath.Join(root, simulator, strconv.Itoa(number), name)
}

func makeNode(root, name string) error {
	path := filepath.Join(root, "dev", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := syscall.Mknod(path, syscall.S_IFCHR|0o666, nullDevice); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("mknod %s: %w", path, err)
	}
	return os.Chmod(path, 0o666) // whatever the umask
}

// write replaces a file at once, so that nobody reads half of it.
func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	part := path + ".part"
	return errors.Join(os.WriteFile(part, []byte(text), 0o755), os.Rename(part, path))
}
