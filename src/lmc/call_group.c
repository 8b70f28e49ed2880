/* Groups of calls, with the messages that follow their answers. Ids are found in sorted order. */
#include "lmc/to_openai.h"

#include "base/limits.h"

#include <stdlib.h>

/* An entry of the sorted order. `ids` must not change while the order is used. */
struct entry {
	struct str id;
	size_t     call;
};

void call_group_init(struct call_group *g)
{
	*g = (struct call_group){ 0 };
	buf_init(&g->calls, LIMIT_TRANSLATION);
	buf_init(&g->ids, LIMIT_TRANSLATION);
	buf_init(&g->functions, LIMIT_TRANSLATION);
	buf_init(&g->texts, LIMIT_TRANSLATION);
	buf_init(&g->after, LIMIT_TRANSLATION);
	buf_init(&g->after_bytes, LIMIT_TRANSLATION);
	buf_init(&g->order, LIMIT_TRANSLATION);
}

void call_group_finish(struct call_group *g)
{
	buf_finish(&g->calls);
	buf_finish(&g->ids);
	buf_finish(&g->functions);
	buf_finish(&g->texts);
	buf_finish(&g->after);
	buf_finish(&g->after_bytes);
	buf_finish(&g->order);
}

void call_group_clear(struct call_group *g)
{
	buf_clear(&g->calls);
	buf_clear(&g->ids);
	buf_clear(&g->functions);
	buf_clear(&g->texts);
	buf_clear(&g->after);
	buf_clear(&g->after_bytes);
	buf_clear(&g->order);
	g->next = 0;
}

struct call *call_group_add(struct call_group *g, struct str id)
{
	struct call c = { .id = { g->ids.len, id.n } };

	if (!buf_str(&g->ids, id) || !buf_add(&g->calls, &c, sizeof c))
		return NULL;
	return call_group_at(g, call_group_count(g) - 1);
}

size_t call_group_count(const struct call_group *g)
{
	return g->calls.len / sizeof(struct call);
}

struct call *call_group_at(const struct call_group *g, size_t i)
{
	return (struct call *)(void *)g->calls.data + i;
}

/* --- finding --- */

static int compare_ids(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int    by_bytes = n > 0 ? memcmp(a.p, b.p, n) : 0;

	return by_bytes != 0 ? by_bytes : (a.n > b.n) - (a.n < b.n);
}

static int compare_entries(const void *left, const void *right)
{
	const struct entry *a = left;
	const struct entry *b = right;
	int                 by_id = compare_ids(a->id, b->id);

	return by_id != 0 ? by_id : (a->call > b->call) - (a->call < b->call);
}

bool call_group_sort(struct call_group *g)
{
	size_t n = call_group_count(g);

	for (size_t i = 0; i < n; i++) {
		struct entry at = { call_group_view(&g->ids, call_group_at(g, i)->id), i };

		if (!buf_add(&g->order, &at, sizeof at))
			return false;
	}
	if (n < 2)
		return true;

	struct entry *entries = (struct entry *)(void *)g->order.data;
	qsort(entries, n, sizeof *entries, compare_entries);
	for (size_t i = 1; i < n; i++)
		if (str_eq(entries[i - 1].id, entries[i].id))
			call_group_at(g, entries[i].call)->own = true;
	return true;
}

struct call *call_group_find(const struct call_group *g, struct str id)
{
	const struct entry *entries = (const struct entry *)(const void *)g->order.data;
	size_t              low = 0;
	size_t              high = g->order.len / sizeof *entries;

	/* The search ends at the first entry that is not less. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_ids(entries[middle].id, id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == g->order.len / sizeof *entries || !str_eq(entries[low].id, id))
		return NULL;
	return call_group_at(g, entries[low].call);
}

/* --- dealing --- */

struct call *call_group_deal(struct call_group *g)
{
	size_t n = call_group_count(g);

	while (g->next < n) {
		struct call *c = call_group_at(g, g->next);

		if (!c->dealt && !c->own)
			return c;
		g->next++;
	}

	struct call *last = call_group_at(g, n - 1);
	return last->own ? NULL : last;
}

bool call_group_put_after(struct call_group *g, size_t start, bool whole)
{
	struct call_after item = { { start, g->after_bytes.len - start }, whole };

	return buf_add(&g->after, &item, sizeof item);
}
