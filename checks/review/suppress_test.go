package review_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/rules/r30"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

// withLine puts lines before the scale of the clean kernel.
func withLine(lines string) fstest.MapFS {
	tree := ruletest.Base()
	anchor := "        let scale: Tile<f32, { [BLOCK] }>"
	src := strings.Replace(string(tree[demoKernel].Data), anchor, lines+"\n"+anchor, 1)
	tree[demoKernel] = &fstest.MapFile{Data: []byte(src)}
	return tree
}

const violation = "        let tiny: Tile<f32, { [BLOCK * 2] }> = g();"

func reviewed(t *testing.T, head, base fstest.MapFS) *review.Report {
	t.Helper()
	o := review.Options{Head: head, Rules: all.Rules}
	if base != nil {
		o.Base = base
	}
	r, err := review.Run(context.Background(), o)
	require.NoError(t, err)
	return r
}

func TestSuppressionAccepts(t *testing.T) {
	for _, lines := range []string{
		"        // tilegate: allow(R6) the generic is a power of two\n" + violation,
		violation + " // tilegate: allow(R6) the generic is a power of two",
		"        // tilegate: allow(r06) the generic is a power of two\n\n        // more\n" + violation,
		"        // Tilegate: allow(R6): the generic is a power of two\n" + violation,
		"        // tilegate: allow(R6) -- the generic is a power of two\n" + violation,
		"        /* tilegate: allow(R6, R6) the generic is a power of two */\n" + violation,
		"        /* tilegate: allow(R6) the generic\n           is a power of two\n        */\n\n        /* more\n        // lines */\n" + violation,
		"        /* tilegate: allow(R6) the generic is a power of two */\n        /* more /* of\n        it */ here */ /**/\n" + violation,
		"        /* tilegate: allow(R6) the generic is a power of two */ " + strings.TrimSpace(violation),
		violation + " /* tilegate: allow(R6) the generic is a power of two */",
	} {
		r := reviewed(t, withLine(lines), nil)
		assert.Empty(t, r.Findings, lines)
		require.Len(t, r.Summary.Suppressions, 1)
		s := r.Summary.Suppressions[0]
		assert.True(t, s.Used && s.New, lines)
		assert.Empty(t, s.Problem)
		assert.Equal(t, "the generic is a power of two", s.Reason)
	}
}

func TestSuppressionProblems(t *testing.T) {
	for comment, problem := range map[string]string{
		"tilegate: allow(R6)":           "expected a reason",
		"tilegate: allow(R6) -":         "expected a reason",
		"tilegate: allow(R99) because":  `no rule "R99"`,
		"tilegate: ignore R6":           "expected `tilegate: allow(R45) reason`",
		"tilegate: allow(R2) because":   "not needed",
		"tilegate: allow(T1) we differ": "only a maintainer",
		"tilegate allow(R6) because":    "expected `tilegate: allow(R45) reason`",
		"TILEGATE: Allow(R6) because":   "expected `tilegate: allow(R45) reason`",
		"/tilegate: allow(R6) because":  "it is documentation: expected a plain comment, `tilegate: allow(R45) reason`",
	} {
		r := reviewed(t, withLine("        //"+comment+"\n"+violation), nil)
		assert.Len(t, r.Findings, 1, comment)
		require.Len(t, r.Summary.Suppressions, 1, comment)
		assert.Contains(t, r.Summary.Suppressions[0].Problem, problem)
	}
}

