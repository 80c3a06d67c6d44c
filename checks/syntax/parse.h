// The part of tree-sitter's C interface that a bounded parse needs; see copy.h
// for why the declarations stand here.
#ifndef TILEGATE_PARSE_H
#define TILEGATE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TSTree TSTree;
typedef struct TSParser TSParser;

typedef struct TSPoint {
	uint32_t row, column;
} TSPoint;

typedef struct TSInput {
	void *payload;
	const char *(*read)(void *payload, uint32_t at, TSPoint position, uint32_t *count);
	int encoding; // 0: UTF-8
	uint32_t (*decode)(const uint8_t *text, uint32_t length, int32_t *code_point);
} TSInput;

typedef struct TSParseState {
	void *payload;
	uint32_t current_byte_offset;
	bool has_error;
} TSParseState;

typedef struct TSParseOptions {
	void *payload;
	bool (*progress_callback)(TSParseState *state);
} TSParseOptions;

void ts_set_allocator(void *(*new_malloc)(size_t), void *(*new_calloc)(size_t, size_t),
	void *(*new_realloc)(void *, size_t), void (*new_free)(void *));
TSTree *ts_parser_parse_with_options(TSParser *self, const TSTree *old_tree, TSInput input, TSParseOptions options);

// tilegate_count_allocations makes the parsers of all threads count what they ask for.
void tilegate_count_allocations(void);

// tilegate_parse parses a text. It reads at most that many bytes, those that are
// read again included, and asks for at most that much memory, what is freed
// included. When that is not enough it returns NULL and the place where it stopped.
TSTree *tilegate_parse(TSParser *parser, const char *text, uint32_t length, uint64_t read, uint64_t memory, uint32_t *stopped);

#endif
