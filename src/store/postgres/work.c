/* Stages of works, and their repetition. */
#include "store/postgres/work.h"

#include "base/clock.h"

#include <poll.h>
#include <stdlib.h>

enum {
	STAGE_US = 12 * 1000 * 1000, /* the server's own limit of a statement is 10 s */
	LOST_US = 10 * 1000 * 1000,  /* so long an answer is sought after a connection broke */
	PAUSE_US = 20 * 1000,
};

static const char sql_begin[] = "BEGIN";
static const char sql_snapshot[] = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
static const char sql_commit[] = "COMMIT";
static const char sql_rollback[] = "ROLLBACK";
/* A commit that has written nothing waits for no standby.  But what an earlier try has stored may be missing there:
 * a server that crashed, or whose process was ended, does not wait for it any more.  This note does nothing else
 * than to be in the server's log, after all of that. */
static const char sql_confirm[] = "SELECT pg_logical_emit_message(true, 'parley', '')";

struct param *work_param(struct work *w)
{
	param_clear(&w->link->args);
	return &w->link->args;
}

void work_confirm(struct work *w)
{
	if (w->tries > 0)
		link_control(w->link, sql_confirm);
}

void work_ask(struct work *w, const char *sql)
{
	if (!w->open && w->kind->mode != WORK_IMPLICIT) {
		link_control(w->link, w->kind->mode == WORK_WRITE ? sql_begin : sql_snapshot);
		w->open = true;
		if (w->kind->mode == WORK_WRITE)
			work_confirm(w);
	}
	link_ask(w->link, sql);
}

int work_rows(const struct work *w, size_t n)
{
	CHECK(n < w->link->result_count);
	return pq.PQntuples(w->link->results[n]);
}

struct row work_row(const struct work *w, size_t n, int at)
{
	return pq_row(w->link->results[n], at);
}

static void drop_state(struct work *w)
{
	if (w->state && w->finish)
		w->finish(w->state);
	free(w->state);
	w->state = NULL;
	w->finish = NULL;
}

void *work_state(struct work *w, size_t bytes, void (*finish)(void *state))
{
	drop_state(w);
	w->state = calloc(1, bytes);
	w->finish = finish;
	return w->state;
}

static bool end_work(struct work *w, const struct fault *f)
{
	struct fault copy = f ? *f : (struct fault){ 0 };

	drop_state(w);
	w->kind->over(w, f ? &copy : NULL);
	link_clear(w->link);
	return true;
}

static void send_stage(struct work *w, int64_t now_us)
{
	link_clear(w->link);
	link_send(w->link, now_us, w->stage_us > 0 ? w->stage_us : STAGE_US);
}

/* work_go_on: calls steps until one waits for an answer. */
static bool work_go_on(struct work *w, int64_t now_us)
{
	enum work_next next = w->committing ? WORK_DONE : w->kind->step(w);

	/* The last stage's step sees the results of a transaction that is committed already. */
	if (w->committing && w->open) {
		w->open = false;
		next = w->kind->step(w);
		CHECK(next == WORK_DONE);
	}
	w->stage++;
	switch (next) {
	case WORK_LAST:
		if (w->kind->mode == WORK_WRITE) {
			link_control(w->link, sql_commit);
			w->committing = true;
		}
		send_stage(w, now_us);
		return false;
	case WORK_AGAIN: send_stage(w, now_us); return false;
	case WORK_DONE: break;
	}
	if (!w->open)
		return end_work(w, NULL);
	link_control(w->link,
		     w->refused || w->kind->mode == WORK_SNAPSHOT ? sql_rollback : sql_commit);
	w->open = false;
	w->committing = true;
	send_stage(w, now_us);
	return false;
}

static void work_begin(struct work *w, int64_t now_us)
{
	drop_state(w);
	w->stage = 0;
	w->open = w->committing = w->cleaning = w->refused = false;
	w->resume_us = 0;
	link_clear(w->link);
	(void)now_us;
}

void work_start(struct work *w, int64_t now_us)
{
	w->first_us = now_us;
	w->tries = 0;
	w->op = (int64_t)(id_random() >> 1) | 1;
	work_begin(w, now_us);
}

/* work_failed: a statement has work_failed, or the connection. */
static bool work_failed(struct work *w, int64_t now_us)
{
	struct link *l = w->link;
	bool         lost = l->state == LINK_DOWN;
	int64_t most = lost || l->fault.kind == FAULT_PG_LOST ? LOST_US : l->how.lock_ms * 1000;
	bool    again = lost || l->fault.kind == FAULT_PG_LOST || l->fault.kind == FAULT_PG_AGAIN;

	/* Another gateway has written the same key; the second try finds it. */
	if (w->kind->mode == WORK_WRITE && w->tries == 0 && strcmp(l->fault.state, "23505") == 0)
		again = true;

	if (!again || w->once || now_us - w->first_us >= most ||
	    (lost && now_us - l->down_us >= most))
		return end_work(w, &l->fault);
	w->tries++;
	struct fault why = l->fault;
	work_begin(w, now_us);
	if (why.kind == FAULT_PG_LOST && !lost)
		link_drop(l, &why, now_us);
	w->resume_us = now_us + PAUSE_US / 4 + (int64_t)(id_random() % PAUSE_US);
	return false;
}

bool work_waits(const struct work *w, int64_t now_us)
{
	return w->link->state != LINK_IDLE || now_us < w->resume_us;
}

bool work_move(struct work *w, int64_t now_us)
{
	struct link *l = w->link;

	if (l->state == LINK_DOWN) {
		w->open = false;
		return work_failed(w, now_us);
	}
	if (l->state != LINK_IDLE || now_us < w->resume_us)
		return false;
	if (w->cleaning) {
		w->cleaning = false;
		struct fault why = *(struct fault *)w->state;

		drop_state(w);
		l->fault = why;
		return work_failed(w, now_us);
	}
	if (l->fault.kind != FAULT_PG_NONE && w->open && l->fault.kind != FAULT_PG_LOST) {
		struct fault  why = l->fault;
		struct fault *kept = work_state(w, sizeof *kept, NULL);

		if (!kept)
			return end_work(w, &why);
		*kept = why;
		w->open = false;
		w->cleaning = true;
		link_clear(l);
		link_control(l, sql_rollback);
		send_stage(w, now_us);
		return false;
	}
	if (l->fault.kind != FAULT_PG_NONE)
		return work_failed(w, now_us);
	if (w->committing && !w->open) /* the commit of an earlier stage is answered */
		return end_work(w, NULL);

	return work_go_on(w, now_us);
}

void work_run(struct work *w)
{
	struct link *l = w->link;

	work_start(w, clock_mono_us());
	while (!work_move(w, clock_mono_us())) {
		struct pollfd p;
		int64_t       now = clock_mono_us();
		int64_t       until = l->state == LINK_IDLE ? w->resume_us : l->deadline_us;

		if (l->state == LINK_DOWN) {
			until = w->resume_us;
			if (now >= until) {
				link_connect(l, now);
				until = l->deadline_us;
			}
		}
		p.events = link_wants(l, &p.fd);
		(void)poll(&p, 1, until > now ? (int)((until - now) / 1000 + 1) : 0);
		link_move(l, clock_mono_us());
	}
}
