package images

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"io.baetyl.gpu/dev/tool/internal/binaries"
	"io.baetyl.gpu/dev/tool/internal/place"
	"io.baetyl.gpu/dev/tool/internal/process"
	"io.baetyl.gpu/dev/tool/internal/report"
)

// Names of the images that every node has.
const (
	Pause     = "localhost/pause:1"
	Toolbox   = "localhost/toolbox:1"
	Scheduler = "localhost/kube-scheduler:" + binaries.KubernetesVersion
)

// Seed returns a containerd folder that holds the images already. Each node starts with a copy, made of hard links: importing
// 150 MB on every node would take longer than all the rest. The keys change when the images do.
func Seed(keys []string, toolbox string, lock *os.File) (string, error) {
	sum := sha256.Sum256([]byte(strings.Join(keys, " ") + pauseSource))
	seed := place.Cache(fmt.Sprintf("images-%x", sum[:6]))
	if _, err := os.Stat(seed); err == nil {
		return seed, os.Chtimes(seed, time.Now(), time.Now())
	}
	forgetOld()
	return seed, report.Step("images of every node", func() error { return plant(seed, toolbox, lock) })
}

// forgetOld removes what no cluster has begun with for a week. Nodes keep what they share with it.
func forgetOld() {
	seeds, _ := filepath.Glob(place.Cache("images-*"))
	for _, old := range seeds {
		if info, err := os.Stat(old); err == nil && time.Since(info.ModTime()) > 7*24*time.Hour {
			os.RemoveAll(old)
		}
	}
}

func plant(seed, toolbox string, lock *os.File) error {
	work := seed + ".part"
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.MkdirAll(work, 0o755); err != nil {
		return err
	}
	archives, err := writeAll(work, toolbox)
	if err != nil {
		return err
	}
	root := filepath.Join(work, "root")
	sockets, err := os.MkdirTemp("", "seed") // a socket's path has to be short
	if err != nil {
		return err
	}
	defer os.RemoveAll(sockets)
	config := filepath.Join(work, "config.toml")
	text := fmt.Sprintf("version = 3\nroot = %q\nstate = %q\ndisabled_plugins = ['io.containerd.cri.v1.runtime', 'io.containerd.grpc.v1.cri', 'io.containerd.nri.v1.nri', 'io.containerd.internal.v1.opt']\n[grpc]\naddress = %q\n",
		root, sockets, filepath.Join(sockets, "s"))
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		return err
	}
	const name = "image-seed"
	err = process.Start(process.Launch{
		Name: name, Cgroup: "control-plane", Log: place.State("log", name+".log"), Unshare: syscall.CLONE_NEWNS, // its mounts end with it
		Args: []string{place.State("bin", "containerd"), "--config", config},
	}, lock)
	if err != nil {
		return err
	}
	defer process.Stop(name, 0)
	for _, archive := range archives {
		if err := importInto(filepath.Join(sockets, "s"), archive); err != nil {
			return err
		}
	}
	if err := process.Stop(name, 5*time.Second); err != nil {
		return err
	}
	return os.Rename(root, seed)
}

func importInto(socket, archive string) error {
	var out []byte
	var err error
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if _, err = os.Stat(socket); err != nil {
			continue
		}
		ctr := exec.Command(place.State("bin", "ctr"), "--address", socket, "--namespace", "k8s.io", "images", "import", archive)
		if out, err = ctr.CombinedOutput(); err == nil {
			return nil
		}
	}
	return fmt.Errorf("import of %s: %w\n%s", archive, err, out)
}

// CopySeed makes a node's containerd folder. Files are shared, except for the databases, which are written to.
func CopySeed(seed, to string) error {
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	part := to + ".part"
	os.RemoveAll(part)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if exec.Command("cp", "-a", "--link", seed, part).Run() != nil {
		os.RemoveAll(part)
		if out, err := exec.Command("cp", "-a", "--reflink=auto", seed, part).CombinedOutput(); err != nil {
			return fmt.Errorf("cp: %w: %s", err, out)
		}
	}
	err := filepath.Walk(part, func(path string, info os.FileInfo, err error) error {
		if err != nil || filepath.Ext(path) != ".db" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		os.Remove(path)
		return os.WriteFile(path, text, info.Mode())
	})
	if err != nil {
		return err
	}
	return os.Rename(part, to)
}
