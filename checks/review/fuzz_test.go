package review_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/syntax"
)

// maxFuzzed is the longest text that is fuzzed; longer ones are the matter of the
// tests of hostile shapes.
const maxFuzzed = 64 << 10

// seedPlaces adds for each place what stands there in the clean tree, half of it,
// and what stands there in a fixture of each rule.
func seedPlaces(f *testing.F) {
	clean := ruletest.Base()
	byName := map[string]uint8{}
	for i, p := range places {
		byName[filepath.Base(p.path)] = uint8(i)
		if file := clean[p.path]; file != nil {
			f.Add(uint8(i), string(file.Data))
			f.Add(uint8(i), string(file.Data[:len(file.Data)/2]))
		}
		f.Add(uint8(i), "\xef\xbb\xbf\r\n\x00\xff")
	}
	for i, r := range all.Rules {
		if hostile.Race && i%8 != 0 {
			continue // TestReviewsTogether runs the code of all rules
		}
		fixtures, err := filepath.Glob(fmt.Sprintf("../rules/%s%02s/testdata/bad_*.txtar", strings.ToLower(r.ID[:1]), r.ID[1:]))
		require.NoError(f, err)
		require.NotEmpty(f, fixtures)
		text, err := os.ReadFile(fixtures[0])
		require.NoError(f, err)
		for _, file := range txtar.Parse(text).Files {
			if i, known := byName[filepath.Base(file.Name)]; known && len(file.Data) > 0 {
				f.Add(i, string(file.Data))
				break
			}
		}
	}
}

// FuzzReview: whatever stands in one file of a change, its review ends, names only
// places that exist, is not called clean when something was not read, and can be
// written in every format.
func FuzzReview(f *testing.F) {
	seedPlaces(f)
	base := ruletest.Base()
	f.Fuzz(func(t *testing.T, place uint8, text string) {
		if len(text) > maxFuzzed {
			return
		}
		head := laid(places[int(place)%len(places)].path, text)
		hostile.Ends(t, len(text), func() {
			reviewAndWrite(t, head, base)
		})
	})
}

// FuzzRepair: safe fixes leave a file that is read as well as before, and are
// final: fixing twice changes nothing.
func FuzzRepair(f *testing.F) {
	seedPlaces(f)
	f.Fuzz(func(t *testing.T, place uint8, text string) {
		if len(text) > maxFuzzed {
			return
		}
		head := laid(places[int(place)%len(places)].path, text)
		o := review.Options{Head: head, Rules: all.Rules}
		hostile.Ends(t, 10*len(text), func() {
			fixed, err := review.Repair(context.Background(), o, nil)
			require.NoError(t, err)
			for _, file := range fixed.Files {
				require.Equal(t, string(head[file.Path].Data), string(file.Before))
				require.NotEqual(t, file.Before, file.After)
				require.NotEmpty(t, file.Rules)
				head[file.Path] = &fstest.MapFile{Data: file.After}
			}
			if len(fixed.Files) == 0 {
				return
			}
			again, err := review.Repair(context.Background(), o, nil)
			require.NoError(t, err)
			require.Empty(t, again.Files, "fixing twice changes nothing")
			require.Equal(t, fixed.Left.Summary.Unread, again.Left.Summary.Unread)
		})
	})
}

// FuzzApply: edits of whole lines change nothing but those lines, whatever a file
// and the edits are.
func FuzzApply(f *testing.F) {
	f.Add([]byte("a\r\nb\n\nc"), 1, 2, "x\ny", 4, 4, "")
	f.Add([]byte("\ufeffa"), 1, 1, "", -1, 0, "z")
	f.Add([]byte(""), 1, 1, "a", 1, 9, "b")
	f.Fuzz(func(t *testing.T, src []byte, from1, to1 int, text1 string, from2, to2 int, text2 string) {
		edits := []review.Edit{{StartLine: from1, EndLine: to1, Text: text1}, {StartLine: from2, EndLine: to2, Text: text2}}
		file := syntax.Lines(src)
		out, n := review.Apply(src, edits)
		if n == 0 {
			require.Equal(t, string(src), string(out))
			return
		}
		possible := 0
		for _, e := range edits {
			if 1 <= e.StartLine && e.StartLine <= e.EndLine && e.EndLine <= file.LineCount() {
				possible++
			}
		}
		require.LessOrEqual(t, n, possible, "an edit outside of the file was applied")
		require.Equal(t, bytes.HasPrefix(src, []byte("\ufeff")), file.BOM)
		if file.BOM {
			require.True(t, bytes.HasPrefix(out, []byte("\ufeff")))
		}
		if possible == 1 && n == 1 {
			e := edits[0]
			if !(1 <= e.StartLine && e.StartLine <= e.EndLine && e.EndLine <= file.LineCount()) {
				e = edits[1]
			}
			end := file.LineStart(e.EndLine) + len(file.Line(e.EndLine))
			want := string(file.Src[:file.LineStart(e.StartLine)]) + e.Text + string(file.Src[end:])
			require.Equal(t, want, string(bytes.TrimPrefix(out, []byte("\ufeff"))))
		}
	})
}

