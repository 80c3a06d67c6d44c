package rules_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/dsl"
	"github.com/tilegate/tilegate/checks/review"
	"github.com/tilegate/tilegate/checks/rules"
	"github.com/tilegate/tilegate/checks/rules/all"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

var update = flag.Bool("update", false, "write testdata/foreign.json and docs/false-alarms.md")

// foreign lists public code that uses the kernel language, none of it in
// TileGym's layout. Cutile is what its manifests ask for; wrongBefore of before
// findings were false before the rules were corrected after this judgement.
var foreign = []struct {
	name, what, cutile  string
	wrongBefore, before int
}{
	{"cutile-rs-0.2.0", "NVlabs/cutile-rs at the tag v0.2.0: library, kernels, examples, benchmarks, tests", `"=0.2.0"`, 1, 63},
	{"cutile-rs-0.3.0", "the same at the tag v0.3.0, `0839fe4`", `"=0.3.0"`, 1, 77},
	{"cutile-0.5.0", "the crates cutile, cutile-compiler and cutile-macro 0.5.0, with their tests and examples", `"=0.5.0"`, 10, 74},
	{"singe-kernel", "the crate singe-kernel 0.1.0-alpha.4", `"0.2.0"`, 8, 896},
	{"mistral.rs", "mistral.rs at `9e92262`: its crate mistralrs-quant", `"=0.1.0"`, 0, 4},
	{"orda-cutile-rs", "orda-cutile-rs at `d4128e7`", `"0.2.0"`, 0, 7},
	{"nemotron-cutile-rs", "nemotron-cutile-rs at `8d4d4e2`", `{ git = "https://github.com/NVlabs/cutile-rs.git" }`, 4, 8},
	{"ticit", "ticit at `9928b54`", `"0.2.0"`, 0, 27},
	{"LatentPagedAttention-rs", "LatentPagedAttention-rs at `d829f28`", `"=0.2.0"`, 0, 5},
	{"zealot", "zealot at `ab42c46`", `{ path = "../cutile-rs/cutile" }`, 0, 0},
}

// conventions are rules about what TileGym puts where. They say nothing about
// how a kernel is written, and code from elsewhere has other conventions.
var conventions = map[string]string{
	"R16": "entries are generic in the data type",
	"R17": "kernel.rs holds device code only, no tests and no launches",
	"R43": "outputs are no `&mut Tensor`, because TileGym's grids are not the partition's",
	"T7":  "kernels and wrappers do not touch timing",
}

// The judgements of a finding.
const (
	holds    = "true"     // the compiler or the assembler rejects the code, or the code is what the finding says and that is wrong
	arguable = "arguable" // the code is what the finding says and the rulebook forbids it, but it compiles and works
	wrong    = "false"    // what the finding says is not so
)

