/* Cleans output, and cuts marks out of a stream of bytes, however it arrives in pieces. */
#include "runner/mark.h"

#include "base/limits.h"
#include "base/utf8.h"

/* --- clean: Cleans output byte by byte, with a state between two pieces. */

enum { ESCAPE = 0x1b, BELL = 0x07 };

#define REPLACEMENT "\xef\xbf\xbd"

/* CSI: as colours are, up to a letter.  STRING: a title or a link, up to BEL or ESC \. */
enum clean_escape { CLEAN_TEXT, CLEAN_BEGUN, CLEAN_CSI, CLEAN_STRING, CLEAN_STRING_END, CLEAN_ONE };

/* The bytes that a character has whose first byte this is; 0: none begins so. */
static size_t clean_size(unsigned char c)
{
	return c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
}

/* The byte after an escape's first; false: it is no part of an escape. */
static bool clean_begin(struct clean *c, char byte)
{
	if (byte == '[')
		c->escape = CLEAN_CSI;
	else if (byte == ']' || byte == 'P' || byte == '_' || byte == '^')
		c->escape = CLEAN_STRING;
	else if (byte == '(' || byte == ')')
		c->escape = CLEAN_ONE;
	else
		c->escape = CLEAN_TEXT;
	return c->escape != CLEAN_TEXT ||
	       ((unsigned char)byte >= 0x30 && (unsigned char)byte < 0x7f);
}

/* One byte of an escape; false: it is text. */
static bool clean_escaped(struct clean *c, char byte)
{
	unsigned char b = (unsigned char)byte;

	if (++c->escape_n > LIMIT_RUNNER_ESCAPE) {
		c->escape = CLEAN_TEXT;
		return false;
	}
	switch ((enum clean_escape)c->escape) {
	case CLEAN_TEXT: return false;
	case CLEAN_BEGUN: return clean_begin(c, byte);
	case CLEAN_CSI:
		if (b >= 0x20 && b < 0x40)
			return true;
		c->escape = CLEAN_TEXT;
		return b >= 0x40 && b < 0x7f;
	case CLEAN_STRING:
		if (byte == ESCAPE)
			c->escape = CLEAN_STRING_END;
		else if (byte == BELL)
			c->escape = CLEAN_TEXT;
		else if (byte == '\n')
			c->escape = CLEAN_TEXT;
		return byte != '\n';
	case CLEAN_STRING_END:
	case CLEAN_ONE: c->escape = CLEAN_TEXT; return true;
	}
	return false;
}

/* Tells held bytes that make a character, or the first of them that do not. */
static bool clean_settle(struct clean *c, bool whole, struct buf *out)
{
	while (c->held_n > 0) {
		size_t want = clean_size((unsigned char)c->held[0]);

		if (!whole && want > c->held_n)
			return true;

		size_t n = utf8_len((const unsigned char *)c->held, c->held_n);
		if (c->held[0] == '\0')
			n = 0;
		if (!(n > 0 ? buf_add(out, c->held, n) : buf_text(out, REPLACEMENT)))
			return false;
		c->held_n -= n > 0 ? n : 1;
		memmove(c->held, c->held + (n > 0 ? n : 1), c->held_n);
	}
	return true;
}

/* The bytes at the front that can be copied as they are: plain ASCII, without NUL and ESC. */
static size_t clean_plain(struct str bytes)
{
	size_t n = 0;

	while (n < bytes.n && (signed char)bytes.p[n] > 0 && bytes.p[n] != ESCAPE)
		n++;
	return n;
}

bool clean_feed(struct clean *c, struct str bytes, struct buf *out)
{
	while (bytes.n > 0) {
		size_t plain = c->escape == CLEAN_TEXT && c->held_n == 0 ? clean_plain(bytes) : 0;

		if (plain > 0) {
			if (!buf_add(out, bytes.p, plain))
				return false;
			bytes = (struct str){ bytes.p + plain, bytes.n - plain };
			continue;
		}

		char byte = bytes.p[0];
		bytes = (struct str){ bytes.p + 1, bytes.n - 1 };
		if (c->escape != CLEAN_TEXT && clean_escaped(c, byte))
			continue;
		if (byte == ESCAPE) {
			if (!clean_settle(c, true, out))
				return false;
			c->escape = CLEAN_BEGUN;
			c->escape_n = 0;
			continue;
		}
		/* a byte that continues nothing ends the character before it */
		if (((unsigned char)byte & 0xc0) != 0x80 && !clean_settle(c, true, out))
			return false;
		c->held[c->held_n++] = byte;
		if (!clean_settle(c, false, out))
			return false;
	}
	return true;
}

bool clean_end(struct clean *c, struct buf *out)
{
	c->escape = CLEAN_TEXT;
	return clean_settle(c, true, out);
}

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

/* One more byte after a separator.  Returns false when it must be looked at again. */
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
