package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/tilegate/tilegate/checks/words"
)

// decoder lays what a file says over values that hold the defaults. It goes on
// after a fault: whoever mends a file wants to see all of them.
type decoder struct {
	file  string
	found Problems
	lines map[string]int  // of the fields that the file has, by their paths
	unfit map[string]bool // paths whose values are not what the field holds
}

// page documents every field.
const page = "docs/configuration.md"

// bad notes a fault of the field at a path.
func (d *decoder) bad(line int, at, expected, found string) {
	if at != "" {
		at += ": "
	}
	d.found = append(d.found, Problem{d.file, line, fmt.Sprintf("%sexpected %s, found %s", at, expected, found)})
}

// line is where a field stands; where the nearest one around it does when the
// file left it out.
func (d *decoder) line(at string) int {
	for ; at != ""; at = around(at) {
		if line, ok := d.lines[at]; ok {
			return line
		}
	}
	return 0
}

// isUnfit reports whether a value, or one around it, was no value of its field.
func (d *decoder) isUnfit(at string) bool {
	for ; at != ""; at = around(at) {
		if d.unfit[at] {
			return true
		}
	}
	return d.unfit[""]
}

// around is the path of what a field is part of.
func around(at string) string { return at[:max(0, strings.LastIndexAny(at, ".["))] }

// value reads a node into the value at a path. A field without a value keeps its
// default, and so does one whose value does not fit.
func (d *decoder) value(n ast.Node, into reflect.Value, at string) {
	line := lineOf(n)
	d.lines[at] = line
	if n == nil || n.Type() == ast.NullType {
		return
	}
	fits := true
	switch text, plain := scalar(n); {
	case into.Type() == reflect.TypeFor[time.Duration]():
		length, err := time.ParseDuration(text)
		if fits = plain && err == nil; fits {
			into.SetInt(int64(length))
		}
	case into.Kind() == reflect.String:
		if fits = plain; fits {
			into.SetString(text)
		}
	case into.Kind() == reflect.Bool:
		if b, ok := n.(*ast.BoolNode); ok {
			into.SetBool(b.Value)
			return
		}
		fits = false
	case into.Kind() == reflect.Int:
		whole, ok := integer(n, text)
		if fits = ok; fits {
			into.SetInt(whole)
		}
	case into.Kind() == reflect.Float64:
		f, ok := float(n, text)
		if fits = ok; fits {
			into.SetFloat(f)
		}
	case into.Kind() == reflect.Slice:
		list, ok := n.(*ast.SequenceNode)
		if fits = ok; fits {
			d.list(list, into, at)
		}
	default:
		fields, ok := mapping(n)
		switch fits = ok; {
		case !ok:
		case into.Kind() == reflect.Map:
			d.table(fields, into, at)
		default:
			d.fields(fields, into, at)
		}
	}
	if !fits {
		d.unfit[at] = true
		d.bad(line, at, wanted(into.Type()), given(n))
	}
}

// list reads the elements of a list, each over its own defaults.
func (d *decoder) list(n *ast.SequenceNode, into reflect.Value, at string) {
	list := reflect.MakeSlice(into.Type(), len(n.Values), len(n.Values))
	for i, one := range n.Values {
		if g, ok := list.Index(i).Addr().Interface().(*GPU); ok {
			g.Required = true
		}
		d.value(one, list.Index(i), fmt.Sprintf("%s[%d]", at, i))
	}
	into.Set(list)
}

// table reads keys that the file chooses, with texts.
func (d *decoder) table(fields []*ast.MappingValueNode, into reflect.Value, at string) {
	table := reflect.MakeMap(into.Type())
	for _, f := range fields {
		key := f.Key.GetToken().Value
		value := reflect.New(into.Type().Elem()).Elem()
		d.value(f.Value, value, at+"."+key)
		table.SetMapIndex(reflect.ValueOf(key), value)
	}
	into.Set(table)
}

// fields reads the fields of a struct.
func (d *decoder) fields(fields []*ast.MappingValueNode, into reflect.Value, at string) {
	prefix := at
	if prefix != "" {
		prefix += "."
	}
	for _, f := range fields {
		key, t := f.Key.GetToken().Value, into.Type()
		i := slices.Index(names(t), key)
		if i < 0 {
			found := "an unknown one"
			if meant := d.meant(key, prefix, t); meant != "" {
				found += "; did you mean " + meant + "?"
				// What is meant is there, so that it is not told as missing, too.
				d.unfit[meant] = true
			}
			d.bad(lineOf(f.Key), prefix+key, "one of the fields "+strings.Join(names(t), ", ")+" (see "+page+")", found)
			continue
		}
		d.value(f.Value, into.Field(i), prefix+key)
	}
}

