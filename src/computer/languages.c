/* Looks names of languages up. */
#include "computer/languages.h"

#include "base/limits.h"

#include <string.h>
#include <strings.h>

enum { NAMES_MAX = 4 * KIB };

void languages_init(struct languages *l)
{
	buf_init(&l->names, NAMES_MAX);
	buf_init(&l->aliases, NAMES_MAX);
}

void languages_finish(struct languages *l)
{
	buf_finish(&l->names);
	buf_finish(&l->aliases);
}

/* read_names: "a, b" becomes ",a,b,". */
static bool read_names(const struct json_doc *d, const char *key, struct buf *out)
{
	struct str s = json_get_inner(d, 0, key);

	buf_clear(out);
	if (!buf_text(out, ","))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != ' ' && !buf_add(out, s.p + i, 1))
			return false;
	return buf_text(out, ",");
}

bool languages_read(struct languages *l, const struct json_doc *d)
{
	return read_names(d, "languages", &l->names) && read_names(d, "aliases", &l->aliases);
}

/* find_name: whether ",name" and then `end` is in a list, whatever the case; *ret: what follows
 * it. */
static bool find_name(const struct buf *list, struct str name, char end, struct str *ret)
{
	struct str s = buf_view(list);

	for (size_t i = 0; name.n > 0 && i + name.n + 1 < s.n; i++)
		if (s.p[i] == ',' && s.p[i + 1 + name.n] == end &&
		    strncasecmp(s.p + i + 1, name.p, name.n) == 0) {
			*ret = (struct str){ s.p + i + 2 + name.n, s.n - i - 2 - name.n };
			return true;
		}
	return false;
}

bool languages_know(const struct languages *l, struct str language, char ret[LANGUAGES_NAME])
{
	struct str behind;

	language = str_trim(language);
	if (language.n == 0 || language.n >= LANGUAGES_NAME || memchr(language.p, ',', language.n))
		return false;
	if (find_name(&l->aliases, language, '=', &behind)) {
		const char *end = memchr(behind.p, ',', behind.n);

		if (end)
			language = (struct str){ behind.p, (size_t)(end - behind.p) };
	}
	if (language.n >= LANGUAGES_NAME || !find_name(&l->names, language, ',', &behind))
		return false;
	str_copy(ret, LANGUAGES_NAME, (struct str){ behind.p - language.n - 1, language.n });
	return true;
}

struct str languages_all(const struct languages *l)
{
	struct str s = buf_view(&l->names);

	return s.n > 0 ? (struct str){ s.p + 1, s.n - 1 } : s;
}

bool languages_next(struct str *rest, struct str *ret)
{
	const char *end = rest->n > 0 ? memchr(rest->p, ',', rest->n) : NULL;

	if (!end || end == rest->p)
		return false;
	*ret = (struct str){ rest->p, (size_t)(end - rest->p) };
	*rest = (struct str){ end + 1, rest->n - ret->n - 1 };
	return true;
}
