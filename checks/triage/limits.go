package triage

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/records"
)

const (
	gridLimit  = "S-R63"
	refused    = "S-R26"
	mostBlocks = 65535 // of the second and third dimension of a grid
	maxNames   = 64    // arguments that are kept of one case
)

// grids reads the expression of a grid in the source that a traceback quotes, and the
// arguments of the case that pytest prints.
type grids struct {
	args map[string]int
	far  line // whose second or third dimension is beyond the limit
	says string
	ends []extent // of launches in one dimension with numbers for grid and block
}

var (
	gridTuple = probe(`\bgrid\b *= *(?:lambda \w+: *)?\((.*)\)`)
	argumentN = regexp.MustCompile(`\b([A-Za-z_]\w*) = (\d+)\b`)
)

// line takes a line of what is told of a failed case.
func (g *grids) line(l line) {
	if strings.HasPrefix(l.text, "_") && heading.MatchString(l.text) {
		g.args = nil
		return
	}
	g.covers(l)
	if g.far.n > 0 || len(l.text) > 1024 || !strings.Contains(l.text, " = ") {
		return
	}
	if m := gridTuple.re.FindStringSubmatch(l.text); m != nil {
		for _, d := range dimensions(m[1]) {
			if n := g.product(d); n > mostBlocks {
				g.far, g.says = l, fmt.Sprintf("%s = %d, more than %d", d, n, mostBlocks)
				return
			}
		}
		return
	}
	for _, m := range argumentN.FindAllStringSubmatch(l.text, 32) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			continue
		}
		if g.args == nil {
			g.args = map[string]int{}
		}
		if len(g.args) < maxNames {
			g.args[strings.Clone(m[1])] = n
		}
	}
}

var (
	bracketGrid = probe(`\w\[\(?([^\]():]+?),? *\)?\]\(.*`)
	blockOf     = regexp.MustCompile(`\b(?i:block\w*|tile\w*) ?= ?([A-Za-z_]\w*|\d+)\b`)
	bareGrid    = regexp.MustCompile(`^(?:[A-Za-z_]\w* \* )?(?:[A-Za-z_]\w*|\d+)$`)
)

// covers takes a launch in the quoted source of which grid and block are numbers, or
// names of numbers above.
func (g *grids) covers(l line) {
	if len(g.ends) == maxLaunches || len(l.text) > 1024 || !strings.Contains(l.text, "](") || !l.is(bracketGrid) {
		return
	}
	m, b := bracketGrid.re.FindStringSubmatch(l.text), blockOf.FindStringSubmatch(l.text)
	if b == nil || !bareGrid.MatchString(m[1]) {
		return
	}
	if blocks, size := g.product(m[1]), g.product(b[1]); blocks > 0 && size > 1 && blocks < math.MaxInt32/size {
		g.ends = append(g.ends, extent{blocks * size, l})
	}
}

// tellCover sees whether what is wrong of an output is exactly what lies behind the last
// block of its launch.
func (g *grids) tellCover(sc *logScan) {
	ends := slices.Concat(g.ends, sc.printed.launches.covered)
	for _, k := range sc.console.order {
		for _, x := range k.compared {
			for _, e := range ends {
				rest := x.elements - e.elements
				if k.bad() && rest > 0 && x.elements > 0 && (float64(rest) == x.wrong || sc.printed.launches.wrong == e.elements) {
					sc.explains(shortGrid, wrongValues, e.at)
					if h := sc.found[shortGrid]; h != nil && h.Line == e.at.n {
						sc.adds(h, fmt.Sprintf("the grid covers %d elements, and the %d behind it are wrong", e.elements, rest))
					}
					return
				}
			}
		}
	}
}

// dimensions are the second and the third part of a tuple.
func dimensions(tuple string) []string {
	var all []string
	depth, from := 0, 0
	for i, c := range tuple {
		switch c {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				all = append(all, strings.TrimSpace(tuple[from:i]))
				from = i + 1
			}
		}
	}
	all = append(all, strings.TrimSpace(tuple[from:]))
	return all[1:]
}

