/* turn_end: the job of that name, for who ends a run that could not end itself (unfinished, recover).
 * Returns as an operation does (op.h), but that what the run has used is settled also where the end is
 * refused. */
#pragma once

#include "store/sqlite/session.h"
#include "store/turn.h"

int turn_end(struct session *s, struct turn_end *j) MUST_USE;
