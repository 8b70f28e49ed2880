/* Prints a scanned value from its tape, without building a tree. */
#include "json/print.h"

#include "base/buf.h"
#include "json/internal.h"

#include <strings.h>

static bool print_is_half(struct str inner, const char *least, const char *most)
{
	return inner.n >= 6 && inner.p[0] == '\\' && inner.p[1] == 'u' &&
	       strncasecmp(inner.p + 2, least, 2) >= 0 && strncasecmp(inner.p + 2, most, 2) <= 0;
}

/* is_lone: half of a surrogate pair, escaped and alone. UTF-8 has no form for it, so the escape
 * stays. */
static bool is_lone(struct str inner)
{
	struct str behind = { inner.p + 6, inner.n < 6 ? 0 : inner.n - 6 };

	return print_is_half(inner, "dc", "df") ||
	       (print_is_half(inner, "d8", "db") && !print_is_half(behind, "dc", "df"));
}

static bool print_string(const struct json_doc *d, json_at i, struct buf *out)
{
	struct str inner = json_inner(d, i);
	char       tmp[4];

	if (!(d->tok[i].flags & JSON_ESCAPED))
		return buf_str(out, json_raw(d, i));
	if (!buf_text(out, "\""))
		return false;
	while (inner.n > 0) {
		if (is_lone(inner)) {
			if (!buf_add(out, inner.p, 6))
				return false;
			inner = (struct str){ inner.p + 6, inner.n - 6 };
			continue;
		}
		struct str piece = json_piece(&inner, tmp);

		/* A piece of the text itself needs no escape: the scan has refused every byte that
		 * does. */
		if (!(piece.p == tmp ? buf_json_escape(out, piece) : buf_str(out, piece)))
			return false;
	}
	return buf_text(out, "\"");
}

static bool json_print_array(const struct json_doc *d, json_at array, struct buf *out)
{
	if (!buf_text(out, "["))
		return false;
	JSON_EACH (i, d, array)
		if ((i != json_first(d, array) && !buf_text(out, ",")) || !json_print(d, i, out))
			return false;
	return buf_text(out, "]");
}

static bool json_print_object(const struct json_doc *d, json_at object, struct buf *out)
{
	if (!buf_text(out, "{"))
		return false;
	JSON_EACH_MEMBER (i, d, object)
		if ((i != json_first(d, object) && !buf_text(out, ",")) ||
		    !print_string(d, i, out) || !buf_text(out, ":") ||
		    !json_print(d, json_value(i), out))
			return false;
	return buf_text(out, "}");
}

/* The recursion is bounded: the scan has limited the depth. */
bool json_print(const struct json_doc *d, json_at i, struct buf *out)
{
	switch (json_kind(d, i)) {
	case JSON_NULL:
	case JSON_FALSE:
	case JSON_TRUE:
	case JSON_NUMBER: return buf_str(out, json_raw(d, i));
	case JSON_STRING: return print_string(d, i, out);
	case JSON_ARRAY: return json_print_array(d, i, out);
	case JSON_OBJECT: return json_print_object(d, i, out);
	}
	return false;
}
