/* Reads calls out of the blocks of the ledger.
 *
 * Blocks stand in the order of their newest call; a block's calls began in one minute.  A page takes blocks until
 * no further one can have a call that belongs on it. */
#include "store/sql/calls.h"

#include "base/limits.h"
#include "store/ledger_block.h"
#include "store/sql/cells.h"

enum {
	BLOCKS = 32,                     /* blocks that one statement reads */
	ROWS_MOST = 2 * LIMIT_RUNS_LOOK, /* rows that a page looks at; some 40 ms */
	SLACK_MINUTES = 2,               /* ids are made a moment before or after their times */
	LATE_MINUTES = 13, /* or after the longest wait for admission, and the slowest body */
	SPANS = 800,       /* hours of a key that a page knows of: those of a month */
	HOUR_MINUTES = 60,
	HOUR_BLOCKS = 60 * HOUR_MINUTES,     /* a gateway writes one a second */
	BLOCK_BYTES = LEDGER_BLOCK_OWN + 80, /* a block with one row, about */
};

/* $1 where to begin, $2 where to end, $3 bits, $4 how many. */
#define PAGE(E, range, way)                                                                        \
	"SELECT high, data FROM call_block WHERE high IN (SELECT high FROM call_block " E##_INDEX( \
		"call_block_bits") "WHERE " range " AND (bits & $3) = $3 ORDER BY high " way       \
				   " LIMIT $4) ORDER BY high " way
#define EDGE(is, way) \
	"SELECT high FROM call_block WHERE high " is " $1 ORDER BY high " way " LIMIT 1 OFFSET $2"

/* $1 and $2: the first and the last hour, $3: the key, or NULL for all keys of the owner $4; $5 how many hours.  A
 * key that few calls have is looked for hour by hour, in the sums' own index.  A scalar subquery is never turned into
 * a join that reads all sums. */
#define HOURS(edge, beyond, step, within, end)                                                                                  \
	"WITH RECURSIVE keys(key) AS MATERIALIZED (SELECT CAST($3 AS text) WHERE $3 IS NOT NULL UNION ALL SELECT 'key_' || id " \
	"FROM api_key WHERE $3 IS NULL AND owner = $4), "                                                                       \
	"h(hour) AS (SELECT CASE WHEN m " beyond " $1 THEN m ELSE $1 END "                                                      \
	"FROM (SELECT " edge "(hour) AS m FROM call_hour) AS e "                                                                \
	"UNION ALL SELECT hour " step " 1 FROM h WHERE hour " within " $2 "                                                     \
	"AND hour " within " (SELECT " end "(hour) FROM call_hour)) "                                                           \
	"SELECT h.hour, (SELECT s.bytes FROM call_size s WHERE s.hour = h.hour) FROM h WHERE "                                  \
	"(SELECT 1 FROM keys k JOIN call_hour c ON c.key = k.key WHERE c.hour = h.hour LIMIT 1) = 1 "                           \
	"LIMIT $5"

/* By runs_read.ascending. */
static const char *const sql_hours[] = { HOURS("max", "<", "-", ">", "min"),
					 HOURS("min", ">", "+", "<", "max") };
static const struct sql  sql_page[] = {
	 SQL_EITHER_OF(PAGE, "high < $1 AND high >= $2", "DESC"),
	 SQL_EITHER_OF(PAGE, "high > $1 AND high <= $2", "ASC"),
};
static const char *const sql_edge[] = { EDGE("<", "DESC"), EDGE(">", "ASC") };
static const char        sql_one[] =
	"SELECT data FROM call_block WHERE high >= $1 AND high < $2 AND low <= $1";

static int64_t minute_key(int64_t minute)
{
	return id_key_at(minute * LEDGER_MINUTE_MS);
}

/* --- which calls --- */

static bool same_word(struct str wanted, struct str is)
{
	return wanted.n == 0 || str_eq(wanted, is);
}

static bool calls_wanted(const struct runs_read *j, const struct call_row *c)
{
	int64_t key = c->id.key;
	bool    past = j->ascending ? key > j->after.key : key < j->after.key;

	return (id_none(j->after) || past) && (j->any_owner || c->owner == j->owner) &&
	       (j->status < 0 || (int)c->status == j->status) &&
	       (j->outcome == 0 || (int)c->outcome + 1 == j->outcome) &&
	       c->created_ms >= j->from_ms && (j->to_ms == 0 || c->created_ms < j->to_ms) &&
	       c->duration_us >= j->min_ms * 1000 && same_word(j->model, c->model) &&
	       same_word(j->key, c->key) && same_word(j->group, c->group) &&
	       same_word(j->provider, c->provider) && same_word(j->error, c->error);
}

static int64_t calls_mask(const struct runs_read *j)
{
	int64_t mask = 0;

	if (!j->any_owner)
		mask |= ledger_bit_owner(j->owner);
	if (j->outcome > 0)
		mask |= ledger_bit_outcome((enum call_outcome)(j->outcome - 1));
	if (j->model.n > 0)
		mask |= ledger_bit(LEDGER_WORD_MODEL, j->model);
	if (j->key.n > 0)
		mask |= ledger_bit(LEDGER_WORD_KEY, j->key);
	if (j->group.n > 0)
		mask |= ledger_bit(LEDGER_WORD_GROUP, j->group);
	if (j->provider.n > 0)
		mask |= ledger_bit(LEDGER_WORD_PROVIDER, j->provider);
	if (j->error.n > 0)
		mask |= ledger_bit(LEDGER_WORD_ERROR, j->error);
	if (j->stores == RUNS_UNSTORED)
		mask |= ledger_bit_unstored();
	return mask;
}

/* --- a page --- */

/* calls_page_start: where blocks are looked for first. */
static int64_t calls_page_start(const struct runs_read *j)
{
	int64_t at = j->ascending ? INT64_MIN : INT64_MAX;

	if (!id_none(j->after))
		at = j->ascending ? j->after.key
				  : minute_key(ledger_minute(j->after.key) + SLACK_MINUTES);
	if (j->ascending && j->from_ms > 0) {
		int64_t from = minute_key(j->from_ms / LEDGER_MINUTE_MS - SLACK_MINUTES);

		return from > at ? from : at;
	}
	if (!j->ascending && j->to_ms > 0) {
		int64_t to = minute_key(j->to_ms / LEDGER_MINUTE_MS + LATE_MINUTES);

		return to < at ? to : at;
	}
	return at;
}

/* calls_page_stop: where the filter by time ends the look. */
static int64_t calls_page_stop(const struct runs_read *j)
{
	if (j->ascending)
		return j->to_ms > 0 ? minute_key(j->to_ms / LEDGER_MINUTE_MS + LATE_MINUTES)
				    : INT64_MAX;
	return j->from_ms > 0 ? minute_key(j->from_ms / LEDGER_MINUTE_MS - SLACK_MINUTES)
			      : INT64_MIN;
}

/* calls_by_hour: whether the sums of the hours tell when there were such calls. */
static bool calls_by_hour(const struct runs_read *j)
{
	return j->any_owner ? j->key.n > 0 : j->keyed;
}

static int64_t hour_of_key(int64_t key)
{
	return id_key_ms(key) / LEDGER_HOUR_MS;
}

static void calls_ask_hours(struct query *q, const struct runs_read *j, const struct calls_page *p)
{
	struct param *a = query_param(q);

	param_int(a, hour_of_key(p->at));
	param_int(a, hour_of_key(p->to));
	/* An owner's list is looked for in the owner's hours, whatever key its query names: where a page ends
	 * would tell of the hours of that key. */
	if (j->any_owner)
		param_text(a, j->key);
	else
		param_null(a, PARAM_TEXT);
	param_int(a, j->owner);
	param_int(a, SPANS);
	query_ask(q, sql_hours[j->ascending]);
}

void calls_page_begin(struct query *q, const struct runs_read *j, struct calls_page *p)
{
	p->at = calls_page_start(j);
	p->to = calls_page_stop(j);
	p->mask = calls_mask(j);
	p->by_hour = calls_by_hour(j);
	if (p->by_hour) {
		calls_ask_hours(q, j, p);
		return;
	}
	struct param *a = query_param(q);
	param_int(a, p->at);
	param_int(a, LIMIT_LEDGER_LOOK - 1);
	query_ask(q, sql_edge[j->ascending]);
}

static bool calls_keep(struct arena *a, struct str *s)
{
	if (s->n == 0)
		return true;
	*s = arena_str(a, *s);
	return s->p != NULL;
}

/* calls_place: where the call belongs among those of the page. */
static size_t calls_place(const struct runs_read *j, const struct calls_page *p, int64_t key)
{
	size_t at = p->count;

	while (at > 0 &&
	       (j->ascending ? p->rows[at - 1].id.key > key : p->rows[at - 1].id.key < key))
		at--;
	return at;
}

/* calls_put: false: the arena is full. */
static bool calls_put(struct runs_read *j, struct calls_page *p, const struct call_row *c)
{
	size_t          at = calls_place(j, p, c->id.key);
	struct call_row row = *c;

	if (at > j->limit)
		return true;
	if (!calls_keep(&j->arena, &row.key) || !calls_keep(&j->arena, &row.group) ||
	    !calls_keep(&j->arena, &row.model) || !calls_keep(&j->arena, &row.provider) ||
	    !calls_keep(&j->arena, &row.family) || !calls_keep(&j->arena, &row.error) ||
	    !calls_keep(&j->arena, &row.finish_reason))
		return false;
	p->count += p->count <= j->limit;
	memmove(p->rows + at + 1, p->rows + at, (p->count - at - 1) * sizeof *p->rows);
	p->rows[at] = row;
	return true;
}

/* calls_page_full: whether no block from this one on can have a call of the page. */
static bool calls_page_full(const struct runs_read *j, const struct calls_page *p, int64_t high)
{
	if (p->count <= j->limit)
		return false;
	int64_t last = p->rows[p->count - 1].id.key;

	return j->ascending ? last < minute_key(ledger_minute(high)) : last > high;
}

static void calls_take_block(struct runs_read *j, struct calls_page *p, struct str data)
{
	struct ledger_walk w;
	struct call_row    c;

	/* A damaged block is passed over, so that one bad page does not hide the rest. */
	if (!ledger_walk_begin(&w, data))
		return;
	while (ledger_walk_next(&w, &c)) {
		p->looked++;
		if (calls_wanted(j, &c) && !calls_put(j, p, &c)) {
			cell_no_memory(&j->job.err);
			return;
		}
	}
}

/* calls_moved: whether a page that ended here would end after the one before it, as pages end with a minute. */
static bool calls_moved(const struct runs_read *j, const struct calls_page *p)
{
	int64_t minutes = ledger_minute(p->at) - ledger_minute(j->after.key);

	return id_none(j->after) || minutes > SLACK_MINUTES || minutes < -SLACK_MINUTES;
}

/* calls_page_blocks: true: a further statement has further blocks.  p->over: no further one has calls of the page. */
static bool calls_page_blocks(struct query *q, size_t n, struct runs_read *j, struct calls_page *p)
{
	size_t     blocks = 0;
	struct row r;

	while (j->job.err.code == ERR_OK && query_row(q, n, &r)) {
		int64_t high = cell_int(r, 0);

		p->over = calls_page_full(j, p, high);
		if (p->over)
			return false;
		if (p->looked >= ROWS_MOST && calls_moved(j, p)) {
			p->cut = true;
			p->to = p->at;
			p->over = true;
			return false;
		}
		calls_take_block(j, p, cell_str(r, 1));
		p->at = high;
		blocks++;
	}
	return blocks == BLOCKS;
}

/* --- hours of a key --- */

/* span_edge: the key where the hour's calls begin, or end; before: in the list's order. */
static int64_t span_edge(const struct runs_read *j, int64_t hour, bool before)
{
	return before == j->ascending ? minute_key(hour * HOUR_MINUTES - SLACK_MINUTES)
				      : minute_key((hour + 1) * HOUR_MINUTES + SLACK_MINUTES);
}

/* calls_span_next: goes on with the next hour; false: there is none, or the page has looked at enough. */
static bool calls_span_next(const struct runs_read *j, struct calls_page *p)
{
	bool last = p->span == p->span_count;

	/* The first hour may be the one with which the last page ended. */
	if (p->span >= 2 && (last ? p->span_count == SPANS : p->blocks > LIMIT_LEDGER_LOOK)) {
		p->cut = true;
		p->to = span_edge(j, p->spans[p->span - 1].hour, false);
		return false;
	}
	if (last)
		return false;
	const struct calls_span *s = &p->spans[p->span++];
	int64_t                  from = span_edge(j, s->hour, true);
	int64_t                  to = span_edge(j, s->hour, false);
	p->at = j->ascending == (from > p->at) ? from : p->at;
	p->to = j->ascending == (to < p->end) ? to : p->end;
	p->blocks += s->blocks;
	return true;
}

static void calls_page_spans(struct query *q, size_t n, struct runs_read *j, struct calls_page *p)
{
	struct row r;

	p->end = p->to;
	p->spans = arena_alloc(&j->arena, SPANS * sizeof *p->spans);
	if (!p->spans)
		cell_no_memory(&j->job.err);
	for (; p->spans && p->span_count < SPANS && query_row(q, n, &r); p->span_count++) {
		int64_t most = cell_null(r, 1) ? 0 : cell_int(r, 1) / BLOCK_BYTES;

		p->spans[p->span_count] =
			(struct calls_span){ cell_int(r, 0),
					     most < HOUR_BLOCKS ? most : HOUR_BLOCKS };
	}
}

