/* A tolerant JSON state machine for the arguments of `execute`, which gives the code while it
 * arrives. */
#include "lmc/speech.h"

#include "lmc/text.h"

#include <stdint.h>
#include <stdlib.h>

/* Deeper nesting is treated as text that is not JSON. */
enum { DEPTH_MAX = 4096 };

/* Longer runs go to the sink without a copy. Shorter runs, as between escapes, are gathered, so
 * that one piece of arguments gives about one piece of code. */
enum { RUN_BYTES = 64, READY_BYTES = 256 };

/*
 *   BLANK --other--> RAW
 *     | {
 *     v
 *   FIRST_KEY --"--> (string) --> COLON --:--> VALUE <--,-- AFTER in an array
 *                       ^                        |
 *                      KEY <--,-- AFTER          |-- { --> FIRST_KEY
 *                             in an object       |-- [ --> FIRST_ITEM, as VALUE
 *                                                '-- (string), NUMBER, LITERAL --> AFTER
 *
 *   FIRST_KEY, AFTER -- } --.--> AFTER, of what contains it
 *   FIRST_ITEM, AFTER - ] --'--> OVER, after the outermost --text--> REST
 *
 *   (string):  STRING --\--> ESCAPE --u--> UNICODE, both back to STRING
 *   what is no JSON: from all but RAW and OVER to REST
 */
enum state {
	STATE_BLANK,      /* only white space so far, which is held */
	STATE_RAW,        /* no object: all text is passed on unchanged */
	STATE_FIRST_KEY,  /* a key or } */
	STATE_KEY,        /* a key */
	STATE_COLON,      /* the colon after a key */
	STATE_FIRST_ITEM, /* a value or ] */
	STATE_VALUE,      /* a value */
	STATE_AFTER,      /* after a value: a comma or the end of its container */
	STATE_STRING,
	STATE_ESCAPE,  /* after a backslash */
	STATE_UNICODE, /* after \u and fewer than four digits */
	STATE_NUMBER,
	STATE_LITERAL,
	STATE_OVER, /* the object is complete */
	STATE_REST  /* the rest is ignored */
};

/*
 *   MINUS --> ZERO --------.--> POINT --> FRACTION --.--> EXPONENT --> SIGN
 *      '----> INTEGER -----'---------->--------------'       '----------'--> DIGITS
 *                (ZERO, INTEGER, FRACTION and DIGITS may be the end: OVER)
 */
enum number {
	NUMBER_MINUS,
	NUMBER_ZERO,
	NUMBER_INTEGER,
	NUMBER_POINT,
	NUMBER_FRACTION,
	NUMBER_EXPONENT,
	NUMBER_SIGN,
	NUMBER_DIGITS,
	NUMBER_OVER, /* the character follows the number */
	NUMBER_BROKEN
};

/* The use of a string that is being read. */
enum purpose {
	PURPOSE_NONE, /* the string is skipped */
	PURPOSE_KEY,  /* a key of the outermost object */
	PURPOSE_LANGUAGE,
	PURPOSE_CODE
};

struct args {
	const struct segment_sink *sink; /* borrowed */
	void                      *arg;
	size_t                     max;

	enum state state;
	unsigned   flaws;
	bool       open; /* the segment is open; in an object: its language is decided */
	/* the sink or a limit has stopped the reading, or the end is reached */
	bool stopped;
	bool has_code; /* the member with the code has begun */
	bool has_language;

	enum purpose purpose;
	enum state   behind; /* the state after the string's closing quote */
	unsigned     half;   /* first half of a surrogate pair whose second half may follow; or 0 */
	unsigned     unit;   /* value of the digits */
	size_t       digit_len;
	char         digits[4]; /* digits of a \u as they were written */
	enum number  number;
	const char  *literal; /* the missing rest of the literal */
	size_t       key_len;
	char         key[9]; /* the key, cut; all known keys have at most eight bytes */

	struct buf held; /* leading white space, or code whose language is not known yet */
	struct buf language;
	size_t     ready_len;
	char       ready[READY_BYTES]; /* code that goes to the sink at the end of the piece */

	size_t        depth;
	unsigned char is_object[DEPTH_MAX / 8]; /* a bit for each level: object or array */
};

