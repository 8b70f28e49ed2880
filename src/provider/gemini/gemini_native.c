/* A request of Gemini's own API on its way to a provider that speaks it: the client's own bytes.  Only what has to differ is
 * replaced: the limit of tokens, members that the model refuses, ids and signatures that this gateway has made for answers of
 * other models.  A call of another model gets the signature that Google names for it.  Where the provider has refused a
 * signature, all of them go.  The model is in the place. */
#include "provider/gemini/gemini.h"

#include "base/limits.h"
#include "json/cut.h"
#include "json/member.h"
#include "provider/ask.h"
#include "provider/ask_param.h"
#include "shape/carry.h"
#include "shape/proto.h"

#include <string.h>

struct copy {
	const struct json_doc *doc;
	const struct prompt   *prompt;
	struct cut             cut;
	bool                   signs; /* the model refuses calls without any signature */
	struct buf more; /* members that generationConfig lacks, with commas between them */
};

/* --- contents --- */

static bool is_models(const struct json_doc *d, json_at content)
{
	return json_kind(d, content) == JSON_OBJECT && json_get_is(d, content, "role", "model");
}

/* native_keeps: whether a signature is sent. */
static bool native_keeps(const struct copy *c, json_at signature)
{
	struct str text = json_inner_of(c->doc, signature);

	return text.n > 0 && !c->prompt->bare && !carry_is_coded(text);
}

static json_at native_parts(const struct json_doc *d, json_at content)
{
	json_at parts = json_kind(d, content) == JSON_OBJECT ? json_get_some(d, content, "parts")
							     : JSON_ABSENT;

	return proto_list(d, parts) ? parts : JSON_ABSENT;
}

/* native_unsigned: whether the contents of the model from this one on have a call, and no signature with one. */
static bool native_unsigned(const struct copy *c, json_at from, json_at end)
{
	const struct json_doc *d = c->doc;
	bool                   calls = false;

	for (json_at i = from; i != end && is_models(d, i); i = json_next(d, i)) {
		json_at parts = native_parts(d, i);

		if (parts == JSON_ABSENT)
			continue;
		for (json_at k = proto_first(d, parts); k != json_end(d, parts);
		     k = json_next(d, k)) {
			if (json_kind(d, k) != JSON_OBJECT ||
			    proto_get(d, k, "functionCall") == JSON_ABSENT)
				continue;
			if (native_keeps(c, proto_get(d, k, "thoughtSignature")))
				return false;
			calls = true;
		}
	}
	return calls;
}

/* native_copy_call: the id of a call or of a result, unless the gateway has made it. */
static void native_copy_call(struct copy *c, json_at call)
{
	const struct json_doc *d = c->doc;
	struct cut_walk        w = { .cut = &c->cut };

	if (json_kind(d, call) != JSON_OBJECT)
		return;
	JSON_EACH_MEMBER (k, d, call)
		if (json_is(d, k, "id") &&
		    str_starts(json_inner_of(d, json_value(k)), STR(GEMINI_MADE_ID)))
			cut_leave(&w, json_member(d, k));
		else
			cut_stay(&w, json_member(d, k));
	cut_over(&w);
}

/* native_copy_part: *unsigned_call: the first call from here on gets Google's own signature. */
static void native_copy_part(struct copy *c, json_at part, bool *unsigned_call)
{
	const struct json_doc *d = c->doc;
	struct cut_walk        w = { .cut = &c->cut };
	bool                   call = false;

	if (json_kind(d, part) != JSON_OBJECT)
		return;
	JSON_EACH_MEMBER (k, d, part) {
		json_at value = json_value(k);

		if (proto_is(d, k, "thoughtSignature") &&
		    (json_kind(d, value) == JSON_NULL ||
		     (json_kind(d, value) == JSON_STRING && !native_keeps(c, value)))) {
			cut_leave(&w, json_member(d, k));
			continue;
		}
		cut_stay(&w, json_member(d, k));
		call = call || proto_is(d, k, "functionCall");
		if (proto_is(d, k, "functionCall") || proto_is(d, k, "functionResponse"))
			native_copy_call(c, value);
	}
	cut_over(&w);
	if (!call || !*unsigned_call)
		return;
	*unsigned_call = false;
	cut_bytes(&c->cut, cut_end_of(json_raw(d, part)) - 1, cut_end_of(json_raw(d, part)) - 1,
		  STR(",\"thoughtSignature\":\"" GEMINI_NO_SIGNATURE "\""));
}

/* native_has_calls: whether contents have anything that native_copy_contents might change. */
static bool native_has_calls(const struct copy *c, json_at contents)
{
	static const char *const words[] = { "unctionCall", "unction_call", "unctionResponse",
					     "unction_response", "hought" };
	struct str               raw = json_raw(c->doc, contents);

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (memmem(raw.p, raw.n, words[i], strlen(words[i])))
			return true;
	return false;
}

