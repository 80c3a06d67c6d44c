package triage

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

// each gives what the first test function shows that matches.
func each(decide func(cases []Case) *Seen) func(Run) *Seen {
	return func(run Run) *Seen {
		for _, f := range run.functions {
			if seen := decide(f); seen != nil {
				return seen
			}
		}
		return nil
	}
}

// at is a sentence about the first failed case.
func at(cases []Case, format string, args ...any) *Seen {
	i := slices.IndexFunc(cases, func(c Case) bool { return c.Failed })
	return &Seen{What: fmt.Sprintf(format, args...), log: cases[i].log, line: cases[i].line}
}

// wrongType is the one data type whose cases all have wrong values while all
// cases of other types pass, "" for none.
func wrongType(cases []Case) string {
	var wrong, passed []string
	for _, c := range cases {
		t := dtype(c.params)
		switch {
		case t == "" || c.Failed && !c.maybeWrong():
			return ""
		case c.Failed && !slices.Contains(wrong, t):
			wrong = append(wrong, t)
		case !c.Failed && !slices.Contains(passed, t):
			passed = append(passed, t)
		}
	}
	if !slices.ContainsFunc(cases, Case.wrong) || len(wrong) != 1 || len(passed) == 0 || slices.Contains(passed, wrong[0]) {
		return ""
	}
	return wrong[0]
}

// products are operations of which the precision of a matrix product decides.
var products = []string{"matmul", "gemm", "mm", "linear", "conv", "attention", "attn", "dot", "einsum", "proj", "mlp"}

// tf32Error is the largest error of products of TF32, for inputs of the usual size and
// sums of some thousands.
const tf32Error = 0.3

// slightly reports whether all wrong values are off by little: by at most 5 % of
// the largest value, and some match.
func slightly(cases []Case) bool {
	for _, c := range cases {
		if c.wrong() && math.IsNaN(c.Compared.Ref.Size()) && isOp(c.ID.Kernel+c.ID.Test, products...) && c.Compared.Matched > 0 && c.Compared.MaxAbs <= tf32Error {
			continue
		}
		if c.wrong() && !(!(c.Compared.Matched <= 0) && c.Compared.MaxAbs <= 0.05*c.Compared.Ref.Size()) {
			return false
		}
	}
	return true
}

// onlyFP32 is S-C03.
func onlyFP32(cases []Case) *Seen {
	if wrongType(cases) != "float32" || !slightly(cases) {
		return nil
	}
	return at(cases, "every float32 case differs by little, and all cases of other types pass")
}

// onlyOneType is S-C04.
func onlyOneType(cases []Case) *Seen {
	t := wrongType(cases)
	if t == "" || onlyFP32(cases) != nil {
		return nil
	}
	return at(cases, "every %s case has wrong values, and all cases of other types pass", t)
}

// smCounts are the numbers of streaming multiprocessors of GPUs that kernels are
// tuned on. 128 is left out: it is a tile size too.
var smCounts = []int{48, 84, 108, 114, 132, 142, 144, 148, 160, 170, 188}

// uncut are parameters that count what no tile divides.
var uncut = regexp.MustCompile(`(?i)^(?:bs|\w*batch(?:es|_?size)?|(?:num_?|n_?)?\w*heads?\w*|h_?kv|hkv|gqa\w*|\w*splits?\w*|split_?k\w*|\w*parts?|gs|\w*group\w*|win\w*|sliding\w*|\w*window\w*|w|(?:num_?)?stages?|(?:num_?)?warps?|threads|ctas|seed|top_?k|\w*experts?|device\w*|gpu\w*|world\w*|rank|\w*offset|start|shift|\w*scale|mean|std)=\d[\d.]*$`)

