package binaries

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"io.baetyl.gpu/dev/tool/internal/place"
	"io.baetyl.gpu/dev/tool/internal/report"
)

// KubernetesVersion is the release that dev/kubernetes/go.mod names.
const KubernetesVersion = "v1.36.3"

// module is a Go module below dev/ and what is compiled from it.
type module struct {
	folder  string
	sources []string
	args    []string
	env     []string
	results []string
	takes   string
}

var modules = []module{
	{
		folder: "kubernetes", sources: []string{"go.mod", "go.sum", "main.go"},
		args: []string{"-ldflags", "-s -w -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=36" +
			" -X k8s.io/component-base/version.gitVersion=" + KubernetesVersion, "-o", "kube", "."},
		env: []string{"CGO_ENABLED=0"}, results: []string{"kube"}, takes: "5 minutes on two cores",
	},
	{
		folder: "containerd", sources: []string{"go.mod", "go.sum"},
		args: []string{"-ldflags", "-s -w", "-o", "./", "tool"},
		env:  []string{"CGO_ENABLED=0"}, results: []string{"containerd", "containerd-shim-runc-v2", "ctr"}, takes: "a minute",
	},
	{
		folder: "runc", sources: []string{"go.mod", "go.sum"},
		args: []string{"-tags", "seccomp", "-ldflags", "-s -w", "-o", "./", "tool"},
		env:  []string{"CGO_ENABLED=1"}, results: []string{"runc"}, takes: "20 s",
	},
}

// the names that the multi-call binary of dev/kubernetes answers to
var components = []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "kubelet", "kubectl"}

// Compile fills the folder bin of the state with every program the cluster runs, compiling what the cache lacks.
// It returns the names of the cached folders, which change when their contents do.
func Compile() ([]string, error) {
	version, err := quiet("", nil, "go", "env", "GOVERSION", "GOARCH")
	if err != nil {
		return nil, err
	}
	bin := place.State("bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return nil, err
	}
	var keys []string
	for _, m := range modules {
		key, err := m.compile(version)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
		for _, name := range m.results {
			if err := LinkOrCopy(place.Cache(key, name), filepath.Join(bin, name)); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range components {
		if err := replaceLink("kube", filepath.Join(bin, name)); err != nil {
			return nil, err
		}
	}
	return keys, InstallSelf()
}

func (m module) compile(goVersion string) (string, error) {
	folder, err := place.Source(m.folder)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, goVersion, m.args, m.env)
	for _, name := range m.sources {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return "", err
		}
		sum.Write(text)
	}
	key := fmt.Sprintf("%s-%x", m.folder, sum.Sum(nil)[:6])
	if _, err := os.Stat(place.Cache(key)); err == nil {
		return key, nil
	}
	return key, report.Step("compiled "+strings.Join(m.results, ", "), func() error {
		report.Say("compiling %s once; this takes about %s", strings.Join(m.results, ", "), m.takes)
		unfinished := place.Cache(key + ".part")
		if err := os.MkdirAll(unfinished, 0o755); err != nil {
			return err
		}
		args := append([]string{"build", "-trimpath"}, m.args...)
		for i, arg := range args {
			if i > 0 && args[i-1] == "-o" {
				args[i] = filepath.Join(unfinished, arg)
				if strings.HasSuffix(arg, "/") {
					args[i] += "/"
				}
			}
		}
		if _, err := quiet(folder, m.env, "go", args...); err != nil {
			return fmt.Errorf("%w\nGo's module proxy has to be reachable, or the modules cached", err)
		}
		return os.Rename(unfinished, place.Cache(key))
	})
}

// InstallSelf puts the running tool where the nodes see it.
func InstallSelf() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return LinkOrCopy(self, place.State("bin", "cluster"))
}

// LinkOrCopy gives a file a second name, or copies it where the two are on different file systems.
func LinkOrCopy(from, to string) error {
	if a, err := os.Stat(from); err == nil {
		if b, err := os.Stat(to); err == nil && os.SameFile(a, b) {
			return nil
		}
	}
	os.Remove(to)
	if os.Link(from, to) == nil {
		return nil
	}
	_, err := quiet("", nil, "cp", "--preserve=mode,timestamps", from, to)
	return err
}

func replaceLink(target, name string) error {
	if have, err := os.Readlink(name); err == nil && have == target {
		return nil
	}
	os.Remove(name)
	return os.Symlink(target, name)
}
