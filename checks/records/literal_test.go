package records

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseLiteral(t *testing.T) {
	for src, want := range map[string]Value{
		"1":                       int64(1),
		" -12 ":                   int64(-12),
		"1.5":                     1.5,
		"1e-05":                   1e-05,
		".5":                      0.5,
		"5.":                      5.0,
		"1e400":                   math.Inf(1),
		"-inf":                    math.Inf(-1),
		"123456789012345678901":   123456789012345678901.0,
		"True":                    true,
		"False":                   false,
		"None":                    nil,
		"'it'":                    "it",
		`"it's"`:                  "it's",
		`'a\'b\"c\\'`:             `a'b"c\`,
		`'\xe9\u00e9\U0001f600'`:  "éé\U0001f600",
		`'\ud800'`:                "\uFFFD",
		`'\x41\101\0\q'`:          "AA\x00\\q",
		"[]":                      List{},
		"[1, [2, 'x'],]":          List{int64(1), List{int64(2), "x"}},
		"()":                      Tuple{},
		"(1,)":                    Tuple{int64(1)},
		"(1)":                     int64(1),
		"(1, 2)":                  Tuple{int64(1), int64(2)},
		"'<f(){lambda()#1},::&>'": "<f(){lambda()#1},::&>",
	} {
		got, err := ParseLiteral(src)
		require.NoError(t, err, src)
		require.Equal(t, want, got, src)
	}
	v, err := ParseLiteral("{'a': nan, (1, 'b'): {}, 3: [None]}")
	require.NoError(t, err)
	d := v.(*Dict)
	require.Equal(t, 3, d.Len())
	a, ok := d.Get("a")
	require.True(t, ok)
	require.True(t, math.IsNaN(a.(float64)))
	_, ok = d.Get("3")
	require.False(t, ok, "a number is not a string key")
}

// Everything that is not a plain literal is refused at the right place.
func TestParseLiteralRefuses(t *testing.T) {
	for src, want := range map[string]struct {
		offset int
		found  string
	}{
		"":                        {0, "the end of the text"},
		"{'a': 1":                 {7, "the end of the text"},
		"{'a': 1, 'a': 2}":        {9, `"'a': 2}"`},
		"{1: 1, 1.0: 2}":          {7, `"1.0: 2}"`},
		"{'a'}":                   {4, `"}"`},
		"{[1]: 2}":                {1, `"[1]: 2}"`},
		"[1 2]":                   {3, `"2]"`},
		"[,]":                     {1, `",]"`},
		"'abc":                    {4, "the end of the text"},
		"'a\nb'":                  {2, `"\nb'"`},
		`'\x4'`:                   {1, `"\\x4'"`},
		`'\N{DASH}'`:              {1, `"\\N{DASH}'"`},
		"np.float64(0.1)":         {0, `"np.float64(0.1)"`},
		"tensor(1.0)":             {0, `"tensor(1.0)"`},
		"__import__('os')":        {0, `"__import__('os')"`},
		"[0]*100000000":           {3, `"*100000000"`},
		"1j":                      {0, `"1j"`},
		"0x10":                    {0, `"0x10"`},
		"1 + 1":                   {2, `"+ 1"`},
		"--1":                     {1, `"-1"`},
		"-True":                   {0, `"-True"`},
		"-'a'":                    {0, `"-'a'"`},
		"b'x'":                    {0, `"b'x'"`},
		"'a' 'b'":                 {4, `"'b'"`},
		"'''a'''":                 {0, `"'''a'''"`},
		"1 # comment":             {2, `"# comment"`},
		"1e":                      {0, `"1e"`},
		"Infinity":                {0, `"Infinity"`},
		"'\\":                     {2, "the end of the text"},
		strings.Repeat("[", 1000): {65, `"[[[[[[[[[[[[[[[[[[[[[[[["`},
	} {
		_, err := ParseLiteral(src)
		var refused *LiteralError
		require.ErrorAs(t, err, &refused, src)
		require.Equal(t, want.offset, refused.Offset, "%s: %v", src, err)
		require.Equal(t, want.found, refused.Found, src)
		require.NotEmpty(t, refused.Expected)
	}
	_, err := ParseLiteral(strings.Repeat(" ", MaxLiteralBytes+1))
	require.ErrorContains(t, err, "at most 4194304 bytes")
}

// FuzzParseLiteral: no input crashes the reader, every refusal is a
// LiteralError inside the text, and what is accepted is read alike when it is
// surrounded by a list.
func FuzzParseLiteral(f *testing.F) {
	for _, s := range []string{
		"{'a': {'forward': {'median': 0.1, 'std': nan, 'kernel_times': [{'name': 'k<1, 2>', 'count': 1}]}}}",
		`['\x41', "\u0041", (1,), -inf, 1e-5, True, None]`, "{", "'\\", "((((", "{1: 1, 1.0: 2}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		_, err := ParseLiteral(src)
		_, inList := ParseLiteral("[" + src + "]")
		if err == nil {
			if inList != nil && !strings.Contains(inList.Error(), "nesting") {
				t.Fatalf("%q alone is accepted, in a list: %v", src, inList)
			}
			return
		}
		refused, ok := err.(*LiteralError)
		if !ok || refused.Offset < 0 || refused.Offset > len(src) {
			t.Fatalf("%q: %#v", src, err)
		}
	})
}

func BenchmarkParseLiteral(b *testing.B) {
	src := "{'triton': {'forward': {'mean': 0.35, 'median': 0.35, 'kernel_times': [" +
		strings.Repeat("{'name': 'void at::native::elementwise_kernel<128, 4>', 'self_time_us': 356.2260000000001, 'total_time_us': 356.2260000000001, 'count': 1}, ", 30) + "]}}}"
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := ParseLiteral(src); err != nil {
			b.Fatal(err)
		}
	}
}
