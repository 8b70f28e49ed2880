/* Looks for changes from outside: of the keys, and of the database's files. */
#include "store/sqlite/threads.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "store/sqlite/op.h"
#include "store/sqlite/kit/conn.h"
#include "store/common/thread.h"

#include <stdlib.h>

/* Changes with every commit of another connection, at the cost of a look at shared memory. */
static const char sql_data_version[] = "PRAGMA data_version";

struct key_watch {
	struct conn           conn;    /* owned */
	struct key_ring      *ring;    /* borrowed */
	int64_t               seen;    /* data version */
	bool                  failed;  /* and was said */
	int64_t               used_us; /* when the writer was reminded */
	struct moved         *moved;   /* borrowed */
	struct key_watch_news news;
	pthread_t             thread;
	bool                  started;

	pthread_mutex_t lock; /* guards what is below */
	pthread_cond_t  wake;
	bool            stopping;
};

static int data_version(struct key_watch *w, int64_t *ret)
{
	sqlite3_stmt *st;
	int           rc = conn_row(&w->conn, sql_data_version, &st);

	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	*ret = db_int(st, 0);
	return sqlite3_reset(st);
}

static int key_watch_load(struct key_watch *w)
{
	int rc = conn_begin(&w->conn);

	if (rc == SQLITE_OK)
		rc = api_key_row_load(&w->conn, w->ring);
	conn_reset(&w->conn);
	if (rc == SQLITE_OK)
		rc = conn_commit(&w->conn);
	if (rc != SQLITE_OK)
		conn_rollback(&w->conn);
	return rc;
}

/* The version is kept only after a successful look, so that a failed look is repeated. */
static void key_watch_look(struct key_watch *w)
{
	int64_t version = 0;
	int     rc = data_version(w, &version);

	if (rc == SQLITE_OK && version != w->seen)
		rc = key_watch_load(w);
	if (rc == SQLITE_OK)
		w->seen = version;
	if (rc != SQLITE_OK && !w->failed) {
		char problem[160];

		db_problem(w->conn.db, rc, problem, sizeof problem);
		log_note(LOG_ERROR, "keys_failed", "changes of keys can't be read: %s", problem);
	}
	w->failed = rc != SQLITE_OK;
}

static void *key_watch_serve(void *arg)
{
	struct key_watch *w = arg;

	pthread_mutex_lock(&w->lock);
	while (!w->stopping) {
		thread_wait_ms(&w->wake, &w->lock, LIMIT_KEYS_LOOK_MS);
		if (w->stopping)
			break;
		pthread_mutex_unlock(&w->lock);
		key_watch_look(w);
		if (moved_look(w->moved))
			w->news.moved(w->news.arg);
		int64_t now = clock_mono_us();
		if (key_ring_is_used(w->ring) &&
		    now - w->used_us >= LIMIT_KEYS_USE_MS * (int64_t)1000) {
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
	if (conn_open(&w->conn, path, DB_READ, busy_ms, e) == ERR_OK) {
		int rc = key_watch_load(w);

		if (rc == SQLITE_OK) {
			*ret = w;
			return ERR_OK;
		}
		db_fail(w->conn.db, rc, path, "read the keys of", e);
	}
	key_watch_destroy(w);
	return e->code;
}

enum errc key_watch_start(struct key_watch *w, struct moved *moved,
			  const struct key_watch_news *news, struct err *e)
{
	w->moved = moved;
	w->news = *news;
	w->used_us = clock_mono_us();
	w->started = thread_start(&w->thread, "store-keys", key_watch_serve, w, e) == ERR_OK;
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
	conn_close(&w->conn);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
