/* The one-pass scanner: checks every byte against RFC 8259 and lays spans on the tape. */
#include "json/scan.h"

#include "base/limits.h"
#include "json/internal.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEPTH_CAP = 128, TOKENS_AT_FIRST = 64 };

#define NO_KEY 0u /* token 0 is the root, never a key */

const struct json_limits json_limits_request = {
	.depth = LIMIT_JSON_DEPTH,
	.tokens = LIMIT_JSON_TOKENS,
	.unique = LIMIT_JSON_UNIQUE,
};
const struct json_limits json_limits_upstream = {
	.depth = LIMIT_JSON_DEPTH,
	.tokens = LIMIT_JSON_TOKENS,
};
const struct json_limits json_limits_stored = {
	.depth = LIMIT_JSON_DEPTH,
	.tokens = LIMIT_JSON_TOKENS,
};
const struct json_limits json_limits_vectors = {
	.depth = LIMIT_JSON_DEPTH,
	.tokens = LIMIT_JSON_TOKENS,
	.fold = true,
};

/* An open object or array. */
struct frame {
	uint32_t tok;
	uint32_t key; /* object: the latest key, for the path of an error; NO_KEY: none is known */
};

struct scan {
	const unsigned char      *text;
	size_t                    len;
	size_t                    pos;
	struct json_doc          *doc;
	const struct json_limits *limits;
	struct err               *e;
	uint32_t                  depth;
	struct frame              open[DEPTH_CAP];
};

enum step { STEP_VALUE, STEP_NEXT, STEP_DONE, STEP_FAIL };

static bool scan_fail(struct scan *s, size_t at, const char *what)
{
	(void)err_set(s->e, ERR_INVALID_JSON, "", "byte %zu: %s%s", at,
		      at >= s->len ? "the text ends here; " : "", what);
	return false;
}

/* Parts of a path are added as a whole or not at all, so that no character is cut in two. */
static bool scan_put_part(char *path, size_t max, const char *dot, struct str part)
{
	size_t used = strlen(path);
	size_t need = strlen(dot) + part.n;

	if (need >= max - used)
		return false;
	snprintf(path + used, max - used, "%s%.*s", dot, STR_ARG(part));
	return true;
}

/* The path of a key in the innermost open object, as in messages[2].role. With NO_KEY: the path of
 * that object itself. In an array: the path of the element that the scan has reached. */
static void key_path(const struct scan *s, uint32_t key, char *path, size_t max)
{
	path[0] = '\0';
	for (uint32_t i = 0; i < s->depth; i++) {
		const struct json_tok *tok = &s->doc->tok[s->open[i].tok];
		char                   tmp[LIMIT_JSON_KEY];
		char                   index[16];
		struct str             part = { index, 0 };
		const char            *dot = "";

		if (tok->kind == JSON_ARRAY) {
			part.n = (size_t)snprintf(index, sizeof index, "[%u]", tok->count - 1);
		} else {
			uint32_t at = i + 1 == s->depth ? key : s->open[i].key;

			if (at == NO_KEY)
				return;
			part = json_key(s->doc, at, tmp);
			dot = path[0] ? "." : "";
		}
		if (!scan_put_part(path, max, dot, part))
			return;
	}
}

/* A limit is exceeded, so the text is refused although it may be JSON. The path says where. */
static bool fail_limit(struct scan *s, enum errc code, size_t at, const char *what, uint32_t limit)
{
	char path[sizeof s->e->path];

	key_path(s, s->depth > 0 ? s->open[s->depth - 1].key : NO_KEY, path, sizeof path);
	(void)err_set(s->e, code, path, "byte %zu: %s %u", at, what, limit);
	return false;
}

static bool scan_fail_memory(struct scan *s)
{
	(void)err_set(s->e, ERR_OVERLOADED, "", "no memory to read the body");
	return false;
}

/* Length of the sequence at p, whose first byte is not ASCII; 0: it is not well-formed. */
static inline size_t utf8_step(const unsigned char *p, size_t left)
{
	unsigned c = p[0];

	if (c < 0xc2 || c > 0xf4 || left < 2)
		return 0;
	if (c < 0xe0)
		return (p[1] & 0xc0) == 0x80 ? 2 : 0;

	/* The range of the second byte excludes overlong forms, surrogates and values above
	 * U+10FFFF. */
	unsigned low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
	unsigned high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;

	if (p[1] < low || p[1] > high || left < 3 || (p[2] & 0xc0) != 0x80)
		return 0;
	if (c < 0xf0)
		return 3;
	return left >= 4 && (p[3] & 0xc0) == 0x80 ? 4 : 0;
}

#define EACH(byte) (0x0101010101010101ull * (byte))