struct args *args_create(const struct segment_sink *sink, void *arg, size_t max)
{
	struct args *a = calloc(1, sizeof *a);

	if (!a)
		return NULL;
	a->sink = sink;
	a->arg = arg;
	a->max = max;
	a->state = STATE_BLANK;
	buf_init(&a->held, max);
	buf_init(&a->language, max);
	return a;
}

void args_destroy(struct args *a)
{
	if (!a)
		return;
	buf_finish(&a->held);
	buf_finish(&a->language);
	free(a);
}

/* --- the segment --- */

static bool args_give(struct args *a, struct str text)
{
	return text.n == 0 || a->sink->text(a->arg, text);
}

static bool args_open_segment(struct args *a, enum segment_kind kind, struct str format)
{
	a->open = true;
	if (!a->sink->open(a->arg, kind, format) || !args_give(a, buf_view(&a->held)))
		return false;
	buf_finish(&a->held);
	return true;
}

/* args_settle: called when no language can follow any more. */
static bool args_settle(struct args *a)
{
	return a->open || args_open_segment(a, SEGMENT_CODE, STR("python"));
}

static bool take_language(struct args *a)
{
	struct buf format;

	/* The buffer holds the language, or the default name. */
	buf_init(&format, a->language.len + sizeof "python");
	bool ok = text_language(buf_view(&a->language), &format) &&
		  args_open_segment(a, SEGMENT_CODE, buf_view(&format));
	buf_finish(&format);
	buf_finish(&a->language);
	return ok;
}

static bool give_ready(struct args *a)
{
	struct str text = { a->ready, a->ready_len };

	a->ready_len = 0;
	return args_give(a, text);
}

static bool give_code(struct args *a, struct str run)
{
	bool is_long = run.n >= RUN_BYTES;

	if ((is_long || run.n > sizeof a->ready - a->ready_len) && !give_ready(a))
		return false;
	if (is_long)
		return args_give(a, run);
	memcpy(a->ready + a->ready_len, run.p, run.n);
	a->ready_len += run.n;
	return true;
}

/* break_off: called at text that is not JSON. The part before it counts. */
static bool break_off(struct args *a)
{
	a->state = STATE_REST;
	a->flaws |= ARGS_ENDED_EARLY;
	return args_settle(a);
}

/* --- strings --- */

static void args_take_key(struct args *a, struct str run)
{
	size_t room = sizeof a->key - a->key_len;
	size_t n = run.n < room ? run.n : room;

	memcpy(a->key + a->key_len, run.p, n);
	a->key_len += n;
}

/* args_take: takes the next bytes of the string's value. */
static bool args_take(struct args *a, struct str run)
{
	switch (a->purpose) {
	case PURPOSE_NONE: return true;
	case PURPOSE_KEY: args_take_key(a, run); return true;
	case PURPOSE_LANGUAGE: return text_join(&a->language, run);
	case PURPOSE_CODE: return a->open ? give_code(a, run) : text_join(&a->held, run);
	}
	return true;
}

/* lone_half: called when the second half of a pair does not follow. */
static bool lone_half(struct args *a)
{
	if (a->half == 0)
		return true;
	a->half = 0;
	return args_take(a, STR("\xEF\xBF\xBD"));
}

static bool args_is_second_half(unsigned unit)
{
	return unit >= 0xdc00 && unit <= 0xdfff;
}

static bool take_unit(struct args *a, unsigned v)
{
	char   at[4];
	size_t n = 0;

	if (v >= 0xd800 && v <= 0xdbff) {
		a->half = v;
		return true;
	}
	if (args_is_second_half(v) && a->half == 0)
		return args_take(a, STR("\xEF\xBF\xBD"));
	if (args_is_second_half(v))
		v = 0x10000 + ((a->half - 0xd800) << 10) + (v - 0xdc00);
	a->half = 0;

	if (v < 0x80) {
		at[n++] = (char)v;
	} else if (v < 0x800) {
		at[n++] = (char)(0xc0 | v >> 6);
	} else if (v < 0x10000) {
		at[n++] = (char)(0xe0 | v >> 12);
		at[n++] = (char)(0x80 | (v >> 6 & 63));
	} else {
		at[n++] = (char)(0xf0 | v >> 18);
		at[n++] = (char)(0x80 | (v >> 12 & 63));
		at[n++] = (char)(0x80 | (v >> 6 & 63));
	}
	if (v >= 0x80)
		at[n++] = (char)(0x80 | (v & 63));
	return args_take(a, (struct str){ at, n });
}

