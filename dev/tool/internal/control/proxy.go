package control

import (
	"fmt"
	"os/exec"
	"time"

	"io.baetyl.gpu/dev/tool/internal/place"
)

// ProxyTable is the nft table that kube-proxy writes.
const ProxyTable = "kube-proxy"

const proxyNode = "/api/v1/nodes/control-plane"

// startProxy starts the host's kube-proxy. Kube-proxy waits half a minute for the Node it runs on, and goes on without it only
// then; here it sees one, for a moment, that nothing else ever gets to use.
func startProxy(start func() error, running bool) error {
	api, err := NewAPI()
	if err != nil {
		return err
	}
	if running { // an earlier attempt may have been killed before it removed the Node
		return api.Delete(proxyNode)
	}
	node := func(key string, value any) map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": "control-plane"}, key: value}
	}
	taint := map[string]any{"key": "node-role.kubernetes.io/control-plane", "effect": "NoExecute"}
	if err := api.Apply(proxyNode, node("spec", map[string]any{"unschedulable": true, "taints": []any{taint}})); err != nil {
		return err
	}
	defer api.Delete(proxyNode)
	address := map[string]any{"type": "InternalIP", "address": place.Host}
	if err := api.Apply(proxyNode+"/status", node("status", map[string]any{"addresses": []any{address}})); err != nil {
		return err
	}
	if err := start(); err != nil {
		return err
	}
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if exec.Command("nft", "list", "table", "ip", ProxyTable).Run() == nil {
			return nil
		}
	}
	return fmt.Errorf("kube-proxy writes no nft table: see %s", LogPath("kube-proxy"))
}
