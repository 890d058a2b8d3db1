package node

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"io.baetyl.gpu/dev/tool/internal/accelerator"
	"io.baetyl.gpu/dev/tool/internal/control"
	"io.baetyl.gpu/dev/tool/internal/images"
	"io.baetyl.gpu/dev/tool/internal/nodefile"
	"io.baetyl.gpu/dev/tool/internal/place"
)

// writeConfig writes a node's configuration where kubeadm and the packages of a real node have it.
func (p Plan) writeConfig(tree string) error {
	kubelet, proxy, err := control.NodeKubeconfigs(p.Name)
	if err != nil {
		return err
	}
	copies := map[string]string{
		kubelet:      "/etc/kubernetes/kubelet.conf",
		proxy:        "/etc/kubernetes/kube-proxy.conf",
		control.CA(): "/etc/kubernetes/pki/ca.crt",
	}
	files := map[string]string{
		"/etc/hostname":               p.Name + "\n",
		"/etc/containerd/config.toml": p.containerd(),
		"/etc/cni/net.d/10-dev-cluster.conflist": fmt.Sprintf(`{"cniVersion": "1.0.0", "name": "dev-cluster", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "hairpinMode": true,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": "%s"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}, "backend": "nftables"}
]}
`, p.Pods()),
		"/var/lib/kubelet/config.yaml": p.kubelet(),
	}
	for from, to := range copies {
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		files[to] = string(text)
	}
	for to, text := range files {
		to = filepath.Join(tree, to)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			return err
		}
	}
	for _, dir := range []string{"/etc/kubernetes/manifests", "/etc/cdi", "/var/log/dev-cluster"} {
		if err := os.MkdirAll(filepath.Join(tree, dir), 0o755); err != nil {
			return err
		}
	}
	return nil
}

func (p Plan) containerd() string {
	standard, nvidia := "runc", ""
	if p.HasNvidiaRuntime() {
		nvidia = fmt.Sprintf(`
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.nvidia]
runtime_type = 'io.containerd.runc.v2'
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.nvidia.options]
BinaryName = '%s'
`, accelerator.NvidiaRuntime)
		if p.Runtime == nodefile.RuntimeDefault {
			standard = "nvidia"
		}
	}
	return fmt.Sprintf(`version = 3
[plugins.'io.containerd.cri.v1.images'.pinned_images]
sandbox = '%s'
[plugins.'io.containerd.cri.v1.runtime']
restrict_oom_score_adj = true # a machine without CAP_SYS_RESOURCE may not lower it
enable_cdi = true
cdi_spec_dirs = ['/etc/cdi', '/var/run/cdi']
[plugins.'io.containerd.cri.v1.runtime'.cni]
bin_dirs = ['/usr/lib/cni']
conf_dir = '/etc/cni/net.d'
[plugins.'io.containerd.cri.v1.runtime'.containerd]
default_runtime_name = '%s'
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
runtime_type = 'io.containerd.runc.v2'
%s`, images.Pause, standard, nvidia)
}

func (p Plan) kubelet() string {
	return strings.NewReplacer("{cgroup}", "/"+place.Cgroup+"/"+p.cgroup(), "{dns}", place.DNSAddress).Replace(`apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: /etc/kubernetes/pki/ca.crt}}
authorization: {mode: Webhook}
staticPodPath: /etc/kubernetes/manifests
clusterDomain: cluster.local
clusterDNS: ["{dns}"]
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
cgroupDriver: cgroupfs
cgroupRoot: {cgroup}
# Allowances for the machine underneath; the defaults stay for everything else.
failCgroupV1: false
failSwapOn: false
evictionHard: {memory.available: 100Mi, nodefs.available: "1%", imagefs.available: "1%"}
volumeStatsAggPeriod: 10s # so that a pod that fills its folder is evicted while a test looks
imageGCHighThresholdPercent: 100 # images come from no registry: one that is collected is lost
`)
}
