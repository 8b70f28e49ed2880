/* Gathers reasoning_details and the extra_content of calls, prints them as one text, and reads it. */
#include "shape/carry.h"

#include "base/limits.h"

#include <stdlib.h>

#define CARRY_PREFIX "parley_rd:"

struct carry {
	struct details *details; /* owned; NULL: none came */
	struct buf      calls;   /* [{"id":"…","extra_content":{…}} with commas between them */
	size_t          count;   /* number of calls; at most LIMIT_TOOLS */
	struct json_doc doc;     /* the calls, once they are read */
	size_t          bytes;   /* size of all; at most LIMIT_ANSWER */
};

struct carry *carry_create(void)
{
	struct carry *c = calloc(1, sizeof *c);

	if (c)
		buf_init(&c->calls, LIMIT_ANSWER);
	return c;
}

static void carry_clear(struct carry *c)
{
	details_destroy(c->details);
	c->details = NULL;
	json_doc_finish(&c->doc);
	buf_clear(&c->calls);
	c->count = 0;
	c->bytes = 0;
}

void carry_destroy(struct carry *c)
{
	if (!c)
		return;
	carry_clear(c);
	buf_finish(&c->calls);
	free(c);
}

bool carry_is(struct str escaped)
{
	return str_starts(escaped, STR(CARRY_PREFIX));
}

/* --- pieces of an answer --- */

bool carry_add_details(struct carry *c, struct str list)
{
	if (!c->details)
		c->details = details_create();
	return c->details && details_add(c->details, list, &c->bytes, LIMIT_ANSWER);
}

bool carry_add_extra(struct carry *c, struct str id, struct str extra)
{
	size_t start = c->calls.len;

	if (extra.n == 0 || c->count == LIMIT_TOOLS)
		return true;
	if (!buf_text(&c->calls, c->count++ > 0 ? ",{\"id\":\"" : "[{\"id\":\"") ||
	    !buf_str(&c->calls, id) || !buf_text(&c->calls, "\"") || !extra_put(extra, &c->calls) ||
	    !buf_text(&c->calls, "}"))
		return false;
	c->bytes += c->calls.len - start;
	return c->bytes <= LIMIT_ANSWER;
}

bool carry_any(const struct carry *c)
{
	return c && (c->details || c->count > 0);
}

bool carry_take(struct carry *c, struct buf *out)
{
	struct buf json;

	buf_init(&json, LIMIT_ANSWER + 4 * KIB);
	bool ok =
		buf_text(&json, "{\"v\":1") && carry_put_details(c, &json) &&
		(c->count == 0 || (buf_text(&json, ",\"calls\":") &&
				   buf_str(&json, buf_view(&c->calls)) && buf_text(&json, "]"))) &&
		buf_text(&json, "}") && buf_text(out, CARRY_PREFIX) &&
		buf_json_escape(out, buf_view(&json));
	buf_finish(&json);
	carry_clear(c);
	return ok;
}

/* --- what a client returns --- */

static bool carry_read_calls(struct carry *c, const struct json_doc *d, json_at calls)
{
	if (json_is_kind(d, calls, JSON_ARRAY))
		JSON_EACH (i, d, calls)
			if (json_kind(d, i) == JSON_OBJECT &&
			    !carry_add_extra(c, json_get_inner(d, i, "id"), extra_of(d, i)))
				return false;
	return true;
}

bool carry_read(struct carry *c, struct str escaped, bool *ret_ours)
{
	const size_t    n = sizeof CARRY_PREFIX - 1;
	struct json_doc d = { 0 };
	struct buf      json;
	struct err      e = { 0 };

	buf_init(&json, LIMIT_ANSWER + 4 * KIB);
	*ret_ours = false;
	bool ok = json_unescape((struct str){ escaped.p + n, escaped.n - n }, &json);
	if (ok && json_scan(&d, json.data, json.len, &json_limits_upstream, &e) == ERR_OK &&
	    json_kind(&d, 0) == JSON_OBJECT) {
		json_at list = json_get(&d, 0, "reasoning_details");

		*ret_ours = true;
		ok = (!json_is_kind(&d, list, JSON_ARRAY) || d.tok[list].count == 0 ||
		      carry_add_details(c, json_raw(&d, list))) &&
		     carry_read_calls(c, &d, json_get(&d, 0, "calls"));
	} else if (ok) {
		ok = e.code != ERR_OVERLOADED;
	}
	json_doc_finish(&d);
	buf_finish(&json);
	return ok;
}

