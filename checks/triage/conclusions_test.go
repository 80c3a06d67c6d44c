package triage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// notClose is what torch says of values that differ.
const notClose = `E   AssertionError: Tensor-likes are not close!
E
E   Mismatched elements: 4000 / 4096 (97.7%)
E   Greatest absolute difference: 0.0625 at index (3, 9) (up to 1e-05 allowed)
E   Greatest relative difference: 2.0 at index (3, 8) (up to 1e-05 allowed)
`

// session is a log of pytest with some cases; those that end in ! fail.
func session(cases ...string) string {
	var b, sections strings.Builder
	for _, c := range cases {
		name, failed := strings.CutSuffix(c, "!")
		word := "PASSED"
		if failed {
			word = "FAILED"
			fmt.Fprintf(&sections, "______ %s ______\n%s", name, notClose)
		}
		fmt.Fprintf(&b, "tests/ops/test_a.py::%s %s\n", name, word)
	}
	return b.String() + "=== FAILURES ===\n" + sections.String()
}

// The names of the cases that fail and of those that pass tell what is wrong.
func TestModes(t *testing.T) {
	for _, c := range []struct {
		want  string
		cases []string
	}{
		{"S-C46", []string{"test_add_inplace[no_autotune-64]", "test_add_inplace[autotune-64]!", "test_add_inplace_second_call[autotune-64]"}},
		{"S-C46", []string{"test_splitk[fixed-64]", "test_splitk[tuned-64]!", "test_splitk[fixed-128]", "test_splitk[tuned-128]!"}},
		{"S-C48", []string{"test_step[eager-8]", "test_step[cuda_graph-same_input-8]", "test_step[cuda_graph-new_input-8]!"}},
		{"S-C77", []string{"test_step[eager-8]", "test_step[eager-16]", "test_step[torch_compile-8]!", "test_step[torch_compile-16]!"}},
		{"S-C23", []string{"test_step[8-default]", "test_step[8-side_stream]!"}},
		{"S-R73", []string{"test_step[cuda:0-8]", "test_step[cuda:1-8]!"}},
		{"S-C39", []string{"test_attn[causal=False-8]", "test_attn[causal=True-8]!"}},
		{"S-C35", []string{"test_attn[dropout_p=0.0-8]", "test_attn[dropout_p=0.1-8]!", "test_attn[dropout_p=0.3-8]!"}},
		{"S-C36", []string{"test_hist[first-8]", "test_hist[second-8]!"}},
		{"S-C36", []string{"test_topk[fresh]", "test_topk[after_reset]!"}},
		{"S-C37", []string{"test_relu[out_of_place-8]", "test_relu[inplace-8]!"}},
		{"S-C32", []string{"test_norm[contiguous-8]", "test_norm[split-8]!"}},
		{"S-C03", []string{"test_linear[float16-8]", "test_linear[float32-8]!"}},
	} {
		got := Text("job.log", session(c.cases...))
		require.NotEmpty(t, got.Matches, c.cases)
		assert.Equal(t, c.want, got.Matches[0].Signature, "%v: %v", c.cases, ids(got))
	}
	for _, c := range []struct {
		not   string
		cases []string
	}{
		// The later call fails too, and the operation changes nothing that it is given.
		{"S-C46", []string{"test_norm[no_autotune-64]", "test_norm[autotune-64]!"}},
		{"S-C46", []string{"test_add_inplace[no_autotune-64]!", "test_add_inplace[autotune-64]!"}},
		{"S-C48", []string{"test_step[eager-8]!", "test_step[cuda_graph-8]!"}},
		{"S-C77", []string{"test_step[eager-8]", "test_step[compiled-8]!", "test_step[compiled-16]"}},
		{"S-C77", []string{"test_step[uncompiled-8]!", "test_step[compiled-8]"}},
		{"S-R73", []string{"test_step[cuda:0-8]!", "test_step[cuda:1-8]!"}},
		{"S-C39", []string{"test_attn[noncausal-8]!", "test_attn[causal-8]"}},
		{"S-C35", []string{"test_attn[p=0.0-8]!", "test_attn[p=0.1-8]!"}},
		{"S-C36", []string{"test_hist[first-8]!", "test_hist[second-8]!"}},
		{"S-C36", []string{"test_hist[8]", "test_hist[warm_up-8]!"}},
	} {
		assert.NotContains(t, ids(Text("job.log", session(c.cases...))), c.not, "%v", c.cases)
	}
}

