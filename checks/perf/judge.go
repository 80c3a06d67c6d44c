package perf

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/words"
)

// matched is a config with a time on both sides.
type matched struct {
	base, name, variant, reference string
	cand, ref                      sideState
	candMS, refMS                  float64   // the sides' values
	candLogs, refLogs              []float64 // per round, logarithm of the median
	relStd                         float64   // worst spread inside a run, percent; NaN when unknown
}

func (m matched) logRatio() float64 { return math.Log(m.candMS) - math.Log(m.refMS) }

// logRatios are the logarithms of the rounds' ratios.
func (m matched) logRatios() []float64 {
	logs := make([]float64, len(m.candLogs))
	for i := range logs {
		logs[i] = m.candLogs[i] - m.refLogs[i]
	}
	return logs
}

// group collects what a verdict is made of, for one variant or for all.
type group struct {
	reference string
	matched   []matched
	missing   int
	voids     int // counted for all variants together only
}

// compare decides.
func (c *comparison) compare(files []File, evidence []job.Evidence) {
	variants := c.variantReferences()
	k := len(c.candidate)
	for _, ref := range c.usedReferences(variants) {
		k = min(k, len(c.reference[ref]))
	}
	c.v.Rounds = k
	c.unevenNote(k, variants)
	all, groups := c.match(k, variants)
	c.v.Comparable = c.comparability(files, evidence, all.matched)
	c.wall = len(evidence) > 0 && evidence[0].Timing == "wall"
	blocked := c.blockReason(evidence, all, k)
	if blocked == "" {
		blocked = c.statistics(all.matched)
	} else {
		c.v.ConfidenceNote = noInterval
	}

	c.v.Verdict, c.v.Severity, c.v.GeomeanRatio = c.judge(all)
	if blocked == "" && c.v.Verdict == Done {
		if blocked = failedCommand(evidence); blocked != "" {
			c.v.RatioMean, c.v.Confidence, c.v.Borderline, c.v.MoreRounds, c.open = nil, nil, false, 0, ""
			c.v.ConfidenceNote = noInterval
		}
	}
	if blocked != "" {
		c.v.Verdict, c.v.Severity, c.v.GeomeanRatio = Blocked, MissingData, nil
	}
	for _, name := range sortedKeys(groups) {
		g := groups[name]
		out := Variant{Name: name, Reference: g.reference, Configs: len(g.matched)}
		out.Verdict, out.Severity, out.GeomeanRatio = c.judge(g)
		if blocked != "" {
			out.Verdict, out.Severity, out.GeomeanRatio = Blocked, MissingData, nil
		}
		c.v.Variants = append(c.v.Variants, out)
	}
	for _, m := range all.matched {
		c.v.Configs = append(c.v.Configs, c.row(m, blocked == ""))
	}
	c.noisyNote(all.matched)
	c.fallbackNote(all.matched)
	if c.v.Comparable != "no" {
		c.v.Triage = c.triage(all)
	}
	c.sentence(all, blocked)
}

// noInterval is why a verdict without a ratio has no interval.
const noInterval = "no verdict on times, so no interval"

// failedCommand says that a command of the run did not succeed, else "". What it
// measured until then may be complete, and nobody knows.
func failedCommand(evidence []job.Evidence) string {
	for _, e := range evidence {
		for _, command := range e.Commands {
			if command.ExitCode != 0 {
				return fmt.Sprintf("%s ended with exit code %d, so the measurements are not those of a whole run", command.Name, command.ExitCode)
			}
		}
	}
	return ""
}

// variantReferences maps each test key to its variant and reference backend.
func (c *comparison) variantReferences() map[string][2]string {
	out := map[string][2]string{}
	c.unmatched = map[string]bool{}
	var unmatched []string
	for _, id := range c.ids {
		name, ref := DefaultVariant, c.o.Reference
		if c.o.Variants != nil {
			v, ok := c.o.Variants.find(id.params)
			if ok {
				name = v
			} else {
				c.unmatched[id.base] = true
				unmatched = append(unmatched, id.config)
			}
			// A declared reference that was not measured at all is not the one that was
			// asked for; the variant's row names the one that was used.
			if declared := c.o.Variants.Reference[name]; declared != "" && len(c.reference[declared]) > 0 {
				ref = declared
			}
		}
		out[id.base] = [2]string{name, ref}
	}
	if len(unmatched) > 0 {
		c.note("not in config_to_variant, counted as %s: %s", DefaultVariant, list(unmatched))
	}
	return out
}

