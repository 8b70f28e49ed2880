/* A prompt as a request of Amazon Bedrock's Converse API.
 *
 * Turns alternate between user and assistant, as at Anthropic; results of tools belong to the user's turn.  What
 * the API has no member for is a model's own, and goes into additionalModelRequestFields.  A mark of the cache is
 * a block after the marked one.  Source: Amazon's API reference, "Converse", and the service model
 * bedrock-runtime. */
#include "provider/bedrock/bedrock.h"

#include "base/limits.h"
#include "lmc/warnings.h"
#include "provider/anthropic/anthropic.h"
#include "provider/ask.h"
#include "provider/ask_param.h"
#include "provider/bedrock/bedrock_model.h"
#include "provider/decode.h"

#include <stdio.h>
#include <string.h>

enum { ROOT, TEMPERATURE, TOP_P }; /* groups of members: the last two are of inferenceConfig */

static const struct ask_param params[] = {
	{ .key = "temperature", .rule = ASK_SENT, .group = TEMPERATURE, .least = 0, .most = 1 },
	{ .key = "top_p", .rule = ASK_SENT, .as = "topP", .group = TOP_P },
	{ .key = "top_k", .rule = ASK_OWN },
	{ .key = "thinking", .rule = ASK_OWN },
	{ .key = "reasoning_effort", .rule = ASK_OWN },
	{ .key = "cache_control", .rule = ASK_OWN },
	{ .key = "service_tier", .rule = ASK_OWN },
	{ .key = "stop", .rule = ASK_OWN },
	{ .key = "tools", .rule = ASK_OWN },
	{ .key = "tool_choice", .rule = ASK_OWN },
	{ .key = "parallel_tool_calls", .rule = ASK_OWN },
	{ .key = "response_format", .rule = ASK_OWN },
	{ .key = "n", .rule = ASK_OWN },
	/* Members of the API. */
	{ .key = "guardrailConfig", .rule = ASK_SENT },
	{ .key = "promptVariables", .rule = ASK_SENT },
	{ .key = "additionalModelResponseFieldPaths", .rule = ASK_SENT },
	{ .key = "requestMetadata", .rule = ASK_SENT },
	{ .key = "performanceConfig", .rule = ASK_SENT },
	{ .key = "projectIdentifier", .rule = ASK_SENT },
	{ .key = "inferenceConfig", .rule = ASK_OWN },
	{ .key = "additionalModelRequestFields", .rule = ASK_OWN },
	{ .key = "outputConfig", .rule = ASK_OWN },
	{ .key = "serviceTier", .rule = ASK_OWN },
	{ .key = "functions", .rule = ASK_REFUSED },
	{ .key = "audio", .rule = ASK_REFUSED },
	/* Members that this file prints. */
	{ .key = "system", .rule = ASK_REFUSED },
	{ .key = "toolConfig", .rule = ASK_REFUSED },
	{ 0 },
};

/* --- parts --- */

/* The API's names of media types. */
struct format {
	const char *type, *name;
};
static const struct format image_formats[] = {
	{ "image/png", "png" },   { "image/jpeg", "jpeg" }, { "image/gif", "gif" },
	{ "image/webp", "webp" }, { NULL, NULL },
};
static const struct format audio_formats[] = {
	{ "audio/wav", "wav" },   { "audio/mpeg", "mp3" }, { "audio/ogg", "ogg" },
	{ "audio/flac", "flac" }, { "audio/aac", "aac" },  { NULL, NULL },
};
static const struct format document_formats[] = {
	{ "application/pdf", "pdf" },
	{ "text/csv", "csv" },
	{ "text/html", "html" },
	{ "text/markdown", "md" },
	{ "application/msword", "doc" },
	{ "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx" },
	{ "application/vnd.ms-excel", "xls" },
	{ "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx" },
	{ NULL, NULL },
};

static const char *bedrock_request_format_of(const struct format *list, struct str type)
{
	for (; list->type; list++)
		if (str_is(type, list->type))
			return list->name;
	return NULL;
}

