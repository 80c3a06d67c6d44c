package dsl

import (
	"sort"
	"strings"

	"github.com/tilegate/tilegate/checks/syntax"
)

// Kind classifies a Type.
type Kind uint8

// The kinds of types that rules ask about.
const (
	Unknown Kind = iota
	Scalar
	Ptr          // *mut T
	Tensor       // &Tensor, &mut Tensor or Tensor
	Tile         // Tile<elem, {[shape]}>
	PointerTile  // PointerTile<*mut elem, {[shape]}>
	Partition    // Partition, PartitionMut, MappedPartitionMut
	Token        // memory token
	Tuple        // Elems holds the parts
	ShapeOrArray // Shape, Array or a Rust array
)

// Type is a type as far as the source says it.
type Type struct {
	Kind Kind
	// Elem is the element type as written: f32, i32, E.
	Elem string
	// Shape holds the dimensions as written without white space; meaningful only
	// with ShapeKnown, empty for rank 0.
	Shape      []string
	ShapeKnown bool
	Mut        bool // &mut, for Tensor
	Ref        bool // behind a reference
	Name       string
	Elems      []Type
}

// Float reports whether the element type is a floating-point type by name.
func (t Type) Float() bool {
	switch t.Elem {
	case "f16", "bf16", "f32", "f64", "tf32":
		return true
	}
	return strings.HasPrefix(t.Elem, "f8") || strings.HasPrefix(t.Elem, "f4")
}

// Int reports whether the element type is an integer type.
func (t Type) Int() bool { return ints[t.Elem] }

var ints = map[string]bool{
	"i8": true, "i16": true, "i32": true, "i64": true,
	"u8": true, "u16": true, "u32": true, "u64": true, "usize": true, "isize": true,
}

// ParseType reads a type node.
func ParseType(n syntax.Node) Type {
	switch n.Kind() {
	case "primitive_type":
		return Type{Kind: Scalar, Elem: n.Text()}
	case "type_identifier":
		if n.Text() == "Token" {
			return Type{Kind: Token, Name: "Token"}
		}
		return Type{Name: n.Text()}
	case "scoped_type_identifier":
		return ParseType(n.Field("name"))
	case "pointer_type":
		return Type{Kind: Ptr, Elem: n.Field("type").Squeeze(), Mut: n.ChildOf("mutable_specifier").Valid()}
	case "reference_type":
		t := ParseType(n.Field("type"))
		t.Ref, t.Mut = true, n.ChildOf("mutable_specifier").Valid()
		return t
	case "tuple_type":
		t := Type{Kind: Tuple}
		for _, c := range n.NamedChildren() {
			t.Elems = append(t.Elems, ParseType(c))
		}
		return t
	case "array_type":
		return Type{Kind: ShapeOrArray, Elem: n.Field("element").Squeeze()}
	case "generic_type":
		t := Type{Name: syntax.LastSegment(n)}
		switch t.Name {
		case "Tile":
			t.Kind = Tile
		case "PointerTile":
			t.Kind = PointerTile
		case "Tensor":
			t.Kind = Tensor
		case "Partition", "PartitionMut", "MappedPartitionMut":
			t.Kind = Partition
		case "Shape", "Array":
			t.Kind = ShapeOrArray
		}
		for i, a := range n.Field("type_arguments").NamedChildren() {
			switch {
			case a.Is("block"):
				if arr := a.NamedChild(0); arr.Is("expression_statement") {
					a = arr
				}
				if list := a.ChildOf("array_expression"); list.Valid() && !t.ShapeKnown {
					t.Shape, t.ShapeKnown = Dims(list), true
				}
			case i == 0 && a.Is("pointer_type"):
				t.Elem = a.Field("type").Squeeze()
			case i == 0:
				t.Elem = a.Squeeze()
			}
		}
		return t
	}
	return Type{}
}

// Dims lists the entries of an array expression as written.
func Dims(list syntax.Node) []string {
	out := []string{}
	for _, d := range list.NamedChildren() {
		out = append(out, d.Squeeze())
	}
	return out
}

// MacroList lists the arguments of const_shape!, const_array! or vec!; the
// second result is false when the node is another thing or its tokens do not
// parse.
func MacroList(n syntax.Node) ([]syntax.Node, bool) {
	if !n.Is("macro_invocation") {
		return nil, false
	}
	list := n.ChildOf("token_tree").Parsed()
	if !list.Valid() || list.Field("length").Valid() {
		return nil, false
	}
	return list.NamedChildren(), true
}

// maxHops bounds how many bindings TypeOf follows.
const maxHops = 16

// TypeOf is the type of an expression in the function's body, or Unknown.
func (f *Func) TypeOf(n syntax.Node) Type { return f.typeOf(n, maxHops) }

