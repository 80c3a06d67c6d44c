package perf

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// The quantiles are checked against the density itself, integrated numerically.
func TestStudentQuantile(t *testing.T) {
	for _, df := range []int{1, 2, 3, 4, 5, 9, 30, 99} {
		for _, level := range []float64{0.5, 0.95, 0.99} {
			q := studentQuantile(level, df)
			n := float64(df)
			lg1, _ := math.Lgamma((n + 1) / 2)
			lg2, _ := math.Lgamma(n / 2)
			c := math.Exp(lg1-lg2) / math.Sqrt(n*math.Pi)
			const steps = 200000
			h := q / steps
			sum := 0.0
			for i := range steps {
				x := (float64(i) + 0.5) * h
				sum += c * math.Pow(1+x*x/n, -(n+1)/2) * h
			}
			require.InDelta(t, level, 2*sum, 1e-7, "df %d level %v", df, level)
		}
	}
}
