/* Ends the runs, idempotency keys and reservations of dead gateways. */
#include "store/common/salvage.h"
#include "store/postgres/lease.h"
#include "store/postgres/chores.h"
#include "store/postgres/postgres.h"
#include "store/postgres/settle.h"
#include "store/postgres/turn_end.h"

enum { REAP_RUNS = 16 };

static const char sql_declare[] =
	"UPDATE gateway SET dead = 1 WHERE dead = 0 AND lease_until < now()";
/* Other gateways may be at the same; each takes different runs. */
static const char sql_runs[] =
	"SELECT r.id, r.secret, r.seq_reserved, r.attempts, r.first_token_ms, r.provider, "
	"r.bill_key, r.bill_model, r.bill_in, r.bill_price_in, r.bill_price_out, "
	"r.bill_dropped[1], r.bill_dropped[2], r.bill_dropped[3], r.bill_dropped[4], "
	"r.bill_dropped[5], coalesce(r.bill_dropped[6], 1), coalesce(r.bill_dropped[7], 1), "
	"coalesce(r.bill_dropped[8], 0), r.tags "
	"FROM gateway g JOIN run r ON r.gateway = g.id WHERE g.dead = 1 AND r.status < 2 "
	"ORDER BY r.id LIMIT 16 FOR UPDATE OF r SKIP LOCKED";
/* They are this gateway's now: to end (turn_end.c), or to go on with. */
static const char sql_own[] = "UPDATE run SET gateway = $1 WHERE id = ANY($2::bigint[])";
static const char sql_pieces[] = "SELECT run, first, last, data FROM event "
				 "WHERE run = ANY($1::bigint[]) ORDER BY run, last";
/* Keys of unstored calls: those whose answer had begun have lost it; those of other calls are free. */
static const char sql_keys[] =
	"WITH freed AS (DELETE FROM idempotency i USING gateway g WHERE g.id = i.gateway "
	"AND g.dead = 1 AND i.http = 0 AND i.stored = 0 AND i.outcome = 0) "
	"UPDATE idempotency i SET outcome = 3, http = 500 FROM gateway g WHERE g.id = i.gateway "
	"AND g.dead = 1 AND i.http = 0 AND i.stored = 0 AND i.outcome > 0";
/* A lost call is booked with a quarter of its reservation, about the number of tokens in the reserved number
 * of bytes. */
#define SUMS                                                                              \
	", count(*), count(*), sum(tokens_in / 4), sum((tokens - tokens_in) / 4), 0, 0, " \
	"sum(nano / 4), 0"
static const char sql_reservations[] =
	"WITH gone AS (DELETE FROM reservation r WHERE (r.made_ms < $1 OR EXISTS (SELECT 1 FROM "
	"gateway g WHERE g.id = r.gateway AND g.dead = 1)) AND NOT EXISTS (SELECT 1 FROM run x "
	"WHERE x.id = r.run AND x.status < 2) RETURNING r.run, r.key, r.model, r.provider, r.nano, "
	"r.tokens, r.tokens_in, r.tags, coalesce(r.budgets, r.key) AS names, $2::bigint AS day, "
	"coalesce(" SETTLE_GROUP ", '') AS key_group), "
	"parts AS (SELECT k.key, g.nano, g.tokens, g.tokens_in FROM gone g CROSS JOIN LATERAL "
	"unnest(string_to_array(g.names, ' ')) AS k(key)), "
	"locked AS MATERIALIZED (SELECT b.key FROM budget b WHERE b.key IN (SELECT key FROM parts) "
	"ORDER BY b.key FOR UPDATE), "
	"sums AS (SELECT key, sum(nano)::bigint AS was_nano, sum(tokens)::bigint AS was_tokens, "
	"sum(nano / 4)::bigint AS nano, sum(tokens_in / 4 + (tokens - tokens_in) / 4)::bigint AS "
	"tokens FROM parts GROUP BY key), "
	"spent AS (UPDATE budget b SET reserved_nano = greatest(b.reserved_nano - s.was_nano, 0), "
	"reserved_tokens = greatest(b.reserved_tokens - s.was_tokens, 0), "
	"spent_nano = b.spent_nano + s.nano, spent_tokens = b.spent_tokens + s.tokens "
	"FROM sums s JOIN locked l USING (key) WHERE b.key = s.key), "
	"guessed AS (UPDATE run r SET usage_estimated = 1, usage_in = g.tokens_in / 4, "
	"usage_out = (g.tokens - g.tokens_in) / 4, cost_nano = g.nano / 4 FROM gone g "
	"WHERE r.id = g.run AND r.usage_estimated IS NULL), "
	"grouped AS (" USAGE_INTO(
		"usage_group", USAGE_GROUP_OF, SUMS, "gone WHERE key_group <> ''",
		USAGE_GROUP_ADDS) "), "
				  "tagged AS (" USAGE_INTO(
					  "usage_tag", USAGE_TAG_OF, SUMS,
					  "gone WHERE tags IS NOT NULL",
					  USAGE_TAG_ADDS) ") " USAGE_INTO("usage_day", USAGE_DAY_OF,
									  SUMS, "gone",
									  USAGE_DAY_ADDS);
