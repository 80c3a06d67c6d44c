package review

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	githubactions "github.com/sethvargo/go-githubactions"

	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/untrusted"
	"github.com/tilegate/tilegate/checks/words"
)

// Formats lists the names that Write accepts.
var Formats = []string{"text", "json", "sarif", "rdjson", "github", "markdown"}

// Style is what the formats for people need besides the report.
type Style struct {
	// Source returns a reviewed file's lines for excerpts; nil leaves them out.
	Source func(path string) *syntax.File
	// Colour turns on terminal colours in text.
	Colour bool
	// All shows old findings too; otherwise they are only counted. SARIF always
	// has all and says which are new.
	All bool
	// Accepted puts the findings that comments accept into SARIF, as suppressed.
	// Code scanning shows such as open alerts, so that they are left out otherwise.
	Accepted bool
	// Rules describes the rules that ran, for formats that carry rule help.
	Rules []*rules.Rule
	// Path and Base are what the review was asked for, as words of a command; empty
	// for the current folder and for none.
	Path, Base string
}

// repair is the command that fixes what a rule finds: no more than was reviewed.
func (s Style) repair(f Finding) string {
	command := "tilegate fix"
	if s.Path != "" {
		command += " " + s.Path
	}
	if s.Base != "" && f.New {
		command += " --base " + s.Base
	}
	return command + " --rule " + f.Rule
}

// Write prints a report in one of the Formats.
func Write(w io.Writer, format string, r *Report, s Style) error {
	switch format {
	case "text":
		return writeText(w, r, s)
	case "json":
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(r.withCommands(s))
	case "sarif":
		return writeSARIF(w, r, s)
	case "rdjson":
		return writeRDJSON(w, r, s)
	case "github":
		return writeGitHub(w, r, s)
	case "markdown":
		_, err := io.WriteString(w, Markdown(r, s))
		return err
	}
	return fmt.Errorf("unknown format %q: expected one of %s", format, strings.Join(Formats, ", "))
}

// withCommands is the report with the command of each fix in it.
func (r *Report) withCommands(s Style) *Report {
	out := *r
	out.Findings = slices.Clone(r.Findings)
	for i, f := range out.Findings {
		if f.Fix != nil {
			fix := *f.Fix
			fix.Command = s.repair(f)
			out.Findings[i].Fix = &fix
		}
	}
	return &out
}

// Sentence sums up a report in one sentence. One with unread files or without a kernel
// begins with that: whatever else it counts, it is no verdict on the tree.
func (r *Report) Sentence() string {
	all := Counts{r.Summary.Error, r.Summary.Warning, r.Summary.Note}
	isNew := r.Summary.New
	older := all.sum() - isNew.sum()
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{all.Error, "error"}, {all.Warning, "warning"}, {all.Note, "note"}} {
		if p.n > 0 {
			parts = append(parts, words.Count(p.n, p.what))
		}
	}
	where := fmt.Sprintf("%s and %s read", words.Count(len(r.Summary.Kernels), "kernel"), words.Count(r.Summary.Files-len(r.Summary.Unread), "file")) + r.acceptedText()
	var not []string
	if n := len(r.Summary.Unread); n > 0 {
		not = append(not, words.Count(n, "file")+" could not be read as a whole")
	}
	if len(r.Summary.Kernels) == 0 {
		not = append(not, "there is no kernel to review")
	}
	verdict := ""
	if len(not) > 0 {
		verdict = "No verdict: " + strings.Join(not, " and ") + "; "
	}
	switch {
	case older > 0 || r.Compared && len(parts) > 0:
		text := fmt.Sprintf("%s%s, %s and %s new", verdict, words.Count(isNew.Error, "error"), words.Count(isNew.Warning, "warning"), words.Count(isNew.Note, "note"))
		if older > 0 {
			text += fmt.Sprintf("; %d older", older)
		}
		return fmt.Sprintf("%s in %s.", text, where)
	case len(parts) > 0:
		return fmt.Sprintf("%s%s in %s.", verdict, strings.Join(parts, ", "), where)
	case verdict != "":
		return fmt.Sprintf("%sno finding in %s.", verdict, where)
	}
	return fmt.Sprintf("No finding: %s.", where)
}

