/* Reads what chunks and plain answers of OpenAI share: members, usage and finish reasons. */
#include "provider/openai/openai.h"

#include "base/limits.h"

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
		} else if (IS("x_groq"))
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
/* clang-format off */
static const struct {
	size_t      at; /* in struct usage */
	const char *within;
	const char *key;
	bool        first;
} openai_places[] = {
	{ offsetof(struct usage, cached_read), "prompt_tokens_details", "cached_tokens", true },
	{ offsetof(struct usage, cached_read), NULL, "prompt_cache_hit_tokens", false },  /* DeepSeek */
	{ offsetof(struct usage, cached_read), NULL, "cached_tokens", false },            /* Moonshot */
	{ offsetof(struct usage, cached_read), NULL, "cache_read_input_tokens", false },  /* LiteLLM */
	{ offsetof(struct usage, cached_write), "prompt_tokens_details", "cache_write_tokens", true },
	{ offsetof(struct usage, cached_write), "prompt_tokens_details", "cache_creation_input_tokens", false }, /* Qwen */
	{ offsetof(struct usage, cached_write), "prompt_tokens_details", "cache_creation_tokens", false },       /* LiteLLM */
	{ offsetof(struct usage, cached_write), NULL, "cache_creation_input_tokens", false },                    /* LiteLLM */
	{ offsetof(struct usage, reasoning), "completion_tokens_details", "reasoning_tokens", true },
};
/* clang-format on */

/* openai_usage_parts: *ret_plain: set to false if a count stands elsewhere than OpenAI has it. */
static void openai_usage_parts(const struct json_doc *doc, json_at usage, struct usage *ret,
			       bool *ret_plain)
{
	for (size_t i = 0; i < ARRAY_LEN(openai_places); i++) {
		const char *within = openai_places[i].within;
		json_at     at = within ? json_get_some(doc, usage, within) : usage;
		int64_t    *n = (int64_t *)(void *)((char *)ret + openai_places[i].at);

		if (*n > 0 || at == JSON_ABSENT)
			continue;
		*n = decode_count(doc, at, openai_places[i].key);
		if (*n > 0 &&
		    (!openai_places[i].first ||
		     !(doc->tok[json_get(doc, at, openai_places[i].key)].flags & JSON_INTEGER)))
			*ret_plain = false;
	}
}

/* is_whole: whether a count is absent, or written without a fraction. */
static bool is_whole(const struct json_doc *doc, json_at obj, const char *key)
{
	json_at i = json_get_some(doc, obj, key);

	return i == JSON_ABSENT || (doc->tok[i].flags & JSON_INTEGER);
}

bool openai_usage(const struct json_doc *doc, json_at i, struct usage *ret, bool *ret_plain)
{
	struct usage u = { .known = true };
	int64_t      out = -1, all = 0;

	*ret_plain = false;
	if (!json_is_kind(doc, i, JSON_OBJECT) || doc->tok[i].count == 0 ||
	    !decode_count_some(doc, i, "prompt_tokens", &u.in) ||
	    !decode_count_some(doc, i, "completion_tokens", &out) ||
	    (json_get_some(doc, i, "prompt_tokens") == JSON_ABSENT && out < 0))
		return false;
	*ret_plain = is_whole(doc, i, "prompt_tokens") && is_whole(doc, i, "completion_tokens");
	openai_usage_parts(doc, i, &u, ret_plain);
	if (!decode_count_some(doc, i, "total_tokens", &all))
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
