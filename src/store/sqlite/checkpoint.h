/* checkpoint: copies the write-ahead log back into the database, mostly beside the writer.
 *
 * A background PASSIVE checkpoint alone never empties the log under load; one by the writer alone
 * stalls its commits.  So this thread copies most, and then the writer does the little that is left
 * right after its next commit, which lets the log start over. */
#pragma once

#include "base/base.h"
#include "base/err.h"

#include <stdbool.h>

struct checkpoint;

enum errc checkpoint_create(const char *path, int64_t busy_ms, struct checkpoint **ret,
			    struct err *e) MUST_USE;
void      checkpoint_destroy(struct checkpoint *c);

/* checkpoint_want: the log has grown past its mark.  Any thread, does not wait. */
void checkpoint_want(struct checkpoint *c);
/* checkpoint_due: true once after each background copy: the writer should do the rest. */
bool checkpoint_due(struct checkpoint *c);
