#include "parse.h"

#include <stddef.h>

// CHUNK is the number of bytes that are handed out at a time. The parser reads
// again what lies outside of the chunk at hand, so a small one makes the count of
// what was read exact.
enum { CHUNK = 256 };

typedef struct {
	const char *text;
	uint32_t length;
	uint64_t left; // bytes that may still be read
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
	return ((tilegate_source *)state->payload)->left == 0;
}

TSTree *tilegate_parse(TSParser *parser, const char *text, uint32_t length, uint64_t limit) {
	tilegate_source source = {text, length, limit};
	TSInput input = {.payload = &source, .read = tilegate_read};
	TSParseOptions options = {.payload = &source, .progress_callback = tilegate_enough};
	return ts_parser_parse_with_options(parser, NULL, input, options);
}