/* calls_page_edge: the page looks at no more blocks than these. */
static void calls_page_edge(struct query *q, size_t n, const struct runs_read *j,
			    struct calls_page *p)
{
	struct row r;

	if (!query_row(q, n, &r))
		return;
	int64_t edge = cell_int(r, 0);
	if (j->ascending ? edge >= p->to : edge <= p->to)
		return;
	p->cut = true;
	p->to = edge;
}

/* calls_page_first: takes how far the page may look. */
static void calls_page_first(struct query *q, size_t n, struct runs_read *j, struct calls_page *p)
{
	p->rows = arena_alloc(&j->arena, (j->limit + 2) * sizeof *p->rows);
	if (!p->rows)
		cell_no_memory(&j->job.err);
	else if (p->by_hour)
		calls_page_spans(q, n, j, p);
	else
		calls_page_edge(q, n, j, p);
}

bool calls_page_next(struct query *q, size_t n, struct runs_read *j, struct calls_page *p)
{
	bool further = !p->by_hour;

	if (p->over)
		return false;
	if (p->rows)
		further = calls_page_blocks(q, n, j, p);
	else
		calls_page_first(q, n, j, p);
	if (!p->over && !further && j->job.err.code == ERR_OK)
		further = p->by_hour && calls_span_next(j, p);
	p->over |= !further;
	if (p->over || j->job.err.code != ERR_OK)
		return false;
	struct param *a = query_param(q);
	param_int(a, p->at);
	param_int(a, p->to);
	param_int(a, p->mask);
	param_int(a, BLOCKS);
	query_ask_either(q, &sql_page[j->ascending]);
	return true;
}

/* --- runs and calls --- */

static void call_tell(const struct call_row *c, struct run_read *run)
{
	run->call.known = true;
	run->call.outcome = (int)c->outcome;
	run->call.http = c->http;
	run->call.duration_us = c->duration_us;
	run->call.first_us = c->first_us;
	run->call.weight = c->weight;
	run->call.provider_key = c->provider_key;
	run->call.family = c->family;
	run->call.error = c->error;
	run->call.group = c->group;
	run->call.cache = (int)c->cache;
	run->call.cached_from = c->cached_from;
}

static void call_fill(const struct call_row *c, struct run_read *run)
{
	run->run = c->id;
	run->owner = c->owner;
	run->status = c->status;
	run->model = c->model;
	run->provider = c->provider;
	run->finish_reason = c->finish_reason;
	run->usage = c->usage;
	run->created_ms = c->created_ms;
	run->first_token_ms = c->first_us > 0 ? c->created_ms + c->first_us / 1000 : 0;
	run->completed_ms = c->created_ms + c->duration_us / 1000;
	run->attempts = c->attempts;
	run->costs = c->costs;
	run->cost_nano = c->cost_nano;
	run->key = c->key;
	run->call.unstored = !c->stored;
	call_tell(c, run);
}

static bool comes_before(const struct runs_read *j, int64_t a, int64_t b)
{
	return j->ascending ? a < b : a > b;
}

/* The place up to which one of the two lists is complete. */
struct calls_edge {
	bool    cut; /* more follows */
	int64_t key;
};

static struct calls_edge edge_of_runs(const struct runs_read *j)
{
	struct calls_edge e = { j->has_more, 0 };

	if (j->has_more)
		e.key = !id_none(j->end)   ? j->end.key
			: j->run_count > 0 ? j->runs[j->run_count - 1].run.key
					   : j->after.key;
	return e;
}

/* A page ends at a whole minute, so that its end tells of the calls of other owners hardly more than how many there
 * are. */
static struct calls_edge edge_of_calls(const struct runs_read *j, const struct calls_page *p)
{
	if (p->count > j->limit)
		return (struct calls_edge){ true, p->rows[j->limit - 1].id.key };
	if (!p->cut)
		return (struct calls_edge){ false, 0 };
	/* Calls of the last block's minute may be missing. */
	return (struct calls_edge){ true, j->ascending ? minute_key(ledger_minute(p->to)) - 1
						       : minute_key(ledger_minute(p->to) + 1) };
}

static struct calls_edge edge_first(const struct runs_read *j, struct calls_edge a,
				    struct calls_edge b)
{
	if (!a.cut || !b.cut)
		return a.cut ? a : b;
	return comes_before(j, a.key, b.key) ? a : b;
}

