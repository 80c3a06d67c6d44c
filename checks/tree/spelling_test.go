package tree_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tilegate/tilegate/checks/syntax"
	"github.com/tilegate/tilegate/checks/tree"
)

// A file that the compiler reads as other code is unread, whatever it looks
// like; other letters and declarations are not.
func TestFilesThatAreReadOtherwise(t *testing.T) {
	for _, c := range []struct{ name, file, src, unread string }{
		{"utf-7", "tests/a.py", "# coding: utf-7\ndef f():\n    pass  #+AAo-    return\n", `the source encoding "utf-7"`},
		{"second line", "tests/a.py", "#!/usr/bin/python\n# -*- coding: unicode_escape -*-\nx = 1\n", `the source encoding "unicode_escape"`},
		{"with an equals sign", "tests/a.py", "# vim: set fileencoding=rot13 :\nx = 1\n", `the source encoding "rot13"`},
		{"utf-8", "tests/a.py", "# -*- coding: UTF_8 -*-\nx = 1\n", ""},
		{"utf-8 of an editor", "tests/a.py", "# -*- coding: utf-8-unix -*-\nx = 1\n", ""},
		{"utf-8 with a mark", "tests/a.py", "# coding: utf-8-sig\nx = 1\n", ""},
		{"almost utf-8", "tests/a.py", "# coding: utf-8x\nx = 1\n", `the source encoding "utf-8x"`},
		{"latin-1", "tests/a.py", "# coding=latin-1\nx = 1\n", ""},
		{"third line", "tests/a.py", "# a\n# b\n# coding: utf-7\nx = 1\n", ""},
		{"after code", "tests/a.py", "x = 1\n# coding: utf-7\n", ""},
		{"a sentence", "tests/a.py", "# encoding of the coding is utf-7\nx = 1\n", ""},
		{"wide letter", "tests/a.py", "def \uff54est_op():\n    pass\n", "line 1 has a name with the letter"},
		{"mathematical letter", "tests/a.py", "x = 1\nx.\U0001d41a = 2\n", "line 2 has a name with the letter"},
		{"raised capital C", "tests/a.py", "x.\ua7f2UDA = 2\n", "line 1 has a name with the letter"},
		{"raised capital Q", "tests/a.py", "x.\ua7f4 = 2\n", "line 1 has a name with the letter"},
		{"raised q", "tests/a.py", "x.\U000107a5 = 2\n", "line 1 has a name with the letter"},
		{"other alphabets", "tests/a.py", "\u0441\u0447\u0451\u0442 = \u03b1 = \u4f60 = \u00e9 = 1\n", ""},
		{"in a text", "tests/a.py", "x = '\uff54'  # \uff54\n", ""},
		{"Kelvin", "src/tilegym/ops/cutile_rs/a_kernel/kernel.rs", "fn f(\u212a: i32) {}\n", "line 1 has a name with the letter"},
		{"Greek", "src/tilegym/ops/cutile_rs/a_kernel/kernel.rs", "fn f(\u03b1: i32) {}\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr, err := tree.Load(fstest.MapFS{"src/tilegym/ops/cutile_rs/a_kernel/kernel.rs": {Data: []byte("mod a {}\n")}, c.file: {Data: []byte(c.src)}}, nil)
			require.NoError(t, err)
			at := 0
			fmt.Sscanf(c.unread, "line %d", &at)
			assert.Equal(t, syntax.Pos{Line: at}, tr.File(c.file).UnreadAt)
			if c.unread == "" {
				assert.Empty(t, tr.File(c.file).Unread)
				return
			}
			assert.Contains(t, tr.File(c.file).Unread, c.unread)
			assert.Empty(t, tr.File(c.file).Root().NamedChildren(), "no rule reads it")
		})
	}
}
