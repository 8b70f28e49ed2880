/* Reads a list of runs, newest or oldest first, and calls of the ledger with them. */
#include "store/sql/calls.h"
#include "store/sql/cells.h"

#include <stdio.h>

/* $1 the id after which the page begins, $2 the owner or NULL, $3 the status or -1, $4 how many, $5 a key
 * below those of all runs made since the time $6, $7 the model or NULL, $8 the API key or NULL, $9 and $10
 * the keys between which runs are looked at, $11 whether the names of API keys are wanted, $12 and $13 the
 * conversation, $14 the time before which they were made, $15 the provider or NULL, $16 the error's code as it
 * stands in a JSON object, or NULL, $17 how long they lasted at least, $18 the outcome or -1. */
#define ROW          RUN_CELL_COLUMNS ", r.bill_key, a.name, r.owner FROM run r "
#define JOINS        RUN_CELL_JOINS "LEFT JOIN api_key a ON $11 > 0 AND a.id = substr(r.bill_key, 5) "
#define SQLITE_HAS   "instr"
#define POSTGRES_HAS "strpos"
#define OUTCOME                                                                     \
	"CASE WHEN r.status = 2 THEN 0 WHEN r.status = 5 THEN 2 WHEN r.status < 2 " \
	"THEN -2 WHEN r.attempts > 0 THEN 1 ELSE 4 END"
#define PAGE(E, is)                                                                             \
	"r.id " is " $1 AND r.id >= $5 AND r.id BETWEEN $9 AND $10 AND r.created_ms >= $6 "     \
	"AND r.created_ms < $14 AND ($2 IS NULL OR r.owner = $2) "                              \
	"AND ($7 IS NULL OR r.model = $7) AND ($8 IS NULL OR r.bill_key = $8) "                 \
	"AND ($15 IS NULL OR r.provider = $15) "                                                \
	"AND ($16 IS NULL OR " E##_HAS "(r.error, $16) > 0) "                                   \
				       "AND ($17 = 0 OR r.completed_ms - r.created_ms >= $17) " \
				       "AND ($18 < 0 OR " OUTCOME " = $18) "
#define PAGE_END(way)   "ORDER BY r.id " way " LIMIT $4"
#define ANY_STATUS      "AND ($3 < 0 OR r.status = $3) "
#define ALL(E, is, way) ROW JOINS "WHERE " PAGE(E, is) ANY_STATUS PAGE_END(way)
/* If only the key of a conversation matches, nothing may be told of it. */
#define CONVERSATION(E, is, way)                                                            \
	ROW E##_INDEX("run_conversation") JOINS                                             \
		"WHERE r.conversation = $12 AND c.secret = $13 AND " PAGE(E, is) ANY_STATUS \
		PAGE_END(way)
#define LIVE(E, is, way)                \
	ROW E##_INDEX("run_live") JOINS \
		"WHERE r.status < 2 AND " PAGE(E, is) "AND r.status = $3 " PAGE_END(way)
#define UNUSUAL(E, is, way)                                                                        \
	ROW E##_INDEX("run_unusual") JOINS "WHERE r.status > 2 AND r.status = $3 AND " PAGE(E, is) \
		PAGE_END(way)
/* The last run that a page looks at: $2 others come before it. */
#define EDGE(E, is, way) \
	"SELECT id FROM run WHERE id " is " $1 ORDER BY id " way " LIMIT 1 OFFSET $2"
#define EDGE_UNUSUAL(E, is, way)                                             \
	"SELECT id FROM run " E##_INDEX(                                     \
		"run_unusual") "WHERE status > 2 AND status = $3 AND id " is \
			       " $1 ORDER BY id " way " LIMIT 1 OFFSET $2"
#define BOTH(list)                                                                \
	{                                                                         \
		SQL_EITHER_OF(list, "<", "DESC"), SQL_EITHER_OF(list, ">", "ASC") \
	}

/* A key is made a moment before its run's time is noted. */
enum { KEY_SLACK_MS = 60 * 1000 };

