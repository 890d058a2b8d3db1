// Package jetson simulates a Jetson module on a node of the development cluster: the kernel's files and the device nodes of
// its GPU, as they are with JetPack 6 on an Orin.
package jetson

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"syscall"
)

// Hardware is where a node shows the kernel's /proc and /sys of its accelerator.
const Hardware = "/dev/hardware"

// Board is one module, as a node file describes it.
type Board struct {
	Serial    string `json:"serial"`
	Model     string `json:"model"`
	MemoryMiB int    `json:"memoryMiB"`
}

const description = "board.json" // beside the kernel's files, so that a fault knows the board

// On tells whether a node has such a module.
func On(root string) bool {
	_, err := os.Stat(filepath.Join(root, Hardware, description))
	return err == nil
}

func load(root string) (b Board, err error) {
	text, err := os.ReadFile(filepath.Join(root, Hardware, description))
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	return b, err
}

// Load is what the GPU shows when it rests, and when a process uses it; of 1000.
const (
	restingLoad = 0
	usedLoad    = 437
)

const gpu = "sys/class/devfreq/17000000.gpu/device"

// deviceNodes are those of the GPU, below /dev; all of them are the null device under another name.
var deviceNodes = []string{"nvmap", "nvhost-gpu", "nvhost-ctrl", "nvhost-ctrl-gpu", "nvhost-as-gpu", "nvgpu/igpu0/ctrl", "nvgpu/igpu0/channel"}

const nullDevice = 1<<8 | 3 // major 1, minor 3

type files map[string]string

// Prepare makes the board's files and device nodes. The root shows the node's own file system, such as /proc/<pid>/root.
// Doing it twice changes nothing but the end of faults.
func Prepare(root string, b Board) error {
	if err := os.RemoveAll(filepath.Join(root, Hardware)); err != nil {
		return err
	}
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	monitor := "sys/bus/i2c/devices/1-0040/"
	err = files{
		description:                                             string(text),
		"proc/device-tree/compatible":                           "nvidia,p3768-0000+p3767-0003\x00nvidia,tegra234\x00",
		"proc/device-tree/model":                                b.Model + "\x00",
		"proc/device-tree/serial-number":                        b.Serial + "\x00",
		"sys/class/thermal/thermal_zone0/type":                  "gpu-thermal\n",
		"sys/class/thermal/thermal_zone0/temp":                  "45968\n",
		monitor + "name":                                        "ina3221\n",
		monitor + "hwmon/hwmon0/in1_label":                      "VDD_IN\n",
		monitor + "hwmon/hwmon0/in1_input":                      "5000\n",
		monitor + "hwmon/hwmon0/curr1_input":                    "1052\n",
		"sys/class/devfreq/13e40000.host1x/device/of_node/name": "host1x\x00",
	}.write(root)
	return errors.Join(err, use(root, b, 0), showGPU(root), makeNodes(root))
}

// use shows memory in use; the module's memory is that of CPU and GPU together.
func use(root string, b Board, mib int) error {
	load := restingLoad
	if mib > 0 {
		load = usedLoad
	}
	return files{
		"proc/meminfo": fmt.Sprintf("MemTotal:       %d kB\nMemFree:        %[2]d kB\nMemAvailable:   %[2]d kB\n", b.MemoryMiB*1024, (b.MemoryMiB-mib)*1024),
		gpu + "/load":  fmt.Sprintf("%d\n", load),
	}.write(root)
}

// showGPU makes the GPU's driver appear as loaded.
func showGPU(root string) error { return files{gpu + "/of_node/name": "gpu\x00"}.write(root) }

func hideGPU(root string) error {
	err := os.Remove(filepath.Join(root, Hardware, gpu, "of_node/name"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

func makeNodes(root string) error {
	for _, name := range deviceNodes {
		path := filepath.Join(root, "dev", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		err := syscall.Mknod(path, syscall.S_IFCHR|0o666, nullDevice)
		if err != nil && !errors.Is(err, os.ErrExist) {
			return fmt.Errorf("mknod %s: %w", path, err)
		}
		if err := os.Chmod(path, 0o666); err != nil { // whatever the umask
			return err
		}
	}
	return nil
}

func removeNodes(root string) error {
	var errs []error
	for _, name := range deviceNodes {
		if err := os.Remove(filepath.Join(root, "dev", name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// write replaces each file at once, so that nobody reads half of it.
func (f files) write(root string) error {
	for name, text := range f {
		path := filepath.Join(root, Hardware, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		part := path + ".part"
		if err := errors.Join(os.WriteFile(part, []byte(text), 0o644), os.Rename(part, path)); err != nil {
			return err
		}
	}
	return nil
}
