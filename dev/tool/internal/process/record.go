// Package process starts the cluster's processes and stops those, and only those, that it started.
package process

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"io.baetyl.gpu/dev/tool/internal/place"
)

// Record names a process for good: ids are used again, but not with the same start within the same boot.
type Record struct {
	Name  string `json:"name"`
	PID   int    `json:"pid"`
	Start string `json:"start"` // clock ticks since boot
	Boot  string `json:"boot"`
}

func recordPath(name string) string { return place.State("run", name+".json") }

// Find returns the recorded process of that name when it is still alive.
func Find(name string) (Record, bool) {
	var r Record
	text, err := os.ReadFile(recordPath(name))
	if err != nil || json.Unmarshal(text, &r) != nil {
		return r, false
	}
	return r, r.alive()
}

// All returns every recorded process that is still alive.
func All() []Record {
	paths, _ := filepath.Glob(recordPath("*"))
	var found []Record
	for _, path := range paths {
		if r, alive := Find(strings.TrimSuffix(filepath.Base(path), ".json")); alive {
			found = append(found, r)
		}
	}
	return found
}

// Stop ends the named process: politely, then after the patience is over by force. It returns when the process is gone.
func Stop(name string, patience time.Duration) error {
	r, alive := Find(name)
	if alive && patience > 0 {
		unix.Kill(r.PID, unix.SIGTERM)
		r.wait(patience)
	}
	if r.alive() {
		unix.Kill(r.PID, unix.SIGKILL)
		if !r.wait(10 * time.Second) {
			return fmt.Errorf("process %d (%s) does not end", r.PID, name)
		}
	}
	os.Remove(recordPath(name))
	return nil
}

func (r Record) wait(limit time.Duration) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if !r.alive() {
			return true
		}
	}
	return false
}

func (r Record) alive() bool {
	if r.PID <= 0 || r.Boot != bootID() {
		return false
	}
	state, start, err := stat(r.PID)
	return err == nil && start == r.Start && state != "Z"
}

// stat returns the state of a process and when it began.
func stat(pid int) (state, start string, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", "", err
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 20 {
		return "", "", fmt.Errorf("/proc/%d/stat is short", pid)
	}
	return fields[0], fields[19], nil
}

func bootID() string {
	text, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(text))
}

// recordSelf writes the record of the calling process.
func recordSelf(name string) error {
	self, err := os.Readlink("/proc/self") // the id outside, also when the caller is the first of a namespace of its own
	if err != nil {
		return err
	}
	pid, _ := strconv.Atoi(self)
	_, start, err := stat(pid)
	if err != nil {
		return err
	}
	text, _ := json.Marshal(Record{Name: name, PID: pid, Start: start, Boot: bootID()})
	if err := os.MkdirAll(place.State("run"), 0o755); err != nil {
		return err
	}
	temporary := recordPath(name) + ".new"
	if err := os.WriteFile(temporary, text, 0o644); err != nil {
		return err
	}
	return os.Rename(temporary, recordPath(name))
}
