/* Copies a database and its files while a gateway uses them.
 *
 * VACUUM INTO reads one snapshot, and so never starts over, however much is written meanwhile;
 * SQLite's backup in steps starts over with every commit of another process.  Until the copy ends,
 * the write-ahead log can't start over.
 *
 * Contents of files are only added and removed, never changed.  They are copied before the
 * snapshot; further ones that the snapshot's rows name are copied after it.  So a content is
 * missing only if it was uploaded before the snapshot and deleted after it; then the whole copy is
 * repeated. */
#include "store/blob_tree.h"
#include "store/sqlite/engine.h"
#include "store/sqlite/tool/upkeep.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	TRIES = 4,
	SYNC_BYTES = 4 * 1024 * 1024,
	LOOK_STEPS = 2000, /* steps of SQLite's machine between two calls of bring_out */
};

struct digests {
	unsigned char (*all)[HASH_BYTES]; /* owned */
	size_t count;
	size_t cap;
};

struct backup {
	struct upkeep_backup *b;
	struct err           *e;
	char                 *path; /* owned; absolute */
	sqlite3              *db;   /* owned; only reads */
	struct blobs         *from; /* owned */
	struct blobs         *to;   /* owned */
	struct partial        partial;
	struct digests        before;    /* contents that were copied before the snapshot */
	bool                  has_files; /* the schema is new enough for uploaded files */
};

/* --- contents --- */

static int add_digest(struct digests *d, struct str sum)
{
	if (sum.n != HASH_BYTES)
		return SQLITE_CORRUPT;
	if (d->count == d->cap) {
		size_t cap = d->cap ? 2 * d->cap : 256;
		void  *grown = realloc(d->all, cap * sizeof *d->all);

		if (!grown)
			return SQLITE_NOMEM;
		d->all = grown;
		d->cap = cap;
	}
	memcpy(d->all[d->count++], sum.p, HASH_BYTES);
	return SQLITE_OK;
}

/* All digests are read at once, because a read that lasted while files are copied would keep the
 * write-ahead log from starting over. */
static int read_digests(sqlite3 *db, struct digests *d)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(db, "SELECT DISTINCT sha256 FROM file", -1, &st, NULL);

	d->count = 0;
	if (rc == SQLITE_OK) {
		for (rc = sqlite3_step(st); rc == SQLITE_ROW; rc = sqlite3_step(st)) {
			rc = add_digest(d, db_blob(st, 0));
			if (rc != SQLITE_OK)
				break;
		}
		if (rc == SQLITE_DONE)
			rc = SQLITE_OK;
	}
	(void)sqlite3_finalize(st);
	return rc;
}

static enum upkeep_end take_contents(struct backup *k, const struct digests *d,
				     int64_t *ret_missing)
{
	int64_t missing = 0;

	for (size_t i = 0; i < d->count; i++) {
		bool      there = false;
		enum errc rc =
			blob_tree_copy(k->to, k->from, d->all[i], k->b->stopped, &there, k->e);

		if (rc != ERR_OK)
			return rc == ERR_CANCELLED ? UPKEEP_STOPPED : UPKEEP_FAILED;
		missing += !there;
	}
	*ret_missing = missing;
	return UPKEEP_DONE;
}

static int compare_digests(const void *a, const void *b)
{
	return memcmp(a, b, HASH_BYTES);
}

static bool is_named(void *arg, const unsigned char sha256[HASH_BYTES])
{
	const struct digests *d = arg;

	return d->count > 0 &&
	       bsearch(sha256, d->all, d->count, sizeof *d->all, compare_digests) != NULL;
}

/* Removes contents from the copy whose files were deleted between take_before and the snapshot. */
static void drop_others(struct backup *k, struct digests *named)
{
	char dir[PATH_MAX];

	int n = snprintf(dir, sizeof dir, "%s.files", k->partial.db);
	CHECK(n > 0 && (size_t)n < sizeof dir);
	if (named->count > 0)
		qsort(named->all, named->count, sizeof *named->all, compare_digests);
	(void)blob_tree_prune(dir, is_named, named);
}

