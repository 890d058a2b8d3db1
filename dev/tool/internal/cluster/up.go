// Package cluster brings the whole up and down.
package cluster

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"io.baetyl.gpu/dev/tool/internal/accelerator"
	"io.baetyl.gpu/dev/tool/internal/binaries"
	"io.baetyl.gpu/dev/tool/internal/control"
	"io.baetyl.gpu/dev/tool/internal/images"
	"io.baetyl.gpu/dev/tool/internal/node"
	"io.baetyl.gpu/dev/tool/internal/nodefile"
	"io.baetyl.gpu/dev/tool/internal/place"
	"io.baetyl.gpu/dev/tool/internal/process"
	"io.baetyl.gpu/dev/tool/internal/report"
)

// Up brings up what is missing: the programs, the control plane, and the nodes of the files.
// Without files it repairs the nodes there are, or begins with the default ones.
func Up(files []string) error {
	if err := binaries.Tools(); err != nil {
		return err
	}
	lock, err := process.Lock()
	if err != nil {
		return err
	}
	defer lock.Close()
	wanted, err := wantedNodes(files)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(place.State(), 0o755); err != nil {
		return err
	}
	began := time.Now()
	made, err := makeParts()
	if err != nil {
		return err
	}
	if err := report.Step("network", hostNetwork); err != nil {
		return err
	}
	seed, err := images.Seed(made.keys, made.toolbox, lock)
	if err != nil {
		return err
	}
	if err := controlPlane(lock); err != nil {
		return err
	}
	plans, err := plan(wanted, made.artifacts)
	if err != nil {
		return err
	}
	if err := ownArchitectures(plans); err != nil {
		return err
	}
	if err := report.Step("nodes started", func() error { return bootAll(plans, seed, lock) }); err != nil {
		return err
	}
	if err := report.Step(fmt.Sprintf("%d nodes ready", len(plans)), func() error { return waitNodes(plans) }); err != nil {
		return err
	}
	if err := report.Step("service accounts", waitServiceAccount); err != nil {
		return err
	}
	if err := furnish(plans); err != nil {
		return err
	}
	report.Say("up after %.1f s; KUBECONFIG=%s", time.Since(began).Seconds(), control.Kubeconfig())
	return nil
}

// parts is what the cluster is made of.
type parts struct {
	artifacts json.RawMessage
	toolbox   string
	keys      []string // change when the images of every node do
}

func makeParts() (p parts, err error) {
	if p.keys, err = binaries.Compile(); err != nil {
		return p, err
	}
	if p.artifacts, err = accelerator.Build(); err != nil {
		return p, err
	}
	var key string
	p.toolbox, key, err = accelerator.Toolbox()
	p.keys = append(p.keys, key)
	return p, err
}

// Tools installs and compiles what the cluster needs, and starts nothing.
func Tools() error {
	if err := binaries.Tools(); err != nil {
		return err
	}
	return Locked(func(*os.File) error {
		if _, err := makeParts(); err != nil {
			return err
		}
		if plans, err := node.List(); err != nil || len(plans) > 0 {
			return err
		}
		return os.RemoveAll(place.State()) // the cache has it all
	})
}

func wantedNodes(files []string) ([]nodefile.Node, error) {
	if len(files) == 0 {
		if plans, err := node.List(); err != nil || len(plans) > 0 {
			return nil, err
		}
		folder, err := place.Source("nodes", "default")
		if err != nil {
			return nil, err
		}
		if files, err = nodefile.Default(folder); err != nil {
			return nil, err
		}
	}
	return nodefile.Read(files)
}

func controlPlane(lock *os.File) error {
	return report.Step("control plane", func() error {
		for _, component := range control.Components {
			if err := control.Start(component, lock); err != nil {
				return err
			}
			if component == "apiserver" {
				if err := control.WaitReady(60 * time.Second); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// plan joins the nodes of the files to those there are already, and says what differs.
func plan(wanted []nodefile.Node, artifacts json.RawMessage) ([]node.Plan, error) {
	plans, err := node.List()
	if err != nil {
		return nil, err
	}
	if len(plans) > 0 && len(wanted) > 0 {
		var kept []string
		for _, p := range plans {
			if !slices.ContainsFunc(wanted, func(n nodefile.Node) bool { return n.Name == p.Name }) {
				kept = append(kept, p.Name)
			}
		}
		if len(kept) > 0 {
			report.Say("kept, though no file names it: %s; dev/cluster remove NODE ends one", strings.Join(kept, ", "))
		}
	}
	first := len(plans) == 0
	for _, n := range wanted {
		at := slices.IndexFunc(plans, func(p node.Plan) bool { return p.Name == n.Name })
		switch {
		case at < 0:
			if !first {
				report.Say("node %s is added", n.Name)
			}
			plans = append(plans, node.Plan{Node: n, Index: freeIndex(plans)})
		case !reflect.DeepEqual(plans[at].Node, n):
			report.Say("node %s differs from before: it is rebooted with what its file says now", n.Name)
			plans[at].Node = n
			if err := node.Halt(n.Name); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(plans, func(a, b node.Plan) int { return strings.Compare(a.Name, b.Name) })
	for i := range plans {
		plans[i].Artifacts = artifacts
		if err := plans[i].Save(); err != nil {
			return nil, err
		}
	}
	return plans, nil
}

func freeIndex(plans []node.Plan) int {
	for index := 2; ; index++ {
		if !slices.ContainsFunc(plans, func(p node.Plan) bool { return p.Index == index }) {
			return index
		}
	}
}

func bootAll(plans []node.Plan, seed string, lock *os.File) error {
	var boots errgroup.Group
	for _, p := range plans {
		boots.Go(func() error { return node.Boot(p, seed, lock) })
	}
	return boots.Wait()
}
