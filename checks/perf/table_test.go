package perf

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTable(t *testing.T) {
	var b strings.Builder
	WriteTable(&b, "lrl", [][]string{{"name", "number", "note"}, {"ä·", "1.50", ""}, {"long name", "12.25", "x"}})
	require.Equal(t, "name       number  note\nä·           1.50\nlong name   12.25  x\n", b.String())
}

func pointers(values ...float64) []*float64 {
	out := make([]*float64, len(values))
	for i, v := range values {
		if !math.IsNaN(v) {
			out[i] = &v
		}
	}
	return out
}

// A column has one number of decimals, which leaves word and number in agreement.
func TestColumnOfRatios(t *testing.T) {
	nan := math.NaN()
	for _, row := range []struct {
		ratios []float64
		want   string
	}{
		{nil, ""},
		{[]float64{1.2, nan, 12}, "1.200 - 12.000"},
		{[]float64{1.05002, 0.9}, "1.05002 0.90000"},
		{[]float64{0.0123, 1}, "0.0123 1.0000"},
		{[]float64{1.05 + 1e-12, 2}, "1.050 2.000"},
	} {
		got := FormatRatios(pointers(row.ratios...), DefaultThreshold)
		require.Equal(t, row.want, strings.Join(got, " "))
		for i, r := range row.ratios {
			if !math.IsNaN(r) {
				alone, column := FormatRatio(r, DefaultThreshold), got[i]
				require.Equal(t, strings.TrimRight(alone, "0"), strings.TrimRight(column, "0"), "the same number")
			}
		}
	}
}

func TestColumnOfTimes(t *testing.T) {
	nan := math.NaN()
	for want, ms := range map[string][]float64{
		"":                           nil,
		"-":                          {nan},
		"0 ms":                       {0},
		"1.200 ms|-|0.000 ms":        {1.2, nan, 0},
		"990.0 us|1100.0 us":         {0.99, 1.1},
		"10.00 us|10.50 us":          {0.0099999, 0.0105},
		"500.0 ns|1500.0 ns":         {0.0005, 0.0015},
		"2.000 s|30.000 s":           {2000, 30000},
		"0.000500 ms|2000.000000 ms": {0.0005, 2000},
		"2.015 us|123456.789 us":     {0.002015, 123.456789},
	} {
		require.Equal(t, want, strings.Join(FormatTimes(pointers(ms...)), "|"))
	}
}

// The numbers of both forms of a verdict keep to the right.
func TestTablesAlignNumbers(t *testing.T) {
	v := Compare([]File{xmlFile("1", Both, rs("a", 12), cutile("a", 1), rs("b", 0.5), cutile("b", 1), rs("c", 1.0500004), cutile("c", 1))}, nil, cutileOptions)
	var text, markdown strings.Builder
	require.NoError(t, WriteText(&text, v))
	require.Contains(t, text.String(), `
config        variant   candidate  reference       ratio  rel_std  launches  change  note
test_perf[a]  default  12000.0 us  1000.0 us  12.0000000    0.0 %       1/1  slower
test_perf[b]  default    500.0 us  1000.0 us   0.5000000    0.0 %       1/1  faster
test_perf[c]  default   1050.0 us  1000.0 us   1.0500004    0.0 %       1/1  slower
`[1:])
	require.NoError(t, WriteMarkdown(&markdown, v))
	require.Contains(t, markdown.String(), "\n|---|---|--:|--:|--:|--:|--:|---|---|\n")
}

// Configs that lack a time for one reason are counted, not listed without end.
func TestMissingConfigsAreFolded(t *testing.T) {
	cases := []bench{rs("a", 1), cutile("a", 1), cutile("skipped", 1), {params: "skipped", backend: "cutile-rs", skip: "no fp64"}}
	for i := range 20 {
		cases = append(cases, cutile(fmt.Sprintf("gone-%02d", i), 1))
	}
	v := Compare([]File{xmlFile("1", Both, cases...)}, nil, cutileOptions)
	require.Len(t, v.Missing, 21)
	var b strings.Builder
	require.NoError(t, WriteText(&b, v))
	require.Contains(t, b.String(), `
missing:
  test_perf[skipped]  candidate  skipped: no fp64
  test_perf[gone-00]  candidate  not in the records
  test_perf[gone-01]  candidate  not in the records
  test_perf[gone-02]  candidate  not in the records
  and 17 more         candidate  not in the records
`)
}
