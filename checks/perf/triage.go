package perf

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/words"
)

// hostShare is the share of device time from which work beside the own kernel
// explains a gap.
const hostShare = 0.05

// hostWork names the profile entries that no tile kernel makes: copies, fills and
// the framework's elementwise kernels.
var hostWork = []string{"memcpy", "memset", "at::native", "elementwise", "fill", "copy"}

// launched is what one call of the candidate launched beside what the reference
// launched.
type launched struct {
	name           string // of the config
	kind           launchKind
	kernels        string // both sides' kernels in words
	ownUS, totalUS float64
	referenceUS    float64
}

// launchKind is what the launches of a config show.
type launchKind int

const (
	oneToOne launchKind = iota
	duplicateLaunch
	copyLaunch
	extraLaunch
	noProfile
)

// launches classifies the launches of one call. The own kernels of a candidate
// that is not cutile-rs are those that no host work is named like.
func (m matched) launches(cutileRSCandidate bool) launched {
	l := launched{name: m.name}
	cand, candCount, ok := m.cand.profile()
	ref, refCount, refOK := m.ref.profile()
	if !ok || !refOK {
		l.kind = noProfile
		return l
	}
	own, host, hostUS := 0, 0, 0.0
	for _, k := range cand.Kernels {
		l.totalUS += k.SelfUS
		switch {
		case records.OwnKernel(k.Name), !cutileRSCandidate && !isHostWork(k.Name):
			own += k.Count
			l.ownUS += k.SelfUS
		case isHostWork(k.Name):
			host++
			hostUS += k.SelfUS
		}
	}
	l.referenceUS = 1000 * ref.SelfMS()
	l.kernels = fmt.Sprintf("%s against %d: %s against %s", words.Count(candCount, "launch"), refCount, kernelList(cand), kernelList(ref))
	switch {
	case own >= 2 && candCount > refCount:
		l.kind = duplicateLaunch
	case host > 0 && (candCount > refCount || own > 0 && hostUS >= hostShare*l.totalUS):
		l.kind = copyLaunch
	case candCount > refCount:
		l.kind = extraLaunch
	}
	return l
}

// fallbackNote says where the reference launched nothing but the framework's
// kernels: it is then compared with something else than was asked for.
func (c *comparison) fallbackNote(ms []matched) {
	var names []string
	for _, m := range ms {
		if m.reference == "pytorch" || m.reference == "torch" {
			continue
		}
		p, _, ok := m.ref.profile()
		if ok && len(p.Kernels) > 0 && !slices.ContainsFunc(p.Kernels, func(k records.Kernel) bool { return !isHostWork(k.Name) }) {
			names = append(names, m.name)
		}
	}
	if len(names) > 0 {
		c.note("the reference launched only the framework's kernels for %s: it may have fallen back to another backend", list(names))
	}
}

// kernelList names the kernels of one call, the ones that took longest first, as
// the profile has them.
func kernelList(m records.Measurement) string {
	names := make([]string, len(m.Kernels))
	for i, k := range m.Kernels {
		names[i] = short(k.Name)
		if k.Count > 1 {
			names[i] += fmt.Sprintf(" %d times", k.Count)
		}
	}
	return list(names)
}

// launchAdvice is the first step and the rules for each kind of launches, in the
// order in which they are looked at.
var launchAdvice = []struct {
	kind  launchKind
	title string
	rules []string
	step  string
}{
	{duplicateLaunch, "The kernel is launched more than once", []string{"R38", "R41", "P5"}, "Look for a canary launch, a second variant or a fallback that runs in the measured call, and move it out."},
	{copyLaunch, "Copies or fills in the timed call", []string{"R41", "P9"}, "Remove the copy, fill or conversion from the wrapper's measured path: allocate outputs with torch.empty, transpose in the kernel (R27)."},
	{extraLaunch, "More launches than the reference", []string{"R42", "R41"}, "Count the kernels of one call on both sides and explain each one that the reference does not launch."},
}

// triage turns the evidence into rules and steps, in the order in which a
// performance gap is investigated: whether the measurement is sound, launches,
// configuration, then IR and arithmetic.
func (c *comparison) triage(all group) []Triage {
	v, out := c.v, []Triage{}
	gap := v.Verdict == Investigate && v.Severity != MissingData
	if gap && len(c.unsound) > 0 {
		out = append(out, Triage{Title: "The measurement is in doubt", Rules: []string{"R42"}, Steps: append([]string{"Measure again before changing code: the GPU did not run at one speed or was shared."}, c.unsound...)})
	}
	switch {
	case all.voids > 0 && c.answered():
		out = append(out, Triage{Title: "Another backend was measured", Rules: []string{"R35", "R40"}, Steps: []string{
			"Another backend answered: check that the op is registered for cutile-rs and that its symbol is in the library.",
			"Run again with DISABLE_FALLBACK=1, so that a missing implementation is an error.",
		}})
	case all.voids > 0:
		out = append(out, Triage{Title: "Records without a profile", Rules: []string{"R35", "R40"}, Steps: []string{
			"Measure again with CUPTI=1, so that kernel_times names the kernels that ran.",
		}})
	}
	if steps := c.missingSteps(); len(steps) > 0 && c.tooMany(all) {
		out = append(out, Triage{Title: "Configs without a time", Rules: []string{}, Steps: steps})
	}
	byKind := map[launchKind][]launched{}
	for _, m := range all.matched {
		l := m.launches(v.Candidate == cutileRS)
		byKind[l.kind] = append(byKind[l.kind], l)
	}
	launches := false
	for _, a := range launchAdvice {
		if ls := byKind[a.kind]; len(ls) > 0 {
			launches = true
			out = append(out, Triage{Title: a.title, Rules: a.rules, Steps: append([]string{a.step}, describe(ls)...)})
		}
	}
	if !gap {
		return out
	}
	var steps []string
	switch {
	case len(byKind[noProfile]) > 0:
		steps = append(steps, "Some records have no kernel profile: compare the launch counts first, with DUMP_CUPTI_EVENTS=1.")
	case !launches && all.voids == 0:
		steps = append(steps, "Both sides launch the same number of kernels: go on with the configuration.")
	}
	if share := kernelShare(all.matched); share < wallClock {
		steps = append(steps, fmt.Sprintf("The kernels make up %.2f of the times of both sides: most of what was measured is host work, so look at the wrapper before the kernel.", share))
	}
	return append(out, Triage{Title: "The kernel itself is slower", Rules: []string{"R42", "P11", "P10", "R20", "R8"}, Steps: append(steps, bandSteps(v.Severity)...)})
}