bool carry_put_details(const struct carry *c, struct buf *out)
{
	return !c || !c->details || details_put(c->details, out);
}

/* carry_index: reads the list of calls, once.  False: memory is short. */
static bool carry_index(struct carry *c)
{
	struct err e;

	return c->doc.count > 0 ||
	       (buf_text(&c->calls, "]") &&
		json_scan(&c->doc, c->calls.data, c->calls.len, &json_limits_stored, &e) == ERR_OK);
}

bool carry_put_extra(struct carry *c, struct str id, struct buf *out)
{
	if (!c || c->count == 0)
		return true;
	if (!carry_index(c))
		return false;
	JSON_EACH (i, &c->doc, 0)
		if (str_eq(json_get_inner(&c->doc, i, "id"), id))
			return extra_put(extra_of(&c->doc, i), out);
	return true;
}

bool carry_put_calls(struct carry *c, struct str calls, struct buf *out)
{
	struct json_doc d = { 0 };
	struct buf      text;
	struct err      e;
	bool            first = true;

	if (!c || c->count == 0)
		return buf_str(out, calls);
	buf_init(&text, calls.n + 2);
	bool ok = buf_text(&text, "[") && buf_str(&text, calls) && buf_text(&text, "]") &&
		  json_scan(&d, text.data, text.len, &json_limits_stored, &e) == ERR_OK;
	for (json_at i = json_first(&d, 0); ok && i != json_end(&d, 0); i = json_next(&d, i)) {
		struct str call = json_raw(&d, i);

		call.n--; /* the brace */
		ok = (first || buf_text(out, ",")) && buf_str(out, call) &&
		     carry_put_extra(c, json_get_inner(&d, i, "id"), out) && buf_text(out, "}");
		first = false;
	}
	json_doc_finish(&d);
	buf_finish(&text);
	return ok;
}

/* --- extra: Prints and finds the extra_content of a call. */

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

/* --- raw_items: Finds the items of a message, and leaves them out. */

static const char key[] = "\"" RAW_ITEMS_KEY "\"";

static bool raw_items_put_rest(const struct json_doc *d, struct buf *out)
{
	bool first = true;
	bool ok = buf_text(out, "{");

	JSON_EACH_MEMBER (k, d, 0) {
		if (json_is(d, k, RAW_ITEMS_KEY))
			continue;
		ok = ok && (first || buf_text(out, ",")) && buf_str(out, json_member(d, k));
		first = false;
	}
	return ok && buf_text(out, "}");
}

static enum errc raw_items_split(const struct json_doc *d, json_at list, struct arena *arena,
				 struct str *ret, struct str *ret_items, struct err *e)
{
	struct buf out;
	struct str raw = json_raw(d, list);
	struct str made = STR_NONE;

	buf_init(&out, d->len);
	if (raw_items_put_rest(d, &out))
		made = arena_str(arena, buf_view(&out));
	buf_finish(&out);
	if (!made.p)
		return err_no_memory(e);
	*ret = made;
	*ret_items = json_is_kind(d, list, JSON_ARRAY) && d->tok[list].count > 0
			     ? (struct str){ raw.p + 1, raw.n - 2 }
			     : STR_NONE;
	return ERR_OK;
}

enum errc raw_items_take(struct str message, struct arena *arena, struct str *ret,
			 struct str *ret_items, struct err *e)
{
	struct json_doc d = { 0 };
	enum errc       rc = ERR_OK;

	*ret = message;
	*ret_items = STR_NONE;
	/* The member, or the calls that were joined with it, come last. */
	if (message.n < 2 || message.p[message.n - 2] != ']' ||
	    !memmem(message.p, message.n, key, sizeof key - 1))
		return ERR_OK;
	if (json_scan(&d, message.p, message.n, &json_limits_stored, e) == ERR_OK) {
		json_at list = json_get(&d, 0, RAW_ITEMS_KEY);

		if (list != JSON_ABSENT)
			rc = raw_items_split(&d, list, arena, ret, ret_items, e);
	} else {
		rc = e->code == ERR_OVERLOADED ? e->code : ERR_OK;
	}
	json_doc_finish(&d);
	return rc;
}
