/* routes/kit/handlers: the functions of all routes, as the column `handler` of routes/table.def names them.
 *
 * Each answers its request exactly once, on the request's loop, now or later; app is the loop's struct gateway. */
#pragma once

struct family;
struct request;

#define ROUTE(name, method, path, auth, body, quiet, family, handler) \
	void handler(struct request *r, void *app);
#include "routes/table.def"
#undef ROUTE

#define SCRATCH_ROUTE(name, method, path, auth, body, traits, api, handler) \
	extern const struct family api;                                     \
	void                       handler(struct request *r, void *app);
#include "base/scratch.def"
#undef SCRATCH_ROUTE
