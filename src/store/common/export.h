/* export: hands conversations to another process than the gateway, one after the other (store_engine.export). */
#pragma once

#include "store/archive.h"

/* How an engine reads. */
struct export
{
	struct store_export *x; /* borrowed */
	/* read_page: does the job; e is also the job's. */
	enum errc (*read_page)(void *arg, struct archive_read *j, struct err *e);
	/* find_next: *ret is the conversation after the key `after`; none: there are no more. */
	enum errc (*find_next)(void *arg, int64_t after, struct id *ret, struct err *e);
	void *arg; /* the first argument of both */
};

/* export_run: x->count becomes the number of conversations that were exported. */
enum errc export_run(const struct export *w, struct err *e) MUST_USE;
