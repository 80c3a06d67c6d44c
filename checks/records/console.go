package records

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
)

const (
	consoleTitle = "Performance Test Results"
	maxLine      = MaxLiteralBytes + 1<<10
)

// Console is what a console log says.
type Console struct {
	Report
	Counts     map[string]int // the last summary line of pytest: passed, failed, deselected ...
	Ended      bool           // a summary line of pytest was found
	NoProfiler string         // the line that says that the profiler could not be used, else ""
	Throttled  string         // the line that says that the GPU was throttled, else ""
	Stopped    string         // the line with which pytest says that it did not end by itself, else ""
	// Fallbacks are, by backend, the first lines that say that it lacks the op and
	// that another one answers.
	Fallbacks map[string]string
	// failed are the tests that pytest's short summary lists, with what it says.
	failed map[string]string
}

// fail notes a test of pytest's short summary.
func (c *Console) fail(node, why string) {
	if c.failed == nil {
		c.failed = map[string]string{}
	}
	if len(c.failed) < maxFailed {
		class, name := SplitNodeID(node)
		c.failed[Case{Class: class, Name: name}.ID()] = string(cut([]byte(why), maxSaid))
	}
}

// summarized splits a line of pytest's short summary. Parameters may hold the dash
// that parts a test from what is said of it.
func summarized(text string) (node, why string) {
	node, why, _ = strings.Cut(text, " - ")
	open := strings.IndexByte(node, '[')
	if open < 0 {
		return node, why
	}
	if params, said, ok := strings.Cut(text[open:], "] - "); ok {
		return text[:open] + params + "]", said
	}
	if strings.HasSuffix(text, "]") {
		return text, ""
	}
	return node, why
}

// maxFailed bounds the failed tests of a log that are kept.
const maxFailed = 10_000

// settle gives the cases the outcomes that the end of the log tells.
func (c *Console) settle() {
	for i := range c.Cases {
		if why, failed := c.failed[c.Cases[i].ID()]; failed {
			c.Cases[i].Outcome, c.Cases[i].Message = Failed, why
		}
	}
	if c.Stopped != "" && c.Damage == nil {
		c.Damage = fmt.Errorf("the run was stopped: %s", c.Stopped)
	}
}

// ReadConsole reads the result blocks of a console log in the package's one
// format, see the package documentation. Everything else is skipped; a block of
// another shape is counted in Ignored.
func ReadConsole(name string, r io.Reader) Console {
	c := Console{Report: Report{Name: name, Declared: -1}}
	in := bufio.NewReaderSize(r, 64<<10)
	var names interner
	kept := 0
	next := func() (string, bool) {
		line, err := readLine(in)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.Damage = err
			}
			return "", false
		}
		return cleanLine(line), true
	}
	line, ok := next()
	for ok {
		c.signs(line)
		if !isTitle(line) {
			line, ok = next()
			continue
		}
		test, okTest := next()
		node, isTest := strings.CutPrefix(test, "test: ")
		if !okTest || !isTest {
			c.Ignored++
			line, ok = test, okTest
			continue
		}
		value, okValue := next()
		literal, isValue := strings.CutPrefix(value, "benchmark: ")
		if !okValue || !isValue {
			c.Ignored++
			line, ok = value, okValue
			continue
		}
		class, testName := SplitNodeID(node)
		tc := Case{Class: class, Name: testName, Outcome: Passed}
		tc.measure([]byte(literal), &names)
		if kept += caseSize + len(class) + len(testName) + measuredSize(tc.Measured); kept+names.made > maxKept {
			c.Damage = tooLarge(len(c.Cases))
			return c
		}
		c.Cases = append(c.Cases, tc)
		line, ok = next()
	}
	c.settle()
	return c
}

func isTitle(line string) bool {
	before, after, ok := strings.Cut(line, consoleTitle)
	punctuation := func(s string) bool {
		return strings.IndexFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0
	}
	return ok && punctuation(before) && punctuation(after)
}

// signs notes what a line says about the run as a whole.
func (c *Console) signs(line string) {
	lower := strings.ToLower(line)
	if strings.Contains(lower, "cupti") && c.NoProfiler == "" {
		for _, word := range []string{"error", "fail", "privilege", "not available", "may not be available", "insufficient"} {
			if strings.Contains(lower, word) {
				c.NoProfiler = string(cut([]byte(line), maxSaid))
				break
			}
		}
	}
	if strings.Contains(lower, "throttl") && c.Throttled == "" {
		c.Throttled = string(cut([]byte(line), maxSaid))
	}
	if name, ok := fellBack(line); ok && c.Fallbacks[name] == "" {
		if c.Fallbacks == nil {
			c.Fallbacks = map[string]string{}
		}
		c.Fallbacks[name] = string(cut([]byte(line), maxSaid))
	}
	for _, word := range []string{"FAILED ", "ERROR "} {
		if rest, ok := strings.CutPrefix(line, word); ok && strings.Contains(rest, "::") {
			c.fail(summarized(rest))
		}
	}
	if c.Stopped == "" && strings.HasPrefix(line, "!!!") && strings.HasSuffix(line, "!!!") {
		for _, word := range []string{"Interrupt", "Exit", "stopping after"} {
			if inner := strings.Trim(line, "! "); strings.Contains(inner, word) {
				c.Stopped = string(cut([]byte(inner), maxSaid))
			}
		}
	}
	if counts := summaryLine(line); counts != nil {
		c.Counts, c.Ended = counts, true
	}
}

// summaryLine reads pytest's last line, such as
// "== 2 passed, 58 deselected, 6 warnings in 45.11s ==".
func summaryLine(line string) map[string]int {
	inner := strings.TrimSpace(strings.Trim(line, "= "))
	list, took, ok := strings.Cut(inner, " in ")
	if !ok || !strings.Contains(took, "s") || took[0] < '0' || took[0] > '9' {
		return nil
	}
	if list == "no tests ran" {
		return map[string]int{}
	}
	counts := map[string]int{}
	for part := range strings.SplitSeq(list, ", ") {
		n, word, ok := strings.Cut(part, " ")
		count, err := strconv.Atoi(n)
		if !ok || err != nil {
			return nil
		}
		switch word {
		case "passed", "failed", "skipped", "deselected", "xfailed", "xpassed", "error", "errors", "warning", "warnings", "rerun":
			counts[strings.TrimSuffix(word, "s")] += count
		default:
			return nil
		}
	}
	return counts
}

// readLine returns a line without its end. A line over the limit is an error.
func readLine(in *bufio.Reader) (string, error) {
	var b []byte
	for {
		part, err := in.ReadSlice('\n')
		b = append(b, part...)
		if len(b) > maxLine {
			return "", fmt.Errorf("expected lines of at most %d bytes, found a longer one", maxLine)
		}
		switch {
		case err == nil || errors.Is(err, io.EOF) && len(b) > 0:
			return string(bytes.TrimRight(b, "\r\n")), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
}

// cleanLine removes colour sequences and control bytes and replaces what is not
// UTF-8.
func cleanLine(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		c := line[i]
		if c == 0x1b {
			if i+1 < len(line) && line[i+1] == '[' {
				for i += 2; i < len(line) && (line[i] < 0x40 || line[i] > 0x7e); i++ {
				}
			}
			continue
		}
		if c < ' ' && c != '\t' || c == 0x7f {
			continue
		}
		b.WriteByte(c)
	}
	return strings.TrimSpace(strings.ToValidUTF8(b.String(), "\uFFFD"))
}
