package words

import "strings"

// longest is the length up to which names are compared.
const longest = 64

// Distance is the number of bytes to insert, delete, replace or exchange with the next
// one; more than any name that is near when one is longer than names are.
func Distance(a, b string) int {
	if len(a) > longest || len(b) > longest {
		return max(len(a), len(b))
	}
	var before, row, next [longest + 1]int
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}

// Nearest is the known name that a misspelt one is closest to, "" when none is close.
func Nearest(name string, known []string) string {
	best, meant := min(2, (len(name)+1)/3)+1, ""
	for _, k := range known {
		if n := Distance(name, k); n < best {
			best, meant = n, k
		}
	}
	return meant
}

// Instead names what there is in place of a name that is not among it, and the one
// that was meant where that can be told.
func Instead(name string, known []string) string {
	if len(known) == 0 {
		return ""
	}
	s := "; they have " + strings.Join(known, ", ")
	if meant := Nearest(name, known); meant != "" && meant != name {
		s += " (did you mean " + meant + "?)"
	}
	return s
}