// Of a rule that is off nothing is known, and so nothing is said of its comments.
func TestSuppressionOfARuleThatIsOff(t *testing.T) {
	head := withLine("        // tilegate: allow(R6, R2) the generic is a power of two\n" + violation)
	for off, idle := range map[string]string{"R6": "R2", "R2": ""} {
		r, err := review.Run(context.Background(), review.Options{Head: head, Rules: all.Rules, Severities: map[string]review.Severity{off: review.Off}})
		require.NoError(t, err)
		assert.Empty(t, r.Findings)
		problems := ""
		for _, s := range r.Summary.Suppressions {
			problems += s.Problem
		}
		if idle == "" {
			assert.Empty(t, problems, off)
		} else {
			assert.Equal(t, "not needed: nothing of "+idle+" is found here", problems, off)
		}
	}
	r, err := review.Run(context.Background(), review.Options{Head: head, Rules: all.Rules, Severities: map[string]review.Severity{"R6": review.Off, "R2": review.Off}})
	require.NoError(t, err)
	for _, format := range []string{"text", "markdown", "github", "rdjson", "sarif"} {
		var b strings.Builder
		require.NoError(t, review.Write(&b, format, r, review.Style{All: true, Accepted: true}))
		assert.NotContains(t, b.String(), "power of two", format)
	}
}

// A review of one kernel reads files of others, and says nothing of their comments.
func TestSuppressionOfAKernelThatIsLeftOut(t *testing.T) {
	head := fstest.MapFS{}
	require.NoError(t, fs.WalkDir(os.DirFS("../../testdata/tilegym-mini/src"), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile("../../testdata/tilegym-mini/src/" + p)
		head["src/"+p] = &fstest.MapFile{Data: data}
		return err
	}))
	wrapper := head["src/tilegym/ops/cutile_rs/scale_add.py"]
	before := string(wrapper.Data)
	wrapper.Data = []byte(strings.Replace(before, "        int(device_id),\n", "        # tilegate: allow(R35) one device\n        0,\n", 1))
	require.NotEqual(t, before, string(wrapper.Data))
	for kernel, told := range map[string]int{"scale_add": 1, "row_sum": 0, "": 1} {
		o := review.Options{Head: head, Rules: all.Rules}
		if kernel != "" {
			o.Kernels = []string{kernel}
		}
		r, err := review.Run(context.Background(), o)
		require.NoError(t, err)
		require.Len(t, r.Summary.Suppressions, told, kernel)
		for _, s := range r.Summary.Suppressions {
			assert.True(t, s.Used, kernel)
			assert.Empty(t, s.Problem, kernel)
		}
	}
}

// What a rule says of a change is not said again when the base has the change, too:
// the comment that accepted it is not called idle then.
func TestSuppressionOfARuleThatCompares(t *testing.T) {
	head, _, err := ruletest.Head("../rules/r30/testdata/bad_one.txtar", r30.Rule)
	require.NoError(t, err)
	const path = "src/tilegym/ops/cutile_rs/demo.py"
	with := func(old, text string) *fstest.MapFile {
		src := strings.Replace(string(head[path].Data), old, text, 1)
		require.Contains(t, src, text)
		return &fstest.MapFile{Data: []byte(src)}
	}
	guarded := maps.Clone(head)
	guarded[path] = with("    a = a.contiguous()\n", "    a = a.contiguous()\n    b = b.contiguous()\n")
	head[path] = with("def demo(", "# tilegate: allow(R30) rows are 16 bytes\ndef demo(")
	for name, base := range map[string]fstest.MapFS{"the change": guarded, "without a base": nil, "the next change": head} {
		r := reviewed(t, head, base)
		for _, f := range r.Findings {
			assert.NotEqual(t, "R30", f.Rule, name)
		}
		require.Len(t, r.Summary.Suppressions, 1, name)
		assert.Equal(t, name == "the change", r.Summary.Suppressions[0].Used, name)
		assert.Empty(t, r.Summary.Suppressions[0].Problem, name)
	}
}

// What an unread file holds is not known: a rule may have found something elsewhere
// if it had been read.
func TestSuppressionBesideAnUnreadFile(t *testing.T) {
	head := withLine("        // tilegate: allow(R2) a measured value\n" + violation)
	require.Contains(t, reviewed(t, head, nil).Summary.Suppressions[0].Problem, "not needed")
	head["src/tilegym/ops/cutile_rs/demo.py"] = &fstest.MapFile{Data: []byte("def demo(:\n")}
	r := reviewed(t, head, nil)
	require.Len(t, r.Summary.Unread, 1)
	require.Len(t, r.Summary.Suppressions, 1)
	assert.Empty(t, r.Summary.Suppressions[0].Problem)
}

