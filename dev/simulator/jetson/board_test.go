package jetson

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var orin = Board{Serial: "1421323012345", Model: "NVIDIA Jetson Orin Nano Developer Kit", MemoryMiB: 7620}

func prepared(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := Prepare(root, orin); err != nil {
		t.Fatal(err)
	}
	return root
}

func read(t *testing.T, root, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, Hardware, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func fault(t *testing.T, root, verb string, args ...string) {
	t.Helper()
	if err := Fault(root, orin.Serial, verb, args); err != nil {
		t.Fatal(err)
	}
}

func TestABoardShowsWhatItIs(t *testing.T) {
	root := prepared(t)
	if got := read(t, root, "proc/device-tree/serial-number"); got != orin.Serial+"\x00" {
		t.Errorf("serial number %q", got)
	}
	if got := read(t, root, gpu+"/of_node/name"); got != "gpu\x00" {
		t.Errorf("GPU %q", got)
	}
	if _, err := os.Stat(filepath.Join(root, "dev/nvgpu/igpu0/ctrl")); err != nil {
		t.Error(err)
	}
}

func TestUseShowsInMemoryAndLoad(t *testing.T) {
	root := prepared(t)
	fault(t, root, "use", "1000")
	if got := read(t, root, "proc/meminfo"); !strings.Contains(got, "MemAvailable:   6778880 kB") {
		t.Errorf("meminfo:\n%s", got)
	}
	if got := read(t, root, gpu+"/load"); got != "437\n" {
		t.Errorf("load %q", got)
	}
}

func TestAGPUFailsVanishesAndComesBack(t *testing.T) {
	root := prepared(t)
	node := filepath.Join(root, "dev/nvmap")
	fault(t, root, "fail")
	fault(t, root, "fail") // twice changes nothing
	if _, err := os.Stat(filepath.Join(root, Hardware, gpu, "of_node/name")); err == nil {
		t.Error("the GPU is still there")
	}
	if _, err := os.Stat(node); err != nil {
		t.Error(err)
	}
	fault(t, root, "recover")
	fault(t, root, "vanish")
	if _, err := os.Stat(node); err == nil {
		t.Error("its device node is still there")
	}
	fault(t, root, "return")
	read(t, root, gpu+"/of_node/name")
	if _, err := os.Stat(node); err != nil {
		t.Error(err)
	}
}

func TestWhoReadsWhileItHangsWaits(t *testing.T) {
	root := prepared(t)
	fault(t, root, "hang")
	done := make(chan string)
	go func() {
		text, _ := os.ReadFile(filepath.Join(root, Hardware, gpu, "load"))
		done <- string(text)
	}()
	select {
	case text := <-done:
		t.Fatalf("read %q from a GPU that hangs", text)
	case <-time.After(200 * time.Millisecond):
	}
	fault(t, root, "unhang")
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Fatal("whoever waited still waits")
	}
	if got := read(t, root, gpu+"/load"); got != "0\n" {
		t.Errorf("load %q", got)
	}
}

func TestMistakesAreNamed(t *testing.T) {
	root := prepared(t)
	for _, c := range []struct {
		serial, verb string
		args         []string
		want         string
	}{
		{"1", "fail", nil, "is not on this node"},
		{orin.Serial, "break", nil, "is not known: it is one of"},
		{orin.Serial, "fail", []string{"now"}, "leave it out"},
		{orin.Serial, "use", nil, "write use MIB"},
		{orin.Serial, "use", []string{"99999"}, "up to 7620"},
	} {
		if err := Fault(root, c.serial, c.verb, c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v", c.verb, c.args, err)
		}
	}
}
