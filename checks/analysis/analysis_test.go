package analysis

import (
	_ "embed"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/check"
)

//go:embed testdata/good.json
var good string

const mlir = `cuda_tile.module @m {
  entry @scaled_product_kernel(%0: tile<ptr<f16>>) optimization_hints=<sm_90 = {}> {
    %1 = load_ptr_tko weak %0 : tile<ptr<f16>> -> tile<f16>, token
    return
  }
}
`

// kernelDir is a complete directory of a ported kernel.
func kernelDir() fstest.MapFS {
	files := map[string]string{
		"kernel.rs":                                      "mod k {}\n",
		"reference/analysis.json":                        good,
		"reference/reference_plain.mlir":                 mlir,
		"reference/reference_persistent.mlir":            mlir,
		"reference/reference_plain_f32.mlir":             mlir,
		"reference/supplements/reference_plain_f32.mlir": mlir,
		"generated/generated_plain.mlir":                 mlir,
		"generated/diff_report.md":                       "## Structural comparison\n## Checklist\n## Root cause\n## Impact\nVERDICT: PASS\n",
		"reports/agent_a.md":                             "x",
		"reports/agent_logs/agent_b.md":                  "x",
		"reports/agent_c.md":                             "x",
		"reports/agent_d.md":                             "x",
		"reports/agent_e.md":                             "x",
		"reports/build_log.md":                           "x",
		"reports/correctness.md":                         "VERDICT: ALL_PASS\r\n",
		"correctness_cutile_rs.txt":                      "platform linux -- Python 3.12.3\nrootdir: r\nplugins: timeout-2.3.1\ntests/test_k.py::test_op[a] PASSED\n",
		"reports/performance.md":                         "VERDICT: DONE\ngeomean_ratio=1.0123\n",
		"perf_cutile_rs.txt":                             "== Performance Test Results ==\n",
		"reports/baseline_perf_cutile.txt":               "== Performance Test Results ==\n",
	}
	fsys := fstest.MapFS{}
	for name, data := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(data)}
	}
	return fsys
}

func TestGoodDocumentHasNoProblems(t *testing.T) {
	d, problems := Parse([]byte(good))
	assert.Empty(t, problems)
	assert.Equal(t, "scaled_product", d.KernelName)
	assert.Equal(t, "cutile", d.ReferenceBackend)
	assert.Equal(t, []string{"ct.load", "ct.mma"}, d.OpsUsed)
	assert.Equal(t, map[string]string{"64-64": "plain", "128-128": "persistent"}, d.ConfigToVariant)
	require.Len(t, d.Variants, 2)
	assert.Equal(t, []string{"reference/supplements/reference_plain_f32.mlir"}, d.Variants[0].Supplements)
	assert.Equal(t, "triton", d.Variants[1].ReferenceBackend)
	assert.True(t, d.NamesCTAs)
	assert.Empty(t, Check([]byte(good), kernelDir(), "scaled_product"))
	assert.Empty(t, Files(kernelDir(), "scaled_product"))
}

