/* Retention of conversations, of the content of messages, and of files.
 *
 * A step takes a millisecond.  A conversation goes in two parts: first its row, so that nobody finds it any more,
 * and then its turns, one by one.  Between the two, its row of the table `swept` says that there is a rest.
 *
 * What is old is found in passes over all ids, the oldest first, because an index by the last activity would cost
 * each turn.  A pass rests after a hundredth of what it looks at. */
#include "store/sqlite/chores.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/metric.h"
#include "store/engine.h"
#include "store/sqlite/conversation_write.h"
#include "store/sqlite/file_content.h"
#include "store/sql/cells.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	STEP_US = 1000,
	AGAIN_MS = 5,
	LOOK_ROWS = 128, /* in one look of a pass */
	PASS_SHARE = 64, /* passes follow each other after this part of the time to keep */
	PASS_MOST_MS = 3600 * 1000,
	PASS_REST = 20, /* and after so many times their own duration */
	BUSY_MS =
		60 * 1000, /* until a conversation that is due, but must stay, is looked at again */
	RUN_BYTES = 1000,  /* a conversation has about so many besides its turns */
	SIZE_REST_MS = 60 * 1000, /* after conversations were removed for it */
	LOG_SHARE = 16,           /* a log with more than this part of all bytes is emptied first */
	OLDEST = 1024,            /* conversations that are found at a time */
	SIZE_LOOK_MS = 2 * 1000,  /* looks at the size follow each other after this time */
	ERASED_US = 15 * 1000 * 1000,
};

/* --- the rest of conversations that are gone --- */

static const char sql_rest[] = "SELECT id FROM swept WHERE rest = 1 LIMIT 1";
static const char sql_turn[] = "SELECT id, parent, base, events_from, events_to FROM run "
			       "INDEXED BY run_conversation WHERE conversation = ? LIMIT 1";
static const char sql_drop_run[] = "DELETE FROM run WHERE id = ?";
static const char sql_loose[] = "SELECT id FROM message INDEXED BY message_loose "
				"WHERE conversation = ? AND run BETWEEN -1 AND 0 LIMIT 1";
static const char sql_rested[] = "UPDATE swept SET rest = 0 WHERE id = ?";
static const char sql_forget[] = "DELETE FROM swept WHERE id IN (SELECT id FROM swept "
				 "WHERE at_ms < ? AND rest = 0 LIMIT 64)";

/* --- what goes --- */

#define KEEP_ROW "SELECT id, max(id, leaf, tip), keep_ms FROM conversation "
static const char sql_due[] = KEEP_ROW "WHERE due_ms <= ? ORDER BY due_ms LIMIT 1";
static const char sql_put_off[] = "UPDATE conversation SET due_ms = ? WHERE id = ?";
static const char sql_all[] = KEEP_ROW "WHERE id > ? AND id < ? ORDER BY id LIMIT ?";
static const char sql_owned[] =
	KEEP_ROW "INDEXED BY conversation_owner WHERE id > ? AND id < ? AND owner = ?4 "
		 "AND origin = ?5 ORDER BY id LIMIT ?3";
static const char sql_pinned[] =
	"SELECT 1 FROM conversation c JOIN conversation_label l ON l.owner = c.owner "
	"AND l.key = 'keep' AND l.value = 'true' AND l.conversation = c.id WHERE c.id = ?";
static const char sql_busy[] = "SELECT 1 FROM run INDEXED BY run_conversation "
			       "WHERE conversation = ? AND (status < 2 OR completed_ms >= ?)";
static const char sql_note[] = "INSERT OR IGNORE INTO swept (id, secret, owner, at_ms, rest) "
			       "SELECT id, secret, owner, ?2, 1 FROM conversation WHERE id = ?1";
static const char sql_drop_labels[] =
	"DELETE FROM conversation_label WHERE owner = (SELECT owner FROM conversation WHERE id = ?1) "
	"AND conversation = ?1 AND (key, value) IN (SELECT m.key, m.value FROM conversation c, "
	"json_each(c.metadata) m WHERE c.id = ?1)";
