package nvidia

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

var edgeP4 = []Card{
	// Not in PCI order, which is the order that counts.
	{UUID: "GPU-7cf0b881-7598-8b1a-3270-94d6f5d2479a", Model: "Tesla P4", MemoryMiB: 7611, PCI: "00000000:3b:00.0"},
	{UUID: "GPU-9f12f917-e458-4bb8-3d9d-8dc7fd6cddf7", Model: "Tesla P4", MemoryMiB: 7611, PCI: "0000:03:00.0"},
}

const (
	first  = "GPU-9f12f917-e458-4bb8-3d9d-8dc7fd6cddf7"
	second = "GPU-7cf0b881-7598-8b1a-3270-94d6f5d2479a"
)

var cache string // of what the tests compile

func TestMain(m *testing.M) {
	var err error
	if cache, err = os.MkdirTemp("", "simulator-nvidia-test-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(cache)
	os.Exit(code)
}

func built(t *testing.T) Artifacts {
	t.Helper()
	a, err := Build(cache)
	must(t, err)
	return a
}

// testNode is a folder that has what a node has.
func testNode(t *testing.T, cards []Card) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("device nodes and mounts need root")
	}
	root := t.TempDir()
	if err := Prepare(root, cards, built(t)); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mknod(filepath.Join(root, "dev/null"), syscall.S_IFCHR|0o666, 1<<8|3); err != nil {
		t.Fatal(err)
	}
	return root
}

// onNode makes a command see the node's /dev as its own.
func onNode(root, program string, args ...string) *exec.Cmd {
	script := `mount --bind "$0" /dev && exec "$@"`
	cmd := exec.Command("/bin/sh", append([]string{"-c", script, filepath.Join(root, "dev"), program}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	return cmd
}

// probe is a process that has the stub loaded.
type probe struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
	pid int
}

func startProbe(t *testing.T, root string) *probe {
	t.Helper()
	return startProbeIn(t, root, 0)
}

func startProbeIn(t *testing.T, root string, namespaces uintptr) *probe {
	t.Helper()
	built(t)
	program := filepath.Join(cache, "probe")
	if _, err := os.Stat(program); err != nil {
		if out, err := exec.Command("gcc", append(cFlags, "-o", program, "testdata/probe.c")...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	cmd := onNode(root, program, filepath.Join(root, "usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1"))
	cmd.SysProcAttr.Cloneflags = namespaces
	in, err := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	cmd.Stderr = os.Stderr
	if err := errors.Join(err, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Process.Kill(); cmd.Wait() })
	return &probe{t: t, in: in, out: bufio.NewReader(out), pid: cmd.Process.Pid}
}

func (p *probe) send(call string) { fmt.Fprintln(p.in, call) }

func (p *probe) answer() string {
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Error(err)
	}
	return strings.TrimSpace(line)
}

// want makes a call and compares the code and the results.
func (p *probe) want(call, answer string) {
	p.t.Helper()
	p.send(call)
	if got := p.answer(); got != answer {
		p.t.Errorf("%s\n got %q\nwant %q", call, got, answer)
	}
}

// wantBlocked makes a call that must not return before release was called.
func (p *probe) wantBlocked(call string, release func(), answer string) {
	p.t.Helper()
	p.send(call)
	answered := make(chan string, 1)
	go func() { answered <- p.answer() }()
	select {
	case got := <-answered:
		p.t.Errorf("%s did not block: %q", call, got)
		return
	case <-time.After(150 * time.Millisecond):
	}
	release()
	select {
	case got := <-answered:
		if got != answer {
			p.t.Errorf("%s after its release\n got %q\nwant %q", call, got, answer)
		}
	case <-time.After(5 * time.Second):
		p.t.Fatalf("%s still blocks after its release", call)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
