/* The length of the log, and the thread that copies it into the database file while the writer continues. */
#include "base/limits.h"
#include "store/common/thread.h"
#include "store/sqlite/kit/db.h"
#include "store/sqlite/threads.h"

#include <stdatomic.h>
#include <stdlib.h>

struct checkpoint {
	sqlite3        *db; /* used by the thread only */
	pthread_t       thread;
	bool            started;
	_Atomic bool    due;
	pthread_mutex_t lock; /* guards what is below */
	pthread_cond_t  wake;
	bool            wanted;
	bool            stopping;
};

static void *checkpoint_serve(void *arg)
{
	struct checkpoint *c = arg;

	pthread_mutex_lock(&c->lock);
	for (;;) {
		while (!c->wanted && !c->stopping)
			pthread_cond_wait(&c->wake, &c->lock);
		if (c->stopping)
			break;
		c->wanted = false;
		pthread_mutex_unlock(&c->lock);

		/* The writer notices a failure too, so it is not reported here. */
		(void)sqlite3_wal_checkpoint_v2(c->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
		atomic_store(&c->due, true);

		pthread_mutex_lock(&c->lock);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

enum errc checkpoint_create(const char *path, int64_t busy_ms, struct checkpoint **ret,
			    struct err *e)
{
	struct checkpoint *c = calloc(1, sizeof *c);

	if (!c)
		return err_set(e, ERR_STORAGE, "", "out of memory");
	pthread_mutex_init(&c->lock, NULL);
	thread_cond_init(&c->wake);
	if (db_open(path, DB_WRITE, busy_ms, &c->db, e) != ERR_OK ||
	    thread_start(&c->thread, "checkpoint", checkpoint_serve, c, e) != ERR_OK) {
		checkpoint_destroy(c);
		return e->code;
	}
	c->started = true;
	*ret = c;
	return ERR_OK;
}

void checkpoint_destroy(struct checkpoint *c)
{
	if (!c)
		return;
	if (c->started) {
		pthread_mutex_lock(&c->lock);
		c->stopping = true;
		pthread_cond_signal(&c->wake);
		pthread_mutex_unlock(&c->lock);
		pthread_join(c->thread, NULL);
	}
	db_close(c->db);
	pthread_cond_destroy(&c->wake);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

/* checkpoint_want: asks for a background copy.  Any thread; does not wait. */
static void checkpoint_want(struct checkpoint *c)
{
	pthread_mutex_lock(&c->lock);
	c->wanted = true;
	pthread_cond_signal(&c->wake);
	pthread_mutex_unlock(&c->lock);
}

/* checkpoint_due: true once after each background copy; the writer then copies the rest. */
static bool checkpoint_due(struct checkpoint *c)
{
	return atomic_load_explicit(&c->due, memory_order_relaxed) &&
	       atomic_exchange(&c->due, false);
}

enum { FRAME_HEADER = 24 };

/* From this size on, the log should start over soon. */
#define LONG_WAL (4 * (int64_t)LIMIT_STORE_WAL)

static int wal_on_wal(void *arg, sqlite3 *db, const char *name, int frames)
{
	struct wal *w = arg;
	int64_t     bytes = frames * (w->page_bytes + FRAME_HEADER);

	(void)db;
	(void)name;
	if (bytes < w->bytes)
		w->mark = LIMIT_STORE_WAL; /* the log has started over */
	w->bytes = bytes;
	search_give_way(w->search, bytes > LONG_WAL);
	if (bytes > w->mark) {
		/* A reader may hold the log, so the next try follows when the log has grown. */
		w->mark = bytes + (bytes > LONG_WAL ? LIMIT_STORE_WAL / 8 : LIMIT_STORE_WAL);
		checkpoint_want(w->checkpoint);
	}
	return SQLITE_OK;
}

static int64_t wal_page_bytes(sqlite3 *db)
{
	sqlite3_stmt *st = NULL;
	int64_t       bytes = 0;

	if (sqlite3_prepare_v2(db, "PRAGMA page_size", -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW)
		bytes = db_int(st, 0);
	(void)sqlite3_finalize(st);
	return bytes;
}

void wal_watch(struct wal *w, sqlite3 *db, struct checkpoint *checkpoint, struct search *search)
{
	*w = (struct wal){
		.db = db,
		.checkpoint = checkpoint,
		.search = search,
		.page_bytes = wal_page_bytes(db),
		.mark = LIMIT_STORE_WAL,
	};
	(void)sqlite3_wal_hook(db, wal_on_wal, w);
}

void wal_unwatch(struct wal *w)
{
	if (w->db)
		(void)sqlite3_wal_hook(w->db, NULL, NULL);
	w->db = NULL;
}

enum {
	SCRUB_COPY_MS = 200,        /* for the background copy, and between two tries */
	SCRUB_LATER_MS = 20 * 1000, /* until the second time */
	SCRUBS = 2,
};

void wal_scrub_again(struct wal *w)
{
	w->scrubs = SCRUBS;
}

/* The thread copies most of the log before, so that the writer stalls no commit; and a reader that holds the log
 * is not waited for. */
static int wal_scrub(void *wal, int64_t *ret_again_ms)
{
	struct wal *w = wal;

	*ret_again_ms = SCRUB_COPY_MS;
	if (!w->copied) {
		w->copied = true;
		checkpoint_want(w->checkpoint);
		return SQLITE_OK;
	}
	w->hasty = true;
	int rc = sqlite3_wal_checkpoint_v2(w->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	w->hasty = false;
	w->copied = rc != SQLITE_OK;
	if (rc == SQLITE_BUSY || rc == SQLITE_LOCKED)
		return SQLITE_OK;
	if (rc == SQLITE_OK)
		*ret_again_ms = --w->scrubs > 0 ? SCRUB_LATER_MS : CHORE_IDLE;
	return rc;
}

const struct chore chore_scrub = {
	.run = wal_scrub,
	.event = "scrub_failed",
	.failed = "the log of the database could not be emptied of what was deleted",
	.retry_ms = 10 * 1000,
	.alone = true,
};

void wal_copy_back(struct wal *w)
{
	if (checkpoint_due(w->checkpoint))
		(void)sqlite3_wal_checkpoint_v2(w->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}
