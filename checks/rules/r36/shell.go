package r36

import (
	"maps"
	"slices"
	"strings"
)

// simple is one command of a shell script: its words without quotes, and the line of
// the script, from 0, on which it begins. The words ( and ) alone are the ends of a
// subshell.
type simple struct {
	words []string
	line  int
}

// before are words that may stand before a command.
var before = []string{"if", "then", "else", "elif", "while", "until", "do", "{", "!", "time", "sudo", "exec", "command", "env"}

// maxSubshells bounds the subshells inside each other that are followed.
const maxSubshells = 16

// maxName bounds the word that ends a here-document.
const maxName = 100

// simples lists the commands of a shell script. Comments and what a here-document
// holds are none.
func simples(script string) []simple {
	var out []simple
	var words []string
	var word strings.Builder
	begun, line, first := false, 0, 0
	flush := func() {
		if begun {
			if len(words) == 0 {
				first = line
			}
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	end := func() {
		flush()
		for len(words) > 0 && slices.Contains(before, words[0]) {
			words = words[1:]
		}
		if len(words) > 0 {
			out = append(out, simple{words, first})
		}
		words = nil
	}
	document := "" // the word that ends the here-document
	for i := 0; i < len(script); i++ {
		switch c := script[i]; {
		case c == '\\' && i+1 < len(script):
			if i++; script[i] == '\n' {
				line++
			} else {
				begun = true
				word.WriteByte(script[i])
			}
		case c == '\'' || c == '"':
			stop := i + 1
			for stop < len(script) && script[stop] != c {
				if c == '"' && script[stop] == '\\' {
					stop++
				}
				stop++
			}
			text := script[i+1 : min(stop, len(script))]
			begun = true
			word.WriteString(text)
			line += strings.Count(text, "\n")
			i = stop
		case c == '#' && !begun:
			for i+1 < len(script) && script[i+1] != '\n' {
				i++
			}
		case c == '<' && strings.HasPrefix(script[i:], "<<") && !strings.HasPrefix(script[i:], "<<<"):
			name, _, _ := strings.Cut(script[i+2:min(i+maxName, len(script))], "\n")
			if fields := strings.Fields(strings.TrimPrefix(name, "-")); len(fields) > 0 {
				document = strings.Trim(fields[0], `'"`)
			}
			i++
		case c == '\n':
			end()
			line++
			for document != "" && i+1 < len(script) {
				text, _, _ := strings.Cut(script[i+1:], "\n")
				i += len(text) + 1
				line++
				if strings.TrimSpace(text) == document {
					document = ""
				}
			}
			document = ""
		case c == ' ' || c == '\t' || c == '\r':
			flush()
		case strings.IndexByte(";&|()", c) >= 0:
			end()
			if c == '(' || c == ')' {
				out = append(out, simple{[]string{string(c)}, line})
			}
		default:
			begun = true
			word.WriteByte(c)
		}
	}
	end()
	return out
}

// setting is the value of a variable and the line of the file that sets it.
type setting struct {
	value string
	line  int
}

// shell is what the scripts of a job have set: what one exports ends with it, and the
// default toolchain does not.
type shell struct {
	given    bool // RUSTUP_TOOLCHAIN is in the environment, from the workflow
	pinned   bool // a file chooses the toolchain, which goes before the default one
	standard int  // line of the command that makes nightly the default; 0 for none
}

// build is a command of Cargo that is about the cutile-rs crates, with the lines that
// make it need nightly.
type build struct{ toolchain, bootstrap, flags int }

// builds lists the builds of a script whose first line is one of the file and that
// begins in a folder of the crates, or not. What it leaves for later scripts is noted.
func (s *shell) builds(script string, first int, here bool) []build {
	var out []build
	exported := map[string]setting{}
	override, moved := 0, false
	var around []func() // of the subshells that are open: each takes back what it set
	for _, c := range simples(script) {
		at, words := first+c.line, c.words
		own := map[string]setting{}
		for len(words) > 0 && assign(own, words[0], at) {
			words = words[1:]
		}
		switch {
		case len(words) == 0: // what is exported stays so under a new value
			for name, v := range own {
				if _, ok := exported[name]; ok {
					exported[name] = v
				}
			}
		case words[0] == "(" && len(around) < maxSubshells:
			was, wasHere, wasMoved := maps.Clone(exported), here, moved
			around = append(around, func() { exported, here, moved = was, wasHere, wasMoved })
		case words[0] == ")" && len(around) > 0:
			around[len(around)-1]()
			around = around[:len(around)-1]
		}
		if len(words) < 2 {
			continue
		}
		switch words[0] {
		case "export":
			for _, w := range words[1:] {
				assign(exported, w, at)
			}
		case "unset":
			for _, w := range words[1:] {
				delete(exported, w)
			}
		case "cd", "pushd":
			here, moved = strings.Contains(words[1], concerns), true
		case "rustup":
			switch name := choice(words); {
			case words[1] == "default":
				s.standard = onlyIf(toolchain(name), at)
			case words[1] == "override":
				// It is one of the folder in which it is set, and of those below.
				if here || !moved {
					override = onlyIf(toolchain(name) && words[2] == "set", at)
				}
			}
		case "cargo":
			ours := here
			if manifest := option(words, "--manifest-path"); manifest != "" {
				ours = strings.Contains(manifest, concerns)
			}
			if !ours || !builder(words[1:]) {
				continue
			}
			value := func(name string) setting {
				if v, ok := own[name]; ok {
					return v
				}
				return exported[name]
			}
			var b build
			chosen := value(chooses)
			switch {
			case strings.HasPrefix(words[1], "+"):
			case chosen.value != "":
				b.toolchain = onlyIf(toolchain(chosen.value), chosen.line)
			case s.given:
			case override != 0:
				b.toolchain = override
			case !s.pinned:
				b.toolchain = s.standard
			}
			if v := value(bootstrap); !slices.Contains([]string{"", "0", "-1"}, v.value) {
				b.bootstrap = v.line
			}
			if v := value("RUSTFLAGS"); flags([]string{v.value}) {
				b.flags = v.line
			}
			out = append(out, b)
		}
	}
	return out
}

// assign notes the variable that a word sets, and reports whether it sets one.
func assign(to map[string]setting, word string, at int) bool {
	name, value, set := strings.Cut(word, "=")
	if !set || name == "" || strings.ToUpper(name) != name || strings.HasPrefix(name, "-") {
		return false
	}
	to[name] = setting{value, at}
	return true
}

func onlyIf(yes bool, line int) int {
	if yes {
		return line
	}
	return 0
}

// choice is the toolchain that rustup default or rustup override set names.
func choice(words []string) string {
	i := 2
	if words[1] == "override" {
		i = 3
	}
	for ; i < len(words); i++ {
		if !strings.HasPrefix(words[i], "-") {
			return words[i]
		}
	}
	return ""
}

// option is the value of an option among words.
func option(words []string, name string) string {
	for i, w := range words {
		if v, ok := strings.CutPrefix(w, name+"="); ok {
			return v
		}
		if w == name && i+1 < len(words) {
			return words[i+1]
		}
	}
	return ""
}

// builder reports whether Cargo builds a crate of the checkout with some words, and
// one that users get: not with a tool, and not from the registry.
func builder(words []string) bool {
	if strings.HasPrefix(words[0], "+") {
		words = words[1:]
	}
	if len(words) == 0 || slices.Contains(tools, words[0]) || strings.HasPrefix(words[0], "-") {
		return false
	}
	return words[0] != "install" || option(words, "--path") != ""
}
