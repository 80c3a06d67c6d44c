package reference_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/rules/ruletest"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// maxAsked bounds the nodes of a file that are asked everything.
const maxAsked = 200

// FuzzParse: whatever a reference op is, all questions about it end and are
// answered with nodes of the file.
func FuzzParse(f *testing.F) {
	f.Add([]byte(source))
	f.Add(ruletest.Base()[tree.ReferenceRoot+"/demo.py"].Data)
	f.Add([]byte("import cuda.tile as ct\nA = B\nB = A\ndef configs():\n  for i in [1, 2]:\n    yield ns(TILE=i, x=[a for a in (1, 2)])\n  return [*c, {**d}]\n@ct.kernel(**k)\ndef f(x, *a, TILE: ct.Constant[int] = A):\n  while True: x = x if x else ct.load(x, *a, **b)\n"))
	for _, s := range slices.Concat(hostile.Python, hostile.Any) {
		f.Add([]byte(s.Text(300)))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file := syntax.Parse("a.py", syntax.Python, src)
		if file.Unread != "" {
			return
		}
		hostile.Ends(t, len(src), func() {
			m := reference.Parse(file)
			m.Has("load", "store")
			m.HostCopies()
			for _, k := range m.Kernels {
				m.KernelHas(k, "load")
				m.Persistent(k)
				for _, p := range k.Params {
					p.Constant()
				}
			}
			for _, c := range m.Calls("load", "store", "astype") {
				require.Equal(t, file, c.Node.File())
				c.Hidden()
				a := c.Arg("shape", 1)
				require.True(t, !a.Valid() || a.File() == file)
			}
			for _, set := range reference.Configs(host.ParseWrapper(file)) {
				require.NotNil(t, set)
			}
			asked := 0
			file.Root().Inspect(func(n syntax.Node) bool {
				if asked++; asked > maxAsked {
					return false
				}
				require.Equal(t, m.Name(n), m.Name(n))
				m.Type(n)
				m.Int(n)
				m.Kernel(n)
				m.Reached(n)
				for _, v := range m.Values(n.Text()) {
					require.Equal(t, file, v.File())
				}
				return true
			})
		})
	})
}

// FuzzAnalysis: an analysis.json is an object or nothing, whatever it holds.
func FuzzAnalysis(f *testing.F) {
	f.Add([]byte(`{"kernel_variants":[{"name":"v"}],"uses_tma":true,"a":{"b":[{"uses_tma":false}]}}`))
	for _, s := range slices.Concat(hostile.JSON, hostile.Any) {
		f.Add([]byte(s.Text(200)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		hostile.Ends(t, len(data), func() {
			a := reference.ParseAnalysis("a.json", data)
			if a == nil {
				return
			}
			all := a.Values(func(string) bool { return true })
			require.Empty(t, a.Values(func(string) bool { return false }))
			require.False(t, a.Says("uses_tma", "tma") && len(all) == 0)
		})
	})
}

// FuzzArtifacts: whatever the pipeline left of a kernel, its lines and places lie
// in their files.
func FuzzArtifacts(f *testing.F) {
	f.Add("VERDICT: PASS\n```sh\n$ validate x\nok\n```\n~~~\nB-only\n", "cuda_tile.module @m {\n entry @demo_entry() { return }\n}\n")
	f.Add("```\n```\n$\nVERDICT: **DONE**", "module {")
	for _, s := range slices.Concat(hostile.IR, hostile.Any) {
		f.Add(s.Text(200), s.Text(200))
	}
	f.Fuzz(func(t *testing.T, report, dump string) {
		files := ruletest.Base()
		dir := tree.OpsRoot + "/demo_kernel/"
		files[dir+"reports/agent_a.md"] = &fstest.MapFile{Data: []byte(report)}
		files[dir+"reports/perf.md"] = &fstest.MapFile{Data: []byte(report)}
		files[dir+"generated/generated.mlir"] = &fstest.MapFile{Data: []byte(dump)}
		hostile.Ends(t, len(report)+len(dump), func() {
			tr, err := tree.Load(files, nil)
			require.NoError(t, err)
			k := tr.Kernel("demo")
			for _, r := range append(reference.Reports(tr, k), reference.StageReport(tr, k, "a")) {
				if r == nil {
					continue
				}
				require.Len(t, r.Lines, r.File.LineCount())
				for _, l := range r.Lines {
					require.Equal(t, l.Text, string(r.File.Src[l.Span.Start:l.Span.End]))
				}
				require.Equal(t, r.Succeeded() && r.Verdict == "", false)
				for _, run := range r.Runs("validate") {
					require.Contains(t, run.Command.Text, "validate")
				}
			}
			if d := reference.ReadDump(tr, dir+"generated/generated.mlir"); d != nil {
				for _, e := range d.Entries {
					require.True(t, 1 <= e.Line && e.Line <= d.File.LineCount())
					require.True(t, syntax.Span{Start: 0, End: len(d.File.Src)}.Contains(d.At(e.Line)))
				}
			}
		})
	})
}
