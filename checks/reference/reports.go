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
