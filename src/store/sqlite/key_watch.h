/* key_watch: a thread that notices what other processes did to the keys, and reminds the writer of
 * storing when keys were used. */
#pragma once

#include "base/err.h"
#include "store/key_ring.h"

struct key_watch;

/* key_watch_create: fills the ring; ring is borrowed. */
enum errc key_watch_create(const char *path, int64_t busy_ms, struct key_ring *ring,
                           struct key_watch **ret, struct err *e) MUST_USE;
/* key_watch_start: used(arg) is called on the thread, now and then, when keys were used. */
enum errc key_watch_start(struct key_watch *w, void (*used)(void *arg), void *arg,
                          struct err *e) MUST_USE;
void      key_watch_stop(struct key_watch *w);
void      key_watch_destroy(struct key_watch *w); /* NULL is fine */
