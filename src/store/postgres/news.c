/* All runs that somebody waits for are looked at with one statement, so that many of them cost little more
 * than one. */
#include "store/postgres/chores.h"

#include "base/clock.h"
#include "store/postgres/postgres.h"

#include <stdlib.h>

enum {
	NEWS_RUNS = 1024, /* looked at with one statement; more take turns */
	NEWS_REST =
		20, /* a look that takes longer than usual is followed by so many times its duration
	                   * of rest */
};

static const char sql_look[] =
	"SELECT w.id, w.secret, r.status, (SELECT max(e.last) FROM event e WHERE e.run = r.id) "
	"FROM unnest($1::bigint[], $2::bigint[]) AS w(id, secret) "
	"LEFT JOIN run r ON r.id = w.id AND r.secret = w.secret";

struct news {
	struct id runs[NEWS_RUNS];
	size_t    count;
	int64_t   asked_us;
	int64_t   rest_until_us;
};

struct news *news_create(void)
{
	return calloc(1, sizeof(struct news));
}

void news_destroy(struct news *n)
{
	free(n);
}

bool news_wanted(struct postgres *db)
{
	const struct store_neighbours *to = db->options.neighbours;
	struct news                   *n = db->news;

	if (!to || clock_mono_us() < n->rest_until_us)
		return false;
	n->count = to->watched(n->runs, NEWS_RUNS);
	return n->count > 0;
}

/* news_mark: differs from each earlier one if there is anything to read; a run that is gone has one, too. */
static uint64_t news_mark(struct row r)
{
	if (cell_null(r, 2))
		return 1;
	return ((uint64_t)cell_int(r, 3) << 3 | (uint64_t)cell_int(r, 2)) + 2;
}

enum work_next news_step(struct work *w)
{
	struct news  *n = w->db->news;
	struct param *a;

	if (w->stage == 0) {
		n->asked_us = clock_mono_us();
		a = work_param(w);
		PARAM_EACH(a, PARAM_INT, i, n->count, param_int(a, n->runs[i].key));
		PARAM_EACH(a, PARAM_INT, i, n->count, param_secret(a, n->runs[i].secret));
		work_ask(w, sql_look);
		return WORK_LAST;
	}
	for (int i = 0; i < work_rows(w, 0); i++) {
		struct row r = work_row(w, 0, i);

		w->db->options.neighbours->news(cell_id(cell_int(r, 0), r, 1), news_mark(r));
	}
	n->rest_until_us = clock_mono_us() + NEWS_REST * (clock_mono_us() - n->asked_us);
	return WORK_DONE;
}

void news_over(struct work *w, const struct fault *f)
{
	(void)w;
	(void)f;
}
