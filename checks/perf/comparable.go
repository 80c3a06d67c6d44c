package perf

import (
	"fmt"
	"math"
	"slices"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/records"
)

// profilerTools are the entries of the evidence's tools that decide how device
// time is taken.
var profilerTools = []string{"profiler", "cupti", "torch"}

// comparability decides yes, no or unknown from the evidence and the records.
func (c *comparison) comparability(evidence []job.Evidence, ms []matched) string {
	if why := timingSigns(ms); why != "" {
		c.incomparable = why
		return "no"
	}
	if len(evidence) == 0 {
		c.note("no evidence of GPU, driver and timing method: comparable is unknown")
		return "unknown"
	}
	first := evidence[0]
	for _, e := range evidence[1:] {
		for _, f := range [][3]string{
			{"GPU", first.GPUIdentity.Name, e.GPUIdentity.Name},
			{"GPU device", first.GPUIdentity.UUID, e.GPUIdentity.UUID},
			{"compute capability", first.GPUIdentity.ComputeCapability, e.GPUIdentity.ComputeCapability},
			{"driver", first.GPUIdentity.Driver, e.GPUIdentity.Driver},
			{"timing method", first.Timing, e.Timing},
		} {
			if f[1] != f[2] {
				c.incomparable = fmt.Sprintf("different %s: %q and %q", f[0], f[1], f[2])
				return "no"
			}
		}
		for _, tool := range profilerTools {
			if a, b := first.Tools[tool], e.Tools[tool]; a != "" && b != "" && a != b {
				c.incomparable = fmt.Sprintf("different profiler (%s): %q and %q", tool, a, b)
				return "no"
			}
		}
	}
	for _, e := range evidence {
		for _, f := range [][2]string{{"gpu_identity.name", e.GPUIdentity.Name}, {"gpu_identity.driver", e.GPUIdentity.Driver}, {"timing", e.Timing}} {
			if f[1] == "" {
				c.note("the evidence does not say %s: comparable is unknown", f[0])
				return "unknown"
			}
		}
		for _, f := range [][3]string{{"candidate", e.Candidate, c.o.Candidate}, {"reference", e.Reference, c.o.Reference}} {
			if f[1] != "" && records.CanonicalBackend(f[1]) != f[2] {
				c.note("the evidence is of %s %q, asked for is %q: comparable is unknown", f[0], f[1], f[2])
				return "unknown"
			}
		}
	}
	return "yes"
}

// wallClock is the share of profiled device time in the median below which the
// median is no device time: device-timed records lie at 0.88 to 1.17, wall-clock
// ones at 0.22 to 0.26.
const wallClock = 0.6

// timingSigns reads the timing method from the records themselves and reports a
// difference of the two sides.
func timingSigns(ms []matched) string {
	share := func(side func(matched) sideState) float64 {
		var shares []float64
		for _, m := range ms {
			for _, o := range side(m).obs {
				if s := o.ms.SelfMS() / o.ms.Median; !math.IsNaN(s) {
					shares = append(shares, s)
				}
			}
		}
		if len(shares) == 0 {
			return math.NaN()
		}
		slices.Sort(shares)
		return shares[len(shares)/2]
	}
	cand := share(func(m matched) sideState { return m.cand })
	ref := share(func(m matched) sideState { return m.ref })
	if math.IsNaN(cand) || math.IsNaN(ref) || (cand < wallClock) == (ref < wallClock) {
		return ""
	}
	return fmt.Sprintf("different timing method: profiled kernels make up %.2f of the candidate's median and %.2f of the reference's, so one side is wall-clock time", cand, ref)
}
