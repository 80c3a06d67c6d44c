// Package rules is the contract between the review engine and a rule: what a
// Rule is, what its Pass may look at and how it reports. One directory below
// this one is one rule, with its code, its page (doc.md) and its fixtures. A
// rule sees one tree, and a check of scope PerChange that of the merge base beside
// it; it must not touch the network, run programs or ask for other revisions.
package rules
