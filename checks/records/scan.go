package records

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// Bounds of a document. A property value of the largest accepted literal fits
// into a tag, escaped; the deepest JUnit element is the sixth.
const (
	maxMarkup     = 2 * MaxLiteralBytes // bytes of one tag
	maxDepth      = 1000                // open elements
	maxAttributes = 64                  // of one tag
	maxOutside    = 16 << 20            // bytes of text outside of all elements: a device may never end
	window        = 64 << 10            // bytes that are held at first
)

// scanner splits a JUnit document into tags and text in one pass over a window
// of the input. encoding/xml would do for sane documents; it is not used because
// test runs write what it refuses (raw control bytes, bytes that are not UTF-8,
// references to characters that XML forbids, a bare ampersand), it keeps the
// whole of a text however long, and it is several times slower.
//
// Characters are repaired: what is no XML character becomes U+FFFD, an ampersand
// that begins no reference stands for itself. Structure is not: a tag that is cut
// off, never closed or closed by another one is an error, and so is a document
// type, which no test run writes. Comments and processing instructions are
// skipped.
type scanner struct {
	in       io.Reader
	buf      []byte // buf[pos:end] is read and not consumed
	pos, end int
	err      error // why nothing more can be read; io.EOF at the end
	line     int   // of buf[counted], from 1
	counted  int
	repairs  int

	outside int // bytes of text outside of all elements
	tag     int // where the last start tag begins in buf
	name    []byte
	attrs   []attribute
	closing bool   // the last start tag closes itself: its end is due
	values  []byte // decoded attribute values of the tag
	open    []byte // names of the open elements, one behind the other
	ends    []int  // where each of them ends in open
}

// attribute is a part of the last start tag, as offsets from its beginning.
type attribute struct{ name, nameEnd, value, valueEnd int }

type tagKind int

const (
	startTag tagKind = iota
	endTag
)

func newScanner(r io.Reader) *scanner {
	return &scanner{in: r, buf: make([]byte, window), line: 1}
}

// errOutside says that a file does not get to its elements.
var errOutside = fmt.Errorf("expected testsuites, found more than %d MiB of text outside of any element: this is no JUnit XML", maxOutside>>20)

// errTooLong says that one piece of markup exceeds maxMarkup.
var errTooLong = fmt.Errorf("expected markup of at most %d MiB, found a longer tag", maxMarkup>>20)

