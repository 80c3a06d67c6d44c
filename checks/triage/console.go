package triage

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/records"
)

// console collects the cases that pytest prints: their outcomes, and the
// comparisons that stand in the part that tells of a failed one.
type console struct {
	cases   map[string]*shownCase
	order   []*shownCase
	section *shownCase // whose failure is told
	open    string     // node that was named, its outcome not yet printed
	loose   []Comparison
	close   closeReader
	told    int                 // line on which the section began
	passes  bool                // what passed cases printed is told
	tuning  bool                // a tuner worked in the open case
	passed  int                 // cases that passed, by pytest's last line
	dots    int                 // by its progress
	setup   bool                // the section tells of an error before or after the call
	after   *shownCase          // that failed on the last line but a few, with no more said of it
	unlike  bool                // a line that is of no case says that values differ
	argsOf  map[string][]string // the names of a test's parameters, by the test
	// first is what ended badly first in the order of execution, as the progress tells:
	// F, the call of a case, or E, an error around one; 0 when it does not tell.
	first byte
}

// shownCase is one case. The same test may run more than once in one log.
type shownCase struct {
	class, name          string
	line                 int
	passed, failed, told bool
	head                 line   // with which the report of its call's failure begins
	rerun                bool   // was run again by a plugin
	reason               string // behind its name in pytest's summary
	compared             []Comparison
	facts
}

const (
	maxCompared = 8 // comparisons that are kept of one case
	maxLoose    = 64
	toldWithin  = 4 // lines below the name of a case that are about it
	maxTests    = 512
)

var (
	// heading is the line with which pytest begins to tell of a failed case.
	heading = regexp.MustCompile(`^_{1,} (?:ERROR at (setup|teardown|call) of )?([^ \[]+(?:\[.*\])?)(?: \(rerun \d+\))? _{1,}$`)
	// bareResult is a case without its file, and how it ended.
	bareResult = regexp.MustCompile(`^(test_\w+(?:\[[^\]]*\])?) +(?:\.\.\. )?(PASSED|FAILED)$`)
	// testHead is the head of a test's function, with its parameters.
	testHead = regexp.MustCompile(`^(?:E +|> +)?(?:async )?def (test\w*)\(([\w, ]+)\):$`)
	// plainValue is a parameter that does not name itself.
	plainValue = regexp.MustCompile(`^(?:\d+(?:\.\d+)?(?:e-?\d+)?|True|False)$`)
	// valuesVersus are the values of both sides in a message.
	valuesVersus = regexp.MustCompile(`\bAssertionError: .*\b(?:with|got|at) (-?\d+\.\d+(?:e[-+]?\d+)?) vs\.? (-?\d+\.\d+(?:e[-+]?\d+)?)\b`)
	// summed is pytest's last line, with the number of cases that passed.
	summed = regexp.MustCompile(`^(?:=+ )?(?:\d+ (?:failed|errors?), )*(\d+) passed\b.* in [0-9.]+s`)
)

// outcomes are pytest's words.
var outcomes = map[string]bool{"PASSED": true, "FAILED": true, "ERROR": true, "SKIPPED": true, "XFAIL": true, "XPASS": true, "RERUN": true}

