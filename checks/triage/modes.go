package triage

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mode is a way in which a test runs one operation, as the names of its cases tell.
type mode struct {
	is   func(name string) bool
	what string
	// but are cases of the mode that may pass: they show the mode when its fault is over,
	// or do not touch it.
	but *regexp.Regexp
	// sure is needed of the run when no case of but passes; nil when nothing is.
	sure func(run Run) bool
	// plain is needed in the name of a case that passes; nil when nothing is.
	plain *regexp.Regexp
	// finite says that cases with values that are no numbers are another matter.
	finite bool
}

// worded is a mode of which names hold one of some words, and not in the sense of not.
func worded(is, not string) func(name string) bool {
	yes := regexp.MustCompile(`(?:^|[-_=.:/ ])(?:` + is + `)(?:$|[-_=.:/ ])`)
	no := regexp.MustCompile(not)
	return func(name string) bool {
		if not != "" {
			name = no.ReplaceAllString(name, "-")
		}
		return yes.MatchString(name)
	}
}

// later are words for a call that is not the first.
const later = `second(?:_call)?|2nd|third|again|warm|later|rerun|repeat(?:ed)?|cached|call_?[2-9]|iter_?[2-9]|twice|reuse\w*`

var (
	laterCall = regexp.MustCompile(`(?:^|[-_=.])(?:` + later + `)(?:$|[-_=.])`)
	firstCall = regexp.MustCompile(`(?:^|[-_=.])(?:first(?:_call)?|1st|cold|fresh|once|single(?:_call)?|call_?[01]|iter_?[01])(?:$|[-_=.])`)
	sameInput = regexp.MustCompile(`(?:^|[-_=.])(?:same(?:_?inputs?)?|static(?:_?inputs?)?|unchanged|identical|first(?:_replay)?|capture_?only|warm_?up)(?:$|[-_=.])`)
	// tracedOnly are ways of tracing that compile nothing.
	tracedOnly = regexp.MustCompile(`aot_?eager|(?:^|[-_=.])(?:backend=|dynamo_?)eager`)
	firstGPU   = regexp.MustCompile(`(?:^|[-_=])(?:cuda[:_]?|gpu[:_=]?|dev(?:ice)?[:_=]?)0(?:$|[-_])`)
	laterGPU   = regexp.MustCompile(`(?:^|[-_=])(?:cuda[:_]?|gpu[:_=]?|dev(?:ice)?[:_=]?)([1-9]\d?)(?:$|[-_])`)
	anyGPU     = regexp.MustCompile(`(?:^|[-_=])(?:cuda[:_]?|gpu[:_=]?|dev(?:ice)?[:_=]?)(\d\d?)(?:$|[-_])`)
	dropping   = regexp.MustCompile(`(?:^|[-_])(?:p|p_?drop(?:out)?|drop(?:out)?(?:_?p|_?prob|_?rate)?)[=_]?(\d?\.?\d+)(?:$|[-_])`)
	dropped    = worded(`dropout|dropout=true|with_dropout`, `(?:no|without|non)[-_]?dropout|dropout=(?:false|none)`)
)

// modeWords are words beside a mode's in the name of a test.
var modeWords = []string{"call", "eager", "default", "cuda", "torch", "plain"}

// The modes, by the signature that a fault of theirs alone has.
var (
	tunedMode = mode{
		is:   worded(`auto_?tun(?:e|ed|ing)|tun(?:ed|ing)|auto_?tune=true`, `(?:no|non|not|without|un|pre|dis\w*|false|max)[-_= ]?(?:auto_?)?tun\w*|(?:auto_?)?tun\w*=(?:false|0|off|no)`),
		what: "in which the tuner runs, and neither those without it nor a later call",
		but:  laterCall,
		sure: addsTo,
	}
	graphMode = mode{
		is:   worded(`cuda_?graphs?|graphs?|graphed|graph=true|replay\w*|captur\w+|reduce[-_]overhead`, `(?:no|non|without)[-_]?(?:cuda_?)?graphs?|graphs?=(?:false|0|off)|graph_breaks?`),
		what: "that replay a captured graph with other inputs",
		but:  sameInput,
	}
	compiledMode = mode{
		is:   worded(`(?:torch_?)?compiled?|compile=true|inductor|aot_?eager\w*|dynamo|full_?graph|max[-_]autotune\w*|jitted|jit`, `(?:no|non|not|without|un|pre|dis\w*)[-_]?compiled?|compiled?=(?:false|0|off)|nojit|no[-_]jit`),
		what: "that a compiler traces (torch.compile or another), and the same operation called directly passes",
		but:  tracedOnly,
	}
	streamMode = mode{
		is:   worded(`(?:side|other|second|custom|user|non_?default|new|another|multi|concurrent)_?streams?|streams?=(?:side|other|new|[2-9])`, ``),
		what: "on another stream than the default one",
	}
	gpuMode = mode{
		is:    laterGPU.MatchString,
		what:  "on another GPU than the first",
		plain: firstGPU,
	}
	causalMode = mode{
		is:     worded(`(?:is_?)?causal(?:=true|=1|_true)?`, `(?:non|no|not|un|without)[-_]?causal|causal[=_]?(?:false|0|none)`),
		what:   "with the causal mask",
		finite: true,
	}
	dropoutMode = mode{is: drops, what: "that drop elements at random"}
	laterMode   = mode{
		is:    worded(later+`|after_\w+|post_\w+`, `warm_?up`),
		what:  "of a later call, and the first one passes",
		plain: firstCall,
	}
	inPlaceMode = mode{
		is:   worded(`in_?place|in_?place=true|aliased|alias|out=(?:x|in|input|self)`, `(?:out_?of|non|not|no|without)[-_]?(?:in_?)?place|in_?place=(?:false|0)|(?:no|non|un)[-_]?alias\w*`),
		what: "that write into their input",
	}
)

