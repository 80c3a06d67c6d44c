// Package recordstest writes large JUnit files for tests and benchmarks of what
// reads them. The shapes are those of real runs of TileGym's harness; the
// contents are invented. It must not be used outside tests.
package recordstest

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Mix is how often each kind of case occurs, as weights.
type Mix struct {
	Perf   int // a measured config: one case of cutile-rs and one of cutile, 0.4 to 6 kB of property each
	Failed int // a failure with a message of lines and a body of 15 kB
	Output int // a passed case with 2 to 20 kB of captured output
	Plain  int // a passed case and nothing else
}

// Whole is a run that has something of everything.
var Whole = Mix{Perf: 60, Failed: 15, Output: 15, Plain: 10}

// Report writes a well-formed JUnit file of at least size bytes, in the form of
// pytest: one line but for the text of failures and output. Equal arguments give
// equal bytes. It returns the number of cases.
func Report(w io.Writer, size int64, mix Mix, seed uint64) (cases int, err error) {
	// The number of cases stands in front of them.
	if cases, err = report(io.Discard, size, mix, seed, 0); err != nil {
		return cases, err
	}
	return report(w, size, mix, seed, cases)
}

func report(w io.Writer, size int64, mix Mix, seed uint64, declared int) (cases int, err error) {
	out := &counter{w: bufio.NewWriterSize(w, 1<<20)}
	g := generator{Rand: rand.New(rand.NewPCG(seed, 0x7469_6c65)), out: out}
	g.prepare()
	out.str(`<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="0" tests="`, strconv.Itoa(declared), `" time="1.0" timestamp="2026-01-02T03:04:05.000000+00:00" hostname="gpu-host">`)
	// So that both passes end at the same case.
	for out.n = 0; out.n < size && out.err == nil; {
		g.group(mix)
	}
	out.str(`</testsuite></testsuites>`)
	if out.err == nil {
		out.err = out.w.Flush()
	}
	return g.cases, out.err
}

type counter struct {
	w   *bufio.Writer
	n   int64
	err error
}

func (c *counter) str(parts ...string) {
	for _, s := range parts {
		if c.err == nil {
			_, c.err = c.w.WriteString(s)
		}
		c.n += int64(len(s))
	}
}

type generator struct {
	*rand.Rand
	out    *counter
	cases  int
	body   string // 15 kB of a traceback, escaped
	output string // 20 kB of captured output, escaped
}

// escaped is what pytest's XML writer makes of text.
var escaped = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// quoted is what it makes of an attribute's value.
var quoted = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\"", "&quot;", "\n", "&#10;", "\t", "&#09;")

func (g *generator) prepare() {
	var b strings.Builder
	for line := 0; b.Len() < 15<<10; line++ {
		fmt.Fprintf(&b, "    def check_%d(a, b):\n>       assert a.shape == b.shape and (a < b).all(), f\"row {%d} && tail\"\nE       AssertionError\n\ntests/ops/common.py:%d:\n", line, line, 100+line)
	}
	g.body = escaped.Replace(b.String())
	b.Reset()
	b.WriteString("--------------------------------- Captured Out ---------------------------------\n")
	for line := 0; b.Len() < 20<<10; line++ {
		fmt.Fprintf(&b, "step %d: tensor([[%d, 1.5e-03], [0, -inf]], device='cuda:0') <- ok & done\n", line, g.IntN(1000))
	}
	g.output = escaped.Replace(b.String())
}

var ops = []string{"rms_norm", "rope", "bmm", "softmax", "layer_norm", "dropout", "matmul", "silu_and_mul"}

// group writes one case, or a measured pair.
func (g *generator) group(mix Mix) {
	op := ops[g.IntN(len(ops))]
	class := "tests.ops.test_" + op + ".Test_" + op
	// The number makes every config a different one.
	params := fmt.Sprintf("%d-%d-%d-torch.float16", g.cases, 1<<g.IntN(18), 1<<g.IntN(14))
	open := func(test, backend string) {
		g.cases++
		g.out.str(`<testcase classname="`, class, `" name="`, test, `[`, backend, `-`, params, fmt.Sprintf(`]" time="%.3f">`, g.Float64()))
	}
	switch n := g.IntN(mix.Perf + mix.Failed + mix.Output + mix.Plain); {
	case n < mix.Perf:
		for _, backend := range []string{"cutile_rs", "cutile"} {
			open("test_perf", backend)
			g.out.str(`<properties><property name="benchmark" value="`)
			g.benchmark(strings.ReplaceAll(backend, "_", "-"), op)
			g.out.str(`" /></properties></testcase>`)
		}
	case n < mix.Perf+mix.Failed:
		open("test_op", "cutile_rs")
		g.out.str(`<failure message="`, quoted.Replace(fmt.Sprintf("AssertionError: \n\t*** OUTPUT 0 DID NOT MATCH <%d> ***\n\t\tmatched: %d / 268435456\n\t\tmax absolute difference:  %.4e", g.cases, g.IntN(1<<28), g.Float64())), `">`)
		g.out.str(g.body, `</failure></testcase>`)
	case n < mix.Perf+mix.Failed+mix.Output:
		open("test_op", "cutile_rs")
		text := g.output[:2<<10+g.IntN(18<<10)]
		g.out.str(`<system-out>`, text[:strings.LastIndexByte(text, '\n')+1], `</system-out></testcase>`)
	default:
		open("test_op", "cutile_rs")
		g.out.str(`</testcase>`)
	}
}

// kernels are what one call launches besides the op's own kernel.
var kernels = []string{
	"Memcpy DtoD (Device -> Device)",
	"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul> >(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)",
	"void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}> >(int, {lambda(int)#1})",
}

// benchmark writes a record as Python's str of it, escaped for an attribute.
func (g *generator) benchmark(backend, op string) {
	median := 0.01 + g.Float64()
	mean := median * (1 + 0.01*g.Float64())
	g.out.str(fmt.Sprintf("{'%s': {'forward': {'mean': %v, 'std': %v, 'rel_std': %v, 'median': %v, 'min': %v, 'max': %v, 'nrep': %d, 'peak_mem_mb': %d, 'kernel_name': '%s_entry', 'kernel_times': [",
		backend, mean, mean*0.01, g.Float64()*5, median, median*0.99, mean*1.1, 10+g.IntN(300), g.IntN(5000), op))
	g.out.str(fmt.Sprintf("{'name': '%s_entry', 'self_time_us': %v, 'total_time_us': %v, 'count': 1}", op, 900*median, 900*median))
	// A record has 400 to 6,000 characters; most are short.
	extra := 0
	if g.IntN(2) == 0 {
		extra = g.IntN(22)
	}
	for range extra {
		t := g.Float64() * 100
		g.out.str(fmt.Sprintf(", {'name': '%s', 'self_time_us': %v, 'total_time_us': %v, 'count': %d}", quoted.Replace(kernels[g.IntN(len(kernels))]), t, t, 1+g.IntN(31)))
	}
	g.out.str("]}}}")
}
