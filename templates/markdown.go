package templates

import (
	"bytes"
	"embed"
	"fmt"
	html "html/template"
	"strings"
	"text/template"

	"github.com/tilegate/tilegate/checks/untrusted"
)

//go:embed check.md review.md sticky.md run.html setup.html
var markdownFiles embed.FS

// pages are the HTML pages; their engine escapes every field for its place.
var pages = html.Must(html.New("").Option("missingkey=error").Funcs(html.FuncMap{"prose": prose}).ParseFS(markdownFiles, "*.html"))

// prose renders text with code spans for a page. A backtick without a partner
// stays one.
func prose(t untrusted.Text) html.HTML {
	parts := strings.Split(string(t), "`")
	var b strings.Builder
	for i, part := range parts {
		text := untrusted.Text(part).HTML()
		switch {
		case i%2 == 0:
			b.WriteString(text)
		case i == len(parts)-1:
			b.WriteString("`" + text)
		default:
			b.WriteString("<code>" + text + "</code>")
		}
	}
	return html.HTML(b.String())
}

// HTML renders a page, such as "run.html".
func HTML(file string, data any) ([]byte, error) {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, file, data); err != nil {
		return nil, fmt.Errorf("templates: %s: %w", file, err)
	}
	return b.Bytes(), nil
}

// markdown holds one set of named blocks for each file.
var markdown = parseMarkdown("check.md", "review.md", "sticky.md")

func parseMarkdown(names ...string) map[string]*template.Template {
	sets := make(map[string]*template.Template, len(names))
	for _, name := range names {
		sets[strings.TrimSuffix(name, ".md")] = template.Must(template.New(name).Option("missingkey=error").ParseFS(markdownFiles, name))
	}
	return sets
}

// Markdown renders a block of a file, such as "check" and "row". The fields
// that hold other people's text must be untrusted.Text, and the templates
// render them by its methods.
func Markdown(file, block string, data any) (string, error) {
	set, ok := markdown[file]
	if !ok {
		return "", fmt.Errorf("templates: no file %q", file)
	}
	var b strings.Builder
	if err := set.ExecuteTemplate(&b, block, data); err != nil {
		return "", fmt.Errorf("templates: %s/%s: %w", file, block, err)
	}
	return b.String(), nil
}