/* begin_string: a language may use the room that the code has left. */
static void begin_string(struct args *a, enum purpose purpose, enum state behind)
{
	a->state = STATE_STRING;
	a->purpose = purpose;
	a->behind = behind;
	a->half = 0;
	if (purpose == PURPOSE_KEY)
		a->key_len = 0;
	if (purpose == PURPOSE_LANGUAGE)
		a->language.max = a->max - a->held.len;
	a->has_code |= purpose == PURPOSE_CODE;
	a->has_language |= purpose == PURPOSE_LANGUAGE;
}

static bool end_string(struct args *a)
{
	a->state = a->behind;
	return a->purpose != PURPOSE_LANGUAGE || take_language(a);
}

static bool has_byte(uint64_t word, unsigned char byte)
{
	uint64_t ones = UINT64_MAX / 255;

	word ^= ones * byte;
	return ((word - ones) & ~word & ones * 128) != 0;
}

/* find_special: finds the first quote or backslash. Two calls of memchr would be slow where one of
 * the two is far away: arguments with many of the other would be read again and again. */
static const char *find_special(const char *p, const char *end)
{
	for (uint64_t word; end - p >= (ptrdiff_t)sizeof word; p += sizeof word) {
		memcpy(&word, p, sizeof word);
		if (has_byte(word, '"') || has_byte(word, '\\'))
			break;
	}
	while (p < end && *p != '"' && *p != '\\')
		p++;
	return p;
}

/* Each of the following functions reads from p and returns the end of what it has read; NULL:
 * stop. */
static const char *in_string(struct args *a, const char *p, const char *end)
{
	if (*p != '\\' && !lone_half(a))
		return NULL;

	const char *special = find_special(p, end);
	if (special > p && !args_take(a, (struct str){ p, (size_t)(special - p) }))
		return NULL;
	if (special == end)
		return end;
	if (*special == '\\') {
		a->state = STATE_ESCAPE;
		return special + 1;
	}
	return end_string(a) ? special + 1 : NULL;
}

static const char *in_escape(struct args *a, const char *p)
{
	static const char names[] = "\"\\/bfnrt";
	static const char values[] = "\"\\/\b\f\n\r\t";

	if (*p == 'u') {
		a->state = STATE_UNICODE;
		a->unit = 0;
		a->digit_len = 0;
		return p + 1;
	}
	if (!lone_half(a))
		return NULL;
	a->state = STATE_STRING;

	const char *name = memchr(names, *p, sizeof names - 1);
	if (name)
		return args_take(a, (struct str){ values + (name - names), 1 }) ? p + 1 : NULL;
	return args_take(a, STR("\\")) ? p : NULL; /* the next character is read as text */
}

static int args_hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	char lower = (char)(c | 0x20);
	return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* may_be_second_half: true while the digits so far allow it. */
static bool may_be_second_half(const struct args *a)
{
	unsigned missing = 4 * (unsigned)(sizeof a->digits - a->digit_len);
	unsigned least = a->unit << missing;

	return least <= 0xdfff && least + (1u << missing) > 0xdc00;
}

static const char *in_unicode(struct args *a, const char *p)
{
	int value = args_hex_value(*p);

	if (value < 0) {
		struct str digits = { a->digits, a->digit_len };

		a->state = STATE_STRING;
		return lone_half(a) && args_take(a, STR("\\u")) && args_take(a, digits) ? p : NULL;
	}
	a->digits[a->digit_len++] = *p;
	a->unit = a->unit << 4 | (unsigned)value;
	if (!may_be_second_half(a) && !lone_half(a))
		return NULL;
	if (a->digit_len < sizeof a->digits)
		return p + 1;
	a->state = STATE_STRING;
	return take_unit(a, a->unit) ? p + 1 : NULL;
}

/* --- numbers and literals --- */

