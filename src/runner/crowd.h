/* runner/crowd: all sessions of a runner: how many there may be, when one ends that nobody uses, and why the
 * last ones ended. */
#pragma once

#include "runner/session.h"

struct crowd;

/* crowd_create: the options, ground and cgroups (NULL: none) are borrowed for its life. */
enum errc crowd_create(struct loop *loop, const struct runner_options *o,
		       struct sandbox_ground *ground, struct cgroups *cgroups, struct crowd **ret,
		       struct err *e) MUST_USE;
/* crowd_destroy: no session is left (crowd_close, crowd_count). */
void crowd_destroy(struct crowd *c);
/* crowd_find: NULL: there is none. */
struct session *crowd_find(struct crowd *c, struct str name);
/* crowd_take: the session of this name, made if need be; the one that is idle longest makes room.
 * *ret_gone: why an earlier one of the name ended, a literal; "": not known.  Errors: OVERLOADED,
 * CONVERSATION_BUSY, INTERNAL. */
enum errc crowd_take(struct crowd *c, struct str name, struct str owner, struct session **ret,
		     bool *ret_fresh, const char **ret_gone, struct err *e) MUST_USE;
/* crowd_close: all of them. */
void   crowd_close(struct crowd *c);
size_t crowd_count(const struct crowd *c);
/* crowd_tell_empty: fn is called when the last session has gone. */
void crowd_tell_empty(struct crowd *c, void (*fn)(void *arg), void *arg);