static enum upkeep_end take_before(struct backup *k)
{
	int64_t missing;

	if (!k->has_files)
		return UPKEEP_DONE;
	int rc = read_digests(k->db, &k->before);
	if (rc != SQLITE_OK)
		return upkeep_fail(k->db, rc, k->path, "read", k->e);
	return take_contents(k, &k->before, &missing);
}

static enum upkeep_end take_after(struct backup *k, sqlite3 *copy)
{
	struct digests  named = { .count = 0 };
	enum upkeep_end end = UPKEEP_DONE;

	if (!k->has_files)
		return UPKEEP_DONE;
	int rc = read_digests(copy, &named);
	if (rc != SQLITE_OK)
		end = upkeep_fail(copy, rc, k->partial.db, "read", k->e);
	if (end == UPKEEP_DONE)
		end = take_contents(k, &named, &k->b->missing);
	if (end == UPKEEP_DONE)
		drop_others(k, &named);
	free(named.all);
	return end;
}

/* --- the database --- */

struct progress {
	bool (*stopped)(void);
	int     fd; /* the copy's */
	int64_t synced;
};

/* Syncs the copy bit by bit while it is being written.  A single sync at the end would delay the
 * gateway's commits: measured with 1.4 GiB beside 400 commits a second, each commit took half a
 * second as long as that sync lasted, and takes 40 ms in this way. */
static int bring_out(void *arg)
{
	struct progress *p = arg;
	struct stat      st;

	if (p->stopped())
		return 1;
	if (fstat(p->fd, &st) == 0 && st.st_size - p->synced >= SYNC_BYTES) {
		p->synced = st.st_size;
		(void)fdatasync(p->fd); /* the last sync reports a failing disk */
	}
	return 0;
}

