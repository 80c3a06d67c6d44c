package ir

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/check"
	"github.com/tilegate/tilegate/checks/hostile"
)

// product is a matrix product with one counted loop, in the printed form.
const product = `// dumped by a test
cuda_tile.module @scaled_product {
  entry @scaled_product_kernel(%0: tile<ptr<f16>>, %1: tile<ptr<f16>>, %2: tile<i32>) optimization_hints=<sm_90 = {num_cta_in_cga = 2, occupancy = 4}> {
    %3 = assume div_by<16>, %0 : tile<ptr<f16>>
    %4 = make_token : token
    %5 = make_tensor_view %3, shape = [%2, %2], strides = [%2, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %6 = make_partition_view %5 : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %7 = constant <f32: 0.0> : tile<64x64xf32>
    %8 = for %i in (%2 to %2, step %2) : tile<i32> iter_values(%acc = %7) -> (tile<64x64xf32>) {
      %9, %10 = load_view_tko weak %6[%i, %2] token = %4 optimization_hints = <sm_90 = {allow_tma = true, latency = 3}> : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x32xf16>, token
      %11 = mmaf %9, %9, %acc : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
      continue %11 : tile<64x64xf32>
    }
    %12 = mulf %8, %7 rounding<approx> flush_to_zero : tile<64x64xf32>
    %13 = reduce %12 dim=1 identities=[0.0 : f32] : tile<64x64xf32> -> tile<64xf32> (%a : tile<f32>, %b : tile<f32>) {
      %14 = addf %a, %b : tile<f32>
      yield %14 : tile<f32>
    }
    if %2 {
      print "a { brace and // no comment"
    } else {
      yield
    }
    return
  }
}
`

func TestReadFindsEntriesOpsAndLoops(t *testing.T) {
	m := Read([]byte(product))
	require.True(t, m.HasModule)
	require.True(t, m.Closed)
	require.Len(t, m.Entries, 1)
	e := m.Entries[0]
	assert.Equal(t, "scaled_product_kernel", e.Name)
	assert.Equal(t, 3, e.Line)
	assert.Equal(t, Hints{"sm_90": {"num_cta_in_cga": "2", "occupancy": "4"}}, e.Hints)
	for name, n := range map[string]int{"mmaf": 1, "for": 1, "load_view_tko": 1, "reduce": 1, "addf": 1, "if": 1, "else": 0, "return": 1, "make_tensor_view": 1} {
		assert.Equal(t, n, e.Count(name), name)
	}
	for _, op := range e.Ops {
		assert.Equal(t, map[string]int{"load_view_tko": 1, "mmaf": 1, "continue": 1}[op.Name], op.Loop, op.Name)
	}
	assert.False(t, m.Debug)
}

func TestCheck(t *testing.T) {
	assert.Empty(t, Check([]byte(product), "scaled_product"))
	for name, c := range map[string]struct{ text, kernel, says string }{
		"another kernel":     {product, "softmax", `expected an entry whose symbol contains "softmax", found @scaled_product_kernel`},
		"no kernel name":     {product, "", "expected an entry"},
		"empty":              {" \n", "x", "empty file"},
		"prose":              {"this is not IR", "x", "expected a cuda_tile.module"},
		"python level":       {"a: Tile[PointerTy(f32)] = typed_const(0)", "x", "Python-level IR"},
		"cut off":            {product[:len(product)-20], "scaled_product", "not a whole dump"},
		"only in a comment":  {"// cuda_tile.module\n// entry @x", "x", "expected a cuda_tile.module"},
		"a marker in python": {product + "\nassume_bounded(x=%0)", "scaled_product", "Python-level IR"},
	} {
		t.Run(name, func(t *testing.T) {
			r := check.New(Check([]byte(c.text), c.kernel))
			assert.Equal(t, check.Invalid, r.Verdict)
			j, err := json.Marshal(r)
			require.NoError(t, err)
			var back check.Report
			require.NoError(t, json.Unmarshal(j, &back))
			var all strings.Builder
			require.NoError(t, back.WriteText(&all, "x.mlir"))
			assert.Contains(t, all.String(), c.says)
		})
	}
	hintless := strings.Replace(product, "optimization_hints=<sm_90 = {num_cta_in_cga = 2, occupancy = 4}> ", "", 1)
	r := check.New(Check([]byte(hintless), "scaled_product"))
	assert.Equal(t, check.Valid, r.Verdict)
	require.Len(t, r.Problems, 1)
	assert.Equal(t, check.Warning, r.Problems[0].Severity)
	assert.Equal(t, 3, r.Problems[0].Line)
}

