/* The one-pass scanner: checks every byte against RFC 8259 and lays spans on the tape. */
#include "json/scan.h"

#include "base/limits.h"
#include "base/plain.h"
#include "json/internal.h"

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

/* A place in the text is a pointer, which goes from function to function in a register.  A function
 * that reads something returns the place after it, or NULL: that is a failure, and e says which. */
struct scan {
	const unsigned char      *text;
	const unsigned char      *end;
	struct json_doc          *doc;
	struct json_tok          *next; /* the place of the next token, of doc's */
	struct json_tok          *room; /* the end of the places */
	const struct json_limits *limits;
	struct err               *e;
	uint32_t                  count; /* tokens so far */
	uint32_t                  depth;
	struct frame              open[DEPTH_CAP];
};

enum step { STEP_VALUE, STEP_NEXT, STEP_DONE };

static const unsigned char *scan_fail(struct scan *s, const unsigned char *at, const char *what)
{
	(void)err_set(s->e, ERR_INVALID_JSON, "", "byte %zu: %s%s", (size_t)(at - s->text),
		      at >= s->end ? "the text ends here; " : "", what);
	return NULL;
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
static const unsigned char *fail_limit(struct scan *s, enum errc code, const unsigned char *at,
				       const char *what, uint32_t limit)
{
	char path[sizeof s->e->path];

	key_path(s, s->depth > 0 ? s->open[s->depth - 1].key : NO_KEY, path, sizeof path);
	(void)err_set(s->e, code, path, "byte %zu: %s %u", (size_t)(at - s->text), what, limit);
	return NULL;
}

static const unsigned char *scan_fail_memory(struct scan *s)
{
	(void)err_set(s->e, ERR_OVERLOADED, "", "no memory to read the body");
	return NULL;
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

bool utf8_valid(const char *text, size_t len)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t               pos = 0;

	while (pos < len) {
		if (p[pos] < 0x80) {
			uint64_t w = 0;

			if (len - pos >= sizeof w)
				memcpy(&w, p + pos, sizeof w);
			pos += len - pos >= sizeof w && !(w & PLAIN_EACH(0x80)) ? sizeof w : 1;
			continue;
		}

		size_t n = utf8_step(p + pos, len - pos);
		if (n == 0)
			return false;
		pos += n;
	}
	return true;
}

static inline const unsigned char *scan_space(const struct scan *s, const unsigned char *p)
{
	while (p < s->end && *p <= ' ' && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
		p++;
	return p;
}

/* The memory may come from an earlier scan with a higher limit. */
static void scan_set_room(struct scan *s)
{
	struct json_doc *d = s->doc;
	uint32_t         most = d->cap < s->limits->tokens ? d->cap : s->limits->tokens;

	s->next = d->tok ? d->tok + s->count : NULL;
	s->room = d->tok ? d->tok + most : NULL;
}

__attribute__((noinline)) static bool scan_grow(struct scan *s, const unsigned char *at)
{
	struct json_doc *d = s->doc;
	uint32_t         cap = d->cap ? d->cap * 2 : TOKENS_AT_FIRST;

	if (s->count >= s->limits->tokens)
		return fail_limit(s, ERR_REQUEST_TOO_LARGE, at,
				  "more values and keys than the limit of", s->limits->tokens);
	if (cap > s->limits->tokens)
		cap = s->limits->tokens;

	struct json_tok *tok = realloc(d->tok, (size_t)cap * sizeof *tok);
	if (!tok)
		return scan_fail_memory(s);
	d->tok = tok;
	d->cap = cap;
	scan_set_room(s);
	return true;
}

/* scan_push: adds the token of the value from `from` to `to`, and returns `to`.  A new token has
 * itself as its end. The end of a container is set when the container closes. */
static inline const unsigned char *scan_push(struct scan *s, enum json_kind kind, unsigned flags,
					     const unsigned char *from, const unsigned char *to)
{
	if (s->next == s->room && !scan_grow(s, kind < JSON_ARRAY ? to : from))
		return NULL;
	*s->next++ = (struct json_tok){
		.at = (uint32_t)(from - s->text),
		.len = (uint32_t)(to - from),
		.next = ++s->count,
		.kind = (uint8_t)kind,
		.flags = (uint8_t)flags,
	};
	return to;
}

static bool is_digit(const struct scan *s, const unsigned char *p)
{
	return p < s->end && *p >= '0' && *p <= '9';
}

static bool scan_is_hex(unsigned char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* Starts at the backslash and ends after the escape. */
static const unsigned char *scan_escape(struct scan *s, const unsigned char *p, unsigned *flags)
{
	const unsigned char *at = p + 1;

	*flags |= JSON_ESCAPED;
	if (at >= s->end)
		return scan_fail(s, at, "expected the rest of an escape in a string");
	switch (*at) {
	case '"':
	case '\\':
	case '/':
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't': return at + 1;
	case 'u': break;
	default:
		return scan_fail(s, p,
				 "an escape in a string must be one of "
				 "\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
	}
	for (int i = 1; i <= 4; i++)
		if (at + i >= s->end || !scan_is_hex(at[i]))
			return scan_fail(s, at + i, "expected four hex digits after \\u");
	if (memcmp(at + 1, "0000", 4) == 0)
		*flags |= JSON_HAS_NUL;
	return at + 5;
}

/* Goes on from p in the string that began at `start`. */
static const unsigned char *scan_string_on(struct scan *s, const unsigned char *start,
					   const unsigned char *p)
{
	const unsigned char *end = s->end;
	unsigned             flags = 0;

	for (;;) {
		p += plain_run(p, (size_t)(end - p), PLAIN_ASCII);
		if (p >= end)
			return scan_fail(s, p, "expected '\"' at the end of a string");
		if (*p == '"')
			return scan_push(s, JSON_STRING, flags, start, p + 1);
		if (*p == '\\') {
			p = scan_escape(s, p, &flags);
			if (!p)
				return NULL;
			continue;
		}
		if (*p < 0x20)
			return scan_fail(s, p, "a control character in a string must be escaped");
		while (p < end && *p >= 0x80) {
			size_t n = utf8_step(p, (size_t)(end - p));

			if (n == 0)
				return scan_fail(s, p, "a string must be valid UTF-8");
			p += n;
		}
	}
}

/* Starts at the opening quote, pushes the token and ends after the closing quote. */
static inline const unsigned char *scan_string(struct scan *s, const unsigned char *start)
{
	const unsigned char *p = start + 1;

#ifdef PLAIN_VECTORS
	/* Nearly every key, and most values, end within the first step. */
	if (s->end - p > 16) {
		p += plain_first(plain_look(p, PLAIN_ASCII));
		if (*p == '"')
			return scan_push(s, JSON_STRING, 0, start, p + 1);
	}
#endif
	return scan_string_on(s, start, p);
}

static bool in_array(const struct scan *s)
{
	return s->depth > 0 && s->doc->tok[s->open[s->depth - 1].tok].kind == JSON_ARRAY;
}

static const unsigned char *scan_number(struct scan *s, const unsigned char *start)
{
	const unsigned char *p = start;
	unsigned             flags = JSON_INTEGER;

	if (*p == '-')
		p++;
	if (!is_digit(s, p))
		return scan_fail(s, p, "expected a digit after '-'");
	if (*p == '0' && is_digit(s, p + 1))
		return scan_fail(s, p, "a number must not start with a needless 0");
	while (is_digit(s, p))
		p++;

	if (p < s->end && *p == '.') {
		flags = 0;
		if (!is_digit(s, ++p))
			return scan_fail(s, p, "expected a digit after the decimal point");
		while (is_digit(s, p))
			p++;
	}
	if (p < s->end && (*p == 'e' || *p == 'E')) {
		flags = 0;
		p++;
		if (p < s->end && (*p == '+' || *p == '-'))
			p++;
		if (!is_digit(s, p))
			return scan_fail(s, p, "expected a digit in the exponent");
		while (is_digit(s, p))
			p++;
	}
	if (s->limits->fold && in_array(s))
		return p;
	return scan_push(s, JSON_NUMBER, flags, start, p);
}

static const unsigned char *scan_word(struct scan *s, const unsigned char *p, struct str word,
				      enum json_kind kind)
{
	if ((size_t)(s->end - p) < word.n || memcmp(p, word.p, word.n) != 0)
		return scan_fail(s, p,
				 "expected a value: an object, an array, a string in double "
				 "quotes, a number, true, false or null");
	return scan_push(s, kind, 0, p, p + word.n);
}

/* A key with an escape, or a long one.  Not inline: nearly no key comes here. */
__attribute__((noinline)) static bool scan_check_key(struct scan *s, uint32_t key)
{
	const struct json_tok *tok = &s->doc->tok[key];
	const unsigned char   *at = s->text + tok->at;
	char                   tmp[LIMIT_JSON_KEY];

	if (tok->flags & JSON_HAS_NUL)
		return scan_fail(s, at, "a key must not contain \\u0000");
	/* A value never has more bytes than its raw text. */
	if (tok->len - 2 <= LIMIT_JSON_KEY)
		return true;
	if (!(tok->flags & JSON_ESCAPED) || !json_key(s->doc, key, tmp).p)
		return fail_limit(s, ERR_INVALID_VALUE, at,
				  "a key is longer than the limit in bytes of", LIMIT_JSON_KEY);
	return true;
}

/* A member's key and its colon. */
static inline const unsigned char *scan_key(struct scan *s, struct frame *in,
					    const unsigned char *p, const char *wanted)
{
	uint32_t key = s->count;

	in->key = NO_KEY;
	p = scan_space(s, p);
	if (p >= s->end || *p != '"')
		return scan_fail(s, p, wanted);
	p = scan_string(s, p);
	if (!p)
		return NULL;

	const struct json_tok *tok = s->next - 1;
	if ((tok->flags || tok->len - 2 > LIMIT_JSON_KEY) && !scan_check_key(s, key))
		return NULL;
	in->key = key;
	p = scan_space(s, p);
	if (p >= s->end || *p != ':')
		return scan_fail(s, p, "expected ':' after a key");
	return p + 1;
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

/* Called with the place after the closing bracket of the innermost container. */
static inline const unsigned char *close_container(struct scan *s, const unsigned char *p)
{
	uint32_t         at = s->open[s->depth - 1].tok;
	struct json_tok *tok = &s->doc->tok[at];

	tok->len = (uint32_t)(p - s->text) - tok->at;
	tok->next = s->count;
	if (tok->kind == JSON_OBJECT && tok->count > 1 && s->depth <= s->limits->unique &&
	    !check_unique(s, at))
		return NULL;
	s->depth--;
	return p;
}

/* Called at an opening bracket. */
static inline const unsigned char *open_container(struct scan *s, const unsigned char *p,
						  enum step *next)
{
	enum json_kind kind = *p == '{' ? JSON_OBJECT : JSON_ARRAY;
	uint32_t       deepest = s->limits->depth < DEPTH_CAP ? s->limits->depth : DEPTH_CAP;
	uint32_t       at = s->count;

	if (s->depth >= deepest)
		return fail_limit(s, ERR_INVALID_VALUE, p, "nested deeper than the limit of",
				  deepest);
	if (!scan_push(s, kind, 0, p, p + 1))
		return NULL;
	struct frame *in = &s->open[s->depth++];
	*in = (struct frame){ .tok = at };
	p = scan_space(s, p + 1);
	if (p < s->end && *p == (kind == JSON_OBJECT ? '}' : ']')) {
		*next = STEP_NEXT;
		return close_container(s, p + 1);
	}
	s->next[-1].count = 1;
	*next = STEP_VALUE;
	return kind == JSON_ARRAY ? p
				  : scan_key(s, in, p, "expected a key in double quotes or '}'");
}

static inline const unsigned char *scan_value(struct scan *s, const unsigned char *p,
					      enum step *next)
{
	*next = STEP_NEXT;
	p = scan_space(s, p);
	switch (p < s->end ? *p : '\0') {
	case '{':
	case '[': return open_container(s, p, next);
	case '"': return scan_string(s, p);
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
	case '9': return scan_number(s, p);
	case 't': return scan_word(s, p, STR("true"), JSON_TRUE);
	case 'f': return scan_word(s, p, STR("false"), JSON_FALSE);
	default: return scan_word(s, p, STR("null"), JSON_NULL);
	}
}

/* Called after a whole value: continues or closes the container around it. */
static inline const unsigned char *scan_next(struct scan *s, const unsigned char *p,
					     enum step *next)
{
	p = scan_space(s, p);
	if (s->depth == 0) {
		*next = STEP_DONE;
		return p < s->end ? scan_fail(s, p, "expected nothing after the value") : p;
	}

	struct frame    *in = &s->open[s->depth - 1];
	struct json_tok *tok = &s->doc->tok[in->tok];
	bool             object = tok->kind == JSON_OBJECT;
	unsigned char    c = p < s->end ? *p : '\0';

	if (c == ',') {
		*next = STEP_VALUE;
		tok->count++;
		return object ? scan_key(s, in, p + 1, "expected a key in double quotes after ','")
			      : p + 1;
	}
	*next = STEP_NEXT;
	if (c == (object ? '}' : ']'))
		return close_container(s, p + 1);
	return scan_fail(s, p,
			 object ? "expected ',' or '}' after a member"
				: "expected ',' or ']' after an element");
}

static enum errc scan_fail_empty(struct err *e)
{
	return err_set(e, ERR_INVALID_JSON, "", "the body is empty");
}

static bool scan_text(struct scan *s)
{
	const unsigned char *p = s->text;
	enum step            next = STEP_VALUE;

	if (s->end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
		p += 3;
	p = scan_space(s, p);
	if (p == s->end) {
		(void)scan_fail_empty(s->e);
		return false;
	}
	while (p && next != STEP_DONE)
		p = next == STEP_VALUE ? scan_value(s, p, &next) : scan_next(s, p, &next);
	return p;
}

enum errc json_scan(struct json_doc *doc, const char *text, size_t len,
		    const struct json_limits *limits, struct err *e)
{
	struct scan s;

	doc->text = NULL;
	doc->len = 0;
	doc->count = 0;
	if (len == 0) /* and maybe no text */
		return scan_fail_empty(e);
	if (len > UINT32_MAX)
		return err_set(e, ERR_INVALID_JSON, "", "the text must be shorter than 4 GiB");

	doc->text = text;
	doc->len = len;
	/* The stack of frames needs no initial value: only pushed frames are read. */
	s.text = (const unsigned char *)text;
	s.end = s.text + len;
	s.doc = doc;
	s.limits = limits;
	s.e = e;
	s.count = 0;
	s.depth = 0;
	scan_set_room(&s);
	if (scan_text(&s)) {
		doc->count = s.count;
		return ERR_OK;
	}
	doc->text = NULL;
	doc->len = 0;
	return e->code;
}

void json_doc_finish(struct json_doc *doc)
{
	free(doc->tok);
	*doc = (struct json_doc){ 0 };
}
