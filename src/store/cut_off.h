/* cut_off: a run that its gateway has left without an end: what it is worth, and how another process, or the
 * same one after its start, takes it up. */
#pragma once

#include "base/arena.h"
#include "msg/event.h"
#include "store/events.h"
#include "store/job.h"
#include "store/turn.h"

/* salvage_told: the findings in the log of such a run; all zero: it is empty. */
struct salvage_told {
	bool         begun;   /* the provider had begun to answer */
	int64_t      bytes;   /* sum of event_weight (msg/event.h) of all events */
	struct usage usage;   /* the provider's last report */
	bool         resumed; /* it went on after an attempt that broke off */
	struct str   plan; /* borrowed: how it can be asked again (run/plan.h); empty: it can't */
	bool steps; /* an earlier call of the provider's was over, and another followed or was to */
};

struct salvage_told cut_off_look(const struct events_piece *pieces, size_t count);

/* The error of such a run. */
#define CUT_OFF_ERROR                                                            \
	"{\"message\":\"the gateway stopped while this answer was being made\"," \
	"\"type\":\"server_error\",\"param\":null,\"code\":\"server_stopped\"}"

/* A run's bill, as its row has it. */
struct cut_off_bill {
	int64_t    attempts, first_token_ms;
	struct str provider; /* asked last */
	struct str key, model;
	struct str tags;
	bool       known;  /* false: the run began before rows had the rest */
	int64_t    in;     /* bytes of the prompt */
	bool       priced; /* and at which prices */
	int64_t    price_in, price_out;
	/* Usage of failed attempts, for which the key pays too; dropped false: none. */
	bool         dropped;
	struct usage dropped_usage; /* estimated, if it has any tokens */
	bool         dropped_priced;
	int64_t      dropped_nano;
	bool         asked; /* a provider was being asked */
	bool         taken; /* the run was taken up before */
};

/* cut_off_charge: estimates what the provider may have charged, for the run's end and for its note, which borrows the
 * bill's tags; false: the bill is not known. */
bool cut_off_charge(const struct cut_off_bill *b, const struct salvage_told *told,
		    struct turn_end *end, struct usage_note *note);

/* cut_off_goes_on: whether such a run may be taken up. */
bool cut_off_goes_on(const struct cut_off_bill *b, const struct salvage_told *told);

/* run_take: takes such a run up, once.  A second try, or a process that finds the run left once more, is told that
 * it was taken.  This write reads what else is known of the run, too. */
struct run_take {
	struct store_job job;
	struct id        run;
	bool             again; /* the job has failed before, and may have been done nevertheless */
	struct arena     arena;
	/* out */
	bool       taken; /* false: it has ended, was taken before, or is another process's */
	int64_t    owner;
	struct id  conversation;
	struct id  parent;    /* the message before its answer; none: there is none */
	struct id  continues; /* the run whose answer it goes on with; none: it does not */
	struct str model, shape, settings, request_id, attempt_log;
	int64_t    created_ms;
	uint64_t   seq_reserved;
	bool       reserved; /* it has a reservation of budgets */
	struct cut_off_bill bill;
};
