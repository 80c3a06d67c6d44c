package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tilegate/tilegate/checks/review/finding"
)

// Scope says how often a rule runs.
type Scope uint8

// The scopes.
const (
	PerKernel Scope = iota + 1 // once for each kernel; Pass.Kernel is set
	PerCrate                   // once for each crate; Pass.Crate is set
	PerTree                    // once for the checkout
	PerChange                  // once for the change; Pass.Base is set; not run without a base
)

// Severity is how much a finding weighs.
type Severity = finding.Severity

// The severities from heavy to light.
const (
	Error   = finding.Error
	Warning = finding.Warning
	Note    = finding.Note
)

// Rule is one rule of the rulebook or of a document beside it, as a value. All
// fields but Whys, Signatures, Triage, First, Requires, Also and Pin must be set.
type Rule struct {
	// ID is the rulebook's number with R before it, or a number with the prefix
	// of another document (P, A, S, T). It is never renumbered.
	ID    string
	Title string
	// Category is one of categories.
	Category string
	// Owner is who has to act, one of owners.
	Owner string
	// Severity is the heaviest severity that the rule reports.
	Severity Severity
	// DecidedBy says what the rule looks at, one of evidence.
	DecidedBy string
	// Fix says what help the rule offers, one of fixes.
	Fix string
	// Signatures are the failure signatures that point here.
	Signatures []string
	// Why is one sentence: what goes wrong when the rule is broken.
	Why string
	// Whys are the reasons of constructs that have one of their own; see WhyOf.
	Whys map[string]string
	// Triage lists what to do, in order.
	Triage []string
	// First are the steps of Triage, by their index, that come first for constructs
	// to which the others do not fit; see Steps.
	First map[string]int
	// Doc is the rule's page in Markdown, embedded from doc.md.
	Doc string
	// Pin is the cutile version for which the rule is known to hold, or empty
	// for all. Under another pin its findings become notes that say so.
	Pin   string
	Scope Scope
	// Requires lists the facts that Run asks for.
	Requires []AnyFact
	Run      func(*Pass)
	// Also are further checks of the same rule that look at other units.
	Also []Check
}

// Check is a part of a rule that runs over units of its own scope.
type Check struct {
	Scope Scope
	Run   func(*Pass)
}

// checks lists all checks of the rule, the main one first.
func (r *Rule) checks() []Check { return append([]Check{{r.Scope, r.Run}}, r.Also...) }

// Compares reports whether some of what the rule says is about a change, and so
// depends on the base.
func (r *Rule) Compares() bool {
	return slices.ContainsFunc(r.checks(), func(c Check) bool { return c.Scope == PerChange })
}

// WhyOf is what goes wrong when the rule is broken by a kind of construct: the
// reason of the construct, else that of the words that it begins with, else the
// rule's.
func (r *Rule) WhyOf(construct string) string {
	if why, ok := ofConstruct(r.Whys, construct); ok {
		return why
	}
	return r.Why
}

// Steps is Triage with the step first that a kind of construct needs.
func (r *Rule) Steps(construct string) []string {
	i, ok := ofConstruct(r.First, construct)
	if !ok || i == 0 {
		return r.Triage
	}
	return slices.Concat(r.Triage[i:i+1], r.Triage[:i], r.Triage[i+1:])
}

// Chosen reports whether First names the step for a kind of construct.
func (r *Rule) Chosen(construct string) bool {
	_, ok := ofConstruct(r.First, construct)
	return ok
}

// OnTests reports whether a rule, by its ID, is about what a change does to the tests
// that judge it: only a maintainer accepts its findings, with a waiver.
func OnTests(id string) bool { return strings.HasPrefix(id, "T") }

// ofConstruct is the value of a construct, else of the words that it begins with.
func ofConstruct[T any](values map[string]T, construct string) (T, bool) {
	for {
		v, ok := values[construct]
		i := strings.LastIndexByte(construct, ' ')
		if ok || i < 0 {
			return v, ok
		}
		construct = construct[:i]
	}
}

var idPattern = regexp.MustCompile(`^(R([1-9]|[1-4][0-9])|P([1-9]|1[01])|[AST][1-9][0-9]*)$`)

// docSections are the headings that each rule page must have, in order.
var docSections = []string{
	"## What it does", "## Why is this bad", "## Example", "## Use instead",
	"## How it is decided", "## Limits", "## Fix",
}

// Validate reports what is missing or malformed in a rule's description.
func (r *Rule) Validate() error {
	var missing []string
	need := func(ok bool, what string) {
		if !ok {
			missing = append(missing, what)
		}
	}
	need(idPattern.MatchString(r.ID), "an ID such as R45, P3, A1, S2 or T4")
	need(r.Title != "", "a Title")
	need(categories.has(r.Category), "a known Category")
	need(owners.has(r.Owner), "a known Owner")
	need(r.Severity.Rank() > 0, "a Severity")
	need(evidence.has(r.DecidedBy), "a known DecidedBy")
	need(fixes.has(r.Fix), "a known Fix")
	need(r.Why != "", "a Why")
	for construct, why := range r.Whys {
		need(why != "", "a reason for "+construct)
	}
	for construct, i := range r.First {
		need(0 <= i && i < len(r.Triage), "the step of Triage that is first for "+construct)
	}
	for _, c := range r.checks() {
		need(c.Scope >= PerKernel && c.Scope <= PerChange, "a Scope")
		need(c.Run != nil, "a Run function")
	}
	at := 0
	for _, s := range docSections {
		i := strings.Index(r.Doc[at:], s+"\n")
		need(i >= 0, "the section "+s+" in doc.md, in order")
		if i >= 0 {
			at += i + len(s)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("rule %s lacks %s", r.ID, strings.Join(missing, "; "))
	}
	return nil
}

// ParseID turns what a person writes (R1, r01, 45) into a rule ID; the second
// result is false when it is none.
func ParseID(s string) (string, bool) {
	s = strings.ToUpper(strings.TrimSpace(s))
	prefix := "R"
	if s != "" && (s[0] < '0' || s[0] > '9') {
		prefix, s = s[:1], s[1:]
	}
	id := prefix + strings.TrimLeft(s, "0")
	return id, idPattern.MatchString(id)
}

// Compare orders rule IDs: R before P, A, S, T, then by number.
func Compare(a, b string) int {
	if d := strings.Index("RPAST", a[:1]) - strings.Index("RPAST", b[:1]); d != 0 {
		return d
	}
	if d := len(a) - len(b); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}
