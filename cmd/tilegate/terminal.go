package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// terminal reports whether a stream is a terminal.
func terminal(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// colour reports whether to colour what is printed to a stream.
func colour(w io.Writer) bool { return os.Getenv("NO_COLOR") == "" && terminal(w) }

// progress returns a function that prints what is being done once a command
// has run for a second, and only to a terminal.
func progress(w io.Writer) func(string) {
	if !terminal(w) {
		return func(string) {}
	}
	start := time.Now()
	return func(what string) {
		if since := time.Since(start); since > time.Second {
			fmt.Fprintf(w, "tilegate: %s (%.0f s)\n", what, since.Seconds())
		}
	}
}
