/* Walks over a message's JSON, which was checked when it was stored. */
#include "store/common/excerpt.h"

#include "base/utf8.h"

#include <string.h>

struct walk {
	const char     *at, *end;
	struct excerpt *x;
	bool            other; /* a message without text */
};

static const char ellipsis[] = "\xe2\x80\xa6";

static void walk_space(struct walk *w)
{
	while (w->at < w->end &&
	       (*w->at == ' ' || *w->at == '\n' || *w->at == '\t' || *w->at == '\r'))
		w->at++;
}

/* walk_is: passes over a sign; false: another one is there. */
static bool walk_is(struct walk *w, char sign)
{
	walk_space(w);
	if (w->at == w->end || *w->at != sign)
		return false;
	w->at++;
	return true;
}

/* walk_string: passes over a string, and returns what stands between its quotes. */
static struct str walk_string(struct walk *w)
{
	const char *from = ++w->at;

	while (w->at < w->end) {
		const char *quote = memchr(w->at, '"', (size_t)(w->end - w->at));
		const char *back = quote;

		if (!quote)
			break;
		w->at = quote + 1;
		while (back > from && back[-1] == '\\')
			back--;
		if ((quote - back) % 2 == 0)
			return (struct str){ from, (size_t)(quote - from) };
	}
	w->at = w->end;
	return STR_NONE;
}

/* walk_value: passes over a value of any kind. */
static void walk_value(struct walk *w)
{
	size_t depth = 0;

	do {
		walk_space(w);
		if (w->at == w->end)
			return;
		if (*w->at == '"') {
			walk_string(w);
			continue;
		}
		if (depth == 0 && (*w->at == ',' || *w->at == '}' || *w->at == ']'))
			return;
		if (*w->at == '{' || *w->at == '[')
			depth++;
		else if (*w->at == '}' || *w->at == ']')
			depth--;
		w->at++;
	} while (depth > 0 || (w->at < w->end && !strchr(",}] \n\t\r", *w->at)));
}

/* --- text --- */

static bool excerpt_full(const struct excerpt *x)
{
	return x->chars > EXCERPT_CHARS;
}

/* excerpt_put: adds a character; spaces and control characters of any number are one blank. */
static void excerpt_put(struct excerpt *x, const char *c, size_t n)
{
	if (excerpt_full(x))
		return;
	if ((unsigned char)*c <= ' ' || *c == 0x7f) {
		c = " ";
		n = 1;
		if (x->len == 0 || x->text[x->len - 1] == ' ')
			return;
	}
	memcpy(x->text + x->len, c, n);
	x->len += n;
	x->chars++;
}

/* excerpt_escape: adds the character of an escape, which begins at p; returns the escape's length. */
static size_t excerpt_escape(struct excerpt *x, const char *p, size_t n)
{
	char     c[4];
	unsigned v;

	if (n < 2)
		return n;
	if (p[1] != 'u') {
		excerpt_put(x, strchr("bfnrt", p[1]) ? " " : p + 1, 1);
		return 2;
	}
	if (n < 6)
		return n;
	v = utf8_hex4(p + 2);
	if (v < 0xd800 || v > 0xdfff) {
		excerpt_put(x, c, utf8_put(c, v));
		return 6;
	}
	if (v > 0xdbff || n < 12 || p[6] != '\\' || p[7] != 'u')
		return 6; /* half a surrogate is no character */
	unsigned low = utf8_hex4(p + 8);
	if (low < 0xdc00 || low > 0xdfff)
		return 6;
	excerpt_put(x, c, utf8_put(c, 0x10000 + ((v - 0xd800) << 10) + (low - 0xdc00)));
	return 12;
}

/* excerpt_plain: adds the characters at the beginning that stand for themselves, which are most of a text;
 * returns their number. */
static size_t excerpt_plain(struct excerpt *x, struct str inner)
{
	size_t room = EXCERPT_CHARS + 1 - x->chars;
	size_t most = inner.n < room ? inner.n : room;
	size_t n = 0;

	while (n < most && inner.p[n] > ' ' && inner.p[n] < 0x7f && inner.p[n] != '\\')
		n += n + 1 < most && inner.p[n + 1] == ' ' ? 2 : 1;
	memcpy(x->text + x->len, inner.p, n);
	x->len += n;
	x->chars += n;
	return n;
}

static void excerpt_add(struct excerpt *x, struct str inner)
{
	size_t i = 0;

	if (x->len > 0 && inner.n > 0)
		excerpt_put(x, " ", 1); /* between two parts */
	while (i < inner.n && !excerpt_full(x)) {
		size_t n = excerpt_plain(x, (struct str){ inner.p + i, inner.n - i });

		if (n > 0) {
			i += n;
			continue;
		}
		if (inner.p[i] == '\\') {
			i += excerpt_escape(x, inner.p + i, inner.n - i);
			continue;
		}
		n = utf8_len((const unsigned char *)inner.p + i, inner.n - i);
		if (n == 0)
			return;
		excerpt_put(x, inner.p + i, n);
		i += n;
	}
}

