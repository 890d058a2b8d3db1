package nvidia

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func strike(t *testing.T, root, uuid, verb string) {
	t.Helper()
	must(t, Fault(root, uuid, verb, nil, Processes{}))
}

func wantError(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("got error %v, want one with %q", err, part)
	}
}

func TestFailedCardIsLostAndRaisesXid79(t *testing.T) {
	root := testNode(t, edgeP4)
	p := startProbe(t, root)
	p.want("nvmlInit_v2", "0")
	p.want("nvmlEventSetCreate", "0")
	p.want("nvmlDeviceGetHandleByIndex_v2 0", "0")
	p.want("nvmlDeviceGetSupportedEventTypes", "0 1f")
	p.want("nvmlDeviceRegisterEvents 0x100", "3")
	strike(t, root, first, "fail")
	strike(t, root, first, "recover")
	p.want("nvmlDeviceRegisterEvents 0xb", "0")
	p.want("nvmlEventSetWait_v2 200", "10 in time") // what was before is not told

	p.send("nvmlEventSetWait_v2 5000")
	time.Sleep(50 * time.Millisecond)
	strike(t, root, first, "fail")
	if got := p.answer(); got != "0 1 8 79 ffffffff ffffffff" {
		t.Errorf("event: %q", got)
	}
	p.want("nvmlEventSetWait_v2 100", "10 in time")
	p.want("nvmlDeviceGetMemoryInfo_v2 0x02000028", "15 17216961135462248174 17216961135462248174 17216961135462248174 17216961135462248174 end ee")
	p.want("nvmlDeviceGetUUID", "15 -")
	p.want("nvmlDeviceGetCount_v2", "0 2")
	p.want("nvmlDeviceGetHandleByIndex_v2 0", "15")
	p.want("nvmlDeviceGetHandleByUUID "+first, "15")
	strike(t, root, first, "recover")
	p.want("nvmlDeviceGetUUID", "0 "+first)
	p.want("nvmlEventSetFree", "0")
}

func TestACardReportsAnErrorAndGoesOnWorking(t *testing.T) {
	root := testNode(t, edgeP4)
	p := startProbe(t, root)
	p.want("nvmlInit_v2", "0")
	p.want("nvmlEventSetCreate", "0")
	p.want("nvmlDeviceGetHandleByIndex_v2 0", "0")
	p.want("nvmlDeviceRegisterEvents 0x8", "0")
	must(t, Fault(root, first, "xid", []string{"31"}, Processes{}))
	must(t, Fault(root, second, "xid", []string{"48"}, Processes{}))
	must(t, Fault(root, first, "xid", []string{"63"}, Processes{}))
	p.want("nvmlEventSetWait_v2 0", "0 1 8 31 ffffffff ffffffff")
	p.want("nvmlEventSetWait_v2 0", "0 1 8 63 ffffffff ffffffff")
	p.want("nvmlEventSetWait_v2 0", "10 in time")
	p.want("nvmlDeviceGetName", "0 Tesla P4")
}

func TestVanishedCardMovesTheOthersUp(t *testing.T) {
	root := testNode(t, edgeP4)
	p := startProbe(t, root)
	p.want("nvmlInit_v2", "0")
	p.want("nvmlDeviceGetHandleByIndex_v2 0", "0")
	strike(t, root, first, "vanish")
	p.want("nvmlDeviceGetUUID", "15 -")
	p.want("nvmlDeviceGetCount_v2", "0 1")
	p.want("nvmlDeviceGetHandleByUUID "+first, "6")
	p.want("nvmlDeviceGetHandleByIndex_v2 0", "0")
	p.want("nvmlDeviceGetUUID", "0 "+second)
	p.want("nvmlDeviceGetMinorNumber", "0 1")
	if _, err := os.Stat(filepath.Join(root, "dev/nvidia0")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the device node is still there: %v", err)
	}
	must(t, Prepare(root, edgeP4, built(t)))
	p.want("nvmlDeviceGetCount_v2", "0 1")
	strike(t, root, first, "return")
	p.want("nvmlDeviceGetIndex", "0 1")
	p.want("nvmlDeviceGetCount_v2", "0 2")
}

