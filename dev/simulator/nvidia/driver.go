package nvidia

import (
	"fmt"
	"os"

	"io.baetyl.gpu/dev/simulator/nvidia/node"
)

// Driver makes a node's driver work, or fail in one of its ways:
//   - ok: it works. CDI specifications are written anew, where the node has them, as nvidia-cdi-refresh does.
//   - absent: its library, its tool and the device nodes are gone, and every call of a library already loaded returns 9.
//   - mismatch: its package was upgraded while the old module is loaded. Every call returns 18.
//   - hang: every call blocks.
func Driver(root, state string) error {
	n := node.Node{Root: root}
	switch s := node.DriverState(state); s {
	case node.DriverOK, node.DriverAbsent, node.DriverMismatch, node.DriverHang:
		unlock, err := n.Lock()
		if err != nil {
			return err
		}
		defer unlock()
		return change(n, s)
	}
	return fmt.Errorf("driver state %q is not known: it is one of ok, absent, mismatch, hang", state)
}

func change(n node.Node, state node.DriverState) error {
	if err := n.SetDriver(state); err != nil {
		return err
	}
	if err := n.InstallDriver(); err != nil {
		return err
	}
	if err := n.SyncDevices(); err != nil {
		return err
	}
	if _, err := os.Stat(n.Path(CDISpec)); err != nil || state != node.DriverOK {
		return nil
	}
	return writeSpec(n)
}
