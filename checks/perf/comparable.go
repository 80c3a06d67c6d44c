package perf

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/records"
)

// profilerTools are the entries of the evidence's tools that decide how device
// time is taken.
var profilerTools = []string{"profiler", "cupti", "torch"}

// comparability decides yes, no or unknown from the evidence and the records.
func (c *comparison) comparability(files []File, evidence []job.Evidence, ms []matched) string {
	if why := unitSigns(ms); why != "" {
		c.incomparable = why
		return "no"
	}
	if why := timingSigns(ms); why != "" {
		c.incomparable = why
		return "no"
	}
	if len(evidence) == 0 {
		c.note("no evidence of GPU, driver and timing method: comparable is unknown; --evidence takes the evidence.json of the run, and the folder of a perf job of tilegate runner holds it")
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
	c.clockNotes(evidence)
	if name := otherBytes(files, evidence); name != "" {
		c.note("the evidence lists %s with another sha256, so it is of another run: comparable is unknown", name)
		return "unknown"
	}
	for _, e := range evidence {
		if e.Stage != "" && e.Stage != job.Perf {
			c.note("the evidence is of the %s stage, where no times are taken: comparable is unknown", e.Stage)
			return "unknown"
		}
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

// otherBytes is the first file that the evidence lists by its name with other
// content, and nowhere with its own, else "".
func otherBytes(files []File, evidence []job.Evidence) string {
	for _, f := range files {
		named, listed := false, false
		for _, e := range evidence {
			for _, l := range e.Files {
				same := strings.EqualFold(l.SHA256, f.SHA256)
				listed = listed || same
				named = named || !same && len(l.SHA256) == 64 && filepath.Base(l.Path) == filepath.Base(f.Name)
			}
		}
		if f.SHA256 != "" && named && !listed {
			return filepath.Base(f.Name)
		}
	}
	return ""
}

// clockNotes says where the clocks that were read during the runs differ: the
// times are then not those of one speed.
func (c *comparison) clockNotes(evidence []job.Evidence) {
	for _, clock := range []struct {
		name string
		mhz  func(job.Clocks) int
	}{
		{"SM", func(k job.Clocks) int { return k.SMMHz }},
		{"memory", func(k job.Clocks) int { return k.MemoryMHz }},
	} {
		low, high := 0, 0
		for _, e := range evidence {
			if mhz := clock.mhz(e.GPUIdentity.Clocks); mhz > 0 {
				high = max(high, mhz)
				if low == 0 || mhz < low {
					low = mhz
				}
			}
		}
		if float64(high) > float64(low)*(1+acrossCards) {
			note := fmt.Sprintf("the %s clock was read as %d and as %d MHz", clock.name, low, high)
			c.v.Notes = append(c.v.Notes, note)
			c.unsound = append(c.unsound, note)
		}
	}
}

// wallClock is the share of profiled device time in the median below which the
// median is no device time: device-timed records lie at 0.88 to 1.17, wall-clock
// ones at 0.22 to 0.26.
const wallClock = 0.6

// unitSigns reports a difference in what the two sides measured: times of a call,
// or rates, which are times of a piece of work.
func unitSigns(ms []matched) string {
	what := func(per string) string {
		if per == "" {
			return "the time of a call"
		}
		return "a rate, the time of one " + per
	}
	for _, m := range ms {
		for i := range m.cand.obs {
			if a, b := m.cand.obs[i].ms.Per, m.ref.obs[i].ms.Per; a != b {
				return fmt.Sprintf("different units: of %s the candidate gives %s and the reference %s", m.name, what(a), what(b))
			}
		}
	}
	return ""
}

// timingSigns reads the timing method from the records themselves and reports a
// difference of the two sides.
func timingSigns(ms []matched) string {
	cand, ref := profiledShare(ms, true), profiledShare(ms, false)
	if math.IsNaN(cand) || math.IsNaN(ref) || (cand < wallClock) == (ref < wallClock) {
		return ""
	}
	return fmt.Sprintf("different timing method: profiled kernels make up %.2f of the candidate's median and %.2f of the reference's, so one side is wall-clock time", cand, ref)
}

// profiledShare is the median share of profiled device time in the medians of one
// side, NaN without profiles.
func profiledShare(ms []matched, candidate bool) float64 {
	var shares []float64
	for _, m := range ms {
		side := m.ref
		if candidate {
			side = m.cand
		}
		for _, o := range side.obs {
			if s := o.ms.SelfMS() / o.ms.Median; !math.IsNaN(s) && o.ms.Per == "" {
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
