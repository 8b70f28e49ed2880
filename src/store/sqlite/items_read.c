/* Reads a page of a branch's messages. */
#include "base/limits.h"
#include "msg/family.h"
#include "store/conversation.h"
#include "store/sqlite/conversation_row.h"
#include "store/sqlite/kit/row.h"
#include "store/sqlite/op.h"
#include "store/sqlite/run_row.h"

#include <stdlib.h>

static const char sql_run[] =
	"SELECT r.parent, r.base FROM run r LEFT JOIN message m ON m.id = r.id "
	"WHERE r.id = ? AND r.secret = ? AND r.owner = ? AND r.shape = '" SHAPE_RESPONSES "' "
	"AND (m.run IS NULL OR m.run >= 0)";
static const char sql_link[] = "SELECT secret, prev, run FROM message WHERE id = ?";
static const char sql_item[] = "SELECT secret, created_ms, CASE WHEN run = id THEN "
			       "(SELECT status FROM run WHERE run.id = message.id) END, "
			       "body, CASE WHEN run = id THEN "
			       "(SELECT model FROM run WHERE run.id = message.id) END "
			       "FROM message WHERE id = ?";

/* Keys of a branch, leaf first. */
struct keys {
	int64_t *at; /* owned */
	size_t   count;
	size_t   cap;
	bool     met;   /* the cursor */
	size_t   newer; /* number of keys before the cursor */
	size_t   after; /* place of the first key after the cursor */
	int64_t  base;  /* the walk ends before this key */
};

static bool items_read_add_key(struct keys *k, int64_t key)
{
	if (k->count == k->cap) {
		size_t   cap = k->cap ? 2 * k->cap : 256;
		int64_t *grown = realloc(k->at, cap * sizeof *grown);

		if (!grown)
			return false;
		k->at = grown;
		k->cap = cap;
	}
	k->at[k->count++] = key;
	return true;
}

/* Walks from the leaf as far as the page needs: for newest first, one more than the page. */
static bool items_read_enough(const struct keys *k, const struct items_read *j)
{
	if (!j->descending || (!k->met && !id_none(j->after)))
		return false;
	return k->count > k->after && k->count - k->after > j->limit;
}

static int walk_keys(struct session *s, struct items_read *j, int64_t key, struct keys *k)
{
	for (size_t steps = 0; key != 0 && key != k->base && !items_read_enough(k, j); steps++) {
		sqlite3_stmt *st;
		int           rc = conversation_row_linked(s->conn, sql_link, key, &st);

		if (rc != SQLITE_OK)
			return rc;
		if (steps == LIMIT_BRANCH_LENGTH)
			return SQLITE_CORRUPT;

		size_t newer = k->count;
		/* A removed message is still valid as a cursor. */
		if (db_int(st, 2) >= 0 && !items_read_add_key(k, key)) {
			cell_no_memory(&j->job.err);
			return SQLITE_OK;
		}
		if (key == j->after.key && (uint64_t)db_int(st, 0) == j->after.secret) {
			k->met = true;
			k->newer = newer;
			k->after = k->count;
		}
		key = db_int(st, 1);
	}
	if (!id_none(j->after) && !k->met)
		err_set(&j->job.err, ERR_INVALID_VALUE, "after", "this list has no such item");
	return SQLITE_OK;
}

/* False: the page is full; *e is set if not even the first item fits. */
static int items_read_item(struct session *s, struct items_read *j, int64_t key, bool *ret_full)
{
	struct store_item *item = &j->items[j->item_count];
	sqlite3_stmt      *st;
	int                rc = conversation_row_linked(s->conn, sql_item, key, &st);

	if (rc != SQLITE_OK)
		return rc;

	size_t bytes = (size_t)sqlite3_column_bytes(st, 3) + (size_t)sqlite3_column_bytes(st, 4);
	if (j->item_count > 0 && j->page_bytes > 0 &&
	    (bytes > j->page_bytes || j->arena.used > j->page_bytes - bytes)) {
		*ret_full = true;
		return SQLITE_OK;
	}
	if (!cell_fits(&j->arena, bytes)) {
		*ret_full = true;
		if (j->item_count == 0)
			err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "",
				"the item is larger than the %zu KiB that a list can contain",
				j->arena.max / KIB);
		return SQLITE_OK;
	}
	if (!cell_keep(&j->arena, row_of(st), 3, &item->message.body, &j->job.err) ||
	    !cell_keep(&j->arena, row_of(st), 4, &item->model, &j->job.err))
		return SQLITE_OK;
	item->message.id = db_id(key, st, 0);
	item->created_ms = db_int(st, 1);
	rc = conversation_row_status(st, &item->status);
	if (rc == SQLITE_OK)
		j->item_count++;
	return rc;
}

