package control

import (
	"encoding/base64"
	"fmt"
	"os"

	"io.baetyl.gpu/dev/tool/internal/place"
)

// Kubeconfig is the path of the administrator's.
func Kubeconfig() string { return place.State("kubeconfig") }

// component's kubeconfig
func configOf(file string) string { return place.State("pki", file+".kubeconfig") }

func writeKubeconfigs() error {
	for _, id := range identities {
		if id.server || id.file == "front-proxy-client" || id.file == "apiserver-kubelet-client" {
			continue
		}
		path := configOf(id.file)
		if id.file == "admin" {
			path = Kubeconfig()
		}
		if err := writeKubeconfig(id, path); err != nil {
			return err
		}
	}
	return nil
}

// NodeKubeconfigs writes those of a node's kubelet and kube-proxy and returns their paths.
func NodeKubeconfigs(node string) (kubelet, proxy string, err error) {
	id := nodeIdentity(node)
	if err := id.issue(); err != nil {
		return "", "", err
	}
	return configOf(id.file), configOf("kube-proxy"), writeKubeconfig(id, configOf(id.file))
}

// CA is the path of the authority's certificate.
func CA() string { return pki("ca.crt") }

func writeKubeconfig(id identity, path string) error {
	var text [3]string
	for i, file := range []string{"ca.crt", id.file + ".crt", id.file + ".key"} {
		read, err := os.ReadFile(pki(file))
		if err != nil {
			return err
		}
		text[i] = base64.StdEncoding.EncodeToString(read)
	}
	return os.WriteFile(path, fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters:
- name: baetyl-gpu-dev
  cluster:
    server: %s
    certificate-authority-data: %s
users:
- name: %s
  user:
    client-certificate-data: %s
    client-key-data: %s
contexts:
- name: baetyl-gpu-dev
  context: {cluster: baetyl-gpu-dev, user: "%s"}
current-context: baetyl-gpu-dev
`, place.API, text[0], `"`+id.name+`"`, text[1], text[2], id.name), 0o600)
}
