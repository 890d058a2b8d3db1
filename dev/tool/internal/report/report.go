// Package report prints what the tool does: one line a step, with the time it took.
package report

import (
	"fmt"
	"os"
	"sync"
	"time"
)

var printing sync.Mutex

// Step runs one step and prints it with its duration. Steps that had nothing to do are not worth a line: they return quickly.
func Step(what string, do func() error) error {
	began := time.Now()
	err := do()
	took := time.Since(began)
	if err == nil && took > 100*time.Millisecond {
		line("%-52s %6.1f s", what, took.Seconds())
	}
	return err
}

// Say prints one line that the reader should know of.
func Say(format string, args ...any) { line(format, args...) }

func line(format string, args ...any) {
	printing.Lock()
	defer printing.Unlock()
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}
