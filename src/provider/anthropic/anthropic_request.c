/* A prompt as a request of Anthropic's Messages API.
 *
 * Turns alternate between user and assistant: neighbouring messages of one role become one turn,
 * and the results of tools belong to the user's turn. System messages are not part of the turns.
 * Source: Anthropic's API reference, "Create a Message" (version 2023-06-01). */
#include "provider/anthropic/anthropic.h"

#include "base/hash.h"
#include "base/limits.h"
#include "lmc/warnings.h"
#include "provider/ask.h"
#include "provider/ask_param.h"

#include <ctype.h>

enum {
	ROOT,
	TEMPERATURE,
	TOP_P,
	TOP_K,
	CACHE
}; /* groups of members: all but the first may be left out */

static const struct ask_param params[] = {
	{ .key = "temperature", .rule = ASK_SENT, .group = TEMPERATURE, .least = 0, .most = 1 },
	{ .key = "top_p", .rule = ASK_SENT, .group = TOP_P },
	{ .key = "top_k", .rule = ASK_SENT, .group = TOP_K },
	{ .key = "thinking", .rule = ASK_OWN },
	{ .key = "reasoning_effort", .rule = ASK_OWN },
	{ .key = "service_tier", .rule = ASK_OWN },
	/* The last block that can be marked counts as marked. */
	{ .key = "cache_control", .rule = ASK_SENT, .group = CACHE },
	{ .key = "stop", .rule = ASK_OWN },
	{ .key = "tools", .rule = ASK_OWN },
	{ .key = "tool_choice", .rule = ASK_OWN },
	{ .key = "parallel_tool_calls", .rule = ASK_OWN },
	{ .key = "response_format", .rule = ASK_OWN },
	{ .key = "n", .rule = ASK_OWN },
	{ .key = "user", .rule = ASK_OWN },
	/* Members of the API that this file may print itself. */
	{ .key = "system", .rule = ASK_OWN },
	{ .key = "stop_sequences", .rule = ASK_OWN },
	{ .key = "output_config", .rule = ASK_OWN },
	{ .key = "output_format", .rule = ASK_OWN },
	{ .key = "functions", .rule = ASK_REFUSED },
	{ .key = "audio", .rule = ASK_REFUSED },
	{ 0 },
};

/* --- parts --- */

static bool put_source(struct buf *out, const struct ask_part *part)
{
	if (part->data.n == 0)
		return ask_put_string(out, ",\"source\":{\"type\":\"url\",\"url\":", part->url) &&
		       buf_text(out, "}");
	return ask_put_string(out,
			      ",\"source\":{\"type\":\"base64\",\"media_type\":", part->type) &&
	       ask_put_string(out, ",\"data\":", part->data) && buf_text(out, "}");
}

/* put_text_file: the API has no other type of text. */
static enum errc put_text_file(const struct ask_message *m, const struct ask_part *part,
			       struct buf *out, struct err *e)
{
	enum errc rc = ERR_OK;

	if (!buf_text(out,
		      ",\"source\":{\"type\":\"text\",\"media_type\":\"text/plain\",\"data\":\""))
		return ask_too_large(e);
	rc = ask_put_document(m, part, out, e);
	return rc != ERR_OK || buf_text(out, "\"}") ? rc : ask_too_large(e);
}

static enum errc anthropic_request_put_document(const struct ask_message *m,
						const struct ask_part *part, struct buf *out,
						struct err *e)
{
	enum errc rc = ERR_OK;

	if (part->data.n > 0 && !ask_is_text(part) && !str_is(part->type, "application/pdf"))
		return ask_refuse_part(m, part, "anthropic", e);
	if (!buf_text(out, "{\"type\":\"document\""))
		return ask_too_large(e);
	if (ask_is_text(part))
		rc = put_text_file(m, part, out, e);
	else if (!put_source(out, part))
		rc = ask_too_large(e);
	if (rc == ERR_OK &&
	    !((part->name.n == 0 || ask_put_string(out, ",\"title\":", part->name)) &&
	      turns_put_mark(part->cache, out) && buf_text(out, "}")))
		rc = ask_too_large(e);
	return rc;
}

static enum errc anthropic_request_put_part(const struct ask_message *m,
					    const struct ask_part *part, struct buf *out,
					    struct err *e)
{
	bool ok = false;

