package triage

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// viewOperand is the signature of strides that do not reach the kernel.
const viewOperand = "S-C32"

// layouts reads what a project prints of its operands' layouts: tables that say of each
// whether it is contiguous and whether its cases pass, pairs of a layout and the same
// made contiguous, and rows that name a layout and an outcome or an error. If those of
// views alone are wrong, strides are not used.
type layouts struct {
	width, flag int // cells of a table's head, the one that tells of contiguous ones; width is 0 outside of one
	packed      int // rows of contiguous layouts that pass
	mixed       bool
	wrong       line            // the first row of another layout that fails
	failing     map[string]line // rows that fail, by their first word
	mended      line            // one of them, the same of which passes when it is made contiguous
	named       namedRows
	copied      line // with an operand made contiguous the same is right
}

// namedRows are rows that name a layout.
type namedRows struct {
	said    [2][2]int  // rows that name an outcome: packed or view, right or wrong
	errs    [2]float64 // largest error of a packed operand, smallest one of a view
	counted [2]int     // rows with an error
	at      line       // the first row of a view that is wrong, or has an error
}

const (
	packedRow = iota
	viewRow
)

// farOff is how much larger the errors of views are when strides are not used.
const farOff = 100

// maxFailing bounds the rows that fail that are remembered.
const maxFailing = 64

var (
	madeRight      = regexp.MustCompile(`\.contiguous\(\)[^:=]{0,24}[:=]+ ?(?:is |are )?(?:equal|identical|match(?:es)?|ok|OK|pass(?:es|ed)?|PASS(?:ED)?|right|correct|agrees)\b`)
	contiguousHead = regexp.MustCompile(`^(is[_ ]?)?contig(uous)?\??$`)
	cellGood       = regexp.MustCompile(`^(ok|OK|[Pp]ass(ed)?|PASS(ED)?|✓|✔)(\b|$)`)
	cellBad        = regexp.MustCompile(`^(FAIL(ED)?|[Ff]ail(ed)?|WRONG|[Ww]rong|[Mm]ismatch\w*|MISMATCH|✗|✘)(\b|$)`)
	flagOf         = map[string]bool{"yes": true, "Yes": true, "true": true, "True": true, "no": false, "No": false, "false": false, "False": false}

	aView      = probe(`\.t\(\)|\.m?T\b|\b(?:transpose|permute|expand|as_strided|swapaxes|narrow)\w*\(|\[[^\]]*::\d+[^\]]*\]|\b(?:transposed|sliced\w*|strided|expanded|permuted|[Nn]on-?contiguous|channels_last(?:_3d)?|NHWC|nhwc)\b`)
	packedName = probe(`\bcontiguous\b(?: ?[=:] ?True)?`)
	rowRight   = regexp.MustCompile(`\b(?:ok|OK|pass(?:ed|es)?|PASS(?:ED)?|match(?:es)?|right|correct)\b`)
	rowWrong   = regexp.MustCompile(`\b(?:BAD|bad|FAIL(?:ED)?|fail(?:ed|s)?|wrong|WRONG|MISMATCH|mismatch|differs?|incorrect)\b`)
	rowError   = regexp.MustCompile(`\b(?:max\w*|err\w*|diff\w*|delta)\b[^\d]{0,16}(\d[\d.]*(?:e[-+]?\d+)?)\s*$`)
)

func (t *layouts) line(l line) {
	t.named.line(l)
	if t.copied.n == 0 && !l.quote && strings.Contains(l.text, "contiguous()") && len(l.text) <= 200 && madeRight.MatchString(l.text) {
		t.copied = l
	}
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
	case t.copied.n > 0:
		sc.explains(viewOperand, wrongValues, t.copied)
	case t.named.tell():
		sc.explains(viewOperand, wrongValues, t.named.at)
	}
}

// line takes a row that names a layout.
func (v *namedRows) line(l line) {
	if len(l.text) > 200 || strings.Contains(l.text, "::test") || strings.Contains(l.text, "Error") || strings.HasPrefix(l.text, "test ") {
		return
	}
	strides := strings.Contains(l.text, "stride")
	kind := -1
	switch {
	case strings.Contains(l.text, "contiguous()"):
		kind = packedRow
	case l.is(aView) || strides && showsView(l.text):
		kind = viewRow
	case l.is(packedName) || strides && strideOf.MatchString(l.text):
		kind = packedRow
	default:
		return
	}
	right, wrong := rowRight.MatchString(l.text), rowWrong.MatchString(l.text)
	switch m := rowError.FindStringSubmatch(l.text); {
	case right != wrong:
		outcome := 0
		if wrong {
			outcome = 1
		}
		v.said[kind][outcome]++
		if wrong && kind == viewRow && v.at.n == 0 {
			v.at = l
		}
	case m != nil:
		e := number(m[1])
		if v.counted[kind] == 0 || kind == packedRow && e > v.errs[kind] || kind == viewRow && e < v.errs[kind] {
			v.errs[kind] = e
		}
		v.counted[kind]++
		if kind == viewRow && v.at.n == 0 {
			v.at = l
		}
	}
}

// tell reports whether views alone are wrong.
func (v *namedRows) tell() bool {
	said := v.said[packedRow][0] > 0 && v.said[packedRow][1] == 0 && v.said[viewRow][0] == 0 && v.said[viewRow][1] > 1
	measured := v.counted[packedRow] > 0 && v.counted[viewRow] > 1 && v.errs[viewRow] > farOff*math.Max(v.errs[packedRow], 1e-6)
	return said || measured
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