static inline uint64_t load8(const unsigned char *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof w);
	return le64toh(w);
}

/* Marks every byte that ends the fast path of a string (quote, backslash, control, not ASCII) in
 * its top bit. A borrow can only mark bytes above a true mark, so the lowest mark is exact. */
static inline uint64_t scan_stops(uint64_t w)
{
	uint64_t quote = (w ^ EACH('"')) - EACH(1);
	uint64_t slash = (w ^ EACH('\\')) - EACH(1);

	return (quote | slash | (w - EACH(0x20)) | w) & EACH(0x80);
}

static size_t skip_plain(const unsigned char *text, size_t pos, size_t len)
{
	while (len - pos >= 8) {
		uint64_t mark = scan_stops(load8(text + pos));

		if (mark)
			return pos + (size_t)__builtin_ctzll(mark) / 8;
		pos += 8;
	}
	while (pos < len && text[pos] >= 0x20 && text[pos] < 0x80 && text[pos] != '"' &&
	       text[pos] != '\\')
		pos++;
	return pos;
}

bool utf8_valid(const char *text, size_t len)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t               pos = 0;

	while (pos < len) {
		if (p[pos] < 0x80) {
			pos += len - pos >= 8 && !(load8(p + pos) & EACH(0x80)) ? 8 : 1;
			continue;
		}

		size_t n = utf8_step(p + pos, len - pos);
		if (n == 0)
			return false;
		pos += n;
	}
	return true;
}

static inline void scan_skip_space(struct scan *s)
{
	while (s->pos < s->len) {
		unsigned char c = s->text[s->pos];

		if (c > ' ' || (c != ' ' && c != '\n' && c != '\t' && c != '\r'))
			return;
		s->pos++;
	}
}

static bool scan_grow(struct scan *s)
{
	struct json_doc *d = s->doc;
	uint32_t         cap = d->cap ? d->cap * 2 : TOKENS_AT_FIRST;

	if (d->count >= s->limits->tokens)
		return fail_limit(s, ERR_REQUEST_TOO_LARGE, s->pos,
				  "more values and keys than the limit of", s->limits->tokens);
	if (cap > s->limits->tokens)
		cap = s->limits->tokens;

	struct json_tok *tok = realloc(d->tok, (size_t)cap * sizeof *tok);
	if (!tok)
		return scan_fail_memory(s);
	d->tok = tok;
	d->cap = cap;
	return true;
}

/* A new token has itself as its end. The end of a container is set when the container closes. */
static inline bool scan_push(struct scan *s, enum json_kind kind, unsigned flags, size_t at,
			     size_t end)
{
	struct json_doc *d = s->doc;

	/* The memory may come from an earlier scan with a higher limit. */
	if ((d->count >= d->cap || d->count >= s->limits->tokens) && !scan_grow(s))
		return false;
	d->tok[d->count] = (struct json_tok){
		.at = (uint32_t)at,
		.len = (uint32_t)(end - at),
		.next = d->count + 1,
		.kind = (uint8_t)kind,
		.flags = (uint8_t)flags,
	};
	d->count++;
	return true;
}

static bool is_digit(const struct scan *s, size_t at)
{
	return at < s->len && s->text[at] >= '0' && s->text[at] <= '9';
}

