/* checkpoint: copies the write-ahead log back into the database, mostly beside the writer.
 *
 * Under load, PASSIVE checkpoints in the background alone never empty the log; checkpoints by the
 * writer alone stall its commits.  So this thread copies most of the log, and the writer copies the
 * small rest right after its next commit, which lets the log start over. */
#pragma once

#include "base/base.h"
#include "base/err.h"

#include <stdbool.h>

struct checkpoint;

/* checkpoint_create: opens a connection to the database at path, and starts the thread; *ret is
 * owned.  Errors: STORAGE. */
enum errc checkpoint_create(const char *path, int64_t busy_ms, struct checkpoint **ret,
			    struct err *e) MUST_USE;
void      checkpoint_destroy(struct checkpoint *c);

/* checkpoint_want: asks for a background copy.  Any thread; does not wait. */
void checkpoint_want(struct checkpoint *c);
/* checkpoint_due: true once after each background copy; the writer then copies the rest. */
bool checkpoint_due(struct checkpoint *c);
