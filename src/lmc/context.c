/* Files of a message's context, rendered into its content for a provider. */
#include "lmc/context.h"

#include "base/buf.h"
#include "base/limits.h"
#include "json/scan.h"

/* put_files: the files' blocks, escaped to stand inside a JSON string. */
static bool put_files(const struct json_doc *d, json_at files, struct buf *out)
{
	for (json_at f = json_first(d, files); f != json_end(d, files); f = json_next(d, f)) {
		json_at name = json_get_some(d, f, "name");
		json_at content = json_get_some(d, f, "content");

		if (content == JSON_ABSENT)
			continue;
		if (!buf_text(out, "<file name=\\\"") ||
		    (name != JSON_ABSENT && !buf_str(out, json_inner(d, name))) ||
		    !buf_text(out, "\\\">\\n") || !buf_str(out, json_inner(d, content)) ||
		    !buf_text(out, "\\n</file>\\n\\n"))
			return false;
	}
	return true;
}

/* put_content: the files in front of a string, or as a text part in front of parts. */
static bool put_content(const struct json_doc *d, json_at content, json_at files, struct buf *out)
{
	if (files == JSON_ABSENT || d->tok[files].count == 0)
		return content == JSON_ABSENT ? buf_text(out, "null")
					      : buf_str(out, json_raw(d, content));
	if (content == JSON_ABSENT)
		return buf_text(out, "\"") && put_files(d, files, out) && buf_text(out, "\"");
	if (json_kind(d, content) == JSON_STRING)
		return buf_text(out, "\"") && put_files(d, files, out) &&
		       buf_str(out, json_inner(d, content)) && buf_text(out, "\"");

	struct str parts = json_raw(d, content);
	bool       more = d->tok[content].count > 0;
	return buf_text(out, "[{\"type\":\"text\",\"text\":\"") && put_files(d, files, out) &&
	       buf_text(out, more ? "\"}," : "\"}") && buf_add(out, parts.p + 1, parts.n - 1);
}

static bool put_message(const struct json_doc *d, json_at files, struct buf *out)
{
	bool first = true;

	for (json_at k = json_first(d, 0); k != json_end(d, 0); k = json_next_member(d, k)) {
		if (json_is(d, k, "context") || json_is(d, k, "content"))
			continue;
		if (!buf_text(out, first ? "{" : ",") || !buf_str(out, json_raw(d, k)) ||
		    !buf_text(out, ":") || !buf_str(out, json_raw(d, json_value(k))))
			return false;
		first = false;
	}
	return buf_text(out, first ? "{\"content\":" : ",\"content\":") &&
	       put_content(d, json_get_some(d, 0, "content"), files, out) && buf_text(out, "}");
}

enum errc context_render(struct str message, struct arena *arena, struct str *ret, struct err *e)
{
	struct json_doc doc = { 0 };
	struct buf      out;
	bool            ok = true;

	/* A key may be written with escapes. */
	if (!memmem(message.p, message.n, "\"context\"", 9) &&
	    !memmem(message.p, message.n, "\\u", 2)) {
		*ret = message;
		return ERR_OK;
	}

	enum errc rc = json_scan(&doc, message.p, message.n, &json_limits_stored, e);
	if (rc != ERR_OK) {
		json_doc_finish(&doc);
		return rc;
	}
	json_at context = json_get(&doc, 0, "context"); /* null goes away too */
	json_at files = context != JSON_ABSENT ? json_get_some(&doc, context, "files") : JSON_ABSENT;

	buf_init(&out, LIMIT_BODY_MAX);
	if (context == JSON_ABSENT) {
		*ret = message; /* the word stood elsewhere */
	} else {
		struct str copy = STR_NONE;

		ok = put_message(&doc, files, &out);
		if (ok)
			copy = arena_str(arena, buf_view(&out));
		ok = ok && copy.p;
		if (ok)
			*ret = copy;
	}
	buf_finish(&out);
	json_doc_finish(&doc);
	return ok ? ERR_OK : err_set(e, ERR_OVERLOADED, "", "no memory for the files of a message");
}