	switch (part->kind) {
	case ASK_IMAGE:
		ok = buf_text(out, "{\"type\":\"image\"") && put_source(out, part) &&
		     turns_put_mark(part->cache, out) && buf_text(out, "}");
		break;
	case ASK_DOCUMENT: return anthropic_request_put_document(m, part, out, e);
	case ASK_TEXT:
	case ASK_AUDIO:
	case ASK_KIND__COUNT: return ask_refuse_part(m, part, "anthropic", e);
	}
	return ok ? ERR_OK : ask_too_large(e);
}

/* --- turns --- */

/* put_thoughts: prints the thinking before the first call even before the text: the turn of a model
 * that thinks must begin with its thinking. */
static bool put_thoughts(const struct ask_message *m, bool *first, struct buf *out)
{
	return m->call_count == 0 || anthropic_rules_thinking(&m->calls[0], first, out);
}

static bool anthropic_request_put_calls(const struct ask_message *m, bool *first, struct buf *out)
{
	for (size_t i = 0; i < m->call_count; i++) {
		const struct ask_call *c = &m->calls[i];

		if ((i > 0 && !anthropic_rules_thinking(c, first, out)) ||
		    !ask_put_comma(first, out) ||
		    !ask_put_string(out, "{\"type\":\"tool_use\",\"id\":", c->id) ||
		    !ask_put_string(out, ",\"name\":", c->name) || !buf_text(out, ",\"input\":") ||
		    !buf_str(out, c->input) || !buf_text(out, "}"))
			return false;
	}
	return true;
}

static enum errc anthropic_request_put_result(const struct turns *t, const struct ask_message *m,
					      bool *first, struct buf *out, struct err *e)
{
	bool none = true;

	if (!ask_put_comma(first, out) ||
	    !ask_put_string(out, "{\"type\":\"tool_result\",\"tool_use_id\":", m->call_id) ||
	    !buf_text(out, ",\"content\":["))
		return ask_too_large(e);
	enum errc rc = turns_put_parts(t, m, &none, out, e);
	if (rc != ERR_OK)
		return rc;
	return buf_text(out, "]") && turns_put_mark(m->cache, out) && buf_text(out, "}")
		       ? ERR_OK
		       : ask_too_large(e);
}

static const struct turns turns = {
	.list = ",\"messages\":[",
	.user = "{\"role\":\"user\",\"content\":[",
	.assistant = "{\"role\":\"assistant\",\"content\":[",
	.system = ",\"system\":[",
	.system_end = "]",
	.text = "{\"type\":\"text\",\"text\":\"",
	.begin = "Hello.",
	.marks = true,
	.put_part = anthropic_request_put_part,
	.put_result = anthropic_request_put_result,
	.put_before = put_thoughts,
	.put_behind = anthropic_request_put_calls,
};

/* --- tools and other members --- */

/* The maxima of all strict tools together.  Source: "Schema complexity limits" of the page on
 * structured outputs; the API's errors name the same numbers. */
enum { STRICT_TOOLS = 20, STRICT_OPTIONAL = 24, STRICT_UNIONS = 16 };

/* The sums over the schemas of a request that were sent to be enforced. */
struct strict {
	unsigned tools, optional, unions;
};

/* strict_fault: why a tool can't be strict, too; NULL: it can. */
static const char *strict_fault(const struct strict *sum, const struct anthropic_schema *s)
{
	if (s->fault)
		return s->fault;
	/* A call of a tool without parameters has none. */
	if (s->narrowed)
		return "a part of it allows any properties";
	if (sum->tools >= STRICT_TOOLS)
		return "the request has 20 strict tools already";
	if (sum->optional + s->optional > STRICT_OPTIONAL)
		return "the strict tools would have more than 24 optional properties";
	if (sum->unions + s->unions > STRICT_UNIONS)
		return "the strict tools would have more than 16 unions of types";
	return NULL;
}

