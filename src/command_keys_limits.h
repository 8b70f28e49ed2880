/* command_keys_limits: --limit, --budget and --budget-tokens of `parley keys create`. */
#pragma once

#include "base/buf.h"
#include "command.h"

/* command_keys_limits_put: appends them to an object as members "limits" and "budget", for the reader of
 * the admin routes.  Errors: INVALID_VALUE: what is no limit. */
enum errc command_keys_limits_put(struct buf *out, const struct command_keys_options *k,
				  struct err *e) MUST_USE;
