// Package untrusted answers "how is text that somebody else wrote shown
// safely?". Text from pull requests, logs, artifacts, comments and names is a
// Text, and the methods of Text are its only way into a page, a comment, a
// terminal or a JSON document. The package must not interpret the text, and it
// never drops visible characters without a note.
package untrusted