/* --- the message --- */

typedef void walk_member_fn(struct walk *w, struct str key);

/* walk_members: an object's members, whose values the function passes over. */
static void walk_members(struct walk *w, walk_member_fn *member)
{
	if (!walk_is(w, '{'))
		return;
	do {
		walk_space(w);
		if (w->at == w->end || *w->at != '"')
			break;
		struct str key = walk_string(w);
		if (!walk_is(w, ':'))
			return;
		walk_space(w);
		member(w, key);
	} while (walk_is(w, ','));
	(void)walk_is(w, '}');
}

static bool walk_at(const struct walk *w, char sign)
{
	return w->at < w->end && *w->at == sign;
}

static void excerpt_part(struct walk *w, struct str key)
{
	if (str_is(key, "text") && walk_at(w, '"'))
		excerpt_add(w->x, walk_string(w));
	else
		walk_value(w);
}

static void excerpt_parts(struct walk *w)
{
	w->at++;
	do {
		walk_space(w);
		if (walk_at(w, '{'))
			walk_members(w, excerpt_part);
		else
			walk_value(w);
	} while (walk_is(w, ','));
	(void)walk_is(w, ']');
}

/* An LMC message of another type has a picture or a sound as its content. */
static bool type_has_text(struct str type)
{
	return str_is(type, "message") || str_is(type, "code") || str_is(type, "console");
}

static void walk_message(struct walk *w, struct str key)
{
	struct excerpt *x = w->x;

	if (str_is(key, "role") && walk_at(w, '"'))
		x->user = str_is(walk_string(w), "user");
	else if (str_is(key, "type") && walk_at(w, '"'))
		w->other = !type_has_text(walk_string(w));
	else if (str_is(key, "content") && walk_at(w, '"'))
		excerpt_add(x, walk_string(w));
	else if (str_is(key, "content") && walk_at(w, '['))
		excerpt_parts(w);
	else
		walk_value(w);
}

void excerpt_read(struct excerpt *x, struct str body)
{
	struct walk w = { .at = body.p, .x = x };

	x->user = false;
	x->chars = x->len = 0;
	if (body.n == 0)
		return;
	w.end = body.p + body.n;
	walk_members(&w, walk_message);
	if (w.other)
		x->chars = x->len = 0;
	if (!excerpt_full(x) && x->len > 0 && x->text[x->len - 1] == ' ') {
		x->len--;
		x->chars--;
	}
}

/* excerpt_bytes: the length of so many characters. */
static size_t excerpt_bytes(const struct excerpt *x, size_t chars)
{
	size_t n = 0;

	if (x->chars == x->len) /* a byte each */
		return chars < x->len ? chars : x->len;
	for (; n < x->len && chars > 0; chars--)
		n += utf8_len((const unsigned char *)x->text + n, x->len - n);
	return n;
}

struct str excerpt_text(const struct excerpt *x)
{
	return (struct str){ x->text, excerpt_full(x) ? excerpt_bytes(x, EXCERPT_CHARS) : x->len };
}

struct str excerpt_opening(struct excerpt *x)
{
	size_t n = x->len;

	if (x->chars <= OPENING_CHARS)
		return (struct str){ x->text, n };
	n = excerpt_bytes(x, OPENING_CHARS - 1);
	/* A text without blanks, as in Chinese, is cut between two characters. */
	if (x->text[n] != ' ')
		for (size_t i = n; i > n / 2; i--)
			if (x->text[i - 1] == ' ') {
				n = i - 1;
				break;
			}
	while (n > 0 && strchr(" ,;:", x->text[n - 1]))
		n--;
	memcpy(x->text + n, ellipsis, sizeof ellipsis - 1);
	return (struct str){ x->text, n + sizeof ellipsis - 1 };
}

void excerpt_row(struct excerpt_row *r, const struct store_message *messages, size_t count)
{
	r->opening = r->excerpt = STR_NONE;
	for (size_t i = 0; i < count && r->opening.n == 0; i++) {
		excerpt_read(&r->first, messages[i].body);
		if (!r->first.user || r->first.len == 0)
			continue;
		if (i + 1 == count) { /* one text for both */
			r->last = r->first;
			r->excerpt = excerpt_text(&r->last);
		}
		r->opening = excerpt_opening(&r->first);
	}
	if (count == 0 || r->excerpt.n > 0)
		return;
	excerpt_read(&r->last, messages[count - 1].body);
	r->excerpt = excerpt_text(&r->last);
}

void excerpt_row_add(struct excerpt_row *r, struct str body, bool first)
{
	if (first)
		r->opening = STR_NONE;
	excerpt_read(&r->last, body);
	r->excerpt = excerpt_text(&r->last);
	if (r->opening.n > 0 || !r->last.user || r->last.len == 0)
		return;
	r->first = r->last;
	r->opening = excerpt_opening(&r->first);
}
