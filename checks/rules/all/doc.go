// Package all lists every rule. Adding a rule adds a directory; the list is
// generated from the directories.
package all

//go:generate go run ../gen
