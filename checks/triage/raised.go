package triage

import (
	"regexp"
	"slices"
	"strings"
)

// unnamedError is the signature of an exception that no other signature names.
const unnamedError = "S-X72"

// raised reads exceptions of Python and where the project's own code stands in their
// tracebacks. It keeps the first of each step of a CI job: what is raised later
// follows from it more often than not.
type raised struct {
	place string // the innermost frame of the project in the present traceback
	near  int    // line of the last frame
	first []exception
	open  bool // the last one's frame comes behind it
}

// exception is one that was raised.
type exception struct {
	at    line
	name  string
	place string // file and line of the project's innermost frame, "" when there is none
}

const (
	maxExceptions = 32 // steps of which one is kept
	frameFor      = 12 // lines behind the last frame in which its exception stands
)

var (
	pythonFrame  = regexp.MustCompile(`^File "([^"]+)", line (\d+)`)
	pytestFrame  = regexp.MustCompile(`^([\w./-]+\.py):(\d+): (?:in \S+|\w+)?$`)
	exceptionOf  = regexp.MustCompile(`^((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Unavailable|Unsupported|Refused|NotFound|Mismatch|Violation))(?:: .*)?$`)
	summedUp     = regexp.MustCompile(`^(?:FAILED|ERROR) \S+\.py::.* - (((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)): .*)$`)
	ofOthers     = regexp.MustCompile(`site-packages/|dist-packages/|/lib(64)?/python|^<`)
	ofTests      = regexp.MustCompile(`(^|/)(tests?|bench\w*)/|(^|/)(test_\w+|conftest|bench\w*)\.py:`)
	ofScripts    = regexp.MustCompile(`(^|/)(scripts?|tools|ci|\.github)/`)
	fromCompiler = regexp.MustCompile(`(Compil|TypeCheck|Lowering|Codegen|CodeGen|Syntax|Unsupported|Verif|Legaliz|MLIR|PTX|Tile)\w*$`)
	// passedOn are exceptions that tell of another one, or of what somebody else did.
	passedOn = regexp.MustCompile(`(^|\.)(AssertionError|CalledProcessError|ChildFailedError|ProcessRaisedException|ProcessExitedException|BrokenPipeError|ConnectionResetError|BrokenProcessPool|DistStoreError|DistNetworkError|DistBackendError|TimeoutError|TimeoutExpired|SubprocessError|JSONDecodeError|ExceptionGroup|BackendCompilerFailed|InternalTorchDynamoError)$`)
	// returnCode is what a wrapper says of a call of the library that failed.
	returnCode = probe(` failed \(rc=`)
)

// line takes a line; marked says that pytest marks it as an error.
func (r *raised) line(l line, marked bool) {
	if l.text == "" || len(l.text) > 2048 {
		return
	}
	switch {
	case strings.HasPrefix(l.text, "Traceback (most recent call last)"), l.text[0] == '_' && heading.MatchString(l.text):
		r.place, r.near, r.open = "", l.n, false
		return
	case strings.HasPrefix(l.text, `File "`):
		if m := pythonFrame.FindStringSubmatch(l.text); m != nil {
			r.frame(l, m[1]+":"+m[2])
			return
		}
	case strings.Contains(l.text, ".py:"):
		if m := pytestFrame.FindStringSubmatch(l.text); m != nil {
			r.frame(l, m[1]+":"+m[2])
			return
		}
	}
	if l.quote || l.warn || l.aside != noAside || len(r.first) > 0 && r.first[len(r.first)-1].at.step == l.step || len(r.first) >= maxExceptions {
		return
	}
	told, name := l, ""
	switch {
	case strings.Contains(l.text, ".py::"):
		if m := summedUp.FindStringSubmatch(l.text); m != nil {
			told.text, name = m[1], m[2]
		}
	case marked || l.n <= r.near+frameFor && r.near > 0:
		if m := exceptionOf.FindStringSubmatch(l.text); m != nil {
			name = m[1]
		}
	}
	if name == "" || passedOn.MatchString(name) || l.is(returnCode) {
		return
	}
	told.text = strings.Clone(told.text)
	r.first = append(r.first, exception{told, strings.Clone(name), r.place})
	r.open = marked
}

// frame takes a frame of a traceback. pytest names the innermost one behind its error.
func (r *raised) frame(l line, place string) {
	r.near = l.n
	if ofOthers.MatchString(place) {
		return
	}
	r.place = strings.Clone(place)
	if r.open && len(r.first) > 0 {
		r.first[len(r.first)-1].place, r.open = r.place, false
	}
}

// class says whose fault an exception may be, by its kind and by the code that raised it.
func (e exception) class() (first, also Class) {
	switch {
	case ofTests.MatchString(e.place):
		return Test, Host
	case fromCompiler.MatchString(strings.TrimSuffix(strings.TrimSuffix(e.name, "Error"), "Exception")):
		return Kernel, Host
	case ofScripts.MatchString(e.place):
		return InProcess, Host
	case e.place == "":
		return Host, Env
	}
	return Host, Kernel
}

func (r *raised) end(sc *logScan) {
	if len(r.first) == 0 {
		return
	}
	e := r.first[0]
	if i := slices.IndexFunc(r.first, func(e exception) bool { return e.at.step == sc.failed }); i >= 0 {
		e = r.first[i]
	}
	sc.explains(unnamedError, nil, e.at)
	h := sc.found[unnamedError]
	if h == nil || h.log != sc.logs {
		return
	}
	h.Class, h.Also = e.class()
	if e.place != "" {
		h.quote(e.place)
	}
}
