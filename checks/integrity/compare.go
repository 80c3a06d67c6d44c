package integrity

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/correctness"
	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/words"
)

// Kind is what a change did to the tests.
type Kind uint8

// The kinds, in the order of the rules T1 to T7.
const (
	Tolerance  Kind = iota + 1 // a difference may be larger
	Checks                     // less is compared, or not always
	Skips                      // a case is skipped or may fail
	Cases                      // shapes, types or configurations are gone
	Inputs                     // the reference, the seed or the inputs changed
	Collection                 // tests, files or backends are not run
	Measuring                  // how time is measured changed
)

// Finding is one place at which a change weakens the tests, or may.
type Finding struct {
	Kind     Kind
	File     *syntax.File
	Span     syntax.Span
	Severity rules.Severity
	// Construct tells findings at one place apart, and holds what was weakened,
	// so that a waiver of one covers no other.
	Construct string
	Message   string
}

// problem is a finding that is being counted over the cases of a test.
type problem struct {
	Finding
	cases    int
	backends map[string]bool
	example  string
}

// comparison compares two revisions of one file.
type comparison struct {
	u          *universe
	base, head *side
	problems   map[string]*problem
	order      []*problem
	// The case that is being compared; total counts the test's cases, idle those that
	// skipped themselves before, of which nothing can become weaker.
	current *testCase
	total   int
	idle    int
	// signatures are what the head's cases do, with the conditions of the cases.
	signatures map[int][][]*term
	rows       []*term // see literalRows
	// What a newly registered backend runs of the file's cases, and the first of
	// its gaps.
	offered, covered int
	gap              syntax.Node
	// fallback is where a problem without a place of its own is reported.
	fallback syntax.Node
}

// clip is a node's span up to the end of its first line.
func clip(n syntax.Node) syntax.Span {
	s := n.Span()
	if i := strings.IndexByte(n.Text(), '\n'); i >= 0 {
		s.End = s.Start + i
	}
	return s
}

// quote is source text for a message.
func quote(text string) string {
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "`", "'")
	if r := []rune(text); len(r) > 80 {
		text = string(r[:79]) + "…"
	}
	return "`" + text + "`"
}

func quoteNode(n syntax.Node) string { return quote(n.Squeeze()) }

// add reports a problem at a place of the head; equal ones are counted.
func (c *comparison) add(kind Kind, n syntax.Node, construct, format string, args ...any) *problem {
	if !n.Valid() || n.File() != c.head.file {
		n = c.fallback
	}
	span := syntax.Span{}
	if n.Valid() {
		span = clip(n)
	}
	key := fmt.Sprintf("%d %d %d %s", kind, span.Start, span.End, construct)
	p := c.problems[key]
	if p == nil {
		p = &problem{Finding: Finding{
			Kind: kind, File: c.head.file, Span: span, Severity: rules.Warning,
			Construct: construct, Message: fmt.Sprintf(format, args...),
		}, backends: map[string]bool{}}
		c.problems[key] = p
		c.order = append(c.order, p)
	}
	if c.current != nil {
		p.cases++
		p.backends[c.current.backend()] = true
		if p.example == "" {
			p.example = c.current.describe()
		}
	}
	return p
}

// note makes a problem one that needs no maintainer.
func (p *problem) note() { p.Severity = rules.Note }

// findings are the problems with what was counted.
func (c *comparison) findings() []Finding {
	var out []Finding
	for _, p := range c.order {
		f := p.Finding
		if others := p.others(); others != "" && f.Severity == rules.Warning && f.Kind != Collection {
			f.Severity = rules.Note
			f.Message += "; it concerns " + others + " only"
		}
		out = append(out, f)
	}
	return out
}

// others names the backends of a problem when neither the candidate nor the
// reference is among them.
func (p *problem) others() string {
	if len(p.backends) == 0 || p.backends[candidate] || p.backends[reference] || p.backends[""] {
		return ""
	}
	var names []string
	for _, n := range sortedKeys(p.backends) {
		if !backends[n] {
			return ""
		}
		names = append(names, "`"+n+"`")
	}
	return strings.Join(names, ", ")
}

// scope says of a message how many of a test's cases it concerns.
func (c *comparison) scope(from int) {
	for _, p := range c.order[from:] {
		if p.cases > 0 && p.cases < c.total {
			others := ""
			if n := c.total - p.cases; n == c.idle {
				others = fmt.Sprintf("; the other %s", words.Form(n, "one skips itself", fmt.Sprintf("%d skip themselves", n)))
			}
			p.Message += fmt.Sprintf(" (%d of %d cases, such as %s%s)", p.cases, c.total, quote(p.example), others)
		}
	}
}

// test compares one test with the one that it has become.
func (c *comparison) test(b, h *testFn) {
	c.fallback = h.name
	defer func() { c.current = nil }()
	baseCases, baseKnown := c.base.cases(b)
	headCases, headKnown := c.head.cases(h)
	same := c.sameBody(b, h)
	if same && c.sameSets(b, h) {
		return
	}
	from := len(c.order)
	switch {
	case baseKnown && headKnown:
		c.eachCase(b, h, baseCases, headCases, same)
	default:
		c.total = 0
		c.unlisted(b, h)
		if !same {
			c.current = nil
			c.events(c.base.execute(b, c.base.symbolic(b)), c.head.execute(h, c.head.symbolic(h)), c.base.symbolic(b), h)
		}
	}
	c.scope(from)
	if headKnown {
		c.gaps(b, h, baseCases, headCases)
	}
	if baseKnown && headKnown {
		c.arrival(b, h, baseCases, headCases)
	}
}

// sameBody reports whether two tests do the same whatever their parameters are.
func (c *comparison) sameBody(b, h *testFn) bool {
	x := mapEvents(c.u, c.base.execute(b, c.base.symbolic(b)))
	y := mapEvents(c.u, c.head.execute(h, c.head.symbolic(h)))
	return slices.Equal(x, y)
}

func (c *comparison) sameSets(b, h *testFn) bool {
	return slices.EqualFunc(b.sets, h.sets, func(x, y paramSet) bool {
		return x.values == y.values && slices.Equal(x.names, y.names)
	})
}

