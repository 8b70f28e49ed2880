/* command_database: what the commands that work on a database have in common: only serve and migrate
 * make one.  Another command that finds none looks in the wrong place. */
#pragma once

#include "config/config.h"

/* command_database_find: errors: STORAGE, whose text says which file was looked for: FAULT_MISSING, FAULT_NO_PLACE (the
 * user may not look at the file), FAULT_DATA (the file is not a database). */
enum errc command_database_find(const struct config *c, struct err *e) MUST_USE;
/* command_database_look: the same for a command's status: EX_OK, or the status to end with after the error is told. */
int command_database_look(const struct config *c);