// raggedOnly is S-C06.
func raggedOnly(cases []Case) *Seen {
	if wrongType(cases) != "" || slices.ContainsFunc(cases, func(c Case) bool { return c.Failed && !c.maybeWrong() }) {
		return nil
	}
	if i := slices.IndexFunc(cases, func(c Case) bool { return c.wrong() && cappedAt(*c.Compared) > 0 }); i >= 0 {
		return at(cases, "the first wrong row is %d, a multiple of %d multiprocessors", cases[i].Compared.First[0], cappedAt(*cases[i].Compared))
	}
	if !slices.ContainsFunc(cases, Case.differs) {
		return nil
	}
	same, option := variant(cases)
	if len(same) > 0 && slices.ContainsFunc(same[0].params, uncut.MatchString) {
		same = slices.Clone(same)
		for i := range same {
			same[i].params = slices.Clone(same[i].params)
			for p, v := range same[i].params {
				if uncut.MatchString(v) {
					same[i].params[p] = "-" // no size
				}
			}
		}
	}
	for _, tile := range tiles {
		if splitsAny(same, func(n int) bool { return n%tile != 0 }) {
			return at(same, "the cases that fail are those with a size that is no multiple of %d%s", tile, option)
		}
	}
	for p := range same[0].params {
		if splits(same, p, func(n int) bool { return !powerOfTwo(n) }) {
			return at(same, "the cases that fail are those whose parameter %d is no power of two%s", p+1, option)
		}
		for _, tile := range tiles {
			if splits(same, p, func(n int) bool { return n%tile != 0 }) {
				return at(same, "the cases that fail are those whose parameter %d is no multiple of %d%s", p+1, tile, option)
			}
		}
	}
	return nil
}

// reductions are the operations of which a lane beyond the data changes every value
// of its row.
var reductions = []string{"softmax", "norm", "reduce", "reduction", "max", "min", "sum", "mean", "var", "cross_entropy", "logsumexp"}

// paddedLanes is S-C29: the cases with ragged shapes are wrong from the first column
// on and not in the last tile, in an operation that reduces.
func paddedLanes(cases []Case) *Seen {
	if len(cases) == 0 || !isOp(cases[0].ID.Kernel, reductions...) {
		return nil
	}
	seen := raggedOnly(cases)
	if seen == nil || !slices.ContainsFunc(cases, Case.wrong) {
		return nil
	}
	for _, c := range cases {
		if !c.wrong() {
			continue
		}
		x := *c.Compared
		if x.Matched > 90 || len(x.First) == 0 || slices.ContainsFunc(x.First, func(n int) bool { return n != 0 }) || !x.Test.finite() || x.Test.Size() == 0 {
			return nil
		}
	}
	return &Seen{What: seen.What + ", and all of their values are off", log: seen.log, line: seen.line}
}

// fewest is the number of smaller cases that must have passed before the one of
// largestOnly.
const fewest = 3

// large is the number of elements from which a limit is likely.
const large = 1 << 24

// largestOnly is S-R50: the first case that fails, and no longer with wrong values,
// is larger than all that passed. What fails after it may follow from it.
func largestOnly(cases []Case) *Seen {
	i := slices.IndexFunc(cases, func(c Case) bool { return c.Failed })
	if i < fewest || cases[i].wrong() || elements(cases[i]) < large {
		return nil
	}
	sizes := map[int]bool{}
	for _, c := range cases {
		if c.Failed {
			continue
		}
		n := elements(c)
		if n == 0 || n >= elements(cases[i]) {
			return nil
		}
		sizes[n] = true
	}
	if len(sizes) < fewest {
		return nil
	}
	return at(cases, "the first case that fails is the largest of those that ran, %s; %d smaller ones pass", cases[i].ID.Config(), i)
}

// elements is the product of a case's sizes, 0 when it has none or too many.
func elements(c Case) int {
	n, some := 1, false
	for _, p := range c.params {
		if s, ok := size(p); ok {
			if n > math.MaxInt64/s {
				return 0
			}
			n, some = n*s, true
		}
	}
	if !some {
		return 0
	}
	return n
}

// tiles are usual lengths of a tile, the most usual first.
var tiles = []int{64, 128, 32, 256, 16}

// variant are the cases with the options (parameters that are no numbers and no
// data types) that all failed cases share, and a sentence's end that names them. A
// kernel has variants, and a mistake is in one of them.
func variant(cases []Case) (same []Case, option string) {
	i := slices.IndexFunc(cases, func(c Case) bool { return c.Failed })
	if i < 0 {
		return cases, ""
	}
	same = cases
	for p, v := range cases[i].params {
		if _, number := size(v); number || dtype([]string{v}) != "" {
			continue
		}
		differs := func(c Case) bool { return p >= len(c.params) || c.params[p] != v }
		if slices.ContainsFunc(cases, func(c Case) bool { return c.Failed && differs(c) }) || !slices.ContainsFunc(same, differs) {
			continue
		}
		same = slices.DeleteFunc(slices.Clone(same), differs)
		option = fmt.Sprintf(", with parameter %d at %s", p+1, v)
	}
	return same, option
}