/* put_input_schema: *strict is false afterwards if the API can't enforce the schema. */
static bool put_input_schema(const struct ask *a, const struct ask_tool *t, struct strict *sum,
			     bool *strict, struct buf *out)
{
	struct str              plain = t->parameters.n > 0 ? t->parameters : STR("{}");
	struct anthropic_schema s = { 0 };
	struct buf              object;
	size_t                  before = out->len;

	if (!t->strict)
		return anthropic_schema_object(plain, out);
	buf_init(&object, LIMIT_UPSTREAM_ASK);
	bool ok = anthropic_schema_object(plain, &object) &&
		  anthropic_schema_put(buf_view(&object), &s, out);
	const char *fault = ok ? strict_fault(sum, &s) : NULL;
	if (fault) {
		warnings_add(
			a->prompt->warnings, 0, "parameter_dropped",
			"strict of the tool %.*s was not sent, as this provider can't enforce its "
			"schema: %s",
			t->name.n < 64 ? (int)t->name.n : 64, t->name.p, fault);
		out->len = before;
		ok = buf_str(out, buf_view(&object));
	} else {
		sum->tools++;
		sum->optional += s.optional;
		sum->unions += s.unions;
	}
	*strict = !fault;
	buf_finish(&object);
	return ok;
}

static bool anthropic_request_put_tool(const struct ask *a, const struct ask_tool *t,
				       struct strict *sum, struct buf *out)
{
	bool strict = false;

	return ask_put_string(out, "{\"name\":", t->name) &&
	       (t->description.n == 0 ||
		ask_put_string(out, ",\"description\":", t->description)) &&
	       buf_text(out, ",\"input_schema\":") && put_input_schema(a, t, sum, &strict, out) &&
	       turns_put_mark(t->cache, out) && buf_text(out, strict ? ",\"strict\":true}" : "}");
}

static bool anthropic_request_put_choice(const struct ask *a, struct buf *out)
{
	static const char *const words[] = {
		[ASK_CHOICE_ABSENT] = "auto", [ASK_CHOICE_AUTO] = "auto",
		[ASK_CHOICE_NONE] = "none",   [ASK_CHOICE_ANY] = "any",
		[ASK_CHOICE_ONE] = "tool",
	};

	if (a->choice == ASK_CHOICE_ABSENT && !a->one_call)
		return true;
	return buf_fmt(out, ",\"tool_choice\":{\"type\":\"%s\"", words[a->choice]) &&
	       (a->choice != ASK_CHOICE_ONE || ask_put_string(out, ",\"name\":", a->choice_name)) &&
	       (!a->one_call || a->choice == ASK_CHOICE_NONE ||
		buf_text(out, ",\"disable_parallel_tool_use\":true")) &&
	       buf_text(out, "}");
}

static bool anthropic_request_put_tools(const struct ask *a, struct strict *sum, struct buf *out)
{
	if (a->tool_count == 0)
		return true;
	for (size_t i = 0; i < a->tool_count; i++)
		if (!buf_text(out, i == 0 ? ",\"tools\":[" : ",") ||
		    !anthropic_request_put_tool(a, &a->tools[i], sum, out))
			return false;
	return buf_text(out, "]") && anthropic_request_put_choice(a, out);
}

/* make_format: makes the member `format` of output_config, as an object, or leaves it empty.  A schema that the
 * API can't enforce is refused. */
static enum errc make_format(const struct ask *a, struct strict *sum, struct buf *ret,
			     struct err *e)
{
	struct anthropic_schema s;

	if (a->format == ASK_FORMAT_JSON)
		warnings_add(
			a->prompt->warnings, 0, "parameter_dropped",
			"response_format json_object was not sent: this provider has json_schema "
			"alone");
	if (a->format != ASK_FORMAT_SCHEMA)
		return ERR_OK;
	if (!buf_text(ret, "{\"format\":{\"type\":\"json_schema\",\"schema\":") ||
	    !anthropic_schema_put(a->schema, &s, ret) || !buf_text(ret, "}}"))
		return ask_too_large(e);
	if (s.fault)
		return err_set(e, ERR_UNSUPPORTED_PARAMETER, "response_format",
			       "this provider can't enforce the schema: %s", s.fault);
	if (s.narrowed || s.bare)
		warnings_add(a->prompt->warnings, 0, "parameter_clamped",
			     "response_format: this provider gives only {} for an object whose "
			     "schema names no properties");
	sum->optional += s.optional;
	sum->unions += s.unions;
	return ERR_OK;
}

/* add_effort: adds the member `effort` to output_config, as make_format has made it. */
static bool put_level_of(const char *level, struct buf *config)
{
	if (!level)
		return true;
	if (config->len > 0)
		config->len--; /* its closing brace */
	return buf_fmt(config, "%s\"effort\":\"%s\"}", config->len > 0 ? "," : "{", level);
}