// A comment inside a string or documentation accepts nothing.
func TestSuppressionIsACommentOnly(t *testing.T) {
	for _, lines := range []string{
		"        let s = \"// tilegate: allow(R6) because\";\n" + violation,
		"        /// tilegate: allow(R6) because\n" + violation,
	} {
		assert.Len(t, reviewed(t, withLine(lines), nil).Findings, 1, lines)
	}
}

// Prose that begins with the name accepts nothing, and is no problem in
// documentation.
func TestProseIsNoSuppression(t *testing.T) {
	for _, lines := range []string{
		"        // Tilegate has a rule for this\n",
		"        // Tilegate: R6 says more\n",
		"        /// tilegate: a gate\n",
		"        /** tilegate: a gate */\n",
		"        // see tilegate: allow(R6) because\n",
	} {
		r := reviewed(t, withLine(lines+violation), nil)
		assert.Len(t, r.Findings, 1, lines)
		assert.Empty(t, r.Summary.Suppressions, lines)
	}
}

// A comment that accepts findings of some of its rules says of which it does not,
// and that is no news where the base has the comment.
func TestSuppressionOfSomeRules(t *testing.T) {
	head := withLine("        // tilegate: allow(R6, R2, R7) a power of two\n" + violation)
	r := reviewed(t, head, nil)
	assert.Empty(t, r.Findings)
	require.Len(t, r.Summary.Suppressions, 2)
	used, idle := r.Summary.Suppressions[0], r.Summary.Suppressions[1]
	assert.Equal(t, []string{"R6"}, used.Rules)
	assert.True(t, used.Used)
	assert.Empty(t, used.Problem)
	assert.Equal(t, []string{"R2", "R7"}, idle.Rules)
	assert.False(t, idle.Used)
	assert.Equal(t, "not needed: nothing of R2, R7 is found here", idle.Problem)
	assert.Equal(t, used.Line, idle.Line)
	var out strings.Builder
	require.NoError(t, review.Write(&out, "text", r, review.Style{All: true}))
	assert.Contains(t, out.String(), "suppressed R6: ")
	assert.NotContains(t, out.String(), "suppressed R6, R2")

	// The base has the comment, and findings of all its rules.
	const more = "        let tiny: Tile<f32, { [BLOCK * 2] }> = constant(1e-6f32, s);"
	base := withLine("        // tilegate: allow(R6, R2, R7) a power of two\n" + more)
	require.Empty(t, reviewed(t, base, nil).Findings)
	for _, s := range reviewed(t, head, base).Summary.Suppressions {
		assert.False(t, s.New)
	}
}

// Comments are listed in the order of their lines, whatever their form.
func TestSuppressionsInOrder(t *testing.T) {
	r := reviewed(t, withLine("        /* tilegate: allow(R2) a */\n        // tilegate: allow(R7) b\n        /* tilegate: allow(R18) c */"), nil)
	require.Len(t, r.Summary.Suppressions, 3)
	for i, reason := range []string{"a", "b", "c"} {
		assert.Equal(t, reason, r.Summary.Suppressions[i].Reason)
	}
}

const demoExports = "src/tilegym/ops/cutile_rs/demo_kernel/ffi.rs"

// changed is the clean tree with a text of one file replaced.
func changed(t *testing.T, path, from, to string) fstest.MapFS {
	t.Helper()
	tree := ruletest.Base()
	src := string(tree[path].Data)
	require.Contains(t, src, from)
	tree[path] = &fstest.MapFile{Data: []byte(strings.Replace(src, from, to, 1))}
	return tree
}

