/* The part of a request for embeddings that the call keeps, to check the answer. */
#include "provider/embed_want.h"

#include "msg/event.h"

#include <stdlib.h>

struct embed_want *embed_want_create(const struct prompt *p)
{
	struct embed_want *w = calloc(1, sizeof *w);

	if (!w)
		return NULL;
	w->count = p->embed->count;
	w->base64 = p->embed->base64;
	w->guess = usage_guess((int64_t)p->embed->input.n, 0).in;
	str_copy(w->model, sizeof w->model, p->model);
	return w;
}