func TestEqualModulesPass(t *testing.T) {
	d := Compare([]byte(product), []byte(product))
	assert.Equal(t, Pass, d.Verdict)
	assert.Empty(t, d.Differences)
	renamed := strings.ReplaceAll(product, "%9", "%loaded")
	assert.Equal(t, Pass, Compare([]byte(product), []byte(renamed)).Verdict)
}

// Each row changes the generated text in one way.
func TestOneDifference(t *testing.T) {
	line := func(part string) string {
		for l := range strings.SplitSeq(product, "\n") {
			if strings.Contains(l, part) {
				return l + "\n"
			}
		}
		panic(part)
	}
	for name, c := range map[string]struct {
		old, new string
		kind     Kind
		item     string
		verdict  Verdict
		rule     string
	}{
		"a product less":             {line("mmaf"), "", Critical, "mmaf", FailFixable, "R8"},
		"a loop without bounds":      {"for %i in (%2 to %2, step %2)", "loop", Critical, "for", FailFixable, "R24"},
		"pointer instead of view":    {"load_view_tko weak %6[%i, %2]", "load_ptr_tko weak %3", Critical, "load_view_tko", FailFixable, "R28"},
		"tma refused":                {"allow_tma = true", "allow_tma = false", Critical, "tma", FailFixable, "R28"},
		"tma not mentioned":          {"allow_tma = true, ", "", Critical, "tma", FailFixable, "R28"},
		"latency missing":            {", latency = 3", "", Warning, "latency", PassWithNotes, "R20"},
		"another latency":            {"latency = 3", "latency = 5", Warning, "latency", PassWithNotes, "R29"},
		"another occupancy":          {"occupancy = 4", "occupancy = 2", Critical, "occupancy", FailFixable, "R20"},
		"occupancy missing":          {", occupancy = 4", "", Warning, "occupancy", PassWithNotes, "R20"},
		"f16 accumulator":            {"tile<32x64xf16>, tile<64x64xf32>", "tile<32x64xf16>, tile<64x64xf16>", Critical, "accumulator", FailFixable, "R31"},
		"dynamic inner stride":       {"strides=[?,1]", "strides=[?,?]", Critical, "strides", FailFixable, "R11"},
		"another tile":               {"tile=(64x32)", "tile=(32x32)", Critical, "tile shapes", FailFixable, "R48"},
		"no padding":                 {", padding_value = zero", "", Critical, "padding", FailFixable, "R28"},
		"another padding":            {"padding_value = zero", "padding_value = neg_inf", Critical, "padding", FailFixable, "R45"},
		"no flush to zero":           {" flush_to_zero", "", Critical, "mulf flush_to_zero", FailFixable, "R26"},
		"not approximate":            {" rounding<approx>", "", Critical, "mulf rounding", FailFixable, "R19"},
		"another identity":           {"identities=[0.0 : f32]", "identities=[1.0 : f32]", Critical, "reduce identities", FailFixable, "R48"},
		"one more multiplication":    {"    return\n", "    %20 = mulf %8, %7 : tile<64x64xf32>\n    return\n", Warning, "mulf", PassWithNotes, "R48"},
		"four more multiplications":  {"    return\n", strings.Repeat("    %20 = mulf %8, %7 : tile<64x64xf32>\n", 4) + "    return\n", Critical, "mulf", FailFixable, "R48"},
		"one more select":            {"    return\n", "    %20 = select %8, %7, %7 : tile<64x64xi1>, tile<64x64xf32>\n    return\n", Equivalent, "select", PassWithNotes, ""},
		"one more constant":          {"    return\n", "    %20 = constant <i32: 1> : tile<i32>\n    return\n", Noise, "constant", Pass, ""},
		"a bound on the block id":    {"    return\n", "    %20 = assume bounded<0, ?>, %2 : tile<i32>\n    return\n", Noise, "assume bounded", Pass, ""},
		"a promise about a size":     {"    return\n", "    %20 = assume div_by<16>, %2 : tile<i32>\n    return\n", Critical, "assume div_by on sizes", FailFixable, "R21"},
		"a pointer without promise":  {line("assume div_by"), "", Warning, "assume div_by on pointers", PassWithNotes, "R21"},
		"locations":                  {"    return\n", "    return loc(\"k.py\":3:1)\n", Noise, "source locations", Pass, ""},
		"a view that cannot be made": {"    return\n", "    %20 = make_strided_view %5 : strided_view<tensor_view<?x?xf16, strides=[?,1]>>\n    return\n", KnownGap, "make_strided_view", PassWithNotes, ""},
	} {
		t.Run(name, func(t *testing.T) {
			changed := strings.ReplaceAll(product, c.old, c.new)
			require.NotEqual(t, product, changed, "the row changes nothing")
			d := Compare([]byte(product), []byte(changed))
			found := false
			for _, x := range d.Differences {
				if string(x.Item) == c.item {
					found = true
					assert.Equal(t, c.kind, x.Kind)
					assert.NotEqual(t, x.Reference, x.Generated)
					if c.rule != "" {
						assert.Contains(t, x.Rules, c.rule)
					}
				}
			}
			assert.True(t, found, "found %v", d.Differences)
			assert.Equal(t, c.verdict, d.Verdict, "found %v", d.Differences)
		})
	}
}

