package untrusted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

var gfm = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote))

// hostile are texts that have fooled bots: each must come out as its own
// characters and nothing else.
var hostile = []string{
	"", " ", "plain words", "test_perf[bm-64-dtype0]", "a\nb\r\nc\rd", "tab\there",
	"@some-user", "mail me@example.com", "@org/team please", `\@user`, "&#64;user", "&commat;user", "&amp;#64;user",
	"#1", "fixes #12", "Closes: owner/repo#12", "resolves https://github.com/o/r/issues/3", "GH-7", "gh-7 fixes GH-7",
	"GHSA-abcd-efgh-ijkl", "CVE-2024-12345", "\\#1", "&#35;1",
	"http://evil.example/x", "https://evil.example", "HTTPS://EVIL.example", "www.evil.example", "WWW.evil.example", "ftp://x.y/z", "mailto:a@b.cd",
	"deadbeef1", "0123456789abcdef0123456789abcdef01234567", "1234567", "o/r@0123456789abcdef", "DEADBEEF99",
	"<b>bold</b>", "<script>alert(1)</script>", "<!-- tilegate:state -->", "--> out", "<img src=x onerror=y>", "<https://x.y>", "</code>", "<details>",
	"![i](https://evil.example/i.png)", "[t](https://evil.example)", "[t]: https://evil.example", "[^1]", "[^1]: note", "[x]", "!",
	"# heading", "## h", "- item", "+ item", "* item", "1. one", "12) twelve", "1986\\. x", "> quote", "> [!NOTE]", "---", "===", "***", "___", "_ _ _", "~~~", "```", "    code",
	"**b**", "*i*", "__b__", "_i_", "~~s~~", "~s~", "`code`", "``a`b``", "`open", "a`", "\\", "a\\", "\\`x`", "\\|", "a|b", "|---|", "| a | b |", ":-:", ":--|--:",
	":smile:", "kernel.rs:100:9", ":+1:", "a::b::c", "$x$", "$$x$$", "\\(x\\)", "costs $5 and $6$",
	"\x1b[31mred\x1b[0m", "\x1b]8;;https://evil.example\x07link\x1b]8;;\x07", "\x1b]0;title", "\x1b", "\u009b31mx", "nul\x00bel\x07bs\x08", "bad\xff\xfeutf8", "\xed\xa0\x80",
	"\u202eevil\u202c", "\u2066x\u2069", "zero\u200bwidth", "@\u200bkept", "soft\u00adhyphen", "\ufeffbom", "line\u2028sep\u2029par", "\u3164",
	"::error::x", "  ::set-output name=x::y", "##[group]x", "日本語 テスト", "emoji 👩‍🚀", "&lt;", "&", "&copy;", "&nbsp;", "\u00a0x\u00a0",
}

// places are where templates put a rendered text; %s is the text.
var places = []string{
	"%s", "lead\n%s", "lead\n%s\ntail", "- %s\n", "> %s", "| a | b |\n|---|---|\n| %s | z |\n", "[x]%s", "%s[x](y)", "**%s**", "1. %s", "## %s",
}

// triggers are what GitHub finds in rendered text that is not code.
var triggers = []*regexp.Regexp{
	regexp.MustCompile(`@[A-Za-z0-9]`),
	regexp.MustCompile(`#[0-9]`),
	regexp.MustCompile(`(?i)gh-[0-9]`),
	regexp.MustCompile(`(?i)(ghsa|cve)-[0-9a-z]`),
	regexp.MustCompile(`\b[0-9a-fA-F]{7,40}\b`),
	regexp.MustCompile(`(?i)(https?|ftp):/`),
	regexp.MustCompile(`(?i)www\.`),
	regexp.MustCompile(`:[A-Za-z0-9_+-]+:`),
}

// shape lists the node kinds of a document, without plain text nodes.
func shape(t testing.TB, src string) []string {
	t.Helper()
	var kinds []string
	doc := gfm.Parser().Parse(text.NewReader([]byte(src)))
	require.NoError(t, ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && n.Kind() != ast.KindText && n.Kind() != ast.KindString {
			kinds = append(kinds, n.Kind().String())
		}
		return ast.WalkContinue, nil
	}))
	return kinds
}

var (
	codePart = regexp.MustCompile(`(?s)<code>.*?</code>`)
	tag      = regexp.MustCompile(`<[^>]*>`)
)

