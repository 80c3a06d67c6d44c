package commands

import (
	"fmt"
	"math"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tilegate/tilegate/checks/job"
)

// Limits of what a command may say.
const (
	// MaxRounds is the most perf rounds that a command may ask for.
	MaxRounds = job.MaxRounds
	// MaxRatio is the highest candidate/reference ratio that a waiver may allow.
	MaxRatio = 100.0
	// MaxReason is the length of a waiver's reason in bytes.
	MaxReason = 500
	maxWord   = 200
)

// Stage is what a rerun covers.
type Stage string

// The stages of a rerun. StageDefault is StageFailed when something failed and
// StageAll otherwise; the caller knows which.
const (
	StageDefault     Stage = ""
	StageRules       Stage = "rules"
	StageBuild       Stage = "build"
	StageCorrectness Stage = "correctness"
	StagePerf        Stage = "perf"
	StageFailed      Stage = "failed"
	StageAll         Stage = "all"
)

var stages = []Stage{StageRules, StageBuild, StageCorrectness, StagePerf, StageFailed, StageAll}

func stageNames() []string {
	names := make([]string, len(stages))
	for i, s := range stages {
		names[i] = string(s)
	}
	return names
}

func stageList() string { return "`" + strings.Join(stageNames(), "`, `") + "`" }

// Args are the arguments of one command: Help, Status, Explain, Rerun,
// OkToTest, Cancel, WaivePerf, WaiveRule, UnwaivePerf or UnwaiveRule.
type Args interface{ isArgs() }

type (
	// Help asks for the list of commands, or for one of them.
	Help struct{ Verb *Verb }
	// Status asks for the gate's state.
	Status struct{}
	// Explain asks for a rule's text. Rule has the form R45.
	Explain struct{ Rule string }
	// Rerun asks for stages again. Kernels are as written, empty for every
	// affected one. GPU is empty for every class, Rounds 0 for the configured
	// number.
	Rerun struct {
		Stage   Stage
		Kernels []string
		GPU     string
		Rounds  int
	}
	// OkToTest approves one commit; SHA is a full object name in lower case.
	OkToTest struct{ SHA string }
	// Cancel ends what waits and runs.
	Cancel struct{}
	// WaivePerf accepts a slower kernel. Ratio is candidate/reference, 0 for
	// the one measured when the waiver was written. Until is the last day (UTC)
	// on which it holds, zero for no end.
	WaivePerf struct {
		Kernel string
		Ratio  float64
		Until  time.Time
		Reason string
	}
	// WaiveRule accepts the findings of a rule in a file.
	WaiveRule struct {
		Rule, Path string
		Until      time.Time
		Reason     string
	}
	// UnwaivePerf takes a kernel's perf waiver back.
	UnwaivePerf struct{ Kernel string }
	// UnwaiveRule takes a rule waiver back.
	UnwaiveRule struct{ Rule, Path string }
)

func (Help) isArgs()        {}
func (Status) isArgs()      {}
func (Explain) isArgs()     {}
func (Rerun) isArgs()       {}
func (OkToTest) isArgs()    {}
func (Cancel) isArgs()      {}
func (WaivePerf) isArgs()   {}
func (WaiveRule) isArgs()   {}
func (UnwaivePerf) isArgs() {}
func (UnwaiveRule) isArgs() {}

// words reads a command line word by word.
type words struct{ rest string }

// blank reports what separates words: white space of any alphabet, no-break
// spaces, and the invisible characters that editors leave behind.
func blank(r rune) bool {
	switch r {
	case '\u200b', '\u200e', '\u200f', '\u2060', '\ufeff':
		return true
	}
	return unicode.IsSpace(r)
}

func (w *words) next() (string, bool) {
	w.rest = strings.TrimLeftFunc(w.rest, blank)
	if w.rest == "" {
		return "", false
	}
	end := strings.IndexFunc(w.rest, blank)
	if end < 0 {
		end = len(w.rest)
	}
	word := w.rest[:end]
	w.rest = w.rest[end:]
	return word, true
}

// name is next without the backticks in which people put names.
func (w *words) name() (string, bool) {
	word, ok := w.next()
	if !ok {
		return "", false
	}
	if bare := strings.Trim(word, "`"); bare != "" {
		word = bare
	}
	return word, true
}

// path is name, or all that stands in a pair of backticks: a path may hold blanks.
func (w *words) path() (string, bool) {
	if rest, quoted := strings.CutPrefix(strings.TrimLeftFunc(w.rest, blank), "`"); quoted {
		inside, after, closed := strings.Cut(rest, "`")
		if r, _ := utf8.DecodeRuneInString(after); closed && inside != "" && (after == "" || blank(r)) {
			w.rest = after
			return inside, true
		}
	}
	return w.name()
}

func (w *words) end() error {
	if word, ok := w.next(); ok {
		return fmt.Errorf("found %s where the command should end", quote(word))
	}
	return nil
}

