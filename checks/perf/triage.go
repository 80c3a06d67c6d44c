package perf

import (
	"fmt"
	"strings"

	"github.com/tilegate/tilegate/checks/records"
)

// hostShare is the share of device time from which work beside the own kernel
// explains a gap.
const hostShare = 0.05

// hostWork names the profile entries that no tile kernel makes: copies, fills and
// the framework's elementwise kernels.
var hostWork = []string{"memcpy", "memset", "at::native", "elementwise", "fill", "copy"}

// triage turns the launch evidence into rules and steps, in the order in which a
// performance gap is investigated: launches first, then configuration, then IR,
// then arithmetic.
func triage(v Verdict, all group) []Triage {
	out := []Triage{}
	var duplicate, copies, extra []string
	profiled := len(all.matched) > 0
	for _, m := range all.matched {
		p := m.cand.first()
		cand, ref := m.cand.launches(), m.ref.launches()
		if cand == nil || ref == nil {
			profiled = false
			continue
		}
		own, host, hostUS, totalUS := 0, []string{}, 0.0, 0.0
		for _, k := range p.Kernels {
			totalUS += k.SelfUS
			switch {
			case records.OwnKernel(k.Name):
				own += k.Count
			case isHostWork(k.Name):
				host = append(host, short(k.Name))
				hostUS += k.SelfUS
			}
		}
		where := fmt.Sprintf("%s: %d launches against %d", m.name, *cand, *ref)
		switch {
		case own >= 2 && *cand > *ref:
			duplicate = append(duplicate, fmt.Sprintf("%s, %d of them of the own kernel", where, own))
		case len(host) > 0 && *cand > *ref:
			copies = append(copies, where+": "+strings.Join(host, ", "))
		case len(host) > 0 && own > 0 && totalUS > 0 && hostUS/totalUS >= hostShare:
			copies = append(copies, fmt.Sprintf("%s: %s take %.0f %% of the device time", m.name, strings.Join(host, ", "), 100*hostUS/totalUS))
		case *cand > *ref:
			extra = append(extra, where)
		}
	}
	if all.voids > 0 {
		out = append(out, Triage{[]string{"R35", "R40"}, []string{
			"Another backend answered: check that the op is registered for cutile-rs and that its symbol is in the library.",
			"Run again with DISABLE_FALLBACK=1, so that a missing implementation is an error.",
		}})
	}
	if len(duplicate) > 0 {
		out = append(out, Triage{[]string{"R38", "R41", "P5"}, append([]string{
			"Look for a canary launch, a second variant or a fallback that runs in the measured call, and move it out.",
		}, duplicate...)})
	}
	if len(copies) > 0 {
		out = append(out, Triage{[]string{"R41", "P9"}, append([]string{
			"Remove the copy, fill or conversion from the wrapper's measured path: allocate outputs with torch.empty, transpose in the kernel (R27).",
		}, copies...)})
	}
	if len(extra) > 0 {
		out = append(out, Triage{[]string{"R42", "R41"}, append([]string{
			"Count the kernels of one call on both sides and explain each one that the reference does not launch.",
		}, extra...)})
	}
	if v.Verdict != Investigate || v.Severity == MissingData {
		return out
	}
	steps := bandSteps(v.Severity)
	switch {
	case !profiled:
		steps = append([]string{"Some records have no kernel profile: compare the launch counts first, with DUMP_CUPTI_EVENTS=1."}, steps...)
	case len(out) == 0:
		steps = append([]string{"Both sides launch the same number of kernels: go on with the configuration."}, steps...)
	}
	return append(out, Triage{[]string{"R42", "P11", "P10", "R20", "R8"}, steps})
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
