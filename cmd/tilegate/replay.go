package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/tilegate/tilegate/bot/outbox"
	"github.com/tilegate/tilegate/bot/replay"
	"github.com/tilegate/tilegate/checks/linediff"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/untrusted"
	"github.com/tilegate/tilegate/checks/words"
)

type replayCmd struct {
	Delivery     string            `arg:"" help:"Recorded delivery: {\"event\", \"delivery\", \"payload\"}, GitHub's answer about a delivery, or with --event the payload; - reads standard input."`
	DryRun       bool              `help:"Required: a replay never writes to GitHub."`
	Event        string            `placeholder:"NAME" help:"Event of the delivery, such as pull_request."`
	Checkout     string            `placeholder:"DIR" default:"." help:"Where the head's source is: a git checkout, which is read at the recorded head or else at HEAD, or any folder (default ${default})."`
	BaseCheckout string            `placeholder:"DIR|REV" help:"Where the base branch's source is: a folder, or a revision of --checkout (default: the merge base of the head and the recorded base)."`
	Role         map[string]string `placeholder:"LOGIN=ROLE" mapsep:"none" help:"Role of a person in the repository: none, read, triage, write, maintain or admin; may be repeated."`
	Format       string            `enum:"text,json" default:"text" help:"Output format: ${enum}."`
}

func (c *replayCmd) Help() string {
	return "Prints the writes that a delivery would cause, as a list and as a diff against nothing. The App runs in this process against a simulated GitHub that is made from the delivery and the two sources; nothing else is asked, and dispatched runs are not run. Ids of things that the App makes are made up. Exit status: 0 replayed, 2 wrong usage or an unreadable input, 3 not everything could be done."
}

func (c *replayCmd) Run(s streams) error {
	if !c.DryRun {
		return errors.New("replay: expected --dry-run: only dry runs exist, a replay never writes to GitHub")
	}
	var data []byte
	var err error
	if c.Delivery == "-" {
		data, err = io.ReadAll(io.LimitReader(s.In, maxDelivery))
	} else {
		data, err = readAtMost(c.Delivery, "a recorded delivery", maxDelivery)
	}
	if err != nil {
		return err
	}
	d, err := replay.ParseDelivery(data, c.Event)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Delivery, err)
	}
	head, base, notes, err := c.sources(d)
	if err != nil {
		return err
	}
	result, err := replay.Run(context.Background(), replay.Options{
		Delivery: d, Base: base.tree, Head: head.tree, BaseCommit: base.commit, HeadCommit: head.commit, Roles: c.Role, Rules: all.Rules, Version: version(), Now: time.Now(),
		Log: slog.New(unexpected{slog.NewTextHandler(s.Err, &slog.HandlerOptions{Level: slog.LevelWarn})}),
	})
	if err != nil {
		return oneLine(err)
	}
	result.Assumed = append(notes, result.Assumed...)
	if c.Format == "json" {
		err = writeJSON(s.Out, result)
	} else {
		err = writeReplay(s.Out, result)
	}
	if err == nil && len(result.Undone) > 0 {
		err = exitUndecided
	}
	return err
}

// unexpected leaves out of a log that the simulated GitHub refuses a write: the list
// of the writes tells that, with the reason.
type unexpected struct{ slog.Handler }

// Handle writes a record.
func (u unexpected) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == outbox.Refused {
		return nil
	}
	return u.Handler.Handle(ctx, r)
}

// WithAttrs adds attributes.
func (u unexpected) WithAttrs(attrs []slog.Attr) slog.Handler {
	return unexpected{u.Handler.WithAttrs(attrs)}
}

// WithGroup opens a group.
func (u unexpected) WithGroup(name string) slog.Handler { return unexpected{u.Handler.WithGroup(name)} }

// maxDelivery is the size of the largest payload that GitHub sends, with what
// is around it.
const maxDelivery = 26 << 20

// source is one of the two trees. commit is empty for a folder.
type source struct {
	tree   fs.FS
	commit string
}

// sources are the two trees, with notes on what stands in for what was recorded.
func (c *replayCmd) sources(d replay.Delivery) (head, base source, notes []string, err error) {
	headSHA, baseSHA := d.Commits()
	if head.tree, err = checkout(c.Checkout); err != nil {
		return head, base, nil, fmt.Errorf("--checkout: %w", err)
	}
	// A folder inside of some other repository is only a folder.
	below, err := prefix(c.Checkout)
	if errors.As(err, new(untrustedOwner)) {
		return head, base, nil, fmt.Errorf("--checkout: %w", err)
	}
	if err == nil && below == "" {
		head.commit = headSHA
		if !c.has(headSHA) {
			out, err := git(c.Checkout, "rev-parse", "--verify", "HEAD")
			if err != nil {
				return head, base, nil, fmt.Errorf("--checkout %s: %w", c.Checkout, err)
			}
			head.commit = strings.TrimSpace(string(out))
			notes = append(notes, fmt.Sprintf("the head is HEAD of the checkout (%.7s)%s", head.commit, instead(headSHA)))
		}
		if head.tree, err = commitTree(c.Checkout, head.commit); err != nil {
			return head, base, nil, err
		}
	} else {
		notes = append(notes, "the head is the folder "+c.Checkout+instead(headSHA))
	}
	if info, err := os.Stat(c.BaseCheckout); err == nil && info.IsDir() {
		notes = append(notes, "the base branch is the folder "+c.BaseCheckout+instead(baseSHA))
		base.tree, err = checkout(c.BaseCheckout)
		return head, base, notes, err
	}
	rev := c.BaseCheckout
	if rev == "" {
		rev = baseSHA
	}
	if head.commit == "" || !c.has(rev) {
		return head, base, nil, fmt.Errorf("--base-checkout: expected a folder or a revision of %s, found %q; the recorded base is %q", c.Checkout, c.BaseCheckout, baseSHA)
	}
	out, err := git(c.Checkout, "merge-base", head.commit, rev)
	if err != nil {
		return head, base, nil, fmt.Errorf("--base-checkout: %.7s and %s have no common ancestor", head.commit, rev)
	}
	if base.commit = strings.TrimSpace(string(out)); base.commit != baseSHA {
		notes = append(notes, fmt.Sprintf("the base branch is at its merge base with the head (%.7s)%s", base.commit, instead(baseSHA)))
	}
	base.tree, err = commitTree(c.Checkout, base.commit)
	return head, base, notes, err
}

