package r32_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/r32"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/tree"
)

func Test(t *testing.T) { ruletest.Run(t, r32.Rule) }

// Launches, what follows them and what may stand before them are each read once.
func TestManyLaunches(t *testing.T) {
	const path = tree.OpsRoot + "/demo_kernel/ffi.rs"
	for name, body := range map[string]string{
		"each falls through": "match x {\n" + strings.Repeat("1 => if let Err(e) = k.sync_on(&s) { println!(\"x\"); },\n", 2000) + "_ => {}\n}\n" + strings.Repeat("let v = 1;\n", 2000) + "return rc::OK;\n",
		"each in an arm":     "match x {\n" + strings.Repeat("1 => { k.sync_on(&s); }\n", 5000) + strings.Repeat("1 => { if out.is_null() { return rc::OK; } }\n", 5000) + "_ => {}\n}\n",
		"one name for all":   "let mut c = rc::OK;\nmatch x {\n" + strings.Repeat("1 => if let Err(e) = k.sync_on(&s) { println!(\"x\"); },\n", 3000) + "_ => {}\n}\nreturn c;\n" + strings.Repeat("let q = 1;\n", 20000),
	} {
		head := ruletest.Base()
		src := strings.Replace(string(head[path].Data), "    macro_rules! dispatch", body+"    macro_rules! dispatch", 1)
		require.NotEqual(t, string(head[path].Data), src)
		head[path] = &fstest.MapFile{Data: []byte(src)}
		hostile.Within(t, 4*time.Second, func() {
			r, err := review.Run(context.Background(), review.Options{Head: head, Rules: []*rules.Rule{r32.Rule}})
			require.NoError(t, err)
			assert.Empty(t, r.Summary.Unread, name)
		})
	}
}
