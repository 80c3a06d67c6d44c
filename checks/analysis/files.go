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
	"strings"

	"github.com/tilegate/tilegate/checks/check"
	"github.com/tilegate/tilegate/checks/ir"
	"github.com/tilegate/tilegate/checks/untrusted"
)

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
	if kernel != "" && d.KernelName != "" && d.KernelName != kernel {
		v.fail(ruleName, "kernel_name", d.nameLine, "expected %q, which is the directory's name, found %q", kernel, d.KernelName)
	}
	named := map[string]bool{}
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
	return v.problems
}

// ir checks that a named IR file is there and is IR of the kernel.
func (v *validator) ir(kernelDir fs.FS, field, name string, line int, kernel string, seen map[string]bool) {
	data, err := read(kernelDir, name)
	if err != nil {
		v.fail(ruleFile, field, line, "expected the file %q in the kernel's directory: %v", name, err)
		return
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

// read reads a file below the directory. A name that leaves it is refused.
func read(dir fs.FS, name string) ([]byte, error) {
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if !fs.ValidPath(clean) || clean == "." {
		return nil, errors.New("expected a path below it, without ..")
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

var (
	correctnessVerdict = regexp.MustCompile(`^VERDICT: (ALL_PASS|FAIL)\s*$`)
	perfVerdict        = regexp.MustCompile(`^VERDICT: (DONE|INVESTIGATE)\s*$`)
	geomeanLine        = regexp.MustCompile(`(?m)^geomean_ratio=[0-9]+(\.[0-9]+)?[ \t\r]*$`)
	geomeanAny         = regexp.MustCompile(`(?m)^geomean_ratio\b.*$`)
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
	var d Document
	if data, ok := need("S7", "reference/analysis.json"); ok {
		var problems []check.Problem
		d, problems = Parse(data)
		if slices.ContainsFunc(problems, func(p check.Problem) bool { return p.Rule == ruleParse }) {
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
			v.fail("S4", "reports/agent_"+stage+".md", 0, "expected this report, here or in reports/agent_logs, found none")
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
	if data, ok := need("S5", "reports/correctness.md"); ok && !correctnessVerdict.Match(firstLine(data)) {
		v.fail("S5", "reports/correctness.md", 1, "expected VERDICT: ALL_PASS or VERDICT: FAIL, found %q", firstLine(data))
	}
	if data, ok := v.log(dir, "S5", "correctness_cutile_rs.txt"); ok {
		for _, h := range pytestHeaders {
			if !h.Match(data) {
				v.fail("S5", "correctness_cutile_rs.txt", 0, "expected the header that pytest prints (%s), found none", h)
			}
		}
	}
	if data, ok := need("S6", "reports/performance.md"); ok {
		if !perfVerdict.Match(firstLine(data)) {
			v.fail("S6", "reports/performance.md", 1, "expected VERDICT: DONE or VERDICT: INVESTIGATE, found %q", firstLine(data))
		}
		if n, good := len(geomeanAny.FindAll(data, -1)), len(geomeanLine.FindAll(data, -1)); n != 1 || good != 1 {
			v.fail("S6", "reports/performance.md", 0, "expected exactly one line geomean_ratio=NUMBER, found %d of %d in this form", good, n)
		}
	}
	v.log(dir, "S6", "perf_cutile_rs.txt")
	v.log(dir, "S6", "baseline_perf_cutile.txt")
	return v.problems
}

// log is a log at the top of the directory or beside the reports.
func (v *validator) log(dir fs.FS, rule, name string) ([]byte, bool) {
	for _, p := range []string{name, "reports/" + name} {
		if data, err := read(dir, p); err == nil && len(bytes.TrimSpace(data)) > 0 {
			return data, true
		}
	}
	v.fail(rule, name, 0, "expected this log, found none or an empty one")
	return nil, false
}

func (v *validator) referenceIR(dir fs.FS, d Document, kernel string) {
	tops, _ := fs.Glob(dir, "reference/reference*.mlir")
	if len(d.Variants) == 0 {
		if !slices.Contains(tops, "reference/reference.mlir") {
			v.fail("S2", "reference/reference.mlir", 0, "expected this file, found none")
		}
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
		if len(named) == 0 || slices.Contains(named, name) || supplementOf(name, named) {
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
	case len(d.Variants) <= 1 && !slices.Contains(files, "generated/generated.mlir") && !slices.Contains(files, "generated/generated_canon.mlir"):
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
