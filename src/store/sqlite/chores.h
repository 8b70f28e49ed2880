/* chores: what the writer's thread does besides jobs, a step at a time, between two batches.
 *
 * Each is a row of the table in chores.c and lives in the file of its subject.  A step is due at a time,
 * which the step before has named, or which another thread brings forward (chores_call). */
#pragma once

#include "store/sqlite/books.h"
#include "store/engine.h"
#include "store/sqlite/chore.h"
#include "store/sqlite/peer.h"
#include "store/sqlite/search_clear.h"
#include "store/sqlite/session.h"
#include "store/sqlite/sweep.h"

#include <stdatomic.h>

enum chore_number {
	CHORE_SWEEP,        /* what retention no longer keeps goes (sweep.c) */
	CHORE_SEARCH_CLEAR, /* what the search index has taken up leaves its queue (search_clear.c) */
	CHORE_KEY_USED,     /* when keys were used is noted (key_used.c) */
	CHORE_BOOKS,        /* what was used is booked (books.c) */
	CHORE_PEER,         /* runs of a process that has ended get their ends (peer.c) */
	CHORE__COUNT
};

struct chores {
	struct session     *session; /* borrowed */
	struct sweep        sweep;
	struct search_clear search_clear;
	struct books        books;
	struct peer         peer;
	bool                writable; /* the writer's thread says: while false, no step is due */
	atomic_bool         quiesced;
	void (*wake)(void *arg); /* any thread; the writer's looks at chores_left_ms again */
	void *arg;
	struct {
		void           *subject;
		_Atomic int64_t due_us;
		int64_t         ran_us;
		bool            failed; /* and that was said */
	} state[CHORE__COUNT];
};

/* chores_init: c is zero but for its peer (peer_init) and wake; usage is borrowed, and o, whose path is the
 * absolute one. */
void chores_init(struct chores *c, struct session *session, struct usage_gather *usage,
		 const struct store_options *o);
void chores_finish(struct chores *c);

/* chores_call: a step is due at this time (clock_mono_us) at the latest.  Any thread. */
void chores_call(struct chores *c, enum chore_number n, int64_t at_us);
/* chores_quiesce: nothing that is one process's alone to do, until it is taken back.  Any thread. */
void chores_quiesce(struct chores *c, bool on);

/* On the writer's thread.  chores_left_ms: until a step is due; -1: none is.  chores_run: a step of each
 * that is due.  chores_last: at the end. */
int64_t chores_left_ms(struct chores *c);
void    chores_run(struct chores *c);
void    chores_last(struct chores *c);
