package r37_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/r37"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, r37.Rule) }

// What tests call and ask is read once for each, however often they do.
func TestTestsThatAskALot(t *testing.T) {
	const head = `import pytest
import torch

`
	const mark = `@pytest.mark.parametrize("backend", ["cutile", "cutile-rs"])
def test_backward(backend):
`
	lines := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, shape := range map[string]func(n int) string{
		"helpers that call the next one often": func(n int) string {
			var b strings.Builder
			b.WriteString(head)
			for i := range 11 {
				fmt.Fprintf(&b, "def h%d(backend):\n%s\n\n", i, strings.Repeat(fmt.Sprintf("    h%d(backend)\n", i+1), n/400))
			}
			return b.String() + "def h11(backend):\n    pass\n\n\n" + mark + "    h0(backend)\n    run_backward(backend)\n"
		},
		"names of a condition": func(n int) string {
			n /= 24
			return head + mark + lines(n, "    a%d = 0\n") + "    if any((" + lines(n, "a%d, ") + ")):\n        pass\n    run_backward(backend)\n"
		},
		"handlers inside each other": func(n int) string {
			var b strings.Builder
			b.WriteString(head + mark)
			for range n >> 13 {
				for i := range 24 {
					indent := strings.Repeat(" ", 4+2*i)
					b.WriteString(indent + "try:\n" + indent + "  raise E\n" + indent + "except E:\n")
				}
				b.WriteString(strings.Repeat(" ", 4+2*24) + "x.backward()\n")
			}
			return b.String()
		},
		"uses below a condition": func(n int) string {
			n /= 40
			return head + mark + "    if backend == 'cutile' and any((" + lines(n, "a%d, ") + ")):\n" + strings.Repeat("        x.backward()\n", n)
		},
	} {
		t.Run(name, func(t *testing.T) {
			hostile.Linear(t, 1<<17, shape, func(text string) {
				fsys := ruletest.Base()
				fsys["tests/ops/test_demo.py"] = &fstest.MapFile{Data: []byte(text)}
				_, err := review.Run(context.Background(), review.Options{Head: fsys, Rules: []*rules.Rule{r37.Rule}})
				require.NoError(t, err)
			})
		})
	}
}
