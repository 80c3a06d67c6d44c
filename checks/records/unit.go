package records

import (
	"math"
	"strconv"
	"strings"
)

// quantity reads a figure with a unit, such as "990 us" or "1.2 TFLOPS". A time
// becomes milliseconds. A rate becomes the milliseconds that one unit of work
// takes, so that less is better either way; per names that work, "" for a time.
func quantity(s string) (ms float64, per string, ok bool) {
	text := strings.TrimSpace(s)
	end := strings.LastIndexAny(text, "0123456789.") + 1
	value, err := strconv.ParseFloat(strings.TrimSpace(text[:end]), 64)
	if err != nil {
		return 0, "", false
	}
	unit := strings.TrimSpace(text[end:])
	if scale, time := timeUnits[unit]; time {
		return value * scale, "", true
	}
	for _, r := range rateUnits {
		prefix, is := strings.CutSuffix(unit, r.unit)
		scale, known := prefixes[prefix]
		if is && known && !math.IsInf(1000/(value*scale), 0) {
			return 1000 / (value * scale), r.per, true
		}
	}
	return 0, "", false
}

// timeUnits are milliseconds.
var timeUnits = map[string]float64{"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "μs": 1e-3, "ms": 1, "s": 1e3}

// rateUnits are the rates that benchmarks print. Their work is counted in 10^12
// operations and bytes.
var rateUnits = []struct{ unit, per string }{{"FLOPS", "TFLOP"}, {"FLOP/s", "TFLOP"}, {"OPS", "TOP"}, {"B/s", "TB"}}

// prefixes are in units of 10^12.
var prefixes = map[string]float64{
	"": 1e-12, "K": 1e-9, "M": 1e-6, "G": 1e-3, "T": 1, "P": 1e3,
	"Ki": 0x1p10 / 1e12, "Mi": 0x1p20 / 1e12, "Gi": 0x1p30 / 1e12, "Ti": 0x1p40 / 1e12,
}
