// Package spec answers "does this request or answer agree with GitHub's
// published OpenAPI description?". It reads the description from a folder of
// npm packages and must not be linked into the program: it is for tests.
package spec
