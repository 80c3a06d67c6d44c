package commands

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// texts returns the command lines that Parse saw.
func texts(body string) []string {
	var out []string
	for _, c := range Parse(body) {
		out = append(out, c.Text)
	}
	return out
}

func one(t *testing.T, body string) Command {
	t.Helper()
	all := Parse(body)
	require.Len(t, all, 1, "commands in %q", body)
	return all[0]
}

func args(t *testing.T, body string) Args {
	t.Helper()
	c := one(t, body)
	require.NoError(t, c.Err)
	return c.Args
}

func TestWhatIsACommand(t *testing.T) {
	const run = "/tilegym run bmm"
	tests := []struct {
		name, body string
		want       []string
	}{
		{"alone", run, []string{run}},
		{"after prose in the same paragraph", "Please.\n" + run + "\nThanks.", []string{run}},
		{"up to three blanks before it", "   " + run, []string{run}},
		{"several, in order", "/tilegym status\n\ntext\n\n/tilegym cancel\n" + run, []string{"/tilegym status", "/tilegym cancel", run}},
		{"large first letter", "/Tilegym run bmm", []string{"/Tilegym run bmm"}},
		{"above a rule of dashes, which makes it a heading", run + "\n---\nsignature", []string{run}},
		{"in the middle of a sentence", "You can write " + run + " here.", nil},
		{"longer word", "/tilegymnast run\n/tilegym-bot run\n/tilegym/run", nil},
		{"other command", "/retest", nil},
		{"escaped slash", "\\/tilegym run", nil},

		{"field-report 47: quote", "> " + run + "\n\nprose", nil},
		{"field-report 47: quote without blank", ">" + run + "\nprose", nil},
		{"field-report 47: nested quote", ">> " + run + "\n> > " + run, nil},
		{"field-report 47: quote, then a real one", "> /tilegym run\n\n" + run, []string{run}},
		{"field-report 47: quote, a real one right below", "> /tilegym run\n" + run, []string{run}},
		{"field-report 47: quote with a fence, a real one right below", "> ```\n> /tilegym run\n" + run, []string{run}},
		{"indented below a quote", "> prose\n " + run, nil},

		{"field-report 48: backtick fence", "```\n" + run + "\n```", nil},
		{"field-report 48: fence with language", "```sh\n" + run + "\n```\n", nil},
		{"field-report 48: tilde fence", "~~~\n" + run + "\n~~~", nil},
		{"field-report 48: fence never closed", "```\n" + run + "\n\n" + run, nil},
		{"field-report 48: longer fence around a fence", "````\n```\n" + run + "\n```\n" + run + "\n````", nil},
		{"field-report 48: indented code", "text\n\n    " + run, nil},
		{"field-report 48: inline code", "`" + run + "`", nil},
		{"field-report 48: inline code over lines", "see `code\n" + run + "\n` there", nil},
		{"field-report 48: table cell", "| a | b |\n| --- | --- |\n| " + run + " | x |", nil},
		{"field-report 48: table without outer pipes", run + " | b\n--- | ---\n" + run + " | x\n" + run, nil},
		{"field-report 48: after a fence", "```\nlog\n```\n" + run, []string{run}},

		{"HTML comment", "<!-- " + run + " -->", nil},
		{"HTML comment over lines", "<!--\n\n" + run + "\n\n-->", nil},
		{"HTML comment inside a paragraph", "text <!-- a\n" + run + "\n--> more", nil},
		{"after an HTML comment", "<!-- x -->\n\n" + run, []string{run}},
		{"details", "<details>\n\n" + run + "\n\n</details>", nil},
		{"after details", "<details><summary>log</summary>\n\n" + run + "\n\n</details>\n\n/tilegym status", []string{"/tilegym status"}},
		{"pre", "<pre>\n" + run + "\n\n" + run + "\n</pre>", nil},
		{"code tag inside a paragraph", "text <code>\n" + run + "\n</code>\n/tilegym status", []string{"/tilegym status"}},
		{"type parameter in prose", "Is it Vec<f32> or Vec<T>?\n\n" + run, []string{run}},

		{"list item", "- " + run + "\n- x", nil},
		{"numbered list", "1. " + run, nil},
		{"second line of a list item", "- x\n  " + run, nil},
		{"paragraph of a list item", "- x\n\n  " + run, nil},
		{"directly below a list, at the margin", "- x\n" + run, []string{run}},
		{"heading", "# " + run, nil},
		{"link text over lines", "[a\n" + run + "\n](http://x.example)", nil},
		{"link definition", "[a]: /tilegym", nil},
		{"footnote", "x[^1]\n\n[^1]: " + run + "\n\n/tilegym status", []string{"/tilegym status"}},

		{"field-report 52: carriage returns", "/tilegym run a\r\n/tilegym run b\r\n", []string{"/tilegym run a", "/tilegym run b"}},
		{"carriage returns alone", "/tilegym run a\r/tilegym run b", []string{"/tilegym run a", "/tilegym run b"}},
		{"no-break space as separator", "/tilegym\u00a0run\u00a0bmm", []string{"/tilegym\u00a0run\u00a0bmm"}},
		{"byte-order mark first", "\ufeff/tilegym status", []string{"/tilegym status"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, texts(test.body)) })
	}
}

