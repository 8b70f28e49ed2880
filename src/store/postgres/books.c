/* Writes sums of usage.
 *
 * A row for the batch makes a batch that is sent again add nothing. */
#include "store/postgres/chores.h"

#include "store/postgres/postgres.h"
#include "store/postgres/settle.h"

#include <stdlib.h>

#define DAY_MS ((int64_t)24 * 60 * 60 * 1000)

/* Sums of the same key, day, model and provider differ in their groups and tags, and no statement may add to a row
 * twice. */
#define SUMS                                                                           \
	", sum(calls), sum(estimated), sum(tokens_in), sum(tokens_out), sum(cached), " \
	"sum(reasoning), sum(nano), sum(unpriced)"
static const char sql_book[] =
	"WITH fresh AS (INSERT INTO usage_batch (gateway, seq) VALUES ($1, $2) ON CONFLICT DO NOTHING "
	"RETURNING seq), old AS (DELETE FROM usage_batch WHERE gateway = $1 AND seq < $2), "
	"s AS MATERIALIZED (SELECT * FROM unnest($3::text[], "
	"$4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[], "
	"$10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::text[], "
	"$16::text[]) AS s(key, day, model, provider, calls, estimated, tokens_in, tokens_out, "
	"cached, reasoning, nano, unpriced, key_group, tags) WHERE EXISTS (SELECT 1 FROM fresh)), "
	"grouped AS (" USAGE_INTO(
		"usage_group", USAGE_GROUP_OF, SUMS, "s WHERE key_group <> ''",
		USAGE_GROUP_ADDS) "), "
				  "tagged AS (" USAGE_INTO(
					  "usage_tag", USAGE_TAG_OF, SUMS,
					  "s WHERE tags IS NOT NULL",
					  USAGE_TAG_ADDS) ") " USAGE_INTO("usage_day", USAGE_DAY_OF,
									  SUMS, "s",
									  USAGE_DAY_ADDS);

/* The sums that are being sent; they stay until their outcome is known. */
struct books_sums {
	const struct usage_sum **all; /* owned; the sums are the gatherer's */
	size_t                   count, cap;
};

static int books_collect(void *arg, const struct usage_sum *sum)
{
	struct books_sums *s = arg;

	if (s->count == s->cap) {
		size_t                   cap = s->cap ? 2 * s->cap : 64;
		const struct usage_sum **grown = realloc(s->all, cap * sizeof(*grown));

		if (!grown)
			return -1;
		s->all = grown;
		s->cap = cap;
	}
	s->all[s->count++] = sum;
	return 0;
}

bool books_wanted(struct postgres *db)
{
	return usage_gather_any(db->store.usage);
}

#define EACH(type, add) PARAM_EACH(a, PARAM_##type, i, s->count, add)
#define S               (s->all[i])

static void books_args(struct param *a, const struct books_sums *s)
{
	EACH(TEXT, param_text(a, str_of(S->note.key)));
	EACH(INT, param_int(a, S->note.at_ms / DAY_MS));
	EACH(TEXT, param_text(a, str_of(S->note.model)));
	EACH(TEXT, param_text(a, str_of(S->note.provider)));
	EACH(INT, param_int(a, S->calls));
	EACH(INT, param_int(a, S->estimated));
	EACH(INT, param_int(a, S->note.usage.in));
	EACH(INT, param_int(a, S->note.usage.out));
	EACH(INT, param_int(a, S->note.usage.cached_read));
	EACH(INT, param_int(a, S->note.usage.reasoning));
	EACH(INT, param_int(a, S->note.nano));
	EACH(INT, param_int(a, S->unpriced));
	EACH(TEXT, param_text(a, str_of(S->note.group)));
	EACH(TEXT, param_maybe(a, S->note.tags));
}

enum work_next books_step(struct work *w)
{
	struct postgres  *db = w->db;
	struct books_sums s = { 0 };
	struct param     *a;

	if (w->stage > 0)
		return WORK_DONE;
	/* A further try sends the same sums under the same number. */
	if (w->tries == 0) {
		db->booking = true;
		db->usage_seq++;
		if (usage_gather_flush(db->store.usage, books_collect, &s) != 0) {
			free(s.all);
			usage_gather_done(db->store.usage, false);
			db->booking = false;
			return WORK_DONE;
		}
		db->booked = s.all;
		db->booked_count = s.count;
	}
	s.all = db->booked;
	s.count = db->booked_count;
	a = work_param(w);
	param_int(a, db->gateway);
	param_int(a, (int64_t)db->usage_seq);
	books_args(a, &s);
	work_ask(w, sql_book);
	return WORK_LAST;
}

void books_over(struct work *w, const struct fault *f)
{
	struct postgres *db = w->db;

	if (db->booking)
		usage_gather_done(db->store.usage, f == NULL);
	db->booking = false;
	free(db->booked);
	db->booked = NULL;
	db->booked_count = 0;
}
