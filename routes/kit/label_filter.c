/* Filters by metadata. */
#include "routes/kit/page.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "http/reply.h"

enum { PAIRS_MAX = 64 * KIB }; /* all pairs of a filter, as JSON */

/* label_filter_put: what is wrong with the pairs, or NULL. No stored metadata has text that is not
 * UTF-8. */
static const char *label_filter_put(struct request *r, struct arena *a, struct store_labels *ret,
				    struct buf *out)
{
	struct str key;
	struct str value;
	size_t     n = 0;

	for (; request_query_within(r, "metadata", n, &key, &value); n++) {
		if (!utf8_valid(key.p, key.n) || !utf8_valid(value.p, value.n))
			return "must be UTF-8";
		if (n == LIMIT_METADATA)
			return "at most 16 pairs are allowed";
		if (n == 0) {
			ret->key = arena_str(a, key);
			ret->value = arena_str(a, value);
		}
		if (!ret->key.p || !ret->value.p || !buf_text(out, n > 0 ? "," : "{") ||
		    !buf_json_string(out, key) || !buf_text(out, ":") ||
		    !buf_json_string(out, value))
			return "the filter is too long";
	}
	if (n == 0)
		return NULL;
	ret->filter = buf_text(out, "}") ? arena_str(a, buf_view(out)) : STR_NONE;
	return ret->filter.p ? NULL : "the filter is too long";
}

bool label_filter_read(struct request *r, struct arena *a, struct store_labels *ret)
{
	struct buf pairs;

	buf_init(&pairs, PAIRS_MAX);
	const char *wrong = label_filter_put(r, a, ret, &pairs);
	buf_finish(&pairs);
	if (wrong)
		reply_refuse(r, ERR_INVALID_VALUE, "metadata", wrong);
	return !wrong;
}
_Static_assert(LIMIT_METADATA == 16, "the message names it");