// shown is the text that a reader sees, code left out.
func shown(t testing.TB, src string) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, gfm.Convert([]byte(src), &out))
	return html.UnescapeString(tag.ReplaceAllString(codePart.ReplaceAllString(out.String(), ""), ""))
}

// checkInline asserts that text in every place leaves the document's shape as a
// harmless word leaves it, and triggers nothing.
func checkInline(t testing.TB, in, md string) {
	t.Helper()
	for _, p := range places {
		src := fmt.Sprintf(p, md)
		if md != "" {
			require.Equal(t, shape(t, fmt.Sprintf(p, "word")), shape(t, src), "input %q in place %q gives %q", in, p, src)
		}
		seen := shown(t, src)
		for _, r := range triggers {
			require.Empty(t, r.FindString(seen), "input %q in place %q triggers %s", in, p, r)
		}
	}
}

func squash(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ReplaceAll(s, zwsp, ""), func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }), " ")
}

func TestMarkdownIsInertAndLosesNothing(t *testing.T) {
	for _, in := range hostile {
		md := Text(in).Markdown()
		checkInline(t, in, md)
		assert.Equal(t, squash(Text(in).Line()), squash(shown(t, md)), "input %q", in)
	}
}

// Random concatenations find what single cases do not: one piece's end with
// the next one's beginning.
func TestMarkdownIsInertForRandomMixes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	alphabet := append(strings.Split("@#`\\|[]()<>!&;:/.-+=_*~$^{}\"' \n0123456789abcdefGHW", ""), hostile...)
	for range 4000 {
		var b strings.Builder
		for range 1 + rng.IntN(9) {
			b.WriteString(alphabet[rng.IntN(len(alphabet))])
		}
		in := b.String()
		md := Text(in).Markdown()
		checkInline(t, in, md)
		require.Equal(t, squash(Text(in).Line()), squash(shown(t, md)), "input %q", in)
	}
}

// field-report 60: text copied into posts pinged uninvolved people.
func TestFieldReport60NoMentionReferenceOrImage(t *testing.T) {
	in := Text("test_x[@some-user] @org/team fixes #1 ![i](https://evil.example/i.png)")
	for name, md := range map[string]string{"markdown": in.Markdown(), "prose": in.Prose(), "code": in.Code(), "fence": in.Fence("")} {
		seen := shown(t, md)
		for _, r := range triggers {
			assert.Empty(t, r.FindString(seen), "%s triggers %s", name, r)
		}
		for _, k := range shape(t, md) {
			assert.NotContains(t, []string{"Link", "AutoLink", "Image", "RawHTML", "HTMLBlock"}, k, name)
		}
	}
}

func TestCodeHoldsItsTextInEveryPlace(t *testing.T) {
	for _, in := range hostile {
		md := Text(in).Code()
		want := squash(clean(in, true))
		for _, p := range places {
			src := fmt.Sprintf(p, md)
			var out bytes.Buffer
			require.NoError(t, gfm.Convert([]byte(src), &out))
			if strings.Contains(in, "|") {
				// A code element: goldmark's safe mode drops the tags, the text must be inert by itself.
				checkInline(t, in, strings.NewReplacer("<code>", "z", "</code>", "z").Replace(md))
				continue
			}
			m := codePart.FindString(out.String())
			require.NotEmpty(t, m, "input %q in %q gives %q", in, src, out.String())
			got := html.UnescapeString(tag.ReplaceAllString(m, ""))
			require.Equal(t, want, squash(got), "input %q in place %q", in, p)
			for _, k := range shape(t, src) {
				require.NotContains(t, []string{"Image", "RawHTML", "HTMLBlock", "AutoLink"}, k)
			}
		}
	}
}

// field-report 39: the fence is longer than any run inside, and the block gives
// the replacement back byte for byte.
func TestFieldReport39SuggestionIsByteForByte(t *testing.T) {
	for _, in := range []string{"", "x", "a\nb", "let s = \"```\";\n// ````\n", "`````", "\tindented  ", "crlf\r\nline\r\n", "~~~\n", "@user #1 <b>", "日本語"} {
		block, ok := Text(in).Suggestion()
		require.True(t, ok, "%q", in)
		doc := gfm.Parser().Parse(text.NewReader([]byte(block)))
		f, isFence := doc.FirstChild().(*ast.FencedCodeBlock)
		require.True(t, isFence, "%q", block)
		require.Nil(t, f.NextSibling(), "%q", block)
		require.Equal(t, "suggestion", string(f.Language([]byte(block))))
		got := string(f.Lines().Value([]byte(block)))
		if in == "" {
			require.Empty(t, got)
			continue
		}
		require.Equal(t, in+"\n", got, "the block ends the last line")
	}
	for _, in := range []string{"\x1b[0m", "nul\x00", "\xff", "a\rb", "\u202e", "a\u200bb", "a\u2028b"} {
		_, ok := Text(in).Suggestion()
		require.False(t, ok, "%q", in)
	}
}