// unlisted compares parameters that cannot be listed, decorator by decorator.
func (c *comparison) unlisted(b, h *testFn) {
	for _, x := range b.sets {
		var match *paramSet
		for i, y := range h.sets {
			if slices.Equal(x.names, y.names) && (match == nil || y.values == x.values) {
				match = &h.sets[i]
			}
		}
		switch {
		case match == nil && h.has(x.names):
			c.add(Cases, c.fallback, "rewritten "+strings.Join(x.names, ","), "where the cases of %s come from was rewritten; a maintainer must look at whether all are there", quote(strings.Join(x.names, ", ")))
		case match == nil:
			c.add(Cases, c.fallback, "set "+strings.Join(x.names, ","), "the parameters %s of this test are gone", quote(strings.Join(x.names, ", ")))
		case match.values == x.values:
		case x.known && match.known:
			for _, row := range x.cases {
				if !slices.ContainsFunc(match.cases, func(o paramCase) bool { return slices.Equal(o.vals, row.vals) && c.implied(o.conds, row.conds) }) {
					c.add(Cases, match.at, "row "+showRow(row.vals), "the case %s is gone", quote(showRow(row.vals)))
				}
			}
		case match.values.is("bin") && match.values.text == "+" && slices.Contains(match.values.kids, x.values):
		default:
			c.add(Cases, match.at, "rewritten "+strings.Join(x.names, ","), "where the cases of %s come from was rewritten; a maintainer must look at whether all are there", quote(strings.Join(x.names, ", ")))
		}
	}
}

// has reports whether the test has parameters of these names.
func (t *testFn) has(names []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool {
		return !slices.ContainsFunc(t.sets, func(s paramSet) bool { return slices.Contains(s.names, n) })
	})
}

func showRow(vals []*term) string {
	var parts []string
	for _, v := range vals {
		parts = append(parts, show(v))
	}
	return strings.Join(parts, ", ")
}

// implied reports whether conditions hold where others do.
func (c *comparison) implied(conds, given []*term) bool {
	for _, t := range conds {
		if !c.holds(t, given) {
			return false
		}
	}
	return true
}

// holds reports whether a condition follows from others.
func (c *comparison) holds(t *term, given []*term) bool {
	c.u.spend(1)
	if v, known := t.truth(); known {
		return v
	}
	if slices.Contains(given, t) || c.current != nil && slices.Contains(c.current.conds, t) {
		return true
	}
	switch t.op {
	case "and":
		return !slices.ContainsFunc(t.kids, func(k *term) bool { return !c.holds(k, given) })
	case "or":
		return slices.ContainsFunc(t.kids, func(k *term) bool { return c.holds(k, given) })
	}
	for _, g := range given {
		if g.is("and") && slices.Contains(g.kids, t) || followsRaised(t, g) {
			return true
		}
	}
	return false
}

// eachCase compares each case of a test with the case that it has become.
func (c *comparison) eachCase(b, h *testFn, baseCases, headCases []testCase, same bool) {
	common := c.commonNames(b, h)
	ours, theirs := make([]string, len(common)), make([]string, len(common))
	for i, pair := range common {
		ours[i], theirs[i] = pair[0], pair[1]
	}
	index := map[string][]testCase{}
	for _, hc := range headCases {
		k := hc.key(theirs)
		index[k] = append(index[k], hc)
	}
	c.total, c.idle = len(baseCases), 0
	var lost []testCase
	for i := range baseCases {
		bc := baseCases[i]
		c.current = &baseCases[i]
		candidates := index[bc.key(ours)]
		if len(candidates) == 0 {
			lost = append(lost, bc)
			continue
		}
		if same && len(bc.marks) == 0 && slices.ContainsFunc(candidates, func(hc testCase) bool {
			return len(hc.marks) == 0 && c.implied(hc.conds, bc.conds)
		}) {
			continue
		}
		c.bestOf(b, h, bc, candidates)
	}
	c.current = nil
	c.lost(b, h, lost, headCases)
}

// commonNames are the parameters of both tests, with the names that they have
// in each: a parameter that was renamed has the same values.
func (c *comparison) commonNames(b, h *testFn) [][2]string {
	var out [][2]string
	ours, theirs := b.columns(), h.columns()
	taken := map[string]bool{}
	for _, n := range sortedKeys(ours) {
		if theirs[n] != nil {
			out = append(out, [2]string{n, n})
			taken[n] = true
		}
	}
	lacks := func(list []*term, other []*term) bool {
		return slices.ContainsFunc(list, func(v *term) bool { return !slices.Contains(other, v) })
	}
	matched := map[string]bool{}
	rename := func(same func(was, is []*term) bool) {
		for _, n := range sortedKeys(ours) {
			if theirs[n] != nil || matched[n] || len(ours[n]) == 0 {
				continue
			}
			for _, m := range sortedKeys(theirs) {
				if !taken[m] && ours[m] == nil && same(ours[n], theirs[m]) {
					out = append(out, [2]string{n, m})
					taken[m], matched[n] = true, true
					break
				}
			}
		}
	}
	rename(func(was, is []*term) bool { return !lacks(was, is) })
	rename(func(was, is []*term) bool { return len(is) > 0 && !lacks(is, was) }) // and lost values
	return out
}

// columns are the values of each parameter.
func (t *testFn) columns() map[string][]*term {
	out := map[string][]*term{}
	for _, s := range t.sets {
		for i, n := range s.names {
			out[n] = []*term{}
			for _, row := range s.cases {
				if i < len(row.vals) && !slices.Contains(out[n], row.vals[i]) {
					out[n] = append(out[n], row.vals[i])
				}
			}
		}
	}
	return out
}

