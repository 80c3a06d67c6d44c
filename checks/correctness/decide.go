package correctness

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/records"
	"github.com/tilegate/tilegate/checks/triage"
	"github.com/tilegate/tilegate/checks/words"
)

// decide makes the verdict. A failure beats incompleteness; a cause in the
// environment is no failure of the change and no pass either.
func (j *judge) decide() {
	var lead, excused *result
	for _, r := range j.order {
		switch {
		case !r.failing():
		case innocent(r.cause.class):
			if excused == nil {
				excused = r
			}
		case lead == nil:
			lead = r
		}
	}
	count := j.tally()
	switch {
	case lead != nil:
		j.set(Fail, lead.cause.class, j.failSentence(lead))
		j.v.FailAlso = lead.cause.also
	case excused != nil:
		j.set(Blocked, excused.cause.class, j.excuse(excused))
		j.v.FailAlso = excused.cause.also
	case j.interruption() != "":
		class, also := j.collectionClass()
		j.set(Blocked, class, j.interruption())
		j.v.FailAlso = also
	case count[records.Void] > 0 || j.o.Fallback != "":
		what := j.o.Fallback
		if what == "" {
			what = j.firstWhy(records.Void)
		}
		j.set(Blocked, triage.Host, "the run is void, another backend answered: "+what)
	case j.ran() == 0 && len(j.expected) == 0:
		j.set(Blocked, "", j.nothingRan())
	case j.v.Passed == 0 && j.v.Skipped > 0 && j.v.Skipped == j.ran():
		what := words.Form(j.v.Skipped, "the only case was skipped", fmt.Sprintf("all %d cases were skipped", j.v.Skipped))
		class, also := j.skipClass()
		j.set(Blocked, class, fmt.Sprintf("%s, nothing was tested: %s", what, j.anySkip()))
		j.v.FailAlso = also
	case j.unknown:
		j.set(Blocked, "", fmt.Sprintf("the expected cases are not known: %s; name the reference with --reference and the file with its cases with --junit, or give a list of the expected ones with --expect", j.whyUnknown()))
	case count[records.Skipped] > 0:
		class, also := j.skipClass()
		j.set(Blocked, class, fmt.Sprintf("%d of %s %s skipped without a reason that counts%s: %s", count[records.Skipped], j.judged(), words.Form(count[records.Skipped], "was", "were"), j.skipDelta(), j.firstWhy(records.Skipped)))
		j.v.FailAlso = also
	case count[records.Missing]+count[records.Deselected] > 0:
		what := "did not run"
		if count[records.Deselected] > 0 {
			what = words.Form(len(j.v.Missing), "was", "were") + " deselected"
		}
		instead := ""
		if j.ran() == 0 {
			instead = fmt.Sprintf("; the records hold no case of %s%s", j.o.Backend, j.instead())
		}
		j.set(Blocked, "", fmt.Sprintf("%d of %s %s: %s%s", len(j.v.Missing), words.Count(j.v.Expected, "expected case"), what, j.v.Missing[0], instead))
	case count[records.XFailed] > 0:
		j.set(Blocked, triage.Test, fmt.Sprintf("%s expected to fail, so %s nothing: %s", words.Count(count[records.XFailed], "case")+words.Form(count[records.XFailed], " is", " are"), words.Form(count[records.XFailed], "it shows", "they show"), j.firstWhy(records.XFailed)))
	case j.v.Passed == 0:
		j.set(Blocked, "", "no case passed, so nothing is shown")
	default:
		j.set(AllPass, "", j.passSentence())
	}
}

// judged counts the cases that a verdict is on, those beyond the expected ones, too.
func (j *judge) judged() string {
	if j.v.Beyond > 0 {
		return words.Count(j.v.Expected+j.v.Beyond, "case")
	}
	return words.Count(j.v.Expected, "expected case")
}

func (j *judge) set(verdict string, class triage.Class, sentence string) {
	sentence = strings.TrimRight(sentence, ". ")
	if !strings.HasSuffix(sentence, "!") && !strings.HasSuffix(sentence, "?") {
		sentence += "."
	}
	j.v.Verdict, j.v.FailClass, j.v.Sentence = verdict, class, sentence
}

