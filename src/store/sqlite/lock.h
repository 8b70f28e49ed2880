/* lock: the lock by which one process at a time uses a database, and the creation of the database
 * file.  All errors are STORAGE unless said otherwise. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

/* lock_take: locks FILE.lock as long as *ret_fd (owned) is open, and creates the database file at
 * path if it is missing (mode 0600).  *ret_path is its absolute path (owned, free).  The lock file
 * stays when the process ends: if it were removed, two processes could lock two files of this
 * name. */
enum errc lock_take(const char *path, char **ret_path, int *ret_fd, struct err *e) MUST_USE;
/* lock_given: as lock_take, for a process that got the descriptor of the lock from another one. */
enum errc lock_given(const char *path, char **ret_path, struct err *e) MUST_USE;

/* During a takeover, the old process locks FILE.drain until it ends, because it still finishes its
 * own runs.  path is the database's absolute path.
 *
 * lock_drain: locks the file and writes `lane`, the lane of this process's ids, into it; *ret_fd is
 * owned.  Errors: STORAGE; OVERLOADED: another process has the lock. */
enum errc lock_drain(const char *path, int lane, int *ret_fd, struct err *e) MUST_USE;
/* lock_drains: whether a process has the lock of FILE.drain.  *ret_lane is its lane, or unchanged
 * if there is none. */
bool lock_drains(const char *path, int *ret_lane) MUST_USE;
/* lock_is_held: whether a process has the lock of the database at this absolute path. */
bool lock_is_held(const char *path) MUST_USE;
