// The part of tree-sitter's C interface that the copy of a tree needs. The
// binding's module keeps its headers to itself, so the declarations stand here;
// copy.go holds the sizes against the binding's own types, and a test holds the
// result against a walk through the binding.
#ifndef TILEGATE_COPY_H
#define TILEGATE_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TSTree TSTree;

typedef struct TSNode {
	uint32_t context[4];
	const void *id;
	const TSTree *tree;
} TSNode;

typedef struct TSTreeCursor {
	const void *tree;
	const void *id;
	uint32_t context[3];
} TSTreeCursor;

uint16_t ts_node_symbol(TSNode self);
uint32_t ts_node_start_byte(TSNode self);
uint32_t ts_node_end_byte(TSNode self);
bool ts_node_is_missing(TSNode self);
TSTreeCursor ts_tree_cursor_new(TSNode node);
void ts_tree_cursor_delete(TSTreeCursor *self);
TSNode ts_tree_cursor_current_node(const TSTreeCursor *self);
uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *self);
bool ts_tree_cursor_goto_parent(TSTreeCursor *self);
bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *self);
bool ts_tree_cursor_goto_first_child(TSTreeCursor *self);

// The struct node of node.go.
typedef struct {
	uint16_t kind;
	uint8_t field, flags;
	uint32_t start, end;
	int32_t parent, next;
} tilegate_node;

enum { TILEGATE_NONE = -1, TILEGATE_NAMED = 1, TILEGATE_DAMAGED = 2, TILEGATE_INNER = 4 };

// tilegate_copy writes the tree below root to out in the order of the source,
// with indices that start at base. symbols maps a symbol to its kind, with the
// highest bit set for a named one; error_kind is the kind of ERROR. It returns
// the number of nodes, or -1 for a tree that is deeper than max_depth or has
// more nodes than out has places.
int32_t tilegate_copy(TSNode root, const uint16_t *symbols, uint16_t error_kind, int32_t base,
	uint32_t places, uint32_t max_depth, tilegate_node *out);

#endif
