package rules

import (
	"cmp"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
	"github.com/tilegate/tilegate/checks/words"
)

// Pass is one run of a rule over its unit: a kernel, a crate, the tree, or the change
// of the tree against its base.
type Pass struct {
	Rule   *Rule
	Tree   *tree.Tree
	Base   *tree.Tree   // PerChange only: the tree at the merge base
	Kernel *tree.Kernel // PerKernel only
	Crate  *tree.Crate  // PerKernel and PerCrate
	// Order is the place of this run among those of the rule.
	Order  Order
	facts  *Facts
	off    []*Rule // that nobody is told about
	report func(Diagnostic)
}

// Order sorts the runs of one rule: by its checks, then by their units.
type Order struct{ Check, Unit int }

// Compare is negative when o comes before p.
func (o Order) Compare(p Order) int {
	return cmp.Or(cmp.Compare(o.Check, p.Check), cmp.Compare(o.Unit, p.Unit))
}

// Diagnostic is one place that breaks a rule.
type Diagnostic struct {
	// File and Span are the place; the span is what an annotation underlines.
	File *syntax.File
	Span syntax.Span
	// Severity defaults to the rule's.
	Severity Severity
	// Message says what was found and what was expected, code in `backticks`.
	Message string
	// Construct names the kind of thing that is wrong, when a rule looks at
	// several kinds: diagnostics of one rule, function and construct become one
	// finding.
	Construct string
	// Pin is the cutile version for which this diagnostic is known to hold, when
	// it differs from the rule's.
	Pin string
	// Fix is set only when it may be applied unseen.
	Fix *Fix
	// node is the reported node, when there is one.
	node syntax.Node
}

// Node is the node that was reported, else the smallest one that holds the place;
// invalid in a file without a tree.
func (d Diagnostic) Node() syntax.Node {
	if d.node.Valid() {
		return d.node
	}
	return d.File.Enclosing(d.Span)
}

// Function is the name of the function that the diagnostic stands in, or empty.
func (d Diagnostic) Function() string {
	n := d.Node()
	if !n.Is("function_item", "function_definition") {
		n = n.Ancestor("function_item", "function_definition")
	}
	return n.Field("name").Text()
}

// Fix is a safe change of the diagnostic's file.
type Fix struct {
	Description string
	Edits       []TextEdit
}

// TextEdit replaces a span of the diagnostic's file; an empty span inserts.
type TextEdit struct {
	Span syntax.Span
	New  string
}

// Report reports a diagnostic.
func (p *Pass) Report(d Diagnostic) {
	if d.Severity == "" {
		d.Severity = p.Rule.Severity
	}
	d.Message = bounded(d.Message)
	p.report(d)
}

// maxMessage bounds the letters of a message, whatever names it quotes.
const maxMessage = 1500

// bounded is a message that is cut where it is long; code that begins before the cut
// ends before it.
func bounded(message string) string {
	short := words.Cut(message, maxMessage)
	if short != message && strings.Count(short, "`")%2 == 1 {
		short += "`"
	}
	return short
}

// maxListed bounds the names that a message lists one by one.
const maxListed = 8

// List puts names into a message as code: the first of them, and how many more there
// are.
func List(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	first := make([]string, 0, maxListed)
	for _, n := range names[:min(len(names), maxListed)] {
		first = append(first, words.Code(words.Cut(n, maxShown)))
	}
	out := strings.Join(first, ", ")
	if more := len(names) - len(first); more > 0 {
		out += " and " + strconv.Itoa(more) + " more"
	}
	return out
}

// Message is fmt.Sprintf for the text of a finding: what stands between backticks in the
// format stays one piece of code when a value in it has backticks of its own. Values
// stand in the order of the arguments, each for one verb.
func Message(format string, args ...any) string {
	parts := strings.Split(format, "`")
	if len(parts)%2 == 0 || !slices.ContainsFunc(args, func(a any) bool { return strings.Contains(fmt.Sprint(a), "`") }) {
		return fmt.Sprintf(format, args...)
	}
	var b strings.Builder
	for i, part := range parts {
		n := min(strings.Count(strings.ReplaceAll(part, "%%", ""), "%"), len(args))
		text := fmt.Sprintf(part, args[:n]...)
		args = args[n:]
		if i%2 == 1 {
			text = words.Code(text)
		}
		b.WriteString(text)
	}
	return b.String()
}

// Reportf reports a node at a severity. Damaged nodes are never reported.
func (p *Pass) Reportf(n syntax.Node, s Severity, construct, format string, args ...any) {
	p.ReportFix(n, s, construct, nil, format, args...)
}

// ReportFix is Reportf with a safe fix.
func (p *Pass) ReportFix(n syntax.Node, s Severity, construct string, fix *Fix, format string, args ...any) {
	if !n.Valid() || n.Damaged() {
		p.Undecided("the place is damaged or absent")
		return
	}
	p.Report(Diagnostic{File: n.File(), Span: n.Span(), node: n, Severity: s, Construct: construct, Fix: fix, Message: Message(format, args...)})
}

