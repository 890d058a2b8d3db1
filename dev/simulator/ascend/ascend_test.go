package ascend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const die = "00000001-00000002-00000003-00000004-00000005"

func prepared(t *testing.T) string {
	t.Helper()
	library, err := Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	chip := Chip{Die: die, Model: "310", MemoryMiB: 8192, Card: 6, Unit: 1, Number: 4}
	for range 2 { // twice changes nothing
		if err := Prepare(root, []Chip{chip}, library); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestAChipHasItsFilesAndNodes(t *testing.T) {
	root := prepared(t)
	for _, path := range []string{Library, "/dev/davinci4", "/dev/davinci_manager", "/dev/hisi_hdc"} {
		if _, err := os.Stat(filepath.Join(root, path)); err != nil {
			t.Error(err)
		}
	}
	facts, _ := os.ReadFile(file(root, 4, "facts"))
	if got := string(facts); got != "6 1 310 8192 "+die+"\n" {
		t.Errorf("facts %q", got)
	}
}

func TestFaultsSetTheState(t *testing.T) {
	root := prepared(t)
	for verb, want := range map[string]string{"fail": "failed", "hang": "hung", "unhang": "ok"} {
		if err := Fault(root, die, verb, nil); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(file(root, 4, "state")); string(got) != want+"\n" {
			t.Errorf("%s: %q", verb, got)
		}
	}
	if err := Fault(root, die, "vanish", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "dev/davinci4")); err == nil {
		t.Error("the device node is still there")
	}
	if err := Fault(root, die, "return", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "dev/davinci4")); err != nil {
		t.Error(err)
	}
}

func TestMistakesAreNamed(t *testing.T) {
	root := prepared(t)
	for want, args := range map[string][]string{
		"is not on this node": {"0", "fail"},
		"is not known":        {die, "break"},
		"leave it out":        {die, "fail", "now"},
		"write use MIB":       {die, "use"},
	} {
		if err := Fault(root, args[0], args[1], args[2:]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}
