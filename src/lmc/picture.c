/* Finds and prints the images of an answer. */
#include "lmc/picture.h"

#include "lmc/media.h"

bool picture_is(struct str part)
{
	return part.n > 0 && part.p[0] == '{' && memmem(part.p, part.n, "\"image_url\"", 11);
}

json_at picture_list(const struct json_doc *d, json_at message)
{
	json_at list = json_get(d, message, "images");

	return list != JSON_ABSENT && json_kind(d, list) == JSON_ARRAY && d->tok[list].count > 0
		       ? list
		       : JSON_ABSENT;
}

json_at picture_url(const struct json_doc *d, json_at part)
{
	json_at image = json_get(d, part, "image_url");
	json_at url = image != JSON_ABSENT && json_kind(d, image) == JSON_OBJECT
			      ? json_get(d, image, "url")
			      : image;

	return url != JSON_ABSENT && json_kind(d, url) == JSON_STRING ? url : JSON_ABSENT;
}

/* picture_read_url: the LMC format of an image, and its content from the URL; false: no image. */
static bool picture_read_url(struct str url, const char **ret_format, struct str *ret_content)
{
	static const struct {
		const char *type;
		const char *format;
	} kinds[] = {
		{ "image/png", "base64.png" },
		{ "image/jpeg", "base64.jpeg" },
		{ "image/gif", "base64.gif" },
		{ "image/webp", "base64.webp" },
	};
	char type[MEDIA_TYPE];

	if (media_data(url, type, ret_content))
		for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
			if (strcmp(type, kinds[i].type) == 0) {
				*ret_format = kinds[i].format;
				return true;
			}
	*ret_format = "url";
	*ret_content = url;
	return str_starts(url, STR("https://")) || str_starts(url, STR("http://"));
}

bool picture_read(const struct json_doc *d, json_at part, struct picture *ret)
{
	json_at        url = picture_url(d, part);
	struct picture p = { 0 };

	if (url == JSON_ABSENT)
		return false;
	struct str text = json_inner(d, url);
	bool       ok = true;
	buf_init(&p.plain, text.n);
	if (d->tok[url].flags & JSON_ESCAPED) {
		ok = json_unescape(text, &p.plain);
		text = buf_view(&p.plain);
	}
	if (ok && picture_read_url(text, &p.format, &p.content)) {
		*ret = p;
		return true;
	}
	buf_finish(&p.plain);
	return false;
}

void picture_finish(struct picture *p)
{
	buf_finish(&p->plain);
}

bool picture_format(const struct picture *p, struct buf *out)
{
	return buf_fmt(out, ",\"format\":\"%s\"", p->format);
}

bool picture_content(const struct picture *p, struct buf *out)
{
	return buf_text(out, ",\"content\":") && buf_json_string(out, p->content);
}
