/* http/request_aside: long work for a request, done by a worker while its client waits.
 *
 *   the loop --request_aside_start--> run (a worker) --> done (the loop)
 *
 * Embedded in an object that owns all data of run.  The request may end meanwhile, but the object
 * stays until done, which frees it.  If the client leaves before a worker has begun, run is left
 * out.
 *
 * Threads: the loop of the request, but for run. */
#pragma once

#include "http/request.h"
#include "loop/work.h"

struct request_aside {
	struct request *request; /* NULL: the client left */
	struct err      err;     /* run's error; code ERR_OK: no error */

	/* request_aside's own */
	struct work_job job;
	enum errc (*run)(struct request_aside *a, struct err *e);
	void (*done)(struct request_aside *a);
};

/* request_aside_start: Errors: OVERLOADED; then nothing has happened, and the caller still owns the
 * object. */
enum errc request_aside_start(struct request_aside *a, struct request *r, struct work_pool *pool,
			      enum errc (*run)(struct request_aside *a, struct err *e),
			      void (*done)(struct request_aside *a), struct err *e) MUST_USE;
