// Command cluster runs a Kubernetes cluster of several nodes with simulated accelerators on one machine, for development and tests.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"github.com/spf13/cobra"

	"io.baetyl.gpu/dev/tool/internal/accelerator"
	"io.baetyl.gpu/dev/tool/internal/cluster"
	"io.baetyl.gpu/dev/tool/internal/control"
	"io.baetyl.gpu/dev/tool/internal/node"
	"io.baetyl.gpu/dev/tool/internal/picture"
	"io.baetyl.gpu/dev/tool/internal/place"
	"io.baetyl.gpu/dev/tool/internal/process"
)

func main() {
	process.Launched(map[string]func([]string, func()) error{node.BootWord: node.Init})
	root := &cobra.Command{
		Use:           "dev/cluster",
		Short:         "A Kubernetes cluster with simulated accelerators on this machine",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(lifeVerbs()...)
	root.AddCommand(useVerbs()...)
	root.AddCommand(nodeVerbs()...)
	if err := root.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "dev/cluster:", err)
		os.Exit(1)
	}
}

func lifeVerbs() []*cobra.Command {
	return []*cobra.Command{
		{
			Use:   "up [NODEFILE...]",
			Short: "Bring the cluster up, or what is missing of it",
			Long: "Brings up the control plane and one node for each file. Without files it repairs the cluster there is, or starts the nodes of\n" +
				"dev/nodes/default. Nodes that no file names are kept. The first run compiles Kubernetes and containerd, which takes minutes.",
			RunE: func(_ *cobra.Command, files []string) error { return cluster.Up(files) },
		},
		{
			Use: "tools", Short: "Install and compile what the cluster needs, and start nothing", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error { return cluster.Tools() },
		},
		{
			Use: "down", Short: "End the cluster and leave nothing behind but the cache", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error { return cluster.Down() },
		},
		{
			Use: "status", Short: "Tell what runs", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error { return cluster.Status() },
		},
		{
			Use: "stop COMPONENT", Short: "Stop etcd, apiserver, scheduler, controller-manager or kube-proxy", Args: cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error {
				if err := control.Check(args[0]); err != nil {
					return err
				}
				return cluster.Locked(func(*os.File) error { return control.Stop(args[0]) })
			},
		},
		{
			Use: "start COMPONENT", Short: "Start a component that was stopped", Args: cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error {
				if err := control.Check(args[0]); err != nil {
					return err
				}
				return cluster.StartComponent(args[0])
			},
		},
	}
}

func useVerbs() []*cobra.Command {
	print := func(text func() string) func(*cobra.Command, []string) {
		return func(*cobra.Command, []string) { fmt.Println(text()) }
	}
	return []*cobra.Command{
		{Use: "kubeconfig", Short: "Print the path of the administrator's kubeconfig", Args: cobra.NoArgs, Run: print(control.Kubeconfig)},
		{Use: "audit-log", Short: "Print the path of the API server's audit log", Args: cobra.NoArgs, Run: print(control.AuditLog)},
		{Use: "logs", Short: "Print the folder of the control plane's logs", Args: cobra.NoArgs, Run: print(func() string { return place.State("log") })},
		{
			Use: "kubectl ARG...", Short: "Run kubectl as the administrator", DisableFlagParsing: true,
			RunE: func(_ *cobra.Command, args []string) error {
				os.Setenv("KUBECONFIG", control.Kubeconfig())
				kubectl := place.State("bin", "kubectl")
				err := unix.Exec(kubectl, append([]string{"kubectl"}, args...), os.Environ())
				if errors.Is(err, fs.ErrNotExist) {
					return errors.New("the cluster is down: start it with dev/cluster up")
				}
				return fmt.Errorf("%s: %w", kubectl, err)
			},
		},
		{
			Use: "cards", Short: "Draw the nodes, their cards, and who sits on them", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error { return drawCards() },
		},
		{
			Use: "image FILE.tar...", Short: "Load images (docker or OCI archives) on every node", Args: cobra.MinimumNArgs(1),
			RunE: func(_ *cobra.Command, archives []string) error {
				for _, archive := range archives {
					if err := cluster.LoadImage(archive); err != nil {
						return err
					}
				}
				return nil
			},
		},
	}
}

func nodeVerbs() []*cobra.Command {
	exec := &cobra.Command{
		Use: "exec NODE COMMAND [ARG...]", Short: "Run a command inside a node", Args: cobra.MinimumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			command := args[1:]
			if command[0] == "--" && len(command) > 1 { // as for kubectl exec
				command = command[1:]
			}
			return node.Exec(args[0], command)
		},
	}
	exec.Flags().SetInterspersed(false)
	restart := &cobra.Command{
		Use: "restart NODE kubelet|containerd|kube-proxy|node", Args: cobra.ExactArgs(2),
		Short: "Restart a program of a node, or reboot the node",
		Long: "Restarts a program of a node. With `node` the node is rebooted: its processes end at once, /run and /dev are made anew, the boot id\n" +
			"changes; what is on its disk, such as the kubelet's and containerd's files, stays. It returns when the node is Ready again.",
	}
	noWait := restart.Flags().Bool("no-wait", false, "do not wait until a rebooted node is Ready")
	restart.RunE = func(_ *cobra.Command, args []string) error { return cluster.Restart(args[0], args[1], !*noWait) }
	return []*cobra.Command{
		exec,
		restart,
		{
			Use: "remove NODE", Short: "End a node for good", Args: cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error { return cluster.Remove(args[0]) },
		},
		{
			Use: "card NODE UUID fail|recover|vanish|return|hang|unhang|xid|use [MIB|NUMBER [NAMESPACE/POD/CONTAINER]]", Args: cobra.MinimumNArgs(3),
			Short: "Make an accelerator fail, recover, or be used",
			Long: "fail and recover: the card falls off the bus (XID 79), and works again. vanish and return: it is no longer there, and is again.\n" +
				"hang and unhang: calls about it block. xid: an NVIDIA driver reports this error of it. use: a process uses so much of its memory, 0 ends that; without a container a process\n" +
				"of the node does.",
			RunE: func(_ *cobra.Command, args []string) error {
				return node.Exec(args[0], append([]string{"cluster", "card-here"}, args[1:]...))
			},
		},
		{
			Use: "driver NODE ok|absent|mismatch|hang", Args: cobra.ExactArgs(2),
			Short: "Make a node's accelerator driver work or fail",
			RunE: func(_ *cobra.Command, args []string) error {
				return node.Exec(args[0], []string{"cluster", "driver-here", args[1]})
			},
		},
		{
			Use: "card-here UUID VERB", Hidden: true, Args: cobra.MinimumNArgs(2), // runs inside a node, as do the next ones
			RunE: func(_ *cobra.Command, args []string) error {
				return accelerator.Card(node.Bin, args[0], args[1], args[2:])
			},
		},
		{
			Use: "driver-here STATE", Hidden: true, Args: cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error { return accelerator.Driver(args[0]) },
		},
		{
			Use: "restart-unit NAME", Hidden: true, Args: cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error { return node.RestartUnit(args[0]) },
		},
	}
}

func drawCards() error {
	api, err := control.NewAPI()
	if err != nil {
		return err
	}
	var nodes json.RawMessage
	if found, err := api.Get("/apis/gpu.baetyl.io/v1alpha1/gpunodes", &nodes); err != nil {
		return err
	} else if !found {
		return errors.New("this cluster knows no GpuNodes: deploy the product first, with make deploy")
	}
	return picture.Draw(os.Stdout, nodes)
}
