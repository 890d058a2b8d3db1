package node

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"io.baetyl.gpu/dev/tool/internal/accelerator"
	"io.baetyl.gpu/dev/tool/internal/control"
	"io.baetyl.gpu/dev/tool/internal/place"
)

// Init is a node's first process.
func Init(args []string, ready func()) error {
	p, err := Load(args[0])
	if err != nil {
		return err
	}
	tree, err := mountRoot(p.Name)
	if err != nil {
		return err
	}
	if err := p.writeConfig(tree); err != nil {
		return err
	}
	if err := accelerator.Prepare(tree, p.Node, p.Artifacts); err != nil {
		return err
	}
	if err := changeRoot(tree); err != nil {
		return err
	}
	if err := unix.Sethostname([]byte(p.Name)); err != nil {
		return err
	}
	if err := newBootID(); err != nil {
		return err
	}
	ready()
	if err := p.network(); err != nil {
		return err
	}
	return supervise(p.units())
}

// newBootID gives this life of the node an id of its own; the kubelet reports a reboot when it changes.
func newBootID() error {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	file := "/run/boot_id"
	text := fmt.Sprintf("%x-%x-%x-%x-%x\n", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	if err := os.WriteFile(file, []byte(text), 0o444); err != nil {
		return err
	}
	return mount(file, "/proc/sys/kernel/random/boot_id", "", unix.MS_BIND, "")
}

// network sets up the node's end of the cable, which arrives from outside.
func (p Plan) network() error {
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat("/sys/class/net/eth0"); err == nil {
			break
		}
		if time.Now().After(end) {
			return fmt.Errorf("eth0 does not arrive")
		}
	}
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0o644); err != nil {
		return err
	}
	return Script("link set lo up", "address add "+p.Address()+"/24 dev eth0", "link set eth0 up", "route add default via "+place.Host)
}

// units are the programs of a node.
func (p Plan) units() []unit {
	bin := func(name string) string { return filepath.Join(Bin, name) }
	proxy := append([]string{bin("kube-proxy"), "--kubeconfig=/etc/kubernetes/kube-proxy.conf", "--hostname-override=" + p.Name}, control.ProxyFlags...)
	return []unit{
		{name: "containerd", args: []string{bin("containerd")}},
		{name: "kubelet", args: []string{bin("kubelet"), "--kubeconfig=/etc/kubernetes/kubelet.conf", "--config=/var/lib/kubelet/config.yaml",
			"--node-ip=" + p.Address(), "--hostname-override=" + p.Name}},
		{name: "kube-proxy", args: proxy},
	}
}