func TestFieldReport52CarriageReturnsDoNotStickToArguments(t *testing.T) {
	for _, body := range []string{"/tilegym run a\r\n/tilegym run b\r\n", "/tilegym run b\r\n/tilegym run a\r\n"} {
		var kernels []string
		for _, c := range Parse(body) {
			require.NoError(t, c.Err)
			kernels = append(kernels, c.Args.(Rerun).Kernels...)
		}
		assert.ElementsMatch(t, []string{"a", "b"}, kernels)
	}
}

func TestFieldReport53TrailingBlanksAreNoArguments(t *testing.T) {
	for _, tail := range []string{"", "  \t\r\n\r\n", "\u00a0", " \u00a0\u200b\r\n", "\n\n\n"} {
		assert.Equal(t, Rerun{Kernels: []string{"softmax"}}, args(t, "/tilegym run softmax"+tail), "tail %q", tail)
	}
}

func TestArguments(t *testing.T) {
	day := time.Date(2027, 1, 15, 0, 0, 0, 0, time.UTC)
	sha := strings.Repeat("0123456789", 4)
	tests := []struct {
		line string
		want Args
	}{
		{"/tilegym", Help{}},
		{"/tilegym help", Help{}},
		{"/tilegym help run", Help{Verb: Find("rerun")}},
		{"/tilegym STATUS", Status{}},
		{"/tilegym cancel", Cancel{}},
		{"/tilegym explain R45", Explain{"R45"}},
		{"/tilegym explain `r01`", Explain{"R1"}},
		{"/tilegym explain 45", Explain{"R45"}},
		{"/tilegym explain p11", Explain{"P11"}},
		{"/tilegym rerun", Rerun{}},
		{"/tilegym rerun perf", Rerun{Stage: StagePerf}},
		{"/tilegym rerun Failed", Rerun{Stage: StageFailed}},
		{"/tilegym run all bmm softmax", Rerun{Stage: StageAll, Kernels: []string{"bmm", "softmax"}}},
		{"/tilegym run bmm perf", Rerun{Kernels: []string{"bmm", "perf"}}},
		{"/tilegym run `bmm` --gpu h100 --rounds 4", Rerun{Kernels: []string{"bmm"}, GPU: "h100", Rounds: 4}},
		{"/tilegym run --rounds=4 --gpu=h100 perf bmm", Rerun{Stage: StagePerf, Kernels: []string{"bmm"}, GPU: "h100", Rounds: 4}},
		{"/tilegym run perf \u2014gpu h100", Rerun{Stage: StagePerf, GPU: "h100"}},
		{"/tilegym ok-to-test " + strings.ToUpper("abcdef0123") + sha[:30], OkToTest{"abcdef0123" + sha[:30]}},
		{"/tilegym waive perf bmm known gap, see #12", WaivePerf{Kernel: "bmm", Reason: "known gap, see #12"}},
		{"/tilegym waive perf bmm <= 1.08 until 2027-01-15 waits for  the tool", WaivePerf{Kernel: "bmm", Ratio: 1.08, Until: day, Reason: "waits for  the tool"}},
		{"/tilegym waive perf bmm until 2027-01-15 <=1.08 why", WaivePerf{Kernel: "bmm", Ratio: 1.08, Until: day, Reason: "why"}},
		{"/tilegym waive perf bmm \u2264 2 why", WaivePerf{Kernel: "bmm", Ratio: 2, Reason: "why"}},
		{"/tilegym waive R45 src/a/b.rs until 2027-01-15 exact cover", WaiveRule{Rule: "R45", Path: "src/a/b.rs", Until: day, Reason: "exact cover"}},
		{"/tilegym waive R7 `tests/a b/c d.py` exact cover", WaiveRule{Rule: "R7", Path: "tests/a b/c d.py", Reason: "exact cover"}},
		{"/tilegym waive 7 `src/a.rs` ok `x`", WaiveRule{Rule: "R7", Path: "src/a.rs", Reason: "ok `x`"}},
		{"/tilegym unwaive perf bmm", UnwaivePerf{"bmm"}},
		{"/tilegym unwaive R45 src/a/b.rs", UnwaiveRule{"R45", "src/a/b.rs"}},
	}
	for _, test := range tests {
		t.Run(test.line, func(t *testing.T) { assert.Equal(t, test.want, args(t, test.line)) })
	}
}

