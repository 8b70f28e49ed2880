/* postgres: an open database: the parts of the engine, as its operations and chores see them. */
#pragma once

#include "store/common/salvage.h"
#include "store/engine.h"
#include "store/key_ring.h"
#include "store/postgres/link.h"
#include "store/usage.h"

#include <stdatomic.h>

struct cancels;
struct contents;
struct claim_given;
struct logged;
struct news;
struct pump;
struct retain;
struct search_tools;
struct share_kept;

struct postgres {
	struct store         store; /* callers hold pointers to it */
	struct store_options options;
	struct link_target  *target;   /* owned */
	struct contents     *contents; /* owned; what store.blobs has */
	int64_t              lock_ms;
	/* The process's row of the table gateway; on the store's thread, once that runs. */
	int64_t  gateway;
	int64_t  renew_us;    /* when a renewal of the lease was sent last */
	int64_t  renewed_us;  /* the same, of those that succeeded */
	uint64_t leases_lost; /* how often others had declared the row dead */
	/* The server's clock, when a renewal was answered last (lease.c). */
	struct {
		int64_t server_ms, at_us;
		int64_t off_ms; /* how much this process's clock is ahead of it, as far as is known */
	} clock;
	struct pump      *pump;     /* owned */
	bool              writable; /* the last write has succeeded; on the store's thread */
	struct unfinished unfinished;
	/* Sums of usage (books.c): the number of the last ones that were sent, and those themselves. */
	uint64_t                 usage_seq;
	bool                     booking;
	const struct usage_sum **booked; /* owned; the sums are the gatherer's */
	size_t                   booked_count;
	bool                     calls_lost; /* the work of calls_write.c found no memory */
	bool                     keys_failed, keys_said; /* the last look at the keys (keys.c) */
	size_t                   reaped;       /* runs that the last work of reap.c has found, */
	size_t                   reap_left;    /* and those of them that may go on */
	struct fault             reap_fault;   /* how that work has ended */
	bool                     search_noted; /* rows for the search index were written */
	int64_t                  search_looked_us; /* when the queue of the index was read last */
	int64_t                  aged_us; /* when rows that are kept for long are looked at again */
	char    ceiling_at[BUDGET_NAME];  /* ceilings up to this name were looked at; "": none */
	size_t  aged;     /* statements of the sweep that goes on that remove such rows */
	int64_t sweep_us; /* when old rows are looked for again */
	int64_t size_us;  /* when surplus events are looked for again */
	/* The tables of the event log (partition.c). */
	struct {
		int64_t look_us;   /* when they are looked at again */
		int64_t remove_us; /* when one may be dropped again */
		int64_t pause_us;  /* until then, after a failure; 0: there was none */
		int64_t to; /* 0, or: the logs of runs before this one have more bytes than they may, */
		int64_t bytes;   /* which are so many, and no table can be dropped for it */
		bool    settled; /* no table can be dropped now, so what is old goes by rows */
	} log;
	struct search_tools *search;       /* owned; of searches; NULL: there was none yet */
	struct search_tools *index;        /* owned; of the index */
	int64_t              next_gateway; /* while a new row is made (lease.c) */
	struct logged       *logged;       /* owned */
	struct news         *news;         /* owned */
	struct cancels      *cancels;      /* owned */
	struct claim_given  *given;        /* owned */
	struct share_kept   *kept;         /* owned */
	struct retain       *retain;       /* owned */
	uint64_t             share_order;  /* number of the last answer (share_take.c) */
};
