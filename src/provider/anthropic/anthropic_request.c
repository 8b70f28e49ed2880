/* A prompt as a request of Anthropic's Messages API.
 *
 * Turns alternate there between user and assistant: neighbours of one role become one turn, and what
 * tools gave back belongs to the user's.  System messages are not part of the turns.  Source:
 * Anthropic's API reference, "Create a Message" (version 2023-06-01). */
#include "provider/anthropic/anthropic.h"

#include "base/limits.h"
#include "lmc/warnings.h"
#include "provider/ask.h"
#include "provider/ask_param.h"

/* The API wants one; the oldest models that are served give no more. */
#define DEFAULT_MAX_TOKENS "4096"

static const struct ask_param params[] = {
	{ .key = "temperature", .rule = ASK_SENT, .least = 0, .most = 1 },
	{ .key = "top_p", .rule = ASK_SENT },
	{ .key = "service_tier", .rule = ASK_SENT },
	{ .key = "stop", .rule = ASK_OWN },
	{ .key = "tools", .rule = ASK_OWN },
	{ .key = "tool_choice", .rule = ASK_OWN },
	{ .key = "parallel_tool_calls", .rule = ASK_OWN },
	{ .key = "response_format", .rule = ASK_OWN },
	{ .key = "n", .rule = ASK_OWN },
	{ .key = "user", .rule = ASK_OWN },
	{ .key = "functions", .rule = ASK_REFUSED },
	{ .key = "audio", .rule = ASK_REFUSED },
	{ 0 },
};

/* --- parts --- */

static bool put_text(struct buf *out, struct str name, struct str text)
{
	bool ok = buf_text(out, "{\"type\":\"text\",\"text\":\"");

	if (name.n > 0)
		ok = ok && buf_str(out, name) && buf_text(out, ": ");
	return ok && buf_str(out, text) && buf_text(out, "\"}");
}

static bool put_source(struct buf *out, const struct ask_part *part)
{
	if (part->data.n == 0)
		return ask_put_string(out, ",\"source\":{\"type\":\"url\",\"url\":", part->url) &&
		       buf_text(out, "}");
	return ask_put_string(out, ",\"source\":{\"type\":\"base64\",\"media_type\":", part->type) &&
	       ask_put_string(out, ",\"data\":", part->data) && buf_text(out, "}");
}

static enum errc put_part(const struct ask_message *m, const struct ask_part *part, struct str name,
			  struct buf *out, struct err *e)
{
	bool ok = false;

	switch (part->kind) {
	case ASK_TEXT:
		ok = put_text(out, name, part->text);
		break;
	case ASK_IMAGE:
		ok = buf_text(out, "{\"type\":\"image\"") && put_source(out, part) &&
		     buf_text(out, "}");
		break;
	case ASK_DOCUMENT:
		if (part->data.n > 0 && !str_is(part->type, "application/pdf"))
			return ask_refuse_part(m, part, "anthropic", e);
		ok = buf_text(out, "{\"type\":\"document\"") && put_source(out, part) &&
		     (part->name.n == 0 || ask_put_string(out, ",\"title\":", part->name)) &&
		     buf_text(out, "}");
		break;
	case ASK_AUDIO:
	case ASK_KIND__COUNT:
		return ask_refuse_part(m, part, "anthropic", e);
	}
	return ok ? ERR_OK : ask_too_large(e);
}

/* put_parts: with commas between them, *first telling whether there is none yet. */
static enum errc put_parts(const struct ask_message *m, bool *first, struct buf *out, struct err *e)
{
	/* Nothing else there tells who of several users speaks. */
	struct str name = m->role == ASK_USER ? m->name : STR_NONE;
	enum errc  rc = ERR_OK;

	for (size_t i = 0; rc == ERR_OK && i < m->part_count; i++) {
		if (!*first && !buf_text(out, ","))
			return ask_too_large(e);
		*first = false;
		rc = put_part(m, &m->parts[i], name, out, e);
		if (m->parts[i].kind == ASK_TEXT)
			name = STR_NONE;
	}
	return rc;
}

/* --- turns --- */

/* put_thinking: what it thought before a call, as it was signed. */
static bool put_thinking(const struct ask_call *c, bool *first, struct buf *out)
{
	static const char *const types[] = { "thinking", "redacted_thinking", NULL };

	return ask_put_extra(c, "anthropic", "thinking_blocks", types, first, out);
}

