package triage

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// testFaults reads what says that a comparison itself is at fault: both sides have values that
// are no numbers at the same places, or a tolerance that is relative alone meets values
// next to zero.
type testFaults struct {
	seen   [2]string // the last tensor that is printed of each side, the output's first
	same   line      // a tensor of the reference that has its NaN where the output has
	nans   [2]float64
	counts line    // on which both sides tell of as many
	wrong  float64 // elements that differ
	onlyR  line    // a tolerance without an absolute part
	maxAbs float64 // of that comparison
	maxRel float64

	releases line // the head of a table with a column for each of two versions of a tool
	table    int  // the last line of it
	slower   line // a row of which the newer version is slower
	last     line // a grid that leaves its last wave nearly empty

	plain   int          // the last line with a tensor of the output without NaN
	dropped line         // one of the reference that has some, behind it
	one     line         // on which both sides count one apart
	values  [][2]float64 // of the output and of the reference, where a message tells both
	valueAt line
	apart   float64 // the difference that a message tells before the values
	half    bool    // types of half precision are spoken of
	reduced line    // products of the library add in half precision
}

const (
	nanOfBoth   = "S-C167"
	nearZero    = "S-C170"
	interpreted = "S-C182"
	droppedNaN  = "S-C186"
	offByOne    = "S-C39"
	tinyError   = 1e-5 // an absolute error that is one of values next to zero
	farRatio    = 0.5  // the relative error that such values have
	maxNumbers  = 64
	farther     = 3 // times the kernel's error, from which the reference's is that of another precision
	fewRounded  = 1e-4
	emptyWave   = 8 // part of the multiprocessors that a last wave fills when it counts as empty
	fewWaves    = 4 // waves among which an empty one is felt
)

var (
	sideTensor = probe(`^(?:(got|out\w*|actual|ours|kernel|test|result|y|mine)|(ref\w*|expected|want|torch|golden|eager))\b[^:=]{0,16}[:=] ?(?:tensor|array)?\(?\[(.*nan.*)\]`)
	nanOfSide  = probe(`\b[Nn]a[Nn]s?\b(?: (?:in|of|the|values|count))*[ :=]{1,3}(?:(out\w*|ours?|kernel|test|got|actual|result)|(ref\w*|torch|expected|want|eager))\b[ :=]{1,3}(\d+)\b`)
	onlyRel    = probe(`^Not equal to tolerance rtol=(\S+), atol=0(?:\.0)?$`)
	maxOf      = probe(`^Max (absolute|relative) difference(?: among violations)?: (\S+)$`)
	// twoReleases heads a table with a column for each of two versions.
	twoReleases = probe(`(?i)\s(?:triton|torch|cuda|nvcc|ptxas|cutlass|cudnn|cublas|jax|numba|driver|tileiras|cutile)[ =-]v?(\d+\.\d+[\w.]*)\s+\|?\s*(?:triton|torch|cuda|nvcc|ptxas|cutlass|cudnn|cublas|jax|numba|driver|tileiras|cutile)[ =-]v?(\d+\.\d+[\w.]*)\s*\|?$`)
	twoTimes    = regexp.MustCompile(`\s(\d+(?:\.\d+)?) ?(?:us|ms|µs)?[\s|*]+(\d+(?:\.\d+)?) ?(?:us|ms|µs)?[\s|*]*$`)
	blocksOnSMs = probe(`\b[Gg]rid\b\D{0,12}(\d+)\b(?: (?:blocks|CTAs|tiles|programs))?.{0,16}?\b(\d+) (?:SMs|multiprocessors)\b`)
	plainGot    = probe(`^(?:ACTUAL|got|out\w*|actual|ours|kernel|result|x)\b[^:=]{0,16}[:=] ?(?:tensor|array)?\(?\[[^\]n]*\d[^\]]*\]|^ACTUAL: (?:array\()?\[?-?inf`)
	wantNaN     = probe(`^(?:DESIRED|want|expected|ref\w*|y)\b[^:=]{0,16}[:=] ?(?:tensor|array)?\(?\[[^\]]*\bnan\b`)
	countApart  = probe(`\b(?:[Kk]ernel|ours|out\w*|cutile\w*|triton) (?:\w+ ){0,3}(\d+)\b[^,;\d]{0,24}[,;] *(?:[Rr]ef(?:erence)?|torch|expected) (?:\w+ ){0,3}(\d+)\b`)
	// listedPair is an element of both sides, as some helpers and crates list them.
	listedPair = probe(`^(?:E +)?Mismatch at index \([\d, ]*\): tensor1\[.*\] = (\S+), tensor2\[.*\] = (\S+)$|^=> Position \d+: (\S+) != (\S+) \| difference `)
	nearFailed = probe(`^The difference between .* is (\d[\d.]*(?:e[-+]?\d+)?), which exceeds `)
	evaluates  = regexp.MustCompile(`^\S+ evaluates to (-?\d[\d.]*(?:e[-+]?\d+)?), (?:and|where)?$`)
	halfType   = probe(`(?i)b?f(?:loat|p)?_?16|\bhalf\b`)
	inHalf     = probe(`\ballow_(?:fp16|bf16)_reduced_precision_reduction\b\W{1,4}[Tt]rue\b`)
	numberWord = regexp.MustCompile(`[-+]?(?:nan|inf|\d+(?:\.\d*)?(?:e[-+]?\d+)?)`)
)

