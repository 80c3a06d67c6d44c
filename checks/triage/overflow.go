package triage

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/untrusted"
)

const (
	overflow32 = "S-R45"
	count32    = 1 << 31 // elements from which a signed index of 32 bits wraps
)

var (
	launchGrid   = regexp.MustCompile(`(?:\[|\bgrid\b ?[=:]? ?)[(\[](\d+)\b(?:, ?(\d+))?|\b(?:n_)?rows?(?: ?[=:] ?)(\d+)\b`)
	launchStride = regexp.MustCompile(`\b\w*strides?\w*(?:\(\d*\))?(?: ?[=:] ?| )[(\[]?(\d+)(:i64)?\b`)
	// printedIndex is an index that a case prints, with its type.
	printedIndex = regexp.MustCompile(`\b(?:idx|ind(?:ex|ices)|slots?|rows?|block_?(?:table|id|idx)\w*|pages?|page_table|token_?ids?|positions?)\b ?[=:]? *(?:tensor\()?\[*([\d, ]*\d)\]*(?:.*dtype=torch\.(\w+))?`)
	noSize       = regexp.MustCompile(`(?i)seed|iter|repeat|warm|alpha|beta|theta|base|eps|scale`)
)

// spans takes a line that tells of a launch with its grid and its strides.
func (f *facts) spans(text string) {
	if len(text) > 4096 {
		return
	}
	grid, stride := 0.0, 0.0
	for _, m := range launchStride.FindAllStringSubmatch(text, 16) {
		f.wide = f.wide || m[2] != ""
		stride = max(stride, number(m[1]))
	}
	for _, m := range launchGrid.FindAllStringSubmatch(text, 8) {
		for _, n := range m[1:] {
			if n != "" {
				grid = max(grid, number(n))
			}
		}
	}
	f.step = max(f.step, stride)
	f.far = f.far || grid > 1 && stride > 1 && grid*stride >= count32
}

// indexes takes a line that prints an index into the outermost dimension.
func (f *facts) indexes(text string) {
	m := printedIndex.FindStringSubmatch(text)
	if m == nil || len(text) > 4096 || strings.Contains(text, "out of bounds") {
		return
	}
	f.wide = f.wide || m[2] == "int64"
	for _, n := range figures(m[1]) {
		f.index = max(f.index, n)
	}
}

// farSizes reports whether two sizes of a case, or a shape among its parameters, count
// more elements than 32 bits.
func farSizes(params []string) bool {
	var all []int
	for _, p := range params {
		if name, _, ok := strings.Cut(p, "="); ok && noSize.MatchString(name) {
			continue
		}
		product, sizes := 1, apartSizes([]string{p})
		for _, s := range sizes {
			n, ok := size(s)
			if !ok || n >= count32 {
				product = 0
				continue
			}
			all = append(all, n)
			if product > 0 && product < count32 {
				product *= n
			}
		}
		if len(sizes) > 1 && product >= count32 {
			return true
		}
	}
	slices.Sort(all)
	n := len(all)
	return n > 1 && all[n-1]*all[n-2] >= count32
}

// tellOverflow sees whether the case that failed first accessed memory that is not its
// own while its sizes, or those of its launch, pass what 32 bits count, and no case of
// the same test that passes has such sizes.
func (sc *logScan) tellOverflow() {
	k := sc.console.culprit()
	if k == nil || !k.stray || k.wide {
		return
	}
	ids := records.NewIDParser()
	id := ids.Parse(k.class, k.name)
	k.far = k.far || k.index*k.step >= count32
	far := func(params []string) bool { return farSizes(params) || farIndex(params, sc.printed.stride) }
	if !k.far && !far(id.Params) {
		return
	}
	for _, o := range sc.console.order {
		if !o.passed || o.bad() {
			continue
		}
		if other := ids.Parse(o.class, o.name); other.Function() == id.Function() && far(other.Params) && (wideType(id.Params) || !wideType(other.Params)) {
			return
		}
	}
	sc.explains(overflow32, []string{"S-R06"}, k.head)
	if h := sc.found[overflow32]; h != nil && h.log == sc.logs && h.Line == k.head.n {
		h.Case = untrusted.Text(k.id()).Cut(maxCase)
	}
}

// counters are names of parameters that count rows or entries of the outermost dimension.
var counters = regexp.MustCompile(`(?i)(^|_)(idx|ind(ex|ices)|rows?|slots?|blocks?|pages?|entry|entries|tokens?|offset|start|pos)`)

// farIndex reports whether an index that names a parameter, times the largest stride that
// the log tells of, passes what 32 bits count.
func farIndex(params []string, stride float64) bool {
	for _, p := range params {
		name, v, named := strings.Cut(p, "=")
		if !named {
			name = strings.TrimRight(p, "0123456789")
			v = p[len(name):]
			named = v != ""
		}
		if named && counters.MatchString(name) && number(v)*stride >= count32 {
			return true
		}
	}
	return false
}

// wideType reports whether a case names an integer type of 64 bits.
func wideType(params []string) bool {
	return slices.ContainsFunc(params, func(p string) bool {
		v := strings.TrimPrefix(value(p), "torch.")
		return v == "int64" || v == "i64" || v == "long"
	})
}
