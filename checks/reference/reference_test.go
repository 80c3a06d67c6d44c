package reference_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/host"
	"github.com/tilegate/tilegate/checks/hostile"
	"github.com/tilegate/tilegate/checks/reference"
	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

const source = `
import cuda.tile as ct
from cuda.tile import load as ld, Constant
from .helpers import plain

ConstInt = ct.Constant[int]
WAIT = 4


def cast(x):
    return ct.astype(x, ct.tfloat32)


@ct.kernel(occupancy=2, num_ctas=WAIT)
def _main(x, out, scale: float, n: int, TILE: ConstInt, FLAG: ct.Constant[bool] = False, W: Constant[int] = 3):
    a = ld(x, index=(0,), shape=(TILE,), latency=WAIT)
    b = cast(a).astype(ct.float32)
    ct.store(out, index=(0,), tile=b, allow_tma=False)


@ct.kernel
def _unused(x):
    ct.truediv(x, x)


def configs():
    yield SimpleNamespace(TILE=64, LATENCY=-1)
    yield {"TILE": 128, "LATENCY": 5}


@register_impl("demo", backend="cutile")
def demo(x):
    launch = lambda cfg: ct.launch(0, (1,), _main, (x,))
    return launch(next(configs()))
`

func TestParse(t *testing.T) {
	f := syntax.Parse("demo.py", syntax.Python, []byte(source))
	require.Empty(t, f.Unread)
	m := reference.Parse(f)
	require.True(t, m.Registered)
	require.Len(t, m.Kernels, 2)

	k := m.Kernels[0]
	assert.Equal(t, "_main", k.Name)
	assert.True(t, k.Reached)
	assert.False(t, m.Kernels[1].Reached)
	occupancy, ok := m.Int(k.Hints["occupancy"])
	assert.True(t, ok)
	assert.Equal(t, 2, occupancy)
	ctas, ok := m.Int(k.Hints["num_ctas"])
	assert.True(t, ok)
	assert.Equal(t, 4, ctas)

	types := map[string]string{}
	for _, p := range k.Params {
		types[p.Name] = p.Type
		assert.Equal(t, p.Name == "TILE" || p.Name == "FLAG" || p.Name == "W", p.Constant(), p.Name)
	}
	assert.Equal(t, map[string]string{
		"x": "", "out": "", "scale": "float", "n": "int",
		"TILE": "Constant[int]", "FLAG": "Constant[bool]", "W": "Constant[int]",
	}, types)

	require.Len(t, m.Calls("load"), 1)
	load := m.Calls("load")[0]
	assert.Equal(t, k, m.Kernel(load.Node))
	latency, ok := m.Int(load.Arg("latency", -1))
	assert.True(t, ok)
	assert.Equal(t, 4, latency)
	assert.False(t, load.Arg("allow_tma", -1).Valid())

	casts := m.Calls("astype")
	require.Len(t, casts, 2)
	assert.Equal(t, "x", casts[0].Arg("x", 0).Text())
	assert.Equal(t, "tfloat32", m.Name(casts[0].Arg("dtype", 1)))
	assert.True(t, casts[1].Method)
	assert.Equal(t, "float32", m.Name(casts[1].Arg("dtype", 1)))

	assert.True(t, m.Has("tfloat32"), "in a helper that the kernel calls")
	assert.False(t, m.Has("truediv"), "only in a kernel that nothing reaches")
	assert.True(t, m.KernelHas(k, "tfloat32"), "in a helper")
	assert.False(t, m.KernelHas(m.Kernels[1], "tfloat32"))
	assert.True(t, m.KernelHas(m.Kernels[1], "truediv"))
	var latencies []int
	for _, v := range m.Values("LATENCY") {
		i, ok := m.Int(v)
		require.True(t, ok)
		latencies = append(latencies, i)
	}
	assert.Equal(t, []int{-1, 5}, latencies)
}

func TestFileWithoutRegistrationReachesAll(t *testing.T) {
	f := syntax.Parse("demo.py", syntax.Python, []byte("from cuda import tile\n\n@tile.kernel\ndef k(x):\n    tile.exp2(x, flush_to_zero=True)\n"))
	m := reference.Parse(f)
	require.Len(t, m.Kernels, 1)
	assert.True(t, m.Kernels[0].Reached)
	assert.Len(t, m.Calls("exp2"), 1)
}

