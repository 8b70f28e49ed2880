/* A prompt as a request of Google's Interactions API.
 *
 * The history is a flat list of steps: what the user says, what the model said, its thoughts, its calls and their
 * results.  Nothing is stored at the provider: each request has the whole history.  Thoughts stand before the
 * steps that they led to.  Sources: ai.google.dev/gemini-api/docs/interactions, /function-calling and /thinking; the
 * types of google-genai 3.6 (CreateModelInteraction, GenerationConfig, Step). */
#include "provider/interactions/interactions.h"

#include "base/limits.h"
#include "lmc/warnings.h"
#include "provider/ask.h"
#include "provider/ask_param.h"
#include "provider/gemini/gemini.h"

#include <stdio.h>

#define NAME "gemini-interactions"

enum { ROOT, CONFIG };
enum { STOPS = 5 }; /* the most that the models take */

static const struct ask_param params[] = {
	{ .key = "temperature", .rule = ASK_SENT, .group = CONFIG, .least = 0, .most = 2 },
	{ .key = "top_p", .rule = ASK_SENT, .group = CONFIG },
	{ .key = "seed", .rule = ASK_SENT, .group = CONFIG },
	{ .key = "top_k", .rule = ASK_OWN },
	{ .key = "stop", .rule = ASK_OWN },
	{ .key = "tools", .rule = ASK_OWN },
	{ .key = "tool_choice", .rule = ASK_OWN },
	{ .key = "parallel_tool_calls", .rule = ASK_OWN },
	{ .key = "response_format", .rule = ASK_OWN },
	{ .key = "reasoning_effort", .rule = ASK_OWN },
	{ .key = "service_tier", .rule = ASK_OWN },
	{ .key = "n", .rule = ASK_OWN },
	{ .key = "generation_config", .rule = ASK_OWN },
	{ .key = "functions", .rule = ASK_REFUSED },
	{ .key = "audio", .rule = ASK_REFUSED },
	/* Members that this file prints, and those of a history, an agent or a run at the provider. */
	{ .key = "input", .rule = ASK_REFUSED },
	{ .key = "system_instruction", .rule = ASK_REFUSED },
	{ .key = "previous_interaction_id", .rule = ASK_REFUSED },
	{ .key = "continuation_token", .rule = ASK_REFUSED },
	{ .key = "background", .rule = ASK_REFUSED },
	{ .key = "webhook_config", .rule = ASK_REFUSED },
	{ .key = "agent", .rule = ASK_REFUSED },
	{ .key = "agent_config", .rule = ASK_REFUSED },
	{ .key = "environment", .rule = ASK_REFUSED },
	{ 0 },
};

/* --- contents --- */

/* interactions_kind: the API's word for a content of this type. */
static const char *interactions_kind(const struct ask_part *part, struct str type)
{
	if (str_starts(type, STR("image/")))
		return "image";
	if (str_starts(type, STR("audio/")))
		return "audio";
	if (str_starts(type, STR("video/")))
		return "video";
	return part->kind == ASK_IMAGE ? "image" : part->kind == ASK_AUDIO ? "audio" : "document";
}

static bool interactions_put_media(const char *kind, struct str type, const char *key,
				   struct str value, struct buf *out)
{
	return buf_fmt(out, "{\"type\":\"%s\",", kind) &&
	       (type.n == 0 ||
		(ask_put_string(out, "\"mime_type\":", type) && buf_text(out, ","))) &&
	       buf_fmt(out, "\"%s\":", key) && ask_put_string(out, "", value) && buf_text(out, "}");
}

static enum errc interactions_put_uri(const struct ask_part *part, struct buf *out, struct err *e)
{
	struct buf uri;

	buf_init(&uri, part->url.n + 1);
	bool       ok = json_unescape(part->url, &uri);
	struct str type = part->url_type.n > 0 ? part->url_type : gemini_type_of(buf_view(&uri));

	ok = ok &&
	     interactions_put_media(interactions_kind(part, type), type, "uri", part->url, out);
	buf_finish(&uri);
	return ok ? ERR_OK : ask_too_large(e);
}

