/* Rules shared by request bodies. */
#include "routes/kit/check.h"

#include "base/allowance.h"
#include "base/limits.h"
#include "base/money.h"

#include <stdarg.h>
#include <stdio.h>

const char check_money_must[] =
	"must be a decimal number above 0 with up to 9 places, up to 1000000000, such as 2.00";

enum errc check_money(const struct json_doc *d, json_at value, const char *path, int64_t *ret_nano,
		      struct err *e)
{
	enum json_kind kind = json_kind(d, value);
	struct str     text = kind == JSON_STRING ? json_inner_of(d, value) : json_raw(d, value);

	if (kind != JSON_STRING && kind != JSON_NUMBER)
		return err_set(e, ERR_INVALID_TYPE, path, "must be a string or a number");
	if (!allowance_read_money(text, ret_nano))
		return err_set(e, ERR_INVALID_VALUE, path, "%s", check_money_must);
	return ERR_OK;
}

void check_path(char ret[160], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ret, 160, fmt, ap);
	va_end(ap);
}

void check_element(char ret[160], struct str list, size_t n)
{
	char       digits[DECIMAL_MAX];
	struct str index = decimal_int((int64_t)n, digits);

	CHECK(list.n + index.n + 3 <= 160);
	memcpy(ret, list.p, list.n);
	ret[list.n] = '[';
	memcpy(ret + list.n + 1, index.p, index.n);
	memcpy(ret + list.n + 1 + index.n, "]", 2);
}

bool check_name(struct str name)
{
	if (name.n == 0 || name.n > LIMIT_NAME)
		return false;
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    c != '_' && c != '-')
			return false;
	}
	return true;
}

/* The unit is characters, so continuation bytes do not count. Escapes are decoded first. */
static size_t check_characters(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		if (((unsigned char)s.p[i] & 0xc0) != 0x80)
			n++;
	return n;
}

static bool check_within(const struct json_doc *d, json_at i, size_t max)
{
	struct arena scratch;
	struct str   value;

	if (json_raw(d, i).n > 6 * 4 * max + 2)
		return false;
	arena_init(&scratch, 64 * KIB);
	bool ok = json_text(d, i, &scratch, &value) && check_characters(value) <= max;
	arena_finish(&scratch);
	return ok;
}

enum errc check_metadata(const struct json_doc *d, json_at metadata, struct err *e)
{
	if (json_kind(d, metadata) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, "metadata", "must be an object of strings");
	if (d->tok[metadata].count > LIMIT_METADATA)
		return err_set(e, ERR_INVALID_VALUE, "metadata", "must have at most %d pairs",
			       LIMIT_METADATA);
	JSON_EACH_MEMBER (k, d, metadata) {
		struct str key = json_inner(d, k);
		char       path[160];

		check_path(path, "metadata.%.*s", (int)(key.n < 64 ? key.n : 64), key.p);
		if (!check_within(d, k, LIMIT_METADATA_KEY))
			return err_set(e, ERR_INVALID_VALUE, path,
				       "a key must have at most %d characters", LIMIT_METADATA_KEY);
		if (json_kind(d, json_value(k)) != JSON_STRING)
			return err_set(e, ERR_INVALID_TYPE, path, "must be a string");
		if (!check_within(d, json_value(k), LIMIT_METADATA_VALUE))
			return err_set(e, ERR_INVALID_VALUE, path,
				       "a value must have at most %d characters",
				       LIMIT_METADATA_VALUE);
	}
	return ERR_OK;
}

/* --- tokens: Lists of texts, or of their tokens. */

static bool tokens_is_token(const struct json_doc *d, json_at i)
{
	return json_kind(d, i) == JSON_NUMBER && (d->tok[i].flags & JSON_INTEGER) &&
	       json_raw(d, i).p[0] != '-';
}

/* tokens_check_list: checks all elements of a list within the input; `path` is that of the list. */
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

/* tokens_check_each: checks that all elements of a list have the kind of the first one: texts, or lists of
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