static int items_read_page(struct session *s, struct items_read *j, const struct keys *k)
{
	size_t after = k->after;
	size_t left = k->count - after; /* after the cursor, in the requested order */

	if (!j->descending)
		left = k->met ? k->newer : k->count;
	size_t n = left < j->limit ? left : j->limit;

	j->has_more = left > n;
	if (n == 0)
		return SQLITE_OK;
	if (!cell_fits(&j->arena, n * sizeof *j->items)) {
		err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "limit", "the page is too large");
		return SQLITE_OK;
	}
	j->items = arena_alloc(&j->arena, n * sizeof *j->items);
	if (!j->items) {
		cell_no_memory(&j->job.err);
		return SQLITE_OK;
	}
	for (size_t i = 0; i < n; i++) {
		bool full = false;
		int  rc = items_read_item(s, j, k->at[j->descending ? after + i : left - 1 - i],
					  &full);

		if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
			return rc;
		if (full) {
			j->has_more = true;
			return SQLITE_OK;
		}
	}
	return SQLITE_OK;
}

/* items_read_of_run: the messages that a response brought. */
static int items_read_of_run(struct session *s, struct items_read *j, struct keys *k,
			     int64_t *ret_end)
{
	sqlite3_stmt *st;
	int           rc = run_row_find(s->conn, sql_run, j->run, j->owner, &st, &j->job.err);

	if (rc != SQLITE_OK)
		return rc;
	if (j->job.err.code == ERR_NOT_FOUND)
		err_set(&j->job.err, ERR_NOT_FOUND, "", "there is no such response");
	if (j->job.err.code != ERR_OK)
		return SQLITE_OK;
	*ret_end = db_int(st, 0);
	k->base = db_int(st, 1);
	(void)sqlite3_reset(st);
	return SQLITE_OK;
}

/* items_read_of_conversation: the messages of a branch. */
static int items_read_of_conversation(struct session *s, struct items_read *j, int64_t *ret_end)
{
	struct conversation_turn turn;
	sqlite3_stmt            *st;
	int rc = conversation_row_find(s->conn, j->conversation, j->owner, "", &st, &j->job.err);

	if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
		return rc;
	rc = conversation_row_turn(s->conn, st, &turn);
	if (rc != SQLITE_OK)
		return rc;

	/* The messages of the newest turn can be read even without an answer. */
	*ret_end = turn.answered ? turn.run.key : turn.parent;
	if (turn.tip)
		*ret_end = turn.tip;
	if (id_none(j->leaf))
		return SQLITE_OK;
	*ret_end = j->leaf.key;
	return conversation_row_message(s->conn, j->leaf, j->conversation, j->owner, &st, "leaf",
					&j->job.err);
}

static int items_read_items(struct session *s, struct items_read *j)
{
	struct keys k = { 0 };
	int64_t     end = 0;

	j->items = NULL;
	j->item_count = 0;
	j->has_more = false;

	int rc = id_none(j->run) ? items_read_of_conversation(s, j, &end)
				 : items_read_of_run(s, j, &k, &end);
	if (rc == SQLITE_OK && j->job.err.code == ERR_OK)
		rc = walk_keys(s, j, end, &k);
	if (rc == SQLITE_OK && j->job.err.code == ERR_OK)
		rc = items_read_page(s, j, &k);
	free(k.at);
	return rc;
}

OP(items_read, items_read_items);