/* interactions_is_document: whether the API reads documents of this type; of other texts, it gets the text. */
static bool interactions_is_document(struct str type)
{
	return str_is(type, "application/pdf") || str_is(type, "application/msword") ||
	       str_starts(type, STR("application/vnd.ms-")) ||
	       str_starts(type, STR("application/vnd.openxmlformats-officedocument.")) ||
	       str_starts(type, STR("application/vnd.oasis.opendocument."));
}

static enum errc interactions_put_part(const struct ask_message *m, const struct ask_part *part,
				       struct buf *out, struct err *e)
{
	const char *kind = interactions_kind(part, part->type);

	if (part->data.n == 0)
		return interactions_put_uri(part, out, e);
	if (ask_is_text(part)) {
		enum errc rc = buf_text(out, "{\"type\":\"text\",\"text\":\"")
				       ? ask_put_document(m, part, out, e)
				       : ask_too_large(e);

		return rc != ERR_OK || buf_text(out, "\"}") ? rc : ask_too_large(e);
	}
	if (strcmp(kind, "document") == 0 && !interactions_is_document(part->type))
		return ask_refuse_part(m, part, NAME, e);
	return interactions_put_media(kind, part->type, "data", part->data, out) ? ERR_OK
										 : ask_too_large(e);
}

/* --- thoughts --- */

static bool interactions_put_thought(struct str signature, bool *first, struct buf *out)
{
	return ask_put_comma(first, out) &&
	       ask_put_string(out, "{\"type\":\"thought\",\"signature\":", signature) &&
	       buf_text(out, "}");
}

/* The data that a client returns with a call. */
struct carried {
	struct json_doc doc;
	json_at thoughts; /* a list; JSON_ABSENT: the call's signature is that of its one thought */
	struct str own;   /* the call's own signature; empty: none */
};

/* interactions_read_carried: what a call carries in this dialect's own form; must be finished with json_doc_finish. */
static void interactions_read_carried(const struct ask_call *c, struct carried *ret)
{
	struct err e;

	*ret = (struct carried){ .thoughts = JSON_ABSENT };
	if (c->extra.n == 0 ||
	    json_scan(&ret->doc, c->extra.p, c->extra.n, &json_limits_upstream, &e) != ERR_OK)
		return;
	json_at google = json_get_some(&ret->doc, 0, "google");
	json_at own = json_is_kind(&ret->doc, google, JSON_OBJECT)
			      ? json_get_some(&ret->doc, google, INTERACTIONS_CARRIED)
			      : JSON_ABSENT;
	if (!json_is_kind(&ret->doc, own, JSON_OBJECT))
		return;
	json_at list = json_get_some(&ret->doc, own, "thoughts");

	ret->own = json_get_inner(&ret->doc, own, "call");
	if (json_is_kind(&ret->doc, list, JSON_ARRAY))
		ret->thoughts = list;
}

static struct str interactions_thought(const struct json_doc *doc, json_at i)
{
	return json_is_kind(doc, i, JSON_STRING) ? json_inner(doc, i) : STR_NONE;
}

/* interactions_is_signed: whether a call has thoughts, or a signature of its own. */
static bool interactions_is_signed(const struct ask_call *c)
{
	struct carried carried;

	interactions_read_carried(c, &carried);
	bool is = carried.own.n > 0 || (carried.thoughts == JSON_ABSENT && c->signature.n > 0);

	if (carried.thoughts != JSON_ABSENT)
		JSON_EACH (i, &carried.doc, carried.thoughts)
			is = is || interactions_thought(&carried.doc, i).n > 0;
	json_doc_finish(&carried.doc);
	return is;
}

/* interactions_put_thoughts: the thoughts that led to a call; those without a signature would be refused. */
static bool interactions_put_thoughts(const struct ask_call *c, bool *first, struct buf *out)
{
	struct carried carried;
	bool           ok = true;

	interactions_read_carried(c, &carried);
	if (carried.thoughts == JSON_ABSENT)
		ok = c->signature.n == 0 || interactions_put_thought(c->signature, first, out);
	else
		JSON_EACH (i, &carried.doc, carried.thoughts)
			ok = ok && (interactions_thought(&carried.doc, i).n == 0 ||
				    interactions_put_thought(interactions_thought(&carried.doc, i),
							     first, out));
	json_doc_finish(&carried.doc);
	return ok;
}

