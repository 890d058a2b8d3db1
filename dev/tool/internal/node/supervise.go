package node

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	"syscall"
)

// unit is a program that a node keeps running.
type unit struct {
	name string
	args []string
}

const (
	unitFolder = "/run/dev-cluster" // the units' process ids
	unitLogs   = "/var/log/dev-cluster"
	pause      = time.Second // between the end of a unit and its next start
)

// supervise starts the units, starts them again when they end, and buries whatever process ends in the node.
func supervise(units []unit) error {
	os.Setenv("PATH", searchPath)
	if err := os.MkdirAll(unitFolder, 0o755); err != nil {
		return err
	}
	var changing sync.Mutex
	running := map[int]unit{}
	start := func(u unit) {
		changing.Lock()
		defer changing.Unlock()
		pid, err := u.start()
		if err != nil {
			fmt.Fprintln(os.Stderr, u.name, err)
			return
		}
		running[pid] = u
	}
	for _, u := range units {
		start(u)
	}
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		if err != nil {
			time.Sleep(pause)
			continue
		}
		changing.Lock()
		u, known := running[pid]
		delete(running, pid)
		changing.Unlock()
		if known {
			fmt.Fprintf(os.Stderr, "%s ended: %d\n", u.name, status)
			go func() { time.Sleep(pause); start(u) }()
		}
	}
}

func (u unit) start() (pid int, err error) {
	log, err := os.OpenFile(filepath.Join(unitLogs, u.name+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return 0, err
	}
	defer log.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	pid, err = syscall.ForkExec(u.args[0], u.args, &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{null.Fd(), log.Fd(), log.Fd()}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return 0, err
	}
	return pid, os.WriteFile(filepath.Join(unitFolder, u.name+".pid"), []byte(strconv.Itoa(pid)), 0o644)
}

// RestartUnit runs inside a node: it ends a unit and waits until the first process has started it again.
func RestartUnit(name string) error {
	before, err := unitPID(name)
	if err != nil {
		return fmt.Errorf("there is no unit %s: they are containerd, kubelet and kube-proxy", name)
	}
	unix.Kill(before, unix.SIGTERM)
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if now, err := unitPID(name); err == nil && now != before {
			return nil
		}
	}
	return fmt.Errorf("%s (process %d in the node) does not end", name, before)
}

func unitPID(name string) (int, error) {
	text, err := os.ReadFile(filepath.Join(unitFolder, name+".pid"))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}
