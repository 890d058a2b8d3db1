package nvidia

import (
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A change of this file makes another toolbox.
//
//go:embed toolbox.go
var toolboxSource string

// Toolbox makes the root folder of the image localhost/toolbox:1: a shell with the usual tools, and nvidia-smi. Beside it a
// file "key" changes when its contents do.
func Toolbox(cacheDir string) (rootfsDir string, err error) {
	a, err := Build(cacheDir)
	if err != nil {
		return "", err
	}
	busybox, err := busybox(cacheDir)
	if err != nil {
		return "", err
	}
	version, err := exec.Command(busybox).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: remove it, so that it is fetched again", busybox, err)
	}
	line, _, _ := strings.Cut(string(version), "\n")
	key := fmt.Sprintf("%s %s %x", filepath.Base(filepath.Dir(a.SMI)), line, sha256.Sum256([]byte(toolboxSource)))
	dir := filepath.Join(cacheDir, fmt.Sprintf("toolbox-%x", sha256.Sum256([]byte(key)))[:len("toolbox-")+12])
	rootfs := filepath.Join(dir, "rootfs")
	if _, err := os.Stat(dir); err == nil {
		return rootfs, nil
	}
	return rootfs, intoPlace(dir, func(dir string) error {
		if err := os.WriteFile(filepath.Join(dir, "key"), []byte(key+"\n"), 0o644); err != nil {
			return err
		}
		return fillToolbox(filepath.Join(dir, "rootfs"), busybox, a.SMI)
	})
}

func fillToolbox(rootfs, busybox, smi string) error {
	for _, folder := range []string{"bin", "etc", "usr/bin", "root", "dev", "proc", "sys"} {
		if err := os.MkdirAll(filepath.Join(rootfs, folder), 0o755); err != nil {
			return err
		}
	}
	tmp := filepath.Join(rootfs, "tmp")
	if err := errors.Join(os.Mkdir(tmp, 0o777), os.Chmod(tmp, 0o777|os.ModeSticky)); err != nil {
		return err
	}
	applets, err := exec.Command(busybox, "--list").Output()
	if err != nil {
		return fmt.Errorf("%s --list: %w", busybox, err)
	}
	for _, applet := range strings.Fields(string(applets)) {
		if applet != "busybox" {
			if err := os.Symlink("busybox", filepath.Join(rootfs, "bin", applet)); err != nil {
				return err
			}
		}
	}
	return errors.Join(
		copyProgram(busybox, filepath.Join(rootfs, "bin/busybox")),
		copyProgram(smi, filepath.Join(rootfs, "usr/bin/nvidia-smi")),
		os.WriteFile(filepath.Join(rootfs, "etc/passwd"), []byte("root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"), 0o644),
		os.WriteFile(filepath.Join(rootfs, "etc/group"), []byte("root:x:0:\nnogroup:x:65534:\n"), 0o644),
	)
}

func copyProgram(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o755)
}

// busybox returns a static one. The package is unpacked into the cache, as installing it would push out Debian's busybox.
func busybox(cacheDir string) (string, error) {
	dir := filepath.Join(cacheDir, "busybox-static")
	program := filepath.Join(dir, "bin/busybox")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	return program, intoPlace(dir, func(dir string) error {
		download := func() error {
			return run(dir, "apt-get", "-o", "APT::Sandbox::User=root", "download", "busybox-static")
		}
		if download() != nil { // the lists are missing or old
			if err := errors.Join(run(dir, "apt-get", "update"), download()); err != nil {
				return fmt.Errorf("the toolbox image needs Debian's package busybox-static: %w", err)
			}
		}
		packages, err := filepath.Glob(filepath.Join(dir, "*.deb"))
		if err != nil || len(packages) != 1 {
			return fmt.Errorf("apt-get download left %d packages in %s instead of one", len(packages), dir)
		}
		return errors.Join(run(dir, "dpkg-deb", "--extract", packages[0], dir), os.Remove(packages[0]))
	})
}