// quote prints a word of a comment inside an error: cut, on one line, without
// characters that would end an inline code span.
func quote(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '`' || r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
	if len(s) > 60 {
		cut := 60
		for !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "..."
	}
	return "`" + s + "`"
}

func parseHelp(w *words) (Args, error) {
	word, ok := w.name()
	if !ok {
		return Help{}, nil
	}
	v := Find(word)
	if v == nil {
		return nil, unknownVerb(word)
	}
	return Help{Verb: v}, w.end()
}

func parseStatus(w *words) (Args, error) { return Status{}, w.end() }

func parseCancel(w *words) (Args, error) { return Cancel{}, w.end() }

func parseExplain(w *words) (Args, error) {
	word, ok := w.name()
	if !ok {
		return nil, fmt.Errorf("expected a rule, such as `R45`")
	}
	rule, err := parseRule(word)
	if err != nil {
		return nil, err
	}
	return Explain{Rule: rule}, w.end()
}

func parseRerun(w *words) (Args, error) {
	var r Rerun
	for first := true; ; {
		word, ok := w.name()
		if !ok {
			return r, nil
		}
		if flag, value, isFlag := cutFlag(word); isFlag {
			if value == "" {
				if value, ok = w.name(); !ok {
					return nil, fmt.Errorf("`--%s` needs a value", printable(flag))
				}
			}
			if err := r.set(flag, value); err != nil {
				return nil, err
			}
			continue
		}
		if first {
			first = false
			if s, ok := asStage(word); ok {
				r.Stage = s
				continue
			}
		}
		kernel, err := parseKernel(word)
		if err != nil {
			return nil, err
		}
		r.Kernels = append(r.Kernels, kernel)
	}
}

func printable(s string) string { return strings.Trim(quote(s), "`") }

// cutFlag splits --name=value. Phones turn -- into a dash, which is accepted.
func cutFlag(word string) (name, value string, ok bool) {
	for _, prefix := range []string{"--", "\u2014", "\u2013"} {
		if rest, found := strings.CutPrefix(word, prefix); found {
			name, value, _ = strings.Cut(rest, "=")
			return strings.ToLower(name), value, true
		}
	}
	return "", "", false
}

