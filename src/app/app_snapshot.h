/* app_snapshot: a configuration made into what handlers use; swapped whole by a reload. */
#pragma once

#include "base/hash.h"
#include "config/config.h"
#include "routes/kit/gateway.h"

/* app_snapshot_create: *ret has one reference.  Copies what it needs of c, and of the configuration of
 * the start, which at the start is c itself.
 * Errors: those of providers and registry, INVALID_VALUE. */
enum errc app_snapshot_create(const struct config *c, const struct config *running,
			      struct snapshot **ret, struct err *e) MUST_USE;
/* app_snapshot_find: who holds the configured key with this digest, held; NULL: nobody.  Its owner's
 * number follows from the key alone. */
struct identity *app_snapshot_find(const struct snapshot *s,
				   const unsigned char    sha256[HASH_BYTES]) MUST_USE;
/* app_snapshot_named: who of the configured keys has this name in a ticket or in a token, held, and the
 * digest of the key's text; NULL: nobody. */
struct identity *app_snapshot_named(const struct snapshot *s, const char *name,
				    unsigned char ret_sha256[HASH_BYTES]) MUST_USE;
