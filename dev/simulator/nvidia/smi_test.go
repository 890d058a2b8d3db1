package nvidia

import (
	"os"
	"path/filepath"
	"testing"
)

// wantSMI runs nvidia-smi with an environment that tries to lead it astray.
func wantSMI(t *testing.T, root string, status int, output string, args ...string) {
	t.Helper()
	cmd := onNode(root, built(t).SMI, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "NVIDIA_VISIBLE_DEVICES=all", "CUDA_VISIBLE_DEVICES=0,1,2,3"}
	out, _ := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != status || string(out) != output {
		t.Errorf("nvidia-smi %v\n got %d %q\nwant %d %q", args, cmd.ProcessState.ExitCode(), out, status, output)
	}
}

func TestSMIListsCards(t *testing.T) {
	root := testNode(t, edgeP4)
	wantSMI(t, root, 0, "GPU 0: Tesla P4 (UUID: "+first+")\nGPU 1: Tesla P4 (UUID: "+second+")\n", "-L")
	must(t, Fault(root, second, "use", []string{"512"}, Processes{Node: os.Getpid()}))
	wantSMI(t, root, 0, "0, "+first+", Tesla P4, 7611 MiB, 0 MiB\n1, "+second+", Tesla P4, 7611 MiB, 512 MiB\n",
		"--query-gpu=index,uuid,name,memory.total,memory.used", "--format=csv,noheader")
	wantSMI(t, root, 0, "7611, 0\n7611, 512\n", "--query-gpu=memory.total,memory.used", "--format=csv,noheader,nounits")
	wantSMI(t, root, 2, "Field \"speed\" is not a valid field to query.\n\n", "--query-gpu=uuid,speed", "--format=csv,noheader")
	must(t, os.Remove(filepath.Join(root, "dev/nvidia0")))
	wantSMI(t, root, 0, "GPU 0: Tesla P4 (UUID: "+second+")\n", "-L")
}

// A container that got a device node by itself, and not by the toolkit, has a card all the same.
func TestSMICountsNodesWithoutCardFiles(t *testing.T) {
	root := testNode(t, edgeP4)
	must(t, os.RemoveAll(filepath.Join(root, "dev/nvidia-simulator/cards", first)))
	wantSMI(t, root, 0, "GPU 0: Tesla P4 (UUID: "+second+")\nGPU 1: NVIDIA GPU (UUID: unknown, /dev/nvidia0 has no card file here)\n", "-L")
}

func TestSMISaysWhatIsWrong(t *testing.T) {
	root := testNode(t, edgeP4)
	strike(t, root, first, "fail")
	wantSMI(t, root, 15, "Unable to determine the device handle for GPU0: 00000000:03:00.0: GPU is lost.  Reboot the system to recover this GPU\n"+
		"GPU 1: Tesla P4 (UUID: "+second+")\n", "-L")
	must(t, Driver(root, "mismatch"))
	wantSMI(t, root, 18, "Failed to initialize NVML: Driver/library version mismatch\n", "-L")
	must(t, os.RemoveAll(filepath.Join(root, "dev/nvidia-simulator")))
	must(t, os.Remove(filepath.Join(root, "dev/nvidia0")))
	must(t, os.Remove(filepath.Join(root, "dev/nvidia1")))
	wantSMI(t, root, 6, "No devices were found\n", "-L")
}