// A comment above attributes or decorators holds for them and for the item behind.
func TestSuppressionAboveAttributes(t *testing.T) {
	const comment = "// tilegate: allow(R32) called from Rust only\n"
	export := "#[unsafe(no_mangle)]\npub unsafe extern"
	for _, c := range []struct {
		text string
		left int
	}{
		{"#[unsafe(no_mangle)]\npub extern", 1},
		{comment + "#[unsafe(no_mangle)]\npub extern", 0},
		{comment + "/// Scales.\n#[unsafe(no_mangle)]\n// more\n#[allow(\n    dead_code,\n)]\npub extern", 0},
		{"#[unsafe(no_mangle)]\n" + comment + "#[allow(dead_code)]\npub extern", 0},
		{comment + "#[no_mangle]\npub unsafe extern", 0},
		{comment + "#[allow(dead_code)]\n#[no_mangle]\npub unsafe extern", 0},
		{"#[no_mangle]\n" + comment + "#[allow(dead_code)]\npub unsafe extern", 1},
		{comment + "#[allow(dead_code)]\nconst X: i32 = 1;\n#[unsafe(no_mangle)]\npub extern", 1},
	} {
		r := reviewed(t, changed(t, demoExports, export, c.text), nil)
		require.Equal(t, c.left, count(r, "R32"), c.text)
		for _, s := range r.Summary.Suppressions {
			assert.Equal(t, c.left == 0, s.Used, c.text)
		}
	}

	const def = "@register_impl(\"demo\", backend=\"cutile-rs\")\n"
	for _, c := range []struct {
		text string
		left int
	}{
		{"@register_impl(\"other\", backend=\"cutile-rs\")\n", 1},
		{"# tilegate: allow(R35) tried\n@first\n@register_impl(\"other\", backend=\"cutile-rs\")\n", 0},
		{"@register_impl(\"other\", backend=\"cutile-rs\")\n# tilegate: allow(R35) tried\n@last\n", 1},
	} {
		r := reviewed(t, changed(t, demoWrapper, def, c.text), nil)
		require.Equal(t, c.left, count(r, "R35"), c.text)
	}
}

// Many attributes with comments between them before many findings on one line, and
// many findings in a string, take no quadratic time.
func TestSuppressionsTakeLinearTime(t *testing.T) {
	for name, shape := range map[string]func(n int) fstest.MapFS{
		"attributes": func(n int) fstest.MapFS {
			return laid(demoExports, strings.Repeat("// tilegate: allow(R32) why\n#[a]\n", n)+
				"#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn cutile_demo(device_id: i32, raw_stream: u64) -> i32 { "+strings.Repeat("f().unwrap(); ", n)+"0 }\n")
		},
		"strings": func(n int) fstest.MapFS {
			return laid(demoWrapper, "# tilegate: allow(R35) why\nX = 1\nfrom tilegym.backend.cutile_rs.utils import bind_kernel_function_cffi\n"+strings.Repeat("\"\"\"\n\"\"\"\n", n)+
				"_FFI_CDEF = \"\"\"\n"+strings.Repeat("int32_t other(int32_t a);\n", n)+"\"\"\"\nffi, lib = bind_kernel_function_cffi(\"demo\", _FFI_CDEF)\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.NotEmpty(t, reviewed(t, shape(2), nil).Findings)
			hostile.Grows(t, 2000, func(n int) { reviewed(t, shape(n), nil) })
		})
	}
}

// No comment can stand inside a string, so that one above its statement holds for
// what is found there.
func TestSuppressionAboveAString(t *testing.T) {
	const from = "_FFI_CDEF = \"\"\"\nint32_t cutile_demo(\n    const TensorDesc* out, const TensorDesc* inp,\n    int32_t block, float factor,"
	const wrong = "\"\"\"\nint32_t cutile_demo(\n    const TensorDesc* out, const TensorDesc* inp,\n    int32_t block, double factor,"
	const comment = "# tilegate: allow(R35) the library is older\n"
	for _, c := range []struct {
		text string
		left int
	}{
		{"_FFI_CDEF = " + wrong, 1},
		{comment + "_FFI_CDEF = " + wrong, 0},
		{comment + "X = 1\n_FFI_CDEF = " + wrong, 1},
		{"_FFI_CDEF = \"\" \\\n" + wrong, 1},
		{comment + "_FFI_CDEF = \"\" \\\n" + wrong, 0},
		{"Y = \"\"\"\n" + comment + "\"\"\"\n_FFI_CDEF = " + wrong, 1},
	} {
		r := reviewed(t, changed(t, demoWrapper, from, c.text), nil)
		require.Equal(t, c.left, count(r, "R35"), c.text)
		for _, s := range r.Summary.Suppressions {
			assert.Equal(t, c.left == 0, s.Used, c.text)
		}
	}
}

