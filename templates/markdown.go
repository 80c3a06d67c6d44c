package templates

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed check.md review.md sticky.md
var markdownFiles embed.FS

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
