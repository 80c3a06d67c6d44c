package records

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxTextRun bounds the character data between two tags, in bytes. What is
// beyond it is dropped: it is captured output, never a measurement.
const maxTextRun = 1 << 20

// maxMarkup bounds one tag, comment or other piece of markup, in bytes. A
// property value of the largest accepted literal fits into it.
const maxMarkup = 2 * MaxLiteralBytes

// sanitizer repairs a byte stream so that a strict XML reader accepts what test
// runs really write: raw control bytes, bytes that are not UTF-8, references to
// characters that XML forbids, and a bare ampersand. Each becomes U+FFFD (or
// &amp;), so no element is lost and all text is clean UTF-8. It changes nothing
// else; in particular it never closes what was cut off.
type sanitizer struct {
	in      *bufio.Reader
	out     []byte
	pending []byte // the part of out that is not yet read
	state   markup
	run     int // bytes since the state began
	tail    [2]byte
	repairs int
	err     error
}

// markup is where in the document the stream stands.
type markup int

const (
	inText markup = iota
	inTag
	inSingleQuote
	inDoubleQuote
	inCDATA
	inComment
)

// tooLongError says that one piece of markup exceeds maxMarkup.
type tooLongError struct{}

func (tooLongError) Error() string {
	return "expected markup of at most " + strconv.Itoa(maxMarkup>>20) + " MiB, found a longer tag or comment"
}

func newSanitizer(r io.Reader) *sanitizer {
	return &sanitizer{in: bufio.NewReaderSize(r, 64<<10), out: make([]byte, 0, 64<<10)}
}

func (s *sanitizer) Read(p []byte) (int, error) {
	if len(s.pending) == 0 {
		if s.err == nil {
			s.fill()
		}
		if len(s.pending) == 0 {
			return 0, s.err
		}
	}
	n := copy(p, s.pending)
	s.pending = s.pending[n:]
	return n, nil
}

var replacement = []byte("\uFFFD")

// fill produces the next part of the output.
func (s *sanitizer) fill() {
	s.out = s.out[:0]
	for len(s.out) < 32<<10 {
		s.plain()
		c, err := s.in.ReadByte()
		if err != nil {
			s.err = err
			break
		}
		switch {
		case c == '&' && s.state != inComment && s.state != inCDATA:
			s.reference()
		case c >= utf8.RuneSelf:
			s.in.UnreadByte()
			s.multibyte()
		case c < ' ' && c != '\t' && c != '\n' && c != '\r':
			s.repairs++
			s.emit(replacement...)
		default:
			s.step(c)
		}
		if s.run > maxMarkup && s.state != inText && s.state != inCDATA {
			s.err = tooLongError{}
			break
		}
	}
	s.pending = s.out
}

// special marks the bytes that matter in a state: everything else is copied as it
// stands.
var special = func() (table [4][256]bool) {
	for state, bytes := range map[markup]string{inText: "<&", inTag: "<>&\"'", inSingleQuote: "&'", inDoubleQuote: "&\""} {
		for c := range 256 {
			table[state][c] = c >= utf8.RuneSelf || c < ' ' && c != '\t' && c != '\n' && c != '\r' || strings.IndexByte(bytes, byte(c)) >= 0
		}
	}
	return table
}()

// plain passes a run of ordinary bytes that are in the buffer already.
func (s *sanitizer) plain() {
	if s.state > inDoubleQuote {
		return
	}
	if s.in.Buffered() == 0 {
		// An error is met again by the caller.
		s.in.Peek(1)
	}
	b, _ := s.in.Peek(s.in.Buffered())
	table := &special[s.state]
	n := 0
	for n < len(b) && !table[b[n]] {
		n++
	}
	if room := maxTextRun - s.run; s.state == inText && n > room {
		s.emit(b[:max(room, 0)]...)
		s.run += n
	} else {
		s.emit(b[:n]...)
	}
	s.in.Discard(n)
}

// emit appends content, unless the text run is already too long.
func (s *sanitizer) emit(b ...byte) {
	s.run += len(b)
	if s.run > maxTextRun && (s.state == inText || s.state == inCDATA) {
		return
	}
	s.out = append(s.out, b...)
}

func (s *sanitizer) enter(m markup) {
	s.state, s.run, s.tail = m, 0, [2]byte{}
}

// step passes one ASCII byte and follows the markup.
func (s *sanitizer) step(c byte) {
	switch s.state {
	case inText:
		if c != '<' {
			s.emit(c)
			return
		}
		if next, _ := s.in.Peek(8); bytes.HasPrefix(next, []byte("![CDATA[")) {
			s.out = append(s.out, "<![CDATA["...)
			s.in.Discard(8)
			s.enter(inCDATA)
			return
		} else if bytes.HasPrefix(next, []byte("!--")) {
			s.out = append(s.out, "<!--"...)
			s.in.Discard(3)
			s.enter(inComment)
			return
		}
		s.enter(inTag)
		s.emit(c)
		return
	case inTag:
		s.emit(c)
		switch c {
		case '>':
			s.enter(inText)
		case '"':
			s.state = inDoubleQuote
		case '\'':
			s.state = inSingleQuote
		}
		return
	case inSingleQuote, inDoubleQuote:
		s.emit(c)
		if c == '"' && s.state == inDoubleQuote || c == '\'' && s.state == inSingleQuote {
			s.state = inTag
		}
		return
	}
	closing := byte(']')
	if s.state == inComment {
		closing = '-'
	}
	if c == '>' && s.tail == [2]byte{closing, closing} {
		if s.run > maxTextRun && s.state == inCDATA {
			s.out = append(s.out, "]]"...)
		}
		s.out = append(s.out, '>')
		s.enter(inText)
		return
	}
	s.emit(c)
	s.tail = [2]byte{s.tail[1], c}
}

// multibyte passes one UTF-8 sequence or replaces what is none.
func (s *sanitizer) multibyte() {
	s.tail = [2]byte{}
	b, _ := s.in.Peek(utf8.UTFMax)
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError && n <= 1 || !validXML(r) {
		s.repairs++
		s.emit(replacement...)
		s.in.Discard(max(n, 1))
		return
	}
	s.emit(b[:n]...)
	s.in.Discard(n)
}

// reference passes an entity or character reference, of which the ampersand has
// been read; it repairs an ampersand that begins none and a reference to a
// character that XML forbids.
func (s *sanitizer) reference() {
	b, _ := s.in.Peek(12)
	end := bytes.IndexByte(b, ';')
	if end < 1 {
		s.repairs++
		s.emit([]byte("&amp;")...)
		return
	}
	name := b[:end]
	if name[0] == '#' {
		digits, base := string(name[1:]), 10
		if len(digits) > 0 && (digits[0] == 'x' || digits[0] == 'X') {
			digits, base = digits[1:], 16
		}
		n, err := strconv.ParseUint(digits, base, 32)
		if err != nil || n > utf8.MaxRune || !validXML(rune(n)) {
			s.repairs++
			s.emit(replacement...)
			s.in.Discard(end + 1)
			return
		}
	} else if !isEntity(name) {
		s.repairs++
		s.emit([]byte("&amp;")...)
		return
	}
	s.emit(append([]byte{'&'}, b[:end+1]...)...)
	s.in.Discard(end + 1)
}

func isEntity(name []byte) bool {
	switch string(name) {
	case "amp", "lt", "gt", "quot", "apos":
		return true
	}
	return false
}

// validXML is the Char production of XML 1.0.
func validXML(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r <= 0xD7FF ||
		r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 && r <= utf8.MaxRune
}
