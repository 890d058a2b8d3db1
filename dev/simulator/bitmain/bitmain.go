// Package bitmain simulates Sophgo BM1684 chips on a node of the development cluster, below the library bmlib.
package bitmain

import (
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Library is where a node has bmlib.
const Library = "/opt/sophon/libsophon-current/lib/libbmlib.so"

// hardware is where a node shows the kernel's /proc and /sys of its accelerator.
const hardware = "/dev/hardware"

// simulator is where the library reads its chips.
const simulator = "/dev/sophon-simulator"

const nullDevice = 1<<8 | 3 // major 1, minor 3

// Chip is one accelerator, as a node file describes it.
type Chip struct {
	Serial    string // of its card, at most 17 characters
	Model     string // BM1684 or BM1684X
	MemoryMiB int
	Number    int // of its device node
}

// chipIDs are what the driver calls the models.
var chipIDs = map[string]string{"BM1684": "0x1684", "BM1684X": "0x1686"}

//go:embed bmlib/bmlib.c
var source string

// Build compiles the library, unless the cache has it.
func Build(cacheDir string) (library string, err error) {
	sum := sha256.Sum256([]byte(source))
	library = filepath.Join(cacheDir, fmt.Sprintf("simulator-bitmain-%x", sum[:6]), "libbmlib.so")
	if _, err := os.Stat(library); err == nil {
		return library, nil
	}
	if err := os.MkdirAll(filepath.Dir(library), 0o755); err != nil {
		return "", err
	}
	part := fmt.Sprintf("%s.part-%d", library, os.Getpid())
	cmd := exec.Command("gcc", "-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden",
		"-Wl,-soname,libbmlib.so", "-x", "c", "-o", part, "-")
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
	if err := makeNode(root, "bmdev-ctl"); err != nil {
		return err
	}
	for _, c := range chips {
		facts := fmt.Sprintf("%s %s %d\n", chipIDs[c.Model], c.Serial, c.MemoryMiB)
		if err := errors.Join(write(file(root, c.Number, "facts"), facts), makeNode(root, nodeName(c.Number))); err != nil {
			return err
		}
	}
	return writeProc(root, chips)
}

// writeProc shows the driver's files: the chips of a card are functions of one PCI device, as those of an SC5+.
func writeProc(root string, chips []Chip) error {
	var serials []string
	places := map[string]int{}
	for _, c := range chips {
		if !slices.Contains(serials, c.Serial) {
			serials = append(serials, c.Serial)
		}
		card := slices.Index(serials, c.Serial)
		folder := filepath.Join(root, hardware, "proc/bmsophon", fmt.Sprintf("card%d", card))
		chip := filepath.Join(folder, fmt.Sprintf("bmsophon%d", c.Number))
		address := fmt.Sprintf("000:%02x:00.%x\n", card+1, places[c.Serial])
		places[c.Serial]++
		err := errors.Join(
			write(filepath.Join(folder, "sn"), c.Serial+"\n"),
			write(filepath.Join(folder, "chip_num_on_card"), fmt.Sprintf("%d\n", places[c.Serial])),
			write(filepath.Join(chip, "dbdf"), address),
		)
		if err != nil {
			return err
		}
	}
	return nil
}

// addressOf is the PCI address that the driver's files show of a chip.
func addressOf(root string, number int) string {
	files, _ := filepath.Glob(filepath.Join(root, hardware, "proc/bmsophon/card*", fmt.Sprintf("bmsophon%d", number), "dbdf"))
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil {
			return strings.TrimSpace(string(text))
		}
	}
	return ""
}

func nodeName(number int) string { return "bm-sophon" + strconv.Itoa(number) }

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
