/* logged: what this gateway has added to event logs without waiting for the server's disk.
 *
 * A crash of the server loses the last commits of such connections, and what is committed later is kept, so a log
 * would have a hole.  The statements are kept until they are on the disk, and what is missing is written
 * again: after a connection broke, and otherwise within a second, because a pooler may hide a crash.
 *
 * On the store's thread. */
#pragma once

#include "store/postgres/work.h"

struct logged;

struct logged *logged_create(void);
void           logged_destroy(struct logged *l); /* NULL is fine */

/* logged_sends: the next statement, whose parameters are made, adds to event logs.  logged_stored: it is committed, and
 * its rows, the n-th result, are the runs and the last numbers of what is in the logs now.  Nothing is kept without
 * memory, and the oldest goes where there is too much. */
void logged_sends(struct work *w);
void logged_stored(struct work *w, size_t n);

/* logged_doubt: a connection is lost.  logged_doubtful: since then, nobody has looked whether something is missing. */
void logged_doubt(struct postgres *db);
bool logged_doubtful(const struct postgres *db);

/* The chore that looks. */
bool           logged_wanted(struct postgres *db);
enum work_next logged_step(struct work *w);
void           logged_over(struct work *w, const struct fault *f);
