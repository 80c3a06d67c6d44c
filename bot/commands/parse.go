package commands

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// Prefix starts every command.
const Prefix = "/tilegym"

const (
	// MaxCommands is how many commands of one comment are read.
	MaxCommands = 20
	// MaxBody is how many bytes of a comment are read; GitHub allows 65,536
	// characters of at most four bytes.
	MaxBody = 4 * 65536
)

// Command is one line of a comment that addresses tilegate: either what it asks
// for, or why it could not be understood.
type Command struct {
	// Line is the line in the comment, from 1.
	Line int
	// Text is the line as written, without surrounding blanks. Untrusted.
	Text string
	// Verb is nil when the line names no verb that exists.
	Verb *Verb
	// Args is nil exactly when Err is set.
	Args Args
	// Err says what was expected and found, as a sentence in Markdown.
	Err error
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote)).Parser()

// Parse returns the commands of a comment in the order of their lines.
func Parse(body string) []Command {
	if len(body) > MaxBody {
		return []Command{{Line: 1, Err: fmt.Errorf("the comment has %d bytes, at most %d are read", len(body), MaxBody)}}
	}
	source := []byte(strings.ToValidUTF8(newlines.Replace(body), string(utf8.RuneError)))
	var commands []Command
	for _, line := range lines(source) {
		if len(commands) == MaxCommands {
			return append(commands, Command{Line: line.number, Text: line.text,
				Err: fmt.Errorf("only the first %d commands of a comment are read", MaxCommands)})
		}
		commands = append(commands, parseLine(line))
	}
	return commands
}

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func parseLine(l line) Command {
	c := Command{Line: l.number, Text: l.text}
	w := &words{rest: l.text[len(Prefix):]}
	word, ok := w.name()
	if !ok {
		word = "help"
	}
	c.Verb = Find(word)
	if c.Verb == nil {
		c.Err = unknownVerb(word)
		return c
	}
	args, err := c.Verb.parse(w)
	if err != nil {
		c.Err = fmt.Errorf("%w. Usage: %s", err, strings.Join(c.Verb.Forms(), " or "))
		return c
	}
	c.Args = args
	return c
}

func unknownVerb(word string) error {
	return fmt.Errorf("there is no command %s%s; `%s help` lists them", quote(word), didYouMean(word, verbNames()), Prefix)
}

type line struct {
	number int
	text   string
}

// lines finds the lines that are commands by the rule in the package's
// documentation.
func lines(source []byte) []line {
	if !bytes.Contains(bytes.ToLower(source), []byte(Prefix)) {
		return nil
	}
	doc := markdown.Parse(text.NewReader(source))
	var found []line
	var html htmlStack
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.HTMLBlock:
			html.read(segments(source, n.Lines()))
			if n.HasClosure() {
				html.read(string(n.ClosureLine.Value(source)))
			}
			return ast.WalkSkipChildren, nil
		case *ast.Paragraph, *ast.TextBlock, *ast.Heading:
			in := inline{child: n.FirstChild(), html: rawHTML(n)}
			for i := range n.Lines().Len() {
				start, end := lineAround(source, n.Lines().At(i).Start)
				raw := string(source[start:end])
				lead := len(raw) - len(strings.TrimLeftFunc(raw, blank))
				if !addressed(raw[lead:]) || (lead > 0 && n.Parent() != doc) {
					continue
				}
				in.advance(source, &html, start+lead)
				if !in.plainText(start+lead) || len(html.open) > 0 {
					continue
				}
				found = append(found, line{number: 1 + bytes.Count(source[:start], []byte("\n")), text: strings.TrimFunc(raw, blank)})
				if len(found) > MaxCommands {
					return ast.WalkStop, nil
				}
			}
			in.advance(source, &html, len(source))
		}
		return ast.WalkContinue, nil
	})
	// Footnotes stand at the end of the tree, wherever they were written.
	slices.SortStableFunc(found, func(a, b line) int { return a.number - b.number })
	return found
}

func segments(source []byte, lines *text.Segments) string {
	var b strings.Builder
	for i := range lines.Len() {
		segment := lines.At(i)
		b.Write(segment.Value(source))
	}
	return b.String()
}

func lineAround(source []byte, at int) (start, end int) {
	start = bytes.LastIndexByte(source[:at], '\n') + 1
	end = len(source)
	if i := bytes.IndexByte(source[start:], '\n'); i >= 0 {
		end = start + i
	}
	return start, end
}

// addressed reports whether a line starts with the prefix as a word. Phones
// write the first letter large, so case does not count.
func addressed(s string) bool {
	if len(s) < len(Prefix) || !strings.EqualFold(s[:len(Prefix)], Prefix) {
		return false
	}
	r, size := utf8.DecodeRuneInString(s[len(Prefix):])
	return size == 0 || blank(r)
}

// inline goes once through the inline nodes of a block of text, line by line.
type inline struct {
	child ast.Node
	html  []*ast.RawHTML
}

func rawHTML(block ast.Node) []*ast.RawHTML {
	var all []*ast.RawHTML
	_ = ast.Walk(block, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if raw, ok := n.(*ast.RawHTML); ok && entering && raw.Segments.Len() > 0 {
			all = append(all, raw)
		}
		return ast.WalkContinue, nil
	})
	return all
}

// advance takes in the raw HTML before a byte.
func (in *inline) advance(source []byte, html *htmlStack, at int) {
	for len(in.html) > 0 && in.html[0].Segments.At(0).Start < at {
		html.read(segments(source, in.html[0].Segments))
		in.html = in.html[1:]
	}
}

// plainText reports whether the byte belongs to text directly in the block, and
// not to inline code, raw HTML, a link or emphasis that an earlier line opened.
func (in *inline) plainText(at int) bool {
	for ; in.child != nil; in.child = in.child.NextSibling() {
		t, ok := in.child.(*ast.Text)
		if !ok || t.Segment.Stop <= at {
			continue
		}
		return t.Segment.Start <= at
	}
	return false
}