// drops reports whether the name of a case tells of a probability of dropping that is
// more than none.
func drops(name string) bool {
	if m := dropping.FindStringSubmatch(name); m != nil {
		p, err := strconv.ParseFloat(m[1], 64)
		return err == nil && p > 0 && p < 1
	}
	return dropped(name)
}

// addsTo reports whether all wrong cases are of operations that change what they are
// given.
func addsTo(run Run) bool {
	return !slices.ContainsFunc(run.Cases, func(c Case) bool {
		return c.Failed && !adds.MatchString(c.ID.Test) && !adds.MatchString(c.ID.Kernel+"[") && !strings.Contains(c.ID.Kernel+c.ID.Test, "split")
	})
}

// modeName is what of a case's name tells its mode.
func modeName(c Case) string {
	return strings.ToLower(c.ID.Test + "-" + strings.Join(c.ID.Params, "-"))
}

// siblings divides cases by their test, regardless of the words in its name that tell
// the mode and the call, in order of appearance.
func siblings(cases []Case, is func(string) bool) [][]Case {
	return grouped(cases, func(c Case) string {
		var rest []string
		for word := range strings.SplitSeq(strings.ToLower(c.ID.Test), "_") {
			if !is(word) && !laterCall.MatchString(word) && !firstCall.MatchString(word) && !slices.Contains(modeWords, word) {
				rest = append(rest, word)
			}
		}
		return c.ID.Class + " " + strings.Join(rest, "_")
	})
}

// alone reports that the wrong cases of a test, and no others of it, are those of the
// mode.
func (m mode) alone(run Run) *Seen {
	for _, f := range siblings(run.Cases, m.is) {
		wrong, plain, excused, clear := 0, 0, 0, true
		for _, c := range f {
			name := modeName(c)
			has, but := m.is(name), m.but != nil && m.but.MatchString(name)
			switch {
			case c.Failed && has && !but && c.maybeWrong() && !(m.finite && c.wrong() && math.IsNaN(c.Compared.MaxAbs)):
				wrong++
			case c.Failed || has && !but:
				clear = false
			case has:
				excused++
			case m.plain == nil || m.plain.MatchString(name):
				plain++
			}
		}
		if clear && wrong > 0 && plain > 0 && (excused > 0 || m.sure == nil || m.sure(run)) && slices.ContainsFunc(f, Case.differs) {
			return at(f, "the %d wrong cases are those %s", wrong, m.what)
		}
	}
	return nil
}

// oneGPU is S-C76: of cases that differ in the GPU, those of one of at least three are
// wrong.
func oneGPU(run Run) *Seen {
	for _, f := range run.functions {
		bad, good := map[string]bool{}, map[string]bool{}
		clear := true
		for _, c := range f {
			m := anyGPU.FindStringSubmatch(modeName(c))
			switch {
			case m == nil || c.Failed && !c.maybeWrong():
				clear = false
			case c.Failed:
				bad[m[1]] = true
			default:
				good[m[1]] = true
			}
		}
		for gpu := range bad {
			if clear && len(bad) == 1 && !good[gpu] && len(good) >= 2 && slices.ContainsFunc(f, Case.differs) {
				return at(f, "all wrong cases are of GPU %s, and the same ones pass on %d others", gpu, len(good))
			}
		}
	}
	return nil
}