// bestOf compares a case with the one of several that weakens it least.
func (c *comparison) bestOf(b, h *testFn, bc testCase, candidates []testCase) {
	events := c.base.execute(b, bc)
	// A case that skips itself is no loss where it does.
	ran := slices.Clone(bc.conds)
	for _, e := range events {
		if e.kind == skipped {
			ran = append(ran, c.u.not(c.u.and(skipConds(e)...)))
		}
	}
	var best *comparison
	of := ""
	if name := bc.backend(); name != "" {
		of = " of `" + name + "`"
	}
	for _, hc := range candidates[:min(len(candidates), 64)] {
		try := c.trial()
		for _, cond := range hc.conds {
			if !c.holds(cond, ran) {
				try.add(Cases, c.changedSource(c.setOf(h)), "condition "+describeTerm(c.head, cond), "cases%s are there only where %s", of, quote(describeTerm(c.head, cond)))
			}
		}
		try.events(events, c.head.execute(h, hc), bc, h)
		if best == nil || len(try.order) < len(best.order) {
			best = try
		}
		if len(best.order) == 0 {
			if skippedForGood(events) {
				c.idle++
			}
			return
		}
	}
	c.absorb(best)
}

// absorb takes over the problems of a comparison of one case.
func (c *comparison) absorb(o *comparison) {
	for _, p := range o.order {
		key := fmt.Sprintf("%d %d %d %s", p.Kind, p.Span.Start, p.Span.End, p.Construct)
		known := c.problems[key]
		if known == nil {
			c.problems[key] = p
			c.order = append(c.order, p)
			continue
		}
		known.cases += p.cases
		for name := range p.backends {
			known.backends[name] = true
		}
	}
}

// changedSource is the first line that is new and from which the values at a place of
// the head come: the place itself, or an assignment of a name that it uses, with the
// conditions around that. It is the place where there is none.
func (c *comparison) changedSource(at syntax.Node) syntax.Node {
	added := c.addedUntil()
	isNew := func(n syntax.Node) bool {
		c.u.spend(1)
		first := n.Pos().Line
		last := n.File().Position(n.Span().End).Line
		return added[min(last, len(added)-1)] > added[first-1]
	}
	if !at.Valid() || added[at.Pos().Line] > added[at.Pos().Line-1] {
		return at
	}
	var found syntax.Node
	seen, todo := map[string]bool{}, []syntax.Node{at}
	for len(todo) > 0 {
		for _, id := range todo[0].Find("identifier") {
			name := id.Text()
			if seen[name] {
				continue
			}
			seen[name] = true
			for _, a := range c.head.file.Root().Find("assignment", "augmented_assignment") {
				c.u.spend(1)
				if a.Field("left").Text() != name {
					continue
				}
				todo = append(todo, a.Field("right"))
				for n := a; n.Valid(); n = n.Ancestor("if_statement") {
					part := n
					if n.Is("if_statement") {
						part = n.Field("condition")
					}
					if isNew(part) && (!found.Valid() || part.Span().Start < found.Span().Start) {
						found = part
					}
				}
			}
		}
		todo = todo[1:]
	}
	return orElse(found, at)
}

// addedUntil counts the lines up to each of the head, and with it, that the base does
// not have as often.
func (c *comparison) addedUntil() []int {
	if c.head.added != nil {
		return c.head.added
	}
	base, head := c.base.file, c.head.file
	c.u.spend((base.LineCount() + head.LineCount()) / 8)
	left := map[string]int{}
	for n := range base.LineCount() {
		left[base.Line(n+1)]++
	}
	c.head.added = make([]int, head.LineCount()+1)
	for n := range head.LineCount() {
		line := head.Line(n + 1)
		c.head.added[n+1] = c.head.added[n]
		if left[line]--; left[line] < 0 {
			c.head.added[n+1]++
		}
	}
	return c.head.added
}

// setOf is where the values of a case are written: the decorator that has a
// conditional row.
func (c *comparison) setOf(h *testFn) syntax.Node {
	for _, s := range h.sets {
		if slices.ContainsFunc(s.cases, func(r paramCase) bool { return len(r.conds) > 0 }) {
			return s.at
		}
	}
	return c.fallback
}

// describeTerm is the source of a term.
func describeTerm(s *side, t *term) string {
	if n := s.origin[t]; n.Valid() {
		return n.Squeeze()
	}
	if t.is("not") {
		return "not " + describeTerm(s, t.kids[0])
	}
	if t.is("and", "or") {
		var parts []string
		for _, k := range t.kids {
			parts = append(parts, describeTerm(s, k))
		}
		return strings.Join(parts, " "+t.op+" ")
	}
	return show(t)
}

// lost reports the cases that have no successor: those of a backend that is
// gone, and others by where they stood. Cases that did not run before are no
// loss.
func (c *comparison) lost(b, h *testFn, lost, headCases []testCase) {
	headBackends := map[string]bool{}
	for _, hc := range headCases {
		headBackends[hc.backend()] = true
	}
	gone := map[string]int{}
	type group struct {
		at    syntax.Node
		rows  []string
		cases []testCase
	}
	var groups []*group
	for _, bc := range lost {
		if events := c.base.execute(b, bc); skippedForGood(events) || c.elsewhere(bc, events) {
			continue
		}
		if name := bc.backend(); name != "" && !headBackends[name] {
			gone[name]++
			continue
		}
		at, what := c.lostIn(b, h, bc)
		i := slices.IndexFunc(groups, func(g *group) bool { return g.at == at })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &group{at: at})
		}
		if !slices.Contains(groups[i].rows, what) {
			groups[i].rows = append(groups[i].rows, what)
		}
		groups[i].cases = append(groups[i].cases, bc)
	}
	kind := "case"
	if c.isPerf(b) {
		kind = "performance configuration"
	}
	for _, g := range groups {
		for _, bc := range g.cases {
			c.current = &bc
			c.add(Cases, g.at, "gone "+strings.Join(g.rows, "; "), "%s", listed(kind, g.rows)+" gone")
		}
	}
	c.current = nil
	for _, name := range sortedKeys(gone) {
		at := c.fallback
		for _, s := range h.sets {
			if slices.Contains(s.names, "backend") || slices.Contains(s.names, "framework") || s.selects() {
				at = s.at
			}
		}
		c.add(Collection, c.changedSource(at), "backend "+name+" "+h.key, "the backend `%s` is no longer tested by `%s`: %s %s gone", name, h.key, words.Count(gone[name], "case"), words.Form(gone[name], "is", "are"))
	}
}

