/* desk/cuts: the runs that were left without an end and may go on (store/cut_off.h), until a loop takes them up.
 *
 * Threads: cuts_add and cuts_take from any; a listener belongs to its loop. */
#pragma once

#include "base/id.h"
#include "base/list.h"
#include "loop/loop.h"

/* Embedded in the listener; zero before cuts_listen. */
struct cuts_listener {
	struct task  task;
	struct loop *loop;
	void (*fn)(struct cuts_listener *l); /* there are runs */
	struct list_link link;
	bool             posted;
};

void cuts_add(struct id run);
/* cuts_take: false: there is none.  cuts_over: a run that was taken is among the live ones, or has ended; true: as
 * cuts_cancelled.  cuts_has: whether the run waits to be taken, or is not over. */
bool cuts_take(struct id *ret) MUST_USE;
bool cuts_over(struct id run, int64_t owner);
bool cuts_has(struct id run);
/* cuts_cancel: somebody wants such a run to end; false: there is none.  cuts_cancelled: whether its owner did. */
bool cuts_cancel(struct id run, int64_t owner);
bool cuts_cancelled(struct id run, int64_t owner);
/* cuts_listen: fn is called on the loop, now if there are runs already, and whenever one comes.  cuts_leave: it is
 * not, once the loop's thread has ended. */
void cuts_listen(struct cuts_listener *l);
void cuts_leave(struct cuts_listener *l);