func TestWrongCommandsSayWhatWouldWork(t *testing.T) {
	tests := []struct{ line, want string }{
		{"/tilegym rerrun", "there is no command `rerrun`, did you mean `rerun`?"},
		{"/tilegym hepl", "did you mean `help`?"},
		{"/tilegym frobnicate", "`/tilegym help` lists them"},
		{"/tilegym status now", "found `now` where the command should end"},
		{"/tilegym help xyz", "there is no command `xyz`"},
		{"/tilegym explain", "expected a rule"},
		{"/tilegym explain R0", "expected a rule"},
		{"/tilegym explain Q4", "found `Q4`"},
		{"/tilegym run --gpu", "`--gpu` needs a value"},
		{"/tilegym run --gup x", "did you mean `--gpu`?"},
		{"/tilegym run --rounds 0", "from 1 to 20, found `0`"},
		{"/tilegym run --rounds many", "found `many`"},
		{"/tilegym run --rounds 3 --rounds 3", "stands twice"},
		{"/tilegym run ../x", "expected a kernel's name"},
		{"/tilegym run $(reboot)", "expected a kernel's name"},
		{"/tilegym ok-to-test", "all 40 characters"},
		{"/tilegym ok-to-test 0123abc", "found `0123abc`; a shortened one can be forged"},
		{"/tilegym ok-to-test main", "all 40 characters"},
		{"/tilegym waive", "expected `perf KERNEL` or `RULE PATH`"},
		{"/tilegym waive correctness bmm it is flaky", "`correctness` cannot be waived"},
		{"/tilegym waive build bmm why", "`build` cannot be waived"},
		{"/tilegym waive prf bmm why", "did you mean `perf`?"},
		{"/tilegym waive perf", "expected a kernel's name"},
		{"/tilegym waive perf bmm", "needs a reason"},
		{"/tilegym waive perf bmm <= 1.08", "needs a reason"},
		{"/tilegym waive perf bmm until 2027-01-15", "needs a reason"},
		{"/tilegym waive perf bmm ...", "needs a reason"},
		{"/tilegym waive perf bmm <= fast enough", "found `fast`"},
		{"/tilegym waive perf bmm <= inf why", "found `inf`"},
		{"/tilegym waive perf bmm <= -1 why", "found `-1`"},
		{"/tilegym waive perf bmm <= 0 why", "found `0`"},
		{"/tilegym waive perf bmm <= 1e9 why", "found `1e9`"},
		{"/tilegym waive perf bmm until the fix lands", "YYYY-MM-DD"},
		{"/tilegym waive perf bmm until 2027-02-30 why", "YYYY-MM-DD"},
		{"/tilegym waive perf bmm " + strings.Repeat("x", 501), "at most 500"},
		{"/tilegym waive R45", "expected the path"},
		{"/tilegym waive R45 src/a.rs", "needs a reason"},
		{"/tilegym waive R45 src/a.rs <= 1.1 why", "has no ratio"},
		{"/tilegym waive R45 /etc/passwd why", "from the repository's root"},
		{"/tilegym waive R45 ../a why", "from the repository's root"},
		{"/tilegym waive R45 a/../../b why", "from the repository's root"},
		{"/tilegym unwaive perf bmm because", "found `because`"},
		{"/tilegym unwaive all", "`all` cannot be waived"},
	}
	for _, test := range tests {
		t.Run(test.line, func(t *testing.T) {
			c := one(t, test.line)
			require.Error(t, c.Err)
			assert.Nil(t, c.Args)
			assert.Contains(t, c.Err.Error(), test.want)
			if c.Verb != nil {
				assert.Contains(t, c.Err.Error(), "Usage: `/tilegym "+c.Verb.Name)
			}
		})
	}
}

func TestErrorsRenderUntrustedWordsAsOneCodeSpan(t *testing.T) {
	c := one(t, "/tilegym @some-user`<img\u202e>"+strings.Repeat("x", 100))
	message := c.Err.Error()
	assert.Zero(t, strings.Count(message, "`")%2, "code spans are closed: %s", message)
	assert.NotContains(t, message, "\u202e")
	assert.Less(t, len(message), 200)
}

func TestTooManyCommands(t *testing.T) {
	all := Parse(strings.Repeat("/tilegym status\n", 40))
	require.Len(t, all, MaxCommands+1)
	assert.NoError(t, all[MaxCommands-1].Err)
	assert.ErrorContains(t, all[MaxCommands].Err, "first 20")
	assert.Equal(t, MaxCommands+1, all[MaxCommands].Line)
}