func (j *judge) tally() map[records.Outcome]int {
	n := map[records.Outcome]int{}
	for _, r := range j.order {
		n[r.outcome]++
	}
	return n
}

// ran is the number of candidate cases in the records.
func (j *judge) ran() int { return len(j.order) - len(j.v.Missing) }

func (j *judge) firstWhy(o records.Outcome) string {
	for _, r := range j.order {
		if r.outcome == o {
			return strings.TrimSuffix(r.printed+": "+r.why, ": ")
		}
	}
	return ""
}

// passSentence says what passed and, where some cases are cited skips, for which
// reasons and what share of the reference's cases is covered.
func (j *judge) passSentence() string {
	s := fmt.Sprintf("all %d expected cases passed", j.v.Expected)
	if j.v.Expected == 1 {
		s = "the only expected case passed"
	}
	if j.v.Cited > 0 {
		s = j.coverage()
	}
	if j.o.Expect == nil && j.o.Reference == "" {
		s += "; the expected cases are those that ran"
	}
	return s
}

// citations are the reasons of cited skips in words for one and for several.
var citations = []struct{ cited, one, more string }{
	{citedGap, "declared gap", "declared gaps"},
	{citedForward, "backward case of a forward-only backend", "backward cases of a forward-only backend"},
	{citedBase, "skipped at the base revision too", "skipped at the base revision too"},
	{citedReference, "skipped by the reference too", "skipped by the reference too"},
}

// coverage counts the cited skips by reason. The reference's cases that it skips
// itself are none that a port could cover.
func (j *judge) coverage() string {
	n := map[string]int{}
	for _, r := range j.order {
		if r.outcome == records.SkippedCited {
			n[r.cited]++
		}
	}
	var parts []string
	for _, c := range citations {
		switch n[c.cited] {
		case 0:
		case 1:
			parts = append(parts, "1 "+c.one)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n[c.cited], c.more))
		}
	}
	whose := "the expected cases"
	if j.o.Reference != "" {
		whose = "the reference's cases"
	}
	possible := j.v.Passed + j.v.Cited - n[citedReference]
	return fmt.Sprintf("%d of %s passed; cited skips: %s; %.0f %% of %s are covered",
		j.v.Passed, words.Count(j.v.Passed+j.v.Cited, "case"), strings.Join(parts, ", "), 100*float64(j.v.Passed)/float64(possible), whose)
}

// excuse says what failed for a reason that is not the change's.
func (j *judge) excuse(first *result) string {
	if a := j.alike(); a.signature != "" {
		return fmt.Sprintf("all %d cases failed alike, for one reason outside of the change (%s): %s: %s", j.v.Failed, a.class, a.title, first.why)
	}
	what := ""
	if first.culprit == nil && first.cause.title != "" {
		what = first.cause.title + ": "
	}
	return fmt.Sprintf("%d of %s failed for a reason outside of the change (%s): %s%s: %s", j.v.Failed, words.Count(j.ran(), "case"), first.cause.class, what, first.printed, first.why)
}

func (j *judge) failSentence(lead *result) string {
	what := map[records.Outcome]string{
		records.Failed:  "failed",
		records.Error:   "ended in an error",
		records.Timeout: "ran into its time limit",
		records.Crashed: "killed its worker process",
	}[lead.outcome]
	s := fmt.Sprintf("%s %s", lead.printed, what)
	if lead.why != "" {
		s += ": " + lead.why
	}
	consequences := 0
	for _, r := range j.all {
		if r.culprit == lead {
			consequences++
		}
	}
	s = fmt.Sprintf("%d of %s failed; %s", j.v.Failed, words.Count(j.ran(), "case"), s)
	if consequences > 0 {
		s += fmt.Sprintf(" (%s of the same run %s)", words.Count(consequences, "later failure"), words.Form(consequences, "is its consequence", "are its consequences"))
	}
	if j.alike().toolchain {
		s += "; every case failed alike, which also points at the toolchain: compare the versions of compiler, driver and toolkit"
	}
	return s
}