func (c *console) line(l line) {
	switch {
	case strings.HasPrefix(l.text, "_"):
		if m := heading.FindStringSubmatch(l.text); m != nil {
			c.endClose()
			class, name := splitNode(m[2])
			c.told, c.setup = l.n, m[1] == "setup" || m[1] == "teardown"
			if c.section = c.named(class, name, l.n); c.section != nil {
				c.section.told = c.section.told || !c.passes
				if !c.setup && !c.passes && c.section.head.n == 0 {
					c.section.head = l
					c.section.head.text = strings.Clone(l.text)
				}
			}
			return
		}
	case strings.HasPrefix(l.text, "===="):
		c.endClose()
		c.section, c.open = nil, ""
		c.passes = strings.Contains(l.text, "PASSES ")
	}
	if strings.Contains(l.text, " passed") {
		if m := summed.FindStringSubmatch(l.text); m != nil {
			c.passed = int(number(m[1]))
		}
	}
	c.arguments(l)
	switch {
	case c.section == nil:
		c.unlike = c.unlike || !l.quote && !l.warn && saysUnlike(l.text)
	case !l.quote:
		c.section.tells(l.text)
		c.section.pair(l)
	case strings.HasPrefix(l.text, "AssertionError: assert "):
		c.section.stall(l.text)
	}
	if c.told == 0 && strings.Contains(l.text, ".py ") {
		if m := progress.FindStringSubmatch(l.text); m != nil {
			c.dots += strings.Count(m[1], ".")
		}
	}
	if c.first == 0 && c.told == 0 {
		c.first = firstBad(l.text)
	}
	if strings.Contains(l.text, ".py::") {
		c.result(l)
		return
	}
	if strings.HasPrefix(l.text, "test_") {
		if m := bareResult.FindStringSubmatch(l.text); m != nil {
			c.ended(m[1], m[2], l.n)
			return
		}
	}
	if c.open != "" {
		if word, _, _ := strings.Cut(l.text, " "); outcomes[word] {
			if k := c.ended(c.open, word, l.n); k != nil {
				k.tuned = c.tuning
			}
			c.open = ""
		} else if tunes(l.text) {
			c.tuning = true
		}
	}
	if done, ok := c.close.line(l); ok {
		c.compare(done)
	}
}

func (c *console) endClose() {
	if done, ok := c.close.end(); ok {
		c.compare(done)
	}
}

// compare files a comparison under the case that is told of.
func (c *console) compare(done Comparison) {
	switch {
	case c.section != nil && len(c.section.compared) < maxCompared:
		c.section.compared = append(c.section.compared, done)
	case c.after != nil && done.at.n <= c.after.line+toldWithin && len(c.after.compared) < maxCompared:
		c.after.compared = append(c.after.compared, done)
	case c.section == nil && len(c.loose) < maxLoose:
		c.loose = append(c.loose, done)
	}
}

// nodeIn finds the id of a case in a line, which may hold spaces between brackets, and
// what stands before and after it.
func nodeIn(text string) (before, node, after string) {
	i := strings.Index(text, ".py::")
	start := strings.LastIndexByte(text[:i], ' ') + 1
	end, depth := len(text), 0
	for k := i; k < len(text); k++ {
		switch text[k] {
		case '[':
			depth++
		case ']':
			depth--
		case ' ':
			if depth > 0 {
				continue
			}
			end = k
		}
		if end < len(text) {
			break
		}
	}
	if depth > 0 {
		// It is cut off: the first word of it is all that is sure.
		if k := strings.IndexByte(text[i:], ' '); k >= 0 {
			end = i + k
		}
	}
	return text[:start], text[start:end], text[end:]
}

// firstOutcome is the first of pytest's words in a text, looking at a few words only.
func firstOutcome(text string) (word, rest string) {
	for i := 0; text != "" && i < 8; i++ {
		var field string
		field, text, _ = strings.Cut(strings.TrimLeft(text, " "), " ")
		if outcomes[field] {
			return field, text
		}
	}
	return "", ""
}

// result takes a line that names a case, perhaps with its outcome.
func (c *console) result(l line) {
	before, node, after := nodeIn(l.text)
	if strings.Contains(node, "[") != strings.HasSuffix(node, "]") {
		return
	}
	word, _ := firstOutcome(before)
	rest := after
	if word == "" {
		word, rest = firstOutcome(after)
	}
	if word == "" {
		c.open = ""
		if before == "" {
			c.open = strings.Clone(node)
			c.tuning = tunes(after)
		}
		return
	}
	k := c.ended(node, word, l.n)
	c.after = nil
	if word == "FAILED" && before != "" && after == "" {
		c.after = k
	}
	if reason, ok := strings.CutPrefix(strings.TrimSpace(rest), "- "); ok && word == "FAILED" && k != nil {
		k.reason = strings.Clone(reason[:min(len(reason), 40)])
		k.pair(l)
	}
}

// tunes reports whether a line tells that a tuner works.
func tunes(text string) bool {
	return strings.Contains(text, "utotuning for ") || strings.Contains(text, "utotuning kernel ") || strings.Contains(text, "utotune:") || strings.Contains(text, "[autotune]") || strings.Contains(text, "tuning configs")
}

