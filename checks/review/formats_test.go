package review_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf16"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/syntax"
)

// The part of a SARIF file that the tests look at.
type (
	sarifFile struct {
		Schema, Version string
		Runs            []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct {
						ID                                string
						ShortDescription, FullDescription sarifText
						Help                              struct{ Text, Markdown string }
						DefaultConfiguration              struct{ Level string }
						Properties                        map[string]any
					}
				}
			}
			AutomationDetails struct{ ID string }
			Invocations       []struct {
				ExecutionSuccessful        bool
				ToolExecutionNotifications []struct {
					Message   sarifText
					Locations []sarifLocation
				}
			}
			Results []sarifResult
		}
	}
	sarifText   struct{ Text string }
	sarifResult struct {
		RuleID              string
		RuleIndex           int
		Level               string
		Message             sarifText
		Locations           []sarifLocation
		RelatedLocations    []sarifLocation
		PartialFingerprints map[string]string
		BaselineState       string
		Suppressions        []sarifSuppression
		Fixes               []struct {
			ArtifactChanges []struct {
				Replacements []struct {
					DeletedRegion   sarifRegion
					InsertedContent sarifText
				}
			}
		}
	}
	sarifSuppression struct{ Kind, Status, Justification string }
	sarifLocation    struct {
		ID               int
		PhysicalLocation struct {
			ArtifactLocation struct{ URI string }
			Region           sarifRegion
		}
	}
	sarifRegion struct{ StartLine, StartColumn, EndLine, EndColumn int }
)

func sourceIn(head fstest.MapFS) func(string) *syntax.File {
	return func(p string) *syntax.File {
		if f := head[p]; f != nil {
			return syntax.Lines(f.Data)
		}
		return nil
	}
}

func written(t *testing.T, format string, head fstest.MapFS, r *review.Report) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, review.Write(&out, format, r, review.Style{Rules: all.Rules, Source: sourceIn(head), All: true}))
	return out.String()
}

func sarifOf(t *testing.T, text string) sarifFile {
	t.Helper()
	var f sarifFile
	require.NoError(t, json.Unmarshal([]byte(text), &f))
	require.Len(t, f.Runs, 1)
	return f
}

// mixed is a checkout with findings of all severities, several places of one
// finding, fixes of one and of many lines, characters of one to four bytes, and
// a file that cannot be read.
func mixed() fstest.MapFS {
	head := withLine(`        /* größe 🙂 */ let tiny: Tile<f32, { [] }> = scalar_to_tile(1e-6f32);
        let huge: Tile<f32, { [] }> = scalar_to_tile(1e9f32);
        let wide: Tile<i64, { [] }> = exti(scalar_to_tile(cols));
        let low: Tile<f32, { [BLOCK] }> = constant(f32::NEG_INFINITY, const_shape![BLOCK]);
        let twice: Tile<f32, { [BLOCK * 2] }> = f("]( [x](https://example.org)");`)
	head[demoWrapper] = &fstest.MapFile{Data: []byte("def demo(:\n")}
	return head
}

