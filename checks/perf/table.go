package perf

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// WriteTable prints rows in columns that are two blanks apart. The letters of align
// say for each column whether it keeps to the left (l) or, as numbers, to the right
// (r).
func WriteTable(b *strings.Builder, align string, rows [][]string) {
	widths := make([]int, len(align))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			blanks := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i > 0 {
				line += "  "
			}
			if align[i] == 'r' {
				line += blanks + cell
			} else {
				line += cell + blanks
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// FormatRatios prints a column of ratios with one number of decimals: as many as
// the one needs that FormatRatio gives most. A ratio that is not known is a dash.
func FormatRatios(ratios []*float64, threshold float64) []string {
	out := make([]string, len(ratios))
	decimals := 0
	for i, r := range ratios {
		out[i] = "-"
		if r == nil {
			continue
		}
		out[i] = FormatRatio(*r, threshold)
		if _, after, ok := strings.Cut(out[i], "."); ok && !strings.Contains(after, "e") {
			decimals = max(decimals, len(after))
		}
	}
	for i, r := range ratios {
		if r != nil && !strings.Contains(out[i], "e") {
			out[i] = strconv.FormatFloat(snap(*r, threshold), 'f', decimals, 64)
		}
	}
	return out
}

// maxDecimals bounds the decimals of a column of times whose values lie far apart.
const maxDecimals = 6

// FormatTimes prints a column of milliseconds in one unit with one number of
// decimals, which leave the smallest four significant digits. A time that is not
// known is a dash.
func FormatTimes(ms []*float64) []string {
	least, most := math.Inf(1), 0.0
	for _, v := range ms {
		if v != nil && *v != 0 {
			least, most = min(least, math.Abs(*v)), max(most, math.Abs(*v))
		}
	}
	units := []struct {
		name string
		ms   float64
	}{{"s", 1000}, {"ms", 1}, {"us", 1e-3}, {"ns", 1e-6}}
	unit := units[1]
	for _, u := range units {
		// Six digits before the point are the most that is read with ease.
		if most > 0 && most/u.ms < 1e6 {
			unit = u
		}
		if least/u.ms >= 1 {
			break
		}
	}
	decimals := 0
	if most > 0 {
		// What is printed decides: 9.9999 has four digits as 10.00.
		printed, _ := strconv.ParseFloat(strconv.FormatFloat(least/unit.ms, 'e', 3, 64), 64)
		decimals = min(maxDecimals, max(0, 3-int(math.Floor(math.Log10(printed)))))
	}
	out := make([]string, len(ms))
	for i, v := range ms {
		out[i] = "-"
		if v != nil {
			out[i] = fmt.Sprintf("%.*f %s", decimals, *v/unit.ms, unit.name)
		}
	}
	return out
}
