package untrusted

import (
	"bytes"
	"encoding/json"
	"html"
	"strings"
	"unicode/utf8"
)

// Text is a string that somebody outside of tilegate wrote. Its methods are
// the ways out; printing it with fmt or encoding it as JSON takes Plain.
type Text string

// Plain is the text for a terminal or a JSON document: valid UTF-8, no control
// byte but '\n' and '\t', no terminal escapes, no invisible characters. A line
// that a CI runner would take for a workflow command is broken by a zero-width
// space.
func (t Text) Plain() string { return defuseCommands(clean(string(t), false)) }

// Line is Plain on one line: line ends and tabs are spaces, the ends are trimmed.
func (t Text) Line() string {
	return defuseCommands(strings.TrimSpace(clean(string(t), true)))
}

// String makes the fmt verbs %s and %v safe.
func (t Text) String() string { return t.Plain() }

// MarshalJSON encodes Plain. Whether the signs of HTML are escaped is up to the
// encoder around it, which escapes what is left here but takes no escape back.
func (t Text) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(t.Plain())
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// HTML is the text, escaped for element content and quoted attribute values.
// Line ends stay.
func (t Text) HTML() string { return html.EscapeString(clean(string(t), false)) }

// Markdown is the text as literal inline GitHub Markdown, on one line. It may
// stand alone, at the start of a line, in a list item, a quote, a heading or a
// table cell, before or after a link. Rendered it shows the characters of Line
// and makes no mention, reference, closing keyword, link, image, emoji, formula,
// HTML or formatting.
func (t Text) Markdown() string {
	return inline(strings.TrimSpace(clean(string(t), true)), true)
}

// Code is the text as inline code, on one line. It is a code span whose
// delimiter is longer than any run of backticks inside; text with a '|' is a
// code element, because in a table cell no code span can hold every such text.
func (t Text) Code() string { return code(clean(string(t), true)) }

// Prose is Markdown for text that may contain `code spans`: those stay code,
// everything else is literal.
func (t Text) Prose() string {
	s := strings.TrimSpace(clean(string(t), true))
	var b strings.Builder
	start := true
	for s != "" {
		open := strings.IndexByte(s, '`')
		if open < 0 {
			break
		}
		n := runLen(s[open:], '`')
		end := closingRun(s[open+n:], n)
		if end < 0 {
			b.WriteString(inline(s[:open+n], start))
			s, start = s[open+n:], false
			continue
		}
		b.WriteString(inline(s[:open], start))
		b.WriteString(code(spanContent(s[open+n : open+n+end])))
		s, start = s[open+n+end+n:], false
	}
	b.WriteString(inline(s, start))
	return b.String()
}

// Fence is the text as a fenced code block without a trailing line end. The
// fence is longer than any run of backticks inside, so nothing can close it.
// lang is the info string; what is not a letter, digit, '+', '-' or '_' is left
// out of it.
func (t Text) Fence(lang string) string {
	return fence(lang, strings.TrimRight(clean(string(t), false), "\n"))
}

// Suggestion is a block that GitHub offers to apply. It carries the text byte
// for byte. ok is false when that is not possible: bytes that are not UTF-8,
// control characters other than tab and line end, or invisible characters. Such
// a replacement must be described instead.
func (t Text) Suggestion() (block string, ok bool) {
	s := string(t)
	if !utf8.ValidString(s) {
		return "", false
	}
	for i, r := range s {
		switch {
		case r == '\t' || r == '\n':
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
		case !visible(r) || r == 0x2028 || r == 0x2029:
			return "", false
		}
	}
	return fence("suggestion", s), true
}

func fence(lang, body string) string {
	info := strings.Map(func(r rune) rune {
		if isWord(r) || r == '+' || r == '-' {
			return r
		}
		return -1
	}, lang)
	f := strings.Repeat("`", max(3, longestRun(body, '`')+1))
	if body == "" {
		return f + info + "\n" + f
	}
	return f + info + "\n" + body + "\n" + f
}

func code(s string) string {
	switch {
	case strings.TrimSpace(s) == "":
		return "` `"
	case strings.Contains(s, "|"):
		return "<code>" + inline(s, false) + "</code>"
	}
	f := strings.Repeat("`", longestRun(s, '`')+1)
	// Markdown strips one space at both ends when both are there.
	if s[0] == '`' || s[len(s)-1] == '`' || s[0] == ' ' && s[len(s)-1] == ' ' {
		return f + " " + s + " " + f
	}
	return f + s + f
}