// Values of both sides that are printed below each other tell how all of them differ.
func TestPairs(t *testing.T) {
	const failed = "AssertionError: Tensor-likes are not close!\n"
	for _, c := range []struct{ want, says, log string }{
		{"S-C18", "log2(e)", "row got want\n0 1.442695 1.0\n1 2.885390 2.0\n2 4.328085 3.0\n"},
		{"S-C18", "1000 / 1024", "mean of 1000 columns, block 1024\nrow got want\n0 0.9765625 1.0\n1 1.953125 2.0\n2 2.929687 3.0\n"},
		{"S-C18", "square root of 128", "out=11.3137 ref=1.0\nout=22.6274 ref=2.0\nout=33.9411 ref=3.0\n"},
		{"S-C18", "more", "i actual expected\n0 1.5 1.0\n1 2.5 2.0\n2 4.5 4.0\n3 8.5 8.0\n"},
		{"S-C18", "depends on a size", "d=64: ratio got/want min 8.0000 max 8.0001\nd=128: ratio got/want min 11.3137 max 11.3138\n"},
		{"S-C18", "one less", "std over 512 values\nidx kernel numpy\n0 1.000978 1.0\n1 2.001956 2.0\n2 4.003912 4.0\n"},
		{"S-C31", "2 times", "i got want\n0 2.0 1.0\n1 4.0 2.0\n2 6.0 3.0\n"},
		{"S-C01", "0", "i got want\n0 0.0 1.0\n1 0.0 2.0\n2 0.0 3.0\n"},
		{"S-C27", "first 2", "i got want\n0 5.0 5.0\n1 7.0 7.0\n2 0.0 3.0\n3 0.0 4.0\n"},
		{"S-C39", "one place", "i got want\n0 2.5 1.5\n1 7.25 2.5\n2 1.125 7.25\n3 9.5 1.125\n4 0.5 9.5\n"},
		{"S-C02", "another order", "got:\ntensor([[1., 3.],\n        [2., 4.]])\nwant:\ntensor([[1., 2.],\n        [3., 4.]])\n"},
		{"S-C49", "head 0", "head 0: err 1e-4\nhead 1: err 1.9\nhead 2: err 2.1\n"},
		{"S-C27", "tile 3", "tile 0: ok\ntile 1: ok\ntile 2: ok\ntile 3: WRONG\n"},
		{"S-C76", "GPU 2", "gpu 0: ok\ngpu 1: ok\ngpu 2: mismatch\ngpu 3: ok\n"},
		{"S-C36", "adds", "call 1: got 64 want 64\ncall 2: got 128 want 64\ncall 3: got 192 want 64\n"},
		{"S-C36", "first call", "run 0: got 64 want 64\nrun 1: got 70 want 64\nrun 2: got 70 want 64\n"},
		{"S-C24", "different", "run 0: got 61 want 64\nrun 1: got 58 want 64\nrun 2: got 63 want 64\n"},
	} {
		got := Text("job.log", c.log+failed)
		require.NotEmpty(t, got.Matches, c.log)
		assert.Equal(t, c.want, got.Matches[0].Signature, "%s: %v", c.log, ids(got))
		assert.Contains(t, got.Matches[0].Excerpt.Plain(), c.says, c.log)
		assert.True(t, Text("job.log", c.log).Unknown, "nothing failed: %s", c.log)
	}
	for _, log := range []string{
		"i got want\n0 1.0 1.0\n1 2.0 2.0\n2 3.0 3.0\n",
		"i got want\n0 1.1 1.0\n1 2.5 2.0\n2 3.1 3.0\n",
		"i got want\n0 2.0 1.0\n1 4.0 2.0\n",
		"head 0: ok\nhead 1: ok\nhead 2: WRONG\nhead 3: ok\n",
		"std over 300 values\nidx kernel numpy\n0 1.000978 1.0\n1 2.001956 2.0\n2 4.003912 4.0\n",
		"step 0: got 64 want 64\nstep 1: got 128 want 64\nstep 2: got 192 want 64\n",
		"run 0: got 61 want 64\nrun 1: got 61 want 64\nrun 2: got 61 want 64\n",
		"ratio got/want min 0.4000 max 8.0000\n",
		"size torch kernel\n64 1.0 2.0 x\n128 2.0 4.0 x\n256 4.0 8.0 x\n",
	} {
		assert.Equal(t, []string{"S-C14"}, ids(Text("job.log", log+failed)), log)
	}
}

