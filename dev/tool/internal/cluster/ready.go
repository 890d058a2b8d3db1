package cluster

import (
	"fmt"
	"slices"
	"time"

	"io.baetyl.gpu/dev/tool/internal/control"
	"io.baetyl.gpu/dev/tool/internal/node"
)

// nodeObject is what matters here of a Node.
type nodeObject struct {
	Metadata struct{ Labels map[string]string }
	Status   struct {
		NodeInfo   struct{ BootID string }
		Conditions []struct{ Type, Status, Message string }
	}
}

func (n nodeObject) ready() (bool, string) {
	for _, c := range n.Status.Conditions {
		if c.Type == "Ready" {
			return c.Status == "True", c.Message
		}
	}
	return false, "the kubelet has not registered"
}

// waitNodes waits until every node is Ready in the life it lives now.
func waitNodes(plans []node.Plan) error {
	api, err := control.NewAPI()
	if err != nil {
		return err
	}
	for _, p := range plans {
		boot, err := node.Output(p.Name, "cat", "/proc/sys/kernel/random/boot_id")
		if err != nil {
			return err
		}
		why := "the kubelet has not registered"
		for end := time.Now().Add(90 * time.Second); ; time.Sleep(100 * time.Millisecond) {
			var n nodeObject
			found, err := api.Get("/api/v1/nodes/"+p.Name, &n)
			if err != nil {
				why = err.Error()
			} else if found {
				is, message := n.ready()
				if is && n.Status.NodeInfo.BootID+"\n" == boot && n.Metadata.Labels[archLabel] == p.Arch {
					break
				}
				why = message
			}
			if time.Now().After(end) {
				return fmt.Errorf("node %s is not ready: %s: see its logs with dev/cluster exec %s tail /var/log/dev-cluster/kubelet.log", p.Name, why, p.Name)
			}
		}
	}
	return nil
}

// waitServiceAccount waits until pods can be created: they need the account that the controller manager makes in each namespace.
func waitServiceAccount() error {
	api, err := control.NewAPI()
	if err != nil {
		return err
	}
	for end := time.Now().Add(60 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		found, err := api.Get("/api/v1/namespaces/default/serviceaccounts/default", nil)
		if found {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("there is no service account in namespace default (%v): see %s", err, control.LogPath("controller-manager"))
		}
	}
}

// furnish creates what belongs to the nodes in the cluster: their labels and the RuntimeClass.
func furnish(plans []node.Plan) error {
	api, err := control.NewAPI()
	if err != nil {
		return err
	}
	for _, p := range plans {
		if len(p.Labels) == 0 {
			continue
		}
		err := api.Apply("/api/v1/nodes/"+p.Name, map[string]any{
			"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": p.Name, "labels": p.Labels},
		})
		if err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(plans, func(p node.Plan) bool { return p.HasNvidiaRuntime() }) {
		return nil
	}
	return api.Apply("/apis/node.k8s.io/v1/runtimeclasses/nvidia", map[string]any{
		"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": map[string]any{"name": "nvidia"}, "handler": "nvidia",
	})
}
