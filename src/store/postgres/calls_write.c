/* Writes what the ledger of calls has gathered: blocks of rows, and the sums of hours.
 *
 * A gateway has rows of hours of its own, so that their histograms are read and written without a lock.  A row for
 * the batch makes a batch that is sent again add nothing. */
#include "store/postgres/chores.h"

#include "base/buf.h"
#include "store/ledger_block.h"
#include "store/postgres/postgres.h"

#include <stdlib.h>

enum {
	/* Each row may have a block and names of its own. */
	BLOCKS_MOST = LIMIT_LEDGER_BYTES +
		      LIMIT_LEDGER_ROWS * (LEDGER_HEAD_MOST + LEDGER_NAMES_MOST + 16),
	/* The hours by each name, and the sums of each kind. */
	SUMS_MOST = LIMIT_LEDGER_HOURS * (CALLS_BY_EACH + 1),
};

static const char sql_find[] =
	"WITH k AS MATERIALIZED (SELECT * FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], "
	"$6::text[]) WITH ORDINALITY AS k(kind, hour, key, model, provider, place)) "
	"SELECT k.place::bigint - 1, h.durations, h.firsts FROM k JOIN call_hour h "
	"USING (hour, key, model, provider) WHERE h.gateway = $1 AND k.kind = 4 "
	"UNION ALL SELECT k.place::bigint - 1, s.durations, s.firsts FROM k JOIN call_sum s "
	"ON s.kind = k.kind AND s.hour = k.hour AND s.name = k.key || k.model || k.provider "
	"WHERE s.gateway = $1";
#define COUNTS                                                                                     \
	"calls, failed, cancelled, client_left, refused, tokens_in, tokens_out, nano, durations, " \
	"firsts"
/* The hours by each name have all names; sums have one or none. */
#define ADD(table, names, values, which)                                          \
	"INSERT INTO " table " (" names ", gateway, " COUNTS ") SELECT " values   \
	", $1::bigint, " COUNTS " FROM s WHERE kind " which                       \
	" 4 AND EXISTS (SELECT 1 FROM fresh) ON CONFLICT (" names ", gateway) "   \
	"DO UPDATE SET calls = " table ".calls + excluded.calls, failed = " table \
	".failed + excluded.failed, "                                             \
	"cancelled = " table ".cancelled + excluded.cancelled, "                  \
	"client_left = " table ".client_left + excluded.client_left, "            \
	"refused = " table ".refused + excluded.refused, "                        \
	"tokens_in = " table ".tokens_in + excluded.tokens_in, "                  \
	"tokens_out = " table ".tokens_out + excluded.tokens_out, nano = " table  \
	".nano + excluded.nano, "                                                 \
	"durations = excluded.durations, firsts = excluded.firsts"
_Static_assert(CALLS_BY_EACH == 4, "the statements name it");
static const char sql_write[] =
	"WITH fresh AS (INSERT INTO call_batch (gateway, seq) VALUES ($1, $2) ON CONFLICT DO NOTHING "
	"RETURNING seq), old AS (DELETE FROM call_batch WHERE gateway = $1 AND seq < $2), "
	"blocks AS (INSERT INTO call_block (high, low, calls, bits, data) SELECT b.* FROM "
	"unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bytea[]) AS b "
	"ON CONFLICT (high) DO NOTHING), "
	"sizes AS (INSERT INTO call_size (hour, bytes) SELECT s.hour, sum(s.bytes)::bigint FROM "
	"unnest($8::bigint[], $9::bigint[]) AS s(hour, bytes) WHERE EXISTS (SELECT 1 FROM fresh) "
	"GROUP BY s.hour ORDER BY s.hour "
	"ON CONFLICT (hour) DO UPDATE SET bytes = call_size.bytes + excluded.bytes), "
	"s AS MATERIALIZED (SELECT * FROM unnest($10::bigint[], $11::bigint[], $12::text[], $13::text[], "
	"$14::text[], $15::bigint[], $16::bigint[], $17::bigint[], $18::bigint[], $19::bigint[], "
	"$20::bigint[], $21::bigint[], $22::bigint[], $23::bytea[], $24::bytea[]) "
	"AS s(kind, hour, key, model, provider, " COUNTS ")), "
	"sums AS (" ADD("call_sum", "kind, hour, name", "kind, hour, key || model || provider",
			"<>") ") " ADD("call_hour", "hour, key, model, provider",
				       "hour, key, model, provider", "=");

