/* chores: the work that the writer's thread does besides jobs, in short steps between two batches.
 *
 * Each chore is a row of the table in chores.c; its code stands there or in the file of its subject.  A
 * step names the time at which the next one is due; chores_call brings that time forward. */
#pragma once

#include "base/id.h"
#include "store/engine.h"
#include "store/sqlite/events.h"
#include "store/sqlite/kit/conn.h"
#include "store/sqlite/search/search_queue.h"
#include "store/sqlite/session.h"
#include "store/usage.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* chore: work that the writer's thread does besides jobs, in short steps. */
#define CHORE_IDLE INT64_MAX /* no step is due until chores_call */

struct chore {
	/* run: does one step, is called outside of any transaction, and returns an SQLite code.
	 * *ret_again_ms: milliseconds until the next step is due; unchanged: CHORE_IDLE. */
	int (*run)(void *subject, int64_t *ret_again_ms);
	const char *event;    /* logged once, when steps begin to fail; NULL: nothing is logged */
	const char *failed;   /* text of this log line, before the reason */
	int64_t     retry_ms; /* until the next step after a failed one */
	int64_t     pause_ms; /* shortest time between two steps */
	bool        durable;  /* its commits wait for the disk */
	bool        alone;    /* rests while another process takes over (chores_quiesce) */
	bool        last;     /* has a step when the writer stops, due or not */
};

/* books: the chore that writes what is gathered in memory of calls, their usage (store/usage.h) and the
 * ledger's rows (store/ledger.h), and settles reservations whose calls are lost. */
enum {
	BOOKS_MS = 1000,           /* from the first usage in memory until it is written */
	BOOKS_REST_MS = 60 * 1000, /* interval of the search for lost reservations */
};

struct books { /* all borrowed */
	struct conn         *conn;
	struct usage_gather *usage;
	struct ledger       *ledger;   /* NULL: there is none */
	const atomic_bool   *quiesced; /* while true, no lost reservation is settled */
};

extern const struct chore chore_books;

/* calls_write: writes the gathered rows of calls, and their sums, in an open transaction; an SQLite code. */
int calls_write(struct conn *c, struct ledger *l) MUST_USE;

/* key_used: the chore that writes when API keys were used.  Its subject is the writer's session. */
extern const struct chore chore_key_used;

/* search_clear: the chore that removes rows from the search queue after they are in the index. */
struct search_clear {
	struct search_queue *queue;   /* borrowed */
	_Atomic int64_t      settled; /* rows up to this seq may go; set by any thread */
	int64_t              cleared; /* rows up to this seq are gone */
};

extern const struct chore chore_search_clear;

/* Bounds of the ledger; as in store_options. */
struct calls_kept {
	int64_t keep_ms, keep_bytes;
};

/* calls_sweep: removes some of what the ledger no longer keeps, in a transaction of its own; an SQLite code. */
int calls_sweep(struct conn *c, const struct calls_kept *k, int64_t now_ms,
		bool *ret_again) MUST_USE;

/* sweep: the chore of retention, which removes old event logs, calls and idempotency keys, the oldest
 * first, in small steps. */
struct sweep {
	struct conn      *conn;    /* borrowed */
	struct events    *events;  /* borrowed */
	int64_t           keep_ms; /* same as in store_options, like the next three */
	int64_t           keep_bytes;
	int64_t           answer_keep_ms;
	int64_t           audit_keep_ms;
	int64_t           aged_us; /* when rows that are kept for long are looked at again */
	char              ceiling_at[BUDGET_NAME]; /* ceilings up to this name were looked at */
	struct calls_kept calls;
	int64_t           calls_due_ms; /* when calls are looked at again */
	int64_t           next; /* rows of the event log below this id are done in this pass */
};

void sweep_init(struct sweep *s, struct conn *conn, struct events *events,
		const struct store_options *o);

extern const struct chore chore_sweep;

/* keep: the chore that removes conversations, contents of messages and files when their time is over.
 *
 * The kinds of things that METRIC_SWEPT counts: */
enum keep_kind { KEPT_CONVERSATION, KEPT_RUN, KEPT_CONTENT, KEPT_FILE, KEPT__COUNT };

