package ir

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The difference of every line of the list is placed on a line that the change
// touched, on one side at least.
func TestPlacesAreWhereTheTextsDiffer(t *testing.T) {
	// These are placed on what a reader looks for, which is not what changed.
	heads := map[string]string{
		"unreadable": "= for ", "loop-step": "= for ", "loop-floor": "= for ", "loop-bound": "= for ", "runtime-bound": "= for ", "baked-bound": "= for ",
		"reduction-kind": "= reduce ", "index-arithmetic": "= addi %26, %29",
	}
	for _, l := range Lines {
		t.Run(l.ID, func(t *testing.T) {
			e := readExample(t, l)
			d := e.diff.Differences[slices.IndexFunc(e.diff.Differences, func(d Difference) bool { return d.line == l })]
			ref, gen := strings.Split(e.reference, "\n"), strings.Split(e.generated, "\n")
			is := func(at *Place, text, other []string) bool {
				if at == nil {
					return false
				}
				line := text[at.Line-1]
				if want := heads[l.ID]; want != "" {
					return strings.Contains(line, want)
				}
				return !slices.Contains(other, line)
			}
			assert.True(t, is(d.ReferenceAt, ref, gen) || is(d.GeneratedAt, gen, ref), "%s%s and%s", d.Item, d.ReferenceAt, d.GeneratedAt)
		})
	}
}

// Of several operations of one name, the one that differs is told.
func TestPlaceIsThatOfTheOperationThatDiffers(t *testing.T) {
	row := "    %v = mulf %8, %7 : tile<64x64xf32>\n"
	reference := strings.Replace(product, "    return\n", strings.Repeat(row, 4)+"    return\n", 1)
	at := strings.Count(reference[:strings.Index(reference, row)], "\n") + 1
	flushed := strings.Replace(row, " : ", " flush_to_zero : ", 1)
	generated := strings.Replace(product, "    return\n", row+row+flushed+row+"    return\n", 1)
	d := Compare([]byte(reference), []byte(generated))
	require.Len(t, d.Differences, 1)
	require.Equal(t, "mulf flush_to_zero", string(d.Differences[0].Item))
	assert.Equal(t, at+2, d.Differences[0].ReferenceAt.Line)
	assert.Equal(t, at+2, d.Differences[0].GeneratedAt.Line)
}

func TestPlacesTellFileAndEntry(t *testing.T) {
	body := product[strings.Index(product, "  entry"):strings.LastIndex(product, "}")]
	second := strings.ReplaceAll(body, "scaled_product", "other")
	two := "cuda_tile.module @m {\n" + body + second + "}\n"
	changed := "cuda_tile.module @m {\n" + body + strings.Replace(second, "step %2)", "step %11)", 1) + strings.ReplaceAll(body, "scaled_product", "third") + "}\n"
	d := Compare([]byte(two), []byte(changed))
	d.Name("a/ref.mlir", "b/gen.mlir")
	require.Len(t, d.Differences, 3)
	loop := strings.Count(two[:strings.LastIndex(two, "= for")], "\n") + 1
	assert.Equal(t, Place{"a/ref.mlir", loop, "other_kernel"}, *d.Differences[0].ReferenceAt)
	assert.Equal(t, Place{"b/gen.mlir", loop, "other_kernel"}, *d.Differences[0].GeneratedAt)
	assert.Nil(t, d.Differences[1].ReferenceAt, "the reference has no such entry")
	assert.Equal(t, "third_kernel", string(d.Differences[1].GeneratedAt.Entry))

	j, err := json.Marshal(d)
	require.NoError(t, err)
	assert.Contains(t, string(j), `"reference_at":{"file":"a/ref.mlir","line":`)
	assert.NotContains(t, string(j), `"reference_at":null`)
	var b strings.Builder
	require.NoError(t, d.WriteText(&b))
	assert.Contains(t, b.String(), "\n  reference: missing\n  generated b/gen.mlir:")
}

func TestPlaceOfATextThatCannotBeRead(t *testing.T) {
	broken := strings.Replace(product, "tile<64x32xf16>, token\n", "tile<64x32xf16, token\n", 1)
	d := Compare([]byte(product), []byte(broken))
	require.Equal(t, Blocked, d.Verdict)
	assert.Nil(t, d.Differences[0].ReferenceAt)
	require.NotNil(t, d.Differences[0].GeneratedAt)
	assert.Equal(t, 10, d.Differences[0].GeneratedAt.Line)
}

// The table of a match is bounded, and so is the time.
func TestEntriesTooLargeToMatch(t *testing.T) {
	text := func(first, many string) []byte {
		return []byte("cuda_tile.module @m {\nentry @k(%a: tile<i32>) {\n" + first + strings.Repeat(many, 20_000) + "return\n}\n}\n")
	}
	d := Compare(text("%b = muli %a, %a : tile<i32>\n", "%b = addi %a, %a : tile<i32>\n"), text("%b = subi %a, %a : tile<i32>\n", "%c = ori %a, %a : tile<i32>\n"))
	require.NotEmpty(t, d.Differences)
	for _, x := range d.Differences {
		assert.GreaterOrEqual(t, x.ReferenceAt.Line, 2)
	}
}
