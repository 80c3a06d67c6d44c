#include "parse.h"

#include <stddef.h>
#include <stdlib.h>

// allocated is the number of bytes that this thread has asked for. Recovery from
// a long error copies the list of all that it skips for each thing that it skips,
// so what is asked for measures the work, and unlike a clock it is the same on
// every machine.
static __thread uint64_t allocated;

static void *tilegate_malloc(size_t size) {
	allocated += size;
	return malloc(size);
}

static void *tilegate_calloc(size_t count, size_t size) {
	allocated += count * size;
	return calloc(count, size);
}

static void *tilegate_realloc(void *old, size_t size) {
	allocated += size;
	return realloc(old, size);
}

void tilegate_count_allocations(void) {
	ts_set_allocator(tilegate_malloc, tilegate_calloc, tilegate_realloc, free);
}

// CHUNK is the number of bytes that are handed out at a time. The parser reads
// again what lies outside of the chunk at hand, so a small one makes the count of
// what was read exact.
enum { CHUNK = 256 };

typedef struct {
	const char *text;
	uint32_t length;
	uint64_t left;    // bytes that may still be read
	uint64_t ceiling; // of allocated
	uint32_t stopped;
} tilegate_source;

static const char *tilegate_read(void *payload, uint32_t at, TSPoint position, uint32_t *count) {
	(void)position;
	tilegate_source *s = payload;
	uint32_t n = at < s->length ? s->length - at : 0;
	if (n > CHUNK)
		n = CHUNK;
	if (n > s->left) { // looks like the end, so that the parser soon asks whether to go on
		s->left = 0;
		n = 0;
	}
	s->left -= n;
	*count = n;
	return s->text + at;
}

static bool tilegate_enough(TSParseState *state) {
	tilegate_source *s = state->payload;
	if (s->left > 0 && allocated <= s->ceiling)
		return false;
	s->stopped = state->current_byte_offset < s->length ? state->current_byte_offset : s->length;
	return true;
}

TSTree *tilegate_parse(TSParser *parser, const char *text, uint32_t length, uint64_t read, uint64_t memory, uint32_t *stopped) {
	tilegate_source source = {text, length, read, allocated + memory, 0};
	TSInput input = {.payload = &source, .read = tilegate_read};
	TSParseOptions options = {.payload = &source, .progress_callback = tilegate_enough};
	TSTree *tree = ts_parser_parse_with_options(parser, NULL, input, options);
	*stopped = source.stopped;
	return tree;
}
