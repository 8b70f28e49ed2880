/* Reads a list of runs, newest or oldest first. */
#include "store/sqlite/conversation_row.h"
#include "store/sqlite/kit/row.h"
#include "store/run.h"
#include "store/sqlite/op.h"
#include "store/sqlite/run_row.h"

/* ?1 is the id behind which the page begins, ?2 the owner, ?3 the status or -1, ?4 how many,
 * ?5 a key below those of all runs made since the time ?6, ?7 the conversation.  The newest runs
 * come first with < and DESC, the oldest with > and ASC. */
#define PAGE(is)      "r.id " is " ?1 AND r.id >= ?5 AND r.created_ms >= ?6 AND r.owner = ?2 "
#define PAGE_END(way) "ORDER BY r.id " way " LIMIT ?4"
#define ANY_STATUS    "AND (?3 < 0 OR r.status = ?3) "
#define ALL(is, way)  RUN_ROW RUN_ROW_JOINS "WHERE " PAGE(is) ANY_STATUS PAGE_END(way)
#define CONVERSATION(is, way)                                                             \
	RUN_ROW "INDEXED BY run_conversation " RUN_ROW_JOINS "WHERE r.conversation = ?7 " \
		"AND " PAGE(is) ANY_STATUS                                                \
		PAGE_END(way)
#define LIVE(is, way)                                \
	RUN_ROW "INDEXED BY run_live " RUN_ROW_JOINS \
		"WHERE r.status < 2 AND " PAGE(is) "AND r.status = ?3 " PAGE_END(way)
#define UNUSUAL(is, way)                                \
	RUN_ROW "INDEXED BY run_unusual " RUN_ROW_JOINS \
		"WHERE r.status > 2 AND r.status = ?3 AND " PAGE(is) PAGE_END(way)
#define BOTH(list)                                  \
	{                                           \
		list("<", "DESC"), list(">", "ASC") \
	}

/* A key is made a moment before its run's time is noted. */
enum { KEY_SLACK_MS = 60 * 1000 };

static const char sql_place[] =
	"SELECT conversation FROM run WHERE id = ? AND secret = ? AND owner = ?";
/* By runs_read.ascending. */
static const char *const sql_all[] = BOTH(ALL);
static const char *const sql_conversation[] = BOTH(CONVERSATION);
static const char *const sql_live[] = BOTH(LIVE);
static const char *const sql_unusual[] = BOTH(UNUSUAL);

/* The cursor must be a run of the requested list; its status may have changed. */
static int runs_read_check_after(struct session *s, struct runs_read *j)
{
	sqlite3_stmt *st;
	int           rc = run_row_find(s->conn, sql_place, j->after, j->owner, &st, &j->job.err);

	if (rc != SQLITE_OK)
		return rc;
	if (j->job.err.code == ERR_OK &&
	    (id_none(j->conversation) || db_int(st, 0) == j->conversation.key))
		return SQLITE_OK;
	err_set(&j->job.err, ERR_INVALID_VALUE, "after", "must be the id of a run of this list");
	return SQLITE_OK;
}

static const char *const *runs_read_which_list(const struct runs_read *j)
{
	if (!id_none(j->conversation))
		return sql_conversation;
	if (j->status == RUN_QUEUED || j->status == RUN_RUNNING)
		return sql_live;
	/* Nearly all rows are completed. */
	return j->status < 0 || j->status == RUN_COMPLETED ? sql_all : sql_unusual;
}

static struct db_bind runs_read_bind_list(struct session *s, const struct runs_read *j)
{
	struct db_bind b = conn_bind(s->conn, runs_read_which_list(j)[j->ascending]);
	int64_t        first = j->ascending ? INT64_MIN : INT64_MAX;

	db_bind_int(&b, id_none(j->after) ? first : j->after.key);
	db_bind_int(&b, j->owner);
	db_bind_int(&b, j->status);
	db_bind_int(&b, (int64_t)j->limit + 1);
	db_bind_int(&b, j->from_ms > 0 ? id_key_at(j->from_ms - KEY_SLACK_MS) : INT64_MIN);
	db_bind_int(&b, j->from_ms);
	if (!id_none(j->conversation))
		db_bind_int(&b, j->conversation.key);
	return b;
}

/* False: no room for this row. */
static bool row_has_room(const struct runs_read *j, sqlite3_stmt *st)
{
	size_t n = 4 * 64;

	for (int column = 5; column <= 8; column++)
		n += (size_t)sqlite3_column_bytes(st, column);
	return row_fits(&j->arena, n);
}

static int runs_read_list(struct runs_read *j, struct db_bind b)
{
	sqlite3_stmt *st = b.st;
	int           rc = db_bind_row(&b);

	for (; rc == SQLITE_ROW && j->job.err.code == ERR_OK; rc = db_row(st)) {
		struct run_read *run = &j->runs[j->run_count];

		/* If only the key of a conversation matches, nothing may be told of it. */
		if (!id_none(j->conversation) && (uint64_t)db_int(st, 2) != j->conversation.secret)
			continue;
		if (j->run_count == j->limit || !row_has_room(j, st)) {
			j->has_more = true;
			break;
		}
		run->owner = j->owner;
		run->run = db_id(db_int(st, RUN_ROW_ID), st, RUN_ROW_SECRET);
		rc = run_row_read(st, &j->arena, run, &j->job.err);
		if (rc != SQLITE_OK)
			break;
		j->run_count++;
	}
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int read_runs(struct session *s, struct runs_read *j)
{
	struct err   *e = &j->job.err;
	sqlite3_stmt *st;
	int           rc = SQLITE_OK;

	j->runs = NULL;
	j->run_count = 0;
	j->has_more = false;
	if (j->of_known)
		rc = conversation_row_find(s->conn, j->conversation, j->owner, "", &st, e);
	if (rc == SQLITE_OK && e->code == ERR_OK && !id_none(j->after))
		rc = runs_read_check_after(s, j);
	if (rc != SQLITE_OK || e->code != ERR_OK || j->limit == 0)
		return rc;

	if (j->limit > j->arena.max / sizeof *j->runs) {
		err_set(e, ERR_REQUEST_TOO_LARGE, "limit", "the page is too large");
		return SQLITE_OK;
	}
	j->runs = arena_alloc(&j->arena, j->limit * sizeof *j->runs);
	if (!j->runs) {
		row_no_memory(e);
		return SQLITE_OK;
	}
	return runs_read_list(j, runs_read_bind_list(s, j));
}

OP(runs_read, read_runs);
