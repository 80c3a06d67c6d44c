// Package integrity answers "does a change weaken the tests?". It evaluates
// the test files and the harness of both revisions symbolically, once for each
// parametrised case, and compares what is left: checks, tolerances, skips,
// cases, inputs. It must not run Python, and must not guess: what it can match
// no more it says so.
package integrity