// selects reports whether the values of a parameter are backends.
func (s paramSet) selects() bool {
	return slices.ContainsFunc(s.cases, func(r paramCase) bool {
		return slices.ContainsFunc(r.vals, func(v *term) bool { return v.is("str") && backends[v.text] })
	})
}

// listed names the first of several rows, with the verb.
func listed(kind string, rows []string) string {
	if len(rows) == 1 {
		return "the " + kind + " " + quote(rows[0]) + " is"
	}
	const shown = 3
	var parts []string
	for _, r := range rows[:min(shown, len(rows))] {
		parts = append(parts, quote(r))
	}
	if more := len(rows) - shown; more > 0 {
		return fmt.Sprintf("the %ss %s and %d more are", kind, strings.Join(parts, ", "), more)
	}
	return "the " + kind + "s " + strings.Join(parts, ", ") + " are"
}

// lostIn finds where a case stood: beside the literal row that is gone, else
// the decorator whose values do not have it.
func (c *comparison) lostIn(b, h *testFn, bc testCase) (syntax.Node, string) {
	if at, what := c.literalRow(bc); at.Valid() {
		return at, what
	}
	for _, x := range b.sets {
		row := make([]*term, len(x.names))
		for i, n := range x.names {
			row[i] = bc.values[n]
		}
		for _, y := range h.sets {
			if slices.Equal(x.names, y.names) && !slices.ContainsFunc(y.cases, func(r paramCase) bool { return slices.Equal(r.vals, row) }) {
				return y.at, showRow(row)
			}
		}
	}
	for _, x := range b.sets {
		for _, n := range x.names {
			has := false
			var at syntax.Node
			for _, y := range h.sets {
				if i := slices.Index(y.names, n); i >= 0 {
					at = y.at
					has = has || slices.ContainsFunc(y.cases, func(r paramCase) bool { return len(r.vals) > i && r.vals[i] == bc.values[n] })
				}
			}
			if at.Valid() && !has {
				return at, n + "=" + show(bc.values[n])
			}
		}
	}
	return c.fallback, bc.describe()
}

// literalRow finds the row of a list in the base's source that holds a case's
// values and that the head does not have, and the place in the head's list.
func (c *comparison) literalRow(bc testCase) (syntax.Node, string) {
	values := map[*term]bool{}
	for _, v := range bc.values {
		values[v] = true
	}
	var row *term
	c.u.spend(len(c.literalRows()))
	for _, t := range c.literalRows() {
		if c.head.origin[t].Valid() || slices.ContainsFunc(t.kids, func(k *term) bool { return !values[k] }) {
			continue
		}
		if row == nil || len(t.kids) > len(row.kids) {
			row = t
		}
	}
	if row == nil {
		return syntax.Node{}, ""
	}
	// A neighbour that is still there shows where the row was.
	at := c.base.origin[row]
	var before []syntax.Node
	for n := range at.Parent().Children() {
		if n == at {
			break
		}
		if !n.IsComment() {
			before = append(before, n)
		}
	}
	for _, n := range slices.Backward(before) {
		if place := c.inHead(n); place.Valid() {
			if next := place.Next(); next.Is(",") && next.Next().Is("tuple") && !c.inBase(next.Next()) {
				place = next.Next() // what replaced it
			}
			return place, showRow(row.kids)
		}
	}
	for n := at.Next(); n.Valid(); n = n.Next() {
		if place := c.inHead(n); place.Valid() {
			return place, showRow(row.kids)
		}
	}
	return syntax.Node{}, ""
}

// literalRows are the tuples that stand in lists of the base's source.
func (c *comparison) literalRows() []*term {
	if c.rows == nil {
		c.rows = []*term{}
		for t, n := range c.base.origin {
			if t.is("tuple") && len(t.kids) > 1 && n.Is("tuple") && n.Parent().Is("list") {
				c.rows = append(c.rows, t)
			}
		}
		slices.SortFunc(c.rows, func(a, b *term) int { return a.id - b.id })
	}
	return c.rows
}

// inHead is where the head has the value that the base has at a node.
func (c *comparison) inHead(n syntax.Node) syntax.Node {
	for _, t := range c.literalRows() {
		if c.base.origin[t] == n {
			return c.head.origin[t]
		}
	}
	return syntax.Node{}
}

// inBase reports whether the base has the value that the head has at a node.
func (c *comparison) inBase(n syntax.Node) bool {
	return slices.ContainsFunc(c.literalRows(), func(t *term) bool { return c.head.origin[t] == n })
}

func (c *comparison) isPerf(b *testFn) bool {
	return strings.Contains(b.key, "perf") || strings.Contains(b.key, "bench")
}

// elsewhere reports whether another test of the head does all that a case did.
func (c *comparison) elsewhere(bc testCase, events []event) bool {
	if c.signatures == nil {
		c.signatures = map[int][][]*term{}
		for _, t := range c.head.tests() {
			cases, known := c.head.cases(t)
			if !known || len(cases) > maxElsewhere {
				continue
			}
			for _, hc := range cases {
				id := signatureOf(c.u, c.head.execute(t, hc))
				c.signatures[id] = append(c.signatures[id], hc.conds)
			}
		}
	}
	return slices.ContainsFunc(c.signatures[signatureOf(c.u, events)], func(conds []*term) bool { return c.implied(conds, bc.conds) })
}

// maxElsewhere bounds the cases of a test in which lost ones are looked for.
const maxElsewhere = 500

// signatureOf is the same for two runs that do the same.
func signatureOf(u *universe, events []event) int {
	return u.raw("run", "", mapEvents(u, events)...).id
}

// skippedForGood reports whether a case does not run at all.
func skippedForGood(events []event) bool {
	return slices.ContainsFunc(events, func(e event) bool { return e.kind == skipped && len(skipConds(e)) == 0 })
}

// skipConds are the conditions of a skip, without earlier skips.
func skipConds(e event) []*term {
	var out []*term
	for _, g := range e.guards {
		if g.kind != onSkip && g.kind != onWith {
			out = append(out, g.t)
		}
	}
	return out
}

