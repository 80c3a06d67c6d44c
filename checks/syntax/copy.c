#include "copy.h"

int32_t tilegate_copy(TSNode root, const uint16_t *symbols, uint16_t error_kind, int32_t base,
	uint32_t places, uint32_t max_depth, tilegate_node *out) {
	TSTreeCursor cursor = ts_tree_cursor_new(root);
	int32_t count = 0, parent = TILEGATE_NONE, last = TILEGATE_NONE; // last: the sibling before
	uint32_t depth = 0;
	for (;;) {
		if ((uint32_t)count == places)
			goto fail;
		TSNode node = ts_tree_cursor_current_node(&cursor);
		uint16_t symbol = ts_node_symbol(node);
		int32_t at = count++;
		tilegate_node *n = &out[at];
		n->field = ts_tree_cursor_current_field_id(&cursor);
		n->start = ts_node_start_byte(node);
		n->end = ts_node_end_byte(node);
		n->parent = parent == TILEGATE_NONE ? TILEGATE_NONE : base + parent;
		n->next = TILEGATE_NONE;
		n->flags = parent == TILEGATE_NONE ? 0 : out[parent].flags & TILEGATE_DAMAGED;
		if (symbol == UINT16_MAX) { // ERROR
			n->kind = error_kind;
			n->flags |= TILEGATE_NAMED | TILEGATE_DAMAGED;
		} else {
			n->kind = symbols[symbol] & 0x7fff;
			if (symbols[symbol] & 0x8000)
				n->flags |= TILEGATE_NAMED;
			if (n->start == n->end && ts_node_is_missing(node))
				n->flags |= TILEGATE_DAMAGED;
		}
		if (last != TILEGATE_NONE)
			out[last].next = base + at;

		if (ts_tree_cursor_goto_first_child(&cursor)) {
			if (++depth > max_depth)
				goto fail;
			n->flags |= TILEGATE_INNER;
			parent = at;
			last = TILEGATE_NONE;
			continue;
		}
		last = at;
		while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
			if (!ts_tree_cursor_goto_parent(&cursor)) {
				ts_tree_cursor_delete(&cursor);
				return count;
			}
			depth--;
			last = parent;
			parent = out[parent].parent == TILEGATE_NONE ? TILEGATE_NONE : out[parent].parent - base;
		}
	}
fail:
	ts_tree_cursor_delete(&cursor);
	return -1;
}
