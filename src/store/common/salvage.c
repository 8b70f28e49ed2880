/* Gathers the pieces of a run, and makes an answer and an end of them. */
#include "store/common/salvage.h"

#include "base/limits.h"
#include "store/events.h"

#include <stdlib.h>

/* LOG_BYTES: of one run's log, more is not read; the answer is then made of the beginning.
 * KEPT_BYTES: a larger buffer is freed after its run. */
enum { LOG_BYTES = 256 * 1024 * 1024, KEPT_BYTES = 1024 * 1024 };

void salvage_init(struct salvage *v, salvage_assemble_fn *assemble)
{
	*v = (struct salvage){ .assemble = assemble };
	buf_init(&v->bytes, LOG_BYTES);
	buf_init(&v->answer, LIMIT_BODY_MAX);
}

void salvage_finish(struct salvage *v)
{
	buf_finish(&v->bytes);
	buf_finish(&v->answer);
	free(v->pieces);
	v->pieces = NULL;
}

/* --- pieces --- */

static void salvage_empty(struct buf *b)
{
	if (b->cap > KEPT_BYTES)
		buf_finish(b);
	else
		buf_clear(b);
}

void salvage_begin(struct salvage *v)
{
	v->count = 0;
	v->full = false;
	salvage_empty(&v->bytes);
	salvage_empty(&v->answer);
}

static bool salvage_grow(struct salvage *v)
{
	if (v->count < v->cap)
		return true;

	size_t               cap = v->cap ? 2 * v->cap : 64;
	struct events_piece *grown = realloc(v->pieces, cap * sizeof *grown);
	if (!grown)
		return false;
	v->pieces = grown;
	v->cap = cap;
	return true;
}

bool salvage_add(struct salvage *v, const struct events_piece *piece)
{
	if (v->full)
		return true;
	if (!salvage_grow(v))
		return false;
	v->full = !buf_str(&v->bytes, piece->data);
	if (!v->full) {
		v->pieces[v->count] = *piece;
		v->pieces[v->count++].data.p = NULL; /* the buffer may move */
	}
	return true;
}

struct str salvage_make(struct salvage *v, struct salvage_told *ret)
{
	const char *data = v->bytes.data;

	for (size_t i = 0; i < v->count; data += v->pieces[i++].data.n)
		v->pieces[i].data.p = data;
	*ret = cut_off_look(v->pieces, v->count);
	buf_clear(&v->answer);
	if (v->assemble && v->count > 0 && v->assemble(v->pieces, v->count, &v->answer))
		return buf_view(&v->answer);
	return STR_NONE;
}