// events compares what a case did with what it does.
func (c *comparison) events(before, after []event, bc testCase, h *testFn) {
	if skippedForGood(before) {
		return
	}
	if c.skips(before, after, bc, h) {
		return
	}
	cut := c.cut(before)
	c.checks(slices.DeleteFunc(slices.Clone(before), cut), after, bc)
	c.effects(slices.DeleteFunc(slices.Clone(before), cut), after)
}

// cut reports a return that is new and after which steps of the base do not run any
// more, once for all of them, and tells those steps.
func (c *comparison) cut(before []event) func(event) bool {
	for _, stop := range c.head.stops {
		if slices.ContainsFunc(c.base.stops, func(n syntax.Node) bool { return conditionOf(n) == conditionOf(stop) && n.Squeeze() == stop.Squeeze() }) {
			continue
		}
		fn := stop.Ancestor("function_definition")
		unreached := map[string]bool{}
		for _, n := range fn.Field("body").Find("call", "assert_statement", "assignment", "raise_statement") {
			if n.Span().Start > stop.Span().Start {
				unreached[n.Squeeze()] = true
			}
		}
		within := qualified(fn)
		cut := func(e event) bool {
			return unreached[e.node.Squeeze()] && qualified(e.node.Ancestor("function_definition")) == within
		}
		kind, first := Kind(0), event{}
		for _, e := range before {
			k := map[eventKind]Kind{checked: Checks, measured: Cases, effected: Inputs, stored: Inputs}[e.kind]
			if k != 0 && cut(e) && (kind == 0 || k < kind) {
				kind, first = k, e
			}
		}
		if kind == 0 {
			continue
		}
		when := ""
		if condition := conditionOf(stop); condition != "" {
			when = "where " + quote(condition) + ", "
		}
		name := fn.Field("name").Text()
		c.add(kind, stop, "ends "+name+" "+hash(fn), "%sthis ends `%s` before %s, which ran before", when, name, quoteNode(first.node))
		return cut
	}
	return func(event) bool { return false }
}

// qualified is a function's name with those of the classes and functions around it.
func qualified(fn syntax.Node) string {
	if !fn.Valid() {
		return ""
	}
	return qualified(fn.Ancestor("function_definition", "class_definition")) + "." + fn.Field("name").Text()
}

// stopped reports whether one of the problems from an index on is what cut reports.
func (c *comparison) stopped(from int) bool {
	return slices.ContainsFunc(c.order[from:], func(p *problem) bool { return strings.HasPrefix(p.Construct, "ends ") })
}

// skips reports skips that are new; it says whether the case runs no more.
func (c *comparison) skips(before, after []event, bc testCase, h *testFn) bool {
	for _, e := range after {
		if e.kind != skipped && e.kind != xfailed {
			continue
		}
		for _, conds := range alternatives(skipConds(e)) {
			c.u.spend(len(before))
			if slices.ContainsFunc(before, func(o event) bool {
				return (o.kind == skipped || o.kind == e.kind) && slices.ContainsFunc(alternatives(skipConds(o)), func(old []*term) bool { return c.implied(old, conds) })
			}) {
				continue
			}
			if bc.backend() == candidate && correctness.ForwardOnly(e.text) && (records.TestID{Test: h.key}).Backward() {
				continue
			}
			c.addSkip(e)
			break
		}
	}
	return skippedForGood(after)
}

// alternatives writes a conjunction with disjunctions out as several
// conjunctions, up to a limit.
func alternatives(conds []*term) [][]*term {
	out := [][]*term{nil}
	for _, t := range conds {
		kids := []*term{t}
		if t.is("or") && len(out)*len(t.kids) <= 64 {
			kids = t.kids
		}
		var next [][]*term
		for _, o := range out {
			for _, k := range kids {
				parts := []*term{k}
				if k.is("and") {
					parts = k.kids
				}
				next = append(next, append(slices.Clip(o), parts...))
			}
		}
		out = next
	}
	return out
}

func (c *comparison) addSkip(e event) {
	what := "skips"
	if e.kind == xfailed {
		what = "lets fail"
	}
	condition := conditionOf(e.node)
	text := ""
	if e.text != "" {
		text = " with the reason " + quote(e.text)
	}
	when := ""
	if condition != "" {
		when = " where " + quote(condition)
	}
	c.add(Skips, e.node, what+" "+condition+" "+e.text, "this %s cases that ran before%s%s", what, when, text)
}

// conditionOf is the condition of the if statement around a node.
func conditionOf(n syntax.Node) string {
	var parts []string
	for at := n; ; {
		p := at.Ancestor("if_statement", "elif_clause", "conditional_expression", "function_definition")
		if !p.Valid() || p.Is("function_definition") {
			break
		}
		if cond := p.Field("condition"); cond.Valid() && !n.Inside(cond) {
			text := cond.Squeeze()
			if alt := p.Field("alternative"); alt.Is("else_clause") && n.Inside(alt) {
				text = "not (" + text + ")"
			}
			parts = append(parts, text)
		}
		at = p
	}
	slices.Reverse(parts)
	return strings.Join(parts, " and ")
}

// checks reports comparisons and measurements that are gone or weaker.
func (c *comparison) checks(before, after []event, bc testCase) {
	var old, now []check
	for _, e := range before {
		if e.kind == checked || e.kind == measured {
			old = append(old, c.base.newCheck(e))
		}
	}
	for _, e := range after {
		if e.kind == checked || e.kind == measured {
			now = append(now, c.head.newCheck(e))
		}
	}
	used := make([]bool, len(now))
	var left []check
	for _, o := range old {
		best, at := (*comparison)(nil), -1
		for i, n := range now {
			c.u.spend(1)
			if o.kind != n.kind || o.name != n.name || !c.sameArgs(o, n) {
				continue
			}
			try := c.trial()
			try.pair(o, n, bc)
			if best == nil || len(try.order) < len(best.order) || len(try.order) == len(best.order) && used[at] && !used[i] {
				best, at = try, i
			}
		}
		if best == nil {
			left = append(left, o)
			continue
		}
		used[at] = true
		c.absorb(best)
	}
	for _, o := range left {
		best, at, alike := (*comparison)(nil), -1, false
		for i, n := range now {
			if used[i] || o.kind != n.kind || o.name != n.name {
				continue
			}
			// The same text is the same check, whatever its arguments are now.
			same := o.node.Squeeze() == n.node.Squeeze()
			if alike && !same {
				continue
			}
			try := c.trial()
			try.pair(o, n, bc)
			if best == nil || same && !alike || len(try.order) < len(best.order) {
				best, at, alike = try, i, same
			}
		}
		if best != nil {
			used[at] = true
			c.absorb(best)
			continue
		}
		c.goneCheck(o)
	}
}

