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
			sizes, strides := asks(a.Field("right"), "shape", "size"), asks(a.Field("right"), "stride")
			switch {
			case field == "strides" && sizes && !strides:
				p.Reportf(a, rules.Error, "packed", "`%s` gives the kernel a size of the tensor as a stride; expected `stride(i)`", rules.Short(a))
			case field == "shape" && strides && !sizes:
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

// asks reports whether an expression names one of some attributes.
func asks(n syntax.Node, names ...string) bool {
	found := false
	n.Inspect(func(c syntax.Node) bool {
		found = found || c.Is("attribute") && slices.Contains(names, c.Field("attribute").Text())
		return !found
	})
	return found
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
			at := p.Parent()
			for at.Is("subscript") {
				at = at.Parent()
			}
			return p.Field("object") == id && !at.Is("assignment")
		}
		return true
	})
}
