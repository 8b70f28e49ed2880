/* command_keys_limits: --limit, --budget and --budget-tokens of `parley keys create` and `update`. */
#pragma once

#include "base/buf.h"
#include "command/command.h"

/* command_keys_member: the key of a further member of the object in out; its value comes next. */
bool command_keys_member(struct buf *out, const char *name) MUST_USE;
/* command_keys_limits_put: appends them to an object as members "limits" and "budget", for the reader of
 * the admin routes; "none" stands for an empty one, which takes a limit away.
 * Errors: INVALID_VALUE: what is no limit. */
enum errc command_keys_limits_put(struct buf *out, const struct command_keys_options *k,
				  struct err *e) MUST_USE;