func (k *testFaults) line(l line) {
	if len(l.text) > 1024 {
		return
	}
	if m := l.find(sideTensor); m != nil {
		if m[1] != "" {
			k.seen[0] = strings.Clone(m[3])
		} else if k.same.n == 0 && sameNaN(k.seen[0], m[3]) {
			k.same = l
		}
	}
	if l.is(nanOfSide) {
		for _, m := range nanOfSide.re.FindAllStringSubmatch(l.text, 4) {
			side := 0
			if m[2] != "" {
				side = 1
			}
			k.nans[side] = number(m[3])
		}
		if k.counts.n == 0 && k.nans[0] > 0 && k.nans[0] == k.nans[1] {
			k.counts = l
		}
	}
	if m := unlike.FindStringSubmatch(l.text); m != nil {
		k.wrong = math.Max(k.wrong, number(m[1]))
	}
	k.versions(l)
	if l.is(plainGot) && !strings.Contains(l.text, "nan") {
		k.plain = l.n
	} else if l.is(wantNaN) && k.plain > 0 && l.n <= k.plain+2 && k.dropped.n == 0 {
		k.dropped = l
	}
	if m := l.find(countApart); m != nil && k.one.n == 0 && math.Abs(number(m[1])-number(m[2])) == 1 {
		k.one = l
	}
	k.half = k.half || l.is(halfType)
	if k.reduced.n == 0 && l.is(inHalf) {
		k.reduced = l
	}
	if m := l.find(listedPair); m != nil && len(k.values) < maxNumbers {
		k.values = append(k.values, [2]float64{number(strings.TrimRight(m[1]+m[3], ",")), number(m[2] + m[4])})
		k.valueAt = l
	}
	if m := l.find(nearFailed); m != nil {
		k.apart, k.valueAt = number(m[1]), l
	} else if k.apart > 0 && l.n <= k.valueAt.n+2 {
		if m := evaluates.FindStringSubmatch(l.text); m != nil {
			k.values = append(k.values, [2]float64{number(m[1]) + k.apart, number(m[1])})
			k.apart = 0
		}
	}
	if m := l.find(blocksOnSMs); m != nil && k.last.n == 0 {
		blocks, sms := int(number(m[1])), int(number(m[2]))
		if rest := blocks % max(sms, 1); sms > 0 && blocks > sms && blocks < fewWaves*sms && rest > 0 && rest*emptyWave <= sms {
			k.last = l
		}
	}
	if l.is(onlyRel) {
		k.onlyR, k.maxAbs, k.maxRel = l, math.NaN(), math.NaN()
	}
	if m := l.find(maxOf); m != nil && k.onlyR.n > 0 {
		if m[1] == "absolute" {
			k.maxAbs = number(m[2])
		} else {
			k.maxRel = number(m[2])
		}
	}
}

