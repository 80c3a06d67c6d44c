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

// The binding routes each allocation of the parser through a Go callback, which
// is a tenth of the time of a parse. Counting in C costs nothing that shows.
func init() { C.tilegate_count_allocations() }

// Bounds of the work of a parse: bytes that are read and bytes of memory that are
// asked for, for each byte of the text, and what any text may take. Where the
// parser does not understand it goes back and reads again, and copies what it
// skips again and again: both take quadratic time. Upstream's files are read at
// most ten times and take at most 220 bytes a byte.
const (
	readPerByte, readAnyway     = 64, 1 << 20
	memoryPerByte, memoryAnyway = 1000, 64 << 20
	// A file may have many parts that are parsed again.
	memoryOfPart = 4 << 20
)

// parse parses a text with a bound on the work. Where that is not enough it
// returns nil and the offset at which it stopped. The binding's own Parse has no
// bound, and copies the rest of the text each time that the parser goes back.
func parse(parser *sitter.Parser, src []byte, part bool) (*sitter.Tree, int) {
	if len(src) == 0 {
		return parser.Parse(nil, nil), 0
	}
	memory := memoryAnyway
	if part {
		memory = memoryOfPart
	}
	var stopped C.uint32_t
	inner := C.tilegate_parse(*(**C.TSParser)(unsafe.Pointer(parser)), (*C.char)(unsafe.Pointer(&src[0])), C.uint32_t(len(src)),
		C.uint64_t(readAnyway+readPerByte*len(src)), C.uint64_t(memory+memoryPerByte*len(src)), &stopped)
	if inner == nil {
		return nil, int(stopped)
	}
	var tree sitter.Tree
	*(**C.TSTree)(unsafe.Pointer(&tree)) = inner
	return &tree, 0
}
