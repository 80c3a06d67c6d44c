package analysis

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/check"
	"github.com/tilegate/tilegate/checks/ir"
	"github.com/tilegate/tilegate/checks/untrusted"
)

// perfDone is the greatest geomean at which a kernel counts as fast enough.
const perfDone = 1.05

// maxFile bounds what is read of one file, in bytes.
const maxFile = 64 << 20

// Kernel is the name of the kernel to which a directory belongs: its last part
// without "_kernel".
func Kernel(dir string) string {
	name := path.Base(strings.ReplaceAll(dir, `\`, "/"))
	if trimmed := strings.TrimSuffix(name, "_kernel"); trimmed != "" {
		return trimmed
	}
	return name
}

// Check validates an analysis.json together with the files that it names.
// kernelDir is the kernel's directory, the parent of reference/; kernel is the
// name that it should have, empty when that is not known.
func Check(data []byte, kernelDir fs.FS, kernel string) []check.Problem {
	d, problems := Parse(data)
	v := validator{problems: problems}
	if len(problems) == 1 && problems[0].Rule == ruleParse {
		return problems
	}
	v.name(d, kernel)
	v.named(d, kernelDir, map[string]bool{})
	v.aliases(kernelDir, d)
	return v.problems
}

// named checks the files that the document names. The text of those in seen is
// not looked at.
func (v *validator) named(d Document, kernelDir fs.FS, named map[string]bool) {
	for _, variant := range d.Variants {
		if variant.ReferenceIR != "" {
			v.ir(kernelDir, variant.field+".reference_ir", variant.ReferenceIR, variant.line, d.KernelName, named)
			if strings.HasPrefix(path.Clean(variant.ReferenceIR), "reference/supplements/") {
				v.fail(ruleSupplement, variant.field+".reference_ir", variant.line, "a supplement is no variant's reference: found %q", variant.ReferenceIR)
			}
		}
		for i, s := range variant.Supplements {
			v.ir(kernelDir, variant.field+" supplement", s, variant.supplementLines[i], d.KernelName, named)
		}
	}
}

// Located is a problem and the file that it stands in, relative to the kernel's
// directory. The file need not exist.
type Located struct {
	File string
	check.Problem
	// Start and End are the place in the file as byte offsets, both 0 where only the
	// line is known.
	Start, End int
}

// maxLocated bounds how many problems of a document are looked up in it.
const maxLocated = 200

// Review is Check and Files together, each problem once, in the file that it
// stands in.
func Review(dir fs.FS, kernel string) []Located {
	const document = "reference/analysis.json"
	var out []Located
	if data, err := read(dir, document); err == nil && len(bytes.TrimSpace(data)) > 0 {
		d, problems := Parse(data)
		v := validator{problems: problems}
		if len(problems) != 1 || problems[0].Rule != ruleParse {
			v.name(d, kernel)
			texts := map[string]bool{} // Files looks at their text
			for _, pattern := range []string{"reference/reference*.mlir", "generated/generated*.mlir"} {
				names, _ := fs.Glob(dir, pattern)
				for _, n := range names {
					texts[n] = true
				}
			}
			v.named(d, dir, texts)
			v.aliases(dir, d)
		}
		root, err := parse(data)
		for i, p := range v.problems {
			l := Located{File: document, Problem: p}
			if err == nil && i < maxLocated {
				at := root.locate(string(p.Field))
				l.Start, l.End = at.start, at.end
			}
			out = append(out, l)
		}
	}
	for _, p := range Files(dir, kernel) {
		if p.Rule != ruleParse {
			out = append(out, Located{File: string(p.Field), Problem: p})
		}
	}
	return out
}

// name checks the name that the document gives to the kernel.
func (v *validator) name(d Document, kernel string) {
	if kernel != "" && d.KernelName != "" && d.KernelName != kernel {
		v.fail(ruleName, "kernel_name", d.nameLine, "expected %q, which is the directory's name, found %q", kernel, d.KernelName)
	}
}

// aliases compares the IR that was dumped under another name with the original,
// which is kept beside it with the ending .bak: both are the same text but for
// the entry's name.
func (v *validator) aliases(dir fs.FS, d Document) {
	originals, _ := fs.Glob(dir, "reference/*.mlir.bak")
	if d.AliasUsed && len(originals) == 0 {
		v.warn(ruleAlias, "entry_symbol_policy.alias_used", d.aliasLine, "expected the IR under its own name as reference/*.mlir.bak, found none: nothing shows that only the name differs")
	}
	if len(originals) == 0 {
		return
	}
	tops, _ := fs.Glob(dir, "reference/reference*.mlir")
	var bodies []string
	for _, name := range tops {
		if data, err := read(dir, name); err == nil {
			bodies = append(bodies, ir.Unlabelled(data))
		}
	}
	for _, name := range originals {
		data, err := read(dir, name)
		if err == nil && !slices.Contains(bodies, ir.Unlabelled(data)) {
			v.fail(ruleAlias, "entry_symbol_policy", max(d.aliasLine, 1), "expected a reference IR that is %q with another entry name, found none: the bodies differ", name)
		}
	}
}

// ir checks that a named IR file is there and is IR of the kernel.
func (v *validator) ir(kernelDir fs.FS, field, name string, line int, kernel string, seen map[string]bool) {
	data, err := read(kernelDir, name)
	if err != nil {
		v.fail(ruleFile, field, line, "expected the file %q in the kernel's directory: %v", name, err)
		return
	}
	if at := linked(kernelDir, path.Clean(name)); slices.Contains(strings.Split(path.Dir(at), "/"), "generated") {
		found := strconv.Quote(name)
		if at != path.Clean(name) {
			found += ", a link to " + strconv.Quote(at)
		}
		v.fail(ruleFile, field, line, "expected the reference's IR below reference/, found %s: what was generated would be compared with itself", found)
	}
	if seen[name] {
		return
	}
	seen[name] = true
	for _, p := range ir.Check(data, kernel) {
		p.Field, p.Line = untrusted.Text(field), line
		p.Message = untrusted.Text(name) + ": " + p.Message
		v.problems = append(v.problems, p)
	}
}

// maxLinks bounds how many links are followed to one file.
const maxLinks = 16

// linked is where a name leads through links, its own and those of its folders. A
// name that leaves the directory begins with "..".
func linked(dir fs.FS, name string) string {
	for links := 0; links < maxLinks; links++ {
		next := ""
		for i := range len(name) + 1 {
			if i < len(name) && name[i] != '/' || !fs.ValidPath(name[:i]) {
				continue
			}
			if info, err := fs.Lstat(dir, name[:i]); err != nil || info.Mode()&fs.ModeSymlink == 0 {
				continue
			}
			to, err := fs.ReadLink(dir, name[:i])
			if err != nil || path.IsAbs(to) {
				return name
			}
			next = path.Join(path.Dir(name[:i]), to, name[i:])
			break
		}
		if next == "" {
			return name
		}
		name = next
	}
	return name
}

// read reads a file below the directory. A name that leaves it is refused.
func read(dir fs.FS, name string) ([]byte, error) {
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if !fs.ValidPath(clean) || clean == "." {
		return nil, errors.New(`expected a path below it, without ".."`)
	}
	f, err := dir.Open(clean)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, errors.New("found none")
		}
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.IsDir() {
		return nil, errors.New("found a directory")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("found more than %d bytes", maxFile)
	}
	return data, nil
}

// The forms of the reports, as the pipeline's own validators ask for them.
var (
	correctnessVerdict = regexp.MustCompile(`^VERDICT: (ALL_PASS|FAIL)\s*$`)
	perfVerdict        = regexp.MustCompile(`^VERDICT: (DONE|INVESTIGATE)\s*$`)
	geomeanLine        = regexp.MustCompile(`(?m)^geomean_ratio=[0-9]+(\.[0-9]+)?[ \t\r]*$`)
	geomeanAny         = regexp.MustCompile(`(?m)^geomean_ratio\b.*$`)
	investigation      = regexp.MustCompile(`^VERDICT: (FIXABLE|ALIGNED|BLOCKED)\s*$`)
	testFailed         = regexp.MustCompile(`(?m)(^|\s)(FAILED|ERROR) \S+\.py::|\.py::\S+ (FAILED|ERROR)\b|^=+ .*\b[1-9][0-9]* (failed|errors?)\b.* in [0-9]`)
	testOutcome        = regexp.MustCompile(`\b(PASSED|FAILED|SKIPPED)\b`)
	testLine           = regexp.MustCompile(`(?m)^.*\.py::.*\b(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b.*$|^.*\b(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) \S+\.py::.*$`)
	testPassed         = regexp.MustCompile(`\b(PASSED|XPASS)\b`)
	testSummary        = regexp.MustCompile(`(?m)^(=+ )?([0-9]+ [a-z]+(, [0-9]+ [a-z]+)*|no tests ran) in [0-9].*$`)
	summaryPassed      = regexp.MustCompile(`\b[1-9][0-9]* x?passed\b`)
	ofBackend          = regexp.MustCompile(`\.py::\S*cutile[-_]rs`)
	ownThreshold       = regexp.MustCompile(`(?m)FAILED - max_diff=.*> 1e-2[ \t\r]*$|if diff > 1e-2`)
	perfRecord         = []byte("Performance Test Results")
	failedTest         = regexp.MustCompile(`(?m)^.*\bFAILED\b.*$`)
	exitLine           = regexp.MustCompile(`(?m)^exit=([0-9]+)[ \t\r]*$`)
	anyVerdict         = regexp.MustCompile(`(?m)^[^\w\n]{0,4}VERDICT:[^\w\n]{0,3}([A-Z_]+)`)
	comparisonVerdict  = regexp.MustCompile(`\b(PASS_WITH_NOTES|PASS|FAIL_FIXABLE|FAIL_COMPILER_BUG)\b`)
	actionItems        = regexp.MustCompile(`(?i)action items?|what (to|must be) fix`)
	pytestHeaders      = []*regexp.Regexp{
		regexp.MustCompile(`(?m)^platform .* -- Python`),
		regexp.MustCompile(`(?m)^rootdir:`),
		regexp.MustCompile(`(?m)^plugins:`),
	}
)

// Files lists which of the files that a ported kernel must have are missing or
// not in order, for a kernel's directory with its evidence: device source,
// reference and generated IR, analysis, reports and logs.
func Files(dir fs.FS, kernel string) []check.Problem {
	var v validator
	need := func(rule, name string) ([]byte, bool) {
		data, err := read(dir, name)
		if err != nil {
			v.fail(rule, name, 0, "expected this file: %v", err)
			return nil, false
		}
		if len(bytes.TrimSpace(data)) == 0 {
			v.fail(rule, name, 0, "expected text, found an empty file")
			return nil, false
		}
		return data, true
	}
	need("S1", "kernel.rs")
	d := Document{unclear: true}
	if data, ok := need("S7", "reference/analysis.json"); ok {
		parsed, problems := Parse(data)
		if !slices.ContainsFunc(problems, func(p check.Problem) bool { return p.Rule == ruleParse }) {
			d = parsed
		} else {
			v.problems = append(v.problems, problems...)
		}
	}
	v.referenceIR(dir, d, kernel)
	v.generatedIR(dir, d, kernel)

	report := func(stage string) bool {
		return exists(dir, "reports/agent_"+stage+".md") || exists(dir, "reports/agent_logs/agent_"+stage+".md")
	}
	for _, stage := range []string{"a", "b", "d", "e"} {
		if !report(stage) {
			v.fail("S4", "reports/agent_"+stage+".md", 0, "expected this report there or in reports/agent_logs, found none")
		}
	}
	need("S4", "reports/build_log.md")
	if c, diff := report("c"), exists(dir, "generated/diff_report.md"); c != diff {
		missing := "generated/diff_report.md"
		if diff {
			missing = "reports/agent_c.md"
		}
		v.fail("S4", missing, 0, "the IR was compared: expected this file too, found none")
	}
	if investigated(dir) && !report("f") {
		v.fail("S4", "reports/agent_f.md", 0, "the performance was investigated: expected this report, found none")
	}
	claim, _ := need("S5", "reports/correctness.md")
	if claim != nil && !correctnessVerdict.Match(firstLine(claim)) {
		v.fail("S5", "reports/correctness.md", 1, "expected VERDICT: ALL_PASS or VERDICT: FAIL, found %q", firstLine(claim))
	}
	if name, data, ok := v.log(dir, "S5", "correctness_cutile_rs.txt"); ok {
		for _, h := range pytestHeaders {
			if !h.Match(data) {
				v.fail("S5", name, 0, "expected the header that pytest prints (%s), found none", h)
			}
		}
		if !testOutcome.Match(data) {
			v.fail("S5", name, 0, "expected outcomes of tests (PASSED, FAILED, SKIPPED), found none")
		}
		if bytes.HasPrefix(claim, []byte("VERDICT: ALL_PASS")) {
			if at := testFailed.FindIndex(data); at != nil {
				v.fail("S5", name, lineAt(data, at[0]), "a test failed here, but reports/correctness.md says ALL_PASS: expected VERDICT: FAIL, or the log of the run that passed")
			} else if at, none := nonePassed(data); none {
				v.fail("S5", name, lineAt(data, at), "no test with cutile-rs passed here, but reports/correctness.md says ALL_PASS: what is skipped, deselected or expected to fail shows nothing; expected the log of a run in which the tests ran")
			}
		}
		if at := ownThreshold.FindIndex(data); at != nil {
			v.fail("S5", name, lineAt(data, at[0]), "this judges by a threshold of its own: expected the test's comparison")
		}
	}
	v.comparison(dir)
	v.investigations(dir)
	v.claims(dir)
	if data, ok := need("S6", "reports/performance.md"); ok {
		if !perfVerdict.Match(firstLine(data)) {
			v.fail("S6", "reports/performance.md", 1, "expected VERDICT: DONE or VERDICT: INVESTIGATE, found %q", firstLine(data))
		}
		if n, good := len(geomeanAny.FindAll(data, -1)), len(geomeanLine.FindAll(data, -1)); n != 1 || good != 1 {
			v.fail("S6", "reports/performance.md", 0, "expected exactly one line geomean_ratio=NUMBER, found %d of %d in this form", good, n)
		} else {
			at := geomeanLine.FindIndex(data)
			_, text, _ := strings.Cut(strings.TrimSpace(string(data[at[0]:at[1]])), "=")
			switch ratio, err := strconv.ParseFloat(text, 64); {
			case err != nil || ratio == 0:
				v.fail("S6", "reports/performance.md", lineAt(data, at[0]), "the geomean %s is no ratio of times, which are above 0: expected the one that was measured", text)
			case ratio > perfDone && bytes.HasPrefix(data, []byte("VERDICT: DONE")):
				v.fail("S6", "reports/performance.md", lineAt(data, at[0]), "the geomean %s is above %v, but the verdict is DONE: expected VERDICT: INVESTIGATE", text, perfDone)
			}
		}
	}
	v.log(dir, "S6", "perf_cutile_rs.txt")
	v.log(dir, "S6", "baseline_perf_cutile.txt")
	for _, name := range perfLogs {
		if found, data, ok := log(dir, name); ok {
			v.records(found, data)
		}
	}
	return v.problems
}

// perfLogs are the performance logs that a kernel may have.
var perfLogs = []string{"perf_cutile_rs.txt", "perf_cutile_py.txt", "baseline_perf_cutile.txt", "baseline_perf_triton_tileir.txt", "baseline_perf.txt"}

// records checks that a performance log holds records and no failed test.
func (v *validator) records(name string, data []byte) {
	if !bytes.Contains(data, perfRecord) {
		v.fail("S13", name, 0, "expected blocks of Performance Test Results (--print-record), found none")
	}
	if at := failedTest.FindIndex(data); at != nil {
		v.fail("S13", name, lineAt(data, at[0]), "a test failed, so these times are not of the whole set")
	}
}

// log reads a log at the top of the directory or beside the reports.
func log(dir fs.FS, name string) (string, []byte, bool) {
	for _, p := range []string{name, "reports/" + name} {
		if data, err := read(dir, p); err == nil && len(bytes.TrimSpace(data)) > 0 {
			return p, data, true
		}
	}
	return "", nil, false
}

// log is a log that must be there.
func (v *validator) log(dir fs.FS, rule, name string) (string, []byte, bool) {
	found, data, ok := log(dir, name)
	if !ok {
		v.fail(rule, name, 0, "expected this log, found none or an empty one")
	}
	return found, data, ok
}

// nonePassed reports whether a log of pytest shows that no test passed, or none of
// those that name the backend, and the offset of the line that shows it. A log
// without outcomes shows neither.
func nonePassed(data []byte) (at int, none bool) {
	summaries := testSummary.FindAllIndex(data, -1)
	ran := slices.ContainsFunc(summaries, func(s []int) bool { return summaryPassed.Match(data[s[0]:s[1]]) })
	if len(summaries) > 0 && !ran {
		return summaries[len(summaries)-1][0], true
	}
	first, ours := -1, -1
	passed, oursPassed := false, false
	for _, l := range testLine.FindAllIndex(data, -1) {
		text := data[l[0]:l[1]]
		ok := testPassed.Match(text)
		passed = passed || ok
		if first < 0 {
			first = l[0]
		}
		if ofBackend.Match(text) {
			oursPassed = oursPassed || ok
			if ours < 0 {
				ours = l[0]
			}
		}
	}
	switch {
	case ours >= 0 && !oursPassed && (passed || !ran):
		// Without -v a log lists no test that passed, only others.
		return ours, true
	case first >= 0 && !passed && !ran:
		return first, true
	}
	return 0, false
}

// lineAt is the line of an offset, from 1.
func lineAt(data []byte, offset int) int { return 1 + bytes.Count(data[:offset], []byte("\n")) }

// comparison checks the report of the IR comparison, when there is one.
func (v *validator) comparison(dir fs.FS) {
	const name = "generated/diff_report.md"
	data, err := read(dir, name)
	if err != nil || len(bytes.TrimSpace(data)) == 0 {
		return
	}
	lower := strings.ToLower(string(data))
	var missing []string
	for _, part := range []struct {
		what  string
		words []string
	}{
		{"the comparison of structure", []string{"structural comparison", "op count", "step 1", "diff_ir"}},
		{"the list of differences", []string{"checklist", "step 2", "item-by-item"}},
		{"the causes", []string{"root cause", "step 3"}},
		{"the impact", []string{"impact", "step 4"}},
		{"the verdict", []string{"verdict", "step 5"}},
	} {
		if !slices.ContainsFunc(part.words, func(w string) bool { return strings.Contains(lower, w) }) {
			missing = append(missing, part.what)
		}
	}
	if len(missing) > 0 {
		v.fail("S12", name, 0, "expected parts with %s, found none", strings.Join(missing, ", "))
	}
	verdicts := map[string]bool{}
	last := -1
	for _, m := range anyVerdict.FindAllSubmatchIndex(data, -1) {
		if word := string(data[m[2]:m[3]]); comparisonVerdict.MatchString(word) {
			verdicts[word], last = true, m[0]
		}
	}
	switch {
	case len(verdicts) > 1:
		v.fail("S12", name, lineAt(data, last), "expected one verdict, found %d different ones", len(verdicts))
	case len(verdicts) == 0 && !comparisonVerdict.Match(data):
		v.fail("S12", name, 0, "expected PASS, PASS_WITH_NOTES, FAIL_FIXABLE or FAIL_COMPILER_BUG, found none")
	case verdicts["FAIL_FIXABLE"] && !actionItems.Match(data):
		v.fail("S12", name, lineAt(data, last), "the verdict is FAIL_FIXABLE: expected action items, found none")
	}
}

// investigations checks the reports of performance investigations.
func (v *validator) investigations(dir fs.FS) {
	files, _ := fs.Glob(dir, "reports/perf_investigation_*.md")
	for _, name := range files {
		data, err := read(dir, name)
		if err == nil && !investigation.Match(firstLine(data)) {
			v.fail("S11", name, 1, "expected VERDICT: FIXABLE, VERDICT: ALIGNED or VERDICT: BLOCKED, found %q", firstLine(data))
		}
	}
}

// blockedMarker is the file that a stage leaves which could not run.
const blockedMarker = "SKILL_METHODOLOGY_BLOCKED.txt"

// claims compares the verdicts of the reports with what their validators
// answered, and with the marker of a blocked run.
func (v *validator) claims(dir fs.FS) {
	var files []string
	for _, pattern := range []string{"reports/*.md", "reports/agent_logs/*.md"} {
		names, _ := fs.Glob(dir, pattern)
		files = append(files, names...)
	}
	marked := exists(dir, blockedMarker)
	for _, name := range files {
		data, err := read(dir, name)
		if err != nil {
			continue
		}
		m := anyVerdict.FindSubmatchIndex(data)
		if m == nil {
			continue
		}
		verdict := string(data[m[2]:m[3]])
		if !slices.Contains([]string{"PASS", "COMPILED", "ALL_PASS", "DONE"}, verdict) {
			continue
		}
		if block, offset := validatorOutput(data); block != nil {
			for _, e := range exitLine.FindAllSubmatchIndex(block, -1) {
				if code := string(block[e[2]:e[3]]); strings.Trim(code, "0") != "" {
					v.fail("S10", name, lineAt(data, offset+e[0]), "the verdict is %s, but this validator ended with %s", verdict, code)
				}
			}
		}
		if marked && verdict != "DONE" {
			v.fail("S10", name, lineAt(data, m[0]), "the verdict is %s, but %s says that the run was blocked", verdict, blockedMarker)
		}
	}
}

// validatorOutput is the last block of validator output of a report.
func validatorOutput(data []byte) ([]byte, int) {
	const opening, closing = "<VALIDATOR_OUTPUT>", "</VALIDATOR_OUTPUT>"
	start := bytes.LastIndex(data, []byte(opening))
	if start < 0 {
		return nil, 0
	}
	start += len(opening)
	block := data[start:]
	if end := bytes.Index(block, []byte(closing)); end >= 0 {
		block = block[:end]
	}
	return block, start
}

func (v *validator) referenceIR(dir fs.FS, d Document, kernel string) {
	tops, _ := fs.Glob(dir, "reference/reference*.mlir")
	switch {
	case d.unclear && len(d.Variants) == 0 && len(tops) == 0:
		v.fail("S2", "reference/reference.mlir", 0, "expected this file, or reference_VARIANT.mlir for several variants, found none")
	case !d.unclear && len(d.Variants) == 0 && !slices.Contains(tops, "reference/reference.mlir"):
		v.fail("S2", "reference/reference.mlir", 0, "expected this file, found none")
	}
	var named []string
	for _, variant := range d.Variants {
		if variant.ReferenceIR == "" {
			continue
		}
		name := path.Clean(variant.ReferenceIR)
		named = append(named, name)
		if !exists(dir, name) {
			v.fail("S2", name, 0, "expected the reference IR of variant %q, found none", variant.Name)
		}
	}
	for _, name := range tops {
		if data, err := read(dir, name); err == nil {
			v.validIR(data, name, kernel)
		}
		if d.unclear || len(named) == 0 || slices.Contains(named, name) || supplementOf(name, named) {
			continue
		}
		v.warn("S2", name, 0, "no variant names this IR: move it to reference/supplements/ or name it")
	}
}

// supplementOf reports whether a top-level file is another one's with a data
// type behind: reference_v_f32.mlir beside reference_v.mlir.
func supplementOf(name string, named []string) bool {
	stem := strings.TrimSuffix(name, ".mlir")
	for _, n := range named {
		if rest, ok := strings.CutPrefix(stem, strings.TrimSuffix(n, ".mlir")+"_"); ok && slices.Contains([]string{"f32", "f16", "bf16", "f64", "tf32", "f8e5m2", "f8e4m3fn"}, rest) {
			return true
		}
	}
	return false
}

func (v *validator) generatedIR(dir fs.FS, d Document, kernel string) {
	files, _ := fs.Glob(dir, "generated/generated*.mlir")
	switch {
	case len(files) == 0:
		v.fail("S3", "generated", 0, "expected generated.mlir, or generated_VARIANT.mlir for several variants, found none")
	case !d.unclear && len(d.Variants) <= 1 && !slices.Contains(files, "generated/generated.mlir") && !slices.Contains(files, "generated/generated_canon.mlir"):
		v.warn("S3", "generated/generated.mlir", 0, "expected this file for a kernel with one variant, found %s", path.Base(files[0]))
	}
	for _, name := range files {
		if data, err := read(dir, name); err == nil {
			v.validIR(data, name, kernel)
		}
	}
}

func (v *validator) validIR(data []byte, name, kernel string) {
	for _, p := range ir.Check(data, kernel) {
		p.Field = untrusted.Text(name)
		v.problems = append(v.problems, p)
	}
}

func investigated(dir fs.FS) bool {
	files, _ := fs.Glob(dir, "reports/perf_investigation_*.md")
	return len(files) > 0
}

func exists(dir fs.FS, name string) bool {
	if !fs.ValidPath(name) {
		return false
	}
	info, err := fs.Stat(dir, name)
	return err == nil && !info.IsDir()
}

func firstLine(data []byte) []byte {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	return bytes.TrimRight(line, "\r")
}