/* interactions_put_first: the thoughts of a message's first call, or, where no call of it is signed, a substitute: newer
 * models refuse calls without a signature. */
static bool interactions_put_first(const struct ask_message *m, bool *first, struct buf *out)
{
	bool is_signed = false;

	for (size_t i = 0; i < m->call_count; i++)
		is_signed = is_signed || interactions_is_signed(&m->calls[i]);
	return is_signed ? interactions_put_thoughts(&m->calls[0], first, out)
			 : interactions_put_thought(STR(GEMINI_NO_SIGNATURE), first, out);
}

/* --- steps --- */

static bool interactions_put_call(const struct ask_call *c, bool *first, struct buf *out)
{
	struct carried carried;

	interactions_read_carried(c, &carried);
	bool ok = ask_put_comma(first, out) &&
		  ask_put_string(out, "{\"type\":\"function_call\",\"id\":", c->id) &&
		  ask_put_string(out, ",\"name\":", c->name) && buf_text(out, ",\"arguments\":") &&
		  buf_str(out, c->input) &&
		  (carried.own.n == 0 || ask_put_string(out, ",\"signature\":", carried.own)) &&
		  buf_text(out, "}");
	json_doc_finish(&carried.doc);
	return ok;
}

/* interactions_put_images: the images that the model made, because the user may ask for a change of them. */
static bool interactions_put_images(const struct ask_message *m, bool *first, struct buf *out)
{
	for (size_t i = 0; i < m->image_count; i++) {
		const struct ask_part *part = &m->images[i];

		if (part->data.n > 0 &&
		    !(ask_put_comma(first, out) &&
		      interactions_put_media("image", part->type, "data", part->data, out)))
			return false;
	}
	return true;
}

static enum errc interactions_put_contents(const struct turns *t, const struct ask_message *m,
					   const char *step, bool *first, struct buf *out,
					   struct err *e)
{
	bool none = true;

	if (!ask_put_comma(first, out) || !buf_fmt(out, "{\"type\":\"%s\",\"content\":[", step))
		return ask_too_large(e);
	enum errc rc = turns_put_parts(t, m, &none, out, e);
	return rc != ERR_OK || (interactions_put_images(m, &none, out) && buf_text(out, "]}"))
		       ? rc
		       : ask_too_large(e);
}

static enum errc interactions_put_said(const struct turns *t, const struct ask_message *m,
				       bool *first, struct buf *out, struct err *e)
{
	bool      ok = true, images = false;
	enum errc rc = ERR_OK;

	for (size_t i = 0; i < m->image_count; i++) {
		images = images || m->images[i].data.n > 0;
		if (m->images[i].data.n > 0 && m->images[i].signature.n > 0)
			ok = ok && interactions_put_thought(m->images[i].signature, first, out);
	}
	if (m->call_count > 0)
		ok = ok && interactions_put_first(m, first, out);
	if (!ok)
		return ask_too_large(e);
	if (m->part_count > 0 || images)
		rc = interactions_put_contents(t, m, "model_output", first, out, e);
	for (size_t i = 0; rc == ERR_OK && i < m->call_count; i++)
		if ((i > 0 && !interactions_put_thoughts(&m->calls[i], first, out)) ||
		    !interactions_put_call(&m->calls[i], first, out))
			rc = ask_too_large(e);
	return rc;
}