// TestUpstreamReferences holds what upstream's five reference ops say.
func TestUpstreamReferences(t *testing.T) {
	dir := os.Getenv("TILEGYM_DIR")
	if dir == "" {
		t.Skip("TILEGYM_DIR is not set; it names a checkout of NVIDIA/TileGym")
	}
	parse := func(name string) *reference.File {
		p := path.Join(tree.ReferenceRoot, name+".py")
		src, err := fs.ReadFile(os.DirFS(dir), p)
		require.NoError(t, err)
		return reference.Parse(syntax.Parse(p, syntax.Python, src))
	}
	tf32 := map[string]bool{"matmul": true}
	division := map[string]bool{"silu_and_mul": true, "attention_sink": true, "swiglu": true}
	for _, name := range []string{"matmul", "bmm", "silu_and_mul", "swiglu", "attention_sink"} {
		m := parse(name)
		assert.True(t, m.Registered, name)
		assert.NotEmpty(t, m.Kernels, name)
		assert.Equal(t, tf32[name], m.Has("tfloat32"), name)
		assert.Equal(t, division[name], m.Has("truediv"), name)
	}
	for _, name := range []string{"bmm", "matmul"} {
		persistent := map[bool]int{}
		m := parse(name)
		for _, k := range m.Kernels {
			persistent[m.Persistent(k)]++
		}
		assert.Equal(t, map[bool]int{true: 1, false: 1}, persistent, name)
	}
	latency := 0
	for _, c := range parse("bmm").Calls("load", "store") {
		if c.Arg("latency", -1).Valid() {
			latency++
		}
	}
	assert.Equal(t, 5, latency)
	hint := 0
	for _, k := range parse("attention_sink").Kernels {
		if v, ok := k.Hints["occupancy"]; ok && k.Reached {
			hint, _ = parse("attention_sink").Int(v)
		}
	}
	assert.Equal(t, 2, hint)
}

// What constants name is followed once, however often they name each other.
func TestConstantsOfConstantsAreBounded(t *testing.T) {
	var src strings.Builder
	src.WriteString("def last(x):\n    return x.clone()\nT0 = last\n")
	for i := range 8 {
		fmt.Fprintf(&src, "T%d = [%s]\n", i+1, strings.Repeat(fmt.Sprintf("T%d, ", i), 300))
	}
	src.WriteString("@register_impl('demo', backend='cutile')\ndef demo(x):\n    return T8(x)\ndef other(x):\n    return x.clone()\n")
	f := syntax.Parse("demo.py", syntax.Python, []byte(src.String()))
	require.Empty(t, f.Unread)
	var m *reference.File
	hostile.Within(t, time.Second, func() { m = reference.Parse(f); m.HostCopies("demo") })
	for _, c := range f.Root().Find("call") {
		if c.Field("function").Is("attribute") {
			assert.Equal(t, host.Owner(c).Field("name").Text() == "last", m.Reached(c), c.Text())
		}
	}
}

// What names stand for is followed once, however often they are defined and used, and
// whatever classes inherit from each other.
func TestNamesOfManyDefinitionsAreBounded(t *testing.T) {
	const op = "@register_impl('demo', backend='cutile')\ndef demo(x):\n"
	many := func(n int, line string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(line, "$", strconv.Itoa(i)))
		}
		return b.String()
	}
	var inherits strings.Builder
	for i := range 8 {
		fmt.Fprintf(&inherits, "class C%d(%s): pass\n", i, strings.Repeat(fmt.Sprintf("C%d, ", i+1), 40))
	}
	for name, src := range map[string]string{
		"functions":         many(10000, "def f(): pass\n") + op + strings.Repeat("    f\n", 10000),
		"classes":           many(10000, "class f: pass\n") + op + many(10000, "    f.a$\n"),
		"classes in layers": inherits.String() + "class C8: pass\n" + op + "    C0.apply(x)\n",
	} {
		t.Run(name, func(t *testing.T) {
			f := syntax.Parse("demo.py", syntax.Python, []byte(src))
			require.Empty(t, f.Unread)
			hostile.Within(t, time.Second, func() { reference.Parse(f).HostCopies("demo") })
		})
	}
}