/* Parts of a pass, in their order. */
enum keep_phase {
	PHASE_ALL,     /* all conversations */
	PHASE_OWNED,   /* the owners whose keys have a time */
	PHASE_CONTENT, /* messages */
	PHASE_FILES,   /* sizes of files, if all bytes have a limit; */
	PHASE_OLDEST,  /* if they are over it, the oldest conversations are looked for, */
	PHASE_SURPLUS, /* and removed */
	PHASE_OVER
};

struct keep {
	struct session   *session; /* borrowed */
	struct store_keep keep;
	int64_t           told_ms; /* how long it is told that something is gone; 0: for ever */
	bool              passing;
	enum keep_phase   phase;
	int64_t           began_us; /* the beginning of the pass */
	int64_t           pass_us;  /* when the next one begins */
	int64_t           at;       /* the pass has come so far */
	int64_t           since_ms; /* later activity holds a conversation */
	int64_t           owner;    /* PHASE_OWNED */
	int64_t           owner_keep_ms;
	int64_t           origin;      /* ORIGIN__COUNT: the owner is done */
	int64_t           shortest_ms; /* the shortest time of a key; 0: there is none */
	struct keep_size *size;        /* owned; NULL: bytes have no limit */
	/* The step's. */
	bool    writes; /* a transaction is open */
	int64_t gone[KEPT__COUNT];
	/* Something was removed that the log may still have, since about then. */
	bool    erased;
	int64_t erased_us;
};

/* keep_init: k is finished by keep_finish.  Without memory, the limit of bytes does not hold. */
void keep_init(struct keep *k, struct session *session, const struct store_options *o);
void keep_finish(struct keep *k);

/* A step that returns this time has found nothing more to do. */
#define KEEP_REST_MS 1000
extern const struct chore chore_keep;

/* peer: the previous process, which finishes its runs beside ours during a takeover (store_peers in
 * store/store.h).
 *
 * While the peer lives, the runs that begin in this process are noted; all other live runs are the
 * peer's.  When the peer has ended, its live runs are unfinished, as after a crash, and get
 * ends. */
struct session;
struct store_options;

struct peer {
	struct session             *session; /* borrowed */
	const struct store_options *options; /* borrowed */
	atomic_bool                 alive;
	/* The peer has not confirmed the takeover (store_taken_over).  It may still give the
	 * takeover up and serve on; then it drops its lock without having ended. */
	atomic_bool early;
	int64_t    *own; /* owned; keys of our runs; used by the writer's thread alone */
	size_t      own_count;
	size_t      own_cap;
	bool        own_lost; /* memory was short for `own`: the next start ends the peer's runs */
};

void peer_init(struct peer *p, bool alive, bool early);
/* peer_watch: session and o are borrowed until peer_finish; the chore needs both. */
void peer_watch(struct peer *p, struct session *session, const struct store_options *o);
void peer_finish(struct peer *p);

extern const struct chore chore_peer;

/* peer_alive: any thread; cheap. */
bool peer_alive(const struct peer *p);
/* peer_own: notes that a run, or an idempotency key or a reservation of a call, begins in this
 * process.  NULL is fine.  On the writer's thread. */
void peer_own(struct peer *p, struct id run);

enum { SCRUB_MS = 5000 }; /* from a deletion until the log is emptied */

enum chore_number {
	CHORE_SWEEP,        /* removes what retention no longer keeps (sweep.c) */
	CHORE_KEEP,         /* removes old conversations and files (keep.c) */
	CHORE_SEARCH_CLEAR, /* clears the search queue up to where the index is */
	CHORE_KEY_USED,     /* writes when keys were used */
	CHORE_BOOKS,        /* writes sums of usage (budgets.c) */
	CHORE_SCRUB,        /* empties the log of what was deleted (wal_scrub) */
	CHORE_PEER,         /* after a takeover, ends the runs that the old process left (peer.c) */
	CHORE__COUNT
};

struct chores {
	struct session     *session; /* borrowed */
	struct sweep        sweep;
	struct keep         keep;
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

/* chores_init: c is zero except for peer (peer_init), wake and arg, and the subject of CHORE_SCRUB.  session, what is gathered in store, and o are
 * borrowed until chores_finish; o->path is absolute. */
void chores_init(struct chores *c, struct session *session, const struct store *store,
		 const struct store_options *o);
void chores_finish(struct chores *c);

/* scrub: empties the write-ahead log, which has what was deleted until its pages are written over.  Its subject
 * is the writer's wal (threads.h). */
extern const struct chore chore_scrub;

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