// trial is a comparison of one alternative.
func (c *comparison) trial() *comparison {
	c.u.spend(16)
	return &comparison{u: c.u, base: c.base, head: c.head, problems: map[string]*problem{}, current: c.current, total: c.total, fallback: c.fallback}
}

func (c *comparison) goneCheck(o check) {
	if o.kind == measured {
		c.add(Cases, c.fallback, "measurement gone "+o.node.Squeeze(), "the measurement %s is gone", quoteNode(o.node))
		return
	}
	c.add(Checks, c.fallback, "gone "+o.node.Squeeze(), "the check %s (line %d before the change) is gone or was rewritten; a maintainer must look", quoteNode(o.node), o.node.Pos().Line)
}

func (c *comparison) sameArgs(o, n check) bool {
	differs := func(name string) bool { return o.args[name] != n.args[name] && c.u.strictest(name) == nil }
	for name := range o.args {
		if differs(name) {
			return false
		}
	}
	for name := range n.args {
		if differs(name) {
			return false
		}
	}
	return true
}

func argNames(o, n check) []string {
	all := map[string]bool{}
	for k := range o.args {
		all[k] = true
	}
	for k := range n.args {
		all[k] = true
	}
	return sortedKeys(all)
}

// pair compares a check with its successor.
func (c *comparison) pair(o, n check, bc testCase) {
	c.guards(o, n)
	if n.strict < o.strict {
		c.add(Checks, n.node, "weaker "+o.callee, "`%s` compares less than `%s` did: not all of shape, type and stride", n.callee, o.callee)
	}
	if (o.spread || n.spread) && !maps.Equal(o.args, n.args) {
		kind := Checks
		if n.kind == measured {
			kind = Measuring
		}
		c.add(kind, n.node, "arguments "+textOf(n.node), "the arguments of %s, or those that it had, are not followed to their end, so that they cannot be compared; a maintainer must look", quoteNode(n.node))
		return
	}
	for _, name := range argNames(o, n) {
		c.argument(o, n, name)
	}
	c.tolerances(o, n, bc)
}

// guards reports conditions under which a check runs now.
func (c *comparison) guards(o, n check) {
	var given []*term
	for _, g := range o.guards {
		given = append(given, g.t)
	}
	for _, g := range n.guards {
		if g.kind == onSkip || c.holds(g.t, given) {
			continue
		}
		kind, what := Checks, "the check"
		if n.kind == measured {
			kind, what = Cases, "the measurement"
		}
		switch g.kind {
		case onTry:
			c.add(kind, g.node, "try "+n.node.Squeeze(), "%s %s stands in a block that swallows its failure", what, quoteNode(n.node))
		case onWith:
			c.add(kind, g.node, "with "+g.node.Squeeze(), "%s %s now runs inside %s", what, quoteNode(n.node), quoteNode(g.node))
		case onLoop:
			if !c.widerLoop(g.t, o) {
				c.add(kind, g.node, "loop "+n.node.Squeeze(), "%s %s runs in another loop than before", what, quoteNode(n.node))
			}
		case onReturn:
			where := ""
			if condition := conditionOf(g.node); condition != "" {
				where = " where " + quote(condition)
			}
			c.add(kind, g.node, "return "+conditionOf(g.node), "the test returns before %s%s", quoteNode(n.node), where)
		default:
			if g.t.is("raised") || g.t.is("not") && g.t.kids[0].is("raised") {
				c.add(kind, g.node, "handler "+n.node.Squeeze(), "%s %s depends on an exception", what, quoteNode(n.node))
				continue
			}
			c.add(kind, n.node, "condition "+describeTerm(c.head, g.t), "%s %s runs only where %s", what, quoteNode(n.node), quote(describeTerm(c.head, g.t)))
		}
	}
}

// widerLoop reports whether a loop runs over all that a loop of the base did.
func (c *comparison) widerLoop(t *term, o check) bool {
	if !t.is("for") {
		return false
	}
	for _, g := range o.guards {
		if g.kind == onLoop && g.t.is("for") && g.t.kids[0].is("list", "tuple") && t.kids[0].is("list", "tuple") {
			if !slices.ContainsFunc(g.t.kids[0].kids, func(k *term) bool { return !slices.Contains(t.kids[0].kids, k) }) {
				return true
			}
		}
	}
	return false
}

// sides says of what a check's argument is.
var sides = map[string]string{
	"test_fn": "tested", "actual": "tested", "first": "tested", "fn": "tested", "condition": "tested",
	"ref_fn": "expected", "expected": "expected", "second": "expected", "reference_fp16": "expected", "reference_fp32": "expected",
}

