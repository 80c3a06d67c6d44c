package triage

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/untrusted"
)

const (
	maxLine    = 64 << 10 // bytes of one line that are looked at
	maxExcerpt = 600      // bytes of an excerpt
	maxCase    = 200      // bytes of the name of a case
	window     = 48       // lines that are remembered for Near and Context
	contextFor = 8        // lines after a hit in which its context may follow
)

// Scanner reads logs one after the other. Memory does not grow with their size.
type Scanner struct {
	stages []Stage
	logs   int
	hits   []*hit
	found  map[string]*hit // by signature: the first counts
	broken bool            // a test case failed
	// damaged says of files what is wrong with them.
	damaged []untrusted.Text
	run     collector // the cases of JUnit files
	shown   collector // the cases of console logs
	quiet   quiet     // of logs that tell of no failure
}

// hit is a match together with what orders it.
type hit struct {
	Match
	rank   Rank
	own    Rank // without regard to where the line stands
	aside  bool // the line is no error of a failing test, as far as is known
	around bool // of an error before or after the call of a case
	// redeemed says that another try followed: it explains and replaces nothing.
	redeemed bool
	log      int
	order    int
	step     int      // of its log, from 0
	context  bool     // the context line was found
	records  bool     // decided from records
	repeat   line     // the first line that matched again, in the last later step in which one did
	with     []string // signatures of which one must have matched too; empty: none must
}

// NewScanner returns a scanner for some stages, or for all when none is named.
func NewScanner(stages ...Stage) *Scanner {
	if len(stages) == 0 {
		stages = Stages
	}
	return &Scanner{stages: stages, found: map[string]*hit{}}
}

// Text matches one log that is in memory, for all stages.
func Text(name, log string) Result {
	s := NewScanner()
	// Reading a string cannot fail.
	_ = s.Scan(name, strings.NewReader(log))
	return s.Result()
}

// line is one line of a log, ready for matching.
type line struct {
	n     int
	text  string
	quote bool  // quotes source code
	diag  bool  // begins a compiler diagnostic
	warn  bool  // is a warning
	aside aside // is no error of a failing test
	// call is of the failed call of a case, around of an error before or after one, where
	// that is known.
	call, around bool
	step         int // of the CI job, from 0
	could        *could
}

// pending is a pattern whose Line matched and whose Near has not been seen yet.
type pending struct {
	row    *compiled
	p      *compiledPattern
	at     line
	until  int  // last line that counts
	inDiag bool // counts only until the next diagnostic
}

// Scan reads a log, or a JUnit file, to its end. name is its file name; some
// signatures judge a report by it. The error is the reader's.
func (s *Scanner) Scan(name string, r io.Reader) error {
	in := bufio.NewReaderSize(r, 64<<10)
	s.logs++
	sc := s.open(name)
	if sc.junitFile = isJUnit(in); sc.junitFile {
		return sc.junit(in)
	}
	if len(sc.whole) == 0 && isDocument(name, in) {
		s.quiet.logs++ // nothing in it is read as a log
		return nil
	}
	var buf []byte
	for n := 1; ; n++ {
		raw, err := readLine(in, &buf)
		if err == nil || len(raw) > 0 {
			sc.raw(n, raw)
		}
		if err != nil {
			sc.end()
			sc.quiet.add(sc.ending)
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("%s: line %d: %w", name, n, err)
		}
	}
}