// oneOption is S-C21: the wrong cases are those with one option.
func oneOption(cases []Case) *Seen {
	if wrongType(cases) != "" || raggedOnly(cases) != nil || growing(cases) != nil || !slices.ContainsFunc(cases, Case.wrong) || slices.ContainsFunc(cases, func(c Case) bool { return c.Failed && !c.maybeWrong() }) {
		return nil
	}
	same, option := variant(cases)
	if option == "" || len(same) < 2 || slices.ContainsFunc(same, func(c Case) bool { return !c.Failed }) {
		return nil
	}
	return at(cases, "all cases that fail, and no others, are those%s", strings.TrimPrefix(option, ","))
}

// layout are options that say that an operand is not packed.
var layout = regexp.MustCompile(`(?i)(^|[_=.-])(views?|strided?|strides|slices?|sliced|narrow(ed)?|expand(ed)?|[a-z]{1,5}_stride\d+|(?:row|col|last|inner|outer)_?(?:dim_)?(?:step|strided?|sliced?)\d*|unpacked|non_?contig(uous)?|contiguous=false)($|[_=.-])`)

// strided is S-C32: the wrong cases are those in which an operand is a view, and the
// same cases without it pass.
func strided(run Run) *Seen {
	for _, f := range run.functions {
		seen := stridedOption(f)
		if seen == nil {
			seen = shownViews(f, run.Unnamed)
		}
		if seen == nil {
			seen = namedLayouts(f, run.Unnamed)
		}
		if seen != nil {
			return seen
		}
	}
	return viewTests(run)
}

// shownViews reports that every wrong case tells of an operand that is a view, and that
// cases pass which do not.
func shownViews(cases []Case, unnamed int) *Seen {
	wrong, views, packed := 0, 0, unnamed
	for _, c := range cases {
		switch {
		case !c.Failed && c.view:
			return nil
		case !c.Failed:
			packed++
		case !c.maybeWrong():
			return nil
		case c.view:
			views++
			wrong++
		case c.untold() && !c.packed():
		case !slices.ContainsFunc(c.params, layout.MatchString) && !slices.ContainsFunc(c.params, transposed.MatchString):
			return nil
		default:
			wrong++
		}
	}
	if views == 0 || packed == 0 || !slices.ContainsFunc(cases, Case.wrong) {
		return nil
	}
	return at(cases, "all %d wrong cases have an operand that is a view, and other cases pass", wrong)
}

// packed reports whether the case is named after operands that are packed.
func (c Case) packed() bool { return slices.ContainsFunc(c.params, packed.MatchString) }

// transposed are options that may be the layout of an operand or work of the kernel.
var transposed = regexp.MustCompile(`(?i)(^|[_=.-])(transposed?|permuted?|t|nt|tn|tt)($|[_=.-])`)

func stridedOption(cases []Case) *Seen {
	if !slices.ContainsFunc(cases, Case.wrong) || slices.ContainsFunc(cases, func(c Case) bool { return c.Failed && !c.maybeWrong() }) {
		return nil
	}
	place := -1
	wrong := map[string]bool{}
	for _, c := range cases {
		if !c.Failed {
			continue
		}
		i := slices.IndexFunc(c.params, layout.MatchString)
		if i < 0 {
			i = besidePacked(cases, c)
		}
		if i < 0 || place >= 0 && i != place {
			return nil
		}
		place = i
		wrong[c.params[i]] = true
	}
	packed := false
	for _, c := range cases {
		if c.Failed || place >= len(c.params) {
			continue
		}
		if wrong[c.params[place]] {
			return nil
		}
		packed = packed || slices.ContainsFunc(cases, func(f Case) bool { return f.Failed && sameBut(c.params, f.params, place) })
	}
	if !packed {
		return nil
	}
	return at(cases, "the wrong cases are those with %s, and the same cases without it pass", strings.Join(slices.Sorted(maps.Keys(wrong)), ", "))
}

