package history

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tilegate/tilegate/checks/perf"
	"github.com/tilegate/tilegate/checks/untrusted"
	"github.com/tilegate/tilegate/checks/words"
)

// The measures of a chart, in pixels.
const (
	chartWidth  = 960.0
	marginLeft  = 56.0
	marginRight = 164.0
	headHeight  = 62.0  // title and where
	plotHeight  = 220.0 // ratio over commits
	footHeight  = 44.0  // commits and dates
	cellColumns = 3
	cellHeight  = 96.0
	cellLine    = 14.0 // more where names take a second line
	cellGap     = 20.0
	chartGap    = 28.0

	maxPoints = 240 // of a chart
	maxCells  = 12  // configs shown below it
)

// style has both colour schemes; shapes differ too, so that colour is not needed.
const style = `
.bg{fill:#fff}.ink{fill:#1f2328}.dim{fill:#59636e}.grid{stroke:#d1d9e0;stroke-width:1}.frame{fill:none;stroke:#d1d9e0}
.done{fill:#1a7f37;fill-opacity:.1}.limit{stroke:#9a6700;stroke-width:1;stroke-dasharray:5 4}.pass{stroke:#1a7f37;stroke-width:1.5;stroke-dasharray:none}
.band{fill:#0969da;fill-opacity:.16}.bar{stroke:#0969da;stroke-opacity:.5;stroke-width:1.5}.beyond{fill:#0969da}.line{fill:none;stroke:#0969da;stroke-width:1.75;stroke-linejoin:round}
.ref{fill:none;stroke:#818b98;stroke-width:1.5;stroke-dasharray:3 3}.none{stroke:#818b98;stroke-width:1.5}.driver{stroke:#818b98;stroke-width:1;stroke-dasharray:1 3}
.DONE{fill:#1a7f37}.MILD_GAP{fill:#9a6700}.MODERATE_GAP{fill:#bc4c00}.LARGE_GAP{fill:#cf222e}
text{font-family:system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;font-size:12px}
.title{font-size:16px;font-weight:600}.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:11px}.small{font-size:11px}.strong{font-weight:600;paint-order:stroke;stroke:#fff;stroke-width:3px}
@media (prefers-color-scheme:dark){
.bg{fill:#0d1117}.ink{fill:#e6edf3}.dim{fill:#9198a1}.grid{stroke:#30363d}.frame{stroke:#30363d}.strong{stroke:#0d1117}
.done{fill:#3fb950;fill-opacity:.13}.limit{stroke:#d29922}.pass{stroke:#3fb950}
.band{fill:#58a6ff;fill-opacity:.2}.bar{stroke:#58a6ff}.beyond{fill:#58a6ff}.line{stroke:#58a6ff}.ref{stroke:#7d8590}.none{stroke:#7d8590}.driver{stroke:#7d8590}
.DONE{fill:#3fb950}.MILD_GAP{fill:#d29922}.MODERATE_GAP{fill:#f0883e}.LARGE_GAP{fill:#ff7b72}
}`

// WriteSVG draws series as one chart below the other: the geometric mean ratio of
// each measurement with its interval, the limits of the bands, and below it the
// medians of the configs that are slowest against the reference. Equal series give
// equal bytes. A chart shows the newest 240 measurements.
func WriteSVG(w io.Writer, all []Series) error {
	var body canvas
	y := chartGap / 2
	for _, s := range all {
		y = body.series(s, y) + chartGap
	}
	if len(all) == 0 {
		body.text(marginLeft, y+20, "dim", "start", "No measurements.")
		y += 40
	}
	height := number(y)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img">`, number(chartWidth), height, number(chartWidth), height)
	fmt.Fprintf(&b, "\n<title>Performance history</title>\n<style>%s\n</style>\n<rect class=\"bg\" width=\"100%%\" height=\"100%%\"/>\n", style)
	b.WriteString(body.String())
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

type canvas struct {
	strings.Builder
	clips int
}

// number prints a coordinate.
func number(f float64) string {
	return strconv.FormatFloat(math.Round(f*10)/10, 'f', -1, 64)
}

// escape is untrusted text for element content, on one line, of characters that
// XML knows.
func escape(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == 0xFFFE || r == 0xFFFF {
			return utf8.RuneError
		}
		return r
	}, untrusted.Text(s).Line())
	return untrusted.Text(s).HTML()
}

