package review

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/review/finding"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/words"
)

// Schema is the identifier of the JSON form of a Report.
const Schema = "tilegate.review/v1"

// Severity is how much a finding weighs.
type Severity = finding.Severity

// The severities from heavy to light.
const (
	Error   = finding.Error
	Warning = finding.Warning
	Note    = finding.Note
)

// Report is the outcome of a static review; its JSON form is a fixed contract.
type Report struct {
	Schema   string    `json:"schema"`
	Tool     Tool      `json:"tool"`
	Summary  Summary   `json:"summary"`
	Findings []Finding `json:"findings"`
	// Accepted are those that comments in the source accept.
	Accepted []Accepted `json:"accepted,omitempty"`
	// Compared says that there was a base.
	Compared bool `json:"-"`
}

// Accepted is a finding that a comment in the source accepts, with the reason and the
// line of the comment, which stands in the same file.
type Accepted struct {
	Finding
	Reason      string `json:"reason"`
	CommentLine int    `json:"comment_line"`
}

// Tool names the program that made the report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Summary counts what was found and what could not be read. A report with
// unread files or without a kernel is never clean.
type Summary struct {
	// Error, Warning and Note count all findings, those that the base has too.
	Error   int `json:"error"`
	Warning int `json:"warning"`
	Note    int `json:"note"`
	// New counts the new ones among them, which are all when no base was given.
	New     Counts   `json:"new"`
	Files   int      `json:"files"`
	Kernels []string `json:"kernels"`
	Unread  []Unread `json:"unread"`
	// Suppressions lists the comments that accept findings, and those that are
	// wrong or not needed.
	Suppressions []Suppression `json:"suppressions,omitempty"`
}

// Counts counts findings by their severity.
type Counts struct {
	Error   int `json:"error"`
	Warning int `json:"warning"`
	Note    int `json:"note"`
}

func (c *Counts) add(s Severity) {
	switch s {
	case Error:
		c.Error++
	case Warning:
		c.Warning++
	case Note:
		c.Note++
	}
}

func (c Counts) sum() int { return c.Error + c.Warning + c.Note }

// Unread is a file that could not be reviewed, and why.
type Unread struct {
	Path string `json:"path"`
	Why  string `json:"why"`
	// At is the place that Why tells: line and column are 0 where they are not
	// known.
	At syntax.Pos `json:"-"`
}

// Place is the file with the position, as far as it is known.
func (u Unread) Place() string {
	switch {
	case u.At.Column > 0:
		return fmt.Sprintf("%s:%d:%d", u.Path, u.At.Line, u.At.Column)
	case u.At.Line > 0:
		return fmt.Sprintf("%s:%d", u.Path, u.At.Line)
	}
	return u.Path
}

// Beside is Why without the line and column that the place beside it tells.
func (u Unread) Beside() string {
	if u.At.Column == 0 {
		return u.Why
	}
	return strings.TrimSuffix(u.Why, fmt.Sprintf(" at line %d, column %d", u.At.Line, u.At.Column))
}

// help is what to do about an unread file.
func (u Unread) help() string {
	begins := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(u.Why, w) })
	}
	switch {
	case begins("syntax error", "missing ") && path.Ext(u.Path) == ".rs":
		return "Correct it there; " + words.Code("rustfmt --check "+words.Shell(u.Path)) + " names what the compiler stumbles over. Nothing is known of the file until then."
	case begins("syntax error", "missing ") && path.Ext(u.Path) == ".py":
		return "Correct it there; " + words.Code("python -m py_compile "+words.Shell(u.Path)) + " names what Python stumbles over. Nothing is known of the file until then."
	case begins("NUL byte", "not UTF-8"):
		return "Save the file as UTF-8 text without NUL bytes."
	}
	return "Of what was not read nothing is known until what is said here is mended."
}

// Finding is one violation. Path is relative to the reviewed root with '/'.
// Lines and columns start at 1, columns count bytes, and EndColumn is the
// column after the last byte. All text may quote the reviewed source and is
// therefore untrusted.
type Finding struct {
	Rule        string   `json:"rule"`
	Severity    Severity `json:"severity"`
	Path        string   `json:"path"`
	Line        int      `json:"line"`
	EndLine     int      `json:"end_line"`
	Column      int      `json:"column"`
	EndColumn   int      `json:"end_column"`
	Kernel      string   `json:"kernel,omitempty"`
	Title       string   `json:"title"`
	Message     string   `json:"message"`
	Why         string   `json:"why"`
	AlsoAt      []int    `json:"also_at,omitempty"`
	Fix         *Fix     `json:"fix,omitempty"`
	Triage      []string `json:"triage,omitempty"`
	Fingerprint string   `json:"fingerprint"`
	New         bool     `json:"new"`
	// Waits says that the gate waits for a maintainer's waiver because of the finding.
	Waits bool `json:"waits,omitempty"`
}

// Fix is a safe change that removes the finding.
type Fix struct {
	Description string `json:"description"`
	Edits       []Edit `json:"edits"`
	// Command applies it in the checkout that was reviewed; known where a report is
	// printed.
	Command string `json:"command,omitempty"`
}

// Edit replaces the whole lines StartLine..EndLine (1-based, inclusive) of the
// finding's file by Text, which has no trailing line end.
type Edit struct {
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	Text      string `json:"text"`
}

// Reaches reports whether a new finding, or any finding when no base was
// given, is at least as heavy as the limit.
func (r *Report) Reaches(limit Severity) bool {
	for _, f := range r.Findings {
		if f.New && f.Severity.Rank() >= limit.Rank() {
			return true
		}
	}
	return false
}
