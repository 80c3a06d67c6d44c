package recorded

import "math"

// row is one recorded config of equal code in n processes.
type row struct {
	op, backend, name string
	n                 int
	us                float64 // median time
	maxMin            float64 // largest over smallest median of the n processes
	cv                float64 // coefficient of variation of the medians, percent
	// rel_std of a run over the n processes, percent
	relLo, relMed, relHi float64
	nrepLo, nrepHi       int
	launches             int
}

const (
	staticRMS   = "static_persistent-262144-1024-float16"
	narrowRMS   = "multi_wave_reload-262144-1024-float16"
	twoSpeedRMS = "multi_wave_reload-262144-4096-float16"
	flippingRMS = "multi_wave_reload-65536-16384-float16"
)

var page = []row{
	{"rms", "triton", staticRMS, 15, 351.43, 1.0022, 0.060, 0.54, 0.60, 0.69, 113, 131, 1},
	{"rms", "triton", narrowRMS, 15, 270.21, 1.0008, 0.023, 0.74, 0.99, 1.49, 153, 173, 1},
	{"rms", "triton", twoSpeedRMS, 15, 1116.74, 1.0051, 0.124, 5.92, 6.13, 6.37, 41, 43, 1},
	{"rms", "triton", flippingRMS, 15, 1328.74, 1.0934, 3.791, 5.05, 5.67, 5.98, 35, 38, 1},
	{"rms", "pytorch", staticRMS, 15, 3697.82, 1.0012, 0.034, 0.04, 0.07, 0.10, 13, 13, 6},
	{"rms", "pytorch", narrowRMS, 15, 3697.12, 1.0017, 0.045, 0.04, 0.07, 0.10, 13, 13, 6},
	{"rms", "pytorch", twoSpeedRMS, 15, 14654.02, 1.0009, 0.026, 0.02, 0.04, 0.15, 3, 3, 6},
	{"rms", "pytorch", flippingRMS, 15, 14744.95, 1.0011, 0.027, 0.03, 0.06, 0.15, 3, 3, 6},
	{"ln", "triton", "n=4096-n=16384-float16", 14, 85.86, 1.0045, 0.122, 0.90, 0.98, 1.03, 102, 204, 1},
	{"ln", "pytorch", "n=4096-n=16384-float16", 14, 126.08, 1.0023, 0.065, 0.45, 0.52, 0.57, 269, 307, 1},
	{"ln", "triton", "Persistent n=30000-n=10000-bfloat16", 14, 1725.60, 1.0035, 0.109, 0.43, 0.48, 0.64, 26, 27, 1},
	{"ln", "triton", "Persistent n=128000-n=1024-bfloat16", 14, 215.79, 1.0033, 0.110, 0.83, 0.91, 0.98, 143, 176, 1},
	{"ln", "pytorch", "Persistent n=30000-n=10000-bfloat16", 14, 535.46, 1.0010, 0.032, 0.10, 0.12, 0.14, 89, 92, 1},
	{"ln", "pytorch", "Persistent n=128000-n=1024-bfloat16", 14, 302.01, 1.0031, 0.082, 0.18, 0.21, 0.30, 163, 166, 1},
	{"rope", "triton", "float16-8-128-32-32-128-1.0", 14, 11.01, 1.0028, 0.075, 2.39, 2.63, 2.92, 169, 406, 1},
	{"rope", "triton", "float16-8-65536-32-32-128-1.0", 14, 4467.67, 1.0012, 0.039, 3.11, 4.06, 4.49, 10, 11, 1},
	{"rope", "triton", "float16-8-65536-32-8-128-1.0", 14, 3265.44, 1.0008, 0.025, 2.57, 2.82, 3.33, 14, 15, 1},
	{"rope", "triton", "float16-8-65536-32-8-256-0.25", 14, 1557.96, 1.0019, 0.058, 3.83, 4.04, 4.23, 30, 31, 1},
	{"rope", "triton", "float16-8-65536-32-8-128-0.5", 14, 1503.84, 1.0023, 0.064, 2.16, 2.67, 3.26, 31, 32, 1},
	{"rope", "pytorch", "float16-8-65536-32-32-128-1.0", 7, 54749.15, 1.0016, 0.068, 0.49, 0.67, 0.84, 2, 2, 17},
	{"rope", "pytorch", "float16-8-65536-32-8-128-1.0", 7, 34912.94, 1.0014, 0.060, 0.55, 0.85, 0.99, 2, 2, 17},
	{"rope", "pytorch", "float16-8-65536-32-8-256-0.25", 7, 39917.17, 1.0024, 0.080, 1.12, 1.49, 1.61, 2, 2, 31},
	{"rope", "pytorch", "float16-8-65536-32-8-128-0.5", 7, 29406.40, 1.0021, 0.083, 0.78, 1.11, 1.26, 2, 2, 31},
	{"drop", "triton", "67108864-0.5-True-float32", 14, 205.86, 1.0044, 0.121, 0.27, 0.31, 0.36, 188, 208, 1},
	{"drop", "triton", "67108864-0.5-False-float32", 14, 206.96, 1.0043, 0.131, 0.26, 0.32, 0.42, 203, 224, 1},
	{"drop", "pytorch", "67108864-0.5-True-float32", 14, 418.98, 1.0014, 0.043, 0.15, 0.19, 0.22, 105, 111, 2},
	{"drop", "pytorch", "67108864-0.5-False-float32", 14, 187.02, 1.0019, 0.046, 0.43, 0.46, 0.51, 225, 243, 2},
}

