package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// Suppression is a comment that accepts findings of some rules at its place:
//
//	// tilegate: allow(R45) the tail is masked by the caller
//	x = x.contiguous()  # tilegate: allow(R41) one element
//
// It holds for findings that start on the line that it stands on, or, alone on
// a line, on the next line of code. A reason is mandatory. One with a Problem accepts nothing.
type Suppression struct {
	Path   string   `json:"path"`
	Line   int      `json:"line"`
	Rules  []string `json:"rules"`
	Reason string   `json:"reason"`
	// Used says that a finding was accepted.
	Used bool `json:"used"`
	// New says that the base has no such comment in this file.
	New bool `json:"new"`
	// Problem says why it accepts nothing, or that it is not needed.
	Problem string `json:"problem,omitempty"`

	target int // line that it holds for
}

const suppressionPrefix = "tilegate:"

// suppressions reads the comments of every file that was reviewed.
func suppressions(t *tree.Tree, list []*rules.Rule) []*Suppression {
	var out []*Suppression
	for _, f := range t.Read() {
		for _, c := range comments(f) {
			if s := parseSuppression(c.text, list); s != nil {
				s.Path, s.Line, s.target = f.Path, c.line, c.target
				out = append(out, s)
			}
		}
	}
	return out
}

type comment struct {
	text         string
	line, target int
}

// comments lists the plain line comments of a file that may be suppressions. In
// a file without a tree only those alone on a line count.
func comments(f *syntax.File) []comment {
	var out []comment
	// Behind the lines from on stands code at to, or none when that is 0. A row of
	// comments is walked through once.
	from, to := 0, 0
	target := func(n int) int {
		if from == 0 || n < from || to != 0 && n >= to {
			from, to = n, nextCode(f, n)
		}
		return to
	}
	add := func(text string, line, column int) {
		text = strings.TrimSpace(strings.TrimLeft(text, "/#"))
		if !strings.HasPrefix(text, suppressionPrefix) {
			return
		}
		c := comment{text, line, line}
		if strings.TrimSpace(f.Line(line)[:column-1]) == "" {
			c.target = target(line)
		}
		out = append(out, c)
	}
	if !f.Root().Valid() {
		for n := 1; n <= f.LineCount(); n++ {
			if t := strings.TrimSpace(f.Line(n)); strings.HasPrefix(t, "#") {
				add(t, n, strings.Index(f.Line(n), "#")+1)
			}
		}
		return out
	}
	for _, kind := range []string{"line_comment", "comment"} {
		for _, n := range f.Root().Find(kind) {
			if t := n.Text(); !strings.HasPrefix(t, "///") && !strings.HasPrefix(t, "//!") && !strings.HasPrefix(t, "/*") {
				add(t, n.Pos().Line, n.Pos().Column)
			}
		}
	}
	return out
}

// nextCode is the first line after n that is neither empty nor a line comment.
func nextCode(f *syntax.File, n int) int {
	for n++; n <= f.LineCount(); n++ {
		t := strings.TrimSpace(f.Line(n))
		if t != "" && !strings.HasPrefix(t, "//") && !strings.HasPrefix(t, "#") || strings.HasPrefix(t, "#[") {
			return n
		}
	}
	return 0
}

// parseSuppression reads "tilegate: allow(R1, R2) reason"; nil when the comment
// is something else.
func parseSuppression(text string, list []*rules.Rule) *Suppression {
	rest := strings.TrimSpace(strings.TrimPrefix(text, suppressionPrefix))
	s := &Suppression{Rules: []string{}}
	args, ok := strings.CutPrefix(rest, "allow(")
	ids, reason, closed := strings.Cut(args, ")")
	if !ok || !closed {
		s.Problem = "expected `tilegate: allow(R45) reason`"
		return s
	}
	s.Reason = strings.TrimSpace(reason)
	for id := range strings.SplitSeq(ids, ",") {
		want, ok := rules.ParseID(id)
		if !ok || !slices.ContainsFunc(list, func(r *rules.Rule) bool { return r.ID == want }) {
			s.Problem = fmt.Sprintf("no rule %q", strings.TrimSpace(id))
			return s
		}
		if strings.HasPrefix(want, "T") {
			s.Problem = fmt.Sprintf("%s is about the tests that judge the change: only a maintainer accepts it, with `/tilegym waive`", want)
			return s
		}
		s.Rules = append(s.Rules, want)
	}
	if len(strings.FieldsFunc(s.Reason, func(r rune) bool { return strings.ContainsRune(" .,;:-–—", r) })) == 0 {
		s.Problem = "expected a reason after the parenthesis"
	}
	return s
}

// suppress parts the hits into those that are left and those that a suppression
// accepts, and marks those used. A suppression of a rule that ran and accepted
// nothing is not needed.
func suppress(hits []hit, all []*Suppression, ran []*rules.Rule) (left, accepted []hit) {
	type place struct {
		path string
		line int
		rule string
	}
	at := map[place]*Suppression{}
	for _, s := range all {
		if s.Problem != "" {
			continue
		}
		for _, id := range s.Rules {
			at[place{s.Path, s.target, id}] = s
		}
	}
	left = hits[:0]
	for _, h := range hits {
		s := at[place{h.File.Path, h.File.Position(h.Span.Start).Line, h.rule.ID}]
		if s == nil {
			left = append(left, h)
			continue
		}
		s.Used, h.by = true, s
		accepted = append(accepted, h)
	}
	for _, s := range all {
		complete := !slices.ContainsFunc(s.Rules, func(id string) bool {
			return !slices.ContainsFunc(ran, func(r *rules.Rule) bool { return r.ID == id })
		})
		if s.Problem == "" && !s.Used && complete {
			s.Problem = "not needed: nothing of " + strings.Join(s.Rules, ", ") + " is found here"
		}
	}
	return left, accepted
}

// markNew marks the suppressions whose file did not have them at the base.
func markNew(head, base []*Suppression) {
	type key struct{ path, rules, reason string }
	count := map[key]int{}
	for _, s := range base {
		count[key{s.Path, strings.Join(s.Rules, ","), s.Reason}]++
	}
	for _, s := range head {
		k := key{s.Path, strings.Join(s.Rules, ","), s.Reason}
		if s.New = count[k] == 0; !s.New {
			count[k]--
		}
	}
}
