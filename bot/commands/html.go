package commands

import (
	"regexp"
	"strings"
)

// htmlStack follows the HTML containers that stand open around Markdown text.
// Only tags that quote or lay out other text count: a stray <f32> in prose must
// not swallow the commands below it.
type htmlStack struct{ open []string }

var htmlContainers = map[string]bool{
	"details": true, "summary": true, "blockquote": true, "pre": true, "code": true, "samp": true, "kbd": true, "tt": true,
	"table": true, "thead": true, "tbody": true, "tr": true, "td": true, "th": true, "ul": true, "ol": true, "li": true,
	"div": true, "q": true, "del": true, "s": true, "strike": true,
}

var htmlTag = regexp.MustCompile(`(?s)<!--.*?(?:-->|$)|<(/?)([A-Za-z][A-Za-z0-9]*)(?:"[^"]*"|'[^']*'|[^>"'])*>`)

func (h *htmlStack) read(html string) {
	for _, m := range htmlTag.FindAllStringSubmatch(html, -1) {
		name := strings.ToLower(m[2])
		switch {
		case !htmlContainers[name]:
		case m[1] == "":
			h.open = append(h.open, name)
		default:
			for i := len(h.open) - 1; i >= 0; i-- {
				if h.open[i] == name {
					h.open = h.open[:i]
					break
				}
			}
		}
	}
}
