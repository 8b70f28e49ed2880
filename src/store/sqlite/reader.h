/* reader: a small pool of threads, each with its own read-only connection. */
#pragma once

#include "store/store.h"

struct readers;

enum errc readers_create(const char *path, unsigned count, int64_t busy_ms, struct readers **ret,
                         struct err *e) MUST_USE;
/* readers_destroy: after everything queued was done. */
void readers_destroy(struct readers *p);
/* readers_add: false when LIMIT_STORE_READS jobs wait.  Any thread. */
bool readers_add(struct readers *p, struct store_job *job) MUST_USE;
