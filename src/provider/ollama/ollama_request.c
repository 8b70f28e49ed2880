/* A prompt as a request of Ollama's native chat API.
 *
 * Messages are similar to OpenAI's, but content is a string, images are beside it, and arguments
 * are objects. Parameters of sampling are members of the object options, in which a client may set
 * all options that Ollama knows. Source: Ollama's api/types.go and docs/api.md. */
#include "provider/ollama/ollama.h"

#include "lmc/warnings.h"
#include "provider/ask.h"
#include "provider/ask_param.h"
#include "provider/openai/openai.h"

#include <stdio.h>

enum { IN_OPTIONS = 1 };

static const struct ask_param params[] = {
	{ .key = "temperature", .rule = ASK_SENT, .group = IN_OPTIONS },
	{ .key = "top_p", .rule = ASK_SENT, .group = IN_OPTIONS },
	{ .key = "seed", .rule = ASK_SENT, .group = IN_OPTIONS },
	{ .key = "presence_penalty", .rule = ASK_SENT, .group = IN_OPTIONS },
	{ .key = "frequency_penalty", .rule = ASK_SENT, .group = IN_OPTIONS },
	/* Options of Ollama that clients send beside OpenAI's parameters. */
	{ .key = "top_k", .rule = ASK_SENT, .group = IN_OPTIONS },
	{ .key = "min_p", .rule = ASK_SENT, .group = IN_OPTIONS },
	{ .key = "typical_p", .rule = ASK_SENT, .group = IN_OPTIONS },
	{ .key = "repeat_penalty", .rule = ASK_SENT, .group = IN_OPTIONS },
	{ .key = "repeat_last_n", .rule = ASK_SENT, .group = IN_OPTIONS },
	{ .key = "num_ctx", .rule = ASK_SENT, .group = IN_OPTIONS },
	{ .key = "num_keep", .rule = ASK_SENT, .group = IN_OPTIONS },
	{ .key = "options", .rule = ASK_OWN },
	{ .key = "stop", .rule = ASK_OWN },
	{ .key = "tools", .rule = ASK_OWN },
	{ .key = "tool_choice", .rule = ASK_OWN },
	{ .key = "parallel_tool_calls", .rule = ASK_OWN },
	{ .key = "response_format", .rule = ASK_OWN },
	{ .key = "format", .rule = ASK_OWN },
	{ .key = "reasoning_effort", .rule = ASK_OWN },
	{ .key = "think", .rule = ASK_OWN },
	{ .key = "truncate", .rule = ASK_OWN },
	{ .key = "n", .rule = ASK_OWN },
	{ .key = "functions", .rule = ASK_REFUSED },
	{ .key = "audio", .rule = ASK_REFUSED },
	{ 0 },
};

static bool ollama_request_put_member(struct buf *out, const char *before, struct str raw)
{
	return raw.n == 0 || (buf_text(out, before) && buf_str(out, raw));
}

/* --- messages --- */

/* ollama_request_put_text: prints the texts of a message, and the files of text with their names, each on lines
 * of its own. */
static enum errc ollama_request_put_text(const struct ask_message *m, struct buf *out,
					 struct err *e)
{
	bool first = true;
	bool ok = buf_text(out, ",\"content\":\"");

	/* The API has no other place for the name of a user. */
	if (m->role == ASK_USER && m->name.n > 0)
		ok = ok && buf_str(out, m->name) && buf_text(out, ": ");
	for (size_t i = 0; ok && i < m->part_count; i++) {
		const struct ask_part *part = &m->parts[i];
		bool                   file = ask_is_text(part);

		if (part->kind != ASK_TEXT && !file)
			continue;
		ok = buf_text(out, first ? "" : "\\n") &&
		     buf_str(out, file ? part->name : part->text) &&
		     buf_text(out, file && part->name.n > 0 ? "\\n" : "");
		first = false;
		if (ok && file && ask_put_document(m, part, out, e) != ERR_OK)
			return e->code;
	}
	return ok && buf_text(out, "\"") ? ERR_OK : ask_too_large(e);
}