static bool scan_is_hex(unsigned char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* Starts at the backslash and ends after the escape. */
static bool scan_escape(struct scan *s, size_t *pos, unsigned *flags)
{
	size_t at = *pos + 1;

	*flags |= JSON_ESCAPED;
	if (at >= s->len)
		return scan_fail(s, at, "expected the rest of an escape in a string");
	switch (s->text[at]) {
	case '"':
	case '\\':
	case '/':
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't': *pos = at + 1; return true;
	case 'u': break;
	default:
		return scan_fail(s, *pos,
				 "an escape in a string must be one of "
				 "\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
	}
	for (size_t i = at + 1; i <= at + 4; i++)
		if (i >= s->len || !scan_is_hex(s->text[i]))
			return scan_fail(s, i, "expected four hex digits after \\u");
	if (memcmp(s->text + at + 1, "0000", 4) == 0)
		*flags |= JSON_HAS_NUL;
	*pos = at + 5;
	return true;
}

/* Starts at the opening quote, pushes the token and ends after the closing quote. */
static bool scan_string(struct scan *s)
{
	const unsigned char *text = s->text;
	size_t               start = s->pos;
	size_t               pos = start + 1;
	unsigned             flags = 0;

	for (;;) {
		pos = skip_plain(text, pos, s->len);
		if (pos >= s->len)
			return scan_fail(s, pos, "expected '\"' at the end of a string");
		if (text[pos] == '"')
			break;
		if (text[pos] == '\\') {
			if (!scan_escape(s, &pos, &flags))
				return false;
			continue;
		}
		if (text[pos] < 0x20)
			return scan_fail(s, pos, "a control character in a string must be escaped");
		while (pos < s->len && text[pos] >= 0x80) {
			size_t n = utf8_step(text + pos, s->len - pos);

			if (n == 0)
				return scan_fail(s, pos, "a string must be valid UTF-8");
			pos += n;
		}
	}
	s->pos = pos + 1;
	return scan_push(s, JSON_STRING, flags, start, pos + 1);
}

static bool in_array(const struct scan *s)
{
	return s->depth > 0 && s->doc->tok[s->open[s->depth - 1].tok].kind == JSON_ARRAY;
}

static bool scan_number(struct scan *s)
{
	size_t   start = s->pos;
	size_t   pos = start;
	unsigned flags = JSON_INTEGER;

	if (s->text[pos] == '-')
		pos++;
	if (!is_digit(s, pos))
		return scan_fail(s, pos, "expected a digit after '-'");
	if (s->text[pos] == '0' && is_digit(s, pos + 1))
		return scan_fail(s, pos, "a number must not start with a needless 0");
	while (is_digit(s, pos))
		pos++;

	if (pos < s->len && s->text[pos] == '.') {
		flags = 0;
		if (!is_digit(s, ++pos))
			return scan_fail(s, pos, "expected a digit after the decimal point");
		while (is_digit(s, pos))
			pos++;
	}
	if (pos < s->len && (s->text[pos] == 'e' || s->text[pos] == 'E')) {
		flags = 0;
		pos++;
		if (pos < s->len && (s->text[pos] == '+' || s->text[pos] == '-'))
			pos++;
		if (!is_digit(s, pos))
			return scan_fail(s, pos, "expected a digit in the exponent");
		while (is_digit(s, pos))
			pos++;
	}
	s->pos = pos;
	if (s->limits->fold && in_array(s))
		return true;
	return scan_push(s, JSON_NUMBER, flags, start, pos);
}

static bool scan_word(struct scan *s, const char *word, enum json_kind kind)
{
	size_t at = s->pos;
	size_t n = strlen(word);

	if (s->len - at < n || memcmp(s->text + at, word, n) != 0)
		return scan_fail(s, at,
				 "expected a value: an object, an array, a string in double "
				 "quotes, a number, true, false or null");
	s->pos = at + n;
	return scan_push(s, kind, 0, at, s->pos);
}

static bool scan_check_key(struct scan *s, uint32_t key)
{
	const struct json_tok *tok = &s->doc->tok[key];
	char                   tmp[LIMIT_JSON_KEY];

	if (tok->flags & JSON_HAS_NUL)
		return scan_fail(s, tok->at, "a key must not contain \\u0000");
	/* Nearly every key is decided here: a value never has more bytes than its raw text. */
	if (tok->len - 2 <= LIMIT_JSON_KEY)
		return true;
	if (!(tok->flags & JSON_ESCAPED) || !json_key(s->doc, key, tmp).p)
		return fail_limit(s, ERR_INVALID_VALUE, tok->at,
				  "a key is longer than the limit in bytes of", LIMIT_JSON_KEY);
	return true;
}

/* A member's key and its colon. */
static bool scan_key(struct scan *s, const char *wanted)
{
	uint32_t key = s->doc->count;

	s->open[s->depth - 1].key = NO_KEY;
	scan_skip_space(s);
	if (s->pos >= s->len || s->text[s->pos] != '"')
		return scan_fail(s, s->pos, wanted);
	if (!scan_string(s) || !scan_check_key(s, key))
		return false;
	s->open[s->depth - 1].key = key;
	scan_skip_space(s);
	if (s->pos >= s->len || s->text[s->pos] != ':')
		return scan_fail(s, s->pos, "expected ':' after a key");
	s->pos++;
	return true;
}

static bool check_unique(struct scan *s, uint32_t obj)
{
	json_at twin = JSON_ABSENT;
	char    path[sizeof s->e->path];

	if (json_unique(s->doc, obj, &twin) != ERR_OK)
		return scan_fail_memory(s);
	if (twin == JSON_ABSENT)
		return true;
	key_path(s, twin, path, sizeof path);
	(void)err_set(s->e, ERR_INVALID_JSON, path,
		      "byte %u: this key is already in the same object; a key may stand there once",
		      s->doc->tok[twin].at);
	return false;
}

/* Called after the closing bracket of the innermost container. */
static enum step close_container(struct scan *s)
{
	uint32_t         at = s->open[s->depth - 1].tok;
	struct json_tok *tok = &s->doc->tok[at];

	tok->len = (uint32_t)s->pos - tok->at;
	tok->next = s->doc->count;
	if (tok->kind == JSON_OBJECT && tok->count > 1 && s->depth <= s->limits->unique &&
	    !check_unique(s, at))
		return STEP_FAIL;
	s->depth--;
	return STEP_NEXT;
}

/* Called at an opening bracket. */
static enum step open_container(struct scan *s, enum json_kind kind, unsigned char closer)
{
	uint32_t deepest = s->limits->depth < DEPTH_CAP ? s->limits->depth : DEPTH_CAP;
	uint32_t at = s->doc->count;

	if (s->depth >= deepest) {
		(void)fail_limit(s, ERR_INVALID_VALUE, s->pos, "nested deeper than the limit of",
				 deepest);
		return STEP_FAIL;
	}
	if (!scan_push(s, kind, 0, s->pos, s->pos + 1))
		return STEP_FAIL;
	s->open[s->depth++] = (struct frame){ .tok = at };
	s->pos++;
	scan_skip_space(s);
	if (s->pos < s->len && s->text[s->pos] == closer) {
		s->pos++;
		return close_container(s);
	}
	s->doc->tok[at].count = 1;
	if (kind == JSON_OBJECT && !scan_key(s, "expected a key in double quotes or '}'"))
		return STEP_FAIL;
	return STEP_VALUE;
}

static enum step scan_value(struct scan *s)
{
	bool ok;

	scan_skip_space(s);
	switch (s->pos < s->len ? s->text[s->pos] : '\0') {
	case '{': return open_container(s, JSON_OBJECT, '}');
	case '[': return open_container(s, JSON_ARRAY, ']');
	case '"': ok = scan_string(s); break;
	case '-':
	case '0':
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
	case '8':
	case '9': ok = scan_number(s); break;
	case 't': ok = scan_word(s, "true", JSON_TRUE); break;
	case 'f': ok = scan_word(s, "false", JSON_FALSE); break;
	default: ok = scan_word(s, "null", JSON_NULL); break;
	}
	return ok ? STEP_NEXT : STEP_FAIL;
}

/* Called after a whole value: continues or closes the container around it. */
static enum step scan_next(struct scan *s)
{
	scan_skip_space(s);
	if (s->depth == 0) {
		if (s->pos < s->len)
			return scan_fail(s, s->pos, "expected nothing after the value") ? STEP_DONE
											: STEP_FAIL;
		return STEP_DONE;
	}

	struct json_tok *tok = &s->doc->tok[s->open[s->depth - 1].tok];
	bool             object = tok->kind == JSON_OBJECT;
	unsigned char    c = s->pos < s->len ? s->text[s->pos] : '\0';

	if (c == ',') {
		s->pos++;
		tok->count++;
		if (object && !scan_key(s, "expected a key in double quotes after ','"))
			return STEP_FAIL;
		return STEP_VALUE;
	}
	if (c == (object ? '}' : ']')) {
		s->pos++;
		return close_container(s);
	}
	(void)scan_fail(s, s->pos,
			object ? "expected ',' or '}' after a member"
			       : "expected ',' or ']' after an element");
	return STEP_FAIL;
}

static bool scan_text(struct scan *s)
{
	enum step step = STEP_VALUE;

	if (s->len >= 3 && memcmp(s->text, "\xef\xbb\xbf", 3) == 0)
		s->pos = 3;
	scan_skip_space(s);
	if (s->pos == s->len) {
		(void)err_set(s->e, ERR_INVALID_JSON, "", "the body is empty");
		return false;
	}
	while (step == STEP_VALUE || step == STEP_NEXT)
		step = step == STEP_VALUE ? scan_value(s) : scan_next(s);
	return step == STEP_DONE;
}

enum errc json_scan(struct json_doc *doc, const char *text, size_t len,
		    const struct json_limits *limits, struct err *e)
{
	struct scan s;

	doc->text = text;
	doc->len = len;
	doc->count = 0;
	if (len > UINT32_MAX) {
		doc->text = NULL;
		doc->len = 0;
		return err_set(e, ERR_INVALID_JSON, "", "the text must be shorter than 4 GiB");
	}

	/* The stack of frames needs no initial value: only pushed frames are read. */
	s.text = (const unsigned char *)text;
	s.len = len;
	s.pos = 0;
	s.doc = doc;
	s.limits = limits;
	s.e = e;
	s.depth = 0;
	if (scan_text(&s))
		return ERR_OK;
	doc->text = NULL;
	doc->len = 0;
	doc->count = 0;
	return e->code;
}

void json_doc_finish(struct json_doc *doc)
{
	free(doc->tok);
	*doc = (struct json_doc){ 0 };
}
