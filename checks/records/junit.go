package records

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
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

// Bounds of what is kept of one case, in bytes.
const (
	maxMessage = 8 << 10
	maxDetail  = 64 << 10
)

// Case is one <testcase>.
type Case struct {
	Class, Name string  // as in the file, both empty in a case that never ended
	Seconds     float64 // wall time of the test; 0 when the file does not say
	Outcome     Outcome
	Type        string // type attribute of the result, e.g. pytest.skip
	Message     string // message attribute of the result, at most 8 KiB
	Detail      string // body of the result, its middle cut out beyond 64 KiB
	Output      string // captured output of the case, cut like Detail
	Properties  []Property
	Line        int // of the file on which the case begins, from 1; 0 outside of files
}

// Property is one <property> of a case.
type Property struct{ Name, Value string }

// ID is the case in one line: class, two colons, name.
func (c Case) ID() string {
	if c.Class == "" {
		return c.Name
	}
	return c.Class + "::" + c.Name
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
	Declared int   // sum of the suites' tests attributes; -1 when absent
	Unnamed  int   // cases without name and class: the run was stopped inside them
	Repairs  int   // bytes or references that had to be replaced
	Ignored  int   // result blocks of a console log in another shape
	Damage   error // why reading stopped before the end of the document; else nil
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
		return fmt.Sprintf("%s declares %d tests and holds %d: it is partial", r.Name, r.Declared, len(r.Cases))
	}
	for _, c := range r.Cases {
		if c.CollectionError() {
			return fmt.Sprintf("%s: %s could not be collected, so its tests did not run", r.Name, c.ID())
		}
	}
	return ""
}

// ReadJUnit reads a whole JUnit file. It never fails: a document that cannot be
// read to its end is returned as far as it goes, with Damage set.
func ReadJUnit(name string, r io.Reader) Report {
	report := Report{Name: name}
	sum := DecodeJUnit(r, func(c Case) error {
		report.Cases = append(report.Cases, c)
		return nil
	})
	report.Declared, report.Unnamed, report.Repairs, report.Damage = sum.Declared, sum.Unnamed, sum.Repairs, sum.Damage
	return report
}

// Summary is what DecodeJUnit knows of a document besides its cases.
type Summary struct {
	Declared, Unnamed, Repairs int
	Damage                     error
}

// errStop wraps the error with which a visitor ends the reading.
type errStop struct{ error }

func (e errStop) Unwrap() error { return e.error }

// DecodeJUnit streams a JUnit document and calls visit for each named case in
// file order. Memory is bounded by the largest case. Reading ends at the first
// error of any kind, which is returned as Damage; so is an error of visit.
func DecodeJUnit(r io.Reader, visit func(Case) error) Summary {
	clean := newSanitizer(r)
	d := junitDecoder{visit: visit, sum: Summary{Declared: -1}}
	if head, _ := clean.in.Peek(2); len(head) == 2 && (head[0] == 0xFE && head[1] == 0xFF || head[0] == 0xFF && head[1] == 0xFE) {
		d.sum.Damage = errors.New("expected UTF-8, found a UTF-16 byte order mark")
		return d.sum
	}
	if head, _ := clean.in.Peek(3); bytes.Equal(head, []byte("\uFEFF")) {
		clean.in.Discard(3)
	}
	d.xml = xml.NewDecoder(clean)
	// The stream is clean UTF-8 by now, whatever the declaration says.
	d.xml.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	d.sum.Damage = d.document()
	d.sum.Repairs = clean.repairs
	return d.sum
}

type junitDecoder struct {
	xml   *xml.Decoder
	visit func(Case) error
	sum   Summary
}

// document walks the tokens. The loop ends on any error, not only at the end of
// the input: a malformed document would otherwise never end.
func (d *junitDecoder) document() error {
	depth, suites, root := 0, 0, false
	for {
		tok, err := d.xml.Token()
		if err != nil {
			if err == io.EOF {
				if !root {
					return errors.New("expected a testsuites or testsuite element, found an empty document")
				}
				return nil
			}
			return d.locate(err)
		}
		switch t := tok.(type) {
		case xml.StartElement:
			switch name := t.Name.Local; {
			case depth == 0 && name != "testsuites" && name != "testsuite":
				return d.locate(fmt.Errorf("expected a testsuites or testsuite element, found %q", name))
			case name == "testcase":
				if err := d.testcase(t); err != nil {
					var stop errStop
					if errors.As(err, &stop) {
						return stop.error
					}
					return d.locate(err)
				}
				continue
			case name == "testsuite":
				// A suite's own attribute already counts the suites inside it.
				if n, err := strconv.Atoi(attr(t, "tests")); err == nil && n >= 0 && suites == 0 {
					d.sum.Declared = max(d.sum.Declared, 0) + n
				}
				suites++
			}
			root = true
			depth++
		case xml.EndElement:
			depth--
			if t.Name.Local == "testsuite" {
				suites--
			}
		}
	}
}

