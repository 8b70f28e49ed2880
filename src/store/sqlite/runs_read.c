/* Reads a list of runs, newest or oldest first. */
#include "store/sqlite/conversation_row.h"
#include "store/sqlite/kit/row.h"
#include "store/run.h"
#include "store/sqlite/op.h"
#include "store/sqlite/run_row.h"

/* ?1 is the id behind which the page begins, ?2 the owner or NULL, ?3 the status or -1, ?4 how many,
 * ?5 a key below those of all runs made since the time ?6, ?7 the conversation, ?8 the model or NULL,
 * ?9 the API key or NULL, ?10 and ?11 the keys between which runs are looked at, ?12 whether the
 * names of API keys are wanted.  The newest runs come first with < and DESC, the oldest with > and
 * ASC. */
#define ROW   RUN_ROW_COLUMNS ", r.bill_key, a.name, r.owner FROM run r "
#define JOINS RUN_ROW_JOINS "LEFT JOIN api_key a ON ?12 AND a.id = substr(r.bill_key, 5) "
#define PAGE(is)                                                                             \
	"r.id " is " ?1 AND r.id >= ?5 AND r.id BETWEEN ?10 AND ?11 AND r.created_ms >= ?6 " \
	"AND (?2 IS NULL OR r.owner = ?2) AND (?8 IS NULL OR r.model = ?8) "                 \
	"AND (?9 IS NULL OR r.bill_key = ?9) "
#define PAGE_END(way) "ORDER BY r.id " way " LIMIT ?4"
#define ANY_STATUS    "AND (?3 < 0 OR r.status = ?3) "
#define ALL(is, way)  ROW JOINS "WHERE " PAGE(is) ANY_STATUS PAGE_END(way)
#define CONVERSATION(is, way)                                                              \
	ROW "INDEXED BY run_conversation " JOINS "WHERE r.conversation = ?7 AND " PAGE(is) \
		ANY_STATUS                                                                 \
		PAGE_END(way)
#define LIVE(is, way)                    \
	ROW "INDEXED BY run_live " JOINS \
	    "WHERE r.status < 2 AND " PAGE(is) "AND r.status = ?3 " PAGE_END(way)
#define UNUSUAL(is, way)                                                                         \
	ROW "INDEXED BY run_unusual " JOINS "WHERE r.status > 2 AND r.status = ?3 AND " PAGE(is) \
		PAGE_END(way)
/* The last run that a page looks at: ?2 others come before it. */
#define EDGE(is, way) "SELECT id FROM run WHERE id " is " ?1 ORDER BY id " way " LIMIT 1 OFFSET ?2"
#define EDGE_UNUSUAL(is, way)                                                         \
	"SELECT id FROM run INDEXED BY run_unusual WHERE status > 2 AND status = ?3 " \
	"AND id " is " ?1 ORDER BY id " way " LIMIT 1 OFFSET ?2"
#define BOTH(list)                                  \
	{                                           \
		list("<", "DESC"), list(">", "ASC") \
	}

/* A key is made a moment before its run's time is noted. */
enum { KEY_SLACK_MS = 60 * 1000 };

enum { RUNS_KEY = RUN_ROW_MORE, RUNS_NAME, RUNS_OWNER };

static const char sql_place[] = "SELECT conversation FROM run WHERE id = ?1 AND secret = ?2 "
				"AND (?3 IS NULL OR owner = ?3)";
/* By runs_read.ascending. */
static const char *const sql_all[] = BOTH(ALL);
static const char *const sql_conversation[] = BOTH(CONVERSATION);
static const char *const sql_live[] = BOTH(LIVE);
static const char *const sql_unusual[] = BOTH(UNUSUAL);
static const char *const sql_edge[] = BOTH(EDGE);
static const char *const sql_edge_unusual[] = BOTH(EDGE_UNUSUAL);

/* The keys between which a page looks at runs. */
struct range {
	int64_t from, to;
	bool    cut; /* there are more runs behind */
};

static void runs_read_bind_owner(struct db_bind *b, const struct runs_read *j)
{
	if (j->any_owner)
		db_bind_null(b);
	else
		db_bind_int(b, j->owner);
}

