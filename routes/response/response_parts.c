/* Parts of content: texts, images, files, audio. */
#include "routes/response/internal.h"

#include "base/id.h"
#include "base/limits.h"
#include "lmc/media.h"

#include <stdio.h>

bool response_parts_is_text(const struct json_doc *d, json_at part)
{
	return json_get_is(d, part, "type", "input_text") ||
	       json_get_is(d, part, "type", "output_text") || json_get_is(d, part, "type", "text");
}

bool response_parts_is_upload(const struct json_doc *d, json_at part)
{
	struct id id;

	return json_kind(d, part) == JSON_OBJECT &&
	       file_id_parse(json_get_inner(d, part, "file_id"), true, &id);
}

/* parts_one_of: the member that is given; two are refused, because one of them would be dropped. */
static bool parts_one_of(const struct response_draft *x, json_at part, const char *place,
			 const char *const *keys, size_t count, const char **ret_key, json_at *ret)
{
	*ret_key = keys[0];
	for (size_t i = count; i > 0; i--)
		if (json_get_some(x->d, part, keys[i - 1]) != JSON_ABSENT)
			*ret_key = keys[i - 1];
	for (size_t i = 0; i < count; i++)
		if (keys[i] != *ret_key && json_get_some(x->d, part, keys[i]) != JSON_ABSENT) {
			char text[96];

			snprintf(text, sizeof text, "must be left out where %s is given", *ret_key);
			return response_draft_refuse(x, ERR_INVALID_VALUE, text, "%s.%s", place,
						     keys[i]);
		}
	return response_draft_string(x, part, place, *ret_key, ret);
}

/* parts_put_image: an uploaded file is put into the message by run/attach. */
static bool parts_put_image(const struct response_draft *x, json_at part, const char *place,
			    struct buf *out)
{
	static const char *const keys[] = { "image_url", "file_id" };
	const char              *key;
	json_at                  value = JSON_ABSENT;
	json_at                  detail = json_get_some(x->d, part, "detail");

	if (!parts_one_of(x, part, place, keys, ARRAY_LEN(keys), &key, &value))
		return false;
	return (response_draft_raw(x, out,
				   key == keys[0]
					   ? "{\"type\":\"image_url\",\"image_url\":{\"url\":"
					   : "{\"type\":\"image_url\",\"image_url\":{\"uuid\":",
				   value) &&
		(detail == JSON_ABSENT || response_draft_raw(x, out, ",\"detail\":", detail)) &&
		buf_text(out, "}}")) ||
	       response_draft_full(x);
}

/* parts_put_url: where only the provider itself reads the file, the message keeps its address. */
static bool parts_put_url(struct response_draft *x, json_at url, struct buf *out)
{
	response_draft_keep(x, true);
	return (response_draft_raw(x, out, "{\"type\":\"text\",\"text\":", url) &&
		buf_text(out, "}")) ||
	       response_draft_full(x);
}

static bool parts_put_file(struct response_draft *x, json_at part, const char *place,
			   struct buf *out)
{
	static const char *const keys[] = { "file_data", "file_id", "file_url" };
	const char              *key;
	json_at                  value = JSON_ABSENT;
	json_at                  name = json_get_some(x->d, part, "filename");

	if (!parts_one_of(x, part, place, keys, ARRAY_LEN(keys), &key, &value))
		return false;
	if (key == keys[2] && x->reading->passes)
		return parts_put_url(x, value, out);
	if (key == keys[2])
		return response_draft_refuse(
			x, ERR_NOT_SUPPORTED_YET,
			"a file must be in file_data, as a data URL, or an uploaded file in file_id",
			"%s.%s", place, key);
	return (response_draft_raw(x, out,
				   key == keys[0] ? "{\"type\":\"file\",\"file\":{\"file_data\":"
						  : "{\"type\":\"file\",\"file\":{\"uuid\":",
				   value) &&
		(name == JSON_ABSENT || response_draft_raw(x, out, ",\"filename\":", name)) &&
		buf_text(out, "}}")) ||
	       response_draft_full(x);
}

