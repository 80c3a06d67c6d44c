package records

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tilegate/tilegate/checks/hostile"
)

// Four times the input takes about four times as long, whatever it is: sixteen
// times as long would be quadratic.
func TestTimeGrowsWithTheInput(t *testing.T) {
	junit := func(text func(n int) string) func(int) {
		return func(n int) { ReadJUnit("x", strings.NewReader(text(n))) }
	}
	property := func(value func(n int) string) func(int) {
		return junit(func(n int) string {
			return `<testsuite><testcase name="a"><properties><property name="benchmark" value="` + value(n) + `"/></properties></testcase></testsuite>`
		})
	}
	times := func(s string) func(int) string { return func(n int) string { return strings.Repeat(s, n/len(s)+1) } }
	within := func(before, s, after string) func(int) string {
		return func(n int) string { return before + strings.Repeat(s, n/len(s)+1) + after }
	}
	for name, read := range map[string]func(n int){
		"cases":          junit(within("<testsuite>", "<testcase name='a'/>", "</testsuite>")),
		"unnamed":        junit(within("<testsuite>", "<testcase/>", "</testsuite>")),
		"ampersands":     junit(within("<testsuite><testcase name='a'><failure>", "&", "</failure></testcase></testsuite>")),
		"broken UTF-8":   junit(within("<testsuite><testcase name='a'><failure message='", "\xe0", "'/></testcase></testsuite>")),
		"open CDATA":     junit(within("<testsuite><testcase name='a'><failure><![CDATA[", "]]", "")),
		"open comment":   junit(within("<testsuite><!--", "- -", "")),
		"open value":     junit(within("<testsuite><testcase name='", "x ", "")),
		"open target":    junit(within("<?x", "?", "")),
		"text in pieces": junit(within("<testsuite><testcase name='a'><failure>", "x<!---->", "</failure></testcase></testsuite>")),
		"fallback lines": junit(within("<testsuite><testcase name='a'><system-out>", "Current backend 'x' has no", "</system-out></testcase></testsuite>")),
		"results":        junit(within("<testsuite><testcase name='a'>", "<failure message='m'>b</failure>", "</testcase></testsuite>")),
		"properties":     junit(within("<testsuite><testcase name='a'><properties>", "<property name='benchmark' value='{}'/>", "</properties></testcase></testsuite>")),
		"open lists":     property(times("[")),
		"lists":          property(within("{'a': {'forward': {'x': [", "[],", "]}}}")),
		"kernels":        property(within("{'a': {'forward': {'kernel_times': [", "{'name':'a','count':1},", "{'name':'a','count':1}]}}}")),
		"escapes":        property(within("'", `\x41`, "'")),
		"signs":          property(times("-")),
		"digits":         property(times("9")),
		"blanks":         property(times(" ")),
		"keys": property(func(n int) string {
			var b strings.Builder
			for i := range n / 8 {
				fmt.Fprintf(&b, "%d:0,", i)
			}
			return "{" + b.String() + "}"
		}),
		"classes": junit(func(n int) string {
			var b strings.Builder
			for i := range n / 40 {
				fmt.Fprintf(&b, "<testcase classname='c%d' name='a'/>", i)
			}
			return "<testsuite>" + b.String() + "</testsuite>"
		}),
		"console titles":  func(n int) { ReadConsole("x", strings.NewReader(times("Performance Test Results\n")(n))) },
		"console line":    func(n int) { ReadConsole("x", strings.NewReader(times("x")(n))) },
		"console escapes": func(n int) { ReadConsole("x", strings.NewReader(times("\x1b[")(n))) },
		"console blocks": func(n int) {
			ReadConsole("x", strings.NewReader(times("Performance Test Results\ntest: a.py::t[cutile-1]\nbenchmark: {'cutile': {'forward': {'median': 1}}}\n")(n)))
		},
		"cargo":   func(n int) { ReadCargo(strings.NewReader(times("error: could not compile `x`\n --> a:1:1\n")(n))) },
		"symbols": func(n int) { ReadSymbols(strings.NewReader(times("T a\n")(n))) },
		"test id": func(n int) { ParseID(times("a.")(n), "t["+times("cutile-")(n)+"]") },
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			hostile.Grows(t, 1<<20, read)
		})
	}
}

// No log or id crashes its reader, and what a log says is clean.
func FuzzConsoleAndIDs(f *testing.F) {
	f.Add("Performance Test Results\ntest: a/b.py::C::t[cutile_rs-1]\nbenchmark: {'cutile-rs': {'forward': {'median': 1}}}\n== 1 passed in 1s ==\n", "a.test_b.C", "t[a-cutile-rs-[x]-1]")
	f.Fuzz(func(t *testing.T, log, class, name string) {
		c := ReadConsole("x", strings.NewReader(log))
		for _, tc := range c.Cases {
			require.NotContains(t, tc.ID(), "\x1b")
			ParseNodeID(tc.ID())
		}
		id := ParseID(class, name)
		require.Equal(t, id.Backend, CanonicalBackend(id.Backend))
		id.For("triton")
		Tokens(name)
		id.Backward()
	})
}
