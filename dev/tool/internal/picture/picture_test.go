package picture

import (
	"strings"
	"testing"
)

func TestEveryUnitOfACardIsDrawn(t *testing.T) {
	var drawn strings.Builder
	err := Draw(&drawn, []byte(`{"items": [{"metadata": {"name": "edge-p4"}, "status": {
		"accelerator": "nvidia", "allocation": "Shared",
		"summary": {"cards": 2, "units": 58, "allocatedUnits": 28, "largestFreeUnits": 25, "devices": [{"id": "GPU-a", "occupancy": "Exclusive"}]},
		"devices": [{"id": "GPU-a", "index": 0, "model": "Tesla P4", "units": 29}, {"id": "GPU-b", "index": 1, "model": "Tesla P4", "units": 29}],
		"allocations": [
			{"namespace": "default", "pod": "most", "container": "main", "device": "GPU-a", "units": 24, "state": "Running"},
			{"namespace": "default", "pod": "little", "container": "main", "device": "GPU-b", "units": 4, "state": "Running"}]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, wanted := range []string{
		"edge-p4  nvidia  Shared  28 of 58 units taken, largest free block 25",
		"[" + strings.Repeat("A", 24) + strings.Repeat("×", 5) + "]  24 of 29 units, held alone",
		"[" + strings.Repeat("A", 4) + strings.Repeat("·", 25) + "]  4 of 29 units",
		"A   24 units  default/most main, Running",
	} {
		if !strings.Contains(drawn.String(), wanted) {
			t.Errorf("missing %q in:\n%s", wanted, drawn.String())
		}
	}
}

func TestADeviceThatIsHandedOutWholeHasNoUnits(t *testing.T) {
	var drawn strings.Builder
	err := Draw(&drawn, []byte(`{"items": [{"metadata": {"name": "edge-ascend"}, "status": {
		"accelerator": "ascend", "allocation": "Devices",
		"summary": {"cards": 3, "units": 3, "allocatedUnits": 1, "largestFreeUnits": 1},
		"devices": [{"id": "a", "index": 3, "model": "Ascend310"}, {"id": "b", "index": 4, "model": "Ascend310"},
			{"id": "c", "index": 5, "model": "Ascend310", "health": "Unhealthy"}],
		"allocations": [{"namespace": "default", "pod": "detect", "container": "main", "device": "b", "units": 1, "state": "Running"}]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, wanted := range []string{
		"edge-ascend  ascend  Devices  1 of 3 devices taken\n",
		"  device 3  Ascend310  a\n    free\n",
		"  device 4  Ascend310  b\n    default/detect main, Running\n",
		"  device 5  Ascend310  c\n    free, unhealthy\n",
	} {
		if !strings.Contains(drawn.String(), wanted) {
			t.Errorf("missing %q in:\n%s", wanted, drawn.String())
		}
	}
}

func TestALargeCardFitsTheLine(t *testing.T) {
	var drawn strings.Builder
	err := Draw(&drawn, []byte(`{"items": [{"metadata": {"name": "edge-3090"}, "status": {
		"devices": [{"id": "GPU-a", "units": 94}],
		"allocations": [{"pod": "one", "device": "GPU-a", "units": 1}, {"pod": "rest", "device": "GPU-a", "units": 93}]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(drawn.String(), "[A"+strings.Repeat("B", 46)+"]") {
		t.Errorf("a card of 94 units is to be 47 characters wide:\n%s", drawn.String())
	}
}

func TestNoGpuNodesIsSaid(t *testing.T) {
	var drawn strings.Builder
	if err := Draw(&drawn, []byte(`{"items": []}`)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(drawn.String(), "no GpuNode yet") {
		t.Error(drawn.String())
	}
}