// versions takes the head and the rows of a table of times with two versions of a tool.
func (k *testFaults) versions(l line) {
	if m := l.find(twoReleases); m != nil && m[1] != m[2] {
		k.releases, k.table = l, l.n
		return
	}
	if k.releases.n == 0 || l.n > k.table+2 {
		return
	}
	if m := twoTimes.FindStringSubmatch(" " + l.text); m != nil {
		k.table = l.n
		if number(m[2]) >= clearlySlower*number(m[1]) && k.slower.n == 0 {
			k.slower = l
		}
	}
}

// sameNaN reports whether two printed tensors have NaN at the same places, and equal
// values elsewhere.
func sameNaN(got, ref string) bool {
	a, b := numberWord.FindAllString(got, maxNumbers), numberWord.FindAllString(ref, maxNumbers)
	if len(a) == 0 || len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := number(a[i]), number(b[i])
		if math.IsNaN(x) != math.IsNaN(y) || !math.IsNaN(x) && x != y && !near(x, y) {
			return false
		}
	}
	return true
}

func (k *testFaults) end(sc *logScan) {
	switch {
	case k.same.n > 0:
		sc.explains(nanOfBoth, wrongValues, k.same)
	case k.counts.n > 0 && k.wrong == k.nans[0]:
		sc.explains(nanOfBoth, wrongValues, k.counts)
	}
	k.judgeValues(sc)
	if k.dropped.n > 0 {
		sc.explains(droppedNaN, unlikeValues, k.dropped)
	}
	if k.one.n > 0 {
		sc.explains(offByOne, scriptFailed, k.one)
	}
	if ours, theirs := sc.printed.exact[0], sc.printed.exact[1]; k.reduced.n > 0 && ours > 0 && theirs > farther*ours {
		sc.explains(inexactReference, wrongValues, k.reduced)
	}
	if k.slower.n > 0 {
		sc.explains(newCompiler, slow, k.slower)
	}
	if k.last.n > 0 {
		sc.explains(notFilled, slow, k.last)
	}
	if k.onlyR.n > 0 && k.maxAbs <= tinyError && k.maxAbs > 0 && k.maxRel >= farRatio {
		sc.explains(nearZero, wrongValues, k.onlyR)
		if h := sc.found[nearZero]; h != nil && h.Line == k.onlyR.n {
			sc.adds(h, fmt.Sprintf("the largest absolute difference is %.3g, the largest relative one %.3g", k.maxAbs, k.maxRel))
		}
	}
}

// judgeValues tells what the listed values of both sides have in common.
func (k *testFaults) judgeValues(sc *logScan) {
	if len(k.values) == 0 {
		return
	}
	all := func(is func(got, ref float64) bool) bool {
		return !slices.ContainsFunc(k.values, func(v [2]float64) bool { return !is(v[0], v[1]) })
	}
	step := func(v, bits float64) float64 { return math.Exp2(math.Floor(math.Log2(math.Abs(v))) - bits) }
	switch {
	case all(func(got, ref float64) bool { return math.IsNaN(got) && !math.IsNaN(ref) }):
		sc.explains("S-C09", wrongValues, k.valueAt)
	case k.half && all(func(got, ref float64) bool {
		d := math.Abs(got - ref)
		return d > 0 && (d <= 1.01*step(ref, 10) && d >= .49*step(ref, 10) || d <= 1.01*step(ref, 7) && d >= .49*step(ref, 7))
	}):
		sc.explains("S-C17", wrongValues, k.valueAt)
	case all(func(got, ref float64) bool { return math.Abs(got-ref) <= fewRounded*math.Abs(ref) }):
		sc.explains("S-C43", wrongValues, k.valueAt)
	}
}

