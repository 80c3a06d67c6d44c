package triage

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"time"
)

// stopped reads what a run was doing when its time was over: the last thing that was
// begun, and for how long it went on.
type stopped struct {
	header bool   // a step's own settings are being printed
	doing  doing  // what the last lines are about
	first  line   // the first of them
	since  string // its time stamp
	last   line   // the last line that says something
	at     string // its time stamp
	test   line   // of the last lines, the one that begins a test
	stop   line
	quiet  time.Duration // since last, 0 when unknown
	whole  time.Duration // since first, 0 when unknown
}

// doing is a kind of work of which a log's lines tell.
type doing int

const (
	otherWork doing = iota
	asksGPU         // nvidia-smi was called
	fetches         // something is downloaded
	builds          // something is compiled
)

const (
	wedgedDriver  = "S-R140"
	slowDownload  = "S-R141"
	longBuild     = "S-R142"
	endlessTest   = "S-R67"
	endedEarly    = "S-R25"
	longSilence   = 3 * time.Minute
	testLines     = 3 // lines before the end in which a test may have begun
	maxLastOutput = 160
)

var (
	timeOver  = probe(`The operation was cancell?ed\.|maximum execution time|has timed out after \d+ minutes|DUE TO TIME LIMIT|TERM_RUNLIMIT|execution took longer than |^Terminated$`)
	asksSMI   = probe(`^(?:\++ |\$ |Run |\[command\])(?:sudo |timeout \S+ )?(?:\S*/)?nvidia-smi\b`)
	fetching  = probe(`^(?:Downloading\b|Downloaded\b|Preparing to download|Starting download|Redirecting to blob download|Received \d+ of \d|Receiving objects: |Resolving deltas: |remote: (?:Counting|Compressing|Enumerating) objects|Cloning into '|Filtering content: |Submodule path|Get:\d+ http|Copying blob |[0-9a-f]{12}: (?:Pulling|Downloading|Waiting|Extracting|Verifying|Download complete|Pull complete)|\S+: Pulling from |Run actions/(?:download-artifact|checkout)@|(?:\++ |\$ |Run )(?:sudo )?(?:git (?:clone|fetch|lfs|submodule)|curl|wget|docker pull|aws s3|gsutil|hf download|huggingface-cli download)\b)|\b[kKMG]i?B/s\b`)
	compiling = probe(`^(?:Compiling \S+ v\d|Building wheels?\b|[Rr]unning (?:build_ext|bdist_wheel|setup\.py)|building '[^']+' extension|ptxas info |\S*(?:nvcc|cicc|g\+\+|clang\+\+) -|copying \S+ -> build/)`)
	// progressOf are the lines of ninja and make, each with how much is done.
	progressOf = regexp.MustCompile(`^\[ *\d+(?:/\d+|%)\] (?:Building|Compiling|Linking|/\S+|nvcc|c\+\+|g\+\+|\S*clang)`)
	beginning  = probe(`^(?:=== RUN |\[ RUN +\] |test \S+ \.\.\.$)`)
	nameAlone  = regexp.MustCompile(`^test_\w+(?:\[[^\]]*\])? ?(?:\.\.\.|:)?$`)
)

// stampOf is the time stamp that begins a line as CI systems print it, "" for none.
func stampOf(shown string) string {
	const form = "2006-01-02T15:04:05"
	if len(shown) <= len(form) || shown[0] != '2' || shown[4] != '-' || shown[10] != 'T' {
		return ""
	}
	return shown[:len(form)]
}

// elapsed is the time from one stamp to another, 0 when one of them is missing.
func elapsed(from, to string) time.Duration {
	a, err := time.Parse("2006-01-02T15:04:05", from)
	if err != nil {
		return 0
	}
	b, err := time.Parse("2006-01-02T15:04:05", to)
	if err != nil {
		return 0
	}
	return b.Sub(a)
}

func (s *stopped) line(l line, shown, stamp string) {
	if isEnd(shown) {
		s.header = false
	}
	if s.stop.n > 0 || l.text == "" {
		return
	}
	if l.is(timeOver) {
		if s.last.n > 0 {
			s.stop, s.quiet, s.whole = l, elapsed(s.at, stamp), elapsed(s.since, stamp)
		}
		return
	}
	switch {
	case beginsStep(shown):
		s.header = true
	case s.header:
		return
	}
	d := workOf(l)
	if d == otherWork || d != s.doing {
		s.doing, s.first, s.since = d, l, stamp
	}
	if beginsTest(l) {
		s.test = l
	}
	s.last, s.at = l, stamp
}

// isEnd reports whether the settings of a step end.
func isEnd(shown string) bool { return shown == severity+"endgroup]" || shown == "##[endgroup]" }

// beginsTest reports whether a line says that a test begins, or ends with the name of
// one. The name is looked for by hand: an expression that may begin anywhere is tried
// at each place of a long line.
func beginsTest(l line) bool {
	if l.is(beginning) {
		return true
	}
	const prefix = "test_"
	for at := 0; ; at += len(prefix) {
		i := strings.Index(l.text[at:], prefix)
		if i < 0 {
			return false
		}
		if at += i; (at == 0 || !syntax.IsWordChar(rune(l.text[at-1]))) && nameAlone.MatchString(l.text[at:]) {
			return true
		}
	}
}

func workOf(l line) doing {
	switch {
	case l.is(asksSMI):
		return asksGPU
	case l.is(fetching):
		return fetches
	case l.is(compiling), l.text[0] == '[' && progressOf.MatchString(l.text):
		return builds
	}
	return otherWork
}

func (s *stopped) end(sc *logScan) {
	if s.stop.n == 0 {
		return
	}
	told := fmt.Sprintf("the last output before the end: %s", cut(s.last.text, maxLastOutput))
	if s.quiet > 0 {
		told += fmt.Sprintf(" (%s earlier)", s.quiet)
	}
	if h := sc.found[endedEarly]; h != nil && h.log == sc.logs && h.Line == s.stop.n && !h.context {
		sc.adds(h, told)
	}
	tell := func(id string, l line) {
		sc.explains(id, []string{endedEarly}, l)
		sc.adds(sc.found[id], told)
	}
	switch {
	case s.doing == asksGPU && (s.whole == 0 || s.whole >= longSilence):
		tell(wedgedDriver, s.first)
	case s.doing == fetches && s.whole >= longSilence:
		tell(slowDownload, s.first)
	case s.doing == builds && s.whole >= longSilence:
		tell(longBuild, s.first)
	case s.quiet >= longSilence && s.test.n > 0 && s.last.n-s.test.n < testLines:
		tell(endlessTest, s.test)
	}
}

// cut is the beginning of a text.
func cut(text string, most int) string {
	if len(text) > most {
		return text[:most]
	}
	return text
}
