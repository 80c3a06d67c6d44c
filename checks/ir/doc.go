// Package ir answers "is this text CUDA Tile IR of this kernel, and how does it
// differ from the reference's?". It reads the printed form line by line and
// never fails on what it does not know. It must not run a compiler, and a text
// that it cannot read has no verdict.
package ir