/* An hour of the batch; the packed histograms are in the state's bytes. */
struct call_hours {
	const struct ledger_hour *hour; /* the ledger's */
	size_t                    at[3];
};

struct call_state {
	struct buf           bytes;  /* data of blocks */
	struct buf           packed; /* histograms */
	struct ledger_block *blocks; /* owned; data.p counts from the beginning of bytes */
	size_t              *ends;   /* owned; ends of the blocks' data in bytes */
	size_t               block_count, block_cap;
	struct call_hours   *hours; /* owned */
	size_t               hour_count, hour_cap;
	uint64_t             seq;
};

static void call_state_finish(void *state)
{
	struct call_state *s = state;

	buf_finish(&s->bytes);
	buf_finish(&s->packed);
	free(s->blocks);
	free(s->ends);
	free(s->hours);
}

/* --- what is to be written --- */

static int take_block(void *state, const struct ledger_block *b)
{
	struct call_state *s = state;

	if (s->block_count == s->block_cap) {
		size_t               cap = s->block_cap ? 2 * s->block_cap : 8;
		struct ledger_block *blocks = realloc(s->blocks, cap * sizeof *blocks);

		if (!blocks)
			return -1;
		s->blocks = blocks;
		size_t *ends = realloc(s->ends, cap * sizeof *ends);
		if (!ends)
			return -1;
		s->ends = ends;
		s->block_cap = cap;
	}
	if (!buf_str(&s->bytes, b->data))
		return -1;
	s->blocks[s->block_count] = *b;
	s->ends[s->block_count++] = s->bytes.len;
	return 0;
}

static int take_hour(void *state, const struct ledger_hour *h)
{
	struct call_state *s = state;

	if (s->hour_count == s->hour_cap) {
		size_t             cap = s->hour_cap ? 2 * s->hour_cap : 16;
		struct call_hours *hours = realloc(s->hours, cap * sizeof *hours);

		if (!hours)
			return -1;
		s->hours = hours;
		s->hour_cap = cap;
	}
	s->hours[s->hour_count++] = (struct call_hours){ .hour = h };
	return 0;
}

static struct str data_of(const struct call_state *s, size_t i)
{
	size_t from = i > 0 ? s->ends[i - 1] : 0;

	return (struct str){ s->bytes.data + from, s->ends[i] - from };
}

static struct str packed_of(const struct call_state *s, size_t i, int which)
{
	const size_t *at = &s->hours[i].at[which];

	if (at[1] == at[0])
		return STR("");
	return (struct str){ s->packed.data + at[0], at[1] - at[0] };
}

/* call_merge: packs the histograms of an hour with what the database has of them. */
static bool call_merge(struct call_state *s, size_t i, struct str durations, struct str firsts)
{
	struct call_hours      *h = &s->hours[i];
	struct ledger_histogram both[2] = { h->hour->durations, h->hour->firsts };

	if (!ledger_histogram_take(&both[0], durations) ||
	    !ledger_histogram_take(&both[1], firsts)) {
		both[0] = h->hour->durations; /* a damaged one begins anew */
		both[1] = h->hour->firsts;
	}
	for (size_t n = 0; n < ARRAY_LEN(both); n++) {
		h->at[n] = s->packed.len;
		if (!ledger_histogram_put(&both[n], &s->packed))
			return false;
	}
	h->at[2] = s->packed.len;
	return true;
}

static bool call_merge_all(struct work *w, struct call_state *s)
{
	for (int n = 0; n < work_rows(w, 0); n++) {
		struct row r = work_row(w, 0, n);
		size_t     i = (size_t)cell_int(r, 0);

		if (i < s->hour_count && !call_merge(s, i, cell_str(r, 1), cell_str(r, 2)))
			return false;
	}
	for (size_t i = 0; i < s->hour_count; i++)
		if (s->hours[i].at[2] == 0 && !call_merge(s, i, STR_NONE, STR_NONE))
			return false;
	return true;
}

