/* chores: the work that the writer's thread does besides jobs, in short steps between two batches.
 *
 * Each chore is a row of the table in chores.c, and its code stands in the file of its subject.  A
 * step names the time at which the next one is due; chores_call brings that time forward. */
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
	CHORE_SWEEP,        /* removes what retention no longer keeps (sweep.c) */
	CHORE_SEARCH_CLEAR, /* clears the search queue up to where the index is (search_clear.c) */
	CHORE_KEY_USED,     /* writes when keys were used (key_used.c) */
	CHORE_BOOKS,        /* writes sums of usage (books.c) */
	CHORE_PEER,         /* after a takeover, ends the runs that the old process left (peer.c) */
	CHORE__COUNT
};

struct chores {
	struct session     *session; /* borrowed */
	struct sweep        sweep;
	struct search_clear search_clear;
	struct books        books;
	struct peer         peer;
	bool                writable; /* set by the writer's thread; while false, no step is due */
	atomic_bool         quiesced; /* chores_quiesce */
	void (*wake)(void *arg); /* any thread; the writer's thread asks chores_left_ms again */
	void *arg;
	struct {
		void           *subject; /* borrowed */
		_Atomic int64_t due_us;  /* clock_mono_us, or CHORE_IDLE */
		int64_t         ran_us;  /* end of the last step */
		bool            failed;  /* the last step failed, and this was logged */
	} state[CHORE__COUNT];
};

/* chores_init: c is zero except for peer (peer_init), wake and arg.  session, usage and o are
 * borrowed until chores_finish; o->path is absolute. */
void chores_init(struct chores *c, struct session *session, struct usage_gather *usage,
		 const struct store_options *o);
void chores_finish(struct chores *c);

/* chores_call: the chore's next step is due at at_us (clock_mono_us) at the latest.  Any thread. */
void chores_call(struct chores *c, enum chore_number n, int64_t at_us);
/* chores_quiesce: while on, the chores that only one process may do (chore.alone) rest.  Any
 * thread. */
void chores_quiesce(struct chores *c, bool on);

/* On the writer's thread.  chores_left_ms: milliseconds until a step is due; -1: none is.
 * chores_run: does a step of each chore that is due.  chores_last: does the last steps, when the
 * writer stops. */
int64_t chores_left_ms(struct chores *c);
void    chores_run(struct chores *c);
void    chores_last(struct chores *c);
