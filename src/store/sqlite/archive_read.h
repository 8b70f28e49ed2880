/* archive_read: the job of that name, for an export beside the gateway.  Returns as an operation does
 * (op.h). */
#pragma once

#include "store/sqlite/session.h"
#include "store/archive.h"

int archive_read(struct session *s, struct archive_read *j) MUST_USE;
