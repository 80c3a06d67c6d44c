package perf

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Schema is the identifier of the JSON form of a Verdict.
const Schema = "tilegate.perf/v1"

// The verdicts.
const (
	Done        = "DONE"
	Investigate = "INVESTIGATE"
	Blocked     = "BLOCKED"
)

// The severities, from no gap to no data.
const (
	SeverityDone = "DONE"
	MildGap      = "MILD_GAP"
	ModerateGap  = "MODERATE_GAP"
	LargeGap     = "LARGE_GAP"
	MissingData  = "MISSING_DATA"
)

// The limits of the bands on the geometric mean ratio; the value on a limit
// belongs to the better band.
const (
	DefaultThreshold = 1.05
	MildLimit        = 1.10
	ModerateLimit    = 1.50
)

// onLimit is the distance, in ratio, within which a value counts as on a limit:
// far below any measurement, above the rounding of a sum of logarithms.
const onLimit = 1e-9

// Verdict is the outcome of a comparison; its JSON form is a fixed contract.
// Ratios are candidate over reference, below 1 is faster. Text in it may quote
// test records and is untrusted.
type Verdict struct {
	Schema         string      `json:"schema"`
	Verdict        string      `json:"verdict"`
	Severity       string      `json:"severity"`
	GeomeanRatio   *float64    `json:"geomean_ratio" jsonschema:"nullable"` // null when there is no verdict on times
	RatioMean      *float64    `json:"ratio_mean" jsonschema:"nullable"`    // from the rounds' geometric means
	Confidence     *Confidence `json:"confidence" jsonschema:"nullable"`
	ConfidenceNote string      `json:"confidence_note"`
	Comparable     string      `json:"comparable"` // yes, no or unknown
	Rounds         int         `json:"rounds"`
	MoreRounds     int         `json:"more_rounds"`
	Candidate      string      `json:"candidate"`
	Reference      string      `json:"reference"`
	Borderline     bool        `json:"borderline"`
	Variants       []Variant   `json:"variants"`
	Configs        []Config    `json:"configs"`
	Missing        []Missing   `json:"missing"`
	Uncovered      []Uncovered `json:"uncovered"`
	Triage         []Triage    `json:"triage"`

	// Sentence says the verdict and its reason in words; Notes hold what a reader
	// should know besides. Threshold is the limit that was applied.
	Sentence  string   `json:"-"`
	Notes     []string `json:"-"`
	Threshold float64  `json:"-"`
}

