/* search_drain: brings the index up to the end of the queue and removes the words of what was deleted from it, in
 * a process that holds the database's lock and has no indexer. */
#pragma once

#include "base/err.h"

#include <stdint.h>

/* search_drain: path is the absolute path of the database.  An index that can't be written is removed: the
 * next gateway makes it anew from the messages.  *ret_seq: the rows of the queue up to this one are not needed
 * any more.  Errors: STORAGE. */
enum errc search_drain(const char *path, int64_t busy_ms, int64_t *ret_seq, struct err *e) MUST_USE;