// TestSARIFKeepsToCodeScanning checks what GitHub documents as required, and
// its limits.
func TestSARIFKeepsToCodeScanning(t *testing.T) {
	head := mixed()
	r := reviewed(t, head, nil)
	f := sarifOf(t, written(t, "sarif", head, r))
	run := f.Runs[0]
	assert.Equal(t, "2.1.0", f.Version)
	assert.Equal(t, "tilegate", run.Tool.Driver.Name)
	assert.Equal(t, "tilegate/", run.AutomationDetails.ID, "a category, no run")
	require.Len(t, run.Tool.Driver.Rules, len(all.Rules))
	for i, rule := range run.Tool.Driver.Rules {
		assert.Equal(t, all.Rules[i].ID, rule.ID)
		for _, text := range []string{rule.ShortDescription.Text, rule.FullDescription.Text} {
			assert.NotEmpty(t, text, rule.ID)
			assert.LessOrEqual(t, len(text), 1024, rule.ID)
		}
		assert.NotEmpty(t, rule.Help.Text, rule.ID)
		assert.NotEmpty(t, rule.Help.Markdown, rule.ID)
		assert.Contains(t, []string{"error", "warning", "note"}, rule.DefaultConfiguration.Level, rule.ID)
		assert.Contains(t, []any{"error", "warning", "recommendation"}, rule.Properties["problem.severity"], rule.ID)
		tags, _ := rule.Properties["tags"].([]any)
		assert.True(t, len(tags) > 0 && len(tags) <= 10, rule.ID)
		for i, tag := range tags {
			assert.NotContains(t, tags[i+1:], tag, "%s: tags are unique", rule.ID)
		}
	}
	levels, hashes := map[string]bool{}, map[string]bool{}
	require.Len(t, run.Results, len(r.Findings))
	for _, x := range run.Results {
		levels[x.Level] = true
		assert.Equal(t, x.RuleID, run.Tool.Driver.Rules[x.RuleIndex].ID)
		assert.NotEmpty(t, x.Message.Text)
		require.Len(t, x.Locations, 1)
		at := x.Locations[0].PhysicalLocation
		assert.True(t, at.Region.StartLine > 0 && at.Region.StartColumn > 0 && at.Region.EndLine >= at.Region.StartLine && at.Region.EndColumn > 0, "%+v", at)
		uri, err := url.Parse(at.ArtifactLocation.URI)
		require.NoError(t, err)
		assert.False(t, uri.IsAbs() || strings.HasPrefix(uri.Path, "/"), at.ArtifactLocation.URI)
		hash := x.PartialFingerprints["primaryLocationLineHash"]
		assert.NotEmpty(t, hash)
		assert.False(t, hashes[hash], "two alerts have the fingerprint %s", hash)
		hashes[hash] = true
		for i, l := range x.RelatedLocations {
			assert.Equal(t, i+1, l.ID)
			assert.Contains(t, x.Message.Text, fmt.Sprintf("[line %d](%d)", l.PhysicalLocation.Region.StartLine, i+1))
		}
	}
	assert.Equal(t, map[string]bool{"error": true, "warning": true, "note": true}, levels)
	require.Len(t, run.Invocations, 1)
	assert.False(t, run.Invocations[0].ExecutionSuccessful, "a file is unread")
	require.Len(t, run.Invocations[0].ToolExecutionNotifications, 1)
	assert.Contains(t, run.Invocations[0].ToolExecutionNotifications[0].Message.Text, "not reviewed: ")
}

// suppressedSARIF is a SARIF file with an open finding, an accepted one, and a
// comment that accepts nothing.
func suppressedSARIF(t *testing.T) string {
	t.Helper()
	head := withLine(violation + " // tilegate: allow(R6) the caller pads\n        let huge: Tile<f32, { [] }> = scalar_to_tile(1e9f32);\n        // tilegate: allow(R7)")
	r := reviewed(t, head, nil)
	require.Len(t, r.Accepted, 1)
	var out strings.Builder
	require.NoError(t, review.Write(&out, "sarif", r, review.Style{Rules: all.Rules, Source: sourceIn(head), All: true, Accepted: true}))
	require.Contains(t, out.String(), `"kind": "inSource"`)
	return out.String()
}

// TestSARIFSchema validates against the official schema.
func TestSARIFSchema(t *testing.T) {
	name := os.Getenv("SARIF_SCHEMA")
	if name == "" {
		t.Skip("SARIF_SCHEMA is not set; it names the JSON schema of SARIF 2.1.0, as in the npm package @microsoft/jest-sarif")
	}
	schema, err := jsonschema.NewCompiler().Compile(name)
	require.NoError(t, err)
	head := mixed()
	text := written(t, "sarif", head, reviewed(t, head, nil))
	withAccepted := suppressedSARIF(t)
	check := func(text string) error {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		require.NoError(t, err)
		return schema.Validate(doc)
	}
	assert.NoError(t, check(text))
	assert.NoError(t, check(withAccepted))
	assert.Error(t, check(strings.Replace(withAccepted, `"kind": "inSource"`, `"kind": "elsewhere"`, 1)), "the schema knows suppressions")
	assert.NoError(t, check(written(t, "sarif", head, &review.Report{})), "an empty report")
	assert.Error(t, check(strings.Replace(text, `"level": "note"`, `"level": "grave"`, 1)), "the schema is one")
}

