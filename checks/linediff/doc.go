// Package linediff answers "which lines differ between two texts?" and prints
// the answer as a unified diff that git applies. It must not read files, and it
// works on bytes: line ends and invalid UTF-8 come out as they went in.
package linediff