// ReportPinned is Reportf for what is known to hold for one cutile version only.
func (p *Pass) ReportPinned(n syntax.Node, s Severity, construct, pin, format string, args ...any) {
	if !n.Valid() || n.Damaged() {
		p.Undecided("the place is damaged or absent")
		return
	}
	p.Report(Diagnostic{File: n.File(), Span: n.Span(), node: n, Severity: s, Construct: construct, Pin: pin, Message: Message(format, args...)})
}

// Undecided marks a case in which the evidence did not suffice: nothing is
// reported for it. The reason is for who reads the rule.
func (p *Pass) Undecided(reason string) {}

// Source is the code of a node for a message: as it stands, on one line and without
// comments. Strings are as they are written, the ends of their lines as escapes.
func Source(n syntax.Node) string {
	if !strings.Contains(n.Text(), "\n") && !strings.Contains(n.Text(), "/*") {
		return n.Text()
	}
	var out []byte
	end := 0
	var walk func(syntax.Node)
	walk = func(c syntax.Node) {
		if c.IsComment() || c.Is("line_continuation") {
			return
		}
		text := strings.Join(strings.Fields(c.Text()), " ")
		if c.Is("string", "string_literal", "raw_string_literal", "char_literal") {
			text = strings.NewReplacer("\r", `\r`, "\n", `\n`).Replace(c.Text())
		} else {
			leaf := true
			for ch := range c.Children() {
				leaf = false
				walk(ch)
			}
			if !leaf || text == "" {
				return
			}
		}
		// Where lines were broken, blanks stand as if they had not been.
		if s := c.Span().Start; len(out) > 0 && s > end && !strings.ContainsRune("([{.", rune(out[len(out)-1])) && !strings.ContainsAny(text[:1], ")]},.;") {
			out = append(out, ' ')
		}
		out, end = append(out, text...), c.Span().End
	}
	walk(n)
	return string(out)
}

// maxShown bounds the letters of code in a message.
const maxShown = 60

// Short is Source, cut where it is long.
func Short(n syntax.Node) string { return words.Cut(Source(n), maxShown) }

// Replace is a fix that replaces one node.
func Replace(n syntax.Node, text, description string) *Fix {
	return &Fix{Description: description, Edits: []TextEdit{{Span: n.Span(), New: text}}}
}

// Insert is a fix that inserts text at an offset.
func Insert(offset int, text, description string) *Fix {
	return &Fix{Description: description, Edits: []TextEdit{{Span: syntax.Span{Start: offset, End: offset}, New: text}}}
}

// Speaks reports whether another rule reports anything about the pass's kernel,
// with constructs given only for those. A rule that looks at the same matter
// from further away asks this, so that one fault is not told twice.
func (p *Pass) Speaks(r *Rule, constructs ...string) bool {
	return slices.ContainsFunc(p.Reports(r), func(d Diagnostic) bool {
		return len(constructs) == 0 || slices.Contains(constructs, d.Construct)
	})
}

// Reports lists what another rule reports about the pass's kernel, for a rule that
// leaves these places to it: nothing where that rule is off. A panic in it is one of the
// rule that asks.
func (p *Pass) Reports(r *Rule) []Diagnostic {
	if slices.Contains(p.off, r) {
		return nil
	}
	var out []Diagnostic
	for _, check := range r.checks() {
		err := run(Pass{Rule: r, Tree: p.Tree, facts: p.facts, off: p.off}, check, nil, []*tree.Kernel{p.Kernel}, func(_ *Pass, d Diagnostic) {
			out = append(out, d)
		})
		if err != nil {
			panic(err)
		}
	}
	return out
}

// In reports whether the place of a diagnostic lies in a node.
func (d Diagnostic) In(n syntax.Node) bool {
	return n.Valid() && n.File() == d.File && n.Span().Contains(d.Span)
}

// AnyFact is a Fact of any type.
type AnyFact interface{ factName() string }

// Fact is shared work: a value computed at most once for each unit and asked
// for by many rules. A rule declares it in Requires.
type Fact[T any] struct {
	name string
	run  func(*tree.Tree, Unit) T
}

// Unit is what a fact is computed for. Kernel and Crate are nil where the
// rule's scope has none.
type Unit struct {
	Kernel *tree.Kernel
	Crate  *tree.Crate
}

// NewFact declares a fact. The name stands in error messages.
func NewFact[T any](name string, run func(*tree.Tree, Unit) T) *Fact[T] {
	return &Fact[T]{name, run}
}

func (f *Fact[T]) factName() string { return f.name }

// Of returns the fact for the pass's unit. It panics when the rule does not
// declare the fact, which its tests then show.
func (f *Fact[T]) Of(p *Pass) T { return f.At(p, Unit{p.Kernel, p.Crate}) }

// At returns the fact for another unit of the pass's tree, such as the zero
// Unit for a fact about the whole tree.
func (f *Fact[T]) At(p *Pass, u Unit) T {
	if !slices.ContainsFunc(p.Rule.Requires, func(a AnyFact) bool { return reflect.ValueOf(a).Pointer() == reflect.ValueOf(f).Pointer() }) {
		panic(fmt.Sprintf("rule %s asks for the fact %q without declaring it in Requires", p.Rule.ID, f.name))
	}
	return f.For(p.facts, p.Tree, u)
}

