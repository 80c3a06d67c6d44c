package history

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tilegate/tilegate/checks/perf"
)

// Selection says which measurements are looked at; empty fields select all.
type Selection struct {
	Kernels []string // with or without their suite
	GPUs    []string // classes or card models
}

// Of are the selected measurements, oldest first; those of one time stay in order.
func (s Selection) Of(all []Measurement) []Measurement {
	var out []Measurement
	for _, m := range all {
		if s.kernel(m.Kernel) && (len(s.GPUs) == 0 || slices.Contains(s.GPUs, m.GPU.Class) || slices.Contains(s.GPUs, m.GPU.Name)) {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b Measurement) int { return a.MeasuredAt.Compare(b.MeasuredAt) })
	return out
}

func (s Selection) kernel(name string) bool {
	base := name[strings.LastIndexByte(name, '.')+1:]
	return len(s.Kernels) == 0 || slices.Contains(s.Kernels, name) || slices.Contains(s.Kernels, base)
}

// Identity is what all points of a series share.
type Identity struct {
	Repository, Kernel   string
	Variant              string // empty: all variants together
	Candidate, Reference string
	GPUClass, GPU        string
	Timing               string
}

// Series is how a ratio moved from measurement to measurement, oldest first.
type Series struct {
	Identity
	Threshold float64 // the newest
	Points    []Point
	Configs   []ConfigSeries
}

// Point is one measurement of a series. Ratio is nil where the variant was not
// measured, Interval where none was given.
type Point struct {
	Commit   string
	At       time.Time
	Source   string
	Driver   string
	Rounds   int
	Ratio    *float64
	Interval *perf.Confidence
	Severity string // the band of Ratio, MISSING_DATA without one
}

// ConfigSeries holds the medians of one config in milliseconds, one for each point
// of its series, nil where there is none.
type ConfigSeries struct {
	Name                 string
	Candidate, Reference []*float64
}

// Group sorts measurements into series: by repository, kernel, backends, GPU class,
// card model and timing, then by variant. A kernel with several variants has a
// series of all of them, too, since the verdict is on that one. The measurements
// are taken in their order.
func Group(all []Measurement) []Series {
	runs := map[Identity][]Measurement{}
	for _, m := range all {
		id := Identity{
			Repository: m.Repository, Kernel: m.Kernel, Candidate: m.Candidate, Reference: m.Reference,
			GPUClass: m.GPU.Class, GPU: m.GPU.Name, Timing: m.GPU.Timing,
		}
		runs[id] = append(runs[id], m)
	}
	var out []Series
	for id, run := range runs {
		out = append(out, split(id, run)...)
	}
	slices.SortFunc(out, func(a, b Series) int {
		return cmp.Or(
			strings.Compare(a.Repository, b.Repository), strings.Compare(a.Kernel, b.Kernel), strings.Compare(a.GPUClass, b.GPUClass), strings.Compare(a.GPU, b.GPU),
			strings.Compare(a.Timing, b.Timing), strings.Compare(a.Candidate, b.Candidate), strings.Compare(a.Variant, b.Variant), strings.Compare(a.Reference, b.Reference),
		)
	})
	return out
}

// split makes the series of one kernel on one card model.
func split(id Identity, run []Measurement) []Series {
	type variant struct{ name, reference string }
	var variants []variant
	for _, m := range run {
		for _, v := range m.Variants {
			if x := (variant{v.Name, v.Reference}); !slices.Contains(variants, x) {
				variants = append(variants, x)
			}
		}
	}
	var out []Series
	if len(variants) != 1 {
		s := Series{Identity: id}
		for _, m := range run {
			s.add(m, m.Ratio, m.Confidence)
		}
		if len(variants) == 0 {
			s.configs(run, func(Config) bool { return true })
		}
		out = append(out, s)
	}
	for _, x := range variants {
		s := Series{Identity: id}
		s.Variant, s.Reference = x.name, x.reference
		for _, m := range run {
			var ratio *float64
			for _, v := range m.Variants {
				if v.Name == x.name && v.Reference == x.reference {
					ratio = v.Ratio
				}
			}
			// The verdict's interval is one of all variants together.
			interval := m.Confidence
			if len(m.Variants) != 1 || ratio == nil {
				interval = nil
			}
			s.add(m, ratio, interval)
		}
		// A config that was not measured on both sides names no variant.
		names := map[string]bool{}
		for _, m := range run {
			for _, c := range m.Configs {
				names[c.Name] = names[c.Name] || c.Variant == x.name
			}
		}
		s.configs(run, func(c Config) bool { return names[c.Name] && (c.Variant == x.name || c.Variant == "") })
		out = append(out, s)
	}
	return out
}

func (s *Series) add(m Measurement, ratio *float64, interval *perf.Confidence) {
	p := Point{Commit: m.Commit, At: m.MeasuredAt, Source: m.Source, Driver: m.GPU.Driver, Rounds: m.Rounds, Ratio: ratio, Interval: interval, Severity: perf.MissingData}
	if ratio != nil {
		p.Severity = perf.Severity(*ratio, m.Threshold)
	}
	s.Threshold = m.Threshold
	s.Points = append(s.Points, p)
}

// configs adds the medians of the configs that belong to the series, by name.
func (s *Series) configs(run []Measurement, belongs func(Config) bool) {
	at := map[string]int{}
	for n, m := range run {
		for _, c := range m.Configs {
			if !belongs(c) {
				continue
			}
			i, ok := at[c.Name]
			if !ok {
				i = len(s.Configs)
				at[c.Name] = i
				s.Configs = append(s.Configs, ConfigSeries{c.Name, make([]*float64, len(run)), make([]*float64, len(run))})
			}
			s.Configs[i].Candidate[n], s.Configs[i].Reference[n] = c.CandidateMS, c.ReferenceMS
		}
	}
	slices.SortFunc(s.Configs, func(a, b ConfigSeries) int { return strings.Compare(a.Name, b.Name) })
}

// Last is the newest point with a ratio, and whether there is one.
func (s Series) Last() (Point, bool) {
	for _, p := range slices.Backward(s.Points) {
		if p.Ratio != nil {
			return p, true
		}
	}
	return Point{}, false
}