// judged is how the findings of each kind were judged by hand, every place
// looked at. Forms were compiled with cutile 0.2.0, 0.3.0 and, where it is the
// version asked for, 0.5.0, and assembled with tileiras 13.4 or 13.5, without a
// GPU. The first entry whose rule and text fit counts.
var judged = []struct{ rule, text, verdict, why string }{
	{"R1", "is the receiver of", holds, "`iota`, `permute`, `convert_tile` under a rank change, and `scalar_to_tile` under one that is an argument, are not inferred: Rust or the kernel compiler stops"},
	{"R1", "changes of rank", holds, "the kernel compiler stops: \"return type is missing a compiled tile type\""},
	{"R2", "is a constant behind a path", holds, "the kernel compiler stops: \"Unexpected dense value\""},
	{"R2", "is no constant that", holds, "the kernel compiler stops: \"Constant not supported\""},
	{"R2", "has an exponent", arguable, "it compiles and gives the right value; the rulebook asks for plain decimals"},
	{"R2", "compiles in `constant(..)`", arguable, "the finding says itself that it compiles"},
	{"R3", "", arguable, "it compiles, as the note says"},
	{"R4", "called on", holds, "Rust stops with E0282"},
	{"R4", "has no type annotation", arguable, "the type is missing, but the kernel compiler finds it in the result of the helper that the value is returned from, and all eleven entries compile and assemble; without such a place it stops: \"Unable to infer return type\""},
	{"R5", "harmless", holds, "the annotation is wrong; as the finding says, only a use other than `reshape` fails"},
	{"R5", "", holds, "the kernel compiler or the assembler rejects the use that follows"},
	{"R9", "", arguable, "right for 0.2.0 and 0.3.0, where the assembler counts too many operands; 0.5.0 drops the static entries, and under that pin it is a note that says so"},
	{"R12", "entries take", arguable, "right for 0.2.0 and 0.3.0: \"Pointers must be * mut\"; 0.5.0 accepts them, and under that pin it is a note that says so"},
	{"R12", "has no argument list", arguable, "right for 0.2.0; 0.3.0 accepts it, and under that pin it is a note that says so"},
	{"R14", "F::NAME", arguable, "0.5.0 takes the constant of a type as the name of a foreign function; the note says what it is known for"},
	{"R14", "", holds, "the kernel compiler stops: \"associated const values are not supported in expression position\""},
	{"R18", "", holds, "the kernel compiler stops: \"Unexpected dense value\" or \"Unsupported expression\""},
	{"R20", "num_worker_warps_per_cta", arguable, "new in 0.3.0, where it is a note that says that 0.2.0 does not know it"},
	{"R20", "min_ctas_per_sm", arguable, "new after 0.3.0; a note that says that 0.2.0 does not know it"},
	{"R21", "", arguable, "a promise about a size, right where every caller keeps it; the rulebook allows it for pointers only"},
	{"R22", "", arguable, "0.2.0 carries the value through a missing `else`; the rulebook asks for it"},
	{"R25", "", arguable, "0.2.0 takes an `if` with a tile as value; the rulebook asks for a statement"},
	{"R26", "", arguable, "another version with other signatures, so it is a note that says what it is known for"},
	{"R46", "asks for `=0.5.0`", arguable, "0.5.0 writes the signedness out, and under that pin it is a note that says so"},
	{"R46", "itof", holds, "the bytecode writer stops: \"missing attribute 'signedness'\""},
}

// census is what one source holds and what was found in it.
type census struct {
	Files   int            `json:"files"`   // with a kernel module
	Modules int            `json:"modules"` // kernel modules
	Funcs   int            `json:"functions"`
	Unread  []string       `json:"unread"`   // files that could not be parsed, each with the reason
	Found   map[string]int `json:"findings"` // by rule, severity and judgement
	Outside map[string]int `json:"conventions"`
}

// foreignFiles lists the Rust files below a folder that name the macro of
// kernel modules.
func foreignFiles(t *testing.T, dir string) map[string][]byte {
	out := map[string][]byte{}
	require.NoError(t, filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || filepath.Ext(p) != ".rs" {
			return err
		}
		src, err := os.ReadFile(p)
		if rel, relErr := filepath.Rel(dir, p); err == nil && bytes.Contains(src, []byte("cutile::module")) {
			require.NoError(t, relErr)
			out[filepath.ToSlash(rel)] = src
		}
		return err
	}))
	return out
}

// reviewForeign reviews one file as the kernel.rs of a checkout that has
// nothing else than a manifest.
func reviewForeign(t *testing.T, src []byte, cutile string) ([]review.Finding, []review.Unread) {
	const at = tree.OpsRoot + "/foreign_kernel/kernel.rs"
	r, err := review.Run(context.Background(), review.Options{Rules: all.Rules, Head: fstest.MapFS{
		at: {Data: src}, tree.OpsRoot + "/cutile_kernels/Cargo.toml": {Data: []byte("[dependencies]\ncutile = " + cutile + "\n")},
	}})
	require.NoError(t, err)
	return slices.DeleteFunc(r.Findings, func(f review.Finding) bool { return f.Path != at }), r.Summary.Unread
}

