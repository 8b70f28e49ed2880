/* Reads the object only if it has the member at all, and prints each token anew. */
#include "shape/response.h"

#include "json/scan.h"

/* put_list: a member whose value must be a list. */
static bool logprobs_put_list(const struct json_doc *d, json_at list, const char *before,
			      struct buf *out)
{
	return buf_text(out, before) &&
	       (json_is_kind(d, list, JSON_ARRAY) ? json_print(d, list, out) : buf_text(out, "[]"));
}

static bool logprobs_put_token(const struct json_doc *d, json_at t, struct buf *out)
{
	return buf_text(out, "{\"token\":") && json_print(d, json_get(d, t, "token"), out) &&
	       buf_text(out, ",\"logprob\":") && json_print(d, json_get(d, t, "logprob"), out) &&
	       logprobs_put_list(d, json_get(d, t, "bytes"), ",\"bytes\":", out);
}

static bool logprobs_is_token(const struct json_doc *d, json_at t)
{
	return json_is_kind(d, t, JSON_OBJECT) &&
	       json_is_kind(d, json_get(d, t, "token"), JSON_STRING) &&
	       json_is_kind(d, json_get(d, t, "logprob"), JSON_NUMBER);
}

/* put_others: the most likely tokens at the place of t. */
static bool logprobs_put_others(const struct json_doc *d, json_at t, struct buf *out)
{
	json_at others = json_get(d, t, "top_logprobs");
	bool    first = true;

	if (!buf_text(out, ",\"top_logprobs\":["))
		return false;
	if (json_is_kind(d, others, JSON_ARRAY))
		JSON_EACH (o, d, others) {
			if (!logprobs_is_token(d, o))
				continue;
			if ((!first && !buf_text(out, ",")) || !logprobs_put_token(d, o, out) ||
			    !buf_text(out, "}"))
				return false;
			first = false;
		}
	return buf_text(out, "]}");
}

static json_at logprobs_find(const struct json_doc *d)
{
	json_at choices = json_get(d, 0, "choices");

	if (!json_is_kind(d, choices, JSON_ARRAY) || d->tok[choices].count == 0)
		return JSON_ABSENT;
	json_at choice = json_first(d, choices);
	json_at said = json_is_kind(d, choice, JSON_OBJECT) ? json_get(d, choice, "logprobs")
							    : JSON_ABSENT;
	json_at content =
		json_is_kind(d, said, JSON_OBJECT) ? json_get(d, said, "content") : JSON_ABSENT;

	return json_is_kind(d, content, JSON_ARRAY) ? content : JSON_ABSENT;
}

static bool logprobs_put_all(const struct json_doc *d, struct buf *out)
{
	json_at content = json_kind(d, 0) == JSON_OBJECT ? logprobs_find(d) : JSON_ABSENT;

	if (content == JSON_ABSENT)
		return true;
	JSON_EACH (t, d, content) {
		if (!logprobs_is_token(d, t))
			continue;
		if ((out->len > 0 && !buf_text(out, ",")) || !logprobs_put_token(d, t, out) ||
		    !logprobs_put_others(d, t, out))
			return false;
	}
	return true;
}

bool logprobs_add(struct str raw, struct buf *out)
{
	static const struct str key = { "\"logprobs\"", 10 };
	struct json_doc         d = { 0 };
	struct err              e;
	size_t                  start = out->len;
	bool                    ok;

	if (raw.n == 0 || !memmem(raw.p, raw.n, key.p, key.n))
		return true;
	if (json_scan(&d, raw.p, raw.n, &json_limits_upstream, &e) == ERR_OK)
		ok = logprobs_put_all(&d, out);
	else
		ok = e.code != ERR_OVERLOADED;
	json_doc_finish(&d);
	if (!ok)
		out->len = start;
	return ok;
}