// Each row changes the good document in one place and expects one more problem.
func TestOneFault(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		severity check.Severity
		rule     string
		field    string
		onLine   string // text of the line that the problem is on
	}{
		"no kernel_name":              {`  "kernel_name": "scaled_product",` + "\n", "", check.Error, "A2", "kernel_name", "{"},
		"kernel_name is a number":     {`"kernel_name": "scaled_product"`, `"kernel_name": 7`, check.Error, "A2", "kernel_name", "kernel_name"},
		"empty source":                {`"src/tilegym/ops/cutile/scaled_product.py"`, `" "`, check.Error, "A2", "source", `"source"`},
		"unknown launch path":         {`"launch_path": "autotune"`, `"launch_path": "ct.launch"`, check.Error, "A2", "launch_path", "launch_path"},
		"ops_used is a string":        {`["ct.load", "ct.mma"]`, `"ct.load"`, check.Error, "A2", "ops_used", "ops_used"},
		"an op is a number":           {`"ct.mma"]`, `3]`, check.Error, "A2", "ops_used[1]", "ops_used"},
		"another backend":             {`"reference_backend": "cutile",` + "\n  \"reference_backend_selection\"", `"reference_backend": "triton_tileir",` + "\n  \"reference_backend_selection\"", check.Error, "A4", "reference_backend", "triton_tileir"},
		"backend is not known":        {`  "reference_backend": "cutile",` + "\n  \"reference_backend_selection\"", "  \"reference_backend_selection\"", check.Warning, "A4", "reference_backend", "{"},
		"no shapes in the list":       {`[{"param_list": [[64, 64], [128, 128]]}]`, `[]`, check.Error, "A5", "test_perf_configs", "test_perf_configs"},
		"no shapes in the object":     {`[{"param_list": [[64, 64], [128, 128]]}]`, `{"a": {"shapes": []}}`, check.Error, "A5", "test_perf_configs", "test_perf_configs"},
		"configs are a string":        {`[{"param_list": [[64, 64], [128, 128]]}]`, `"all"`, check.Error, "A5", "test_perf_configs", "test_perf_configs"},
		"variant without function":    {`      "kernel_function": "plain_kernel",` + "\n", "", check.Error, "A6", "kernel_variants[0].kernel_function", "    {"},
		"variant without condition":   {`      "dispatch_condition": "large",` + "\n", "", check.Warning, "A6", "kernel_variants[1].dispatch_condition", "    {"},
		"variant twice":               {`"variant_name": "persistent"`, `"variant_name": "plain"`, check.Error, "A6", "kernel_variants[1].variant_name", ""},
		"variant's backend":           {`"reference_backend": "triton"`, `"reference_backend": null`, check.Error, "A4", "kernel_variants[1].reference_backend", `"reference_backend": null`},
		"supplement at the top":       {`"reference/supplements/reference_plain_f32.mlir"`, `"reference/reference_plain_f32.mlir"`, check.Error, "A12", "kernel_variants[0].reference_ir_f32_supplement", "supplement"},
		"config of no variant":        {`"64-64": "plain"`, `"64-64": "flat"`, check.Error, "A7", "config_to_variant.64-64", "64-64"},
		"config without name":         {`"64-64": "plain"`, `"64-64": 1`, check.Error, "A7", "config_to_variant.64-64", "64-64"},
		"no mapping":                  {`{"64-64": "plain", "128-128": "persistent"}`, `{}`, check.Warning, "A7", "config_to_variant", "config_to_variant"},
		"empty reference function":    {`"def reference(a, b): return a @ b"`, `""`, check.Error, "A8", "correctness_reference.function", `"function"`},
		"a note among the tolerances": {`"f32": {"atol": 1e-5, "rtol": 0}`, `"note": "loose"`, check.Error, "A9", "correctness_tolerance.note", `"note"`},
		"no rtol":                     {`, "rtol": 0}`, `}`, check.Error, "A9", "correctness_tolerance.f32.rtol", "1e-5"},
		"negative atol":               {`{"atol": 1e-5`, `{"atol": -1e-5`, check.Error, "A9", "correctness_tolerance.f32.atol", "-1e-5"},
		"atol is a word":              {`{"atol": 1e-5`, `{"atol": "1e-5"`, check.Error, "A9", "correctness_tolerance.f32.atol", "1e-5"},
		"tuned without configs":       {`[{"BLOCK_M": 64, "num_ctas": 2}]`, `[]`, check.Error, "A10", "autotune_configs", "{"},
		"config without sizes":        {`{"BLOCK_M": 64, "num_ctas": 2}`, `{"BM": 64}`, check.Warning, "A10", "kernel_variants[0].autotune_configs[0]", "BM"},
		"backends are null":           {`"autotune_backends": ["cutile"]`, `"autotune_backends": null`, check.Error, "A10", "autotune_backends", "autotune_backends"},
		"no key":                      {`["M", "N"]`, `[]`, check.Warning, "A10", "autotune_key", "autotune_key"},
		"no winner":                   {`    "winner": "cutile",` + "\n", "", check.Warning, "A11", "reference_backend_selection.winner", "reference_backend_selection"},
		"a time that is text":         {`"cutile_geomean_ms": `, `"cutile_geomean_ms": "0.1", "x": `, check.Warning, "A11", "reference_backend_selection.cutile_geomean_ms", "cutile_geomean_ms"},
		"the slower one wins":         {`"winner": "cutile",`, `"winner": "triton",`, check.Warning, "A15", "reference_backend_selection.winner", "triton"},
		"a variant without times":     {`{"plain": {}, "persistent": {}}`, `{"plain": {}}`, check.Warning, "A11", "reference_backend_selection.per_variant", "per_variant"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := strings.Replace(good, c.old, c.new, 1)
			require.NotEqual(t, good, changed)
			_, problems := Parse([]byte(changed))
			i := slices.IndexFunc(problems, func(p check.Problem) bool { return p.Rule == c.rule && string(p.Field) == c.field })
			require.GreaterOrEqual(t, i, 0, "found %v", problems)
			p := problems[i]
			assert.Equal(t, c.severity, p.Severity)
			lines := strings.Split(changed, "\n")
			require.LessOrEqual(t, p.Line, len(lines))
			assert.Contains(t, lines[p.Line-1], c.onLine)
			for _, other := range problems {
				assert.True(t, other.Rule == c.rule || other.Severity == check.Warning || strings.HasPrefix(name, "variant"), "also found %v", other)
			}
		})
	}
}

