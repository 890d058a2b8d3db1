package accelerator

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"io.baetyl.gpu/dev/simulator/ascend"
	"io.baetyl.gpu/dev/simulator/bitmain"
	"io.baetyl.gpu/dev/simulator/jetson"
	"io.baetyl.gpu/dev/simulator/nvidia"
)

// What follows runs inside a node, whose files and process ids it sees.

// Card does to a card what the verb says.
func Card(bin, uuid, verb string, args []string) error {
	switch {
	case jetson.On("/"):
		return jetson.Fault("/", uuid, verb, args)
	case ascend.On("/"):
		return ascend.Fault("/", uuid, verb, args)
	case bitmain.On("/"):
		return bitmain.Fault("/", uuid, verb, args)
	}
	return nvidia.Fault("/", uuid, verb, args, nvidia.Processes{
		Node: 1,
		Container: func(namespace, pod, container string) (int, error) {
			return containerProcess(filepath.Join(bin, "ctr"), namespace, pod, container)
		},
	})
}

// Driver makes the node's driver work or fail.
func Driver(state string) error {
	if jetson.On("/") || ascend.On("/") || bitmain.On("/") {
		return fmt.Errorf("only NVIDIA's driver can be told to fail as a whole: dev/cluster card NODE UUID fail")
	}
	return nvidia.Driver("/", state)
}

// containerProcess asks containerd for the first process of a pod's container.
func containerProcess(ctr, namespace, pod, container string) (int, error) {
	filter := fmt.Sprintf(`labels."io.kubernetes.pod.namespace"==%q,labels."io.kubernetes.pod.name"==%q,labels."io.kubernetes.container.name"==%q`, namespace, pod, container)
	ids, err := exec.Command(ctr, "--namespace", "k8s.io", "containers", "list", "--quiet", filter).Output()
	if err != nil {
		return 0, fmt.Errorf("containerd does not answer: %w", err)
	}
	tasks, err := exec.Command(ctr, "--namespace", "k8s.io", "tasks", "list").Output()
	if err != nil {
		return 0, fmt.Errorf("containerd does not answer: %w", err)
	}
	known := map[string]bool{}
	for _, id := range strings.Fields(string(ids)) {
		known[id] = true
	}
	for line := range strings.Lines(string(tasks)) {
		if f := strings.Fields(line); len(f) == 3 && known[f[0]] && f[2] == "RUNNING" {
			return strconv.Atoi(f[1])
		}
	}
	return 0, fmt.Errorf("container %s of pod %s/%s does not run on this node: kubectl get pods -A -o wide tells where it does", container, namespace, pod)
}