static bool bedrock_request_put_bytes(const char *kind, const char *format,
				      const struct ask_part *part, struct buf *out)
{
	return buf_fmt(out, "{\"%s\":{\"format\":\"%s\"", kind, format) &&
	       ask_put_string(out, ",\"source\":{\"bytes\":", part->data) && buf_text(out, "}}}");
}

/* bedrock_request_put_name: a name of a document, in the characters that the API takes; the numbers make it the only one of the
 * request. */
static bool bedrock_request_put_name(const struct ask_message *m, const struct ask_part *part,
				     struct buf *out)
{
	char   name[128];
	size_t n = 0;

	for (size_t i = 0; i < part->name.n && part->name.p[i] != '.' && n + 1 < sizeof name; i++) {
		unsigned char c = (unsigned char)part->name.p[i];
		bool          plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || c == '-' || c == '(' || c == ')';

		name[n++] = plain ? (char)c : '-';
	}
	return buf_fmt(out, ",\"name\":\"%.*s%s%zu-%zu\"", (int)n, name, n > 0 ? " " : "document ",
		       m->index, part->index);
}

static bool bedrock_request_put_document(const struct ask_message *m, const char *format,
					 const struct ask_part *part, struct buf *out)
{
	return buf_fmt(out, "{\"document\":{\"format\":\"%s\"", format) &&
	       bedrock_request_put_name(m, part, out) &&
	       ask_put_string(out, ",\"source\":{\"bytes\":", part->data) && buf_text(out, "}}}");
}

static enum errc bedrock_request_put_part(const struct ask_message *m, const struct ask_part *part,
					  struct buf *out, struct err *e)
{
	const char *format = NULL;
	bool        ok = false;

	if (part->data.n == 0) /* the API fetches nothing */
		return ask_refuse_part(m, part, "bedrock", e);
	switch (part->kind) {
	case ASK_IMAGE:
		format = bedrock_request_format_of(image_formats, part->type);
		ok = format && bedrock_request_put_bytes("image", format, part, out);
		break;
	case ASK_AUDIO:
		format = bedrock_request_format_of(audio_formats, part->type);
		ok = format && bedrock_request_put_bytes("audio", format, part, out);
		break;
	case ASK_DOCUMENT:
		format = bedrock_request_format_of(document_formats, part->type);
		if (!format && ask_is_text(part))
			format = "txt";
		ok = format && bedrock_request_put_document(m, format, part, out);
		break;
	case ASK_TEXT:
	case ASK_KIND__COUNT: break;
	}
	if (!format)
		return ask_refuse_part(m, part, "bedrock", e);
	return ok ? ERR_OK : ask_too_large(e);
}

/* put_point: a mark of the cache, as a block of its own.  Its life stays, if it is one that the API has. */
static bool put_point(struct str mark, struct buf *out)
{
	struct json_doc d = { 0 };
	struct err      e;
	struct str      ttl = STR_NONE;

	if (json_scan(&d, mark.p, mark.n, &json_limits_upstream, &e) == ERR_OK)
		ttl = json_get_inner(&d, 0, "ttl");
	bool ok = buf_text(out, ",{\"cachePoint\":{\"type\":\"default\"") &&
		  (!(str_is(ttl, "5m") || str_is(ttl, "1h")) ||
		   ask_put_string(out, ",\"ttl\":", ttl)) &&
		  buf_text(out, "}}");
	json_doc_finish(&d);
	return ok;
}

/* --- turns --- */

/* bedrock_request_put_thought: a block of thinking, as Anthropic's clients return it. */
static bool bedrock_request_put_thought(const struct json_doc *d, json_at block, bool *first,
					struct buf *out)
{
	struct str data = json_get_inner(d, block, "data");

	if (json_get_is(d, block, "type", "redacted_thinking"))
		return data.n == 0 ||
		       (ask_put_comma(first, out) &&
			ask_put_string(out, "{\"reasoningContent\":{\"redactedContent\":", data) &&
			buf_text(out, "}}"));
	return ask_put_comma(first, out) &&
	       ask_put_string(out, "{\"reasoningContent\":{\"reasoningText\":{\"text\":",
			      json_get_inner(d, block, "thinking")) &&
	       ask_put_string(out, ",\"signature\":", json_get_inner(d, block, "signature")) &&
	       buf_text(out, "}}}");
}