func TestNotJSON(t *testing.T) {
	for text, want := range map[string]struct {
		line int
		says string
	}{
		"":                        {1, "end of the file"},
		"{\n \"a\": 1,\n":         {3, "end of the file"},
		"{\n \"a\": tru\n}":       {2, "invalid character"},
		"[1]":                     {1, "expected a JSON object, found a list"},
		"{}\n{}":                  {2, "expected the end of the file"},
		"{\n\"a\": 1,\n\"a\": 2}": {3, `the key "a" is there twice`},
		strings.Repeat("[", 200):  {1, "levels of nesting"},
		"\ufeff{}":                {1, "invalid character"},
		"{\"atol\": NaN}":         {1, "invalid character"},
	} {
		_, problems := Parse([]byte(text))
		require.Len(t, problems, 1, "%q", text)
		assert.Equal(t, "A1", problems[0].Rule)
		assert.Equal(t, want.line, problems[0].Line, "%q", text)
		assert.Contains(t, string(problems[0].Message), want.says)
		assert.Equal(t, problems, Check([]byte(text), fstest.MapFS{}, "k"))
	}
}

// A key that looks like a place in a list is a key.
func TestPlacesOfOddKeys(t *testing.T) {
	const text = "{\n\"[-1]\": {\n\"x\": 1},\n\"[0]\": [\n2]}"
	v, err := parse([]byte(text))
	require.NoError(t, err)
	for field, line := range map[string]int{"[-1]": 2, "[-1].x": 3, "[0]": 4, "[0][0]": 5, "[0][-1]": 4, "[0][7]": 4, "[-2]": 1} {
		assert.Equal(t, line, 1+strings.Count(text[:v.locate(field).start], "\n"), field)
	}
}

func TestNamedFiles(t *testing.T) {
	dir := kernelDir()
	delete(dir, "reference/reference_plain.mlir")
	problems := Check([]byte(good), dir, "scaled_product")
	require.Len(t, problems, 1)
	assert.Equal(t, "A3", problems[0].Rule)
	assert.Equal(t, "kernel_variants[0].reference_ir", string(problems[0].Field))
	assert.Equal(t, 19, problems[0].Line)

	for _, outside := range []string{"../secret", "/etc/passwd", "reference/../../x", "", "reference"} {
		changed := strings.Replace(good, "reference/reference_plain.mlir", outside, 1)
		problems := Check([]byte(changed), kernelDir(), "scaled_product")
		require.NotEmpty(t, problems, outside)
	}

	dir = kernelDir()
	dir["reference/reference_persistent.mlir"].Data = []byte("a: Tile[PointerTy(f32)]")
	problems = Check([]byte(good), dir, "scaled_product")
	require.NotEmpty(t, problems)
	for _, p := range problems {
		assert.Equal(t, "A14", p.Rule)
	}

	problems = Check([]byte(good), kernelDir(), "other")
	require.Len(t, problems, 1)
	assert.Equal(t, "A13", problems[0].Rule)
	assert.Equal(t, 2, problems[0].Line)
}

