/* routes/kit/label_filter: the filter metadata[k]=v in a query, for lists. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "http/request.h"

enum { LABEL_FILTER_MAX = 64 * KIB }; /* all pairs of a filter, as JSON */

/* label_filter_read: the pairs as one JSON object in *ret (begun by the caller); the first of them
 * also alone, in a; without any, .p of both stays NULL.  False: refused. */
bool label_filter_read(struct request *r, struct arena *a, struct buf *ret, struct str *ret_key,
		       struct str *ret_value) MUST_USE;
