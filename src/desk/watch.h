/* desk/watch: notifies the watchers of a run, on any loop, of its news: readers of the run's event
 * log, and code that waits for the run's end.
 *
 * Threads: watch_notify from any; the rest on the watcher's own loop. A watcher is notified by a
 * task on its loop; several notifications may become one task. */
#pragma once

#include "base/id.h"
#include "base/list.h"
#include "loop/loop.h"

/* Embedded in the watcher; zero before watch_start. */
struct watch_run {
	struct task  task;
	struct loop *loop;
	struct id    run;
	void (*fn)(struct watch_run *w);   /* there is news */
	void (*gone)(struct watch_run *w); /* after watch_stop: w may be freed */
	struct list_link link;
	uint64_t         mark;     /* the last that watch_mark told */
	bool             posted;   /* the task is on its way */
	bool             stopping; /* the loop's own: watch_stop was called */
};

/* watch_start: fn is called after each later watch_notify for the run. */
void watch_start(struct watch_run *w);
/* watch_stop: fn is not called any more; gone is, from within or soon. */
void watch_stop(struct watch_run *w);
/* watch_notify: notifies the watchers of a run. Cheap if nobody watches. */
void watch_notify(struct id run);
/* watch_look_again: notifies the watchers of all runs that are not running in this process,
 * because there may be news. */
void watch_look_again(void);

/* For a store that several processes share; any thread.  watch_elsewhere: runs that somebody watches
 * and that are not running in this process, at most max; the next call goes on after them.
 * watch_mark: notifies the watchers of a run, unless they were told of the same mark before; never
 * 0. */
size_t watch_elsewhere(struct id *ret, size_t max);
void   watch_mark(struct id run, uint64_t mark);
