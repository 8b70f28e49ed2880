/* A prompt as a request of Mistral's chat completions.
 *
 * The request is OpenAI's except for some names. But Mistral refuses members that it does not know,
 * also in messages; so each message is printed anew, with the members of Mistral's schema. Source:
 * Mistral's API reference, "Chat Completion", and its Python client. */
#include "provider/mistral/mistral.h"

#include "base/hash.h"
#include "base/limits.h"
#include "json/scan.h"
#include "lmc/media.h"
#include "lmc/warnings.h"
#include "provider/ask_param.h"
#include "provider/openai/openai.h"
#include "shape/reasoning.h"

#include <stdio.h>

enum { CALL_ID = 9 }; /* letters and digits of a call's id */

static const struct ask_param params[] = {
	{ .key = "temperature", .rule = ASK_SENT, .least = 0, .most = 1.5 },
	{ .key = "top_p", .rule = ASK_SENT },
	{ .key = "stop", .rule = ASK_SENT },
	{ .key = "presence_penalty", .rule = ASK_SENT, .least = -2, .most = 2 },
	{ .key = "frequency_penalty", .rule = ASK_SENT, .least = -2, .most = 2 },
	{ .key = "n", .rule = ASK_SENT },
	{ .key = "response_format", .rule = ASK_SENT },
	{ .key = "parallel_tool_calls", .rule = ASK_SENT },
	{ .key = "prediction", .rule = ASK_SENT },
	{ .key = "reasoning_effort", .rule = ASK_SENT },
	{ .key = "prompt_cache_key", .rule = ASK_SENT },
	{ .key = "tools", .rule = ASK_OWN },
	{ .key = "tool_choice", .rule = ASK_OWN },
	{ .key = "seed", .rule = ASK_OWN },
	{ .key = "random_seed", .rule = ASK_OWN },
	{ .key = "functions", .rule = ASK_REFUSED },
	{ .key = "function_call", .rule = ASK_REFUSED },
	{ .key = "audio", .rule = ASK_REFUSED },
	{ 0 },
};

/* The state of printing the messages. */
struct writer {
	const struct prompt *prompt;
	struct buf          *out;
	struct json_doc      doc;          /* the current message */
	size_t               index;        /* the current message's */
	bool                 first;        /* no message was printed yet */
	bool                 after_result; /* the message before was the result of a tool */
};

static enum errc mistral_request_bad(const struct writer *w, const char *member, const char *what,
				     struct err *e)
{
	char path[96];

	snprintf(path, sizeof path, "messages[%zu]%s", w->index, member);
	return err_set(e, ERR_INVALID_VALUE, path, "%s", what);
}

/* --- parts --- */

static bool mistral_request_put_text(struct buf *out, struct str name, struct str text)
{
	return buf_text(out, "{\"type\":\"text\",\"text\":\"") &&
	       (name.n == 0 || (buf_str(out, name) && buf_text(out, ": "))) && buf_str(out, text) &&
	       buf_text(out, "\"}");
}

/* mistral_request_put_audio: prints the data without its format, which Mistral finds out itself. */
static bool mistral_request_put_audio(const struct json_doc *d, json_at audio, struct buf *out)
{
	struct str data = json_inner_of(
		d, json_is_kind(d, audio, JSON_OBJECT) ? json_get(d, audio, "data") : audio);

	return ask_put_string(out, "{\"type\":\"input_audio\",\"input_audio\":", data) &&
	       buf_text(out, "}");
}

