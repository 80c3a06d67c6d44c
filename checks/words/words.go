// Package words puts numbers, and what is wrong with a JSON document, into sentences.
// It must not know what is counted or read.
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