func (c *canvas) text(x, y float64, class, anchor, s string) {
	fmt.Fprintf(c, "<text x=\"%s\" y=\"%s\" class=\"%s\" text-anchor=\"%s\">%s</text>\n", number(x), number(y), class, anchor, escape(s))
}

func (c *canvas) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(c, "<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" class=\"%s\"/>\n", number(x1), number(y1), number(x2), number(y2), class)
}

func (c *canvas) rect(x, y, w, h float64, class string) {
	fmt.Fprintf(c, "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" class=\"%s\"/>\n", number(x), number(y), number(w), number(h), class)
}

type xy struct{ x, y float64 }

func points(list []xy) string {
	parts := make([]string, len(list))
	for i, p := range list {
		parts[i] = number(p.x) + "," + number(p.y)
	}
	return strings.Join(parts, " ")
}

// runs cuts n places into the stretches on which there is a value.
func runs(n int, has func(int) bool) (out [][2]int) {
	start := -1
	for i := 0; i <= n; i++ {
		if i < n && has(i) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			out = append(out, [2]int{start, i})
			start = -1
		}
	}
	return out
}

// scale maps values onto pixels, logarithmically: a factor is the same distance
// everywhere. lo and hi are logarithms, for the range of what is measured has no
// bound.
type scale struct{ lo, hi, top, height float64 }

func (s scale) y(v float64) float64 { return s.top + s.height*(s.hi-math.Log(v))/(s.hi-s.lo) }

func (s scale) holds(v float64) bool { return math.Log(v) >= s.lo && math.Log(v) <= s.hi }

// near is y, for values far outside just outside.
func (s scale) near(v float64) float64 {
	return math.Min(math.Max(s.y(v), s.top-s.height), s.top+2*s.height)
}

// ratioScale holds all ratios, 1 and the limit that passes. Intervals may be as
// wide as they like: they are cut where they would press the ratios flat.
func ratioScale(s Series, top float64) scale {
	lo, hi := math.Log(0.97), math.Max(math.Log(s.Threshold)+0.02, math.Log(perf.MildLimit)+0.01)
	least, most := 0.0, 0.0
	for _, p := range s.Points {
		if p.Ratio != nil {
			least, most = math.Min(least, math.Log(*p.Ratio)), math.Max(most, math.Log(*p.Ratio))
		}
	}
	for _, p := range s.Points {
		if p.Ratio != nil && p.Interval != nil {
			lo, hi = math.Min(lo, math.Max(math.Log(p.Interval.Low), least-0.1)), math.Max(hi, math.Min(math.Log(p.Interval.High), most+0.1))
		}
	}
	lo, hi = math.Min(lo, least), math.Max(hi, most)
	if hi > math.Log(1.3) {
		hi = math.Max(hi, math.Log(perf.ModerateLimit)+0.03)
	}
	pad := (hi - lo) * 0.04
	return scale{lo - pad, hi + pad, top, plotHeight}
}

// ticks are round ratios, at most ten or so.
func (s scale) ticks() []float64 {
	var out []float64
	add := func(v float64) {
		if v > 0 && s.holds(v) {
			out = append(out, v)
		}
	}
	if decades := (s.hi - s.lo) / math.Ln10; decades > 0.6 {
		step, parts := math.Ceil(decades/9), []float64{1}
		if decades < 3 {
			parts = []float64{1, 2, 5}
		}
		for e := math.Ceil(s.lo/math.Ln10/step)*step - step; e*math.Ln10 <= s.hi; e += step {
			for _, m := range parts {
				add(m * math.Pow(10, e))
			}
		}
		return out
	}
	lo, hi := math.Exp(s.lo), math.Exp(s.hi)
	step := 0.0
	for _, step = range []float64{0.5, 0.2, 0.1, 0.05, 0.02} {
		if (hi-lo)/step >= 4 {
			break
		}
	}
	for n := math.Ceil(lo / step); n*step <= hi; n++ {
		add(n * step)
	}
	return out
}