/* mistral_request_put_file: prints a file's data as a document with a data URL. */
static bool mistral_request_put_file(const struct json_doc *d, json_at file, struct buf *out)
{
	struct str data = json_get_inner(d, file, "file_data");
	struct str name = json_get_inner(d, file, "filename");

	if (data.n == 0 && json_get_inner(d, file, "file_url").n > 0)
		return ask_put_string(out, "{\"type\":\"document_url\",\"document_url\":",
				      json_get_inner(d, file, "file_url")) &&
		       buf_text(out, "}");
	if (data.n == 0)
		return ask_put_string(out, "{\"type\":\"file\",\"file_id\":",
				      json_get_inner(d, file, "file_id")) &&
		       buf_text(out, "}");
	return buf_text(out, "{\"type\":\"document_url\",\"document_url\":\"") &&
	       (media_is_data(data) || buf_text(out, "data:application/pdf;base64,")) &&
	       buf_str(out, data) && buf_text(out, "\"") &&
	       (name.n == 0 || ask_put_string(out, ",\"document_name\":", name)) &&
	       buf_text(out, "}");
}

/* is_own_part: the parts that OpenAI does not have (mistralai 3.7, models/contentchunk.py). */
static bool is_own_part(const struct json_doc *d, json_at type)
{
	static const char *const types[] = { "thinking", "document_url", "reference",
					     "file",     "resource",     "resource_link" };

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (json_is(d, type, types[i]))
			return true;
	return false;
}

/* mistral_request_put_part: *name: printed before the first text. */
static enum errc mistral_request_put_part(const struct writer *w, json_at i, struct str *name,
					  struct err *e)
{
	const struct json_doc *d = &w->doc;
	json_at type = json_is_kind(d, i, JSON_OBJECT) ? json_get(d, i, "type") : JSON_ABSENT;
	json_at file = json_get(d, i, "file");
	bool    ok;

	if (!json_is_kind(d, i, JSON_OBJECT))
		return mistral_request_bad(w, ".content",
					   "a part of content must be an object with a type", e);
	if (type == JSON_ABSENT || json_is(d, type, "text") || json_is(d, type, "refusal")) {
		json_at text = json_get(d, i, "text");

		ok = mistral_request_put_text(
			w->out, *name, json_inner_of(d, text ? text : json_get(d, i, "refusal")));
		*name = STR_NONE;
	} else if (json_is(d, type, "image_url")) {
		json_at image = json_get(d, i, "image_url");

		if (image == JSON_ABSENT)
			return mistral_request_bad(w, ".content", "the part has no url", e);
		ok = buf_text(w->out, "{\"type\":\"image_url\",\"image_url\":") &&
		     buf_str(w->out, json_raw(d, image)) && buf_text(w->out, "}");
	} else if (json_is(d, type, "input_audio")) {
		ok = mistral_request_put_audio(d, json_get(d, i, "input_audio"), w->out);
	} else if (json_is(d, type, "file") && json_is_kind(d, file, JSON_OBJECT)) {
		ok = mistral_request_put_file(d, file, w->out);
	} else if (is_own_part(d, type)) {
		ok = buf_str(w->out, json_raw(d, i));
	} else {
		return mistral_request_bad(w, ".content",
					   "this provider takes parts of type text, image_url, "
					   "input_audio, file and its own",
					   e);
	}
	return ok ? ERR_OK : ask_too_large(e);
}

/* has_thinking: whether a list of parts has the reasoning already, as Mistral's own answers do. */
static bool has_thinking(const struct json_doc *d, json_at content)
{
	if (!json_is_kind(d, content, JSON_ARRAY))
		return false;
	JSON_EACH (i, d, content)
		if (json_get_is(d, i, "type", "thinking"))
			return true;
	return false;
}

/* mistral_request_put_thinking: prints reasoning as the first part of the content, where Mistral's models have it.
 * Source: ThinkChunk of the package mistralai. */
