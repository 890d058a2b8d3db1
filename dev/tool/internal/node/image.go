package node

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// LoadImage loads an archive on a node. The archive is handed over as an open file: the node does not see the host's files.
func LoadImage(name, archive string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	args, err := Enter(name, filepath.Join(Bin, "ctr"), "--namespace", "k8s.io", "images", "import", "-")
	if err != nil {
		return err
	}
	load := exec.Command(args[0], args[1:]...)
	load.Stdin = f
	if out, err := load.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: import of %s: %w: %s", name, archive, err, out)
	}
	return nil
}
