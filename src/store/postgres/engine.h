/* engine: the PostgreSQL engine of store/engine.h; many gateways may use a database. */
#pragma once

#include "store/copy.h"
#include "store/engine.h"

extern const struct store_engine postgres_engine;

/* copy: one side of a copy of everything (store/copy.h). */

/* postgres_copy: opens a database that no gateway uses.  into: an empty one to write to; *ret is owned
 * (copy_destroy).  Errors: STORAGE. */
enum errc postgres_copy(const struct store_options *o, bool into, struct store_copy **ret,
			struct err *e) MUST_USE;
