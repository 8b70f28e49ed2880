/* migrate: brings a database's tables to what this program knows, forward only; many gateways may try at
 * once. */
#pragma once

#include "store/postgres/link.h"

struct postgres_migration {
	const char *name; /* NNNN_what */
	const char *sql;
	const char *sha256; /* hash of sql, in hexadecimal */
};

/* From migrations/postgres/ at build time; ended by a NULL name. */
extern const struct postgres_migration postgres_migrations[];

/* migrate_postgres: compares the applied migrations with the known ones; with apply, applies the missing ones,
 * all in one transaction.  *ret_applied: their number.  Errors: STORAGE with a fault: a foreign database, a
 * newer one, one that was changed, and without apply an older one. */
enum errc migrate_postgres(struct link *l, bool apply, int *ret_applied, struct err *e) MUST_USE;
