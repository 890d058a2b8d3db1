package process

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"io.baetyl.gpu/dev/tool/internal/place"
)

const cgroupRoot = "/sys/fs/cgroup"

// unified tells cgroup v2 from v1.
func unified() bool {
	var s unix.Statfs_t
	return unix.Statfs(cgroupRoot, &s) == nil && s.Type == unix.CGROUP2_SUPER_MAGIC
}

// everywhere is hierarchies and, beside those of v1, the one of v2 without controllers, in which runc makes folders too.
func everywhere() []string {
	all := hierarchies()
	if beside := filepath.Join(cgroupRoot, "unified"); !unified() {
		all = append(all, beside)
	}
	return all
}

// hierarchies are the cgroup file systems: the one of v2, or the many of v1.
func hierarchies() []string {
	if unified() {
		return []string{cgroupRoot}
	}
	var found []string
	entries, _ := os.ReadDir(cgroupRoot)
	for _, e := range entries {
		if e.IsDir() && e.Name() != "unified" { // links are second names of the same hierarchy
			found = append(found, filepath.Join(cgroupRoot, e.Name()))
		}
	}
	return found
}

// CreateCgroup makes a cgroup below the cluster's, in every hierarchy, ready for processes.
func CreateCgroup(path string) error {
	for _, h := range hierarchies() {
		dir := h
		for _, part := range strings.Split(filepath.Join(place.Cgroup, path), "/") {
			enableControllers(dir)
			parent := dir
			dir = filepath.Join(dir, part)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return fmt.Errorf("cgroup: %w: the cluster needs root and a writable %s", err, cgroupRoot)
			}
			for _, file := range []string{"cpuset.cpus", "cpuset.mems"} { // v1: a cpuset is empty at first, and takes no process then
				inherit(filepath.Join(parent, file), filepath.Join(dir, file))
			}
		}
	}
	return nil
}

func enableControllers(dir string) {
	if unified() {
		for _, c := range []string{"cpuset", "cpu", "io", "memory", "pids"} {
			os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), []byte("+"+c), 0o644)
		}
	}
}

func inherit(from, to string) {
	if unified() {
		return
	}
	if have, err := os.ReadFile(to); err == nil && strings.TrimSpace(string(have)) == "" {
		if text, err := os.ReadFile(from); err == nil {
			os.WriteFile(to, text, 0o644)
		}
	}
}

// joinCgroup moves the calling process.
func joinCgroup(path string) error {
	for _, h := range hierarchies() {
		if err := os.WriteFile(filepath.Join(h, place.Cgroup, path, "cgroup.procs"), []byte("0"), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// CgroupProcesses lists the processes in a cgroup of the cluster and in those below.
func CgroupProcesses(path string) []int {
	found := map[int]bool{}
	for _, h := range everywhere() {
		filepath.WalkDir(filepath.Join(h, place.Cgroup, path), func(dir string, e fs.DirEntry, err error) error {
			if err != nil || !e.IsDir() {
				return nil
			}
			f, err := os.Open(filepath.Join(dir, "cgroup.procs"))
			if err != nil {
				return nil
			}
			defer f.Close()
			for lines := bufio.NewScanner(f); lines.Scan(); {
				if pid, err := strconv.Atoi(lines.Text()); err == nil && pid > 0 {
					found[pid] = true
				}
			}
			return nil
		})
	}
	delete(found, os.Getpid())
	var pids []int
	for pid := range found {
		pids = append(pids, pid)
	}
	slices.Sort(pids)
	return pids
}

// EmptyCgroup kills what is in a cgroup of the cluster and removes the cgroup.
func EmptyCgroup(path string) error {
	end := time.Now().Add(15 * time.Second)
	for pids := CgroupProcesses(path); len(pids) > 0; pids = CgroupProcesses(path) {
		for _, pid := range pids {
			unix.Kill(pid, unix.SIGKILL)
		}
		if time.Now().After(end) {
			return fmt.Errorf("processes %v do not end", pids)
		}
		time.Sleep(20 * time.Millisecond)
	}
	for ; ; time.Sleep(50 * time.Millisecond) {
		left := removeCgroup(path)
		if left == nil || time.Now().After(end) {
			return left
		}
	}
}

func removeCgroup(path string) (left error) {
	for _, h := range everywhere() {
		var dirs []string
		filepath.WalkDir(filepath.Join(h, place.Cgroup, path), func(dir string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() {
				dirs = append(dirs, dir)
			}
			return nil
		})
		slices.Reverse(dirs)
		for _, dir := range dirs {
			if err := unix.Rmdir(dir); err != nil && err != unix.ENOENT {
				left = fmt.Errorf("cgroup %s: %w", dir, err)
			}
		}
	}
	return left
}
