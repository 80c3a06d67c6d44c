// Package ir answers "is this text CUDA Tile IR of this kernel, and how does it
// differ from the reference's?". It cuts the printed form into tokens, finds
// where operations begin without their grammar, and never fails on what it does
// not know. Lines is the whole comparison. It must not run a compiler, and a text
// that it cannot read as a whole has no verdict.
package ir
