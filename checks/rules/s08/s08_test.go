package s08_test

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
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/rules/s08"
)

func TestS8(t *testing.T) { ruletest.Run(t, s08.Rule) }

// Each name that an entry stands for is looked up, not searched for in the file.
func TestManyNames(t *testing.T) {
	hostile.Grows(t, 1000, func(n int) {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "A%d = True\n", i)
		}
		b.WriteString("table = {\n    \"cutile\": True,\n")
		for i := range n {
			fmt.Fprintf(&b, "    \"cutile-rs\": A%d,\n", i)
		}
		b.WriteString("}\n")
		head := ruletest.Base()
		head["src/tilegym/backend/selector.py"] = &fstest.MapFile{Data: []byte(b.String())}
		r, err := review.Run(context.Background(), review.Options{Head: head, Rules: []*rules.Rule{s08.Rule}})
		require.NoError(t, err)
		require.Empty(t, r.Findings)
	})
}

// Entries that come back are looked for once, and not for each that is taken out.
func TestManyTakenOut(t *testing.T) {
	hostile.Grows(t, 500, func(n int) {
		head := ruletest.Base()
		src := "_available_backends = {\"cutile-rs\": probe()}\n" + strings.Repeat("_available_backends.pop(\"cutile-rs\")\n", n)
		head["src/tilegym/backend/selector.py"] = &fstest.MapFile{Data: []byte(src)}
		r, err := review.Run(context.Background(), review.Options{Head: head, Rules: []*rules.Rule{s08.Rule}})
		require.NoError(t, err)
		require.NotEmpty(t, r.Findings)
	})
}