func (c *comparison) usedReferences(variants map[string][2]string) []string {
	used := map[string]bool{}
	for _, v := range variants {
		used[v[1]] = true
	}
	if len(used) == 0 {
		used[c.o.Reference] = true
	}
	return sortedKeys(used)
}

func (c *comparison) unevenNote(k int, variants map[string][2]string) {
	counts := []string{fmt.Sprintf("%s %d", c.o.Candidate, len(c.candidate))}
	uneven := len(c.candidate) != k
	for _, ref := range c.usedReferences(variants) {
		counts = append(counts, fmt.Sprintf("%s %d", ref, len(c.reference[ref])))
		uneven = uneven || len(c.reference[ref]) != k
	}
	if k > 0 && uneven {
		c.note("uneven number of rounds (%s): the first %d of each side count", strings.Join(counts, ", "), k)
	}
}

// match sorts every config into matched, missing, uncovered or skipped on both.
func (c *comparison) match(k int, variants map[string][2]string) (all group, groups map[string]group) {
	groups = map[string]group{}
	names := c.configNames()
	for i, id := range c.ids {
		if id.measured[forward] || !id.measured[backward] {
			c.matchOne(k, i, forward, variants[id.base], names[id.base], &all, groups)
		}
		if id.measured[backward] {
			c.matchOne(k, i, backward, variants[id.base], names[id.base]+" backward", &all, groups)
		}
	}
	return all, groups
}

// matchOne sorts one config.
func (c *comparison) matchOne(k, config int, d direction, variant [2]string, name string, all *group, groups map[string]group) {
	counted := func(r []round) []round { return r[:min(len(r), max(k, 1))] }
	cand := state(counted(c.candidate), config, d)
	ref := state(counted(c.reference[variant[1]]), config, d)
	g := groups[variant[0]]
	g.reference = variant[1]
	switch {
	case cand.void:
		all.voids++
		all.missing++
		g.missing++
		c.v.Missing = append(c.v.Missing, Missing{name, "candidate", cand.why})
	case cand.measured && ref.measured:
		m := matched{base: c.ids[config].base, name: name, variant: variant[0], reference: variant[1], cand: cand, ref: ref,
			candMS: cand.lowest(median), refMS: ref.lowest(median), relStd: cand.relStd()}
		if other := ref.relStd(); !math.IsNaN(other) && !(other <= m.relStd) {
			m.relStd = other
		}
		logs := make([]float64, 0, 2*k)
		for _, s := range []sideState{cand, ref} {
			for _, o := range s.obs {
				logs = append(logs, math.Log(o.ms.Median))
			}
		}
		m.candLogs, m.refLogs = logs[:k:k], logs[k:]
		all.matched = append(all.matched, m)
		g.matched = append(g.matched, m)
	case (cand.skipped || cand.absent) && (ref.skipped || ref.absent):
		// Skipped wherever it occurs: nobody expected a time.
		return
	case d == backward && cand.absent && !c.backwards[c.ids[config].function] && state(counted(c.candidate), config, forward).measured:
		// A port is forward-only until it says otherwise, by the record of a backward
		// pass of the same test: its test passes and records no backward pass, where the
		// reference's record has one.
		c.v.Uncovered = append(c.v.Uncovered, Uncovered{name, c.o.Candidate + " was measured forward only; its record has no backward pass"})
		return
	case cand.skipped && c.o.AllowSkip != nil && c.o.AllowSkip(cand.skip):
		c.v.Uncovered = append(c.v.Uncovered, Uncovered{name, cand.skip})
		return
	default:
		all.missing++
		g.missing++
		if !cand.measured {
			c.v.Missing = append(c.v.Missing, Missing{name, "candidate", cand.why})
		}
		if !ref.measured {
			c.v.Missing = append(c.v.Missing, Missing{name, "reference", ref.why})
		}
	}
	groups[variant[0]] = g
}

