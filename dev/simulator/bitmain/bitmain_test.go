package bitmain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const serial = "HQATEVBAIAIAI0001"

func prepared(t *testing.T) string {
	t.Helper()
	library, err := Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	chips := []Chip{{Serial: serial, Model: "BM1684", MemoryMiB: 7086, Number: 0}, {Serial: serial, Model: "BM1684", MemoryMiB: 7086, Number: 1}}
	for range 2 { // twice changes nothing
		if err := Prepare(root, chips, library); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestAChipHasItsFilesAndNodes(t *testing.T) {
	root := prepared(t)
	for _, path := range []string{Library, "/dev/bm-sophon0", "/dev/bm-sophon1", "/dev/bmdev-ctl"} {
		if _, err := os.Stat(filepath.Join(root, path)); err != nil {
			t.Error(err)
		}
	}
	facts, _ := os.ReadFile(file(root, 1, "facts"))
	if got := string(facts); got != "0x1684 "+serial+" 7086\n" {
		t.Errorf("facts %q", got)
	}
}

func TestTheDriversFilesTellWhereAChipIs(t *testing.T) {
	card := filepath.Join(prepared(t), "dev/hardware/proc/bmsophon/card0")
	for name, want := range map[string]string{
		"sn": serial, "chip_num_on_card": "2", "bmsophon0/dbdf": "000:01:00.0", "bmsophon1/dbdf": "000:01:00.1",
	} {
		if got, _ := os.ReadFile(filepath.Join(card, name)); string(got) != want+"\n" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestAFaultIsOfOneChip(t *testing.T) {
	root := prepared(t)
	if err := Fault(root, serial+"-1", "vanish", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "dev/bm-sophon1")); err == nil {
		t.Error("its device node is still there")
	}
	if _, err := os.Stat(filepath.Join(root, "dev/bm-sophon0")); err != nil {
		t.Error(err)
	}
	if err := Fault(root, serial+"-1", "return", nil); err != nil {
		t.Fatal(err)
	}
	if err := Fault(root, serial, "use", []string{"1000"}); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(file(root, 0, "used_mb")); string(got) != "1000\n" {
		t.Errorf("used %q", got)
	}
	if err := Fault(root, serial+"-000:01:00.1", "fail", nil); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(file(root, 1, "state")); string(got) != "failed\n" {
		t.Errorf("state %q", got)
	}
	if err := Fault(root, "other", "fail", nil); err == nil || !strings.Contains(err.Error(), "is not on this node") {
		t.Error(err)
	}
}
