package node

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"io.baetyl.gpu/dev/tool/internal/binaries"
	"io.baetyl.gpu/dev/tool/internal/control"
	"io.baetyl.gpu/dev/tool/internal/images"
	"io.baetyl.gpu/dev/tool/internal/place"
	"io.baetyl.gpu/dev/tool/internal/process"
)

// BootWord is the word by which the tool becomes a node's first process.
const BootWord = "node-init"

// Running tells whether a node's first process is alive, and its id.
func Running(name string) (pid int, alive bool) {
	r, alive := process.Find(recordName(name))
	return r.PID, alive
}

// Boot starts a node unless it runs. seed is the containerd folder that a new node begins with.
func Boot(p Plan, seed string, lock *os.File) error {
	if _, alive := Running(p.Name); alive {
		return nil
	}
	if err := process.EmptyCgroup(p.cgroup()); err != nil {
		return err
	}
	if _, _, err := control.NodeKubeconfigs(p.Name); err != nil {
		return err
	}
	if seed != "" {
		if err := images.CopySeed(seed, folder(p.Name, "tree", "var/lib/containerd")); err != nil {
			return err
		}
	}
	exec.Command("ip", "link", "delete", p.link()).Run() // of a life before
	err := process.Start(process.Launch{
		Name: recordName(p.Name), Cgroup: p.cgroup() + "/system", Log: place.State("log", recordName(p.Name)+".log"),
		Args:    []string{BootWord, p.Name},
		Unshare: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC,
	}, lock)
	if err != nil {
		return err
	}
	return connect(p)
}

// connect lays the cable between the bridge and the node's namespace.
func connect(p Plan) error {
	pid, alive := Running(p.Name)
	if !alive {
		return fmt.Errorf("node %s ended at once: see %s", p.Name, place.State("log", recordName(p.Name)+".log"))
	}
	return Script(
		fmt.Sprintf("link add %s type veth peer name eth0 netns %d", p.link(), pid),
		fmt.Sprintf("link set %s master %s up", p.link(), place.Bridge),
		fmt.Sprintf("route replace %s via %s", p.Pods(), p.Address()),
	)
}

// Script runs commands of ip(8).
func Script(lines ...string) error {
	for _, line := range lines {
		if out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %s", line, strings.TrimSpace(string(out)))
		}
	}
	return nil
}

// Halt ends a node as a power cut does: every process of it, its mounts and its network vanish.
func Halt(name string) error {
	if err := process.Stop(recordName(name), 0); err != nil {
		return err
	}
	return process.EmptyCgroup(cgroupOf(name))
}

// Remove ends a node and deletes its files.
func Remove(p Plan) error {
	if err := Halt(p.Name); err != nil {
		return err
	}
	exec.Command("ip", "link", "delete", p.link()).Run()
	exec.Command("ip", "route", "delete", p.Pods()).Run()
	return os.RemoveAll(folder(p.Name))
}

// Enter returns the command that runs a command inside a node: in its namespaces, with its files.
func Enter(name string, command ...string) ([]string, error) {
	if _, err := Load(name); err != nil {
		return nil, err
	}
	pid, alive := Running(name)
	if !alive {
		return nil, fmt.Errorf("node %s is down: dev/cluster up starts it", name)
	}
	nsenter, err := exec.LookPath("nsenter")
	if err != nil {
		return nil, err
	}
	if len(command) > 0 && command[0] == "cluster" {
		command[0] = filepath.Join(Bin, "cluster")
		if err := binaries.InstallSelf(); err != nil { // the node was started by the tool as it was then
			return nil, err
		}
	}
	return append([]string{nsenter, fmt.Sprintf("--target=%d", pid), "--mount", "--pid", "--net", "--uts", "--ipc", "--"}, command...), nil
}

// Exec becomes a command inside a node.
func Exec(name string, command []string) error {
	args, err := Enter(name, command...)
	if err != nil {
		return err
	}
	os.Setenv("PATH", searchPath)
	return unix.Exec(args[0], args, os.Environ())
}

// Output runs a command inside a node and returns what it says.
func Output(name string, command ...string) (string, error) {
	args, err := Enter(name, command...)
	if err != nil {
		return "", err
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "PATH="+searchPath)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %s: %w: %s", name, strings.Join(command, " "), err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}
