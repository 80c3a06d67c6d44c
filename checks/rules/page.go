package rules

import (
	"fmt"
	"strings"
)

// Row is the machine-readable description of a rule.
type Row struct {
	ID         string   `json:"id"`
	Title      string   `json:"title"`
	Category   string   `json:"category"`
	Owner      string   `json:"owner"`
	Severity   Severity `json:"severity"`
	DecidedBy  string   `json:"decided_by"`
	Fix        string   `json:"fix"`
	Signatures []string `json:"signatures"`
	Docs       string   `json:"docs"`
}

// Table describes rules for machines.
func Table(list []*Rule) []Row {
	out := []Row{}
	for _, r := range list {
		sig := r.Signatures
		if sig == nil {
			sig = []string{}
		}
		out = append(out, Row{r.ID, r.Title, r.Category, r.Owner, r.Severity, r.DecidedBy, r.Fix, sig, DocPath(r)})
	}
	return out
}

// DocPath is the path of a rule's page in the repository.
func DocPath(r *Rule) string { return "docs/rules/" + r.ID + ".md" }

// Page is the documentation page of a rule in Markdown.
func Page(r *Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n", r.ID, r.Title)
	fmt.Fprintf(&b, "%s at most, %s rule, for the %s side, decided by %s, fix: %s.\n\n", r.Severity, r.Category, r.Owner, evidence.explain(r.DecidedBy), fixes.explain(r.Fix))
	if r.Pin != "" {
		fmt.Fprintf(&b, "Known to hold for cutile %s; under another pin its findings are notes.\n\n", r.Pin)
	}
	fmt.Fprintf(&b, "%s\n\n%s\n", r.Why, strings.TrimSpace(r.Doc))
	if len(r.Signatures) > 0 {
		fmt.Fprintf(&b, "\n## Failure signatures\n\nThese failures in a log point here: %s.\n", strings.Join(r.Signatures, ", "))
	}
	if len(r.Triage) > 0 {
		b.WriteString("\n## Triage\n\n")
		for i, step := range r.Triage {
			fmt.Fprintf(&b, "%d. %s\n", i+1, step)
		}
	}
	return b.String()
}

// Index is the table of rules in Markdown.
func Index(list []*Rule) string {
	var b strings.Builder
	b.WriteString("# Rules\n\nGenerated from the rule directories; the number is the rulebook's and never changes. A severity is the heaviest that the rule reports.\n\n" +
		"A function of the DSL is found by its path and under any name that a `use` of the module, or of a function in it, gives it. It is not found as a value (`let f = exp;`) " +
		"or by a name from outside of the module; types and modes (`ftz::Enabled`) are found under their own names only.\n\n")
	fmt.Fprintf(&b, "- **category**: %s.\n- **owner**, who has to act: %s.\n- **decided by**: %s.\n- **fix**: %s.\n- **signatures**: failures in a log that point to the rule, see [signatures.md](signatures.md).\n\n",
		categories.list(), owners.list(), evidence.list(), fixes.list())
	b.WriteString("| rule | title | category | owner | severity | decided by | fix | signatures |\n|---|---|---|---|---|---|---|---|\n")
	for _, r := range list {
		fmt.Fprintf(&b, "| [%s](rules/%s.md) | %s | %s | %s | %s | %s | %s | %s |\n",
			r.ID, r.ID, strings.ReplaceAll(r.Title, "|", `\|`), r.Category, r.Owner, r.Severity, r.DecidedBy, r.Fix, strings.Join(r.Signatures, " "))
	}
	return b.String()
}

// Limits is the page of what a review without findings does not mean: what no rule
// looks at, and the limits of each rule as its own page has them.
func Limits(list []*Rule) string {
	var b strings.Builder
	b.WriteString(`# What a clean review does not mean

Generated from the rule directories by ` + "`go test ./checks/rules/all -update`" + `; do not edit.

A review without findings means that no rule fires on the files that were read. It does not mean that the kernel is right or fast: a
review runs nothing and computes no tensor. That is shown by the stages on a GPU, and the gate is green only with both.

- **Values.** A rule says where code is *written* in a way that fails. Which operands a product has and in which order, which comparison
  makes a mask, which index goes to which axis, how many blocks a grid has, which number a constant is, and which sizes, dtypes and hints
  a wrapper passes is looked at only as far as a rule below says so. A wrong one of these leaves the review clean, and correctness or
  perf has to find it.
- **What is not known.** A rule that does not know, because a type, a name or a value comes from elsewhere, stays silent. So does one
  that needs the reference, the analysis or a base that is not there.
- **Severity.** An error is certain and blocks. A warning can be a certain fault as well, of a kind that may be meant or that does no harm
  somewhere; it does not change the exit status unless ` + "`--fail-on warning`" + ` is given.
- **What is older.** With ` + "`--base`" + ` only what the change adds is told. A fault that was there before is only counted.
- **What was accepted.** A comment ` + "`tilegate: allow(ID) reason`" + ` silences a finding, and a configuration may switch a rule off.
- **Tests.** The T rules compare the tests with those of the base. Whether the tests of the base would find a fault nobody knows.

How often a rule is wrong where it fires is another question: [false-alarms.md](false-alarms.md).

## What each rule does not see

What its page says under *Limits*.
`)
	for _, r := range list {
		_, rest, _ := strings.Cut(r.Doc, "\n## Limits\n")
		own, _, _ := strings.Cut(rest, "\n## ")
		fmt.Fprintf(&b, "\n### [%s](rules/%s.md): %s\n\n%s\n", r.ID, r.ID, r.Title, strings.TrimSpace(own))
	}
	return b.String()
}
