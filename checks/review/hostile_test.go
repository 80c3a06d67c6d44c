package review_test

import (
	"bytes"
	"context"
	"encoding/json"
	"hash/crc32"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

const (
	demoDir = tree.OpsRoot + "/demo_kernel/"
	crate   = tree.OpsRoot + "/cutile_kernels/"
)

// place is a file of a checkout that a pull request can fill with anything, and
// the shapes that hurt its readers most.
type place struct {
	path   string
	shapes []hostile.Shape
}

var places = []place{
	{demoDir + "kernel.rs", hostile.Rust},
	{demoDir + "ffi.rs", hostile.Rust},
	{demoWrapper, slices.Concat(hostile.Python, hostile.Growing)},
	{tree.TestsRoot + "/test_demo.py", slices.Concat(hostile.Python, hostile.Growing)},
	{crate + "src/lib.rs", hostile.Rust},
	{crate + "Cargo.toml", hostile.TOML},
	{demoDir + "reference/analysis.json", hostile.JSON},
	{demoDir + "reference/reference.mlir", hostile.IR},
	{demoDir + "generated/generated.mlir", hostile.IR},
	{tree.ReferenceRoot + "/demo.py", slices.Concat(hostile.Python, inLong(hostile.Growing))},
	{tree.OpsRoot + "/ffi_util.rs", nil},
	{tree.OpsRoot + "/__init__.py", hostile.Python},
	{"tests/conftest.py", slices.Concat(hostile.Python, inLong(hostile.Growing))},
	{"src/tilegym/ops/ops.py", hostile.Python},
	{tree.BackendRoot + "/utils.py", nil},
	{crate + ".cargo/config.toml", hostile.TOML},
	{demoDir + "reports/perf_investigation_1.md", nil},
	{demoDir + "reports/agent_logs/b.md", nil},
	{"pyproject.toml", hostile.TOML},
}

// inLong are shapes of the long form: they are read as in the wrapper and the test.
func inLong(shapes []hostile.Shape) []hostile.Shape {
	if os.Getenv("TILEGATE_LONG") == "" {
		return nil
	}
	return shapes
}

func (p place) all() []hostile.Shape { return slices.Concat(p.shapes, hostile.Any) }

func (p place) name() string {
	return strings.ReplaceAll(strings.TrimPrefix(p.path, tree.OpsRoot+"/"), "/", ".")
}

// laid is the clean tree with one file of any text.
func laid(path, text string) fstest.MapFS {
	head := ruletest.Base()
	head[path] = &fstest.MapFile{Data: []byte(text)}
	return head
}

// reviewAndWrite reviews a tree against a base, which may be nil, and checks what
// must hold for every report in every format.
func reviewAndWrite(tb testing.TB, head, base fstest.MapFS) *review.Report {
	tb.Helper()
	o := review.Options{Head: head, Rules: all.Rules}
	if base != nil {
		o.Base = base
	}
	r, err := review.Run(context.Background(), o)
	require.NoError(tb, err)
	files := map[string]*syntax.File{}
	for p, f := range head {
		files[p] = syntax.Lines(f.Data)
	}
	for _, f := range r.Findings {
		checkFinding(tb, files, base, f)
	}
	for _, u := range r.Summary.Unread {
		require.NotEmpty(tb, u.Why)
		require.NotContains(tb, r.Sentence(), "No finding:", "a tree with an unread file is not clean")
	}
	style := review.Style{Rules: all.Rules, Source: func(p string) *syntax.File { return files[p] }}
	for _, format := range review.Formats {
		checkFormat(tb, r, style, format)
	}
	return r
}

// checkFinding checks that a finding lies within its file, which only the base
// may have, and that its fix can be applied.
func checkFinding(tb testing.TB, files map[string]*syntax.File, base fstest.MapFS, f review.Finding) {
	tb.Helper()
	file := files[f.Path]
	if file == nil && base[f.Path] != nil {
		file = syntax.Lines(base[f.Path].Data)
	}
	require.NotNil(tb, file, "%s: %s in a file that is not there", f.Rule, f.Path)
	require.True(tb, 1 <= f.Line && f.Line <= f.EndLine && f.EndLine <= file.LineCount(), "%s at lines %d to %d of %d", f.Rule, f.Line, f.EndLine, file.LineCount())
	inLine := func(line, column int) bool {
		end := len(file.Src)
		if line < file.LineCount() {
			end = file.LineStart(line + 1)
		}
		return 1 <= column && column <= end-file.LineStart(line)+1
	}
	require.True(tb, inLine(f.Line, f.Column) && inLine(f.EndLine, f.EndColumn), "%s at column %d of line %d to %d of %d", f.Rule, f.Column, f.Line, f.EndColumn, f.EndLine)
	require.True(tb, f.Line < f.EndLine || f.Column <= f.EndColumn)
	last := f.Line
	for _, n := range f.AlsoAt {
		require.True(tb, n > last && n <= file.LineCount(), "%s also at line %d after %d", f.Rule, n, last)
		last = n
	}
	require.True(tb, f.Title != "" && f.Message != "" && f.Why != "" && f.Fingerprint != "" && f.Severity.Rank() > 0)
	if f.Fix != nil {
		_, n := review.Apply(file.Src, f.Fix.Edits)
		require.Equal(tb, len(f.Fix.Edits), n, "%s: not all edits of one fix can be applied", f.Rule)
	}
}

// checkFormat writes a report and checks its form.
func checkFormat(tb testing.TB, r *review.Report, style review.Style, format string) {
	tb.Helper()
	var out bytes.Buffer
	require.NoError(tb, review.Write(&out, format, r, style))
	require.True(tb, utf8.Valid(out.Bytes()), "%s is no UTF-8", format)
	require.NotZero(tb, out.Len())
	switch format {
	case "json", "sarif", "rdjson":
		require.True(tb, json.Valid(out.Bytes()), "%s is no JSON", format)
	default:
		// Escapes and other control characters of the source reach no terminal.
		for i, c := range out.String() {
			if c < ' ' && c != '\n' || c == 0x7f || c == 0x9b {
				tb.Fatalf("%s has the control character %q: %q", format, c, out.String()[max(0, i-40):min(out.Len(), i+40)])
			}
		}
	}
	if format == "json" {
		var back review.Report
		require.NoError(tb, json.Unmarshal(out.Bytes(), &back))
		require.Len(tb, back.Findings, len(r.Findings))
	}
}

// Whatever a file holds, its review ends with a report that can be written.
func TestHostileShapes(t *testing.T) {
	for _, p := range places {
		t.Run(p.name(), func(t *testing.T) {
			for _, s := range p.all() {
				if hostile.Race && crc32.ChecksumIEEE([]byte(s.Name))%8 != 0 {
					continue // each review with all its formats takes a tenth of a second
				}
				text := s.Text(1 << 10)
				hostile.Ends(t, len(text), func() { reviewAndWrite(t, laid(p.path, text), ruletest.Base()) })
			}
		})
	}
}

// quadratic are shapes that took quadratic time once.
var quadratic = map[string]bool{
	"demo_kernel.kernel.rs/unclosed raw string": true, "demo_kernel.kernel.rs/functions in a module": true, "demo_kernel.kernel.rs/suppressions": true,
	"demo.py/parts of a string": true, "demo.py/dots": true, "tests.ops.test_demo.py/tests": true,
	"demo.py/results that are kept": true, "demo.py/results that are kept by a name": true, "demo_kernel.ffi.rs/lets, then arms": true, "demo.py/tuned launches": true,
	"cutile_kernels.Cargo.toml/nested tables": true, "cutile_kernels.Cargo.toml/escaped backslashes": true,
}

// The time of a review grows with a file in proportion, whatever is in it. In the
// long form that is asked of all shapes; in the short form of some.
func TestHostileShapesTakeLinearTime(t *testing.T) {
	long := os.Getenv("TILEGATE_LONG") != ""
	size := 32 << 10
	for _, p := range places {
		for _, s := range p.all() {
			name := p.name() + "/" + s.Name
			if !long && !quadratic[name] {
				continue
			}
			t.Run(name, func(t *testing.T) {
				hostile.Linear(t, size, s.Text, func(text string) { reviewAndWrite(t, laid(p.path, text), ruletest.Base()) })
			})
		}
	}
}

// The largest text that is read, in the shapes that hurt its readers most, is
// reviewed or unread in bounded time.
func TestLargestFilesEnd(t *testing.T) {
	if os.Getenv("TILEGATE_LONG") == "" {
		t.Skip("TILEGATE_LONG is unset: files of 2 MiB in all shapes take minutes")
	}
	for _, p := range places {
		for _, s := range p.shapes {
			t.Run(p.name()+"/"+s.Name, func(t *testing.T) {
				text := s.Text(syntax.MaxSize - 4096)
				hostile.Within(t, time.Minute, func() { reviewAndWrite(t, laid(p.path, text), ruletest.Base()) })
			})
		}
	}
}

// A test file that is too large is no other test that nobody looks at.
func TestLargeTestFilesAreUnread(t *testing.T) {
	for _, p := range []string{"tests/ops/test_other.py", tree.TestsRoot + "/test_demo.py", "tests/conftest.py"} {
		text := hostile.Repeat("", "", "# cutile-rs\n", "").Text(20 << 20)
		r, err := review.Run(context.Background(), review.Options{Head: laid(p, text), Base: ruletest.Base(), Rules: all.Rules})
		require.NoError(t, err)
		assert.Contains(t, unread(r, p), "bytes, the limit is 2097152", p)
	}
}
