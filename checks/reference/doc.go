// Package reference answers "what does the cuTile-Python op that a kernel was
// ported from say?": its kernels with their hints and parameters, and the
// cuTile functions it calls with which arguments. It judges nothing; what it
// does not find in a file is absent only when the file was read as a whole,
// which is why there is no model of a file that was not.
package reference
