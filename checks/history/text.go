package history

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/tilegate/tilegate/checks/perf"
	"github.com/tilegate/tilegate/checks/untrusted"
	"github.com/tilegate/tilegate/checks/words"
)

// recent is the number of measurements of a series that the text lists.
const recent = 12

// drawn is the number of measurements of a series that a sparkline shows, so that a
// line of the table fits a screen.
const drawn = 60

// last are the newest n of a series' values.
func last[T any](values []T, n int) []T { return values[max(0, len(values)-n):] }

// gap stands in a sparkline where there is no value.
const gap = '·'

// steadyShare is the spread, as a share of the middle, below which a sparkline
// does not fill its height: two cards of one model differ by about 1 %.
const steadyShare = 0.04

// Sparkline draws values in one line of block characters, the lowest value as the
// lowest block. Values within 4 % of each other keep to the middle.
func Sparkline(values []*float64) string {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v != nil {
			lo, hi = math.Min(lo, *v), math.Max(hi, *v)
		}
	}
	if middle := (lo + hi) / 2; hi-lo < steadyShare*middle {
		lo, hi = middle*(1-steadyShare/2), middle*(1+steadyShare/2)
	}
	blocks := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, v := range values {
		if v == nil {
			b.WriteRune(gap)
			continue
		}
		b.WriteRune(blocks[min(len(blocks)-1, int((*v-lo)/(hi-lo)*float64(len(blocks))))])
	}
	return b.String()
}

// WriteText prints series for people: a sparkline of the ratio, the newest
// measurements, and the medians of each config.
func WriteText(w io.Writer, all []Series) error {
	var b strings.Builder
	for i, s := range all {
		if i > 0 {
			b.WriteString("\n")
		}
		s.text(&b)
	}
	var out strings.Builder
	for line := range strings.Lines(b.String()) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func (s Series) text(b *strings.Builder) {
	fmt.Fprintln(b, s.Title())
	fmt.Fprintln(b, s.Where())
	ratios := make([]*float64, len(s.Points))
	for i, p := range s.Points {
		ratios[i] = p.Ratio
	}
	fmt.Fprintf(b, "\n  %s  %s\n\n", Sparkline(last(ratios, drawn)), s.newest())
	rows := [][]string{{"  commit", "measured", "ratio", "interval", "rounds", "severity", "source"}}
	first := max(0, len(s.Points)-recent)
	for i, ratio := range perf.FormatRatios(ratios[first:], s.Threshold) {
		p := s.Points[first+i]
		rows = append(rows, []string{"  " + p.Commit[:7], p.At.UTC().Format("2006-01-02 15:04 UTC"), ratio, interval(p), strconv.Itoa(p.Rounds), p.Severity, line(p.Source)})
	}
	perf.WriteTable(b, "llrrrll", rows)
	if first > 0 {
		fmt.Fprintf(b, "  and %d older\n", first)
	}
	changes := s.drivers()
	for _, change := range last(changes, recent) {
		fmt.Fprintln(b, "  "+change)
	}
	if older := len(changes) - recent; older > 0 {
		fmt.Fprintf(b, "  and %s of the driver\n", words.Count(older, "older change"))
	}
	if len(s.Configs) == 0 {
		return
	}
	fmt.Fprintln(b)
	rows = [][]string{{"  config", line(s.Candidate), "", line(s.Reference), "", "ratio"}}
	var times []*float64
	for _, c := range s.Configs {
		times = append(times, newest(c.Candidate), newest(c.Reference))
	}
	ms := perf.FormatTimes(times) // both sides in one unit
	for i, c := range s.Configs {
		rows = append(rows, []string{"  " + line(c.Name), Sparkline(last(c.Candidate, drawn)), ms[2*i], Sparkline(last(c.Reference, drawn)), ms[2*i+1], c.newestRatio()})
	}
	perf.WriteTable(b, "llrlrr", rows)
}

// Title names what a series is about.
func (s Series) Title() string {
	variant := s.Variant
	if variant == "" {
		variant = "all variants"
	}
	return fmt.Sprintf("%s, %s: %s over %s", line(s.Kernel), line(variant), line(s.Candidate), line(s.Reference))
}

// Where says on which card it was measured, how and of which repository.
func (s Series) Where() string {
	parts := []string{line(s.GPU)}
	if s.GPUClass != "" && s.GPUClass != s.GPU {
		parts = append(parts, "class "+line(s.GPUClass))
	}
	if s.Timing != "" {
		parts = append(parts, "timed by "+line(s.Timing))
	}
	return strings.Join(append(parts, line(s.Repository)), ", ")
}

// newest is the newest ratio in words.
func (s Series) newest() string {
	p, ok := s.Last()
	if !ok {
		return "no ratio"
	}
	text := fmt.Sprintf("newest ratio %s, %s, limit %s", perf.FormatRatio(*p.Ratio, s.Threshold), p.Severity, perf.FormatRatio(s.Threshold, s.Threshold))
	if p.Commit != s.Points[len(s.Points)-1].Commit {
		text += fmt.Sprintf(" (of %s; later ones have none)", p.Commit[:7])
	}
	return text
}

func interval(p Point) string {
	if p.Interval == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f to %.3f", p.Interval.Low, p.Interval.High)
}

// drivers says at which commits the driver changed: times before and after are not
// of the same host.
func (s Series) drivers() []string {
	var out []string
	for i, p := range s.Points[1:] {
		if before := s.Points[i].Driver; before != p.Driver {
			out = append(out, fmt.Sprintf("driver %s instead of %s from %s on", line(p.Driver), line(before), p.Commit[:7]))
		}
	}
	return out
}

// newest is the value of the newest measurement, nil when it has none.
func newest(values []*float64) *float64 { return values[len(values)-1] }

func (c ConfigSeries) newestRatio() string {
	candidate, reference := newest(c.Candidate), newest(c.Reference)
	if candidate == nil || reference == nil {
		return "-"
	}
	return strconv.FormatFloat(*candidate / *reference, 'f', 3, 64)
}

func line(s string) string { return untrusted.Text(s).Line() }

func ms(v *float64) string {
	if v == nil {
		return "-"
	}
	return perf.FormatMS(*v)
}
