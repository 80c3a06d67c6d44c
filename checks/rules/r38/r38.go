// Package r38 is rule R38: a canary launch stays out of the timed path.
package r38

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

//go:embed doc.md
var doc string

// Rule is R38.
var Rule = &rules.Rule{
	ID: "R38", Title: "A canary launch is made once, not on each call",
	Category: "process", Owner: "process", Severity: rules.Note, DecidedBy: "syntax", Fix: "safe",
	Signatures: []string{"S-P01", "S-R01"},
	Why:        "A trial launch with a fixed configuration finds ownership and dtype errors early, but left in the wrapper it runs on each call and doubles what is measured.",
	Triage: []string{
		"Count the launches of one call in `kernel_times`: two of the same kernel point here.",
		"Keep the trial in a test or a script, with a small shape, before tuning and profiling.",
		"Delete it from the wrapper.",
	},
	First: map[string]int{"canary": 1, "import": 1, "twice": 2},
	Doc:   doc, Scope: rules.PerKernel, Requires: []rules.AnyFact{host.Facts}, Run: run,
}

// maxLater is how many later launches one launch is compared with.
const maxLater = 16

func run(p *rules.Pass) {
	w := host.Of(p).Kernel(p.Kernel).Wrapper
	if w == nil {
		return
	}
	calls := launches(w)
	byOwner := map[syntax.Node][]syntax.Node{}
	for _, c := range calls {
		owner := host.Owner(c)
		byOwner[owner] = append(byOwner[owner], c)
	}
	for _, list := range byOwner {
		slices.SortFunc(list, func(a, b syntax.Node) int { return a.Span().Start - b.Span().Start })
	}
	for _, c := range calls {
		switch w.Region(c) {
		case host.Hot:
			list := byOwner[host.Owner(c)]
			next, _ := slices.BinarySearchFunc(list, c.Span().End, func(n syntax.Node, end int) int { return n.Span().Start - end })
			for _, later := range list[next:min(next+maxLater, len(list))] {
				if twice(c, later) {
					p.ReportFix(c, rules.Note, "twice", removal(c, callText(c) == callText(later)), "`%s` launches the kernel, and line %d launches it again with the same inputs: each timed call runs it twice", name(c), later.Pos().Line)
					break
				}
			}
		case host.Once:
			beforeTuning(p, w, c)
		}
	}
	module := w.File.Root()
	launching := w.Launches()
	for _, c := range w.File.Root().Find("call") {
		if host.Owner(c) != module {
			continue
		}
		callee := w.Function(c.Field("function"))
		if _, ok := launching[callee]; ok && callee.Valid() {
			atImport(p, c)
		}
	}
}

// launches lists the calls that launch the kernel without the tuner: of the
// library, or of functions of the file that call it.
func launches(w *host.Wrapper) []syntax.Node {
	var out, work []syntax.Node
	seen := map[syntax.Node]bool{}
	add := func(c syntax.Node) {
		out = append(out, c)
		if owner := host.Owner(c); !seen[owner] && owner.Is("function_definition") {
			seen[owner] = true
			work = append(work, owner)
		}
	}
	for _, c := range w.Calls {
		add(c.Node)
	}
	for len(work) > 0 {
		fn := work[len(work)-1]
		work = work[:len(work)-1]
		for _, c := range w.Callers(fn) {
			add(c)
		}
	}
	return out
}

func name(c syntax.Node) string { return syntax.PyName(c.Field("function")) }

// callText is a call with its arguments, without white space and comments.
func callText(c syntax.Node) string { return c.Squeeze() }

// twice reports whether a later call in the same function launches what an
// earlier one did, whenever the later runs: the same function, the same
// arguments but for the output and the configuration.
func twice(a, b syntax.Node) bool {
	if a.Span().End > b.Span().Start || a.Field("function").Squeeze() != b.Field("function").Squeeze() {
		return false
	}
	block := a.Ancestor("block", "module")
	if !b.Inside(block) {
		return false
	}
	if _, conditional := host.Guard(a); conditional && block == host.Owner(a).Field("body") {
		return false // one branch of an expression
	}
	x, y := a.Field("arguments").NamedChildren(), b.Field("arguments").NamedChildren()
	if len(x) != len(y) {
		return false
	}
	fixed, other := false, false
	for i := range x {
		if i == 0 || x[i].Squeeze() == y[i].Squeeze() {
			continue
		}
		switch numbers := x[i].Is("integer", "float") != y[i].Is("integer", "float"); {
		case configuration(x[i]) || configuration(y[i]):
			fixed = fixed || numbers
		case numbers:
			other = true
		default:
			return false
		}
	}
	// A number where the other launch computes is a trial's, beside a fixed
	// configuration.
	return fixed || !other
}

// configuration reports whether an argument is one of the tuner's choices.
func configuration(n syntax.Node) bool {
	for _, id := range n.Find("identifier") {
		if t := strings.ToLower(id.Text()); strings.Contains(t, "cfg") || strings.Contains(t, "config") {
			return true
		}
	}
	return false
}

// beforeTuning reports a launch on each call before the tuner gets the kernel.
func beforeTuning(p *rules.Pass, w *host.Wrapper, c syntax.Node) {
	if _, conditional := host.Guard(c); conditional || c.Ancestor("try_statement").Inside(host.Owner(c)) {
		return
	}
	owner := host.Owner(c)
	for _, t := range owner.Find("call") {
		if syntax.PyName(t.Field("function")) == "autotune_launch" && host.Owner(t) == owner && t.Span().Start > c.Span().Start {
			p.ReportFix(c, rules.Note, "canary", removal(c, true), "`%s` launches the kernel on each call before `autotune_launch` does; expected a trial launch in a test", name(c))
			return
		}
	}
}

// atImport reports a launch at module level.
func atImport(p *rules.Pass, c syntax.Node) {
	if cond, conditional := host.Guard(c); conditional && strings.Contains(cond.Text(), "__main__") {
		return
	}
	p.ReportFix(c, rules.Note, "import", removal(c, true), "`%s` launches the kernel when the module is imported; expected a trial launch in a test", name(c))
}

// removal deletes the statement that a call makes up, with its lines, when
// nothing uses the result and the block has other statements.
func removal(c syntax.Node, same bool) *rules.Fix {
	stmt := c.Parent()
	if !same || !stmt.Is("expression_statement") || len(stmt.NamedChildren()) != 1 || !stmt.Parent().NamedChild(1).Valid() {
		return nil
	}
	edit, ok := host.RemoveLines(stmt)
	if !ok {
		return nil
	}
	return &rules.Fix{Description: "delete the launch", Edits: []rules.TextEdit{edit}}
}