// missingAdvice says what to do about configs without a time, by the side ("" for
// both) and the word that their reasons begin with once the rounds are cut off; the
// last is for all others.
var missingAdvice = []struct{ side, begins, step string }{
	{"", "failed", "Make these cases pass first: tilegate correctness says more about the failure, tilegate triage what is known about it."},
	{"", "error", "Make these cases pass first: tilegate correctness says more about the error, tilegate triage what is known about it."},
	{"reference", "skipped", "The reference skips what the candidate is expected to measure: skip it on both sides, or measure the reference, too; --allow-skip is for the candidate only."},
	{"", "skipped", "Port what is skipped, or declare the gap: allowed_skips in .github/tilegym.yml, or --allow-skip."},
	{"", notThere.why, "Measure the same cases on both sides; where a test or its parameters were renamed, say so in perf.renames of .github/tilegym.yml."},
	{"", "passed without", "These cases recorded no time: run them with the harness's record property, as test_perf does."},
	{"", "", "Measure these cases again; a share of configs that may be missing is perf.max_missing of .github/tilegym.yml, or --max-missing."},
}

// missingSteps are the steps for the configs without a time, each kind of reason
// once.
func (c *comparison) missingSteps() (steps []string) {
	names := make([][]string, len(missingAdvice))
	silent := c.silent()
	for _, m := range c.v.Missing {
		if m.Why == notThere.why && (m.Side == "candidate" && slices.Contains(silent, c.o.Candidate) || m.Side == "reference" && slices.Contains(silent, c.o.Reference)) {
			continue // the records hold nothing of that backend: its name is wrong, or a file is missing
		}
		why := m.Why
		if strings.HasPrefix(why, "round") || strings.HasPrefix(why, "all ") {
			_, why, _ = strings.Cut(why, ": ")
		}
		for i, a := range missingAdvice {
			if strings.HasPrefix(why, a.begins) && (a.side == "" || a.side == m.Side) {
				names[i] = append(names[i], m.Config+" ("+m.Side+")")
				break
			}
		}
	}
	for i, a := range missingAdvice {
		if len(names[i]) > 0 {
			steps = append(steps, list(names[i])+": "+a.step)
		}
	}
	return steps
}

// describe says what was launched, configs with the same kernels together, and
// what the own kernel alone would give.
func describe(ls []launched) []string {
	names := map[string][]string{}
	alone := map[string][]float64{}
	var order []string
	for _, l := range ls {
		if names[l.kernels] == nil {
			order = append(order, l.kernels)
		}
		names[l.kernels] = append(names[l.kernels], l.name)
		if r := math.Log(l.ownUS / l.referenceUS); !math.IsNaN(r) && !math.IsInf(r, 0) && l.ownUS < l.totalUS {
			alone[l.kernels] = append(alone[l.kernels], r)
		}
	}
	const most = 5
	var out []string
	for i, kernels := range order {
		if i == most {
			out = append(out, fmt.Sprintf("%d more combinations of kernels", len(order)-most))
			break
		}
		line := list(names[kernels]) + ": " + kernels
		if logs := alone[kernels]; len(logs) > 0 {
			mean, _ := meanStd(logs)
			line += fmt.Sprintf("; the own kernel alone takes %.2f of the reference's device time", math.Exp(mean))
		}
		out = append(out, line)
	}
	return out
}

// kernelShare is the median share of profiled device time in the times of both
// sides, NaN without profiles.
func kernelShare(ms []matched) float64 {
	return math.Max(profiledShare(ms, true), profiledShare(ms, false))
}

// bandSteps orders the advice for a gap without launch evidence.
func bandSteps(severity string) []string {
	switch severity {
	case MildGap:
		return []string{
			"Compare occupancy and num_ctas with the reference's; a row with high rel_std may be noise.",
			"Check divisions and approximate or flush-to-zero modes of the arithmetic (R19, R26).",
		}
	case ModerateGap:
		return []string{
			"Compare CompileOptions with the reference: an explicit num_ctas of the reference must be forwarded.",
			"Check that TMA is on where the reference uses it, and that the autotune configurations are the same.",
			"Check that constants of the reference are const generics (R23) and that accumulators are f32 (R8).",
		}
	}
	return []string{
		"Look for TMA that is switched off, constants passed at run time (R23) or the wrong variant.",
		"Compare CompileOptions with the reference: a cluster size left to the compiler costs up to 1.6x on GEMM.",
		"Compare the generated IR with the reference's.",
	}
}

func isHostWork(name string) bool {
	name = strings.ToLower(name)
	for _, w := range hostWork {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}