// rows gives the recorded rows of a backend, of the named ops or of all.
func rows(backend string, ops ...string) []row {
	var out []row
	for _, r := range page {
		wanted := len(ops) == 0
		for _, op := range ops {
			wanted = wanted || op == r.op
		}
		if wanted && r.backend == backend {
			out = append(out, r)
		}
	}
	return out
}

const (
	// ordinarySlow is the share of slow iterations where they do not reach the
	// median. With 10 repetitions it gives the recorded range of rel_std.
	ordinarySlow = 0.2
)

// medianError is the standard error of the median of n values, in sigma. It is 1
// for one value and sqrt(pi/2n) for many Gaussian ones; a triangle, whose density
// in the middle is 2 % higher, differs by as much.
func medianError(n float64) float64 { return math.Sqrt(math.Pi / (2*n + math.Pi - 2)) }

// config gives the model of a row.
func (r row) config() config {
	c := config{
		name:   r.op + "-" + r.backend + "-" + r.name,
		ms:     r.us / 1000,
		nrepLo: r.nrepLo, nrepHi: r.nrepHi,
		launches: r.launches,
	}
	if r.backend == "triton" && r.op == "rms" {
		switch r.name {
		case flippingRMS:
			// Groups at 1300 and 1450 us.
			c.ms = r.us / 1328.74 * 1.300
			c.core, c.slow, c.share, c.shareSD, c.flips = 0.0125, 0.115, 0.445, 0.05, true
			return c
		case twoSpeedRMS:
			c.ms = r.us / 1116.74 * 1.1135
			c.core, c.slow, c.share, c.shareSD, c.flips = 0.0030, 0.1345, 0.31, 0.06, true
			return c
		}
	}
	n := float64(r.nrepLo+r.nrepHi) / 2
	cv, rel := r.cv/100, r.relMed/100
	if se := medianError(n) * rel; se <= 1.2*cv {
		c.core = rel
		c.run = math.Sqrt(max(0, cv*cv-se*se))
		return c
	}
	c.share = ordinarySlow
	k := max(1, math.Round(c.share*n))
	// The deviation of k values at distance 1 from n-k others, over n-1.
	dev := math.Sqrt(k * (n - k) / (n * (n - 1)))
	c.slow = rel / (dev - k/n*rel)
	// 0.8 and 0.6: most of the variation comes from the iterations, as recorded
	// repetitions within one process vary like those of different processes.
	c.core = 0.8 * cv / medianError(n-k)
	c.run = 0.6 * cv
	if k < n/2 {
		// The median of all lies this far above that of the fast ones.
		c.ms /= 1 + triangle(n/2/(n-k))*c.core
	}
	// The range of 14 Gaussian values is 3.4 sigma.
	between := math.Log(r.relHi/r.relLo) / 3.4
	binomial := (1 - 2*c.share) / (2 * c.share * (1 - c.share)) * math.Sqrt(c.share*(1-c.share)/n)
	c.slowSD = math.Sqrt(max(0, between*between-binomial*binomial))
	return c
}

// tiny gives the five recorded tiny kernels. The last two are autotuned.
func tiny() []config {
	out := []config{
		{name: "rope-triton-8-1-32-32", ms: 0.004909},
		{name: "rope-triton-8-128-32-8-256", ms: 0.004736},
		{name: "ln-triton-4096-512", ms: 0.005199},
		{name: "drop-triton-1048576-float16", ms: 0.004720,
			picks: []pick{{1, 0.6}, {1.0508, 0.2}, {1.0780, 0.2}}},
		{name: "drop-triton-1048576-float32", ms: 0.004544,
			picks: []pick{{1, 0.2}, {1.1408, 0.6}, {1.3237, 0.2}}},
	}
	for i := range out {
		// rel_std is 1.5 to 2.7 % inside a run.
		out[i].core = 0.02
		out[i].nrepLo, out[i].nrepHi = 169, 406
		out[i].launches = 1
	}
	return out
}
