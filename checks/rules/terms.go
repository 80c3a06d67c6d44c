package rules

import (
	"fmt"
	"slices"
	"strings"
)

// term is a word of a rule's description and what it means to a reader.
type term struct{ word, means string }

// terms are the words that a field of a rule may hold.
type terms []term

func (t terms) has(word string) bool {
	return slices.ContainsFunc(t, func(x term) bool { return x.word == word })
}

// explain is a word with its meaning.
func (t terms) explain(word string) string {
	i := slices.IndexFunc(t, func(x term) bool { return x.word == word })
	return fmt.Sprintf("%s (%s)", word, t[i].means)
}

// list is the words with their meanings in one line of Markdown.
func (t terms) list() string {
	var all []string
	for _, x := range t {
		all = append(all, fmt.Sprintf("`%s` (%s)", x.word, x.means))
	}
	return strings.Join(all, ", ")
}

var (
	categories = terms{
		{"syntax", "what the compiler of the language accepts"},
		{"types", "shapes and element types"},
		{"memory", "pointers, strides and who owns a buffer"},
		{"performance", "what makes a kernel slow"},
		{"semantics", "what makes its values wrong"},
		{"process", "how a port is put together, tested and recorded"},
	}
	owners = terms{
		{"kernel", "the kernel's Rust source"},
		{"host", "the Rust export, the Python wrapper and their registration"},
		{"test", "the tests and their harness"},
		{"process", "analysis, reports and what else a port leaves behind"},
	}
	evidence = terms{
		{"syntax", "the syntax tree of one file"},
		{"cross-file", "several files together"},
		{"analysis", "what a port leaves on record: `analysis.json`, reports, logs, which files are there"},
		{"ir", "CUDA Tile IR"},
	}
	fixes = terms{
		{"safe", "`tilegate fix` writes it"},
		{"suggest", "the finding says what to write, an author has to decide"},
		{"none", "the finding says what is wrong; its page says what to use instead"},
	}
)
