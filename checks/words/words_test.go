package words

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCount(t *testing.T) {
	assert.Equal(t, "0 configs", Count(0, "config"))
	assert.Equal(t, "1 class", Count(1, "class"))
	assert.Equal(t, "3 launches", Count(3, "launch"))
	assert.Equal(t, "2 classes", Count(2, "class"))
	assert.Equal(t, "is", Form(1, "is", "are"))
	assert.Equal(t, "are", Form(0, "is", "are"))
}

func TestCut(t *testing.T) {
	for text, want := range map[string]string{
		"":         "",
		"abcdef":   "abcdef",
		"abcdefg":  "abc...",
		"äöüäöü":   "äöüäöü",
		"äöüäöüä":  "äöü...",
		"abcdefgh": "abc...",
	} {
		assert.Equal(t, want, Cut(text, 6))
	}
}