// TestSARIFMultitool asks Microsoft's validator, with the rules of GitHub's
// code scanning.
func TestSARIFMultitool(t *testing.T) {
	tool := os.Getenv("SARIF_MULTITOOL")
	if tool == "" {
		t.Skip("SARIF_MULTITOOL is not set; it names the program Sarif.Multitool, as in the npm package @microsoft/sarif-multitool-linux")
	}
	validate := func(text string) string {
		file := filepath.Join(t.TempDir(), "review.sarif")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		cmd := exec.Command(tool, "validate", file, "--rule-kind", "Sarif;Ghas", "--level", "Error;Warning", "--kind", "Fail;Open;Review")
		cmd.Env = append(os.Environ(), "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1")
		out, _ := cmd.CombinedOutput() // its status is 1 for findings of any kind
		require.Contains(t, string(out), "1 files scanned")
		return string(out)
	}
	head := mixed()
	text := written(t, "sarif", head, reviewed(t, head, nil))
	for _, text := range []string{text, suppressedSARIF(t)} {
		out := validate(text)
		assert.NotContains(t, out, ": error ")
		assert.NotContains(t, out, " GH", "rules of code scanning")
	}
	assert.Contains(t, validate(strings.Replace(text, `"locations": [`, `"locations": [], "x": [`, 1)), ": error ", "the tool finds errors")
}

// Code scanning refuses a file with too many results, so the lightest go.
func TestSARIFLimits(t *testing.T) {
	r := &review.Report{Summary: review.Summary{Kernels: []string{"a"}}}
	for i := range 25_010 {
		f := review.Finding{Rule: "R1", Severity: review.Note, Path: "a.rs", Line: i + 1, EndLine: i + 1, Message: "m", Fingerprint: "f"}
		if i >= 25_000 {
			f.Severity = review.Error
		}
		r.Findings = append(r.Findings, f)
	}
	for i := range 150 {
		r.Findings[25_000].AlsoAt = append(r.Findings[25_000].AlsoAt, 30_000+i)
	}
	run := sarifOf(t, written(t, "sarif", nil, r)).Runs[0]
	require.Len(t, run.Results, 25_000)
	assert.Equal(t, "note", run.Results[24_989].Level)
	for _, x := range run.Results[24_990:] {
		assert.Equal(t, "error", x.Level)
	}
	require.Len(t, run.Invocations[0].ToolExecutionNotifications, 1)
	assert.Equal(t, "10 of 25010 findings, the lightest, are left out: code scanning takes 25000", run.Invocations[0].ToolExecutionNotifications[0].Message.Text)
	assert.Len(t, run.Results[24_990].RelatedLocations, 100)
	assert.True(t, strings.HasSuffix(run.Results[24_990].Message.Text, "[line 30099](100) and 50 more."))
	assert.Equal(t, "f:25000", run.Results[24_999].PartialFingerprints["primaryLocationLineHash"])

	// What is accepted goes first.
	r.Findings = r.Findings[20_000:]
	for i := range 20_000 {
		r.Accepted = append(r.Accepted, review.Accepted{Finding: review.Finding{Rule: "R1", Severity: review.Error, Path: "b.rs", Line: i + 1, EndLine: i + 1}, Reason: "why"})
	}
	var out strings.Builder
	require.NoError(t, review.Write(&out, "sarif", r, review.Style{Accepted: true}))
	run = sarifOf(t, out.String()).Runs[0]
	require.Len(t, run.Results, 25_000)
	assert.Empty(t, run.Results[5009].Suppressions)
	assert.Equal(t, "why", run.Results[5010].Suppressions[0].Justification)
}