// product is the value of a product of arguments and numbers, 0 when it is something else.
func (g *grids) product(text string) int {
	product := 1
	for f := range strings.SplitSeq(text, "*") {
		f = strings.TrimSpace(f)
		n, err := strconv.Atoi(f)
		if err != nil {
			n = g.args[f]
		}
		if n <= 0 || product > math.MaxInt32/n {
			return 0
		}
		product *= n
	}
	return product
}

func (g *grids) end(sc *logScan) {
	g.tellCover(sc)
	if g.far.n > 0 {
		sc.explains(gridLimit, []string{refused}, g.far)
		sc.adds(sc.found[gridLimit], g.says)
		return
	}
	sc.tellGrid()
}

// tellGrid sees whether the product of some sizes of the cases passes the limit of a grid
// just between those that pass and those that fail.
func (sc *logScan) tellGrid() {
	k := sc.console.culprit()
	if k == nil || sc.found[refused] == nil {
		return
	}
	ids := records.NewIDParser()
	id := ids.Parse(k.class, k.name)
	var failed, passed [][]int
	for _, o := range sc.console.order {
		other := ids.Parse(o.class, o.name)
		if other.Function() != id.Function() || other.Backend != id.Backend {
			continue
		}
		var sizes []int
		for _, p := range apartSizes(other.Params) {
			n, _ := size(p)
			sizes = append(sizes, n)
		}
		switch {
		case o.bad():
			failed = append(failed, sizes)
		case o.passed:
			passed = append(passed, sizes)
		}
	}
	if len(failed) == 0 || len(passed) == 0 {
		return
	}
	n := len(failed[0])
	if n > 8 || slices.ContainsFunc(slices.Concat(failed, passed), func(s []int) bool { return len(s) != n }) {
		return
	}
	for a := range n {
		for b := a; b < n; b++ {
			of := func(s []int) int {
				if a == b || s[a] > math.MaxInt32 || s[b] > math.MaxInt32 {
					return s[a]
				}
				return s[a] * s[b]
			}
			least, most := math.MaxInt, 0
			for _, s := range failed {
				least = min(least, of(s))
			}
			for _, s := range passed {
				most = max(most, of(s))
			}
			if least > mostBlocks && least <= 2*(mostBlocks+1) && most <= mostBlocks && most > mostBlocks/2 {
				sc.explains(gridLimit, []string{refused}, k.head)
				sc.adds(sc.found[gridLimit], fmt.Sprintf("%d blocks pass and %d fail, the limit is %d", most, least, mostBlocks))
				return
			}
		}
	}
}

// stalls are the numbers of each type from which on adding 1 changes nothing.
var stalls = map[string]float64{"bfloat16": 1 << 8, "float16": 1 << 11, "float32": 1 << 24}

var (
	equals  = probe(`\bassert (?:tensor\()?(-?\d[\d.]*)[^=]{0,40} == (?:tensor\()?(-?\d[\d.]*)`)
	gotWant = probe(`\b(?:[Gg]ot|out\w*|actual|sum|result)\b[ :=]{1,3}(\d[\d.]*),? .*?\b(?:[Ww]ant|[Ee]xpected|ref\w*)\b[ :=]{1,3}(\d[\d.]*)`)
)

// stall takes a line with two values: one of a sum that may have stalled.
func (f *facts) stall(text string) {
	if len(text) > 512 {
		return
	}
	got, want := 0.0, 0.0
	for i, m := range []*matcher{equals, gotWant, inOne} {
		if !m.match(text) {
			continue
		}
		if v := m.re.FindStringSubmatch(text); v != nil {
			got, want = number(strings.TrimRight(v[1], ".")), number(strings.TrimRight(v[2], "."))
			if i == 2 {
				got, want = want, got
			}
			break
		}
	}
	for _, at := range stalls {
		if got == at && want > got {
			f.stalled = got
		}
	}
}