// spanContent strips what Markdown strips from the content of a code span.
func spanContent(s string) string {
	if len(s) > 1 && s[0] == ' ' && s[len(s)-1] == ' ' && strings.TrimSpace(s) != "" {
		return s[1 : len(s)-1]
	}
	return s
}

// closingRun is the index of a run of exactly n backticks in s, or -1.
func closingRun(s string, n int) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		k := runLen(s[i:], '`')
		if k == n {
			return i
		}
		i += k
	}
	return -1
}

func runLen(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}

func longestRun(s string, c byte) int {
	longest := 0
	for i := 0; i < len(s); i++ {
		n := runLen(s[i:], c)
		longest = max(longest, n)
		i += n
	}
	return longest
}

// inline escapes cleaned text. GitHub finds mentions and references in the
// rendered text, where a backslash or an entity is gone: only a character that
// stays there helps, so those get a zero-width space. Markdown syntax gets a
// backslash, or an entity where a neighbour could eat the backslash. Entities
// are named ones: a numeric entity is itself a '#' and a number in plain-text
// mail. start says that the text may stand at the start of a line.
func inline(s string, start bool) string {
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if isWord(rune(c)) {
			end := i + 1
			for end < len(s) && isWord(rune(s[end])) {
				end++
			}
			word(&b, s[i:end], s[end:], start && i == 0)
			i = end - 1
			continue
		}
		switch c {
		case '@':
			b.WriteString("@" + zwsp)
		case '#':
			b.WriteString(`\#` + zwsp)
		case '&':
			b.WriteString("&amp;")
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '|':
			b.WriteString("&vert;")
		case '\\':
			b.WriteString("&bsol;")
		case '`':
			b.WriteString("&grave;")
		case '$':
			b.WriteString("&dollar;")
		case '*', '~', '[', ']', '(', ')', '!', '^':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '+', '=':
			if start && i == 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		case '-':
			if start && i == 0 {
				b.WriteByte('\\')
			}
			b.WriteByte('-')
			if namesTracker(s[:i]) {
				b.WriteString(zwsp)
			}
		case ':':
			if start && i == 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(':')
			if strings.HasPrefix(s[i+1:], "/") || emojiName(s[i+1:]) {
				b.WriteString(zwsp)
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// word writes a run of ASCII letters, digits and underscores that is followed
// by rest.
func word(b *strings.Builder, w, rest string, start bool) {
	switch {
	case len(w) >= 7 && isHex(w):
		// GitHub links 7 to 40 hex digits that name a commit.
		for len(w) > 6 {
			b.WriteString(w[:6] + zwsp)
			w = w[6:]
		}
		b.WriteString(w)
	case start && isDigits(w) && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, ")")):
		b.WriteString(w + zwsp) // not the number of a list item
	case len(w) >= 3 && strings.EqualFold(w[len(w)-3:], "www") && strings.HasPrefix(rest, "."):
		b.WriteString(strings.ReplaceAll(w, "_", `\_`) + zwsp)
	default:
		b.WriteString(strings.ReplaceAll(w, "_", `\_`))
	}
}

// namesTracker reports whether the text before a '-' ends in a prefix that
// GitHub links with what follows (GH-1, GHSA-..., CVE-...).
func namesTracker(before string) bool {
	for _, p := range []string{"GH", "GHSA", "CVE"} {
		if len(before) >= len(p) && strings.EqualFold(before[len(before)-len(p):], p) {
			return true
		}
	}
	return false
}

// emojiName reports whether s, which follows a ':', goes on like a shortcode.
// "kernel.rs:100:9" has one.
func emojiName(s string) bool {
	n := 0
	for n < len(s) && (isWord(rune(s[n])) || s[n] == '+' || s[n] == '-') {
		n++
	}
	return n > 0 && n < len(s) && s[n] == ':'
}

// defuseCommands breaks lines that GitHub Actions would obey when they are
// printed in a job: "::name::" at the start of a line, "##[name]" anywhere.
func defuseCommands(s string) string {
	s = strings.ReplaceAll(s, "##[", "##"+zwsp+"[")
	if !strings.Contains(s, "::") {
		return s
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if body := strings.TrimLeft(l, " \t"); strings.HasPrefix(body, "::") {
			lines[i] = l[:len(l)-len(body)] + ":" + zwsp + body[1:]
		}
	}
	return strings.Join(lines, "\n")
}

func isWord(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
}

func isHex(s string) bool {
	return strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }
