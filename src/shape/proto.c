/* Compares names in both spellings. */
#include "shape/proto.h"

#include "lmc/media.h"

#include <string.h>

enum { NAME_MAX = 64 };

/* proto_snake: the other spelling of a name. */
static struct str proto_snake(const char *name, char ret[NAME_MAX])
{
	size_t n = 0;

	for (const char *p = name; *p && n + 3 < NAME_MAX; p++) {
		bool upper = *p >= 'A' && *p <= 'Z';

		if (upper)
			ret[n++] = '_';
		ret[n++] = upper ? (char)(*p | 0x20) : *p;
	}
	return (struct str){ ret, n };
}

json_at proto_get(const struct json_doc *d, json_at object, const char *name)
{
	char    text[NAME_MAX];
	json_at at = json_get_some(d, object, name);

	if (at != JSON_ABSENT)
		return at;
	at = json_get_str(d, object, proto_snake(name, text));
	return at != JSON_ABSENT && json_kind(d, at) == JSON_NULL ? JSON_ABSENT : at;
}

bool proto_twice(const struct json_doc *d, json_at object, const char *name)
{
	char       text[NAME_MAX];
	struct str snake = proto_snake(name, text);

	return !str_is(snake, name) && json_get(d, object, name) != JSON_ABSENT &&
	       json_get_str(d, object, snake) != JSON_ABSENT;
}

bool proto_is(const struct json_doc *d, json_at key, const char *name)
{
	struct str key_text = json_inner(d, key);
	char       text[NAME_MAX];

	/* Most keys are other ones. */
	if (key_text.n == 0 || (key_text.p[0] != name[0] && key_text.p[0] != '\\'))
		return false;
	return json_is(d, key, name) || json_is_str(d, key, proto_snake(name, text));
}

bool proto_list(const struct json_doc *d, json_at at)
{
	return json_is_kind(d, at, JSON_ARRAY) || json_is_kind(d, at, JSON_OBJECT);
}

json_at proto_first(const struct json_doc *d, json_at list)
{
	return json_kind(d, list) == JSON_ARRAY ? json_first(d, list) : list;
}

size_t proto_count(const struct json_doc *d, json_at list)
{
	return json_kind(d, list) == JSON_ARRAY ? d->tok[list].count : 1;
}

enum errc proto_check_list(const struct json_doc *d, json_at at, size_t max, const char *path,
			   struct err *e)
{
	if (!proto_list(d, at))
		return err_set(e, ERR_INVALID_TYPE, path, "must be an array");
	if (proto_count(d, at) > max)
		return err_set(e, ERR_INVALID_VALUE, path, "must have at most %zu elements", max);
	return ERR_OK;
}

enum errc proto_base64(struct str escaped, const char *path, struct buf *out, struct err *e)
{
	size_t start = out->len;
	bool   ok = json_unescape(escaped, out);

	for (size_t i = start; ok && i < out->len; i++)
		if (out->data[i] == '-')
			out->data[i] = '+';
		else if (out->data[i] == '_')
			out->data[i] = '/';
	while (ok && out->len > start && out->data[out->len - 1] == '=')
		out->len--;
	while (ok && (out->len - start) % 4 != 0)
		ok = buf_text(out, "=");
	if (!ok)
		return err_no_memory(e);
	if (out->len > start && media_base64((struct str){ out->data + start, out->len - start }))
		return ERR_OK;
	return err_set(e, ERR_INVALID_VALUE, path, "must be base64");
}
