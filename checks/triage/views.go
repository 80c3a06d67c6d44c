package triage

import (
	"math"
	"regexp"
	"strings"
)

// viewOperand is the signature of strides that do not reach the kernel.
const viewOperand = "S-C32"

// views reads rows that tests print of one operand in several layouts, each with an
// outcome or an error: if those of views alone are wrong, strides are not used.
type views struct {
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

var (
	aView    = regexp.MustCompile(`\.t\(\)|\.m?T\b|\b(?:transpose|permute|expand|as_strided|swapaxes|narrow)\w*\(|\[[^\]]*::\d+[^\]]*\]|\b(?:transposed|sliced\w*|strided|expanded|permuted|[Nn]on-?contiguous)\b`)
	packed   = regexp.MustCompile(`\bcontiguous\b(?: ?[=:] ?True)?`)
	rowRight = regexp.MustCompile(`\b(?:ok|OK|pass(?:ed|es)?|PASS(?:ED)?|match(?:es)?|right|correct)\b`)
	rowWrong = regexp.MustCompile(`\b(?:BAD|bad|FAIL(?:ED)?|fail(?:ed|s)?|wrong|WRONG|MISMATCH|mismatch|differs?|incorrect)\b`)
	rowError = regexp.MustCompile(`\b(?:max\w*|err\w*|diff\w*|delta)\b[^\d]{0,16}(\d[\d.]*(?:e[-+]?\d+)?)\s*$`)
)

func (v *views) line(l line) {
	if len(l.text) > 200 || strings.Contains(l.text, "::test") || strings.Contains(l.text, "Error") || strings.HasPrefix(l.text, "test ") {
		return
	}
	strides := strings.Contains(l.text, "stride")
	kind := -1
	switch {
	case strings.Contains(l.text, "contiguous()"):
		kind = packedRow
	case aView.MatchString(l.text) || strides && showsView(l.text):
		kind = viewRow
	case packed.MatchString(l.text) || strides && strideOf.MatchString(l.text):
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

func (v *views) end(sc *logScan) {
	told := v.said[packedRow][0] > 0 && v.said[packedRow][1] == 0 && v.said[viewRow][0] == 0 && v.said[viewRow][1] > 1
	measured := v.counted[packedRow] > 0 && v.counted[viewRow] > 1 && v.errs[viewRow] > farOff*math.Max(v.errs[packedRow], 1e-6)
	if told || measured {
		sc.explains(viewOperand, wrongValues, v.at)
	}
}