// What was generated is no reference, whatever name leads to it.
func TestLinkedToGenerated(t *testing.T) {
	link := func(to string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(to), Mode: fs.ModeSymlink} }
	for name, c := range map[string]struct {
		links map[string]string
		fails bool
	}{
		"a link":               {map[string]string{"reference/reference_plain.mlir": "../generated/generated_plain.mlir"}, true},
		"a link to a link":     {map[string]string{"reference/reference_plain.mlir": "other.mlir", "reference/other.mlir": "../generated/generated_plain.mlir"}, true},
		"a link of the folder": {map[string]string{"reference/reference_plain.mlir": "dumps/generated_plain.mlir", "reference/dumps": "../generated"}, true},
		"a link to a dump":     {map[string]string{"reference/reference_plain.mlir": "reference_persistent.mlir"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := kernelDir()
			for at, to := range c.links {
				dir[at] = link(to)
			}
			problems := Check([]byte(good), dir, "scaled_product")
			if !c.fails {
				assert.Empty(t, problems)
				return
			}
			require.NotEmpty(t, problems)
			assert.Equal(t, "A3", problems[0].Rule)
			assert.Contains(t, string(problems[0].Message), "compared with itself")
		})
	}
}

// Each required file is required: without it there is a problem, and nothing
// else is said.
func TestRequiredFiles(t *testing.T) {
	optional := []string{"reference/reference_plain_f32.mlir", "reference/supplements/reference_plain_f32.mlir"}
	for name := range kernelDir() {
		dir := kernelDir()
		delete(dir, name)
		problems := Files(dir, "scaled_product")
		if slices.Contains(optional, name) {
			assert.Empty(t, problems, name)
			continue
		}
		assert.NotEmpty(t, problems, name)
		for _, p := range problems {
			assert.Equal(t, byte('S'), p.Rule[0], name)
		}
	}
}

func TestContentOfReports(t *testing.T) {
	for name, c := range map[string]struct{ file, text, rule string }{
		"no verdict":          {"reports/correctness.md", "all fine", "S5"},
		"blocked is none":     {"reports/correctness.md", "VERDICT: BLOCKED", "S5"},
		"own test runner":     {"correctness_cutile_rs.txt", "24 passed", "S5"},
		"perf verdict":        {"reports/performance.md", "VERDICT: FAIL\ngeomean_ratio=1.0", "S6"},
		"geomean with spaces": {"reports/performance.md", "VERDICT: DONE\ngeomean_ratio = 1.0", "S6"},
		"geomean twice":       {"reports/performance.md", "VERDICT: DONE\ngeomean_ratio=1.0\ngeomean_ratio=1.1", "S6"},
		"geomean of nothing":  {"reports/performance.md", "VERDICT: INVESTIGATE\ngeomean_ratio=0.00", "S6"},
		"empty log":           {"perf_cutile_rs.txt", " \n", "S6"},
		"generated":           {"generated/generated_plain.mlir", "nothing", "A14"},
		"own threshold":       {"correctness_cutile_rs.txt", "platform linux -- Python 3.12\nrootdir: r\nplugins: p\nPASSED if diff > 1e-2\n", "S5"},
		"no outcome":          {"correctness_cutile_rs.txt", "platform linux -- Python 3.12\nrootdir: r\nplugins: p\n", "S5"},
		"failing validator":   {"reports/agent_a.md", "<VALIDATOR_OUTPUT>\nexit=0\nexit=1\n</VALIDATOR_OUTPUT>\nVERDICT: PASS\n", "S10"},
		"two verdicts":        {"generated/diff_report.md", "Structural comparison, checklist, root cause, impact\nVERDICT: PASS\nVERDICT: FAIL_FIXABLE\naction items", "S12"},
		"no action items":     {"generated/diff_report.md", "Structural comparison, checklist, root cause, impact\nVERDICT: FAIL_FIXABLE", "S12"},
		"no parts":            {"generated/diff_report.md", "VERDICT: PASS", "S12"},
		"no records":          {"perf_cutile_rs.txt", "2 passed", "S13"},
		"a failed test":       {"perf_cutile_rs.txt", "Performance Test Results\ntest_perf FAILED", "S13"},
		"no verdict of perf":  {"reports/perf_investigation_1.md", "FIXABLE", "S11"},
		"investigated":        {"reports/perf_investigation_1.md", "x", "S4"},
		"stray reference":     {"reference/reference_third.mlir", mlir, "S2"},
		"analysis":            {"reference/analysis.json", "{", "A1"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := kernelDir()
			dir[c.file] = &fstest.MapFile{Data: []byte(c.text)}
			problems := Files(dir, "scaled_product")
			require.NotEmpty(t, problems)
			assert.True(t, slices.ContainsFunc(problems, func(p check.Problem) bool { return p.Rule == c.rule }), "found %v", problems)
		})
	}
}

