package containerruntime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"io.baetyl.gpu/dev/simulator/nvidia/node"
)

// object is a part of the OCI configuration. Only what is changed is looked at, so that nothing else is lost.
type object = map[string]any

// edit changes the configuration of a bundle if the container asks for cards.
func edit(bundle string, n node.Node) error {
	path := filepath.Join(bundle, "config.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var spec object
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // 64-bit limits lose digits as floats
	if err := decoder.Decode(&spec); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	value, asked := requested(environment(spec))
	if !asked {
		return nil
	}
	chosen, err := visible(n, value)
	if err != nil {
		return err
	}
	cards, err := withThoseThere(chosen, spec, n)
	if err != nil {
		return err
	}
	if err := addCards(spec, n, cards); err != nil {
		return err
	}
	return write(path, spec)
}

func environment(spec object) []string {
	process, _ := spec["process"].(object)
	entries, _ := process["env"].([]any)
	var env []string
	for _, entry := range entries {
		if text, ok := entry.(string); ok {
			env = append(env, text)
		}
	}
	return env
}

// withThoseThere adds the cards whose device nodes the container has anyway, such as all of them in a privileged one: the
// real driver would answer for these too.
func withThoseThere(chosen []node.Card, spec object, n node.Node) ([]node.Card, error) {
	present, err := n.Present()
	if err != nil {
		return nil, err
	}
	for _, c := range present {
		known := slices.ContainsFunc(chosen, func(o node.Card) bool { return o.UUID == c.UUID })
		if !known && has(child(spec, "linux")["devices"], c.Device()) {
			chosen = append(chosen, c)
		}
	}
	return chosen, nil
}

func addCards(spec object, n node.Node, cards []node.Card) error {
	all := node.DriverEdits()
	for _, c := range cards {
		all.Devices = append(all.Devices, c.Edits().Devices...)
		all.Mounts = append(all.Mounts, c.Edits().Mounts...)
	}
	linux := child(spec, "linux")
	for _, path := range all.Devices {
		if err := addDevice(linux, n, path); err != nil {
			return err
		}
	}
	for _, path := range all.Mounts {
		addTo(spec, "mounts", object{
			"destination": path, "source": path, "type": "bind",
			"options": []string{"ro", "nosuid", "nodev", "rbind", "rprivate"},
		})
	}
	return nil
}

// addDevice makes a device node in the container and lets its cgroup use it.
func addDevice(linux object, n node.Node, path string) error {
	var stat syscall.Stat_t
	if err := syscall.Stat(n.Path(path), &stat); err != nil {
		return hookFailed("mount error: stat failed: %s: %v", path, err)
	}
	// The numbers are below 256, where the kernel's encoding of both is the plain old one.
	major, minor := stat.Rdev>>8, stat.Rdev&0xff
	if !has(linux["devices"], path) {
		addTo(linux, "devices", object{
			"path": path, "type": "c", "major": major, "minor": minor, "fileMode": stat.Mode & 0o777, "uid": 0, "gid": 0,
		})
	}
	addTo(child(linux, "resources"), "devices", object{"allow": true, "type": "c", "major": major, "minor": minor, "access": "rwm"})
	return nil
}

// A privileged container has the node's devices already, and runc makes none twice.
func has(devices any, path string) bool {
	list, _ := devices.([]any)
	for _, entry := range list {
		if device, ok := entry.(object); ok && device["path"] == path {
			return true
		}
	}
	return false
}

func child(parent object, key string) object {
	if found, ok := parent[key].(object); ok {
		return found
	}
	made := object{}
	parent[key] = made
	return made
}

func addTo(parent object, key string, value object) {
	list, _ := parent[key].([]any)
	parent[key] = append(list, value)
}

func write(path string, spec object) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(spec); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	part := path + ".part"
	return errors.Join(os.WriteFile(part, text.Bytes(), info.Mode()), os.Rename(part, path))
}