// series draws one chart below top and returns where it ends.
func (c *canvas) series(s Series, top float64) float64 {
	hidden := max(0, len(s.Points)-maxPoints)
	s.Points = s.Points[hidden:]
	c.text(marginLeft, top+18, "ink title", "start", s.Title())
	where := s.Where() + " · " + s.newest()
	if hidden > 0 {
		where += fmt.Sprintf(" · %d older not shown", hidden)
	}
	c.text(marginLeft, top+38, "dim", "start", where)

	plot := ratioScale(s, top+headHeight)
	width := chartWidth - marginLeft - marginRight
	bottom := plot.top + plot.height
	x := func(i int) float64 { return marginLeft + width*(float64(i)+0.5)/float64(len(s.Points)) }

	limit := math.Max(plot.y(s.Threshold), plot.top)
	c.rect(marginLeft, limit, width, bottom-limit, "done")
	for _, v := range plot.ticks() {
		c.line(marginLeft, plot.y(v), marginLeft+width, plot.y(v), "grid")
		c.text(marginLeft-8, plot.y(v)+4, "dim small", "end", strconv.FormatFloat(v, 'g', 4, 64))
	}
	c.limits(plot, s.Threshold, width)
	c.rect(marginLeft, plot.top, width, plot.height, "frame")
	c.ratios(s, plot, x, width)
	c.commits(s, x, width, bottom)
	return c.cells(s, hidden, bottom+footHeight)
}

// limits draws where the bands end and names the bands on the right, also those
// that lie above the chart.
func (c *canvas) limits(plot scale, threshold, width float64) {
	below := math.Inf(1)
	above := []string{}
	for i, l := range []struct {
		at   float64
		name string
	}{{threshold, perf.SeverityDone}, {perf.MildLimit, perf.MildGap}, {perf.ModerateLimit, perf.ModerateGap}} {
		label := strconv.FormatFloat(l.at, 'f', 2, 64) + " " + l.name
		if !plot.holds(l.at) {
			above = append(above, label)
			continue
		}
		class := "limit"
		if i == 0 {
			class = "limit pass"
		}
		y := plot.y(l.at)
		c.line(marginLeft, y, marginLeft+width, y, class)
		below = math.Min(y+4, below-13)
		c.text(marginLeft+width+8, below, "small "+l.name, "start", "≤ "+label)
	}
	for _, label := range above {
		below = math.Min(plot.top+4, below-13)
		c.text(marginLeft+width+8, below, "dim small", "start", "↑ "+label)
	}
}

