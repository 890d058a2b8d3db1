package nvidia

import (
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// The sources travel inside the tool, so that it needs no checkout to compile them.
//
//go:embed nvml/*.c nvml/*.h smi/*.c node/*.go containerruntime/*.go cmd/nvidia-container-runtime/*.go
var sources embed.FS

// Artifacts are the paths of what the simulator compiles.
type Artifacts struct {
	Library string // libnvidia-ml.so.1
	SMI     string // nvidia-smi, static
	Runtime string // nvidia-container-runtime, static; containerd's BinaryName, with runc beside it or in PATH
}

var cFlags = []string{"-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror"}

// Build compiles what the cache lacks.
func Build(cacheDir string) (Artifacts, error) {
	key, err := sourceKey()
	if err != nil {
		return Artifacts{}, err
	}
	dir := filepath.Join(cacheDir, "simulator-nvidia-"+key)
	made := Artifacts{
		Library: filepath.Join(dir, "libnvidia-ml.so.1"),
		SMI:     filepath.Join(dir, "nvidia-smi"),
		Runtime: filepath.Join(dir, "nvidia-container-runtime"),
	}
	if _, err := os.Stat(dir); err == nil {
		return made, nil
	}
	return made, intoPlace(dir, compile)
}

// sourceKey changes with what is compiled, and with how.
func sourceKey() (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.Version(), runtime.GOARCH, cFlags)
	err := fs.WalkDir(sources, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := sources.ReadFile(path)
		fmt.Fprintf(sum, "%s %d\n%s", path, len(text), text)
		return err
	})
	return fmt.Sprintf("%x", sum.Sum(nil)[:6]), err
}

// intoPlace fills a folder that appears only when it is complete.
func intoPlace(dir string, fill func(dir string) error) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".part-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	if err := errors.Join(os.Chmod(part, 0o755), fill(part)); err != nil {
		return err
	}
	err = os.Rename(part, dir)
	if errors.Is(err, fs.ErrExist) {
		return nil // another one was quicker
	}
	return err
}

func compile(dir string) error {
	work, err := os.MkdirTemp("", "simulator-nvidia-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.CopyFS(filepath.Join(work, "nvidia"), sources); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(work, "go.mod"), []byte("module io.baetyl.gpu/dev/simulator\n\ngo 1.26\n"), 0o644); err != nil {
		return err
	}
	nvml, err := filepath.Glob(filepath.Join(work, "nvidia/nvml/*.c"))
	if err != nil {
		return err
	}
	library := append([]string{"-shared", "-fPIC", "-fvisibility=hidden", "-Wl,-soname,libnvidia-ml.so.1", "-o", filepath.Join(dir, "libnvidia-ml.so.1")}, nvml...)
	smi := []string{
		"-static", "-Invidia/nvml", "-o", filepath.Join(dir, "nvidia-smi"),
		"nvidia/smi/nvidia_smi.c", "nvidia/nvml/cards.c", "nvidia/nvml/processes.c",
	}
	return errors.Join(
		run(work, "gcc", append(cFlags, library...)...),
		run(work, "gcc", append(cFlags, smi...)...),
		run(work, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(dir, "nvidia-container-runtime"), "./nvidia/cmd/nvidia-container-runtime"),
	)
}

func run(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%s is missing, and compiles the simulated accelerator; install it (Debian: apt-get install gcc libc6-dev; Go: https://go.dev/dl)", name)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}