static enum number number_next(enum number state, char c)
{
	bool        digit = c >= '0' && c <= '9';
	enum number behind = c == 'e' || c == 'E' ? NUMBER_EXPONENT : NUMBER_OVER;

	switch (state) {
	case NUMBER_MINUS: return c == '0' ? NUMBER_ZERO : digit ? NUMBER_INTEGER : NUMBER_BROKEN;
	case NUMBER_ZERO: return c == '.' ? NUMBER_POINT : behind;
	case NUMBER_INTEGER: return digit ? NUMBER_INTEGER : c == '.' ? NUMBER_POINT : behind;
	case NUMBER_POINT: return digit ? NUMBER_FRACTION : NUMBER_BROKEN;
	case NUMBER_FRACTION: return digit ? NUMBER_FRACTION : behind;
	case NUMBER_EXPONENT:
		return c == '+' || c == '-' ? NUMBER_SIGN : digit ? NUMBER_DIGITS : NUMBER_BROKEN;
	case NUMBER_SIGN: return digit ? NUMBER_DIGITS : NUMBER_BROKEN;
	case NUMBER_DIGITS: return digit ? NUMBER_DIGITS : NUMBER_OVER;
	case NUMBER_OVER:
	case NUMBER_BROKEN: break;
	}
	return NUMBER_BROKEN;
}

static const char *in_number(struct args *a, const char *p)
{
	a->number = number_next(a->number, *p);
	if (a->number == NUMBER_BROKEN)
		return break_off(a) ? p : NULL;
	if (a->number == NUMBER_OVER) {
		a->state = STATE_AFTER;
		return p;
	}
	return p + 1;
}

static const char *in_literal(struct args *a, const char *p)
{
	if (*p != *a->literal)
		return break_off(a) ? p : NULL;
	a->literal++;
	if (*a->literal == '\0')
		a->state = STATE_AFTER;
	return p + 1;
}

/* --- the grammar around them --- */

static bool in_object(const struct args *a)
{
	size_t level = a->depth - 1;

	return a->is_object[level / 8] >> level % 8 & 1;
}

static bool enter_container(struct args *a, bool object)
{
	size_t   level = a->depth;
	unsigned bit = 1u << level % 8;
	unsigned bits = 0;

	if (level == DEPTH_MAX)
		return break_off(a);
	bits = a->is_object[level / 8];
	a->is_object[level / 8] = (unsigned char)(object ? bits | bit : bits & ~bit);
	a->depth++;
	a->state = object ? STATE_FIRST_KEY : STATE_FIRST_ITEM;
	return true;
}

static bool args_leave(struct args *a)
{
	a->depth--;
	a->state = a->depth > 0 ? STATE_AFTER : STATE_OVER;
	return a->depth > 0 || args_settle(a);
}

/* purpose_of_value: the use of the string value that begins here. Only the first value of a kind
 * counts. */
static enum purpose purpose_of_value(const struct args *a)
{
	struct str key = { a->key, a->key_len };

	if (a->depth != 1)
		return PURPOSE_NONE;
	if (!a->has_code && str_eq(key, STR("code")))
		return PURPOSE_CODE;
	if (!a->has_language && str_eq(key, STR("language")))
		return PURPOSE_LANGUAGE;
	return PURPOSE_NONE;
}

static bool begin_key(struct args *a)
{
	begin_string(a, a->depth == 1 ? PURPOSE_KEY : PURPOSE_NONE, STATE_COLON);
	return true;
}

static bool begin_number(struct args *a, enum number number)
{
	a->state = STATE_NUMBER;
	a->number = number;
	return true;
}

static bool begin_literal(struct args *a, const char *rest)
{
	a->state = STATE_LITERAL;
	a->literal = rest;
	return true;
}

static bool begin_value(struct args *a, char c)
{
	switch (c) {
	case '"': begin_string(a, purpose_of_value(a), STATE_AFTER); return true;
	case '{': return enter_container(a, true);
	case '[': return enter_container(a, false);
	case 't': return begin_literal(a, "rue");
	case 'f': return begin_literal(a, "alse");
	case 'n': return begin_literal(a, "ull");
	case '-': return begin_number(a, NUMBER_MINUS);
	case '0': return begin_number(a, NUMBER_ZERO);
	default: break;
	}
	return c >= '1' && c <= '9' ? begin_number(a, NUMBER_INTEGER) : break_off(a);
}

