package node

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// makeDevices fills a node's own /dev. Nothing here reaches the host's.
func makeDevices(dev string) error {
	if err := mount("tmpfs", dev, "tmpfs", unix.MS_NOSUID, "mode=755"); err != nil {
		return err
	}
	nodes := []struct {
		name         string
		mode         uint32
		major, minor uint32
	}{
		{"null", 0o666, 1, 3}, {"zero", 0o666, 1, 5}, {"full", 0o666, 1, 7}, {"random", 0o666, 1, 8}, {"urandom", 0o666, 1, 9},
		{"kmsg", 0o644, 1, 11}, {"tty", 0o666, 5, 0}, {"fuse", 0o666, 10, 229},
	}
	for _, n := range nodes {
		path := filepath.Join(dev, n.name)
		if err := unix.Mknod(path, unix.S_IFCHR|n.mode, int(unix.Mkdev(n.major, n.minor))); err != nil {
			return fmt.Errorf("mknod %s: %w", n.name, err)
		}
		if err := os.Chmod(path, os.FileMode(n.mode)); err != nil { // whatever the umask
			return err
		}
	}
	links := map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx"}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(dev, name)); err != nil {
			return err
		}
	}
	for _, m := range []struct{ name, kind, data string }{
		{"pts", "devpts", "newinstance,ptmxmode=0666,mode=0620,gid=5"},
		{"shm", "tmpfs", "mode=1777"},
		{"mqueue", "mqueue", ""},
	} {
		if err := os.Mkdir(filepath.Join(dev, m.name), 0o755); err != nil {
			return err
		}
		if err := mount(m.kind, filepath.Join(dev, m.name), m.kind, 0, m.data); err != nil {
			return err
		}
	}
	return nil
}
