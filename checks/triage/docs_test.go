package triage

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/untrusted"
)

//go:generate go test -run TestSignaturePageIsCurrent -update

var update = flag.Bool("update", false, "write docs/signatures.md")

func signaturePage() string {
	var b strings.Builder
	b.WriteString(`# Failure signatures

Generated from the tables in ` + "`checks/triage`" + ` by ` + "`go generate ./checks/triage`" + `; do not edit.

` + "`tilegate triage`" + ` matches logs against these signatures, stage by stage, and puts a cause before its consequences.
One marked *first* explains whatever else a log holds. One marked *weak* is a consequence, or says little by itself: any
other one is reported before it.
One marked *records* is decided from test records and times; some of these are told by log text too.
One that judges a whole file looks at files of that name only, in whatever folder: rename a report before it is read, if it is
called otherwise.
`)
	var stage Stage
	b.WriteString("\n## Contents\n\n")
	for _, r := range Rows() {
		if r.Stage != stage {
			stage = r.Stage
			fmt.Fprintf(&b, "- [%s](#%[1]s)\n", stage)
		}
		fmt.Fprintf(&b, "  - [%s](#%s): %s\n", r.ID, anchor(r.ID+": "+r.Title), untrusted.Text(r.Title).Prose())
	}
	stage = ""
	for _, r := range Rows() {
		if r.Stage != stage {
			stage = r.Stage
			fmt.Fprintf(&b, "\n## %s\n", stage)
		}
		class := string(r.Class)
		if r.Also != "" {
			class += " or " + string(r.Also)
		}
		notes := []string{class}
		if len(r.Rules) > 0 {
			notes = append(notes, strings.Join(r.Rules, ", "))
		}
		notes = append(notes, string(r.From))
		switch {
		case r.FromRecords():
			notes = append(notes, "*records*")
		case r.Rank == Root:
			notes = append(notes, "*first*")
		case r.Rank >= Weak:
			notes = append(notes, "*weak*")
		}
		if r.File != "" {
			notes = append(notes, "judges a whole file named `"+r.FileName()+"`")
		}
		fmt.Fprintf(&b, "\n### %s: %s\n\n%s\n\n", r.ID, untrusted.Text(r.Title).Prose(), strings.Join(notes, " · "))
		for i, s := range r.Steps {
			fmt.Fprintf(&b, "%d. %s\n", i+1, untrusted.Text(s).Prose())
		}
		for _, e := range r.Expect {
			what := demand(e)
			if e.When != "" {
				what += ", where one is like " + e.When
			}
			fmt.Fprintf(&b, "\nThe file must hold %s.\n", untrusted.Text(what).Prose())
		}
		if r.Example != "" {
			fmt.Fprintf(&b, "\n%s\n", untrusted.Text(r.Example).Fence("text"))
		}
	}
	return b.String()
}

// anchor is the name that GitHub gives to a heading.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// The published page is what the tables say.
func TestSignaturePageIsCurrent(t *testing.T) {
	const page = "../../docs/signatures.md"
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(signaturePage()), 0o644))
	}
	got, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Equal(t, signaturePage(), string(got), "stale: run go generate ./checks/triage")
}
