package nvidia

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"io.baetyl.gpu/dev/simulator/nvidia/node"
)

// XID 79 is "GPU has fallen off the bus".
const xidOffTheBus = 79

// ContainerPid finds the machine's number of a container's first process.
type ContainerPid func(namespace, pod, container string) (int, error)

// Processes finds who uses a card.
type Processes struct {
	Node      int // a process of the node that is in no container
	Container ContainerPid
}

type fault struct {
	verb string
	from []node.State // states it starts from; to be in "to" already is fine as well
	to   node.State
	xid  int // raised by it
}

var faults = []fault{
	{verb: "fail", from: []node.State{node.OK, node.Hung}, to: node.Failed, xid: xidOffTheBus},
	{verb: "recover", from: []node.State{node.Failed}, to: node.OK},
	{verb: "vanish", from: []node.State{node.OK, node.Failed, node.Hung}, to: node.Vanished},
	{verb: "return", from: []node.State{node.Vanished}, to: node.OK},
	{verb: "hang", from: []node.State{node.OK}, to: node.Hung},
	{verb: "unhang", from: []node.State{node.Hung}, to: node.OK},
}

// What ends a state.
var cures = map[node.State]string{node.Failed: "recover", node.Vanished: "return", node.Hung: "unhang"}

const (
	useVerb = "use"
	xidVerb = "xid"
)

// Fault makes a card fail, or a process use it: fail, recover, vanish, return, hang, unhang, xid NUMBER,
// use MIB [NAMESPACE/POD/CONTAINER].
func Fault(root, uuid, verb string, args []string, processes Processes) error {
	n := node.Node{Root: root}
	unlock, err := n.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	card, err := n.Find(uuid)
	if err != nil {
		return err
	}
	if verb == useVerb {
		return use(n, card, args, processes)
	}
	if verb == xidVerb {
		return raise(n, card, args)
	}
	i := slices.IndexFunc(faults, func(f fault) bool { return f.verb == verb })
	if i < 0 {
		return fmt.Errorf("verb %q is not known: it is one of %s", verb, strings.Join(verbs(), ", "))
	}
	if len(args) > 0 {
		return fmt.Errorf("%s takes nothing more, but %q was given: leave it out", verb, strings.Join(args, " "))
	}
	return faults[i].apply(n, card)
}

func verbs() []string {
	var all []string
	for _, f := range faults {
		all = append(all, f.verb)
	}
	return append(all, xidVerb, useVerb)
}

func (f fault) apply(n node.Node, card Card) error {
	state, err := n.State(card.UUID)
	if err != nil {
		return err
	}
	if state != f.to && !slices.Contains(f.from, state) {
		return fmt.Errorf("card %s is %s: %s it before you %s it", card.UUID, state, cures[state], f.verb)
	}
	if err := n.SetState(card.UUID, f.to); err != nil {
		return err
	}
	if f.xid != 0 && state != f.to {
		if err := n.RaiseXid(card.UUID, f.xid); err != nil {
			return err
		}
	}
	return n.SyncDevices()
}

// raise makes the driver report an error of a card that goes on working.
func raise(n node.Node, card Card, args []string) error {
	const usage = "xid NUMBER"
	if len(args) != 1 {
		return fmt.Errorf("%q: write %s", strings.Join(append([]string{xidVerb}, args...), " "), usage)
	}
	xid, err := strconv.Atoi(args[0])
	if err != nil || xid < 1 {
		return fmt.Errorf("%q is not the number of an error: write %s", args[0], usage)
	}
	return n.RaiseXid(card.UUID, xid)
}

func use(n node.Node, card Card, args []string, processes Processes) error {
	const usage = "use MIB [NAMESPACE/POD/CONTAINER]"
	if len(args) < 1 || len(args) > 2 {
		return fmt.Errorf("%q: write %s", strings.Join(append([]string{useVerb}, args...), " "), usage)
	}
	mib, err := strconv.Atoi(args[0])
	if err != nil {
		return fmt.Errorf("%q is not a number of MiB: write %s", args[0], usage)
	}
	pid := processes.Node
	if len(args) == 2 {
		at := strings.Split(args[1], "/")
		if len(at) != 3 || slices.Contains(at, "") {
			return fmt.Errorf("%q names no container: write %s", args[1], usage)
		}
		if pid, err = processes.Container(at[0], at[1], at[2]); err != nil {
			return err
		}
	}
	return n.Use(card, pid, mib)
}