// open prepares the rows for one log.
func (s *Scanner) open(name string) *logScan {
	rows := ready()
	sc := &logScan{Scanner: s, name: name, wanted: make([]bool, len(rows)), counts: map[*compiledExpect]*[2]int{}, distinct: map[*compiledPattern]map[string]bool{}, failed: -1, ended: -1}
	for i := range rows {
		row := &rows[i]
		if !slices.Contains(s.stages, row.Stage) {
			continue
		}
		if len(row.expect) > 0 {
			if row.file.match(path.Base(strings.ReplaceAll(name, `\`, "/"))) {
				sc.whole = append(sc.whole, row)
				for e := range row.expect {
					sc.counts[&row.expect[e]] = new([2]int)
				}
			}
			continue
		}
		sc.wanted[i] = true
		if row.Compare != nil {
			sc.compares = append(sc.compares, row)
		}
	}
	return sc
}

// readLine is the next line, cut at maxLine. It is valid until the next call; buf
// holds a line that the reader's buffer does not.
func readLine(in *bufio.Reader, buf *[]byte) ([]byte, error) {
	b, err := in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return b[:min(len(b), maxLine)], err
	}
	*buf = append((*buf)[:0], b[:min(len(b), maxLine)]...)
	for errors.Is(err, bufio.ErrBufferFull) {
		b, err = in.ReadSlice('\n')
		*buf = append(*buf, b[:min(len(b), maxLine-len(*buf))]...)
	}
	return *buf, err
}

// logScan is the state of one log.
type logScan struct {
	*Scanner
	name      string
	junitFile bool
	inCase    string // of a JUnit file, whose text is read
	wanted    []bool // by place in ready: the row's stage was asked for
	maybe     []int  // patterns that could match the present line
	could     could  // probes that could match it
	compares  []*compiled
	whole     []*compiled
	counts    map[*compiledExpect]*[2]int // lines that matched When, Line

	recent  [window]line // the last lines, a ring
	seen    int          // lines so far
	pending []pending
	awaits  []awaited // hits whose context may still follow
	block   comparisonReader
	source  bool // inside of source that pytest quotes
	passing bool // inside of what a passing test printed

	compared []Comparison // the first one of the present case

	ending   ending
	console  console
	asides   asides
	regress  regressions
	profile  profile
	abi      abi
	early    conditions
	installs installs
	evidence evidence
	multiple multiples
	pairs    pairs
	printed  printed
	bench    benchmarks
	samples  samples
	usage    resources
	sides    bothSides
	verdicts verdicts
	contrast contrast
	roofline roofline
	stopped  stopped
	rust     rustCases
	raised   raised
	ranks    ranks
	panics   panics
	trials   trials
	faults   testFaults
	symbols  symbols
	grids    grids
	setup    setup
	whose    whose
	unspoken unspoken
	implied  implied
	gtests   gtests
	distinct map[*compiledPattern]map[string]bool
	step     int // steps of a CI job that began
	failed   int // the first step that failed, -1 for none
	ended    int // the first step that the CI system marks as failed, -1 for none
}

type awaited struct {
	hit   *hit
	row   *compiled
	until int
}

// raw takes one line as it stands in the file. Carriage returns divide it: a
// progress bar writes over what it wrote before.
func (sc *logScan) raw(n int, raw []byte) {
	for shown := range strings.SplitSeq(strings.TrimRight(untrusted.Text(raw).Plain(), " \t\n"), "\n") {
		sc.line(n, shown)
	}
}

// line takes one clean line.
func (sc *logScan) line(n int, shown string) {
	stamp := stampOf(shown)
	shown, who := unwrap(shown)
	switch {
	case startsFunction(shown):
		sc.source = true
	case shown != "" && shown[0] != '>' && !strings.HasPrefix(shown, "    "):
		sc.source = false
	}
	text := message(shown)
	l := line{n: n, text: text, quote: sc.source || quotesSource(text), diag: startsDiagnostic(text), warn: warns(shown), could: sc.could.of(text)}
	switch {
	case beginsStep(shown):
		sc.step++
		sc.console.endClose()
		sc.console.section, sc.console.open = nil, ""
	case strings.HasPrefix(text, "test ") && strings.HasSuffix(text, " ... FAILED"):
		sc.broken = true
		if sc.failed < 0 {
			sc.failed = sc.step
		}
	case sc.failed < 0 && failsStep(shown):
		sc.failed = sc.step
	}
	l.step = sc.step
	switch {
	case !sc.junitFile:
		l.aside = sc.asides.line(&sc.console, shown, text)
	case l.is(leftOut):
		l.aside = isNote
	case strings.HasPrefix(shown, "E   ") && !sc.passing:
		sc.asides.fails = true
	}
	if sc.ended < 0 && sc.step > 0 && endsStep(shown) {
		sc.ended = sc.step
	}

	for _, row := range sc.whole {
		for i := range row.expect {
			e := &row.expect[i]
			if e.when != nil && e.when.match(text) {
				sc.counts[e][0]++
			}
			if e.line.match(text) {
				sc.counts[e][1]++
			}
		}
	}
	sc.settle(l)
	node := strings.Contains(text, ".py::") // most lines of a long log name a case
	if len(sc.awaits) > 0 {
		for _, a := range sc.awaits {
			if !a.hit.context && a.row.context.match(text) {
				a.hit.quoteFor(a.row, text)
			}
		}
		sc.awaits = slices.DeleteFunc(sc.awaits, func(a awaited) bool { return a.hit.context || a.until <= n })
	}
	if !sc.junitFile {
		sc.ending.line(text)
		if strings.HasPrefix(text, "_") || strings.HasPrefix(text, "====") {
			if done, ok := sc.block.end(); ok {
				sc.compare(done)
			}
		}
		if sc.console.section != nil {
			sc.block.begin(l)
		}
		sc.stopped.line(l, shown, stamp)
		sc.console.line(l)
		l.call, l.around = sc.console.phase(l)
		sc.regress.line(l)
		sc.profile.line(sc, l)
		sc.abi.line(sc, l)
		sc.grids.line(l)
		sc.multiple.line(l)
		if !node {
			sc.bench.line(l)
			sc.samples.line(l)
			sc.usage.line(l)
			sc.sides.line(l)
			sc.verdicts.line(l)
			sc.contrast.line(l)
			sc.unspoken.line(l)
			sc.implied.line(l)
			sc.roofline.line(l)
			sc.rust.line(l)
			sc.gtests.line(l)
		} else {
			sc.unspoken.scales(l)
		}
	} else if !sc.passing {
		if done, ok := sc.console.close.line(l); ok {
			sc.compare(done)
		}
	}
	if !sc.passing {
		if !node {
			sc.printed.line(l)
			sc.pairs.line(l)
		} else {
			sc.printed.launches.tooMany(l)
			sc.printed.tellsPointer(l)
		}
		sc.symbols.line(l)
		sc.ranks.line(l, who)
		sc.panics.line(l, node)
		sc.trials.line(l, sc.junitFile)
		sc.faults.line(l)
	}
	if !sc.passing {
		sc.raised.line(l, sc.junitFile || strings.HasPrefix(strings.TrimLeft(shown, " "), "E  "))
	}
	if !sc.passing && !node {
		sc.early.line(l)
		sc.installs.line(l)
		sc.evidence.line(l)
		sc.setup.line(l)
		sc.whose.line(l)
	}
	if !l.quote {
		sc.triesAgain(n, text)
		sc.maybe = index().candidates(text, sc.maybe[:0])
		for _, i := range sc.maybe {
			ref := index().refs[i]
			row := &ready()[ref.row]
			if !sc.wanted[ref.row] || sc.passing && !row.Passing {
				continue
			}
			p := &row.any[ref.pattern]
			if p.Fatal && l.warn {
				continue
			}
			if h := sc.found[row.ID]; h != nil && sc.stays(h, row, p, l) {
				if sc.later(h, row, p, l) && p.line.match(text) && (p.not == nil || !p.not.match(text)) && p.near == nil {
					h.repeat = l
					h.repeat.text = strings.Clone(text)
				}
				continue
			}
			if p.line.match(text) && (p.not == nil || !p.not.match(text)) && !l.is(retry) && sc.enough(p, text) {
				sc.candidate(row, p, l)
			}
		}
	}
	if !sc.passing {
		if c, ok := sc.block.line(l); ok {
			sc.compare(c)
		}
	}
	sc.recent[sc.seen%window] = l
	sc.seen++
}

// back is the i-th line before the present one, from 1; ok is false when there is
// none in the window.
func (sc *logScan) back(i int) (l line, ok bool) {
	if i > window || i > sc.seen {
		return line{}, false
	}
	return sc.recent[(sc.seen-i)%window], true
}

// candidate is a line that matches a pattern's Line.
func (sc *logScan) candidate(row *compiled, p *compiledPattern, l line) {
	if p.near == nil || l.is(p.near) {
		sc.hit(row, p, l)
		return
	}
	inDiag := p.Within == 0
	if !inDiag {
		for i := 1; ; i++ {
			r, ok := sc.back(i)
			if !ok || r.n < l.n-p.Within {
				break
			}
			if !r.quote && p.near.match(r.text) {
				sc.hit(row, p, l)
				return
			}
		}
	}
	until := l.n + p.Within
	if inDiag {
		until = l.n + window
	}
	if len(sc.pending) < 256 {
		sc.pending = append(sc.pending, pending{row, p, l, until, inDiag})
	}
}

// settle tries the pending patterns with the next line.
func (sc *logScan) settle(l line) {
	if len(sc.pending) == 0 {
		return
	}
	keep := sc.pending[:0]
	for _, w := range sc.pending {
		switch {
		case l.n > w.until || w.inDiag && l.diag:
		case (w.inDiag || !l.quote) && l.is(w.p.near):
			sc.hit(w.row, w.p, w.at)
		default:
			keep = append(keep, w)
		}
	}
	sc.pending = keep
}

// holds reports whether a hit says at least as much as another of its signature: one
// that stands by itself says more than one that needs others.
func (h *hit) holds(rank Rank, with []string) bool {
	if alone := len(h.with) == 0; alone != (len(with) == 0) {
		return alone
	}
	return h.rank <= rank
}

// stays reports whether a hit is kept and another line of its signature passed over. The
// failed call of a case comes before errors around the calls of others, which pytest
// reports first: where one fault spreads, it was there before them.
func (sc *logScan) stays(h *hit, row *compiled, p *compiledPattern, l line) bool {
	rank := sc.rank(row, p, l)
	if h.around && l.call && h.log == sc.logs && rank <= h.rank {
		return false
	}
	return h.holds(rank, row.withOf(p))
}

// later reports whether a line that matches is to be remembered beside a hit of an
// earlier step: that step may turn out to have passed.
func (sc *logScan) later(h *hit, row *compiled, p *compiledPattern, l line) bool {
	return h.log == sc.logs && h.step < l.step && h.repeat.step < l.step && (sc.failed < 0 || h.repeat.step < sc.failed) &&
		len(h.with) == 0 && len(p.With) == 0 && !row.State && sc.rank(row, p, l) <= h.rank
}

// withOf are the signatures that an alternative explains.
func (c *compiled) withOf(p *compiledPattern) []string {
	if p != nil && len(p.With) > 0 {
		return p.With
	}
	return c.With
}

// againFor counts the lines before the announcement of another try that tell of the
// one that failed.
const againFor = 6

// triesAgain takes back what a machine or a service failed with just before another try:
// it ended nothing. The last try fails without an announcement, and counts.
func (sc *logScan) triesAgain(n int, text string) {
	near := func(h *hit) bool {
		return h.log == sc.logs && h.Line > 0 && n-h.Line <= againFor && h.rank < survived && h.Class != Kernel && h.Class != Host && h.Class != Test
	}
	if !slices.ContainsFunc(sc.hits, near) || !again.match(text) {
		return
	}
	for _, h := range sc.hits {
		if near(h) {
			h.rank, h.own, h.Weak, h.redeemed = survived, survived, true, true
		}
	}
}

// rankOf is the rank of a match of an alternative.
func (c *compiled) rankOf(p *compiledPattern) Rank {
	if p != nil && p.Rank != Specific {
		return p.Rank
	}
	return c.Rank
}

// rank is the rank of a match of an alternative on a line. What stands aside of the
// errors of failing tests comes last.
func (sc *logScan) rank(row *compiled, p *compiledPattern, l line) Rank {
	rank := sc.ownRank(row, p, l)
	if rank > Root && rank < General && besides(row, l) {
		return General
	}
	return rank
}

// ownRank is the rank of a match without regard to where its line stands.
func (sc *logScan) ownRank(row *compiled, p *compiledPattern, l line) Rank {
	rank := row.rankOf(p)
	switch {
	case strings.HasPrefix(l.text, "SKIPPED"):
		// A skipped test explains what is missing, not what failed.
		return skipped
	case l.warn && rank > Root && rank < survived:
		if p != nil && p.Warned > Specific {
			return p.Warned
		}
		if l.is(leavesOut) {
			return max(rank, Weak) // what needs it fails later on
		}
		return survived
	}
	return rank
}

// maxDistinct bounds the values that one pattern counts.
const maxDistinct = 16

// enough reports whether a pattern has seen as many different values as it needs.
func (sc *logScan) enough(p *compiledPattern, text string) bool {
	if p.Distinct < 2 {
		return true
	}
	m := p.line.re.FindStringSubmatch(text)
	if len(m) < 2 {
		return false
	}
	seen := sc.distinct[p]
	if seen == nil {
		seen = map[string]bool{}
		sc.distinct[p] = seen
	}
	if len(seen) < maxDistinct {
		seen[strings.Clone(m[1])] = true
	}
	return len(seen) >= p.Distinct
}

// hit records a match. The first of a signature counts, but a stronger
// alternative replaces a weaker one.
func (sc *logScan) hit(row *compiled, p *compiledPattern, l line) {
	rank := sc.rank(row, p, l)
	old := sc.found[row.ID]
	if old != nil && sc.stays(old, row, p, l) {
		return
	}
	h := sc.newHit(row, rank, l)
	h.own, h.around = sc.ownRank(row, p, l), l.around
	h.aside = h.own != rank
	h.with = row.withOf(p)
	h.Weak, h.Skipped = rank >= Weak, rank == skipped
	if p != nil && p.Class != "" {
		h.Class, h.Also = p.Class, p.Also
	}
	if old != nil {
		sc.hits = slices.DeleteFunc(sc.hits, func(x *hit) bool { return x == old })
	}
	sc.found[row.ID] = h
	sc.hits = append(sc.hits, h)
	if row.context == nil {
		return
	}
	if text := sc.context(row, l.n); text != "" {
		h.quoteFor(row, text)
		return
	}
	sc.awaits = append(sc.awaits, awaited{h, row, l.n + contextFor})
}

// context is the nearest line of the window that a row wants to quote, else "".
// A pattern that waited for its Near has lines after it in the window already.
func (sc *logScan) context(row *compiled, n int) string {
	for i := window; i > 0; i-- {
		if r, ok := sc.back(i); ok && r.n > n && row.context.match(r.text) {
			return r.text
		}
	}
	for i := 1; i <= window && !row.ContextAfter; i++ {
		if r, ok := sc.back(i); ok && r.n < n && row.context.match(r.text) {
			return r.text
		}
	}
	return ""
}

// newHit is a match of a row at a line.
func (sc *logScan) newHit(row *compiled, rank Rank, l line) *hit {
	step := l.step
	if l.n == 0 {
		step = sc.step // of the file as a whole
	}
	h := &hit{rank: rank, log: sc.logs, step: step, order: row.order, Match: row.match(sc.name, l)}
	h.Case = untrusted.Text(sc.caseOf(l)).Cut(maxCase)
	return h
}

// caseOf is the test that a line is of, "" when the log does not tell.
func (sc *logScan) caseOf(l line) string {
	switch {
	case l.n == 0:
		return ""
	case sc.junitFile:
		return sc.inCase
	case strings.Contains(l.text, ".py::"):
		if _, node, _ := nodeIn(l.text); strings.Contains(node, "[") == strings.HasSuffix(node, "]") {
			return node
		}
		return ""
	case sc.console.section != nil && l.n >= sc.console.told:
		return sc.console.section.id()
	}
	return sc.console.open
}

// match is what is published of a hit.
func (c *compiled) match(log string, l line) Match {
	return Match{
		Signature: c.ID, Stage: c.Stage, Class: c.Class, Also: c.Also, Rules: append([]string{}, c.Rules...),
		Log: untrusted.Text(log), Line: l.n, Excerpt: untrusted.Text(l.text).Cut(maxExcerpt),
		Title: c.Title, Steps: append([]string{}, c.Steps...), Alone: c.Alone,
	}
}

// quoteFor adds the context line to the excerpt and, where the row says so, takes
// the class from the file that it names.
func (h *hit) quoteFor(row *compiled, text string) {
	h.quote(text)
	if class := classOf(text); row.ByPlace && class != "" {
		h.Class, h.Also = class, ""
	}
}

// places say whose fault an error in a file is, first match first.
var places = []struct {
	path  *regexp.Regexp
	class Class
}{
	{regexp.MustCompile(`/(registry|toolchains|rustlib)/\S*\.rs:`), Env},
	{regexp.MustCompile(`(^|[\s/])(tests|benches|examples)/\S*\.(rs|py)\b`), Test},
	{regexp.MustCompile(`\bkernel\.rs:`), Kernel},
	{regexp.MustCompile(`\b(ffi|ffi_util|lib|build)\.rs:|/cutile_rs/\w+\.py\b|/backend/\S+\.py\b`), Host},
}

// classOf is the class that a place in the sources has, "" when it says nothing.
func classOf(text string) Class {
	for _, p := range places {
		if p.path.MatchString(text) {
			return p.class
		}
	}
	return ""
}

// quote adds the context line to the excerpt.
func (h *hit) quote(text string) {
	h.context = true
	h.Excerpt += "\n" + untrusted.Text(text).Cut(maxExcerpt)
}

// compare offers a finished comparison to the rows that read one.
func (sc *logScan) compare(c Comparison) {
	if len(sc.compared) < 1 {
		sc.compared = append(sc.compared, c)
	}
	if !sc.junitFile {
		sc.console.compare(c)
	}
	for _, row := range sc.compares {
		if row.Compare(c) {
			sc.hit(row, nil, c.at)
		}
	}
}

// end judges what needs the whole file.
func (sc *logScan) end() {
	if c, ok := sc.block.end(); ok {
		sc.compare(c)
	}
	for _, row := range sc.whole {
		for i := range row.expect {
			e := &row.expect[i]
			when, n := sc.counts[e][0], sc.counts[e][1]
			if e.when != nil && when == 0 || n >= e.Min && (e.Max == 0 || n <= e.Max) {
				continue
			}
			sc.hit(row, nil, line{text: fmt.Sprintf("expected %s, found %d", demand(e.Expect), n)})
			break
		}
	}
	sc.early.end(sc)
	sc.installs.end(sc)
	if !sc.junitFile {
		sc.broken = sc.broken || slices.ContainsFunc(sc.console.order, (*shownCase).bad)
		sc.console.into(&sc.shown, sc.name)
		sc.regress.end(sc)
		sc.profile.end(sc)
		sc.multiple.end(sc)
		sc.bench.end(sc)
		sc.samples.end(sc)
		sc.usage.end(sc)
		sc.sides.end(sc)
		sc.verdicts.end(sc)
		sc.contrast.end(sc)
		sc.roofline.end(sc)
		sc.stopped.end(sc)
		sc.rust.into(&sc.shown, sc.name)
		sc.gtests.into(&sc.shown, sc.name)
		sc.tellOverflow()
		sc.grids.end(sc)
	}
	sc.printed.end(sc)
	sc.pairs.end(sc)
	sc.raised.end(sc)
	sc.ranks.end(sc)
	sc.panics.end(sc)
	sc.trials.end(sc)
	sc.faults.end(sc)
	sc.symbols.end(sc)
	sc.setup.end(sc)
	sc.whose.end(sc)
	sc.evidence.end(sc)
	if !sc.junitFile {
		sc.unspoken.end(sc)
		sc.implied.end(sc)
	}
	sc.settleAsides()
	sc.demote()
}

// demote marks what stands in a step that passed before the first one that failed.
// The steps after the one that ended the job run all the same, to clean up and to
// publish: what fails in them is told after what is known of that one. What a step
// prints of a state, or in explanation of what fails later, is no failure of its own.
func (sc *logScan) demote() {
	mine := func(h *hit) bool { return h.log == sc.logs && h.rank < survived && h.Line > 0 }
	known := slices.ContainsFunc(sc.hits, func(h *hit) bool { return mine(h) && h.step > 0 && h.step == sc.ended })
	for _, h := range sc.hits {
		if !mine(h) || h.rank == Root || h.step == 0 {
			continue
		}
		if row := ready()[h.order]; row.State || h.step < sc.failed && len(h.with) > 0 {
			continue
		}
		if h.step < sc.failed && h.repeat.n > 0 && h.repeat.step == sc.failed {
			h.Line, h.step, h.Excerpt = h.repeat.n, h.repeat.step, untrusted.Text(h.repeat.text).Cut(maxExcerpt)
			continue
		}
		if h.step < sc.failed || known && h.step > sc.ended {
			h.rank, h.Weak = survived, true
		}
	}
}

func demand(e Expect) string {
	switch {
	case e.Max == 0:
		return fmt.Sprintf("at least %d lines like %s", e.Min, e.Line)
	case e.Min == e.Max:
		return fmt.Sprintf("exactly %d lines like %s", e.Min, e.Line)
	}
	return fmt.Sprintf("%d to %d lines like %s", e.Min, e.Max, e.Line)
}

// Result is what all scanned logs say together. Of several signatures on one
// line the first in matching order stays, of one that text and records show the
// better match.
func (s *Scanner) Result() Result {
	run := s.cases()
	hits := append(slices.Clone(s.hits), s.decided(run)...)
	matched := map[string]bool{}
	for _, h := range hits {
		matched[h.Signature] = matched[h.Signature] || !h.redeemed
	}
	has := func(id string) bool { return matched[id] || id == failedCase && s.broken }
	hits = slices.DeleteFunc(hits, func(h *hit) bool {
		explained := func(id string) bool { return id != h.Signature && has(id) }
		if gone := len(h.with) > 0 && !slices.ContainsFunc(h.with, explained); gone {
			delete(matched, h.Signature)
			return true
		}
		return false
	})
	hits = slices.DeleteFunc(hits, func(h *hit) bool { return s.otherType(ready()[h.order].Only) })
	lesser := map[string]bool{}
	for _, row := range ready() {
		if matched[row.ID] {
			for _, id := range row.Over {
				lesser[id] = true
			}
		}
	}
	hits = slices.DeleteFunc(hits, func(h *hit) bool { return lesser[h.Signature] })
	if slices.ContainsFunc(hits, func(h *hit) bool { return h.rank < General }) {
		hits = slices.DeleteFunc(hits, func(h *hit) bool { return ready()[h.order].LastResort })
	}
	slices.SortStableFunc(hits, func(a, b *hit) int {
		return cmp.Or(
			cmp.Compare(a.rank, b.rank),
			cmp.Compare(slices.Index(Stages, a.Stage), slices.Index(Stages, b.Stage)),
			cmp.Compare(a.log, b.log),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.order, b.order),
		)
	})
	r := Result{Schema: Schema, Matches: []Match{}, Damaged: s.damaged}
	for _, h := range hits {
		same := func(m Match) bool {
			return m.Signature == h.Signature || m.Log == h.Log && m.Line == h.Line && h.Line > 0 && !h.records
		}
		if len(r.Matches) < MaxMatches && !slices.ContainsFunc(r.Matches, same) {
			r.Matches = append(r.Matches, h.Match)
		}
	}
	// What is decided from the cases tells of them by itself.
	if len(r.Matches) > 0 && !hits[0].records && (hits[0].Stage == Correctness || hits[0].Stage == Runtime) {
		r.Matches[0].Shared = untrusted.Text(sharedBy(run)).Cut(maxExcerpt)
	}
	r.Unknown = len(r.Matches) == 0
	return r
}

// otherType reports whether a case of another data type than the one failed.
func (s *Scanner) otherType(only string) bool {
	if only == "" {
		return false
	}
	for _, c := range []*collector{&s.run, &s.shown} {
		for _, cases := range c.cases {
			if slices.ContainsFunc(cases, func(k Case) bool {
				t := dtype(k.params)
				if k.Compared != nil && k.Compared.Type != "" {
					t = k.Compared.Type
				}
				return k.Failed && t != "" && t != only
			}) {
				return true
			}
		}
	}
	return false
}

// isJUnit reports whether a stream begins like a JUnit file.
func isJUnit(in *bufio.Reader) bool {
	head, _ := in.Peek(1 << 10)
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\uFEFF")), " \t\r\n")
	return bytes.HasPrefix(head, []byte("<")) && bytes.Contains(head, []byte("<testsuite"))
}

var (
	documentName = regexp.MustCompile(`(?i)\.(md|markdown)$`)
	title        = regexp.MustCompile(`^(?:\s|<!--[^>]*-->)*# \S`)
	markdown     = regexp.MustCompile("(?m)^#{2,4} \\S|^\\|[ :]?-{3,}|^```|\\]\\([^)]+\\)")
)

// isDocument reports whether a stream is a page of documentation, by its name and its
// beginning: a page tells of failures that did not happen.
func isDocument(name string, in *bufio.Reader) bool {
	if !documentName.MatchString(name) {
		return false
	}
	head, _ := in.Peek(16 << 10)
	head = bytes.TrimPrefix(head, []byte("\uFEFF"))
	return title.Match(head) && markdown.Match(head)
}
