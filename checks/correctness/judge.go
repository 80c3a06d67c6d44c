package correctness

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/records"
)

// Options are the question.
type Options struct {
	Backend   string // the candidate
	Reference string // "" when the files have none: then the cases that ran are the expected ones
	// Expect are the node ids of the expected cases, of either backend; nil takes
	// the reference's cases of the files.
	Expect []string
	// AllowSkip says whether a skip text declares a gap; nil allows none.
	AllowSkip func(text string) bool
	ExitCode  *int // of pytest; nil when unknown
	// Interrupted says that the run is known to have been stopped from outside.
	Interrupted bool
	// Deselected is the number of cases that pytest says it left out.
	Deselected int
	// Fallback is a log line that says that another backend answered; "" for none.
	Fallback string
}

// Judge decides. The base files are the same tests at the base revision; they
// only serve to cite a skip that was there before. It never fails: what cannot
// be read is part of the verdict.
func Judge(files, base []records.Report, o Options) Verdict {
	o.Backend, o.Reference = records.CanonicalBackend(o.Backend), records.CanonicalBackend(o.Reference)
	if o.Reference == o.Backend {
		o.Reference = ""
	}
	j := judge{
		o:         o,
		v:         Verdict{Schema: Schema, Backend: o.Backend, Missing: []string{}, Cases: []Case{}},
		candidate: map[string]*result{},
		reference: map[string]*result{},
		baseSkips: map[string]string{},
		causes:    map[failureText]cause{}, blaming: map[string]cause{},
	}
	j.read(files, base)
	j.expect()
	j.settle()
	j.decide()
	return j.v
}

// result is a case with what is known about it.
type result struct {
	id      records.TestID
	printed string
	test    records.Case
	report  int
	outcome records.Outcome
	why     string
	cause   cause  // of a failing case
	cited   string // in a few words, why a skip counts; "" for none
	// culprit is the case whose failure caused this one.
	culprit *result
	foreign bool // a case of neither backend
}

func (r *result) failing() bool {
	switch r.outcome {
	case records.Failed, records.Error, records.Timeout, records.Crashed:
		return true
	}
	return false
}

type judge struct {
	o           Options
	v           Verdict
	candidate   map[string]*result // by key
	reference   map[string]*result
	all         []*result // every case of the files, in run order
	order       []*result // the candidate's cases to judge
	expected    []string  // keys
	expectedIDs map[string]records.TestID
	unknown     bool // the expected cases are not known
	baseSkips   map[string]string
	baseSkipped int
	partial     []string
	foreign     []string // files that are no JUnit XML
	collection  []*result
	causes      map[failureText]cause
	blaming     map[string]cause // by message, of failures that blame the change
}

// read sorts the cases of all files by backend.
func (j *judge) read(files, base []records.Report) {
	parser := records.NewIDParser(j.o.Backend, j.o.Reference)
	for n, f := range files {
		if f.NotJUnit() {
			j.foreign = append(j.foreign, f.Name)
		}
		if why := f.Interrupted(); why != "" {
			j.partial = append(j.partial, why)
		}
		for _, tc := range f.Cases {
			id := parser.Parse(tc.Class, tc.Name)
			r := &result{id: id, printed: tc.ID(), test: tc, report: n, outcome: tc.Outcome, why: tc.Reason()}
			j.all = append(j.all, r)
			switch {
			case tc.CollectionError():
				j.collection = append(j.collection, r)
			case id.Backend == j.o.Backend || id.Backend == "":
				if old, ok := j.candidate[caseKey(id)]; ok {
					worse(old, r)
					continue
				}
				r.foreign = id.Backend == ""
				j.candidate[caseKey(id)] = r
				j.order = append(j.order, r)
			case id.Backend == j.o.Reference:
				if old, ok := j.reference[id.Key()]; ok {
					worse(old, r)
					continue
				}
				j.reference[id.Key()] = r
			}
		}
	}
	for _, f := range base {
		for _, tc := range f.Cases {
			if id := parser.Parse(tc.Class, tc.Name); id.Backend == j.o.Backend && tc.Outcome == records.Skipped {
				j.baseSkips[id.Key()] = skipText(tc)
				j.baseSkipped++
			}
		}
	}
}

// caseKey maps the cases of all backends onto one key by their parameters; a case
// of no backend has a key of its own.
func caseKey(id records.TestID) string {
	if id.Backend == "" {
		return id.Key() + " of no backend"
	}
	return id.Key()
}

var badness = []records.Outcome{records.Passed, records.XFailed, records.Skipped, records.Error, records.Failed, records.Timeout, records.Crashed}

// worse keeps the worse one of two results of the same case.
func worse(old, again *result) {
	if slices.Index(badness, again.outcome) > slices.Index(badness, old.outcome) {
		old.outcome, old.why, old.test, old.report = again.outcome, again.why, again.test, again.report
	}
}

