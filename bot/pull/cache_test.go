package pull

import (
	"errors"
	"net/http"
	"testing"

	"github.com/google/go-github/v62/github"
	"github.com/stretchr/testify/assert"
)

func TestCacheKeepsWhatWasUsedLast(t *testing.T) {
	c := newCache[string](10, func(n int64) int64 { return n })
	for _, key := range []string{"a", "b", "c"} {
		c.put(key, 3)
	}
	_, ok := c.get("a")
	assert.True(t, ok)
	c.put("d", 4)
	_, ok = c.get("b")
	assert.False(t, ok, "used longest ago")
	for key, want := range map[string]int64{"a": 3, "c": 3, "d": 4} {
		got, ok := c.get(key)
		assert.True(t, ok, key)
		assert.Equal(t, want, got)
	}
	c.put("a", 1)
	got, _ := c.get("a")
	assert.Equal(t, int64(3), got, "a value does not change")
	c.put("huge", 11)
	_, ok = c.get("huge")
	assert.False(t, ok)
	assert.Equal(t, int64(10), c.used)
}

func TestKindsOfAnswers(t *testing.T) {
	tests := []struct {
		status  int
		message string
		code    string
		want    error
	}{
		{404, "Not Found", "", ErrNotFound}, {410, "Gone", "", ErrNotFound}, {422, "No commit found for SHA: x", "", ErrNotFound},
		{403, "Resource not accessible by integration", "", ErrForbidden}, {451, "", "", ErrForbidden},
		{403, "This API returns blobs up to 100 MB", "too_large", ErrTooLarge}, {406, "diff exceeded", "too_large", ErrTooLarge}, {413, "", "", ErrTooLarge},
		{422, "Validation Failed", "", nil}, {401, "Bad credentials", "", nil}, {500, "", "", nil}, {502, "", "", nil},
	}
	for _, test := range tests {
		answer := &github.ErrorResponse{Response: &http.Response{StatusCode: test.status}, Message: test.message}
		if test.code != "" {
			answer.Errors = []github.Error{{Code: test.code}}
		}
		err := fail(answer, "read %s", "it")
		assert.ErrorContains(t, err, "read it: ")
		for _, kind := range []error{ErrNotFound, ErrForbidden, ErrTooLarge} {
			assert.Equal(t, kind == test.want, errors.Is(err, kind), "%d %s: %v", test.status, test.message, err)
		}
	}
	assert.NoError(t, fail(nil, "read it"))
}
