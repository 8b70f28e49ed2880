/* Reads what chunks and plain answers of OpenAI share: members, usage and finish reasons. */
#include "provider/openai/openai.h"

#include "base/limits.h"

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
		}
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

bool openai_usage(const struct json_doc *doc, json_at i, struct usage *ret)
{
	if (!json_is_kind(doc, i, JSON_OBJECT))
		return false;

	json_at in = json_get(doc, i, "prompt_tokens_details");
	json_at out = json_get(doc, i, "completion_tokens_details");
	*ret = (struct usage){
		.known = true,
		.in = decode_count(doc, i, "prompt_tokens"),
		.out = decode_count(doc, i, "completion_tokens"),
		.cached_read = decode_count(doc, in, "cached_tokens"),
		.cached_write = decode_count(doc, in, "cache_write_tokens"),
		.reasoning = decode_count(doc, out, "reasoning_tokens"),
	};
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
