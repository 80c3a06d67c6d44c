package records

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/words"
)

// Outcome is how one test case ended, as pytest recorded it.
type Outcome string

// The outcomes of a case. The first six come from one JUnit case; the others are
// only known when cases are compared with what was expected.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Error   Outcome = "error" // set-up, tear-down or collection failed
	Skipped Outcome = "skipped"
	XFailed Outcome = "xfailed"
	Timeout Outcome = "timeout"
	Crashed Outcome = "crashed" // the worker process died while it ran the case

	SkippedCited Outcome = "skipped-cited"
	Missing      Outcome = "missing"
	Deselected   Outcome = "deselected"
	Void         Outcome = "void" // another backend answered
)

// Case is one <testcase>. Texts are clean UTF-8; one over its bound has its middle
// cut out and [...] in its place.
type Case struct {
	Class, Name string // as in the file, both empty in a case that never ended
	Outcome     Outcome
	Message     string // message attribute of the result, at most 8 KiB
	Detail      string // body of the result, at most 64 KiB
	// Output is what the test wrote, at most 64 KiB. Lines that say that a backend
	// has no implementation are kept wherever they stand.
	Output string
	// Measured are the figures of the benchmark properties, nil without such a
	// property; Unreadable says why one of them could not be read.
	Measured   []Measurement
	Unreadable error
	Line       int // of the file on which the case begins, from 1; 0 outside of files
}

// ID is the case in one line: class, two colons, name.
func (c Case) ID() string {
	if c.Class == "" {
		return c.Name
	}
	return c.Class + "::" + c.Name
}

// Reason is one line about a case that did not pass: the beginning of its message,
// or of the body where the message says nothing.
func (c Case) Reason() string {
	if c.Outcome == Passed {
		return ""
	}
	text := strings.TrimSpace(c.Message)
	if text == "" || text == "AssertionError:" {
		text = strings.TrimSpace(text + " " + strings.TrimSpace(c.Detail))
	}
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	out := ""
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" {
			if out != "" {
				out += " "
			}
			out += l
		}
		if len(out) > 60 {
			break
		}
	}
	if len(out) > 400 {
		out = strings.ToValidUTF8(out[:400], "") + "..."
	}
	return out
}

// CollectionError reports whether the case stands for a module that could not be
// imported, so that its tests never became cases.
func (c Case) CollectionError() bool {
	return c.Outcome == Error && c.Message == "collection failure"
}

// Report is one JUnit file or one console log.
type Report struct {
	Name     string // file name, for messages
	Cases    []Case
	Declared int // sum of the suites' tests attributes; -1 when absent
	Unnamed  int // cases without name and class: the run was stopped inside them
	Repairs  int // bytes or references that had to be replaced
	Ignored  int // result blocks of a console log in another shape
	// Doubt says what the document contradicts itself in, so that it may lack a
	// result; "" for nothing.
	Doubt  string
	SHA256 string // of the file in hex, set by whoever opened it; "" when not known
	Damage error  // why reading stopped before the end of the document; else nil
}

// NotJUnit reports whether the file is something else than JUnit XML, such as a log.
func (r Report) NotJUnit() bool {
	return errors.Is(r.Damage, errNoElement) || errors.Is(r.Damage, errOutside)
}

// Interrupted says in a sentence why the file does not hold a whole run; the
// sentence is empty when it does.
func (r Report) Interrupted() string {
	switch {
	case r.Damage != nil:
		return fmt.Sprintf("%s is damaged: %v", r.Name, r.Damage)
	case r.Unnamed > 0:
		return r.Name + " holds a test case without a name: the run was stopped while a test ran"
	case r.Declared > len(r.Cases):
		return fmt.Sprintf("%s declares %s and holds %d: it is partial, or its tests have subtests, which pytest counts and does not write", r.Name, words.Count(r.Declared, "test"), len(r.Cases))
	case r.Doubt != "":
		return r.Name + " " + r.Doubt
	}
	for _, c := range r.Cases {
		if c.CollectionError() {
			return fmt.Sprintf("%s: %s could not be collected, so its tests did not run", r.Name, c.ID())
		}
	}
	return ""
}

func tooLarge(cases int) error {
	return fmt.Errorf("expected cases that take at most %d MiB, found more after %d: read the file in parts", maxKept>>20, cases)
}

// MemoryLimit is for debug.SetMemoryLimit in a process that reads reports of any
// size: with it the largest report is read in less than 200 MB of memory. It is
// a little more than a report keeps.
const MemoryLimit = maxGrowing + 8<<20

// What a report keeps in memory, in bytes, whatever the file holds.
const (
	maxKept = 136 << 20 // of everything
	// maxGrowing bounds it while the list of cases stands twice in memory, old and new.
	maxGrowing = maxKept + 24<<20
	// maxTexts is what messages, bodies and output may take before they are cut
	// shorter, and again before they are cut to a few lines.
	maxTexts = 16 << 20
)

