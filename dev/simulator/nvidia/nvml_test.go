package nvidia

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

func TestLibraryNeedsNothingButTheCLibrary(t *testing.T) {
	out, err := exec.Command("readelf", "-d", built(t).Library).CombinedOutput()
	must(t, err)
	if n := strings.Count(string(out), "(NEEDED)"); n != 1 || !strings.Contains(string(out), "[libc.so.6]") {
		t.Errorf("the library needs more than libc:\n%s", out)
	}
	if !strings.Contains(string(out), "soname: [libnvidia-ml.so.1]") {
		t.Errorf("wrong soname:\n%s", out)
	}
}

func TestLifeCycle(t *testing.T) {
	p := startProbe(t, testNode(t, edgeP4))
	p.want("nvmlDeviceGetCount_v2", "1 4008636142")
	p.want("nvmlShutdown", "1")
	p.want("nvmlInit_v2", "0")
	p.want("nvmlInitWithFlags 2", "0")
	p.want("nvmlInitWithFlags 8", "2")
	p.want("nvmlShutdown", "0")
	p.want("nvmlDeviceGetCount_v2", "0 2")
	p.want("nvmlShutdown", "0")
	p.want("nvmlDeviceGetCount_v2", "1 4008636142")
	p.want("nvmlErrorString 15", "GPU is lost")
	p.want("nvmlErrorString 18", "Driver/library version mismatch")
	p.want("nvmlErrorString 999", "Unknown Error")
	p.want("nvmlErrorString 998", "Unknown Error")
}

func TestSystem(t *testing.T) {
	p := startProbe(t, testNode(t, edgeP4))
	p.want("nvmlInit_v2", "0")
	p.want("nvmlSystemGetDriverVersion", "0 550.163.01")
	p.want("nvmlSystemGetNVMLVersion", "0 12.550.163.01")
	p.want("nvmlSystemGetCudaDriverVersion_v2", "0 12040")
	p.want(fmt.Sprint("nvmlSystemGetProcessName ", os.Getpid()), "0 "+os.Args[0][:min(63, len(os.Args[0]))])
	p.want("nvmlSystemGetProcessName 4194304", "6 "+strings.Repeat("\xee", 64))
}

func TestIdentity(t *testing.T) {
	p := startProbe(t, testNode(t, edgeP4))
	p.want("nvmlInit_v2", "0")
	p.want("nvmlDeviceGetHandleByIndex_v2 2", "2")
	p.want("nvmlDeviceGetHandleByIndex_v2 0", "0")
	p.want("nvmlDeviceGetUUID", "0 "+first)
	p.want("nvmlDeviceGetUUID 40", "7 -")
	p.want("nvmlDeviceGetName", "0 Tesla P4")
	p.want("nvmlDeviceGetMinorNumber", "0 0")
	p.want("nvmlDeviceGetHandleByUUID GPU-0", "6")
	p.want("nvmlDeviceGetHandleByUUID "+second, "0")
	p.want("nvmlDeviceGetIndex", "0 1")
	p.want("nvmlDeviceGetPciInfo_v3", "0 0000:3B:00.0 0 59 0 1bb310de 00000000 00000000:3B:00.0 end ee")
	p.want("nvmlDeviceGetHandleByPciBusId_v2 nonsense", "2")
	p.want("nvmlDeviceGetHandleByPciBusId_v2 0000:04:00.0", "6")
	p.want("nvmlDeviceGetHandleByPciBusId_v2 0000:03:00.0", "0")
	p.want("nvmlDeviceGetUUID", "0 "+first)
}

