package cluster

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"io.baetyl.gpu/dev/tool/internal/control"
	"io.baetyl.gpu/dev/tool/internal/node"
	"io.baetyl.gpu/dev/tool/internal/process"
	"io.baetyl.gpu/dev/tool/internal/report"
)

// Locked runs f while no other verb changes the cluster.
func Locked(f func(lock *os.File) error) error {
	lock, err := process.Lock()
	if err != nil {
		return err
	}
	defer lock.Close()
	return f(lock)
}

// Restart restarts one program of a node, or reboots the node and waits for it.
func Restart(name, what string, wait bool) error {
	p, err := node.Load(name)
	if err != nil {
		return err
	}
	return Locked(func(lock *os.File) error {
		return report.Step("restarted "+name+" "+what, func() error {
			switch what {
			case "kubelet", "containerd", "kube-proxy":
				_, err = node.Output(name, "cluster", "restart-unit", what)
			case "node":
				if err = node.Halt(name); err == nil {
					err = node.Boot(p, "", lock)
				}
				if err == nil && wait {
					err = waitNodes([]node.Plan{p})
				}
			default:
				return fmt.Errorf("%q is not one of kubelet, containerd, kube-proxy, node", what)
			}
			return err
		})
	})
}

// Remove ends a node for good.
func Remove(name string) error {
	p, err := node.Load(name)
	if err != nil {
		return err
	}
	return Locked(func(*os.File) error {
		if err := node.Remove(p); err != nil {
			return err
		}
		api, err := control.NewAPI()
		if err != nil {
			return err
		}
		return api.Delete("/api/v1/nodes/" + name)
	})
}

// LoadImage loads an archive on every node.
func LoadImage(archive string) error {
	plans, err := node.List()
	if err != nil {
		return err
	}
	if len(plans) == 0 {
		return fmt.Errorf("there are no nodes: dev/cluster up starts some")
	}
	return report.Step("loaded "+archive, func() error {
		var loads errgroup.Group
		for _, p := range plans {
			loads.Go(func() error { return node.LoadImage(p.Name, archive) })
		}
		return loads.Wait()
	})
}

// StartComponent starts a component of the control plane.
func StartComponent(component string) error {
	return Locked(func(lock *os.File) error {
		if err := control.Start(component, lock); err != nil || component != "apiserver" {
			return err
		}
		return control.WaitReady(60 * time.Second)
	})
}

// Status prints what runs.
func Status() error {
	plans, err := node.List()
	if err != nil {
		return err
	}
	if len(plans) == 0 && len(process.All()) == 0 {
		fmt.Println("the cluster is down")
		return nil
	}
	api, apiErr := control.NewAPI()
	for _, component := range control.Components {
		state := "stopped"
		if r, alive := process.Find(component); alive {
			state = fmt.Sprintf("running (process %d)", r.PID)
		}
		fmt.Printf("%-20s %s\n", component, state)
	}
	for _, p := range plans {
		state := "stopped"
		if pid, alive := node.Running(p.Name); alive {
			state = fmt.Sprintf("running (process %d) at %s", pid, p.Address())
			var n nodeObject
			if apiErr != nil {
			} else if found, err := api.Get("/api/v1/nodes/"+p.Name, &n); err != nil {
				state += ", the API server does not answer"
			} else if is, why := n.ready(); !found || !is {
				state += ", not ready: " + why
			} else {
				state += ", ready"
			}
		}
		fmt.Printf("%-20s %s, %d cards\n", p.Name, state, len(p.Cards))
	}
	return nil
}