func TestUnreadableTextIsBlocked(t *testing.T) {
	for _, bad := range []string{"", "PASS", product[:400], "cuda_tile.module @x {\n}\n"} {
		assert.Equal(t, Blocked, Compare([]byte(product), []byte(bad)).Verdict)
		assert.Equal(t, Blocked, Compare([]byte(bad), []byte(product)).Verdict)
		assert.Equal(t, Blocked, Compare([]byte(bad), []byte(bad)).Verdict)
	}
}

func TestSeveralEntriesPairByName(t *testing.T) {
	body := product[strings.Index(product, "  entry"):strings.LastIndex(product, "}")]
	two := "cuda_tile.module @m {\n" + body + strings.ReplaceAll(body, "scaled_product", "other") + "}\n"
	assert.Equal(t, Pass, Compare([]byte(two), []byte(two)).Verdict)
	renamed := strings.ReplaceAll(two, "@other_kernel", "@another_kernel")
	d := Compare([]byte(two), []byte(renamed))
	assert.Equal(t, FailFixable, d.Verdict)
	assert.Equal(t, "entry", string(d.Differences[0].Item))
}

// Which of two entries of one name ran nobody knows: the order of the dumps decides
// nothing.
func TestEntryThatIsThereTwice(t *testing.T) {
	worse := strings.Replace(product, "occupancy = 4", "occupancy = 2", 1)
	require.Equal(t, FailFixable, Compare([]byte(product), []byte(worse)).Verdict)
	for _, generated := range []string{product + worse, worse + product, product + product} {
		d := Compare([]byte(product), []byte(generated))
		assert.Equal(t, Blocked, d.Verdict)
		assert.Contains(t, string(d.Differences[0].Note), "1 time and the generated text 2 times, so which of them belong together is not known")
		assert.Equal(t, Blocked, Compare([]byte(generated), []byte(product)).Verdict)
	}
	assert.Equal(t, Pass, Compare([]byte(product+worse), []byte(product+worse)).Verdict)
	assert.Equal(t, FailFixable, Compare([]byte(product+worse), []byte(product+product)).Verdict)
}

func TestNestedModuleAndPrefixedOps(t *testing.T) {
	nested := "module {\n  " + strings.ReplaceAll(strings.TrimPrefix(product, "// dumped by a test\n"), "= load_view_tko", "= cuda_tile.load_view_tko") + "}\n"
	assert.Empty(t, Check([]byte(nested), "scaled_product"))
	assert.Equal(t, Pass, Compare([]byte(product), []byte(nested)).Verdict)
}

func TestTextPutsCountsTogether(t *testing.T) {
	changed := strings.Replace(product, "    return\n", "    %20 = addi %2, %2 : tile<i32>\n    %21 = muli %2, %2 : tile<i32>\n    %22 = constant <i32: 1> : tile<i32>\n    return\n", 1)
	changed = strings.Replace(changed, "occupancy = 4", "occupancy = 2", 1)
	var b strings.Builder
	require.NoError(t, Compare([]byte(product), []byte(changed)).WriteText(&b))
	assert.Equal(t, `critical: occupancy: the hints contradict each other [R20]
  reference line 3 @scaled_product_kernel: 4
  generated line 3 @scaled_product_kernel: 2
equivalent: addi 0 against 1 (lines 22 and 24), muli 0 against 1 (lines 22 and 25): index and mask arithmetic can be written in several ways
noise: constant 1 against 2 (lines 22 and 26): the compiler adds or removes these
FAIL_FIXABLE
`+"`tilegate rules R20` explains the rule.\n", b.String())
}

