package gate

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// WriteText prints a tree for a terminal: a line for each node with its name,
// its status and, where it is not that of a child, its sentence; below an open
// leaf what would change it and where it can be watched.
func WriteText(w io.Writer, n Node) error {
	var rows []textLine
	n.lines(&rows, "", "")
	name, status := 0, 0
	for _, r := range rows {
		name, status = max(name, utf8.RuneCountInString(r.name)), max(status, len(r.status))
	}
	var b strings.Builder
	for _, r := range rows {
		pad := strings.Repeat(" ", name-utf8.RuneCountInString(r.name))
		b.WriteString(strings.TrimRight(fmt.Sprintf("%s%s  %-*s  %s", r.name, pad, status, r.status, r.text), " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// textLine is one line: the branch and the name, the status, a text.
type textLine struct{ name, status, text string }

// lines adds a node's lines. first and rest are the branches before its name
// and before what is below it.
func (n Node) lines(out *[]textLine, first, rest string) {
	status := string(n.Status)
	if n.Waived && n.Status == Success {
		status += " (waived)"
	}
	reason := n.Reason.Line()
	if len(n.Children) > 0 && n.Status != Success {
		reason = "" // it is the worst child's
	}
	*out = append(*out, textLine{first + n.Name.Line(), status, reason})
	if len(n.Children) == 0 && n.Unblock != "" {
		*out = append(*out, textLine{rest, "", "to change it: " + n.Unblock.Line()})
	}
	if len(n.Children) == 0 && n.URL != "" {
		*out = append(*out, textLine{rest, "", n.URL})
	}
	for i, c := range n.Children {
		if i == len(n.Children)-1 {
			c.lines(out, rest+"└─ ", rest+"   ")
		} else {
			c.lines(out, rest+"├─ ", rest+"│  ")
		}
	}
}
