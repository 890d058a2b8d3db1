package containerruntime

import (
	"slices"
	"strings"
)

// invocation is what the runtime has to know of runc's arguments.
type invocation struct {
	command string
	bundle  string
	log     string // where containerd looks for the reason of a failure
	json    bool
}

// options of runc that are followed by a value; the others stand alone
var (
	globalValues  = []string{"log", "log-format", "root", "criu", "rootless"}
	commandValues = []string{"bundle", "b", "console-socket", "pidfd-socket", "pid-file", "preserve-fds"}
)

func parse(args []string) invocation {
	in := invocation{bundle: "."}
	for i := 0; i < len(args); i++ {
		if !strings.HasPrefix(args[i], "-") {
			if in.command != "" {
				return in // the container's id, and for some commands what is not ours
			}
			in.command = args[i]
			continue
		}
		name, value, joined := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		values := globalValues
		if in.command != "" {
			values = commandValues
		}
		if !joined && slices.Contains(values, name) && i+1 < len(args) {
			i++
			value = args[i]
		}
		switch name {
		case "log":
			in.log = value
		case "log-format":
			in.json = value == "json"
		case "bundle", "b":
			in.bundle = value
		}
	}
	return in
}
