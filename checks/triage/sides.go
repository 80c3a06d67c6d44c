package triage

import (
	"regexp"
	"slices"
	"strings"
)

// bothSides reads tables of benchmarks with a column of times for the base and one for the
// run, and other figures of both sides.
type bothSides struct {
	columns   [2]int // of a table, the base's first
	width     int    // cells of its head, 0 outside of one
	blank     int    // lines since its last row
	base      []float64
	more      []float64 // what the run takes beyond the base
	first     line
	constant  line   // a table in which each size takes as much more
	occupancy int    // line that last names an occupancy
	emptier   line   // on which the run's occupancy is far below the base's
	warps     [2]int // columns of a table of occupancies, the base's first
	cells     int    // of that table's head, 0 outside of one
	function  string
	config    map[string]string // by function and key that a tuner worked for
	key       string
	choice    line // on which it chooses another one than before
	runs      []testRun
}

// testRun is how one run of pytest ended, by its last line.
type testRun struct {
	failed bool
	total  int
	at     line
}

const (
	fewSizes      = 4    // sizes of a table that tell something
	wideSizes     = 5    // times that the largest of the base's times exceeds the smallest
	constantPart  = 0.15 // by which a constant amount varies, relative
	tellingPart   = 0.2  // of the smallest time, that a constant amount must be
	emptierPart   = 0.8  // of the base's occupancy, below which the run's is lower
	occupancyNear = 6    // lines after the word in which its figures stand
	maxRuns       = 64
)

var (
	bothShares = regexp.MustCompile(`\b(?:main|base(?:line)?|before|old)\b\D{0,6}(\d+(?:\.\d+)?) ?%.{0,12}\b(?:PR|pr|head|new|cur(?:rent)?|after|candidate)\b\D{0,6}(\d+(?:\.\d+)?) ?%`)
	shareArrow = regexp.MustCompile(`(\d+(?:\.\d+)?) ?% ?(?:->|→|=>|\|) ?(\d+(?:\.\d+)?) ?%`)
	tunedFor   = regexp.MustCompile(`utotuning for function (\w+)`)
	withKey    = regexp.MustCompile(`^with key as (\(.*\))`)
	bestConfig = regexp.MustCompile(`^best config selected: (.+?);?$`)
	runEnded   = regexp.MustCompile(`^(?:=+ )?(?:(\d+) failed)?(?:, )?(?:(\d+) passed)?(?:, \d+ \w+)* in [\d.]+s`)
)

func (s *bothSides) line(l line) {
	if l.quote && !strings.HasPrefix(l.text, "|") || len(l.text) > 1024 {
		return
	}
	if s.width > 0 {
		s.row(l)
	}
	if strings.Contains(l.text, "us") || strings.Contains(l.text, "ms") || strings.Contains(l.text, "µs") {
		s.head(l)
	}
	if strings.Contains(l.text, "ccupancy") {
		s.occupancy = l.n
	}
	if s.cells > 0 || l.is(warpsWord) {
		s.table(l)
	}
	if s.emptier.n == 0 && s.occupancy > 0 && l.n-s.occupancy <= occupancyNear && strings.Contains(l.text, "%") {
		m := bothShares.FindStringSubmatch(l.text)
		if m == nil {
			m = shareArrow.FindStringSubmatch(l.text)
		}
		if m != nil && number(m[2]) < emptierPart*number(m[1]) {
			s.emptier = l
		}
	}
	s.tuned(l)
	if len(s.runs) < maxRuns && strings.Contains(l.text, " in ") && (strings.Contains(l.text, " passed") || strings.Contains(l.text, " failed")) {
		if m := runEnded.FindStringSubmatch(l.text); m != nil && m[1]+m[2] != "" {
			count := func(text string) int {
				if text == "" {
					return 0
				}
				return int(number(text))
			}
			s.runs = append(s.runs, testRun{count(m[1]) > 0, count(m[1]) + count(m[2]), l})
		}
	}
}

// warpsWord names how many blocks or warps a multiprocessor holds.
var warpsWord = probe(`[Oo]ccupancy|\b(?:blocks|warps|CTAs|ctas) ?(?:/|per) ?SM\b|\bactive[_ ]warps\b`)

// table takes the head and the rows of a table with occupancies of both sides.
func (s *bothSides) table(l line) {
	row := cellGap.Split(strings.Trim(l.text, " |"), -1)
	if l.is(warpsWord) {
		at := [2]int{-1, -1}
		for i, c := range row {
			switch {
			case !warpsWord.match(c):
			case olderSide.match(c):
				at[0] = i
			case newerSide.match(c):
				at[1] = i
			}
		}
		if s.cells = 0; at[0] >= 0 && at[1] >= 0 {
			s.warps, s.cells = at, len(row)
		}
		return
	}
	if len(row) != s.cells {
		s.cells = 0
		return
	}
	a, b := number(strings.TrimRight(row[s.warps[0]], " %")), number(strings.TrimRight(row[s.warps[1]], " %"))
	if a > 0 && b > 0 && b < emptierPart*a && s.emptier.n == 0 {
		s.emptier = l
	}
}