static bool put_calls(const struct ask_message *m, bool *first, struct buf *out)
{
	for (size_t i = 0; i < m->call_count; i++) {
		const struct ask_call *c = &m->calls[i];

		if ((i > 0 && !put_thinking(c, first, out)) || !buf_text(out, *first ? "" : ",") ||
		    !ask_put_string(out, "{\"type\":\"tool_use\",\"id\":", c->id) ||
		    !ask_put_string(out, ",\"name\":", c->name) || !buf_text(out, ",\"input\":") ||
		    !buf_str(out, c->input) || !buf_text(out, "}"))
			return false;
		*first = false;
	}
	return true;
}

static enum errc put_result(const struct ask_message *m, bool *first, struct buf *out,
			    struct err *e)
{
	bool none = true;

	if (!buf_text(out, *first ? "" : ",") ||
	    !ask_put_string(out, "{\"type\":\"tool_result\",\"tool_use_id\":", m->call_id) ||
	    !buf_text(out, ",\"content\":["))
		return ask_too_large(e);
	*first = false;
	enum errc rc = put_parts(m, &none, out, e);
	if (rc == ERR_OK && !buf_text(out, "]}"))
		rc = ask_too_large(e);
	return rc;
}

static enum errc put_message(const struct ask_message *m, bool *first, struct buf *out,
			     struct err *e)
{
	if (m->role == ASK_TOOL)
		return put_result(m, first, out, e);
	/* In front of the text, too: a turn of a model that thinks begins with its thoughts. */
	if (m->call_count > 0 && !put_thinking(&m->calls[0], first, out))
		return ask_too_large(e);

	enum errc rc = put_parts(m, first, out, e);
	if (rc == ERR_OK && !put_calls(m, first, out))
		rc = ask_too_large(e);
	return rc;
}

static bool is_turn(const struct ask_message *m)
{
	switch (m->role) {
	case ASK_SYSTEM: return false;
	case ASK_TOOL: return true;
	case ASK_USER:
	case ASK_ASSISTANT: return m->part_count + m->call_count > 0;
	case ASK_ROLE__COUNT: break;
	}
	return false;
}

static enum errc put_turns(const struct ask *a, struct buf *out, struct err *e)
{
	enum errc rc = ERR_OK;
	bool      open = false;
	bool      assistant = false;
	bool      first = true;

	if (!buf_text(out, ",\"messages\":["))
		return ask_too_large(e);
	for (size_t i = 0; rc == ERR_OK && i < a->count; i++) {
		const struct ask_message *m = &a->messages[i];
		bool                      by = m->role == ASK_ASSISTANT;

		if (!is_turn(m))
			continue;
		if (!open || by != assistant) {
			if (!buf_text(out, open ? "]}," : "") ||
			    !buf_text(out, by ? "{\"role\":\"assistant\",\"content\":["
					      : "{\"role\":\"user\",\"content\":["))
				return ask_too_large(e);
			open = first = true;
			assistant = by;
		}
		rc = put_message(m, &first, out, e);
	}
	if (rc == ERR_OK && !open)
		return err_set(e, ERR_INVALID_VALUE, "messages",
			       "all of them are empty; this provider needs one with content");
	return rc != ERR_OK || buf_text(out, "]}]") ? rc : ask_too_large(e);
}

static enum errc put_system(const struct ask *a, struct buf *out, struct err *e)
{
	const char *before = ",\"system\":[";
	bool        turns = false;

	for (size_t i = 0; i < a->count; i++) {
		const struct ask_message *m = &a->messages[i];
		bool                      first = true;

		turns = turns || is_turn(m);
		if (m->role != ASK_SYSTEM || m->part_count == 0)
			continue;
		if (turns)
			warnings_add(a->prompt->warnings, m->index, "system_moved",
				     "a system message among the others was put in front of them, as "
				     "this provider takes none there");
		if (!buf_text(out, before))
			return ask_too_large(e);
		before = ",";
		enum errc rc = put_parts(m, &first, out, e);
		if (rc != ERR_OK)
			return rc;
	}
	return before[1] != '\0' || buf_text(out, "]") ? ERR_OK : ask_too_large(e);
}

/* --- all else --- */

static bool put_tool(const struct ask_tool *t, struct buf *out)
{
	return ask_put_string(out, "{\"name\":", t->name) &&
	       (t->description.n == 0 || ask_put_string(out, ",\"description\":", t->description)) &&
	       buf_text(out, ",\"input_schema\":") &&
	       buf_str(out, t->parameters.n > 0 ? t->parameters : STR("{\"type\":\"object\"}")) &&
	       buf_text(out, t->strict ? ",\"strict\":true}" : "}");
}

