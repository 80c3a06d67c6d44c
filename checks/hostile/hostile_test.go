package hostile

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// recorded is a test that remembers whether it failed.
type recorded struct {
	testing.TB
	failed bool
}

func (r *recorded) Helper()               {}
func (r *recorded) Logf(string, ...any)   {}
func (r *recorded) Errorf(string, ...any) { r.failed = true }
func (r *recorded) Fatalf(string, ...any) { r.failed = true }

var kept []byte

// hold has n bytes of memory for a moment.
func hold(n int) {
	kept = make([]byte, n)
	for i := 0; i < n; i += 4096 {
		kept[i] = 1
	}
	kept = nil
}

// A reader that takes little time and much memory fails its test.
func TestMemoryIsBounded(t *testing.T) {
	if Race {
		t.Skip("the race detector measures nothing")
	}
	for name, c := range map[string]struct {
		bytes int
		fails bool
	}{
		"little": {16 << 20, false},
		"much":   {most + 64<<20, true},
	} {
		within, ends := &recorded{TB: t}, &recorded{TB: t}
		Within(within, time.Minute, func() { hold(c.bytes) })
		Ends(ends, 10, func() { hold(c.bytes) })
		assert.Equal(t, c.fails, within.failed, name)
		assert.Equal(t, c.fails, ends.failed, name)
	}
}

// A reader of quadratic time fails its test however fast it is, and one of linear
// time does not.
func TestGrowthIsBounded(t *testing.T) {
	if Race {
		t.Skip("the race detector measures nothing")
	}
	spend := func(d time.Duration) {
		for start := processor(); processor()-start < d; {
		}
	}
	for name, c := range map[string]struct {
		took  func(n int) time.Duration
		fails bool
	}{
		"linear":             {func(n int) time.Duration { return time.Duration(n) * time.Millisecond }, false},
		"quadratic":          {func(n int) time.Duration { return time.Duration(n*n) * time.Millisecond }, true},
		"quadratic and fast": {func(n int) time.Duration { return time.Duration(n*n) * 200 * time.Microsecond }, true},
	} {
		r := &recorded{TB: t}
		Grows(r, 4, func(n int) { spend(c.took(n)) })
		assert.Equal(t, c.fails, r.failed, name)
	}
}

// A slow machine gets more time, but not without end.
func TestSlownessIsBounded(t *testing.T) {
	assert.InDelta(t, 1, slowness(usual/2), 1e-9)
	assert.InDelta(t, 3, slowness(3*usual), 1e-9)
	assert.InDelta(t, slowest, slowness(100*usual), 1e-9)
}