static bool behind_value(struct args *a, char c)
{
	bool object = in_object(a);

	if (c == (object ? '}' : ']'))
		return args_leave(a);
	if (c != ',')
		return break_off(a);
	a->state = object ? STATE_KEY : STATE_VALUE;
	return true;
}

static const char *args_between(struct args *a, const char *p)
{
	bool ok = true;

	if (text_is_space(*p))
		return p + 1;
	if (a->state == STATE_AFTER)
		ok = behind_value(a, *p);
	else if (a->state == STATE_VALUE || (a->state == STATE_FIRST_ITEM && *p != ']'))
		ok = begin_value(a, *p);
	else if (a->state == STATE_FIRST_ITEM || (a->state == STATE_FIRST_KEY && *p == '}'))
		ok = args_leave(a);
	else if (a->state == STATE_COLON && *p == ':')
		a->state = STATE_VALUE;
	else if (a->state != STATE_COLON && *p == '"')
		ok = begin_key(a);
	else
		ok = break_off(a);
	return ok ? p + 1 : NULL;
}

/* --- before and after the object --- */

static const char *after_space(const char *p, const char *end)
{
	while (p < end && text_is_space(*p))
		p++;
	return p;
}

static const char *in_front(struct args *a, const char *p, const char *end)
{
	const char *first = after_space(p, end);

	/* The bytes count even if they are not held, so that the limit does not depend on the
	 * cuts. */
	if ((size_t)(first - p) > a->max - a->held.len)
		return NULL;
	if (first == end)
		return buf_add(&a->held, p, (size_t)(end - p)) ? end : NULL;
	if (*first == '{') {
		buf_finish(&a->held);
		return enter_container(a, true) ? first + 1 : NULL;
	}
	a->state = STATE_RAW;
	a->flaws |= ARGS_NO_OBJECT;
	return args_open_segment(a, SEGMENT_TOOL_CALL, STR("execute")) ? p : NULL;
}

static const char *args_behind(struct args *a, const char *p, const char *end)
{
	if (after_space(p, end) < end) {
		a->flaws |= ARGS_TRAILING;
		a->state = STATE_REST;
	}
	return end;
}

static const char *args_step(struct args *a, const char *p, const char *end)
{
	switch (a->state) {
	case STATE_BLANK: return in_front(a, p, end);
	case STATE_RAW: return args_give(a, (struct str){ p, (size_t)(end - p) }) ? end : NULL;
	case STATE_FIRST_KEY:
	case STATE_KEY:
	case STATE_COLON:
	case STATE_FIRST_ITEM:
	case STATE_VALUE:
	case STATE_AFTER: return args_between(a, p);
	case STATE_STRING: return in_string(a, p, end);
	case STATE_ESCAPE: return in_escape(a, p);
	case STATE_UNICODE: return in_unicode(a, p);
	case STATE_NUMBER: return in_number(a, p);
	case STATE_LITERAL: return in_literal(a, p);
	case STATE_OVER: return args_behind(a, p, end);
	case STATE_REST: break;
	}
	return end;
}

bool args_feed(struct args *a, struct str text)
{
	if (a->stopped || text.n == 0)
		return !a->stopped;

	const char *end = text.p + text.n;
	for (const char *p = text.p; p && p < end;) {
		p = args_step(a, p, end);
		a->stopped = !p;
	}
	a->stopped = a->stopped || !give_ready(a);
	return !a->stopped;
}

bool args_end(struct args *a, unsigned *ret_flaws)
{
	if (a->stopped)
		return false;
	a->stopped = true;

	bool object = a->state != STATE_RAW;
	if (a->state == STATE_BLANK)
		buf_clear(&a->held); /* the held bytes are white space, not code */
	if (object && a->state != STATE_OVER && a->state != STATE_REST)
		a->flaws |= ARGS_ENDED_EARLY;
	if (object && !a->has_code)
		a->flaws |= ARGS_NO_CODE;
	if (!args_settle(a) || !a->sink->close(a->arg))
		return false;
	*ret_flaws = a->flaws;
	return true;
}
