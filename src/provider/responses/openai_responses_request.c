/* A prompt as a request of OpenAI's Responses API.
 *
 * Messages, calls and results are items of one list, input. Tools are flat, and strict by default;
 * the format of the answer is a member of text, the effort a member of reasoning. By default the
 * provider would store requests, so the request forbids it. Source: OpenAI's API reference, "Create
 * a model response". */
#include "provider/responses/openai_responses.h"

#include "base/limits.h"
#include "lmc/warnings.h"
#include "provider/ask.h"
#include "provider/ask_param.h"

#include <stdio.h>
#include <stdlib.h>

enum { LEAST_TOKENS = 16 }; /* the API accepts no lower limit */

static const struct ask_param params[] = {
	{ .key = "temperature", .rule = ASK_SENT },
	{ .key = "top_p", .rule = ASK_SENT },
	{ .key = "parallel_tool_calls", .rule = ASK_SENT },
	{ .key = "user", .rule = ASK_SENT },
	{ .key = "service_tier", .rule = ASK_SENT },
	{ .key = "safety_identifier", .rule = ASK_SENT },
	{ .key = "prompt_cache_key", .rule = ASK_SENT },
	{ .key = "prompt_cache_options", .rule = ASK_SENT },
	{ .key = "prompt_cache_retention", .rule = ASK_SENT },
	{ .key = "tools", .rule = ASK_OWN },
	{ .key = "tool_choice", .rule = ASK_OWN },
	{ .key = "response_format", .rule = ASK_OWN },
	{ .key = "verbosity", .rule = ASK_OWN },
	{ .key = "text", .rule = ASK_OWN },
	{ .key = "reasoning_effort", .rule = ASK_OWN },
	{ .key = "reasoning", .rule = ASK_OWN },
	{ .key = "n", .rule = ASK_OWN },
	/* Members of the API that this file prints itself. */
	{ .key = "input", .rule = ASK_REFUSED },
	{ .key = "max_output_tokens", .rule = ASK_REFUSED },
	/* The gateway keeps the conversation, not the provider. */
	{ .key = "previous_response_id", .rule = ASK_REFUSED },
	{ .key = "conversation", .rule = ASK_REFUSED },
	/* Their answers would come later, or in a form that can't be translated. */
	{ .key = "background", .rule = ASK_REFUSED },
	{ .key = "functions", .rule = ASK_REFUSED },
	{ .key = "audio", .rule = ASK_REFUSED },
	{ 0 },
};

static bool responses_request_put_member(struct buf *out, const char *before, struct str raw)
{
	return raw.n == 0 || (buf_text(out, before) && buf_str(out, raw));
}

/* --- parts --- */

static bool responses_request_put_text(struct buf *out, struct str name, struct str text)
{
	bool ok = buf_text(out, "{\"type\":\"input_text\",\"text\":\"");

	if (name.n > 0)
		ok = ok && buf_str(out, name) && buf_text(out, ": ");
	return ok && buf_str(out, text) && buf_text(out, "\"}");
}

/* responses_request_put_data: prints a data URL. */
static bool responses_request_put_data(struct buf *out, const char *before,
				       const struct ask_part *part)
{
	return buf_text(out, before) && buf_text(out, "\"data:") && buf_str(out, part->type) &&
	       buf_text(out, ";base64,") && buf_str(out, part->data) && buf_text(out, "\"");
}

static bool responses_request_put_image(struct buf *out, const struct ask_part *part)
{
	static const char before[] = "{\"type\":\"input_image\",\"image_url\":";

	return (part->data.n > 0 ? responses_request_put_data(out, before, part)
				 : ask_put_string(out, before, part->url)) &&
	       ask_put_string(out,
			      ",\"detail\":", part->detail.n > 0 ? part->detail : STR("auto")) &&
	       buf_text(out, "}");
}

/* put_document: the API refuses a file's data without a name. */
static bool put_document(struct buf *out, const struct ask_part *part)
{
	struct str name = part->name.n > 0 ? part->name : STR("document.pdf");

	if (part->data.n == 0)
		return ask_put_string(out, "{\"type\":\"input_file\",\"file_url\":", part->url) &&
		       buf_text(out, "}");
	return ask_put_string(out, "{\"type\":\"input_file\",\"filename\":", name) &&
	       responses_request_put_data(out, ",\"file_data\":", part) && buf_text(out, "}");
}

static enum errc responses_request_put_part(const struct ask_message *m,
					    const struct ask_part *part, struct str name,
					    struct buf *out, struct err *e)
{
	bool ok = false;

	switch (part->kind) {
	case ASK_TEXT: ok = responses_request_put_text(out, name, part->text); break;
	case ASK_IMAGE: ok = responses_request_put_image(out, part); break;
	case ASK_DOCUMENT: ok = put_document(out, part); break;
	case ASK_AUDIO: /* the API's messages have no such part */
	case ASK_KIND__COUNT: return ask_refuse_part(m, part, "openai-responses", e);
	}
	return ok ? ERR_OK : ask_too_large(e);
}

