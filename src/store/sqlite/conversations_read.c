/* Lists of conversations: in the order of an index, so a page costs what is on it. */
#include "store/sqlite/kit/row.h"
#include "store/sqlite/label_row.h"
#include "store/conversation.h"
#include "store/sqlite/op.h"

/* ?1 the owner, ?2 where the page begins, ?3 how many; ?4, ?5 a pair of the metadata, ?6 all of
 * them. */
#define COLUMNS "SELECT c.id, c.secret, c.created_ms, c.title, c.metadata, c.rev FROM "
#define PLAIN   COLUMNS "conversation c INDEXED BY conversation_owner WHERE c.owner = ?1 AND "
#define LABELLED                                                                   \
	COLUMNS                                                                    \
	"conversation_label l CROSS JOIN conversation c ON c.id = l.conversation " \
	"WHERE l.owner = ?1 AND l.key = ?4 AND l.value = ?5 AND " LABEL_ROW_HAS(   \
		"?1", "?6", "l.conversation") "AND "

static const char sql_place[] =
	"SELECT 1 FROM conversation WHERE id = ? AND secret = ? AND owner = ?";
static const char sql_asc[] = PLAIN "c.id > ?2 ORDER BY c.id LIMIT ?3";
static const char sql_desc[] = PLAIN "c.id < ?2 ORDER BY c.id DESC LIMIT ?3";
static const char sql_label_asc[] = LABELLED "l.conversation > ?2 ORDER BY l.conversation LIMIT ?3";
static const char sql_label_desc[] =
	LABELLED "l.conversation < ?2 ORDER BY l.conversation DESC LIMIT ?3";

static int conversations_read_check_after(struct session *s, struct conversations_read *j)
{
	struct db_bind b = conn_bind(s->conn, sql_place);

	db_bind_int(&b, j->after.key);
	db_bind_secret(&b, j->after.secret);
	db_bind_int(&b, j->owner);
	int rc = db_bind_row(&b);
	if (rc == SQLITE_DONE) {
		err_set(&j->job.err, ERR_INVALID_VALUE, "after",
			"must be the id of a conversation of this list");
		return SQLITE_OK;
	}
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

static const char *conversations_read_which_list(const struct conversations_read *j)
{
	if (j->labels.key.p)
		return j->descending ? sql_label_desc : sql_label_asc;
	return j->descending ? sql_desc : sql_asc;
}

static struct db_bind conversations_read_bind_page(struct session                  *s,
						   const struct conversations_read *j)
{
	struct db_bind b = conn_bind(s->conn, conversations_read_which_list(j));

	db_bind_int(&b, j->owner);
	if (id_none(j->after))
		db_bind_int(&b, j->descending ? INT64_MAX : 0);
	else
		db_bind_int(&b, j->after.key);
	db_bind_int(&b, (int64_t)j->limit + 1);
	if (j->labels.key.p) {
		db_bind_text(&b, j->labels.key);
		db_bind_text(&b, j->labels.value);
		db_bind_text(&b, j->labels.filter);
	}
	return b;
}

static int conversations_read_rows(struct conversations_read *j, struct db_bind b)
{
	sqlite3_stmt *st = b.st;
	struct err   *e = &j->job.err;
	int           rc = db_bind_row(&b);

	for (; rc == SQLITE_ROW; rc = db_row(st)) {
		struct store_conversation *c = &j->conversations[j->conversation_count];
		size_t                     room =
			(size_t)sqlite3_column_bytes(st, 3) + (size_t)sqlite3_column_bytes(st, 4);

		if (j->conversation_count == j->limit || !row_fits(&j->arena, room + 128)) {
			j->has_more = true;
			return SQLITE_OK;
		}
		c->id = db_id(db_int(st, 0), st, 1);
		c->created_ms = db_int(st, 2);
		c->revision = db_int(st, 5);
		if (!row_keep(&j->arena, st, 3, &c->title, e) ||
		    !row_keep(&j->arena, st, 4, &c->metadata, e))
			return SQLITE_OK;
		if (c->metadata.n == 0)
			c->metadata = STR("{}");
		j->conversation_count++;
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int conversations_read_list(struct session *s, struct conversations_read *j)
{
	struct err *e = &j->job.err;
	int         rc = SQLITE_OK;

	j->conversations = NULL;
	j->conversation_count = 0;
	j->has_more = false;
	if (!id_none(j->after))
		rc = conversations_read_check_after(s, j);
	if (rc != SQLITE_OK || e->code != ERR_OK || j->limit == 0)
		return rc;
	if (j->limit > j->arena.max / sizeof *j->conversations) {
		err_set(e, ERR_REQUEST_TOO_LARGE, "limit", "the page is too large");
		return SQLITE_OK;
	}
	j->conversations = arena_alloc(&j->arena, j->limit * sizeof *j->conversations);
	if (!j->conversations) {
		row_no_memory(e);
		return SQLITE_OK;
	}
	if (j->labels.key.p)
		rc = label_row_choose(s, j->owner, &j->labels, &j->arena, e);
	return rc == SQLITE_OK && e->code == ERR_OK
		       ? conversations_read_rows(j, conversations_read_bind_page(s, j))
		       : rc;
}

OP(conversations_read, conversations_read_list);
