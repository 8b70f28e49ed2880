/* The table of chores, the choice of the next one, and two short ones. */
#include "store/sqlite/chores.h"

#include "base/clock.h"
#include "base/log.h"
#include "store/engine.h"
#include "store/sqlite/session.h"

enum { AGAIN_MS = 5, RETRY_MS = 1000 };

/* After a crash, the queue may have rows that the index knows already. */
static int clear_some(void *subject, int64_t *ret_again_ms)
{
	struct search_clear *c = subject;
	int64_t              upto = atomic_load(&c->settled);
	bool                 again = false;

	if (upto <= c->cleared)
		return SQLITE_OK;
	int rc = search_queue_clear(c->queue, upto, &again);
	if (rc == SQLITE_OK && again)
		*ret_again_ms = AGAIN_MS;
	else if (rc == SQLITE_OK)
		c->cleared = upto;
	return rc;
}

const struct chore chore_search_clear = {
	.run = clear_some,
	.event = "search_failed",
	.failed = "the search index's queue could not be cleared",
	.retry_ms = RETRY_MS,
	.pause_ms = AGAIN_MS,
	.alone = true,
	.last = true,
};

enum { USED_STEP = 128 }; /* rows of one transaction */

static const char sql_used[] = "UPDATE api_key SET used_ms = ?2 WHERE number = ?1 AND used_ms < ?2";

/* Only lists show the times at which keys were used, so they are written from time to time. */
static int put_used(struct conn *c, struct identity *const *used, const int64_t *when, size_t n)
{
	int rc = conn_begin_write(c);

	for (size_t i = 0; rc == SQLITE_OK && i < n; i++) {
		struct db_bind b = conn_bind(c, sql_used);

		db_bind_int(&b, used[i]->number);
		db_bind_int(&b, when[i]);
		rc = db_bind_run(&b);
	}
	if (rc == SQLITE_OK)
		rc = conn_commit(c);
	if (rc != SQLITE_OK)
		conn_rollback(c);
	return rc;
}

static int note_some(void *session, int64_t *ret_again_ms)
{
	struct session  *s = session;
	struct identity *used[USED_STEP];
	int64_t          when[USED_STEP];
	struct key_ring *ring = s->ring;
	size_t           n = key_ring_used(ring, used, USED_STEP);

	for (size_t i = 0; i < n; i++)
		when[i] = atomic_load(&used[i]->used_ms);
	int rc = n > 0 ? put_used(s->conn, used, when, n) : SQLITE_OK;
	for (size_t i = 0; i < n; i++) {
		if (rc == SQLITE_OK)
			atomic_store(&used[i]->noted_ms, when[i]);
		identity_release(used[i]);
	}
	*ret_again_ms = key_ring_is_used(ring) ? 0 : CHORE_IDLE;
	return rc;
}

/* The thread that watches keys repeats a failed write. */
const struct chore chore_key_used = { .run = note_some, .retry_ms = CHORE_IDLE, .last = true };

/* clang-format off */
static const struct chore *const chores[CHORE__COUNT] = {
	[CHORE_SWEEP] = &chore_sweep,
	[CHORE_KEEP] = &chore_keep,
	[CHORE_SEARCH_CLEAR] = &chore_search_clear,
	[CHORE_KEY_USED] = &chore_key_used,
	[CHORE_BOOKS] = &chore_books,
	[CHORE_SCRUB] = &chore_scrub,
	[CHORE_PEER] = &chore_peer,
};
/* clang-format on */

static void chores_set(struct chores *c, enum chore_number n, void *subject, int64_t due_us)
{
	c->state[n].subject = subject;
	atomic_init(&c->state[n].due_us, due_us);
}

