package cluster

import (
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"io.baetyl.gpu/dev/tool/internal/control"
	"io.baetyl.gpu/dev/tool/internal/node"
	"io.baetyl.gpu/dev/tool/internal/place"
	"io.baetyl.gpu/dev/tool/internal/process"
	"io.baetyl.gpu/dev/tool/internal/report"
)

// Down ends the cluster, or what was made of it, and leaves nothing but the cache.
func Down() error {
	lock, err := process.Lock()
	if err != nil {
		return err
	}
	defer lock.Close()
	began := time.Now()
	if err := halt(); err != nil {
		return err
	}
	if err := removeHostNetwork(); err != nil {
		return err
	}
	if err := noMounts(); err != nil {
		return err
	}
	if err := os.RemoveAll(place.State()); err != nil {
		return err
	}
	os.Remove(place.State() + ".lock")
	report.Say("down after %.1f s", time.Since(began).Seconds())
	return nil
}

func halt() error {
	plans, err := node.List()
	if err != nil {
		return err
	}
	var ends errgroup.Group
	for _, p := range plans {
		ends.Go(func() error { return node.Halt(p.Name) })
	}
	if err := ends.Wait(); err != nil {
		return err
	}
	for _, component := range control.Components {
		if err := process.Stop(component, 0); err != nil { // its data goes too: no need for patience
			return err
		}
	}
	for _, r := range process.All() {
		if err := process.Stop(r.Name, 0); err != nil {
			return err
		}
	}
	return process.EmptyCgroup("")
}

// noMounts looks before the state folder is deleted: a mount that is left in it would be emptied too.
func noMounts() error {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(mounts)) {
		if fields := strings.Fields(line); len(fields) > 4 && strings.HasPrefix(fields[4], place.State()+"/") {
			return fmt.Errorf("%s is still mounted: unmount it and try again", fields[4])
		}
	}
	return nil
}