// ratios draws intervals, line and points.
func (c *canvas) ratios(s Series, plot scale, x func(int) float64, width float64) {
	c.clips++
	clip := fmt.Sprintf("plot%d", c.clips)
	fmt.Fprintf(c, "<clipPath id=\"%s\"><rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/></clipPath>\n", clip, number(marginLeft), number(plot.top), number(width), number(plot.height))
	fmt.Fprintf(c, "<g clip-path=\"url(#%s)\">\n", clip)
	for _, r := range runs(len(s.Points), func(i int) bool { return s.Points[i].Ratio != nil && s.Points[i].Interval != nil }) {
		if r[1]-r[0] == 1 {
			p := s.Points[r[0]]
			c.line(x(r[0]), plot.near(p.Interval.High), x(r[0]), plot.near(p.Interval.Low), "bar")
			continue
		}
		var outline []xy
		for i := r[0]; i < r[1]; i++ {
			outline = append(outline, xy{x(i), plot.near(s.Points[i].Interval.High)})
		}
		for i := r[1] - 1; i >= r[0]; i-- {
			outline = append(outline, xy{x(i), plot.near(s.Points[i].Interval.Low)})
		}
		fmt.Fprintf(c, "<polygon points=\"%s\" class=\"band\"/>\n", points(outline))
	}
	for _, r := range runs(len(s.Points), func(i int) bool { return s.Points[i].Ratio != nil }) {
		var list []xy
		for i := r[0]; i < r[1]; i++ {
			list = append(list, xy{x(i), plot.y(*s.Points[i].Ratio)})
		}
		fmt.Fprintf(c, "<polyline points=\"%s\" class=\"line\"/>\n", points(list))
	}
	c.WriteString("</g>\n")
	size := math.Min(4, width/float64(len(s.Points))/2)
	for i, p := range s.Points {
		c.beyond(plot, p, x(i), size)
	}
	for i, p := range s.Points {
		if i > 0 && p.Driver != s.Points[i-1].Driver {
			between := (x(i-1) + x(i)) / 2
			c.line(between, plot.top, between, plot.top+plot.height, "driver")
			c.text(between+4, plot.top+12, "dim small", "start", "driver "+p.Driver)
		}
		tip := fmt.Sprintf("%s, %s, %s", p.Commit[:7], p.At.UTC().Format("2006-01-02 15:04 UTC"), words.Count(p.Rounds, "round"))
		if p.Source != "" {
			tip += ", " + p.Source
		}
		if p.Ratio == nil {
			y := plot.top + plot.height - 9
			fmt.Fprintf(c, "<g class=\"none\"><title>%s: no ratio</title><path d=\"M%s %sl8 8m0 -8l-8 8\"/></g>\n", escape(tip), number(x(i)-4), number(y-4))
			continue
		}
		tip += ": ratio " + perf.FormatRatio(*p.Ratio, s.Threshold) + ", " + p.Severity
		if p.Interval != nil {
			tip += fmt.Sprintf(", %g %% interval %s", p.Interval.Level*100, interval(p))
		}
		fmt.Fprintf(c, "<path d=\"M%s %s%s\" class=\"%s\"><title>%s</title></path>\n", number(x(i)), number(plot.y(*p.Ratio)), shape(p.Severity, len(s.Points)), p.Severity, escape(tip))
	}
	if p, ok := s.Last(); ok {
		i := len(s.Points) - 1
		for s.Points[i].Ratio == nil {
			i--
		}
		label := perf.FormatRatio(*p.Ratio, s.Threshold)
		if alone := i == 0 || s.Points[i-1].Interval == nil || s.Points[i-1].Ratio == nil; alone && p.Interval != nil {
			// Above and below it stands the bar of its interval.
			if room := marginLeft + width - x(i); room > labelWidth {
				c.text(x(i)+9, plot.y(*p.Ratio)+4, "ink small strong", "start", label)
			} else {
				c.text(x(i)-9, plot.y(*p.Ratio)+4, "ink small strong", "end", label)
			}
			return
		}
		y := plot.y(*p.Ratio) - 9
		if y < plot.top+12 {
			y += 24
		}
		c.text(math.Min(x(i), marginLeft+width-20), y, "ink small strong", "middle", label)
	}
}

// labelWidth is the room that a ratio beside its point takes.
const labelWidth = 56

// beyond marks an interval that goes on beyond the edge of the chart, with its
// true end.
func (c *canvas) beyond(plot scale, p Point, x, size float64) {
	if p.Ratio == nil || p.Interval == nil {
		return
	}
	for _, edge := range []struct {
		out       bool
		to        string
		at, inner float64
	}{
		{math.Log(p.Interval.High) > plot.hi, fmt.Sprintf("up to %.3f", p.Interval.High), plot.top, 7},
		{math.Log(p.Interval.Low) < plot.lo, fmt.Sprintf("down to %.3f", p.Interval.Low), plot.top + plot.height, -7},
	} {
		if edge.out {
			fmt.Fprintf(c, "<path d=\"M%s %sl%s %sh%sz\" class=\"beyond\"><title>the interval goes on %s</title></path>\n",
				number(x), number(edge.at), number(size), number(edge.inner), number(-2*size), escape(edge.to))
		}
	}
}