/* The two lists, of which the merged one is made. */
struct merging {
	struct runs_read        *j;
	const struct calls_page *p;
	struct calls_edge        edge;
	size_t                   run, call; /* the next ones */
	struct run_read         *out;
	size_t                   count;
};

static bool merge_within(const struct merging *m, int64_t key)
{
	return !m->edge.cut || !comes_before(m->j, m->edge.key, key);
}

/* calls_of_store: whether the list wants stored calls, or calls that are not stored. */
static bool calls_of_store(const struct runs_read *j, const struct call_row *c)
{
	return j->stores == RUNS_ALL || (j->stores == RUNS_STORED) == c->stored;
}

/* merge_one: false: neither list has a further one. */
static bool merge_one(struct merging *m)
{
	const struct runs_read *j = m->j;
	size_t                  calls = m->p->count < j->limit ? m->p->count : j->limit;
	const struct run_read  *run = m->run < j->run_count ? &j->runs[m->run] : NULL;
	const struct call_row  *call = m->call < calls ? &m->p->rows[m->call] : NULL;

	if (run && !merge_within(m, run->run.key))
		run = NULL;
	if (call && !merge_within(m, call->id.key))
		call = NULL;
	if (!run && !call)
		return false;
	if (run && call && run->run.key != call->id.key) {
		if (comes_before(j, run->run.key, call->id.key))
			call = NULL;
		else
			run = NULL;
	}
	m->run += run != NULL;
	m->call += call != NULL;
	/* A stored call without its run: it was deleted, or it does not belong to the list; the list of a group has
	 * nothing but calls. */
	if (!run &&
	    (j->group.n > 0 ? !calls_of_store(j, call) : call->stored || j->stores == RUNS_STORED))
		return true;
	if (run)
		m->out[m->count] = *run;
	else
		call_fill(call, &m->out[m->count]);
	if (run && call)
		call_tell(call, &m->out[m->count]);
	m->count++;
	return true;
}

void calls_page_merge(struct runs_read *j, const struct calls_page *p)
{
	struct merging m = {
		.j = j,
		.p = p,
		.edge = edge_first(j, edge_of_runs(j), edge_of_calls(j, p)),
		.out = arena_alloc(&j->arena, (j->limit + 1) * sizeof *m.out),
	};

	if (!m.out) {
		cell_no_memory(&j->job.err);
		return;
	}
	while (m.count <= j->limit && merge_one(&m))
		;
	j->has_more = m.edge.cut || m.count > j->limit;
	j->end = (struct id){ 0 };
	if (m.count > j->limit)
		m.count = j->limit;
	else if (m.edge.cut && (m.count == 0 || m.out[m.count - 1].run.key != m.edge.key))
		j->end.key = m.edge.key;
	j->runs = m.out;
	j->run_count = m.count;
}

/* --- one --- */

void calls_one_ask(struct query *q, struct id run)
{
	struct param *a = query_param(q);

	param_int(a, run.key);
	param_int(a, minute_key(ledger_minute(run.key) + SLACK_MINUTES));
	query_ask(q, sql_one);
}

static bool one_find(struct str data, struct id id, struct call_row *ret)
{
	struct ledger_walk w;

	if (!ledger_walk_begin(&w, data))
		return false;
	while (ledger_walk_next(&w, ret))
		if (ret->id.key == id.key)
			return ret->id.secret == id.secret;
	return false;
}

bool calls_one_known(struct query *q, size_t n, const struct runs_read *j)
{
	struct call_row c;
	struct row      r;

	while (query_row(q, n, &r))
		if (one_find(cell_str(r, 0), j->after, &c))
			return j->any_owner || c.owner == j->owner;
	return false;
}

bool calls_one_take(struct query *q, size_t n, bool stored, struct run_read *j)
{
	struct call_row c;
	struct row      r;

	while (query_row(q, n, &r)) {
		if (!one_find(cell_str(r, 0), j->run, &c) ||
		    (c.owner != j->owner && !j->any_owner) || (!stored && c.stored))
			continue;
		if (!calls_keep(&j->arena, &c.key) || !calls_keep(&j->arena, &c.group) ||
		    !calls_keep(&j->arena, &c.family) || !calls_keep(&j->arena, &c.error) ||
		    (!stored &&
		     (!calls_keep(&j->arena, &c.model) || !calls_keep(&j->arena, &c.provider) ||
		      !calls_keep(&j->arena, &c.finish_reason)))) {
			cell_no_memory(&j->job.err);
			return true;
		}
		if (stored)
			call_tell(&c, j);
		else
			call_fill(&c, j);
		return true;
	}
	return false;
}
