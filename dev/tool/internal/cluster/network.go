package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"io.baetyl.gpu/dev/tool/internal/control"
	"io.baetyl.gpu/dev/tool/internal/node"
	"io.baetyl.gpu/dev/tool/internal/place"
)

const forwarding = "/proc/sys/net/ipv4/ip_forward"

// hostNetwork makes the bridge that the nodes hang on.
func hostNetwork() error {
	before := place.State("ip_forward")
	if _, err := os.Stat(before); err != nil {
		if err := refuseForeign(); err != nil {
			return err
		}
		text, err := os.ReadFile(forwarding)
		if err != nil {
			return err
		}
		if err := os.WriteFile(before, text, 0o644); err != nil {
			return err
		}
	}
	if err := os.WriteFile(forwarding, []byte("1"), 0o644); err != nil {
		return err
	}
	if _, err := os.Stat("/sys/class/net/" + place.Bridge); err != nil {
		if err := node.Script("link add " + place.Bridge + " type bridge"); err != nil {
			return err
		}
	}
	return node.Script("address replace "+place.Host+"/24 dev "+place.Bridge, "link set "+place.Bridge+" up")
}

// refuseForeign looks for what `down` could not tell from the cluster's own.
func refuseForeign() error {
	if _, err := os.Stat("/sys/class/net/" + place.Bridge); err == nil {
		return fmt.Errorf("the bridge %s is there already: a cluster with another state folder runs; end it with the same BAETYL_GPU_STATE or XDG_STATE_HOME", place.Bridge)
	}
	if exec.Command("nft", "list", "table", "ip", control.ProxyTable).Run() == nil {
		return fmt.Errorf("this machine is a node of a Kubernetes cluster already (nft table %s): use another machine", control.ProxyTable)
	}
	routes, err := exec.Command("ip", "route", "show", "root", place.Subnet+".0.0/16").Output()
	if err == nil && len(strings.TrimSpace(string(routes))) > 0 {
		return fmt.Errorf("this machine has routes into %s.0.0/16, which the cluster uses: %s", place.Subnet, routes)
	}
	return nil
}

// removeHostNetwork undoes it, and what kube-proxy wrote.
func removeHostNetwork() error {
	before, err := os.ReadFile(place.State("ip_forward"))
	if err != nil {
		return nil // this cluster has made no network
	}
	for _, family := range []string{"ip", "ip6"} {
		exec.Command("nft", "delete", "table", family, control.ProxyTable).Run()
	}
	// The nodes' links go by themselves with the nodes, but the kernel may take minutes over it. Routes go with the bridge.
	links, _ := filepath.Glob("/sys/class/net/" + place.Links + "[0-9]*")
	for _, link := range links {
		exec.Command("ip", "link", "delete", filepath.Base(link)).Run()
		if _, err := os.Stat(link); err == nil {
			return fmt.Errorf("network device %s cannot be removed: try ip link delete %s", filepath.Base(link), filepath.Base(link))
		}
	}
	return os.WriteFile(forwarding, before, 0o644)
}
