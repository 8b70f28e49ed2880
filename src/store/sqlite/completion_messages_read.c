/* Reads the messages of a completion's request: the chain from the last to the first. */
#include "base/limits.h"
#include "store/completion.h"
#include "store/sqlite/completion_row.h"
#include "store/sqlite/op.h"

#include <stdlib.h>

static const char sql_find[] =
	"SELECT r.parent, r.base FROM run r " COMPLETION_ROW_JOINS
	"WHERE r.id = ? AND r.secret = ? AND r.owner = ? AND " COMPLETION_ROW_IS;
static const char sql_link[] = "SELECT prev, run FROM message WHERE id = ?";
static const char sql_body[] = "SELECT body FROM message WHERE id = ?";

/* Keys of the messages, last first; 0: its content was removed. */
struct keys {
	int64_t *at; /* owned */
	size_t   count;
	size_t   cap;
};

static bool completion_messages_read_add_key(struct keys *k, int64_t key)
{
	if (k->count == k->cap) {
		size_t   cap = k->cap ? 2 * k->cap : 64;
		int64_t *grown = realloc(k->at, cap * sizeof *grown);

		if (!grown)
			return false;
		k->at = grown;
		k->cap = cap;
	}
	k->at[k->count++] = key;
	return true;
}

/* A message with a row that refers to it must exist. */
static int completion_messages_read_find(struct session *s, const char *sql, int64_t key,
					 sqlite3_stmt **ret)
{
	struct db_bind b = conn_bind(s->conn, sql);

	db_bind_int(&b, key);
	*ret = b.st;
	int rc = db_bind_row(&b);
	if (rc == SQLITE_ROW)
		return SQLITE_OK;
	return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
}

static int completion_messages_read_walk(struct session *s, int64_t key, int64_t base,
					 struct keys *k, struct err *e)
{
	while (key != 0 && key != base) {
		sqlite3_stmt *st;
		int           rc = k->count < LIMIT_BRANCH_LENGTH
					   ? completion_messages_read_find(s, sql_link, key, &st)
					   : SQLITE_CORRUPT;

		if (rc != SQLITE_OK)
			return rc;
		if (!completion_messages_read_add_key(k, db_int(st, 1) >= 0 ? key : 0)) {
			row_no_memory(e);
			return SQLITE_OK;
		}
		key = db_int(st, 0);
	}
	return SQLITE_OK;
}

/* *ret_full: the page has no room for the message. */
static int completion_messages_read_one(struct session *s, struct completion_messages_read *j,
					int64_t place, int64_t key, bool *ret_full)
{
	sqlite3_stmt *st;
	int           rc = completion_messages_read_find(s, sql_body, key, &st);

	if (rc != SQLITE_OK)
		return rc;

	size_t bytes = (size_t)sqlite3_column_bytes(st, 0) + 64;
	*ret_full = !row_fits(&j->arena, bytes) ||
		    (j->message_count > 0 &&
		     (bytes > j->page_bytes || j->arena.used > j->page_bytes - bytes));
	if (*ret_full && j->message_count == 0)
		err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "",
			"the message is larger than the %zu KiB that a list can contain",
			j->arena.max / KIB);
	if (*ret_full)
		return SQLITE_OK;
	struct completion_message *m = &j->messages[j->message_count];
	m->place = place;
	if (row_keep(&j->arena, st, 0, &m->body, &j->job.err))
		j->message_count++;
	return SQLITE_OK;
}

static int completion_messages_read_page(struct session *s, struct completion_messages_read *j,
					 const struct keys *k)
{
	int64_t step = j->descending ? -1 : 1;
	int64_t place = j->after + step;
	int64_t end = (int64_t)k->count;

	if (j->after < 0)
		place = j->descending ? end - 1 : 0;
	for (; place >= 0 && place < end && j->job.err.code == ERR_OK; place += step) {
		int64_t key = k->at[end - 1 - place];

		if (key == 0)
			continue;
		j->has_more = j->message_count == j->limit;
		int rc = j->has_more ? SQLITE_OK
				     : completion_messages_read_one(s, j, place, key, &j->has_more);
		if (rc != SQLITE_OK || j->has_more)
			return rc;
	}
	return SQLITE_OK;
}

static int completion_messages_read_messages(struct session *s, struct completion_messages_read *j)
{
	struct err *e = &j->job.err;
	struct keys k = { 0 };

	j->message_count = 0;
	j->has_more = false;
	j->messages = arena_alloc(&j->arena, (j->limit + 1) * sizeof *j->messages);
	if (!j->messages) {
		row_no_memory(e);
		return SQLITE_OK;
	}
	struct db_bind b = conn_bind(s->conn, sql_find);
	int            rc = completion_row_find(&b, j->run, j->owner, e);
	if (rc == SQLITE_OK && e->code == ERR_OK)
		rc = completion_messages_read_walk(s, db_int(b.st, 0), db_int(b.st, 1), &k, e);
	if (rc == SQLITE_OK && e->code == ERR_OK && j->after >= (int64_t)k.count)
		err_set(e, ERR_INVALID_VALUE, "after", "must be the id of a message of this list");
	if (rc == SQLITE_OK && e->code == ERR_OK)
		rc = completion_messages_read_page(s, j, &k);
	free(k.at);
	return rc;
}

OP(completion_messages_read, completion_messages_read_messages);
