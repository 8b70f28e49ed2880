/* unfinished_write: some of what is unfinished (unfinished.h), in the transaction that is open; an SQLite
 * code.  What fails for its own sake, and would do so for ever, is forgotten. */
#pragma once

#include "store/sqlite/session.h"

int unfinished_write(struct session *s) MUST_USE;