var (
	pipelined = regexp.MustCompile(`^(?:num_?)?(?:stages?|pipe\w*|buffers)[=_]?(\d+)$`)
	warpCount = regexp.MustCompile(`^(?:num_?)?(?:warps?|ctas?|threads|waves(?:_per_eu)?)[=_]?(\d+)$`)
	aVersion  = regexp.MustCompile(`^(?:(triton|torch|cuda|nvcc|ptxas|llvm|cutlass|cudnn|cublas\w*|jax|jaxlib|numba|rocm|driver|tileiras|cutile\w*)[=_]*)?v?(\d+\.\d+(?:\.\w+)*(?:\+\w+)?):?$`)
	aTool     = regexp.MustCompile(`(?i)^(?:triton|torch|cuda|nvcc|ptxas|llvm|cutlass|cudnn|cublas\w*|jax|jaxlib|numba|rocm|driver|tileiras|cutile\w*|version)$`)
	aDevice   = regexp.MustCompile(`^(?:(?:NVIDIA|AMD|Instinct|Tesla|GeForce)[_ ])*((?:sm_?\d{2,3}[af]?|gfx\d\w{2,4})|[ahv]100|h200|h800|b[23]00|A(?:10G?|16|2|30|40|100|800|2000|4000|5000|6000)|H(?:20|100|200|800)|GH200|L(?:4|20|40S?)|V100|T4|P100|GB(?:10|200|300)|B(?:200|300)|MI\d{3}[a-zA-Z]?|(?:RTX|rtx|GTX|gtx)_?\d{4}\w*|[Tt]uring|[Aa]mpere|[Hh]opper|[Bb]lackwell|[Vv]olta)(?:_\w+)?$`)
)

// configurations is S-C160: the wrong cases are some configurations of a launch, and
// with one stage of the pipeline, or another number of warps, the same case is right.
func configurations(run Run) *Seen {
	for _, f := range run.functions {
		for knob, what := range map[*regexp.Regexp]string{pipelined: "stages", warpCount: "warps"} {
			low, high, wrong, right := math.Inf(1), 0.0, 0, 0
			for _, c := range f {
				i := slices.IndexFunc(c.params, knob.MatchString)
				if i < 0 || c.Failed && !c.maybeWrong() {
					wrong = -len(f)
					break
				}
				n := number(knob.FindStringSubmatch(c.params[i])[1])
				if c.Failed {
					wrong++
					low = math.Min(low, n)
				} else {
					right++
					high = math.Max(high, n)
				}
			}
			least := 1
			if knob == warpCount {
				least = 2
			}
			if wrong >= least && right > 0 && (high < low || knob == pipelined && low > 1 && simpler(f, knob)) {
				return at(f, "the %d wrong cases have %g %s or more, and with fewer the same is right", wrong, low, what)
			}
		}
	}
	return nil
}

// simpler reports whether a case with one stage is right.
func simpler(cases []Case, knob *regexp.Regexp) bool {
	return slices.ContainsFunc(cases, func(c Case) bool {
		return !c.Failed && slices.ContainsFunc(c.params, func(p string) bool {
			m := knob.FindStringSubmatch(p)
			return m != nil && m[1] == "1"
		})
	})
}

// splitBy reports whether the wrong cases are those with some values of one quantity,
// which each case tells, and the right ones those with others. It gives the values.
func splitBy(cases []Case, of func(params []string) string) (wrong, right []string) {
	for _, c := range cases {
		v := of(c.params)
		switch {
		case v == "" || c.Failed && !c.maybeWrong():
			return nil, nil
		case c.Failed:
			wrong = append(wrong, v)
		default:
			right = append(right, v)
		}
	}
	if slices.ContainsFunc(wrong, func(v string) bool { return slices.Contains(right, v) }) {
		return nil, nil
	}
	slices.Sort(wrong)
	slices.Sort(right)
	return slices.Compact(wrong), slices.Compact(right)
}

// versionOf is the version of a tool that the parameters name.
func versionOf(params []string) string {
	for i, p := range params {
		if m := aVersion.FindStringSubmatch(strings.ToLower(p)); m != nil && (m[1] != "" || i > 0 && aTool.MatchString(params[i-1])) {
			return m[2]
		}
	}
	return ""
}