func TestFiguresOfAnIdleCard(t *testing.T) {
	cards := append([]Card{{UUID: "GPU-3090", Model: "NVIDIA GeForce RTX 3090", MemoryMiB: 24259, PCI: "00000000:01:00.0"}}, edgeP4...)
	p := startProbe(t, testNode(t, cards))
	p.want("nvmlInit_v2", "0")
	p.want("nvmlDeviceGetHandleByUUID "+first, "0")
	p.want("nvmlDeviceGetMemoryInfo", "0 7980711936 7884242944 96468992 end ee")
	p.want("nvmlDeviceGetMemoryInfo_v2 0x02000028", "0 7980711936 96468992 7884242944 0 end ee")
	p.want("nvmlDeviceGetMemoryInfo_v2 0x01000028", "25 17216961135462248174 17216961135462248174 17216961135462248174 17216961135462248174 end ee")
	p.want("nvmlDeviceGetUtilizationRates", "0 0 0 end ee")
	p.want("nvmlDeviceGetTemperature 0", "0 35")
	p.want("nvmlDeviceGetTemperature 1", "2 4008636142")
	p.want("nvmlDeviceGetPowerUsage", "0 6000")
	p.want("nvmlDeviceGetEnforcedPowerLimit", "0 75000")
	p.want("nvmlDeviceGetClockInfo 1", "0 1531")
	p.want("nvmlDeviceGetClockInfo 2", "0 3003")
	p.want("nvmlDeviceGetPerformanceState", "0 8")
	p.want("nvmlDeviceGetEccMode", "0 1 1")
	p.want("nvmlDeviceGetMigMode", "3 4008636142 4008636142")
	p.want("nvmlDeviceGetFanSpeed_v2 0", "3 4008636142")
	p.want("nvmlDeviceGetTotalEnergyConsumption", "3 0")
	p.want("nvmlDeviceGetHandleByUUID GPU-3090", "0")
	p.want("nvmlDeviceGetFanSpeed_v2 0", "0 30")
	p.want("nvmlDeviceGetTotalEnergyConsumption", "0 1")
	p.want("nvmlDeviceGetEccMode", "3 4008636142 4008636142")
	p.want("nvmlDeviceGetSerial", "3 -")
}

func TestProcesses(t *testing.T) {
	root := testNode(t, edgeP4)
	p, contained := startProbe(t, root), startProbeIn(t, root, syscall.CLONE_NEWPID)
	for _, p := range []*probe{p, contained} {
		p.want("nvmlInit_v2", "0")
		p.want("nvmlDeviceGetHandleByIndex_v2 0", "0")
		p.want("nvmlDeviceGetComputeRunningProcesses_v3 0", "0 0:")
	}
	user := exec.Command("sleep", "60")
	must(t, user.Start())
	defer user.Wait()
	defer user.Process.Kill()
	in := Processes{Node: os.Getpid(), Container: func(namespace, pod, container string) (int, error) {
		if namespace+pod+container != "default"+"app"+"main" {
			t.Errorf("asked for %s/%s/%s", namespace, pod, container)
		}
		return user.Process.Pid, nil
	}}
	must(t, Fault(root, first, "use", []string{"1000"}, in))
	must(t, Fault(root, first, "use", []string{"2000", "default/app/main"}, in))
	p.want("nvmlDeviceGetComputeRunningProcesses_v3 0", "7 2:")
	p.want("nvmlDeviceGetComputeRunningProcesses_v3 1", "7 2:")
	p.want("nvmlDeviceGetComputeRunningProcesses_v3 8", fmt.Sprintf("0 2: %d 1048576000 ffffffff ffffffff %d 2097152000 ffffffff ffffffff", os.Getpid(), user.Process.Pid))
	p.want("nvmlDeviceGetGraphicsRunningProcesses_v3 8", "0 0:")
	p.want("nvmlDeviceGetMemoryInfo_v2 0x02000028", "0 7980711936 96468992 4738514944 3145728000 end ee")
	p.want("nvmlDeviceGetMemoryInfo", "0 7980711936 4738514944 3242196992 end ee")
	p.want("nvmlDeviceGetUtilizationRates", "0 39 19 end ee")
	p.want("nvmlDeviceGetPerformanceState", "0 0")
	p.want("nvmlDeviceGetPowerUsage", "0 32910")
	// In a container the numbers of processes mean nothing, the memory does.
	contained.want("nvmlDeviceGetComputeRunningProcesses_v3 8", "0 0:")
	contained.want("nvmlDeviceGetMemoryInfo_v2 0x02000028", "0 7980711936 96468992 4738514944 3145728000 end ee")

	user.Process.Kill()
	user.Wait()
	p.want("nvmlDeviceGetMemoryInfo_v2 0x02000028", "0 7980711936 96468992 6835666944 1048576000 end ee")
	wantError(t, Fault(root, first, "use", []string{"7520"}, in), "is not between 0 and the 7519 MiB that are free")
	must(t, Fault(root, first, "use", []string{"7519"}, in))
	must(t, Fault(root, first, "use", []string{"0"}, in))
	p.want("nvmlDeviceGetComputeRunningProcesses_v3 8", "0 0:")
	contained.want("nvmlDeviceGetMemoryInfo_v2 0x02000028", "0 7980711936 96468992 7884242944 0 end ee")
}