// ended notes how a case ended.
func (c *console) ended(node, word string, line int) *shownCase {
	class, name := splitNode(node)
	k := c.named(class, name, line)
	if k != nil {
		k.set(word, line)
	}
	if c.first == 0 && c.told == 0 && (word == "FAILED" || word == "ERROR") {
		c.first = word[0]
	}
	return k
}

// progress is a line in which pytest shows a letter for each case.
var progress = regexp.MustCompile(`^(?:\S+\.py )?([.FEsxXRr]+)(?: *\[ *\d+%\])?$`)

// firstBad is the first letter of a line of pytest's progress that tells of a failure,
// 0 for none.
func firstBad(text string) byte {
	if !strings.HasPrefix(text, ".") && !strings.HasPrefix(text, "F") && !strings.HasPrefix(text, "E") && !strings.HasPrefix(text, "s") && !strings.Contains(text, ".py ") {
		return 0
	}
	if m := progress.FindStringSubmatch(text); m != nil {
		if i := strings.IndexAny(m[1], "FE"); i >= 0 {
			return m[1][i]
		}
	}
	return 0
}

// phase says whether a line tells of the call of a case, or of an error around one
// that came after a failed call: pytest reports the errors first.
func (c *console) phase(l line) (call, around bool) {
	switch {
	case c.first == 'E':
	case c.section != nil:
		call, around = !c.setup, c.setup
	case strings.Contains(l.text, ".py::"):
		call, around = strings.HasPrefix(l.text, "FAILED "), strings.HasPrefix(l.text, "ERROR ")
	}
	return call && !c.passes, around
}

// culprit is the case whose call failed first, nil when an error around a call came
// before it.
func (c *console) culprit() *shownCase {
	var first *shownCase
	for _, k := range c.order {
		if k.head.n > 0 && (first == nil || k.head.n < first.head.n) {
			first = k
		}
	}
	if c.first == 'E' {
		return nil
	}
	return first
}

// pair takes a message that shows the values of both sides where they differ most.
func (k *shownCase) pair(l line) {
	if len(k.compared) > 0 || !strings.Contains(l.text, " vs ") {
		return
	}
	m := valuesVersus.FindStringSubmatch(l.text)
	if m == nil {
		return
	}
	k.unlike = true
	got, want, unknown := number(m[1]), number(m[2]), number("")
	apart, large := math.Abs(got-want), math.Abs(want)
	k.compared = append(k.compared, Comparison{Matched: unknown, Ref: Range{-large, large}, Test: Range{unknown, unknown}, MaxAbs: apart, MaxRel: apart / large, RTol: unknown, AllowedAbs: unknown, AllowedRel: unknown, at: l})
}

func (k *shownCase) set(word string, line int) {
	switch word {
	case "PASSED":
		k.passed = true
	case "FAILED", "ERROR":
		if !k.failed {
			k.line = line
		}
		k.failed = true
	case "RERUN":
		k.rerun = true
	}
}

// id is the case as pytest names it in its report of failures.
func (k *shownCase) id() string {
	if k.class == "" {
		return k.name
	}
	return k.class + "::" + k.name
}

// asserts reports whether a reason is an assertion, perhaps cut off at the terminal's
// width.
func asserts(reason string) bool {
	begun, cut := strings.CutSuffix(reason, "...")
	return strings.HasPrefix(reason, "AssertionError") || cut && len(begun) > 2 && strings.HasPrefix("AssertionError", begun)
}

// bad reports whether the case failed, or is told of as one that did.
func (k *shownCase) bad() bool { return k.failed || k.told }

// named is the case of that name, nil when there are too many.
func (c *console) named(class, name string, line int) *shownCase {
	key := class + "." + name
	if k := c.cases[key]; k != nil {
		return k
	}
	if len(c.order) >= maxCases {
		return nil
	}
	if c.cases == nil {
		c.cases = map[string]*shownCase{}
	}
	k := &shownCase{class: strings.Clone(class), name: strings.Clone(name), line: line}
	c.cases[key] = k
	c.order = append(c.order, k)
	return k
}

