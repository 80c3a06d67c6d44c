package review_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/syntax"
)

// FuzzReview: whatever stands in one file of a change, the review ends, names only
// places that exist, is not called clean when something was not read, and writes
// every format; its safe fixes are final.
func FuzzReview(f *testing.F) {
	clean := ruletest.Base()
	paths := slices.Sorted(maps.Keys(clean))
	for i, p := range paths {
		text := string(clean[p].Data)
		f.Add(uint8(i), text)
		f.Add(uint8(i), text[:len(text)/2])
	}
	f.Add(uint8(0), "")
	f.Add(uint8(1), "\xff\x00")
	f.Fuzz(func(t *testing.T, place uint8, text string) {
		if len(text) > 64<<10 {
			t.Skip("longer files are the matter of the tests of hostile shapes")
		}
		path := paths[int(place)%len(paths)]
		head := maps.Clone(clean)
		head[path] = &fstest.MapFile{Data: []byte(text)}
		o := review.Options{Head: head, Base: clean, Rules: all.Rules}
		r, err := review.Run(context.Background(), o)
		require.NoError(t, err)
		for _, found := range r.Findings {
			require.True(t, slices.ContainsFunc(all.Rules, func(r *rules.Rule) bool { return r.ID == found.Rule }), found.Rule)
			require.Positive(t, found.Line)
			require.GreaterOrEqual(t, found.EndLine, found.Line)
			if file := head[found.Path]; file != nil && len(file.Data) > 0 {
				require.LessOrEqual(t, found.EndLine, bytes.Count(file.Data, []byte("\n"))+1, "%s in %s", found.Rule, found.Path)
			}
		}
		if len(r.Summary.Unread) > 0 {
			require.NotContains(t, r.Sentence(), "No finding:")
		}
		style := review.Style{Rules: all.Rules, Source: func(p string) *syntax.File {
			if file := head[p]; file != nil {
				return syntax.Lines(file.Data)
			}
			return nil
		}}
		for _, format := range review.Formats {
			var out bytes.Buffer
			require.NoError(t, review.Write(&out, format, r, style))
			require.True(t, utf8.Valid(out.Bytes()), format)
			if format == "json" || format == "sarif" || format == "rdjson" {
				require.True(t, json.Valid(out.Bytes()), format)
			}
		}
		if !slices.ContainsFunc(r.Findings, func(f review.Finding) bool { return f.Fix != nil }) {
			return
		}
		fixed, err := review.Repair(context.Background(), o, nil)
		require.NoError(t, err)
		for _, file := range fixed.Files {
			head[file.Path] = &fstest.MapFile{Data: file.After}
		}
		again, err := review.Repair(context.Background(), o, nil)
		require.NoError(t, err)
		require.Empty(t, again.Files, "fixing twice changes nothing")
	})
}