func (r *Rerun) set(flag, value string) error {
	switch flag {
	case "gpu":
		if r.GPU != "" {
			return fmt.Errorf("`--gpu` stands twice")
		}
		if !nameShape.MatchString(value) || len(value) > maxWord {
			return fmt.Errorf("`--gpu` expects the name of a GPU class, found %s", quote(value))
		}
		r.GPU = value
	case "rounds":
		if r.Rounds != 0 {
			return fmt.Errorf("`--rounds` stands twice")
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > MaxRounds {
			return fmt.Errorf("`--rounds` expects a number from 1 to %d, found %s", MaxRounds, quote(value))
		}
		r.Rounds = n
	default:
		return fmt.Errorf("unknown option %s%s; `rerun` knows `--gpu NAME` and `--rounds N`",
			quote("--"+flag), didYouMean("--"+flag, []string{"--gpu", "--rounds"}))
	}
	return nil
}

func asStage(word string) (Stage, bool) {
	for _, s := range stages {
		if strings.EqualFold(word, string(s)) {
			return s, true
		}
	}
	return "", false
}

var (
	nameShape = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_./:+-]*$`)
	ruleShape = regexp.MustCompile(`^(?i)([RPAST]?)0{0,2}([1-9][0-9]{0,2})$`)
	shaShape  = regexp.MustCompile(`^(?i)(?:[0-9a-f]{40}|[0-9a-f]{64})$`)
	ratioText = regexp.MustCompile(`^[0-9]{1,3}(?:\.[0-9]{1,9})?$`)
)

func parseKernel(word string) (string, error) {
	if len(word) > maxWord || !nameShape.MatchString(word) {
		return "", fmt.Errorf("expected a kernel's name, such as `bmm`, found %s", quote(word))
	}
	return word, nil
}

// parseRule brings R1, r01 and 45 to the printed form R1, R1, R45.
func parseRule(word string) (string, error) {
	m := ruleShape.FindStringSubmatch(word)
	if m == nil {
		return "", fmt.Errorf("expected a rule, such as `R45`, found %s", quote(word))
	}
	letter := strings.ToUpper(m[1])
	if letter == "" {
		letter = "R"
	}
	return letter + m[2], nil
}

func parseOkToTest(w *words) (Args, error) {
	word, ok := w.name()
	if !ok {
		return nil, fmt.Errorf("expected the commit that was read: all 40 characters of its SHA")
	}
	if !shaShape.MatchString(word) {
		return nil, fmt.Errorf("expected all 40 characters of a commit's SHA, found %s; a shortened one can be forged", quote(word))
	}
	return OkToTest{SHA: strings.ToLower(word)}, w.end()
}

func parseWaive(w *words) (Args, error) {
	word, ok := w.name()
	if !ok {
		return nil, fmt.Errorf("expected `perf KERNEL` or `RULE PATH`")
	}
	if strings.EqualFold(word, "perf") {
		kernel, err := w.kernel()
		if err != nil {
			return nil, err
		}
		ratio, until, reason, err := w.terms(true)
		if err != nil {
			return nil, err
		}
		return WaivePerf{Kernel: kernel, Ratio: ratio, Until: until, Reason: reason}, nil
	}
	rule, file, err := w.ruleAndPath(word)
	if err != nil {
		return nil, err
	}
	_, until, reason, err := w.terms(false)
	if err != nil {
		return nil, err
	}
	return WaiveRule{Rule: rule, Path: file, Until: until, Reason: reason}, nil
}

func parseUnwaive(w *words) (Args, error) {
	word, ok := w.name()
	if !ok {
		return nil, fmt.Errorf("expected `perf KERNEL` or `RULE PATH`")
	}
	if strings.EqualFold(word, "perf") {
		kernel, err := w.kernel()
		if err != nil {
			return nil, err
		}
		return UnwaivePerf{Kernel: kernel}, w.end()
	}
	rule, file, err := w.ruleAndPath(word)
	if err != nil {
		return nil, err
	}
	return UnwaiveRule{Rule: rule, Path: file}, w.end()
}

func (w *words) kernel() (string, error) {
	word, ok := w.name()
	if !ok {
		return "", fmt.Errorf("expected a kernel's name after `perf`")
	}
	return parseKernel(word)
}

func (w *words) ruleAndPath(word string) (rule, file string, err error) {
	if s, ok := asStage(word); ok {
		return "", "", fmt.Errorf("%s cannot be waived, only `perf KERNEL` and `RULE PATH` can", quote(string(s)))
	}
	if rule, err = parseRule(word); err != nil {
		return "", "", fmt.Errorf("expected `perf` or a rule, such as `R45`, found %s%s", quote(word), didYouMean(word, []string{"perf"}))
	}
	file, ok := w.path()
	if !ok {
		return "", "", fmt.Errorf("expected the path of a file after %s", quote(rule))
	}
	clean := path.Clean(file)
	if clean != file || path.IsAbs(file) || clean == "." || clean == ".." || strings.HasPrefix(clean, "../") ||
		len(file) > 4*maxWord || strings.ContainsFunc(file, unicode.IsControl) {
		return "", "", fmt.Errorf("expected a path from the repository's root, such as `src/tilegym/ops/cutile_rs/bmm.py`, found %s", quote(file))
	}
	return rule, file, nil
}

// terms reads [<= RATIO] [until YYYY-MM-DD] REASON, the first two in any order.
func (w *words) terms(withRatio bool) (ratio float64, until time.Time, reason string, err error) {
	for {
		before := w.rest
		word, ok := w.next()
		if !ok {
			break
		}
		bound, isBound := strings.CutPrefix(word, "<=")
		if !isBound {
			bound, isBound = strings.CutPrefix(word, "\u2264")
		}
		switch {
		case isBound && !withRatio:
			return 0, until, "", fmt.Errorf("a rule's waiver has no ratio, found %s", quote(word))
		case isBound && ratio != 0:
			return 0, until, "", fmt.Errorf("`<= RATIO` stands twice")
		case isBound:
			if bound == "" {
				bound, _ = w.name()
			}
			if ratio, err = parseRatio(bound); err != nil {
				return 0, until, "", err
			}
		case strings.EqualFold(word, "until") && until.IsZero():
			day, _ := w.name()
			if until, err = time.Parse(time.DateOnly, day); err != nil {
				return 0, until, "", fmt.Errorf("expected a day as YYYY-MM-DD after `until`, found %s; a reason may not start with that word", quote(day))
			}
		default:
			w.rest = before
			reason = strings.TrimFunc(before, blank)
			if !strings.ContainsFunc(reason, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
				return 0, until, "", errNoReason
			}
			if len(reason) > MaxReason {
				return 0, until, "", fmt.Errorf("the reason has %d bytes, at most %d are kept; put the details behind a link", len(reason), MaxReason)
			}
			return ratio, until, reason, nil
		}
	}
	return 0, until, "", errNoReason
}

var errNoReason = fmt.Errorf("a waiver needs a reason, in words, at the end of the line")

func parseRatio(text string) (float64, error) {
	bad := fmt.Errorf("expected the highest accepted candidate/reference ratio after `<=`, such as `1.08`, above 0 and at most %g; found %s", MaxRatio, quote(text))
	if !ratioText.MatchString(text) {
		return 0, bad
	}
	r, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(r) || r <= 0 || r > MaxRatio {
		return 0, bad
	}
	return r, nil
}
