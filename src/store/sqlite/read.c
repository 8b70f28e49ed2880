/* Reading a branch, a page of items, a conversation. */
#include "store/sqlite/read.h"

#include "base/limits.h"
#include "store/sqlite/kit/row.h"

#include <stdlib.h>

static const char *const sql[READ_SQL__COUNT] = {
	[READ_SQL_BEGIN] = "BEGIN",
	[READ_SQL_COMMIT] = "COMMIT",
	[READ_SQL_CONVERSATION] = "SELECT leaf, created_ms, title, metadata, tip, rev, "
				  "instruction FROM conversation "
				  "WHERE id = ? AND secret = ? AND owner = ?",
	[READ_SQL_TURN] = "SELECT secret, status, base, parent, "
			  "EXISTS (SELECT 1 FROM message WHERE message.id = run.id) "
			  "FROM run WHERE id = ?",
	[READ_SQL_MESSAGE] = "SELECT secret, prev, run, body FROM message WHERE id = ?",
	[READ_SQL_LINK] = "SELECT secret, prev, run FROM message WHERE id = ?",
	[READ_SQL_INSTRUCTION] = "SELECT instruction FROM run WHERE id = ?",
	[READ_SQL_ITEM] = "SELECT secret, created_ms, CASE WHEN run = id THEN "
			  "(SELECT status FROM run WHERE run.id = message.id) END, "
			  "body FROM message WHERE id = ?",
	[READ_SQL_ITEM_OWNED] =
		"SELECT secret, created_ms, CASE WHEN run = id THEN "
		"(SELECT status FROM run WHERE run.id = message.id) END, "
		"body FROM message WHERE id = ? AND secret = ? AND owner = ? AND conversation = ? "
		"AND run >= 0",
};

enum errc reads_prepare(struct reads *r, sqlite3 *db, struct search *search, int64_t busy_ms,
                        struct err *e)
{
	if (runs_prepare(&r->runs, db, e) != ERR_OK || listing_prepare(&r->listing, db, e) != ERR_OK ||
	    claim_reads_prepare(&r->claims, db, e) != ERR_OK ||
	    file_rows_prepare(&r->files, db, e) != ERR_OK ||
	    archive_page_prepare(&r->archives, db, e) != ERR_OK ||
	    completion_list_prepare(&r->completions, db, e) != ERR_OK ||
	    completion_chain_prepare(&r->completion_chain, db, e) != ERR_OK ||
	    api_key_rows_prepare(&r->keys, db, e) != ERR_OK ||
	    usage_rows_prepare(&r->usage, db, e) != ERR_OK ||
	    search_reads_prepare(&r->search, db, search, busy_ms, e) != ERR_OK)
		return e->code;
	return db_prepare(db, sql, READ_SQL__COUNT, r->st, e);
}

void reads_finish(struct reads *r)
{
	db_finalize(r->st, READ_SQL__COUNT);
	runs_finish(&r->runs);
	listing_finish(&r->listing);
	claim_reads_finish(&r->claims);
	file_rows_finish(&r->files);
	archive_page_finish(&r->archives);
	completion_list_finish(&r->completions);
	completion_chain_finish(&r->completion_chain);
	search_reads_finish(&r->search);
	api_key_rows_finish(&r->keys);
	usage_rows_finish(&r->usage);
}

/* All readers below return an SQLite code; on SQLITE_OK, e->code says whether the job was refused.
 * Statements left on a row are reset by reads_run. */

static int find(struct reads *r, enum read_sql which, int64_t key, sqlite3_stmt **ret)
{
	sqlite3_stmt *st = r->st[which];

	(void)sqlite3_reset(st);
	struct db_bind b = db_bind(st);
	db_bind_int(&b, key);
	*ret = st;
	return db_bind_row(&b);
}

