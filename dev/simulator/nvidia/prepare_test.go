package nvidia

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestCDISpecification(t *testing.T) {
	root := testNode(t, edgeP4)
	got, err := os.ReadFile(filepath.Join(root, CDISpec))
	must(t, err)
	want, err := os.ReadFile("testdata/out-cdi.yaml")
	must(t, err)
	if string(got) != string(want) {
		t.Errorf("differs from testdata/out-cdi.yaml:\n%s", got)
	}
}

// What was generated at boot is stale after a card went, until the driver is loaded again.
func TestCDISpecificationFollowsTheDriver(t *testing.T) {
	root := testNode(t, edgeP4)
	before, err := os.ReadFile(filepath.Join(root, CDISpec))
	must(t, err)
	strike(t, root, first, "vanish")
	after, err := os.ReadFile(filepath.Join(root, CDISpec))
	must(t, err)
	if string(before) != string(after) {
		t.Error("a vanished card changed the specification")
	}
	must(t, Driver(root, "ok"))
	after, err = os.ReadFile(filepath.Join(root, CDISpec))
	must(t, err)
	if string(before) == string(after) {
		t.Error("the driver's return left the specification stale")
	}
	must(t, Prepare(root, edgeP4, built(t), WithoutCDI()))
	must(t, Driver(root, "ok"))
	if _, err := os.Stat(filepath.Join(root, CDISpec)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a node without the toolkit got a specification: %v", err)
	}
}

func TestPrepareTwiceWritesNothing(t *testing.T) {
	root := testNode(t, edgeP4)
	strike(t, root, first, "hang")
	before := times(t, root)
	time.Sleep(10 * time.Millisecond)
	must(t, Prepare(root, edgeP4, built(t)))
	for path, at := range times(t, root) {
		if !at.Equal(before[path]) {
			t.Errorf("%s was written again", path)
		}
	}
}

func TestPrepareTakesAwayWhatIsNotListed(t *testing.T) {
	root := testNode(t, edgeP4)
	must(t, Prepare(root, edgeP4[:1], built(t)))
	wantSMI(t, root, 0, "GPU 0: Tesla P4 (UUID: "+second+")\n", "-L")
	must(t, Prepare(root, nil, built(t)))
	wantSMI(t, root, 6, "No devices were found\n", "-L")
	if _, err := os.Stat(filepath.Join(root, CDISpec)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("CDI calls for a device at least, but there is a specification: %v", err)
	}
}

func TestPrepareRefuses(t *testing.T) {
	card := func(change func(c *Card)) []Card {
		cards := []Card{edgeP4[0], edgeP4[1]}
		change(&cards[0])
		return cards
	}
	a, root := Artifacts{}, t.TempDir()
	wantError(t, Prepare(root, card(func(c *Card) { c.UUID = "../x" }), a), "its UUID has to look like")
	wantError(t, Prepare(root, card(func(c *Card) { c.Model = "" }), a), "such as Tesla P4")
	wantError(t, Prepare(root, card(func(c *Card) { c.PCI = "3b:00" }), a), "has to look like 00000000:03:00.0")
	wantError(t, Prepare(root, card(func(c *Card) { c.MemoryMiB = 92 }), a), "more than the 92 MiB")
	wantError(t, Prepare(root, card(func(c *Card) { c.PCI = "0000:03:00.0" }), a), "both have PCI address 00000000:03:00.0")
	wantError(t, Prepare(root, card(func(c *Card) { c.UUID = first }), a), "both have UUID")
	wantError(t, Prepare(root, edgeP4, a), "call Build first")
	must(t, os.Mkdir(filepath.Join(root, "link"), 0o755))
	must(t, os.Symlink("/dev", filepath.Join(root, "link/dev")))
	wantError(t, Prepare(filepath.Join(root, "link"), edgeP4, a), "is the machine's own /dev")
}

func times(t *testing.T, root string) map[string]time.Time {
	t.Helper()
	at := map[string]time.Time{}
	must(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		at[path] = info.ModTime()
		return err
	}))
	return at
}
