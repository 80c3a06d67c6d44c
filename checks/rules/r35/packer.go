package r35

import (
	"slices"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/syntax"
)

// packer checks that make_tensor_desc sets each field of the descriptor, sizes from
// sizes and strides from strides.
func packer(p *rules.Pass, u *host.Utils) {
	for _, fn := range u.File.Root().Find("function_definition") {
		if fn.Field("name").Text() != "make_tensor_desc" {
			continue
		}
		desc := made(fn)
		if desc == "" {
			p.Undecided("the descriptor is made in another way")
			continue
		}
		set := map[string]bool{}
		for _, a := range fn.Find("assignment") {
			target := a.Field("left")
			for target.Is("subscript") {
				target = target.Field("value")
			}
			if !target.Is("attribute") || target.Field("object").Text() != desc {
				continue
			}
			field := target.Field("attribute").Text()
			set[field] = true
			// The export may undo it, so that these are no errors for sure.
			if why := wrongly(field, a); why != "" {
				p.Reportf(a, rules.Warning, "packed", "`%s` %s", rules.Short(a), why)
			}
			// What another axis has may be right: a tensor without gaps has its sizes as
			// strides.
			of, axis := copied(a.Field("right"))
			if axis != index(a.Field("left")) {
				continue
			}
			switch {
			case field == "strides" && (of == "shape" || of == "size"):
				p.Reportf(a, rules.Error, "packed", "`%s` gives the kernel a size of the tensor as a stride; expected `stride(i)`", rules.Short(a))
			case field == "shape" && of == "stride":
				p.Reportf(a, rules.Error, "packed", "`%s` gives the kernel a stride of the tensor as a size; expected `shape[i]`", rules.Short(a))
			}
		}
		if handedOn(fn, desc) {
			p.Undecided("the descriptor is filled elsewhere")
			continue
		}
		for _, f := range u.Fields {
			if slices.Contains([]string{"ptr", "ndim", "shape", "strides", "dtype"}, f.Name) && !set[f.Name] {
				p.Reportf(fn.Field("name"), rules.Error, "packed "+f.Name, "`make_tensor_desc` never sets `%s` of the descriptor, so that the kernel reads 0 there", f.Name)
			}
		}
	}
}

// wrongly says what is wrong with the only value that an assignment gives a field of the
// descriptor; empty for one that may be right.
func wrongly(field string, a syntax.Node) string {
	v := a.Field("right")
	loop := a.Ancestor("for_statement").Field("left").Text()
	switch field {
	case "ptr":
		object := v.Field("function").Field("object")
		if v.Is("call") && syntax.PyName(v.Field("function")) == "data_ptr" && object.Is("call") &&
			(syntax.PyName(object.Field("function")) == "untyped_storage" || syntax.PyName(object.Field("function")) == "storage") {
			return "is where the tensor's storage begins, which a slice does not; expected `data_ptr()` of the tensor"
		}
	case "dtype":
		if v.Is("integer") && !conditional(a) {
			return "gives every tensor the same dtype; expected its code"
		}
	case "ndim":
		if v.Is("integer") && !conditional(a) {
			return "gives every tensor the same number of dimensions; expected `t.dim()`"
		}
	case "strides":
		if v.Is("binary_operator") && v.Field("operator").Text() == "*" && (inBytes(v.Field("left")) || inBytes(v.Field("right"))) {
			return "is a stride in bytes, which the kernel takes for one in elements; expected `stride(i)`"
		}
	}
	if of, axis := copied(v); loop != "" && (field == "shape" && of == "shape" || field == "strides" && of == "stride") && index(a.Field("left")) == loop && (axis == "-1-"+loop || axis == "-("+loop+"+1)" || axis == "-"+loop+"-1") {
		return "has the axes in the reverse order; expected that of the tensor"
	}
	return ""
}

// conditional reports whether an assignment is one of several that a condition chooses
// from.
func conditional(a syntax.Node) bool {
	_, ok := host.Guard(a)
	return ok
}

// inBytes reports whether an expression is the size of an element in bytes.
func inBytes(n syntax.Node) bool {
	name := syntax.PyName(n)
	if n.Is("call") {
		name = syntax.PyName(n.Field("function"))
	}
	return name == "element_size" || name == "itemsize"
}

// made is the name of the descriptor that a function makes without values, and the only
// one that it makes; else empty.
func made(fn syntax.Node) string {
	name := ""
	for _, a := range fn.Find("assignment") {
		v := a.Field("right")
		if !v.Is("call") || syntax.PyName(v.Field("function")) != "new" {
			continue
		}
		if name != "" || !a.Field("left").Is("identifier") || len(v.Field("arguments").NamedChildren()) != 1 {
			return ""
		}
		name = a.Field("left").Text()
	}
	return name
}

// copied is the attribute that an expression has the value of and nothing else, and
// which axis of it: `shape` and `i` of int(t.shape[i]).
func copied(n syntax.Node) (attribute, axis string) {
	for {
		args := n.Field("arguments").NamedChildren()
		switch fn := n.Field("function"); {
		case n.Is("parenthesized_expression"):
			n = n.NamedChild(0)
		case n.Is("call") && fn.Is("identifier") && len(args) == 1 && slices.Contains([]string{"int", "list", "tuple"}, fn.Text()):
			n = args[0]
		case n.Is("call") && fn.Is("attribute") && len(args) <= 1:
			return fn.Field("attribute").Text(), n.Field("arguments").NamedChild(0).Squeeze()
		case n.Is("subscript"):
			axis, n = index(n), n.Field("value")
			if n.Is("call") && len(n.Field("arguments").NamedChildren()) == 0 {
				n = n.Field("function")
			}
			if !n.Is("attribute") {
				return "", ""
			}
			return n.Field("attribute").Text(), axis
		case n.Is("attribute"):
			return n.Field("attribute").Text(), ""
		default:
			return "", ""
		}
	}
}

// index is what a subscript has in its brackets, else empty.
func index(n syntax.Node) string {
	if subscripts := n.Fields("subscript"); n.Is("subscript") && len(subscripts) == 1 {
		return subscripts[0].Squeeze()
	}
	return ""
}

// handedOn reports whether a name is used in another way than to set its fields and to
// return it.
func handedOn(fn syntax.Node, name string) bool {
	return slices.ContainsFunc(fn.Field("body").Find("identifier"), func(id syntax.Node) bool {
		if id.Text() != name {
			return false
		}
		switch p := id.Parent(); p.Kind() {
		case "return_statement":
			return false
		case "assignment":
			return p.Field("left") != id
		case "attribute":
			set, at := p, p.Parent()
			for at.Is("subscript") && at.Field("value") == set {
				set, at = at, at.Parent()
			}
			return p.Field("object") == id && (!at.Is("assignment") || at.Field("left") != set)
		}
		return true
	})
}
