package triage

import (
	"bufio"
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
	window     = 48       // lines that are remembered for Near and Context
	contextFor = 8        // lines after a hit in which its context may follow
)

// Scanner reads logs one after the other. Memory does not grow with their size.
type Scanner struct {
	stages []Stage
	logs   int
	hits   []*hit
	found  map[string]*hit // by signature: the first counts
}

// hit is a match together with what orders it.
type hit struct {
	Match
	weak    bool
	log     int
	order   int
	context bool // the context line was found
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
	quote bool // quotes source code
	diag  bool // begins a compiler diagnostic
}

// pending is a pattern whose Line matched and whose Near has not been seen yet.
type pending struct {
	row    *compiled
	p      *compiledPattern
	at     line
	until  int  // last line that counts
	inDiag bool // counts only until the next diagnostic
}

var (
	// A CI system's timestamp before each line, and its marks of severity.
	stamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z `)
	marks = regexp.MustCompile(`^##\x{200b}?\[\w+\]`)
	// Source as rustc and tracebacks quote it. A message that only stands in quoted
	// source was not printed by the program.
	rustQuote = regexp.MustCompile(`^\d*\s*\|(\s|$)`)
	pyQuote   = regexp.MustCompile(`^(>\s+)?([furbFURB]{0,2}["']|#|//|raise |assert |AssertionError: assert |if |elif |else:|print\(|logger\.|logging\.|warnings\.warn\(|pytest\.(skip|fail|xfail)\(|eprintln!\(|panic!\()|^>\s{2,}`)
	// pytest prints the source of a function indented, from its head to the line
	// that failed, which is marked with >.
	pySource  = regexp.MustCompile(`^ {4,}(async def |def |class |@)`)
	diagStart = regexp.MustCompile(`^(error|warning)(\[[A-Z]\d+\])?:`)
)

// Scan reads a log to its end. name is its file name; some signatures judge a
// report by it. The error is the reader's.
func (s *Scanner) Scan(name string, r io.Reader) error {
	s.logs++
	sc := logScan{Scanner: s, name: name, wanted: make([]bool, len(ready)), counts: map[*compiledExpect]*[2]int{}}
	for i := range ready {
		row := &ready[i]
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
			sc.compare = append(sc.compare, row)
		}
	}
	in := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		raw, err := readLine(in)
		if err == nil || raw != "" {
			sc.line(n, raw)
		}
		if err != nil {
			sc.end()
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("%s: line %d: %w", name, n, err)
		}
	}
}