// FuzzSuppress: a comment accepts findings of a known rule with a reason, or says
// what is wrong with it; it never hides anything else.
func FuzzSuppress(f *testing.F) {
	for _, s := range []string{"allow(R45) why", "allow(R1, R2) a b", "allow(R1)", "allow(T1) no", "allow() x", "allow(R99) x", "allow R1 x", "deny(R1) x", "allow(R1) -", "", "allow(R6)\u00a0x", "allow(R 6) x"} {
		f.Add(s)
	}
	clean := reviewAndWrite(f, withLine(violation), nil)
	f.Fuzz(func(t *testing.T, comment string) {
		head := withLine("        // tilegate: " + comment + "\n" + violation)
		r := reviewed(t, head, nil)
		var accepted []string
		for _, s := range r.Summary.Suppressions {
			require.True(t, s.Reason != "" && len(s.Rules) > 0 || s.Problem != "", "%+v", s)
			if s.Used {
				require.Empty(t, s.Problem)
				accepted = append(accepted, s.Rules...)
			}
		}
		if len(r.Summary.Unread) > 0 || bytes.ContainsAny([]byte(comment), "\r\n") {
			return // the comment ends and code begins
		}
		for _, want := range clean.Findings {
			if !slices.Contains(accepted, want.Rule) {
				require.Equal(t, count(clean, want.Rule), count(r, want.Rule), "%s is gone and was not accepted", want.Rule)
			}
		}
	})
}

// FuzzWrite: every format bears any text in a report.
func FuzzWrite(f *testing.F) {
	f.Add("a/b.rs", "m `x` | <b>", "why\x1b[0m", "text\n```\n::error::x", uint8(0), uint8(1), uint8(2), uint8(3))
	f.Add("\r\n%0a", "\ufeff\u202e\x00", "\xff\xfe", "</details>@x", uint8(255), uint8(0), uint8(0), uint8(255))
	f.Fuzz(func(t *testing.T, path, message, why, text string, first, more, from, to uint8) {
		severity := []review.Severity{review.Error, review.Warning, review.Note}[first%3]
		line, column, endColumn := 1+int(first), 1+int(from), 1+int(to)
		end := line + int(more)
		r := &review.Report{Schema: review.Schema, Tool: review.Tool{Name: "tilegate", Version: why}, Findings: []review.Finding{{
			Rule: "R1", Severity: severity, Path: path, Line: line, EndLine: end, Column: column, EndColumn: endColumn, Kernel: text, Title: message,
			Message: message, Why: why, AlsoAt: []int{line, end}, Fingerprint: text, New: true,
			Fix: &review.Fix{Description: why, Edits: []review.Edit{{StartLine: line, EndLine: end, Text: text}}},
		}}}
		r.Summary = review.Summary{Kernels: []string{path}, Unread: []review.Unread{{Path: path, Why: message}}, Suppressions: []review.Suppression{{Path: path, Line: line, Rules: []string{"R1"}, Reason: why, Used: true, New: true}, {Path: path, Problem: message}}}
		for _, source := range []*syntax.File{nil, syntax.Lines([]byte(text + "\n" + message))} {
			style := review.Style{All: true, Source: func(string) *syntax.File { return source }}
			for _, format := range review.Formats {
				if format == "json" {
					require.NoError(t, review.Write(io.Discard, format, r, style))
					continue
				}
				checkFormat(t, r, style, format)
			}
		}
	})
}

// FuzzKnown: what the base has is not new, whatever else it has; what it lacks is;
// and a second review is the same.
func FuzzKnown(f *testing.F) {
	seedPlaces(f)
	f.Fuzz(func(t *testing.T, place uint8, text string) {
		if len(text) > maxFuzzed {
			return
		}
		changed, clean := laid(places[int(place)%len(places)].path, text), ruletest.Base()
		run := func(head, base fstest.MapFS) *review.Report {
			r, err := review.Run(context.Background(), review.Options{Head: head, Base: base, Rules: all.Rules})
			require.NoError(t, err)
			return r
		}
		hostile.Ends(t, 5*len(text), func() {
			require.False(t, run(changed, changed).Reaches(review.Note), "new against itself")
			r := run(changed, clean)
			require.Equal(t, r, run(changed, clean), "a second review differs")
			// The clean tree has no finding that could be old.
			for _, f := range r.Findings {
				require.True(t, f.New, "%s is called old and the base has none", f.Rule)
			}
		})
	})
}
