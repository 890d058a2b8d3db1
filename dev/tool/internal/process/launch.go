package process

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Launch says how a process of the cluster is started.
type Launch struct {
	Name   string   // of its record
	Cgroup string   // below the cluster's
	Log    string   // file of its output, begun anew
	Args   []string // the command
	Env    []string // more variables
	// Unshare gives it namespaces of its own.
	Unshare uintptr `json:"-"`
}

// The tool calls itself by this word to become the process: between fork and exec it joins the cgroup and writes the record,
// holding the lock meanwhile, so that `down` always finds it, whenever `up` is killed.
const launchVerb = "launch"

const (
	lockFile  = 3 // inherited
	errorPipe = 4 // closed, without a word, when all is well
)

// Start starts a process that outlives the tool.
func Start(l Launch, lock *os.File) error {
	if err := CreateCgroup(l.Cgroup); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(l.Log), 0o755); err != nil {
		return err
	}
	log, err := os.OpenFile(l.Log, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	hear, tell, err := os.Pipe()
	if err != nil {
		return err
	}
	defer hear.Close()
	text, _ := json.Marshal(l)
	cmd := exec.Command("/proc/self/exe", launchVerb, string(text))
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), l.Env...)
	cmd.ExtraFiles = []*os.File{lock, tell}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Cloneflags: l.Unshare}
	err = cmd.Start()
	tell.Close()
	if err != nil {
		return err
	}
	go cmd.Wait()
	said, _ := io.ReadAll(hear)
	if len(said) > 0 {
		return fmt.Errorf("%s: %s", l.Name, said)
	}
	return nil
}

// Launched does the child's half when the tool was called for that; otherwise it returns at once.
// Commands that begin with a name in inside are functions of the tool itself; they call ready when they have come up.
func Launched(inside map[string]func(args []string, ready func()) error) {
	if len(os.Args) != 3 || os.Args[1] != launchVerb {
		return
	}
	unix.CloseOnExec(lockFile)
	unix.CloseOnExec(errorPipe)
	err := become(os.Args[2], inside)
	fmt.Fprint(os.NewFile(errorPipe, "errors"), err)
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func become(text string, inside map[string]func([]string, func()) error) error {
	var l Launch
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		return err
	}
	if err := joinCgroup(l.Cgroup); err != nil {
		return err
	}
	if err := recordSelf(l.Name); err != nil {
		return err
	}
	if f, ours := inside[l.Args[0]]; ours {
		return f(l.Args[1:], func() { unix.Close(lockFile); unix.Close(errorPipe) })
	}
	if err := unix.Exec(l.Args[0], l.Args, os.Environ()); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(l.Args[:1], " "), err)
	}
	return nil
}
