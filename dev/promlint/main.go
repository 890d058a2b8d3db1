// Command promlint tells what Prometheus' own linter finds in the metrics at its standard input, as `promtool check metrics` does: a line
// for each finding, nothing where there is none.
//
// It calls the package that promtool calls, since promtool itself drags in all of Prometheus.
package main

import (
	"fmt"
	"os"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

func main() {
	problems, err := promlint.New(os.Stdin).Lint()
	if err != nil {
		fmt.Fprintln(os.Stderr, "promlint: not in Prometheus' text format:", err)
		os.Exit(1)
	}
	for _, p := range problems {
		fmt.Println(p.Metric, p.Text)
	}
}