// The replacements of a fix give what tilegate fix writes, in any line ends.
func TestSARIFFixes(t *testing.T) {
	for _, end := range []string{"\n", "\r\n"} {
		head := mixed()
		head[demoKernel] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(string(head[demoKernel].Data), "\n", end))}
		r := reviewed(t, head, nil)
		src := string(head[demoKernel].Data)
		seen := 0
		for i, x := range sarifOf(t, written(t, "sarif", head, r)).Runs[0].Results {
			if len(x.Fixes) == 0 {
				continue
			}
			seen++
			want, _ := review.Apply([]byte(src), r.Findings[i].Fix.Edits)
			got := src
			for _, c := range slices.Backward(x.Fixes[0].ArtifactChanges[0].Replacements) {
				got = splice(got, c.DeletedRegion, c.InsertedContent.Text)
			}
			assert.Equal(t, string(want), got)
		}
		assert.GreaterOrEqual(t, seen, 2)
	}
}

// splice replaces a region, whose columns count UTF-16 code units.
func splice(src string, at sarifRegion, text string) string {
	lines := strings.SplitAfter(src, "\n")
	offset := func(line, column int) int {
		units := utf16.Encode([]rune(lines[line-1]))
		return len(strings.Join(lines[:line-1], "")) + len(string(utf16.Decode(units[:column-1])))
	}
	return src[:offset(at.StartLine, at.StartColumn)] + text + src[offset(at.EndLine, at.EndColumn):]
}

// Text of a pull request makes no link in a message, and no path is read as an
// absolute address.
func TestSARIFQuotesNothingLive(t *testing.T) {
	r := &review.Report{Findings: []review.Finding{{Rule: "R1", Severity: review.Error, Path: "c:/a b.rs", Line: 1, EndLine: 1, Message: "see [this](https://example.org) \x1b[31m"}}}
	x := sarifOf(t, written(t, "sarif", nil, r)).Runs[0].Results[0]
	assert.Equal(t, "see [this] (https://example.org) ", x.Message.Text)
	assert.Equal(t, "c%3A/a%20b.rs", x.Locations[0].PhysicalLocation.ArtifactLocation.URI)
}

type rdFile struct {
	Diagnostics []struct {
		Message        string
		Severity       string
		OriginalOutput string `json:"original_output"`
		Location       struct {
			Path  string
			Range struct{ Start, End struct{ Line, Column int } }
		}
		Suggestions []struct {
			Range struct{ Start, End struct{ Line, Column int } }
			Text  string
		}
	}
}

func rdOf(t *testing.T, head fstest.MapFS, r *review.Report) rdFile {
	t.Helper()
	var f rdFile
	require.NoError(t, json.Unmarshal([]byte(written(t, "rdjson", head, r)), &f))
	return f
}

// A terminal shows the same as the text format, and a page no live Markdown.
func TestRDJSONOutput(t *testing.T) {
	head := mixed()
	f := rdOf(t, head, reviewed(t, head, nil))
	text := written(t, "text", head, reviewed(t, head, nil))
	for _, d := range f.Diagnostics {
		assert.Contains(t, text, d.OriginalOutput)
	}
	last := f.Diagnostics[len(f.Diagnostics)-1]
	assert.Equal(t, demoWrapper, last.Location.Path)
	assert.Equal(t, 1, last.Location.Range.Start.Line, "an unread file is marked as a whole")
	assert.Equal(t, "ERROR", last.Severity)

	r := &review.Report{Findings: []review.Finding{{Rule: "R1", Severity: review.Error, Path: "a.rs", Line: 1, EndLine: 1, Column: 1, EndColumn: 2, Message: "`x` and <img src=x> @someone", Why: "w"}}}
	message := rdOf(t, nil, r).Diagnostics[0].Message
	assert.Contains(t, message, "`x` and ")
	assert.NotContains(t, message, "<img")
	assert.NotContains(t, message, " @someone")
}

