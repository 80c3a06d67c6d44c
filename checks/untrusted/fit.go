package untrusted

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// GitHub's limits, in bytes: it counts what it calls characters, and bytes are
// never fewer.
const (
	CheckOutputLimit = 65535 // output.summary and output.text of a check run
	CommentLimit     = 65536 // body of a comment or review
)

// Cut is the text, or its first part with a note of how many bytes were left
// out, in at most limit bytes. The cut lies between runes. When limit does not
// even hold the note, the result is the beginning of the text alone.
func (t Text) Cut(limit int) Text {
	if len(t) <= limit {
		return t
	}
	// The note's length depends on the number in it, which can only shrink.
	note := fmt.Sprintf(" [... %d bytes left out]", len(t))
	if limit < len(note) {
		return Text(runePrefix(string(t), limit))
	}
	kept := runePrefix(string(t), limit-len(note))
	return Text(fmt.Sprintf("%s [... %d bytes left out]", kept, len(t)-len(kept)))
}

// runePrefix is the longest prefix of at most n bytes that ends between runes.
func runePrefix(s string, n int) string {
	if n >= len(s) {
		return s
	}
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Row is one rendered line or block of a list that may have to be shortened.
// Rows of a lower Weight are left out first, later ones before earlier ones.
type Row struct {
	Markdown string // rendered, with its line end
	Weight   int
}

// Fit joins before, the rows in their order and after, in at most limit bytes.
// When that is too long, rows are left out by weight and note(number left out)
// stands after the rows. The number left out is returned too. before and after
// are never shortened by Fit: with limit too small for them the result is their
// Clip.
func Fit(limit int, before string, rows []Row, after string, note func(omitted int) string) (string, int) {
	size := len(before) + len(after)
	for _, r := range rows {
		size += len(r.Markdown)
	}
	keep := make([]bool, len(rows))
	for i := range keep {
		keep[i] = true
	}
	omitted := 0
	if size > limit {
		order := make([]int, len(rows))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			if d := rows[a].Weight - rows[b].Weight; d != 0 {
				return d
			}
			return b - a
		})
		for _, i := range order {
			if size+len(note(omitted)) <= limit {
				break
			}
			keep[i] = false
			size -= len(rows[i].Markdown)
			omitted++
		}
	}
	var b strings.Builder
	b.WriteString(before)
	for i, r := range rows {
		if keep[i] {
			b.WriteString(r.Markdown)
		}
	}
	if omitted > 0 {
		b.WriteString(note(omitted))
	}
	b.WriteString(after)
	return Clip(b.String(), limit), omitted
}

// Clip is the last resort for a rendered Markdown document: the whole lines
// that fit into limit bytes, an open code fence closed, and a note of how many
// bytes were left out. A document that fits is unchanged.
func Clip(doc string, limit int) string {
	if len(doc) <= limit {
		return doc
	}
	const note = "\n\n_Shortened: %d bytes left out._\n"
	room := limit - len(fmt.Sprintf(note, len(doc)))
	kept, fence := 0, ""
	for kept < len(doc) {
		end := len(doc)
		if nl := strings.IndexByte(doc[kept:], '\n'); nl >= 0 {
			end = kept + nl + 1
		}
		next := fenceAfter(doc[kept:end], fence)
		if end+len(next) > room {
			break
		}
		kept, fence = end, next
	}
	if kept == 0 && room <= 0 {
		return runePrefix(doc, limit)
	}
	return doc[:kept] + fence + fmt.Sprintf(note, len(doc)-kept)
}

// fenceAfter is the fence that is open after a line, when open was before it.
func fenceAfter(line, open string) string {
	body := strings.TrimLeft(line, " ")
	n := runLen(body, '`')
	if n < 3 {
		return open
	}
	info := strings.TrimSpace(body[n:])
	switch {
	case open == "" && !strings.Contains(info, "`"):
		return body[:n]
	case open != "" && n >= len(open) && info == "":
		return ""
	}
	return open
}