/* bedrock_request_put_thinking: the thinking that led to a call. */
static bool bedrock_request_put_thinking(const struct ask_call *c, bool *first, struct buf *out)
{
	struct json_doc d = { 0 };
	struct buf      blocks;
	struct err      e;
	bool            none = true;

	if (c->extra.n == 0)
		return true;
	buf_init(&blocks, LIMIT_UPSTREAM_ASK);
	bool ok = buf_text(&blocks, "[") && anthropic_rules_thinking(c, &none, &blocks) &&
		  buf_text(&blocks, "]");
	if (ok && !none) {
		ok = json_scan(&d, blocks.data, blocks.len, &json_limits_stored, &e) == ERR_OK;
		for (json_at i = ok ? json_first(&d, 0) : 0; ok && i != json_end(&d, 0);
		     i = json_next(&d, i))
			ok = bedrock_request_put_thought(&d, i, first, out);
	}
	json_doc_finish(&d);
	buf_finish(&blocks);
	return ok;
}

/* bedrock_request_put_thoughts: the turn of a model that thinks begins with its thinking. */
static bool bedrock_request_put_thoughts(const struct ask_message *m, bool *first, struct buf *out)
{
	return m->call_count == 0 || bedrock_request_put_thinking(&m->calls[0], first, out);
}

static bool bedrock_request_put_calls(const struct ask_message *m, bool *first, struct buf *out)
{
	for (size_t i = 0; i < m->call_count; i++) {
		const struct ask_call *c = &m->calls[i];

		if ((i > 0 && !bedrock_request_put_thinking(c, first, out)) ||
		    !ask_put_comma(first, out) ||
		    !ask_put_string(out, "{\"toolUse\":{\"toolUseId\":", c->id) ||
		    !ask_put_string(out, ",\"name\":", c->name) || !buf_text(out, ",\"input\":") ||
		    !buf_str(out, c->input) || !buf_text(out, "}}"))
			return false;
	}
	return true;
}

/* bedrock_request_mark_of: the mark of a result, which may stand at one of its parts: within the result there is no place for
 * it. */
static struct str bedrock_request_mark_of(const struct ask_message *m)
{
	struct str mark = m->cache;

	for (size_t i = m->part_count; mark.n == 0 && i > 0; i--)
		mark = m->parts[i - 1].cache;
	return mark;
}

static enum errc bedrock_request_put_result(const struct turns *t, const struct ask_message *m,
					    bool *first, struct buf *out, struct err *e)
{
	struct turns within = *t;
	struct str   mark = t->put_point ? bedrock_request_mark_of(m) : STR_NONE;
	bool         none = true;

	within.put_point = NULL;
	if (!ask_put_comma(first, out) ||
	    !ask_put_string(out, "{\"toolResult\":{\"toolUseId\":", m->call_id) ||
	    !buf_text(out, ",\"content\":["))
		return ask_too_large(e);
	enum errc rc = turns_put_parts(&within, m, &none, out, e);
	if (rc != ERR_OK)
		return rc;
	return buf_text(out, "]}}") && (mark.n == 0 || put_point(mark, out)) ? ERR_OK
									     : ask_too_large(e);
}

static const struct turns turns = {
	.list = "{\"messages\":[",
	.user = "{\"role\":\"user\",\"content\":[",
	.assistant = "{\"role\":\"assistant\",\"content\":[",
	.system = ",\"system\":[",
	.system_end = "]",
	.text = "{\"text\":\"",
	.begin = "Hello.",
	.put_point = put_point,
	.put_part = bedrock_request_put_part,
	.put_result = bedrock_request_put_result,
	.put_before = bedrock_request_put_thoughts,
	.put_behind = bedrock_request_put_calls,
};

static enum errc put_messages(const struct ask *a, const struct bedrock_model *model,
			      struct buf *out, struct err *e)
{
	struct turns         own = turns;
	struct anthropic_ids ids;

