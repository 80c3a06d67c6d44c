package perf

import "math"

// confidenceLevel is the level of every interval of this package.
const confidenceLevel = 0.95

// meanStd returns the mean and the sample standard deviation.
func meanStd(x []float64) (mean, std float64) {
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	if len(x) < 2 {
		return mean, math.NaN()
	}
	sum := 0.0
	for _, v := range x {
		sum += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(sum / float64(len(x)-1))
}

// studentCDF is the probability that |T| <= t for Student's t with df degrees of
// freedom: the finite sums of Abramowitz and Stegun 26.7.3 and 26.7.4.
func studentCDF(t float64, df int) float64 {
	theta := math.Atan(t / math.Sqrt(float64(df)))
	sin, cos := math.Sincos(theta)
	sum, term := 0.0, 1.0
	if df%2 == 1 {
		term = cos
	}
	for i := 1 + df%2; i < df; i += 2 {
		sum += term
		term *= cos * cos * float64(i) / float64(i+1)
	}
	if df%2 == 1 {
		return 2 / math.Pi * (theta + sin*sum)
	}
	return sin * sum
}

// studentQuantile is the t with studentCDF(t, df) = level, by bisection.
func studentQuantile(level float64, df int) float64 {
	low, high := 0.0, 1.0
	for studentCDF(high, df) < level {
		high *= 2
	}
	for range 100 {
		if mid := (low + high) / 2; studentCDF(mid, df) < level {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}
