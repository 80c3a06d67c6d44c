package records

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadCargo(t *testing.T) {
	failed := "   Compiling kernels v0.1.0 (/src)\n" +
		"warning: unused variable: `x`\n --> src/lib.rs:1:2\n  |\n\n" +
		"\x1b[1m\x1b[31merror[E0432]\x1b[0m: unresolved import `missing`\n \x1b[34m--> \x1b[0msrc/bmm_kernel/kernel.rs:12:5\n  |\n12 | use missing::Thing;\n\n" +
		"error: unsafe attribute used without unsafe\n --> C:\\src\\ffi.rs:2:3\n  |\n" +
		"error: linking with `cc` failed: exit status: 1\n  |\n  = note: --> no place\n" +
		"errors are no matter here: error: nor this\n" +
		"Some errors have detailed explanations: E0432.\n" +
		"error: could not compile `kernels` (lib) due to 3 previous errors; 1 warning emitted\n"
	c := ReadCargo(strings.NewReader(failed))
	require.NoError(t, c.Damage)
	require.False(t, c.Finished)
	require.Equal(t, []string{"kernels"}, c.Crates)
	require.Equal(t, 3, c.Count)
	require.Equal(t, []Diagnostic{
		{"E0432", "unresolved import `missing`", "src/bmm_kernel/kernel.rs", 12, 5},
		{"", "unsafe attribute used without unsafe", `C:\src\ffi.rs`, 2, 3},
		{Message: "linking with `cc` failed: exit status: 1"},
	}, c.Errors)
	require.Equal(t, "error[E0432]: unresolved import `missing` (src/bmm_kernel/kernel.rs:12)", c.Errors[0].String())
	require.Equal(t, "error: linking with `cc` failed: exit status: 1", c.Errors[2].String())

	c = ReadCargo(strings.NewReader("warning: `kernels` (lib) generated 1 warning\r\n    Finished `release` profile [optimized] target(s) in 0.25s\r\n"))
	require.Equal(t, Cargo{Finished: true}, c)
	require.Equal(t, Cargo{}, ReadCargo(strings.NewReader("")))

	c = ReadCargo(strings.NewReader(strings.Repeat("error: wrong\n --> a.rs:1:1\n", 5000)))
	require.Equal(t, 5000, c.Count)
	require.Len(t, c.Errors, maxDiagnostics)
	require.Equal(t, Diagnostic{"", "wrong", "a.rs", 1, 1}, c.Errors[maxDiagnostics-1])
}

func TestReadSymbols(t *testing.T) {
	want := Symbols{Defined: []string{"cutile_bmm", "cutile_rope"}, Undefined: []string{"malloc"}}
	for name, text := range map[string]string{
		"nm -D": "                 w __gmon_start__\n00000000000116d0 T cutile_bmm\n00000000000216d0 T cutile_rope@@V1\n                 U malloc@GLIBC_2.2.5\n0000000000003000 D cutile_data\n00000000000116d0 t cutile_local\n",
		"nm -P": "__cxa_finalize@GLIBC_2.2.5 w         \ncutile_rope T 216d0 3\ncutile_bmm T 116d0 3\nmalloc@GLIBC_2.2.5 U         \n",
		"names": "libkernels.so:\n\ncutile_bmm\ncutile_rope\ncutile_rope\n U malloc\nmissing: cutile_softmax\nopen library: no such file or directory\n",
	} {
		s := ReadSymbols(strings.NewReader(text))
		require.Equal(t, want, s, name)
		require.True(t, s.Exports("cutile_bmm"))
		require.False(t, s.Exports("cutile"))
		require.False(t, s.Exports("cutile_softmax"))
	}
	var b strings.Builder
	for i := range maxSymbols + 10 {
		fmt.Fprintf(&b, "f%d\n", i)
	}
	require.ErrorContains(t, ReadSymbols(strings.NewReader(b.String())).Damage, "at most 65536 symbols")
	require.ErrorContains(t, ReadSymbols(strings.NewReader(strings.Repeat("x", maxLine+1))).Damage, "found a longer one")
}

func FuzzReadBuild(f *testing.F) {
	f.Add("error[E1]: a\n --> b:1:2\n    Finished `release`\n00 T x\nU y\nz\n")
	f.Fuzz(func(t *testing.T, text string) {
		c := ReadCargo(strings.NewReader(text))
		require.LessOrEqual(t, len(c.Errors), c.Count)
		for _, d := range c.Errors {
			require.NotContains(t, d.String(), "\x1b")
		}
		s := ReadSymbols(strings.NewReader(text))
		for _, name := range s.Defined {
			require.True(t, s.Exports(name))
		}
	})
}