/* --- statements --- */

#define EACH(type, count, add) PARAM_EACH(a, PARAM_##type, i, s->count, add)
#define H                      (s->hours[i].hour)

static void call_names(struct param *a, const struct call_state *s)
{
	EACH(INT, hour_count, param_int(a, (int64_t)H->by));
	EACH(INT, hour_count, param_int(a, H->hour));
	EACH(TEXT, hour_count, param_text(a, str_of(H->key)));
	EACH(TEXT, hour_count, param_text(a, str_of(H->model)));
	EACH(TEXT, hour_count, param_text(a, str_of(H->provider)));
}

static void calls_write_args(struct param *a, const struct call_state *s)
{
	EACH(INT, block_count, param_int(a, s->blocks[i].high));
	EACH(INT, block_count, param_int(a, s->blocks[i].low));
	EACH(INT, block_count, param_int(a, s->blocks[i].rows));
	EACH(INT, block_count, param_int(a, s->blocks[i].bits));
	EACH(BYTES, block_count, param_bytes(a, data_of(s, i)));
	EACH(INT, block_count, param_int(a, id_key_ms(s->blocks[i].high) / LEDGER_HOUR_MS));
	EACH(INT, block_count, param_int(a, (int64_t)data_of(s, i).n + LEDGER_BLOCK_OWN));
	call_names(a, s);
	EACH(INT, hour_count, param_int(a, H->sums.calls));
	EACH(INT, hour_count, param_int(a, H->sums.outcomes[CALL_FAILED]));
	EACH(INT, hour_count, param_int(a, H->sums.outcomes[CALL_CANCELLED]));
	EACH(INT, hour_count, param_int(a, H->sums.outcomes[CALL_CLIENT_LEFT]));
	EACH(INT, hour_count, param_int(a, H->sums.outcomes[CALL_REFUSED]));
	EACH(INT, hour_count, param_int(a, H->sums.tokens_in));
	EACH(INT, hour_count, param_int(a, H->sums.tokens_out));
	EACH(INT, hour_count, param_int(a, H->sums.nano));
	EACH(BYTES, hour_count, param_bytes(a, packed_of(s, i, 0)));
	EACH(BYTES, hour_count, param_bytes(a, packed_of(s, i, 1)));
}

/* --- the chore --- */

bool calls_wanted(struct postgres *db)
{
	return db->store.ledger && ledger_any(db->store.ledger);
}

static struct call_state *call_gather(struct work *w)
{
	struct call_state *s = work_state(w, sizeof *s, call_state_finish);

	if (!s)
		return NULL;
	buf_init(&s->bytes, BLOCKS_MOST);
	buf_init(&s->packed, SUMS_MOST * (size_t)2 * LEDGER_HISTOGRAM_MOST);
	const struct ledger_sink sink = { take_block, take_hour, s };
	return ledger_flush(w->db->store.ledger, &sink, &s->seq) == 0 ? s : NULL;
}

enum work_next calls_step(struct work *w)
{
	struct call_state *s = w->state;
	struct param      *a;

	if (w->stage > 1)
		return WORK_DONE;
	if (w->stage == 0) {
		s = call_gather(w);
		w->db->calls_lost = !s;
		if (!s)
			return WORK_DONE;
		a = work_param(w);
		param_int(a, w->db->gateway);
		call_names(a, s);
		work_ask(w, sql_find);
		return WORK_AGAIN;
	}
	w->db->calls_lost = !call_merge_all(w, s);
	if (w->db->calls_lost)
		return WORK_DONE;
	a = work_param(w);
	param_int(a, w->db->gateway);
	param_int(a, (int64_t)s->seq);
	calls_write_args(a, s);
	work_ask(w, sql_write);
	return WORK_LAST;
}

void calls_over(struct work *w, const struct fault *f)
{
	ledger_done(w->db->store.ledger, !f && !w->db->calls_lost);
}
