/* unfinished_write: writes some of the unfinished ends and all settlements (unfinished.h) in the
 * open transaction, and returns an SQLite code.  An entry that fails because of its own data would
 * always fail, and is forgotten. */
#pragma once

#include "store/sqlite/session.h"

int unfinished_write(struct session *s) MUST_USE;
