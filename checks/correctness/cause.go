package correctness

import (
	"strings"

	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/triage"
)

// poison are the errors after which a CUDA context is lost: every later call of
// the process fails with the same text, whatever it does.
var poison = []string{
	"an illegal memory access was encountered",
	"CUDA_ERROR_ILLEGAL_ADDRESS",
	"device-side assert triggered",
	"misaligned address",
	"unspecified launch failure",
	"an illegal instruction was encountered",
	"uncorrectable ECC error",
	"CUDA_ERROR_ECC_UNCORRECTABLE",
}

func poisoned(tc records.Case) string {
	for _, p := range poison {
		if strings.Contains(tc.Message, p) || strings.Contains(tc.Detail, p) {
			return p
		}
	}
	return ""
}

// findCulprits links the failures of a lost context to the first one of the same
// file. Cases of every backend are looked at: they share the process.
func (j *judge) findCulprits() {
	type context struct {
		report int
		text   string
	}
	first := map[context]*result{}
	for _, r := range j.all {
		if !r.failing() {
			continue
		}
		text := poisoned(r.test)
		if text == "" {
			continue
		}
		at := context{r.report, text}
		if culprit, ok := first[at]; ok {
			r.culprit = culprit
			r.why = "consequence of " + culprit.printed + ": " + r.why
			j.v.Consequences++
			continue
		}
		first[at] = r
	}
}

// classify says whose fault a failing case is.
func (j *judge) classify(r *result) triage.Class {
	if r.culprit != nil && r.culprit.id.Backend != j.o.Backend && r.culprit.id.Backend != "" {
		// Another backend's case lost the context that this one needed.
		return triage.Infra
	}
	return j.classOf(r.test)
}

// TimeoutSignature is the signature of a test's time limit. It tells how a test
// ended and not whose fault that is.
const TimeoutSignature = "S-C12"

// classOf matches a failure's text against the known signatures. A text without
// one is the kernel's: a wrong result is what these tests are there to find.
func (j *judge) classOf(tc records.Case) triage.Class {
	if class, known := j.classes[tc.Message]; known && tc.Message != "" {
		return class
	}
	class := triage.Kernel
	if tc.Outcome == records.Timeout || tc.Outcome == records.Crashed {
		class = triage.Host
	}
	for _, m := range triage.Text("junit", tc.Message+"\n"+tc.Detail+"\n"+tc.Output).Matches {
		// That a limit was hit is the outcome itself, not its cause.
		if m.Signature != TimeoutSignature {
			class = m.Class
			break
		}
	}
	j.classes[tc.Message] = class
	return class
}

// innocent reports whether a class does not blame the change.
func innocent(c triage.Class) bool { return c == triage.Env || c == triage.Infra }