// Confidence is an interval of ratio_mean.
type Confidence struct {
	Level float64 `json:"level"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Variant is the verdict on the configs of one structural variant.
type Variant struct {
	Name         string   `json:"name"`
	Reference    string   `json:"reference"`
	GeomeanRatio *float64 `json:"geomean_ratio" jsonschema:"nullable"`
	Verdict      string   `json:"verdict"`
	Severity     string   `json:"severity"`
	Configs      int      `json:"configs"` // matched
}

// Config is one matched config. Times are milliseconds, RelStd is percent.
type Config struct {
	Name        string   `json:"name"`
	Variant     string   `json:"variant"`
	CandidateMS float64  `json:"candidate_ms"`
	ReferenceMS float64  `json:"reference_ms"`
	Ratio       *float64 `json:"ratio" jsonschema:"nullable"` // null when the sides are not comparable
	RelStd      *float64 `json:"rel_std" jsonschema:"nullable"`
	Launches    Launches `json:"launches"`
	Change      string   `json:"change"` // slower, faster, same, unclear
	Note        string   `json:"note"`
}

// Launches counts the kernels of one call; null without a profile.
type Launches struct {
	Candidate *int `json:"candidate" jsonschema:"nullable"`
	Reference *int `json:"reference" jsonschema:"nullable"`
}

// Missing is a config that lacks a time on one side.
type Missing struct {
	Config string `json:"config"`
	Side   string `json:"side"` // candidate or reference
	Why    string `json:"why"`
}

// Uncovered is a config that the candidate skips by declaration.
type Uncovered struct {
	Config string `json:"config"`
	Why    string `json:"why"`
}

// Triage is one step of the investigation: rules and what to do, in order.
type Triage struct {
	Rules []string `json:"rules"`
	Steps []string `json:"steps"`

	Title string `json:"-"` // what the step is about, in a phrase
}

// heading is the title of a step with the rules behind it.
func (t Triage) heading() string {
	if len(t.Rules) == 0 {
		return t.Title
	}
	return t.Title + " (" + strings.Join(t.Rules, ", ") + ")"
}

// Severity is the band of a geometric mean ratio. A ratio within 1e-9 of a limit
// is on it and belongs to the better band.
func Severity(ratio, threshold float64) string {
	switch {
	case ratio <= threshold+onLimit:
		return SeverityDone
	case ratio <= MildLimit+onLimit:
		return MildGap
	case ratio <= ModerateLimit+onLimit:
		return ModerateGap
	}
	return LargeGap
}

// snap returns the limit that a ratio counts as, else the ratio.
func snap(ratio, threshold float64) float64 {
	for _, limit := range []float64{threshold, MildLimit, ModerateLimit} {
		if ratio >= limit-onLimit && ratio <= limit+onLimit { // the upper bound as in Severity, so that word and number agree
			return limit
		}
	}
	return ratio
}

// FormatRatio prints a ratio with at least three decimals and with as many more
// as it takes for the printed number to be in the band of the ratio itself.
func FormatRatio(ratio, threshold float64) string {
	ratio = snap(ratio, threshold)
	digits := 3
	if ratio < 0.1 {
		digits = 4
	}
	for ; digits < 12; digits++ {
		s := strconv.FormatFloat(ratio, 'f', digits, 64)
		printed, _ := strconv.ParseFloat(s, 64)
		if Severity(printed, threshold) == Severity(ratio, threshold) && (printed > 1) == (ratio > 1) {
			return s
		}
	}
	return strconv.FormatFloat(ratio, 'g', -1, 64)
}

// FormatMS prints milliseconds with a unit in which the number has four
// significant digits.
func FormatMS(ms float64) string {
	value, unit := ms, "ms"
	switch abs := math.Abs(ms); {
	case abs >= 1000:
		value, unit = ms/1000, "s"
	case abs != 0 && abs < 0.001:
		value, unit = ms*1e6, "ns"
	case abs != 0 && abs < 1:
		value, unit = ms*1000, "us"
	}
	// What is printed decides digits and unit: 999.96 us are 1.000 ms.
	printed, _ := strconv.ParseFloat(strconv.FormatFloat(value, 'e', 3, 64), 64)
	if next, ok := map[string]string{"ns": "us", "us": "ms", "ms": "s"}[unit]; ok && math.Abs(printed) >= 1000 {
		value, printed, unit = value/1000, printed/1000, next
	}
	digits := max(0, 3-int(math.Floor(math.Log10(math.Max(math.Abs(printed), 1)))))
	return strconv.FormatFloat(value, 'f', digits, 64) + " " + unit
}

// percent prints a spread; one that no run has takes no more room than another.
func percent(f float64) string {
	if f >= 1e5 {
		return strconv.FormatFloat(f, 'g', 3, 64) + " %"
	}
	return strconv.FormatFloat(f, 'f', 1, 64) + " %"
}

// against words how far a ratio is from 1: by a factor where a share says little.
func against(ratio, threshold float64, reference string) string {
	p, _ := strconv.ParseFloat(FormatRatio(ratio, threshold), 64)
	decimals := 1
	for decimals < 9 && math.Abs(math.Round(p*math.Pow10(2+decimals))-p*math.Pow10(2+decimals)) > 1e-6 {
		decimals++
	}
	switch {
	case p > 0 && p <= 0.5:
		return fmt.Sprintf("%.1f %% of the time of %s (%.1f times as fast)", p*100, reference, 1/p)
	case p > 1:
		return fmt.Sprintf("%.*f %% slower than %s", decimals, (p-1)*100, reference)
	case p < 1:
		return fmt.Sprintf("%.*f %% faster than %s", decimals, (1-p)*100, reference)
	}
	return "equal to " + reference
}
