/* Looking for changes from outside: of the keys, and of where the files are. */
#include "store/sqlite/key_watch.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "store/sqlite/api_key_rows.h"
#include "store/sqlite/kit/db.h"
#include "store/sqlite/kit/thread.h"

#include <stdlib.h>

enum watch_sql { BEGIN, COMMIT, DATA_VERSION, WATCH_SQL__COUNT };

static const char *const sql[WATCH_SQL__COUNT] = {
	[BEGIN] = "BEGIN",
	[COMMIT] = "COMMIT",
	/* Changes with every commit of another connection, at the cost of a look at shared memory. */
	[DATA_VERSION] = "PRAGMA data_version",
};

struct key_watch {
	sqlite3            *db; /* owned */
	sqlite3_stmt       *st[WATCH_SQL__COUNT];
	struct api_key_rows rows;
	struct key_ring    *ring; /* borrowed */
	int64_t             seen; /* data version */
	bool                failed; /* and was said */
	int64_t             used_us; /* when the writer was reminded */
	struct moved       *moved;   /* borrowed */
	struct key_watch_news news;
	pthread_t  thread;
	bool       started;

	pthread_mutex_t lock; /* guards what is below */
	pthread_cond_t  wake;
	bool            stopping;
};

static int data_version(struct key_watch *w, int64_t *ret)
{
	int rc = db_row(w->st[DATA_VERSION]);

	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	*ret = db_int(w->st[DATA_VERSION], 0);
	return sqlite3_reset(w->st[DATA_VERSION]);
}

static int load(struct key_watch *w)
{
	int rc = db_run(w->st[BEGIN]);

	if (rc == SQLITE_OK)
		rc = api_key_rows_load(&w->rows, w->ring);
	api_key_rows_reset(&w->rows);
	if (rc == SQLITE_OK)
		rc = db_run(w->st[COMMIT]);
	if (rc != SQLITE_OK)
		db_rollback(w->db);
	return rc;
}

/* What it has seen is noted only once it is known: a look that failed is made again. */
static void look(struct key_watch *w)
{
	int64_t version = 0;
	int     rc = data_version(w, &version);

	if (rc == SQLITE_OK && version != w->seen)
		rc = load(w);
	if (rc == SQLITE_OK)
		w->seen = version;
	if (rc != SQLITE_OK && !w->failed) {
		char problem[160];

		db_problem(w->db, rc, problem, sizeof problem);
		log_note(LOG_ERROR, "keys_failed", "changes of keys can't be read: %s", problem);
	}
	w->failed = rc != SQLITE_OK;
}

static void *serve(void *arg)
{
	struct key_watch *w = arg;

	pthread_mutex_lock(&w->lock);
	while (!w->stopping) {
		thread_wait_ms(&w->wake, &w->lock, LIMIT_KEYS_LOOK_MS);
		if (w->stopping)
			break;
		pthread_mutex_unlock(&w->lock);
		look(w);
		if (moved_look(w->moved))
			w->news.moved(w->news.arg);
		int64_t now = clock_mono_us();
		if (key_ring_is_used(w->ring) && now - w->used_us >= LIMIT_KEYS_USE_MS * (int64_t)1000) {
			w->used_us = now;
			w->news.used(w->news.arg);
		}
		pthread_mutex_lock(&w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

enum errc key_watch_create(const char *path, int64_t busy_ms, struct key_ring *ring,
                           struct key_watch **ret, struct err *e)
{
	struct key_watch *w = calloc(1, sizeof *w);

	if (!w)
		return err_set(e, ERR_STORAGE, "", "out of memory");
	pthread_mutex_init(&w->lock, NULL);
	thread_cond_init(&w->wake);
	w->ring = ring;
	w->seen = -1;
	if (db_open(path, DB_READ, busy_ms, &w->db, e) == ERR_OK &&
	    db_prepare(w->db, sql, WATCH_SQL__COUNT, w->st, e) == ERR_OK &&
	    api_key_rows_prepare(&w->rows, w->db, e) == ERR_OK) {
		int rc = load(w);

		if (rc == SQLITE_OK) {
			*ret = w;
			return ERR_OK;
		}
		db_fail(w->db, rc, path, "read the keys of", e);
	}
	key_watch_destroy(w);
	return e->code;
}

enum errc key_watch_start(struct key_watch *w, struct moved *moved, const struct key_watch_news *news,
                          struct err *e)
{
	w->moved = moved;
	w->news = *news;
	w->used_us = clock_mono_us();
	w->started = thread_start(&w->thread, "store-keys", serve, w, e) == ERR_OK;
	return w->started ? ERR_OK : e->code;
}

void key_watch_stop(struct key_watch *w)
{
	if (!w || !w->started)
		return;
	pthread_mutex_lock(&w->lock);
	w->stopping = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	w->started = false;
}

void key_watch_destroy(struct key_watch *w)
{
	if (!w)
		return;
	key_watch_stop(w);
	api_key_rows_finish(&w->rows);
	db_finalize(w->st, WATCH_SQL__COUNT);
	db_close(w->db);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