static enum errc anthropic_request_put_format(const struct prompt *p, struct str ours,
					      struct buf *out, struct err *e)
{
	enum errc rc = ask_param_merge(p, "output_config", ours, false, out, e);

	/* The older name of output_config.format. */
	return rc != ERR_OK ? rc : ask_param_alone(p, "output_format", ours.n > 0, out, e);
}

/* is_opaque: whether the API takes an id of a user.  It refuses more than 256 characters, and what it takes for an
 * address of mail or a number of a telephone. */
static bool is_opaque(struct str id)
{
	bool letters = false;

	for (size_t i = 0; i < id.n; i++) {
		if (!isalnum((unsigned char)id.p[i]) && !strchr("_-.:", id.p[i]))
			return false;
		letters = letters || isalpha((unsigned char)id.p[i]);
	}
	return id.n <= 256 && (letters || id.n < 7);
}

/* put_user: an id that the API would refuse is sent as its hash, which is the same each time. */
static bool put_user(const struct prompt *p, struct buf *out)
{
	struct str    user = ask_param_value(p, "user");
	bool          string = user.n > 2 && user.p[0] == '"';
	unsigned char digest[HASH_BYTES];
	char          hex[HASH_HEX + 1];
	struct str    id = string ? (struct str){ user.p + 1, user.n - 2 } : user;

	if (id.n == 0 || str_is(id, "\"\""))
		return true;
	if (!string || !is_opaque(id)) {
		hash_sha256(id.p, id.n, digest);
		hash_hex(digest, sizeof digest, hex);
		id = str_of(hex);
	}
	return ask_put_string(out, ",\"metadata\":{\"user_id\":", id) && buf_text(out, "}");
}

/* put_tier: OpenAI's `default` is what this API calls standard_only: no capacity that was bought before. */
static bool put_tier(const struct anthropic_host *host, const struct prompt *p, struct buf *out)
{
	struct str tier = ask_param_value(p, "service_tier");

	if (host->name) {
		if (tier.n > 0)
			warnings_add(p->warnings, 0, "parameter_dropped",
				     "service_tier was not sent: Claude has none at %s",
				     host->name);
		return true;
	}

	if (str_is(tier, "\"default\""))
		tier = STR("\"standard_only\"");
	if (str_is(tier, "\"auto\"") || str_is(tier, "\"standard_only\""))
		return buf_text(out, ",\"service_tier\":") && buf_str(out, tier);
	if (tier.n > 0)
		warnings_add(p->warnings, 0, "parameter_dropped",
			     "service_tier was not sent: this provider has auto and default alone");
	return true;
}

static enum errc put_stops(const struct prompt *p, struct buf *out, struct err *e)
{
	bool first = false;

	if (!ask_put_stops(p, "\"stop_sequences\":", 0, true, &first, out))
		return ask_too_large(e);
	return ask_param_alone(p, "stop_sequences", ask_param_value(p, "stop").n > 0, out, e);
}

/* forget_thinking: the API refuses thinking in the last answer of a request without it. */
static void forget_thinking(const struct ask *a)
{
	for (size_t i = 0; i < a->count; i++)
		for (size_t k = 0; k < a->messages[i].call_count; k++)
			a->messages[i].calls[k].extra = STR_NONE;
}

/* trim_prefill: the API refuses an answer to continue that ends with white space. */
static void trim_prefill(const struct ask *a)
{
	const struct ask_message *m = a->count > 0 ? &a->messages[a->count - 1] : NULL;

	if (m && m->role == ASK_ASSISTANT && m->call_count == 0 && m->part_count > 0) {
		struct ask_part *last = &m->parts[m->part_count - 1];

		last->text = ask_shown(last->text);
	}
}

static enum errc anthropic_request_put_messages(const struct ask *a, struct buf *out, struct err *e)
{
	struct anthropic_ids ids;
	size_t               before = out->len;
	enum errc            rc = turns_put_system(&turns, a, out, e);

	if (rc == ERR_OK)
		rc = ask_param_alone(a->prompt, "system", out->len > before, out, e);
	trim_prefill(a);
	anthropic_ids_init(&ids);
	if (rc == ERR_OK)
		rc = anthropic_ids_name_all(&ids, a) ? turns_put(&turns, a, out, e)
						     : err_no_memory(e);
	anthropic_ids_finish(&ids);
	return rc;
}