/* interactions_put_result: a result is a text, or, with other media, a list of contents. */
static enum errc interactions_put_result(const struct turns *t, const struct ask_message *m,
					 bool *first, struct buf *out, struct err *e)
{
	bool plain = m->part_count <= 1 && (m->part_count == 0 || m->parts[0].kind == ASK_TEXT);
	bool none = true;
	enum errc rc = ERR_OK;

	if (!ask_put_comma(first, out) ||
	    !ask_put_string(out, "{\"type\":\"function_result\",\"call_id\":", m->call_id) ||
	    (m->call_name.n > 0 && !ask_put_string(out, ",\"name\":", m->call_name)) ||
	    !buf_text(out, ",\"result\":"))
		return ask_too_large(e);
	if (plain)
		return ask_put_string(out, "", m->part_count > 0 ? m->parts[0].text : STR_NONE) &&
				       buf_text(out, "}")
			       ? ERR_OK
			       : ask_too_large(e);
	if (!buf_text(out, "["))
		return ask_too_large(e);
	rc = turns_put_parts(t, m, &none, out, e);
	return rc != ERR_OK || buf_text(out, "]}") ? rc : ask_too_large(e);
}

static enum errc interactions_put_steps(const struct turns *t, const struct ask_message *m,
					enum ask_role role, bool *first, struct buf *out,
					struct err *e)
{
	if (role == ASK_TOOL)
		return interactions_put_result(t, m, first, out, e);
	if (role == ASK_ASSISTANT)
		return interactions_put_said(t, m, first, out, e);
	return interactions_put_contents(t, m, "user_input", first, out, e);
}

static const struct turns interactions_turns = {
	.list = ",\"input\":[",
	.system = ",\"system_instruction\":\"",
	.system_end = "\"",
	.joins = NAME,
	.text = "{\"type\":\"text\",\"text\":\"",
	.images = true,
	.results_apart = true,
	.put_part = interactions_put_part,
	.put_steps = interactions_put_steps,
};

/* --- tools --- */

static bool interactions_put_tool(const struct ask_tool *t, struct buf *out)
{
	return ask_put_string(out, "{\"type\":\"function\",\"name\":", t->name) &&
	       (t->description.n == 0 ||
		ask_put_string(out, ",\"description\":", t->description)) &&
	       (gemini_schema_empty(t->parameters) ||
		(buf_text(out, ",\"parameters\":") && buf_str(out, t->parameters))) &&
	       buf_text(out, "}");
}

static bool interactions_put_tools(const struct ask *a, struct buf *out)
{
	if (!gemini_takes_tools(a))
		return true;
	for (size_t i = 0; i < a->tool_count; i++)
		if (!buf_text(out, i == 0 ? ",\"tools\":[" : ",") ||
		    !interactions_put_tool(&a->tools[i], out))
			return false;
	gemini_warn_of_tools(a);
	return buf_text(out, "]");
}

static bool interactions_put_choice(const struct ask *a, bool *first, struct buf *out)
{
	const char *word = NULL;

	if (!gemini_takes_tools(a))
		return true;
	switch (a->choice) {
	case ASK_CHOICE_ABSENT: return true;
	case ASK_CHOICE_AUTO: word = "auto"; break;
	case ASK_CHOICE_NONE: word = "none"; break;
	case ASK_CHOICE_ANY: word = "any"; break;
	case ASK_CHOICE_ONE: break;
	}
	if (!ask_put_comma(first, out) || !buf_text(out, "\"tool_choice\":"))
		return false;
	if (word)
		return buf_fmt(out, "\"%s\"", word);
	return buf_text(out, "{\"allowed_tools\":{\"mode\":\"any\",\"tools\":[") &&
	       ask_put_string(out, "", a->choice_name) && buf_text(out, "]}}");
}

/* --- generation_config --- */

static enum errc interactions_put_thinking(const struct prompt *p, bool *first, struct buf *out,
					   struct err *e)
{
	const char *level;
	bool        told;
	enum errc   rc = gemini_level(p, &level, &told, e);

	if (rc != ERR_OK || !level)
		return rc;
	return ask_put_comma(first, out) && buf_fmt(out, "\"thinking_level\":\"%s\"", level) &&
			       (!told || buf_text(out, ",\"thinking_summaries\":\"auto\""))
		       ? ERR_OK
		       : ask_too_large(e);
}

static enum errc interactions_put_config(const struct ask *a, struct buf *out, struct err *e)
{
	const struct prompt *p = a->prompt;
	struct buf           ours;
	bool                 first = p->max_tokens.n == 0;
	enum errc            rc = ERR_OK;

