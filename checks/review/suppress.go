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
// a line, on the next line of code, and in the statement that begins on that line,
// without the blocks in it. Attributes and decorators belong to what they stand
// before, and a string of several lines to its statement. A reason is
// mandatory. One with a Problem accepts nothing. A comment that accepts findings of
// some of its rules only is two of these: one for those, one for the others.
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

	file   *syntax.File
	target int             // line that it holds for
	took   map[string]bool // rules of findings that it accepted
	idle   []string        // its rules that ran and found nothing that it could accept
}

const (
	suppressionName = "tilegate"
	suppressionForm = "`tilegate: allow(R45) reason`"
)

// suppressions reads the comments of every file that was reviewed.
func suppressions(t *tree.Tree, list []*rules.Rule) []*Suppression {
	var out []*Suppression
	for _, f := range t.Read() {
		for _, c := range comments(f) {
			s := parseSuppression(c.text, list)
			s.Path, s.Line, s.file, s.target = f.Path, c.line, f, c.target
			if c.documents {
				s.Problem = "it is documentation: expected a plain comment, " + suppressionForm
			}
			out = append(out, s)
		}
	}
	return out
}

type comment struct {
	text         string
	line, target int
	documents    bool // a comment of documentation
}

// comments lists the comments of a file that may be suppressions. In a file without
// a tree only those that begin with # count.
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
	add := func(text string, offset int) {
		content, documents := uncomment(text)
		if !isSuppression(content, documents) {
			return
		}
		start, end := f.Position(offset), f.Position(offset+len(text))
		c := comment{content, start.Line, start.Line, documents}
		if strings.TrimSpace(f.Line(start.Line)[:start.Column-1]) == "" {
			c.target = end.Line
			if strings.TrimSpace(f.Line(end.Line)[end.Column-1:]) == "" {
				c.target = target(end.Line)
			}
		}
		out = append(out, c)
	}
	if !f.Root().Valid() {
		for n := 1; n <= f.LineCount(); n++ {
			if at := hash(f.Line(n)); at >= 0 {
				add(strings.TrimRight(f.Line(n)[at:], " \t"), f.LineStart(n)+at)
			}
		}
		return out
	}
	for _, kind := range []string{"line_comment", "block_comment", "comment"} {
		for _, n := range f.Root().Find(kind) {
			// Documentation has its line end in it.
			add(strings.TrimRight(n.Text(), "\r\n"), n.Span().Start)
		}
	}
	slices.SortStableFunc(out, func(a, b comment) int { return a.line - b.line })
	return out
}

// hash is where the comment of a line of TOML or YAML begins: at a # that begins the
// line or stands behind a blank, outside of quotes; -1 without one.
func hash(line string) int {
	quote, previous := byte(0), byte(' ')
	for i := 0; i < len(line); i++ {
		c := line[i]
		blank := previous == ' ' || previous == '\t'
		switch {
		case quote == '"' && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '#' && blank:
			return i
		case (c == '"' || c == '\'') && (blank || strings.IndexByte("=[{(,:", previous) >= 0):
			quote = c
		}
		previous = c
	}
	return -1
}

// uncomment is what a comment says, and whether it is one of documentation.
func uncomment(text string) (content string, documents bool) {
	if body, ok := strings.CutPrefix(text, "/*"); ok {
		body = strings.TrimSuffix(body, "*/")
		documents = strings.HasPrefix(body, "!") || strings.HasPrefix(body, "*") && !strings.HasPrefix(body, "**")
		return strings.Join(strings.Fields(strings.TrimLeft(body, "*! \t\r\n")), " "), documents
	}
	documents = strings.HasPrefix(text, "//!") || strings.HasPrefix(text, "///") && !strings.HasPrefix(text, "////")
	if documents {
		text = text[3:]
	}
	return strings.TrimSpace(strings.TrimLeft(text, "/#")), documents
}

// isSuppression reports whether a comment is meant to accept something. In
// documentation, in other case or without the colon it says so when the next word
// does.
func isSuppression(text string, documents bool) bool {
	if !documents && strings.HasPrefix(text, suppressionName+":") {
		return true
	}
	if len(text) < len(suppressionName) || !strings.EqualFold(text[:len(suppressionName)], suppressionName) {
		return false
	}
	rest := strings.TrimPrefix(strings.TrimSpace(text[len(suppressionName):]), ":")
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(rest)), "allow(")
}

// nextCode is the first line after n that is neither empty nor only a comment.
func nextCode(f *syntax.File, n int) int {
	depth := 0 // of comments inside each other that go on
	for n++; n <= f.LineCount(); n++ {
		t := strings.TrimSpace(f.Line(n))
		if f.Lang == syntax.Rust {
			t, depth = afterComments(t, depth)
		}
		if t != "" && !strings.HasPrefix(t, "//") && !strings.HasPrefix(t, "#") || strings.HasPrefix(t, "#[") {
			return n
		}
	}
	return 0
}

