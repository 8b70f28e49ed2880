/* Reads an image of a driver. */
#include "computer/picture.h"

#include "base/base.h"
#include "base/limits.h"

const char *const picture_formats[PICTURE__COUNT] = { "png", "jpeg", "html" };

static bool picture_number(struct str *at, char end, int64_t *ret)
{
	int64_t v = 0;
	size_t  n = 0;

	for (; n < at->n && n < 10 && at->p[n] >= '0' && at->p[n] <= '9'; n++)
		v = v * 10 + (at->p[n] - '0');
	if (n == 0 || n >= at->n || at->p[n] != end)
		return false;
	*at = (struct str){ at->p + n + 1, at->n - n - 1 };
	*ret = v;
	return true;
}

static bool picture_format(struct str *at, enum picture_format *ret)
{
	for (int f = 0; f < PICTURE__COUNT; f++) {
		size_t n = strlen(picture_formats[f]);

		if (at->n > n && memcmp(at->p, picture_formats[f], n) == 0 && at->p[n] == ' ') {
			*at = (struct str){ at->p + n + 1, at->n - n - 1 };
			*ret = (enum picture_format)f;
			return true;
		}
	}
	return false;
}

enum picture_found picture_look(struct str bytes, struct picture *ret)
{
	size_t         head = bytes.n < PICTURE_HEAD ? bytes.n : PICTURE_HEAD;
	const char    *end = head > 0 ? memchr(bytes.p, '\n', head) : NULL;
	struct str     line = { bytes.p, end ? (size_t)(end - bytes.p) + 1 : 0 };
	struct picture p = { .used = line.n };
	int64_t        n;

	if (!end)
		return bytes.n < PICTURE_HEAD ? PICTURE_NONE : PICTURE_BAD;
	if (!picture_number(&line, ' ', &p.number) || !picture_format(&line, &p.format) ||
	    !picture_number(&line, '\n', &n) || n > LIMIT_RUNNER_IMAGE)
		return PICTURE_BAD;
	if (bytes.n - p.used < (size_t)n)
		return PICTURE_NONE;
	p.bytes = (struct str){ bytes.p + p.used, (size_t)n };
	p.used += (size_t)n;
	*ret = p;
	return PICTURE_WHOLE;
}
