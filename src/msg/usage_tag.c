/* Checks, prints and reads the tags of calls. */
#include "msg/usage_tag.h"

#include "base/utf8.h"

#include <stdlib.h>

bool usage_tag_name(struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

		if (!word && (i == 0 || (c != '-' && c != '_')))
			return false;
	}
	return name.n > 0 && name.n <= LIMIT_TAG_NAME;
}

size_t usage_tag_place(const struct usage_tag_names *n, struct str name)
{
	size_t i = 0;

	while (i < n->count && !str_is(name, n->names[i]))
		i++;
	return i;
}

const char *usage_tag_wrong(struct str value)
{
	if (value.n > LIMIT_TAG_VALUE)
		return "a tag must have at most 128 bytes";
	for (size_t i = 0, n; i < value.n; i += n) {
		unsigned char c = (unsigned char)value.p[i];

		n = utf8_len((const unsigned char *)value.p + i, value.n - i);
		if (n == 0)
			return "a tag must be UTF-8";
		if (c < 0x20 || c == 0x7f || c == '"' || c == '\\')
			return "a tag must have no control characters, quotes and backslashes";
	}
	return NULL;
}

static int usage_tag_order(const void *a, const void *b)
{
	const struct str *x = a;
	const struct str *y = b;
	size_t            n = x->n < y->n ? x->n : y->n;
	int               d = n > 0 ? memcmp(x->p, y->p, n) : 0;

	return d != 0 ? d : (x->n > y->n) - (x->n < y->n);
}

static bool usage_tag_put_pair(struct buf *out, bool *first, struct str name, struct str value)
{
	bool ok = buf_text(out, *first ? "\"" : ",\"") && buf_str(out, name) &&
		  buf_text(out, "=") && buf_str(out, value) && buf_text(out, "\"");

	*first = false;
	return ok;
}

/* usage_tag_put_listed: each value once. */
static bool usage_tag_put_listed(const struct usage_tags *t, struct buf *out, bool *first)
{
	struct str all[LIMIT_TAGS_LISTED];
	bool       ok = true;

	memcpy(all, t->listed, t->listed_count * sizeof *all);
	qsort(all, t->listed_count, sizeof *all, usage_tag_order);
	for (size_t i = 0; ok && i < t->listed_count; i++)
		if (i == 0 || !str_eq(all[i], all[i - 1]))
			ok = usage_tag_put_pair(out, first, STR(USAGE_TAGS_LISTED), all[i]);
	return ok;
}

bool usage_tags_print(const struct usage_tag_names *n, const struct usage_tags *t, struct buf *out)
{
	struct str names[LIMIT_TAG_NAMES];
	bool       first = true, ok = buf_text(out, "[");

	for (size_t i = 0; i < n->count; i++)
		names[i] = str_of(n->names[i]);
	qsort(names, n->count, sizeof *names, usage_tag_order);
	for (size_t i = 0; ok && i < n->count; i++) {
		struct str value = t->values[usage_tag_place(n, names[i])];

		if (str_is(names[i], USAGE_TAGS_LISTED) && t->listed_count > 0)
			ok = usage_tag_put_listed(t, out, &first);
		else if (value.n > 0)
			ok = usage_tag_put_pair(out, &first, names[i], value);
	}
	return ok && buf_text(out, "]");
}

bool usage_tags_next(struct str *text, struct str *ret_pair)
{
	const char *begin = text->n > 0 ? memchr(text->p, '"', text->n) : NULL;
	size_t      left = begin ? text->n - (size_t)(begin + 1 - text->p) : 0;
	const char *end = left > 0 ? memchr(begin + 1, '"', left) : NULL;

	if (!end)
		return false;
	*ret_pair = (struct str){ begin + 1, (size_t)(end - begin) - 1 };
	*text = (struct str){ end + 1, left - ret_pair->n - 1 };
	return true;
}

struct str usage_tags_find(struct str text, struct str name)
{
	struct str pair;

	while (usage_tags_next(&text, &pair))
		if (pair.n > name.n && pair.p[name.n] == '=' && str_starts(pair, name))
			return (struct str){ pair.p + name.n + 1, pair.n - name.n - 1 };
	return STR_NONE;
}