static const char sql_titled[] = "SELECT title IS NOT NULL FROM conversation WHERE id = ?";
static const char sql_drop[] = "DELETE FROM conversation WHERE id = ?";

static const char sql_messages[] =
	"SELECT id, conversation, run FROM message WHERE id > ? AND id < ? ORDER BY id LIMIT ?";
static const char sql_empty_run[] =
	"UPDATE run SET instruction = iif(instruction = '', '', NULL), executions = NULL, "
	"settings = iif(settings LIKE '{%', NULL, settings) WHERE id = ? AND status > 1 "
	"AND (instruction <> '' OR executions IS NOT NULL OR settings LIKE '{%')";
static const char sql_empty_row[] = "UPDATE conversation SET instruction = NULL "
				    "WHERE id = ? AND instruction IS NOT NULL";
static const char sql_untitle[] =
	"UPDATE conversation SET title = NULL, titled = 0 WHERE id = ? AND titled = 1";

static const char sql_file[] =
	"SELECT id, sha256 FROM file WHERE expires_ms > 0 AND expires_ms <= ? "
	"ORDER BY expires_ms LIMIT 1";
static const char sql_drop_file[] = "DELETE FROM file WHERE id = ?";

static const char sql_files[] =
	"SELECT id, bytes FROM file WHERE id > ? AND id < ? ORDER BY id LIMIT ?";
static const char sql_weigh[] =
	"SELECT sum(ifnull(length(a.body), 0) + ifnull(length(p.body), 0) + 1000) FROM run r "
	"INDEXED BY run_conversation LEFT JOIN message a ON a.id = r.id LEFT JOIN message p "
	"ON p.id = r.parent WHERE r.conversation = ?";
static const char sql_newest[] = "SELECT max(id, leaf, tip) FROM conversation WHERE id = ?";
static const char sql_pages[] =
	"SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, "
	"pragma_freelist_count, pragma_page_size";

static const char sql_oldest[] = "SELECT min(id) FROM conversation";

/* The surplus: the oldest conversations by their newest turn or message, in no order until all have been seen. */
struct keep_size {
	int64_t files;   /* bytes */
	int64_t due;     /* bytes of the database that have to go */
	int64_t next_us; /* when the size is looked at again */
	bool    told;    /* files alone are over the limit, and this was logged */
	bool    went;    /* one of `oldest` went */
	bool    again;   /* there may be more than `oldest` has room for */
	size_t  count, at;
	struct keep_old {
		int64_t newest, id;
	} oldest[OLDEST];
};

void keep_init(struct keep *k, struct session *session, const struct store_options *o)
{
	*k = (struct keep){
		.session = session,
		.keep = o->keep,
		.told_ms = o->events_keep_ms,
		.size = o->keep.bytes > 0 ? calloc(1, sizeof(struct keep_size)) : NULL,
	};
}

void keep_finish(struct keep *k)
{
	free(k->size);
	k->size = NULL;
}

static struct db_bind keep_bind(struct keep *k, const char *sql, int64_t first)
{
	struct db_bind b = conn_bind(k->session->conn, sql);

	db_bind_int(&b, first);
	return b;
}

