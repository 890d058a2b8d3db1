package nvidia

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"io.baetyl.gpu/dev/simulator/nvidia/node"
)

// Option changes what a node gets.
type Option func(*settings)

type settings struct{ cdi bool }

// WithoutCDI leaves a node without a CDI specification, as where the toolkit is not installed.
func WithoutCDI() Option { return func(s *settings) { s.cdi = false } }

// folders of the node that Prepare writes into
var folders = []string{"/dev", "/etc/cdi", filepath.Dir(node.Library), filepath.Dir(node.SMI)}

// Prepare gives a node its cards and their driver, as a boot does. The root is a path that shows the node's own file system,
// such as /proc/<pid>/root, or / inside it. Doing it twice changes nothing; faults that were set stay.
func Prepare(root string, cards []Card, a Artifacts, options ...Option) error {
	chosen := settings{cdi: true}
	for _, option := range options {
		option(&chosen)
	}
	n := node.Node{Root: root}
	if err := ownFolders(n); err != nil {
		return err
	}
	unlock, err := n.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	if err := n.SetCards(cards); err != nil {
		return err
	}
	if err := forgetEnded(n, cards); err != nil {
		return err
	}
	if err := n.WriteDriverFacts(); err != nil {
		return err
	}
	if err := keep(n, a); err != nil {
		return err
	}
	if err := errors.Join(n.InstallDriver(), n.SyncDevices()); err != nil {
		return err
	}
	if !chosen.cdi {
		return removeSpec(n)
	}
	return writeSpec(n)
}

// ownFolders makes the folders, and refuses those of the machine itself: on a node they have to be mounts of its own.
func ownFolders(n node.Node) error {
	for _, folder := range folders {
		if err := os.MkdirAll(n.Path(folder), 0o755); err != nil {
			return err
		}
		if filepath.Clean(n.Root) == "/" {
			continue // the caller is inside the node
		}
		theirs, err := os.Stat(n.Path(folder))
		if err != nil {
			return err
		}
		if ours, err := os.Stat(folder); err == nil && os.SameFile(ours, theirs) {
			return fmt.Errorf("%s is the machine's own %s: mount a folder or an overlay of the node's over it before its cards are prepared", n.Path(folder), folder)
		}
	}
	return nil
}

func forgetEnded(n node.Node, cards []Card) error {
	for _, c := range cards {
		if err := n.Forget(c.UUID); err != nil {
			return err
		}
	}
	return nil
}

// keep stores the driver's files on the node, from where an absent driver comes back.
func keep(n node.Node, a Artifacts) error {
	for from, name := range map[string]string{a.Library: "libnvidia-ml.so." + node.Version, a.SMI: filepath.Base(node.SMI)} {
		text, err := os.ReadFile(from)
		if err != nil {
			return fmt.Errorf("%w: call Build first", err)
		}
		if err := n.Write(filepath.Join(node.InstallDir(), name), string(text), 0o755); err != nil {
			return err
		}
	}
	return nil
}

func removeSpec(n node.Node) error {
	err := os.Remove(n.Path(CDISpec))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
