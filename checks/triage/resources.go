package triage

import (
	"regexp"
	"slices"
	"strings"
)

// resources reads what compilers tell of the registers that a kernel spills, for the
// two sides of a comparison: the newer spills and the older does not.
type resources struct {
	side     int             // that the lines from here are of: 1 the older, 2 the newer, 0 unknown
	newFirst bool            // tables have the newer side first
	kernel   string          // that the lines from here are of
	none     map[string]bool // quantities of kernels that are 0 on the older side
	columns  [2]int          // of a table, the older side's first, from 0
	width    int             // cells of that table's head, 0 outside of one
	arrows   bool            // its cells hold both sides, with an arrow between them
	spilled  line            // on which the newer side spills
	waiting  map[string]line // what the newer side spills, the older not yet read
}

const (
	spills     = "S-P21"
	maxKernels = 256 // quantities of kernels that are remembered
)

var (
	// spillOf is a quantity that is 0 for a kernel whose values stay in registers.
	spillOf    = regexp.MustCompile(`(?:\b(STACK|LOCAL)|\b(n_spills|(?:[Rr]egister[ _])?[Ss]pills?(?:[ _](?:stores|loads|bytes))?|stack(?:[ _](?:frame|bytes))?))["']?[:= ]{1,3}(\d+)\b(?: ?(?:bytes|B)\b)?(?: ?(?:->|=>|→) ?(\d+)\b)?|\b(\d+) bytes (stack frame|spill stores|spill loads)`)
	olderSide  = probe(`\b(base|baseline|main|before|old)\b`)
	newerSide  = probe(`\b(head|new|pr|PR|candidate|after|current|cur)\b`)
	kernelHead = probe(`\b(?:Function |entry function ')([\w$.]+)`)
	rowName    = regexp.MustCompile(`^\W*(?:(?:base|baseline|main|before|old|head|new|pr|PR|candidate|after|current)\W+)?([A-Za-z_]\w+)\b`)
	cellGap    = regexp.MustCompile(`\s*\|\s*|\s{2,}`)
	arrowGap   = regexp.MustCompile(`\s*(?:->|=>|→)\s*`)
	lastNumber = regexp.MustCompile(`(\d+)\D*$`)
	spillWord  = probe(`[Ss]pill|SPILL|\bstack\b|\bSTACK\b|\blocal_(?:store|load|mem)`)
)

func (r *resources) line(l line) {
	if len(l.text) > 1024 || r.spilled.n > 0 {
		return
	}
	if l.text == "" || beginsStep(l.text) {
		r.width = 0
		return
	}
	older, newer := placeOf(olderSide, l.text), placeOf(newerSide, l.text)
	spill := l.is(spillWord)
	switch {
	case older != nil && newer != nil:
		r.newFirst, r.side = newer[0] < older[0], 0
		if spill {
			r.head(l.text)
		}
	case older != nil:
		r.side = 1
	case newer != nil:
		r.side = 2
	}
	if l.is(kernelHead) {
		r.kernel = strings.Clone(kernelHead.re.FindStringSubmatch(l.text)[1])
	}
	if spill && older == nil && newer == nil {
		r.headOfBoth(l.text)
	}
	if r.width > 0 && older == nil && newer == nil {
		r.row(l)
	}
	if spill || strings.Contains(l.text, "LOCAL") {
		r.quantities(l)
	}
}

// placeOf is where an expression matches a text, nil when it does not.
func placeOf(m *matcher, text string) []int {
	if !m.need.in(text) {
		return nil
	}
	return m.re.FindStringIndex(text)
}

// head takes the head of a table with a column of spills for each side.
func (r *resources) head(text string) {
	r.width = 0
	cells := cellGap.Split(strings.Trim(text, " |"), -1)
	at := [2]int{-1, -1}
	for i, c := range cells {
		switch {
		case !spillWord.match(c):
		case olderSide.match(c) && at[0] < 0:
			at[0] = i
		case newerSide.match(c) && at[1] < 0:
			at[1] = i
		}
	}
	if at[0] >= 0 && at[1] >= 0 {
		r.columns, r.width, r.arrows = at, len(cells), false
	}
}

// headOfBoth takes the head of a table whose column of spills holds both sides.
func (r *resources) headOfBoth(text string) {
	cells := cellGap.Split(strings.Trim(text, " |"), -1)
	if len(cells) < 3 || strings.ContainsAny(text, "0123456789=:") {
		return
	}
	if i := slices.IndexFunc(cells, spillWord.match); i > 0 {
		r.columns, r.width, r.arrows = [2]int{i, i}, len(cells), true
	}
}

// row takes a row of such a table.
func (r *resources) row(l line) {
	cells := cellGap.Split(arrowGap.ReplaceAllString(strings.Trim(l.text, " |"), ">"), -1)
	if len(cells) != r.width {
		return
	}
	if r.arrows {
		if a, b, ok := strings.Cut(cells[r.columns[0]], ">"); ok && number(a) == 0 && number(b) > 0 {
			r.spilled = l
		}
		return
	}
	a, b := lastNumber.FindStringSubmatch(cells[r.columns[0]]), lastNumber.FindStringSubmatch(cells[r.columns[1]])
	if a != nil && b != nil && number(a[1]) == 0 && number(b[1]) > 0 {
		r.spilled = l
	}
}

// quantities takes a line that names what is spilled: of both sides, or of the one
// that is told of.
func (r *resources) quantities(l line) {
	seen := map[string]float64{}
	kernel := r.kernel
	if m := rowName.FindStringSubmatch(l.text); m != nil && kernel == "" && !spillWord.match(m[1]) {
		kernel = m[1]
	}
	for _, m := range spillOf.FindAllStringSubmatch(l.text, 16) {
		what, value := m[1]+m[2]+m[6], number(m[3]+m[5])
		old, both := seen[what]
		if m[4] != "" {
			old, both, value = value, true, number(m[4])
		} else if both && r.newFirst {
			old, value = value, old
		}
		switch {
		case both && old == 0 && value > 0:
			r.spilled = l
			return
		case both:
			delete(seen, what)
		default:
			seen[what] = value
		}
	}
	for what, value := range seen {
		key := kernel + " " + what
		switch {
		case len(r.none) > maxKernels || len(r.waiting) > maxKernels:
		case r.side == 1 && value == 0:
			if r.none == nil {
				r.none = map[string]bool{}
			}
			r.none[key] = true
		case r.side == 2 && value > 0:
			if r.waiting == nil {
				r.waiting = map[string]line{}
			}
			if r.waiting[key].n == 0 {
				r.waiting[key] = l
			}
		}
	}
}

func (r *resources) end(sc *logScan) {
	first := r.spilled
	for key, at := range r.waiting {
		if r.none[key] && (first.n == 0 || at.n < first.n) {
			first = at
		}
	}
	if first.n > 0 {
		sc.explains(spills, slow, first)
	}
}
