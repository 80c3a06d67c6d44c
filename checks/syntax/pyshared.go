package syntax

// pyScope is a scope of names.
type pyScope struct {
	outer    int
	function bool
	used     map[string]bool // by statements before
	holds    map[string]bool // anywhere, in comprehensions too
	said     map[string]string
}

// sharedContext is what holds around a node.
type sharedContext struct {
	scope int
	apart bool // in a comprehension or a type, whose names are none of the scope's
}

// forbidShared checks what global and nonlocal say of names: few files have them.
func forbidShared(f *File, found *faults) {
	scopes := []pyScope{{outer: -1, used: map[string]bool{}, holds: map[string]bool{}, said: map[string]string{}}}
	var around around[sharedContext]
	around.push(0, sharedContext{})
	type claim struct {
		name  Node
		scope int
	}
	var claims []claim
	for i := int32(1); i < int32(len(f.nodes)); i++ {
		raw := &f.nodes[i]
		at := *around.enter(raw.parent)
		n := Node{f, i}
		in := &scopes[at.scope]
		parent := n.Parent()
		switch n.Kind() {
		case "identifier":
			text := n.Text()
			in.holds[text] = true
			field := f.g.fields[raw.field]
			if !at.apart && !parent.Is("global_statement", "nonlocal_statement", "dotted_name") && field != "attribute" && (field != "name" || !parent.Is("keyword_argument")) {
				in.used[text] = true
			}
			if parent.Is("global_statement", "nonlocal_statement") {
				word := "global"
				if parent.Is("nonlocal_statement") {
					word = "nonlocal"
					claims = append(claims, claim{n, at.scope})
				}
				switch other := in.said[text]; {
				case in.used[text]:
					found.add(n.Span().Start, "`%s` is used before it is declared %s", text, word)
				case other != "" && other != word:
					found.add(n.Span().Start, "`%s` is %s and %s", text, other, word)
				}
				in.said[text] = word
			}
		case "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression", "type", "type_parameter":
			at.apart = true
		case "lambda":
			scopes = append(scopes, pyScope{outer: at.scope, function: true, used: map[string]bool{}, holds: map[string]bool{}, said: map[string]string{}})
			at = sharedContext{scope: len(scopes) - 1}
		case "block":
			if !parent.Is("function_definition", "class_definition") {
				break
			}
			scopes = append(scopes, pyScope{outer: at.scope, function: parent.Is("function_definition"), used: map[string]bool{}, holds: map[string]bool{}, said: map[string]string{}})
			at = sharedContext{scope: len(scopes) - 1}
			own := &scopes[at.scope]
			for c := range parent.Field("parameters").Children() {
				name := c
				if c.Is("typed_parameter") {
					name = c.NamedChild(0)
				}
				switch name.Kind() {
				case "default_parameter", "typed_default_parameter":
					name = name.Field("name")
				case "list_splat_pattern", "dictionary_splat_pattern":
					name = name.NamedChild(0)
				}
				if name.Is("identifier") {
					own.used[name.Text()], own.holds[name.Text()] = true, true
				}
			}
		}
		if raw.flags&inner != 0 {
			around.push(i, at)
		}
	}
	for _, c := range claims {
		bound := c.name.Text() == "__class__"
		for s := scopes[c.scope].outer; s >= 0 && !bound; s = scopes[s].outer {
			bound = scopes[s].function && scopes[s].holds[c.name.Text()]
		}
		if !bound {
			found.add(c.name.Span().Start, "no function around has a `%s` for `nonlocal`", c.name.Text())
		}
	}
}
