/* The list of executions that wait, and of those at work. */
#include "runner/internal.h"

#include "base/limits.h"

#include <string.h>

static int64_t line_count(const struct list_head *list, const char *key)
{
	int64_t n = 0;

	LIST_EACH (p, list, struct line_place, link)
		n += !key || strcmp(p->key, key) == 0;
	return n;
}

bool line_enter(struct line *l, struct line_place *p, const char *key)
{
	if (line_count(&l->waiting, key) >= LIMIT_RUNNER_WAITING)
		return false;
	p->key = key;
	list_put_back(&l->waiting, &p->link);
	return true;
}

static void line_send_back(struct line *l, const char *key)
{
	const struct line_place *last = LIST_ITEM(l->waiting.last, struct line_place, link);
	struct line_place       *next;

	for (struct line_place *p = LIST_FIRST(&l->waiting, struct line_place, link); p; p = next) {
		next = p == last ? NULL : LIST_NEXT(p, struct line_place, link);
		if (strcmp(p->key, key) == 0) {
			list_take_out(&p->link);
			list_put_back(&l->waiting, &p->link);
		}
	}
}

struct line_place *line_next(struct line *l)
{
	int64_t            fewest = l->most > 1 ? l->most - 1 : 1;
	struct line_place *next = NULL;

	if (line_begun(l) >= l->most)
		return NULL;
	LIST_EACH (p, &l->waiting, struct line_place, link) {
		int64_t n = line_count(&l->begun, p->key);

		if (n < fewest) {
			fewest = n;
			next = p;
		}
	}
	if (!next)
		return NULL;
	list_take_out(&next->link);
	line_send_back(l, next->key);
	list_put_back(&l->begun, &next->link);
	return next;
}

void line_leave(struct line_place *p)
{
	list_take_out(&p->link);
}

int64_t line_begun(const struct line *l)
{
	return line_count(&l->begun, NULL);
}
