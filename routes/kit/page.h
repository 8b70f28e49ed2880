/* routes/kit/page: what all lists have in common: how a page is asked for, and what stands in front of
 * its data. */
#pragma once

#include "base/buf.h"

#include <stddef.h>

struct request;

/* page_limit: `limit`, from 1 to most; standard where it is absent.  page_order: `order`; *ret is left
 * as it is where it is absent.  False: refused, and answered. */
bool page_limit(struct request *r, size_t standard, size_t most, size_t *ret) MUST_USE;
bool page_order(struct request *r, bool *ret_descending) MUST_USE;

/* page_head: {"object":"list","first_id":…,"last_id":…,"has_more":… ; the object is left open.  An
 * empty id is null.  False: out is full. */
bool page_head(struct buf *out, const char *first, const char *last, bool has_more) MUST_USE;
