/* A request's body, its tape and its scratch memory, as one owned thing. */
#include "json/input.h"

#include "base/limits.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_size_t held_by_all;

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
	input_drop_body(in);
	arena_finish(&in->arena);
	free(in);
}

const unsigned char *input_digest(struct input *in)
{
	if (!in->digested)
		hash_sha256(in->body.data ? in->body.data : "", in->body.len, in->digest);
	in->digested = true;
	return in->digest;
}

bool input_hold(struct input *in, size_t bytes, size_t max)
{
	if (bytes <= in->held)
		return true;

	size_t more = bytes - in->held;
	size_t before = atomic_fetch_add_explicit(&held_by_all, more, memory_order_relaxed);
	if (bytes > LIMIT_BODY_FREE && (before > max || more > max - before)) {
		atomic_fetch_sub_explicit(&held_by_all, more, memory_order_relaxed);
		return false;
	}
	in->held = bytes;
	return true;
}

void input_drop_body(struct input *in)
{
	buf_finish(&in->body);
	atomic_fetch_sub_explicit(&held_by_all, in->held, memory_order_relaxed);
	in->held = 0;
}

size_t input_held(void)
{
	return atomic_load_explicit(&held_by_all, memory_order_relaxed);
}
