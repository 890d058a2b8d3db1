// Package place knows where the cluster keeps its files.
package place

import (
	"fmt"
	"os"
	"path/filepath"
)

// Names and addresses that belong to the cluster on this machine. There is one cluster per machine.
const (
	Cgroup = "baetyl-gpu" // parent of every process of the cluster, in each hierarchy
	Links  = "baetylgpu"  // beginning of the network devices' names
	Bridge = Links + "0"  // joins the nodes and the control plane
	Subnet = "10.89"      // 10.89.0.0/24 is the nodes' network, 10.89.N.0/24 the pods of node N
	Host   = "10.89.0.1"  // the control plane's address
	API    = "https://10.89.0.1:6443"
	// ServiceSubnet holds the services' virtual addresses; the first one is the API server's.
	ServiceSubnet  = "10.96.0.0/16"
	ServiceAddress = "10.96.0.1"
	DNSAddress     = "10.96.0.10"
)

// State is the folder of everything that `down` removes.
func State(parts ...string) string {
	return under("BAETYL_GPU_STATE", "XDG_STATE_HOME", ".local/state", "baetyl-gpu/cluster", parts)
}

// Cache is the folder of what is worth keeping: compiled binaries and images.
func Cache(parts ...string) string {
	return under("BAETYL_GPU_CACHE", "XDG_CACHE_HOME", ".cache", "baetyl-gpu", parts)
}

func under(exact, base, fallback, name string, parts []string) string {
	root := os.Getenv(exact)
	if root == "" {
		parent := os.Getenv(base)
		if parent == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				home = "/root"
			}
			parent = filepath.Join(home, fallback)
		}
		root = filepath.Join(parent, name)
	}
	if absolute, err := filepath.Abs(root); err == nil {
		root = absolute
	}
	return filepath.Join(append([]string{root}, parts...)...)
}

// Source is the folder dev/ of the project; the wrapper script names it.
func Source(parts ...string) (string, error) {
	dev := os.Getenv("BAETYL_GPU_DEV")
	if dev == "" {
		return "", fmt.Errorf("BAETYL_GPU_DEV is not set: call the script dev/cluster, which sets it")
	}
	return filepath.Join(append([]string{dev}, parts...)...), nil
}