/* The cursor must be a run of the requested list, whose status may have changed, or a place. */
static int runs_read_check_after(struct session *s, struct runs_read *j)
{
	if (j->after.secret == 0)
		return SQLITE_OK;
	struct db_bind b = conn_bind(s->conn, sql_place);

	db_bind_int(&b, j->after.key);
	db_bind_secret(&b, j->after.secret);
	runs_read_bind_owner(&b, j);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return rc;
	if (rc == SQLITE_ROW &&
	    (id_none(j->conversation) || db_int(b.st, 0) == j->conversation.key))
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

static int64_t runs_read_begin(const struct runs_read *j)
{
	return !id_none(j->after) ? j->after.key : j->ascending ? INT64_MIN : INT64_MAX;
}

/* runs_read_range: a page ends at a whole second, so that its end tells of the runs of other owners
 * hardly more than how many there are. */
static int runs_read_range(struct session *s, const struct runs_read *j, struct range *ret)
{
	const char *const *list = runs_read_which_list(j);
	bool               unusual = list == sql_unusual;

	*ret = (struct range){ INT64_MIN, INT64_MAX, false };
	if (j->most == 0 || list == sql_conversation || list == sql_live)
		return SQLITE_OK;

	struct db_bind b =
		conn_bind(s->conn, (unusual ? sql_edge_unusual : sql_edge)[j->ascending]);

	db_bind_int(&b, runs_read_begin(j));
	db_bind_int(&b, (int64_t)j->most - 1);
	if (unusual)
		db_bind_int(&b, j->status);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	int64_t at_s = id_key_ms(db_int(b.st, 0)) / 1000;
	ret->cut = true;
	if (j->ascending)
		ret->to = id_key_at((at_s + 1) * 1000) - 1;
	else
		ret->from = id_key_at(at_s * 1000);
	return sqlite3_reset(b.st);
}

static void runs_read_bind_some(struct db_bind *b, struct str s)
{
	if (s.n > 0)
		db_bind_text(b, s);
	else
		db_bind_null(b);
}

static struct db_bind runs_read_bind_list(struct session *s, const struct runs_read *j,
					  const struct range *r)
{
	struct db_bind b = conn_bind(s->conn, runs_read_which_list(j)[j->ascending]);

	db_bind_int(&b, runs_read_begin(j));
	runs_read_bind_owner(&b, j);
	db_bind_int(&b, j->status);
	db_bind_int(&b, (int64_t)j->limit + 1);
	db_bind_int(&b, j->from_ms > 0 ? id_key_at(j->from_ms - KEY_SLACK_MS) : INT64_MIN);
	db_bind_int(&b, j->from_ms);
	db_bind_int(&b, j->conversation.key);
	runs_read_bind_some(&b, j->model);
	runs_read_bind_some(&b, j->key);
	db_bind_int(&b, r->from);
	db_bind_int(&b, r->to);
	db_bind_int(&b, j->keys);
	return b;
}

/* False: no room for this row. */
static bool row_has_room(const struct runs_read *j, sqlite3_stmt *st)
{
	size_t n = 4 * 64;

	for (int column = 5; column <= 8; column++)
		n += (size_t)sqlite3_column_bytes(st, column);
	n += (size_t)sqlite3_column_bytes(st, RUNS_KEY) +
	     (size_t)sqlite3_column_bytes(st, RUNS_NAME);
	return cell_fits(&j->arena, n);
}

/* runs_read_keep: fills one run from its row. */
static int runs_read_keep(struct runs_read *j, sqlite3_stmt *st, struct run_read *run)
{
	struct err *e = &j->job.err;

	run->owner = db_int(st, RUNS_OWNER);
	run->run = db_id(db_int(st, RUN_ROW_ID), st, RUN_ROW_SECRET);
	int rc = run_row_read(st, &j->arena, run, e);

	if (rc != SQLITE_OK || e->code != ERR_OK || !j->keys)
		return rc;
	if (cell_keep(&j->arena, row_of(st), RUNS_KEY, &run->key, e) &&
	    sqlite3_column_type(st, RUNS_NAME) != SQLITE_NULL)
		(void)!cell_keep(&j->arena, row_of(st), RUNS_NAME, &run->key_name, e);
	return rc;
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
		rc = runs_read_keep(j, st, run);
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
	j->end = (struct id){ 0 };
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
		cell_no_memory(e);
		return SQLITE_OK;
	}
	struct range range;

	rc = runs_read_range(s, j, &range);
	if (rc == SQLITE_OK)
		rc = runs_read_list(j, runs_read_bind_list(s, j, &range));
	if (rc == SQLITE_OK && range.cut && !j->has_more) {
		j->has_more = true;
		j->end.key = j->ascending ? range.to : range.from;
	}
	return rc;
}

OP(runs_read, read_runs);