void chores_init(struct chores *c, struct session *session, const struct store *store,
		 const struct store_options *o)
{
	c->session = session;
	c->writable = true;
	sweep_init(&c->sweep, session->conn, &session->events, o);
	keep_init(&c->keep, session, o);
	c->search_clear.queue = &session->search;
	c->books = (struct books){ session->conn, store->usage, store->ledger, &c->quiesced };
	peer_watch(&c->peer, session, o);
	chores_set(c, CHORE_SWEEP, &c->sweep, 0);
	chores_set(c, CHORE_KEEP, &c->keep, 0);
	chores_set(c, CHORE_SEARCH_CLEAR, &c->search_clear, CHORE_IDLE);
	chores_set(c, CHORE_KEY_USED, session, CHORE_IDLE);
	/* The search for lost reservations repeats even while nothing is used. */
	chores_set(c, CHORE_BOOKS, &c->books, clock_mono_us() + BOOKS_REST_MS * (int64_t)1000);
	chores_set(c, CHORE_SCRUB, c->state[CHORE_SCRUB].subject, CHORE_IDLE);
	chores_set(c, CHORE_PEER, &c->peer, peer_alive(&c->peer) ? 0 : CHORE_IDLE);
}

void chores_finish(struct chores *c)
{
	peer_finish(&c->peer);
	keep_finish(&c->keep);
}

static void bring_forward(struct chores *c, enum chore_number n, int64_t at_us)
{
	int64_t due = atomic_load(&c->state[n].due_us);

	while (at_us < due && !atomic_compare_exchange_weak(&c->state[n].due_us, &due, at_us))
		;
}

void chores_call(struct chores *c, enum chore_number n, int64_t at_us)
{
	bring_forward(c, n, at_us);
	c->wake(c->arg);
}

void chores_quiesce(struct chores *c, bool on)
{
	atomic_store(&c->quiesced, on);
	c->wake(c->arg); /* the times at which chores are due have changed */
}

/* --- the writer's thread --- */

static bool may_run(const struct chores *c, const struct chore *chore)
{
	return c->writable && !(chore->alone && atomic_load(&c->quiesced));
}

/* When the chore's next step may run (clock_mono_us); CHORE_IDLE: no step is due, or the chore may
 * not run now. */
static int64_t due_us(const struct chores *c, enum chore_number n)
{
	const struct chore *chore = chores[n];
	int64_t             due = atomic_load(&c->state[n].due_us);
	int64_t             rested = c->state[n].ran_us + chore->pause_ms * 1000;

	if (due == CHORE_IDLE || !may_run(c, chore))
		return CHORE_IDLE;
	return due > rested ? due : rested;
}

int64_t chores_left_ms(struct chores *c)
{
	int64_t first = CHORE_IDLE;

	for (size_t i = 0; i < CHORE__COUNT; i++) {
		int64_t due = due_us(c, (enum chore_number)i);

		first = due < first ? due : first;
	}
	if (first == CHORE_IDLE)
		return -1;
	int64_t left = first - clock_mono_us();
	return left > 0 ? (left + 999) / 1000 : 0;
}

/* Failing steps are logged once, because turns report a broken database too. */
static void chores_say(const struct chores *c, const struct chore *chore, int rc)
{
	char problem[160];

	db_problem(c->session->conn->db, rc, problem, sizeof problem);
	log_note(LOG_ERROR, chore->event, "%s: %s", chore->failed, problem);
}

static void chores_step(struct chores *c, enum chore_number n)
{
	const struct chore *chore = chores[n];
	int64_t             again_ms = CHORE_IDLE;

	/* A chores_call from now on asks for another step than this one. */
	atomic_store(&c->state[n].due_us, CHORE_IDLE);
	int rc = conn_relax(c->session->conn, !chore->durable);
	if (rc == SQLITE_OK)
		rc = chore->run(c->state[n].subject, &again_ms);
	if (rc != SQLITE_OK && chore->event && !c->state[n].failed)
		chores_say(c, chore, rc);
	c->state[n].failed = rc != SQLITE_OK;
	if (rc != SQLITE_OK)
		again_ms = chore->retry_ms;
	c->state[n].ran_us = clock_mono_us();
	if (again_ms != CHORE_IDLE)
		bring_forward(c, n, c->state[n].ran_us + again_ms * 1000);
}

void chores_run(struct chores *c)
{
	int64_t now = clock_mono_us();

	for (size_t i = 0; i < CHORE__COUNT; i++)
		if (due_us(c, (enum chore_number)i) <= now)
			chores_step(c, (enum chore_number)i);
}

void chores_last(struct chores *c)
{
	for (size_t i = 0; i < CHORE__COUNT; i++)
		if (chores[i]->last && may_run(c, chores[i]))
			chores_step(c, (enum chore_number)i);
}
