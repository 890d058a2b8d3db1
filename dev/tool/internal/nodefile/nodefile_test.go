package nodefile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const node = "name: box\naccelerator: nvidia\ncards:\n- {uuid: GPU-1234, model: Tesla P4, memoryMiB: 7611, pci: \"00000000:03:00.0\"}\n"

func read(t *testing.T, texts ...string) ([]Node, error) {
	t.Helper()
	var paths []string
	for i, text := range texts {
		path := filepath.Join(t.TempDir(), string(rune('a'+i))+".yaml")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return Read(paths)
}

func TestDefaults(t *testing.T) {
	nodes, err := read(t, node)
	if err != nil {
		t.Fatal(err)
	}
	if nodes[0].Runtime != RuntimeDefault || nodes[0].Arch == "" {
		t.Fatalf("%+v", nodes[0])
	}
}

func TestShippedFiles(t *testing.T) {
	for _, pattern := range []string{"../../../nodes/*.yaml", "../../../nodes/default/*.yaml", "../../testdata/node-*.yaml"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatal(pattern, err)
		}
		if _, err := Read(paths); err != nil {
			t.Error(err)
		}
	}
}

func TestMistakesNameTheField(t *testing.T) {
	for want, texts := range map[string][]string{
		`unknown field "memory"`:     {strings.Replace(node, "memoryMiB", "memory", 1)},
		`name: "Box"`:                {strings.Replace(node, "name: box", "name: Box", 1)},
		`cards[0].pci: "3:0"`:        {strings.Replace(node, "00000000:03:00.0", "3:0", 1)},
		`cards[0].memoryMiB: 0`:      {strings.Replace(node, "7611", "0", 1)},
		`cards[0].model: is empty`:   {strings.Replace(node, "Tesla P4", `""`, 1)},
		`accelerator: "amd"`:         {strings.Replace(node, "nvidia", "amd", 1)},
		`accelerator: is missing`:    {strings.Replace(node, "accelerator: nvidia\n", "", 1)},
		`runtime: "docker"`:          {"runtime: docker\n" + node},
		`arch: "sparc"`:              {"arch: sparc\n" + node},
		"box is the name in":         {node, strings.Replace(node, "GPU-1234", "GPU-5678", 1)},
		"cards: uuid GPU-1234 is in": {node, strings.Replace(node, "name: box", "name: other", 1)},
	} {
		if _, err := read(t, texts...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}
