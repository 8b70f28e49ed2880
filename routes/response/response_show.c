/* The members of a request that its response shows. */
#include "routes/response/internal.h"

#include "base/limits.h"
#include "json/scan.h"

static bool show_value(const struct json_doc *d, const char *key, const char *absent,
		       struct buf *out)
{
	json_at v = json_get_some(d, 0, key);

	return buf_fmt(out, ",\"%s\":", key) &&
	       (v == JSON_ABSENT ? buf_text(out, absent) : json_print(d, v, out));
}

static bool show_object(const struct json_doc *d, json_at object, const char *key, struct buf *out)
{
	json_at v = object != JSON_ABSENT ? json_get_some(d, object, key) : JSON_ABSENT;

	return buf_fmt(out, "\"%s\":", key) &&
	       (v == JSON_ABSENT ? buf_text(out, "null") : json_print(d, v, out));
}

static bool show_text(const struct json_doc *d, json_at text, struct buf *out)
{
	json_at format = text != JSON_ABSENT ? json_get_some(d, text, "format") : JSON_ABSENT;
	json_at verbosity = text != JSON_ABSENT ? json_get_some(d, text, "verbosity") : JSON_ABSENT;

	return buf_text(out, ",\"text\":{\"format\":") &&
	       (format == JSON_ABSENT ? buf_text(out, "{\"type\":\"text\"}")
				      : json_print(d, format, out)) &&
	       (verbosity == JSON_ABSENT ||
		(buf_text(out, ",\"verbosity\":") && json_print(d, verbosity, out))) &&
	       buf_text(out, "}");
}

static bool show_conversation(const struct call_request *rq, struct buf *out)
{
	char id[ID_MAX];

	if (id_none(rq->thread.conversation))
		return buf_text(out, ",\"conversation\":null");
	id_text(rq->thread.conversation, ID_CONVERSATION, id);
	return buf_fmt(out, ",\"conversation\":{\"id\":\"%s\"}", id);
}

static bool show_all(const struct json_doc *d, const struct response_request *c,
		     const struct response_tools *tools, const struct call_request *rq,
		     struct buf *out)
{
	/* Members with their values, or what stands for a value that is absent. */
	static const char *const plain[][2] = {
		{ "instructions", "null" },
		{ "metadata", "{}" },
		{ "parallel_tool_calls", "true" },
		{ "temperature", "1.0" },
		{ "presence_penalty", "0.0" },
		{ "frequency_penalty", "0.0" },
		{ "tool_choice", "\"auto\"" },
		{ "top_p", "1.0" },
		{ "max_output_tokens", "null" },
		{ "max_tool_calls", "null" },
		{ "previous_response_id", "null" },
		{ "prompt_cache_key", "null" },
		{ "safety_identifier", "null" },
		{ "service_tier", "\"default\"" },
		{ "user", "null" },
	};
	bool ok = buf_text(out, "{\"model\":") && buf_json_string(out, rq->what.model);

	for (size_t i = 0; ok && i < ARRAY_LEN(plain); i++)
		ok = show_value(d, plain[i][0], plain[i][1], out);
	return ok && buf_text(out, ",\"tools\":") && response_tools_show(tools, out) &&
	       show_text(d, c->text, out) && buf_text(out, ",\"reasoning\":{") &&
	       show_object(d, c->reasoning, "effort", out) && buf_text(out, ",") &&
	       show_object(d, c->reasoning, "summary", out) && buf_text(out, "}") &&
	       show_conversation(rq, out) &&
	       buf_fmt(out,
		       ",\"background\":%s,\"store\":%s,\"top_logprobs\":%lld,"
		       "\"truncation\":\"disabled\"}",
		       c->background ? "true" : "false", c->store ? "true" : "false",
		       (long long)c->top_logprobs);
}

enum errc response_show(struct input *in, const struct response_request *c,
			const struct response_tools *tools, struct call_request *ret, struct err *e)
{
	struct buf text;

	buf_init(&text, LIMIT_STORE_ROW);
	if (show_all(&in->doc, c, tools, ret, &text))
		ret->manner.settings = arena_str(&in->arena, buf_view(&text));
	buf_finish(&text);
	return ret->manner.settings.p ? ERR_OK
				      : err_set(e, ERR_OVERLOADED, "", "no memory for the request");
}
