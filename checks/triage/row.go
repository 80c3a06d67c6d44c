package triage

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// Stage is the part of a job whose log holds a signature.
type Stage string

// The stages in the order in which they are matched: a fault in an earlier
// stage explains one in a later stage.
const (
	Build       Stage = "build"
	Import      Stage = "import"
	JIT         Stage = "jit"
	Runtime     Stage = "runtime"
	Correctness Stage = "correctness"
	Perf        Stage = "perf"
	Process     Stage = "process"
)

// Stages lists all stages in matching order.
var Stages = []Stage{Build, Import, JIT, Runtime, Correctness, Perf, Process}

// Class says whose fault a signature is.
type Class string

// The classes. Env is a host that lacks something, Infra a host or service that
// failed; neither blames the change.
const (
	Kernel    Class = "kernel"
	Host      Class = "host"
	Test      Class = "test"
	Env       Class = "env"
	Infra     Class = "infra"
	InProcess Class = "process"
)

// Source says which program's wording the patterns were checked against.
type Source string

// The sources of wording.
const (
	Rustc    Source = "rustc and cargo"
	Compiler Source = "cutile compiler 0.2.0"
	Device   Source = "cutile runtime 0.2.0"
	TileGym  Source = "TileGym Python"
	Rulebook Source = "rulebook only"
	Platform Source = "pytest, torch, driver, CI"
)

// Rank orders signatures before their stages do.
type Rank int

// The ranks, the first reported first.
const (
	Root     Rank = iota - 1 // explains whatever else is in the log: a lost host, broken hardware
	Specific                 // names a cause
	Weak                     // a consequence, or says little by itself
	General                  // a consequence of many causes: that something failed, not what
	survived                 // did not end the job: a warning, or a step that passed
	skipped                  // the reason of a test that was skipped
)

// Row is one signature. A row with patterns is a log row; one with a Compare
// function reads a printed tensor comparison; one with Expect judges a whole
// report file by its name; one with Records is decided from test records. A row
// may have patterns too beside Compare or Records.
type Row struct {
	ID    string // stable, never renumbered
	Stage Stage
	Class Class
	Also  Class // second class where both are possible
	Rules []string
	Title string
	Steps []string // what to try, in order
	From  Source
	Rank  Rank

	Any     []Pattern             // alternatives
	Compare func(Comparison) bool // over each printed comparison
	File    string                // base name (RE2) that Expect is about
	Expect  []Expect              // the row matches when one is violated
	// Records decides from the cases and times of a run; nil when it does not
	// match.
	Records func(Run) *Seen
	Context string // RE2 of a nearby line that is quoted too
	// ContextAfter says that only a line after the hit is its context.
	ContextAfter bool
	// Alone is the class when other tests of the same run pass; "" when that makes
	// no difference.
	Alone Class
	// Passing rows also count in what a test printed that passed.
	Passing bool
	// Over are signatures that say the same less precisely: they are left out when the
	// row matched.
	Over []string
	// LastResort rows are left out when a signature that tells of a cause matched.
	LastResort bool
	// With are signatures that the row explains, or failedCase: it is left out when
	// none of them matched. By itself its line is harmless.
	With []string
	// State says that the row's lines tell how a machine is, which holds on: a step
	// that passed may print them.
	State bool
	// Only is the data type of the cases that the row is about: it is left out when a
	// case of another type failed.
	Only string
	// ByPlace says that the file in the context decides the class.
	ByPlace bool

	Example  string // a log in which the row is the best match
	NearMiss string // a log that looks alike and must not match the row
}

// Pattern matches one line, or one line with another one near it. Lines are
// matched after terminal escapes and CI timestamps are gone. Lines that quote
// source code are never matched by Line.
type Pattern struct {
	Line string
	Not  string // a line that matches this as well does not count
	Near string // needed on the same line or within Within lines
	// Within counts lines before and after. 0 means the rest of the same compiler
	// diagnostic, where quoted source counts.
	Within int
	Class  Class // replaces the row's classes when this alternative matched
	Also   Class
	Rank   Rank // replaces the row's rank unless it is 0
	// Distinct counts values of Line's first group: the pattern matches with the
	// Distinct-th one. 0 and 1 mean the first line.
	Distinct int
	// Fatal says that a warning does not count.
	Fatal bool
	// Warned is the rank of a warning unless it is 0: some programs warn of what makes
	// others fail.
	Warned Rank
	// With replaces the row's With for this alternative.
	With []string
}

// Expect is a demand on a whole file: a number of lines that match Line, if any
// line matches When (empty: always).
type Expect struct {
	When, Line string
	Min, Max   int // Max 0 means no upper limit
}

// failedCase stands in With for any test case that failed.
const failedCase = "a failed case"

// tables are the rows of all stages in matching order.
var tables = slices.Concat(buildRows, importRows, jitRows, runtimeRows, correctnessRows, perfRows, processRows)

// Rows lists all signatures in matching order.
func Rows() []Row { return slices.Clone(tables) }

// JudgedFiles names the files that signatures judge as a whole, as a user would write
// the names.
func JudgedFiles() []string {
	var all []string
	for _, r := range tables {
		if len(r.Expect) > 0 {
			all = append(all, r.FileName())
		}
	}
	slices.Sort(all)
	return all
}