// acceptedText counts what comments in the source accept of what would be new.
func (r *Report) acceptedText() string {
	n := 0
	for _, a := range r.Accepted {
		if a.New {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	what := "finding"
	if r.Compared {
		what = "new finding"
	}
	return fmt.Sprintf("; %s accepted by comments in the source", words.Count(n, what))
}

// palette holds terminal sequences, all empty without colour.
type palette struct{ bold, red, yellow, blue, reset string }

func colours(on bool) palette {
	if !on {
		return palette{}
	}
	return palette{"\x1b[1m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;34m", "\x1b[0m"}
}

func (p palette) of(s Severity) string {
	switch s {
	case Error:
		return p.red
	case Warning:
		return p.yellow
	}
	return p.blue
}

func writeText(w io.Writer, r *Report, s Style) error {
	c := colours(s.Colour)
	var b strings.Builder
	explained, rule := "", "the rule"
	for _, f := range r.Findings {
		if !f.New && !s.All {
			continue
		}
		textFinding(&b, c, f, s)
		b.WriteByte('\n')
		switch explained {
		case "":
			explained = f.Rule
		case f.Rule:
		default:
			explained, rule = "ID", "a rule"
		}
	}
	for _, u := range r.Summary.Unread {
		textUnread(&b, c, u)
	}
	accepting, idle := r.comments(s)
	for _, p := range accepting {
		fmt.Fprintf(&b, "suppressed %s: %s:%d: %s\n", strings.Join(p.Rules, ", "), line(p.Path), p.Line, line(p.Reason))
		for _, f := range p.Findings {
			fmt.Fprintf(&b, "  accepts %s[%s]%s at line %d: %s\n", f.Severity, f.Rule, older(f.Finding), f.Line, line(f.Message))
			if also := alsoAt(f.Finding); also != "" {
				fmt.Fprintf(&b, "    %s\n", also)
			}
		}
	}
	for _, p := range idle {
		textIdle(&b, c, p)
	}
	b.WriteString(r.Sentence() + "\n")
	if explained != "" {
		fmt.Fprintf(&b, "`tilegate rules %s` explains %s.\n", explained, rule)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// comments are the comments that the formats list: those that accept findings, and
// those that accept nothing.
func (r *Report) comments(s Style) (accepting []Acceptance, idle []Suppression) {
	for _, p := range r.Summary.Suppressions {
		if p.Problem != "" {
			idle = append(idle, p)
		}
	}
	return r.Accepting(s.All), idle
}

// Acceptance is a comment in the source with the findings that it accepts.
type Acceptance struct {
	Suppression
	Findings []Accepted
}

// Accepting lists the comments that accept findings, each with these: those that the
// change adds, older ones that accept something new, and with all the others, too.
func (r *Report) Accepting(all bool) []Acceptance {
	type at struct {
		path string
		line int
		rule string
	}
	accepted := map[at][]Accepted{}
	for _, f := range r.Accepted {
		k := at{f.Path, f.CommentLine, f.Rule}
		accepted[k] = append(accepted[k], f)
	}
	var out []Acceptance
	for _, p := range r.Summary.Suppressions {
		if p.Problem != "" || !p.Used {
			continue
		}
		a := Acceptance{Suppression: p}
		for _, id := range p.Rules {
			a.Findings = append(a.Findings, accepted[at{p.Path, p.Line, id}]...)
		}
		if all || p.New || slices.ContainsFunc(a.Findings, func(f Accepted) bool { return f.New }) {
			out = append(out, a)
		}
	}
	return out
}

// acceptsNothing begins what is said of a comment with a problem, as the App does.
const acceptsNothing = "accepts nothing, "

// textUnread prints one file that was not reviewed.
func textUnread(b *strings.Builder, c palette, u Unread) {
	fmt.Fprintf(b, "%sunread%s: %s: %s\n  help: %s\n", c.red, c.reset, line(u.Place()), line(u.Beside()), line(u.help()))
}

// textIdle prints one comment that accepts nothing.
func textIdle(b *strings.Builder, c palette, p Suppression) {
	fmt.Fprintf(b, "%ssuppression problem%s: %s:%d: %s%s\n", c.yellow, c.reset, line(p.Path), p.Line, acceptsNothing, line(p.Problem))
}

// older marks a finding that the base has too, where it is shown.
func older(f Finding) string {
	if f.New {
		return ""
	}
	return " (older)"
}

// textFinding prints one finding with its source line.
func textFinding(b *strings.Builder, c palette, f Finding, s Style) {
	fmt.Fprintf(b, "%s%s[%s]%s%s%s: %s%s\n", c.of(f.Severity), f.Severity, f.Rule, c.reset, older(f), c.bold, line(f.Message), c.reset)
	excerpt(b, c, f, s.Source)
	if also := alsoAt(f); also != "" {
		fmt.Fprintf(b, "  %s\n", also)
	}
	fmt.Fprintf(b, "  why: %s\n", line(f.Why))
	switch {
	case f.Fix != nil:
		fmt.Fprintf(b, "  fix: %s (%s)\n", line(f.Fix.Description), line(s.repair(f)))
	case f.help() != "":
		fmt.Fprintf(b, "  help: %s\n", line(f.help()))
	}
	if waive := f.waiver(); waive != "" {
		fmt.Fprintf(b, "  gate: waits for a maintainer's `%s`\n", line(waive))
	}
}

// help is the first step of what to do; empty where there is none.
func (f Finding) help() string {
	if len(f.Triage) == 0 {
		return ""
	}
	return f.Triage[0]
}

// alsoAt tells the further lines of a finding; empty when there are none.
func alsoAt(f Finding) string {
	if len(f.AlsoAt) == 0 {
		return ""
	}
	return "also at " + words.Form(len(f.AlsoAt), "line ", "lines ") + ints(f.AlsoAt)
}

// waiver is the comment of a maintainer for which the gate waits because of a
// finding of what a change does to the tests that judge it. Empty for all others.
func (f Finding) waiver() string {
	if !f.Waits {
		return ""
	}
	file := f.Path
	if strings.ContainsFunc(file, unicode.IsSpace) {
		file = "`" + file + "`" // else the command takes its first word
	}
	return fmt.Sprintf("/tilegym waive %s %s REASON", f.Rule, file)
}

// Waiting counts the findings for which the gate waits for a maintainer, whatever
// severity decides the exit status.
func (r *Report) Waiting() int {
	n := 0
	for _, f := range r.Findings {
		if f.waiver() != "" {
			n++
		}
	}
	return n
}

func line(s string) string { return untrusted.Text(s).Line() }

func ints(n []int) string {
	var out []string
	for _, i := range n {
		out = append(out, fmt.Sprint(i))
	}
	return strings.Join(out, ", ")
}

// writeGitHub prints workflow commands, which Actions turns into annotations.
func writeGitHub(w io.Writer, r *Report, s Style) error {
	out := &errWriter{w: w}
	action := githubactions.New(githubactions.WithWriter(out))
	for _, f := range r.Findings {
		if !f.New && !s.All {
			continue
		}
		fields := map[string]string{"file": line(f.Path), "line": fmt.Sprint(f.Line), "endLine": fmt.Sprint(f.EndLine), "title": f.Rule + older(f) + ": " + line(f.Title)}
		if f.Line == f.EndLine {
			fields["col"], fields["endColumn"] = fmt.Sprint(f.Column), fmt.Sprint(f.EndColumn)
		}
		a := action.WithFieldsMap(fields)
		message := annotation(f, s)
		switch f.Severity {
		case Error:
			a.Errorf("%s", message)
		case Warning:
			a.Warningf("%s", message)
		default:
			a.Noticef("%s", message)
		}
	}
	for _, u := range r.Summary.Unread {
		fields := map[string]string{"file": line(u.Path), "title": "not reviewed"}
		if row, column := u.At.Line, u.At.Column; row > 0 {
			fields["line"] = fmt.Sprint(row)
			if column > 0 {
				fields["col"] = fmt.Sprint(column)
			}
		}
		action.WithFieldsMap(fields).Errorf("%s", line(u.Why)+"\nhelp: "+line(u.help()))
	}
	accepting, idle := r.comments(s)
	at := func(p Suppression, title string) *githubactions.Action {
		return action.WithFieldsMap(map[string]string{"file": line(p.Path), "line": fmt.Sprint(p.Line), "title": title})
	}
	for _, p := range idle {
		at(p, "suppression problem").Warningf("%s", acceptsNothing+line(p.Problem))
	}
	for _, p := range accepting {
		message := line(p.Reason)
		for _, f := range p.Findings {
			message += fmt.Sprintf("\naccepts %s[%s]%s at line %d: %s", f.Severity, f.Rule, older(f.Finding), f.Line, line(f.Message))
			if also := alsoAt(f.Finding); also != "" {
				message += ", " + also
			}
		}
		at(p.Suppression, "suppressed "+strings.Join(p.Rules, ", ")).Noticef("%s", untrusted.Text(message).Cut(annotationLimit))
	}
	if out.err == nil {
		_, out.err = fmt.Fprintln(w, r.Sentence())
	}
	return out.err
}

// annotationLimit is how many bytes of an annotation Actions shows.
const annotationLimit = 4096

// annotation is the text of a finding's annotation: what it is, and what to do, which
// is never what is cut off.
func annotation(f Finding, s Style) string {
	what := line(f.Message) + "\n" + line(f.Why)
	if also := alsoAt(f); also != "" {
		what += "\n" + also
	}
	do := ""
	switch {
	case f.Fix != nil:
		do = "\nfix: " + line(f.Fix.Description) + " (" + line(s.repair(f)) + ")"
	case f.help() != "":
		do = "\nhelp: " + line(f.help())
	}
	if waive := f.waiver(); waive != "" {
		do += "\nThe gate waits for a maintainer's `" + line(waive) + "`"
	}
	page := "\n" + RulePage(f.Rule)
	do = string(untrusted.Text(do).Cut(annotationLimit / 2))
	return string(untrusted.Text(what).Cut(annotationLimit-len(do)-len(page))) + do + page
}

// errWriter keeps the first error of a writer whose caller drops it.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) Write(p []byte) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	n, err := e.w.Write(p)
	e.err = err
	return n, err
}

// Markdown renders a report for a comment or a step summary.
func Markdown(r *Report, s Style) string {
	var b strings.Builder
	b.WriteString("### tilegate review\n\n" + r.Sentence() + "\n")
	header := false
	var waivers []string
	for _, f := range r.Findings {
		if !f.New && !s.All {
			continue
		}
		if !header {
			b.WriteString("\n| severity | rule | place | finding |\n|---|---|---|---|\n")
			header = true
		}
		text := cell(untrusted.Text(f.Message).Prose())
		if also := alsoAt(f); also != "" {
			text += "<br>" + also
		}
		if f.Fix != nil {
			text += fmt.Sprintf("<br>fix: %s (%s)", cell(untrusted.Text(f.Fix.Description).Prose()), cell(untrusted.Text(s.repair(f)).Code()))
		} else if f.help() != "" {
			text += "<br>help: " + cell(untrusted.Text(f.help()).Prose())
		}
		fmt.Fprintf(&b, "| %s%s | [%s](%s) | %s | %s |\n", f.Severity, older(f), f.Rule, RulePage(f.Rule), cell(place(f.Path, f.Line)), text)
		if waive := f.waiver(); waive != "" && !slices.Contains(waivers, waive) {
			waivers = append(waivers, waive)
		}
	}
	if len(waivers) > 0 {
		b.WriteString("\nThe gate waits for a maintainer, who accepts what the change does to the tests:\n\n")
	}
	for _, w := range waivers {
		fmt.Fprintf(&b, "- %s\n", untrusted.Text(w).Code())
	}
	accepting, idle := r.comments(s)
	if len(accepting) > 0 {
		b.WriteString("\nComments in the source that accept findings:\n\n")
	}
	for _, p := range accepting {
		fmt.Fprintf(&b, "- %s %s: %s\n", strings.Join(p.Rules, ", "), place(p.Path, p.Line), untrusted.Text(p.Reason).Prose())
		for _, f := range p.Findings {
			fmt.Fprintf(&b, "  - accepts %s %s%s at %s: %s", f.Severity, f.Rule, older(f.Finding), place(f.Path, f.Line), strings.ReplaceAll(untrusted.Text(f.Message).Prose(), "\n", " "))
			if also := alsoAt(f.Finding); also != "" {
				b.WriteString(", " + also)
			}
			b.WriteByte('\n')
		}
	}
	if len(idle) > 0 {
		b.WriteString("\nSuppression problems:\n\n")
	}
	for _, p := range idle {
		fmt.Fprintf(&b, "- %s: %s%s\n", place(p.Path, p.Line), acceptsNothing, untrusted.Text(p.Problem).Prose())
	}
	if len(r.Summary.Unread) > 0 {
		b.WriteString("\nNot reviewed:\n\n")
		for _, u := range r.Summary.Unread {
			fmt.Fprintf(&b, "- %s: %s\n", untrusted.Text(u.Place()).Code(), untrusted.Text(u.Beside()+". "+u.help()).Prose())
		}
	}
	return b.String()
}

// place is a line of a file as code.
func place(path string, line int) string {
	return untrusted.Text(fmt.Sprintf("%s:%d", path, line)).Code()
}

// cell keeps a rendered text inside one table cell.
func cell(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\n", " "), "|", `\|`)
}
