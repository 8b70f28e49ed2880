/* log_ring: the last bytes of the log, for those who look at it from outside of stderr.
 *
 * The thread that writes the log puts its lines here, a batch at a time, so that whoever logs a line pays nothing
 * for it.  A line is known by its place: how many bytes the process had logged before it.  Threads: any. */
#pragma once

#include "base/base.h"
#include "base/limits.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* log_ring_put: whole lines. */
void log_ring_put(const char *p, size_t n);

/* log_ring_take: copies whole lines from the place `from` on to ret, which has room for max bytes: the newest
 * that fit.  Returns their number of bytes; *ret_at is the place of the first one, or of the next line if there
 * is none.  A place that is still to come, as after a restart, means the oldest line. */
size_t log_ring_take(uint64_t from, char *ret, size_t max, uint64_t *ret_at);

/* log_ring_end: the place of the next line. */
uint64_t log_ring_end(void);

/* A line as the viewer sees it; its words stand in the caller's bytes. */
struct log_seen {
	enum log_level level;
	struct str     event;
	struct str     request_id; /* empty: it has none */
	struct str     ts;
};

/* log_line_read: reads a line (without its newline) of either format; false: it is none of ours. */
bool log_line_read(struct str line, struct log_seen *ret);
/* log_level_find: false: there is no such level. */
bool log_level_find(struct str name, enum log_level *ret) MUST_USE;
/* log_level_name: the word for a level. */
const char *log_level_name(enum log_level level);
