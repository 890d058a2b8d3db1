// Package node runs the cluster's nodes. A node is a process with mount, process, network, host name and IPC namespaces of its
// own, the first process of which starts containerd, the kubelet and kube-proxy, and starts them again when they end.
package node

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"io.baetyl.gpu/dev/tool/internal/nodefile"
	"io.baetyl.gpu/dev/tool/internal/place"
)

// Plan is everything that a node's first process needs to know. It is kept in the state folder.
type Plan struct {
	nodefile.Node
	Index     int             `json:"index"` // the node's address is 10.89.0.INDEX, its pods' are 10.89.INDEX.0/24
	Artifacts json.RawMessage `json:"artifacts,omitempty"`
}

func (p Plan) Address() string { return fmt.Sprintf("%s.0.%d", place.Subnet, p.Index) }
func (p Plan) Pods() string    { return fmt.Sprintf("%s.%d.0/24", place.Subnet, p.Index) }
func (p Plan) link() string    { return fmt.Sprintf("%s%d", place.Links, p.Index) }
func (p Plan) cgroup() string  { return cgroupOf(p.Name) }

func cgroupOf(name string) string { return "node-" + name }

// folder holds a node's files: tree is its root, overlay what it changed in /usr and /etc.
func folder(name string, parts ...string) string {
	return place.State(append([]string{"nodes", name}, parts...)...)
}

func recordName(name string) string { return "node-" + name }

// Save keeps the plan.
func (p Plan) Save() error {
	if err := os.MkdirAll(folder(p.Name), 0o755); err != nil {
		return err
	}
	text, _ := json.MarshalIndent(p, "", "  ")
	return os.WriteFile(folder(p.Name, "plan.json"), text, 0o644)
}

// Load reads a node's plan.
func Load(name string) (Plan, error) {
	var p Plan
	text, err := os.ReadFile(folder(name, "plan.json"))
	if os.IsNotExist(err) {
		return p, fmt.Errorf("there is no node %s: dev/cluster status lists them", name)
	}
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	return p, err
}

// List reads the plans of all nodes.
func List() ([]Plan, error) {
	paths, _ := filepath.Glob(folder("*", "plan.json"))
	var plans []Plan
	for _, path := range paths {
		p, err := Load(filepath.Base(filepath.Dir(path)))
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, nil
}
