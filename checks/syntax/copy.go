package syntax

// #include "copy.h"
import "C"

import (
	"fmt"
	"slices"
	"unsafe"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// The declarations of copy.h are of the binding's size, and so is our node.
var (
	_ [unsafe.Sizeof(sitter.Node{})]byte       = [C.sizeof_TSNode]byte{}
	_ [unsafe.Sizeof(sitter.TreeCursor{})]byte = [C.sizeof_TSTreeCursor]byte{}
	_ [unsafe.Sizeof(node{})]byte              = [C.sizeof_tilegate_node]byte{}
)

// copy appends the tree below root to the file's nodes. One call of C copies the
// whole tree: a call for each node costs as much as parsing. It reports false
// when the tree is deeper than MaxDepth.
func (b builder) copy(root *sitter.Node, segments []segment) bool {
	f := b.f
	base, count := len(f.nodes), int(root.DescendantCount())
	f.nodes = slices.Grow(f.nodes, count)[:base+count]
	out := f.nodes[base:]
	// sitter.Node is C's TSNode by its documentation.
	got := C.tilegate_copy(*(*C.TSNode)(unsafe.Pointer(root)), (*C.uint16_t)(&f.g.symbols[0]), C.uint16_t(f.g.errorID),
		C.int32_t(base), C.uint32_t(count), MaxDepth, (*C.tilegate_node)(unsafe.Pointer(&out[0])))
	if got < 0 {
		f.nodes = f.nodes[:base]
		f.Unread = fmt.Sprintf("syntax nested deeper than %d levels", MaxDepth)
		return false
	}
	f.nodes = f.nodes[:base+int(got)]
	if segments != nil {
		for i := base; i < len(f.nodes); i++ {
			n := &f.nodes[i]
			start, end := unmap(segments, int(n.start), int(n.end))
			n.start, n.end = uint32(start), uint32(end)
		}
	}
	return true
}
