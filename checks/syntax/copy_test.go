package syntax

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sitter "github.com/tree-sitter/go-tree-sitter"
)

// The copy that C makes says of each node what the binding says of it.
func TestCopyIsTheTree(t *testing.T) {
	for name, c := range map[string]struct {
		lang Lang
		src  string
	}{
		"rust": {Rust, `#[cutile::module]
pub mod m { /* é */ pub fn f<const N: i32>(x: &Tile<f32, { [N] }>) -> i32 { dispatch!(a, "b", 1.0e-6); loop { break x?; } } }
`},
		"python":          {Python, "@register_impl(\"f\", backend=\"cutile-rs\")\ndef f(x: int = 1, *a, **k):\n    # note\n    return f\"{x}\" if x else [y for y in a]\n"},
		"c":               {C, "int f(const void *x, int64_t n[4]);"},
		"empty":           {Rust, ""},
		"syntax error":    {Rust, "fn f() { let = ; } } struct S { a: [u8; , }"},
		"missing bracket": {Python, "x = (1, [2, 3)\ny = f(\n"},
		"deep":            {Rust, "fn f() { " + strings.Repeat("(", MaxDepth/4) + strings.Repeat(")", MaxDepth/4) + " }"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &File{Lang: c.lang, g: grammars[c.lang]}
			f.setSource([]byte(c.src))
			parser := sitter.NewParser()
			defer parser.Close()
			require.NoError(t, parser.SetLanguage(f.g.lang))
			tree := parser.Parse(f.Src, nil)
			defer tree.Close()
			require.True(t, builder{f}.copy(tree.RootNode(), nil))

			cursor := tree.Walk()
			defer cursor.Close()
			count := 0
			var walk func(parent Node, damaged bool)
			walk = func(parent Node, damaged bool) {
				before := Node{}
				for {
					want, got := cursor.Node(), Node{f, int32(count)}
					count++
					damaged := damaged || want.IsError() || want.IsMissing()
					assert.Equal(t, want.Kind(), got.Kind())
					assert.Equal(t, cursor.FieldName(), f.g.fields[got.node().field])
					assert.Equal(t, Span{int(want.StartByte()), int(want.EndByte())}, got.Span())
					assert.Equal(t, want.IsNamed(), got.Named())
					assert.Equal(t, damaged, got.Damaged())
					assert.Equal(t, parent, got.Parent())
					if before.Valid() {
						assert.Equal(t, got, before.at(before.node().next))
					} else if parent.Valid() {
						assert.Equal(t, got, parent.at(f.first(parent.i)))
					}
					if cursor.GotoFirstChild() {
						walk(got, damaged)
						cursor.GotoParent()
					} else {
						assert.Equal(t, none, f.first(got.i))
					}
					before = got
					if !cursor.GotoNextSibling() {
						assert.Equal(t, none, got.node().next)
						return
					}
				}
			}
			walk(Node{}, false)
			assert.Equal(t, len(f.nodes), count)
		})
	}
}

// Find looks up what a walk finds, at any node.
func TestFindIsAWalk(t *testing.T) {
	for _, src := range []string{
		"fn f() { a(b(c), 1); vec![d(1), vec![e(2)], f!(g(3))]; let x = h(|y| i(y)); }\nmacro_rules! m { ($e:expr) => { { j($e); const_shape![1, k(2)] } } }\nfn g() { l(1) }",
		"fn f() { a(1 } fn g() { b(2); }",
	} {
		f := Parse("a.rs", Rust, []byte(src))
		require.NotEmpty(t, f.nodes)
		for i := range f.nodes {
			n := Node{f, int32(i)}
			for _, kinds := range [][]string{{"call_expression"}, {"integer_literal", "call_expression", "identifier"}, {"token_tree"}, {"no such kind"}} {
				var want []Node
				n.Inspect(func(c Node) bool {
					if c.Is(kinds...) {
						want = append(want, c)
					}
					return true
				})
				assert.Equal(t, want, n.Find(kinds...), "%s at %v: %v", n.Kind(), n.Span(), kinds)
			}
		}
	}
}