	if (ask_param_value(p, "top_k").n > 0)
		warnings_add(p->warnings, 0, "parameter_dropped",
			     "top_k was not sent: this provider has no such member");
	buf_init(&ours, LIMIT_UPSTREAM_ASK);
	if (!buf_text(&ours, "{") ||
	    (!first &&
	     !(buf_text(&ours, "\"max_output_tokens\":") && buf_str(&ours, p->max_tokens))) ||
	    !ask_put_stops(p, "\"stop_sequences\":", STOPS, false, &first, &ours) ||
	    !interactions_put_choice(a, &first, &ours))
		rc = ask_too_large(e);
	if (rc == ERR_OK)
		rc = interactions_put_thinking(p, &first, &ours, e);
	if (rc == ERR_OK)
		rc = ask_param_put(p, params, CONFIG, &first, &ours, e);
	if (rc == ERR_OK && !buf_text(&ours, "}"))
		rc = ask_too_large(e);
	if (rc == ERR_OK)
		rc = ask_param_merge(p, "generation_config", first ? STR_NONE : buf_view(&ours),
				     false, out, e);
	buf_finish(&ours);
	return rc;
}

static bool interactions_put_format(const struct ask *a, struct buf *out)
{
	return a->format == ASK_FORMAT_TEXT || !gemini_takes_format(a) ||
	       (buf_text(out, ",\"response_format\":{\"type\":\"text\",\"mime_type\":"
			      "\"application/json\"") &&
		(a->format != ASK_FORMAT_SCHEMA ||
		 (buf_text(out, ",\"schema\":") && buf_str(out, a->schema))) &&
		buf_text(out, "}"));
}

static bool interactions_put_tier(const struct prompt *p, struct buf *out)
{
	struct str tier = ask_param_value(p, "service_tier");
	static const struct {
		const char *word, *own;
	} tiers[] = {
		{ "\"default\"", "standard" },
		{ "\"standard\"", "standard" },
		{ "\"flex\"", "flex" },
		{ "\"priority\"", "priority" },
	};

	for (size_t i = 0; i < ARRAY_LEN(tiers); i++)
		if (str_is(tier, tiers[i].word))
			return buf_fmt(out, ",\"service_tier\":\"%s\"", tiers[i].own);
	if (tier.n > 0 && !str_is(tier, "\"auto\""))
		warnings_add(p->warnings, 0, "parameter_dropped",
			     "service_tier was not sent: this provider has default, flex and "
			     "priority alone");
	return true;
}

/* --- the request --- */

static enum errc interactions_put_all(const struct provider_options *o, const struct ask *a,
				      struct buf *out, struct err *e)
{
	const struct prompt *p = a->prompt;
	struct ask           own = *a;
	struct arena         arena;
	bool                 first = false;

	(void)o;
	arena_init(&arena, LIMIT_UPSTREAM_ASK);
	enum errc rc = gemini_media_fit(&own, &arena, e);
	if (rc == ERR_OK &&
	    !(buf_text(out, "{\"model\":") && buf_json_string(out, gemini_bare(p->model)) &&
	      buf_fmt(out, ",\"store\":false,\"stream\":%s", p->stream ? "true" : "false")))
		rc = ask_too_large(e);
	if (rc == ERR_OK)
		rc = turns_put(&interactions_turns, &own, out, e);
	arena_finish(&arena);
	if (rc == ERR_OK)
		rc = turns_put_system(&interactions_turns, a, out, e);
	if (rc == ERR_OK && !(interactions_put_tools(a, out) && interactions_put_format(a, out) &&
			      interactions_put_tier(p, out)))
		rc = ask_too_large(e);
	if (rc == ERR_OK)
		rc = interactions_put_config(a, out, e);
	if (rc == ERR_OK)
		rc = ask_param_put(p, params, ROOT, &first, out, e);
	if (rc == ERR_OK)
		rc = ask_param_rest(p, params, NAME, out, e);
	return rc != ERR_OK || buf_text(out, "}") ? rc : ask_too_large(e);
}

enum errc interactions_encode(const struct provider_options *o, const struct prompt *p,
			      struct buf *out, struct err *e)
{
	return ask_print(o, p, NAME, interactions_put_all, out, e);
}
