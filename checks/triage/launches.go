package triage

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// shortGrid is the signature of a grid that ends before its output does.
const shortGrid = "S-C57"

// launches reads what tests print of launches in one dimension, and of the first element
// that is wrong: a grid that ends exactly there does not cover the output.
type launches struct {
	held    []holding
	covered []extent
	wrong   int // the first wrong element, 0 when none is told
}

// holding is a launch with the number of blocks that the GPU holds at once.
type holding struct {
	grid, fits int
	waits      bool // the line tells of a barrier between blocks
	at         line
}

const gridBarrier = "S-R61"

var (
	residentBlocks = probe(`\b(?:(?:max\w*[ _]?)?(?:active|(?:co-?)?resident)[ _]?(?:blocks?|CTAs?|grid)?|occupancy(?:[ _](?:limit|blocks?|grid))?|blocks that fit)\b\D{0,12}(\d+)`)
	anyGrid        = regexp.MustCompile(`\bgrid(?:_?size|_?dim)? ?[=:] ?[(\[]?(\d+)`)
	blockBarrier   = probe(`[Bb]arrier|grid[_ ]?sync|[Pp]ersistent|[Cc]ooperative|\bspin|[Ss]emaphore|\bflags?\b|look-?back`)
)

// tooMany takes a line that tells how many blocks of a launch fit on the GPU at once.
func (f *launches) tooMany(l line) {
	if len(f.held) == maxLaunches || !l.is(residentBlocks) {
		return
	}
	m, g := residentBlocks.re.FindStringSubmatch(l.text), anyGrid.FindStringSubmatch(l.text)
	if g == nil {
		return
	}
	fits, _ := strconv.Atoi(m[1])
	grid, _ := strconv.Atoi(g[1])
	if fits > 0 && grid > 0 {
		f.held = append(f.held, holding{grid, fits, l.is(blockBarrier), l})
	}
}

// extent is how many elements the blocks of one launch hold.
type extent struct {
	elements int
	at       line
}

// maxLaunches bounds the launches that are kept of one log.
const maxLaunches = 32

var (
	flatGrid   = probe(`\bgrid ?[=:] ?[(\[]?(\d+)(?:, ?1\b){0,2},?[)\]]?(?:[\s,;].*?)?\b(?:BLOCK\w*|block\w*|TILE\w*|tile\w*) ?[=:] ?[(\[]?(\d+)\b`)
	chevrons   = probe(`<<<\(?(\d+)\)?, ?\(?(\d+)\)?(?:, ?[^<>]*)?>>>`)
	firstWrong = probe(`\b[Ff]irst (?:wrong|bad|differing|incorrect|mismatch\w*|unwritten)(?: (?:flat|index|element|idx|value|at|position|offset|is))+\b\D{0,8}(\d+)`)
)

func (f *launches) line(l line) {
	f.tooMany(l)
	if f.wrong == 0 && l.is(firstWrong) {
		f.wrong, _ = strconv.Atoi(firstWrong.re.FindStringSubmatch(l.text)[1])
	}
	if len(f.covered) == maxLaunches {
		return
	}
	var m []string
	switch {
	case l.is(flatGrid):
		m = flatGrid.re.FindStringSubmatch(l.text)
	case l.is(chevrons):
		m = chevrons.re.FindStringSubmatch(l.text)
	default:
		return
	}
	blocks, _ := strconv.Atoi(m[1])
	size, _ := strconv.Atoi(m[2])
	// One block may go through all elements in a loop, which says nothing of the grid.
	if blocks > 1 && size > 1 && size < math.MaxInt32/blocks {
		f.covered = append(f.covered, extent{blocks * size, l})
	}
}

func (f *launches) end(sc *logScan) {
	// A grid that waits for all of its blocks, or the one launch of several that does
	// not fit and is the last.
	if n := len(f.held); n > 0 {
		last := f.held[n-1]
		if last.grid > last.fits && (last.waits || n > 1 && !slices.ContainsFunc(f.held[:n-1], func(r holding) bool { return r.grid > r.fits })) {
			sc.explains(gridBarrier, []string{"S-R34", "S-C12", "S-R25", "S-R67"}, last.at)
		}
	}
	for _, c := range f.covered {
		if c.elements == f.wrong {
			sc.explains(shortGrid, wrongValues, c.at)
			return
		}
	}
}

// timeList reads the list of times of one measurement, and the mean that is printed
// beside it.
type timeList struct {
	times []float64
	first line
	next  int // number of the sample that continues the list
	cold  []cold
	means []float64
}

// cold is a list of which the first time alone makes the mean.
type cold struct {
	mean float64
	at   line
}

const (
	minSamples = 4   // times behind the first one that make a list
	maxCold    = 8   // lists and means that are kept
	muchSlower = 5   // times, of the first sample against each other one
	farSlower  = 50  // times, where the list is shorter
	sameMean   = .02 // relative
)

var (
	sampleRow = probe(`^\W*(?:rep|iter|iteration|run|sample|call|step|trial|launch|round)[ #=_\[]*(\d+)\]?[ :=]+(\d+(?:\.\d+)?) ?(?:ns|us|µs|ms|s)\b`)
	meanOf    = regexp.MustCompile(`\b(?:mean|avg|average)(?: (?:of|over) \d+(?: \w+)?)?\W{1,3}(\d+(?:\.\d+)?)`)
)

func (s *timeList) line(l line) {
	if strings.Contains(l.text, "mean") || strings.Contains(l.text, "av") {
		if m := meanOf.FindStringSubmatch(l.text); m != nil && len(s.means) < maxCold {
			s.means = append(s.means, number(m[1]))
		}
	}
	if !l.is(sampleRow) {
		return
	}
	m := sampleRow.re.FindStringSubmatch(l.text)
	n, err := strconv.Atoi(m[1])
	switch t := number(m[2]); {
	case err != nil || math.IsNaN(t):
	case n == s.next && len(s.times) > 0:
		s.times, s.next = append(s.times, t), n+1
		// A list longer than this tells no more; its mean is taken of what is kept.
		if len(s.times) == 1024 {
			s.done()
		}
	case n <= 1:
		s.done()
		s.times, s.next, s.first = []float64{t}, n+1, l
	}
}

// done judges the list that has ended.
func (s *timeList) done() {
	few := len(s.times) > 2 && s.times[0] > farSlower*slices.Max(s.times[1:])
	if (few || len(s.times) > minSamples && s.times[0] > muchSlower*slices.Max(s.times[1:])) && len(s.cold) < maxCold {
		sum := 0.0
		for _, t := range s.times {
			sum += t
		}
		s.cold = append(s.cold, cold{sum / float64(len(s.times)), s.first})
	}
	s.times = nil
}

func (s *timeList) end(sc *logScan) {
	s.done()
	for _, c := range s.cold {
		if slices.ContainsFunc(s.means, func(m float64) bool { return math.Abs(m-c.mean) <= sameMean*c.mean }) {
			sc.explains(noWarmup, slow, c.at)
			return
		}
	}
}
