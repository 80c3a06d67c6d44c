package records

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// scanned lists what the scanner finds in a document, one item a line.
func scanned(r io.Reader) (list []string, repairs int, err error) {
	s := newScanner(r)
	for {
		out := excerpt{limit: 1 << 30}
		kind, err := s.next(&out)
		if len(out.text) > 0 {
			list = append(list, fmt.Sprintf("text %q", out.text))
		}
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return list, s.repairs, err
		}
		if kind == endTag {
			list = append(list, "end")
			continue
		}
		item := fmt.Sprintf("start %q", s.local())
		seen := map[string]bool{}
		for _, a := range s.attrs {
			// Of two attributes of a name the first counts.
			name := string(local(s.buf[s.tag+a.name : s.tag+a.nameEnd]))
			value, _ := s.clean(nil, s.buf[s.tag+a.value:s.tag+a.valueEnd], true, true)
			if !seen[name] {
				seen[name] = true
				item += fmt.Sprintf(" %q=%q", name, value)
				if got := s.attr(name); !bytes.Equal(got, value) {
					return nil, 0, fmt.Errorf("attr(%q) is %q, not %q", name, got, value)
				}
			}
		}
		list = append(list, item)
	}
}

// byLibrary lists the same by encoding/xml.
func byLibrary(raw []byte) (list []string, err error) {
	d := xml.NewDecoder(bytes.NewReader(raw))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	var text []byte
	flush := func() {
		if len(text) > 0 {
			list = append(list, fmt.Sprintf("text %q", text))
			text = nil
		}
	}
	for {
		tok, err := d.Token()
		if err != nil {
			flush()
			if err == io.EOF {
				err = nil
			}
			return list, err
		}
		switch t := tok.(type) {
		case xml.CharData:
			text = append(text, t...)
		case xml.StartElement:
			flush()
			item := fmt.Sprintf("start %q", t.Name.Local)
			seen := map[string]bool{}
			for _, a := range t.Attr {
				if !seen[a.Name.Local] {
					seen[a.Name.Local] = true
					item += fmt.Sprintf(" %q=%q", a.Name.Local, a.Value)
				}
			}
			list = append(list, item)
		case xml.EndElement:
			flush()
			list = append(list, "end")
		}
	}
}

// looser are the complaints of encoding/xml that the scanner does not share: they
// lose nothing of a JUnit file.
var looser = []string{
	"unescaped ]]> not in CDATA section",
	`invalid sequence "--" not allowed in comments`,
	"expected target name after <?", "inside <?xml", "unsupported version", "xml: encoding",
	"invalid XML name", "expected element name after <", "expected attribute name in element", "invalid character in attribute name", "expected element name after </",
}

func agree(t *testing.T, raw []byte) {
	t.Helper()
	want, libErr := byLibrary(raw)
	got, repairs, err := scanned(bytes.NewReader(raw))
	slow, _, slowErr := scanned(iotest.OneByteReader(bytes.NewReader(raw)))
	if strings.Join(got, "\n") != strings.Join(slow, "\n") || fmt.Sprint(err) != fmt.Sprint(slowErr) {
		t.Fatalf("in one piece: %v %q\nbyte by byte: %v %q", err, got, slowErr, slow)
	}
	if libErr == nil && repairs == 0 {
		if err != nil && !strings.Contains(err.Error(), "at most") && !strings.Contains(err.Error(), "no document type") {
			t.Fatalf("encoding/xml reads it, the scanner says %v", err)
		}
		if err == nil && strings.Join(want, "\n") != strings.Join(got, "\n") {
			t.Fatalf("encoding/xml: %q\nscanner:      %q", want, got)
		}
	}
	if err == nil && libErr != nil && repairs == 0 {
		for _, l := range looser {
			if strings.Contains(libErr.Error(), l) {
				return
			}
		}
		t.Fatalf("the scanner reads it, encoding/xml says %v", libErr)
	}
}

var markup = []string{
	`<a b="1&amp;2" c='"'>x &lt; y<b/>z</a>`,
	"<?xml version='1.0' encoding='utf-8'?>\r\n<a>\r\n&#13;&#x41;\r</a><!-- - -- -->",
	"<a><![CDATA[<b> & ]] ]]>&#65;</a >", "<n:a x:y='1' y='2'/>", "<a b = 'x\ny'\t/>", "<a></b>", "<a", "<a b='<'/>", "<a b=c/>", "</a>", "<a>&nbsp;</a>",
	"<a>\x00\xff\xed\xa0\x80é</a>", "<a b='1'c='2'/>", "<!-->", "<a><!x '>' ></a>", "<?x ?><a/>", "<1/>", "<a/ >", "<a><b></a></b>", "x", "<a>&#xD800;&#0;&#x110000;</a>", "<a\u00e9>\uFFFE</a\u00e9>",
}

