/* Reads the tokens that an interaction has cost, and members of its objects. */
#include "provider/interactions/interactions.h"

#include "json/scan.h"
#include "provider/decode.h"

enum errc interactions_object(const struct json_doc *doc, json_at obj, const char *key,
			      json_at *ret, struct err *e)
{
	json_at i = json_get_some(doc, obj, key);

	*ret = i;
	if (i == JSON_ABSENT || json_kind(doc, i) == JSON_OBJECT)
		return ERR_OK;
	return err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL,
		       "the provider sent a member %s that is no object", key);
}

static int32_t interactions_modality(const struct json_doc *doc, json_at usage, const char *list,
				     const char *modality)
{
	json_at counts = json_get_some(doc, usage, list);

	if (json_is_kind(doc, counts, JSON_ARRAY))
		JSON_EACH (i, doc, counts)
			if (json_is_kind(doc, i, JSON_OBJECT) &&
			    json_get_is(doc, i, "modality", modality))
				return usage_small(decode_count(doc, i, "tokens"));
	return 0;
}

/* Thoughts are not part of the output, as the API's total shows; a server whose total says otherwise is believed. */
enum errc interactions_usage(const struct json_doc *doc, json_at holder, struct usage *ret,
			     struct err *e)
{
	json_at   at;
	int64_t   in = 0, out = 0;
	enum errc rc = interactions_object(doc, holder, "usage", &at, e);
	enum usage_class class = usage_class_of(json_get_inner(doc, holder, "service_tier"));

	if (class != CLASS_UNTOLD)
		ret->class = (uint8_t) class;
	if (rc != ERR_OK || at == JSON_ABSENT)
		return rc;
	bool    in_ok = decode_count_some(doc, at, "total_input_tokens", &in);
	bool    out_ok = decode_count_some(doc, at, "total_output_tokens", &out);
	int64_t thought = decode_count(doc, at, "total_thought_tokens");
	int64_t tools = decode_count(doc, at, "total_tool_use_tokens");
	bool    within = thought > 0 && thought <= out &&
		      decode_count(doc, at, "total_tokens") == in + tools + out;
	struct usage next = {
		.known = in_ok && out_ok && in + out + thought > 0,
		.in = in + tools,
		.out = out + (within ? 0 : thought),
		.cached_read = decode_count(doc, at, "total_cached_tokens"),
		.reasoning = thought,
		.audio_in = interactions_modality(doc, at, "input_tokens_by_modality", "audio") -
			    interactions_modality(doc, at, "cached_tokens_by_modality", "audio"),
		.audio_out = interactions_modality(doc, at, "output_tokens_by_modality", "audio"),
		.image_out = interactions_modality(doc, at, "output_tokens_by_modality", "image"),
		.class = ret->class,
		.images = ret->images,
	};
	if (next.audio_in < 0)
		next.audio_in = 0;
	if (next.known)
		*ret = next;
	return ERR_OK;
}