// One suggestion holds all edits of a fix, or there is none.
func TestRDJSONSuggestions(t *testing.T) {
	lines := make([]string, 100)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d", i+1)
	}
	head := fstest.MapFS{"a.rs": {Data: []byte(strings.Join(lines, "\n") + "\n")}}
	for name, c := range map[string]struct {
		edits []review.Edit
		text  string
		lines [2]int
	}{
		"one":       {[]review.Edit{{StartLine: 3, EndLine: 3, Text: "x"}}, "x", [2]int{3, 3}},
		"grows":     {[]review.Edit{{StartLine: 3, EndLine: 4, Text: "x\ny\nz"}}, "x\ny\nz", [2]int{3, 4}},
		"two":       {[]review.Edit{{StartLine: 3, EndLine: 3, Text: "x"}, {StartLine: 6, EndLine: 6, Text: "y"}}, "x\nline 4\nline 5\ny", [2]int{3, 6}},
		"far apart": {[]review.Edit{{StartLine: 3, EndLine: 3, Text: "x"}, {StartLine: 60, EndLine: 60, Text: "y"}}, "", [2]int{}},
		"invisible": {[]review.Edit{{StartLine: 3, EndLine: 3, Text: "x\u202e"}}, "", [2]int{}},
		"outside":   {[]review.Edit{{StartLine: 300, EndLine: 300, Text: "x"}}, "", [2]int{}},
	} {
		r := &review.Report{Findings: []review.Finding{{Rule: "R1", Severity: review.Error, Path: "a.rs", Line: 3, EndLine: 3, Column: 1, EndColumn: 2, Fix: &review.Fix{Edits: c.edits}}}}
		got := rdOf(t, head, r).Diagnostics[0].Suggestions
		if c.text == "" {
			assert.Empty(t, got, name)
			continue
		}
		require.Len(t, got, 1, name)
		assert.Equal(t, c.text, got[0].Text, name)
		assert.Equal(t, c.lines, [2]int{got[0].Range.Start.Line, got[0].Range.End.Line}, name)
	}
}

// told is a report in one format.
func told(t *testing.T, format string, r *review.Report, s review.Style) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, review.Write(&out, format, r, s))
	return out.String()
}

// All formats for people say where else a finding stands, and what to do.
func TestFormatsSayWhatToDo(t *testing.T) {
	fixable := review.Finding{Rule: "R1", Severity: review.Error, Path: "a.rs", Line: 3, EndLine: 3, Column: 1, EndColumn: 2, Message: "m", Why: "w", New: true,
		AlsoAt: []int{7, 9}, Triage: []string{"first", "then"}, Fix: &review.Fix{Description: "write `x`|y", Edits: []review.Edit{{StartLine: 3, EndLine: 3, Text: "x"}}}}
	other := review.Finding{Rule: "R2", Severity: review.Warning, Path: "b.rs", Line: 1, EndLine: 1, Column: 1, EndColumn: 2, Message: "n", Why: "v", New: true,
		AlsoAt: []int{4}, Triage: []string{"look at `b`", "then"}}
	r := &review.Report{Findings: []review.Finding{fixable, other}, Summary: review.Summary{Kernels: []string{"demo"}}}

	text := told(t, "text", r, review.Style{})
	assert.Contains(t, text, "  also at lines 7, 9\n  why: w\n  fix: write `x`|y (tilegate fix --rule R1)\n\n")
	assert.Contains(t, text, "  also at line 4\n  why: v\n  help: look at `b`\n\n")
	assert.True(t, strings.HasSuffix(text, ".\n`tilegate rules ID` explains a rule.\n"), text)

	markdown := told(t, "markdown", r, review.Style{})
	assert.Contains(t, markdown, "| severity | rule | place | finding |\n")
	assert.Contains(t, markdown, "| error | [R1](https://github.com/tilegate/tilegate/blob/main/docs/rules/R1.md) | `a.rs:3` | m<br>also at lines 7, 9<br>fix: write `x`&vert;y (`tilegate fix --rule R1`) |\n")
	assert.Contains(t, markdown, "| `b.rs:1` | n<br>also at line 4<br>help: look at `b` |\n")

	github := told(t, "github", r, review.Style{})
	assert.Contains(t, github, "::m%0Aw%0Aalso at lines 7, 9%0Afix: write `x`|y (tilegate fix --rule R1)%0Ahttps://github.com/tilegate/tilegate/blob/main/docs/rules/R1.md\n")
	assert.Contains(t, github, "::n%0Av%0Aalso at line 4%0Ahelp: look at `b`%0Ahttps://github.com/tilegate/tilegate/blob/main/docs/rules/R2.md\n")

	asked := review.Style{Path: "tree", Base: "main"}
	const command = "tilegate fix tree --base main --rule R1"
	assert.Contains(t, told(t, "sarif", r, asked), `"text": "write `+"`x`|y ("+command+`)"`)
	assert.Contains(t, told(t, "json", r, asked), `"command": "`+command+`"`)
	assert.Empty(t, fixable.Fix.Command, "printing leaves the report as it is")

	r.Findings = r.Findings[:1]
	assert.True(t, strings.HasSuffix(told(t, "text", r, review.Style{}), "`tilegate rules R1` explains the rule.\n"))
	r.Findings[0].New = false
	assert.NotContains(t, told(t, "text", r, review.Style{}), "explains")
}