func (f *Func) typeOf(n syntax.Node, hops int) Type {
	if hops == 0 {
		return Type{}
	}
	switch n.Kind() {
	case "parenthesized_expression":
		return f.typeOf(n.NamedChild(0), hops-1)
	case "reference_expression":
		return f.typeOf(n.Field("value"), hops-1)
	case "identifier":
		if b, ok := f.Lookup(n); ok {
			return f.bindingType(b, hops-1)
		}
	case "integer_literal":
		return Type{Kind: Scalar, Elem: suffix(n.Text(), "i32")}
	case "float_literal":
		return Type{Kind: Scalar, Elem: suffix(n.Text(), "")}
	case "boolean_literal":
		return Type{Kind: Scalar, Elem: "bool"}
	case "type_cast_expression":
		return ParseType(n.Field("type"))
	case "unary_expression":
		return f.typeOf(n.NamedChild(0), hops-1)
	case "binary_expression":
		switch n.Field("operator").Text() {
		case "==", "!=", "<", ">", "<=", ">=", "&&", "||":
			return Type{Kind: Scalar, Elem: "bool"}
		}
		l := f.typeOf(n.Field("left"), hops-1)
		if l.Kind == Unknown {
			return f.typeOf(n.Field("right"), hops-1)
		}
		return l
	case "unsafe_block", "block":
		if u := Unparen(n); u != n {
			return f.typeOf(u, hops-1)
		}
		if t := Tail(n); t.Valid() {
			return f.typeOf(t, hops-1)
		}
	case "if_expression":
		return f.typeOf(n.Field("consequence"), hops-1)
	case "field_expression":
		if _, ok := f.OpCall(n.Field("value"), "get_tile_block_id", "get_num_tile_blocks"); ok {
			return Type{Kind: Scalar, Elem: "i32"}
		}
	case "index_expression":
		if t := f.typeOf(n.NamedChild(0), hops-1); t.Kind == ShapeOrArray {
			return Type{Kind: Scalar, Elem: "i32"}
		}
	case "call_expression":
		return f.callType(n, hops)
	}
	return Type{}
}

// callType is the type of the few calls whose result follows from their
// arguments alone.
func (f *Func) callType(n syntax.Node, hops int) Type {
	c, ok := AsCall(n)
	if !ok {
		return Type{}
	}
	if c.Method() {
		recv := f.typeOf(c.Receiver, hops-1)
		if recv.Kind == Tensor && (c.Name == "partition" || c.Name == "partition_full_mut" || c.Name == "partition_mut") {
			shape, known := f.shapeArg(c.Args)
			return Type{Kind: Partition, Elem: recv.Elem, Shape: shape, ShapeKnown: known}
		}
		if recv.Kind != Tile && recv.Kind != PointerTile {
			return Type{}
		}
		switch c.Name {
		case "reshape", "broadcast":
			recv.Shape, recv.ShapeKnown = f.shapeArg(c.Args)
			return recv
		case "offset", "offset_tile":
			return recv
		}
		return Type{}
	}
	op := f.Op(c)
	switch {
	case strings.HasPrefix(op, "assume_") && len(c.Args) > 0:
		return f.typeOf(c.Args[0], hops-1)
	case op == "scalar_to_tile" && len(c.Args) == 1:
		if t := f.typeOf(c.Args[0], hops-1); t.Kind == Scalar {
			return Type{Kind: Tile, Elem: t.Elem, Shape: []string{}, ShapeKnown: true}
		}
	case op == "pointer_to_tile" && len(c.Args) == 1:
		if t := f.typeOf(c.Args[0], hops-1); t.Kind == Ptr {
			return Type{Kind: PointerTile, Elem: t.Elem, Shape: []string{}, ShapeKnown: true}
		}
	case (op == "constant" || op == "broadcast_scalar") && len(c.Args) == 2:
		if t := f.typeOf(c.Args[0], hops-1); t.Kind == Scalar {
			shape, known := f.shapeArg(c.Args[1:])
			return Type{Kind: Tile, Elem: t.Elem, Shape: shape, ShapeKnown: known}
		}
	case op == "iota" && len(c.Args) == 1:
		shape, known := f.shapeArg(c.Args)
		return Type{Kind: Tile, Shape: shape, ShapeKnown: known}
	}
	return f.opType(op, c, hops)
}

// likeArg gives, by DSL function, the argument that the result has the type of.
var likeArg = func() map[string]int {
	out := map[string]int{"mmaf": 2, "select": 1}
	for _, op := range []string{
		"addf", "subf", "mulf", "divf", "fma", "maxf", "minf", "exp", "exp2", "rsqrt", "sqrt", "log", "log2",
		"sin", "cos", "tan", "sinh", "cosh", "tanh", "ceil", "floor", "negf", "absf", "true_div", "remf", "pow", "atan2",
		"addi", "subi", "muli", "divi", "negi", "shli", "andi", "ori", "xori",
	} {
		out[op] = 0
	}
	return out
}()

