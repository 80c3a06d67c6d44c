// Package records reads what a test run left behind: JUnit XML, the Python
// literals in its properties, console logs, test ids and exit codes. It answers
// "which case had which outcome and which measurement?" and must not judge,
// evaluate anything it reads, or lose a case silently.
//
// # Console format
//
// A console log is a second source for local use. The one accepted block is
//
//	Performance Test Results
//	test: tests/ops/test_x.py::Test_X::test_perf[cutile_rs-1024-torch.float16]
//	benchmark: {'cutile-rs': {'forward': {'median': 0.1, ...}}}
//
// The first line contains the words of the title and nothing but punctuation
// around them; the test line holds a pytest node id; the benchmark line holds
// the value of the JUnit property of the same name. A block of another shape is
// counted as ignored and gives no data.
package records
