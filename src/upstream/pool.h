/* upstream/pool: a loop's connections to all providers: libcurl's transfers, and the connections of
 * our own HTTP/1.1 client that are kept between two calls.
 *
 * Threads: the loop's own. */
#pragma once

#include "base/err.h"
#include "loop/loop.h"

struct upstream_pool;

/* upstream_pool_create: *ret is owned, and must be destroyed before the loop.
 * Errors: INTERNAL (memory). */
enum errc upstream_pool_create(struct loop *l, struct upstream_pool **ret, struct err *e) MUST_USE;
/* upstream_pool_destroy: ends calls that still run; their done gets CANCELLED or a failure. */
void upstream_pool_destroy(struct upstream_pool *p);
OWNABLE(upstream_pool);