// shape is the mark of a band around the present point: a disc, a triangle, a
// square or a diamond. Many points are drawn smaller.
func shape(severity string, n int) string {
	r := 4.0
	if n > 80 {
		r = 2.5
	}
	f := func(format string, v ...float64) string {
		parts := make([]any, len(v))
		for i, x := range v {
			parts[i] = number(x)
		}
		return fmt.Sprintf(format, parts...)
	}
	switch severity {
	case perf.SeverityDone:
		return f("m%s 0a%s %s 0 1 0 %s 0a%s %s 0 1 0 %s 0z", -r, r, r, 2*r, r, r, -2*r)
	case perf.MildGap:
		return f("m0 %sl%s %sh%sz", -1.2*r, 1.2*r, 2.2*r, -2.4*r)
	case perf.ModerateGap:
		return f("m%s %sh%sv%sh%sz", -r, -r, 2*r, 2*r, -2*r)
	}
	return f("m0 %sl%s %sl%s %sl%s %sz", -1.4*r, 1.4*r, 1.4*r, -1.4*r, 1.4*r, -1.4*r, -1.4*r)
}

// commits names as many commits as there is room for, and the day where it differs
// from the one named before.
func (c *canvas) commits(s Series, x func(int) float64, width, bottom float64) {
	step := int(math.Ceil(float64(len(s.Points)) * 68 / width))
	day := ""
	for i := 0; i < len(s.Points); i += step {
		p := s.Points[i]
		c.line(x(i), bottom, x(i), bottom+4, "grid")
		c.text(x(i), bottom+17, "dim mono", "middle", p.Commit[:7])
		if d := p.At.Format("2006-01-02"); d != day {
			c.text(x(i), bottom+31, "dim small", "middle", d)
			day = d
		}
	}
}

// cells draws the medians of the configs, the slowest against the reference first.
func (c *canvas) cells(s Series, hidden int, top float64) float64 {
	configs := slices.Clone(s.Configs)
	slowness := func(x ConfigSeries) float64 {
		for i := len(x.Candidate) - 1; i >= 0; i-- {
			if x.Candidate[i] != nil && x.Reference[i] != nil {
				return *x.Candidate[i] / *x.Reference[i]
			}
		}
		return 0
	}
	slices.SortStableFunc(configs, func(a, b ConfigSeries) int { return cmp.Compare(slowness(b), slowness(a)) })
	shown := configs[:min(len(configs), maxCells)]
	if len(shown) == 0 {
		return top
	}
	head := fmt.Sprintf("Medians: %s (line) and %s (dashes), slowest config first", line(s.Candidate), line(s.Reference))
	if more := len(configs) - len(shown); more > 0 {
		head += fmt.Sprintf("; %d more not shown", more)
	}
	c.text(marginLeft, top+12, "dim small", "start", head)
	top += 22
	width := (chartWidth - 2*marginLeft - (cellColumns-1)*cellGap) / cellColumns
	// Names that do not fit on a line take two: configs often differ in the middle.
	fit, height := int(width/6.7), cellHeight
	lines := 1
	if slices.ContainsFunc(shown, func(x ConfigSeries) bool { return utf8.RuneCountInString(line(x.Name)) > fit }) {
		lines, height = 2, height+cellLine
	}
	names := abbreviate(shown, lines*fit)
	for i, x := range shown {
		x.Candidate, x.Reference = x.Candidate[hidden:], x.Reference[hidden:]
		c.cell(x, names[i], fit, marginLeft+float64(i%cellColumns)*(width+cellGap), top+float64(i/cellColumns)*height, width, cellLine*float64(lines-1))
	}
	return top + height*math.Ceil(float64(len(shown))/cellColumns)
}

// breakWithin is how many characters of a line are given up to break a name behind
// a sign rather than in a word.
const breakWithin = 12

