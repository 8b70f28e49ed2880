/* Reads what chunks and plain answers of OpenAI share: members, usage and finish reasons. */
#include "provider/openai/openai.h"

#include "base/money.h"

#include <stddef.h>

struct str openai_member_cut(const struct json_doc *doc, json_at object, json_at key, size_t front)
{
	const struct json_tok *v = &doc->tok[json_value(key)];
	json_at                next = v->next;
	size_t                 from = front ? front : doc->tok[key].at;
	size_t                 to = (size_t)v->at + v->len;

	if (!front && next != json_end(doc, object))
		to = doc->tok[next].at;
	return (struct str){ doc->text + from, to - from };
}

void openai_top_read(const struct json_doc *doc, struct openai_top *ret)
{
	size_t front = 0;

	*ret = (struct openai_top){ 0 };
	if (json_kind(doc, 0) != JSON_OBJECT)
		return;
	JSON_EACH_MEMBER (k, doc, 0) {
		json_at v = json_value(k);

#define IS(literal) OPENAI_KEY(doc, k, literal)
		if (IS("id"))
			ret->id = v;
		else if (IS("object"))
			ret->object = v;
		else if (IS("created"))
			ret->created = v;
		else if (IS("model"))
			ret->model = v;
		else if (IS("choices"))
			ret->choices = v;
		else if (IS("error"))
			ret->error = v;
		else if (IS("usage")) {
			ret->usage = v;
			ret->usage_cut = openai_member_cut(doc, 0, k, front);
		} else if (IS("service_tier"))
			ret->tier = v;
		else if (IS("x_groq"))
			ret->aside = v;
#undef IS
		front = (size_t)doc->tok[v].at + doc->tok[v].len;
	}
}

bool openai_truthy(const struct json_doc *doc, json_at i)
{
	double n;

	if (i == JSON_ABSENT)
		return false;
	switch (json_kind(doc, i)) {
	case JSON_NULL:
	case JSON_FALSE: return false;
	case JSON_STRING: return doc->tok[i].len > 2;
	case JSON_NUMBER: return json_number(doc, i, &n) && n != 0;
	case JSON_TRUE:
	case JSON_ARRAY:
	case JSON_OBJECT: return true;
	}
	return true;
}

/* Where the counts stand that are part of others.  Of a count with several places, the first number
 * above 0 is taken; the first place is OpenAI's.  Sources: the API references of OpenAI, OpenRouter,
 * DeepSeek, Moonshot and Qwen (context cache); LiteLLM's class Usage. */
struct parts {
	int64_t read, written, reasoning, audio_in, audio_out, image_out;
};
enum within { WITHIN_USAGE, WITHIN_PROMPT, WITHIN_COMPLETION, WITHIN__COUNT };
/* clang-format off */
static const struct {
	size_t      at; /* in struct parts */
	enum within within;
	const char *key;
	bool        first;
} openai_places[] = {
	{ offsetof(struct parts, read), WITHIN_PROMPT, "cached_tokens", true },
	{ offsetof(struct parts, read), WITHIN_USAGE, "prompt_cache_hit_tokens", false },  /* DeepSeek */
	{ offsetof(struct parts, read), WITHIN_USAGE, "cached_tokens", false },            /* Moonshot */
	{ offsetof(struct parts, read), WITHIN_USAGE, "cache_read_input_tokens", false },  /* LiteLLM */
	{ offsetof(struct parts, written), WITHIN_PROMPT, "cache_write_tokens", true },
	{ offsetof(struct parts, written), WITHIN_PROMPT, "cache_creation_input_tokens", false }, /* Qwen */
	{ offsetof(struct parts, written), WITHIN_PROMPT, "cache_creation_tokens", false },       /* LiteLLM */
	{ offsetof(struct parts, written), WITHIN_USAGE, "cache_creation_input_tokens", false },  /* LiteLLM */
	{ offsetof(struct parts, audio_in), WITHIN_PROMPT, "audio_tokens", true },
	{ offsetof(struct parts, reasoning), WITHIN_COMPLETION, "reasoning_tokens", true },
	{ offsetof(struct parts, audio_out), WITHIN_COMPLETION, "audio_tokens", true },
	{ offsetof(struct parts, image_out), WITHIN_COMPLETION, "image_tokens", true }, /* OpenRouter */
};
/* clang-format on */

/* The members of a usage, found in one walk: most answers have no others. */
struct usage_members {
	json_at in, out, all;
	json_at within
		[WITHIN__COUNT]; /* objects that may have counts; JSON_ABSENT: this one has none */
};

static void usage_members_find(const struct json_doc *doc, json_at usage, struct usage_members *ret)
{
	*ret = (struct usage_members){ 0 };
	JSON_EACH_MEMBER (k, doc, usage) {
		json_at v = json_value(k);

		if (OPENAI_KEY(doc, k, "prompt_tokens"))
			ret->in = v;
		else if (OPENAI_KEY(doc, k, "completion_tokens"))
			ret->out = v;
		else if (OPENAI_KEY(doc, k, "total_tokens"))
			ret->all = v;
		else if (OPENAI_KEY(doc, k, "prompt_tokens_details"))
			ret->within[WITHIN_PROMPT] = v;
		else if (OPENAI_KEY(doc, k, "completion_tokens_details"))
			ret->within[WITHIN_COMPLETION] = v;
		else
			ret->within[WITHIN_USAGE] = usage;
	}
}

