/* command_upkeep: what the commands that work on the database from outside have in common. */
#pragma once

#include "store/upkeep.h"

/* command_upkeep_begin: from here on SIGINT, SIGTERM and SIGHUP are what command_upkeep_stopped
 * tells, once; the second one ends the process. */
void command_upkeep_begin(void);
bool command_upkeep_stopped(void);
/* command_upkeep_end: the exit status; says what was wrong.  A signal that stopped the work ends the
 * process as it would have. */
int command_upkeep_end(enum upkeep_end end, const struct err *e);
/* command_upkeep_size: bytes for people, as in "12.3 MiB". */
const char *command_upkeep_size(int64_t bytes, char ret[32]);