static bool put_choice(const struct ask *a, struct buf *out)
{
	static const char *const words[] = {
		[ASK_CHOICE_ABSENT] = "auto", [ASK_CHOICE_AUTO] = "auto", [ASK_CHOICE_NONE] = "none",
		[ASK_CHOICE_ANY] = "any",     [ASK_CHOICE_ONE] = "tool",
	};

	if (a->choice == ASK_CHOICE_ABSENT && !a->one_call)
		return true;
	return buf_fmt(out, ",\"tool_choice\":{\"type\":\"%s\"", words[a->choice]) &&
	       (a->choice != ASK_CHOICE_ONE || ask_put_string(out, ",\"name\":", a->choice_name)) &&
	       (!a->one_call || a->choice == ASK_CHOICE_NONE ||
		buf_text(out, ",\"disable_parallel_tool_use\":true")) &&
	       buf_text(out, "}");
}

static bool put_tools(const struct ask *a, struct buf *out)
{
	if (a->tool_count == 0)
		return true;
	for (size_t i = 0; i < a->tool_count; i++)
		if (!buf_text(out, i == 0 ? ",\"tools\":[" : ",") || !put_tool(&a->tools[i], out))
			return false;
	return buf_text(out, "]") && put_choice(a, out);
}

/* put_stop: one string, or several. */
static bool put_stop(const struct prompt *p, struct buf *out)
{
	struct str stop = ask_param_value(p, "stop");

	if (stop.n == 0)
		return true;
	bool several = stop.p[0] == '[';
	return buf_text(out, several ? ",\"stop_sequences\":" : ",\"stop_sequences\":[") &&
	       buf_str(out, stop) && (several || buf_text(out, "]"));
}

static bool put_format(const struct ask *a, struct buf *out)
{
	switch (a->format) {
	case ASK_FORMAT_TEXT: return true;
	case ASK_FORMAT_JSON:
		warnings_add(a->prompt->warnings, 0, "parameter_dropped",
			     "response_format json_object was not sent: this provider has json_schema "
			     "alone");
		return true;
	case ASK_FORMAT_SCHEMA:
		return buf_text(out, ",\"output_config\":{\"format\":{\"type\":\"json_schema\","
				     "\"schema\":") &&
		       buf_str(out, a->schema) && buf_text(out, "}}");
	}
	return false;
}

static bool put_user(const struct prompt *p, struct buf *out)
{
	struct str user = ask_param_value(p, "user");

	return user.n == 0 || (buf_text(out, ",\"metadata\":{\"user_id\":") && buf_str(out, user) &&
			       buf_text(out, "}"));
}

static enum errc put_all(const struct ask *a, struct buf *out, struct err *e)
{
	const struct prompt *p = a->prompt;
	struct str           max = p->max_tokens.n > 0 ? p->max_tokens : STR(DEFAULT_MAX_TOKENS);
	bool                 first = false;

	if (!buf_text(out, "{\"model\":") || !buf_json_string(out, p->model) ||
	    !buf_text(out, ",\"max_tokens\":") || !buf_str(out, max))
		return ask_too_large(e);
	enum errc rc = put_system(a, out, e);
	if (rc == ERR_OK)
		rc = put_turns(a, out, e);
	if (rc == ERR_OK && !(put_tools(a, out) && put_stop(p, out) && put_format(a, out) &&
			      put_user(p, out) && (!p->stream || buf_text(out, ",\"stream\":true"))))
		rc = ask_too_large(e);
	if (rc == ERR_OK)
		rc = ask_param_put(p, params, 0, &first, out, e);
	if (rc == ERR_OK)
		rc = ask_param_rest(p, params, "anthropic", out, e);
	return rc != ERR_OK || buf_text(out, "}") ? rc : ask_too_large(e);
}

enum errc anthropic_encode(const struct provider_options *o, const struct prompt *p, struct buf *out,
			   struct err *e)
{
	struct ask a;
	struct str n = ask_param_value(p, "n");
	enum errc  rc = ask_read(p, &a, e);

	(void)o;
	if (rc == ERR_OK && n.n > 0 && !str_is(n, "1"))
		rc = err_set(e, ERR_UNSUPPORTED_PARAMETER, "n",
			     "a provider of dialect anthropic gives one choice: n must be 1");
	if (rc == ERR_OK)
		rc = put_all(&a, out, e);
	ask_finish(&a);
	return rc;
}
