package config

import (
	"bytes"
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
	"github.com/goccy/go-yaml/token"

	"github.com/tilegate/tilegate/checks/rules"
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
	MaxMissing float64           `yaml:"max_missing"` // highest share of missing configs, 0 to 1
	Renames    map[string]string `yaml:"renames"`     // old config name to new, such as test_perf[1-fp16]
}

// Rounds bounds the number of rounds.
type Rounds struct {
	Min int `yaml:"min"`
	Max int `yaml:"max"`
}

// GPU is one class of GPU hosts.
type GPU struct {
	Name     string   `yaml:"name"`
	Labels   []string `yaml:"labels"`   // runner labels
	Required bool     `yaml:"required"` // the gate needs this class
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
		Deadlines: Deadlines{Queue: 2 * time.Hour, Run: 3 * time.Hour},
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
	if err := yaml.NodeToValue(tree.Docs[0].Body, &c, yaml.Strict()); err != nil {
		line, message := explain(err)
		return fail(line, "%s", message)
	}
	if p := c.validate(file, tree); len(p) > 0 {
		return Config{}, p
	}
	return c, nil
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
				return line, fmt.Sprintf("expected at most %d brackets inside each other", maxNesting)
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
		if i-start >= maxLine {
			return line, fmt.Sprintf("expected a line of at most %d bytes", maxLine)
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
	var kind *yaml.TypeError
	var node *yaml.UnexpectedNodeTypeError
	if name, ok := strings.CutPrefix(message, "unknown field "); ok {
		message = "unknown field " + name + "; expected one of those that the documentation names"
		if near := nearest(strings.Trim(name, `"`)); near != "" {
			message = fmt.Sprintf("unknown field %s; did you mean %q?", name, near)
		}
	} else if errors.As(err, &kind) {
		message = fmt.Sprintf("expected %s, found %s", wanted(kind.DstType), given(kind.SrcType, kind.Token))
	} else if errors.As(err, &node) {
		message = fmt.Sprintf("expected %s, found %s", shape(node.Expected), shape(node.Actual))
	} else if value, ok := strings.CutPrefix(message, "time: invalid duration "); ok {
		message = "expected a duration such as 2h, found " + value
	}
	return line, message
}

// shape names a kind of node in plain words.
func shape(t ast.NodeType) string {
	switch t {
	case ast.SequenceType:
		return "a list"
	case ast.MappingType, ast.MappingValueType:
		return "fields with values"
	case ast.StringType, ast.LiteralType:
		return "text"
	case ast.IntegerType, ast.FloatType, ast.InfinityType, ast.NanType:
		return "a number"
	case ast.BoolType:
		return "true or false"
	}
	return "something else"
}

// wanted names what a field holds in words of the file.
func wanted(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return "a duration such as 2h"
	case t == nil:
		return "another kind of value"
	}
	switch t.Kind() {
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "a whole number"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "fields with values"
	}
	return "another kind of value"
}

// given names what stands in the file instead.
func given(t reflect.Type, at *token.Token) string {
	if t != nil {
		switch t.Kind() {
		case reflect.Slice, reflect.Array:
			return "a list"
		case reflect.Map, reflect.Struct:
			return "fields with values"
		}
	}
	if at != nil {
		return strconv.Quote(at.Value)
	}
	return "another kind"
}

// nearest is the field whose name a misspelt one is closest to, or nothing.
func nearest(name string) (field string) {
	best := min(2, len(name)/3) + 1
	for _, known := range fields(reflect.TypeFor[Config]()) {
		if d := distance(name, known); d < best {
			best, field = d, known
		}
	}
	return field
}

// fields lists the names of all fields of a type and of those below it.
func fields(t reflect.Type) (names []string) {
	switch t.Kind() {
	case reflect.Slice:
		return fields(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			names = append(names, t.Field(i).Tag.Get("yaml"))
			names = append(names, fields(t.Field(i).Type)...)
		}
	}
	return names
}