	if (!model->cache)
		own.put_point = NULL;
	anthropic_ids_init(&ids);
	ids.most = 64;
	enum errc rc =
		anthropic_ids_name_all(&ids, a) ? turns_put(&own, a, out, e) : err_no_memory(e);
	if (rc == ERR_OK)
		rc = turns_put_system(&own, a, out, e);
	anthropic_ids_finish(&ids);
	return rc;
}

/* --- tools --- */

static enum errc bedrock_request_put_tool(const struct ask_tool      *t,
					  const struct bedrock_model *model, struct buf *out,
					  struct err *e)
{
	if (t->parameters.n > 0 && t->parameters.p[0] != '{')
		return err_set(e, ERR_INVALID_TYPE, "tools",
			       "the parameters of a tool must be an object");
	bool ok = ask_put_string(out, "{\"toolSpec\":{\"name\":", t->name) &&
		  (t->description.n == 0 ||
		   ask_put_string(out, ",\"description\":", t->description)) &&
		  buf_text(out, ",\"inputSchema\":{\"json\":") &&
		  anthropic_schema_object(t->parameters.n > 0 ? t->parameters : STR("{}"), out) &&
		  buf_text(out, "}}}") &&
		  (t->cache.n == 0 || !model->cache_tools || put_point(t->cache, out));
	return ok ? ERR_OK : ask_too_large(e);
}

static bool put_choice(const struct ask *a, struct buf *out)
{
	switch (a->choice) {
	case ASK_CHOICE_AUTO: return buf_text(out, ",\"toolChoice\":{\"auto\":{}}");
	case ASK_CHOICE_ANY: return buf_text(out, ",\"toolChoice\":{\"any\":{}}");
	case ASK_CHOICE_ONE:
		return ask_put_string(out,
				      ",\"toolChoice\":{\"tool\":{\"name\":", a->choice_name) &&
		       buf_text(out, "}}");
	case ASK_CHOICE_ABSENT:
	case ASK_CHOICE_NONE: break;
	}
	return true;
}

static bool has_calls(const struct ask *a)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->messages[i].role == ASK_TOOL || a->messages[i].call_count > 0)
			return true;
	return false;
}

static void warn_of_tools(const struct ask *a)
{
	bool strict = false;

	for (size_t i = 0; i < a->tool_count; i++)
		strict = strict || a->tools[i].strict;
	if (strict)
		warnings_add(a->prompt->warnings, 0, "parameter_dropped",
			     "strict was not sent: a provider of dialect bedrock does not enforce "
			     "schemas of tools for all models");
	if (a->one_call && a->choice != ASK_CHOICE_NONE)
		warnings_add(a->prompt->warnings, 0, "parameter_dropped",
			     "parallel_tool_calls was not sent: this provider can't be kept from "
			     "several calls at once");
}

/* bedrock_request_put_tools: the API has no choice `none`, and wants tools where the history has calls. */
static enum errc bedrock_request_put_tools(const struct ask *a, const struct bedrock_model *model,
					   struct buf *out, struct err *e)
{
	size_t    count = a->choice == ASK_CHOICE_NONE ? 0 : a->tool_count;
	enum errc rc = ERR_OK;

	if (count == 0)
		return !has_calls(
			       a) || buf_text(out,
					      ",\"toolConfig\":{\"tools\":[{\"toolSpec\":{\"name\":"
					      "\"none\",\"description\":\"There is no tool now; this "
					      "one must not be called.\",\"inputSchema\":{\"json\":"
					      "{\"type\":\"object\"}}}}]}")
			       ? ERR_OK
			       : ask_too_large(e);
	warn_of_tools(a);
	for (size_t i = 0; rc == ERR_OK && i < count; i++)
		rc = buf_text(out, i == 0 ? ",\"toolConfig\":{\"tools\":[" : ",")
			     ? bedrock_request_put_tool(&a->tools[i], model, out, e)
			     : ask_too_large(e);
	if (rc == ERR_OK && !(buf_text(out, "]") && put_choice(a, out) && buf_text(out, "}")))
		rc = ask_too_large(e);
	return rc;
}

/* --- other members --- */

/* read_rules: what Anthropic's models take together; others take all. */
static enum errc read_rules(const struct ask *a, const struct bedrock_model *model,
			    struct anthropic_rules *ret, struct err *e)
{
	const struct prompt *p = a->prompt;

