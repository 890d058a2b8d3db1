package process

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"io.baetyl.gpu/dev/tool/internal/place"
	"io.baetyl.gpu/dev/tool/internal/report"
)

// Lock makes the verbs that change the cluster wait for each other. The lock is let go when the file is closed.
func Lock() (*os.File, error) {
	path := place.State() + ".lock" // beside the folder, which `down` removes
	if err := os.MkdirAll(place.State(".."), 0o755); err != nil {
		return nil, err
	}
	for {
		f, err := lockFileAt(path)
		if err != nil || stillThere(f, path) {
			return f, err
		}
		f.Close() // whoever had it removed the file
	}
}

func lockFileAt(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		report.Say("another dev/cluster is at work; waiting for it")
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
	}
	return f, err
}

func stillThere(f *os.File, path string) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(held, named)
}