static enum errc check_part(const struct ask_message *m, const struct ask_part *part, struct err *e)
{
	char path[96];

	switch (part->kind) {
	case ASK_TEXT: return ERR_OK;
	case ASK_IMAGE:
		if (part->data.n > 0)
			return ERR_OK;
		snprintf(path, sizeof path, "messages[%zu].content[%zu]", m->index, part->index);
		return err_set(
			e, ERR_UNSUPPORTED_PARAMETER, path,
			"a provider of dialect ollama takes images as data URLs alone: it fetches "
			"none");
	case ASK_DOCUMENT:
		if (ask_is_text(part))
			return ERR_OK;
		break;
	case ASK_AUDIO:
	case ASK_KIND__COUNT: break;
	}
	return ask_refuse_part(m, part, "ollama", e);
}

static enum errc ollama_request_put_images(const struct ask_message *m, struct buf *out,
					   struct err *e)
{
	bool any = false;

	for (size_t i = 0; i < m->part_count; i++) {
		enum errc rc = check_part(m, &m->parts[i], e);

		if (rc != ERR_OK)
			return rc;
		if (m->parts[i].kind != ASK_IMAGE)
			continue;
		if (!ask_put_string(out, any ? "," : ",\"images\":[", m->parts[i].data))
			return ask_too_large(e);
		any = true;
	}
	return !any || buf_text(out, "]") ? ERR_OK : ask_too_large(e);
}

static bool ollama_request_put_calls(const struct ask_message *m, struct buf *out)
{
	for (size_t i = 0; i < m->call_count; i++) {
		const struct ask_call *c = &m->calls[i];

		if (!buf_text(out, i == 0 ? ",\"tool_calls\":[{" : ",{") ||
		    (c->id.n > 0 &&
		     (!ask_put_string(out, "\"id\":", c->id) || !buf_text(out, ","))) ||
		    !ask_put_string(out, "\"function\":{\"name\":", c->name) ||
		    !buf_text(out, ",\"arguments\":") || !buf_str(out, c->input) ||
		    !buf_text(out, "}}"))
			return false;
	}
	return m->call_count == 0 || buf_text(out, "]");
}

static enum errc ollama_request_put_message(const struct ask_message *m, struct buf *out,
					    struct err *e)
{
	static const char *const roles[ASK_ROLE__COUNT] = { "system", "user", "assistant", "tool" };
	bool                     ok = buf_fmt(out, "{\"role\":\"%s\"", roles[m->role]);

	if (ok && ollama_request_put_text(m, out, e) != ERR_OK)
		return e->code;
	if (m->reasoning.n > 0)
		ok = ok && ask_put_string(out, ",\"thinking\":", m->reasoning);
	/* Ollama assigns a result by the function's name; newer servers also by the call's id. */
	if (m->call_name.n > 0)
		ok = ok && ask_put_string(out, ",\"tool_name\":", m->call_name);
	if (m->call_id.n > 0)
		ok = ok && ask_put_string(out, ",\"tool_call_id\":", m->call_id);
	if (!ok)
		return ask_too_large(e);
	enum errc rc = ollama_request_put_images(m, out, e);
	return rc != ERR_OK || (ollama_request_put_calls(m, out) && buf_text(out, "}"))
		       ? rc
		       : ask_too_large(e);
}

static enum errc ollama_request_put_messages(const struct provider_options *o, const struct ask *a,
					     struct buf *out, struct err *e)
{
	struct openai_system system = { 0 };
	enum errc            rc = ERR_OK;
	bool                 first = true;

