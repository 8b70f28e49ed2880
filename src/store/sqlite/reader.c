/* The threads that read. */
#include "store/sqlite/reader.h"

#include "base/limits.h"
#include "store/sqlite/answer.h"
#include "store/sqlite/read.h"
#include "store/sqlite/thread.h"

#include <stdlib.h>

struct reader {
	struct readers *pool;
	sqlite3        *db; /* owned */
	struct reads    reads;
	pthread_t       thread;
};

struct readers {
	pthread_mutex_t    lock; /* guards the queue */
	pthread_cond_t     wake;
	struct store_job  *first;
	struct store_job **end;
	size_t             waiting;
	bool               stopping;

	unsigned      started;
	struct reader all[];
};

static struct store_job *take(struct readers *p)
{
	pthread_mutex_lock(&p->lock);
	while (!p->first && !p->stopping)
		pthread_cond_wait(&p->wake, &p->lock);

	struct store_job *job = p->first;
	if (job) {
		p->first = job->next;
		p->waiting--;
		if (!p->first)
			p->end = &p->first;
	}
	pthread_mutex_unlock(&p->lock);
	return job;
}

static void *serve(void *arg)
{
	struct reader    *r = arg;
	struct store_job *job;

	for (job = take(r->pool); job; job = take(r->pool)) {
		reads_run(&r->reads, job);
		job->next = NULL;
		answer_post(job);
	}
	return NULL;
}

static enum errc start(struct readers *p, struct reader *r, const char *path, int64_t busy_ms,
                       struct err *e)
{
	r->pool = p;
	if (db_open(path, DB_READ, busy_ms, &r->db, e) != ERR_OK)
		return e->code;
	if (reads_prepare(&r->reads, r->db, e) == ERR_OK &&
	    thread_start(&r->thread, "store-reader", serve, r, e) == ERR_OK) {
		p->started++;
		return ERR_OK;
	}
	reads_finish(&r->reads);
	db_close(r->db);
	return e->code;
}

enum errc readers_create(const char *path, unsigned count, int64_t busy_ms, struct readers **ret,
                         struct err *e)
{
	if (count == 0)
		count = 1;

	struct readers *p = calloc(1, sizeof *p + count * sizeof p->all[0]);
	if (!p)
		return err_set(e, ERR_STORAGE, "", "out of memory");
	pthread_mutex_init(&p->lock, NULL);
	thread_cond_init(&p->wake);
	p->end = &p->first;
	for (unsigned i = 0; i < count; i++)
		if (start(p, &p->all[i], path, busy_ms, e) != ERR_OK) {
			readers_destroy(p);
			return e->code;
		}
	*ret = p;
	return ERR_OK;
}

void readers_destroy(struct readers *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stopping = true;
	pthread_cond_broadcast(&p->wake);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->started; i++) {
		pthread_join(p->all[i].thread, NULL);
		reads_finish(&p->all[i].reads);
		db_close(p->all[i].db);
	}
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

bool readers_add(struct readers *p, struct store_job *job)
{
	job->next = NULL;
	pthread_mutex_lock(&p->lock);
	bool room = p->waiting < LIMIT_STORE_READS;

	if (room) {
		*p->end = job;
		p->end = &job->next;
		p->waiting++;
		pthread_cond_signal(&p->wake);
	}
	pthread_mutex_unlock(&p->lock);
	return room;
}