// A comment above a statement of several lines, or on its first line, holds for all of
// them, and not for what is in a block of it or behind it.
func TestSuppressionAboveAStatement(t *testing.T) {
	const comment = "        // tilegate: allow(R6) the generic is a power of two\n"
	const call = "        let tiny = (\n            1,\n            g::<Tile<f32, { [BLOCK * 2] }>>(),\n        );"
	for _, c := range []struct {
		text string
		left int
	}{
		{call, 1},
		{comment + call, 0},
		{strings.Replace(call, "= (\n", "= ( // tilegate: allow(R6) the generic is a power of two\n", 1), 0},
		{comment + "        let one = 1;\n" + call, 1},
		{comment + "        if on {\n" + call + "\n        }", 1},
		{comment + "        let tiny = {\n" + call + "\n        tiny };", 1},
		{"        if on {\n" + comment + call + "\n        }", 0},
	} {
		r := reviewed(t, withLine(c.text), nil)
		require.Equal(t, c.left, count(r, "R6"), c.text)
		for _, s := range r.Summary.Suppressions {
			assert.Equal(t, c.left == 0, s.Used, c.text)
			assert.Equal(t, c.left == 0, s.Problem == "", c.text)
		}
	}
}

// A file without a tree has comments behind its code, too, and none in its strings.
func TestSuppressionBehindAValue(t *testing.T) {
	const manifest = "src/tilegym/ops/cutile_rs/cutile_kernels/Cargo.toml"
	const comment = "# tilegate: allow(R33) trying"
	for _, c := range []struct {
		line       string
		left, told int
	}{
		{"cutile = \"0.2.0\"", 1, 0},
		{"cutile = \"0.2.0\" " + comment, 0, 1},
		{"cutile={version=\"0.2.0\"}\t" + comment + " ", 0, 1},
		{comment + "\ncutile = \"0.2.0\" # it's open", 0, 1},
		{"cutile = \"0.2.0\" # tilegate: allow(R33)", 1, 1},
		{"cutile = { version = \"0.2.0\", features = ['" + comment + "', \"\\\" " + comment + "\"] }", 1, 0},
		{"cutile = \"0.2.0\" # see " + comment, 1, 0},
	} {
		r := reviewed(t, changed(t, manifest, "cutile = \"=0.2.0\"", c.line), nil)
		assert.Equal(t, c.left, count(r, "R33"), c.line)
		require.Len(t, r.Summary.Suppressions, c.told, c.line)
		for _, s := range r.Summary.Suppressions {
			assert.Equal(t, c.left == 0, s.Used, c.line)
			assert.Equal(t, c.left == 0, s.Problem == "", c.line)
		}
	}
}

// Taking a suppression away makes its finding a new one; keeping it is no news.
func TestSuppressionAgainstABase(t *testing.T) {
	base := withLine("        // tilegate: allow(R6) known\n" + violation)
	r := reviewed(t, withLine(violation), base)
	require.Len(t, r.Findings, 1)
	assert.True(t, r.Findings[0].New)

	r = reviewed(t, base, base)
	assert.Empty(t, r.Findings)
	assert.False(t, r.Summary.Suppressions[0].New)
}

