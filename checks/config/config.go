package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/tilegate/tilegate/checks/job"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/words"
)

// Path is where a repository keeps its configuration. It is read from the base
// branch only.
const Path = ".github/tilegym.yml"

// maxBytes bounds the file.
const maxBytes = 32 << 10

// Auto is the reference that follows analysis.json and else is DefaultReference.
const (
	Auto             = "auto"
	DefaultReference = "cutile"
)

// Candidate is the backend under review.
const Candidate = "cutile-rs"

// Severities that a rule can be set to.
var Severities = []string{"off", "note", "warning", "error"}

// Config is the whole configuration. Default gives the values of what a file does
// not mention.
type Config struct {
	Paths Paths `yaml:"paths"`
	// Rules sets the severity of a rule, such as R45, to one of Severities.
	Rules     map[string]string `yaml:"rules"`
	Reference string            `yaml:"reference"` // auto or a backend's name
	Perf      Perf              `yaml:"perf"`
	// AllowedSkips are the skip texts that count as declared gaps; nil means the
	// default, see SkipMatcher.
	AllowedSkips []string  `yaml:"allowed_skips"`
	GPUs         []GPU     `yaml:"gpus"`
	Workflow     string    `yaml:"workflow"` // file name below .github/workflows
	Deadlines    Deadlines `yaml:"deadlines"`
}

// Paths are the directories of a TileGym checkout, relative to its root. Only
// upstream's layout is read, so another value is refused rather than ignored.
type Paths struct {
	Ops       string `yaml:"ops"`       // cutile-rs wrappers and kernels
	Backend   string `yaml:"backend"`   // cutile-rs run-time support
	Suites    string `yaml:"suites"`    // suites with their own crates
	Reference string `yaml:"reference"` // cutile ops
	Tests     string `yaml:"tests"`
}

// Perf configures the performance verdict.
type Perf struct {
	Threshold  float64           `yaml:"threshold"`   // highest geomean ratio that is DONE
	Rounds     Rounds            `yaml:"rounds"`      // alternating measurements of each side
	MaxMissing float64           `yaml:"max_missing"` // highest share of missing configs, see ValidShare
	Renames    map[string]string `yaml:"renames"`     // old config name to new, such as test_perf[1-fp16]
}

// Share says in words what ValidShare holds.
const Share = "a share from 0 to below 1"

// ValidShare reports whether a share of configs may be missing. Where all may, the
// one that is left decides alone.
func ValidShare(share float64) bool { return share >= 0 && share < 1 }

// Rounds bounds the number of rounds.
type Rounds struct {
	Min int `yaml:"min"`
	Max int `yaml:"max"`
}

// GPU is one class of GPU hosts.
type GPU struct {
	Name     string   `yaml:"name"`
	Labels   []string `yaml:"labels"`   // runner labels
	Required bool     `yaml:"required"` // the gate needs this class; true where the file does not say
}

// Deadlines end a dispatch that does not end by itself.
type Deadlines struct {
	Queue time.Duration `yaml:"queue"` // from dispatch to the first job's start
	Run   time.Duration `yaml:"run"`   // from the first job's start to the end
}

// Default is the configuration of a repository without a file; it fits upstream's
// layout.
func Default() Config {
	return Config{
		Paths: Paths{
			Ops:       "src/tilegym/ops/cutile_rs",
			Backend:   "src/tilegym/backend/cutile_rs",
			Suites:    "src/tilegym/suites",
			Reference: "src/tilegym/ops/cutile",
			Tests:     "tests/ops",
		},
		Rules:     map[string]string{},
		Reference: Auto,
		Perf: Perf{
			Threshold: 1.05,
			Rounds:    Rounds{Min: 2, Max: 6},
			Renames:   map[string]string{},
		},
		GPUs:      []GPU{{Name: "default", Labels: []string{"self-hosted", "gpu"}, Required: true}},
		Workflow:  "tilegym-gate.yml",
		Deadlines: Deadlines{Queue: 2 * time.Hour, Run: 8 * time.Hour},
	}
}

// ReferenceBackend is the backend to compare with: the configured one, or with
// auto the one that an analysis declares, or DefaultReference.
func (c Config) ReferenceBackend(declared string) string {
	switch {
	case c.Reference != Auto && c.Reference != "":
		return c.Reference
	case declared != "":
		return declared
	}
	return DefaultReference
}

// Problem is one fault of a file. Line starts at 1; 0 concerns the whole file.
type Problem struct {
	File    string
	Line    int
	Message string // what was expected and what was found
}

