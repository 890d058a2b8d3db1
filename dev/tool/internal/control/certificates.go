// Package control runs the control plane: etcd, the API server, the scheduler, the controller manager and the host's kube-proxy.
package control

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"time"

	"io.baetyl.gpu/dev/tool/internal/place"
)

func pki(name string) string { return place.State("pki", name) }

// identity is a client or server that the cluster's authority vouches for.
type identity struct {
	file, name, group string
	server            bool
}

var identities = []identity{
	{file: "apiserver", name: "kube-apiserver", server: true},
	{file: "apiserver-kubelet-client", name: "kube-apiserver-kubelet-client", group: "system:masters"},
	{file: "front-proxy-client", name: "front-proxy-client"},
	{file: "admin", name: "kubernetes-admin", group: "system:masters"},
	{file: "scheduler", name: "system:kube-scheduler"},
	{file: "controller-manager", name: "system:kube-controller-manager"},
	{file: "kube-proxy", name: "system:kube-proxy"},
}

// nodeIdentity is a kubelet's: the Node authorizer and NodeRestriction know it by this name and group.
func nodeIdentity(node string) identity {
	return identity{file: "node-" + node, name: "system:node:" + node, group: "system:nodes"}
}

// Certificates makes the cluster's authority, keys and certificates where they are missing.
func Certificates() error {
	if err := os.MkdirAll(pki(""), 0o700); err != nil {
		return err
	}
	if err := authority(); err != nil {
		return err
	}
	for _, id := range identities {
		if err := id.issue(); err != nil {
			return err
		}
	}
	if exists(pki("sa.key")) {
		return nil
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048) // signs the service accounts' tokens
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return err
	}
	if err := write("sa.pub", "PUBLIC KEY", public); err != nil {
		return err
	}
	return writeKey("sa", key)
}

func authority() error {
	if exists(pki("ca.key")) {
		return nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := certificate("baetyl-gpu-dev", "")
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	signed, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	if err := write("ca.crt", "CERTIFICATE", signed); err != nil {
		return err
	}
	return writeKey("ca", key)
}

func (id identity) issue() error {
	if exists(pki(id.file + ".key")) {
		return nil
	}
	caCertificate, err := readPEM("ca.crt")
	if err != nil {
		return err
	}
	ca, err := x509.ParseCertificate(caCertificate)
	if err != nil {
		return err
	}
	caKeyText, err := readPEM("ca.key")
	if err != nil {
		return err
	}
	caKey, err := x509.ParsePKCS8PrivateKey(caKeyText)
	if err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := certificate(id.name, id.group)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	if id.server {
		template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
		template.DNSNames = []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"}
		for _, ip := range []string{place.Host, place.ServiceAddress, "127.0.0.1"} {
			template.IPAddresses = append(template.IPAddresses, net.ParseIP(ip))
		}
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, ca, key.Public(), caKey)
	if err != nil {
		return err
	}
	if err := write(id.file+".crt", "CERTIFICATE", signed); err != nil {
		return err
	}
	return writeKey(id.file, key)
}

func certificate(name, group string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	subject := pkix.Name{CommonName: name}
	if group != "" {
		subject.Organization = []string{group}
	}
	now := time.Now()
	return &x509.Certificate{SerialNumber: serial, Subject: subject, NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(1, 0, 0)}
}

func writeKey(file string, key crypto.PrivateKey) error {
	text, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return write(file+".key", "PRIVATE KEY", text) // the key comes last: where it is, the certificate is
}

func write(file, kind string, text []byte) error {
	return os.WriteFile(pki(file), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: text}), 0o600)
}

func readPEM(file string) ([]byte, error) {
	text, err := os.ReadFile(pki(file))
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	return block.Bytes, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
