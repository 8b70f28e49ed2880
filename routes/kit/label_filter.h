/* routes/kit/label_filter: the filter metadata[k]=v in a query, for lists. */
#pragma once

#include "base/arena.h"
#include "http/request.h"
#include "store/label.h"

/* label_filter_read: the pairs into ret, kept in a.  False: refused. */
bool label_filter_read(struct request *r, struct arena *a, struct store_labels *ret) MUST_USE;
