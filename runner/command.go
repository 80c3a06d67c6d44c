package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/words"
)

// The exit code that evidence carries for a command that ran into its limit, as
// the timeout program has it.
const exitTimeout = 124

// logHead and logTail bound the captured output of one command, in bytes.
const (
	logHead = 1 << 20
	logTail = 3 << 20
)

// killGrace is how long a command may clean up after SIGINT, on which pytest
// writes the report of what it has run so far.
const killGrace = 10 * time.Second

// command is one process of a stage.
type command struct {
	name  string
	argv  []string
	dir   string
	env   []string
	limit time.Duration
	log   string // path of the file that takes stdout and stderr
}

// shell prints the command as a line for a shell, with what it adds to the
// environment. What a dry run cannot know is a variable of the shell.
func (c command) shell(base []string) string {
	known := map[string]bool{}
	for _, e := range base {
		known[e] = true
	}
	parts := []string{"cd", quote(c.dir), "&&"}
	for _, e := range c.env {
		if !known[e] {
			name, value, _ := strings.Cut(e, "=")
			parts = append(parts, name+"="+quote(value))
		}
	}
	for _, a := range c.argv {
		parts = append(parts, quote(a))
	}
	return strings.Join(parts, " ")
}

// variables are those that a dry run leaves to the shell.
var variables = regexp.MustCompile(`\$(SCRIPTS|LIBRARY)\b`)

func quote(s string) string {
	if at := variables.FindStringIndex(s); at != nil {
		before, after := "", ""
		if at[0] > 0 {
			before = quote(s[:at[0]])
		}
		if at[1] < len(s) {
			after = quote(s[at[1]:])
		}
		return before + `"` + s[at[0]:at[1]] + `"` + after
	}
	return words.Shell(s)
}

// execute runs the command in a process group of its own. The group is ended
// when the context ends or the limit passes, and whatever the command has left
// behind is ended with it. The error is the context's; every other trouble is an
// exit code and a line in the log.
func (c command) execute(ctx context.Context, now func() time.Time) (job.Command, error) {
	done := job.Command{Name: c.name, Argv: c.argv}
	out, err := newCappedFile(c.log)
	if err != nil {
		return done, err
	}
	start := now()
	limited, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	cmd := exec.CommandContext(limited, c.argv[0], c.argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.dir, c.env, out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = killGrace
	err = cmd.Run()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	done.DurationMS = now().Sub(start).Milliseconds()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		done.ExitCode = 128 + int(syscall.SIGINT)
		fmt.Fprintf(out, "\ntilegate: interrupted\n")
	case limited.Err() != nil:
		done.ExitCode = exitTimeout
		fmt.Fprintf(out, "\ntilegate: ended after its limit of %s\n", c.limit)
	case errors.As(err, &exit):
		done.ExitCode = exit.ExitCode()
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			done.ExitCode = 128 + int(status.Signal())
			fmt.Fprintf(out, "\ntilegate: ended by signal %d (%s)\n", status.Signal(), status.Signal())
		}
	case err != nil:
		done.ExitCode = 127
		fmt.Fprintf(out, "\ntilegate: %v\n", err)
	}
	if err := out.Close(); err != nil {
		return done, err
	}
	return done, ctx.Err()
}

// cappedFile keeps the first logHead and the last logTail bytes of a stream.
type cappedFile struct {
	file    *os.File
	head    int
	tail    []byte
	dropped int64
}

func newCappedFile(path string) (*cappedFile, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	return &cappedFile{file: f}, nil
}

// Write never fails for lack of room: it forgets the middle.
func (c *cappedFile) Write(p []byte) (int, error) {
	n := len(p)
	if room := logHead - c.head; room > 0 {
		part := p[:min(room, len(p))]
		if _, err := c.file.Write(part); err != nil {
			return 0, err
		}
		c.head += len(part)
		p = p[len(part):]
	}
	c.tail = append(c.tail, p...)
	if over := len(c.tail) - logTail; over > logTail/2 {
		c.dropped += int64(over)
		c.tail = append(c.tail[:0], c.tail[over:]...)
	}
	return n, nil
}

// Close writes the kept tail.
func (c *cappedFile) Close() error {
	if over := len(c.tail) - logTail; over > 0 {
		c.dropped += int64(over)
		c.tail = c.tail[over:]
	}
	if c.dropped > 0 {
		if _, err := fmt.Fprintf(c.file, "\n[tilegate: %d bytes left out]\n", c.dropped); err != nil {
			return err
		}
	}
	if _, err := c.file.Write(c.tail); err != nil {
		return err
	}
	return c.file.Close()
}

var _ io.WriteCloser = (*cappedFile)(nil)