// packed are options that say that an operand is packed, pieces those that may say that
// it is a part of a larger one.
var (
	packed = regexp.MustCompile(`(?i)^(is_?)?(contig(uous)?|packed|dense)(=true)?$`)
	pieces = regexp.MustCompile(`(?i)^(split|chunk(ed)?|unbind|fused_?qkv|qkv_?packed|padded|transposed?|permuted?|t|broadcast(ed)?|offset|non_?packed|gap)$`)
)

// besidePacked is the place of an option of a failed case that makes an operand a part
// of another, where cases that pass have a word for a packed one; -1 for none.
func besidePacked(cases []Case, failed Case) int {
	for i, p := range failed.params {
		if pieces.MatchString(p) && slices.ContainsFunc(cases, func(c Case) bool { return !c.Failed && i < len(c.params) && packed.MatchString(c.params[i]) }) {
			return i
		}
	}
	return -1
}

// sameBut reports whether two lists of parameters differ at one place only.
func sameBut(a, b []string, place int) bool {
	return len(a) == len(b) && slices.Equal(a[:place], b[:place]) && slices.Equal(a[place+1:], b[place+1:])
}

// cappedAt is the number of multiprocessors of which the first wrong row is a
// multiple, 0 when it is not the first of its row or of none.
func cappedAt(c Comparison) int {
	if len(c.First) < 2 || c.First[0] == 0 || slices.ContainsFunc(c.First[1:], func(n int) bool { return n != 0 }) {
		return 0
	}
	for _, n := range smCounts {
		if c.First[0]%n == 0 && !powerOfTwo(c.First[0]) {
			return n
		}
	}
	return 0
}

// splits reports whether some cases fail, some pass, and the failed ones are
// exactly those whose parameter p, a number in every case, is bad.
func splits(cases []Case, p int, bad func(int) bool) bool {
	failed, passed := 0, 0
	for _, c := range cases {
		if p >= len(c.params) {
			return false
		}
		n, ok := size(c.params[p])
		if !ok || bad(n) != c.Failed {
			return false
		}
		if c.Failed {
			failed++
		} else {
			passed++
		}
	}
	return failed > 0 && passed > 0
}

// splitsAny reports whether some cases fail, some pass, and the failed ones are exactly
// those of which one of several sizes is bad, not always the same one.
func splitsAny(cases []Case, bad func(int) bool) bool {
	failed, passed := 0, 0
	which := map[int]bool{}
	for _, c := range cases {
		some := false
		for p, v := range c.params {
			if n, ok := size(v); ok && n > 1 && bad(n) {
				some = true
				which[p] = true
			}
		}
		if some != c.Failed {
			return false
		}
		if c.Failed {
			failed++
		} else {
			passed++
		}
	}
	return failed > 1 && passed > 0 && len(which) > 1
}

// growing is S-C07.
func growing(cases []Case) *Seen {
	if wrongType(cases) != "" || raggedOnly(cases) != nil {
		return nil
	}
	for _, c := range cases {
		if c.wrong() && lastTile(*c.Compared) {
			return at(cases, "only columns from %d on are wrong, the last tile of %d", c.Compared.First[len(c.Compared.First)-1], c.Compared.Shape[len(c.Compared.Shape)-1])
		}
	}
	if slices.ContainsFunc(cases, func(c Case) bool { return c.Failed && !c.wrong() }) {
		return nil
	}
	for p := 0; len(cases) > 0 && p < len(cases[0].params); p++ {
		if grows(cases, p, 2) {
			return at(cases, "the largest error grows with parameter %d", p+1)
		}
	}
	return nil
}

// coarseSums is S-C25: half-precision cases alone are wrong, each in a part of its
// elements and by little, and longer sums are worse or float32 passes.
func coarseSums(cases []Case) *Seen {
	var half []Case
	exact := false // float32 passes
	for _, c := range cases {
		t := dtype(c.params)
		switch {
		case t == "float16" || t == "bfloat16":
			half = append(half, c)
		case c.Failed:
			return nil
		case t == "float32":
			exact = true
		}
		if c.Failed && !(c.wrong() && c.Compared.Matched >= 60 && !(c.Compared.MaxAbs > 0.1*c.Compared.Ref.Size()) && !lastTile(*c.Compared)) {
			return nil
		}
	}
	if !slices.ContainsFunc(half, Case.wrong) || raggedOnly(cases) != nil {
		return nil
	}
	for p := range half[0].params {
		if grows(half, p, 1) {
			return at(cases, "only half-precision cases are wrong, each in some elements by little, and only those with a large parameter %d", p+1)
		}
	}
	if exact && !slices.ContainsFunc(half, func(c Case) bool { return !c.Failed }) {
		return at(cases, "every half-precision case is wrong in some elements by little, and the float32 cases pass")
	}
	return nil
}