// instead names the recorded commit that something stands in for.
func instead(sha string) string {
	if sha == "" {
		return ""
	}
	return fmt.Sprintf(", in place of the recorded %.7s", sha)
}

// has reports whether the checkout's repository has a revision.
func (c *replayCmd) has(rev string) bool {
	if rev == "" || strings.HasPrefix(rev, "-") {
		return false
	}
	_, err := git(c.Checkout, "rev-parse", "--verify", "--quiet", rev+"^{commit}")
	return err == nil
}

// writeReplay prints the writes as a list and as a diff against nothing.
func writeReplay(w io.Writer, r replay.Result) error {
	what := r.Event
	if r.Action != "" {
		what += "." + r.Action
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s would cause %s\n", untrusted.Text(what).Line(), untrusted.Text(r.Target).Line(), words.Count(len(r.Writes), "write"))
	if len(r.Writes) == 0 {
		fmt.Fprintf(&b, "why: %s\n", untrusted.Text(r.Outcome).Line())
	}
	for _, a := range r.Assumed {
		fmt.Fprintf(&b, "assumed: %s\n", untrusted.Text(a).Line())
	}
	for _, u := range r.Undone {
		fmt.Fprintf(&b, "undone: %s\n", untrusted.Text(u).Line())
	}
	if len(r.Writes) > 0 {
		b.WriteByte('\n')
	}
	for i, write := range r.Writes {
		fmt.Fprintf(&b, "%3d. %s %s  %s%s\n", i+1, write.Method, untrusted.Text(write.Path).Line(), summary(write.Body), refused(write))
	}
	for _, write := range r.Writes {
		body := readable(write.Body)
		if body == "" {
			continue
		}
		name := write.Method + " " + untrusted.Text(write.Path).Line()
		b.WriteString("\n" + linediff.Unified("/dev/null", name, nil, []byte(body)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// dispatched is the address that starts a run of a workflow.
var dispatched = regexp.MustCompile(`/actions/workflows/([^/]+)/dispatches$`)

// refused tells an answer that is no success.
func refused(w replay.Write) string {
	if w.Status >= 200 && w.Status < 300 {
		return ""
	}
	why := ""
	if m := dispatched.FindStringSubmatch(w.Path); m != nil && w.Status == http.StatusNotFound {
		why = ": the base has no .github/workflows/" + untrusted.Text(m[1]).Line()
	}
	return fmt.Sprintf("  (the simulated GitHub answers %d%s)", w.Status, why)
}

// shown are the fields of a body that tell writes apart, in order.
var shown = []string{"name", "status", "conclusion", "event", "ref", "content", "body"}

// summary is a write's body in one short line.
func summary(body json.RawMessage) string {
	var doc map[string]any
	if json.Unmarshal(body, &doc) != nil {
		return ""
	}
	var parts []string
	for _, name := range shown {
		if text, ok := doc[name].(string); ok && text != "" {
			parts = append(parts, name+"="+clip(text, 60))
		}
	}
	if output, ok := doc["output"].(map[string]any); ok {
		if title, ok := output["title"].(string); ok {
			parts = append(parts, "title="+clip(title, 100))
		}
	}
	if comments, ok := doc["comments"].([]any); ok {
		parts = append(parts, words.Count(len(comments), "line comment"))
	}
	if inputs, ok := doc["inputs"].(map[string]any); ok {
		if id, ok := inputs["dispatch"].(string); ok {
			parts = append(parts, "dispatch="+clip(id, 30))
		}
	}
	return strings.Join(parts, " ")
}

// clip is a text on one line, at most n characters long, quoted when it has blanks.
func clip(text string, n int) string {
	line := untrusted.Text(strings.Join(strings.Fields(markup.ReplaceAllString(text, "")), " ")).Line()
	if r := []rune(line); len(r) > n {
		line = string(r[:n-1]) + "…"
	}
	if strings.Contains(line, " ") {
		return fmt.Sprintf("%q", line)
	}
	return line
}

// markup is what a reader of a comment does not see.
var markup = regexp.MustCompile(`(?s)<!--.*?-->`)

// readable is a body as YAML, where texts of several lines are read as such.
func readable(body json.RawMessage) string {
	var doc any
	if len(body) == 0 || json.Unmarshal(body, &doc) != nil {
		return untrusted.Text(body).Plain()
	}
	out, err := yaml.MarshalWithOptions(whole(doc), yaml.UseLiteralStyleIfMultiline(true), yaml.IndentSequence(true))
	if err != nil {
		return untrusted.Text(body).Plain()
	}
	return untrusted.Text(out).Plain()
}

// whole makes whole numbers of a JSON document integers, which JSON does not
// tell apart and a reader expects.
func whole(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, item := range v {
			v[name] = whole(item)
		}
	case []any:
		for i, item := range v {
			v[i] = whole(item)
		}
	case float64:
		if n := int64(v); float64(n) == v {
			return n
		}
	}
	return v
}
