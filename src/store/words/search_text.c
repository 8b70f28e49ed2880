/* Gathers the text of messages of all shapes. */
#include "store/words/search_text.h"

#include "base/limits.h"
#include "store/search.h"

void search_text_init(struct search_text *t)
{
	*t = (struct search_text){ .role = SEARCH_ROLE_OTHER };
	buf_init(&t->text, LIMIT_SEARCH_TEXT);
}

void search_text_finish(struct search_text *t)
{
	json_doc_finish(&t->doc);
	buf_finish(&t->text);
}

/* At most the first n bytes of an escaped string; no escape and no character is cut in two. */
static struct str search_text_beginning(struct str inner, size_t n)
{
	size_t at = 0;

	if (inner.n <= n)
		return inner;
	while (at < n) {
		size_t step = 1;

		if (inner.p[at] == '\\')
			step = inner.p[at + 1] == 'u' ? 6 : 2;
		if (at + step > n)
			break;
		at += step;
	}
	while (at > 0 && ((unsigned char)inner.p[at] & 0xc0) == 0x80)
		at--;
	return (struct str){ inner.p, at };
}

/* Each piece of text has a line of its own.  Unescaping makes no string longer, so the escaped
 * length is enough to keep the limit. */
static bool search_text_add(struct search_text *t, json_at i)
{
	size_t had = t->text.len;

	if (i == JSON_ABSENT || json_kind(&t->doc, i) != JSON_STRING || t->text.max - had < 2)
		return true;

	struct str inner = search_text_beginning(json_inner(&t->doc, i), t->text.max - had - 1);
	if (inner.n == 0)
		return true;
	if ((had > 0 && !buf_text(&t->text, "\n")) || !json_unescape(inner, &t->text))
		return false;
	if (t->doc.tok[i].flags & JSON_HAS_NUL)
		for (size_t k = had; k < t->text.len; k++)
			if (t->text.data[k] == '\0')
				t->text.data[k] = ' ';
	return true;
}

static bool add_member(struct search_text *t, json_at object, const char *key)
{
	return search_text_add(t, json_get(&t->doc, object, key));
}

static bool search_text_add_parts(struct search_text *t, json_at parts)
{
	const struct json_doc *d = &t->doc;

	JSON_EACH (i, d, parts)
		if (!add_member(t, i, "text") || !add_member(t, i, "refusal"))
			return false;
	return true;
}

static bool add_calls(struct search_text *t, json_at calls)
{
	const struct json_doc *d = &t->doc;

	if (calls == JSON_ABSENT || json_kind(d, calls) != JSON_ARRAY)
		return true;
	JSON_EACH (i, d, calls) {
		json_at function = json_get(d, i, "function");

		if (function != JSON_ABSENT &&
		    (!add_member(t, function, "name") || !add_member(t, function, "arguments")))
			return false;
	}
	return true;
}

static bool add_files(struct search_text *t, json_at context)
{
	const struct json_doc *d = &t->doc;
	json_at files = context == JSON_ABSENT ? JSON_ABSENT : json_get(d, context, "files");

	if (files == JSON_ABSENT || json_kind(d, files) != JSON_ARRAY)
		return true;
	JSON_EACH (i, d, files)
		if (!add_member(t, i, "name") || !add_member(t, i, "content"))
			return false;
	return true;
}

/* Adds the content of an LMC message that people can read; images and sound are base64 or paths.
 * spoken: also of messages, not only code and console output. */
static bool add_lmc(struct search_text *t, json_at i, json_at type, bool spoken)
{
	const struct json_doc *d = &t->doc;

	if ((spoken && json_is(d, type, "message")) || json_is(d, type, "code") ||
	    json_is(d, type, "console"))
		return add_member(t, i, "content");
	return true;
}

/* Adds code and console output of an answer's LMC messages; what the model said in them is also in
 * the answer's content. */
static bool add_beside(struct search_text *t, json_at lmc)
{
	const struct json_doc *d = &t->doc;

	if (lmc == JSON_ABSENT || json_kind(d, lmc) != JSON_ARRAY)
		return true;
	JSON_EACH (i, d, lmc) {
		json_at type = json_get(d, i, "type");

		if (type != JSON_ABSENT && !add_lmc(t, i, type, false))
			return false;
	}
	return true;
}

static enum search_role search_text_role_of(const struct json_doc *d)
{
	json_at i = json_get(d, 0, "role");

	for (int r = SEARCH_ROLE_OTHER + 1; i != JSON_ABSENT && r < SEARCH_ROLE__COUNT; r++)
		if (json_is(d, i, search_role_name((enum search_role)r)))
			return (enum search_role)r;
	return SEARCH_ROLE_OTHER;
}

static bool add_all(struct search_text *t)
{
	const struct json_doc *d = &t->doc;
	json_at                type = json_get(d, 0, "type");
	json_at                content = json_get(d, 0, "content");

	if (type != JSON_ABSENT && json_kind(d, type) == JSON_STRING)
		return add_lmc(t, 0, type, true);
	if (content != JSON_ABSENT && json_kind(d, content) == JSON_ARRAY &&
	    !search_text_add_parts(t, content))
		return false;
	return search_text_add(t, content) && add_member(t, 0, "refusal") &&
	       add_calls(t, json_get(d, 0, "tool_calls")) && add_beside(t, json_get(d, 0, "lmc")) &&
	       add_files(t, json_get(d, 0, "context"));
}

bool search_text_read(struct search_text *t, struct str body)
{
	struct err e = { .code = ERR_OK };

	buf_clear(&t->text);
	t->role = SEARCH_ROLE_OTHER;
	if (body.n == 0)
		return true;
	if (json_scan(&t->doc, body.p, body.n, &json_limits_stored, &e) != ERR_OK)
		return e.code != ERR_OVERLOADED;
	if (json_kind(&t->doc, 0) != JSON_OBJECT)
		return true;
	t->role = search_text_role_of(&t->doc);
	return add_all(t);
}
