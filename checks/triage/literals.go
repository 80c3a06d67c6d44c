package triage

import (
	"slices"
	"strings"
	"sync"
)

// patternRef names one alternative of one row, by its place in ready.
type patternRef struct{ row, pattern int }

// literalIndex finds in one pass over a line the patterns that could match it:
// those of which a required literal occurs. A literal is filed under its rarest
// three bytes.
type literalIndex struct {
	refs    []patternRef       // in matching order
	some    [slots / 64]uint64 // bit set of the slots that have a bucket, for a quick no
	buckets [slots]uint16      // by slot: place in lists
	pairs   [slots]uint16      // by both bytes: place in lists of the literals of two bytes
	lists   [][]literal
}

// slots is the number of places of buckets; triples share them.
const slots = 1 << 16

// width is the number of bytes under which a literal is filed.
const width = 3

// shortWidth is the least number of bytes of a literal; such literals have their own
// table.
const shortWidth = 2

// literal is a string that stands for the patterns (by place in refs) that
// require it or another one.
type literal struct {
	text     string
	at       int // of the triple in text
	patterns []int
}

// index covers all line patterns of all rows.
var index = sync.OnceValue(func() *literalIndex {
	var all []*matcher
	var refs []patternRef
	for r, row := range ready() {
		for p, pattern := range row.any {
			all = append(all, pattern.line)
			refs = append(refs, patternRef{r, p})
		}
	}
	x := indexOf(all)
	x.refs = refs
	return x
})

// indexOf files some matchers, by their places, under their literals.
func indexOf(all []*matcher) *literalIndex {
	x := &literalIndex{lists: make([][]literal, 1)}
	by := map[string][]int{}
	for i, m := range all {
		for _, l := range m.literals {
			by[l] = append(by[l], i)
		}
	}
	for text, patterns := range by {
		if len(text) == shortWidth {
			x.pairs[pair(text, 0)] = uint16(len(x.lists))
			x.lists = append(x.lists, []literal{{text, 0, patterns}})
			continue
		}
		at := rarest(text)
		k := slot(text, at)
		if x.buckets[k] == 0 {
			x.buckets[k] = uint16(len(x.lists))
			x.lists = append(x.lists, nil)
		}
		list := &x.lists[x.buckets[k]]
		*list = append(*list, literal{text, at, patterns})
		x.some[k>>6] |= 1 << (k & 63)
	}
	return x
}

// slot is the place of the three bytes at i.
func slot(s string, i int) uint32 {
	triple := uint32(s[i]) | uint32(s[i+1])<<8 | uint32(s[i+2])<<16
	return triple * 0x9E3779B1 >> 16
}

// pair is the place of the two bytes at i.
func pair(s string, i int) int { return int(s[i]) | int(s[i+1])<<8 }

// common are the bytes that logs are full of, the most frequent first.
const common = " etaoinrscdlupmf./_-:0=12"

// rarest is where three bytes stand that logs hold seldom.
func rarest(s string) int {
	best, most := 0, -1
	for i := 0; i+width <= len(s); i++ {
		score := 0
		for _, c := range []byte(s[i : i+width]) {
			if at := strings.IndexByte(common, c); at >= 0 {
				score += at
			} else {
				score += 2 * len(common)
			}
		}
		if score > most {
			best, most = i, score
		}
	}
	return best
}

// candidates appends to found the patterns that could match the line, in
// matching order, and returns it.
func (x *literalIndex) candidates(line string, found []int) []int {
	for i := 0; i+shortWidth <= len(line); i++ {
		if b := x.pairs[pair(line, i)]; b != 0 {
			found = append(found, x.lists[b][0].patterns...)
		}
		if i+width > len(line) {
			break
		}
		k := slot(line, i)
		if x.some[k>>6]&(1<<(k&63)) == 0 {
			continue
		}
		for _, l := range x.lists[x.buckets[k]] {
			if i >= l.at && strings.HasPrefix(line[i-l.at:], l.text) {
				found = append(found, l.patterns...)
			}
		}
	}
	if len(found) > 1 {
		slices.Sort(found)
		found = slices.Compact(found)
	}
	return found
}