// Texts that would cost a careless reader quadratic time or deep recursion.
func TestHostileTextIsReadInLinearTime(t *testing.T) {
	const n = 1 << 18
	in := func(body string) string {
		return "cuda_tile.module @m {\nentry @k(%a: tile<i32>) {\n" + body + "\nreturn\n}\n}\n"
	}
	some := func(s string) string { return strings.Repeat(s, n/len(s)) }
	half := n / 2
	for name, text := range map[string]string{
		"open brackets":         in(some("(")),
		"open braces":           in(some("{")),
		"closing braces":        some("}"),
		"crossed brackets":      strings.Repeat("(", half) + strings.Repeat("}", half),
		"crossed in braces":     strings.Repeat("{(", half/2) + strings.Repeat("}", half),
		"angles":                in("%x = foo " + some("<") + " : tile<i32>"),
		"dictionaries":          in("%x = foo " + some("{a = ")),
		"values":                some("%a, "),
		"values in an entry":    in(some("%a, ")),
		"values on lines":       in(some("%a,\n")),
		"results":               in(some("%a, ") + "%b = foo"),
		"operands":              in("foo " + some("%a, ")),
		"locations":             some("loc("),
		"names of locations":    some("#loc = loc("),
		"hints":                 in("foo optimization_hints = <" + some("a = {b = ") + ">"),
		"views":                 in("foo : " + some("tensor_view<")),
		"dimensions":            in("foo : tile<" + some("1x") + "f32>"),
		"one long string":       in("print \"" + some("a") + "\""),
		"strings without end":   in(some("\"\n")),
		"backslashes":           in("\"" + some("\\")),
		"marks in a comment":    "//" + some("typed_const "),
		"nested loops":          in(some("for %i in (%i to %i, step %i) : tile<i32> {")),
		"a loop to its counter": in("for %i in (%i to %i, step %i) : tile<i32> {\n}"),
		"nested branches":       in(some("%x = if %a -> (tile<i32>) { yield %x } else { ")),
		"a chain of sums":       in(some("%a = addi %a, %a : tile<i32>\n")),
		"a chain of remainders": in(some("%a = remi %a, %a signed : tile<i32>\n%a = divi %a, %a signed : tile<i32>\n")),
		"many entries":          "cuda_tile.module @m {\n" + some("entry @k() {\n}\n") + "}\n",
		"many aliases":          "cuda_tile.module @m {\n" + some("entry @k__k() {\n}\n") + "}\n",
		"regions in parens":     in(some("\"a\"() ({")),
		"damaged loops":         in(some("%r = for %i in\n")),
		"reductions":            in(some("%r = reduce %a dim=0 identities=[0.0 : f32] : tile<i32> -> tile<i32> (%p: tile<i32>) {\n")),
		"NUL":                   in(some("\x00")),
		"not UTF-8":             in(some("\xff\xfe")),
	} {
		t.Run(name, func(t *testing.T) {
			hostile.Within(t, 10*time.Second, func() {
				Check([]byte(text), "k")
				Compare([]byte(text), []byte(text))
				Unlabelled([]byte(text))
			})
		})
	}
}

func TestTooManyOperationsAreNoModule(t *testing.T) {
	text := "cuda_tile.module @m {\nentry @k() {\n" + strings.Repeat("return\n", maxOps+1) + "}\n}\n"
	m := Read([]byte(text))
	assert.False(t, m.Closed)
	assert.Contains(t, m.Broken, "operations")
	assert.Equal(t, Blocked, Compare([]byte(text), []byte(product)).Verdict)
}

func FuzzRead(f *testing.F) {
	f.Add(product, product)
	f.Add("cuda_tile.module {", "}}}}")
	f.Add("entry @a {\nfor {\n", "\"\\")
	f.Add("cuda_tile.module @m { entry @k(%a: tile<i32>) { %b:2 = if %a -> (tile<i32>) { yield %a } else { yield %b#1 } } loc(#l) }", "({})<{a = [}>")
	f.Fuzz(func(t *testing.T, a, b string) {
		Check([]byte(a), "k")
		Unlabelled([]byte(a))
		d := Compare([]byte(a), []byte(b))
		require.Contains(t, []Verdict{Pass, PassWithNotes, FailFixable, Blocked}, d.Verdict)
		if same := Compare([]byte(a), []byte(a)); same.Verdict != Blocked {
			require.Empty(t, same.Differences, "a text differs from itself")
		}
		for _, x := range d.Differences {
			for _, at := range []*Place{x.ReferenceAt, x.GeneratedAt} {
				require.True(t, at == nil || at.Line > 0 && at.Line <= max(strings.Count(a, "\n"), strings.Count(b, "\n"))+1)
			}
		}
		var out strings.Builder
		require.NoError(t, d.WriteText(&out))
	})
}

// What no text holds is no printed module, wherever it stands.
func TestBytesThatNoTextHas(t *testing.T) {
	const whole = "cuda_tile.module @m {\n  entry @f() {\n    return\n  }\n}\n"
	require.Empty(t, Read([]byte(whole)).Broken)
	for _, bad := range []string{"\x00", "\xff\xfe", "\xc3"} {
		m := Read([]byte(strings.Replace(whole, "    return", "    // "+bad+"\n    return", 1)))
		assert.Equal(t, "a byte that no text has", m.Broken, "%q", bad)
		assert.Equal(t, 3, m.BrokenLine)
		assert.False(t, m.Closed)
	}
}