// Every document that encoding/xml accepts is read alike, and none that it
// refuses for its structure is accepted.
func TestScannerAgreesWithEncodingXML(t *testing.T) {
	for _, raw := range markup {
		agree(t, []byte(raw))
		for n := range raw {
			agree(t, []byte(raw[:n]))
		}
	}
	files, err := filepath.Glob("../../testdata/junit/*.xml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		agree(t, raw)
	}
}

func FuzzScanner(f *testing.F) {
	for _, raw := range markup {
		f.Add([]byte(raw))
	}
	f.Fuzz(agree)
}

// A long tag is read whole, and everything has its bound.
func TestScannerBounds(t *testing.T) {
	long := strings.Repeat("v", 3<<20)
	got, _, err := scanned(strings.NewReader(`<a b="` + long + `"/>`))
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("start \"a\" \"b\"=%q", long), got[0])
	for raw, want := range map[string]string{
		`<a b="` + strings.Repeat("v", maxMarkup):        "expected markup of at most 8 MiB",
		"<a" + strings.Repeat(" ", maxMarkup):            "expected markup of at most 8 MiB",
		strings.Repeat("<a>", maxDepth+1):                "expected at most 1000 open elements",
		"<a " + strings.Repeat("b='' ", maxAttributes+1): "expected at most 64 attributes",
		"<a><!--" + strings.Repeat("<!- x", 1<<20):       "unexpected EOF",
		"<a><![CDATA[" + strings.Repeat("]]]", 1<<20):    "unexpected EOF",
		"<a><?" + strings.Repeat("?", 1<<20):             "unexpected EOF",
	} {
		_, _, err := scanned(strings.NewReader(raw))
		require.ErrorContains(t, err, want)
	}
	_, _, err = scanned(io.MultiReader(strings.NewReader("<a>"), iotest.ErrReader(errors.New("disk on fire"))))
	require.ErrorContains(t, err, "disk on fire")
}

// FuzzQuickBenchmark: what the quick reader accepts, the general one reads alike.
func FuzzQuickBenchmark(f *testing.F) {
	f.Add("{'a': {'forward': {'median': 0.1, 'std': nan, 'nrep': 3, 'kernel_name': \"k'\", 'kernel_times': [{'name': 'k<1, 2>', 'count': 1, 'self_time_us': 1e-5}]}}}")
	f.Add("{'a': {'forward': {'median': None, 'min': -inf, 'x': True, 'kernel_times': []}, 'backward': {}}, 'b': {}}")
	f.Add("{}")
	f.Fuzz(func(t *testing.T, src string) {
		quick, ok := quickBenchmark([]byte(src), &interner{})
		if !ok {
			return
		}
		v, err := ParseLiteral(src)
		require.NoError(t, err, src)
		slow, err := benchmark(v)
		require.NoError(t, err, src)
		require.Equal(t, fmt.Sprintf("%#v", slow), fmt.Sprintf("%#v", quick), src)
	})
}

// The quick reader is used: real records all have the form that it knows.
func TestQuickBenchmarkReadsWhatTheHarnessWrites(t *testing.T) {
	files, err := filepath.Glob("../../testdata/junit/*.xml")
	require.NoError(t, err)
	n := 0
	for _, name := range files {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		s := newScanner(bytes.NewReader(raw))
		for {
			kind, err := s.next(nil)
			if err != nil {
				break
			}
			if kind != startTag || string(s.attr("name")) != BenchmarkProperty {
				continue
			}
			value := string(s.attr("value"))
			quick, ok := quickBenchmark([]byte(value), &interner{})
			require.True(t, ok, value)
			v, err := ParseLiteral(value)
			require.NoError(t, err)
			slow, err := benchmark(v)
			require.NoError(t, err)
			require.Equal(t, fmt.Sprintf("%#v", slow), fmt.Sprintf("%#v", quick))
			n++
		}
	}
	require.Greater(t, n, 30)
}
