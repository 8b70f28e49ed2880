/* lock: one process at a time on a database, and the database file itself made private. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

/* lock_take: locks FILE.lock for as long as the descriptor is open, makes the file at path if it is
 * missing (mode 0600), and gives the file's absolute path (owned, free).  The lock file stays
 * when the process ends: removing it would let two processes lock two files of one name. */
enum errc lock_take(const char *path, char **ret_path, int *ret_fd, struct err *e) MUST_USE;
/* lock_given: as lock_take, where *ret_fd has the lock already. */
enum errc lock_given(const char *path, char **ret_path, struct err *e) MUST_USE;

/* A process that another one takes over from locks FILE.drain until it has ended: what it began goes
 * on, and is its own.  Both want the database's absolute path.
 *
 * lock_drain: notes the lane of our ids in it.  Errors: STORAGE; OVERLOADED: another one has it. */
enum errc lock_drain(const char *path, int lane, int *ret_fd, struct err *e) MUST_USE;
/* lock_drains: whether there is such a process; its lane. */
bool lock_drains(const char *path, int *ret_lane) MUST_USE;
/* lock_is_held: whether a process has the lock of the database at this absolute path. */
bool lock_is_held(const char *path) MUST_USE;
