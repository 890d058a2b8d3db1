package node

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"io.baetyl.gpu/dev/tool/internal/place"
)

// Bin is where a node finds the cluster's programs.
const Bin = "/opt/dev-cluster/bin"

// searchPath is where programs are looked for inside a node.
const searchPath = Bin + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// overlays are the host's folders that a node sees, and may change without changing the host's.
var overlays = []string{"usr", "etc"}

// ours are folders of /etc that must not show what the host has there.
var ours = []string{"kubernetes", "containerd", "cdi", "cni"}

// mountRoot builds a node's file system under tree: of the host it has /usr and /etc alone, each under a writable layer.
func mountRoot(name string) (tree string, err error) {
	tree = folder(name, "tree")
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return "", fmt.Errorf("mount: %w", err)
	}
	for _, dir := range []string{"usr", "etc", "var/log", "var/tmp", "run", "dev", "proc", "sys", "opt", "home", "root", "mnt", "srv", "tmp", Bin, old} {
		if err := os.MkdirAll(filepath.Join(tree, dir), 0o755); err != nil {
			return "", err
		}
	}
	if err := mount(tree, tree, "", unix.MS_BIND, ""); err != nil {
		return "", err
	}
	if err := emptyFolder(filepath.Join(tree, "tmp")); err != nil {
		return "", err
	}
	for _, dir := range overlays {
		if err := overlay(name, dir, tree); err != nil {
			return "", err
		}
	}
	if err := linkLikeHost(tree); err != nil {
		return "", err
	}
	os.Symlink("/run", filepath.Join(tree, "var/run"))
	steps := []struct {
		source, target, kind string
		flags                uintptr
		data                 string
	}{
		{"proc", "proc", "proc", 0, ""},
		{"sysfs", "sys", "sysfs", 0, ""},
		{"/sys/fs/cgroup", "sys/fs/cgroup", "", unix.MS_BIND | unix.MS_REC, ""},
		{"tmpfs", "run", "tmpfs", 0, "mode=755"},
		{place.State("bin"), Bin, "", unix.MS_BIND, ""},
	}
	for _, s := range steps {
		if err := mount(s.source, filepath.Join(tree, s.target), s.kind, s.flags, s.data); err != nil {
			return "", err
		}
	}
	return tree, makeDevices(filepath.Join(tree, "dev"))
}

func overlay(name, dir, tree string) error {
	upper, work := folder(name, "overlay", dir, "upper"), folder(name, "overlay", dir, "work")
	fresh := false
	if _, err := os.Stat(upper); err != nil {
		fresh = true
	}
	for _, d := range []string{upper, work} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	data := fmt.Sprintf("lowerdir=/%s,upperdir=%s,workdir=%s", dir, upper, work)
	if err := mount("overlay", filepath.Join(tree, dir), "overlay", 0, data); err != nil {
		return fmt.Errorf("%w: the state folder has to lie on a file system that overlays can write to, such as ext4, xfs or tmpfs; BAETYL_GPU_STATE names another folder", err)
	}
	if dir == "etc" && fresh {
		for _, sub := range ours {
			if err := os.RemoveAll(filepath.Join(tree, dir, sub)); err != nil {
				return err
			}
		}
	}
	return nil
}

// linkLikeHost repeats /bin, /sbin and /lib*: links into /usr, or folders.
func linkLikeHost(tree string) error {
	for _, name := range []string{"bin", "sbin", "lib", "lib64", "lib32", "libx32"} {
		host, here := "/"+name, filepath.Join(tree, name)
		if target, err := os.Readlink(host); err == nil {
			if _, err := os.Lstat(here); err == nil {
				continue
			}
			if err := os.Symlink(target, here); err != nil {
				return err
			}
		} else if _, err := os.Stat(host); err == nil {
			if err := os.MkdirAll(here, 0o755); err != nil {
				return err
			}
			if err := mount(host, here, "", unix.MS_BIND, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

const old = "mnt/host" // where the host's root is for a moment

// changeRoot makes tree the root and lets go of the host's files.
func changeRoot(tree string) error {
	if err := unix.PivotRoot(tree, filepath.Join(tree, old)); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := unix.Chdir("/"); err != nil {
		return err
	}
	if err := unix.Unmount("/"+old, unix.MNT_DETACH); err != nil {
		return err
	}
	return unix.Mount("", "/", "", unix.MS_REC|unix.MS_SHARED, "") // as on a host with systemd; volumes need it
}

func mount(source, target, kind string, flags uintptr, data string) error {
	if err := unix.Mount(source, target, kind, flags, data); err != nil {
		return fmt.Errorf("mount of %s at %s: %w", source, target, err)
	}
	return nil
}

func emptyFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if err == nil {
			err = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
	if err != nil {
		return err
	}
	return os.Chmod(dir, 0o777|os.ModeSticky)
}
