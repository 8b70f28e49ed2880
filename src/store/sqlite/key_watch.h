/* key_watch: a thread that notices when other processes have changed API keys, when the database's
 * files are gone, and when the writer must store the times at which keys were used. */
#pragma once

#include "base/err.h"
#include "store/key_ring.h"
#include "store/sqlite/moved.h"

struct key_watch;

/* key_watch_create: also fills the ring, which is borrowed until key_watch_destroy. */
enum errc key_watch_create(const char *path, int64_t busy_ms, struct key_ring *ring,
			   struct key_watch **ret, struct err *e) MUST_USE;
/* Functions that the thread calls. */
struct key_watch_news {
	void (*used)(void *arg);  /* from time to time, if keys were used */
	void (*moved)(void *arg); /* at each check, as long as the files are gone */
	void *arg;
};

/* key_watch_start: starts the thread.  moved is borrowed until key_watch_stop; the thread calls
 * moved_look. */
enum errc key_watch_start(struct key_watch *w, struct moved *moved,
			  const struct key_watch_news *news, struct err *e) MUST_USE;
void      key_watch_stop(struct key_watch *w);
void      key_watch_destroy(struct key_watch *w); /* NULL is fine */