// afterComments is the rest of a line of Rust behind the block comments that it begins
// with, and how many of them are open at its end. depth are open at its beginning.
func afterComments(line string, depth int) (rest string, open int) {
	for i := 0; i < len(line); {
		switch {
		case strings.HasPrefix(line[i:], "/*"):
			depth++
			i += 2
		case depth == 0 && line[i] != ' ' && line[i] != '\t':
			return line[i:], 0
		case depth > 0 && strings.HasPrefix(line[i:], "*/"):
			depth--
			i += 2
		default:
			i++
		}
	}
	return "", depth
}

// parseSuppression reads "tilegate: allow(R1, R2) reason".
func parseSuppression(text string, list []*rules.Rule) *Suppression {
	s := &Suppression{Rules: []string{}}
	rest, colon := strings.CutPrefix(strings.TrimSpace(text[len(suppressionName):]), ":")
	args, ok := strings.CutPrefix(strings.TrimSpace(rest), "allow(")
	ids, reason, closed := strings.Cut(args, ")")
	if !colon || !ok || !closed {
		s.Problem = "expected " + suppressionForm
		return s
	}
	s.Reason = cutSeparator(reason)
	for id := range strings.SplitSeq(ids, ",") {
		want, ok := rules.ParseID(id)
		if !ok || !slices.ContainsFunc(list, func(r *rules.Rule) bool { return r.ID == want }) {
			s.Problem = fmt.Sprintf("no rule %q", strings.TrimSpace(id))
			return s
		}
		if rules.OnTests(want) {
			s.Problem = fmt.Sprintf("%s is about the tests that judge the change: only a maintainer accepts it, with `/tilegym waive`", want)
			return s
		}
		if !slices.Contains(s.Rules, want) {
			s.Rules = append(s.Rules, want)
		}
	}
	if len(strings.FieldsFunc(s.Reason, func(r rune) bool { return strings.ContainsRune(" .,;:-–—", r) })) == 0 {
		s.Problem = "expected a reason after the parenthesis"
	}
	return s
}

// cutSeparator takes away what only separates a reason from the parenthesis: a
// colon, or dashes that a blank follows.
func cutSeparator(reason string) string {
	reason = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(reason), ":"))
	if rest := strings.TrimLeft(reason, "-–—"); rest == "" || strings.HasPrefix(rest, " ") {
		return strings.TrimSpace(rest)
	}
	return reason
}

// suppress parts the hits into those that are left and those that a suppression
// accepts, and marks those used. A suppression of a rule that saw everything and of
// which it accepted nothing is not needed.
func suppress(hits []hit, all []*Suppression, saw []*rules.Rule) (left, accepted []hit) {
	at := newAcceptance(all)
	left = hits[:0]
	for _, h := range hits {
		s := at.of(h)
		if s == nil {
			left = append(left, h)
			continue
		}
		s.Used, h.by = true, s
		if s.took == nil {
			s.took = map[string]bool{}
		}
		s.took[h.rule.ID] = true
		accepted = append(accepted, h)
	}
	for _, s := range all {
		if s.Problem != "" {
			continue
		}
		for _, id := range s.Rules {
			if !s.took[id] && slices.ContainsFunc(saw, func(r *rules.Rule) bool { return r.ID == id }) {
				s.idle = append(s.idle, id)
			}
		}
		if len(s.idle) == len(s.Rules) {
			s.Problem, s.idle = notNeeded(s.idle), nil
		}
	}
	return left, accepted
}

// sawAll are those of the rules that would have reported all that they can say of
// the tree as it is. What only some kernels or an unread file hold is not known, and
// what a rule says of a change it says of that change only: the comment that accepts
// it stays in the source when the base has the change, too.
func sawAll(active []*rules.Rule, t *tree.Tree, kernels []*tree.Kernel) []*rules.Rule {
	unread := func(f *syntax.File) bool { return f.Unread != "" }
	if len(kernels) < len(t.Kernels) || slices.ContainsFunc(t.Read(), unread) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(active), (*rules.Rule).Compares)
}

func notNeeded(ids []string) string {
	return "not needed: nothing of " + strings.Join(ids, ", ") + " is found here"
}

// parts is the suppression as it is reported: apart from those of its rules of which
// it accepted nothing.
func (s *Suppression) parts() []Suppression {
	if len(s.idle) == 0 {
		return []Suppression{*s}
	}
	used, idle := *s, *s
	used.Rules = []string{}
	for _, id := range s.Rules {
		if !slices.Contains(s.idle, id) {
			used.Rules = append(used.Rules, id)
		}
	}
	idle.Rules, idle.Used, idle.Problem = s.idle, false, notNeeded(s.idle)
	return []Suppression{used, idle}
}

// spot is a line of a file for which findings of a rule may be accepted.
type spot struct {
	path string
	line int
	rule string
}