static int vacuum_into(sqlite3 *db, const char *path)
{
	sqlite3_stmt *st = NULL;
	int           rc = sqlite3_prepare_v2(db, "VACUUM main INTO ?1", -1, &st, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(st, 1, path, -1, SQLITE_STATIC);
	if (rc == SQLITE_OK)
		rc = db_run(st);
	(void)sqlite3_finalize(st);
	return rc;
}

static enum upkeep_end copy_database(struct backup *k)
{
	struct progress p = { .stopped = k->b->stopped };
	enum upkeep_end end = partial_begin(&k->partial, &p.fd, k->e);

	if (end != UPKEEP_DONE)
		return end;
	sqlite3_progress_handler(k->db, LOOK_STEPS, bring_out, &p);
	int rc = vacuum_into(k->db, k->partial.db);
	sqlite3_progress_handler(k->db, 0, NULL, NULL);
	close(p.fd);
	return rc == SQLITE_OK ? UPKEEP_DONE : upkeep_fail(k->db, rc, k->path, "copy", k->e);
}

static enum upkeep_end backup_check(struct backup *k, sqlite3 *copy)
{
	sqlite3_stmt *st = NULL;
	int           rc = sqlite3_prepare_v2(copy, "PRAGMA integrity_check(1)", -1, &st, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	bool sound = rc == SQLITE_ROW && str_is(db_column(st, 0), "ok");
	if (rc == SQLITE_ROW && !sound)
		err_set(k->e, ERR_STORAGE, "",
			"the database %.120s is damaged: its copy is not "
			"sound: %.100s",
			k->path, (const char *)sqlite3_column_text(st, 0));
	(void)sqlite3_finalize(st);
	if (sound)
		return UPKEEP_DONE;
	return rc == SQLITE_ROW ? UPKEEP_BAD_DATABASE
				: upkeep_fail(copy, rc, k->partial.db, "check", k->e);
}

static enum upkeep_end backup_count(struct backup *k, sqlite3 *copy)
{
	struct stat st;
	int rc = upkeep_number(copy, "SELECT count(*) FROM conversation", &k->b->conversations);

	if (rc == SQLITE_OK)
		rc = upkeep_number(copy, "SELECT count(*) FROM message", &k->b->messages);
	if (rc == SQLITE_OK && k->has_files)
		rc = upkeep_number(copy, "SELECT count(*) FROM file", &k->b->files);
	if (rc != SQLITE_OK)
		return upkeep_fail(copy, rc, k->partial.db, "read", k->e);
	k->b->bytes = stat(k->partial.db, &st) == 0 ? st.st_size : 0;
	return UPKEEP_DONE;
}

static enum upkeep_end look_at_copy(struct backup *k)
{
	sqlite3        *copy = NULL;
	enum upkeep_end end = upkeep_open(k->partial.db, DB_READ, k->b->stopped, &copy, k->e);

	if (end != UPKEEP_DONE)
		return end;
	end = backup_check(k, copy);
	if (end == UPKEEP_DONE)
		end = take_after(k, copy);
	if (end == UPKEEP_DONE)
		end = backup_count(k, copy);
	db_close(copy);
	return end;
}

/* A content that is still missing after TRIES copies is missing in the original, or belongs to
 * files that exist too briefly to be worth a backup. */
static enum upkeep_end backup_make(struct backup *k)
{
	for (int tries = 1;; tries++) {
		enum upkeep_end end = take_before(k);

		if (end == UPKEEP_DONE)
			end = copy_database(k);
		if (end == UPKEEP_DONE)
			end = look_at_copy(k);
		if (end != UPKEEP_DONE)
			return end;
		if (k->b->missing == 0 || tries == TRIES)
			break;
	}
	return k->b->stopped() ? UPKEEP_STOPPED : partial_place(&k->partial, k->e);
}

static enum upkeep_end backup_open_all(struct backup *k)
{
	enum upkeep_end end = upkeep_find(k->b->database, R_OK, &k->path, k->e);

	if (end == UPKEEP_DONE)
		end = upkeep_open(k->path, DB_READ, k->b->stopped, &k->db, k->e);
	if (end == UPKEEP_DONE)
		end = partial_open(&k->partial, k->b->target, k->path, k->e);
	if (end != UPKEEP_DONE)
		return end;

	int rc = upkeep_has_files(k->db, &k->has_files);
	if (rc != SQLITE_OK)
		return upkeep_fail(k->db, rc, k->path, "read", k->e);
	if (blobs_open(k->path, &k->from, k->e) != ERR_OK ||
	    blobs_open(k->partial.db, &k->to, k->e) != ERR_OK)
		return UPKEEP_FAILED;
	return UPKEEP_DONE;
}

/* Without a gateway, an empty write-ahead log remains after a reading connection, because only a
 * writing one may remove it. */
static void tidy_log(const char *path)
{
	char        log[PATH_MAX];
	struct stat st;
	sqlite3    *db = NULL;
	struct err  ignored;
	int         n = snprintf(log, sizeof log, "%s-wal", path);

	if (n < 0 || (size_t)n >= sizeof log || stat(log, &st) != 0 || st.st_size > 0 ||
	    access(path, W_OK) != 0)
		return;
	/* The last connection removes the log when it is closed. */
	if (db_open(path, DB_WRITE, 0, &db, &ignored) == ERR_OK)
		db_close(db);
}

enum upkeep_end sqlite_backup(struct upkeep_backup *b, struct err *e)
{
	struct backup   k = { .b = b, .e = e, .partial = { .fd = -1 } };
	enum upkeep_end end = backup_open_all(&k);

	if (end == UPKEEP_DONE)
		end = backup_make(&k);
	db_close(k.db);
	if (k.db)
		tidy_log(k.path);
	blobs_destroy(k.from);
	blobs_destroy(k.to);
	partial_close(&k.partial);
	free(k.before.all);
	free(k.path);
	return end;
}
