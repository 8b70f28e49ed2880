/* The threads that read the database. */
#include "store/sqlite/threads.h"

#include "base/limits.h"
#include "store/search.h"
#include "store/sqlite/op.h"
#include "store/sqlite/search/search.h"
#include "store/common/thread.h"

#include <stdlib.h>

struct reader {
	struct readers *pool;
	struct conn     conn; /* owned */
	struct session  session;
	pthread_t       thread;
};

struct readers {
	pthread_mutex_t    lock; /* guards the members down to stopping */
	pthread_cond_t     wake;
	struct store_job  *first;
	struct store_job **end;
	size_t             open; /* jobs in the queue, running, or answered and not handled yet */
	size_t             held; /* bytes of answers that are not handled yet */
	/* references of those jobs and of the owner; the last one frees */
	unsigned users;
	bool     stopping;

	const struct moved *moved;

	unsigned      started;
	struct reader all[];
};

/* Releases the lock. */
static void reader_let_go(struct readers *p)
{
	bool last = --p->users == 0;

	pthread_mutex_unlock(&p->lock);
	if (!last)
		return;
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* At the end, no loop may be left to handle answers, so a full memory is no reason to wait. */
static bool may_take(const struct readers *p)
{
	return p->stopping || (p->first && p->held < LIMIT_STORE_ANSWERS);
}

static struct store_job *reader_take(struct readers *p)
{
	pthread_mutex_lock(&p->lock);
	while (!may_take(p))
		pthread_cond_wait(&p->wake, &p->lock);

	struct store_job *job = p->first;
	if (job) {
		p->first = job->next;
		if (!p->first)
			p->end = &p->first;
	}
	pthread_mutex_unlock(&p->lock);
	return job;
}

/* Runs on the job's loop. */
static void reader_handle(struct task *task)
{
	struct store_job *job = container_of(task, struct store_job, task);
	struct readers   *p = job->pool;

	pthread_mutex_lock(&p->lock);
	bool paused = p->held >= LIMIT_STORE_ANSWERS;
	p->open--;
	p->held -= job->held;
	if (paused && p->held < LIMIT_STORE_ANSWERS)
		pthread_cond_broadcast(&p->wake);
	reader_let_go(p);
	job->done(job); /* may free the job */
}

static void reader_answer(struct readers *p, struct store_job *job)
{
	job->held = job->kind->answer_bytes(job);
	job->task.fn = reader_handle;
	pthread_mutex_lock(&p->lock);
	p->held += job->held;
	pthread_mutex_unlock(&p->lock);
	loop_post(job->loop, &job->task);
}

/* Each job is one read transaction, so that all its rows are of one moment. */
static void reader_run(struct session *s, struct store_job *job)
{
	const struct op *op = op_of(job);
	int              rc = op->bare ? SQLITE_OK : conn_begin(s->conn);

	job->err = (struct err){ .code = ERR_OK };
	if (rc == SQLITE_OK)
		rc = op->run(s, job);
	conn_reset(s->conn);
	/* A reader must leave its transaction, because the log can't start over before. */
	if (!sqlite3_get_autocommit(s->conn->db) && conn_commit(s->conn) != SQLITE_OK)
		conn_rollback(s->conn);
	if (rc != SQLITE_OK)
		db_refuse(rc, &job->err);
}

/* The only read without a file in this folder. */
static int reader_search(struct session *s, struct search_read *j)
{
	return search_reads_run(s->searches, j);
}

OP_WITH(search_read, reader_search, .bare = true);

static void *reader_serve(void *arg)
{
	struct reader    *r = arg;
	struct store_job *job;

	for (job = reader_take(r->pool); job; job = reader_take(r->pool)) {
		if (atomic_load_explicit(&job->cancelled, memory_order_relaxed))
			err_set(&job->err, ERR_CANCELLED, "", "nobody waits for this read");
		else if (moved_is(r->pool->moved))
			db_refuse(SQLITE_READONLY_DBMOVED, &job->err);
		else
			reader_run(&r->session, job);
		reader_answer(r->pool, job);
	}
	return NULL;
}

static void finish_reader(struct reader *r)
{
	if (r->session.searches)
		search_reads_finish(r->session.searches);
	free(r->session.searches);
	conn_close(&r->conn);
}

static enum errc reader_start(struct readers *p, struct reader *r,
			      const struct readers_parts *parts, struct err *e)
{
	const char *name = parts->search ? "store-search" : "store-reader";

	r->pool = p;
	r->session.conn = &r->conn;
	if (parts->search) {
		r->session.searches = calloc(1, sizeof *r->session.searches);
		if (!r->session.searches)
			return err_set(e, ERR_STORAGE, "", "out of memory");
		search_reads_init(r->session.searches, &r->conn, parts->search, parts->busy_ms);
	}
	if (conn_open(&r->conn, parts->path, DB_READ, parts->busy_ms, e) == ERR_OK &&
	    thread_start(&r->thread, name, reader_serve, r, e) == ERR_OK) {
		p->started++;
		return ERR_OK;
	}
	finish_reader(r);
	return e->code;
}

enum errc readers_create(const struct readers_parts *parts, unsigned count, struct readers **ret,
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
	p->users = 1;
	p->moved = parts->moved;
	for (unsigned i = 0; i < count; i++)
		if (reader_start(p, &p->all[i], parts, e) != ERR_OK) {
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
		finish_reader(&p->all[i]);
	}
	pthread_mutex_lock(&p->lock);
	reader_let_go(p);
}

bool readers_add(struct readers *p, struct store_job *job)
{
	job->next = NULL;
	job->pool = p;
	pthread_mutex_lock(&p->lock);
	bool room = p->open < job->kind->bound;

	if (room) {
		*p->end = job;
		p->end = &job->next;
		p->open++;
		p->users++;
		pthread_cond_signal(&p->wake);
	}
	pthread_mutex_unlock(&p->lock);
	return room;
}
