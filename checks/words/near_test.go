package words

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestInstead(t *testing.T) {
	known := []string{"cutile", "pytorch", "triton"}
	assert.Equal(t, "; they have cutile, pytorch, triton (did you mean triton?)", Instead("tritn", known))
	assert.Equal(t, "; they have cutile, pytorch, triton", Instead("cutile-rs", known))
	assert.Empty(t, Instead("tritn", nil))
	assert.Equal(t, "pytorch", Nearest("pytroch", known))
	assert.Empty(t, Nearest("x", []string{"y"}))
}
