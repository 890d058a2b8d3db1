// Package binaries gets the programs that the cluster runs: Debian's, and those it compiles from their published Go modules.
package binaries

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"io.baetyl.gpu/dev/tool/internal/report"
)

// what a package is recognised by, and its name in Debian
var packages = [][2]string{
	{"/sbin/ip", "iproute2"},
	{"/usr/sbin/nft", "nftables"},
	{"/usr/bin/nsenter", "util-linux"},
	{"/usr/lib/cni/bridge", "containernetworking-plugins"},
	{"/usr/bin/gcc", "gcc"},
	{"/usr/include/stdlib.h", "libc6-dev"},
	{"/usr/include/seccomp.h", "libseccomp-dev"},
	{"/usr/bin/pkg-config", "pkg-config"},
}

// Tools makes sure that the machine has what the cluster needs, and installs Debian's packages where they are missing.
func Tools() error {
	if os.Geteuid() != 0 {
		return fmt.Errorf("the cluster makes namespaces, mounts and network devices: run it as root")
	}
	if _, err := exec.LookPath("go"); err != nil {
		return fmt.Errorf("go is missing: install Go 1.26 or newer (https://go.dev/dl) and put it into PATH")
	}
	return Packages(packages)
}

// Packages installs the Debian packages whose files are missing.
func Packages(wanted [][2]string) error {
	var missing []string
	for _, p := range wanted {
		if _, err := os.Stat(p[0]); err != nil {
			missing = append(missing, p[1])
		}
	}
	if len(missing) == 0 {
		return nil
	}
	names := strings.Join(missing, " ")
	if _, err := exec.LookPath("apt-get"); err != nil {
		return fmt.Errorf("missing: %s (Debian's names): install them with this system's package manager", names)
	}
	return report.Step("Debian packages "+names, func() error {
		report.Say("installing the Debian packages %s; this takes about 20 s", names)
		return apt(missing)
	})
}

func apt(names []string) error {
	install := append([]string{"install", "-y", "--no-install-recommends"}, names...)
	if _, err := quiet("", nil, "apt-get", install...); err == nil {
		return nil
	}
	if _, err := quiet("", nil, "apt-get", "update"); err != nil {
		return err
	}
	_, err := quiet("", nil, "apt-get", install...)
	return err
}

// quiet runs a command and shows its output only in the error.
func quiet(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "DEBIAN_FRONTEND=noninteractive"), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out), nil
}
