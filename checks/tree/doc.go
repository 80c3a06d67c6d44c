// Package tree answers "which cutile-rs kernels does this TileGym checkout
// have, which files make up each, and what does a change need?". It reads a
// file system that it is given and parses each file once; it runs nothing and
// judges nothing.
package tree