// opType is the type of a DSL function's result where it follows from its
// arguments.
func (f *Func) opType(op string, c Call, hops int) Type {
	arg := func(i int) Type {
		if i >= len(c.Args) {
			return Type{}
		}
		return f.typeOf(c.Args[i], hops-1)
	}
	if i, ok := likeArg[op]; ok {
		if t := arg(i); t.Kind == Tile {
			return t
		}
		return Type{}
	}
	switch op {
	case "cmpi", "cmpf":
		if t := arg(0); t.Kind == Tile {
			t.Elem = "bool"
			return t
		}
	case "convert_tile", "exti", "trunci", "itof", "ftoi", "ftof":
		if t := arg(0); t.Kind == Tile {
			t.Elem = "" // the annotation says it
			return t
		}
	case "permute":
		if t := arg(0); t.Kind == Tile {
			t.Shape, t.ShapeKnown = nil, false
			return t
		}
	case "load_view_tko", "load_tile":
		if t := arg(0); t.Kind == Partition {
			return Type{Kind: Tile, Elem: t.Elem, Shape: t.Shape, ShapeKnown: t.ShapeKnown}
		}
	}
	return Type{}
}

func (f *Func) shapeArg(args []syntax.Node) ([]string, bool) {
	if len(args) != 1 {
		return nil, false
	}
	list, ok := MacroList(args[0])
	if !ok {
		return nil, false
	}
	out := []string{}
	for _, d := range list {
		out = append(out, d.Squeeze())
	}
	return out, true
}

// Binding is what a name means at a place.
type Binding struct {
	Name string
	// Node is the let_declaration, for_expression, parameter, const_parameter,
	// const_item or closure parameter that binds it.
	Node syntax.Node
	// Pattern is the identifier inside the pattern.
	Pattern syntax.Node
}

// Lookup resolves an identifier by lexical scope, shadowing included.
func (f *Func) Lookup(id syntax.Node) (Binding, bool) {
	name := id.Text()
	at := id
	for p := id.Parent(); p.Valid(); at, p = p, p.Parent() {
		switch p.Kind() {
		case "block":
			lets := f.scopes[p][name]
			i := sort.Search(len(lets), func(i int) bool { return lets[i].Node.Span().Start >= at.Span().Start })
			if i > 0 {
				// The first of one let's pattern, should it bind a name twice.
				for i--; i > 0 && lets[i-1].Node == lets[i].Node; i-- {
				}
				return lets[i], true
			}
		case "for_expression":
			if at == p.Field("body") {
				if id := bound(p.Field("pattern"), name); id.Valid() {
					return Binding{name, p, id}, true
				}
			}
		case "closure_expression":
			if id := bound(p.Field("parameters"), name); id.Valid() {
				return Binding{name, p, id}, true
			}
		case "match_arm":
			if at != p.Field("pattern") {
				if id := bound(p.Field("pattern"), name); id.Valid() {
					return Binding{name, p, id}, true
				}
			}
		}
		if p == f.Node {
			break
		}
	}
	for _, p := range f.Params {
		if p.Name == name {
			return Binding{name, p.Node, p.Node.Field("pattern")}, true
		}
	}
	for _, c := range f.Consts {
		if c.Name == name {
			return Binding{name, c.Node, c.Node.Field("name")}, true
		}
	}
	if c, ok := f.Module.Consts[name]; ok {
		return Binding{name, c, c.Field("name")}, true
	}
	return Binding{}, false
}

// bound finds the identifier that a pattern binds under a name.
func bound(pattern syntax.Node, name string) syntax.Node {
	var found syntax.Node
	pattern.Inspect(func(n syntax.Node) bool {
		if n.Is("identifier", "shorthand_field_identifier") && n.Text() == name && !found.Valid() {
			found = n
		}
		return !n.Is("type_arguments")
	})
	return found
}

func (f *Func) bindingType(b Binding, hops int) Type {
	switch b.Node.Kind() {
	case "parameter":
		return ParseType(b.Node.Field("type"))
	case "const_parameter", "const_item":
		return ParseType(b.Node.Field("type"))
	case "for_expression":
		return Type{Kind: Scalar, Elem: "i32"}
	case "let_declaration":
		if t := b.Node.Field("type"); t.Valid() {
			return part(ParseType(t), b)
		}
		if b.Node.Field("pattern").Is("identifier", "mut_pattern") {
			return f.typeOf(b.Node.Field("value"), hops)
		}
		if _, ok := f.OpCall(b.Node.Field("value"), "get_tile_block_id", "get_num_tile_blocks"); ok {
			return Type{Kind: Scalar, Elem: "i32"}
		}
	}
	return Type{}
}

// part picks the type of one name out of a tuple annotation.
func part(t Type, b Binding) Type {
	pattern := b.Node.Field("pattern")
	if !pattern.Is("tuple_pattern") {
		return t
	}
	if t.Kind != Tuple {
		return Type{}
	}
	i := 0
	for c := range pattern.Children() {
		switch {
		case b.Pattern.Inside(c) && (c.Named() || c.Is("_")):
			if i < len(t.Elems) && c.Is("identifier", "mut_pattern") {
				return t.Elems[i]
			}
			return Type{}
		case c.Is(","):
			i++
		}
	}
	return Type{}
}

func suffix(literal, otherwise string) string {
	for i, c := range literal {
		if (c == 'i' || c == 'u' || c == 'f' || c == 'b') && i > 0 && !strings.HasPrefix(literal, "0x") && !strings.HasPrefix(literal, "0b") {
			return strings.TrimPrefix(literal[i:], "_")
		}
	}
	return otherwise
}