// stalledSums is S-C25 by values: a sum stops at the number from which on its type does
// not count, and the same with another type passes.
func stalledSums(run Run) *Seen {
	for _, f := range run.functions {
		for _, c := range f {
			t := dtype(c.params)
			if !c.Failed || c.stalled == 0 || c.stalled != stalls[t] {
				continue
			}
			other := slices.ContainsFunc(f, func(o Case) bool { return !o.Failed && dtype(o.params) != t && dtype(o.params) != "" })
			if !other || slices.ContainsFunc(f, func(o Case) bool { return o.Failed && dtype(o.params) != t }) {
				continue
			}
			return &Seen{What: fmt.Sprintf("%s stops at %.0f, from where on adding 1 changes no %s; another type passes", c.ID.Config(), c.stalled, t), log: c.log, line: c.line}
		}
	}
	return nil
}

var callValue = probe(`^(?:call|run|iter\w*|launch|step|rep\w*|invocation|attempt|pass)[ #_=]*(\d+)\b[^\d-]{1,40}(-?\d[\d.]*(?:e[-+]?\d+)?)`)

// call takes a line with the value that one of several equal calls gave.
func (f *facts) call(text string) {
	if len(text) > 512 || f.firstOnly || !callValue.match(text) {
		return
	}
	m := callValue.re.FindStringSubmatch(text)
	n, err := strconv.Atoi(m[1])
	switch v := number(m[2]); {
	case err != nil:
	case n == len(f.calls)+f.from && len(f.calls) > 0 && len(f.calls) < maxNames:
		f.calls = append(f.calls, v)
		k := len(f.calls) - 1
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-4*math.Abs(b) }
		f.firstOnly = k >= 2 && near(f.calls[k-1], v) && !near(f.calls[0], v) && near(f.calls[1], v)
	case n <= 1:
		f.calls, f.from = []float64{v}, n
	}
}

// tunedFirst is S-C46 by values: the first of equal calls is wrong, the others agree, and
// a tuner worked.
func tunedFirst(run Run) *Seen {
	if !slices.ContainsFunc(run.Cases, func(c Case) bool { return c.Failed && (c.trial || c.tuned) }) {
		return nil
	}
	for _, c := range run.Cases {
		if c.Failed && c.firstOnly && c.maybeWrong() {
			return &Seen{What: c.ID.Config() + ": the first call, in which the tuner works, gives another value than all later ones", log: c.log, line: c.line}
		}
	}
	return nil
}

// besideWhole reports whether for each test that fails one passes whose name lacks nothing
// but words, one of which tells of a view.
func besideWhole(cases []Case) bool {
	for _, c := range cases {
		if c.Failed && !slices.ContainsFunc(cases, func(w Case) bool {
			return !w.Failed && w.ID.Class == c.ID.Class && slices.Equal(w.ID.Params, c.ID.Params) && lacksView(c.ID.Test, w.ID.Test)
		}) {
			return false
		}
	}
	return slices.ContainsFunc(cases, Case.differs)
}

// lacksView reports whether the words of a name are those of another one without some, one
// of which tells of a view.
func lacksView(name, whole string) bool {
	rest, view := strings.Split(whole, "_"), false
	for w := range strings.SplitSeq(name, "_") {
		switch {
		case len(rest) > 0 && rest[0] == w:
			rest = rest[1:]
		default:
			view = view || layout.MatchString(w)
		}
	}
	return len(rest) == 0 && view
}

// viewTests is S-C32 by the names of tests: those that are wrong show an operand that is a
// view or are named so, and tests of the same file without one pass.
func viewTests(run Run) *Seen {
	file := ""
	wrong, shown, passed := 0, 0, 0
	for _, c := range run.Cases {
		if !c.Failed {
			continue
		}
		if !c.maybeWrong() || !c.view && !layout.MatchString(c.ID.Test) {
			return nil
		}
		if c.view {
			shown++
		}
		wrong++
		file = c.ID.Class
	}
	for _, c := range run.Cases {
		switch {
		case c.Failed:
		case c.view:
			return nil
		case c.ID.Class == file:
			passed++
		}
	}
	if wrong > 0 && shown == 0 && besideWhole(run.Cases) {
		return at(run.Cases, "all %d wrong tests are named after an operand that is a view, and the same tests without it pass", wrong)
	}
	if wrong == 0 || shown == 0 || passed == 0 || !slices.ContainsFunc(run.Cases, Case.wrong) {
		return nil
	}
	return at(run.Cases, "all %d wrong tests have an operand that is a view, and %d others pass", wrong, passed)
}
