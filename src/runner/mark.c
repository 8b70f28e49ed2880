/* Cuts marks out of a stream of bytes, however it arrives in pieces. */
#include "runner/mark.h"

#include "base/limits.h"

enum { SEPARATOR = 0x1e };

void mark_init(struct marks *m)
{
	m->digits[0] = '\0';
	buf_init(&m->held, 1 + MARK_DIGITS + LIMIT_RUNNER_MARK);
}

void mark_finish(struct marks *m)
{
	buf_finish(&m->held);
}

static void mark_let_go(struct marks *m, const struct mark_sink *sink)
{
	if (m->held.len > 0)
		sink->text(sink->arg, buf_view(&m->held));
	buf_clear(&m->held);
}

void mark_expect(struct marks *m, const char *digits, const struct mark_sink *sink)
{
	mark_let_go(m, sink);
	str_copy(m->digits, sizeof m->digits, str_of(digits));
}

/* One more byte behind a separator.  Returns false when it must be looked at again. */
static bool mark_step(struct marks *m, char c, const struct mark_sink *sink, bool *ret_memory)
{
	size_t at = m->held.len;

	if (at <= MARK_DIGITS ? c != m->digits[at - 1] : at >= m->held.max) {
		mark_let_go(m, sink);
		return false;
	}
	if (at > MARK_DIGITS && c == SEPARATOR) {
		struct str all = buf_view(&m->held);

		sink->mark(sink->arg,
			   (struct str){ all.p + 1 + MARK_DIGITS, all.n - 1 - MARK_DIGITS });
		buf_clear(&m->held);
		return true;
	}
	*ret_memory = buf_add(&m->held, &c, 1);
	return true;
}

bool mark_feed(struct marks *m, struct str bytes, const struct mark_sink *sink)
{
	bool memory = true;

	while (bytes.n > 0 && memory) {
		if (m->held.len > 0) {
			if (mark_step(m, bytes.p[0], sink, &memory))
				bytes = (struct str){ bytes.p + 1, bytes.n - 1 };
			continue;
		}

		const char *at = m->digits[0] ? memchr(bytes.p, SEPARATOR, bytes.n) : NULL;
		size_t      n = at ? (size_t)(at - bytes.p) : bytes.n;

		if (n > 0)
			sink->text(sink->arg, (struct str){ bytes.p, n });
		bytes = (struct str){ bytes.p + n, bytes.n - n };
		if (at) {
			memory = buf_add(&m->held, bytes.p, 1);
			bytes = (struct str){ bytes.p + 1, bytes.n - 1 };
		}
	}
	return memory;
}

bool mark_parse(struct str mark, char *ret_letter, int64_t *ret_number, struct str *ret_rest)
{
	int64_t n = 0;
	size_t  at = 1;

	for (; at < mark.n && mark.p[at] >= '0' && mark.p[at] <= '9' && at < 10; at++)
		n = n * 10 + (mark.p[at] - '0');
	if (at < 2 || (at < mark.n && mark.p[at] != ' '))
		return false;
	*ret_letter = mark.p[0];
	*ret_number = n;
	*ret_rest = at < mark.n ? (struct str){ mark.p + at + 1, mark.n - at - 1 } : STR_NONE;
	return true;
}
