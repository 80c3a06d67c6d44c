//go:build !race

package hostile

// Race says that the race detector is on, which makes code many times slower.
const Race = false
