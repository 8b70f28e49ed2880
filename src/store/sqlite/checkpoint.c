/* The thread that copies the log into the database file, while the writer continues. */
#include "store/sqlite/threads.h"

#include "store/sqlite/kit/db.h"
#include "store/common/thread.h"

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

void checkpoint_want(struct checkpoint *c)
{
	pthread_mutex_lock(&c->lock);
	c->wanted = true;
	pthread_cond_signal(&c->wake);
	pthread_mutex_unlock(&c->lock);
}

bool checkpoint_due(struct checkpoint *c)
{
	return atomic_load_explicit(&c->due, memory_order_relaxed) &&
	       atomic_exchange(&c->due, false);
}