	/* Ollama's templates join system messages, or take them in their places. */
	if (o->system_messages && strcmp(o->system_messages, "one") == 0)
		rc = openai_system_read(&system, a->prompt, e);
	if (rc == ERR_OK &&
	    !(buf_text(out, ",\"messages\":[") && openai_system_put(&system, &first, out)))
		rc = ask_too_large(e);
	for (size_t i = 0; rc == ERR_OK && i < a->count; i++) {
		if (openai_system_has(&system, i))
			continue;
		rc = ask_put_comma(&first, out)
			     ? ollama_request_put_message(&a->messages[i], out, e)
			     : ask_too_large(e);
	}
	openai_system_finish(&system);
	return rc != ERR_OK || buf_text(out, "]") ? rc : ask_too_large(e);
}

/* --- options --- */

/* is_said: whether another member of the request sets this option already. */
static bool is_said(const struct prompt *p, const struct json_doc *d, json_at key)
{
	if (json_is(d, key, "num_predict"))
		return p->max_tokens.n > 0;
	if (json_is(d, key, "stop"))
		return ask_param_value(p, "stop").n > 0;
	for (const struct ask_param *row = params; row->key; row++)
		if (row->group == IN_OPTIONS && json_is(d, key, row->key))
			return ask_param_value(p, row->key).n > 0;
	return false;
}

/* put_own_options: prints the options of the client's own object options. */
static enum errc put_own_options(const struct prompt *p, bool *first, struct buf *out,
				 struct err *e)
{
	struct str      raw = ask_param_value(p, "options");
	struct json_doc d = { 0 };
	enum errc       rc = ERR_OK;

	if (raw.n == 0)
		return ERR_OK;
	if (json_scan(&d, raw.p, raw.n, &json_limits_upstream, e) != ERR_OK ||
	    json_kind(&d, 0) != JSON_OBJECT) {
		json_doc_finish(&d);
		return err_set(e, ERR_INVALID_TYPE, "options", "must be an object");
	}
	for (json_at k = json_first(&d, 0); rc == ERR_OK && k != json_end(&d, 0);
	     k = json_next_member(&d, k)) {
		char name[64] = "options.";

		str_copy(name + 8, sizeof name - 8, json_inner(&d, k));
		if (is_said(p, &d, k))
			ask_param_unsent(p, name, "another member of the request");
		else if (!ask_put_comma(first, out) || !buf_str(out, json_member(&d, k)))
			rc = ask_too_large(e);
	}
	json_doc_finish(&d);
	return rc;
}

static enum errc put_options(const struct prompt *p, struct buf *out, struct err *e)
{
	size_t before = out->len;
	bool   first = true;

	if (!buf_text(out, ",\"options\":{"))
		return ask_too_large(e);
	if (p->max_tokens.n > 0) {
		if (!ollama_request_put_member(out, "\"num_predict\":", p->max_tokens))
			return ask_too_large(e);
		first = false;
	}
	enum errc rc = ask_param_put(p, params, IN_OPTIONS, &first, out, e);
	if (rc == ERR_OK && !ask_put_stops(p, "\"stop\":", 0, false, &first, out))
		rc = ask_too_large(e);
	if (rc == ERR_OK)
		rc = put_own_options(p, &first, out, e);
	if (rc == ERR_OK && first)
		out->len = before;
	else if (rc == ERR_OK && !buf_text(out, "}"))
		rc = ask_too_large(e);
	return rc;
}

/* --- tools and other members --- */

static void warn_dropped(const struct prompt *p, const char *what)
{
	warnings_add(p->warnings, 0, "parameter_dropped",
		     "%s was not sent: a provider of dialect ollama has no such parameter", what);
}

/* ollama_request_put_tools: Ollama's tools have OpenAI's form. With tool_choice none, the tools are
 * not sent, because there is no other way to keep the model from calls. */
static bool ollama_request_put_tools(const struct ask *a, struct buf *out)
{
	if (a->tool_count == 0)
		return true;
	if (a->one_call)
		warn_dropped(a->prompt, "parallel_tool_calls");
	if (a->choice == ASK_CHOICE_NONE)
		return true;
	if (a->choice == ASK_CHOICE_ANY || a->choice == ASK_CHOICE_ONE)
		warn_dropped(a->prompt, "tool_choice");
	return ollama_request_put_member(out, ",\"tools\":", ask_param_value(a->prompt, "tools"));
}