// lastTile reports whether exactly the columns of the last tile are wrong: from a
// multiple of 16 to the end, at most 256 of them, in nearly every row.
func lastTile(c Comparison) bool {
	if len(c.First) == 0 || len(c.First) != len(c.Shape) {
		return false
	}
	width, first := c.Shape[len(c.Shape)-1], c.First[len(c.First)-1]
	tail := width - first
	wrong := 1 - c.Matched/100
	return first > 0 && first%16 == 0 && tail > 0 && tail <= 256 && wrong <= 1.01*float64(tail)/float64(width) && wrong >= 0.5*float64(tail)/float64(width)
}

// grows reports whether, with all other parameters equal, the cases that fail are
// those with the largest values of parameter p and their error grows with it. At
// least least cases must fail.
func grows(cases []Case, p, least int) bool {
	var others []string
	by := map[string][]Case{}
	for _, c := range cases {
		if p >= len(c.params) {
			return false
		}
		other := strings.Join(slices.Delete(slices.Clone(c.params), p, p+1), "-")
		if by[other] == nil {
			others = append(others, other)
		}
		by[other] = append(by[other], c)
	}
	some := false
	for _, o := range others {
		if !slices.ContainsFunc(by[o], func(c Case) bool { return c.Failed }) {
			continue
		}
		if !growsAlone(by[o], p, least) {
			return false
		}
		some = true
	}
	return some
}

func growsAlone(cases []Case, p, least int) bool {
	type point struct{ n, err float64 }
	var failed []point
	largest := 0.0 // of the cases that pass
	for _, c := range cases {
		n, ok := size(c.params[p])
		switch {
		case !ok || c.Failed && (!c.wrong() || math.IsNaN(c.Compared.MaxAbs)):
			return false
		case c.Failed:
			failed = append(failed, point{float64(n), c.Compared.MaxAbs})
		default:
			largest = math.Max(largest, float64(n))
		}
	}
	slices.SortFunc(failed, func(a, b point) int { return cmp.Compare(a.n, b.n) })
	for i, f := range failed {
		if f.n <= largest || i > 0 && (f.n <= failed[i-1].n || f.err <= failed[i-1].err) {
			return false
		}
	}
	// A dimension of 1 is an index that is not used, not a short sum.
	return len(failed) >= least && largest > 1
}

// tooFast is the limit below which a ratio is too good to be true of a kernel
// that fails its tests.
const tooFast = 0.9

// fastAndFailing is the geometric mean ratio of the op of a failed case, and that
// case's place; ok is false when there is none below tooFast.
func fastAndFailing(run Run, failing func(Case) bool) *Seen {
	for _, times := range ops(run.Times) {
		r := geomean(times)
		if r >= tooFast {
			continue
		}
		for _, c := range run.Cases {
			if c.ID.Kernel == times[0].Op && failing(c) {
				return &Seen{What: fmt.Sprintf("%s fails, and the times of %s are %.3f of the reference's", c.ID.Config(), times[0].Op, r), log: c.log, line: c.line}
			}
		}
	}
	return nil
}

// wrongAndFast is S-C10.
func wrongAndFast(run Run) *Seen { return fastAndFailing(run, Case.wrong) }

// failedAndFast is S-P06.
func failedAndFast(run Run) *Seen {
	if wrongAndFast(run) != nil {
		return nil
	}
	return fastAndFailing(run, func(c Case) bool { return c.Failed })
}

// Shapes of a gap, as the perf signatures name them.
const (
	gapLaunches   = "S-P01"
	gapLargeGEMM  = "S-P02"
	gapFP32GEMM   = "S-P03"
	gapEven       = "S-P04"
	gapActivation = "S-P05"
	gapOneRow     = "S-P07"
)