func TestFenceCannotBeClosed(t *testing.T) {
	for _, in := range append(hostile, "````\n@user\n`````") {
		block := Text(in).Fence("text\n```")
		require.Equal(t, []string{"Document", "FencedCodeBlock"}, shape(t, block), "%q", in)
		require.NotContains(t, block, "\x1b")
	}
	require.Equal(t, "```text\nx\n```", Text("x\n\n").Fence("text"))
}

func TestProseKeepsCodeSpans(t *testing.T) {
	for in, want := range map[string]string{
		"use `i32` not `@x`":     "use `i32` not `@x`",
		"``a`b`` and @x":         "``a`b`` and @" + zwsp + "x",
		"one ` tick":             "one &grave; tick",
		"`` and `x`":             "&grave;&grave; and `x`",
		"- `x|y` #1":             `\- <code>x&vert;y</code> \#` + zwsp + "1",
		"`#[cutile::entry(..)]`": "`#[cutile::entry(..)]`",
	} {
		assert.Equal(t, want, Text(in).Prose())
	}
	for _, in := range hostile {
		for _, r := range triggers {
			require.Empty(t, r.FindString(shown(t, Text(in).Prose())), "%q triggers %s", in, r)
		}
		for _, k := range shape(t, Text(in).Prose()) {
			require.Contains(t, []string{"Document", "Paragraph", "CodeSpan", "RawHTML"}, k, "%q", in)
		}
	}
}

func TestPlainIsTerminalAndJSONSafe(t *testing.T) {
	for in, want := range map[string]string{
		"\x1b[1;31mred\x1b[0m":                 "red",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\a": "link",
		"\x1b]0;never ends\nnext":              "\nnext",
		"\u009b31mred":                         "red",
		"a\r\nb\rc\x85":                        "a\nb\nc\ufffd",
		"x\x00\x07y":                           "xy",
		"\u202eabc":                            "abc",
		"bad \xff":                             "bad \ufffd",
		"::error::x":                           ":" + zwsp + ":error::x",
		"a\n  ::warning::x":                    "a\n  :" + zwsp + ":warning::x",
		"ok std::mem":                          "ok std::mem",
		"\x1b(Bx":                              "x",
	} {
		assert.Equal(t, want, Text(in).Plain(), "%q", in)
		assert.Equal(t, want, fmt.Sprint(Text(in)), "printing takes Plain")
	}
	assert.Equal(t, "a b c", Text(" a\nb\tc\r\n").Line())
	j, err := Text("\x1b[31m<a>").MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, `"<a>"`, string(j), "the encoder around it decides about HTML")
	j, err = json.Marshal(Text("<a>"))
	require.NoError(t, err)
	assert.Equal(t, `"\u003ca\u003e"`, string(j))
	assert.Equal(t, "&lt;a href=&#34;x&#34;&gt;", Text("<a href=\"x\">\x1b").HTML())
}

func FuzzRender(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		md := Text(in).Markdown()
		checkInline(t, in, md)
		require.Equal(t, squash(Text(in).Line()), squash(shown(t, md)))
		require.Equal(t, []string{"Document", "FencedCodeBlock"}, shape(t, Text(in).Fence("text")))
		for _, k := range shape(t, Text(in).Prose()) {
			require.NotContains(t, []string{"Link", "AutoLink", "Image", "HTMLBlock"}, k)
		}
		for _, r := range Text(in).Plain() {
			require.True(t, r == '\n' || r == '\t' || r >= 0x20 && r != 0x7f)
		}
	})
}

// The table extension must be on, or the table places would test nothing.
func TestPlacesHoldATable(t *testing.T) {
	require.Contains(t, shape(t, fmt.Sprintf(places[5], "x")), east.KindTable.String())
}
