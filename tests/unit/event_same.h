/* Whether two events say the same, spans being the same bytes at the same place of raw. */
#pragma once

#include "msg/event.h"

/* place_in: of a span inside raw; raw's length: it does not lie there. */
static inline size_t place_in(struct str s, struct str raw)
{
	bool inside = s.n > 0 && raw.n > 0 && s.p >= raw.p && s.p + s.n <= raw.p + raw.n;

	return inside ? (size_t)(s.p - raw.p) : raw.n;
}

static inline bool span_same(struct str a, struct str raw_a, struct str b, struct str raw_b)
{
	return str_eq(a, b) && place_in(a, raw_a) == place_in(b, raw_b);
}

static inline bool event_same(const struct event *a, const struct event *b)
{
	return a->kind == b->kind && a->choice == b->choice && a->block == b->block &&
	       a->cont == b->cont && a->form == b->form && a->raw_only_usage == b->raw_only_usage &&
	       a->from_lmc == b->from_lmc && str_eq(a->raw, b->raw) &&
	       span_same(a->text, a->raw, b->text, b->raw) &&
	       span_same(a->id, a->raw, b->id, b->raw) &&
	       span_same(a->name, a->raw, b->name, b->raw) &&
	       span_same(a->raw_usage, a->raw, b->raw_usage, b->raw) &&
	       span_same(a->raw_role, a->raw, b->raw_role, b->raw) &&
	       span_same(a->raw_id, a->raw, b->raw_id, b->raw) &&
	       span_same(a->raw_created, a->raw, b->raw_created, b->raw) &&
	       usage_same(&a->usage, &b->usage);
}