enum { RUNS_KEY = RUN_CELL_END, RUNS_NAME, RUNS_OWNER };

static const char sql_place[] =
	"SELECT conversation FROM run WHERE id = $1 AND secret = $2 AND ($3 IS NULL OR owner = $3)";
/* By runs_read.ascending. */
static const struct sql sql_all[] = BOTH(ALL);
static const struct sql sql_conversation[] = BOTH(CONVERSATION);
static const struct sql sql_live[] = BOTH(LIVE);
static const struct sql sql_unusual[] = BOTH(UNUSUAL);
static const struct sql sql_edge[] = BOTH(EDGE);
static const struct sql sql_edge_unusual[] = BOTH(EDGE_UNUSUAL);

/* The keys between which a page looks at runs. */
struct runs_range {
	int64_t from, to;
	bool    cut; /* more runs follow */
};

static const struct sql *runs_list(const struct runs_read *j)
{
	if (!id_none(j->conversation))
		return sql_conversation;
	if (j->status == RUN_QUEUED || j->status == RUN_RUNNING)
		return sql_live;
	/* Nearly all rows are completed. */
	return j->status < 0 || j->status == RUN_COMPLETED ? sql_all : sql_unusual;
}

static int64_t runs_begin(const struct runs_read *j)
{
	return !id_none(j->after) ? j->after.key : j->ascending ? INT64_MIN : INT64_MAX;
}

/* runs_cursor: whether the page begins after a run, and not only a place. */
static bool runs_cursor(const struct runs_read *j)
{
	return !id_none(j->after) && j->after.secret != 0;
}

/* runs_none: none of the stored runs belongs to the list. */
static bool runs_none(const struct runs_read *j)
{
	return j->calls && (j->stores == RUNS_UNSTORED || j->group.n > 0);
}

static bool runs_ranged(const struct runs_read *j)
{
	return !runs_none(j) && j->most > 0 &&
	       (runs_list(j) == sql_all || runs_list(j) == sql_unusual);
}

static void runs_ask_edge(struct query *q, const struct runs_read *j)
{
	bool          unusual = runs_list(j) == sql_unusual;
	struct param *a = query_param(q);

	param_int(a, runs_begin(j));
	param_int(a, (int64_t)j->most - 1);
	if (unusual)
		param_int(a, j->status);
	query_ask_either(q, &(unusual ? sql_edge_unusual : sql_edge)[j->ascending]);
}

/* runs_edge: a page ends at a whole second, so that its end tells of the runs of other owners hardly more
 * than how many there are. */
static void runs_edge(struct query *q, const struct runs_read *j, struct runs_range *ret)
{
	struct row r;

	if (!query_row(q, 0, &r))
		return;
	int64_t at_s = id_key_ms(cell_int(r, 0)) / 1000;
	ret->cut = true;
	if (j->ascending)
		ret->to = id_key_at((at_s + 1) * 1000) - 1;
	else
		ret->from = id_key_at(at_s * 1000);
}

static void runs_owner(struct param *a, const struct runs_read *j)
{
	if (j->any_owner)
		param_null(a, PARAM_INT);
	else
		param_int(a, j->owner);
}

/* runs_filter: $14 to $18. */
static void runs_filter(struct param *a, const struct runs_read *j)
{
	char       code[96];
	struct str error = STR_NONE;

	if (j->error.n > 0 && j->error.n < sizeof code - 16) {
		int n = snprintf(code, sizeof code, "\"code\":\"%.*s\"", STR_ARG(j->error));

		error = (struct str){ code, (size_t)n };
	}
	param_int(a, j->to_ms > 0 ? j->to_ms : INT64_MAX);
	param_maybe(a, j->provider);
	param_maybe(a, error);
	param_int(a, j->min_ms);
	param_int(a, j->calls ? j->outcome - 1 : -1);
}