// deviceOf is the kind of GPU that the parameters name.
func deviceOf(params []string) string {
	for _, p := range params {
		if m := aDevice.FindStringSubmatch(p); m != nil {
			return strings.ToLower(m[1])
		}
	}
	return ""
}

// otherRelease is S-C161: the same cases are right with one version of a tool.
func otherRelease(run Run) *Seen {
	for _, f := range run.functions {
		if wrong, right := splitBy(f, versionOf); len(wrong) > 0 && len(right) > 0 {
			return at(f, "wrong with version %s, right with %s", strings.Join(wrong, ", "), strings.Join(right, ", "))
		}
	}
	return nil
}

// otherArchitecture is S-C162: the same cases are right on another kind of GPU.
func otherArchitecture(run Run) *Seen {
	for _, f := range run.functions {
		if wrong, right := splitBy(f, deviceOf); len(wrong) > 0 && len(right) > 0 {
			return at(f, "wrong on %s, right on %s", strings.Join(wrong, ", "), strings.Join(right, ", "))
		}
	}
	return nil
}

var scanning = regexp.MustCompile(`(?i)cum_?(?:sum|prod|max|min|logsumexp)|(?:^|_)scan|prefix|associative|segmented|recurren|selective|rle|compact(?:ion)?`)

// lostCarry is S-C181: of a scan, every case that is longer than some block is wrong, and
// every shorter one is right.
func lostCarry(run Run) *Seen {
	for _, f := range run.functions {
		if !scanning.MatchString(f[0].ID.Kernel+" "+f[0].ID.Test) && !(len(f[0].params) > 0 && scanning.MatchString(f[0].params[0])) {
			continue
		}
		for p := range f[0].params {
			block := 0
			ok := true
			for _, c := range f {
				if p >= len(c.params) {
					ok = false
					break
				}
				n, isSize := size(c.params[p])
				ok = ok && isSize && (!c.Failed || c.maybeWrong())
				if !c.Failed {
					block = max(block, n)
				}
			}
			if ok && block > 1 && powerOfTwo(block) && splits(f, p, func(n int) bool { return n > block }) {
				return at(f, "every case of more than %d elements is wrong, and none of fewer", block)
			}
		}
	}
	return nil
}

// judgeWith tells of rows that are all wrong but one, in which a side is given another
// value of a setting: "with ref scale=1.0".
func judgeWith(rows []trial, tell func(string, string, line)) bool {
	var right *trial
	for i, r := range rows {
		if r.good && right != nil {
			return false
		}
		if r.good {
			right = &rows[i]
		}
	}
	if right == nil || !givenTo.MatchString(right.label) {
		return false
	}
	tell(otherSetting, "it agrees "+strings.TrimSpace(right.label), right.at)
	return true
}

var givenTo = regexp.MustCompile(`^\W*(?:with|using|if|when) (?:the )?(?:ref\w*|torch|kernel|both|reference)\b.*\b\w+ ?= ?\S`)

// nonZero is S-C21: cases with 0 of an option are right, and all with more of it wrong.
func nonZero(cases []Case) *Seen {
	for p := range cases[0].params {
		zero, more, name := 0, 0, ""
		for _, c := range cases {
			if p >= len(c.params) {
				more = -len(cases)
				break
			}
			m := countedOption.FindStringSubmatch(c.params[p])
			if m == nil || name != "" && m[1] != name || c.Failed && !c.maybeWrong() || c.Failed == (number(m[2]) == 0) {
				more = -len(cases)
				break
			}
			name = m[1]
			if c.Failed {
				more++
			} else {
				zero++
			}
		}
		if zero > 0 && more > 1 {
			return at(cases, "the wrong cases are those with %s, and without it all are right", name)
		}
	}
	return nil
}

var countedOption = regexp.MustCompile(`^(ignore\w*?|pad\w*?|bias|window|offset|softcap|alibi|sink\w*?|shift|prefix|drop\w*?)[_=]?(\d+(?:\.\d+)?)$`)