/* keep_found: steps once; *ret: whether there was a row, on which the statement stays. */
static int keep_found(struct db_bind *b, bool *ret)
{
	int rc = db_bind_row(b);

	*ret = rc == SQLITE_ROW;
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* keep_has: likewise, and resets it. */
static int keep_has(struct db_bind *b, bool *ret)
{
	int rc = keep_found(b, ret);

	(void)sqlite3_reset(b->st);
	return rc;
}

static int keep_do(struct keep *k, const char *sql, int64_t id)
{
	struct db_bind b = keep_bind(k, sql, id);

	return db_bind_run(&b);
}

/* keep_write: begins the step's transaction, unless that is begun. */
static int keep_write(struct keep *k)
{
	if (k->writes)
		return SQLITE_OK;
	int rc = conn_begin_write(k->session->conn);
	k->writes = rc == SQLITE_OK;
	return k->writes ? events_refresh(&k->session->events) : rc;
}

/* keep_rest: removes a turn, or a message, of a conversation that is gone. */
static int keep_rest(struct keep *k, int64_t conversation)
{
	struct db_bind  b = keep_bind(k, sql_turn, conversation);
	struct turn_row t = { 0 };
	bool            found;
	int             rc = keep_found(&b, &found);

	if (rc == SQLITE_OK && found) {
		t = (struct turn_row){ db_int(b.st, 0), db_int(b.st, 1), db_int(b.st, 2),
				       db_int(b.st, 3), db_int(b.st, 4) };
		(void)sqlite3_reset(b.st);
		rc = keep_write(k);
		if (rc == SQLITE_OK)
			rc = conversation_drop_turn(k->session, &t);
		k->gone[KEPT_RUN]++;
		return rc == SQLITE_OK ? keep_do(k, sql_drop_run, t.run) : rc;
	}
	b = keep_bind(k, sql_loose, conversation);
	if (rc == SQLITE_OK)
		rc = keep_found(&b, &found);
	int64_t loose = rc == SQLITE_OK && found ? db_int(b.st, 0) : 0;
	(void)sqlite3_reset(b.st);
	if (rc == SQLITE_OK)
		rc = keep_write(k);
	if (rc != SQLITE_OK)
		return rc;
	return found ? conversation_drop_message(k->session, loose)
		     : keep_do(k, sql_rested, conversation);
}

/* keep_may_go: whether a conversation has neither a pin nor a run that goes on or has ended since `since_ms`. */
static int keep_may_go(struct keep *k, int64_t conversation, int64_t since_ms, bool *ret)
{
	bool pinned = false;
	bool busy = false;
	int  rc = SQLITE_OK;

	if (k->keep.pins) {
		struct db_bind b = keep_bind(k, sql_pinned, conversation);

		rc = keep_has(&b, &pinned);
	}
	if (rc == SQLITE_OK && !pinned) {
		struct db_bind b = keep_bind(k, sql_busy, conversation);

		db_bind_int(&b, since_ms);
		rc = keep_has(&b, &busy);
	}
	*ret = !pinned && !busy;
	return rc;
}

/* keep_drop: makes a conversation's row one of `swept`. */
static int keep_drop(struct keep *k, int64_t conversation, int64_t now_ms)
{
	bool found = false;
	int  rc = keep_write(k);

	if (rc == SQLITE_OK) {
		struct db_bind b = keep_bind(k, sql_note, conversation);

		db_bind_int(&b, now_ms);
		rc = db_bind_run(&b);
	}
	if (rc == SQLITE_OK)
		rc = keep_do(k, sql_drop_labels, conversation);
	if (rc == SQLITE_OK) {
		struct db_bind b = keep_bind(k, sql_titled, conversation);

		rc = keep_found(&b, &found);
		if (found && db_int(b.st, 0))
			search_queue_title(&k->session->search, true);
		(void)sqlite3_reset(b.st);
	}
	k->gone[KEPT_CONVERSATION]++;
	if (rc == SQLITE_OK)
		rc = keep_do(k, ceiling_cell_drop, conversation);
	return rc == SQLITE_OK ? keep_do(k, sql_drop, conversation) : rc;
}

/* keep_due: looks at a conversation that has its own time; *ret false: there is none that is due. */
static int keep_due(struct keep *k, int64_t now_ms, bool *ret)
{
	struct db_bind b = keep_bind(k, sql_due, now_ms);
	bool           goes = false;
	int            rc = keep_found(&b, ret);

	if (rc != SQLITE_OK || !*ret)
		return rc;
	int64_t id = db_int(b.st, 0);
	int64_t due_ms = id_key_ms(db_int(b.st, 1)) + db_int(b.st, 2);
	int64_t since_ms = now_ms - db_int(b.st, 2);
	(void)sqlite3_reset(b.st);
	if (due_ms <= now_ms) {
		rc = keep_may_go(k, id, since_ms, &goes);
		due_ms = now_ms + BUSY_MS;
	}
	if (rc == SQLITE_OK && goes)
		return keep_drop(k, id, now_ms);
	if (rc == SQLITE_OK)
		rc = keep_write(k);
	if (rc != SQLITE_OK)
		return rc;
	b = keep_bind(k, sql_put_off, due_ms);
	db_bind_int(&b, id);
	return db_bind_run(&b);
}

/* --- files --- */

/* keep_file: removes a file whose time is over; in a transaction of its own, because its content goes after it. */
static int keep_file(struct keep *k, int64_t now_ms, bool *ret)
{
	struct db_bind   b = keep_bind(k, sql_file, now_ms);
	struct blob_name name = { .mark = 0 };
	int              rc = keep_found(&b, ret);

	if (rc != SQLITE_OK || !*ret)
		return rc;
	int64_t    id = db_int(b.st, 0);
	struct str sum = db_blob(b.st, 1);
	bool       sound = sum.n == HASH_BYTES;
	if (sound)
		memcpy(name.sha256, sum.p, HASH_BYTES);
	(void)sqlite3_reset(b.st);
	if (!sound)
		return SQLITE_CORRUPT;
	/* It is tried again; conversations must not wait for that. */
	*ret = blob_mark(k->session->blobs, &name);
	if (!*ret)
		return SQLITE_OK;
	/* The content must not go before the row has gone for good. */
	rc = conn_relax(k->session->conn, false);
	if (rc == SQLITE_OK)
		rc = keep_do(k, sql_drop_file, id);
	if (rc == SQLITE_OK)
		rc = conn_relax(k->session->conn, true);
	file_content_settle(k->session, &name);
	k->gone[KEPT_FILE] += rc == SQLITE_OK;
	k->erased |= rc == SQLITE_OK;
	return rc;
}

/* --- passes --- */

static int64_t keep_rest_ms(const struct keep *k, int64_t keep_ms)
{
	int64_t rest = keep_ms / PASS_SHARE;
	int64_t own = PASS_REST * (clock_mono_us() - k->began_us) / 1000;

	rest = rest < PASS_MOST_MS ? rest : PASS_MOST_MS;
	rest = rest > own ? rest : own;
	return rest > KEEP_REST_MS ? rest : KEEP_REST_MS;
}

/* keep_walk: the conversations from k->at on that have been inactive since the pass's horizon; *ret: the pass goes on. */
static int keep_walk(struct keep *k, const char *sql, int64_t now_ms, bool *ret)
{
	int64_t        horizon = id_key_at(k->since_ms);
	struct db_bind b = keep_bind(k, sql, k->at);
	int64_t        old = 0;
	int            rows = 0;
	int            rc;

	db_bind_int(&b, horizon);
	db_bind_int(&b, LOOK_ROWS);
	if (sql == sql_owned) {
		db_bind_int(&b, k->owner);
		db_bind_int(&b, k->origin);
	}
	for (rc = db_bind_row(&b); rc == SQLITE_ROW && old == 0; rc = old ? rc : db_row(b.st)) {
		rows++;
		k->at = db_int(b.st, 0);
		if (db_int(b.st, 1) < horizon)
			old = k->at;
	}
	if (old != 0)
		(void)sqlite3_reset(b.st);
	*ret = old != 0 || rows == LOOK_ROWS;
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return rc;
	bool goes = false;
	rc = old != 0 ? keep_may_go(k, old, k->since_ms, &goes) : SQLITE_OK;
	return rc == SQLITE_OK && goes ? keep_drop(k, old, now_ms) : rc;
}

/* keep_next_owner: the next owner whose keys keep for a time of their own; false: there is none. */
static int keep_next_owner(struct keep *k, int64_t now_ms, bool *ret)
{
	struct db_bind b = keep_bind(k, keep_cell_owner, k->owner);
	int            rc = keep_found(&b, ret);

	if (rc == SQLITE_OK && *ret) {
		k->owner = db_int(b.st, 0);
		k->owner_keep_ms = db_int(b.st, 1);
		k->since_ms = now_ms - k->owner_keep_ms;
		if (k->shortest_ms == 0 || k->owner_keep_ms < k->shortest_ms)
			k->shortest_ms = k->owner_keep_ms;
	}
	(void)sqlite3_reset(b.st);
	k->origin = *ret ? 0 : ORIGIN__COUNT;
	k->at = 0;
	return rc;
}

/* keep_empty: removes the content of a message, and what its run has said beside it; a title that a model has made of
 * contents goes, too. */
static int keep_empty(struct keep *k, int64_t message, int64_t conversation, int64_t run)
{
	int rc = keep_write(k);

	if (rc == SQLITE_OK)
		rc = conversation_empty_message(k->session, conversation, message);
	if (rc == SQLITE_OK && run != 0)
		rc = keep_do(k, sql_empty_run, run);
	if (rc == SQLITE_OK)
		rc = keep_do(k, sql_empty_row, conversation);
	if (rc == SQLITE_OK)
		rc = keep_do(k, sql_untitle, conversation);
	if (rc == SQLITE_OK && sqlite3_changes(k->session->conn->db) > 0)
		search_queue_title(&k->session->search, true);
	k->gone[KEPT_CONTENT]++;
	return rc;
}

/* keep_contents: the messages from k->at on whose content is old; *ret: the pass goes on. */
static int keep_contents(struct keep *k, bool *ret)
{
	struct db_bind b = keep_bind(k, sql_messages, k->at);
	int64_t        conversation = 0;
	int64_t        run = -1;
	int            rows = 0;
	int            rc;

	db_bind_int(&b, id_key_at(k->since_ms));
	db_bind_int(&b, LOOK_ROWS);
	for (rc = db_bind_row(&b); rc == SQLITE_ROW; rc = db_row(b.st)) {
		rows++;
		k->at = db_int(b.st, 0);
		conversation = db_int(b.st, 1);
		run = db_int(b.st, 2);
		if (run >= 0) /* below, its content is removed already */
			break;
	}
	(void)sqlite3_reset(b.st);
	*ret = rc == SQLITE_ROW || rows == LOOK_ROWS;
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	bool goes = false;
	rc = keep_may_go(k, conversation, INT64_MAX, &goes);
	return rc == SQLITE_OK && goes ? keep_empty(k, k->at, conversation, run) : rc;
}

static void keep_phase_begin(struct keep *k, enum keep_phase phase, int64_t now_ms)
{
	int64_t keep_ms = phase == PHASE_CONTENT ? k->keep.content_ms : k->keep.conversations_ms;

	k->phase = phase;
	k->at = 0;
	if (k->size && phase == PHASE_FILES)
		k->size->files = 0;
	if (k->size && phase == PHASE_OLDEST) {
		k->size->count = k->size->at = 0;
		k->size->again = k->size->went = false;
	}
	k->owner = INT64_MIN;
	k->origin = ORIGIN__COUNT;
	k->since_ms = keep_ms > 0 ? now_ms - keep_ms : 0;
}

/* --- the size of everything --- */

/* keep_pages: the bytes of the database's pages that are in use. */
static int keep_pages(struct keep *k, int64_t *ret)
{
	struct db_bind b = conn_bind(k->session->conn, sql_pages);
	bool           found;
	int            rc = keep_found(&b, &found);

	*ret = rc == SQLITE_OK && found ? db_int(b.st, 0) : 0;
	(void)sqlite3_reset(b.st);
	return rc;
}

static int64_t keep_file_bytes(const char *database, const char *suffix)
{
	char        name[PATH_MAX];
	struct stat st;
	int         n = snprintf(name, sizeof name, "%s%s", database, suffix);

	return n > 0 && (size_t)n < sizeof name && stat(name, &st) == 0 ? st.st_size : 0;
}

/* keep_number: a number of a database's header, the most significant byte first. */
static int64_t keep_number(const unsigned char *p, size_t n)
{
	int64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v = v << 8 | p[i];
	return v;
}

/* keep_index_bytes: the pages in use of the search index, by the header of its file (SQLite's file format, section
 * 1.3): the file itself never gets smaller. */
static int64_t keep_index_bytes(const char *database)
{
	unsigned char head[40];
	char          name[PATH_MAX];
	int           n = snprintf(name, sizeof name, "%s.search", database);
	int           fd = n > 0 && (size_t)n < sizeof name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	bool          read_all = fd >= 0 && pread(fd, head, sizeof head, 0) == sizeof head;

	if (fd >= 0)
		close(fd);
	if (!read_all)
		return 0;
	int64_t page = keep_number(head + 16, 2);
	return (page == 1 ? 65536 : page) * (keep_number(head + 28, 4) - keep_number(head + 36, 4));
}

/* keep_measure: sets the goal; *ret: there is a surplus that conversations can be removed for.  The index shrinks after
 * the database, by about the same share. */
static int keep_measure(struct keep *k, bool *ret)
{
	const char       *database = sqlite3_db_filename(k->session->conn->db, "main");
	struct keep_size *z = k->size;
	int64_t           index = keep_index_bytes(database);
	int64_t           log = keep_file_bytes(database, "-wal");
	int64_t           pages;
	int               rc = keep_pages(k, &pages);
	int64_t           surplus = pages + index + log + z->files - k->keep.bytes;

	*ret = rc == SQLITE_OK && surplus > 0 && z->files < k->keep.bytes;
	if (*ret)
		z->next_us = clock_mono_us() + (int64_t)1000 * SIZE_REST_MS;
	/* Nothing is removed for a log that can be emptied. */
	if (*ret && log > k->keep.bytes / LOG_SHARE) {
		k->session->erased = true;
		z->next_us = 0;
		*ret = false;
	}
	z->due = (int64_t)((double)surplus * (double)pages / (double)(pages + index + 1));
	if (rc == SQLITE_OK && z->files >= k->keep.bytes && !z->told)
		log_note(
			LOG_WARN, "store_full",
			"uploaded files alone have more bytes than store_keep_size allows, so no conversation "
			"is removed for it");
	z->told = z->files >= k->keep.bytes;
	return rc;
}

/* keep_files: adds up the sizes of files; *ret: there are more. */
static int keep_files(struct keep *k, bool *ret)
{
	struct db_bind b = keep_bind(k, sql_files, k->at);
	int            rows = 0;
	int            rc;

	db_bind_int(&b, INT64_MAX);
	db_bind_int(&b, LOOK_ROWS);
	for (rc = db_bind_row(&b); rc == SQLITE_ROW; rc = db_row(b.st)) {
		rows++;
		k->at = db_int(b.st, 0);
		k->size->files += db_int(b.st, 1);
	}
	*ret = rows == LOOK_ROWS;
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int keep_compare(const void *a, const void *b)
{
	const struct keep_old *x = a, *y = b;

	return x->newest < y->newest ? -1 : x->newest > y->newest;
}

/* keep_consider: keeps the oldest ones: when there is no more room, the newer half goes. */
static void keep_consider(struct keep_size *z, int64_t newest, int64_t id)
{
	if (z->count == OLDEST) {
		qsort(z->oldest, z->count, sizeof *z->oldest, keep_compare);
		z->count = OLDEST / 2;
		z->again = true;
	}
	if (!z->again || newest < z->oldest[OLDEST / 2 - 1].newest)
		z->oldest[z->count++] = (struct keep_old){ newest, id };
}

/* keep_oldest: looks for the oldest conversations; *ret: there are more to look at. */
static int keep_oldest(struct keep *k, bool *ret)
{
	struct db_bind b = keep_bind(k, sql_all, k->at);
	int            rows = 0;
	int            rc;

	db_bind_int(&b, INT64_MAX);
	db_bind_int(&b, LOOK_ROWS);
	for (rc = db_bind_row(&b); rc == SQLITE_ROW; rc = db_row(b.st)) {
		rows++;
		k->at = db_int(b.st, 0);
		keep_consider(k->size, db_int(b.st, 1), k->at);
	}
	*ret = rows == LOOK_ROWS;
	if (!*ret)
		qsort(k->size->oldest, k->size->count, sizeof *k->size->oldest, keep_compare);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* keep_weigh: counts a conversation that goes; about: its pages are free when the index has taken its words out. */
static int keep_weigh(struct keep *k, int64_t conversation)
{
	struct db_bind b = keep_bind(k, sql_weigh, conversation);
	bool           found;
	int            rc = keep_found(&b, &found);

	k->size->due -= RUN_BYTES + (rc == SQLITE_OK && found ? db_int(b.st, 0) : 0);
	(void)sqlite3_reset(b.st);
	return rc;
}

/* keep_surplus: removes the next one; *ret: another may follow.  A conversation that has gone on since it was seen
 * stays. */
static int keep_surplus(struct keep *k, int64_t now_ms, bool *ret)
{
	struct keep_size *z = k->size;
	bool              goes = false;
	int               rc;

	*ret = z->due > 0 && (z->at < z->count || (z->again && z->went));
	if (!*ret)
		return SQLITE_OK;
	if (z->at == z->count) {
		keep_phase_begin(k, PHASE_OLDEST, now_ms);
		return SQLITE_OK;
	}
	const struct keep_old *old = &z->oldest[z->at++];
	struct db_bind         b = keep_bind(k, sql_newest, old->id);
	rc = keep_found(&b, &goes);
	goes = goes && db_int(b.st, 0) == old->newest;
	(void)sqlite3_reset(b.st);
	if (rc == SQLITE_OK && goes)
		rc = keep_may_go(k, old->id, INT64_MAX, &goes);
	z->went = z->went || goes;
	if (rc == SQLITE_OK && goes)
		rc = keep_weigh(k, old->id);
	return rc == SQLITE_OK && goes ? keep_drop(k, old->id, now_ms) : rc;
}

/* keep_pass: a look of the pass that goes on; *ret: there may be more to look at. */
static int keep_pass(struct keep *k, int64_t now_ms, bool *ret)
{
	bool more = false;
	int  rc = SQLITE_OK;

	switch (k->phase) {
	case PHASE_ALL:
		if (k->keep.conversations_ms > 0)
			rc = keep_walk(k, sql_all, now_ms, &more);
		break;
	case PHASE_OWNED:
		more = true;
		if (k->origin == ORIGIN__COUNT)
			rc = keep_next_owner(k, now_ms, &more);
		else
			rc = keep_walk(k, sql_owned, now_ms, &more);
		if (rc == SQLITE_OK && !more && k->origin < ORIGIN__COUNT) {
			k->origin++;
			k->at = 0;
			more = true;
		}
		break;
	case PHASE_CONTENT:
		if (k->keep.content_ms > 0)
			rc = keep_contents(k, &more);
		break;
	case PHASE_FILES:
		if (k->size && clock_mono_us() < k->size->next_us) {
			keep_phase_begin(k, PHASE_SURPLUS, now_ms);
			break;
		}
		if (k->size)
			rc = keep_files(k, &more);
		if (k->size && rc == SQLITE_OK && !more) {
			rc = keep_measure(k, &more);
			if (rc == SQLITE_OK && !more)
				keep_phase_begin(k, PHASE_SURPLUS,
						 now_ms); /* nothing to look for */
			else
				more = false;
		}
		break;
	case PHASE_OLDEST:
		if (k->size)
			rc = keep_oldest(k, &more);
		break;
	case PHASE_SURPLUS:
		if (k->size)
			rc = keep_surplus(k, now_ms, &more);
		break;
	case PHASE_OVER: break;
	}
	*ret = true;
	if (rc != SQLITE_OK || more)
		return rc;
	if (k->phase != PHASE_OVER)
		keep_phase_begin(k, k->phase + 1, now_ms);
	*ret = k->phase != PHASE_OVER;
	return rc;
}

static int64_t keep_shortest(int64_t a, int64_t b)
{
	return a > 0 && (b == 0 || a < b) ? a : b;
}

/* keep_pass_over: says when the next pass begins, and how old the oldest conversation is. */
static int keep_pass_over(struct keep *k)
{
	struct db_bind b = conn_bind(k->session->conn, sql_oldest);
	bool           found;
	int64_t        shortest = keep_shortest(k->keep.content_ms,
						keep_shortest(k->keep.conversations_ms, k->shortest_ms));
	int            rc = keep_found(&b, &found);

	if (rc == SQLITE_OK && found)
		metric_set(METRIC_OLDEST, id_key_ms(db_int(b.st, 0)) / 1000);
	(void)sqlite3_reset(b.st);
	if (k->size)
		shortest = keep_shortest(SIZE_LOOK_MS * (int64_t)PASS_SHARE, shortest);
	k->pass_us =
		clock_mono_us() + 1000 * keep_rest_ms(k, shortest > 0 ? shortest : PASS_MOST_MS);
	k->passing = false;
	return rc;
}

static void keep_pass_begin(struct keep *k, int64_t now_ms)
{
	k->passing = true;
	k->began_us = clock_mono_us();
	k->shortest_ms = 0;
	keep_phase_begin(k, PHASE_ALL, now_ms);
}

/* --- steps --- */

/* keep_one: does the next thing; *ret: there may be more. */
static int keep_one(struct keep *k, int64_t now_ms, bool *ret)
{
	struct db_bind b = conn_bind(k->session->conn, sql_rest);
	int            rc = keep_found(&b, ret);
	int64_t        conversation = rc == SQLITE_OK && *ret ? db_int(b.st, 0) : 0;

	(void)sqlite3_reset(b.st);
	if (rc != SQLITE_OK)
		return rc;
	if (*ret)
		return keep_rest(k, conversation);
	rc = keep_due(k, now_ms, ret);
	if (rc != SQLITE_OK || *ret)
		return rc;
	if (!k->passing && clock_mono_us() < k->pass_us)
		return SQLITE_OK;
	if (!k->passing)
		keep_pass_begin(k, now_ms);
	rc = keep_pass(k, now_ms, ret);
	return rc == SQLITE_OK && !*ret ? keep_pass_over(k) : rc;
}

static int keep_forget(struct keep *k, int64_t now_ms, bool *ret)
{
	struct db_bind b = keep_bind(k, sql_forget, now_ms - k->told_ms);
	int            rc = k->told_ms > 0 ? db_bind_run(&b) : SQLITE_OK;

	*ret = rc == SQLITE_OK && k->told_ms > 0 && sqlite3_changes(k->session->conn->db) > 0;
	return rc;
}

/* keep_told: counts what the step has removed, and has the log emptied of it: not after each step, as that takes
 * the writer's time. */
static void keep_told(struct keep *k, bool more)
{
	static const char *const names[KEPT__COUNT] = { "conversation", "run", "content", "file" };

	for (size_t i = 0; i < KEPT__COUNT; i++)
		if (k->gone[i] > 0) {
			metric_add(METRIC_SWEPT, (const char *[]){ names[i], "", "" }, k->gone[i]);
			k->erased = true;
		}
	if (!k->erased)
		k->erased_us = clock_mono_us();
	else if (!more || clock_mono_us() - k->erased_us > ERASED_US) {
		k->session->erased = true;
		k->erased = false;
	}
}

static int keep_commit(struct keep *k)
{
	int64_t from = clock_mono_us();
	int     rc = session_commit(k->session);

	metric_observe(METRIC_DB_TRANSACTION, (const char *[]){ "sweep", "", "" },
		       clock_mono_us() - from);
	return rc;
}

static int keep_some(void *keep, int64_t *ret_again_ms)
{
	struct keep *k = keep;
	int64_t      until = clock_mono_us() + STEP_US;
	int64_t      now_ms = clock_wall_ms();
	bool         more = true;
	bool         again = false;
	bool         forgot = false;

	memset(k->gone, 0, sizeof k->gone);
	k->writes = false;
	int rc = k->session->blobs ? keep_file(k, now_ms, &again) : SQLITE_OK;
	while (rc == SQLITE_OK && more && clock_mono_us() < until)
		rc = keep_one(k, now_ms, &more);
	if (rc == SQLITE_OK && k->writes)
		rc = keep_commit(k);
	else if (rc == SQLITE_OK && !more)
		rc = keep_forget(k, now_ms, &forgot);
	if (rc != SQLITE_OK) {
		conn_rollback(k->session->conn);
		session_forget(k->session);
		return rc;
	}
	more = more || again || forgot;
	keep_told(k, more);
	*ret_again_ms = more ? AGAIN_MS : KEEP_REST_MS;
	return SQLITE_OK;
}

const struct chore chore_keep = {
	.run = keep_some,
	.event = "keep_failed",
	.failed = "old conversations or files could not be removed",
	.retry_ms = KEEP_REST_MS,
	.alone = true,
};