// Tables of both sides of a benchmark tell what became slower.
func TestBothSides(t *testing.T) {
	const failed = "Performance regressions detected!\n"
	for _, c := range []struct{ want, log string }{
		{"S-P23", "n base_us cur_us\n64 5.0 25.1\n128 6.0 26.0\n4096 20.0 40.2\n65536 90.0 110.1\n"},
		{"S-P41", "achieved occupancy\n gemm main 48.0% PR 24.0%\n"},
		{"S-P41", "gemm occupancy: 50.0% -> 25.0%\n"},
		{"S-P41", "| kernel | blocks/SM main | blocks/SM PR |\n|---|---|---|\n| conv | 5 | 2 |\n"},
		{"S-P21", "kernel  regs(base)  regs(head)  local_store(base)  local_store(head)\ndecode  128         255         0                  4096\n"},
		{"S-P35", "Triton autotuning for function _mm,\nwith key as (64,),\nbest config selected: A: 1;\nTriton autotuning for function _mm,\nwith key as (64,),\nbest config selected: A: 2;\n"},
		{"S-P21", "kernel    num_warps   n_regs      n_spills\n          base -> cur  base -> cur  base -> cur\n_mm       8 -> 4      100 ->  255   0 -> 40\n"},
	} {
		got := Text("job.log", c.log+failed)
		assert.Equal(t, c.want, got.Matches[0].Signature, "%s: %v", c.log, ids(got))
	}
	for _, log := range []string{
		"n base_us cur_us\n64 5.0 10.0\n128 6.0 12.0\n4096 20.0 40.0\n65536 90.0 180.0\n",
		"n base_us cur_us\n64 5.0 5.1\n128 6.0 6.1\n4096 20.0 20.1\n65536 90.0 90.1\n",
		"achieved occupancy\n gemm main 48.0% PR 47.0%\n",
		"Triton autotuning for function _mm,\nwith key as (64,),\nbest config selected: A: 1;\nTriton autotuning for function _mm,\nwith key as (128,),\nbest config selected: A: 2;\n",
		"kernel    num_warps   n_regs      n_spills\n          base -> cur  base -> cur  base -> cur\n_mm       8 -> 4      100 ->  120   0 -> 0\n",
		"kernel    num_warps   n_regs      n_spills\n          base -> cur  base -> cur  base -> cur\n_mm       8 -> 4      100 ->  120   16 -> 16\n",
	} {
		assert.Equal(t, []string{"S-P10"}, ids(Text("job.log", log+failed)), log)
	}
}

// Runs of the same tests that end now so, now so, show a race.
func TestRunsTurn(t *testing.T) {
	const bad = "FAILED tests/test_a.py::test_b - AssertionError: Mismatched elements: 12 / 4096 (0.3%)\n1 failed in 2.11s\n"
	got := Text("job.log", bad+"1 passed in 2.02s\n"+bad)
	assert.Equal(t, "S-C19", got.Matches[0].Signature, "%v", ids(got))
	for _, log := range []string{bad + "1 passed in 2.02s\n", bad + bad, bad + "12 passed in 2.02s\n" + bad} {
		assert.NotContains(t, ids(Text("job.log", log)), "S-C19", log)
	}
}

// The names of Rust tests tell sizes and modes as the parameters of pytest do.
func TestRustCases(t *testing.T) {
	log := func(cases ...string) string {
		var results, outputs strings.Builder
		for _, c := range cases {
			name, failed := strings.CutSuffix(c, "!")
			word := "ok"
			if failed {
				word = "FAILED"
				fmt.Fprintf(&outputs, "---- %s stdout ----\nthread '%s' panicked at tests/a.rs:4:5:\nassertion failed: max_err(&got, &want) < 1e-5\n\n", name, name)
			}
			fmt.Fprintf(&results, "test %s ... %s\n", name, word)
		}
		return results.String() + "\nfailures:\n\n" + outputs.String() + "test result: FAILED. 1 passed; 1 failed\n"
	}
	for _, c := range []struct {
		want  string
		cases []string
	}{
		{"S-C06", []string{"ops::rows_128", "ops::rows_129!", "ops::rows_256", "ops::rows_300!"}},
		{"S-C48", []string{"ops::step_eager", "ops::step_graph!"}},
		{"S-C39", []string{"attn::fwd_64", "attn::fwd_causal_64!"}},
		{"S-C14", []string{"ops::rows_128!", "ops::rows_129!"}},
	} {
		got := Text("job.log", log(c.cases...))
		require.NotEmpty(t, got.Matches, c.cases)
		assert.Equal(t, c.want, got.Matches[0].Signature, "%v: %v", c.cases, ids(got))
	}
	got := Text("job.log", log("ops::rows_128", "ops::rows_129!", "ops::rows_256", "ops::rows_300!"))
	assert.Equal(t, "ops::rows_129", got.Matches[0].Case.Plain())
}