static enum errc responses_request_put_parts(const struct ask_message *m, struct buf *out,
					     struct err *e)
{
	/* The API has no other place for the name of a user. */
	struct str name = m->role == ASK_USER ? m->name : STR_NONE;
	enum errc  rc = buf_text(out, "[") ? ERR_OK : ask_too_large(e);

	for (size_t i = 0; rc == ERR_OK && i < m->part_count; i++) {
		if (i > 0 && !buf_text(out, ","))
			return ask_too_large(e);
		rc = responses_request_put_part(m, &m->parts[i], name, out, e);
		if (m->parts[i].kind == ASK_TEXT)
			name = STR_NONE;
	}
	return rc != ERR_OK || buf_text(out, "]") ? rc : ask_too_large(e);
}

/* --- items --- */

/* responses_request_put_refusal: only an item of the model's own may have a refusal, and such an item has an id. */
static bool responses_request_put_refusal(const struct ask_message *m, struct str text, bool *first,
					  struct buf *out)
{
	return ask_put_comma(first, out) &&
	       buf_fmt(out,
		       "{\"type\":\"message\",\"id\":\"msg_%zu\",\"role\":\"assistant\","
		       "\"status\":\"completed\",\"content\":[{\"type\":\"refusal\",\"refusal\":\"",
		       m->index) &&
	       buf_str(out, text) && buf_text(out, "\"}]}");
}

/* put_said: what the model said, as a plain text: parts of its own would belong to an item with an id.
 * Source: openai-python 3.57, types/responses/easy_input_message_param.py. */
static enum errc put_said(const struct ask_message *m, bool *first, struct buf *out, struct err *e)
{
	bool   ok = true;
	size_t texts = 0;

	for (size_t i = 0; ok && i < m->part_count; i++) {
		const struct ask_part *part = &m->parts[i];

		if (part->kind != ASK_TEXT)
			return ask_refuse_part(m, part, "openai-responses", e);
		if (part->refusal)
			continue;
		if (texts++ == 0)
			ok = ask_put_comma(first, out) &&
			     buf_text(out, "{\"type\":\"message\",\"role\":\"assistant\","
					   "\"content\":\"");
		ok = ok && buf_str(out, part->text);
	}
	ok = ok && (texts == 0 || buf_text(out, "\"}"));
	for (size_t i = 0; ok && i < m->part_count; i++)
		ok = !m->parts[i].refusal ||
		     responses_request_put_refusal(m, m->parts[i].text, first, out);
	return ok ? ERR_OK : ask_too_large(e);
}

/* responses_request_put_output: a result of at most one text is printed as a string, which all
 * servers know; any other result as a list of parts. */
static enum errc responses_request_put_output(const struct ask_message *m, struct buf *out,
					      struct err *e)
{
	struct str only = m->part_count == 1 ? m->parts[0].text : STR_NONE;

	if (m->part_count == 0 || (m->part_count == 1 && m->parts[0].kind == ASK_TEXT))
		return ask_put_string(out, "", only) ? ERR_OK : ask_too_large(e);
	return responses_request_put_parts(m, out, e);
}

static enum errc responses_request_put_result(const struct ask_message *m, struct buf *out,
					      struct err *e)
{
	if (!ask_put_string(out, "{\"type\":\"function_call_output\",\"call_id\":", m->call_id) ||
	    !buf_text(out, ",\"output\":"))
		return ask_too_large(e);
	enum errc rc = responses_request_put_output(m, out, e);
	return rc != ERR_OK || buf_text(out, "}") ? rc : ask_too_large(e);
}

/* put_reasoning_items: prints the items of reasoning that led to a call. */
static bool put_reasoning_items(const struct ask_call *c, bool *first, struct buf *out)
{
	static const char *const types[] = { "reasoning", NULL };

	return ask_put_extra(c, "openai", "reasoning", types, first, out);
}

static bool responses_request_put_call(const struct ask_call *c, struct buf *out)
{
	return ask_put_string(out, "{\"type\":\"function_call\",\"call_id\":", c->id) &&
	       ask_put_string(out, ",\"name\":", c->name) && buf_text(out, ",\"arguments\":") &&
	       buf_json_string(out, c->input) && buf_text(out, "}");
}

enum errc openai_responses_put_message(const struct ask_message *m, bool *first, struct buf *out,
				       struct err *e)
{
	static const char *const roles[ASK_ROLE__COUNT] = { "system", "user", "assistant", "tool" };
	enum errc                rc = ERR_OK;