static void native_copy_contents(struct copy *c, json_at contents)
{
	const struct json_doc *d = c->doc;
	bool                   unsigned_call = false;
	bool                   before = false; /* the content before is of the model, too */

	if (!proto_list(d, contents) || !native_has_calls(c, contents))
		return;
	for (json_at i = proto_first(d, contents); i != json_end(d, contents);
	     i = json_next(d, i)) {
		bool    model = is_models(d, i);
		json_at parts = native_parts(d, i);

		if (!model || !before)
			unsigned_call =
				model && c->signs && native_unsigned(c, i, json_end(d, contents));
		before = model;
		if (parts == JSON_ABSENT)
			continue;
		for (json_at k = proto_first(d, parts); k != json_end(d, parts);
		     k = json_next(d, k))
			native_copy_part(c, k, &unsigned_call);
	}
}

/* --- generationConfig --- */

/* Members of the prompt that may be a model's defaults, and those of the client's by which it has said the same. */
static const struct {
	const char *key;
	const char *own[3];
} defaults[] = {
	{ "temperature", { "temperature" } },
	{ "top_p", { "topP" } },
	{ "top_k", { "topK" } },
	{ "seed", { "seed" } },
	{ "presence_penalty", { "presencePenalty" } },
	{ "frequency_penalty", { "frequencyPenalty" } },
	{ "stop", { "stopSequences" } },
	{ "response_format", { "responseMimeType", "responseSchema", "responseJsonSchema" } },
	{ "reasoning_effort", { "thinkingConfig" } },
};

static bool native_says(const struct json_doc *d, json_at config, const char *name)
{
	return config != JSON_ABSENT && json_kind(d, config) == JSON_OBJECT &&
	       proto_get(d, config, name) != JSON_ABSENT;
}

/* native_lacks: whether a member of the prompt is a default that the client has not said itself. */
static bool native_lacks(const struct json_doc *d, json_at config, struct str member)
{
	for (size_t i = 0; i < ARRAY_LEN(defaults); i++) {
		if (!json_member_is(member, str_of(defaults[i].key)))
			continue;
		for (size_t k = 0; k < ARRAY_LEN(defaults[i].own) && defaults[i].own[k]; k++)
			if (native_says(d, config, defaults[i].own[k]))
				return false;
		return true;
	}
	return false;
}

static enum errc native_put_config(const struct provider_options *o, const struct ask *a,
				   struct buf *out, struct err *e)
{
	bool first = true;

	(void)o;
	return gemini_config_put(a, &first, out, e);
}

/* find_more: what generationConfig gets besides the client's own. */
static enum errc find_more(struct copy *c, const struct provider_options *o, struct err *e)
{
	const struct json_doc *d = c->doc;
	json_at                config = proto_get(d, 0, "generationConfig");
	struct prompt          own = *c->prompt;
	struct str             list[ARRAY_LEN(defaults) + 2];
	size_t                 n = 0;

	if (native_says(d, config, "maxOutputTokens"))
		own.max_tokens = STR_NONE;
	for (size_t i = 0; i < own.member_count && n < ARRAY_LEN(defaults); i++)
		if (native_lacks(d, config, own.members[i]))
			list[n++] = own.members[i];
	if (n == 0 && own.max_tokens.n == 0)
		return ERR_OK;
	/* Older models take no JSON beside tools. */
	for (size_t i = 0; i < own.member_count && n < ARRAY_LEN(list); i++)
		if (json_member_is(own.members[i], STR("tools")) ||
		    json_member_is(own.members[i], STR("tool_choice")))
			list[n++] = own.members[i];
	own.native = NULL;
	own.messages = NULL;
	own.message_count = 0;
	own.members = list;
	own.member_count = n;
	return ask_print(o, &own, "gemini", native_put_config, &c->more, e);
}

static bool is_sampling(const struct json_doc *d, json_at key)
{
	return proto_is(d, key, "temperature") || proto_is(d, key, "topP") ||
	       proto_is(d, key, "topK");
}

