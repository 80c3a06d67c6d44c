package r40_test

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
	"github.com/tilegate/tilegate/checks/rules/r40"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
)

func TestR40(t *testing.T) { ruletest.Run(t, r40.Rule) }

// Callers of callers are found in one reading of the ops, and the selector is read once
// for all questions.
func TestManyCallersAndQuestions(t *testing.T) {
	const ops, test = "src/tilegym/ops/ops.py", "tests/ops/test_demo.py"
	for name, edit := range map[string]func(head fstest.MapFS, n int){
		"callers": func(head fstest.MapFS, n int) {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "def f%d(x):\n    return f%d(x)\n\n\n", i, i+1)
			}
			fmt.Fprintf(&b, "def f%d(x):\n    return demo(x)\n", n)
			head[ops] = &fstest.MapFile{Data: append(head[ops].Data, b.String()...)}
			delete(head, test)
		},
		"questions": func(head fstest.MapFS, n int) {
			head["src/tilegym/backend/selector.py"] = &fstest.MapFile{Data: []byte("known = [\"cutile-rs\"" + strings.Repeat(", \"other\"", n) + "]\n")}
			head[test] = &fstest.MapFile{Data: append(head[test].Data, strings.Repeat("is_backend_available(\"cutile_rs\")\n", n)...)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			hostile.Grows(t, 300, func(n int) {
				head := ruletest.Base()
				edit(head, n)
				_, err := review.Run(context.Background(), review.Options{Head: head, Rules: []*rules.Rule{r40.Rule}})
				require.NoError(t, err)
			})
		})
	}
}