	if (m->role == ASK_TOOL)
		return ask_put_comma(first, out) ? responses_request_put_result(m, out, e)
						 : ask_too_large(e);
	if (m->role == ASK_ASSISTANT) {
		rc = put_said(m, first, out, e);
	} else if (m->part_count > 0) {
		if (!ask_put_comma(first, out) ||
		    !buf_fmt(out,
			     "{\"type\":\"message\",\"role\":\"%s\",\"content\":", roles[m->role]))
			return ask_too_large(e);
		rc = responses_request_put_parts(m, out, e);
		if (rc == ERR_OK && !buf_text(out, "}"))
			rc = ask_too_large(e);
	}
	for (size_t i = 0; rc == ERR_OK && i < m->call_count; i++) {
		if (!put_reasoning_items(&m->calls[i], first, out) || !ask_put_comma(first, out) ||
		    !responses_request_put_call(&m->calls[i], out))
			rc = ask_too_large(e);
	}
	return rc;
}

static enum errc put_input(const struct ask *a, struct buf *out, struct err *e)
{
	enum errc rc = buf_text(out, ",\"input\":[") ? ERR_OK : ask_too_large(e);
	bool      first = true;

	for (size_t i = 0; rc == ERR_OK && i < a->count; i++)
		rc = openai_responses_put_message(&a->messages[i], &first, out, e);
	if (rc == ERR_OK && first)
		return err_set(e, ERR_INVALID_VALUE, "messages",
			       "none of them has content other than white space, which this "
			       "provider needs");
	return rc != ERR_OK || buf_text(out, "]") ? rc : ask_too_large(e);
}

/* --- tools and other members --- */

static bool responses_request_put_tool(const struct ask_tool *t, struct buf *out)
{
	return ask_put_string(out, "{\"type\":\"function\",\"name\":", t->name) &&
	       (t->description.n == 0 ||
		ask_put_string(out, ",\"description\":", t->description)) &&
	       buf_text(out, ",\"parameters\":") &&
	       buf_str(out, t->parameters.n > 0 ? t->parameters
						: STR("{\"type\":\"object\",\"properties\":{}}")) &&
	       buf_text(out, t->strict ? ",\"strict\":true}" : ",\"strict\":false}");
}

static bool responses_request_put_choice(const struct ask *a, struct buf *out)
{
	switch (a->choice) {
	case ASK_CHOICE_ABSENT: return true;
	case ASK_CHOICE_AUTO: return buf_text(out, ",\"tool_choice\":\"auto\"");
	case ASK_CHOICE_NONE: return buf_text(out, ",\"tool_choice\":\"none\"");
	case ASK_CHOICE_ANY: return buf_text(out, ",\"tool_choice\":\"required\"");
	case ASK_CHOICE_ONE:
		return ask_put_string(out, ",\"tool_choice\":{\"type\":\"function\",\"name\":",
				      a->choice_name) &&
		       buf_text(out, "}");
	}
	return false;
}

static bool responses_request_put_tools(const struct ask *a, struct buf *out)
{
	if (a->tool_count == 0)
		return true;
	for (size_t i = 0; i < a->tool_count; i++)
		if (!buf_text(out, i == 0 ? ",\"tools\":[" : ",") ||
		    !responses_request_put_tool(&a->tools[i], out))
			return false;
	return buf_text(out, "]") && responses_request_put_choice(a, out);
}

/* put_schema: the members of json_schema (name, strict, …) stand beside the type in this API. */
static bool put_schema(const struct prompt *p, struct buf *out)
{
	struct str      raw = ask_param_value(p, "response_format");
	struct json_doc d = { 0 };
	struct err      e;
	bool            ok = json_scan(&d, raw.p, raw.n, &json_limits_upstream, &e) == ERR_OK;
	json_at         schema = ok ? json_get(&d, 0, "json_schema") : JSON_ABSENT;

	/* ask_read has checked that json_schema is an object with members. */
	ok = schema != JSON_ABSENT && buf_text(out, "\"format\":{\"type\":\"json_schema\"");
	for (json_at k = ok ? json_first(&d, schema) : 0; ok && k != json_end(&d, schema);
	     k = json_next_member(&d, k))
		ok = json_is(&d, k, "type") ||
		     (buf_text(out, ",") && buf_str(out, json_member(&d, k)));
	json_doc_finish(&d);
	return ok && buf_text(out, "}");
}

static enum errc put_text_member(const struct ask *a, struct buf *out, struct err *e)
{
	struct str verbosity = ask_param_value(a->prompt, "verbosity");
	struct buf ours;
	bool       ok = true;

