package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tilegate/tilegate/cmd/tilegate/demo"
	"github.com/tilegate/tilegate/runner"
)

type demoCmd struct {
	Once    bool   `help:"Run to the end, print the outcome and exit."`
	Listen  string `placeholder:"ADDRESS" default:"127.0.0.1:0" help:"Where the page is shown (default: a free port)."`
	Verbose bool   `help:"Print the App's log on standard error."`
	Keep    bool   `help:"Keep the working folder with the App's database and the runner's files."`
}

func (c *demoCmd) Help() string {
	return "Runs everything on this machine: a simulated GitHub with two pull requests, the App, and a runner that really builds, tests and measures them. The second is wrong and slow on purpose, so that its gate fails. Needs cargo, git and a Python that imports pytest; no network, GPU or account. Exit status with --once: 0 all came out as it has to, 1 something did not, 2 a tool is missing, 3 not finished."
}

// patience is how long --once waits for the gates.
const patience = 10 * time.Minute

func (c *demoCmd) Run(s streams) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.DiscardHandler)
	if c.Verbose {
		log = slog.New(slog.NewTextHandler(s.Err, nil))
	}
	start := time.Now()
	d, err := demo.Start(ctx, demo.Options{
		Serve: serve, MoreRounds: moreRounds, Listen: c.Listen, Keep: c.Keep, Log: log,
		Progress: func(what string) { fmt.Fprintf(s.Err, "%5.1f s  %s\n", time.Since(start).Seconds(), what) },
	})
	var missing runner.MissingTool
	if errors.As(err, &missing) {
		return missing
	}
	if err != nil && ctx.Err() != nil {
		return c.stopped(s)
	}
	if err != nil {
		return err
	}
	defer d.Close()
	until := ""
	if c.Once {
		until = " until this ends"
	}
	fmt.Fprintf(s.Err, "the pull requests%s: %s\n", until, d.URL)
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	result, err := d.Wait(limited)
	switch {
	case err != nil && ctx.Err() != nil:
		return c.stopped(s)
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("not all gates had reported after %v", patience)
		fallthrough
	case err != nil:
		fmt.Fprintf(s.Out, "demo: FAILED %v\n", err)
		return exitUndecided
	}
	result.Report(s.Out)
	if len(result.Problems) == 0 {
		fmt.Fprintln(s.Err, "that is as it has to be: the second change is wrong on purpose, and its gate does not let it through")
	}
	if !c.Once {
		fmt.Fprintln(s.Err, "press Ctrl-C to end")
		<-ctx.Done()
	}
	if len(result.Problems) > 0 {
		return exitNotFine
	}
	return nil
}

// stopped says that the person at the terminal did not wait for the end.
func (c *demoCmd) stopped(s streams) error {
	word := ""
	if c.Once {
		word = "FAILED "
	}
	fmt.Fprintf(s.Out, "demo: %sstopped before the end\n", word)
	return exitUndecided
}
