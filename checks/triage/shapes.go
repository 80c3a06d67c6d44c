package triage

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// captured are options that say that a launch was captured and replayed.
var captured = regexp.MustCompile(`(?i)(^|[_=.-])(cuda_?)?(graphs?|replay\w*|captur\w+)($|[_=.-])`)

// replayed is S-C48: the wrong cases are those that replay a captured graph.
func replayed(run Run) *Seen {
	return only(run, "that replay a captured graph", func(c Case) bool { return slices.ContainsFunc(c.params, captured.MatchString) })
}

// only reports that the wrong cases of a function, and no others of it, are those of a
// kind.
func only(run Run, kind string, is func(Case) bool) *Seen {
	for _, f := range run.functions {
		wrong, passing, clear := 0, run.Unnamed, true
		for _, c := range f {
			switch {
			case c.Failed && is(c) && c.maybeWrong():
				wrong++
			case c.Failed || is(c):
				clear = false
			default:
				passing++
			}
		}
		if clear && wrong > 0 && passing > 0 && slices.ContainsFunc(f, Case.wrong) {
			return at(f, "the %d wrong cases are those %s", wrong, kind)
		}
	}
	return nil
}

// outerIndex is S-C49: the wrong cases are those in which one parameter is more than 1.
func outerIndex(run Run) *Seen {
	for _, f := range run.functions {
		if wrongType(f) != "" || !slices.ContainsFunc(f, Case.wrong) || slices.ContainsFunc(f, func(c Case) bool { return c.Failed && !c.maybeWrong() }) {
			continue
		}
		same, option := variant(f)
		for p := range same[0].params {
			wrong := 0
			for _, c := range same {
				if c.Failed {
					wrong++
				}
			}
			if wrong > 1 && len(same) > wrong && splits(same, p, func(n int) bool { return n > 1 }) {
				return at(same, "the wrong cases are those whose parameter %d is more than 1%s", p+1, option)
			}
		}
	}
	return nil
}

// lengths are the names of the numbers of queries and of keys in the names of cases.
var lengths = [2]*regexp.Regexp{
	regexp.MustCompile(`(?i)(?:^|[-_\[(=, ])(?:sq|lq|seq_?len_?q|q_?len|s_?q|n?queries|m)[=_]?(\d+)`),
	regexp.MustCompile(`(?i)(?:^|[-_\[(=, ])(?:skv?|lkv?|seq_?len_?kv?|kv?_?len|s_?kv?|n?keys|n)[=_]?(\d+)`),
}

// causalCorner is S-C55 by the cases: with a causal mask those are wrong in which the
// numbers of queries and of keys differ, and those with as many of both pass.
func causalCorner(run Run) *Seen {
	for _, f := range run.functions {
		wrong, square := 0, 0
		for _, c := range f {
			name := c.ID.Test + "-" + strings.Join(c.ID.Params, "-")
			lower := strings.ToLower(name)
			if !strings.Contains(lower, "causal") || strings.Contains(lower, "non_causal") || strings.Contains(lower, "noncausal") || strings.Contains(lower, "causal=false") {
				if c.Failed {
					wrong = -len(f) - 1
				}
				continue
			}
			q, k := lengths[0].FindStringSubmatch(name), lengths[1].FindStringSubmatch(name)
			switch {
			case q == nil || k == nil:
				wrong = -len(f) - 1
			case c.Failed && q[1] != k[1] && c.maybeWrong():
				wrong++
			case !c.Failed && q[1] == k[1]:
				square++
			default:
				wrong = -len(f) - 1
			}
		}
		if wrong > 0 && square > 0 {
			return at(f, "with the causal mask the %d wrong cases are those with other numbers of queries and keys", wrong)
		}
	}
	return nil
}

// notSquare is S-C50: the wrong cases are those in which two sizes differ.
func notSquare(run Run) *Seen {
	for _, f := range run.functions {
		if !slices.ContainsFunc(f, Case.wrong) || slices.ContainsFunc(f, func(c Case) bool { return c.Failed && !c.maybeWrong() }) {
			continue
		}
		same, option := variant(f)
		for p := range same[0].params {
			for q := p + 1; q < len(same[0].params); q++ {
				if differing(same, p, q) {
					return at(same, "the wrong cases are those whose parameters %d and %d differ%s", p+1, q+1, option)
				}
			}
		}
	}
	return nil
}

// differing reports whether the cases that fail are exactly those in which two sizes
// differ, two of each at least.
func differing(cases []Case, p, q int) bool {
	failed, passed := 0, 0
	for _, c := range cases {
		if q >= len(c.params) {
			return false
		}
		a, okA := size(c.params[p])
		b, okB := size(c.params[q])
		if !okA || !okB || (a != b) != c.Failed {
			return false
		}
		if c.Failed {
			failed++
		} else {
			passed++
		}
	}
	return failed > 1 && passed > 1
}

// raggedNames is S-C06 for a log that names only the cases that fail: each of them has
// a size that fits no tile.
func raggedNames(run Run) *Seen {
	if run.Unnamed == 0 {
		return nil
	}
	for _, f := range run.functions {
		failed := 0
		for _, c := range f {
			if !c.Failed || !c.maybeWrong() || !slices.ContainsFunc(c.params, func(p string) bool { n, ok := size(p); return ok && n > 16 && n%16 != 0 }) {
				failed = -1
				break
			}
			failed++
		}
		if failed > 1 && run.Unnamed > failed && slices.ContainsFunc(f, Case.wrong) {
			seen := at(f, "all %d cases that fail have a size that is no multiple of 16, and %d others pass", failed, run.Unnamed)
			seen.weak = true
			return seen
		}
	}
	return nil
}