// argument compares one argument of a check.
func (c *comparison) argument(o, n check, name string) {
	x, y := o.args[name], n.args[name]
	if x == y {
		return
	}
	at := n.places[name]
	if !at.Valid() {
		at = n.node
	}
	if strict := c.u.strictest(name); strict != nil {
		if old := c.base.option(o, name); old == c.head.option(n, name) {
			return
		}
		if c.head.option(n, name) == strict {
			return
		}
		c.add(Checks, at, "option "+name+" "+textOf(at), "`%s` now makes the check look at less", name)
		return
	}
	if n.kind == measured {
		c.measurement(o, n, name, at)
		return
	}
	if y == nil {
		c.add(Inputs, n.node, "argument gone "+name, "the check %s lost its argument `%s`", quoteNode(n.node), name)
		return
	}
	if x == nil {
		c.add(Checks, at, "argument "+name+" "+textOf(at), "the check has a new argument `%s`; a maintainer must look at whether it compares less", name)
		return
	}
	opposite := opposites[name]
	if opposite != "" && n.args[opposite] == y {
		c.add(Checks, at, "itself "+name, "the check compares a value with itself")
		return
	}
	if onlyOff(x, y) || name == "kwargs" && c.renamed(o, n) {
		return
	}
	if name == "callee" {
		was, is := quoteNode(o.node.Field("function")), quoteNode(n.node.Field("function"))
		what := was + " became " + is
		if was == is {
			what = is + " stands for another one"
		}
		c.add(Checks, n.node, "callee "+o.callee+" "+textOf(n.node), "another function compares: %s; a maintainer must look", what)
		return
	}
	found := c.causes(x, y)
	alone := opposite == "" || o.args[opposite] == n.args[opposite]
	side := sides[name]
	switch {
	case c.within(x, y):
		c.add(Checks, n.node, "narrowed "+textOf(n.node), "only a part or a digest of what was compared is compared: %s", quoteNode(orElse(found[0].at, at)))
	case alone && side == "expected" || c.inReference(x, found[0].was):
		c.changed(found, at, "the reference is another")
	case alone && side == "tested":
		first := found[0]
		c.add(Checks, orElse(first.at, at), "tested "+c.describeCause(first), "what is checked was rewritten: %s; a maintainer must look", c.quoteCause(first))
	default:
		c.changed(found, at, "the input is another")
	}
}

// renamed reports whether two checks give the same functions the same arguments, only
// that the functions' parameters and the names of the arguments are others.
func (c *comparison) renamed(o, n check) bool {
	for _, fn := range []string{"test_fn", "ref_fn"} {
		if o.args[fn] == nil || o.args[fn] != n.args[fn] {
			return false
		}
		was, is := c.base.positions(o.args[fn], o.args["kwargs"]), c.head.positions(n.args[fn], n.args["kwargs"])
		if was == nil || is == nil || !maps.Equal(was, is) {
			return false
		}
	}
	return true
}

// positions are the arguments of a dictionary by the positions of the parameters that a
// function has for them, or nil where that is not known.
func (s *side) positions(fn, kwargs *term) map[int]*term {
	if !fn.is("fn") || !kwargs.is("dict") || !kwargs.concrete() {
		return nil
	}
	given := kwargs.pairs()
	var found map[int]*term
	for _, c := range append(slices.Clone(s.shown[fn]), s.closures[fn]) {
		if c == nil {
			return nil
		}
		at := map[int]*term{}
		i, object := 0, c.bound
		for _, p := range c.node.Field("parameters").NamedChildren() {
			s.u.spend(1)
			name, _ := parameter(p)
			if p.Is("keyword_separator") {
				continue
			}
			if name == "" {
				return nil
			}
			if object {
				object = false
				continue
			}
			if v := given[name]; v != nil {
				at[i] = v
			}
			i++
		}
		if len(at) != len(given) || len(given) != len(kwargs.kids) {
			continue // another function that does the same
		}
		if found != nil && !maps.Equal(found, at) {
			return nil
		}
		found = at
	}
	return found
}

// onlyOff reports whether a dictionary of arguments has nothing new but options
// that are off.
func onlyOff(x, y *term) bool {
	if !x.is("dict") || !y.is("dict") {
		return false
	}
	for _, p := range x.kids {
		if !slices.Contains(y.kids, p) {
			return false
		}
	}
	return !slices.ContainsFunc(y.kids, func(p *term) bool {
		return !slices.Contains(x.kids, p) && !(p.is("pair") && (p.kids[1].is("none") || p.kids[1].is("bool") && p.kids[1].text == "False"))
	})
}

func orElse(n, other syntax.Node) syntax.Node {
	if n.Valid() {
		return n
	}
	return other
}

// opposites are the arguments that a check compares with each other.
var opposites = map[string]string{
	"actual": "expected", "test_fn": "ref_fn", "first": "second", "expected": "actual", "ref_fn": "test_fn", "second": "first",
}

// changed reports that a value is computed in another way. One cause is one
// finding, whichever checks and steps it reaches.
func (c *comparison) changed(found []cause, at syntax.Node, what string) {
	for _, f := range found {
		c.add(Inputs, orElse(f.at, at), "changed "+c.describeCause(f), "%s: %s", what, c.quoteCause(f))
	}
}

// describeCause is a cause in words that stay when lines move.
func (c *comparison) describeCause(f cause) string {
	return describeTerm(c.base, f.was) + " " + describeTerm(c.head, f.is)
}

func (c *comparison) quoteCause(f cause) string {
	was, is := describeTerm(c.base, f.was), describeTerm(c.head, f.is)
	has := func(op string) bool { return len(f.is.find(func(t *term) bool { return t.is(op) })) > 0 }
	switch {
	case was == is && has("unknown"):
		return quote(is) + " is more than is computed here, so that it cannot be compared"
	case was == is && has("closed"):
		return "what " + quote(is) + " does is not followed to its end, and something there changed"
	case was == is:
		return quote(is) + " has another value"
	}
	return quote(was) + " became " + quote(is)
}

func textOf(n syntax.Node) string { return strings.Join(strings.Fields(n.Text()), " ") }

// within reports whether the head compares something made of what the base
// compared.
func (c *comparison) within(x, y *term) bool {
	if x.is("fn") && y.is("fn") && x.text == y.text {
		x, y = x.kids[len(x.kids)-1], y.kids[len(y.kids)-1]
	}
	return x != y && len(x.kids) > 0 && c.u.contains(y, x)
}

// inReference reports whether a part of a check lies in a function that is
// named as the reference.
func (c *comparison) inReference(whole, part *term) bool {
	for _, fn := range whole.find(func(t *term) bool { return t.is("fn") }) {
		if cl := c.base.closures[fn]; cl != nil && strings.Contains(strings.ToLower(cl.node.Field("name").Text()), "ref") && c.u.contains(fn, part) && fn != part {
			return true
		}
	}
	return false
}

// cause is a part in which two values differ.
type cause struct {
	was, is *term
	at      syntax.Node // where the second is written; may be invalid
}

