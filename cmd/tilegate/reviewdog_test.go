package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const kernelFile = "src/tilegym/ops/cutile_rs/demo_kernel/kernel.rs"

// dogDiagnostic is what reviewdog says of one diagnostic that it was given.
type dogDiagnostic struct {
	Message     string
	Severity    string
	Location    dogLocation
	Code        struct{ Value, URL string }
	Suggestions []struct {
		Range dogRange
		Text  string
	}
	RelatedLocations []struct{ Location dogLocation } `json:"related_locations"`
}

type dogLocation struct {
	Path  string
	Range dogRange
}

type dogRange struct{ Start, End struct{ Line, Column int } }

// TestReviewdog gives the rdjson of changes in a git repository to reviewdog
// itself and looks at what it understood.
func TestReviewdog(t *testing.T) {
	dog := os.Getenv("REVIEWDOG")
	if dog == "" {
		t.Skip("REVIEWDOG is not set; it names the reviewdog binary, 0.20 or later")
	}
	repo := t.TempDir()
	run := func(in io.Reader, name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Stdin, cmd.Stderr = repo, in, os.Stderr
		out, err := cmd.Output()
		return string(out), err
	}
	git := func(args ...string) {
		_, err := run(nil, "git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
		require.NoError(t, err)
	}
	review := func(base *string) *bytes.Buffer {
		var out bytes.Buffer
		_ = (&reviewCmd{Path: repo, Base: base, Format: "rdjson", FailOn: "error"}).Run(streams{Out: &out, Err: io.Discard})
		return &out
	}
	// write puts lines before the kernel's scale, with the line ends of the file.
	kernel := filepath.Join(repo, kernelFile)
	write := func(end string, lines ...string) []string {
		clean, err := os.ReadFile("../../checks/rules/ruletest/base/" + kernelFile)
		require.NoError(t, err)
		const anchor = "        let scale: "
		src := strings.Replace(string(clean), anchor, strings.Join(append(lines, anchor), "\n"), 1)
		require.Contains(t, string(clean), anchor)
		require.NoError(t, os.WriteFile(kernel, []byte(strings.ReplaceAll(src, "\n", end)), 0o644))
		return strings.Split(src, "\n")
	}
	require.NoError(t, os.CopyFS(repo, os.DirFS("../../checks/rules/ruletest/base")))
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-q", "-m", "clean")

	base := "main"
	lines := write("\n",
		"        /* größe 🙂 */ let tiny: Tile<f32, { [] }> = scalar_to_tile(1e-6f32);",
		"        let half: Tile<f32, { [] }> = scalar_to_tile(0.5f32);",
		"        let huge: Tile<f32, { [] }> = scalar_to_tile(1e9f32);",
		"        let wide: Tile<i64, { [] }> = exti(scalar_to_tile(cols));",
		"        let twice: Tile<f32, { [BLOCK * 2] }> = broadcast_scalar(factor, const_shape![BLOCK]);",
	)
	found := review(&base).String()

	t.Run("local", func(t *testing.T) {
		out, err := run(strings.NewReader(found), dog, "-f=rdjson", "-reporter=local", "-diff=git diff main")
		require.NoError(t, err)
		for _, want := range []string{
			"warning[R2]: `1e-6f32` has an exponent", "error[R7]: ", "error[R6]: ", "\n  also at line",
			"--> " + kernelFile + ":", " ^^^^^^^\n", "\n  why: ", "\n  fix: ",
		} {
			assert.Contains(t, out, want)
		}
		_, err = run(strings.NewReader(found), dog, "-f=rdjson", "-reporter=local", "-filter-mode=nofilter", "-fail-level=error")
		assert.Error(t, err, "errors fail the run where that is asked for")
	})

	t.Run("understood", func(t *testing.T) {
		out, err := run(strings.NewReader(found), dog, "-f=rdjson", "-reporter=rdjsonl", "-diff=git diff main")
		require.NoError(t, err)
		all := map[string]dogDiagnostic{}
		for d := json.NewDecoder(strings.NewReader(out)); d.More(); {
			var x dogDiagnostic
			require.NoError(t, d.Decode(&x))
			all[x.Code.Value] = x
		}
		require.Len(t, all, 3)
		for rule, want := range map[string]string{"R2": "1e-6f32", "R7": "exti(scalar_to_tile(cols))", "R6": "BLOCK * 2"} {
			d := all[rule]
			at := d.Location.Range
			require.Equal(t, kernelFile, d.Location.Path, rule)
			require.Equal(t, at.Start.Line, at.End.Line, rule)
			assert.Equal(t, want, lines[at.Start.Line-1][at.Start.Column-1:at.End.Column-1], "columns count bytes")
			assert.True(t, strings.HasSuffix(d.Code.URL, "/docs/rules/"+rule+".md"), d.Code.URL)
		}
		assert.Equal(t, "WARNING", all["R2"].Severity)
		assert.Equal(t, "ERROR", all["R6"].Severity)
		assert.Empty(t, all["R6"].Suggestions)
		require.Len(t, all["R2"].RelatedLocations, 1)
		assert.Equal(t, lines[all["R2"].RelatedLocations[0].Location.Range.Start.Line-1], "        let huge: Tile<f32, { [] }> = scalar_to_tile(1e9f32);")

		// The two edits of R2 are one suggestion, with the line between them.
		require.Len(t, all["R2"].Suggestions, 1)
		s := all["R2"].Suggestions[0]
		assert.Zero(t, s.Range.Start.Column+s.Range.End.Column, "whole lines")
		assert.Equal(t, all["R2"].Location.Range.Start.Line, s.Range.Start.Line)
		assert.Equal(t, s.Range.Start.Line+2, s.Range.End.Line)
		assert.Equal(t, "        /* größe 🙂 */ let tiny: Tile<f32, { [] }> = scalar_to_tile(0.000001f32);\n"+
			"        let half: Tile<f32, { [] }> = scalar_to_tile(0.5f32);\n"+
			"        let huge: Tile<f32, { [] }> = scalar_to_tile(1000000000.0f32);", s.Text)
		require.Len(t, all["R7"].Suggestions, 1)
		assert.Equal(t, 1, strings.Count(all["R7"].Suggestions[0].Text, "\n"), "one line becomes two")
	})

	t.Run("line ends", func(t *testing.T) {
		write("\r\n", "        let wide: Tile<i64, { [] }> = exti(scalar_to_tile(cols));")
		out, err := run(review(&base), dog, "-f=rdjson", "-reporter=rdjsonl", "-diff=git diff main")
		require.NoError(t, err)
		var x dogDiagnostic
		require.NoError(t, json.Unmarshal([]byte(out), &x))
		require.Len(t, x.Suggestions, 1)
		assert.Equal(t, 1, strings.Count(x.Suggestions[0].Text, "\r\n"), "%q", x.Suggestions[0].Text)
		assert.False(t, strings.HasSuffix(x.Suggestions[0].Text, "\r"), "%q", x.Suggestions[0].Text)
	})

	// A file that could not be read is not lost in the filter by the diff.
	t.Run("unread", func(t *testing.T) {
		write("\n", "        let broken: = {{{")
		out, err := run(review(&base), dog, "-f=rdjson", "-reporter=local", "-diff=git diff main", "-fail-level=error")
		assert.Error(t, err)
		assert.Regexp(t, "unread: "+regexp.QuoteMeta(kernelFile)+":[0-9:]+: syntax error", out)
	})

	t.Run("clean", func(t *testing.T) {
		write("\n")
		out, err := run(review(nil), dog, "-f=rdjson", "-reporter=local", "-filter-mode=nofilter", "-fail-level=any")
		require.NoError(t, err)
		assert.Empty(t, out)
	})
}