/* put_controls: prints what stands beside the messages. */
static enum errc put_controls(const struct ask *a, const struct anthropic_rules *r, struct buf *out,
			      struct err *e)
{
	const struct prompt *p = a->prompt;
	struct strict        sum = { 0 };
	struct buf           format;

	for (size_t i = 0; i < a->tool_count; i++)
		if (a->tools[i].parameters.n > 0 && a->tools[i].parameters.p[0] != '{')
			return err_set(e, ERR_INVALID_TYPE, "tools",
				       "the parameters of a tool must be an object");
	buf_init(&format, LIMIT_UPSTREAM_ASK);
	enum errc rc = make_format(a, &sum, &format, e);
	if (rc == ERR_OK &&
	    !(put_level_of(r->effort.level, &format) && anthropic_request_put_tools(a, &sum, out)))
		rc = ask_too_large(e);
	if (rc == ERR_OK)
		rc = put_stops(p, out, e);
	if (rc == ERR_OK)
		rc = anthropic_request_put_format(p, buf_view(&format), out, e);
	buf_finish(&format);
	return rc;
}

static enum errc put_params(const struct anthropic_host *host, const struct prompt *p,
			    const struct anthropic_rules *r, struct buf *out, struct err *e)
{
	const bool sent[] = {
		[ROOT] = true,      [TEMPERATURE] = r->temperature, [TOP_P] = r->top_p,
		[TOP_K] = r->top_k, [CACHE] = !host->name,
	};
	bool      first = false;
	enum errc rc = anthropic_rules_put(r, out) ? ERR_OK : ask_too_large(e);

	for (unsigned i = 0; rc == ERR_OK && i < ARRAY_LEN(sent); i++)
		if (sent[i])
			rc = ask_param_put(p, params, i, &first, out, e);
	return rc != ERR_OK ? rc : ask_param_rest(p, params, "anthropic", out, e);
}

static bool anthropic_request_put_model(const struct anthropic_host *host, const struct prompt *p,
					struct buf *out)
{
	return !host->model || (buf_text(out, "\"model\":") && buf_json_string(out, p->model) &&
				buf_text(out, ","));
}

static bool anthropic_request_put_max(const struct prompt *p, const struct anthropic_rules *r,
				      struct buf *out)
{
	return buf_text(out, "\"max_tokens\":") &&
	       (r->max > 0 ? buf_int(out, r->max) : buf_str(out, p->max_tokens));
}

static enum errc anthropic_request_put_all(const struct provider_options *o, const struct ask *a,
					   struct buf *out, struct err *e)
{
	const struct prompt   *p = a->prompt;
	struct anthropic_rules rules;
	enum errc              rc = anthropic_rules_read(a, &rules, e);

	const struct anthropic_host *host = anthropic_host_of(o);

	if (rc == ERR_OK && rules.unthought)
		forget_thinking(a);
	/* Others than Anthropic take no mark of the whole request. */
	if (host->name)
		turns_mark_last(a, ask_param_value(p, "cache_control"));
	if (rc == ERR_OK &&
	    !(buf_text(out, "{") && anthropic_request_put_model(host, p, out) &&
	      anthropic_request_put_max(p, &rules, out) && anthropic_host_put(o, p, out)))
		rc = ask_too_large(e);
	if (rc == ERR_OK)
		rc = anthropic_request_put_messages(a, out, e);
	if (rc == ERR_OK)
		rc = put_controls(a, &rules, out, e);
	if (rc == ERR_OK && !(put_user(p, out) && put_tier(host, p, out) &&
			      (!p->stream || !host->stream || buf_text(out, ",\"stream\":true"))))
		rc = ask_too_large(e);
	if (rc == ERR_OK)
		rc = put_params(host, p, &rules, out, e);
	return rc != ERR_OK || buf_text(out, "}") ? rc : ask_too_large(e);
}

enum errc anthropic_encode(const struct provider_options *o, const struct prompt *p,
			   struct buf *out, struct err *e)
{
	if (prompt_is_native(p, PROVIDER_MESSAGES))
		return anthropic_native(o, p, out, e);
	return ask_print(o, p, "anthropic", anthropic_request_put_all, out, e);
}
