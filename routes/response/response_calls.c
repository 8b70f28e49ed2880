/* Calls that follow each other are one message; each result is a message of its own. */
#include "routes/response/internal.h"

#include "base/limits.h"

/* calls_begin: a call goes on with the assistant's message, or begins one. */
static bool calls_begin(struct response_draft *x, const char *key)
{
	struct origin row = { ORIGIN_CALL, .key = key };

	if (!response_draft_said(x) && !response_draft_begin(x, "content"))
		return false;
	response_draft_belongs(x);
	row.message = (uint32_t)x->count;
	row.n = (uint32_t)x->call_count;
	return response_draft_origin(x, row);
}

bool response_calls_read(struct response_draft *x, json_at item, bool custom)
{
	struct buf *out = &x->calls;
	struct buf  arguments;
	json_at     id;
	json_at     name;
	json_at     value;
	struct str  space = json_get_inner(x->d, item, "namespace");

	if (!response_draft_string(x, item, "", "call_id", &id) ||
	    !response_draft_string(x, item, "", "name", &name) ||
	    !response_draft_string(x, item, "", custom ? "input" : "arguments", &value))
		return false;
	if (!response_draft_flush_media(x) || !calls_begin(x, custom ? "input" : "arguments"))
		return false;
	response_draft_keep(x, custom || space.n > 0 ||
				       json_get_some(x->d, item, "caller") != JSON_ABSENT);
	if (x->call_count++ == LIMIT_TOOLS)
		return response_draft_refuse(x, ERR_INVALID_VALUE,
					     "too many calls follow each other", "%s", "");
	buf_init(&arguments, LIMIT_BODY_MAX);
	bool ok = (response_draft_raw(x, out, x->call_count > 1 ? ",{\"id\":" : "{\"id\":", id) &&
		   buf_text(out, ",\"type\":\"function\",\"function\":{\"name\":\"") &&
		   (space.n == 0 || (buf_str(out, space) && buf_text(out, RESPONSE_TOOLS_JOINT))) &&
		   buf_str(out, json_inner(x->d, name)) && buf_text(out, "\",\"arguments\":")) ||
		  response_draft_full(x);
	if (ok && custom)
		ok = (response_draft_raw(x, &arguments, "{\"input\":", value) &&
		      buf_text(&arguments, "}") && buf_json_string(out, buf_view(&arguments))) ||
		     response_draft_full(x);
	else if (ok)
		ok = response_draft_raw(x, out, "", value) || response_draft_full(x);
	buf_finish(&arguments);
	return ok && (buf_text(out, "}}") || response_draft_full(x));
}

/* calls_put_parts: the text of a result as parts; files and images wait for the next user's message,
 * because a tool's message has no place for them. */
static bool calls_put_parts(struct response_draft *x, json_at output)
{
	const struct json_doc *d = x->d;
	struct buf             texts;
	char                   place[96];
	size_t                 n = 0;
	uint32_t               text = 0;
	bool                   ok = true;

	buf_init(&texts, LIMIT_BODY_MAX);
	for (json_at i = json_first(d, output); ok && i != json_end(d, output);
	     i = json_next(d, i), n++) {
		bool          is_text = response_parts_is_text(d, i);
		struct origin row = { ORIGIN_PART, (uint32_t)x->count, text, .key = "output" };

		row.at = (uint32_t)n;
		text += is_text;
		x->reading->unsendable = x->reading->unsendable || response_parts_is_upload(d, i);
		ok = response_parts_at(x, i, "output", n, place) &&
		     response_parts_put(x, i, place, is_text ? &texts : &x->media) &&
		     (is_text ? response_draft_origin(x, row)
			      : response_draft_media(x, "output", n));
	}
	if (ok && texts.len == 0)
		ok = buf_text(&x->made, "\"\"") || response_draft_full(x);
	else if (ok)
		ok = (buf_text(&x->made, "[") && buf_str(&x->made, buf_view(&texts)) &&
		      buf_text(&x->made, "]")) ||
		     response_draft_full(x);
	buf_finish(&texts);
	return ok;
}

bool response_calls_result(struct response_draft *x, json_at item)
{
	const struct json_doc *d = x->d;
	json_at                id;
	json_at                output = json_get_some(d, item, "output");

	if (!response_draft_string(x, item, "", "call_id", &id))
		return false;
	if (output == JSON_ABSENT)
		return response_draft_refuse(x, ERR_MISSING_PARAMETER, "is required", ".output");
	if (json_kind(d, output) != JSON_STRING && json_kind(d, output) != JSON_ARRAY)
		return response_draft_refuse(x, ERR_INVALID_TYPE,
					     "must be a string or an array of parts", ".output");
	if (!response_draft_flush_said(x) || !response_draft_begin(x, "output"))
		return false;
	response_draft_keep(x, json_get_is(d, item, "type", "custom_tool_call_output"));
	if (!response_draft_raw(x, &x->made, "{\"role\":\"tool\",\"tool_call_id\":", id) ||
	    !buf_text(&x->made, ",\"content\":"))
		return response_draft_full(x);
	if (!(json_kind(d, output) == JSON_STRING
		      ? response_draft_raw(x, &x->made, "", output) || response_draft_full(x)
		      : calls_put_parts(x, output)))
		return false;
	return (buf_text(&x->made, "}") || response_draft_full(x)) && response_draft_push(x);
}
