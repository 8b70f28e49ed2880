/* Prints and finds the extra_content of a call. */
#include "shape/extra.h"

static bool put_line(struct str json, struct buf *out)
{
	size_t start = out->len;

	if (!buf_str(out, json))
		return false;
	for (size_t i = start; i < out->len; i++)
		if (out->data[i] == '\n' || out->data[i] == '\r')
			out->data[i] = ' ';
	return true;
}

bool extra_put(struct str text, struct buf *out)
{
	if (text.n == 0)
		return true;
	/* A provider's JSON may have line breaks between tokens; a stream must not have them. */
	if (text.p[0] == '{')
		return buf_text(out, ",\"extra_content\":") && put_line(text, out);
	return buf_text(out, ",\"extra_content\":{\"google\":{\"thought_signature\":\"") &&
	       buf_str(out, text) && buf_text(out, "\"}}");
}

struct str extra_of(const struct json_doc *d, json_at call)
{
	json_at extra = json_get(d, call, "extra_content");

	return extra != JSON_ABSENT && json_kind(d, extra) == JSON_OBJECT ? json_raw(d, extra)
									  : STR_NONE;
}