// interruption says why the run is not whole, else "".
func (j *judge) interruption() string {
	if len(j.collection) > 0 {
		c := j.collection[0]
		return fmt.Sprintf("not every module could be collected, so tests did not run (%d): %s: %s", len(j.collection), c.printed, strings.TrimSpace(strings.TrimPrefix(lastLine(c.test.Detail), "E ")))
	}
	if len(j.foreign) > 0 {
		return j.foreign[0] + " is no JUnit XML, as pytest --junitxml writes it; a log goes to tilegate triage"
	}
	if len(j.partial) > 0 {
		return "the run is partial: " + j.partial[0]
	}
	if j.o.Interrupted {
		return fmt.Sprintf("the run was interrupted: what passed until then (%s) is partial", words.Count(j.v.Passed, "case"))
	}
	if j.o.ExitCode == nil {
		return ""
	}
	code := *j.o.ExitCode
	sentence, whole := records.ExitSentence(code)
	failures := 0
	for _, r := range j.all {
		if r.failing() {
			failures++
		}
	}
	switch {
	case code == records.PytestNoTests && j.ran() == 0:
		return j.nothingRan()
	case !whole && j.v.Passed > 0:
		return fmt.Sprintf("%s; the %s partial", sentence, words.Count(j.v.Passed, "passed case")+words.Form(j.v.Passed, " is", " are"))
	case !whole:
		return sentence
	case code == records.PytestFailed && failures == 0:
		return "pytest exited 1, yet the records hold no failed case: they are not those of the run"
	case code == records.PytestOK && failures > 0:
		return fmt.Sprintf("pytest exited 0, yet the records hold %s: they are not those of the run", words.Count(failures, "failed case"))
	}
	return ""
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:])
}

// collectionClass is the class of a module that could not be imported, and the
// second one where it may be either.
func (j *judge) collectionClass() (class, also triage.Class) {
	if len(j.collection) == 0 {
		return "", ""
	}
	tc := j.collection[0].test
	if found := triage.Text("junit", tc.Message+"\n"+tc.Detail); len(found.Matches) > 0 {
		return found.Matches[0].Class, found.Matches[0].Also
	}
	return triage.Host, ""
}

func (j *judge) nothingRan() string {
	if j.o.ExitCode != nil {
		sentence, _ := records.ExitSentence(*j.o.ExitCode)
		if instead := j.instead(); instead != "" {
			sentence += fmt.Sprintf("; the records hold no case of %s%s", j.o.Backend, instead)
		}
		return "nothing ran: " + sentence
	}
	return fmt.Sprintf("nothing ran: the records hold no case of %s%s", j.o.Backend, j.instead())
}

// instead names the backends whose cases the records hold, for whoever asked for
// another one.
func (j *judge) instead() string {
	names := map[string]bool{}
	for _, r := range j.all {
		if r.id.Backend != "" {
			names[r.id.Backend] = true
		}
	}
	if len(names) == 0 {
		return ""
	}
	wanted := j.o.Backend
	if j.ran() > 0 {
		wanted = j.o.Reference
	}
	return words.Instead(wanted, slices.Sorted(maps.Keys(names)))
}

func (j *judge) whyUnknown() string {
	if j.o.Expect != nil {
		return "the list of expected cases is empty"
	}
	return "the records hold no case of the reference " + j.o.Reference + j.instead()
}

// anySkip is the reason of the first skip, cited or not.
func (j *judge) anySkip() string {
	if s := j.firstWhy(records.Skipped); s != "" {
		return s
	}
	return j.firstWhy(records.SkippedCited)
}

// skipDelta compares with the base revision's number of skips.
func (j *judge) skipDelta() string {
	if j.baseSkips == nil || j.baseSkipped == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d skipped, %d at the base revision)", j.v.Skipped, j.baseSkipped)
}

// skipClass is env when the skips say that the backend or the GPU is not there, and
// what else the signature of such a text blames.
func (j *judge) skipClass() (class, also triage.Class) {
	for _, r := range j.order {
		if r.outcome != records.Skipped {
			continue
		}
		text := strings.ToLower(skipText(r.test))
		for _, sign := range []string{"not available", "unknown backend", "unavailable", "not installed", "cuda support required", "failed to set backend"} {
			if strings.Contains(text, sign) {
				// The signatures know a skip as pytest's summary tells it.
				if m := triage.Text("junit", "SKIPPED "+skipText(r.test)).Matches; len(m) > 0 && m[0].Class == triage.Env {
					also = m[0].Also
				}
				return triage.Env, also
			}
		}
	}
	return triage.Test, ""
}
