/* Rows of the event log. */
#include "store/postgres/turn_end.h"

#include "store/common/event_cut.h"

#include <stdlib.h>

static bool pieces_put(struct pieces *p, struct events_piece row)
{
	if (p->count == p->cap) {
		size_t               cap = p->cap ? 2 * p->cap : 64;
		struct events_piece *grown = realloc(p->all, cap * sizeof *grown);

		if (!grown)
			return false;
		p->all = grown;
		p->cap = cap;
	}
	p->all[p->count++] = row;
	return true;
}

bool pieces_add(struct pieces *p, struct events_piece piece)
{
	while (piece.data.n > 0)
		if (!pieces_put(p, event_cut_row(&piece)))
			return false;
	return true;
}

void pieces_finish(struct pieces *p)
{
	free(p->all);
	*p = (struct pieces){ 0 };
}

void pieces_args(const struct pieces *p, struct param *a, bool secrets)
{
	PARAM_EACH(a, PARAM_INT, i, p->count, param_int(a, p->all[i].run.key));
	if (secrets)
		PARAM_EACH(a, PARAM_INT, i, p->count, param_secret(a, p->all[i].run.secret));
	PARAM_EACH(a, PARAM_INT, i, p->count, param_int(a, (int64_t)p->all[i].first));
	PARAM_EACH(a, PARAM_INT, i, p->count, param_int(a, (int64_t)p->all[i].last));
	PARAM_EACH(a, PARAM_BYTES, i, p->count, param_bytes(a, p->all[i].data));
}