// TestForeignKernels runs all rules over the kernels of other projects: nothing
// crashes, every file is either read or listed, every finding has a judgement,
// and the counts are those that docs/false-alarms.md gives.
func TestForeignKernels(t *testing.T) {
	dir := os.Getenv("CUTILE_DIRS")
	if dir == "" {
		t.Skip("CUTILE_DIRS is not set; it names a folder with checkouts of the projects of docs/false-alarms.md, under the names there")
	}
	recorded := readForeign(t)
	seen := 0
	for _, s := range foreign {
		root := filepath.Join(dir, s.name)
		if _, err := os.Stat(root); err != nil {
			t.Logf("%s is not there", s.name)
			continue
		}
		seen++
		t.Run(s.name, func(t *testing.T) {
			c := census{Unread: []string{}, Found: map[string]int{}, Outside: map[string]int{}}
			for name, src := range foreignFiles(t, root) {
				modules := dsl.Parse(syntax.Parse(name, syntax.Rust, src))
				findings, unread := reviewForeign(t, src, s.cutile)
				for _, u := range unread {
					c.Unread = append(c.Unread, name+": "+u.Why)
				}
				if len(modules) == 0 && len(unread) == 0 {
					continue // names the macro in a comment or defines it
				}
				c.Files++
				c.Modules += len(modules)
				for _, m := range modules {
					c.Funcs += len(m.Funcs)
				}
				for _, f := range findings {
					if conventions[f.Rule] != "" {
						c.Outside[f.Rule]++
						continue
					}
					i := slices.IndexFunc(judged, func(j struct{ rule, text, verdict, why string }) bool {
						return j.rule == f.Rule && strings.Contains(f.Message, j.text)
					})
					if assert.GreaterOrEqual(t, i, 0, "%s:%d: not judged: %s %s: %s", name, f.Line, f.Severity, f.Rule, f.Message) {
						c.Found[fmt.Sprintf("%s %s %s", f.Rule, f.Severity, judged[i].verdict)]++
						assert.NotEqual(t, wrong, judged[i].verdict, "%s:%d: a false alarm: %s", name, f.Line, f.Message)
					}
				}
			}
			slices.Sort(c.Unread)
			if *update {
				recorded[s.name] = c
			}
			assert.Equal(t, recorded[s.name], c)
		})
	}
	require.Positive(t, seen, "CUTILE_DIRS has none of the projects")
	if *update {
		text, err := json.MarshalIndent(recorded, "", "  ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(foreignJSON, append(text, '\n'), 0o644))
	}
}

const foreignJSON = "testdata/foreign.json"

func readForeign(t *testing.T) map[string]census {
	out := map[string]census{}
	text, err := os.ReadFile(foreignJSON)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if !*update {
		require.NoError(t, err)
	}
	return out
}

// corrected is what the same sources gave before the rules were corrected after
// this judgement, and what was done.
var corrected = []struct{ what, places, done string }{
	{"R1 warned of one annotated step on `pointer_to_tile(..)`, which compiles", "1 in each of cutile-rs 0.2.0 and 0.3.0, and in its main, which was a source then", "one step under an annotation is left alone"},
	{"R2 noted that `f32::MIN_POSITIVE` compiles in `constant(..)`; it does not", "8 in singe-kernel", "an error for every constant but `ZERO`, `ONE`, `INFINITY`, `NEG_INFINITY` and `E`; R14 says the same of integers"},
	{"R26 reported signatures of 0.2.0 as errors in a crate that takes cutile from git", "4 in nemotron-cutile-rs", "such a dependency is no pin, so the findings are notes that say so"},
	{"R18 advised `broadcast_scalar(f16::from_f32(..), ..)`, which does not compile either (the findings were right)", "21 in singe-kernel", "it advises a literal"},
	{"R9 reported the static entries of a full list of `dims` as an error in a crate that asks for 0.5.0, which drops them", "7 in cutile-0.5.0", "a note where the crate asks for another version than 0.2.0; a list that is not full stays an error"},
	{"R12 reported entries that take `*const` as errors in a crate that asks for 0.5.0, which accepts them", "2 in cutile-0.5.0", "a note where the crate asks for another version than 0.2.0"},
	{"R46 warned of `itof(..)` in a crate that asks for 0.5.0, which writes the signedness out", "1 in cutile-0.5.0", "a note where the crate asks for another version than 0.2.0"},
}

// TestForeignPage keeps docs/false-alarms.md equal to what was recorded.
func TestForeignPage(t *testing.T) {
	recorded := readForeign(t)
	var b strings.Builder
	b.WriteString(`# What the review says of other people's kernels

Generated by ` + "`go test ./checks/rules -run Foreign -update`" + `; do not edit. The rules were written for TileGym. Here they ran over all public
code in the kernel language that could be found, to see what they say where nothing was written to please them.

Each Rust file with a kernel module was reviewed as the ` + "`kernel.rs`" + ` of a checkout, with a manifest that asks for cutile as its own does;
what a rule knows of one version only is a note under another. The findings were judged by hand, places of one form together. To do it again, put the sources
into one folder under the names below and run ` + "`CUTILE_DIRS=that-folder go test ./checks/rules -run Foreign -v`" + `.

## Sources

| name | what | asks for cutile | files | modules | functions | could not be parsed |
|---|---|---|---|---|---|---|
`)
	for _, s := range foreign {
		c, ok := recorded[s.name]
		require.True(t, ok, s.name)
		unread := "0"
		if n := len(c.Unread); n > 0 {
			unread = fmt.Sprintf("%d: %s", n, strings.Join(c.Unread, "; "))
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` | %d | %d | %d | %s |\n", s.name, s.what, s.cutile, c.Files, c.Modules, c.Funcs, unread)
	}
	b.WriteString("\nNothing crashed. mistral.rs and nemotron-cutile-rs use versions before 0.2.0.\n\n## Findings\n\n")
	b.WriteString("*True*: the compiler or the assembler rejects the code, or the code is wrong as the finding says. *Arguable*: the code is what the finding says and the rulebook forbids it, but it compiles and works. *False*: what the finding says is not so.\n\n")
	b.WriteString("| name | errors | warnings | notes | true | arguable | false | false-alarm rate | before |\n|---|---|---|---|---|---|---|---|---|\n")
	sums := map[string]int{}
	for _, s := range foreign {
		count := map[string]int{}
		for key, n := range recorded[s.name].Found {
			for _, word := range strings.Fields(key)[1:] {
				count[word] += n
			}
			sums[key] += n
		}
		all := count[holds] + count[arguable] + count[wrong]
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %s | %s |\n", s.name, count["error"], count["warning"], count["note"], count[holds], count[arguable], count[wrong], rate(count[wrong], all), rate(s.wrongBefore, s.before))
	}
	b.WriteString("\nBy rule, all sources together (the three of cutile share most of their files):\n\n| rule | severity | findings | judgement |\n|---|---|---|---|\n")
	for _, key := range slices.SortedFunc(maps.Keys(sums), byRule) {
		f := strings.Fields(key)
		fmt.Fprintf(&b, "| [%s](rules/%s.md) | %s | %d | %s |\n", f[0], f[0], f[1], sums[key], f[2])
	}
	b.WriteString("\n## Why\n\nThe forms were compiled with cutile 0.2.0 and 0.3.0 and assembled with tileiras 13.4 or 13.5 for sm_120, without a GPU; those of R4, R9, R12, R14, R18 and R46 with 0.5.0, too. 0.2.0 and 0.3.0 agree on all of them but the bare entry attribute.\n\n| rule | finding | judgement | why |\n|---|---|---|---|\n")
	for _, j := range judged {
		fmt.Fprintf(&b, "| [%s](rules/%s.md) | %s | %s | %s |\n", j.rule, j.rule, cmp.Or(j.text, "all"), j.verdict, j.why)
	}
	b.WriteString("\n## False alarms that were found and corrected\n\n| what | where | what was done |\n|---|---|---|\n")
	for _, x := range corrected {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", x.what, x.places, x.done)
	}
	b.WriteString("\n## Not counted\n\nConventions of TileGym, which code from elsewhere does not follow and need not:\n\n| rule | what | findings |\n|---|---|---|\n")
	for _, id := range slices.Sorted(maps.Keys(conventions)) {
		n := 0
		for _, s := range foreign {
			n += recorded[s.name].Outside[id]
		}
		fmt.Fprintf(&b, "| [%s](rules/%s.md) | %s | %d |\n", id, id, conventions[id], n)
	}
	const page = "../../docs/false-alarms.md"
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(b.String()), 0o644))
	}
	got, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Equal(t, b.String(), string(got), "stale: run go test ./checks/rules -run Foreign -update")
}

func rate(n, of int) string {
	if of == 0 {
		return "no finding"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
}

// byRule orders keys of findings by rule, then as text.
func byRule(a, b string) int {
	return cmp.Or(rules.Compare(strings.Fields(a)[0], strings.Fields(b)[0]), strings.Compare(a, b))
}
