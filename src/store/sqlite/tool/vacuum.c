/* Gives free pages back to the file system: all at once, or step by step beside a gateway. */
#include "base/clock.h"
#include "base/limits.h"
#include "store/blob_tree.h"
#include "store/sqlite/engine.h"
#include "store/sqlite/lock.h"
#include "store/sqlite/tool/upkeep.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum {
	/* The gateway's writer waits during a step, which should take STEP_US.  The rest after a
	 * step is REST times as long, so that the steps take a fifth of the time at most. */
	STEP_FIRST = 32, /* pages */
	STEP_LEAST = 4,
	STEP_MOST = 1024,
	STEP_US = 1500,
	REST = 4,
	REST_LEAST_US = 1000,
	ROOM_SPARE = 16 * 1024 * 1024,
	WAL_FRAME_HEADER = 24,
};

struct vacuum {
	struct upkeep_vacuum *v;
	struct err           *e;
	char                 *path;      /* owned; absolute */
	sqlite3              *db;        /* owned */
	int                   lock_fd;   /* owned; -1: a gateway has the lock */
	int64_t               wal_bytes; /* size of the write-ahead log */
	int64_t               wal_mark;  /* size above which the log is copied back */
};

static enum upkeep_end vacuum_fail(struct vacuum *m, int rc)
{
	return upkeep_fail(m->db, rc, m->path, "vacuum", m->e);
}

static int measure_pages(sqlite3 *db, int64_t *ret_pages, int64_t *ret_free)
{
	int rc = upkeep_number(db, "PRAGMA page_count", ret_pages);

	return rc == SQLITE_OK ? upkeep_number(db, "PRAGMA freelist_count", ret_free) : rc;
}

/* --- beside a gateway --- */

static int vacuum_on_wal(void *arg, sqlite3 *db, const char *name, int frames)
{
	struct vacuum *m = arg;

	(void)db;
	(void)name;
	m->wal_bytes = frames * (m->v->page_bytes + WAL_FRAME_HEADER);
	return SQLITE_OK;
}

/* The gateway copies the write-ahead log back only after commits of its own.  While the gateway is
 * idle, this process must do it. */