// configNames are the printed names: test and parameters, preceded by the class
// where two classes have the same.
func (c *comparison) configNames() map[string]string {
	classes := map[string]map[string]bool{}
	for _, id := range c.ids {
		if classes[id.config] == nil {
			classes[id.config] = map[string]bool{}
		}
		classes[id.config][id.class] = true
	}
	names := map[string]string{}
	for _, id := range c.ids {
		name := id.config
		if len(classes[id.config]) > 1 {
			name = id.class + "::" + name
		}
		names[id.base] = name
	}
	return names
}

// blockReason says why no verdict on times is possible, else "".
func (c *comparison) blockReason(evidence []job.Evidence, all group, k int) string {
	switch {
	case len(c.foreign) > 0:
		return list(c.foreign) + words.Form(len(c.foreign), " is", " are") + " no JUnit XML, as pytest --junitxml writes it; a console log with result blocks goes to --log, any log to tilegate triage"
	case len(c.partial) > 0:
		return "partial records: " + list(c.partial)
	case len(c.duplicates) > 0:
		return "ambiguous records: " + list(c.duplicates)
	case c.o.Fallback != "":
		return "void records: another backend answered: " + c.o.Fallback
	}
	for _, e := range evidence {
		if e.Interrupted {
			return fmt.Sprintf("the evidence of %s says that its run was interrupted", e.Dispatch)
		}
	}
	return c.noMeasurement(all, k)
}

// noMeasurement says why nothing was measured that could be judged, else "". A
// sign in a log, such as a profiler that failed, is part of the reason.
func (c *comparison) noMeasurement(all group, k int) string {
	why := ""
	switch {
	case all.voids > 0:
		what := "another backend was measured"
		if !c.answered() {
			what = "nothing shows that its kernel was measured"
		}
		return fmt.Sprintf("%d of the records of %s %s void: %s", all.voids, c.o.Candidate, words.Form(all.voids, "is", "are"), what)
	case c.v.Comparable == "no":
		return "the two sides are not comparable: " + c.incomparable
	case len(all.matched) == 0 && len(c.ids) == 0:
		why = "no measurement: the records hold no perf case of " + c.o.Candidate + " or " + c.o.Reference + c.instead()
	case len(all.matched) == 0 && k == 0:
		why = "no measurement: no perf case of " + strings.Join(c.silent(), " or ") + " in the records" + c.instead()
	case len(all.matched) == 0:
		why = "no config has a time on both sides"
	}
	if why != "" {
		why += c.allSkipped()
	}
	if why != "" && len(c.o.LogNotes) > 0 {
		why += "; " + c.o.LogNotes[0]
	}
	return why
}

// allSkipped says of each side of which no case ran for which reason.
func (c *comparison) allSkipped() (said string) {
	for _, side := range []struct {
		name   string
		rounds []round
	}{{c.o.Candidate, c.candidate}, {c.o.Reference, c.reference[c.o.Reference]}} {
		there, skipped, first := 0, 0, ""
		for i := range c.ids {
			switch s := state(side.rounds, i, anyDirection); {
			case s.skipped:
				skipped++
				first = cmp.Or(first, s.skip)
				there++
			case !s.absent:
				there++
			}
		}
		if skipped > 0 && skipped == there {
			what := words.Form(skipped, "the only case", fmt.Sprintf("all %d cases", skipped))
			said += strings.TrimSuffix(fmt.Sprintf("; %s of %s %s skipped: %s", what, side.name, words.Form(skipped, "was", "were"), first), ": ")
		}
	}
	return said
}

// answered reports whether a void record shows that another backend answered.
func (c *comparison) answered() bool {
	return slices.ContainsFunc(c.v.Missing, func(m Missing) bool { return strings.Contains(m.Why, anotherAnswered) })
}

