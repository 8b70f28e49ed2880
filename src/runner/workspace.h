/* runner/workspace: files of a session, seen from outside of its sandbox: through a descriptor of the
 * folder, never by a path that something in the sandbox could turn elsewhere. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

#include <time.h>

/* workspace_code: writes the file of an execution; errno is set when it is false. */
bool workspace_code(int folder, const char *name, struct str code) MUST_USE;
/* workspace_give: copies a client's file to in/NAME; *ret_changed: its time of change.  Errors: INVALID_VALUE (the name, no regular file, too
 * large), INTERNAL (as: no space left). */
enum errc workspace_give(int folder, struct str name, int from, struct timespec *ret_changed,
			 struct err *e) MUST_USE;
/* workspace_open: a regular file, to read.  Errors: NOT_FOUND, also for links and paths that lead out. */
enum errc workspace_open(int folder, struct str path, int *ret_fd, int64_t *ret_bytes,
			 struct err *e) MUST_USE;

/* workspace_walk: tells regular files that were changed at `since` or later, those in the folder `in` behind
 * `brought` alone; at most `most`.  False of tell: enough.
 * False: there may be more files than were told. */
typedef bool (*workspace_tell_fn)(void *arg, struct str path, int64_t bytes);
bool workspace_walk(int folder, struct timespec since, struct timespec brought, size_t most,
		    workspace_tell_fn tell, void *arg);