// splitNode divides a node id, or the dotted name of a heading, which lacks the
// file: class and name are the same for both.
func splitNode(node string) (class, name string) {
	base, params, _ := strings.Cut(node, "[")
	if params != "" {
		params = "[" + params
	}
	if i := strings.Index(base, ".py::"); i >= 0 {
		base = strings.ReplaceAll(base[i+len(".py::"):], "::", ".")
	}
	i := strings.LastIndex(base, ".")
	if i < 0 {
		return "", base + params
	}
	return base[:i], base[i+1:] + params
}

// arguments takes the head of a test's function, which names its parameters.
func (c *console) arguments(l line) {
	if !strings.Contains(l.text, "def test") || len(c.argsOf) >= maxTests {
		return
	}
	m := testHead.FindStringSubmatch(l.text)
	if m == nil {
		return
	}
	var names []string
	for name := range strings.SplitSeq(m[2], ",") {
		if name = strings.TrimSpace(name); name != "" && name != "self" {
			names = append(names, strings.Clone(name))
		}
	}
	if c.argsOf == nil {
		c.argsOf = map[string][]string{}
	}
	c.argsOf[strings.Clone(m[1])] = names
}

// spelled is the name of a case in which plain values stand behind the names of their
// parameters, as far as the log shows the function.
func (c *console) spelled(name string) string {
	base, params, ok := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	names := c.argsOf[base]
	if !ok || len(names) == 0 {
		return name
	}
	values := strings.Split(params, "-")
	if len(values) != len(names) {
		return name
	}
	for i, v := range values {
		if plainValue.MatchString(v) {
			values[i] = names[i] + "=" + v
		}
	}
	return base + "[" + strings.Join(values, "-") + "]"
}

// looseTells gives what a log tells of no case to the cases that failed, where it tells of
// none of them what failed.
func (c *console) looseTells() {
	if !c.unlike && len(c.loose) == 0 {
		return
	}
	first := true
	for _, k := range c.order {
		if k.bad() && (k.told || len(k.compared) > 0 || k.unlike || k.stray) {
			return
		}
	}
	for _, k := range c.order {
		if !k.bad() || k.reason != "" && !asserts(k.reason) {
			continue
		}
		k.unlike = true
		if first && len(c.loose) > 0 {
			k.compared = c.loose[:1]
		}
		first = false
	}
}

// into adds the cases to a collector.
func (c *console) into(to *collector, log string) {
	c.endClose()
	c.looseTells()
	named := 0
	for _, k := range c.order {
		k.given, k.got = nil, nil
		failed := k.bad()
		if k.passed && !failed {
			named++
		}
		tc := records.Case{Class: k.class, Name: c.spelled(k.name), Line: k.line, Outcome: records.Passed}
		switch {
		case failed:
			tc.Outcome = records.Failed
		case !k.passed && !(k.rerun && c.passed > 0):
			// One that was run again and is not among the failures has passed.
			continue
		}
		var first *Comparison
		if len(k.compared) > 0 {
			first = &k.compared[0]
		}
		var shares []float64
		for _, x := range k.compared {
			shares = append(shares, x.Matched)
		}
		said := ""
		if tc.Name != k.name {
			said = k.id()
		}
		to.addShown(tc, first, log, shown{
			name:   said,
			unsaid: failed && first == nil && (k.reason == "" || asserts(k.reason)),
			again:  k.rerun && !failed || k.rerun && varies(shares),
			facts:  k.facts,
		})
	}
	if c.passed == 0 {
		c.passed = c.dots
	}
	to.unnamed += max(0, c.passed-named)
	to.loose = append(to.loose, c.loose...)
}

// varies reports whether the share of close elements differs between the runs of
// one test.
func varies(shares []float64) bool {
	return len(shares) > 1 && slices.Max(shares)-slices.Min(shares) > 0.5
}

// regressions reads the regression check of TileGym's benchmarks: which backends
// became slower, and what the log says of the machines.
type regressions struct {
	inside  bool
	at      line
	backend string
	slower  map[string]int
	total   int
	sides   [2]machine // of the run and of the baseline
	named   line       // the last that names a machine
	watts   [2]float64 // the power limit that is set, and the one that the GPU comes with
	limited line       // that tells of the first
}