	if (model->claude)
		return anthropic_rules_read(a, ret, e);
	*ret = (struct anthropic_rules){
		.temperature = true, .top_p = true, .top_k = true, .unthought = !model->thinks
	};
	if (model->thinks)
		ret->thinking = ask_param_value(p, "thinking");
	else if (ask_param_value(p, "thinking").n > 0)
		warnings_add(p->warnings, 0, "parameter_dropped",
			     "thinking was not sent: only Anthropic's models have it");
	return ERR_OK;
}

static enum errc put_inference(const struct prompt *p, const struct anthropic_rules *r,
			       struct buf *out, struct err *e)
{
	struct buf ours;
	bool       first = true;
	enum errc  rc = ERR_OK;

	buf_init(&ours, LIMIT_UPSTREAM_ASK);
	bool ok = buf_text(&ours, "{");
	if (p->max_tokens.n > 0)
		ok = ok && ask_put_comma(&first, &ours) && buf_text(&ours, "\"maxTokens\":") &&
		     buf_str(&ours, p->max_tokens);
	else if (r->thinking.n > 0 && r->max > 0) /* more than the thinking may take */
		ok = ok && ask_put_comma(&first, &ours) && buf_text(&ours, "\"maxTokens\":") &&
		     buf_int(&ours, r->max);
	if (!ok || !ask_put_stops(p, "\"stopSequences\":", 0, true, &first, &ours))
		rc = ask_too_large(e);
	if (rc == ERR_OK && r->temperature)
		rc = ask_param_put(p, params, TEMPERATURE, &first, &ours, e);
	if (rc == ERR_OK && r->top_p)
		rc = ask_param_put(p, params, TOP_P, &first, &ours, e);
	if (rc == ERR_OK && !buf_text(&ours, "}"))
		rc = ask_too_large(e);
	if (rc == ERR_OK)
		rc = ask_param_merge(p, "inferenceConfig", first ? STR_NONE : buf_view(&ours),
				     false, out, e);
	buf_finish(&ours);
	return rc;
}

static bool put_level(const struct anthropic_rules *r, struct buf *out)
{
	return !r->effort.level ||
	       buf_fmt(out, ",\"output_config\":{\"effort\":\"%s\"}", r->effort.level);
}

/* put_fields: the members that the API hands on to the model. */
static enum errc put_fields(const struct ask *a, const struct bedrock_model *model,
			    const struct anthropic_rules *r, struct buf *out, struct err *e)
{
	const struct prompt *p = a->prompt;
	struct buf           ours;
	enum errc            rc = ERR_OK;

	buf_init(&ours, LIMIT_UPSTREAM_ASK);
	if (!anthropic_rules_put(r, &ours) || (r->top_k && !bedrock_model_top_k(model, p, &ours)) ||
	    !(model->claude ? put_level(r, &ours) : bedrock_model_effort(model, p, &ours)))
		rc = ask_too_large(e);
	if (rc == ERR_OK)
		rc = ask_param_rest(p, params, "bedrock", &ours, e);
	if (rc == ERR_OK && ours.len > 0 && !buf_text(&ours, "}"))
		rc = ask_too_large(e);
	if (rc == ERR_OK && ours.len > 0)
		ours.data[0] = '{'; /* in the place of a comma */
	if (rc == ERR_OK)
		rc = ask_param_merge(p, "additionalModelRequestFields", buf_view(&ours), true, out,
				     e);
	buf_finish(&ours);
	return rc;
}

/* fit_schema: the schema as the model can be made to keep to it. */
static enum errc fit_schema(const struct ask *a, const struct bedrock_model *model, struct buf *ret,
			    struct err *e)
{
	struct anthropic_schema s = { 0 };

	if (!(model->claude ? anthropic_schema_put(a->schema, &s, ret) : buf_str(ret, a->schema)))
		return ask_too_large(e);
	return s.fault ? err_set(e, ERR_UNSUPPORTED_PARAMETER, "response_format",
				 "this provider can't enforce the schema: %s", s.fault)
		       : ERR_OK;
}

