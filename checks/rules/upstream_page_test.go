package rules_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// byHand says, for each finding in upstream's tree, by rule and file, how a
// person sees that it is so.
var byHand = map[string]string{
	"R23 src/tilegym/ops/cutile_rs/bmm_kernel/kernel.rs":          "In the reference's persistent kernel `M`, `N`, `K` are `ct.Constant[int]`; the entry takes `rt_m`, `rt_n`, `rt_k` as arguments. Compare the two IRs: constants on one side, block arguments on the other.",
	"R23 src/tilegym/ops/cutile_rs/silu_and_mul_kernel/kernel.rs": "`TOTAL_HIDDEN_SIZE` is a constant of the reference's kernel, `hidden_size` an argument of the entry.",
	"R20 src/tilegym/ops/cutile_rs/bmm_kernel/kernel.rs":          "Read the entry's attribute, then the reference's decorator, which has no hints. Every launch sets compile options, which win, so nothing is lost today.",
	"R20 src/tilegym/ops/cutile_rs/silu_and_mul_kernel/kernel.rs": "Search the reference for `latency`: its gather and scatter have none, the port's loads and its store have 3. Measure with both.",
	"R41 src/tilegym/ops/cutile_rs/attention_sink.py":             "Profile one call: four copy kernels run before and after the attention kernel. The reference's wrapper does the same.",
	"R35 src/tilegym/backend/cutile_rs/autotuner.py":              "The tuner looks for `error code` in a failure's text; `check_rc` in `utils.py` has said `failed (rc=-3)` since `f4b89f4`. Give one configuration a tile that does not fit and tune: the call raises instead of going on.",
	"R48 src/tilegym/ops/cutile_rs/silu_and_mul_kernel/kernel.rs": "Call the op with one element at 100: the reference gives 100 times the other half, the port NaN (from e / (1 + e) with e infinite). The tests draw from a normal distribution and never get there.",
	"R42 src/tilegym/ops/cutile_rs/attention_sink.py":             "Count the configurations of both lists: 4 against 18.",
	"R35 src/tilegym/ops/cutile_rs/bmm.py":                        "Call the op with `a` of shape [2, 64, 64] and `b` of shape [1, 32, 64]: nothing refuses it, and the persistent entry reads without bounds checks. Do it under `compute-sanitizer`.",
	"R40 tests/ops/test_matmul.py":                                "`pytest --collect-only -k cutile_rs` lists no case of `test_op`, whose ids spell the backend `cutile-rs`; `-k \"cutile_rs or cutile-rs\"` does.",
}

// TestUpstreamPage keeps the table of docs/upstream.md equal to the findings
// that TestUpstreamHasNothingElse expects.
func TestUpstreamPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("| rule | severity | file | what | to see it by hand |\n|---|---|---|---|---|\n")
	seen := map[string]bool{}
	for _, a := range accepted {
		key := a.rule + " " + a.path
		seen[key] = true
		if assert.NotEmpty(t, byHand[key], "no way to check %s", key) {
			fmt.Fprintf(&b, "| [%s](rules/%s.md) | %s | `%s` | %s | %s |\n", a.rule, a.rule, a.severity, strings.TrimPrefix(a.path, "src/tilegym/"), a.why, byHand[key])
		}
	}
	for key := range byHand {
		assert.True(t, seen[key], "upstream has no finding %s any more", key)
	}
	const page, from, to = "../../docs/upstream.md", "<!-- findings -->\n", "<!-- end of findings -->\n"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	head, rest, found := strings.Cut(string(text), from)
	old, tail, ends := strings.Cut(rest, to)
	require.True(t, found && ends, "docs/upstream.md has no marks around its table")
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(head+from+b.String()+to+tail), 0o644))
		return
	}
	assert.Equal(t, b.String(), old, "stale: run go test ./checks/rules -run UpstreamPage -update")
}
