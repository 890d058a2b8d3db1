// Package images makes the images that every node has from the start, and loads others.
package images

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// Image is a one-layer image made of a folder.
type Image struct {
	Name       string
	Root       string
	Entrypoint []string
}

// Write writes the image as an archive that `docker load` and `ctr images import` take.
func (i Image) Write(path string) error {
	layer := path + ".layer"
	digest, err := writeLayer(i.Root, layer)
	if err != nil {
		return err
	}
	defer os.Remove(layer)
	config, _ := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH,
		"os":           "linux",
		"config":       map[string]any{"Entrypoint": i.Entrypoint, "Env": []string{"PATH=/usr/local/bin:/usr/bin:/bin"}},
		"rootfs":       map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + digest}},
	})
	configDigest := sha256.Sum256(config)
	configName := hex.EncodeToString(configDigest[:]) + ".json"
	manifest, _ := json.Marshal([]map[string]any{{"Config": configName, "RepoTags": []string{i.Name}, "Layers": []string{digest + ".tar"}}})

	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	archive := tar.NewWriter(file)
	for name, text := range map[string][]byte{configName: config, "manifest.json": manifest} {
		if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			return err
		}
		if _, err := archive.Write(text); err != nil {
			return err
		}
	}
	if err := appendFile(archive, layer, &tar.Header{Name: digest + ".tar", Mode: 0o644}); err != nil {
		return err
	}
	return archive.Close()
}

// writeLayer packs a folder; all of it belongs to root and has no date, so that the same contents give the same digest.
func writeLayer(root, path string) (digest string, err error) {
	file, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	layer := tar.NewWriter(io.MultiWriter(file, sum))
	err = filepath.Walk(root, func(name string, info os.FileInfo, err error) error {
		if err != nil || name == root {
			return err
		}
		target, _ := os.Readlink(name)
		header, err := tar.FileInfoHeader(info, target)
		if err != nil {
			return err
		}
		relative, _ := filepath.Rel(root, name)
		header = &tar.Header{Typeflag: header.Typeflag, Name: relative, Linkname: target, Mode: header.Mode, Size: header.Size}
		if info.IsDir() {
			header.Name += "/"
		}
		if !info.Mode().IsRegular() {
			return layer.WriteHeader(header)
		}
		return appendFile(layer, name, header)
	})
	if err == nil {
		err = layer.Close()
	}
	return hex.EncodeToString(sum.Sum(nil)), err
}

func appendFile(to *tar.Writer, path string, header *tar.Header) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	header.Size = info.Size()
	if err := to.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.Copy(to, f)
	return err
}
