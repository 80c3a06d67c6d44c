package words

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestInstead(t *testing.T) {
	known := []string{"cutile", "pytorch", "triton"}
	assert.Equal(t, "; they have cutile, pytorch, triton (did you mean triton?)", Instead("tritn", known))
	assert.Equal(t, "; they have cutile, pytorch, triton", Instead("cutile-rs", known))
	assert.Empty(t, Instead("tritn", nil))
	assert.Equal(t, "pytorch", Nearest("pytroch", known))
	assert.Equal(t, 1, Distance("pytroch", "pytorch"), "letters that are exchanged are one slip")
	assert.Equal(t, 3, Distance("", "abc"))
	assert.Equal(t, 2, Distance("abcd", "xbc"))
	assert.Greater(t, Distance(strings.Repeat("a", 100), strings.Repeat("a", 99)), 60)
	assert.Empty(t, Nearest("x", []string{"y"}))
}