/* A row that another row leads to has to be there. */
static int find_linked(struct reads *r, enum read_sql which, int64_t key, sqlite3_stmt **ret)
{
	int rc = find(r, which, key, ret);

	if (rc == SQLITE_ROW)
		return SQLITE_OK;
	return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
}

static int find_owned(struct reads *r, enum read_sql which, struct id id, int64_t owner,
                      sqlite3_stmt **ret)
{
	sqlite3_stmt  *st = r->st[which];
	struct db_bind b = db_bind(st);

	db_bind_int(&b, id.key);
	db_bind_secret(&b, id.secret);
	db_bind_int(&b, owner);
	*ret = st;
	return db_bind_row(&b);
}

/* Where a conversation's newest turn has got to. */
struct turn_state {
	int64_t   tip; /* the newest message behind it; 0: none */
	struct id run; /* none: no turn yet */
	bool      live;
	bool      answered;
	int64_t   base;
	int64_t   parent;
};

static int read_turn(struct reads *r, sqlite3_stmt *conversation, struct turn_state *ret)
{
	int64_t       run = db_int(conversation, 0);
	int64_t       tip = db_int(conversation, 4);
	sqlite3_stmt *st;

	if (run == 0) {
		*ret = (struct turn_state){ .tip = tip };
		return SQLITE_OK;
	}
	int rc = find_linked(r, READ_SQL_TURN, run, &st);
	if (rc != SQLITE_OK)
		return rc;
	*ret = (struct turn_state){
		.tip = tip,
		.run = db_id(run, st, 0),
		.live = db_int(st, 1) <= RUN_RUNNING,
		.base = db_int(st, 2),
		.parent = db_int(st, 3),
		.answered = db_int(st, 4) != 0,
	};
	return SQLITE_OK;
}

