//go:build !race

package hostile

// race says that the race detector is on, which makes code many times slower.
const race = false