func TestHungCardBlocksOnlyItsOwnCalls(t *testing.T) {
	root := testNode(t, edgeP4)
	p := startProbe(t, root)
	p.want("nvmlInit_v2", "0")
	p.want("nvmlDeviceGetHandleByIndex_v2 0", "0")
	strike(t, root, first, "hang")
	p.want("nvmlDeviceGetCount_v2", "0 2")
	p.wantBlocked("nvmlDeviceGetName", func() { strike(t, root, first, "unhang") }, "0 Tesla P4")
	strike(t, root, first, "hang")
	p.wantBlocked("nvmlDeviceGetHandleByIndex_v2 0", func() { strike(t, root, first, "fail") }, "15")
	p.want("nvmlDeviceGetHandleByIndex_v2 1", "0")
}

func TestDriverFaults(t *testing.T) {
	root := testNode(t, edgeP4)
	p := startProbe(t, root)
	p.want("nvmlInit_v2", "0")
	must(t, Driver(root, "mismatch"))
	p.want("nvmlInit_v2", "18")
	p.want("nvmlDeviceGetCount_v2", "18 4008636142")
	must(t, Driver(root, "hang"))
	p.wantBlocked("nvmlDeviceGetCount_v2", func() { must(t, Driver(root, "ok")) }, "0 2")

	must(t, Driver(root, "absent"))
	p.want("nvmlDeviceGetCount_v2", "9 4008636142")
	for _, path := range []string{"dev/nvidiactl", "dev/nvidia0", "dev/nvidia-uvm", "usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", "usr/bin/nvidia-smi"} {
		if _, err := os.Lstat(filepath.Join(root, path)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
	must(t, Prepare(root, edgeP4, built(t)))
	p.want("nvmlDeviceGetCount_v2", "9 4008636142")
	must(t, Driver(root, "ok"))
	p.want("nvmlDeviceGetCount_v2", "0 2")
	startProbe(t, root).want("nvmlInit_v2", "0")
}

func TestRebootCuresWhatItCuresOnARealNode(t *testing.T) {
	root := testNode(t, edgeP4)
	reboot := func() {
		must(t, os.RemoveAll(filepath.Join(root, "dev")))
		must(t, os.Mkdir(filepath.Join(root, "dev"), 0o755))
		must(t, Prepare(root, edgeP4, built(t)))
	}
	strike(t, root, first, "vanish")
	strike(t, root, second, "fail")
	must(t, Driver(root, "mismatch"))
	reboot()
	p := startProbe(t, root)
	p.want("nvmlInit_v2", "0")
	p.want("nvmlDeviceGetCount_v2", "0 1")
	p.want("nvmlDeviceGetHandleByUUID "+second, "0")

	strike(t, root, first, "return")
	must(t, Driver(root, "absent"))
	reboot()
	if _, err := os.Stat(filepath.Join(root, "dev/nvidiactl")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the reboot installed a driver: %v", err)
	}
	must(t, Driver(root, "ok"))
	p = startProbe(t, root)
	p.want("nvmlInit_v2", "0")
	p.want("nvmlDeviceGetCount_v2", "0 2")
}

func TestErrorsNameTheCure(t *testing.T) {
	root := testNode(t, edgeP4)
	wantError(t, Fault(root, "GPU-0", "fail", nil, Processes{}), "it has "+first+" (Tesla P4), "+second+" (Tesla P4)")
	wantError(t, Fault(root, first, "explode", nil, Processes{}), "one of fail, recover, vanish, return, hang, unhang, xid, use")
	wantError(t, Fault(root, first, "xid", nil, Processes{}), "write xid NUMBER")
	wantError(t, Fault(root, first, "xid", []string{"0"}, Processes{}), "is not the number of an error")
	wantError(t, Fault(root, first, "fail", []string{"now"}, Processes{}), "leave it out")
	strike(t, root, first, "vanish")
	wantError(t, Fault(root, first, "fail", nil, Processes{}), "is vanished: return it before you fail it")
	wantError(t, Fault(root, first, "use", nil, Processes{}), "write use MIB [NAMESPACE/POD/CONTAINER]")
	wantError(t, Fault(root, first, "use", []string{"5", "pod"}, Processes{}), "write use MIB [NAMESPACE/POD/CONTAINER]")
	wantError(t, Driver(root, "sleepy"), "one of ok, absent, mismatch, hang")
	wantError(t, Fault(t.TempDir(), first, "fail", nil, Processes{}), "this node has no cards")
}
