package triage

import (
	"slices"
	"strings"
)

// patternRef names one alternative of one row, by its place in ready.
type patternRef struct{ row, pattern int }

// literalIndex finds in one pass over a line the patterns that could match it:
// those of which a required literal occurs.
type literalIndex struct {
	refs    []patternRef // in matching order
	buckets map[uint16][]literal
	first   [1 << 10]uint64 // bit set of the buckets, for a quick no
}

// literal is a string that stands for the patterns (by place in refs) that
// require it or another one.
type literal struct {
	text     string
	patterns []int
}

// index covers all line patterns of all rows.
var index = func() *literalIndex {
	x := &literalIndex{buckets: map[uint16][]literal{}}
	by := map[string][]int{}
	for r := range ready {
		for p, pattern := range ready[r].any {
			for _, l := range pattern.line.literals {
				by[l] = append(by[l], len(x.refs))
			}
			x.refs = append(x.refs, patternRef{r, p})
		}
	}
	for text, patterns := range by {
		k := bigram(text, 0)
		x.buckets[k] = append(x.buckets[k], literal{text, patterns})
		x.first[k>>6] |= 1 << (k & 63)
	}
	return x
}()

func bigram(s string, i int) uint16 { return uint16(s[i])<<8 | uint16(s[i+1]) }

// candidates appends to found the patterns that could match the line, in
// matching order, and returns it.
func (x *literalIndex) candidates(line string, found []int) []int {
	for i := 0; i+1 < len(line); i++ {
		k := bigram(line, i)
		if x.first[k>>6]&(1<<(k&63)) == 0 {
			continue
		}
		for _, l := range x.buckets[k] {
			if strings.HasPrefix(line[i:], l.text) {
				found = append(found, l.patterns...)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}
