package containerruntime

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"io.baetyl.gpu/dev/simulator/nvidia/node"
)

var edgeP4 = []node.Card{
	{UUID: "GPU-9f12f917-e458-4bb8-3d9d-8dc7fd6cddf7", Model: "Tesla P4", MemoryMiB: 7611, PCI: "00000000:03:00.0"},
	{UUID: "GPU-7cf0b881-7598-8b1a-3270-94d6f5d2479a", Model: "Tesla P4", MemoryMiB: 7611, PCI: "00000000:04:00.0"},
}

func testNode(t *testing.T) node.Node {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("device nodes need root")
	}
	n := node.Node{Root: t.TempDir()}
	if err := errors.Join(os.Mkdir(n.Path("/dev"), 0o755), n.SetCards(edgeP4), n.SyncDevices()); err != nil {
		t.Fatal(err)
	}
	return n
}

// Each folder of testdata is a scenario: in-config.json becomes out-config.json, or out-error.txt tells why not.
func TestScenarios(t *testing.T) {
	scenarios, err := os.ReadDir("testdata")
	if err != nil || len(scenarios) == 0 {
		t.Fatal("no scenarios: ", err)
	}
	for _, scenario := range scenarios {
		t.Run(scenario.Name(), func(t *testing.T) {
			read := func(name string) string {
				text, err := os.ReadFile(filepath.Join("testdata", scenario.Name(), name))
				if err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Fatal(err)
				}
				return string(text)
			}
			in, out, reason := read("in-config.json"), read("out-config.json"), read("out-error.txt")
			if in == "" || (out == "") == (reason == "") {
				t.Fatal("a scenario has in-config.json, and either out-config.json or out-error.txt")
			}
			got, err := edited(t, testNode(t), in)
			if reason != "" {
				if err == nil || err.Error() != strings.TrimSuffix(reason, "\n") {
					t.Errorf("got error %v\nwant %s", err, reason)
				}
				out = in
			}
			if reason == "" && err != nil {
				t.Fatal(err)
			}
			if indented(t, got) != indented(t, out) {
				t.Errorf("got\n%s", indented(t, got))
			}
		})
	}
}

func edited(t *testing.T, n node.Node, config string) (string, error) {
	t.Helper()
	bundle := t.TempDir()
	path := filepath.Join(bundle, "config.json")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	editErr := edit(bundle, n)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), editErr
}

// indented orders keys, and leaves numbers as they are written.
func indented(t *testing.T, text string) string {
	t.Helper()
	var value any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const asksForFirst = `{"process": {"env": ["NVIDIA_VISIBLE_DEVICES=0"]}}`

func TestFaultsFailTheContainer(t *testing.T) {
	n := testNode(t)
	wants := func(cause error, reason string) {
		t.Helper()
		if cause != nil {
			t.Fatal(cause)
		}
		if _, err := edited(t, n, asksForFirst); err == nil || !strings.HasSuffix(err.Error(), "\nnvidia-container-cli: "+reason) {
			t.Errorf("got %v, want %s", err, reason)
		}
	}
	wants(n.SetState(edgeP4[0].UUID, node.Failed), "detection error: nvml error: gpu is lost")
	wants(n.SetDriver(node.DriverMismatch), "initialization error: nvml error: driver/library version mismatch")
	wants(n.SetDriver(node.DriverAbsent), "initialization error: nvml error: driver not loaded")
	if _, err := edited(t, n, `{"process": {"env": ["A=B"]}}`); err != nil {
		t.Errorf("a container without cards is none of the driver's business: %v", err)
	}
}

// After a card went, the other one has index 0.
func TestIndexesFollowTheCards(t *testing.T) {
	n := testNode(t)
	if err := errors.Join(n.SetState(edgeP4[0].UUID, node.Vanished), n.SyncDevices()); err != nil {
		t.Fatal(err)
	}
	got, err := edited(t, n, asksForFirst)
	if err != nil || !strings.Contains(got, `"/dev/nvidia1"`) || strings.Contains(got, `"/dev/nvidia0"`) {
		t.Errorf("%v: %s", err, got)
	}
}

func TestArguments(t *testing.T) {
	for line, want := range map[string]invocation{
		"--root /run/runc --log /b/log.json --log-format json --systemd-cgroup create --bundle /b --pid-file /b/pid id": {"create", "/b", "/b/log.json", true},
		"--log=/l --root=/create run -b /b id":      {"run", "/b", "/l", false},
		"create id":                                 {"create", ".", "", false},
		"--debug delete --force create":             {"delete", ".", "", false},
		"--root create state id":                    {"state", ".", "", false},
		"exec --process /p id --bundle /elsewhere":  {"exec", ".", "", false},
		"create --no-pivot --bundle=/b --keep=1 id": {"create", "/b", "", false},
		"": {"", ".", "", false},
	} {
		if got := parse(strings.Fields(line)); got != want {
			t.Errorf("%s\n got %+v\nwant %+v", line, got, want)
		}
	}
}

func TestReasonGoesWhereContainerdLooks(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.json")
	report(invocation{log: log, json: true}, errors.New("unknown \"device\""))
	text, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(text), `"level":"error","msg":"unknown \"device\""`) {
		t.Errorf("%v: %s", err, text)
	}
}