// distance is the number of bytes to insert, delete or replace.
func distance(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left := i
		row[0] = i + 1
		for j := range len(b) {
			cost := left
			if a[i] != b[j] {
				cost = min(left, row[j], row[j+1]) + 1
			}
			left, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// aliases refuses anchors, aliases and merges: a configuration needs none, and
// nested ones grow without bound.
func aliases(file string, root ast.Node) Problems {
	var found Problems
	ast.Walk(visitor(func(n ast.Node) {
		switch n.Type() {
		case ast.AnchorType, ast.AliasType, ast.MergeKeyType:
			found = append(found, Problem{file, n.GetToken().Position.Line, "expected plain values, found an anchor, alias or merge key"})
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

// validate checks the values and finds the line of each wrong one.
func (c Config) validate(file string, tree *ast.File) Problems {
	var found Problems
	bad := func(at, expected string, value any) {
		found = append(found, Problem{file, lineOf(tree, at), fmt.Sprintf("%s: expected %s, found %s", strings.TrimPrefix(at, "$."), expected, shown(value))})
	}
	layout := Default().Paths
	for _, dir := range []struct{ name, found, want string }{
		{"ops", c.Paths.Ops, layout.Ops}, {"backend", c.Paths.Backend, layout.Backend}, {"suites", c.Paths.Suites, layout.Suites},
		{"reference", c.Paths.Reference, layout.Reference}, {"tests", c.Paths.Tests, layout.Tests},
	} {
		if dir.found != dir.want {
			bad("$.paths."+dir.name, dir.want+", the one layout that is read", dir.found)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(c.Rules)) {
		if known, ok := rules.ParseID(id); !ok || known != id {
			bad("$.rules."+id, "a rule such as R45, P9, A1, S1 or T1", id)
		}
		if !slices.Contains(Severities, c.Rules[id]) {
			bad("$.rules."+id, strings.Join(Severities, ", "), c.Rules[id])
		}
	}
	if !backendPattern.MatchString(c.Reference) {
		bad("$.reference", "auto or a backend's name", c.Reference)
	}
	if !(c.Perf.Threshold >= 0.5 && c.Perf.Threshold <= 10) {
		bad("$.perf.threshold", "a ratio between 0.5 and 10", c.Perf.Threshold)
	}
	for _, at := range []string{"$.perf.rounds.min", "$.perf.rounds.max"} {
		// The YAML library cuts a fraction off.
		if n, ok := nodeOf(tree, at).(*ast.FloatNode); ok {
			bad(at, "a whole number", n.Value)
		}
	}
	if c.Perf.Rounds.Min < 1 || c.Perf.Rounds.Max > 100 || c.Perf.Rounds.Min > c.Perf.Rounds.Max {
		bad("$.perf.rounds", "1 <= min <= max <= 100", fmt.Sprintf("min %d, max %d", c.Perf.Rounds.Min, c.Perf.Rounds.Max))
	}
	if !(c.Perf.MaxMissing >= 0 && c.Perf.MaxMissing < 1) {
		bad("$.perf.max_missing", "a share from 0 to below 1", c.Perf.MaxMissing)
	}
	for _, from := range slices.Sorted(maps.Keys(c.Perf.Renames)) {
		if from == "" || c.Perf.Renames[from] == "" {
			bad("$.perf.renames", "old and new config names", from)
		}
	}
	for i, pattern := range c.AllowedSkips {
		if _, err := compileSkip(pattern, Candidate); err != nil || pattern == "" {
			bad(fmt.Sprintf("$.allowed_skips[%d]", i), "a regular expression (RE2)", pattern)
		}
	}
	seen := map[string]bool{}
	for i, g := range c.GPUs {
		at := fmt.Sprintf("$.gpus[%d]", i)
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
		bad("$.gpus", "at least one class with required: true, so that the gate measures something", len(c.GPUs))
	}
	if !workflowName.MatchString(c.Workflow) {
		bad("$.workflow", "a file name ending in .yml or .yaml", c.Workflow)
	}
	for name, d := range map[string]time.Duration{"queue": c.Deadlines.Queue, "run": c.Deadlines.Run} {
		if d < time.Minute || d > 7*24*time.Hour {
			bad("$.deadlines."+name, "a duration between 1m and 168h, such as 2h", d)
		}
	}
	slices.SortFunc(found, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return strings.Compare(a.Message, b.Message)
	})
	return found
}

func shown(v any) string {
	switch x := v.(type) {
	case string:
		return strconv.Quote(x)
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// lineOf finds where a value stands in the file; the nearest parent when the
// value itself was left out.
func lineOf(tree *ast.File, at string) int {
	for at != "$" {
		if n := nodeOf(tree, at); n != nil && n.GetToken() != nil {
			return n.GetToken().Position.Line
		}
		cut := strings.LastIndexAny(at, ".[")
		at = at[:cut]
	}
	return 0
}

// nodeOf is the value at a path, nil when the file has none.
func nodeOf(tree *ast.File, at string) ast.Node {
	p, err := yaml.PathString(at)
	if err != nil {
		return nil
	}
	n, err := p.FilterFile(tree)
	if err != nil {
		return nil
	}
	return n
}
