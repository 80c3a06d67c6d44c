package commands

import (
	"fmt"
	"sort"
	"strings"
)

// didYouMean returns ", did you mean `x`?" for the closest name, or nothing
// when none is close.
func didYouMean(word string, names []string) string {
	best, distance := "", 3
	for _, name := range names {
		// A third of the name may be wrong, at most two letters.
		if d := editDistance(strings.ToLower(word), strings.ToLower(name)); d < distance && 3*d <= max(len(name), 3) {
			best, distance = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean `%s`?", best)
}

// editDistance counts insertions, deletions, replacements and swaps of
// neighbours (optimal string alignment). Long words are not compared.
func editDistance(a, b string) int {
	const limit = 64
	if len(a) > limit || len(b) > limit {
		return limit
	}
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		older, previous, current := rows[0], rows[1], rows[2]
		current[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			current[j] = min(previous[j]+1, current[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], older[j-2]+1)
			}
		}
		rows = [3][]int{previous, current, older}
	}
	return rows[1][len(b)]
}

// listed prints names for an error, sorted, at most twenty.
func listed(names []string) string {
	names = append([]string(nil), names...)
	sort.Strings(names)
	more := ""
	if len(names) > 20 {
		more = fmt.Sprintf(" and %d more", len(names)-20)
		names = names[:20]
	}
	for i, name := range names {
		names[i] = quote(name)
	}
	return strings.Join(names, ", ") + more
}
