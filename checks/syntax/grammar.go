package syntax

import (
	sitter "github.com/tree-sitter/go-tree-sitter"
	c "github.com/tree-sitter/tree-sitter-c/bindings/go"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
	rust "github.com/tree-sitter/tree-sitter-rust/bindings/go"
)

var grammars = map[Lang]*grammar{
	Rust:   loadGrammar(sitter.NewLanguage(rust.Language())),
	Python: loadGrammar(sitter.NewLanguage(python.Language())),
	C:      loadGrammar(sitter.NewLanguage(c.Language())),
}