static bool mistral_request_put_thinking(struct buf *out, struct str thinking)
{
	return thinking.n == 0 ||
	       (buf_text(out,
			 "{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"") &&
		buf_str(out, thinking) && buf_text(out, "\"}]}"));
}

/* mistral_request_put_thought: prints a content that is no list after its reasoning. */
static bool mistral_request_put_thought(const struct json_doc *d, json_at content,
					struct str thinking, struct buf *out)
{
	struct str text = json_inner_of(d, content);

	return buf_text(out, "[") && mistral_request_put_thinking(out, thinking) &&
	       (text.n == 0 ||
		(buf_text(out, ",") && mistral_request_put_text(out, STR_NONE, text))) &&
	       buf_text(out, "]");
}

static enum errc mistral_request_put_content(const struct writer *w, json_at content,
					     struct str name, struct str thinking, struct err *e)
{
	const struct json_doc *d = &w->doc;
	bool                   none = content == JSON_ABSENT || json_kind(d, content) == JSON_NULL;
	bool                   first = thinking.n == 0;

	if (thinking.n > 0 && (none || json_kind(d, content) == JSON_STRING))
		return buf_text(w->out, ",\"content\":") &&
				       mistral_request_put_thought(d, content, thinking, w->out)
			       ? ERR_OK
			       : ask_too_large(e);
	if (none)
		return buf_text(w->out, ",\"content\":null") ? ERR_OK : ask_too_large(e);
	if (!buf_text(w->out, ",\"content\":"))
		return ask_too_large(e);
	if (json_kind(d, content) == JSON_STRING) {
		bool ok = buf_text(w->out, "\"") &&
			  (name.n == 0 || (buf_str(w->out, name) && buf_text(w->out, ": "))) &&
			  buf_str(w->out, json_inner(d, content)) && buf_text(w->out, "\"");

		return ok ? ERR_OK : ask_too_large(e);
	}
	if (json_kind(d, content) != JSON_ARRAY)
		return mistral_request_bad(w, ".content", "must be a string or an array of parts",
					   e);
	if (!buf_text(w->out, "[") || !mistral_request_put_thinking(w->out, thinking))
		return ask_too_large(e);
	JSON_EACH (i, d, content) {
		if (!first && !buf_text(w->out, ","))
			return ask_too_large(e);
		first = false;
		enum errc rc = mistral_request_put_part(w, i, &name, e);
		if (rc != ERR_OK)
			return rc;
	}
	return buf_text(w->out, "]") ? ERR_OK : ask_too_large(e);
}

/* --- calls --- */

static bool mistral_request_fits(struct str id)
{
	for (size_t i = 0; i < id.n; i++)
		if (!((id.p[i] >= 'a' && id.p[i] <= 'z') || (id.p[i] >= 'A' && id.p[i] <= 'Z') ||
		      (id.p[i] >= '0' && id.p[i] <= '9')))
			return false;
	return id.n == CALL_ID;
}

/* mistral_request_put_id: an id that Mistral would refuse is replaced by a hash of it, so that a
 * call and its result have the same id, in this request and the next. */
static bool mistral_request_put_id(struct buf *out, const char *before, struct str id)
{
	static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	unsigned char     digest[HASH_BYTES];
	char              made[CALL_ID];

	if (mistral_request_fits(id))
		return ask_put_string(out, before, id);
	hash_sha256(id.p ? id.p : "", id.n, digest);
	for (size_t i = 0; i < CALL_ID; i++)
		made[i] = letters[digest[i] % (sizeof letters - 1)];
	return ask_put_string(out, before, (struct str){ made, CALL_ID });
}

static bool mistral_request_put_call(const struct writer *w, json_at call)
{
	const struct json_doc *d = &w->doc;
	json_at                function = json_get(d, call, "function");
	json_at                arguments = json_is_kind(d, function, JSON_OBJECT)
						   ? json_get_some(d, function, "arguments")
						   : JSON_ABSENT;

	return json_is_kind(d, function, JSON_OBJECT) &&
	       mistral_request_put_id(w->out, "{\"id\":", json_get_inner(d, call, "id")) &&
	       ask_put_string(w->out, ",\"type\":\"function\",\"function\":{\"name\":",
			      json_get_inner(d, function, "name")) &&
	       buf_text(w->out, ",\"arguments\":") &&
	       buf_str(w->out, arguments ? json_raw(d, arguments) : STR("\"{}\"")) &&
	       buf_text(w->out, "}}");
}

static enum errc mistral_request_put_calls(const struct writer *w, struct err *e)
{
	const struct json_doc *d = &w->doc;
	json_at                calls = json_get(d, 0, "tool_calls");
	const char            *before = ",\"tool_calls\":[";

	if (!json_is_kind(d, calls, JSON_ARRAY) || d->tok[calls].count == 0)
		return ERR_OK;
	JSON_EACH (i, d, calls) {
		if (!json_is_kind(d, i, JSON_OBJECT) ||
		    !json_is_kind(d, json_get(d, i, "function"), JSON_OBJECT))
			return mistral_request_bad(w, ".tool_calls",
						   "this provider takes calls of functions alone",
						   e);
		if (!buf_text(w->out, before) || !mistral_request_put_call(w, i))
			return ask_too_large(e);
		before = ",";
	}
	return buf_text(w->out, "]") ? ERR_OK : ask_too_large(e);
}

/* --- messages --- */

/* mistral_request_role_of: the role that is sent: system for developer; empty: an unknown role. */
static struct str mistral_request_role_of(const struct json_doc *d)
{
	static const char *const roles[] = { "system", "user", "assistant", "tool" };
	json_at                  role = json_get(d, 0, "role");

	if (role != JSON_ABSENT && json_is(d, role, "developer"))
		return STR("system");
	for (size_t i = 0; role != JSON_ABSENT && i < ARRAY_LEN(roles); i++)
		if (json_is(d, role, roles[i]))
			return str_of(roles[i]);
	return STR_NONE;
}

/* is_empty: whether an assistant's message has neither content nor calls, which Mistral refuses. */
static bool is_empty(const struct json_doc *d, json_at content)
{
	json_at calls = json_get(d, 0, "tool_calls");

	if (json_is_kind(d, calls, JSON_ARRAY) && d->tok[calls].count > 0)
		return false;
	if (json_is_kind(d, content, JSON_ARRAY)) {
		JSON_EACH (i, d, content)
			if (json_get_inner(d, i, "text").n > 0 ||
			    !json_get_is(d, i, "type", "text"))
				return false;
		return true;
	}
	return content == JSON_ABSENT || json_kind(d, content) == JSON_NULL ||
	       json_is(d, content, "");
}

/* put_between: prints a comma. After the result of a tool, Mistral accepts no message of the user,
 * so a short one of the assistant is added between. */
static bool put_between(struct writer *w, bool user)
{
	if (w->after_result && user) {
		warnings_add(
			w->prompt->warnings, w->index, "message_added",
			"an assistant's \"OK.\" was sent in front of it, as this provider takes "
			"no user's message right behind a tool's result");
		return buf_text(w->out, ",{\"role\":\"assistant\",\"content\":\"OK.\"},");
	}
	return w->first || buf_text(w->out, ",");
}

static bool put_rest(const struct writer *w, bool assistant, bool tool)
{
	const struct json_doc *d = &w->doc;
	json_at                prefix = assistant ? json_get_some(d, 0, "prefix") : JSON_ABSENT;
	struct str             name = tool ? json_get_inner(d, 0, "name") : STR_NONE;

	return (!tool || mistral_request_put_id(w->out, ",\"tool_call_id\":",
						json_get_inner(d, 0, "tool_call_id"))) &&
	       (name.n == 0 || ask_put_string(w->out, ",\"name\":", name)) &&
	       (prefix == JSON_ABSENT ||
		(buf_text(w->out, ",\"prefix\":") && buf_str(w->out, json_raw(d, prefix))));
}

static enum errc mistral_request_put_message(struct writer *w, struct str message, struct err *e)
{
	struct json_doc *d = &w->doc;

	if (json_scan(d, message.p, message.n, &json_limits_stored, e) != ERR_OK)
		return e->code;
	struct str role = mistral_request_role_of(d);
	bool       assistant = str_is(role, "assistant");
	bool       tool = str_is(role, "tool");
	bool       user = str_is(role, "user");
	struct str name = user ? json_get_inner(d, 0, "name") : STR_NONE;
	json_at    content = json_get(d, 0, "content");
	struct str thinking = assistant && !has_thinking(d, content)
				      ? json_inner_of(d, reasoning_text_of(d, 0))
				      : STR_NONE;
	if (role.n == 0)
		return mistral_request_bad(
			w, ".role", "this provider takes system, user, assistant and tool", e);
	if (assistant && thinking.n == 0 && is_empty(d, content))
		return ERR_OK;
	if (!put_between(w, user) || !ask_put_string(w->out, "{\"role\":", role))
		return ask_too_large(e);
	w->first = false;
	w->after_result = tool;
	enum errc rc = mistral_request_put_content(w, content, name, thinking, e);
	if (rc == ERR_OK && assistant)
		rc = mistral_request_put_calls(w, e);
	if (rc == ERR_OK && !(put_rest(w, assistant, tool) && buf_text(w->out, "}")))
		rc = ask_too_large(e);
	return rc;
}

static enum errc mistral_request_put_messages(const struct provider_options *o,
					      const struct prompt *p, struct buf *out,
					      struct err *e)
{
	struct writer        w = { .prompt = p, .out = out, .first = true };
	struct openai_system system = { 0 };
	enum errc            rc = ERR_OK;

	if (!o->system_messages || strcmp(o->system_messages, "keep") != 0)
		rc = openai_system_read(&system, p, e);
	if (rc == ERR_OK &&
	    !(buf_text(out, ",\"messages\":[") && openai_system_put(&system, &w.first, out)))
		rc = ask_too_large(e);
	for (; rc == ERR_OK && w.index < p->message_count; w.index++)
		if (!openai_system_has(&system, w.index))
			rc = mistral_request_put_message(&w, p->messages[w.index], e);
	openai_system_finish(&system);
	json_doc_finish(&w.doc);
	return rc != ERR_OK || buf_text(out, "]") ? rc : ask_too_large(e);
}

/* --- tools --- */

/* mistral_request_put_function: parameters are required there; a function without any takes none. */
static bool mistral_request_put_function(const struct json_doc *d, json_at tool, struct buf *out)
{
	json_at f = json_get(d, tool, "function");
	bool    ok = buf_text(out, "{\"type\":\"function\",\"function\":{");

	JSON_EACH_MEMBER (k, d, f)
		if (!json_is(d, k, "parameters"))
			ok = ok && buf_str(out, json_member(d, k)) && buf_text(out, ",");
	return ok && buf_text(out, "\"parameters\":{\"type\":\"object\",\"properties\":{}}}}");
}

static bool has_parameters(const struct json_doc *d, json_at tool)
{
	json_at f =
		json_is_kind(d, tool, JSON_OBJECT) ? json_get(d, tool, "function") : JSON_ABSENT;

	return !json_is_kind(d, f, JSON_OBJECT) || json_get_some(d, f, "parameters") != JSON_ABSENT;
}

static enum errc put_list_of_tools(const struct json_doc *d, struct buf *out, struct err *e)
{
	size_t n = 0;

	JSON_EACH (i, d, 0) {
		char path[64];

		snprintf(path, sizeof path, "tools[%zu].type", n);
		if (json_is_kind(d, i, JSON_OBJECT) && json_get_is(d, i, "type", "custom"))
			return err_set(e, ERR_UNSUPPORTED_PARAMETER, path,
				       "this provider has no tools of type custom");
		if ((n++ > 0 && !buf_text(out, ",")) ||
		    !(has_parameters(d, i) ? buf_str(out, json_raw(d, i))
					   : mistral_request_put_function(d, i, out)))
			return ask_too_large(e);
	}
	return ERR_OK;
}

static enum errc mistral_request_check_choice(const struct prompt *p, struct err *e)
{
	struct str      raw = ask_param_value(p, "tool_choice");
	struct json_doc d = { 0 };
	bool            custom = raw.n > 0 && raw.p[0] == '{' &&
		      json_scan(&d, raw.p, raw.n, &json_limits_upstream, e) == ERR_OK &&
		      json_get_is(&d, 0, "type", "custom");

	json_doc_finish(&d);
	return custom ? err_set(e, ERR_UNSUPPORTED_PARAMETER, "tool_choice.type",
				"this provider has no tools of type custom")
		      : ERR_OK;
}

static enum errc mistral_request_put_tools(const struct prompt *p, struct buf *out, struct err *e)
{
	struct str      raw = ask_param_value(p, "tools");
	struct json_doc d = { 0 };
	enum errc       rc = ERR_OK;

	if (raw.n == 0)
		return ERR_OK;
	if (json_scan(&d, raw.p, raw.n, &json_limits_upstream, e) != ERR_OK ||
	    json_kind(&d, 0) != JSON_ARRAY)
		rc = err_set(e, ERR_INVALID_TYPE, "tools", "must be an array of tools");
	if (rc == ERR_OK && !buf_text(out, ",\"tools\":["))
		rc = ask_too_large(e);
	if (rc == ERR_OK)
		rc = put_list_of_tools(&d, out, e);
	if (rc == ERR_OK && !buf_text(out, "]"))
		rc = ask_too_large(e);
	json_doc_finish(&d);
	return rc;
}

/* --- other members --- */

static bool mistral_request_put_member(struct buf *out, const char *key, struct str value)
{
	return value.n == 0 || (buf_text(out, ",\"") && buf_text(out, key) &&
				buf_text(out, "\":") && buf_str(out, value));
}

static bool put_own(const struct provider_options *o, const struct prompt *p, struct buf *out)
{
	struct str choice = ask_param_value(p, "tool_choice");
	struct str seed = ask_param_value(p, "random_seed");
	/* Other servers of this API have OpenAI's word alone. */
	bool forced = o->vendor && str_is(choice, "\"required\"");

	if (seed.n > 0 && ask_param_value(p, "seed").n > 0)
		ask_param_unsent(p, "seed", "random_seed");
	return mistral_request_put_member(out,
					  o->max_tokens_field ? o->max_tokens_field : "max_tokens",
					  p->max_tokens) &&
	       mistral_request_put_member(out, "random_seed",
					  seed.n > 0 ? seed : ask_param_value(p, "seed")) &&
	       mistral_request_put_member(out, "tool_choice", forced ? STR("\"any\"") : choice) &&
	       /* Mistral knows metadata, but stores no answers. */
	       (!o->forward_store || p->forward[1].n == 0 ||
		(buf_text(out, ",") && buf_str(out, p->forward[1]))) &&
	       (!p->stream || buf_text(out, ",\"stream\":true"));
}

static enum errc mistral_request_put_all(const struct provider_options *o, const struct prompt *p,
					 struct buf *out, struct err *e)
{
	bool first = false;

	if (!buf_text(out, "{\"model\":") || !buf_json_string(out, p->model))
		return ask_too_large(e);
	enum errc rc = mistral_request_put_messages(o, p, out, e);
	if (rc == ERR_OK && !put_own(o, p, out))
		rc = ask_too_large(e);
	if (rc == ERR_OK)
		rc = mistral_request_check_choice(p, e);
	if (rc == ERR_OK)
		rc = mistral_request_put_tools(p, out, e);
	if (rc == ERR_OK)
		rc = ask_param_put(p, params, 0, &first, out, e);
	if (rc == ERR_OK)
		rc = ask_param_rest(p, params, "mistral", out, e);
	return rc != ERR_OK || buf_text(out, "}") ? rc : ask_too_large(e);
}

enum errc mistral_encode(const struct provider_options *o, const struct prompt *p, struct buf *out,
			 struct err *e)
{
	struct prompt own = *p;
	struct arena  arena;

	arena_init(&arena, LIMIT_UPSTREAM_ASK);
	enum errc rc = allowed_apply(&own, &arena, e);
	if (rc == ERR_OK)
		rc = mistral_request_put_all(o, &own, out, e);
	arena_finish(&arena);
	return rc;
}
