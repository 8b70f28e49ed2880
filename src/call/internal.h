/* A call, as the files of this folder see it. */
#pragma once

#include "call/door.h"
#include "desk/admit.h"

struct answer_find;
struct earlier;
struct keyed;

enum door_phase {
	DOOR_KEYED, /* another call with the key is looked for, or waited for */
	DOOR_WAITS, /* for a place */
	DOOR_RUNS,
	DOOR_EARLIER, /* an earlier call's answer is given */
};

struct door_call {
	const struct door          *door;
	const struct door_observer *observer;
	void                       *arg;
	struct door_line           *line; /* NULL: the observer logs */
	enum door_phase             phase;
	struct call_request        *rq; /* DOOR_WAITS alone; owned */
	union {
		struct keyed     *keyed;
		struct admit_wait wait;
		struct run       *run;
		struct earlier   *earlier;
	};
};

void door_drop(struct call_request *rq);
/* door_admit: goes on with the limits.  Consumes rq, its slot included. */
void door_admit(struct door_call *c, struct call_request *rq);
/* door_limits: tells the limits of a call that takes nothing of them. */
void door_limits(const struct door_call *c, const struct call_request *rq);
/* door_refuse: the observer's `refused`, and the end of the call. */
void door_refuse(struct door_call *c, const struct err *e);

void keyed_start(struct door_call *c, struct call_request *rq);
void keyed_leave(struct keyed *x);

/* earlier_start: gives the answer of an earlier call, with the bytes of read, which it moves away; rq says how the
 * answer was asked for.
 *
 * earlier_follow: the same for a running run, whose ids are in read.  False: the run can't be followed (it has
 * ended, or is not streamed), and nothing was done. */
void earlier_start(struct door_call *c, const struct call_request *rq, struct answer_find *read);
bool earlier_follow(struct door_call *c, const struct call_request *rq, struct answer_find *read);
void earlier_leave(struct earlier *k);

struct str earlier_ready(struct earlier *k, bool *ret_last);
void       earlier_taken(struct earlier *k, size_t n);
bool       earlier_broken(const struct earlier *k, bool abort);
void       earlier_whole(struct earlier *k, struct buf *out);
void       earlier_view(const struct earlier *k, struct door_view *ret);