type ruleIn struct{ path, rule string }

// acceptance finds the suppression that accepts a hit.
type acceptance struct {
	by      map[spot]*Suppression
	files   map[string]*syntax.File
	rules   map[ruleIn]bool
	strings map[string][]syntax.Node // of several lines, by file, in order
	heads   map[syntax.Node][]int    // lines of attributes, by item
}

func newAcceptance(all []*Suppression) *acceptance {
	a := &acceptance{map[spot]*Suppression{}, map[string]*syntax.File{}, map[ruleIn]bool{}, map[string][]syntax.Node{}, map[syntax.Node][]int{}}
	for _, s := range all {
		if s.Problem != "" {
			continue
		}
		a.files[s.Path] = s.file
		for _, id := range s.Rules {
			a.by[spot{s.Path, s.target, id}] = s
			a.rules[ruleIn{s.Path, id}] = true
		}
	}
	return a
}

// of is the suppression of a hit: of its own line, else of the lines that it belongs
// to, the nearest first.
func (a *acceptance) of(h hit) *Suppression {
	path, id := h.File.Path, h.rule.ID
	if !a.rules[ruleIn{path, id}] {
		return nil
	}
	line := h.File.Position(h.Span.Start).Line
	if s := a.by[spot{path, line, id}]; s != nil {
		return s
	}
	for _, lines := range [][]int{a.aroundString(path, h.Span.Start), a.above(h.Node(), line), statement(h.Node())} {
		for _, n := range lines {
			if s := a.by[spot{path, n, id}]; s != nil {
				return s
			}
		}
	}
	return nil
}

// aroundString are the first lines of the string of several lines that holds a
// place, in which no comment can stand, and of its statement.
func (a *acceptance) aroundString(path string, offset int) []int {
	all, ok := a.strings[path]
	if !ok {
		all = longStrings(a.files[path])
		a.strings[path] = all
	}
	i, _ := slices.BinarySearchFunc(all, offset, func(n syntax.Node, at int) int { return n.Span().Start - at })
	if i == 0 || offset >= all[i-1].Span().End {
		return nil
	}
	at := all[i-1]
	lines := []int{at.Pos().Line}
	for at.Parent().Valid() && !at.Parent().Is("module", "block", "source_file", "declaration_list") {
		at = at.Parent()
	}
	return append(lines, at.Pos().Line)
}

// statement is the first line of the statement that holds a place outside of the
// blocks in it, and of an item its head.
func statement(n syntax.Node) []int {
	if !n.Valid() || n.File().Lang == syntax.C {
		return nil
	}
	for {
		switch p := n.Parent(); {
		case !p.Valid() || p.Is("token_tree"):
			return nil // no statement, or a part of a macro
		case p.Is("block") && p.Parent().Is("type_arguments"): // a constant, such as a shape
			n = p
		case p.Is("module", "block", "source_file", "declaration_list", "match_block"):
			return []int{n.Pos().Line}
		default:
			n = p
		}
	}
}

// longStrings lists the strings of a file that have several lines.
func longStrings(f *syntax.File) []syntax.Node {
	all := f.Root().Find("string", "string_literal", "raw_string_literal")
	slices.SortFunc(all, func(a, b syntax.Node) int { return a.Span().Start - b.Span().Start })
	out := []syntax.Node{}
	for _, n := range all {
		inner := len(out) > 0 && n.Span().Start < out[len(out)-1].Span().End
		if !inner && n.Pos().Line != n.EndPos().Line {
			out = append(out, n)
		}
	}
	return out
}

// maxAbove bounds how many attributes above a place are looked at.
const maxAbove = 64

// above are the lines of the attributes or decorators before the item that begins
// on a place's line, or of those up to the one that holds the place; nearest first.
func (a *acceptance) above(n syntax.Node, line int) []int {
	if !n.Valid() || n.File().Lang == syntax.C {
		return nil
	}
	start := n.File().LineStart(line)
	item := n
	for p := n; p.Parent().Valid(); p = p.Parent() {
		if p.Is("attribute_item", "decorator") || p.Span().Start >= start {
			item = p
		}
	}
	lines, ok := a.heads[item]
	if !ok {
		lines = heads(item)
		a.heads[item] = lines
	}
	return lines
}

// heads are the lines of the attributes or decorators before an item, or up to one
// of them; nearest first.
func heads(item syntax.Node) []int {
	var before []syntax.Node
	if p := item.Parent(); p.Is("decorated_definition") {
		for c := range p.Children() {
			if c == item {
				break
			}
			before = append(before, c)
		}
	} else {
		before = item.Attributes()
	}
	if item.Is("attribute_item", "decorator") {
		before = append(before, item)
	}
	var lines []int
	for _, b := range slices.Backward(before[max(len(before)-maxAbove, 0):]) {
		lines = append(lines, b.Pos().Line)
	}
	return lines
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