// ReadJUnit reads a whole JUnit file. It never fails: a document that cannot be
// read to its end is returned as far as it goes, with Damage set.
//
// What it keeps is bounded. Texts of many cases are cut shorter the more of them
// there are: beyond 16 MiB to 2 KiB each, beyond 32 MiB to 256 bytes. A file whose
// cases take more than 136 MiB nevertheless is damaged: that are 270,000 measured
// cases of ordinary size, or 400,000 that hold nothing.
func ReadJUnit(name string, r io.Reader) Report {
	report := Report{Name: name}
	kept, texts := 0, 0
	d := newDecoder(r)
	d.visit = func(c Case) error {
		// The message is counted with what names were made.
		kept += caseSize + len(c.Name) + len(c.Detail) + len(c.Output) + measuredSize(c.Measured)
		texts += len(c.Message) + len(c.Detail) + len(c.Output)
		switch {
		case texts > 2*maxTexts:
			d.limit = 256
		case texts > maxTexts:
			d.limit = 2 << 10
		}
		n, more := len(report.Cases), 0
		if n == cap(report.Cases) {
			more = growth(n, d.sum.Declared)
		}
		if now := kept + d.names.made; now > maxKept || more > 0 && now+caseSize*(n+more) > maxGrowing {
			return tooLarge(n)
		}
		report.Cases = append(slices.Grow(report.Cases, max(more, 1)), c)
		return nil
	}
	sum := d.decode()
	report.Declared, report.Unnamed, report.Repairs, report.Doubt, report.Damage = sum.Declared, sum.Unnamed, sum.Repairs, sum.Doubt, sum.Damage
	return report
}

// growth is the number of cases to make room for: what the file declares, when
// that is no more than what it already holds, else a quarter.
func growth(n, declared int) int {
	if more := declared - n; more > 0 && more <= n+1024 {
		return more
	}
	return n/4 + 64
}

// Summary is what DecodeJUnit knows of a document besides its cases.
type Summary struct {
	Declared, Unnamed, Repairs int
	Doubt                      string
	Damage                     error
}

// errStop wraps the error with which a visitor ends the reading.
type errStop struct{ error }

func (e errStop) Unwrap() error { return e.error }

// DecodeJUnit streams a JUnit document and calls visit for each named case in
// file order. Memory is bounded by the largest case. Reading ends at the first
// error of any kind, which is returned as Damage; so is an error of visit.
func DecodeJUnit(r io.Reader, visit func(Case) error) Summary {
	d := newDecoder(r)
	d.visit = visit
	return d.decode()
}

type junitDecoder struct {
	s     *scanner
	visit func(Case) error
	sum   Summary
	names interner
	limit int  // of a text, in bytes
	root  bool // the outermost element was there
	body  excerpt
	out   excerpt
	// declared and held are numbers of result elements, by element: what the suites'
	// attributes say and what was read.
	declared, held [len(resultElements)]int
}

// resultElements are the elements that say how a case ended, with the attribute of
// a suite that counts them.
var resultElements = [...]struct{ element, attribute string }{{"failure", "failures"}, {"error", "errors"}, {"skipped", "skipped"}}

// contradiction says which results the suites count and the document lacks.
func (d *junitDecoder) contradiction() string {
	for i, r := range resultElements {
		if d.declared[i] > d.held[i] {
			return fmt.Sprintf("declares %s=\"%d\" and holds %d: a result is missing", r.attribute, d.declared[i], d.held[i])
		}
	}
	return ""
}

func newDecoder(r io.Reader) *junitDecoder {
	return &junitDecoder{s: newScanner(r), sum: Summary{Declared: -1}, limit: maxDetail}
}

func (d *junitDecoder) decode() Summary {
	d.s.at(2) // fills the window
	switch head := d.s.buf[:d.s.end]; {
	case bytes.HasPrefix(head, []byte{0xFE, 0xFF}), bytes.HasPrefix(head, []byte{0xFF, 0xFE}):
		d.sum.Damage = errors.New("expected UTF-8, found a UTF-16 byte order mark")
		return d.sum
	case bytes.HasPrefix(head, []byte("\uFEFF")):
		d.s.pos += len("\uFEFF")
	}
	empty, markup := d.s.end == 0, d.s.beginsWithMarkup()
	d.sum.Damage = d.document()
	if d.sum.Damage != nil && !empty && !markup && !d.root && !errors.Is(d.sum.Damage, errOutside) {
		d.sum.Damage = errNoElement // the first < of a log or a binary says nothing
	}
	if errors.Is(d.sum.Damage, errNoElement) && empty {
		d.sum.Damage = errors.New("expected a testsuites or testsuite element, found an empty file")
	}
	d.sum.Repairs = d.s.repairs
	if d.sum.Doubt == "" {
		d.sum.Doubt = d.contradiction()
	}
	return d.sum
}

// errNoElement is the damage of a text that is no XML.
var errNoElement = errors.New("expected a testsuites or testsuite element, found none: this is no JUnit XML")