/* A dead gateway's row stays for a day, so that a paused process that wakes up finds itself dead. */
static const char sql_forget[] =
	"DELETE FROM gateway g WHERE g.dead = 1 AND g.lease_until < now() - interval '1 day' "
	"AND NOT EXISTS (SELECT 1 FROM run r WHERE r.gateway = g.id AND r.status < 2) "
	"AND NOT EXISTS (SELECT 1 FROM reservation r WHERE r.gateway = g.id) "
	"AND NOT EXISTS (SELECT 1 FROM idempotency i WHERE i.gateway = g.id AND i.http = 0)";

static const char sql_signals[] =
	"DELETE FROM signal s USING gateway g WHERE g.id = s.gateway AND g.dead = 1";

/* No call lasts this long, so an older reservation has lost its call. */
#define DAY_MS ((int64_t)24 * 60 * 60 * 1000)

struct reap_state {
	struct reaped {
		struct id           run;
		uint64_t            reserved;
		uint64_t            last; /* logged event */
		struct cut_off_bill bill;
		char                provider[64], key[IDENTITY_ID_MAX], model[LIMIT_MODEL + 1];
		char                tags[LIMIT_TAGS];
		struct salvage      salvage;
		struct turn_end     end;
		struct usage_note   note;
		bool                left; /* it may go on */
	} runs[REAP_RUNS];
	size_t count;
};

static void reap_finish(void *state)
{
	struct reap_state *s = state;

	for (size_t i = 0; i < s->count; i++)
		salvage_finish(&s->runs[i].salvage);
}

static struct str reap_copy(char *to, size_t size, struct str s)
{
	str_copy(to, size, s);
	return str_of(to);
}

static void reap_read(struct postgres *db, struct row r, struct reaped *x)
{
	x->run = cell_id(cell_int(r, 0), r, 1);
	x->reserved = (uint64_t)cell_int(r, 2);
	x->bill = (struct cut_off_bill){
		.attempts = cell_int(r, 3),
		.first_token_ms = cell_int(r, 4),
		.provider = reap_copy(x->provider, sizeof x->provider, cell_str(r, 5)),
		.key = reap_copy(x->key, sizeof x->key, cell_str(r, 6)),
		.model = reap_copy(x->model, sizeof x->model, cell_str(r, 7)),
		.known = !cell_null(r, 8),
		.in = cell_int(r, 8),
		.priced = !cell_null(r, 9),
		.price_in = cell_int(r, 9),
		.price_out = cell_int(r, 10),
		.dropped = !cell_null(r, 11),
		.dropped_usage = { .in = cell_int(r, 11),
				   .out = cell_int(r, 12),
				   .cached_read = cell_int(r, 13),
				   .reasoning = cell_int(r, 14),
				   .estimated = cell_int(r, 17) != 0 },
		.dropped_priced = !cell_null(r, 15),
		.dropped_nano = cell_int(r, 15),
		.asked = cell_int(r, 16) != 0,
		.taken = cell_int(r, 18) != 0,
		.tags = reap_copy(x->tags, sizeof x->tags, cell_str(r, 19)),
	};
	salvage_init(&x->salvage, db->options.assemble);
}

static void reap_declare(struct work *w)
{
	work_param(w);
	work_ask(w, sql_declare);
	work_param(w);
	work_ask(w, sql_runs);
	work_param(w);
	work_ask(w, sql_keys);
	work_param(w);
	work_ask(w, sql_forget);
	work_param(w);
	work_ask(w, sql_signals);
}

/* reap_reservations: ends those of calls without a run that has to end.  It locks budgets, as settle_ask does, in an order
 * that holds within one statement; so no transaction asks both. */
