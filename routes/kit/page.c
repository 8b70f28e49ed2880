/* Pages of lists: reads limit and order, prints the head. */
#include "routes/kit/page.h"

#include "http/reply.h"
#include "http/request.h"

#include <stdio.h>

bool page_limit(struct request *r, size_t standard, size_t most, size_t *ret)
{
	char       allowed[64];
	struct str text;
	size_t     v = 0;

	*ret = standard;
	if (!request_query(r, "limit", 0, &text))
		return true;
	for (size_t i = 0; i < text.n && v <= most; i++)
		v = text.p[i] >= '0' && text.p[i] <= '9' ? v * 10 + (size_t)(text.p[i] - '0')
							 : most + 1;
	if (v >= 1 && v <= most) {
		*ret = v;
		return true;
	}
	snprintf(allowed, sizeof allowed, "must be an integer from 1 to %zu", most);
	reply_refuse(r, ERR_INVALID_VALUE, "limit", allowed);
	return false;
}

bool page_order(struct request *r, bool *ret_descending)
{
	struct str text;

	if (!request_query(r, "order", 0, &text))
		return true;
	if (str_is(text, "desc") || str_is(text, "asc")) {
		*ret_descending = str_is(text, "desc");
		return true;
	}
	reply_refuse(r, ERR_INVALID_VALUE, "order", "must be one of: asc, desc");
	return false;
}

static bool put_edge(struct buf *out, const char *key, const char *id)
{
	return id[0] ? buf_fmt(out, ",\"%s\":\"%s\"", key, id) : buf_fmt(out, ",\"%s\":null", key);
}

bool page_head(struct buf *out, const char *first, const char *last, bool has_more)
{
	return buf_text(out, "{\"object\":\"list\"") && put_edge(out, "first_id", first) &&
	       put_edge(out, "last_id", last) &&
	       buf_fmt(out, ",\"has_more\":%s", has_more ? "true" : "false");
}
