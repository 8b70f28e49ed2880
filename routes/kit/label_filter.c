/* Filters by metadata. */
#include "routes/kit/label_filter.h"

#include "base/utf8.h"
#include "http/reply.h"

static bool label_filter_refuse(struct request *r, const char *text)
{
	reply_refuse(r, ERR_INVALID_VALUE, "metadata", text);
	return false;
}

/* No stored metadata has text that is not UTF-8. */
bool label_filter_read(struct request *r, struct arena *a, struct buf *ret, struct str *ret_key,
		       struct str *ret_value)
{
	struct str key;
	struct str value;
	size_t     n = 0;

	for (; request_query_within(r, "metadata", n, &key, &value); n++) {
		if (!utf8_valid(key.p, key.n) || !utf8_valid(value.p, value.n))
			return label_filter_refuse(r, "must be UTF-8");
		if (n == LIMIT_METADATA)
			return label_filter_refuse(r, "at most 16 pairs are allowed");
		if (n == 0) {
			*ret_key = arena_str(a, key);
			*ret_value = arena_str(a, value);
		}
		if (!ret_key->p || !ret_value->p || !buf_text(ret, n > 0 ? "," : "{") ||
		    !buf_json_string(ret, key) || !buf_text(ret, ":") ||
		    !buf_json_string(ret, value))
			return label_filter_refuse(r, "the filter is too long");
	}
	if (n > 0 && !buf_text(ret, "}"))
		return label_filter_refuse(r, "the filter is too long");
	return true;
}
_Static_assert(LIMIT_METADATA == 16, "the message names it");
