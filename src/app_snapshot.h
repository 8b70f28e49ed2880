/* app_snapshot: a configuration made into what handlers use; swapped whole by a reload. */
#pragma once

#include "config.h"
#include "routes/gateway.h"

/* app_snapshot_create: *ret has one reference.  Copies what it needs of c.
 * Errors: those of providers and registry, INVALID_VALUE. */
enum errc app_snapshot_create(const struct config *c, struct snapshot **ret, struct err *e) MUST_USE;
/* app_snapshot_auth: who holds this key?  Its owner's number follows from the key alone. */
enum errc app_snapshot_auth(const struct snapshot *s, struct str key, int64_t *ret_owner,
			    struct err *e) MUST_USE;