/* openai_usage_parts: *ret_plain: set to false if a count stands elsewhere than OpenAI has it. */
static void openai_usage_parts(const struct json_doc *doc, const struct usage_members *m,
			       struct usage *ret, bool *ret_plain)
{
	struct parts parts = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(openai_places); i++) {
		json_at  at = m->within[openai_places[i].within];
		int64_t *n = (int64_t *)(void *)((char *)&parts + openai_places[i].at);

		if (*n > 0 || !json_is_kind(doc, at, JSON_OBJECT))
			continue;
		json_at v = json_get(doc, at, openai_places[i].key);
		if (v == JSON_ABSENT || !decode_count_value(doc, v, n) || *n == 0)
			continue;
		if (!openai_places[i].first || !(doc->tok[v].flags & JSON_INTEGER))
			*ret_plain = false;
	}
	ret->cached_read = parts.read;
	ret->cached_write = parts.written;
	ret->reasoning = parts.reasoning;
	ret->audio_in = usage_small(parts.audio_in);
	ret->audio_out = usage_small(parts.audio_out);
	ret->image_out = usage_small(parts.image_out);
}

/* is_whole: whether a count is absent, or written without a fraction. */
static bool is_whole(const struct json_doc *doc, json_at i)
{
	return i == JSON_ABSENT || json_kind(doc, i) == JSON_NULL ||
	       (doc->tok[i].flags & JSON_INTEGER);
}

enum usage_class openai_class(const struct json_doc *doc, json_at tier)
{
	enum usage_class class = usage_class_of(json_inner_of(doc, tier));

	/* OpenAI calls its priority processing so. */
	return class == CLASS_FAST ? CLASS_PRIORITY : class;
}

static bool bill_read(const struct json_doc *doc, json_at usage, const char *key, int tens,
		      int64_t *ret)
{
	json_at v = json_get(doc, usage, key);

	return json_is_kind(doc, v, JSON_NUMBER) && money_number(json_raw(doc, v), tens, ret);
}

void openai_bill(const struct json_doc *doc, json_at usage, struct usage *ret)
{
	ret->billed = bill_read(doc, usage, "cost", 0, &ret->bill) ||
		      bill_read(doc, usage, "cost_in_usd_ticks", -10, &ret->bill);
}

bool openai_usage(const struct json_doc *doc, json_at i, struct usage *ret, bool *ret_plain)
{
	struct usage         u = { .known = true };
	struct usage_members m;
	int64_t              in = -1, out = -1, all = 0;

	*ret_plain = false;
	if (!json_is_kind(doc, i, JSON_OBJECT))
		return false;
	usage_members_find(doc, i, &m);
	if (!decode_count_value(doc, m.in, &in) || !decode_count_value(doc, m.out, &out) ||
	    (in < 0 && out < 0))
		return false;
	u.in = in > 0 ? in : 0;
	*ret_plain = is_whole(doc, m.in) && is_whole(doc, m.out);
	openai_usage_parts(doc, &m, &u, ret_plain);
	if (m.within[WITHIN_USAGE] != JSON_ABSENT) {
		openai_bill(doc, i, &u);
		u.class =
			(uint8_t)openai_class(doc, json_get(doc, i, "service_tier")); /* Mistral */
	}
	if (!decode_count_value(doc, m.all, &all))
		all = 0;
	if (out < 0) {
		out = all > u.in ? all - u.in : 0;
		*ret_plain = *ret_plain && out == 0;
	} else if (u.reasoning > 0 && all == u.in + out + u.reasoning) {
		/* xAI counts the reasoning beside the completion, and charges for both. */
		out += u.reasoning;
		*ret_plain = false;
	}
	u.out = out;
	*ret = u;
	return true;
}

enum errc openai_finish_word(const struct json_doc *doc, json_at i, struct str *ret,
			     bool *ret_changed, struct err *e)
{
	*ret = STR_NONE;
	*ret_changed = false;
	if (i == JSON_ABSENT || json_kind(doc, i) == JSON_NULL)
		return ERR_OK;
	if (json_kind(doc, i) != JSON_STRING)
		return err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL,
			       "the provider sent a finish_reason that is no string");

	struct str word = json_inner(doc, i);
	if (str_is(word, "error") || str_is(word, "abort"))
		return err_set(e, ERR_UPSTREAM_ERROR, NULL,
			       "the provider ended the answer with finish_reason \"%.*s\"",
			       STR_ARG(word));
	*ret_changed = word.n == 0 || str_is(word, "model_length");
	*ret = str_is(word, "model_length") ? STR("length") : word;
	return ERR_OK;
}

struct str openai_native(const struct json_doc *doc, json_at choice)
{
	struct str native = json_get_inner(doc, choice, "native_finish_reason");

	return native.n > 0 ? native : json_get_inner(doc, choice, "finish_reason");
}
