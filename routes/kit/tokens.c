/* Lists of texts, or of their tokens. */
#include "routes/kit/check.h"

#include "base/limits.h"

static bool tokens_is_token(const struct json_doc *d, json_at i)
{
	return json_kind(d, i) == JSON_NUMBER && (d->tok[i].flags & JSON_INTEGER) &&
	       json_raw(d, i).p[0] != '-';
}

/* check_tokens: checks all elements of a list within the input; `path` is that of the list. */
static enum errc tokens_check_list(const struct json_doc *d, json_at list, const char *path,
				   struct err *e)
{
	size_t n = 0;

	if (d->tok[list].count == 0)
		return err_set(e, ERR_INVALID_VALUE, path, "must not be empty");
	for (json_at i = json_first(d, list); i != json_end(d, list); i = json_next(d, i), n++) {
		char at[160];

		if (tokens_is_token(d, i))
			continue;
		check_path(at, "%s[%zu]", path, n);
		return err_set(e, ERR_INVALID_TYPE, at,
			       "must be a token, an integer of at least 0");
	}
	return ERR_OK;
}

/* check_each: checks that all elements of a list have the kind of the first one: texts, or lists of
 * tokens. */
static enum errc tokens_check_each(const struct json_doc *d, json_at list, const char *key,
				   struct err *e)
{
	enum json_kind kind = json_kind(d, json_first(d, list));
	size_t         n = 0;

	if (d->tok[list].count > LIMIT_EMBED)
		return err_set(e, ERR_INVALID_VALUE, key, "may have at most %d elements",
			       LIMIT_EMBED);
	JSON_EACH (i, d, list) {
		char path[160];

		check_path(path, "%s[%zu]", key, n++);
		if (json_kind(d, i) != kind)
			return err_set(e, ERR_INVALID_TYPE, path,
				       "must be of the same kind as %s[0]", key);
		if (kind == JSON_ARRAY && tokens_check_list(d, i, path, e) != ERR_OK)
			return e->code;
	}
	return ERR_OK;
}

enum errc tokens_read(const struct json_doc *d, json_at value, const char *key,
		      struct tokens_list *ret, struct err *e)
{
	enum json_kind kind = json_kind(d, value);

	*ret = (struct tokens_list){ .count = 1 };
	if (kind == JSON_STRING)
		return ERR_OK;
	if (kind == JSON_ARRAY && d->tok[value].count == 0)
		return err_set(e, ERR_INVALID_VALUE, key, "must not be empty");
	if (kind == JSON_ARRAY)
		kind = json_kind(d, json_first(d, value));
	else
		kind = JSON_NULL;
	switch (kind) {
	case JSON_NUMBER: ret->tokens = true; return tokens_check_list(d, value, key, e);
	case JSON_STRING:
	case JSON_ARRAY:
		ret->tokens = kind == JSON_ARRAY;
		ret->count = d->tok[value].count;
		return tokens_check_each(d, value, key, e);
	case JSON_NULL:
	case JSON_FALSE:
	case JSON_TRUE:
	case JSON_OBJECT: break;
	}
	return err_set(
		e, ERR_INVALID_TYPE, key,
		"must be a string, an array of strings, an array of tokens (integers), or an "
		"array of such arrays");
}
