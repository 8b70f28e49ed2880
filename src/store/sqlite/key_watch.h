/* key_watch: a thread that notices what others did to the keys and to the database's files, and reminds
 * the writer of storing when keys were used. */
#pragma once

#include "base/err.h"
#include "store/key_ring.h"
#include "store/sqlite/moved.h"

struct key_watch;

/* key_watch_create: fills the ring; ring is borrowed. */
enum errc key_watch_create(const char *path, int64_t busy_ms, struct key_ring *ring,
			   struct key_watch **ret, struct err *e) MUST_USE;
/* What is called on the thread. */
struct key_watch_news {
	void (*used)(void *arg);  /* now and then, when keys were used */
	void (*moved)(void *arg); /* at each look, as long as the files are gone */
	void *arg;
};

/* key_watch_start: moved: borrowed, looked at. */
enum errc key_watch_start(struct key_watch *w, struct moved *moved,
			  const struct key_watch_news *news, struct err *e) MUST_USE;
void      key_watch_stop(struct key_watch *w);
void      key_watch_destroy(struct key_watch *w); /* NULL is fine */
