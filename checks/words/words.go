// Package words puts numbers, names, long texts and what is wrong with a JSON document
// into sentences. It must not know what is counted or read.
package words

import (
	"strconv"
	"strings"
)

// Count is a number of things, such as "1 config", "2 classes".
func Count(n int, thing string) string {
	more := thing + "s"
	if strings.HasSuffix(thing, "s") || strings.HasSuffix(thing, "ch") {
		more = thing + "es"
	}
	return strconv.Itoa(n) + " " + Form(n, thing, more)
}

// Form is the form of a word that goes with a number: Form(n, "is", "are").
func Form(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// Cut is a text of at most n letters; a longer one ends in three points.
func Cut(text string, n int) string {
	at, left := len(text), n-3
	for i := range text {
		if left == 0 {
			at = i
		}
		if left--; left < -3 {
			return text[:at] + "..."
		}
	}
	return text
}
