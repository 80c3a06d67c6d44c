// Package dsl answers "what does this kernel.rs define, and what type does this
// expression have?" for the cutile-rs kernel DSL. Types are those that can be
// read off the source; everything else is Unknown, which no rule may act on.
// It reports nothing.
package dsl
