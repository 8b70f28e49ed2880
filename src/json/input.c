/* A request's body, its tape and its scratch memory, as one owned thing. */
#include "json/input.h"

#include "base/limits.h"

#include <stdlib.h>

struct input *input_create(size_t max_body)
{
	struct input *in = calloc(1, sizeof *in);

	if (!in)
		return NULL;
	buf_init(&in->body, max_body);
	arena_init(&in->arena, LIMIT_ARENA);
	return in;
}

void input_destroy(struct input *in)
{
	if (!in)
		return;
	json_doc_finish(&in->doc);
	buf_finish(&in->body);
	arena_finish(&in->arena);
	free(in);
}