// Both a comment that accepts a finding and one that accepts nothing are told in
// all formats, and never one for the other.
func TestFormatsTellSuppressions(t *testing.T) {
	head := withLine("        // tilegate: allow(R6) a power `of` two\n" + violation +
		"\n        // tilegate: allow(R99) because\n        // tilegate: allow(R2)\n        // tilegate: allow(R7) in vain")
	base := withLine("        // tilegate: allow(R7) in vain")
	r := reviewed(t, head, base)
	require.Empty(t, r.Findings)
	write := func(format string, s review.Style) string {
		var out strings.Builder
		s.Rules, s.Source = all.Rules, sourceIn(head)
		require.NoError(t, review.Write(&out, format, r, s))
		return out.String()
	}
	n := r.Summary.Suppressions[0].Line
	at := func(line string) string {
		for i := range 8 {
			line = strings.ReplaceAll(line, fmt.Sprintf("LINE+%d", i), fmt.Sprint(n+i))
		}
		return strings.ReplaceAll(line, "FILE", demoKernel)
	}

	text := write("text", review.Style{})
	assert.Contains(t, text, at("suppressed R6: FILE:LINE+0: a power `of` two\n  accepts error[R6] at line LINE+1: `BLOCK*2` computes "))
	assert.Contains(t, text, at("suppression problem: FILE:LINE+2: accepts nothing, no rule \"R99\"\n"))
	assert.Contains(t, text, at("suppression problem: FILE:LINE+3: accepts nothing, expected a reason after the parenthesis\n"))
	assert.Contains(t, text, at("suppression problem: FILE:LINE+4: accepts nothing, not needed: nothing of R7 is found here\n"))

	markdown := write("markdown", review.Style{})
	assert.Contains(t, markdown, at("\nComments in the source that accept findings:\n\n- R6 `FILE:LINE+0`: a power `of` two\n  - accepts error R6 at `FILE:LINE+1`: `BLOCK*2` computes "))
	assert.Contains(t, markdown, at(" one name\n\nSuppression problems:\n\n- `FILE:LINE+2`: accepts nothing, no rule "))
	assert.Contains(t, markdown, at("- `FILE:LINE+3`: accepts nothing, expected a reason after the parenthesis\n- `FILE:LINE+4`: accepts nothing, not needed: "))
	assert.Contains(t, write("markdown", review.Style{All: true}), "\nComments in the source that accept findings:\n\n- R6 ")

	github := write("github", review.Style{})
	assert.Contains(t, github, at("::notice file=FILE,line=LINE+0,title=suppressed R6::a power `of` two%0Aaccepts error[R6] at line LINE+1: `BLOCK*2` computes "))
	assert.Contains(t, github, at("::warning file=FILE,line=LINE+2,title=suppression problem::accepts nothing, no rule \"R99\"\n"))
	assert.Equal(t, 3, strings.Count(github, "title=suppression problem::"))

	var document struct {
		Accepted []struct {
			Rule, Message, Reason string
			Line                  int
			CommentLine           int `json:"comment_line"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(write("json", review.Style{})), &document))
	require.Len(t, document.Accepted, 1)
	assert.Equal(t, "R6", document.Accepted[0].Rule)
	assert.Equal(t, "a power `of` two", document.Accepted[0].Reason)
	assert.Contains(t, document.Accepted[0].Message, "`BLOCK*2` computes ")
	assert.Equal(t, []int{n, n + 1}, []int{document.Accepted[0].CommentLine, document.Accepted[0].Line})

	dog := rdOf(t, head, r)
	require.Len(t, dog.Diagnostics, 3)
	for i, d := range dog.Diagnostics {
		assert.Equal(t, "WARNING", d.Severity)
		assert.Equal(t, n+2+i, d.Location.Range.Start.Line)
		assert.Contains(t, text, d.OriginalOutput)
	}

	notes := sarifOf(t, write("sarif", review.Style{})).Runs[0].Invocations[0].ToolExecutionNotifications
	require.Len(t, notes, 3)
	assert.Equal(t, `suppression problem: accepts nothing, no rule "R99"`, notes[0].Message.Text)
	assert.Equal(t, n+2, notes[0].Locations[0].PhysicalLocation.Region.StartLine)

	// What the base has too and accepts is no news.
	r = reviewed(t, head, head)
	assert.NotContains(t, write("text", review.Style{}), "suppressed R6")
	assert.NotContains(t, write("github", review.Style{}), "::notice")
	assert.NotContains(t, write("markdown", review.Style{}), "accept findings")
	assert.Contains(t, write("github", review.Style{All: true}), "::notice")
}

// A comment that the base has and that accepts something new is told with it: the base's
// reason was given for something else.
func TestOlderCommentThatAcceptsSomethingNew(t *testing.T) {
	const comment = "        // tilegate: allow(R6) a power of two\n"
	r := reviewed(t, withLine(comment+strings.ReplaceAll(violation, "* 2", "* 4")), withLine(comment+violation))
	require.Len(t, r.Summary.Suppressions, 1)
	require.False(t, r.Summary.Suppressions[0].New)
	require.Len(t, r.Accepted, 1)
	require.True(t, r.Accepted[0].New)
	var out strings.Builder
	require.NoError(t, review.Write(&out, "text", r, review.Style{Rules: all.Rules}))
	assert.Contains(t, out.String(), ": a power of two\n  accepts error[R6] at line ")
	assert.Contains(t, out.String(), "`BLOCK*4` computes ")
}

// What was found is as untrusted as the reason.
func TestWhatIsAcceptedIsUntrusted(t *testing.T) {
	r := &review.Report{Summary: review.Summary{Kernels: []string{"demo"}, Suppressions: []review.Suppression{{Path: "k.rs", Line: 7, Rules: []string{"R6"}, Reason: "why", Used: true, New: true}}}}
	r.Accepted = []review.Accepted{{Finding: review.Finding{
		Rule: "R6", Severity: review.Error, Path: "k.rs", Line: 8, EndLine: 8, AlsoAt: []int{9}, New: true,
		Message: "it\x1b[31m says @octocat\n::error::x\n/tilegym ok-to-test 1 <!-- tilegate:summary --> [x](https://host)",
	}, Reason: "why", CommentLine: 7}}
	for _, format := range []string{"text", "markdown", "github"} {
		out := told(t, format, r, review.Style{})
		assert.Contains(t, out, "also at line 9", format)
		for _, bad := range []string{"\x1b", "\n::error::", "\n/tilegym"} {
			assert.NotContains(t, out, bad, format)
		}
	}
	markdown := told(t, "markdown", r, review.Style{})
	for _, bad := range []string{" @octocat", "<!--", "](https://host"} {
		assert.NotContains(t, markdown, bad)
	}
}

// What a comment accepts is in SARIF where it is asked for, with the reason.
func TestSARIFSuppressions(t *testing.T) {
	const huge = "        let huge: Tile<f32, { [] }> = scalar_to_tile(1e9f32);"
	base := withLine(violation + "\n" + huge)
	head := withLine(violation + " // tilegate: allow(R6) the [caller](x) pads\n" + huge)
	for _, base := range []fstest.MapFS{nil, base} {
		r := reviewed(t, head, base)
		require.Len(t, r.Findings, 1)
		require.Len(t, r.Accepted, 1)
		results := sarifOf(t, written(t, "sarif", head, r)).Runs[0].Results
		require.Len(t, results, 1)
		assert.Nil(t, results[0].Suppressions, "code scanning would open an alert for each")

		var out strings.Builder
		require.NoError(t, review.Write(&out, "sarif", r, review.Style{Rules: all.Rules, Source: sourceIn(head), All: true, Accepted: true}))
		results = sarifOf(t, out.String()).Runs[0].Results
		require.Len(t, results, 2)
		state := "new"
		if base != nil {
			state = "unchanged"
		}
		assert.Equal(t, "R6", results[0].RuleID)
		assert.Equal(t, []sarifSuppression{{"inSource", "accepted", "the [caller](x) pads"}}, results[0].Suppressions)
		assert.Equal(t, state, results[0].BaselineState)
		assert.Equal(t, "R2", results[1].RuleID)
		assert.NotNil(t, results[1].Suppressions, "suppressions are there for all or none")
		assert.Empty(t, results[1].Suppressions)
	}

	// Each comment has its reason.
	head = withLine(violation + " // tilegate: allow(R6) one\n" + strings.ReplaceAll(violation, "tiny", "more") + " // tilegate: allow(R6) two\n")
	r := reviewed(t, head, nil)
	require.Len(t, r.Accepted, 2)
	assert.Equal(t, "one", r.Accepted[0].Reason)
	assert.Equal(t, "two", r.Accepted[1].Reason)
}

// The sentence says what is new, and what is older apart.
func TestSentence(t *testing.T) {
	const huge = "        let huge: Tile<f32, { [] }> = scalar_to_tile(1e9f32);"
	base := withLine(violation)
	r := reviewed(t, base, base)
	assert.Regexp(t, `^0 errors, 0 warnings and 0 notes new; 1 older in 1 kernel and [0-9]+ files read\.$`, r.Sentence())
	assert.Equal(t, 1, r.Summary.Error)
	assert.Zero(t, r.Summary.New)
	assert.False(t, r.Reaches(review.Note))

	r = reviewed(t, withLine(violation+"\n"+huge), base)
	assert.Regexp(t, `^0 errors, 1 warning and 0 notes new; 1 older in 1 kernel `, r.Sentence())
	assert.Equal(t, review.Counts{Warning: 1}, r.Summary.New)
	var out strings.Builder
	require.NoError(t, review.Write(&out, "json", r, review.Style{}))
	assert.Contains(t, out.String(), `"new": {
      "error": 0,
      "warning": 1,
      "note": 0
    },`)
	for format, want := range map[string]string{"text": "error[R6] (older): `BLOCK", "markdown": "| error (older) | [R6](https://github.com/tilegate/tilegate/blob/main/docs/rules/R6.md) |", "github": "title=R6 (older)%3A "} {
		out.Reset()
		require.NoError(t, review.Write(&out, format, r, review.Style{All: true}))
		assert.Contains(t, out.String(), want)
	}

	r = reviewed(t, base, nil)
	assert.Regexp(t, `^1 error in 1 kernel `, r.Sentence())
	assert.Equal(t, review.Counts{Error: 1}, r.Summary.New)

	accepted := withLine(violation + " // tilegate: allow(R6) a power of two")
	r = reviewed(t, accepted, nil)
	assert.Regexp(t, `^No finding: 1 kernel and [0-9]+ files read; 1 finding accepted by comments in the source\.$`, r.Sentence())
	r = reviewed(t, accepted, accepted)
	assert.NotContains(t, r.Sentence(), "accepted")
	r = reviewed(t, withLine(violation+"\n"+huge+" // tilegate: allow(R2) a bound"), base)
	assert.Regexp(t, `^0 errors, 0 warnings and 0 notes new; 1 older in 1 kernel and [0-9]+ files read; 1 new finding accepted by comments in the source\.$`, r.Sentence())

	// What was found beside an unread file is no verdict, however little it is.
	broken := withLine(violation)
	broken["src/tilegym/ops/cutile_rs/demo.py"] = &fstest.MapFile{Data: []byte("def demo(:\n")}
	assert.Regexp(t, `^No verdict: 1 file could not be read as a whole; 1 error in 1 kernel and `, reviewed(t, broken, nil).Sentence())
	assert.Regexp(t, `^No verdict: 1 file could not be read as a whole; 0 errors, 0 warnings and 0 notes new; 1 older in 1 kernel and `, reviewed(t, broken, base).Sentence())
}

// A checkout without a kernel is not clean in any format.
func TestNoKernelIsNotClean(t *testing.T) {
	head := fstest.MapFS{"src/tilegym/ops/cutile_rs/__init__.py": {}}
	for _, base := range []fstest.MapFS{nil, head, ruletest.Base()} {
		r := reviewed(t, head, base)
		assert.NotContains(t, r.Sentence(), "No finding:")
		assert.Contains(t, r.Sentence(), "in 0 kernels and ")
		assert.True(t, strings.HasPrefix(r.Sentence(), "No verdict: there is no kernel to review; "), r.Sentence())
		i := sarifOf(t, written(t, "sarif", head, r)).Runs[0].Invocations[0]
		assert.False(t, i.ExecutionSuccessful)
		assert.Equal(t, "there is no kernel to review", i.ToolExecutionNotifications[0].Message.Text)
	}
}
