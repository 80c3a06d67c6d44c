package syntax

import (
	"math"

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
	// kinds are the names of the kinds, each once; ids finds them. The first are
	// those that a named node may have.
	kinds []string
	named uint16
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
	g := &grammar{lang: l, ids: map[string]uint16{}, symbols: make([]uint16, l.NodeKindCount())}
	id := func(kind string) uint16 {
		i, ok := g.ids[kind]
		if !ok {
			i = uint16(len(g.kinds))
			g.ids[kind] = i
			g.kinds = append(g.kinds, kind)
		}
		return i
	}
	load := func(named bool, bit uint16) {
		for s := range g.symbols {
			if l.NodeKindIsNamed(uint16(s)) == named {
				g.symbols[s] = id(l.NodeKindForId(uint16(s))) | bit
			}
		}
	}
	load(true, 1<<15)
	g.errorID, g.treeID = id(errorKind), id("token_tree")
	g.named = uint16(len(g.kinds))
	load(false, 0)
	if l.FieldCount() > math.MaxUint8 {
		panic("a grammar with more fields than a node can tell apart")
	}
	for i := range l.FieldCount() + 1 {
		g.fields = append(g.fields, l.FieldNameForId(uint16(i)))
	}
	return g
}