// sideWords are what the name of a column holds for the base and for the run.
var sideWords = [2][]string{{"base", "baseline", "main", "before", "old"}, {"cur", "current", "head", "new", "pr", "after", "candidate", "run"}}

// head takes the head of a table with a column of times for each side.
func (s *bothSides) head(l line) {
	if !strings.Contains(l.text, "base") && !strings.Contains(l.text, "main") && !strings.Contains(l.text, "before") && !strings.Contains(l.text, "old") {
		return
	}
	words := strings.Fields(strings.ReplaceAll(l.text, "|", " "))
	if len(words) < 3 || len(words) > 10 {
		return
	}
	at := [2]int{-1, -1}
	for i, w := range words {
		parts := strings.FieldsFunc(strings.ToLower(w), func(r rune) bool { return r == '_' || r == '(' || r == ')' || r == '/' || r == '.' })
		for side, names := range sideWords {
			if len(parts) <= 2 && slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(names, p) }) {
				if at[side] < 0 {
					at[side] = i
				} else {
					return
				}
			}
		}
	}
	if at[0] >= 0 && at[1] >= 0 && at[0] != at[1] {
		s.judge()
		s.columns, s.width, s.blank = at, len(words), 0
	}
}

func (s *bothSides) row(l line) {
	words := strings.Fields(strings.ReplaceAll(l.text, "|", " "))
	if len(words) == s.width {
		a, b := number(words[s.columns[0]]), number(words[s.columns[1]])
		if a > 0 && b > 0 && len(s.base) < maxPairs {
			if len(s.base) == 0 {
				s.first = l
			}
			s.base, s.more, s.blank = append(s.base, a), append(s.more, b-a), 0
			return
		}
	}
	if s.blank++; s.blank > 1 {
		s.judge()
	}
}

// judge ends a table and sees whether all sizes take as much more.
func (s *bothSides) judge() {
	base, more := s.base, s.more
	s.base, s.more, s.width, s.blank = nil, nil, 0, 0
	if len(base) < fewSizes || s.constant.n > 0 {
		return
	}
	smallest, low, high := slices.Min(base), slices.Min(more), slices.Max(more)
	if slices.Max(base) >= wideSizes*smallest && low >= tellingPart*smallest && high-low <= constantPart*high {
		s.constant = s.first
	}
}

// tuned takes what Triton prints of a tuner's choice.
func (s *bothSides) tuned(l line) {
	if !strings.Contains(l.text, "utotuning for function") && !strings.HasPrefix(l.text, "with key as") && !strings.HasPrefix(l.text, "best config selected") {
		return
	}
	if m := tunedFor.FindStringSubmatch(l.text); m != nil {
		s.function, s.key = strings.Clone(m[1]), ""
	} else if m := withKey.FindStringSubmatch(l.text); m != nil {
		s.key = strings.Clone(m[1])
	} else if m := bestConfig.FindStringSubmatch(l.text); m != nil && s.key != "" {
		name := s.function + " " + s.key
		switch old := s.config[name]; {
		case old == "" && len(s.config) < maxDistinct:
			if s.config == nil {
				s.config = map[string]string{}
			}
			s.config[name] = strings.Clone(m[1])
		case old != "" && old != m[1] && s.choice.n == 0:
			s.choice = l
		}
	}
}

func (s *bothSides) end(sc *logScan) {
	s.judge()
	if s.constant.n > 0 {
		sc.explains(hostTime, slow, s.constant)
	}
	if s.emptier.n > 0 {
		sc.explains(notFilled, slow, s.emptier)
	}
	if s.choice.n > 0 {
		sc.explains(otherChoice, slow, s.choice)
	}
	if at := s.turns(); at.n > 0 {
		sc.explains(endsOtherwise, wrongValues, at)
	}
}

// turns is the end of a run of the same tests that ended otherwise than the one before
// it, where the outcome changed at least twice; no line where it did not.
func (s *bothSides) turns() line {
	changes := 0
	var at line
	for i := 1; i < len(s.runs); i++ {
		if s.runs[i].total != s.runs[0].total {
			return line{}
		}
		if s.runs[i].failed != s.runs[i-1].failed {
			changes++
			at = s.runs[i].at
		}
	}
	if changes < 2 {
		return line{}
	}
	return at
}

const (
	notFilled     = "S-P41"
	endsOtherwise = "S-C19"
)