// samples reads lists of times and rows of percentiles.
type samples struct {
	first       line   // a list whose first value is far above the others
	level, tail line   // rows: the median is level, the slowest is not
	columns     [3]int // of a table: of the largest, the mean and the median, each 0 when it has none
	cold        line   // a row of which a few times alone make the mean
	cpu         float64
	host        line // the host's time is far above the GPU's
}

const (
	firstSlow = 5 // times the largest of the others
	tailSlow  = 1.5
	coldMean  = 3  // times the median, from which the mean tells of single slow calls
	coldMax   = 20 // times the median, of the slowest of them
	hostBound = 3  // times the GPU's time, of the host's
)

var (
	sampleList = regexp.MustCompile(`(?i)(?:samples?|times?|runs?|iter\w*)\b[^\[]{0,24}\[([\d., ]+)\]`)
	percentile = probe(`(?:^|[\s/|])(p50|median|p99|p95|max|mean)\b[^\d]{0,20}([\d.]+) ?(us|ms|µs|ns|s)?[\s|]+([\d.]+) ?(us|ms|µs|ns|s)?`)
	unitOf     = map[string]float64{"ns": 1e-3, "us": 1, "µs": 1, "ms": 1e3, "s": 1e6, "": 1}
)

// tableHead is the head of a table of pytest-benchmark.
var tableHead = probe(`^Name \(time in (?:ns|us|ms|s)\) .*\bMax\b.*\bMean\b.*\bMedian\b`)

// table takes a row of a table of times, whose cells may have the ratio to the best
// one behind them in brackets.
func (s *samples) table(l line) {
	if l.is(tableHead) {
		s.columns = [3]int{}
		_, names, _ := strings.Cut(l.text, ") ")
		for i, name := range strings.Fields(names) {
			if at := slices.Index([]string{"Max", "Mean", "Median"}, name); at >= 0 {
				s.columns[at] = i
			}
		}
		return
	}
	if s.columns[0] == 0 || s.cold.n > 0 {
		return
	}
	if !strings.HasPrefix(l.text, "test") && !strings.HasPrefix(l.text, "bench") {
		if l.text == "" {
			s.columns = [3]int{}
		}
		return
	}
	var cells []float64
	for _, f := range strings.Fields(l.text)[1:] {
		if f[0] >= '0' && f[0] <= '9' && !strings.Contains(f, ";") {
			cells = append(cells, number(strings.ReplaceAll(f, ",", "")))
		}
	}
	if len(cells) <= max(s.columns[0], s.columns[1], s.columns[2]) {
		return
	}
	if median := cells[s.columns[2]]; median > 0 && cells[s.columns[1]] > coldMean*median && cells[s.columns[0]] > coldMax*median {
		s.cold = l
	}
}

// totals takes the sums below a table of torch's profiler.
func (s *samples) totals(l line) {
	sum, gpu := strings.CutPrefix(l.text, "Self CUDA time total: ")
	if !gpu {
		if sum, gpu = strings.CutPrefix(l.text, "Self CPU time total: "); !gpu {
			return
		}
		s.cpu = micros(sum)
		return
	}
	if s.host.n == 0 && s.cpu > hostBound*micros(sum) {
		s.host = l
	}
	s.cpu = 0
}

// micros is a time with its unit behind it in microseconds, NaN for anything else.
func micros(text string) float64 {
	text = strings.TrimSpace(text)
	value := strings.TrimRight(text, "nuµms")
	unit, known := unitOf[text[len(value):]]
	if !known {
		return math.NaN()
	}
	return number(value) * unit
}

func (s *samples) line(l line) {
	if strings.HasPrefix(l.text, "Self C") {
		s.totals(l)
	}
	if s.columns[0] > 0 || strings.HasPrefix(l.text, "Name (time") {
		s.table(l)
	}
	if i := strings.IndexByte(l.text, '['); s.first.n == 0 && i >= 0 && i+1 < len(l.text) && l.text[i+1] >= '0' && l.text[i+1] <= '9' {
		if m := sampleList.FindStringSubmatch(l.text); m != nil {
			all := figures(m[1])
			if len(all) >= 4 && all[0] > firstSlow*slices.Max(all[1:]) && slices.Min(all[1:]) > 0 {
				s.first = l
			}
		}
	}
	if !percentile.need.in(l.text) {
		return
	}
	m := percentile.re.FindStringSubmatch(l.text)
	if m == nil {
		return
	}
	a, b := number(m[2])*unitOf[m[3]], number(m[4])*unitOf[m[5]]
	switch ratio := max(a, b) / min(a, b); {
	case !(ratio > 0):
	case (m[1] == "p50" || m[1] == "median") && ratio < 1.05:
		s.level = l
	case m[1] != "p50" && m[1] != "median" && ratio > tailSlow && s.tail.n == 0:
		s.tail = l
	}
}

func (s *samples) end(sc *logScan) {
	if s.first.n > 0 {
		sc.explains(noWarmup, slow, s.first)
	}
	if s.cold.n > 0 {
		sc.explains(noWarmup, slow, s.cold)
	}
	if s.host.n > 0 {
		sc.explains(hostTime, slow, s.host)
	}
	if s.level.n > 0 && s.tail.n > 0 {
		sc.explains(slowTail, slow, s.tail)
	}
}

// Signatures that lists of times decide.
const (
	noWarmup = "S-P11"
	slowTail = "S-P34"
)