func (d *junitDecoder) locate(err error) error {
	line, column := d.xml.InputPos()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("line %d: %s", syntax.Line, syntax.Msg)
	}
	return fmt.Errorf("line %d, column %d: %w", line, column, err)
}

// testcase reads one case with all its children.
func (d *junitDecoder) testcase(start xml.StartElement) error {
	c := Case{Class: attr(start, "classname"), Name: attr(start, "name"), Outcome: Passed}
	c.Seconds, _ = strconv.ParseFloat(attr(start, "time"), 64)
	c.Line, _ = d.xml.InputPos()
	for {
		tok, err := d.xml.Token()
		if err != nil {
			return err
		}
		switch t := tok.(type) {
		case xml.EndElement:
			if c.Class == "" && c.Name == "" {
				d.sum.Unnamed++
				return nil
			}
			if err := d.visit(c); err != nil {
				return errStop{err}
			}
			return nil
		case xml.StartElement:
			switch t.Name.Local {
			case "properties":
				if err := d.properties(&c); err != nil {
					return err
				}
			case "failure", "error", "skipped":
				text, err := d.text()
				if err != nil {
					return err
				}
				if o := outcome(t, text); graver(o, c.Outcome) {
					c.Outcome, c.Type = o, attr(t, "type")
					c.Message, c.Detail = trim(attr(t, "message"), maxMessage), text
				}
			case "system-out", "system-err":
				text, err := d.text()
				if err != nil {
					return err
				}
				c.Output = trim(c.Output+text, maxDetail)
			default:
				if err := d.xml.Skip(); err != nil {
					return err
				}
			}
		}
	}
}

func (d *junitDecoder) properties(c *Case) error {
	for {
		tok, err := d.xml.Token()
		if err != nil {
			return err
		}
		switch t := tok.(type) {
		case xml.EndElement:
			return nil
		case xml.StartElement:
			p := Property{attr(t, "name"), attr(t, "value")}
			text, err := d.text()
			if err != nil {
				return err
			}
			if p.Value == "" {
				p.Value = text
			}
			c.Properties = append(c.Properties, p)
		}
	}
}

// text reads the character data up to the end of the present element.
func (d *junitDecoder) text() (string, error) {
	var b strings.Builder
	for depth := 0; ; {
		tok, err := d.xml.Token()
		if err != nil {
			return "", err
		}
		switch t := tok.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			if depth == 0 {
				return trim(b.String(), maxDetail), nil
			}
			depth--
		case xml.CharData:
			b.Write(t)
			if b.Len() > 4*maxDetail {
				short := trim(b.String(), maxDetail)
				b.Reset()
				b.WriteString(short)
			}
		}
	}
}

// outcome classifies a result element. Timeouts and dead workers are recorded
// as ordinary failures and told apart by the text that the plug-ins write.
func outcome(e xml.StartElement, body string) Outcome {
	message := attr(e, "message")
	switch e.Name.Local {
	case "skipped":
		if attr(e, "type") == "pytest.xfail" {
			return XFailed
		}
		return Skipped
	case "error":
		if isCrash(message) {
			return Crashed
		}
		return Error
	}
	if isCrash(message) || isCrash(firstLine(body)) {
		return Crashed
	}
	if strings.HasPrefix(message, "Failed: Timeout") {
		return Timeout
	}
	return Failed
}

func isCrash(message string) bool {
	_, rest, ok := strings.Cut(message, "worker '")
	return ok && strings.Contains(rest, "' crashed while running")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

var gravity = map[Outcome]int{Passed: 0, XFailed: 1, Skipped: 2, Error: 3, Failed: 4, Timeout: 5, Crashed: 6}

func graver(a, b Outcome) bool { return gravity[a] > gravity[b] }

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// trim keeps the head and the tail of a text within limit bytes.
func trim(s string, limit int) string {
	if len(s) <= limit {
		return strings.Clone(s)
	}
	half := limit / 2
	return strings.ToValidUTF8(s[:half], "") + "\n[...]\n" + strings.ToValidUTF8(s[len(s)-half:], "")
}
