/* Prints reasoning under one of its two names. */
#include "shape/reasoning.h"

#include "shape/context.h"

static const char *const names[] = { "reasoning_content", "reasoning" };

/* may_have: a quick search of the bytes, because most chunks have no reasoning. */
static bool may_have(struct str json)
{
	return mention_find(json, MENTION_REASONING);
}

static bool reasoning_put_one(const char *key, struct str escaped, struct buf *out)
{
	return buf_text(out, "\"") && buf_text(out, key) && buf_text(out, "\":\"") &&
	       buf_str(out, escaped) && buf_text(out, "\"");
}

bool reasoning_put(enum reasoning_name name, struct str escaped, struct buf *out)
{
	switch (name) {
	case REASONING_PASSTHROUGH:
	case REASONING_CONTENT: return reasoning_put_one(names[0], escaped, out);
	case REASONING_SHORT: return reasoning_put_one(names[1], escaped, out);
	case REASONING_BOTH:
		return reasoning_put_one(names[0], escaped, out) && buf_text(out, ",") &&
		       reasoning_put_one(names[1], escaped, out);
	case REASONING_NONE: break;
	}
	return true;
}

json_at reasoning_text_of(const struct json_doc *d, json_at message)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		json_at v = json_get(d, message, names[i]);

		if (v != JSON_ABSENT && json_kind(d, v) == JSON_STRING)
			return v;
	}
	return JSON_ABSENT;
}

/* is_dropped: true for members that the new ones replace. Some providers send null in every
 * chunk. */
static bool is_dropped(const struct json_doc *d, json_at key, bool details)
{
	json_at        v = json_value(key);
	enum json_kind kind = json_kind(d, v);

	if (details && json_is(d, key, "reasoning_details"))
		return true;
	return (kind == JSON_STRING || kind == JSON_NULL) &&
	       (json_is(d, key, names[0]) || json_is(d, key, names[1]));
}

/* reasoning_put_message: prints the members of a delta or message; the first reasoning is replaced
 * by the new members. */
static bool reasoning_put_message(enum reasoning_name name, const struct json_doc *d,
				  json_at message, struct buf *out)
{
	json_at text = name == REASONING_NONE ? JSON_ABSENT : reasoning_text_of(d, message);
	bool    first = true;
	bool    ok = buf_text(out, "{");

	for (json_at k = json_first(d, message); ok && k != json_end(d, message);
	     k = json_next_member(d, k)) {
		bool dropped = is_dropped(d, k, name == REASONING_NONE);

		if (dropped && text == JSON_ABSENT)
			continue;
		ok = (first || buf_text(out, ",")) &&
		     (dropped ? reasoning_put(name, json_inner(d, text), out)
			      : buf_str(out, json_member(d, k)));
		first = false;
		if (dropped)
			text = JSON_ABSENT;
	}
	return ok && buf_text(out, "}");
}

static json_at message_of(const struct json_doc *d, json_at choice)
{
	json_at i = json_get(d, choice, "delta");

	if (i == JSON_ABSENT)
		i = json_get(d, choice, "message");
	return i != JSON_ABSENT && json_kind(d, i) == JSON_OBJECT ? i : JSON_ABSENT;
}

static bool reasoning_put_all(enum reasoning_name name, const struct json_doc *d, json_at choices,
			      struct buf *out)
{
	size_t at = 0;

	JSON_EACH (i, d, choices) {
		json_at message = message_of(d, i);

		if (message == JSON_ABSENT)
			continue;
		if (!buf_add(out, d->text + at, d->tok[message].at - at) ||
		    !reasoning_put_message(name, d, message, out))
			return false;
		at = (size_t)d->tok[message].at + d->tok[message].len;
	}
	return buf_add(out, d->text + at, d->len - at);
}

bool reasoning_rename(enum reasoning_name name, struct json_doc *doc, struct buf *scratch,
		      struct buf *out, size_t start)
{
	struct str json = { out->data + start, out->len - start };
	struct err e;

	if (name == REASONING_PASSTHROUGH || !may_have(json))
		return true;
	if (json_scan(doc, json.p, json.n, &json_limits_stored, &e) != ERR_OK)
		return e.code != ERR_OVERLOADED;
	json_at choices = json_get(doc, 0, "choices");
	if (choices == JSON_ABSENT || json_kind(doc, choices) != JSON_ARRAY)
		return true;
	buf_clear(scratch);
	/* Both names may need more room than one. */
	if (!reasoning_put_all(name, doc, choices, scratch) ||
	    (scratch->len > json.n && !buf_reserve(out, scratch->len - json.n)))
		return false;
	out->len = start;
	return buf_str(out, buf_view(scratch));
}

static bool put_unsaid(const struct json_doc *d, struct buf *out)
{
	bool first = true;
	bool ok = buf_text(out, "{");

	for (json_at k = json_first(d, 0); ok && k != json_end(d, 0); k = json_next_member(d, k)) {
		if (is_dropped(d, k, true))
			continue;
		ok = (first || buf_text(out, ",")) && buf_str(out, json_member(d, k));
		first = false;
	}
	return ok && buf_text(out, "}");
}

bool reasoning_unsaid(struct str message, struct arena *arena, struct str *ret)
{
	struct json_doc d = { 0 };
	struct err      e;
	struct buf      out;
	bool            ok = true;

	*ret = message;
	if (!may_have(message))
		return true;
	buf_init(&out, message.n);
	if (json_scan(&d, message.p, message.n, &json_limits_stored, &e) != ERR_OK) {
		ok = e.code != ERR_OVERLOADED;
	} else if (json_get_some(&d, 0, "tool_calls") == JSON_ABSENT) {
		json_at role = json_get(&d, 0, "role");

		if (role != JSON_ABSENT && json_is(&d, role, "assistant")) {
			ok = put_unsaid(&d, &out);
			*ret = ok ? arena_str(arena, buf_view(&out)) : STR_NONE;
			ok = ret->p != NULL;
		}
	}
	json_doc_finish(&d);
	buf_finish(&out);
	return ok;
}