static bool parts_put_audio(const struct response_draft *x, json_at part, const char *place,
			    struct buf *out)
{
	json_at audio = json_get_some(x->d, part, "input_audio");

	if (!json_is_kind(x->d, audio, JSON_OBJECT))
		return response_draft_refuse(x, ERR_INVALID_TYPE,
					     "must be an object: {data, format}", "%s.input_audio",
					     place);
	return (response_draft_raw(x, out, "{\"type\":\"input_audio\",\"input_audio\":", audio) &&
		buf_text(out, "}")) ||
	       response_draft_full(x);
}

static bool parts_put_text(const struct response_draft *x, json_at part, const char *place,
			   struct buf *out)
{
	json_at text;

	if (!response_draft_string(x, part, place, "text", &text))
		return false;
	return (response_draft_raw(x, out, "{\"type\":\"text\",\"text\":", text) &&
		buf_text(out, "}")) ||
	       response_draft_full(x);
}

bool response_parts_put(struct response_draft *x, json_at part, const char *place, struct buf *out)
{
	const struct json_doc *d = x->d;

	if (out->len > 0 && !buf_text(out, ","))
		return response_draft_full(x);
	if (response_parts_is_text(d, part))
		return parts_put_text(x, part, place, out);
	if (json_get_is(d, part, "type", "input_image"))
		return parts_put_image(x, part, place, out);
	if (json_get_is(d, part, "type", "input_file"))
		return parts_put_file(x, part, place, out);
	if (json_get_is(d, part, "type", "input_audio"))
		return parts_put_audio(x, part, place, out);
	return response_draft_refuse(
		x, ERR_INVALID_VALUE,
		"must be one of: input_text, input_image, input_file, input_audio", "%s.type",
		place);
}

bool response_parts_at(const struct response_draft *x, json_at part, const char *key, size_t n,
		       char ret[96])
{
	snprintf(ret, 96, ".%s[%zu]", key, n);
	if (n >= LIMIT_PARTS)
		return response_draft_refuse(x, ERR_INVALID_VALUE, "has too many parts", ".%s",
					     key);
	return json_kind(x->d, part) == JSON_OBJECT ||
	       response_draft_refuse(x, ERR_INVALID_TYPE, "must be an object", "%s", ret);
}

bool response_parts_read(struct response_draft *x, json_at content)
{
	const struct json_doc *d = x->d;
	struct buf             parts;
	char                   place[96];
	size_t                 n = 0;
	bool                   ok = true;

	if (d->tok[content].count == 1 && json_kind(d, json_first(d, content)) == JSON_OBJECT &&
	    response_parts_is_text(d, json_first(d, content))) {
		json_at text;

		return response_draft_string(x, json_first(d, content), ".content[0]", "text",
					     &text) &&
		       (response_draft_raw(x, &x->made, "", text) || response_draft_full(x));
	}
	buf_init(&parts, LIMIT_BODY_MAX);
	for (json_at i = json_first(d, content); ok && i != json_end(d, content);
	     i = json_next(d, i)) {
		if (x->reading->items && response_parts_is_upload(d, i))
			x->reading->items[x->item].upload = true;
		ok = response_parts_at(x, i, "content", n++, place) &&
		     response_parts_put(x, i, place, &parts);
	}
	if (ok && (!buf_text(&x->made, "[") || !buf_str(&x->made, buf_view(&parts)) ||
		   !buf_text(&x->made, "]")))
		ok = response_draft_full(x);
	buf_finish(&parts);
	return ok;
}

bool response_parts_image(struct response_draft *x, json_at item)
{
	struct buf *out = &x->media;
	json_at     result;

	if (!response_draft_string(x, item, "", "result", &result) || !response_draft_flush_said(x))
		return false;
	struct str  data = json_inner(x->d, result);
	const char *kind = media_kind_base64(data);
	return ((buf_text(out, out->len > 0 ? "," : "") &&
		 buf_fmt(out,
			 "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/%s;base64,",
			 kind ? kind : "png") &&
		 buf_str(out, data) && buf_text(out, "\"}}")) ||
		response_draft_full(x)) &&
	       response_draft_media(x, "", 0);
}
