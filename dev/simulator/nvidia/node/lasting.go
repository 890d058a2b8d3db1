package node

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A reboot empties /dev and cures most faults, as it does on a real node. A card that was pulled out and a driver that is not
// installed stay away: these two are kept in this folder.
const lastingDir = "/var/lib/nvidia-simulator"

// setState writes a state file in /dev, and keeps the state over reboots if it is a lasting one.
func (n Node) setState(dir, state, lasting string) error {
	kept := n.Path(lastingDir, filepath.Base(dir))
	if state == lasting {
		if err := n.Write(filepath.Join(lastingDir, filepath.Base(dir)), state+"\n", 0o644); err != nil {
			return err
		}
	} else if err := os.Remove(kept); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return n.Write(filepath.Join(dir, "state"), state+"\n", 0o644)
}

// state reads a state file; after a reboot there is none, and the lasting state holds.
func (n Node) state(dir, fallback string) (string, error) {
	for _, path := range []string{filepath.Join(dir, "state"), filepath.Join(lastingDir, filepath.Base(dir))} {
		if state, err := n.Read(path); err != nil || state != "" {
			return state, err
		}
	}
	return fallback, nil
}

// restore writes the states after a reboot where the stub looks for them.
func (n Node) restore(uuids []string) error {
	driver, err := n.Driver()
	if err := errors.Join(err, n.SetDriver(driver)); err != nil {
		return err
	}
	for _, uuid := range uuids {
		state, err := n.State(uuid)
		if err := errors.Join(err, n.SetState(uuid, state)); err != nil {
			return err
		}
	}
	return nil
}
