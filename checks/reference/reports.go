package reference

import (
	"path"
	"regexp"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// Report is a report that a porting pipeline left beside a kernel: Markdown,
// read line by line.
type Report struct {
	File *syntax.File
	// Lines are those of the text, Code those inside of fenced code.
	Lines []Line
	// Verdict is the word after VERDICT: and where it stands; empty when there
	// is none.
	Verdict   string
	VerdictAt syntax.Span
	// BOnly is where the report declares a run of the compile stage alone.
	BOnly syntax.Span
}

// Line is a line of a report.
type Line struct {
	Text string
	Span syntax.Span
	Code bool // inside of fenced code, the fences included
	// Fence is the language of a fence that opens on this line.
	Fence string
}

var (
	verdict = regexp.MustCompile(`^\W*VERDICT:\W*([A-Z_]+)`)
	bOnly   = regexp.MustCompile(`(?i)\bB[-_ ]only\b`)
)

// StageReport finds the report of a stage (a to f) of a kernel; nil when there
// is none or when it is unreadable.
func StageReport(t *tree.Tree, k *tree.Kernel, stage string) *Report {
	for _, dir := range []string{"reports", "reports/agent_logs"} {
		if r := ReadReport(t, path.Join(k.Dir, dir, "agent_"+stage+".md")); r != nil {
			return r
		}
	}
	return nil
}

// ReadReport reads one report; nil when it does not exist, is unreadable or
// empty.
func ReadReport(t *tree.Tree, p string) *Report {
	if !t.Exists(p) {
		return nil
	}
	f := t.File(p)
	if f.Unread != "" || len(strings.TrimSpace(string(f.Src))) == 0 {
		return nil
	}
	r := &Report{File: f}
	fence := ""
	for i := 1; i <= f.LineCount(); i++ {
		text := f.Line(i)
		l := Line{Text: text, Span: syntax.Span{Start: f.LineStart(i), End: f.LineStart(i) + len(text)}}
		trimmed := strings.TrimSpace(text)
		switch {
		case fence == "" && (strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")):
			fence = trimmed[:3]
			l.Code, l.Fence = true, strings.ToLower(strings.TrimLeft(trimmed, "`~ "))
		case fence != "":
			l.Code = true
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		default:
			if m := verdict.FindStringSubmatch(text); m != nil && r.Verdict == "" {
				r.Verdict, r.VerdictAt = m[1], l.Span
			}
			if at := bOnly.FindStringIndex(text); at != nil && r.BOnly == (syntax.Span{}) {
				r.BOnly = l.Span
			}
		}
		r.Lines = append(r.Lines, l)
	}
	return r
}

// Succeeded reports whether the report's verdict is a success.
func (r *Report) Succeeded() bool {
	switch r.Verdict {
	case "PASS", "COMPILED", "ALL_PASS", "DONE":
		return true
	}
	return false
}

// Reports lists the readable reports beside a kernel, by path.
func Reports(t *tree.Tree, k *tree.Kernel) []*Report {
	var out []*Report
	for _, p := range t.Files(path.Join(k.Dir, "reports"), func(p string) bool { return path.Ext(p) == ".md" }) {
		if r := ReadReport(t, p); r != nil {
			out = append(out, r)
		}
	}
	return out
}

// Run is a command in fenced code of a report and what it printed.
type Run struct {
	Command Line
	Output  []Line
}

// Runs lists the commands of a report that contain a text, each with the lines
// up to the next command or the end of the fence. A command is the first line
// of a fence or one behind a dollar sign.
func (r *Report) Runs(contains string) []Run {
	var out []Run
	open, first := false, false
	for _, l := range r.Lines {
		text := strings.TrimSpace(l.Text)
		switch {
		case !l.Code || strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~"):
			open, first = false, l.Code
		case first || strings.HasPrefix(text, "$ "):
			open, first = strings.Contains(text, contains), false
			if open {
				out = append(out, Run{Command: l})
			}
		case open:
			out[len(out)-1].Output = append(out[len(out)-1].Output, l)
		}
	}
	return out
}

// Log reads a log beside a kernel or beside its reports; nil when there is none.
func Log(t *tree.Tree, k *tree.Kernel, name string) *syntax.File {
	for _, p := range []string{path.Join(k.Dir, name), path.Join(k.Dir, "reports", name)} {
		if f := present(t, p); f != nil {
			return f
		}
	}
	return nil
}
