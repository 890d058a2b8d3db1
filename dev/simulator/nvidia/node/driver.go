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

// Version is the driver's.
const Version = "550.163.01"

// DriverState is what is wrong with a node's driver; cards.c knows the same words.
type DriverState string

// States of a driver.
const (
	DriverOK       DriverState = "ok"
	DriverAbsent   DriverState = "absent"
	DriverMismatch DriverState = "mismatch"
	DriverHang     DriverState = "hang"
)

// Files of the node that belong to its driver, and that containers get.
const (
	Library = "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1"
	SMI     = "/usr/bin/nvidia-smi"
)

// Control nodes go to every container with a card.
var Control = []string{"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"}

// Device is the node of a card.
func (c Card) Device() string { return fmt.Sprintf("/dev/nvidia%d", *c.Minor) }

// Driver tells what is wrong with the driver.
func (n Node) Driver() (DriverState, error) {
	state, err := n.state(DriverDir(), string(DriverOK))
	return DriverState(state), err
}

// SetDriver changes what is wrong with the driver.
func (n Node) SetDriver(state DriverState) error {
	return n.setState(DriverDir(), string(state), string(DriverAbsent))
}

// WriteDriverFacts writes the versions that NVML reports.
func (n Node) WriteDriverFacts() error {
	return n.Write(filepath.Join(DriverDir(), "facts"), fmt.Sprintf("version %s\nnvml_version 12.%s\ncuda_version 12040\n", Version, Version), 0o644)
}

// SyncDevices makes the device nodes that the driver and its cards call for, and removes the others.
func (n Node) SyncDevices() error {
	driver, err := n.Driver()
	if err != nil {
		return err
	}
	wanted := map[string]bool{}
	if driver != DriverAbsent {
		for _, path := range Control {
			wanted[path] = true
		}
		present, err := n.Present()
		if err != nil {
			return err
		}
		for _, c := range present {
			wanted[c.Device()] = true
		}
	}
	there, err := filepath.Glob(n.Path("/dev/nvidia*"))
	if err != nil {
		return err
	}
	for _, path := range there {
		if simulated(path) && !wanted["/dev/"+filepath.Base(path)] {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	for path := range wanted {
		if err := n.makeDevice(path); err != nil {
			return err
		}
	}
	return nil
}

// The null device stands in: it opens for reading and writing wherever it is.
const nullDevice = 1<<8 | 3

// A real accelerator of the machine is never touched, whatever a caller believes to be a node's /dev.
func simulated(path string) bool {
	var stat syscall.Stat_t
	return syscall.Lstat(path, &stat) == nil && stat.Mode&syscall.S_IFMT == syscall.S_IFCHR && stat.Rdev == nullDevice
}

func (n Node) makeDevice(path string) error {
	at := n.Path(path)
	err := syscall.Mknod(at, syscall.S_IFCHR|0o666, nullDevice)
	if errors.Is(err, fs.ErrExist) && !simulated(at) {
		return fmt.Errorf("device node %s: there is a real one; give the node a /dev of its own", at)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("device node %s: %w; only root may make one", at, err)
	}
	return os.Chmod(at, 0o666) // mknod obeys the umask
}

// InstallDriver puts the driver's files where a distribution has them, or takes them away with an absent driver.
func (n Node) InstallDriver() error {
	state, err := n.Driver()
	if err != nil {
		return err
	}
	versioned := strings.TrimSuffix(Library, ".1") + "." + Version
	if state == DriverAbsent {
		for _, path := range []string{Library, versioned, SMI} {
			if err := os.Remove(n.Path(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	}
	for _, path := range []string{versioned, SMI} {
		kept := filepath.Join(InstallDir(), filepath.Base(path))
		text, err := os.ReadFile(n.Path(kept))
		if err != nil {
			return fmt.Errorf("%w: prepare the node again", err)
		}
		if err := n.Write(path, string(text), 0o755); err != nil {
			return err
		}
	}
	return n.link(filepath.Base(versioned), Library)
}

func (n Node) link(target, path string) error {
	at := n.Path(path)
	if have, err := os.Readlink(at); err == nil && have == target {
		return nil
	}
	if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Symlink(target, at)
}
