package syntax

// #include "parse.h"
import "C"

import (
	"unsafe"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// The binding's types hold one pointer to C's and nothing else.
var (
	_ [unsafe.Sizeof(sitter.Parser{})]byte = [unsafe.Sizeof(uintptr(0))]byte{}
	_ [unsafe.Sizeof(sitter.Tree{})]byte   = [unsafe.Sizeof(uintptr(0))]byte{}
)

// A parser may read rereads times the text, and a little more for small ones.
// It looks ahead and starts again where it does not understand; a string without
// an end makes it read all of the rest at each place. Sources in use are read
// less than twice.
const (
	rereads  = 64
	rereads0 = 1 << 20
)

// parse parses a text with a bound on the work; nil when that does not suffice.
// The binding's own Parse copies what is left of the text each time that the
// parser goes back, and has no bound.
func parse(parser *sitter.Parser, src []byte) *sitter.Tree {
	if len(src) == 0 {
		return parser.Parse(nil, nil)
	}
	var tree sitter.Tree
	inner := C.tilegate_parse(*(**C.TSParser)(unsafe.Pointer(parser)), (*C.char)(unsafe.Pointer(&src[0])),
		C.uint32_t(len(src)), C.uint64_t(rereads0+rereads*len(src)))
	if inner == nil {
		return nil
	}
	*(**C.TSTree)(unsafe.Pointer(&tree)) = inner
	return &tree
}
