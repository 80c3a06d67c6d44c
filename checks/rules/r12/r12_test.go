package r12_test

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
	"github.com/tilegate/tilegate/checks/rules/r12"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/tree"
)

func Test(t *testing.T) { ruletest.Run(t, r12.Rule) }

// What ffi.rs launches is listed once, and not for each function of the module.
func TestManyFunctions(t *testing.T) {
	const kernel, ffi = tree.OpsRoot + "/demo_kernel/kernel.rs", tree.OpsRoot + "/demo_kernel/ffi.rs"
	hostile.Grows(t, 500, func(n int) {
		head := ruletest.Base()
		var functions, calls strings.Builder
		for i := range n {
			fmt.Fprintf(&functions, "    fn h%d() {}\n", i)
			fmt.Fprintf(&calls, "    let l%d = demo_module::h%d();\n", i, i)
		}
		module := strings.TrimRight(string(head[kernel].Data), "\n}") + "\n    }\n" + functions.String() + "}\n"
		head[kernel] = &fstest.MapFile{Data: []byte(module)}
		head[ffi] = &fstest.MapFile{Data: []byte(strings.Replace(string(head[ffi].Data), "    let cols", calls.String()+"    let cols", 1))}
		r, err := review.Run(context.Background(), review.Options{Head: head, Rules: []*rules.Rule{r12.Rule}})
		require.NoError(t, err)
		require.Empty(t, r.Summary.Unread)
	})
}