// instead names the backends that the perf cases are of.
func (c *comparison) instead() string {
	wanted := ""
	if names := c.silent(); len(names) > 0 {
		wanted = names[0]
	}
	return words.Instead(wanted, sortedKeys(c.backends))
}

// silent are the backends without any perf case.
func (c *comparison) silent() []string {
	var names []string
	if len(c.candidate) == 0 {
		names = append(names, c.o.Candidate)
	}
	if len(c.reference[c.o.Reference]) == 0 {
		names = append(names, c.o.Reference)
	}
	return names
}

// judge is the verdict on a group of configs.
func (c *comparison) judge(g group) (verdict, severity string, ratio *float64) {
	if len(g.matched) == 0 {
		return Blocked, MissingData, nil
	}
	r := snap(geomean(g.matched), c.o.Threshold)
	severity = Severity(r, c.o.Threshold)
	switch {
	case severity != SeverityDone:
		return Investigate, severity, &r
	case c.tooMany(g):
		return Investigate, MissingData, &r
	}
	return Done, SeverityDone, &r
}

// tooMany reports whether more configs are missing than may be.
func (c *comparison) tooMany(g group) bool {
	return g.missing > 0 && float64(g.missing)/float64(g.missing+len(g.matched)) > c.o.MaxMissing+onLimit
}

func geomean(ms []matched) float64 {
	sum := 0.0
	for _, m := range ms {
		sum += m.logRatio()
	}
	return math.Exp(sum / float64(len(ms)))
}

// statistics fills what stands beside the geomean: the mean over rounds, the
// interval, whether the answer is near a limit and whether it needs more rounds.
// It returns why the times decide nothing, else "".
func (c *comparison) statistics(ms []matched) (blocked string) {
	r, limit := read(ms, c.v.Rounds), c.o.Threshold
	c.v.Notes = append(c.v.Notes, r.notes(limit)...)
	budget := max(0, c.o.MaxRounds-r.rounds)
	lowest, mean := Severity(math.Exp(r.lowest), limit), Severity(math.Exp(r.mean), limit)
	if lowest != mean && budget > 0 {
		c.v.MoreRounds = 1
	}
	low, high, ok := r.interval(0)
	straddles := ok && !sameBand(low, high, limit)
	if straddles && budget > 0 {
		c.v.MoreRounds = r.more(budget, limit)
	}
	passes := func(severity string) bool { return severity == SeverityDone }
	open := straddles && passes(Severity(math.Exp(low), limit)) != passes(Severity(math.Exp(high), limit))
	// Wall-clock times of a host vary that much by themselves.
	if !c.wall && disturbed(ms, r.rounds) {
		r.unclear = fmt.Sprintf("something else used the card: in every round at least half of the configs of a side vary by %d %% or more inside a run", disturbedRelStd)
		c.unsound = append(c.unsound, r.unclear)
		if open {
			c.v.Comparable = "unknown" // how much each side was disturbed nobody knows
			c.v.ConfidenceNote = noInterval
			return fmt.Sprintf("%s, and the ratio may lie anywhere from %.2f to %.2f; measure again on a card that nothing else uses",
				r.unclear, math.Exp(low), math.Exp(high))
		}
	}
	if len(c.repeats) > 0 && r.unclear == "" {
		r.unclear = "one measurement stands for two rounds: " + list(c.repeats)
	}
	ratioMean := snap(math.Exp(r.mean), limit)
	c.v.RatioMean = &ratioMean
	switch {
	case r.unclear != "":
		c.v.ConfidenceNote = r.unclear
	case ok:
		c.v.Confidence = &Confidence{confidenceLevel, math.Exp(low), math.Exp(high)}
		c.v.ConfidenceNote = r.widened()
		if open {
			c.open = c.undecided(low, high)
		}
	default:
		c.v.ConfidenceNote = words.Count(r.rounds, "round") + "; an interval needs at least 2"
	}
	near := math.Abs(r.lowest-math.Log(limit)) < acrossCards
	c.v.Borderline = open || near || passes(lowest) != passes(mean)
	return ""
}

