/* Reads a list of runs, newest or oldest first. */
#include "store/postgres/conversation_cell.h"
#include "store/postgres/operation.h"
#include "store/postgres/run_cell.h"

/* $1 the id behind which the page begins, $2 the owner, $3 the status or -1, $4 how many, $5 a key below
 * those of all runs made since the time $6, $7 and $8 the conversation. */
#define PAGE(is)      "r.id " is " $1 AND r.id >= $5 AND r.created_ms >= $6 AND r.owner = $2 "
#define PAGE_END(way) "ORDER BY r.id " way " LIMIT $4"
#define ANY_STATUS    "AND ($3 < 0 OR r.status = $3) "
#define ALL(is, way)  RUN_CELL RUN_CELL_JOINS "WHERE " PAGE(is) ANY_STATUS PAGE_END(way)
/* If only the key of a conversation matches, nothing may be told of it. */
#define CONVERSATION(is, way)                                                               \
	RUN_CELL RUN_CELL_JOINS "WHERE r.conversation = $7 AND c.secret = $8 AND " PAGE(is) \
		ANY_STATUS                                                                  \
		PAGE_END(way)
#define LIVE(is, way)           \
	RUN_CELL RUN_CELL_JOINS \
		"WHERE r.status < 2 AND " PAGE(is) "AND r.status = $3 " PAGE_END(way)
#define UNUSUAL(is, way) \
	RUN_CELL RUN_CELL_JOINS "WHERE r.status > 2 AND r.status = $3 AND " PAGE(is) PAGE_END(way)
#define BOTH(list)                                  \
	{                                           \
		list("<", "DESC"), list(">", "ASC") \
	}

/* A key is made a moment before its run's time is noted. */
enum { KEY_SLACK_MS = 60 * 1000 };

static const char sql_place[] =
	"SELECT conversation FROM run WHERE id = $1 AND secret = $2 AND owner = $3";
/* By runs_read.ascending. */
static const char *const sql_all[] = BOTH(ALL);
static const char *const sql_conversation[] = BOTH(CONVERSATION);
static const char *const sql_live[] = BOTH(LIVE);
static const char *const sql_unusual[] = BOTH(UNUSUAL);

static const char *const *runs_list(const struct runs_read *j)
{
	if (!id_none(j->conversation))
		return sql_conversation;
	if (j->status == RUN_QUEUED || j->status == RUN_RUNNING)
		return sql_live;
	/* Nearly all rows are completed. */
	return j->status < 0 || j->status == RUN_COMPLETED ? sql_all : sql_unusual;
}

static void runs_ask(struct work *w, const struct runs_read *j)
{
	struct param *a = work_param(w);
	int64_t       first = j->ascending ? INT64_MIN : INT64_MAX;

	param_int(a, id_none(j->after) ? first : j->after.key);
	param_int(a, j->owner);
	param_int(a, j->status);
	param_int(a, (int64_t)j->limit + 1);
	param_int(a, j->from_ms > 0 ? id_key_at(j->from_ms - KEY_SLACK_MS) : INT64_MIN);
	param_int(a, j->from_ms);
	if (!id_none(j->conversation)) {
		param_int(a, j->conversation.key);
		param_secret(a, j->conversation.secret);
	}
	work_ask(w, runs_list(j)[j->ascending]);
	/* What the list is of, and where it begins, are looked up with it. */
	conversation_cell_ask(w, j->conversation, j->owner);
	a = work_param(w);
	param_int(a, j->after.key);
	param_secret(a, j->after.secret);
	param_int(a, j->owner);
	work_ask(w, sql_place);
}

/* The cursor must be a run of the requested list; its status may have changed. */
static bool runs_check(const struct work *w, struct runs_read *j)
{
	if (j->of_known && work_rows(w, 1) == 0) {
		err_set(&j->job.err, ERR_NOT_FOUND, "", "there is no such conversation");
		return false;
	}
	if (id_none(j->after))
		return true;
	if (work_rows(w, 2) > 0 &&
	    (id_none(j->conversation) || cell_int(work_row(w, 2, 0), 0) == j->conversation.key))
		return true;
	err_set(&j->job.err, ERR_INVALID_VALUE, "after", "must be the id of a run of this list");
	return false;
}

static bool runs_room(const struct runs_read *j, struct row r)
{
	size_t n = 4 * 64;

	for (int column = 5; column <= 8; column++)
		n += cell_str(r, column).n;
	return cell_fits(&j->arena, n);
}

static void runs_keep(const struct work *w, struct runs_read *j)
{
	if (j->limit > j->arena.max / sizeof *j->runs) {
		err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "limit", "the page is too large");
		return;
	}
	j->runs = arena_alloc(&j->arena, j->limit * sizeof *j->runs);
	if (!j->runs)
		cell_no_memory(&j->job.err);
	for (int i = 0; i < work_rows(w, 0) && j->job.err.code == ERR_OK; i++) {
		struct row       r = work_row(w, 0, i);
		struct run_read *run = &j->runs[j->run_count];

		j->has_more = j->run_count == j->limit || !runs_room(j, r);
		if (j->has_more)
			return;
		run->owner = j->owner;
		run->run = cell_id(cell_int(r, RUN_CELL_ID), r, RUN_CELL_SECRET);
		run_cell_read(r, &j->arena, run, &j->job.err);
		j->run_count += j->job.err.code == ERR_OK;
	}
}

static enum work_next runs_read_read_runs(struct work *w, struct runs_read *j)
{
	if (w->stage == 0) {
		j->runs = NULL;
		j->run_count = 0;
		j->has_more = false;
		runs_ask(w, j);
		return WORK_LAST;
	}
	if (runs_check(w, j) && j->limit > 0)
		runs_keep(w, j);
	return WORK_DONE;
}

OP(runs_read, WORK_SNAPSHOT, runs_read_read_runs);