// sameShape reports whether two terms differ in their parts only. Calls of
// different methods differ as a whole.
func sameShape(x, y *term) bool {
	if x.op != y.op || x.text != y.text || len(x.kids) != len(y.kids) {
		return false
	}
	if !x.is("call") {
		return true
	}
	for i := range x.kids {
		if a, b := x.kids[i], y.kids[i]; a.is("kw") != b.is("kw") || a.is("kw") && a.text != b.text {
			return false // a place holds another argument
		}
	}
	return x.kids[0] == y.kids[0] || x.kids[0].op == y.kids[0].op && x.kids[0].text == y.kids[0].text
}

// maxCauses bounds the parts that are told of one difference.
const maxCauses = 8

// causes finds the smallest parts that explain how two terms differ.
func (c *comparison) causes(x, y *term) []cause {
	type pair struct{ x, y *term }
	memo := map[pair][]pair{}
	var visit func(pair) []pair
	visit = func(p pair) []pair {
		if r, ok := memo[p]; ok {
			return r
		}
		var r []pair
		if sameShape(p.x, p.y) {
			for i := range p.x.kids {
				if p.x.kids[i] == p.y.kids[i] {
					continue
				}
				for _, k := range visit(pair{p.x.kids[i], p.y.kids[i]}) {
					if k.y.is("int", "float", "str", "bool", "none", "sym") || !c.head.origin[k.y].Valid() {
						k = p
					}
					if !slices.Contains(r, k) {
						r = append(r, k)
					}
				}
			}
		}
		if len(r) == 0 || len(r) > maxCauses {
			r = []pair{p}
		}
		memo[p] = r
		return r
	}
	var out []cause
	for _, p := range visit(pair{x, y}) {
		out = append(out, cause{p.x, p.y, c.head.origin[p.y]})
	}
	return out
}

// measurement compares an argument of a measurement.
func (c *comparison) measurement(o, n check, name string, at syntax.Node) {
	x, y := o.args[name], n.args[name]
	switch {
	case x == nil || y == nil:
		c.add(Measuring, at, "option "+name+" "+textOf(at), "the measurement %s is made with other options: `%s`", quoteNode(n.node), name)
	case x.is("bool", "int", "float", "none") || y.is("bool", "int", "float", "none") || x.is("cmp", "not", "and", "or"):
		c.add(Measuring, at, "option "+name+" "+textOf(at), "the measurement %s is made with another `%s`", quoteNode(n.node), name)
	default:
		c.changed(c.causes(x, y), at, "what is measured is another")
	}
}

// tolerances compares the limits of a check.
func (c *comparison) tolerances(o, n check, bc testCase) {
	for i, old := range o.tols {
		var now *tolerance
		seen := 0
		for j := range n.tols {
			if n.tols[j].name != old.name {
				continue
			}
			// The same name may occur several times, in the same order.
			if seen == countBefore(o.tols, i) {
				now = &n.tols[j]
				break
			}
			seen++
		}
		if now == nil {
			if old.t != nil {
				c.add(Checks, n.node, "tolerance gone "+old.name, "the limit `%s` of the check is gone", old.name)
			}
			continue
		}
		c.tolerance(o, n, old, *now, bc)
	}
	for _, now := range n.tols {
		if now.t != nil && !slices.ContainsFunc(o.tols, func(t tolerance) bool { return t.name == now.name }) {
			if lo, hi, ok := interval(now.t); ok && lo == 0 && hi == 0 {
				continue
			}
			c.add(Tolerance, c.placeOf(n, now), "new "+now.name+" "+describeTerm(c.head, now.t), "a limit `%s` of %s is new", now.name, quote(describeTerm(c.head, now.t)))
		}
	}
}

func countBefore(list []tolerance, i int) int {
	n := 0
	for _, t := range list[:i] {
		if t.name == list[i].name {
			n++
		}
	}
	return n
}

func (c *comparison) placeOf(n check, t tolerance) syntax.Node {
	if at := n.places[t.name]; at.Valid() {
		return at
	}
	if t.t != nil && strings.Contains(t.name, ".") || t.name == "bound" {
		if at := c.head.origin[t.t]; at.Valid() && at.Inside(n.node) {
			return at
		}
	}
	return n.node
}

func (c *comparison) tolerance(o, n check, old, now tolerance, bc testCase) {
	if old.t == now.t {
		if o.callee == n.callee || old.t != nil && !old.t.is("none") {
			return
		}
	}
	lo, hi, ok := c.base.limits(o, old, dtypeOf(bc, o))
	lo2, hi2, ok2 := c.head.limits(n, now, dtypeOf(bc, n))
	if ok && ok2 {
		if !old.falls && hi2 <= lo || old.falls && lo2 >= hi {
			return
		}
		if c.branchwise(old, now) {
			return
		}
	}
	was, is := "the default", "the default"
	if old.t != nil && !old.t.is("none") {
		was = quote(numberText(c.base, old.t))
	}
	if now.t != nil && !now.t.is("none") {
		is = quote(numberText(c.head, now.t))
	}
	at := c.placeOf(n, now)
	construct := old.name + " " + was + " " + is
	switch {
	case !ok || !ok2:
		c.add(Tolerance, at, construct, "`%s` became %s, which cannot be compared with %s; a maintainer must look", old.name, is, was)
	default:
		c.add(Tolerance, at, construct, "`%s` is looser: %s became %s", old.name, was, is)
	}
}

func numberText(s *side, t *term) string {
	if t.is("int", "float") {
		return t.text
	}
	return describeTerm(s, t)
}

// branchwise reports whether two choices by the same condition are nowhere
// looser.
func (c *comparison) branchwise(old, now tolerance) bool {
	x, y := old.t, now.t
	if x == nil || y == nil || !x.is("ite") || !y.is("ite") || x.kids[0] != y.kids[0] {
		return false
	}
	for i := 1; i <= 2; i++ {
		lo, hi, ok := interval(x.kids[i])
		lo2, hi2, ok2 := interval(y.kids[i])
		if !ok || !ok2 || !old.falls && hi2 > lo || old.falls && lo2 < hi {
			return false
		}
	}
	return true
}