// machine is what a line says of the machine of one side.
type machine struct{ gpu, driver, clock string }

var (
	regressed = regexp.MustCompile(`FOUND [1-9]\d* REGRESSION\(S\)`)
	sideOf    = regexp.MustCompile(`^(?i:(current|this run|candidate)|(baseline|reference|previous run)) ?: .*NVIDIA `)
	gpuOf     = regexp.MustCompile(`NVIDIA ([^,;()|]+)`)
	driverOf  = regexp.MustCompile(`driver[ :=]+(\d+)`)
	clockOf   = regexp.MustCompile(`(?:clock_sm_mhz|SM(?: clock)?)[ :=]+(\d+)`)
	powerOf   = regexp.MustCompile(`^(Current|Enforced|Requested|Default)? ?Power Limit *: *(\d+(?:\.\d+)?) W`)
	slowerBy  = regexp.MustCompile(`^Change: (-\d+(?:\.\d+)?)%`)
)

// The signatures of a benchmark check.
const (
	oneSlower = "S-P10"
	allSlower = "S-P12"
	elsewhere = "S-P16"
	clocks    = "S-P14"
)

func (r *regressions) line(l line) {
	if strings.Contains(l.text, "NVIDIA ") {
		if m := sideOf.FindStringSubmatch(l.text); m != nil && r.sides[1].gpu == "" {
			first := func(re *regexp.Regexp) string {
				if g := re.FindStringSubmatch(l.text); g != nil {
					return strings.Clone(strings.TrimSpace(g[1]))
				}
				return ""
			}
			side := 0
			if m[2] != "" {
				side = 1
			}
			r.sides[side] = machine{first(gpuOf), first(driverOf), first(clockOf)}
			r.named = l
		}
	}
	if strings.HasSuffix(l.text, " W") && strings.Contains(l.text, "Power Limit") {
		if m := powerOf.FindStringSubmatch(l.text); m != nil {
			if m[1] == "Default" {
				r.watts[1] = number(m[2])
			} else {
				r.watts[0], r.limited = number(m[2]), l
			}
		}
	}
	switch {
	case strings.Contains(l.text, " REGRESSION(S)") && regressed.MatchString(l.text):
		if r.slower == nil {
			r.inside, r.at, r.slower = true, l, map[string]int{}
		}
	case !r.inside:
	case strings.Contains(l.text, "CHANGE(S)") || strings.Contains(l.text, "IMPROVEMENT(S)") || strings.Contains(l.text, "RECOMMENDATION"):
		r.inside = false
	case strings.HasPrefix(l.text, "Backend: "):
		r.backend, _, _ = strings.Cut(strings.TrimPrefix(l.text, "Backend: "), ",")
	case strings.HasPrefix(l.text, "Change: "):
		if m := slowerBy.FindStringSubmatch(l.text); m != nil && r.backend != "" {
			if change, err := strconv.ParseFloat(m[1], 64); err == nil && change < 0 && (r.slower[r.backend] > 0 || len(r.slower) < maxDistinct) {
				r.slower[strings.Clone(r.backend)]++
				r.total++
			}
		}
	}
}

// end says whether one backend became slower or all of them: then it is the
// machine and not the change.
func (r *regressions) end(sc *logScan) {
	if a, b := r.sides[0], r.sides[1]; a.gpu != "" && b.gpu != "" && (a.gpu != b.gpu || differ(a.driver, b.driver) || differ(a.clock, b.clock)) {
		sc.event(elsewhere, r.named)
	}
	if r.watts[0] > 0 && r.watts[0] < 0.9*r.watts[1] {
		sc.explains(clocks, slow, r.limited)
	}
	most := 0
	for _, n := range r.slower {
		most = max(most, n)
	}
	switch {
	case r.total == 0:
	case len(r.slower) >= 3 && 10*most < 7*r.total:
		sc.event(allSlower, r.at)
	default:
		sc.event(oneSlower, r.at)
	}
}

// differ reports whether both are known and not the same.
func differ(a, b string) bool { return a != "" && b != "" && a != b }