// expect finds the expected cases.
func (j *judge) expect() {
	j.expectedIDs = map[string]records.TestID{}
	add := func(id records.TestID) {
		if _, dup := j.expectedIDs[caseKey(id)]; !dup {
			j.expectedIDs[caseKey(id)] = id
			j.expected = append(j.expected, caseKey(id))
		}
	}
	switch {
	case j.o.Expect != nil:
		for _, node := range j.o.Expect {
			add(records.ParseNodeID(node, j.o.Backend, j.o.Reference))
		}
	case j.o.Reference != "":
		for _, r := range j.all {
			if r.id.Backend == j.o.Reference && !r.test.CollectionError() {
				add(r.id)
			}
		}
	default:
		for _, r := range j.order {
			if !r.foreign {
				add(r.id)
			}
		}
	}
	j.unknown = len(j.expected) == 0 && (j.o.Expect != nil || j.o.Reference != "")
}

// settle gives every candidate case its final outcome and counts.
func (j *judge) settle() {
	var kept []*result
	for _, r := range j.order {
		_, expected := j.expectedIDs[caseKey(r.id)]
		// A case of no backend concerns the candidate when it was asked for or when it
		// fails: nothing says that it is innocent.
		if r.foreign && !expected && !r.failing() {
			continue
		}
		kept = append(kept, r)
		switch {
		case r.outcome == records.Skipped:
			if r.cited = j.cite(r); r.cited != "" {
				r.outcome, r.why = records.SkippedCited, fmt.Sprintf("cited: %s (%s)", r.cited, skipText(r.test))
			}
		case r.outcome == records.Passed:
			if why := voidReason(r, j.o.Backend); why != "" {
				r.outcome, r.why = records.Void, why
			}
		}
	}
	j.order = kept
	j.findCulprits()
	j.classify()
	for _, r := range j.order {
		if _, expected := j.expectedIDs[caseKey(r.id)]; !expected {
			j.v.Beyond++
		}
		switch r.outcome {
		case records.Passed:
			j.v.Passed++
		case records.Skipped, records.SkippedCited:
			j.v.Skipped++
			if r.outcome == records.SkippedCited {
				j.v.Cited++
			}
		default:
			if r.failing() {
				j.v.Failed++
			}
		}
	}
	for _, key := range j.expected {
		if _, ran := j.candidate[key]; ran {
			continue
		}
		id := j.expectedIDs[key]
		gone := &result{id: id, printed: id.For(j.o.Backend), outcome: records.Missing, why: "expected, not in the records"}
		if j.o.Deselected > 0 {
			gone.outcome, gone.why = records.Deselected, "expected, not in the records; pytest says that it deselected cases"
		}
		j.order = append(j.order, gone)
		j.v.Missing = append(j.v.Missing, gone.printed)
	}
	j.v.Expected = len(j.expected)
	// Failures first and the culprit before its consequences, else run order.
	rank := func(r *result) int {
		switch {
		case r.failing() && r.culprit == nil:
			return 0
		case r.failing():
			return 1
		case r.outcome == records.Passed:
			return 3
		}
		return 2
	}
	slices.SortStableFunc(j.order, func(a, b *result) int { return rank(a) - rank(b) })
	for _, r := range j.order {
		j.v.Cases = append(j.v.Cases, Case{r.printed, r.outcome, r.why})
	}
}

// The texts of a skip on a backward case that say that only the forward pass is
// supported.
var forwardOnly = regexp.MustCompile(`(?i)forward[- ]only|backward (pass )?(is )?(not|un) ?(yet )?(supported|implemented)|(not|n't) support (the )?backward|no backward`)

// ForwardOnly reports whether a skip text says that only the forward pass is
// supported.
func ForwardOnly(text string) bool { return forwardOnly.MatchString(text) }

// The reasons for which a skip is cited.
const (
	citedForward   = "forward-only backend on a backward case"
	citedReference = "the reference skips the same parameters"
	citedBase      = "skipped with the same text at the base revision"
	citedGap       = "declared gap"
)

// cite says by which rule a skip is cited, else "".
func (j *judge) cite(r *result) string {
	text := skipText(r.test)
	if r.id.Backward() && ForwardOnly(text) {
		return citedForward
	}
	if ref, ok := j.reference[r.id.Key()]; ok && ref.outcome == records.Skipped && j.referencePassed() {
		return citedReference
	}
	if before, ok := j.baseSkips[r.id.Key()]; ok && text != "" && before == text {
		return citedBase
	}
	if j.o.AllowSkip != nil && j.o.AllowSkip(text) {
		return citedGap
	}
	return ""
}

// referencePassed reports whether the reference passed at least one case.
func (j *judge) referencePassed() bool {
	for _, r := range j.reference {
		if r.outcome == records.Passed {
			return true
		}
	}
	return false
}

// skipText is the reason of a skip: its message, or the body after the place.
func skipText(tc records.Case) string {
	text := tc.Message
	if text == "" {
		text = tc.Detail
	}
	return strings.Join(strings.Fields(text), " ")
}

// voidReason says that another backend answered in a passed case, else "".
func voidReason(r *result, backend string) string {
	if records.Fallback(r.test.Output+"\n"+r.test.Detail, backend) != "" {
		return "void: the dispatcher fell back to another backend"
	}
	if backend != "cutile-rs" {
		return ""
	}
	// A record that cannot be read says nothing about the backend.
	ms, _ := records.Measurements(r.test)
	for _, m := range ms {
		own := slices.ContainsFunc(m.Kernels, func(k records.Kernel) bool { return records.OwnKernel(k.Name) })
		if m.Backend == backend && m.Kernels != nil && !own {
			return "void: no kernel named *_entry ran, another backend answered"
		}
	}
	return ""
}