// gap matches runs in which the times of an op have one shape.
func gap(id string) func(Run) *Seen {
	return func(run Run) *Seen {
		for _, times := range ops(run.Times) {
			if shape, what := gapShape(times); shape == id {
				return &Seen{What: times[0].Op + ": " + what, log: times[0].log}
			}
		}
		return nil
	}
}

// Bounds of the shapes, as ratios of candidate over reference. parity is the limit
// of a config that is not slow.
const (
	parity       = 1.05
	doubleLow    = 1.7
	doubleHigh   = 2.4
	evenHigh     = 1.6
	evenSpread   = 1.15 // largest over smallest
	activateHigh = 1.3
	clearlySlow  = 1.3
	oneRowSlow   = 1.15
)

// gapShape says which signature the times of one op have, launches first: they
// explain a gap before configuration, and that before arithmetic.
func gapShape(times []Time) (id, what string) {
	for _, t := range times {
		if extra := t.CandidateLaunches - t.ReferenceLaunches; t.ReferenceLaunches >= 0 && extra > 0 && (t.HostWork || t.OwnLaunches > 1) {
			return gapLaunches, fmt.Sprintf("%s launches %d kernels a call, the reference %d", t.Config, t.CandidateLaunches, t.ReferenceLaunches)
		}
	}
	low, high := math.Inf(1), 0.0
	var slow []Time
	sameLaunches := true
	for _, t := range times {
		low, high = math.Min(low, t.ratio()), math.Max(high, t.ratio())
		if t.ratio() > parity {
			slow = append(slow, t)
		}
		sameLaunches = sameLaunches && t.CandidateLaunches == t.ReferenceLaunches
	}
	all := len(slow) == len(times)
	gemm, activation := isOp(times[0].Op, "matmul", "gemm", "bmm", "linear"), isOp(times[0].Op, "silu", "gelu", "glu", "relu", "sigmoid", "tanh", "activation")
	switch {
	case len(times) < 2 || len(slow) == 0:
		return "", ""
	case low >= doubleLow && high <= doubleHigh:
		return gapLaunches, fmt.Sprintf("all %d configs take %.2f to %.2f of the reference's time", len(times), low, high)
	case gemm && fp32Slow(times):
		return gapFP32GEMM, fmt.Sprintf("only the float32 configs are slow, up to %.2f", high)
	case gemm && largeSlow(times):
		return gapLargeGEMM, fmt.Sprintf("the %d largest configs take up to %.2f, the others are at parity", len(slow), high)
	case len(slow) == 1 && len(times) >= 3 && high >= oneRowSlow:
		return gapOneRow, fmt.Sprintf("%s takes %.2f, the other %d configs are at parity", slow[0].Config, high, len(times)-1)
	case all && activation && sameLaunches && high <= activateHigh:
		return gapActivation, fmt.Sprintf("all %d configs take %.2f to %.2f with as many launches", len(times), low, high)
	case all && sameLaunches && high <= evenHigh && high/low <= evenSpread:
		return gapEven, fmt.Sprintf("all %d configs take %.2f to %.2f with as many launches", len(times), low, high)
	}
	return "", ""
}

func isOp(op string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(op, p) })
}

// fp32Slow reports whether the float32 configs, and no others, are slow, all of
// them clearly.
func fp32Slow(times []Time) bool {
	fp32, other := 0, 0
	for _, t := range times {
		switch d := dtype(t.Params); {
		case d == "":
			return false
		case d == "float32":
			fp32++
			if t.ratio() < clearlySlow {
				return false
			}
		default:
			other++
			if t.ratio() > parity {
				return false
			}
		}
	}
	return fp32 > 0 && other > 0
}

// largeSlow reports whether some configs are clearly slow and each of them takes
// the reference longer than every other config, all of which are at parity.
func largeSlow(times []Time) bool {
	smallest, largest := math.Inf(1), 0.0
	for _, t := range times {
		switch r := t.ratio(); {
		case r >= clearlySlow:
			smallest = math.Min(smallest, t.Reference)
		case r <= parity:
			largest = math.Max(largest, t.Reference)
		default:
			return false
		}
	}
	return largest > 0 && !math.IsInf(smallest, 1) && largest < smallest
}