static void copy_back(struct vacuum *m)
{
	if (m->wal_bytes < m->wal_mark)
		m->wal_mark = LIMIT_STORE_WAL; /* the log has started over */
	if (m->wal_bytes <= m->wal_mark)
		return;
	m->wal_mark = m->wal_bytes + LIMIT_STORE_WAL;
	(void)sqlite3_wal_checkpoint_v2(m->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

static int take_step(sqlite3 *db, int64_t pages)
{
	sqlite3_stmt *st = NULL;
	char          sql[60];

	snprintf(sql, sizeof sql, "PRAGMA incremental_vacuum(%lld)", (long long)pages);
	int rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);
	while (rc == SQLITE_OK || rc == SQLITE_ROW)
		rc = sqlite3_step(st);
	int reset = sqlite3_finalize(st);
	return rc == SQLITE_DONE ? reset : rc;
}

static void vacuum_rest(int64_t us)
{
	nanosleep(&(struct timespec){ .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 },
		  NULL);
}

static int64_t next_step(int64_t pages, int64_t took_us)
{
	int64_t next = took_us > 0 ? pages * STEP_US / took_us : STEP_MOST;

	/* One slow step says little, because it may have waited for a commit of the gateway. */
	if (next > 2 * pages)
		next = 2 * pages;
	if (next < pages / 2)
		next = pages / 2;
	return next < STEP_LEAST ? STEP_LEAST : next > STEP_MOST ? STEP_MOST : next;
}

/* Takes no more pages than were free at the beginning, so that the steps end even if the gateway
 * frees further pages. */
static enum upkeep_end take_steps(struct vacuum *m, int64_t free_pages)
{
	int64_t pages = STEP_FIRST;

	m->wal_mark = LIMIT_STORE_WAL;
	(void)sqlite3_wal_hook(m->db, vacuum_on_wal, m);
	for (int64_t left = free_pages; left > 0;) {
		int64_t from = clock_mono_us();
		int     rc = take_step(m->db, pages);

		if (rc != SQLITE_OK)
			return vacuum_fail(m, rc);

		int64_t took = clock_mono_us() - from;
		left -= pages;
		if (m->v->stopped())
			return UPKEEP_STOPPED;
		copy_back(m);
		vacuum_rest(REST * took < REST_LEAST_US ? REST_LEAST_US : REST * took);
		pages = next_step(pages, took);
	}
	(void)sqlite3_wal_checkpoint_v2(m->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	return UPKEEP_DONE;
}

static enum upkeep_end vacuum_some(struct vacuum *m, int64_t free_pages)
{
	int64_t mode = 0;
	int     rc = upkeep_number(m->db, "PRAGMA auto_vacuum", &mode);

	if (rc == SQLITE_OK && mode != 2) {
		err_set(m->e, ERR_STORAGE, "",
			"a gateway serves %.200s, and its pages can only be given back while none does",
			m->path);
		return UPKEEP_BUSY;
	}
	/* A power cut may undo the last steps; nothing is lost, because they only move pages. */
	if (rc == SQLITE_OK)
		rc = db_exec(m->db, "PRAGMA synchronous = NORMAL");
	return rc == SQLITE_OK ? take_steps(m, free_pages) : vacuum_fail(m, rc);
}

/* --- without a gateway --- */

/* VACUUM writes the used pages to a temporary file, and from there to the write-ahead log. */
static enum upkeep_end check_room(struct vacuum *m, int64_t used_bytes)
{
	struct statvfs fs;

	if (statvfs(m->path, &fs) != 0)
		return UPKEEP_DONE; /* the vacuum itself will say what is wrong */

	uint64_t room = (uint64_t)fs.f_bavail * fs.f_frsize;
	uint64_t need = 2 * (uint64_t)used_bytes + ROOM_SPARE;
	if (room >= need)
		return UPKEEP_DONE;
	err_set(m->e, ERR_STORAGE, "",
		"not enough room beside %.120s: %llu MiB are needed for a while, %llu MiB are free",
		m->path, (unsigned long long)(need / MIB), (unsigned long long)(room / MIB));
	return UPKEEP_FAILED;
}

/* Temporary files belong beside the database, because check_room has looked at that file system. */
static void use_own_directory(const char *path)
{
	char *dir = strdup(path);

	if (!dir)
		return;
	char *slash = strrchr(dir, '/');
	slash[slash == dir] = '\0';
	setenv("SQLITE_TMPDIR", dir, 0);
	free(dir);
}

static bool has_row(void *arg, const unsigned char sha256[HASH_BYTES])
{
	sqlite3_stmt  *st = arg;
	struct db_bind b = db_bind(st);

	db_bind_blob(&b, (struct str){ (const char *)sha256, HASH_BYTES });
	int rc = db_bind_row(&b);
	(void)sqlite3_reset(st);
	return rc != SQLITE_DONE; /* after an error too: in doubt, a content stays */
}

/* Removes contents without a row.  A gateway's start checks only marked contents (store/blob.h);
 * unmarked ones without a row come from a directory that was copied later than its database. */
static enum upkeep_end drop_contents(struct vacuum *m)
{
	static const char find[] = "SELECT 1 FROM file WHERE sha256 = ? LIMIT 1";
	sqlite3_stmt     *st = NULL;
	bool              has_files = false;
	char              dir[PATH_MAX];
	int               n = snprintf(dir, sizeof dir, "%s.files", m->path);
	int               rc = upkeep_has_files(m->db, &has_files);

	if (rc == SQLITE_OK && (!has_files || n < 0 || (size_t)n >= sizeof dir))
		return UPKEEP_DONE;
	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v2(m->db, find, -1, &st, NULL);
	if (rc != SQLITE_OK)
		return vacuum_fail(m, rc);
	m->v->contents = (int64_t)blob_tree_prune(dir, has_row, st);
	(void)sqlite3_finalize(st);
	return UPKEEP_DONE;
}

static enum upkeep_end vacuum_all(struct vacuum *m, int64_t free_pages)
{
	int64_t         used = (m->v->pages_before - free_pages) * m->v->page_bytes;
	enum upkeep_end end = check_room(m, used);

	if (end != UPKEEP_DONE)
		return end;

	/* The connection has set auto_vacuum; a file without this mode gets it here. */
	int rc = db_exec(m->db, "VACUUM");
	if (rc != SQLITE_OK)
		return vacuum_fail(m, rc);
	rc = sqlite3_wal_checkpoint_v2(m->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	return rc == SQLITE_OK ? drop_contents(m) : vacuum_fail(m, rc);
}

/* --- both --- */

static enum upkeep_end vacuum_database(struct vacuum *m)
{
	int64_t free_pages = 0;
	int     rc = upkeep_number(m->db, "PRAGMA page_size", &m->v->page_bytes);

	if (rc == SQLITE_OK)
		rc = measure_pages(m->db, &m->v->pages_before, &free_pages);
	if (rc != SQLITE_OK)
		return vacuum_fail(m, rc);
	enum upkeep_end end = m->v->served ? vacuum_some(m, free_pages) : vacuum_all(m, free_pages);
	if (end != UPKEEP_DONE)
		return end;
	rc = measure_pages(m->db, &m->v->pages_after, &m->v->free_after);
	return rc == SQLITE_OK ? UPKEEP_DONE : vacuum_fail(m, rc);
}

static enum upkeep_end vacuum_open_all(struct vacuum *m)
{
	enum upkeep_end end = upkeep_find(m->v->database, R_OK | W_OK, &m->path, m->e);

	if (end != UPKEEP_DONE)
		return end;
	int lane;
	m->v->served = lock_is_held(m->path) || lock_drains(m->path, &lane);
	if (!m->v->served) {
		char *absolute = NULL;

		if (lock_take(m->path, &absolute, &m->lock_fd, m->e) != ERR_OK)
			return UPKEEP_BUSY;
		free(absolute);
	}
	use_own_directory(m->path);
	return upkeep_open(m->path, DB_WRITE, m->v->stopped, &m->db, m->e);
}

enum upkeep_end sqlite_vacuum(struct upkeep_vacuum *v, struct err *e)
{
	struct vacuum   m = { .v = v, .e = e, .lock_fd = -1 };
	enum upkeep_end end = vacuum_open_all(&m);

	if (end == UPKEEP_DONE)
		end = vacuum_database(&m);
	db_close(m.db);
	if (m.lock_fd >= 0)
		close(m.lock_fd);
	free(m.path);
	return end;
}
