package control

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"io.baetyl.gpu/dev/tool/internal/place"
	"io.baetyl.gpu/dev/tool/internal/process"
)

// AuditLog is the path of the API server's audit log: one JSON object a line, one line a request.
func AuditLog() string { return place.State("audit", "audit.log") }

const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
`

const etcdAddress = "http://127.0.0.1:2379"

// Components are those that can be stopped and started, in the order they start.
var Components = []string{"etcd", "apiserver", "controller-manager", "scheduler", "kube-proxy"}

func arguments(component string) []string {
	bin := func(name string) string { return place.State("bin", name) }
	switch component {
	case "etcd":
		return []string{bin("etcd"), "--data-dir=" + place.State("etcd"), "--unsafe-no-fsync",
			"--listen-client-urls=" + etcdAddress, "--advertise-client-urls=" + etcdAddress,
			"--listen-peer-urls=http://127.0.0.1:2380", "--log-level=warn"}
	case "apiserver":
		return []string{bin("kube-apiserver"), "--etcd-servers=" + etcdAddress,
			"--bind-address=" + place.Host, "--advertise-address=" + place.Host, "--allow-privileged=true",
			"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction", "--enable-bootstrap-token-auth=true",
			"--client-ca-file=" + pki("ca.crt"), "--tls-cert-file=" + pki("apiserver.crt"), "--tls-private-key-file=" + pki("apiserver.key"),
			"--kubelet-client-certificate=" + pki("apiserver-kubelet-client.crt"), "--kubelet-client-key=" + pki("apiserver-kubelet-client.key"),
			"--kubelet-preferred-address-types=InternalIP", // node names do not resolve
			"--requestheader-client-ca-file=" + pki("ca.crt"), "--requestheader-allowed-names=front-proxy-client",
			"--requestheader-extra-headers-prefix=X-Remote-Extra-", "--requestheader-group-headers=X-Remote-Group", "--requestheader-username-headers=X-Remote-User",
			"--proxy-client-cert-file=" + pki("front-proxy-client.crt"), "--proxy-client-key-file=" + pki("front-proxy-client.key"),
			"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
			"--service-account-key-file=" + pki("sa.pub"), "--service-account-signing-key-file=" + pki("sa.key"),
			"--service-cluster-ip-range=" + place.ServiceSubnet,
			"--audit-policy-file=" + place.State("audit", "policy.yaml"), "--audit-log-path=" + AuditLog(), "--audit-log-maxsize=1000"}
	case "controller-manager":
		return []string{bin("kube-controller-manager"), "--kubeconfig=" + configOf("controller-manager"), "--bind-address=127.0.0.1",
			"--authentication-kubeconfig=" + configOf("controller-manager"), "--authorization-kubeconfig=" + configOf("controller-manager"),
			"--client-ca-file=" + pki("ca.crt"), "--root-ca-file=" + pki("ca.crt"), "--requestheader-client-ca-file=" + pki("ca.crt"),
			"--cluster-signing-cert-file=" + pki("ca.crt"), "--cluster-signing-key-file=" + pki("ca.key"),
			"--service-account-private-key-file=" + pki("sa.key"), "--use-service-account-credentials=true",
			"--service-cluster-ip-range=" + place.ServiceSubnet, "--controllers=*,bootstrapsigner,tokencleaner", "--leader-elect=false"}
	case "scheduler":
		return []string{bin("kube-scheduler"), "--kubeconfig=" + configOf("scheduler"), "--bind-address=127.0.0.1",
			"--authentication-kubeconfig=" + configOf("scheduler"), "--authorization-kubeconfig=" + configOf("scheduler"), "--leader-elect=false"}
	case "kube-proxy": // of the root namespace: the API server reaches webhooks at their service address
		return append([]string{bin("kube-proxy"), "--kubeconfig=" + configOf("kube-proxy"), "--hostname-override=control-plane", "--bind-address=" + place.Host}, ProxyFlags...)
	}
	return nil
}

// ProxyFlags are those of every kube-proxy: nftables, and no touching of the kernel's connection tracking limits.
var ProxyFlags = []string{"--proxy-mode=nftables", "--conntrack-max-per-core=0", "--conntrack-tcp-timeout-established=0", "--conntrack-tcp-timeout-close-wait=0"}

// Start starts a component unless it runs.
func Start(component string, lock *os.File) error {
	start := func() error {
		if err := prepare(); err != nil {
			return err
		}
		return process.Start(process.Launch{
			Name: component, Cgroup: "control-plane", Log: LogPath(component), Args: arguments(component),
		}, lock)
	}
	_, alive := process.Find(component)
	switch {
	case component == "kube-proxy":
		return startProxy(start, alive)
	case alive:
		return nil
	}
	return start()
}

// LogPath is where a component writes.
func LogPath(component string) string { return place.State("log", component+".log") }

// Stop ends a component. The API server would wait a minute for its watchers to leave; a few seconds are enough here.
func Stop(component string) error { return process.Stop(component, 3*time.Second) }

// Check tells an unknown component's name.
func Check(component string) error {
	if !slices.Contains(Components, component) {
		return fmt.Errorf("%q is not one of %s", component, strings.Join(Components, ", "))
	}
	return nil
}

func prepare() error {
	if err := Certificates(); err != nil {
		return err
	}
	if err := os.MkdirAll(place.State("audit"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(place.State("audit", "policy.yaml"), []byte(auditPolicy), 0o644); err != nil {
		return err
	}
	return writeKubeconfigs()
}
