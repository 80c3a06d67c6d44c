package triage

import (
	"regexp"
	"slices"
	"strings"
)

// layouts reads what a project prints of its operands' layouts: tables that say of each
// whether it is contiguous and whether its cases pass, and pairs of a layout and the
// same made contiguous.
type layouts struct {
	width, flag int // cells of a table's head, the one that tells of contiguous ones; width is 0 outside of one
	packed      int // rows of contiguous layouts that pass
	mixed       bool
	wrong       line            // the first row of another layout that fails
	failing     map[string]line // rows that fail, by their first word
	mended      line            // one of them, the same of which passes when it is made contiguous
}

// maxFailing bounds the rows that fail that are remembered.
const maxFailing = 64

var (
	contiguousHead = regexp.MustCompile(`^(is[_ ]?)?contig(uous)?\??$`)
	cellGood       = regexp.MustCompile(`^(ok|OK|[Pp]ass(ed)?|PASS(ED)?|✓|✔)(\b|$)`)
	cellBad        = regexp.MustCompile(`^(FAIL(ED)?|[Ff]ail(ed)?|WRONG|[Ww]rong|[Mm]ismatch\w*|MISMATCH|✗|✘)(\b|$)`)
	flagOf         = map[string]bool{"yes": true, "Yes": true, "true": true, "True": true, "no": false, "No": false, "false": false, "False": false}
)

func (t *layouts) line(l line) {
	if l.text == "" || len(l.text) > 512 || strings.HasPrefix(l.text, "====") || beginsStep(l.text) {
		t.width = 0
		return
	}
	head := strings.Contains(l.text, "contig")
	if t.width == 0 && !head && !strings.Contains(l.text, "  ") {
		return
	}
	cells := cellGap.Split(strings.Trim(l.text, " |"), -1)
	if head && !strings.Contains(l.text, ".contiguous()") {
		if i := slices.IndexFunc(cells, contiguousHead.MatchString); i >= 0 && len(cells) > 2 {
			t.width, t.flag = len(cells), i
			return
		}
	}
	good, bad := slices.ContainsFunc(cells, cellGood.MatchString), slices.ContainsFunc(cells, cellBad.MatchString)
	if t.width > 0 {
		t.row(l, cells, good, bad)
	}
	if good == bad || l.quote {
		return
	}
	name, _, made := strings.Cut(cells[0], ".contiguous()")
	name = strings.TrimRight(name, "+ :")
	switch {
	case bad && !made && len(t.failing) < maxFailing:
		if t.failing == nil {
			t.failing = map[string]line{}
		}
		if t.failing[name].n == 0 {
			t.failing[strings.Clone(name)] = l
		}
	case good && made && t.mended.n == 0 && name != "":
		t.mended = t.failing[name]
	}
}

// row takes a row of a table of layouts. A row may lack a cell.
func (t *layouts) row(l line, cells []string, good, bad bool) {
	flag := t.flag
	if len(cells) != t.width {
		flag = slices.IndexFunc(cells, func(c string) bool { _, ok := flagOf[c]; return ok })
	}
	if flag < 0 || flag >= len(cells) {
		return
	}
	contiguous, ok := flagOf[cells[flag]]
	switch {
	case !ok:
	case contiguous && bad:
		t.mixed = true
	case contiguous && good:
		t.packed++
	case bad && t.wrong.n == 0:
		t.wrong = l
	}
}

func (t *layouts) end(sc *logScan) {
	switch {
	case t.packed > 0 && t.wrong.n > 0 && !t.mixed:
		sc.explains(viewOperand, wrongValues, t.wrong)
	case t.mended.n > 0:
		sc.explains(viewOperand, wrongValues, t.mended)
	}
}

// exchanged are options that name a layout in which dimensions are exchanged, as long as
// they do not stand for work of the kernel.
var exchanged = regexp.MustCompile(`(?i)(^|[_=.-])(transposed|permuted)($|[_=.-])`)

// mostPass is how many cases must pass for one that is wrong, where the names of the
// others are not known.
const mostPass = 3

// namedLayouts reports that every wrong case of a function is named after a layout that
// no passing one has, and that most cases of the run pass.
func namedLayouts(cases []Case, unnamed int) *Seen {
	wrong, passed, sure := 0, unnamed, true
	named := map[string]bool{}
	for _, c := range cases {
		if !c.Failed {
			passed++
			continue
		}
		i := slices.IndexFunc(c.params, layout.MatchString)
		if i < 0 {
			i, sure = slices.IndexFunc(c.params, exchanged.MatchString), false
		}
		if i < 0 || !c.maybeWrong() {
			return nil
		}
		wrong++
		named[c.params[i]] = true
	}
	if wrong == 0 || passed < mostPass*wrong || !slices.ContainsFunc(cases, Case.wrong) {
		return nil
	}
	for _, c := range cases {
		if !c.Failed && slices.ContainsFunc(c.params, func(p string) bool { return named[p] }) {
			return nil
		}
	}
	seen := at(cases, "the %d wrong cases are those with a layout that is not packed, and %d other cases pass", wrong, passed)
	seen.weak = !sure
	return seen
}