func TestCommentOverTheLimit(t *testing.T) {
	all := Parse("/tilegym status" + strings.Repeat(" ", MaxBody))
	require.Len(t, all, 1)
	assert.ErrorContains(t, all[0].Err, "at most 262144")
}

func TestLineNumbers(t *testing.T) {
	all := Parse("Hello\r\n\r\n> q\r\n\r\n/tilegym status\r\ntext\r\n/tilegym cancel")
	require.Len(t, all, 2)
	assert.Equal(t, 5, all[0].Line)
	assert.Equal(t, 7, all[1].Line)
}

func TestCheckNames(t *testing.T) {
	known := Known{
		Kernels: []string{"softmax", "bmm", "rope"}, GPUs: []string{"h100"}, Rules: []string{"R1", "R45"},
		Now: time.Date(2027, 1, 15, 23, 59, 0, 0, time.UTC),
	}
	tests := []struct{ line, want string }{
		{"/tilegym run bmm softmax --gpu h100", ""},
		{"/tilegym run", ""},
		{"/tilegym run sofmax", "there is no kernel `sofmax`, did you mean `softmax`?; there are `bmm`, `rope`, `softmax`"},
		{"/tilegym run buld", "did you mean `build`?"},
		{"/tilegym run bmm perf", "a stage stands before the kernels"},
		{"/tilegym run bmm --gpu h10", "there is no GPU class `h10`, did you mean `h100`?; there are `h100`"},
		{"/tilegym explain R46", "there is no rule `R46`, did you mean `R45`?"},
		{"/tilegym waive perf bm why", "there is no kernel `bm`"},
		{"/tilegym waive perf bmm until 2027-01-15 why", ""},
		{"/tilegym waive perf bmm until 2027-01-14 why", "`2027-01-14` has passed; today is 2027-01-15"},
		{"/tilegym waive R44 a.rs why", "there is no rule `R44`"},
		{"/tilegym waive R45 a.rs until 2020-01-01 why", "has passed"},
		{"/tilegym unwaive perf gone", ""},
		{"/tilegym nonsense", "there is no command"},
	}
	for _, test := range tests {
		t.Run(test.line, func(t *testing.T) {
			err := one(t, test.line).Check(known)
			if test.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.want)
		})
	}
	assert.NoError(t, one(t, "/tilegym run anything").Check(Known{}), "lists that are not known are not checked")
	assert.ErrorContains(t, one(t, "/tilegym run bmm").Check(Known{Kernels: []string{}}), "has none")
}

func TestEditDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"help", "hepl", 1}, {"rerun", "rerrun", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}} {
		assert.Equal(t, test.want, editDistance(test.a, test.b), "%s/%s", test.a, test.b)
		assert.Equal(t, test.want, editDistance(test.b, test.a), "%s/%s", test.b, test.a)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"/tilegym run a\r\n/tilegym run b", "> /tilegym\n/tilegym waive perf x <= 1 until 2027-01-01 y", "<details>\n\n/tilegym\n",
		"x[^1]\n\n[^1]: /tilegym\n/tilegym", "| a |\n|-|\n/tilegym", "`\n/tilegym\n`", "- a\n/tilegym\n\n      /tilegym", "\ufeff /tilegym \u00a0 x\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		all := Parse(body)
		if len(all) > MaxCommands+1 {
			t.Fatalf("%d commands", len(all))
		}
		last := 0
		for _, c := range all {
			if (c.Err == nil) != (c.Args != nil) || (c.Verb == nil && c.Err == nil) {
				t.Fatalf("half a command: %+v", c)
			}
			if len(body) > MaxBody {
				return
			}
			if !addressed(c.Text) || c.Line <= last || strings.ContainsAny(c.Text, "\r\n") {
				t.Fatalf("line %d after %d: %q", c.Line, last, c.Text)
			}
			last = c.Line
			if c.Err != nil && strings.ContainsAny(c.Err.Error(), "\r\n") {
				t.Fatalf("error over lines: %q", c.Err)
			}
			// A command put into a fence is none.
			if fenced := Parse("`````\n" + c.Text + "\n`````\n"); len(fenced) != 0 && !strings.Contains(c.Text, "`````") {
				t.Fatalf("fenced command obeyed: %q", c.Text)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	body := strings.Repeat("Some prose about Vec<f32> and `code` here.\n\n> quoted\n\n```\nlog line\n```\n\n", 200) + "/tilegym rerun perf bmm\n"
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if len(Parse(body)) != 1 {
			b.Fatal("command not found")
		}
	}
}