// more reads on. What is consumed is dropped, and the window grows when what is
// not fills it. It reports whether there is more; err says why not.
func (s *scanner) more() bool {
	if s.err != nil {
		return false
	}
	if s.pos > 0 {
		s.currentLine()
		s.counted = 0
		copy(s.buf, s.buf[s.pos:s.end])
		s.pos, s.end = 0, s.end-s.pos
	}
	if s.end == len(s.buf) {
		if s.end >= maxMarkup {
			s.err = errTooLong
			return false
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	for range 100 {
		n, err := s.in.Read(s.buf[s.end:])
		s.end += n
		if s.err = err; n > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	s.err = io.ErrNoProgress
	return false
}

// at returns the byte i behind the position; ok is false when the input ends
// before it.
func (s *scanner) at(i int) (c byte, ok bool) {
	for s.pos+i >= s.end {
		if !s.more() {
			return 0, false
		}
	}
	return s.buf[s.pos+i], true
}

// beginsWithMarkup reports whether the first byte that is no white space is a <. It looks
// no further than the first window, however much of it one read brings.
func (s *scanner) beginsWithMarkup() bool {
	for i := 0; s.pos+i < window; i++ {
		c, ok := s.at(i)
		switch {
		case !ok:
			return false
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			return c == '<'
		}
	}
	return false
}

// find returns how far behind the position plus from a byte occurs.
func (s *scanner) find(from int, c byte) (int, bool) {
	for {
		if i := bytes.IndexByte(s.buf[min(s.pos+from, s.end):s.end], c); i >= 0 {
			return from + i, true
		}
		from = max(from, s.end-s.pos)
		if !s.more() {
			return 0, false
		}
	}
}

// ended is the error of an input that ends where it may not.
func (s *scanner) ended() error {
	if s.err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return s.err
}

// currentLine is the line of the position, from 1.
func (s *scanner) currentLine() int {
	s.line += bytes.Count(s.buf[s.counted:s.pos], []byte{'\n'})
	s.counted = s.pos
	return s.line
}

// next reads up to the next tag and past it; text on the way goes to out, which
// may be nil. At the end of the document the error is io.EOF.
func (s *scanner) next(out *excerpt) (tagKind, error) {
	if s.closing {
		s.closing = false
		s.leave()
		return endTag, nil
	}
	for {
		if !s.text(out) {
			if len(s.ends) > 0 {
				return 0, s.ended()
			}
			return 0, s.err
		}
		c, ok := s.at(1)
		if !ok {
			return 0, s.ended()
		}
		var err error
		switch c {
		case '/':
			return endTag, s.close()
		case '?':
			err = s.skip(2, "?>")
		case '!':
			err = s.declaration(out)
		default:
			return startTag, s.start()
		}
		if err != nil {
			return 0, err
		}
	}
}

// text passes text up to the next tag, and reports whether there is one.
func (s *scanner) text(out *excerpt) bool {
	for {
		b := s.buf[s.pos:s.end]
		i := bytes.IndexByte(b, '<')
		if i >= 0 {
			b = b[:i]
		}
		n := s.pass(b, out, true, i >= 0)
		if s.pos += n; len(s.ends) == 0 {
			s.outside += n
		}
		if i >= 0 {
			return true
		}
		if s.outside > maxOutside && s.err == nil {
			s.err = errOutside
		}
		if !s.more() {
			s.pos += s.pass(s.buf[s.pos:s.end], out, true, true)
			return false
		}
	}
}

// pass sends a piece of text to out and returns how much of it was consumed:
// unless it is the last piece, what ends inside a character is left.
func (s *scanner) pass(b []byte, out *excerpt, references, last bool) int {
	if out == nil {
		return len(b)
	}
	n := 0
	for n < len(b) {
		part := b[n:min(len(b), n+maxDetail)]
		used := 0
		out.text, used = s.clean(out.text, part, references, last && n+len(part) == len(b))
		out.shrink()
		if used == 0 {
			break
		}
		n += used
	}
	return n
}

// declaration reads what begins with <!: a comment or CDATA.
func (s *scanner) declaration(out *excerpt) error {
	const cdata = "<![CDATA["
	c, ok := s.at(2)
	switch {
	case !ok:
		return s.ended()
	case c == '-':
		if c, _ := s.at(3); c != '-' {
			return errors.New("expected a comment to begin with <!--")
		}
		return s.skip(4, "-->")
	case c != '[':
		return errors.New("expected no document type, found a <! declaration")
	}
	if _, ok := s.at(len(cdata) - 1); !ok {
		return s.ended()
	}
	if string(s.buf[s.pos:s.pos+len(cdata)]) != cdata {
		return fmt.Errorf("expected %s", cdata)
	}
	s.pos += len(cdata)
	for {
		b := s.buf[s.pos:s.end]
		i := bytes.Index(b, []byte("]]>"))
		if i >= 0 {
			s.pass(b[:i], out, false, true)
			s.pos += i + len("]]>")
			return nil
		}
		s.pos += s.pass(b[:max(0, len(b)-2)], out, false, false)
		if !s.more() {
			return s.ended()
		}
	}
}

// skip consumes up to and with a closing text that begins at from or later.
func (s *scanner) skip(from int, closing string) error {
	for {
		b := s.buf[min(s.pos+from, s.end):s.end]
		if i := bytes.Index(b, []byte(closing)); i >= 0 {
			s.pos += from + i + len(closing)
			return nil
		}
		if n := len(b) - len(closing) + 1; n > 0 {
			s.pos, from = s.pos+from+n, 0
		}
		if !s.more() {
			return s.ended()
		}
	}
}

// close reads an end tag.
func (s *scanner) close() error {
	n, err := s.nameAt(2)
	if err != nil {
		return err
	}
	i, c, err := s.space(n)
	if err != nil {
		return err
	}
	name := s.buf[s.pos+2 : s.pos+n]
	if c != '>' {
		return fmt.Errorf("expected > after </%s, found %q", name, c)
	}
	if len(s.ends) == 0 {
		return fmt.Errorf("unexpected end tag </%s>", name)
	}
	if inner := s.innermost(); !bytes.Equal(inner, name) {
		return fmt.Errorf("element <%s> closed by </%s>", inner, name)
	}
	s.leave()
	s.pos += i + 1
	return nil
}

// start reads a start tag whole, so that its attributes stay in the window until
// the next call of next.
func (s *scanner) start() error {
	i, err := s.nameAt(1)
	if err != nil {
		return err
	}
	nameEnd := i
	s.attrs = s.attrs[:0]
	for {
		var c byte
		if i, c, err = s.space(i); err != nil {
			return err
		}
		if c == '>' {
			break
		}
		if c == '/' {
			if c, ok := s.at(i + 1); !ok {
				return s.ended()
			} else if c != '>' {
				return fmt.Errorf("expected > after / in a tag, found %q", c)
			}
			s.closing = true
			i++
			break
		}
		a := attribute{name: i}
		if a.nameEnd, err = s.nameAt(i); err != nil {
			return err
		}
		if i, c, err = s.space(a.nameEnd); err != nil {
			return err
		}
		if c != '=' {
			return fmt.Errorf("expected = after an attribute's name, found %q", c)
		}
		if i, c, err = s.space(i + 1); err != nil {
			return err
		}
		if c != '"' && c != '\'' {
			return fmt.Errorf("expected a quoted attribute value, found %q", c)
		}
		a.value = i + 1
		var ok bool
		if a.valueEnd, ok = s.find(a.value, c); !ok {
			return s.ended()
		}
		if bytes.IndexByte(s.buf[s.pos+a.value:s.pos+a.valueEnd], '<') >= 0 {
			return errors.New("unescaped < inside an attribute value")
		}
		if len(s.attrs) == maxAttributes {
			return fmt.Errorf("expected at most %d attributes in a tag", maxAttributes)
		}
		s.attrs = append(s.attrs, a)
		i = a.valueEnd + 1
	}
	s.tag = s.pos
	s.name = s.buf[s.pos+1 : s.pos+nameEnd]
	s.pos += i + 1
	s.values = s.values[:0]
	if len(s.ends) == maxDepth {
		return fmt.Errorf("expected at most %d open elements", maxDepth)
	}
	s.open = append(s.open, s.name...)
	s.ends = append(s.ends, len(s.open))
	return nil
}

// space returns the first byte at or behind i that is none, and where it stands.
func (s *scanner) space(i int) (int, byte, error) {
	for ; ; i++ {
		switch c, ok := s.at(i); {
		case !ok:
			return i, 0, s.ended()
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			return i, c, nil
		}
	}
}

// nameAt returns the end of the name that begins at i.
func (s *scanner) nameAt(i int) (int, error) {
	for start := i; ; i++ {
		c, ok := s.at(i)
		switch {
		case !ok:
			return i, s.ended()
		case c == '_' || c == ':' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf:
		case i > start && (c == '-' || c == '.' || c >= '0' && c <= '9'):
		case i == start:
			return i, fmt.Errorf("expected a name after <, </ or a space in a tag, found %q", c)
		default:
			return i, nil
		}
	}
}

func (s *scanner) innermost() []byte {
	from := 0
	if n := len(s.ends); n > 1 {
		from = s.ends[n-2]
	}
	return s.open[from:]
}

// leave forgets the innermost open element.
func (s *scanner) leave() {
	s.open = s.open[:len(s.open)-len(s.innermost())]
	s.ends = s.ends[:len(s.ends)-1]
}

// local is the name of the last start tag without its prefix.
func (s *scanner) local() []byte { return local(s.name) }

func local(name []byte) []byte {
	if i := bytes.IndexByte(name, ':'); i > 0 && i+1 < len(name) {
		return name[i+1:]
	}
	return name
}

// attr decodes an attribute of the last start tag, nil when it has none of that
// name. The bytes are valid until the next call of next.
func (s *scanner) attr(name string) []byte {
	for _, a := range s.attrs {
		if string(local(s.buf[s.tag+a.name:s.tag+a.nameEnd])) != name {
			continue
		}
		raw := s.buf[s.tag+a.value : s.tag+a.valueEnd]
		if n := plainPrefix(raw); n == len(raw) {
			return raw
		}
		from := len(s.values)
		s.values, _ = s.clean(s.values, raw, true, true)
		return s.values[from:]
	}
	return nil
}

// plain marks the bytes that stand for themselves.
var plain = func() (table [256]bool) {
	for c := range utf8.RuneSelf {
		table[c] = (c >= ' ' || c == '\t' || c == '\n') && c != '&'
	}
	return table
}()

func plainPrefix(b []byte) int {
	for i, c := range b {
		if !plain[c] {
			return i
		}
	}
	return len(b)
}

// longestReference bounds the characters between an ampersand and its semicolon.
const longestReference = 11

var replacement = "\uFFFD"

// clean appends what a piece of text stands for and returns how much of the piece
// it consumed: when the piece is not the last one, a character, reference or line
// end that may go on behind it is left.
func (s *scanner) clean(dst, src []byte, references, last bool) ([]byte, int) {
	for i := 0; ; {
		n := plainPrefix(src[i:])
		dst = append(dst, src[i:i+n]...)
		if i += n; i == len(src) {
			return dst, i
		}
		rest := src[i:]
		switch c := rest[0]; {
		case c == '&' && !references:
			dst = append(dst, c)
			i++
		case c == '&':
			end := bytes.IndexByte(rest[:min(len(rest), longestReference+2)], ';')
			if end < 0 && !last && len(rest) < longestReference+2 {
				return dst, i
			}
			r, ok := rune(0), false
			if end > 0 {
				r, ok = s.reference(rest[1:end])
			}
			if !ok {
				s.repairs++
				dst = append(dst, '&')
				i++
				break
			}
			dst = utf8.AppendRune(dst, r)
			i += end + 1
		case c == '\r':
			// A line ends with \n, whatever the file says, as XML wants it.
			if len(rest) == 1 && !last {
				return dst, i
			}
			if len(rest) == 1 || rest[1] != '\n' {
				dst = append(dst, '\n')
			}
			i++
		case c < ' ':
			s.repairs++
			dst = append(dst, replacement...)
			i++
		default:
			if !last && !utf8.FullRune(rest) {
				return dst, i
			}
			r, n := utf8.DecodeRune(rest)
			if r == utf8.RuneError && n == 1 || !validXML(r) {
				s.repairs++
				dst = append(dst, replacement...)
			} else {
				dst = append(dst, rest[:n]...)
			}
			i += n
		}
	}
}

// reference is the character that a reference without & and ; stands for; one
// that XML forbids is U+FFFD. ok is false when there is no such reference.
func (s *scanner) reference(name []byte) (r rune, ok bool) {
	switch string(name) {
	case "amp":
		return '&', true
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	if len(name) == 0 || name[0] != '#' {
		return 0, false
	}
	digits, base := name[1:], 10
	if len(digits) > 0 && digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(string(digits), base, 32)
	if err != nil || n > utf8.MaxRune || !validXML(rune(n)) {
		s.repairs++
		return utf8.RuneError, true
	}
	return rune(n), true
}

// validXML is the Char production of XML 1.0.
func validXML(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r <= 0xD7FF ||
		r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 && r <= utf8.MaxRune
}