// FileName is the name of the file that a row judges as a whole, as a user would write
// it; "" for a row that judges none.
func (r Row) FileName() string {
	if r.File == "" {
		return ""
	}
	return strings.NewReplacer("^", "", "$", "", `\`, "").Replace(r.File)
}

// FromRecords reports whether the row is decided from test records, not from
// log text.
func (r Row) FromRecords() bool { return r.Records != nil }

// matcher is a regular expression behind a cheap test: a line without the literals
// that every match has cannot match.
type matcher struct {
	re       *regexp.Regexp
	literals []string // every match contains one of them; nil when there are none
	need     *need    // nil when nothing is needed
	exact    bool     // it matches what holds one of literals, and nothing else
	probe    int      // its number among the probes, from 1; 0 for none
}

func compile(expr string) *matcher {
	if expr == "" {
		return nil
	}
	m := &matcher{re: regexp.MustCompile(expr)}
	if tree, err := syntax.Parse(expr, syntax.Perl); err == nil {
		tree = tree.Simplify()
		m.literals, m.need = required(tree), needed(tree)
		m.exact = m.literals != nil && !bordered(tree) && spellings(tree) != nil
	}
	return m
}

// probes are the matchers that are asked of every line. One pass over a line finds those
// that could match it.
var probes []*matcher

// probe compiles an expression that is asked of every line.
func probe(expr string) *matcher {
	m := compile(expr)
	if len(m.literals) > 0 && shortest(m.literals) >= shortWidth {
		probes = append(probes, m)
		m.probe = len(probes)
	}
	return m
}

// probeIndex finds the probes that could match a line.
var probeIndex = sync.OnceValue(func() *literalIndex { return indexOf(probes) })

// could holds the probes that could match one line.
type could struct {
	text  string
	turn  uint32
	turns []uint32 // by probe: the turn in which it could match last
	found []int
}

// of takes the next line.
func (c *could) of(text string) *could {
	if c.turns == nil {
		c.turns = make([]uint32, len(probes))
	}
	c.text = text
	c.turn++
	c.found = probeIndex().candidates(text, c.found[:0])
	for _, i := range c.found {
		c.turns[i] = c.turn
	}
	return c
}

// is reports whether a matcher matches the line's text.
func (l line) is(m *matcher) bool {
	if c := l.could; c != nil && m.probe > 0 && c.text == l.text {
		return c.turns[m.probe-1] == c.turn && (m.exact || m.re.MatchString(l.text))
	}
	return m.match(l.text)
}

// may reports whether a matcher could match a part of the line's text; false is certain.
func (l line) may(m *matcher) bool {
	c := l.could
	return c == nil || m.probe == 0 || c.text != l.text || c.turns[m.probe-1] == c.turn
}

// find is the first match of a matcher in the line's text with its groups, nil for none.
func (l line) find(m *matcher) []string {
	if !l.may(m) {
		return nil
	}
	return m.re.FindStringSubmatch(l.text)
}

func (m *matcher) match(line string) bool {
	return (m.need == nil || m.need.in(line)) && m.re.MatchString(line)
}

// need says which literals a line must hold for an expression to match: the text,
// one of some needs, or all of some.
type need struct {
	text     string
	any, all []*need
}

func (n *need) in(line string) bool {
	switch {
	case n.any != nil:
		return slices.ContainsFunc(n.any, func(a *need) bool { return a.in(line) })
	case n.all != nil:
		return !slices.ContainsFunc(n.all, func(a *need) bool { return !a.in(line) })
	}
	return strings.Contains(line, n.text)
}

// needed is what every match of an expression holds, nil when nothing is known.
func needed(re *syntax.Regexp) *need {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return &need{text: string(re.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpConcat:
		all := &need{}
		for _, s := range re.Sub {
			if n := needed(s); n != nil {
				all.all = append(all.all, n)
			}
		}
		switch len(all.all) {
		case 0:
			return nil
		case 1:
			return all.all[0]
		}
		return all
	case syntax.OpAlternate:
		some := &need{}
		for _, s := range re.Sub {
			n := needed(s)
			if n == nil {
				return nil
			}
			some.any = append(some.any, n)
		}
		return some
	}
	return nil
}

// compiled is a row ready for matching.
type compiled struct {
	*Row
	order   int
	any     []compiledPattern
	context *matcher
	file    *matcher
	expect  []compiledExpect
}

type compiledPattern struct {
	Pattern
	line, not, near *matcher
}

type compiledExpect struct {
	Expect
	when, line *matcher
}

// ready are the rows ready for matching. They are compiled when they are first
// needed: it takes longer than most commands that need none.
var ready = sync.OnceValue(func() []compiled {
	var rows []compiled
	seen := map[string]bool{}
	for i := range tables {
		r := &tables[i]
		if seen[r.ID] {
			panic(fmt.Sprintf("triage: signature %s is there twice", r.ID))
		}
		seen[r.ID] = true
		c := compiled{Row: r, order: i, context: compile(r.Context), file: compile(r.File)}
		for _, p := range r.Any {
			c.any = append(c.any, compiledPattern{p, compile(p.Line), compile(p.Not), compile(p.Near)})
		}
		for _, e := range r.Expect {
			c.expect = append(c.expect, compiledExpect{e, compile(e.When), compile(e.Line)})
		}
		rows = append(rows, c)
	}
	return rows
})