static bool ollama_request_put_format(const struct ask *a, struct buf *out)
{
	if (a->format != ASK_FORMAT_TEXT && ask_param_value(a->prompt, "format").n > 0)
		ask_param_unsent(a->prompt, "format", "response_format");
	switch (a->format) {
	case ASK_FORMAT_TEXT:
		return ollama_request_put_member(
			out, ",\"format\":", ask_param_value(a->prompt, "format"));
	case ASK_FORMAT_JSON: return buf_text(out, ",\"format\":\"json\"");
	case ASK_FORMAT_SCHEMA: return ollama_request_put_member(out, ",\"format\":", a->schema);
	}
	return false;
}

/* put_think: prints the effort as one of Ollama's three levels; none becomes false. */
static bool put_think(const struct prompt *p, struct buf *out)
{
	/* clang-format off */
	static const struct {
		const char *effort;
		struct str  think;
	} levels[] = {
		{ "\"none\"", { "false", 5 } },       { "\"minimal\"", { "\"low\"", 5 } },
		{ "\"low\"", { "\"low\"", 5 } },      { "\"medium\"", { "\"medium\"", 8 } },
		{ "\"high\"", { "\"high\"", 6 } },    { "\"xhigh\"", { "\"high\"", 6 } },
		{ "\"max\"", { "\"high\"", 6 } },
	};
	/* clang-format on */
	struct str think = ask_param_value(p, "think");
	struct str effort = ask_param_value(p, "reasoning_effort");

	if (think.n > 0 && effort.n > 0)
		ask_param_unsent(p, "reasoning_effort", "think");
	for (size_t i = 0; think.n == 0 && i < ARRAY_LEN(levels); i++)
		if (str_is(effort, levels[i].effort)) {
			think = levels[i].think;
			if (think.p[0] == '"' && !str_eq(think, effort))
				warnings_add(
					p->warnings, 0, "parameter_clamped",
					"reasoning_effort: this provider has no %.*s; %.*s was "
					"sent",
					STR_ARG(effort), STR_ARG(think));
		}
	if (think.n == 0 && effort.n > 0)
		warn_dropped(p, "reasoning_effort");
	return ollama_request_put_member(out, ",\"think\":", think);
}

/* put_truncate: unless it is told not to, Ollama leaves out the beginning of a prompt that is longer
 * than the context, and answers 200. Source: Truncate of ChatRequest in Ollama's api/types.go; older
 * servers ignore the member. */
static bool put_truncate(const struct provider_options *o, const struct prompt *p, struct buf *out)
{
	struct str given = ask_param_value(p, "truncate");

	if (given.n == 0 && o->truncate)
		return true;
	return ollama_request_put_member(out, ",\"truncate\":", given.n > 0 ? given : STR("false"));
}

static enum errc ollama_request_put_all(const struct provider_options *o, const struct ask *a,
					struct buf *out, struct err *e)
{
	const struct prompt *p = a->prompt;

	if (!buf_text(out, "{\"model\":") || !buf_json_string(out, p->model))
		return ask_too_large(e);
	enum errc rc = ollama_request_put_messages(o, a, out, e);
	/* Without this member, Ollama streams. */
	if (rc == ERR_OK && !(buf_text(out, p->stream ? ",\"stream\":true" : ",\"stream\":false") &&
			      put_truncate(o, p, out) && ollama_request_put_tools(a, out) &&
			      ollama_request_put_format(a, out) && put_think(p, out)))
		rc = ask_too_large(e);
	if (rc == ERR_OK)
		rc = put_options(p, out, e);
	if (rc == ERR_OK)
		rc = ask_param_rest(p, params, "ollama", out, e);
	return rc != ERR_OK || buf_text(out, "}") ? rc : ask_too_large(e);
}

enum errc ollama_encode(const struct provider_options *o, const struct prompt *p, struct buf *out,
			struct err *e)
{
	return ask_print(o, p, "ollama", ollama_request_put_all, out, e);
}
