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
	if compared(tc) {
		return ""
	}
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

// cause is what a failure's text says: the signature that leads, "" for none, and
// whose fault it is.
type cause struct {
	signature string
	title     string
	class     triage.Class
	also      triage.Class // whose it may be as well, "" for nobody's
	alone     triage.Class // the class when other cases pass
	toolchain bool         // it may also be the environment's
}

// classify says whose fault each failing case is.
func (j *judge) classify() {
	passed := 0
	for _, r := range j.order {
		if r.outcome == records.Passed {
			passed++
		}
	}
	for _, r := range j.order {
		if !r.failing() {
			continue
		}
		r.cause = j.causeOf(r.test)
		switch {
		case r.culprit != nil && r.culprit.id.Backend != j.o.Backend && r.culprit.id.Backend != "":
			// Another backend's case lost the context that this one needed.
			r.cause.class, r.cause.also = triage.Infra, ""
		case passed > 0 && r.cause.alone != "":
			r.cause.class, r.cause.also = r.cause.alone, ""
		}
	}
}

// TimeoutSignature is the signature of a test's time limit. It tells how a test
// ended and not whose fault that is.
const TimeoutSignature = "S-C12"

// causeOf matches a failure's text against the known signatures. A text without
// one is the kernel's: a wrong result is what these tests are there to find.
func (j *judge) causeOf(tc records.Case) cause {
	key := failureText{tc.Message, tc.Detail, tc.Output}
	if known, ok := j.causes[key]; ok {
		return known
	}
	// Where a failure blames the change the verdict is made, and others with its
	// message need no look of their own. One that excuses it speaks for itself only.
	if known, ok := j.blaming[tc.Message]; ok && tc.Message != "" {
		return known
	}
	c := cause{class: triage.Kernel}
	if tc.Outcome == records.Timeout || tc.Outcome == records.Crashed {
		c.class = triage.Host
	}
	said := tc.Message + "\n" + tc.Detail
	if !compared(tc) {
		said += "\n" + tc.Output
	}
	for _, m := range triage.Text("junit", said).Matches {
		// That a limit was hit is the outcome itself, not its cause.
		if m.Signature != TimeoutSignature {
			c = cause{m.Signature, m.Title, m.Class, m.Also, m.Alone, innocent(m.Class) || innocent(m.Also)}
			break
		}
	}
	j.causes[key] = c
	if !innocent(c.class) && !innocent(c.alone) {
		j.blaming[tc.Message] = c
	}
	return c
}

// failureText is all that a failure says. Two that share the message may differ in
// the rest, and so in whose fault they are.
type failureText struct{ message, detail, output string }

// compared reports whether a case ran to a comparison that failed. What the test
// wrote before, such as a configuration that did not fit into memory and was passed
// over, excuses no wrong result.
func compared(tc records.Case) bool {
	return tc.Outcome == records.Failed && (strings.HasPrefix(tc.Message, "AssertionError") || strings.HasPrefix(tc.Message, "assert "))
}

// alike is the signature with which every case that ran failed, and at least two
// did; "" when they differ or some passed.
func (j *judge) alike() cause {
	var all cause
	n := 0
	for _, r := range j.order {
		switch {
		case r.outcome == records.Missing || r.outcome == records.Deselected:
			continue
		case !r.failing() || r.cause.signature == "" || n > 0 && r.cause.signature != all.signature:
			return cause{}
		}
		all = r.cause
		n++
	}
	if n < 2 {
		return cause{}
	}
	return all
}

// innocent reports whether a class does not blame the change.
func innocent(c triage.Class) bool { return c == triage.Env || c == triage.Infra }