// A renamed dump is the original but for the entry's name.
func TestAliases(t *testing.T) {
	aliased := strings.Replace(good, "{", "{\n  \"entry_symbol_policy\": {\"alias_used\": true},", 1)
	a16 := func(dir fstest.MapFS, text string) bool {
		return slices.ContainsFunc(Check([]byte(text), dir, "scaled_product"), func(p check.Problem) bool { return p.Rule == "A16" })
	}
	dir := kernelDir()
	assert.True(t, a16(dir, aliased), "no original")
	assert.False(t, a16(dir, good))
	original := strings.ReplaceAll(mlir, "scaled_product_kernel", "mm_core")
	dir["reference/orig.mlir.bak"] = &fstest.MapFile{Data: []byte(original)}
	assert.False(t, a16(dir, aliased))
	dir["reference/orig.mlir.bak"].Data = []byte(strings.Replace(original, "weak", "relaxed", 1))
	assert.True(t, a16(dir, aliased), "another body")
}

func TestBlockedMarker(t *testing.T) {
	dir := kernelDir()
	dir[blockedMarker] = &fstest.MapFile{Data: []byte("no GPU")}
	var rules []string
	for _, p := range Files(dir, "scaled_product") {
		rules = append(rules, p.Rule)
	}
	assert.Equal(t, []string{"S10"}, rules, "the correctness report says ALL_PASS")
}

// Review says each problem once and where it stands.
func TestReview(t *testing.T) {
	assert.Empty(t, Review(kernelDir(), "scaled_product"))
	dir := kernelDir()
	dir["reference/reference_plain.mlir"].Data = []byte("nothing")
	dir["reports/performance.md"].Data = []byte("VERDICT: OK\ngeomean_ratio=1.0\n")
	var got []string
	for _, l := range Review(dir, "scaled_product") {
		got = append(got, l.Rule+" "+l.File)
	}
	assert.Equal(t, []string{"A14 reference/reference_plain.mlir", "A14 reference/reference_plain.mlir", "S6 reports/performance.md"}, got)
}

// Every rule that can be reported has a title, and the other way round.
func TestTitles(t *testing.T) {
	for _, id := range slices.Sorted(maps.Keys(Titles)) {
		assert.Regexp(t, regexp.MustCompile(`^[AS][1-9][0-9]*$`), id)
		assert.NotEmpty(t, Titles[id])
	}
	assert.Len(t, Titles, 27)
}

func TestKernelName(t *testing.T) {
	for dir, want := range map[string]string{"a/bmm_kernel": "bmm", "out/bmm": "bmm", "_kernel": "_kernel", `c:\x\bmm_kernel`: "bmm"} {
		assert.Equal(t, want, Kernel(dir))
	}
}

func FuzzParse(f *testing.F) {
	f.Add(good)
	f.Add("{")
	f.Add(`{"kernel_variants":[null,{}],"autotune_configs":[1],"test_perf_configs":{"a":1},"correctness_tolerance":{"f32":{}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		_, problems := Parse([]byte(text))
		for _, p := range problems {
			require.NotEmpty(t, Titles[p.Rule])
			require.GreaterOrEqual(t, p.Line, 1)
			require.LessOrEqual(t, p.Line, strings.Count(text, "\n")+1)
		}
		Check([]byte(text), kernelDir(), "k")
	})
}