	if (a->format == ASK_FORMAT_TEXT && verbosity.n == 0)
		return ask_param_merge(a->prompt, "text", STR_NONE, true, out, e);
	buf_init(&ours, LIMIT_UPSTREAM_ASK);
	ok = buf_text(&ours, "{");
	switch (a->format) {
	case ASK_FORMAT_TEXT: break;
	case ASK_FORMAT_JSON:
		ok = ok && buf_text(&ours, "\"format\":{\"type\":\"json_object\"}");
		break;
	case ASK_FORMAT_SCHEMA: ok = ok && put_schema(a->prompt, &ours); break;
	}
	ok = ok &&
	     responses_request_put_member(
		     &ours, a->format == ASK_FORMAT_TEXT ? "\"verbosity\":" : ",\"verbosity\":",
		     verbosity) &&
	     buf_text(&ours, "}");
	enum errc rc = ok ? ask_param_merge(a->prompt, "text", buf_view(&ours), true, out, e)
			  : ask_too_large(e);
	buf_finish(&ours);
	return rc;
}

static enum errc put_reasoning(const struct prompt *p, struct buf *out, struct err *e)
{
	struct str effort = ask_param_value(p, "reasoning_effort");
	struct buf ours;

	buf_init(&ours, effort.n + 16);
	bool ok = effort.n == 0 || (buf_text(&ours, "{\"effort\":") && buf_str(&ours, effort) &&
				    buf_text(&ours, "}"));
	enum errc rc = ok ? ask_param_merge(p, "reasoning", buf_view(&ours), true, out, e)
			  : ask_too_large(e);
	buf_finish(&ours);
	return rc;
}

/* put_include: asks for the encrypted reasoning, which must be sent back with the calls that it led
 * to. Only if the request asks for reasoning, because models without reasoning refuse this. */
static bool put_include(const struct provider_options *o, const struct ask *a, struct buf *out)
{
	const struct prompt *p = a->prompt;
	struct str           effort = ask_param_value(p, "reasoning_effort");
	bool                 kept = o->forward_store && p->forward[0].n > 0;
	bool                 reasons = ask_param_value(p, "reasoning").n > 0 ||
		       (effort.n > 0 && !str_is(effort, "\"none\""));

	if (!reasons || kept || a->tool_count == 0 || ask_param_value(p, "include").n > 0)
		return true;
	return buf_text(out, ",\"include\":[\"reasoning.encrypted_content\"]");
}

static bool responses_request_put_max_tokens(const struct prompt *p, struct buf *out)
{
	char number[32];

	if (p->max_tokens.n == 0)
		return true;
	str_copy(number, sizeof number, p->max_tokens);
	if (p->max_tokens.n < sizeof number && strtod(number, NULL) < (double)LEAST_TOKENS) {
		warnings_add(p->warnings, 0, "parameter_clamped",
			     "max_tokens: this provider takes no less than %d; that was sent",
			     LEAST_TOKENS);
		return buf_fmt(out, ",\"max_output_tokens\":%d", LEAST_TOKENS);
	}
	return responses_request_put_member(out, ",\"max_output_tokens\":", p->max_tokens);
}

/* responses_request_put_store: this API stores requests by default, chat completions do not. */
static bool responses_request_put_store(const struct provider_options *o, const struct prompt *p,
					struct buf *out)
{
	bool asked = o->forward_store && p->forward[0].n > 0;

	return buf_text(out, ",") && buf_str(out, asked ? p->forward[0] : STR("\"store\":false")) &&
	       (!o->forward_store || responses_request_put_member(out, ",", p->forward[1]));
}

static enum errc responses_request_put_all(const struct provider_options *o, const struct ask *a,
					   struct buf *out, struct err *e)
{
	const struct prompt *p = a->prompt;
	bool                 first = false;

	if (!buf_text(out, "{\"model\":") || !buf_json_string(out, p->model))
		return ask_too_large(e);
	enum errc rc = put_input(a, out, e);
	if (rc == ERR_OK &&
	    !(responses_request_put_max_tokens(p, out) && responses_request_put_tools(a, out)))
		rc = ask_too_large(e);
	if (rc == ERR_OK)
		rc = put_text_member(a, out, e);
	if (rc == ERR_OK)
		rc = put_reasoning(p, out, e);
	if (rc == ERR_OK && !(put_include(o, a, out) && responses_request_put_store(o, p, out) &&
			      (!p->stream || buf_text(out, ",\"stream\":true"))))
		rc = ask_too_large(e);
	if (rc == ERR_OK)
		rc = ask_param_put(p, params, 0, &first, out, e);
	if (rc == ERR_OK)
		rc = ask_param_rest(p, params, "openai-responses", out, e);
	return rc != ERR_OK || buf_text(out, "}") ? rc : ask_too_large(e);
}

enum errc openai_responses_encode(const struct provider_options *o, const struct prompt *p,
				  struct buf *out, struct err *e)
{
	if (prompt_is_native(p, PROVIDER_RESPONSES))
		return openai_responses_native(o, p, out, e);
	return ask_print(o, p, "openai-responses", responses_request_put_all, out, e);
}
