package ir

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/untrusted"
)

//go:generate go test -run TestPageIsCurrent -update

var update = flag.Bool("update", false, "write docs/ir.md")

var parts = []struct {
	part Part
	says string
}{
	{Precheck, "Whether the texts can be compared at all."},
	{MustMatch, "What the checklist wants alike."},
	{MayDiffer, "What the checklist lets differ, since it means the same. Each is recognised in both spellings."},
	{Ignorable, "What the checklist ignores."},
	{Gaps, "What cutile-rs cannot express."},
	{Policy, "What else the analyst's classification and the comparison script of upstream weigh."},
	{Own, "What upstream does not name."},
}

func page(t *testing.T) string {
	var b strings.Builder
	b.WriteString(`# The comparison of IR

Generated from the list in ` + "`checks/ir`" + ` by ` + "`go generate ./checks/ir`" + `; do not edit.

` + "`tilegate ir diff REFERENCE GENERATED`" + ` compares two dumps of CUDA Tile IR line by line of this list, which decides every entry of
upstream's IR comparison checklist. Nothing outside of the list is compared: the operands of arithmetic and the addresses that an
access computes are not. A text that cannot be read as a whole module is BLOCKED, never alike.

| verdict | when | exit status |
|---|---|---|
| PASS | no difference, or noise only | 0 |
| PASS_WITH_NOTES | warnings, known gaps and equivalents | 0 |
| FAIL_FIXABLE | a critical difference | 1 |
| BLOCKED | a text is not CUDA Tile IR, is cut off or damaged | 3 |

Each difference names its place on both sides, file, line and entry (` + "`reference_at`, `generated_at`" + ` in JSON): the first operation on
which the sides differ. What one side lacks would stand behind the operation that it names. A side without a place has none, as a
missing entry.

Two dumps of one kernel under different names give PASS with one noise, ` + "`entry symbol`" + `, whose note says that the texts are the same
but for the names of the entries. That is the proof that an alias needs.

Two entries are paired by name when a module has several, where ` + "`OP__NAME`" + ` is an alias of ` + "`NAME`" + `. Hints are compared for the
architectures that both sides name. Values are looked through assumptions, conversions and shapes: a step that is assumed positive is
the same step. The checks on the kernel that ran and on its launch belong to a profile of the run, which a dump does not hold; see
` + "`tilegate perf compare`" + `.

Of the items, OP stands for the name of an operation and HINT for that of a hint. Each line has an example, a pair that differs and a pair that does not, in ` + "`checks/ir/testdata/list`" + `.
`)
	for _, p := range parts {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| item | kind | rules | what a difference means | example |\n|---|---|---|---|---|\n", strings.ToUpper(string(p.part[:1]))+string(p.part[1:]), p.says)
		for _, l := range Lines {
			if l.Part != p.part {
				continue
			}
			e := readExample(t, l)
			at := slices.IndexFunc(e.diff.Differences, func(d Difference) bool { return d.line == l })
			require.GreaterOrEqual(t, at, 0, l.ID)
			var rules []string
			for _, r := range l.Rules {
				rules = append(rules, fmt.Sprintf("[%s](rules/%s.md)", r, r))
			}
			item := l.Item
			switch {
			case strings.HasPrefix(l.ID, "hint-"):
				item = "HINT"
			case item != string(e.diff.Differences[at].Item):
				item = strings.TrimSpace("OP " + item)
			}
			covers := ""
			if l.Covers != "" {
				covers = " *" + l.Covers + "*"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s.%s | %s %s |\n", item, l.Kind, strings.Join(rules, ", "), capital(l.Note), covers, cell(e.says), cell(shown(e)))
		}
	}
	return b.String()
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// shown is the first place where an example's texts differ.
func shown(e example) string {
	ref, gen := strings.Split(e.reference, "\n"), strings.Split(e.generated, "\n")
	i := 0
	for i < min(len(ref), len(gen)) && ref[i] == gen[i] {
		i++
	}
	code := func(s string) string { return untrusted.Text(strings.TrimSpace(s)).Code() }
	switch {
	case i >= len(ref) || slices.Contains(gen[i:], ref[i]):
		return "Generated: " + code(window(gen[i], "")) + "."
	case i >= len(gen) || slices.Contains(ref[i:], gen[i]):
		return "Reference: " + code(window(ref[i], "")) + "."
	}
	return fmt.Sprintf("%s against %s.", code(window(ref[i], gen[i])), code(window(gen[i], ref[i])))
}

// window is the part of a line that differs from the other's, in whole words.
func window(s, other string) string {
	const longest = 60
	a := strings.Fields(s)
	if other != "" {
		b := strings.Fields(other)
		for len(a) > 2 && len(b) > 1 && a[0] == b[0] && a[1] == b[1] {
			a, b = a[1:], b[1:]
		}
		for len(a) > 1 && len(b) > 1 && a[len(a)-1] == b[len(b)-1] {
			a, b = a[:len(a)-1], b[:len(b)-1]
		}
	}
	out := strings.Join(a, " ")
	if len(out) > longest {
		out = out[:longest] + "..."
	}
	return out
}

func TestPageIsCurrent(t *testing.T) {
	const name = "../../docs/ir.md"
	want := page(t)
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(want), 0o644))
	}
	have, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.True(t, want == string(have), "%s is stale: run go generate ./checks/ir", name)
}

// Every entry of the checklist is decided by a line.
func TestChecklistIsCovered(t *testing.T) {
	for part, entries := range map[Part][]string{
		MustMatch: {"optimization hints", "stride", "accumulator", "conversion", "matrix product", "tokens", "step", "tile shapes", "padding", "rounding mode of maxf", "grid"},
		MayDiffer: {"division that rounds up", "mini", "get_index_space_shape", "remainder", "step through an assumed value"},
		Ignorable: {"constants", "blocks, grids and counters"},
		Gaps:      {"make_strided_view", "tensor_dim_factor", "debug information", "simt_num_warps_in_cta"},
	} {
		for _, entry := range entries {
			assert.True(t, slices.ContainsFunc(Lines, func(l *Line) bool { return l.Part == part && strings.Contains(l.Covers, entry) }), "%s: %s", part, entry)
		}
	}
	for _, l := range Lines {
		assert.True(t, slices.ContainsFunc(parts, func(p struct {
			part Part
			says string
		}) bool {
			return p.part == l.Part
		}), l.ID)
		assert.NotEmpty(t, l.Note, l.ID)
	}
}
