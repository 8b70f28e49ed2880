/* command/internal: what the commands share. */
#pragma once

#include "base/buf.h"
#include "command/command.h"
#include "config/config.h"
#include "store/upkeep.h"

/* --- command_database: what the commands that work on a database have in common: only serve and migrate
 * make one.  Another command that finds none looks in the wrong place. */

/* command_database_find: errors: STORAGE, whose text says which file was looked for: FAULT_MISSING, FAULT_NO_PLACE (the
 * user may not look at the file), FAULT_DATA (the file is not a database). */
enum errc command_database_find(const struct config *c, struct err *e) MUST_USE;
/* command_database_look: the same for a command's status: EX_OK, or the status to end with after the error is told. */
int command_database_look(const struct config *c);

/* --- command_keys_limits: --limit, --budget and --budget-tokens of `parley keys create` and `update`. */

/* command_keys_member: the key of a further member of the object in out; its value comes next. */
bool command_keys_member(struct buf *out, const char *name) MUST_USE;
/* command_keys_limits_put: appends them to an object as members "limits" and "budget", for the reader of
 * the admin routes; "none" stands for an empty one, which takes a limit away.
 * Errors: INVALID_VALUE: what is no limit. */
enum errc command_keys_limits_put(struct buf *out, const struct command_keys_options *k,
				  struct err *e) MUST_USE;
