/* Copies text around what is cut out of it. */
#include "json/cut.h"

void cut_bytes(struct cut *c, const char *from, const char *to, struct str instead)
{
	struct str before = { c->at, (size_t)(from - c->at) };

	c->failed = c->failed || !buf_str(c->out, before) || !buf_str(c->out, instead);
	c->at = to;
}

void cut_inner(struct cut *c, struct str inner, struct str by)
{
	if (!str_eq(inner, by))
		cut_bytes(c, inner.p, cut_end_of(inner), by);
}

void cut_leave(struct cut_walk *w, struct str child)
{
	if (!w->from)
		w->from = child.p;
	w->to = cut_end_of(child);
}

void cut_stay(struct cut_walk *w, struct str child)
{
	if (w->from)
		cut_bytes(w->cut, w->from, child.p, STR_NONE);
	w->from = NULL;
	w->kept = cut_end_of(child);
}

void cut_over(struct cut_walk *w)
{
	if (w->from)
		cut_bytes(w->cut, w->kept ? w->kept : w->from, w->to, STR_NONE);
}