// Actions cuts off what is too long: of an annotation that is never what to do and the
// page of the rule.
func TestAnnotationsKeepWhatToDo(t *testing.T) {
	long := strings.Repeat("word ", 2000)
	f := review.Finding{Rule: "R2", Severity: review.Warning, Path: "b.rs", Line: 1, EndLine: 1, Message: "begins " + long, Why: long, New: true, Triage: []string{"look at `b`"}}
	out := told(t, "github", &review.Report{Findings: []review.Finding{f}}, review.Style{})
	_, message, _ := strings.Cut(strings.Split(out, "\n")[0], "::begins ")
	assert.True(t, strings.HasSuffix(message, " bytes left out]%0Ahelp: look at `b`%0Ahttps://github.com/tilegate/tilegate/blob/main/docs/rules/R2.md"), message)
	assert.LessOrEqual(t, len(strings.ReplaceAll(message, "%0A", "\n")), 4096)
	f.Triage = []string{long}
	out = told(t, "github", &review.Report{Findings: []review.Finding{f}}, review.Style{})
	_, message, _ = strings.Cut(strings.Split(out, "\n")[0], "::begins ")
	assert.True(t, strings.HasSuffix(message, "/R2.md"), message)
	assert.LessOrEqual(t, len(strings.ReplaceAll(message, "%0A", "\n")), 4096)
}

// The gate waits for a maintainer when a change weakens the tests, although that is
// a warning: the formats say so, each comment once.
func TestFormatsSayThatTheGateWaits(t *testing.T) {
	finding := func(rule string, s review.Severity, path string, isNew bool) review.Finding {
		return review.Finding{Rule: rule, Severity: s, Path: path, Line: 1, EndLine: 1, Column: 1, EndColumn: 2, Message: "m", Why: "w", New: isNew, Waits: true}
	}
	const test = "tests/ops/test_demo.py"
	waits := &review.Report{Findings: []review.Finding{finding("T1", review.Warning, test, true), finding("T1", review.Warning, test, true), finding("T3", review.Error, "a`b|c.py", true)}}
	assert.Equal(t, 2, strings.Count(told(t, "text", waits, review.Style{}), "  gate: waits for a maintainer's `/tilegym waive T1 "+test+" REASON`\n"))
	assert.Contains(t, told(t, "github", waits, review.Style{}), "%0AThe gate waits for a maintainer's `/tilegym waive T1 "+test+" REASON`%0Ahttps://github.com/tilegate/tilegate/blob/main/docs/rules/T1.md\n")
	markdown := told(t, "markdown", waits, review.Style{})
	assert.Contains(t, markdown, "\nThe gate waits for a maintainer, who accepts what the change does to the tests:\n\n- `/tilegym waive T1 "+test+" REASON`\n- <code>/tilegym waive T3 a")
	assert.Equal(t, 1, strings.Count(markdown, "waive T1"))
	blank := &review.Report{Findings: []review.Finding{finding("T1", review.Warning, "tests/a b.py", true)}}
	assert.Contains(t, told(t, "markdown", blank, review.Style{}), "- ``/tilegym waive T1 `tests/a b.py` REASON``\n")
	assert.Contains(t, rdOf(t, nil, waits).Diagnostics[0].Message, "`/tilegym waive T1 "+test+" REASON`")

	assert.Equal(t, 3, waits.Waiting())

	none := &review.Report{Findings: []review.Finding{finding("T1", review.Warning, test, true), finding("T1", review.Error, test, true)}}
	for i := range none.Findings {
		none.Findings[i].Waits = false
	}
	assert.Zero(t, none.Waiting())
	for _, format := range review.Formats {
		assert.NotContains(t, told(t, format, none, review.Style{All: true}), "waive", format)
	}
}