static void runs_ask(struct query *q, const struct runs_read *j, const struct runs_range *range)
{
	struct param *a = query_param(q);

	param_int(a, runs_begin(j));
	runs_owner(a, j);
	param_int(a, j->status);
	param_int(a, (int64_t)j->limit + 1);
	param_int(a, j->from_ms > 0 ? id_key_at(j->from_ms - KEY_SLACK_MS) : INT64_MIN);
	param_int(a, j->from_ms);
	param_maybe(a, j->model);
	param_maybe(a, j->key);
	param_int(a, range->from);
	param_int(a, range->to);
	param_int(a, j->keys);
	param_int(a, j->conversation.key);
	param_secret(a, j->conversation.secret);
	runs_filter(a, j);
	query_ask_either(q, &runs_list(j)[j->ascending]);
	/* The list's conversation, and the run after which it begins, are looked up with it. */
	if (j->of_known)
		conversation_cell_ask(q, j->conversation, j->owner);
	if (!runs_cursor(j))
		return;
	a = query_param(q);
	param_int(a, j->after.key);
	param_secret(a, j->after.secret);
	runs_owner(a, j);
	query_ask(q, sql_place);
	if (j->calls)
		calls_one_ask(q, j->after);
}

/* The cursor must be a run of the requested list, whose status may have changed, or a place. */
static bool runs_check(struct query *q, struct runs_read *j)
{
	struct row r;

	if (j->of_known && !query_row(q, 1, &r)) {
		err_set(&j->job.err, ERR_NOT_FOUND, "", "there is no such conversation");
		return false;
	}
	if (!runs_cursor(j))
		return true;
	if (query_row(q, j->of_known ? 2 : 1, &r) &&
	    (id_none(j->conversation) || cell_int(r, 0) == j->conversation.key))
		return true;
	if (j->calls && calls_one_known(q, j->of_known ? 3 : 2, j))
		return true;
	err_set(&j->job.err, ERR_INVALID_VALUE, "after", "must be the id of a run of this list");
	return false;
}

static bool runs_room(const struct runs_read *j, struct row r)
{
	size_t n = 4 * 64;

	for (int column = 5; column <= 8; column++)
		n += cell_str(r, column).n;
	n += cell_str(r, RUNS_KEY).n + cell_str(r, RUNS_NAME).n;
	return cell_fits(&j->arena, n);
}

/* runs_keep_one: fills one run from its row. */
static void runs_keep_one(struct runs_read *j, struct row r, struct run_read *run)
{
	struct err *e = &j->job.err;

	run->owner = cell_int(r, RUNS_OWNER);
	run->run = cell_id(cell_int(r, RUN_CELL_ID), r, RUN_CELL_SECRET);
	run_cell_read(r, &j->arena, run, e);
	if (e->code == ERR_OK && j->keys && cell_keep(&j->arena, r, RUNS_KEY, &run->key, e) &&
	    !cell_null(r, RUNS_NAME))
		(void)!cell_keep(&j->arena, r, RUNS_NAME, &run->key_name, e);
}

static void runs_keep(struct query *q, struct runs_read *j)
{
	struct row r;

	if (j->limit > j->arena.max / sizeof *j->runs) {
		err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "limit", "the page is too large");
		return;
	}
	j->runs = arena_alloc(&j->arena, j->limit * sizeof *j->runs);
	if (!j->runs)
		cell_no_memory(&j->job.err);
	while (j->job.err.code == ERR_OK && query_row(q, 0, &r)) {
		struct run_read *run = &j->runs[j->run_count];

		j->has_more = j->run_count == j->limit || !runs_room(j, r);
		if (j->has_more)
			return;
		runs_keep_one(j, r, run);
		j->run_count += j->job.err.code == ERR_OK;
	}
}

/* The two halves of a list: runs, and after them the calls of the ledger. */
struct runs_state {
	struct runs_range range;
	bool              calls_began, merged;
	struct calls_page calls;
};

static enum work_next runs_over(struct query *q, struct runs_read *j, struct runs_state *s)
{
	if (!j->calls || j->job.err.code != ERR_OK || j->limit == 0)
		return WORK_DONE;
	s->calls_began = true;
	calls_page_begin(q, j, &s->calls);
	return WORK_AGAIN;
}

