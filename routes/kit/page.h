/* routes/kit/page: the common parts of all lists: the parameters of a page, and the members
 * before its data. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/id.h"
#include "http/request.h"
#include "store/label.h"

#include <stddef.h>

struct request;

/* page_limit: the parameter `limit`, from 1 to most; standard if absent. page_order: the
 * parameter `order`; *ret is unchanged if absent. False: the request was refused and answered. */
bool page_limit(struct request *r, size_t standard, size_t most, size_t *ret) MUST_USE;
bool page_order(struct request *r, bool *ret_descending) MUST_USE;
/* page_after: the parameter `after`, an id with this prefix; *ret is unchanged if absent.  must: what it must be, for
 * the error.  False: the request was refused and answered. */
bool page_after(struct request *r, const char *prefix, const char *must, struct id *ret) MUST_USE;

/* page_head: {"object":"list","first_id":…,"last_id":…,"has_more":… ; the object is left open.  An
 * empty id is null.  False: out is full. */
bool page_head(struct buf *out, const char *first, const char *last, bool has_more) MUST_USE;

/* --- label_filter: the filter metadata[k]=v in a query, for lists. */

/* label_filter_read: the pairs into ret, kept in a.  False: refused. */
bool label_filter_read(struct request *r, struct arena *a, struct store_labels *ret) MUST_USE;