/* bedrock_request_put_format: a schema is a text here. */
static enum errc bedrock_request_put_format(const struct ask *a, const struct bedrock_model *model,
					    struct buf *out, struct err *e)
{
	struct buf schema, ours;
	enum errc  rc = ERR_OK;

	buf_init(&schema, LIMIT_UPSTREAM_ASK);
	buf_init(&ours, LIMIT_UPSTREAM_ASK);
	if (a->format == ASK_FORMAT_JSON)
		warnings_add(a->prompt->warnings, 0, "parameter_dropped",
			     "response_format json_object was not sent: this provider has "
			     "json_schema alone");
	if (a->format == ASK_FORMAT_SCHEMA) {
		rc = fit_schema(a, model, &schema, e);
		if (rc == ERR_OK &&
		    !(buf_text(&ours, "{\"textFormat\":{\"type\":\"json_schema\",\"structure\":{"
				      "\"jsonSchema\":{\"schema\":") &&
		      buf_json_string(&ours, buf_view(&schema)) && buf_text(&ours, "}}}}")))
			rc = ask_too_large(e);
	}
	if (rc == ERR_OK)
		rc = ask_param_merge(a->prompt, "outputConfig", buf_view(&ours), false, out, e);
	buf_finish(&schema);
	buf_finish(&ours);
	return rc;
}

static enum errc bedrock_request_put_tier(const struct prompt *p, struct buf *out, struct err *e)
{
	struct str               tier = ask_param_value(p, "service_tier");
	static const char *const tiers[] = { "\"default\"", "\"flex\"", "\"priority\"" };
	bool                     made = false;

	for (size_t i = 0; i < ARRAY_LEN(tiers); i++)
		made = made || str_is(tier, tiers[i]);
	if (made && !(buf_text(out, ",\"serviceTier\":{\"type\":") && buf_str(out, tier) &&
		      buf_text(out, "}")))
		return ask_too_large(e);
	if (tier.n > 0 && !made && !str_is(tier, "\"auto\""))
		warnings_add(p->warnings, 0, "parameter_dropped",
			     "service_tier was not sent: this provider has default, flex and "
			     "priority alone");
	return ask_param_alone(p, "serviceTier", made, out, e);
}

/* --- the request --- */

/* bedrock_request_forget_thinking: thinking is Anthropic's, and goes back only where the model may think. */
static void bedrock_request_forget_thinking(const struct ask *a)
{
	for (size_t i = 0; i < a->count; i++)
		for (size_t k = 0; k < a->messages[i].call_count; k++)
			a->messages[i].calls[k].extra = STR_NONE;
}

static enum errc bedrock_request_put_all(const struct provider_options *o, const struct ask *a,
					 struct buf *out, struct err *e)
{
	const struct prompt        *p = a->prompt;
	const struct bedrock_model *model = bedrock_model_of(p->model);
	struct anthropic_rules      rules;
	bool                        first = false;
	enum errc                   rc = read_rules(a, model, &rules, e);

	(void)o;
	if (rc != ERR_OK)
		return rc;
	if (rules.unthought)
		bedrock_request_forget_thinking(a);
	turns_mark_last(a, ask_param_value(p, "cache_control"));
	rc = put_messages(a, model, out, e);
	if (rc == ERR_OK)
		rc = bedrock_request_put_tools(a, model, out, e);
	if (rc == ERR_OK)
		rc = put_inference(p, &rules, out, e);
	if (rc == ERR_OK)
		rc = put_fields(a, model, &rules, out, e);
	if (rc == ERR_OK)
		rc = bedrock_request_put_format(a, model, out, e);
	if (rc == ERR_OK)
		rc = bedrock_request_put_tier(p, out, e);
	if (rc == ERR_OK)
		rc = ask_param_put(p, params, ROOT, &first, out, e);
	return rc != ERR_OK || buf_text(out, "}") ? rc : ask_too_large(e);
}

enum errc bedrock_encode(const struct provider_options *o, const struct prompt *p, struct buf *out,
			 struct err *e)
{
	return ask_print(o, p, "bedrock", bedrock_request_put_all, out, e);
}