static enum work_next runs_page(struct query *q, struct runs_read *j, struct runs_state *s)
{
	struct runs_range *range = &s->range;

	if (runs_check(q, j) && j->limit > 0)
		runs_keep(q, j);
	if (range->cut && !j->has_more && j->job.err.code == ERR_OK && j->limit > 0) {
		j->has_more = true;
		j->end.key = j->ascending ? range->to : range->from;
	}
	return runs_over(q, j, s);
}

static const char sql_name[] = "SELECT name FROM api_key WHERE id = $1";

/* runs_name_all: gives all calls of the key their key's name. */
static void runs_name_all(struct runs_read *j, struct str key, struct str name)
{
	for (size_t i = 0; i < j->run_count; i++)
		if (!j->runs[i].key_name.p && str_eq(j->runs[i].key, key))
			j->runs[i].key_name = name;
}

/* runs_unnamed: the next call whose key has a name that is not known yet. */
static const struct run_read *runs_unnamed(const struct runs_read *j)
{
	for (size_t i = 0; j->keys && i < j->run_count; i++)
		if ((j->runs[i].call.unstored || j->group.n > 0) &&
		    str_starts(j->runs[i].key, STR("key_")) && !j->runs[i].key_name.p)
			return &j->runs[i];
	return NULL;
}

/* runs_names: asks for the name of one key after the other; false: all are known. */
static bool runs_names(struct query *q, struct runs_read *j, bool asked)
{
	const struct run_read *next = runs_unnamed(j);
	struct str             name = STR_NONE;
	struct row             r;

	if (asked && next) {
		if (query_row(q, 0, &r) && !cell_null(r, 0) &&
		    !cell_keep(&j->arena, r, 0, &name, &j->job.err))
			return false;
		runs_name_all(j, next->key, name.p ? name : STR(""));
		next = runs_unnamed(j);
	}
	if (!next)
		return false;
	param_text(query_param(q), (struct str){ next->key.p + 4, next->key.n - 4 });
	query_ask(q, sql_name);
	return true;
}

static enum work_next runs_calls(struct query *q, struct runs_read *j, struct runs_state *s)
{
	bool named = s->merged;

	if (!s->merged && calls_page_next(q, 0, j, &s->calls))
		return WORK_AGAIN;
	if (!s->merged && j->job.err.code == ERR_OK)
		calls_page_merge(j, &s->calls);
	s->merged = true;
	return j->job.err.code == ERR_OK && runs_names(q, j, named) ? WORK_AGAIN : WORK_DONE;
}

static struct runs_state *runs_first(struct query *q, struct runs_read *j)
{
	struct runs_state *s = query_state(q, sizeof *s, NULL);

	j->runs = NULL;
	j->run_count = 0;
	j->has_more = false;
	j->end = (struct id){ 0 };
	if (!s)
		cell_no_memory(&j->job.err);
	else if (runs_none(j))
		s->range = (struct runs_range){ 1, 0, false };
	else
		s->range = (struct runs_range){ INT64_MIN, INT64_MAX, false };
	return s;
}

static enum work_next read_runs(struct query *q, struct runs_read *j)
{
	struct runs_state *s = q->state;

	if (q->stage == 0) {
		s = runs_first(q, j);
		if (!s)
			return WORK_DONE;
		if (runs_ranged(j)) {
			runs_ask_edge(q, j);
			return WORK_AGAIN;
		}
	} else if (q->stage == 1 && runs_ranged(j)) {
		runs_edge(q, j, &s->range);
	} else if (s->calls_began) {
		return runs_calls(q, j, s);
	} else {
		return runs_page(q, j, s);
	}
	runs_ask(q, j, &s->range);
	return j->calls ? WORK_AGAIN : WORK_LAST;
}

SQL_OP(runs_read, WORK_SNAPSHOT, read_runs);