// broken is a name of at most twice as many characters as fit, on one line or on
// two.
func broken(name string, fit int) (first, second string) {
	letters := []rune(name)
	if len(letters) <= fit {
		return name, ""
	}
	at := fit
	for i := fit; i > fit-breakWithin && len(letters)-i <= fit; i-- {
		if strings.ContainsRune("-_,.[ ", letters[i-1]) {
			at = i
			break
		}
	}
	return string(letters[:at]), string(letters[at:])
}

// abbreviate cuts the names that have more than fit characters: first what all of
// the long ones have in common, then the middle.
func abbreviate(configs []ConfigSeries, fit int) []string {
	names := make([][]rune, len(configs))
	prefix, suffix := -1, -1
	var first []rune
	for i, x := range configs {
		n := []rune(line(x.Name))
		names[i] = n
		if len(n) <= fit {
			continue
		}
		if first == nil {
			first, prefix, suffix = n, len(n), len(n)
			continue
		}
		same := func(limit int, at func(list []rune, k int) rune) int {
			k := 0
			for k < min(limit, len(n)) && at(n, k) == at(first, k) {
				k++
			}
			return k
		}
		prefix = same(prefix, func(list []rune, k int) rune { return list[k] })
		suffix = same(suffix, func(list []rune, k int) rune { return list[len(list)-1-k] })
	}
	out := make([]string, len(names))
	for i, n := range names {
		if len(n) > fit && prefix+suffix < len(n) && prefix < len(first) {
			// Of what is common, as much stays as there is room for.
			room := max(0, fit-(len(n)-prefix-suffix)-2)
			head := max(0, prefix-(room+1)/2)
			tail := max(0, suffix-room/2)
			short := slices.Clone(n[head : len(n)-tail])
			if head > 0 {
				short = append([]rune{'…'}, short...)
			}
			if tail > 0 {
				short = append(short, '…')
			}
			n = short
		}
		if len(n) > fit {
			n = slices.Concat(n[:fit/2], []rune{'…'}, n[len(n)-(fit-fit/2-1):])
		}
		out[i] = string(n)
	}
	return out
}

// cell draws the medians of one config; lower is the room for a second line of the
// name.
func (c *canvas) cell(x ConfigSeries, name string, fit int, left, top, width, lower float64) {
	first, second := broken(name, fit)
	fmt.Fprintf(c, "<text x=\"%s\" y=\"%s\" class=\"ink mono\"><title>%s</title>%s</text>\n", number(left), number(top+11), escape(x.Name), escape(first))
	if second != "" {
		c.text(left, top+11+cellLine, "ink mono", "start", second)
	}
	top += lower
	c.text(left, top+25, "dim small", "start", fmt.Sprintf("%s / %s = %s", ms(newest(x.Candidate)), ms(newest(x.Reference)), x.newestRatio()))
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range slices.Concat(x.Candidate, x.Reference) {
		if v != nil {
			lo, hi = math.Min(lo, math.Log(*v)), math.Max(hi, math.Log(*v))
		}
	}
	c.rect(left, top+31, width, 48, "frame")
	if lo > hi {
		return
	}
	pad := math.Max(0.02, (hi-lo)*0.12)
	plot := scale{lo - pad, hi + pad, top + 31, 48}
	at := func(i int) float64 { return left + width*(float64(i)+0.5)/float64(len(x.Candidate)) }
	for _, side := range []struct {
		values []*float64
		class  string
	}{{x.Reference, "ref"}, {x.Candidate, "line"}} {
		for _, r := range runs(len(side.values), func(i int) bool { return side.values[i] != nil }) {
			var list []xy
			for i := r[0]; i < r[1]; i++ {
				list = append(list, xy{at(i), plot.y(*side.values[i])})
			}
			if len(list) == 1 {
				// A lone value between gaps, or the only one, is a short dash.
				list = []xy{{list[0].x - 3, list[0].y}, {list[0].x + 3, list[0].y}}
			}
			fmt.Fprintf(c, "<polyline points=\"%s\" class=\"%s\"/>\n", points(list), side.class)
		}
	}
}