// An unread file is shown at its place, as far as that is known.
func TestFormatsShowWhereAFileIsUnread(t *testing.T) {
	r := &review.Report{Summary: review.Summary{Kernels: []string{"demo"}, Unread: []review.Unread{
		{Path: "a.rs", Why: "syntax error at line 2, column 7", At: syntax.Pos{Line: 2, Column: 7}},
		{Path: "b.rs", Why: "syntax error near line 2: `{` is not closed up to the end, line 9", At: syntax.Pos{Line: 2}},
		{Path: "c.rs", Why: "3000000 bytes, the limit is 2097152"},
		{Path: "d.rs", Why: "syntax error in lines 4 to 9", At: syntax.Pos{Line: 4}},
		{Path: "f.rs", Why: "a folder named line 7, at line 8"},
		{Path: "e.py", Why: "line 5 has a name with the letter \"x\" (U+FF54)", At: syntax.Pos{Line: 5}},
	}}}
	head := fstest.MapFS{"a.rs": {Data: []byte("\né🙂x\n")}}
	s := review.Style{Source: sourceIn(head)}
	text := told(t, "text", r, s)
	assert.Contains(t, text, "unread: a.rs:2:7: syntax error\n  help: Correct it there; `rustfmt --check a.rs` names")
	assert.Contains(t, text, "\nunread: b.rs:2: syntax error near")
	assert.True(t, strings.Contains(text, "\nNo verdict: 6 files could not be read as a whole; no finding in 1 kernel and "), text)
	assert.Contains(t, text, "unread: c.rs: 3000000 bytes")
	assert.Contains(t, text, "unread: d.rs:4: syntax error in lines 4 to 9\n")
	assert.Contains(t, text, "unread: f.rs: a folder named line 7, at line 8\n")
	assert.Contains(t, text, "unread: e.py:5: line 5 has a name with the letter \"x\" (U+FF54)\n  help: Of what was not read nothing is known until")
	github := told(t, "github", r, s)
	assert.Contains(t, github, "::error col=7,file=a.rs,line=2,title=not reviewed::syntax")
	assert.Contains(t, github, "::error file=b.rs,line=2,title=not reviewed::syntax")
	assert.Contains(t, github, "::error file=c.rs,title=not reviewed::3000000")
	markdown := told(t, "markdown", r, s)
	assert.Contains(t, markdown, "- `a.rs:2:7`: syntax error. Correct it there;")
	assert.Contains(t, markdown, "- `b.rs:2`: syntax error near line 2: `{` is not closed")
	assert.Contains(t, markdown, "- `c.rs`: 30")
	notes := sarifOf(t, told(t, "sarif", r, s)).Runs[0].Invocations[0].ToolExecutionNotifications
	require.Len(t, notes, 6)
	assert.Equal(t, sarifRegion{StartLine: 2, StartColumn: 4}, notes[0].Locations[0].PhysicalLocation.Region)
	assert.Equal(t, sarifRegion{StartLine: 2}, notes[1].Locations[0].PhysicalLocation.Region)
	assert.Zero(t, notes[2].Locations[0].PhysicalLocation.Region)
}

// A path in a command is one word of a shell, and its backticks end no code.
func TestPathsInCommandsAreQuoted(t *testing.T) {
	r := &review.Report{Summary: review.Summary{Unread: []review.Unread{
		{Path: "tests/ops/test_|`<b>.py", Why: "missing \")\""}, {Path: "src/a b/ffi.rs", Why: "syntax error"}, {Path: "src/plain.py", Why: "syntax error"},
	}}}
	text := told(t, "text", r, review.Style{})
	assert.Contains(t, text, "``python -m py_compile 'tests/ops/test_|`<b>.py'``")
	assert.Contains(t, text, "`rustfmt --check 'src/a b/ffi.rs'`")
	assert.Contains(t, text, "`python -m py_compile src/plain.py`")
	markdown := told(t, "markdown", r, review.Style{})
	assert.Contains(t, markdown, "<code>python -m py\\_compile ")
	assert.Contains(t, markdown, "'</code> names what Python")
}