// undecided says that the verdict could as well be another, and what to do.
func (c *comparison) undecided(low, high float64) string {
	ratio := func(log float64) string { return FormatRatio(math.Exp(log), c.o.Threshold) }
	do, where := "measure again", "a card"
	if n := c.v.MoreRounds; n > 0 {
		do = "measure " + words.Count(n, "more round")
	}
	if c.wall {
		where = "a machine"
	}
	s := fmt.Sprintf("The measurement does not decide: the ratio may lie anywhere from %s to %s, on both sides of the limit; %s on %s that nothing else uses",
		ratio(low), ratio(high), do, where)
	if c.wall {
		s += ", or by device times, which scatter less than those of a wall clock"
	}
	return s + "."
}

// noisyRelStd is the spread inside a run, in percent, and fewRepetitions the
// number of repetitions, from which a row is called noisy.
const noisyRelStd, fewRepetitions = 10, 3

// noisy says why a row's figures are weak by themselves.
func (m matched) noisy() (spread, few bool) {
	least := func(s sideState) bool { n := s.repetitions(); return n > 0 && n < fewRepetitions }
	return m.relStd > noisyRelStd, least(m.cand) || least(m.ref)
}

// repetitions is the least number of any round, 0 when no record has one.
func (s sideState) repetitions() int {
	least := 0
	for _, o := range s.obs {
		if n := o.ms.NRep; n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// noisyNote says what the geomean would be without the noisy rows. The verdict is
// on all.
func (c *comparison) noisyNote(ms []matched) {
	if c.v.GeomeanRatio == nil {
		return
	}
	var calm []matched
	var spread, few []string
	for _, m := range ms {
		wide, rare := m.noisy()
		if wide {
			spread = append(spread, m.name)
		}
		if rare {
			few = append(few, m.name)
		}
		if !wide && !rare {
			calm = append(calm, m)
		}
	}
	var why []string
	for _, x := range []struct {
		sign  string
		names []string
	}{{fmt.Sprintf("rel_std above %d %%", noisyRelStd), spread}, {fmt.Sprintf("fewer than %d repetitions", fewRepetitions), few}} {
		switch {
		case len(x.names) == len(ms) && len(ms) > 1:
			why = append(why, x.sign+" in all of them")
		case len(x.names) > 0:
			why = append(why, x.sign+" in "+list(x.names))
		}
	}
	switch n := len(ms) - len(calm); {
	case n == 0:
	case len(calm) == 0:
		c.allNoisy = true
		c.note("every config is noisy: %s", strings.Join(why, "; "))
	default:
		c.note("without %s that %s noisy the geomean is %s: %s", words.Count(n, "config"), words.Form(n, "is", "are"), FormatRatio(geomean(calm), c.o.Threshold), strings.Join(why, "; "))
	}
}

// row is the printed form of a matched config.
func (c *comparison) row(m matched, comparable bool) Config {
	out := Config{Name: m.name, Variant: m.variant, CandidateMS: m.candMS, ReferenceMS: m.refMS,
		Launches: Launches{m.cand.launches(), m.ref.launches()}, Change: "unclear"}
	var notes []string
	if !math.IsNaN(m.relStd) && !math.IsInf(m.relStd, 0) {
		out.RelStd = &m.relStd
		if m.twoSpeeds() {
			notes = append(notes, fmt.Sprintf("noisy inside a run (rel_std %s): the median may sit on either of two speeds", percent(m.relStd)))
		}
	}
	for _, side := range []struct {
		name string
		logs []float64
	}{{"candidate", m.candLogs}, {"reference", m.refLogs}} {
		if spread := slices.Max(side.logs) - slices.Min(side.logs); spread > noteworthy {
			notes = append(notes, fmt.Sprintf("medians of the rounds differ by %.1f %% (%s)", 100*(math.Exp(spread)-1), side.name))
		}
	}
	if per := m.cand.obs[0].ms.Per; per != "" {
		notes = append(notes, "a rate, where higher is better: the times are those of one "+per)
	}
	for _, side := range []struct {
		name string
		sideState
	}{{"candidate", m.cand}, {"reference", m.ref}} {
		if n := side.repetitions(); n > 0 && n < fewRepetitions {
			notes = append(notes, "only "+words.Count(n, "repetition")+" ("+side.name+")")
		}
	}
	if comparable {
		r := math.Exp(m.logRatio())
		out.Ratio = &r
		out.Change = c.change(m, r)
	}
	if l := out.Launches; l.Candidate != nil && l.Reference != nil && *l.Candidate != *l.Reference {
		notes = append(notes, fmt.Sprintf("launches %d against %d", *l.Candidate, *l.Reference))
	}
	if c.unmatched[m.base] {
		notes = append(notes, "not in config_to_variant")
	}
	out.Note = strings.Join(notes, "; ")
	return out
}

// change words a config's ratio. Within 2 % it is the same. Beyond that, three
// or more rounds must agree (99 % paired interval without 1); fewer must show
// more than the flip of a two-speed config where the run looks like one.
func (c *comparison) change(m matched, ratio float64) string {
	word := map[bool]string{true: "slower", false: "faster"}[ratio > 1]
	size := math.Abs(math.Log(ratio))
	if size <= math.Log(1.02) {
		return "same"
	}
	if k := c.v.Rounds; k >= 3 {
		if c.quantile == 0 {
			c.quantile = studentQuantile(0.99, k-1)
		}
		mean, std := meanStd(m.logRatios())
		if math.Abs(mean) <= c.quantile*std/math.Sqrt(float64(k)) {
			return "unclear"
		}
		return word
	}
	if m.twoSpeeds() && size <= math.Log(1.15) {
		return "unclear"
	}
	return word
}

// sentence says the verdict, its number and its reason.
func (c *comparison) sentence(all group, blocked string) {
	v := &c.v
	total := all.missing + len(all.matched)
	missing := ""
	if all.missing > 0 {
		missing = fmt.Sprintf("%d of %s missing", all.missing, words.Count(total, "config"))
	}
	if blocked != "" {
		v.Sentence = "BLOCKED: " + blocked + "."
		if missing != "" && all.voids == 0 {
			v.Sentence += " " + missing + "."
		}
		return
	}
	r := FormatRatio(*v.GeomeanRatio, c.o.Threshold)
	limit := FormatRatio(c.o.Threshold, c.o.Threshold)
	relation := "at most"
	if *v.GeomeanRatio > c.o.Threshold {
		relation = "above"
	}
	v.Sentence = v.Verdict
	if v.Severity != v.Verdict {
		v.Sentence += " (" + v.Severity + ")"
	}
	v.Sentence += fmt.Sprintf(": geomean %s over %s, %s, %s the limit %s",
		r, words.Count(len(all.matched), "config"), against(*v.GeomeanRatio, c.o.Threshold, c.comparedWith(all.matched)), relation, limit)
	if missing != "" {
		v.Sentence += "; " + missing
		if v.Severity == MissingData {
			v.Sentence += ", and a verdict never extrapolates"
		}
	}
	if v.Borderline {
		v.Sentence += "; borderline"
	}
	if c.allNoisy {
		v.Sentence += "; " + words.Form(len(all.matched), "the config", "every config") + " is noisy"
	}
	v.Sentence += "."
	if v.Verdict == Done && v.Comparable != "yes" {
		v.Sentence += " That both sides ran alike is not shown, so the gate does not pass it."
	}
	if c.open != "" {
		v.Sentence += " " + c.open
	}
}

// comparedWith names the backends that the matched configs were compared with.
func (c *comparison) comparedWith(ms []matched) string {
	var names []string
	for _, m := range ms {
		if !slices.Contains(names, m.reference) {
			names = append(names, m.reference)
		}
	}
	if len(names) == 1 && names[0] == c.o.Candidate {
		return "the reference's records of " + names[0]
	}
	return strings.Join(names, " and ")
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// list joins a few items and counts the rest.
func list(items []string) string {
	const show = 3
	if len(items) <= show {
		return strings.Join(items, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(items[:show], "; "), len(items)-show)
}
