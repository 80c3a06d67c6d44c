package words

import "strings"

// Distance is the number of bytes to insert, delete or replace.
func Distance(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left := i
		row[0] = i + 1
		for j := range len(b) {
			cost := left
			if a[i] != b[j] {
				cost = min(left, row[j], row[j+1]) + 1
			}
			left, row[j+1] = row[j+1], cost
		}
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
