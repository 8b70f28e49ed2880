/* lease: this process's row in the table of gateways.  While its lease lasts, no other gateway touches its
 * runs. */
#pragma once

#include "store/postgres/link.h"
#include "store/postgres/work.h"

enum {
	LEASE_MS = 15000,
	LEASE_RENEW_MS = 2000,
	LEASE_OLD_MS = 10000,
	LEASE_OFF_MS = 5000 /* how much the clocks of a gateway and of the server may differ */
};

/* lease_take: makes the row, and takes a lane for the ids.  db->gateway is set.  Errors: STORAGE: all lanes
 * are taken. */
enum errc lease_take(struct link *l, struct postgres *db, struct err *e) MUST_USE;
/* lease_end: declares the own row dead, so that others may end what this process has left.  On a failure the
 * row dies with its lease. */
void lease_end(struct link *l, const struct postgres *db);

/* lease_unfit: why this gateway begins nothing and removes nothing; NULL: it does.  The last renewal that succeeded was
 * sent so long ago that another gateway may soon declare this one dead, and end what it begins; or its clock is
 * wrong, and with it the ids that it makes. */
const struct fault *lease_unfit(const struct postgres *db);
/* lease_now_ms: the time of the server's clock, which all gateways have in common. */
int64_t lease_now_ms(const struct postgres *db);

/* The chore that renews the lease.  A process whose row was declared dead goes on with a new one. */
enum work_next lease_step(struct work *w);
/* The chore that tries whether the server takes writes again. */
bool           probe_wanted(struct postgres *db);
enum work_next probe_step(struct work *w);
void           lease_over(struct work *w, const struct fault *f);