// readLine is the next line, cut at maxLine.
func readLine(in *bufio.Reader) (string, error) {
	var b []byte
	for {
		part, err := in.ReadSlice('\n')
		if room := maxLine - len(b); room > 0 {
			b = append(b, part[:min(room, len(part))]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return string(b), err
	}
}

// logScan is the state of one log.
type logScan struct {
	*Scanner
	name    string
	wanted  []bool // by place in ready: the row's stage was asked for
	maybe   []int  // patterns that could match the present line
	compare []*compiled
	whole   []*compiled
	counts  map[*compiledExpect]*[2]int // lines that matched When, Line

	recent  []line // the last window lines
	pending []pending
	awaits  []awaited // hits whose context may still follow
	block   comparisonReader
	source  bool // inside of source that pytest quotes
}

type awaited struct {
	hit   *hit
	row   *compiled
	until int
}

func (sc *logScan) line(n int, raw string) {
	shown := strings.TrimRight(untrusted.Text(raw).Plain(), " \t\n")
	if len(shown) > 20 && shown[4] == '-' {
		shown = stamp.ReplaceAllString(shown, "")
	}
	switch {
	case pySource.MatchString(shown):
		sc.source = true
	case shown != "" && shown[0] != '>' && !strings.HasPrefix(shown, "    "):
		sc.source = false
	}
	text := strings.TrimSpace(shown)
	// pytest marks the lines of an error with E.
	if after, ok := strings.CutPrefix(text, "E  "); ok {
		text = strings.TrimSpace(after)
	}
	if strings.HasPrefix(text, "##") {
		text = strings.TrimSpace(marks.ReplaceAllString(text, ""))
	}
	l := line{n: n, text: text, quote: sc.source || rustQuote.MatchString(text) || pyQuote.MatchString(text), diag: diagStart.MatchString(text)}

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
	for _, a := range sc.awaits {
		if !a.hit.context && a.row.context.match(text) {
			a.hit.quote(text)
		}
	}
	sc.awaits = slices.DeleteFunc(sc.awaits, func(a awaited) bool { return a.hit.context || a.until <= n })

	if !l.quote {
		sc.maybe = index.candidates(text, sc.maybe[:0])
		for _, i := range sc.maybe {
			ref := index.refs[i]
			row := &ready[ref.row]
			if !sc.wanted[ref.row] {
				continue
			}
			if h := sc.found[row.ID]; h != nil && !h.weak {
				continue
			}
			if p := &row.any[ref.pattern]; p.line.re.MatchString(text) && (p.not == nil || !p.not.match(text)) {
				sc.candidate(row, p, l)
			}
		}
	}
	if c, ok := sc.block.line(l); ok {
		sc.compared(c)
	}
	sc.recent = append(sc.recent, l)
	if len(sc.recent) > window {
		sc.recent = slices.Delete(sc.recent, 0, len(sc.recent)-window)
	}
}

// candidate is a line that matches a pattern's Line.
func (sc *logScan) candidate(row *compiled, p *compiledPattern, l line) {
	if p.near == nil || p.near.match(l.text) {
		sc.hit(row, p, l)
		return
	}
	inDiag := p.Within == 0
	if !inDiag {
		for i := len(sc.recent) - 1; i >= 0 && sc.recent[i].n >= l.n-p.Within; i-- {
			if !sc.recent[i].quote && p.near.match(sc.recent[i].text) {
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
		case (w.inDiag || !l.quote) && w.p.near.match(l.text):
			sc.hit(w.row, w.p, w.at)
		default:
			keep = append(keep, w)
		}
	}
	sc.pending = keep
}

// hit records a match. The first of a signature counts, but a strong
// alternative replaces a weak one.
func (sc *logScan) hit(row *compiled, p *compiledPattern, l line) {
	// A skipped test explains what is missing, not what failed.
	skipped := strings.HasPrefix(l.text, "SKIPPED")
	h := &hit{weak: row.Weak || skipped, log: sc.logs, order: row.order, Match: Match{
		Signature: row.ID, Stage: row.Stage, Class: row.Class, Also: row.Also, Rules: append([]string{}, row.Rules...),
		Log: untrusted.Text(sc.name), Line: l.n, Excerpt: untrusted.Text(l.text).Cut(maxExcerpt),
		Title: row.Title, Steps: append([]string{}, row.Steps...),
	}}
	if p != nil {
		h.weak = h.weak || p.Weak
		if p.Class != "" {
			h.Class, h.Also = p.Class, p.Also
		}
	}
	if old := sc.found[row.ID]; old != nil {
		if !old.weak || h.weak {
			return
		}
		sc.hits = slices.DeleteFunc(sc.hits, func(x *hit) bool { return x == old })
	}
	sc.found[row.ID] = h
	sc.hits = append(sc.hits, h)
	if row.context == nil {
		return
	}
	// A pattern that waited for its Near has lines after it in recent already.
	for _, r := range sc.recent {
		if r.n > l.n && row.context.match(r.text) {
			h.quote(r.text)
			return
		}
	}
	for i := len(sc.recent) - 1; i >= 0 && !row.ContextAfter; i-- {
		if r := sc.recent[i]; r.n < l.n && row.context.match(r.text) {
			h.quote(r.text)
			return
		}
	}
	sc.awaits = append(sc.awaits, awaited{h, row, l.n + contextFor})
}

// quote adds the context line to the excerpt.
func (h *hit) quote(text string) {
	h.context = true
	h.Excerpt += "\n" + untrusted.Text(text).Cut(maxExcerpt)
}

func (sc *logScan) compared(c Comparison) {
	for _, row := range sc.compare {
		if row.Compare(c) {
			sc.hit(row, nil, c.at)
		}
	}
}

// end judges what needs the whole file.
func (sc *logScan) end() {
	if c, ok := sc.block.end(); ok {
		sc.compared(c)
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
// line the first in matching order stays.
func (s *Scanner) Result() Result {
	hits := slices.Clone(s.hits)
	slices.SortStableFunc(hits, func(a, b *hit) int {
		return cmp.Or(
			compareBool(a.weak, b.weak),
			cmp.Compare(slices.Index(Stages, a.Stage), slices.Index(Stages, b.Stage)),
			cmp.Compare(a.log, b.log),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.order, b.order),
		)
	})
	r := Result{Schema: Schema, Matches: []Match{}}
	for _, h := range hits {
		same := func(m Match) bool { return m.Log == h.Log && m.Line == h.Line && h.Line > 0 }
		if len(r.Matches) < MaxMatches && !slices.ContainsFunc(r.Matches, same) {
			r.Matches = append(r.Matches, h.Match)
		}
	}
	r.Unknown = len(r.Matches) == 0
	return r
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
