/* Sorts the parts of a conversation. */
#include "store/common/archive_plan.h"

#include "base/limits.h"

#include <stdlib.h>

bool archive_parts_add(struct archive_parts *p, int64_t key, bool loose, int64_t base, int64_t run)
{
	if (p->count == p->cap) {
		size_t               cap = p->cap ? 2 * p->cap : 256;
		struct archive_part *grown = realloc(p->at, cap * sizeof *grown);

		if (!grown)
			return false;
		p->at = grown;
		p->cap = cap;
	}
	if (run < 0)
		run = ~run;
	p->at[p->count++] =
		(struct archive_part){ .key = key, .needs = run != 0 ? run : base, .loose = loose };
	return p->count <= LIMIT_ARCHIVE_LINES;
}

void archive_parts_finish(struct archive_parts *p)
{
	free(p->at);
	*p = (struct archive_parts){ 0 };
}

static int compare_parts(const void *a, const void *b)
{
	const struct archive_part *x = a;
	const struct archive_part *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* archive_plan_needed: the part that this one continues; NULL: none, or missing. */
static struct archive_part *archive_plan_needed(const struct archive_parts *p,
						const struct archive_part  *part)
{
	struct archive_part key = { .key = part->needs };

	if (part->needs == 0 || part->needs == part->key)
		return NULL;
	return bsearch(&key, p->at, p->count, sizeof *p->at, compare_parts);
}

/* archive_plan_put: puts the part, and everything that must come before it. */
static enum archive_plan_end archive_plan_put(struct archive_parts *p, struct archive_part *part,
					      struct archive_plan *plan)
{
	struct archive_part *first = part;
	size_t               steps = 0;

	for (struct archive_part *n = archive_plan_needed(p, part); n && !n->done;
	     n = archive_plan_needed(p, n)) {
		if (++steps > p->count)
			return ARCHIVE_PLAN_DAMAGED;
		n->up = (uint32_t)(first - p->at);
		first = n;
	}
	for (;;) {
		plan->parts[plan->count++] = first->loose ? ~first->key : first->key;
		first->done = true;
		if (first == part)
			return ARCHIVE_PLAN_MADE;
		first = &p->at[first->up];
	}
}

enum archive_plan_end archive_parts_plan(struct archive_parts *p, struct archive_plan **ret)
{
	struct archive_plan  *plan = calloc(1, sizeof *plan + p->count * sizeof plan->parts[0]);
	enum archive_plan_end end = plan ? ARCHIVE_PLAN_MADE : ARCHIVE_PLAN_NO_MEMORY;

	if (p->count > 0)
		qsort(p->at, p->count, sizeof *p->at, compare_parts);
	for (size_t i = 0; end == ARCHIVE_PLAN_MADE && i < p->count; i++)
		if (!p->at[i].done)
			end = archive_plan_put(p, &p->at[i], plan);
	archive_parts_finish(p);
	*ret = plan; /* the owner frees even one that is not whole */
	return end;
}
