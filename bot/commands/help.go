package commands

import (
	"fmt"
	"strings"
)

// Forms returns the verb's full lines, each as inline code.
func (v *Verb) Forms() []string {
	forms := make([]string, len(v.Usage))
	for i, usage := range v.Usage {
		forms[i] = "`" + strings.TrimSpace(Prefix+" "+v.Name+" "+usage) + "`"
	}
	return forms
}

// HelpText is the reply to /tilegym help: a table in Markdown. No line of it is
// a command itself.
func HelpText() string {
	var b strings.Builder
	b.WriteString("| command | does | who may |\n| --- | --- | --- |\n")
	for _, v := range verbs {
		fmt.Fprintf(&b, "| %s | %s%s | %s |\n", strings.Join(v.Forms(), "<br>"), v.Help, v.aliasNote(), v.Who)
	}
	b.WriteString("\nA command is a line of its own in a new comment; several lines are several commands. Editing a comment runs nothing.\n")
	return b.String()
}

// HelpText is the reply to /tilegym help VERB.
func (v *Verb) HelpText() string {
	return fmt.Sprintf("%s\n\n%s%s Who may: %s.\n", strings.Join(v.Forms(), "<br>"), v.Help, v.aliasNote(), v.Who)
}

func (v *Verb) aliasNote() string {
	if len(v.Aliases) == 0 {
		return ""
	}
	return " Also `" + strings.Join(v.Aliases, "`, `") + "`."
}

// Reference is the text of docs/commands.md.
func Reference() string {
	return "<!-- Made from bot/commands by go test ./bot/commands -update; do not edit. -->\n" +
		"# Commands in pull request comments\n\n" +
		HelpText() + `
## What counts as a command

A command is a line that starts with ` + "`" + Prefix + "`" + ` in a newly created comment, as text of a paragraph at the top of the comment.
The same words inside a quote, a list, a table, code (fenced, indented or inline), an HTML comment or an HTML container such as ` + "`<details>`" + ` are not a command.
A line at the left margin directly below a quote or list item, without a marker of its own, is one.
Carriage returns, trailing blanks and no-break spaces do not matter; names may stand in backticks.

Every command of a comment is answered with a reaction: eyes when it is accepted, a rocket when it has been carried out, and confused, with one reply, when it could not be understood or is not allowed.
Comments of bots are ignored. Who may do what is asked from GitHub's permission API at that moment.

## Arguments

| word | means |
| --- | --- |
| STAGE | the first word after ` + "`rerun`" + `: ` + stageList() + ` |
| KERNEL | an operation's name, such as ` + "`bmm`" + `; an unknown one is refused with the list |
| SHA | all 40 characters of the head commit that was read; the approval holds for that commit only |
| RULE | ` + "`R45`" + `, ` + "`R1`" + `, ` + "`R01`" + ` or ` + "`45`" + `; the other families by their letter, such as ` + "`P3`" + ` |
| PATH | a file from the repository's root; the waiver holds for the findings of the rule that the file has now |
| ` + "`<= RATIO`" + ` | the highest accepted candidate/reference ratio; without it the one measured when the waiver is written. A measurement above it, or another GPU class, ends the waiver |
| ` + "`until YYYY-MM-DD`" + ` | the last day (UTC) on which the waiver holds |
| REASON | required; words to the end of the line, at most ` + fmt.Sprint(MaxReason) + ` bytes |
| ` + "`--rounds N`" + ` | perf rounds, 1 to ` + fmt.Sprint(MaxRounds) + ` |
`
}
