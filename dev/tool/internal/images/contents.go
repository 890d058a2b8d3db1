package images

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"io.baetyl.gpu/dev/tool/internal/binaries"
	"io.baetyl.gpu/dev/tool/internal/place"
)

//go:embed pause/pause.c
var pauseSource string

// writeAll writes the archives of the images that every node has.
func writeAll(work, toolbox string) ([]string, error) {
	pause := filepath.Join(work, "pause-root")
	if err := compilePause(pause, work); err != nil {
		return nil, err
	}
	scheduler := filepath.Join(work, "scheduler-root")
	bin := filepath.Join(scheduler, "usr/local/bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return nil, err
	}
	if err := binaries.LinkOrCopy(place.State("bin", "kube"), filepath.Join(bin, "kube-scheduler")); err != nil {
		return nil, err
	}
	all := []Image{
		{Name: Pause, Root: pause, Entrypoint: []string{"/pause"}},
		{Name: Scheduler, Root: scheduler, Entrypoint: []string{"/usr/local/bin/kube-scheduler"}},
		{Name: Toolbox, Root: toolbox},
	}
	var archives []string
	for n, image := range all {
		archive := filepath.Join(work, fmt.Sprintf("%d.tar", n))
		if err := image.Write(archive); err != nil {
			return nil, err
		}
		archives = append(archives, archive)
	}
	return archives, nil
}

func compilePause(root, work string) error {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	source := filepath.Join(work, "pause.c")
	if err := os.WriteFile(source, []byte(pauseSource), 0o644); err != nil {
		return err
	}
	if out, err := exec.Command("gcc", "-static", "-Os", "-s", "-o", filepath.Join(root, "pause"), source).CombinedOutput(); err != nil {
		return fmt.Errorf("gcc: %w\n%s", err, out)
	}
	return nil
}