static void reap_reservations(struct work *w)
{
	int64_t       now_ms = lease_now_ms(w->db);
	struct param *a = work_param(w);

	param_int(a, now_ms - DAY_MS);
	param_int(a, now_ms / DAY_MS);
	work_ask(w, sql_reservations);
}

static enum work_next reap_find(struct work *w)
{
	struct reap_state *s = work_state(w, sizeof *s, reap_finish);
	int                rows = work_rows(w, 1);
	struct param      *a;

	w->db->reaped = w->db->reap_left = 0;
	if (!s)
		return WORK_DONE;
	if (rows == 0) {
		reap_reservations(w);
		return WORK_LAST;
	}
	for (int i = 0; i < rows && i < REAP_RUNS; i++)
		reap_read(w->db, work_row(w, 1, i), &s->runs[s->count++]);
	a = work_param(w);
	PARAM_EACH(a, PARAM_INT, i, s->count, param_int(a, s->runs[i].run.key));
	work_ask(w, sql_pieces);
	return WORK_AGAIN;
}

static bool reap_pieces(struct work *w, struct reaped *x)
{
	bool ok = true;

	for (int i = 0; ok && i < work_rows(w, 0); i++) {
		struct row r = work_row(w, 0, i);

		if (cell_int(r, 0) != x->run.key)
			continue;
		x->last = (uint64_t)cell_int(r, 2);
		ok = salvage_add(&x->salvage,
				 &(struct events_piece){ .run = x->run,
							 .first = (uint64_t)cell_int(r, 1),
							 .last = x->last,
							 .data = cell_str(r, 3) });
	}
	return ok;
}

static void reap_end(struct reaped *x, bool cuts, int64_t now_ms)
{
	struct salvage_told told;

	x->end = (struct turn_end){
		.run = x->run,
		.status = RUN_INCOMPLETE,
		.error = STR(CUT_OFF_ERROR),
		.completed_ms = now_ms,
	};
	x->note = (struct usage_note){ .run = x->run, .at_ms = now_ms };
	x->end.answer = salvage_make(&x->salvage, &told);
	x->left = cuts && cut_off_goes_on(&x->bill, &told);
	x->end.keyed = true;
	x->end.kept_answer.http = told.begun ? 200 : 0;
	if (!cut_off_charge(&x->bill, &told, &x->end, &x->note))
		x->note.usage = (struct usage){ 0 };
	/* The end has the first number that no client can have seen.  A piece may be committed before the
	 * reservation of its numbers, so both count. */
	x->end.last_seq = (x->last > x->reserved ? x->last : x->reserved) + 1;
}

static enum work_next reap_ends(struct work *w)
{
	struct reap_state       *s = w->state;
	struct turn_end         *ends[REAP_RUNS];
	const struct usage_note *notes[REAP_RUNS];
	int64_t                  now_ms = lease_now_ms(w->db);
	size_t                   n = 0;
	struct param            *a;

	if (s->count == 0) /* reap_reservations was the last */
		return WORK_DONE;
	for (size_t i = 0; i < s->count; i++) {
		struct reaped *x = &s->runs[i];

		(void)reap_pieces(w, x);
		reap_end(x, w->db->options.cut != NULL, now_ms);
		if (x->left) {
			w->db->reap_left++;
			continue;
		}
		ends[n] = &x->end;
		notes[n++] = &x->note;
	}
	w->db->reaped = s->count;
	a = work_param(w);
	param_int(a, w->db->gateway);
	PARAM_EACH(a, PARAM_INT, i, s->count, param_int(a, s->runs[i].run.key));
	work_ask(w, sql_own);
	if (n > 0) {
		turn_end_ask(w, ends, n);
		settle_ask(w, notes, n);
	}
	return WORK_LAST;
}

/* reap_tell: the runs that may go on are this gateway's, for good. */
static enum work_next reap_tell(const struct work *w)
{
	const struct reap_state *s = w->state;

	for (size_t i = 0; s && i < s->count; i++)
		if (s->runs[i].left)
			w->db->options.cut(s->runs[i].run);
	return WORK_DONE;
}

enum work_next reap_step(struct work *w)
{
	switch (w->stage) {
	case 0: reap_declare(w); return WORK_AGAIN;
	case 1: return reap_find(w);
	case 2: return reap_ends(w);
	default: return reap_tell(w);
	}
}

void reap_over(struct work *w, const struct fault *f)
{
	if (f)
		w->db->reaped = w->db->reap_left = 0;
	w->db->reap_fault = f ? *f : (struct fault){ 0 };
}
