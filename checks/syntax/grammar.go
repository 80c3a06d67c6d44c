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

// grammar holds what is asked of a tree-sitter language once.
type grammar struct {
	lang *sitter.Language
	// kinds are the names of the kinds, each once; ids finds them.
	kinds []string
	ids   map[string]uint16
	// symbols maps a symbol of the parser to its kind. Its highest bit says that
	// the symbol is named.
	symbols []uint16
	fields  []string
	errorID uint16 // the kind of ERROR
	treeID  uint16 // the kind of token_tree
}

const errorKind = "ERROR"

func loadGrammar(l *sitter.Language) *grammar {
	g := &grammar{lang: l, ids: map[string]uint16{}}
	id := func(kind string) uint16 {
		i, ok := g.ids[kind]
		if !ok {
			i = uint16(len(g.kinds))
			g.ids[kind] = i
			g.kinds = append(g.kinds, kind)
		}
		return i
	}
	for s := range l.NodeKindCount() {
		k := id(l.NodeKindForId(uint16(s)))
		if l.NodeKindIsNamed(uint16(s)) {
			k |= 1 << 15
		}
		g.symbols = append(g.symbols, k)
	}
	g.errorID, g.treeID = id(errorKind), id("token_tree")
	for i := range l.FieldCount() + 1 {
		g.fields = append(g.fields, l.FieldNameForId(uint16(i)))
	}
	return g
}
