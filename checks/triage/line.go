package triage

import (
	"slices"
	"strings"
)

// unwrap removes what CI systems and launchers put before each line: the job and
// step of GitHub's log download, time stamps, the layer of an image build, the
// process of a distributed run, which is who.
func unwrap(s string) (text, who string) {
	for range 4 {
		rest := s
		switch {
		case s == "":
			return s, who
		case s[0] == '#':
			rest = afterLayer(s)
		case s[0] == '[' || s[0] == '(':
			rest = afterBracket(s)
		case s[0] >= '0' && s[0] <= '9':
			rest = afterStamp(s)
		}
		if rest == s && who == "" && mayName(s) {
			who, rest = speakerOf(s)
		}
		if job, step, ok := strings.Cut(s, "\t"); ok && rest == s && job != "" && job[0] != ' ' {
			if _, text, ok := strings.Cut(step, "\t"); ok {
				if after := afterStamp(text); after != text {
					rest = after
				}
			}
		}
		if rest == s {
			return s, who
		}
		s = rest
	}
	return s, who
}

// afterStamp is what follows a time stamp such as 2026-05-20T10:11:12.1234567Z.
func afterStamp(s string) string {
	const form = "dddd-dd-ddTdd:dd:dd"
	if len(s) <= len(form) || s[4] != '-' {
		return s
	}
	for i := range len(form) {
		if c := s[i]; form[i] == 'd' && (c < '0' || c > '9') || form[i] != 'd' && c != form[i] {
			return s
		}
	}
	rest := strings.TrimLeft(s[len(form):], ".0123456789")
	if rest, ok := strings.CutPrefix(rest, "Z "); ok {
		return rest
	}
	if rest == "Z" {
		return ""
	}
	return s
}

// afterLayer is what follows the layer and time of an image build: "#12 3.45 ".
func afterLayer(s string) string {
	layer, rest, ok := strings.Cut(s[1:], " ")
	if !ok || layer == "" || strings.Trim(layer, "0123456789") != "" {
		return s
	}
	// The builder's own word on a failed layer has no time.
	if strings.HasPrefix(rest, "ERROR: ") {
		return rest
	}
	seconds, text, ok := strings.Cut(rest, " ")
	if !ok || seconds == "" || strings.Trim(seconds, "0123456789.") != "" {
		return s
	}
	return text
}

// afterBracket is what follows a time stamp in brackets.
func afterBracket(s string) string {
	inner, text, ok := strings.Cut(s[1:], "]")
	if !ok {
		return s
	}
	if strings.HasSuffix(inner, "Z") && afterStamp(inner+" ") != inner+" " {
		return strings.TrimPrefix(text, " ")
	}
	return s
}

// severities are GitHub's marks before a message, after untrusted has broken
// them.
const severity = "##\u200b["

// message is a line without its indentation, pytest's mark of an error and a CI
// system's mark of severity.
func message(shown string) string {
	text := strings.TrimSpace(shown)
	if after, ok := strings.CutPrefix(text, "E  "); ok {
		text = strings.TrimSpace(after)
	}
	for _, mark := range []string{severity, "##["} {
		if rest, ok := strings.CutPrefix(text, mark); ok {
			if _, after, ok := strings.Cut(rest, "]"); ok {
				text = strings.TrimSpace(after)
			}
		}
	}
	return text
}

// quoted are the beginnings of source lines that tracebacks, pytest and grep
// show. A message that stands in quoted source was not printed by the program.
var quoted = []string{
	`"`, `'`, "#", "//", "raise ", "assert ", "AssertionError: assert ", "if ", "elif ", "else:", "print(", "logger.", "logging.",
	"warnings.warn(", "pytest.skip(", "pytest.fail(", "pytest.xfail(", "eprintln!(", "panic!(", "sys.exit(",
}

// quotedFirst has the first bytes of quoted.
var quotedFirst = func() (set [256]bool) {
	for _, q := range quoted {
		set[q[0]] = true
	}
	return set
}()

