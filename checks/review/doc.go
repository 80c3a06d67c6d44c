// Package review answers "which rule findings does this checkout have, and
// which of them are new against a base?". It drives the rules over a tree and
// renders the report; it must not touch the network, run programs or know
// GitHub.
package review
