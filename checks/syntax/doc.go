// Package syntax answers "what does this source file say, as a tree?". It
// parses Rust and Python once with tree-sitter and copies the tree into Go
// memory, so that rules walk it without cgo and nothing has to be closed. The
// bodies of macro_rules! and the arguments of the DSL's list macros, which the
// grammar leaves as opaque tokens, are parsed again and linked into the tree.
// It knows syntax only: names, types and rules live elsewhere.
package syntax