// quotesSource reports whether a line shows source as rustc and tracebacks do.
func quotesSource(text string) bool {
	if text == "" {
		return false
	}
	// rustc: "12 |     let x = 1;"
	if c := text[0]; c == '|' || c >= '0' && c <= '9' {
		if c == '|' && strings.Contains(text, "MiB / ") && strings.HasSuffix(text, " |") {
			return false // a row of nvidia-smi
		}
		rest := strings.TrimLeft(strings.TrimLeft(text, "0123456789"), " \t")
		if rest, ok := strings.CutPrefix(rest, "|"); ok {
			return rest == "" || rest[0] == ' ' || rest[0] == '\t'
		}
		return false
	}
	if after, ok := strings.CutPrefix(text, ">"); ok && after != "" && (after[0] == ' ' || after[0] == '\t') {
		text = strings.TrimLeft(after, " \t")
		if len(after)-len(text) >= 2 {
			return true
		}
	}
	if text[0] == '#' && len(text) > 1 && text[1] >= '0' && text[1] <= '9' && strings.Contains(text, "Synchronize") {
		return false // a debugger's frame: the process waits for the GPU
	}
	if quotedFirst[text[0]] {
		for _, q := range quoted {
			if strings.HasPrefix(text, q) {
				return true
			}
		}
	}
	// A Python string with a prefix: f"...", rb'...'.
	for i := 0; i < len(text) && i < 3; i++ {
		switch c := text[i]; {
		case c == '"' || c == '\'':
			return true
		case i < 2 && strings.IndexByte("furbFURB", c) >= 0:
		default:
			return false
		}
	}
	return false
}

// startsFunction reports whether pytest prints the source of a function from
// here: indented, from its head to the line that failed, which is marked with >.
func startsFunction(shown string) bool {
	if !strings.HasPrefix(shown, "    ") {
		return false
	}
	text := strings.TrimLeft(shown, " ")
	for _, head := range []string{"async def ", "def ", "class ", "@"} {
		if strings.HasPrefix(text, head) {
			return true
		}
	}
	return false
}

// startsDiagnostic reports whether a compiler's diagnostic begins: "error:",
// "warning[E0001]:".
func startsDiagnostic(text string) bool {
	rest, ok := strings.CutPrefix(text, "error")
	if !ok {
		if rest, ok = strings.CutPrefix(text, "warning"); !ok {
			return false
		}
	}
	if strings.HasPrefix(rest, "[") {
		if _, rest, ok = strings.Cut(rest, "]"); !ok {
			return false
		}
	}
	return strings.HasPrefix(rest, ":")
}

// warnings are the beginnings of messages about what did not end the program.
var warnings = []string{"warning: ", "warning[", "WARNING: ", "Warning: ", "W: ", "WARNING:20", "WARNING ", "WARN ", "[TileGym] WARNING ", "W0", "##[warning]", severity + "warning]"}

// warns reports whether a line is a warning: what it says did not end anything.
func warns(shown string) bool {
	text := strings.TrimLeft(shown, " \t")
	if text == "" || strings.IndexByte("wW[#", text[0]) < 0 {
		return false
	}
	return slices.ContainsFunc(warnings, func(w string) bool { return strings.HasPrefix(text, w) })
}

// retry is what programs say when they try again.
var retry = probe(`\d+ tr(ies|y) remaining|\b(Retrying|retrying|[Ww]ill retry|[Tt]rying again|Retry attempt)\b|\b[Aa]ttempt \d+ (of|/) \d+ failed|[Rr]etry \d+/\d+`)

// again is what programs say that failed and are about to try once more.
var again = probe(`seconds before (trying again|retry)|[Ww]ill retry in \d|[Rr]etrying (in|after) \d|[Tt]rying again in \d|[Rr]etry in \d+(\.\d+)? ?s`)

// leavesOut is what a program says that goes on without a part of itself.
var leavesOut = probe(`\b([Bb]ackend|[Ee]xtension|[Pp]lugin|[Ii]mplementation|[Ll]ibrary|[Oo]perators?|[Oo]ps|[Kk]ernels?)\b.*\b(left out|dropped|disabled|unavailable|(not|could not be|cannot be) (be )?(registered|available|loaded|imported)|skipp\w+)\b`)

// beginsStep reports whether a step of a CI job begins.
func beginsStep(shown string) bool {
	return strings.HasPrefix(shown, severity+"group]Run ") || strings.HasPrefix(shown, "##[group]Run ")
}

// failsStep reports whether a step of a CI job shows that something in it failed:
// by its mark of an error, or by a test's failure, for the exit code of a pipe is
// that of its last command.
func failsStep(shown string) bool {
	switch {
	case shown == "":
		return false
	case shown[0] == '+':
		return strings.Contains(shown, " Timeout ++")
	case shown[0] >= 0x80:
		return strings.Contains(shown, "regressions detected!")
	case strings.IndexByte("#FERe", shown[0]) < 0:
		return false
	}
	return slices.ContainsFunc(failures, func(mark string) bool { return strings.HasPrefix(shown, mark) })
}

// endsStep reports whether the CI system says that a step failed as a whole.
func endsStep(shown string) bool {
	rest, ok := strings.CutPrefix(shown, severity+"error]")
	if !ok {
		rest, ok = strings.CutPrefix(shown, "##[error]")
	}
	return ok && strings.HasPrefix(rest, "Process completed with exit code ")
}

var failures = []string{severity + "error]", "##[error]", "FAILED ", "ERROR ", "E   ", "RuntimeError: ", "error: ", "error[", "Fatal Python error: "}