func (p Problem) Error() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
}

// Problems are all faults that were found; an error of Parse.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Parse reads a configuration over the defaults. The file name is used in
// messages only. Any error is of type Problems, and the configuration is then not
// to be used.
func Parse(file string, data []byte) (Config, error) {
	c := Default()
	fail := func(line int, format string, args ...any) (Config, error) {
		return Config{}, Problems{{file, line, fmt.Sprintf(format, args...)}}
	}
	if len(data) > maxBytes {
		return fail(0, "expected at most %d bytes, found %d", maxBytes, len(data))
	}
	if line, message := unbounded(data); message != "" {
		return fail(line, "%s", message)
	}
	tree, err := parser.ParseBytes(data, 0)
	if err != nil {
		line, message := explain(err)
		return fail(line, "expected YAML: %s", message)
	}
	if len(tree.Docs) > 1 {
		return fail(0, "expected one YAML document, found %d", len(tree.Docs))
	}
	if len(tree.Docs) == 0 || tree.Docs[0].Body == nil {
		return c, nil
	}
	if tree.Docs[0].Body.Type() == ast.NullType || tree.Docs[0].Body.Type() == ast.CommentType {
		return c, nil
	}
	if p := aliases(file, tree.Docs[0].Body); len(p) > 0 {
		return Config{}, p
	}
	d := &decoder{file: file, lines: map[string]int{}, unfit: map[string]bool{}}
	d.value(tree.Docs[0].Body, reflect.ValueOf(&c).Elem(), "")
	c.validate(d)
	if len(d.found) > 0 {
		return Config{}, d.found.sorted()
	}
	c.Rules = byID(c.Rules)
	return c, nil
}

// byID names the rules as they are printed, however a person wrote them.
func byID(severities map[string]string) map[string]string {
	out := make(map[string]string, len(severities))
	for name, severity := range severities {
		if id, ok := rules.ParseID(name); ok {
			out[id] = severity
		}
	}
	return out
}

// maxFaults bounds the faults that are told of a file.
const maxFaults = 100

// sorted are the faults in the order of the file.
func (p Problems) sorted() Problems {
	slices.SortStableFunc(p, func(a, b Problem) int { return cmp.Or(a.Line-b.Line, strings.Compare(a.Message, b.Message)) })
	if more := len(p) - maxFaults; more > 0 {
		p = append(p[:maxFaults], Problem{p[0].File, 0, words.Count(more, "more fault")})
	}
	return p
}

// For all of these the YAML library takes quadratic time. maxLine bounds runs of
// signs and with them what a line can open; what lines open below each other is
// bounded by the bytes that they are moved in by.
const (
	maxNesting = 100
	maxLine    = 2000
)