static void copy_config(struct copy *c, json_at config)
{
	const struct json_doc *d = c->doc;
	struct cut_walk        w = { .cut = &c->cut };
	struct str             all = json_raw(d, config);
	struct str             most = c->prompt->max_tokens;

	if (json_kind(d, config) != JSON_OBJECT)
		return;
	JSON_EACH_MEMBER (k, d, config) {
		struct str value = json_raw(d, json_value(k));

		/* A null says nothing, and its member would be there twice. */
		if ((c->prompt->unsampled && is_sampling(d, k)) ||
		    (c->more.len > 0 && json_kind(d, json_value(k)) == JSON_NULL)) {
			cut_leave(&w, json_member(d, k));
			continue;
		}
		cut_stay(&w, json_member(d, k));
		if (most.n > 0 && proto_is(d, k, "maxOutputTokens") && !str_eq(value, most))
			cut_bytes(&c->cut, value.p, cut_end_of(value), most);
	}
	cut_over(&w);
	if (c->more.len == 0)
		return;
	cut_bytes(&c->cut, cut_end_of(all) - 1, cut_end_of(all) - 1, w.kept ? STR(",") : STR_NONE);
	c->cut.failed = c->cut.failed || !buf_str(c->cut.out, buf_view(&c->more));
	buf_clear(&c->more);
}

/* --- the request --- */

/* native_copy_model: within the request that is counted, the model has its name once more. */
static void native_copy_model(struct copy *c, json_at model)
{
	struct str raw = json_raw(c->doc, model);

	cut_bytes(&c->cut, raw.p, cut_end_of(raw), STR("\"models/"));
	c->cut.failed = c->cut.failed ||
			!buf_json_escape(c->cut.out, gemini_bare(c->prompt->model)) ||
			!buf_text(c->cut.out, "\"");
}

static void copy_counted(struct copy *c, json_at request)
{
	const struct json_doc *d = c->doc;

	if (json_kind(d, request) != JSON_OBJECT)
		return;
	JSON_EACH_MEMBER (k, d, request)
		if (json_is(d, k, "model"))
			native_copy_model(c, json_value(k));
		else if (proto_is(d, k, "contents"))
			native_copy_contents(c, json_value(k));
}

/* native_is_void: a member that says nothing, and that the gateway has something to say for. */
static bool native_is_void(const struct copy *c, json_at key)
{
	const struct json_doc *d = c->doc;

	return json_kind(d, json_value(key)) == JSON_NULL &&
	       ((c->more.len > 0 && proto_is(d, key, "generationConfig")) ||
		(c->prompt->instruction.n > 0 && proto_is(d, key, "systemInstruction")));
}

static void native_copy_members(struct copy *c, struct cut_walk *w)
{
	const struct json_doc *d = c->doc;

	JSON_EACH_MEMBER (k, d, 0) {
		json_at value = json_value(k);

		if (json_is(d, k, "model") || native_is_void(c, k)) {
			cut_leave(w, json_member(d, k));
			continue;
		}
		cut_stay(w, json_member(d, k));
		if (proto_is(d, k, "contents"))
			native_copy_contents(c, value);
		else if (proto_is(d, k, "generationConfig"))
			copy_config(c, value);
		else if (c->prompt->native->count && proto_is(d, k, "generateContentRequest"))
			copy_counted(c, value);
	}
	cut_over(w);
}

/* native_put_rest: what the request has no member for yet; first: it has no member at all. */
static bool native_put_rest(struct copy *c, bool first)
{
	const struct prompt *p = c->prompt;
	struct buf          *out = c->cut.out;

	if (c->more.len > 0 &&
	    !(ask_put_comma(&first, out) && buf_text(out, "\"generationConfig\":{") &&
	      buf_str(out, buf_view(&c->more)) && buf_text(out, "}")))
		return false;
	return p->instruction.n == 0 || proto_get(c->doc, 0, "systemInstruction") != JSON_ABSENT ||
	       (ask_put_comma(&first, out) &&
		buf_text(out, "\"systemInstruction\":{\"parts\":[{\"text\":") &&
		buf_json_string(out, p->instruction) && buf_text(out, "}]}"));
}

enum errc gemini_native(const struct provider_options *o, const struct prompt *p, struct buf *out,
			struct err *e)
{
	struct str      all = json_raw(p->native->doc, 0);
	struct copy     c = { .doc = p->native->doc,
			      .prompt = p,
			      .cut = { .out = out, .at = all.p },
			      .signs = p->bare || gemini_model_of(p)->newer };
	struct cut_walk w = { .cut = &c.cut };
	enum errc       rc = ERR_OK;

	buf_init(&c.more, LIMIT_UPSTREAM_ASK);
	if (!buf_reserve(out, all.n))
		rc = ask_too_large(e);
	if (rc == ERR_OK && !p->native->count)
		rc = find_more(&c, o, e);
	if (rc == ERR_OK) {
		native_copy_members(&c, &w);
		cut_bytes(&c.cut, cut_end_of(all) - 1, cut_end_of(all) - 1, STR_NONE);
		c.cut.failed = c.cut.failed || !native_put_rest(&c, !w.kept);
		cut_bytes(&c.cut, cut_end_of(all), cut_end_of(all), STR_NONE);
		rc = c.cut.failed ? ask_too_large(e) : ERR_OK;
	}
	buf_finish(&c.more);
	return rc;
}