// document walks the tags up to the end of the input or the first error.
func (d *junitDecoder) document() error {
	// suite is the depth of the outermost open suite: its own attribute already
	// counts the suites inside it.
	suite := 0
	for {
		kind, err := d.s.next(nil)
		switch {
		case err == io.EOF && !d.root:
			return errNoElement
		case err == io.EOF:
			return nil
		case err != nil:
			return d.locate(err)
		}
		depth := len(d.s.ends)
		if kind == endTag {
			if depth < suite {
				suite = 0
			}
			continue
		}
		switch name := string(d.s.local()); {
		case depth == 1 && name != "testsuites" && name != "testsuite":
			return d.locate(fmt.Errorf("expected a testsuites or testsuite element, found %q", name))
		case name == "testcase":
			var stop errStop
			if err := d.testcase(); errors.As(err, &stop) {
				return stop.error
			} else if err != nil {
				return d.locate(err)
			}
		case name == "testsuite" && suite == 0:
			suite = depth
			if n, err := strconv.Atoi(string(d.s.attr("tests"))); err == nil && n >= 0 {
				d.sum.Declared = max(d.sum.Declared, 0) + n
			}
			for i, r := range resultElements {
				if n, err := strconv.Atoi(string(d.s.attr(r.attribute))); err == nil && n > 0 {
					d.declared[i] += n
				}
			}
		}
		d.root = true
	}
}

func (d *junitDecoder) locate(err error) error {
	return fmt.Errorf("line %d: %w", d.s.currentLine(), err)
}

// testcase reads the case whose start tag was just read, with all its children.
func (d *junitDecoder) testcase() error {
	c := Case{Class: d.names.of(d.s.attr("classname")), Name: string(d.s.attr("name")), Outcome: Passed, Line: d.s.currentLine()}
	d.out.reset(d.limit)
	for {
		kind, err := d.s.next(nil)
		if err != nil {
			return err
		}
		if kind == endTag {
			if c.Class == "" && c.Name == "" {
				d.sum.Unnamed++
				return nil
			}
			c.Output = d.out.String()
			if err := d.visit(c); err != nil {
				return errStop{err}
			}
			return nil
		}
		switch name := string(d.s.local()); name {
		case "properties":
			err = d.properties(&c)
		case "failure", "error", "skipped":
			err = d.result(name, &c)
		case "system-out", "system-err":
			err = d.text(&d.out)
		default:
			if d.sum.Doubt == "" {
				d.sum.Doubt = fmt.Sprintf("holds the element %.40q in a test case, which is none of JUnit's: how the case ended is not known", name)
			}
			err = d.text(nil)
		}
		if err != nil {
			return err
		}
	}
}

// result reads an element that says how a case ended. Of several the gravest
// counts.
func (d *junitDecoder) result(element string, c *Case) error {
	for i, r := range resultElements {
		if r.element == element {
			d.held[i]++
		}
	}
	message := d.s.attr("message")
	o := outcome(element, string(d.s.attr("type")), message)
	kept := d.names.of(cut(message, min(maxMessage, d.limit)))
	d.body.reset(d.limit)
	if err := d.text(&d.body); err != nil {
		return err
	}
	if line, _, _ := bytes.Cut(d.body.text, []byte{'\n'}); o == Failed && isCrash(line) {
		o = Crashed
	}
	if gravity[o] > gravity[c.Outcome] {
		c.Outcome, c.Message, c.Detail = o, kept, d.body.String()
	}
	return nil
}

// properties reads the properties of a case; only measurements are of interest.
func (d *junitDecoder) properties(c *Case) error {
	for {
		kind, err := d.s.next(nil)
		if err != nil || kind == endTag {
			return err
		}
		if string(d.s.attr("name")) != BenchmarkProperty {
			if err := d.text(nil); err != nil {
				return err
			}
			continue
		}
		if value := d.s.attr("value"); len(value) > 0 {
			c.measure(value, &d.names)
			err = d.text(nil)
		} else {
			d.body.reset(maxDetail)
			err = d.text(&d.body)
			c.measure(d.body.text, &d.names)
		}
		if err != nil {
			return err
		}
	}
}

// text reads up to the end of the present element; out takes what it holds and
// may be nil.
func (d *junitDecoder) text(out *excerpt) error {
	for depth := 1; depth > 0; {
		kind, err := d.s.next(out)
		if err != nil {
			return err
		}
		if kind == startTag {
			depth++
		} else {
			depth--
		}
	}
	return nil
}

// outcome classifies a result element. Timeouts and dead workers are recorded
// as ordinary failures and told apart by the text that the plug-ins write.
func outcome(element, kind string, message []byte) Outcome {
	switch {
	case element == "skipped" && kind == "pytest.xfail":
		return XFailed
	case element == "skipped":
		return Skipped
	case isCrash(message):
		return Crashed
	case element == "error":
		return Error
	case bytes.HasPrefix(message, []byte("Failed: Timeout")):
		return Timeout
	}
	return Failed
}

func isCrash(message []byte) bool {
	_, rest, ok := bytes.Cut(message, []byte("worker '"))
	return ok && bytes.Contains(rest, []byte("' crashed while running"))
}

var gravity = map[Outcome]int{Passed: 0, XFailed: 1, Skipped: 2, Error: 3, Failed: 4, Timeout: 5, Crashed: 6}
