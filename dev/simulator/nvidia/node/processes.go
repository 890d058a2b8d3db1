package node

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Process uses a card's memory.
type Process struct {
	Pid  int
	MiB  int
	born string // the tick it started at, which tells it from a later process with the same number
}

// Processes lists those that still live.
func (n Node) Processes(uuid string) ([]Process, error) {
	text, err := n.Read(processesPath(uuid))
	if err != nil {
		return nil, err
	}
	var alive []Process
	for _, line := range strings.Split(text, "\n") {
		var p Process
		var namespace string
		if _, err := fmt.Sscan(line, &namespace, &p.Pid, &p.born, &p.MiB); err != nil {
			continue
		}
		if born, err := bornAt(p.Pid); err == nil && born == p.born {
			alive = append(alive, p)
		}
	}
	return alive, nil
}

// Use records what a process uses of a card; 0 ends that.
func (n Node) Use(c Card, pid, mib int) error {
	born, err := bornAt(pid)
	if err != nil {
		return fmt.Errorf("process %d: %w: it has to run while it uses a card", pid, err)
	}
	alive, err := n.Processes(c.UUID)
	if err != nil {
		return err
	}
	free := c.MemoryMiB - modelOf(c.Model).reservedMiB
	var rest []Process
	for _, p := range alive {
		if p.Pid != pid {
			rest = append(rest, p)
			free -= p.MiB
		}
	}
	if mib < 0 || mib > free {
		return fmt.Errorf("card %s: %d MiB is not between 0 and the %d MiB that are free for process %d; let another process use less first",
			c.UUID, mib, free, pid)
	}
	if mib > 0 {
		rest = append(rest, Process{Pid: pid, MiB: mib, born: born})
	}
	return n.writeProcesses(c.UUID, rest)
}

// Forget drops the records of processes that ended.
func (n Node) Forget(uuid string) error {
	alive, err := n.Processes(uuid)
	if err != nil {
		return err
	}
	return n.writeProcesses(uuid, alive)
}

func processesPath(uuid string) string { return filepath.Join(CardDir(uuid), "processes") }

func (n Node) writeProcesses(uuid string, processes []Process) error {
	link, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return err
	}
	namespace := strings.TrimSuffix(strings.TrimPrefix(link, "pid:["), "]")
	var b strings.Builder
	for _, p := range processes {
		fmt.Fprintf(&b, "%s %d %s %d\n", namespace, p.Pid, p.born, p.MiB)
	}
	return n.Write(processesPath(uuid), b.String(), 0o644)
}

func bornAt(pid int) (string, error) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", err
	}
	// The second field is the name, in brackets, and may hold blanks; the start is the 22nd.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" {
		return "", os.ErrProcessDone
	}
	return fields[19], nil
}
