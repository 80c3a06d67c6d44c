package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tilegate/tilegate/bot/server"
	"github.com/tilegate/tilegate/bot/store"
	"github.com/tilegate/tilegate/bot/worker"
	"github.com/tilegate/tilegate/checks/gate"
	"github.com/tilegate/tilegate/checks/untrusted"
	"github.com/tilegate/tilegate/checks/words"
)

type statusCmd struct {
	Target string `arg:"" placeholder:"OWNER/REPO#N" help:"Pull request: OWNER/REPO#N or its address; OWNER/REPO@SHA, all 40 digits, for a merge group."`
	Config string `placeholder:"FILE" help:"YAML file with the App's settings; TILEGATE_* variables override it."`
	Format string `enum:"text,json" default:"text" help:"Output format: ${enum}."`
}

func (c *statusCmd) Help() string {
	return "Reads the App's own database (TILEGATE_DATABASE_URL, or database_url of --config) and asks nobody; the App may be running. Exit status: 0 the gate is success, 1 it is not, 2 unknown pull request or unreadable database, 3 not decided yet."
}

func (c *statusCmd) Run(s streams) error {
	repo, key, err := parseTarget(c.Target)
	if err != nil {
		return err
	}
	ctx := context.Background()
	st, address, err := openApp(ctx, c.Config)
	if err != nil {
		return err
	}
	defer st.Close()
	status, err := worker.ReadStatus(ctx, st, key)
	if errors.Is(err, store.ErrNotFound) {
		return unknownTarget(ctx, st, address, repo, key)
	}
	if err != nil {
		return err
	}
	if c.Format == "json" {
		err = writeJSON(s.Out, status)
	} else {
		err = writeStatus(s.Out, status)
	}
	if err != nil {
		return err
	}
	switch status.Conclusion {
	case gate.Success:
		return nil
	case gate.Failure, gate.ActionRequired, gate.TimedOut:
		return exitNotFine
	}
	return exitUndecided
}

// openApp opens the App's database for reading. An error names the setting that
// says where it is.
func openApp(ctx context.Context, config string) (st *store.Store, address string, err error) {
	var data []byte
	if config != "" {
		if data, err = readSmall(config, "a settings file"); err != nil {
			return nil, "", fmt.Errorf("--config: %w", err)
		}
	}
	if address, err = server.LoadDatabaseURL(config, data, os.Getenv); err != nil {
		return nil, "", err
	}
	if st, err = store.OpenReader(ctx, address); err == nil {
		return st, address, nil
	}
	elsewhere, otherwise := server.LoadDatabaseURL("", nil, func(string) string { return "" })
	switch {
	case os.Getenv("TILEGATE_DATABASE_URL") != "":
		return nil, "", fmt.Errorf("TILEGATE_DATABASE_URL %s: %w", address, err)
	case config != "" && (otherwise != nil || address != elsewhere):
		return nil, "", fmt.Errorf("%s: database_url %s: %w", config, address, err)
	}
	return nil, "", fmt.Errorf("%s, where it is unless TILEGATE_DATABASE_URL or database_url of --config says otherwise: %w", address, err)
}

var (
	targetKey   = regexp.MustCompile(`^([\w.-]+/[\w.-]+)(?:#([1-9]\d*)|@([0-9a-f]{40}))$`)
	targetShort = regexp.MustCompile(`^[\w.-]+/[\w.-]+@[0-9A-Fa-f]*$`)
	targetPath  = regexp.MustCompile(`^/([\w.-]+/[\w.-]+)/pull/([1-9]\d*)(?:/.*)?$`)
)

// parseTarget reads how people name a pull request or a merge group.
func parseTarget(text string) (repo, key string, err error) {
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		if m := targetPath.FindStringSubmatch(u.Path); m != nil {
			return m[1], m[1] + "#" + m[2], nil
		}
	}
	if m := targetKey.FindStringSubmatch(text); m != nil {
		return m[1], text, nil
	}
	if targetShort.MatchString(text) {
		return "", "", fmt.Errorf("expected OWNER/REPO@SHA with the 40 lower-case digits of a merge group's commit, found %q", text)
	}
	return "", "", fmt.Errorf("expected OWNER/REPO#N such as octo/TileGym#12, or OWNER/REPO@SHA of a merge group, found %q", text)
}

// unknownTarget says what the database has instead.
func unknownTarget(ctx context.Context, st *store.Store, address, repo, key string) error {
	numbers, err := st.PullsLike(ctx, repo)
	if err != nil {
		return err
	}
	known := "it knows none of " + repo
	if n := len(numbers); n > 0 {
		var list []string
		for _, number := range numbers[:min(n, 5)] {
			list = append(list, "#"+strconv.FormatInt(number, 10))
		}
		known = "it knows " + strings.Join(list, ", ")
		if n > 5 {
			known += fmt.Sprintf(" and %d more", n-5)
		}
		known += " of " + repo
	}
	return fmt.Errorf("%s is not in the App's database %s: %s", key, address, known)
}

// writeStatus prints a status for a terminal.
func writeStatus(w io.Writer, s worker.Status) error {
	state := "open"
	if !s.Open {
		state = "closed"
	}
	fmt.Fprintf(w, "%s (%s) at %.7s", s.Target, state, s.HeadSHA)
	if s.BaseRef != "" {
		fmt.Fprintf(w, ", base %s", untrusted.Text(s.BaseRef).Line())
	}
	fmt.Fprintln(w)
	fmt.Fprintf(w, "%s: %s\n", s.Conclusion, s.Sentence.Line())
	if s.Gate != nil {
		fmt.Fprintln(w)
		if err := gate.WriteText(w, *s.Gate); err != nil {
			return err
		}
	}
	var more []string
	for _, r := range s.Runs {
		line := fmt.Sprintf("dispatch %s on %s: %s, attempt %d, asked for at %s", r.Dispatch, r.GPU, r.State, r.Attempt, r.Created.Format(time.RFC3339))
		if r.Note != "" {
			line += ": " + r.Note.Line()
		}
		if r.URL != "" {
			line += " " + untrusted.Text(r.URL).Line()
		}
		more = append(more, line)
	}
	if s.Unsent > 0 {
		more = append(more, fmt.Sprintf("GitHub has not been told of %s yet", words.Count(int(s.Unsent), "change")))
	}
	if s.Failures > 0 {
		more = append(more, fmt.Sprintf("the last %s failed; the App's log says why", words.Count(s.Failures, "look")))
	}
	if s.NextLook != nil {
		more = append(more, "the App looks again at "+s.NextLook.Format(time.RFC3339))
	}
	if len(more) > 0 {
		fmt.Fprintln(w, "\n"+strings.Join(more, "\n"))
	}
	return nil
}
