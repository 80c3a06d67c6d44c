package demo

import (
	"bytes"
	"html/template"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

// gfm renders Markdown as GitHub does, raw HTML included; policy then removes
// what GitHub removes, so that the page shows what a reader would see.
var (
	gfm    = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	policy = newPolicy()
)

func newPolicy() *bluemonday.Policy {
	p := bluemonday.UGCPolicy()
	p.AllowElements("details", "summary")
	p.AllowAttrs("class").Matching(bluemonday.SpaceSeparatedTokens).OnElements("code")
	return p
}

// markdown renders untrusted Markdown to safe HTML.
func markdown(text string) template.HTML {
	var b bytes.Buffer
	if err := gfm.Convert([]byte(text), &b); err != nil {
		return template.HTML("<p>" + template.HTMLEscapeString(text) + "</p>")
	}
	return template.HTML(policy.SanitizeBytes(b.Bytes()))
}