// For returns the fact for a unit, for facts that build on others.
func (f *Fact[T]) For(facts *Facts, t *tree.Tree, u Unit) T {
	return facts.once(f, u, func() any { return f.run(t, u) }).(T)
}

// Facts caches the facts of one tree. It is safe for concurrent use.
type Facts struct {
	mu    sync.Mutex
	cells map[Unit]map[AnyFact]*factCell
}

type factCell struct {
	once  sync.Once
	value any
}

func (f *Facts) once(fact AnyFact, u Unit, run func() any) any {
	f.mu.Lock()
	if f.cells == nil {
		f.cells = map[Unit]map[AnyFact]*factCell{}
	}
	if f.cells[u] == nil {
		f.cells[u] = map[AnyFact]*factCell{}
	}
	c := f.cells[u][fact]
	if c == nil {
		c = &factCell{}
		f.cells[u][fact] = c
	}
	f.mu.Unlock()
	c.once.Do(func() { c.value = run() })
	return c.value
}

// forget drops the facts of a unit.
func (f *Facts) forget(u Unit) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.cells, u)
}

// Job is a part of the work of some rules on a tree. Jobs may run at once and
// in any order: Pass.Order puts what they report in one. The error is a *Crash.
type Job func(report func(*Pass, Diagnostic)) error

// Crash is a fault of tilegate itself: its code panicked on a checkout. What was found
// until then is no whole review.
type Crash struct {
	What  string // what was being done, such as "rule R45 on kernel bmm"
	Value any    // of the panic
	Stack []byte // of the goroutine
}

// Error names what was being done and says what to do.
func (c *Crash) Error() string {
	return fmt.Sprintf("%s failed by a fault of tilegate's own (%v), so that nothing was reviewed: please report it with the files that it was about", c.What, c.Value)
}

// Caught makes a *Crash of a panic. It is to be deferred.
func Caught(err *error, what func() string) {
	v := recover()
	if crash, inner := v.(*Crash); inner {
		*err = crash
	} else if v != nil {
		*err = &Crash{what(), v, debug.Stack()}
	}
}

// Jobs splits the work of rules. Base is nil where there is nothing to compare
// with, and the checks of scope PerChange are then left out. The work is limited
// to some kernels. All checks of one kernel are one job, so that what only they
// ask about it is forgotten afterwards: a large tree need not fit into memory
// with everything that was found out about it. Rules leave nothing to those that are off.
func Jobs(list []*Rule, t, base *tree.Tree, kernels []*tree.Kernel, off ...*Rule) []Job {
	facts := &Facts{}
	type part struct {
		rule  *Rule
		place int
		check Check
	}
	var ofKernel []part
	var others, jobs []Job
	for _, r := range list {
		for i, check := range r.checks() {
			if check.Scope == PerKernel {
				ofKernel = append(ofKernel, part{r, i, check})
				continue
			}
			others = append(others, func(report func(*Pass, Diagnostic)) error {
				return run(Pass{Rule: r, Tree: t, facts: facts, off: off, Order: Order{Check: i}}, check, base, kernels, report)
			})
		}
	}
	for n, k := range kernels {
		jobs = append(jobs, func(report func(*Pass, Diagnostic)) error {
			defer facts.forget(Unit{k, k.Crate})
			for _, c := range ofKernel {
				if err := run(Pass{Rule: c.rule, Tree: t, facts: facts, off: off, Order: Order{c.place, n}}, c.check, nil, kernels[n:n+1], report); err != nil {
					return err
				}
			}
			return nil
		})
	}
	// The kernels take longest: last, one would be left alone to one processor.
	return append(jobs, others...)
}

// run runs a check over every unit of its scope, with passes like the given one. The
// error is a *Crash.
func run(like Pass, check Check, base *tree.Tree, kernels []*tree.Kernel, report func(*Pass, Diagnostic)) (err error) {
	var now *tree.Kernel
	defer Caught(&err, func() string {
		if now == nil {
			return "rule " + like.Rule.ID
		}
		return "rule " + like.Rule.ID + " on kernel " + now.ID()
	})
	at := func(k *tree.Kernel, c *tree.Crate) {
		p := like
		now = k
		like.Order.Unit++
		p.Kernel, p.Crate = k, c
		if check.Scope == PerChange {
			p.Base = base
		}
		p.report = func(d Diagnostic) { report(&p, d) }
		check.Run(&p)
	}
	switch check.Scope {
	case PerKernel:
		for _, k := range kernels {
			at(k, k.Crate)
		}
	case PerCrate:
		for _, c := range like.Tree.Crates {
			if slices.ContainsFunc(kernels, func(k *tree.Kernel) bool { return k.Crate == c }) || len(like.Tree.Kernels) == 0 {
				at(nil, c)
			}
		}
	case PerTree:
		at(nil, nil)
	case PerChange:
		if base != nil {
			at(nil, nil)
		}
	}
	return nil
}
