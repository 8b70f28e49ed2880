/* desk/watch: who waits for news of a run, on whatever loop: readers of its event log, and whoever
 * wants to know its end.
 *
 * Threads: watch_notify from any; the rest on the watcher's own loop.  News come as a task on the
 * watcher's loop; several may become one. */
#pragma once

#include "base/id.h"
#include "base/list.h"
#include "loop/loop.h"

/* Embedded in the watcher; zero before watch_start. */
struct watch_run {
	struct task       task;
	struct loop      *loop;
	struct id         run;
	void (*fn)(struct watch_run *w);   /* there is news */
	void (*gone)(struct watch_run *w); /* after watch_stop: w may be freed */
	struct list_link  link;
	bool              posted;   /* the task is on its way */
	bool              stopping; /* the loop's own: watch_stop was called */
};

/* watch_start: from now on fn is called after each watch_notify for the run. */
void watch_start(struct watch_run *w);
/* watch_stop: fn is not called any more; gone is, from within or soon. */
void watch_stop(struct watch_run *w);
/* watch_notify: cheap where nobody watches. */
void watch_notify(struct id run);
/* watch_look_again: news, perhaps, of each watched run that does not go on in this process. */
void watch_look_again(void);
