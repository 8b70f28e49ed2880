/* Reading a cursor as a client sends it back. */
#include "msg/cursor.h"

static bool take_digits(struct str *s, uint64_t *ret)
{
	uint64_t v = 0;
	size_t   n = 0;

	for (; n < s->n && n < 19 && s->p[n] >= '0' && s->p[n] <= '9'; n++)
		v = v * 10 + (uint64_t)(s->p[n] - '0');
	if (n == 0 || (n > 1 && s->p[0] == '0'))
		return false;
	s->p += n;
	s->n -= n;
	*ret = v;
	return true;
}

bool cursor_parse(struct str text, struct cursor *ret)
{
	struct cursor c = { 0 };

	if (!take_digits(&text, &c.seq))
		return false;
	if (text.n > 0) {
		if (text.p[0] != '.')
			return false;
		text = (struct str){ text.p + 1, text.n - 1 };
		if (!take_digits(&text, &c.nth) || text.n > 0)
			return false;
	}
	*ret = c;
	return true;
}
