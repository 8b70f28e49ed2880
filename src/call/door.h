/* call/door: the one way into a run, for a client's request as for the program itself.
 *
 *   door_start --> defaults --> key --> limits, a place --> run
 *                                |            |
 *                                |            +--> refused
 *                                +--> the answer of an earlier call with the same key, or refused
 *
 *   defaults   what the model's configuration says and the request does not
 *   key        only with an Idempotency-Key: one call for each (keyed.c); the answer again (earlier.c)
 *   limits     of the API key and of all callers, and one of the places (desk/admit); it may wait here
 *   run        budget, store, provider (run/run.h)
 *
 * A call is told to an observer, which knows nothing of these steps: the call is refused, or an answer
 * comes, whoever makes it. HTTP is one kind of observer (routes/call/exchange). A call that the program
 * makes itself passes the same limits, key and budget, and has a line in the log, too.
 *
 *   limits* --> refused
 *           --> begun? --> open, wake* ...   a stream: door_ready, door_taken, in the end door_broken
 *                      --> done              a plain answer: door_whole; or an error
 *           --> shown                        for `background`: the run of an earlier call
 *
 * Threads: a call belongs to its door's loop; all functions and callbacks run there. */
#pragma once

#include "desk/rate.h"
#include "msg/call_request.h"
#include "run/run.h"

struct call_note;
struct registry;
struct run_read;
struct work_pool;

/* The objects of one loop that its calls use; all borrowed, for longer than any call. */
struct door {
	struct loop       *loop;
	struct run_engine *runs;
	struct store      *store;
	struct work_pool  *cpu; /* prints what takes long; NULL: the loop does */
	/* Both of this moment; a reload may change them. */
	const struct admit_settings *admit;
	const struct run_settings   *settings;
};

struct door_call;

struct door_observer {
	/* The answer's side: a run's, or that of an earlier call in its place.  A call must not be left from within
	 * `open`, `wake` and `begun`. */
	struct run_observer run;
	/* refused: there is no answer; the call has ended and frees itself. */
	void (*refused)(void *arg, const struct err *e);
	/* shown: in the place of `begun` for a call with manner.background: the run of an earlier call, as
	 * it is stored.  NULL: such calls are not made. */
	void (*shown)(void *arg, const struct run_read *run);
	/* limits: as they stand now.  NULL: nobody is told. */
	void (*limits)(void *arg, const struct rate_view *view);
	/* Why the program makes the call, for its log line; NULL: for a client. */
	const char *purpose;
	/* The observer writes what door_note says into a log line of its own. */
	bool logs;
};

/* door_create: *ret is the observer's until door_leave or `refused`; NULL: no memory. */
struct door_call *door_create(const struct door *d, const struct door_observer *o,
			      void *arg) MUST_USE;
/* door_has_choice: whether another target may be asked than the first one. */
bool door_has_choice(const struct call_request *rq);
/* door_resumes: whether it matters what an answer does that breaks off. */
bool door_resumes(const struct call_request *rq);
/* door_has_sessions: whether it matters to which session the call belongs. */
bool door_has_sessions(const struct call_request *rq);
/* door_start: consumes rq with its input and what it holds.  Everything in rq->caller is borrowed until the
 * call is left or refused.  A request without a shape gets the first one of its family.  `refused` and
 * `limits` may be called at once, the others may not. */
void door_start(struct door_call *c, struct call_request *rq);
/* door_leave: no callback follows.  A call that has no run ends; a run goes on as manner.finish says. */
void door_leave(struct door_call *c);
/* door_leave_note: the same; *ret has what a log line says of the call after it, where it had a run of its own. */
void door_leave_note(struct door_call *c, struct call_note *ret);

/* The answer; as run_ready, run_taken and run_whole.  door_broken: asked after the last byte: a body of these
 * bytes must not look complete, because the stream has no last block, or because the call has failed and
 * abort is set. */
struct str door_ready(struct door_call *c, bool *ret_last);
void       door_taken(struct door_call *c, size_t n);
bool       door_broken(const struct door_call *c, bool abort);
bool       door_whole(struct door_call *c, struct buf *out) MUST_USE;

/* Facts for an answer's headers; spans are borrowed until door_leave. */
struct door_view {
	struct run_view run;
	bool            replayed; /* the run is an earlier call's; of it, only the ids are known */
	bool            failed;
	bool            stored;
	int http; /* a plain answer's status: 200, or that of a kept error; 204: nothing */
};
void door_view(const struct door_call *c, struct door_view *ret);
/* door_note: what a log line says of the call's run; start_us: when the call was begun.  False: the call has
 * no run of its own. */
bool door_note(const struct door_call *c, int64_t start_us, struct call_note *ret) MUST_USE;
/* door_replays: the answer is that of an earlier call. */
bool door_replays(const struct door_call *c);

/* door_target: for readers of bodies: finds the target of `model` among those that rq->caller.who may use;
 * path: of the model's name, for errors. */
enum errc door_target(const struct registry *registry, struct str model, const char *path,
		      struct call_request *rq, struct err *e) MUST_USE;
