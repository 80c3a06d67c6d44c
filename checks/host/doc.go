// Package host answers "what does the host side of a kernel say?": the C
// export in ffi.rs, the Python wrapper with its C declarations, the crate's
// lib.rs and manifest, and the tables that Rust and Python share. It models
// what stands in the source and judges nothing; what it cannot resolve is
// absent from the model, never guessed.
package host