static int find_conversation(struct reads *r, struct id id, int64_t owner, const char *path,
                             sqlite3_stmt **ret, struct err *e)
{
	int rc = find_owned(r, READ_SQL_CONVERSATION, id, owner, ret);

	if (rc == SQLITE_DONE) {
		err_set(e, ERR_NOT_FOUND, path, "There is no conversation with this id.");
		return SQLITE_OK;
	}
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

/* A message of this conversation whose content is there, on whatever branch. */
static int find_message(struct reads *r, struct id id, struct id conversation, int64_t owner,
                        sqlite3_stmt **ret, const char *path, struct err *e)
{
	sqlite3_stmt  *st = r->st[READ_SQL_ITEM_OWNED];
	struct db_bind b = db_bind(st);

	db_bind_int(&b, id.key);
	db_bind_secret(&b, id.secret);
	db_bind_int(&b, owner);
	db_bind_int(&b, conversation.key);
	*ret = st;
	int rc = db_bind_row(&b);
	if (rc == SQLITE_DONE) {
		err_set(e, ERR_NOT_FOUND, path, "This conversation has no message with this id.");
		return SQLITE_OK;
	}
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

/* --- branch --- */

struct link {
	struct link         *next; /* towards the leaf */
	struct store_message message;
};

static int read_instruction(struct reads *r, int64_t run, struct branch_read *j)
{
	sqlite3_stmt *st;
	int           rc = find_linked(r, READ_SQL_INSTRUCTION, run, &st);

	if (rc != SQLITE_OK || sqlite3_column_type(st, 0) == SQLITE_NULL)
		return rc;
	if (row_keep(&j->arena, st, 0, &j->instruction, &j->job.err))
		j->instruction_set = true;
	return SQLITE_OK;
}

static void too_long(struct branch_read *j)
{
	size_t max = j->arena.max < LIMIT_BRANCH_BYTES ? j->arena.max : LIMIT_BRANCH_BYTES;

	err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "conversation",
	        "The conversation's history is larger than the %zu KiB that can be sent with one "
	        "turn. Start a new conversation.",
	        max / KIB);
}

/* Reads one message in front of *list, if there is something left of it. */
static int read_link(struct reads *r, struct branch_read *j, int64_t key, size_t *bytes,
                     int64_t *ret_prev, int64_t *ret_run, struct link **list)
{
	sqlite3_stmt *st;
	int           rc = find_linked(r, READ_SQL_MESSAGE, key, &st);

	if (rc != SQLITE_OK)
		return rc;

	*ret_prev = db_int(st, 1);
	*ret_run = db_int(st, 2);
	if (*ret_run < 0) {
		*ret_run = ~*ret_run; /* its content was removed */
		return SQLITE_OK;
	}
	*bytes += (size_t)sqlite3_column_bytes(st, 3);
	if (*bytes > LIMIT_BRANCH_BYTES ||
	    !row_fits(&j->arena, (size_t)sqlite3_column_bytes(st, 3) + sizeof(struct link))) {
		too_long(j);
		return SQLITE_OK;
	}
	struct link *l = arena_alloc(&j->arena, sizeof *l);
	if (!l) {
		row_no_memory(&j->job.err);
		return SQLITE_OK;
	}
	l->message.id = db_id(key, st, 0);
	if (!row_keep(&j->arena, st, 3, &l->message.body, &j->job.err))
		return SQLITE_OK;
	l->next = *list;
	*list = l;
	return SQLITE_OK;
}

static void flatten(struct branch_read *j, const struct link *list, size_t count)
{
	if (count == 0)
		return;
	if (!row_fits(&j->arena, count * sizeof *j->messages)) {
		too_long(j);
		return;
	}
	struct store_message *all = arena_alloc(&j->arena, count * sizeof *all);
	if (!all) {
		row_no_memory(&j->job.err);
		return;
	}
	for (size_t i = 0; i < count && list; i++, list = list->next)
		all[i] = list->message;
	j->messages = all;
	j->message_count = count;
	j->leaf = all[count - 1].id;
}

static int walk_branch(struct reads *r, struct branch_read *j, int64_t key)
{
	struct link *list = NULL;
	size_t       steps = 0;
	size_t       bytes = 0;
	int64_t      asked = 0; /* the run whose instruction was looked up last */

	for (; key != 0; steps++) {
		int64_t run = 0;

		if (steps == LIMIT_BRANCH_LENGTH)
			return SQLITE_CORRUPT;
		int rc = read_link(r, j, key, &bytes, &key, &run, &list);
		if (rc == SQLITE_OK && j->job.err.code == ERR_OK && !j->instruction_set &&
		    run != 0 && run != asked) {
			rc = read_instruction(r, run, j);
			asked = run;
		}
		if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
			return rc;
	}
	size_t count = 0;
	for (const struct link *l = list; l; l = l->next)
		count++;
	flatten(j, list, count);
	return SQLITE_OK;
}

static int branch_from(struct reads *r, struct branch_read *j)
{
	sqlite3_stmt *st;
	int rc = find_message(r, j->from, j->conversation, j->owner, &st, "parent", &j->job.err);

	if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
		return rc;
	return walk_branch(r, j, j->from.key);
}

static int branch_newest(struct reads *r, struct branch_read *j, sqlite3_stmt *conversation)
{
	struct turn_state turn;
	int               rc = read_turn(r, conversation, &turn);

	if (rc != SQLITE_OK)
		return rc;
	j->expected_leaf = turn.tip ? (struct id){ .key = turn.tip } : turn.run;
	j->live = turn.live && !id_none(turn.run);
	if (j->live)
		return SQLITE_OK;
	if (turn.tip != 0)
		return walk_branch(r, j, turn.tip);
	/* A turn without an answer is not continued from, but from what it hung on, which was
	 * chosen in the same way. */
	return walk_branch(r, j, turn.answered ? turn.run.key : turn.base);
}

static int branch(struct reads *r, struct branch_read *j)
{
	sqlite3_stmt *st;

	j->leaf = j->expected_leaf = (struct id){ 0 };
	j->live = j->instruction_set = false;
	j->instruction = STR_NONE;
	j->messages = NULL;
	j->message_count = 0;

	int rc = find_conversation(r, j->conversation, j->owner, "conversation", &st, &j->job.err);
	if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
		return rc;
	rc = id_none(j->from) ? branch_newest(r, j, st) : branch_from(r, j);
	if (rc != SQLITE_OK || j->job.err.code != ERR_OK || j->live || j->instruction_set ||
	    sqlite3_column_type(st, 6) == SQLITE_NULL)
		return rc;
	/* None of its turns has set one: what held where it was forked from. */
	j->instruction_set = row_keep(&j->arena, st, 6, &j->instruction, &j->job.err);
	return SQLITE_OK;
}

/* --- items --- */

/* Keys of a branch, leaf first. */
struct keys {
	int64_t *at; /* owned */
	size_t   count;
	size_t   cap;
	bool     met;   /* the cursor */
	size_t   newer; /* keys in front of the cursor */
	size_t   after; /* place of the first key behind it */
};

static bool add_key(struct keys *k, int64_t key)
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

/* From the leaf as far as the page needs: newest first that is one more than the page. */
static bool enough(const struct keys *k, const struct items_read *j)
{
	if (!j->descending || (!k->met && !id_none(j->after)))
		return false;
	return k->count > k->after && k->count - k->after > j->limit;
}

static int walk_keys(struct reads *r, struct items_read *j, int64_t key, struct keys *k)
{
	for (size_t steps = 0; key != 0 && !enough(k, j); steps++) {
		sqlite3_stmt *st;
		int           rc = find_linked(r, READ_SQL_LINK, key, &st);

		if (rc != SQLITE_OK)
			return rc;
		if (steps == LIMIT_BRANCH_LENGTH)
			return SQLITE_CORRUPT;

		size_t newer = k->count;
		/* What was removed is still good as a cursor. */
		if (db_int(st, 2) >= 0 && !add_key(k, key)) {
			row_no_memory(&j->job.err);
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
		err_set(&j->job.err, ERR_INVALID_VALUE, "after",
		        "This conversation has no item with this id.");
	return SQLITE_OK;
}

static int read_item_status(sqlite3_stmt *st, enum run_status *ret)
{
	int64_t status = RUN_COMPLETED;

	if (sqlite3_column_type(st, 2) != SQLITE_NULL)
		status = db_int(st, 2);
	if (status < 0 || status >= RUN_STATUS__COUNT)
		return SQLITE_CORRUPT;
	*ret = (enum run_status)status;
	return SQLITE_OK;
}

/* False: the page is full; e tells when not even the first item fits. */
static int read_item(struct reads *r, struct items_read *j, int64_t key, bool *ret_full)
{
	struct store_item *item = &j->items[j->item_count];
	sqlite3_stmt      *st;
	int                rc = find_linked(r, READ_SQL_ITEM, key, &st);

	if (rc != SQLITE_OK)
		return rc;

	size_t bytes = (size_t)sqlite3_column_bytes(st, 3);
	if (j->item_count > 0 && j->page_bytes > 0 &&
	    (bytes > j->page_bytes || j->arena.used > j->page_bytes - bytes)) {
		*ret_full = true;
		return SQLITE_OK;
	}
	if (!row_fits(&j->arena, bytes)) {
		*ret_full = true;
		if (j->item_count == 0)
			err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "",
			        "The item is larger than the %zu KiB that a list can give.",
			        j->arena.max / KIB);
		return SQLITE_OK;
	}
	if (!row_keep(&j->arena, st, 3, &item->message.body, &j->job.err))
		return SQLITE_OK;
	item->message.id = db_id(key, st, 0);
	item->created_ms = db_int(st, 1);
	rc = read_item_status(st, &item->status);
	if (rc == SQLITE_OK)
		j->item_count++;
	return rc;
}

static int read_page(struct reads *r, struct items_read *j, const struct keys *k)
{
	size_t after = k->after;
	size_t left = k->count - after; /* behind the cursor, in the order asked */

	if (!j->descending)
		left = k->met ? k->newer : k->count;
	size_t n = left < j->limit ? left : j->limit;

	j->has_more = left > n;
	if (n == 0)
		return SQLITE_OK;
	if (!row_fits(&j->arena, n * sizeof *j->items)) {
		err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "limit", "The page is too large.");
		return SQLITE_OK;
	}
	j->items = arena_alloc(&j->arena, n * sizeof *j->items);
	if (!j->items) {
		row_no_memory(&j->job.err);
		return SQLITE_OK;
	}
	for (size_t i = 0; i < n; i++) {
		bool full = false;
		int  rc = read_item(r, j, k->at[j->descending ? after + i : left - 1 - i], &full);

		if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
			return rc;
		if (full) {
			j->has_more = true;
			return SQLITE_OK;
		}
	}
	return SQLITE_OK;
}

static int items(struct reads *r, struct items_read *j)
{
	struct keys       k = { 0 };
	struct turn_state turn;
	sqlite3_stmt     *st;

	j->items = NULL;
	j->item_count = 0;
	j->has_more = false;

	int rc = find_conversation(r, j->conversation, j->owner, "", &st, &j->job.err);
	if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
		return rc;
	rc = read_turn(r, st, &turn);
	if (rc != SQLITE_OK)
		return rc;

	/* What the newest turn was sent stays readable without an answer. */
	int64_t end = turn.answered ? turn.run.key : turn.parent;
	end = turn.tip ? turn.tip : end;
	if (!id_none(j->leaf)) {
		rc = find_message(r, j->leaf, j->conversation, j->owner, &st, "leaf", &j->job.err);
		end = j->leaf.key;
	}
	if (rc == SQLITE_OK && j->job.err.code == ERR_OK)
		rc = walk_keys(r, j, end, &k);
	if (rc == SQLITE_OK && j->job.err.code == ERR_OK)
		rc = read_page(r, j, &k);
	free(k.at);
	return rc;
}

/* --- conversation --- */

static int conversation(struct reads *r, struct conversation_read *j)
{
	sqlite3_stmt *st;
	struct str    title;
	struct str    metadata;
	int           rc = find_conversation(r, j->conversation, j->owner, "", &st, &j->job.err);

	if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
		return rc;
	if (!row_keep(&j->arena, st, 2, &title, &j->job.err) ||
	    !row_keep(&j->arena, st, 3, &metadata, &j->job.err))
		return SQLITE_OK;
	j->found = (struct store_conversation){
		.id = j->conversation,
		.created_ms = db_int(st, 1),
		.revision = db_int(st, 5),
		.title = title,
		.metadata = metadata.n > 0 ? metadata : STR("{}"),
	};
	return SQLITE_OK;
}

static int one_item(struct reads *r, struct item_read *j)
{
	struct err   *e = &j->job.err;
	sqlite3_stmt *st;
	int           rc = find_conversation(r, j->conversation, j->owner, "", &st, e);

	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	rc = find_message(r, j->message, j->conversation, j->owner, &st, "", e);
	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	if (!row_keep(&j->arena, st, 3, &j->item.message.body, e))
		return SQLITE_OK;
	j->item.message.id = j->message;
	j->item.created_ms = db_int(st, 1);
	return read_item_status(st, &j->item.status);
}

static int dispatch(struct reads *r, struct store_job *job)
{
	switch (job->kind->job) {
	case JOB_BRANCH_READ:
		return branch(r, container_of(job, struct branch_read, job));
	case JOB_CONVERSATION_READ:
		return conversation(r, container_of(job, struct conversation_read, job));
	case JOB_ITEMS_READ:
		return items(r, container_of(job, struct items_read, job));
	case JOB_RUN_READ:
		return runs_one(&r->runs, container_of(job, struct run_read, job));
	case JOB_EVENTS_READ:
		return runs_events(&r->runs, container_of(job, struct events_read, job));
	case JOB_RUNS_READ:
		return runs_list(&r->runs, container_of(job, struct runs_read, job));
	case JOB_CONVERSATIONS_READ:
		return listing_read(&r->listing, container_of(job, struct conversations_read, job));
	case JOB_ITEM_READ:
		return one_item(r, container_of(job, struct item_read, job));
	case JOB_KEY_READ:
		return claim_read(&r->claims, container_of(job, struct key_read, job));
	case JOB_FILES_FIND:
		return file_rows_find(&r->files, container_of(job, struct files_find, job));
	case JOB_FILES_READ:
		return file_rows_list(&r->files, container_of(job, struct files_read, job));
	case JOB_ARCHIVE_READ:
		return archive_page_read(&r->archives, container_of(job, struct archive_read, job));
	case JOB_COMPLETION_READ:
		return completion_list_one(&r->completions, container_of(job, struct completion_read, job));
	case JOB_COMPLETIONS_READ:
		return completion_list_page(&r->completions,
					container_of(job, struct completions_read, job));
	case JOB_COMPLETION_MESSAGES_READ:
		return completion_chain_read(&r->completion_chain,
					     container_of(job, struct completion_messages_read, job));
	case JOB_API_KEYS_READ:
		return api_key_rows_list(&r->keys, container_of(job, struct api_keys_read, job));
	case JOB_USAGE_READ:
		return usage_rows_read(&r->usage, container_of(job, struct usage_read, job));
	case JOB_SEARCH_READ: /* needs no transaction around it */
	case JOB_TURN_BEGIN:
	case JOB_TURN_END:
	case JOB_SEQ_RESERVE:
	case JOB_EVENTS_APPEND:
	case JOB_CONVERSATION_WRITE:
	case JOB_KEY_KEEP:
	case JOB_FILE_ADD:
	case JOB_FILE_DELETE:
	case JOB_ARCHIVE_WRITE:
	case JOB_COMPLETION_WRITE:
	case JOB_API_KEY_WRITE:
	case JOB_BUDGET_RESERVE:
	case JOB_BUDGET_SETTLE:
	case JOB__COUNT:
		break;
	}
	CHECK(job->kind->lane == LANE_READ);
	return SQLITE_MISUSE;
}

void reads_run(struct reads *r, struct store_job *job)
{
	job->err = (struct err){ .code = ERR_OK };
	if (job->kind->job == JOB_SEARCH_READ) {
		int done = search_reads_run(&r->search, container_of(job, struct search_read, job));

		if (done != SQLITE_OK)
			db_refuse(done, &job->err);
		return;
	}

	int rc = db_run(r->st[READ_SQL_BEGIN]);
	if (rc == SQLITE_OK)
		rc = dispatch(r, job);
	for (size_t i = 0; i < READ_SQL__COUNT; i++)
		(void)sqlite3_reset(r->st[i]);
	runs_reset(&r->runs);
	listing_reset(&r->listing);
	file_rows_reset(&r->files);
	archive_page_reset(&r->archives);
	completion_list_reset(&r->completions);
	completion_chain_reset(&r->completion_chain);
	api_key_rows_reset(&r->keys);
	usage_rows_reset(&r->usage);
	/* A reader that stayed in its transaction would keep the log from starting over. */
	if (!sqlite3_get_autocommit(sqlite3_db_handle(r->st[READ_SQL_COMMIT])) &&
	    db_run(r->st[READ_SQL_COMMIT]) != SQLITE_OK)
		db_rollback(sqlite3_db_handle(r->st[READ_SQL_COMMIT]));
	if (rc != SQLITE_OK)
		db_refuse(rc, &job->err);
}