// maxGuesses bounds the unknown fields for which the one that was meant is looked
// for.
const maxGuesses = 20

// meant asks for the field whose name a misspelt one is closest to: among its
// neighbours or, spelt right, elsewhere.
func (d *decoder) meant(key, prefix string, t reflect.Type) string {
	if len(d.found) >= maxGuesses {
		return ""
	}
	if name := words.Nearest(key, names(t)); name != "" {
		return prefix + name
	}
	paths := paths(reflect.TypeFor[Config](), "")
	if i := slices.IndexFunc(paths, func(p string) bool { return p[strings.LastIndexByte(p, '.')+1:] == key }); i >= 0 {
		return paths[i]
	}
	return ""
}

// names lists the fields of a struct as the file spells them.
func names(t reflect.Type) []string {
	all := make([]string, t.NumField())
	for i := range all {
		all[i] = t.Field(i).Tag.Get("yaml")
	}
	return all
}

// paths lists a struct's fields and those below them.
func paths(t reflect.Type, prefix string) (all []string) {
	for i, name := range names(t) {
		all = append(all, prefix+name)
		switch f := t.Field(i).Type; {
		case f.Kind() == reflect.Struct:
			all = append(all, paths(f, prefix+name+".")...)
		case f.Kind() == reflect.Slice && f.Elem().Kind() == reflect.Struct:
			all = append(all, paths(f.Elem(), prefix+name+"[].")...)
		}
	}
	return all
}

func lineOf(n ast.Node) int {
	var t *token.Token
	if n != nil {
		t = n.GetToken()
	}
	if t == nil || t.Position == nil {
		return 0
	}
	return t.Position.Line
}

// mapping is a node's fields, in the order of the file.
func mapping(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch x := n.(type) {
	case *ast.MappingNode:
		return x.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{x}, true
	}
	return nil, false
}

// scalar is the text of a node that is neither a list nor fields, as it is
// written.
func scalar(n ast.Node) (string, bool) {
	switch x := n.(type) {
	case *ast.StringNode:
		return x.Value, true
	case *ast.LiteralNode:
		return x.Value.Value, true
	case ast.ScalarNode:
		return x.GetToken().Value, true
	}
	return "", false
}

// integer is a whole number; one in quotes will do.
func integer(n ast.Node, text string) (int64, bool) {
	switch x := n.(type) {
	case *ast.IntegerNode:
		switch v := x.Value.(type) {
		case int64:
			return v, true
		case uint64:
			return int64(v), v <= math.MaxInt64
		}
	case *ast.StringNode:
		v, err := strconv.ParseInt(text, 10, 64)
		return v, err == nil
	}
	return 0, false
}

// float is a number; one in quotes will do.
func float(n ast.Node, text string) (float64, bool) {
	switch x := n.(type) {
	case *ast.IntegerNode:
		switch v := x.Value.(type) {
		case int64:
			return float64(v), true
		case uint64:
			return float64(v), true
		}
	case *ast.FloatNode:
		return x.Value, true
	case *ast.InfinityNode:
		return x.Value, true
	case *ast.NanNode:
		return math.NaN(), true
	case *ast.StringNode:
		v, err := strconv.ParseFloat(text, 64)
		return v, err == nil
	}
	return 0, false
}

// wanted names what a field holds in words of the file.
func wanted(t reflect.Type) string {
	if t == reflect.TypeFor[time.Duration]() {
		return "a duration such as 2h or 90m"
	}
	switch t.Kind() {
	case reflect.Float64:
		return "a number"
	case reflect.Int:
		return "a whole number"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text"
	case reflect.Slice:
		return "a list"
	}
	return "fields with values"
}

// given names what stands in the file instead.
func given(n ast.Node) string {
	if _, ok := mapping(n); ok {
		return "fields with values"
	}
	if _, ok := n.(*ast.SequenceNode); ok {
		return "a list"
	}
	text, _ := scalar(n)
	if n.Type() == ast.StringType || n.Type() == ast.LiteralType {
		return strconv.Quote(text)
	}
	return text
}