// unbounded is the line that a configuration does not need and that costs too
// much to read, and what was expected instead: too many brackets inside each
// other, those in texts included, a long line or a second mark of a document.
func unbounded(data []byte) (int, string) {
	line, start, depth, documents := 1, 0, 0, 0
	for i, c := range data {
		switch c {
		case '\n', '\r':
			if c == '\n' {
				line++
			}
			start = i + 1
			continue
		case '[', '{':
			if depth++; depth > maxNesting {
				return line, fmt.Sprintf("expected at most %d brackets inside each other, found more", maxNesting)
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
		if i-start >= maxLine {
			return line, fmt.Sprintf("expected a line of at most %d bytes, found a longer one", maxLine)
		}
		if i == start && bytes.HasPrefix(data[i:], []byte("---")) {
			if documents++; documents > 1 {
				return line, "expected one YAML document, found a second one"
			}
		}
	}
	return 0, ""
}

// explain takes line and message out of an error of the YAML library.
func explain(err error) (line int, message string) {
	var located yaml.Error
	if errors.As(err, &located) {
		if t := located.GetToken(); t != nil && t.Position != nil {
			line = t.Position.Line
		}
		message = located.GetMessage()
	} else {
		message, _, _ = strings.Cut(err.Error(), "\n")
	}
	return line, message
}

// aliases refuses anchors, aliases, tags and merges: a configuration needs none,
// and nested ones grow without bound.
func aliases(file string, root ast.Node) Problems {
	var found Problems
	ast.Walk(visitor(func(n ast.Node) {
		switch n.Type() {
		case ast.AnchorType, ast.AliasType, ast.MergeKeyType, ast.TagType:
			message := "expected plain values, found an anchor, alias, tag or merge key"
			if at := strings.TrimPrefix(n.GetPath(), "$."); at != "" && at != "$" {
				message = at + ": " + message
			}
			found = append(found, Problem{file, lineOf(n), message})
		}
	}), root)
	return found
}

type visitor func(ast.Node)

func (v visitor) Visit(n ast.Node) ast.Visitor { v(n); return v }

var (
	backendPattern = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)
	gpuPattern     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	workflowName   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*\.ya?ml$`)
)

// validate checks the values. One that did not fit its field is the default here
// and not told twice.
func (c Config) validate(d *decoder) {
	bad := func(at, expected string, value any) {
		if !d.isUnfit(at) {
			d.bad(d.line(at), at, expected, shown(value))
		}
	}
	layout := Default().Paths
	for _, dir := range []struct{ name, found, want string }{
		{"ops", c.Paths.Ops, layout.Ops}, {"backend", c.Paths.Backend, layout.Backend}, {"suites", c.Paths.Suites, layout.Suites},
		{"reference", c.Paths.Reference, layout.Reference}, {"tests", c.Paths.Tests, layout.Tests},
	} {
		if dir.found != dir.want {
			bad("paths."+dir.name, dir.want+", the one layout that is read", dir.found)
		}
	}
	set := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(c.Rules)) {
		id, ok := rules.ParseID(name)
		if !ok {
			bad("rules."+name, "a rule such as R45, P9, A1, S1 or T1", name)
		} else if set[id] {
			bad("rules."+name, "each rule once", name)
		}
		set[id] = true
		if !slices.Contains(Severities, c.Rules[name]) {
			bad("rules."+name, strings.Join(Severities, ", "), c.Rules[name])
		}
	}
	if !backendPattern.MatchString(c.Reference) {
		bad("reference", "auto or a backend's name", c.Reference)
	}
	if !(c.Perf.Threshold >= 0.5 && c.Perf.Threshold <= 10) {
		bad("perf.threshold", "a ratio between 0.5 and 10", c.Perf.Threshold)
	}
	if c.Perf.Rounds.Min < 1 || c.Perf.Rounds.Max > job.MaxRounds || c.Perf.Rounds.Min > c.Perf.Rounds.Max {
		bad("perf.rounds", fmt.Sprintf("1 <= min <= max <= %d", job.MaxRounds), plain(fmt.Sprintf("min %d, max %d", c.Perf.Rounds.Min, c.Perf.Rounds.Max)))
	}
	if !ValidShare(c.Perf.MaxMissing) {
		bad("perf.max_missing", Share, c.Perf.MaxMissing)
	}
	for _, from := range slices.Sorted(maps.Keys(c.Perf.Renames)) {
		if from == "" || c.Perf.Renames[from] == "" {
			bad("perf.renames."+from, "old and new config names", from)
		}
	}
	for i, pattern := range c.AllowedSkips {
		if _, err := compileSkip(pattern, Candidate); err != nil || pattern == "" {
			bad(fmt.Sprintf("allowed_skips[%d]", i), "a regular expression (RE2)", pattern)
		}
	}
	seen := map[string]bool{}
	for i, g := range c.GPUs {
		at := fmt.Sprintf("gpus[%d]", i)
		if !gpuPattern.MatchString(g.Name) {
			bad(at+".name", "a name of letters, digits, '.', '_' and '-'", g.Name)
		}
		if seen[g.Name] {
			bad(at+".name", "each GPU class once", g.Name)
		}
		seen[g.Name] = true
		if len(g.Labels) == 0 || slices.Contains(g.Labels, "") {
			bad(at+".labels", "at least one runner label", strings.Join(g.Labels, ", "))
		}
	}
	if !slices.ContainsFunc(c.GPUs, func(g GPU) bool { return g.Required }) {
		found := "none"
		if n := len(c.GPUs); n > 0 {
			found = words.Count(n, "class") + ", none with required: true"
		}
		bad("gpus", "at least one class with required: true, so that the gate measures something", plain(found))
	}
	if !workflowName.MatchString(c.Workflow) {
		bad("workflow", "a file name ending in .yml or .yaml", c.Workflow)
	}
	for name, d := range map[string]time.Duration{"queue": c.Deadlines.Queue, "run": c.Deadlines.Run} {
		if d < time.Minute || d > 7*24*time.Hour {
			bad("deadlines."+name, "a duration between 1m and 168h, such as 2h", d)
		}
	}
}

// plain is a value that is shown without quotes.
type plain string

func shown(v any) string {
	switch x := v.(type) {
	case plain:
		return string(x)
	case string:
		return strconv.Quote(x)
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}
