/* json/scan: a strict validator that reads all input of the gateway in one pass, and leaves tokens.
 *
 * The validator follows RFC 8259, with further rules: the whole text must be one value (one BOM in
 * front is skipped), in UTF-8 without overlong forms or surrogates, without raw control characters,
 * without a NUL escape in a key, and without duplicate keys in the levels that matter.  Depth, keys
 * and the number of tokens are limited; the length of a string is limited only by the text's own
 * limit (max_body, a row of the store).  Nothing is copied: tokens are spans of the text, so that
 * Parley forwards exactly what the client sent.
 *
 * Threads: a json_doc belongs to one thread at a time. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum json_kind {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

enum json_flag {
	JSON_ESCAPED = 1, /* string: has a backslash, so its text is not its value */
	JSON_INTEGER = 2, /* number: neither fraction nor exponent */
	JSON_HAS_NUL = 4, /* string: has \u0000 */
};

/* One value.  In an object, keys and values alternate as tokens; the root is token 0. */
struct json_tok {
	uint32_t at;    /* offset of the first byte; of a string, its quote */
	uint32_t len;   /* bytes of the whole value, with quotes or brackets */
	uint32_t next;  /* index of the first token after this value and all tokens inside it */
	uint32_t count; /* elements of an array, members of an object */
	uint8_t  kind;  /* enum json_kind */
	uint8_t  flags; /* enum json_flag */
};

/* Laid open so that it can be embedded and reused; zero-initialised is empty. */
struct json_doc {
	const char      *text; /* borrowed as long as spans are used */
	size_t           len;
	struct json_tok *tok; /* owned, grown by scans, reused by the next scan */
	uint32_t         count;
	uint32_t         cap;
};

struct json_limits {
	uint32_t depth; /* levels of nesting */
	uint32_t tokens;
	uint32_t unique; /* no duplicate keys in objects at depth <= unique (root object: 1) */
	bool     fold;   /* numbers in arrays make no tokens, but the array's count has them */
};

/* For request bodies: LIMIT_JSON_*, keys unique in the first LIMIT_JSON_UNIQUE levels (a content
 * part or a tool call's function included). */
extern const struct json_limits json_limits_request;
/* For a provider's events and bodies: as for requests, but duplicate keys are not checked. */
extern const struct json_limits json_limits_upstream;
/* For stored texts, which were scanned before they were stored. */
extern const struct json_limits json_limits_stored;
/* For a provider's vectors, which may have millions of numbers: as upstream, with fold. */
extern const struct json_limits json_limits_vectors;

/* json_scan: validates text[0..len) and fills doc, whose old content is lost and whose memory is
 * reused.  On failure doc is empty.
 *
 * Errors, whose messages have the byte offset: INVALID_JSON (of a duplicate key, e->path is its
 * path).  For a text beyond Parley's limits, e->path is the path of the place: INVALID_VALUE
 * (depth, or the length of a key: then the path is the object's), REQUEST_TOO_LARGE (tokens).
 * OVERLOADED: memory is short. */
enum errc json_scan(struct json_doc *doc, const char *text, size_t len,
		    const struct json_limits *limits, struct err *e) MUST_USE;
void      json_doc_finish(struct json_doc *doc);

/* A token index; 0 (the root) doubles as "absent" where a member is looked up. */
typedef uint32_t json_at;
#define JSON_ABSENT 0u

static inline enum json_kind json_kind(const struct json_doc *d, json_at i)
{
	return (enum json_kind)d->tok[i].kind;
}

/* json_is_kind: whether there is a value, of this kind; false for JSON_ABSENT. */
static inline bool json_is_kind(const struct json_doc *d, json_at i, enum json_kind kind)
{
	return i != JSON_ABSENT && json_kind(d, i) == kind;
}

/* json_raw: the bytes of the value in the text, with quotes. */
static inline struct str json_raw(const struct json_doc *d, json_at i)
{
	return (struct str){ d->text + d->tok[i].at, d->tok[i].len };
}

/* json_inner: a string's bytes between the quotes, still escaped. */
static inline struct str json_inner(const struct json_doc *d, json_at i)
{
	return (struct str){ d->text + d->tok[i].at + 1, d->tok[i].len - 2 };
}
/* json_inner_of: json_inner for a value of any kind, or for none; empty if it is no string. */
static inline struct str json_inner_of(const struct json_doc *d, json_at i)
{
	return json_is_kind(d, i, JSON_STRING) ? json_inner(d, i) : STR_NONE;
}

/* Walking: JSON_EACH visits the elements of an array. In an object, JSON_EACH_MEMBER visits the
 * keys, and json_value(i) is the member's value. A walk with a further condition is written out:
 * for (json_at i = json_first(d, a); ok && i != json_end(d, a); i = json_next(d, i)) */
static inline json_at json_first(const struct json_doc *d, json_at container)
{
	(void)d;
	return container + 1;
}
static inline json_at json_end(const struct json_doc *d, json_at container)
{
	return d->tok[container].next;
}
static inline json_at json_next(const struct json_doc *d, json_at i)
{
	return d->tok[i].next;
}
static inline json_at json_value(json_at key)
{
	return key + 1;
}
/* json_member: `"key":value` as one span of the text, with the white space around the colon. */
static inline struct str json_member(const struct json_doc *d, json_at key)
{
	const struct json_tok *k = &d->tok[key];
	const struct json_tok *v = &d->tok[key + 1];

	return (struct str){ d->text + k->at, v->at + v->len - k->at };
}
static inline json_at json_next_member(const struct json_doc *d, json_at key)
{
	return d->tok[key + 1].next;
}

/* JSON_EACH(i, doc, array), JSON_EACH_MEMBER(i, doc, object): they declare i. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define JSON_EACH(i, d, array) \
	for (json_at i = json_first(d, array); i != json_end(d, array); i = json_next(d, i))
#define JSON_EACH_MEMBER(i, d, object)                                    \
	for (json_at i = json_first(d, object); i != json_end(d, object); \
	     i = json_next_member(d, i))
/* NOLINTEND(bugprone-macro-parentheses) */

/* json_get: the value of the member with this key (plain ASCII); JSON_ABSENT if obj is no object or
 * has no such member.  Keys with escapes are compared by their values. */
json_at json_get_str(const struct json_doc *d, json_at obj, struct str key);
/* Inline, as json_is, so that the compiler measures a literal. */
static inline json_at json_get(const struct json_doc *d, json_at obj, const char *key)
{
	return json_get_str(d, obj, str_of(key));
}
/* json_get_some: json_get, but a member that is null counts as absent. */
json_at json_get_some(const struct json_doc *d, json_at obj, const char *key);
/* json_get_inner: the string of a member, still escaped; empty if there is none. */
struct str json_get_inner(const struct json_doc *d, json_at obj, const char *key);
/* json_get_is: whether the member is a string whose value is text. */
bool json_get_is(const struct json_doc *d, json_at obj, const char *key, const char *text);
/* json_is: whether i is a string whose value is text. */
bool               json_is_str(const struct json_doc *d, json_at i, struct str text);
static inline bool json_is(const struct json_doc *d, json_at i, const char *text)
{
	return json_is_str(d, i, str_of(text));
}
/* json_spanned: the value whose bytes raw is; JSON_ABSENT: raw is the root, or none of the values. */
json_at json_spanned(const struct json_doc *d, struct str raw);
/* json_int: false: i is no integer, or does not fit into 64 bits. */
bool json_int(const struct json_doc *d, json_at i, int64_t *ret);
/* json_number: false: i is no number, not finite, or longer than 511 bytes. */
bool json_number(const struct json_doc *d, json_at i, double *ret);
/* json_text: the value of a string, borrowed from the text if nothing is escaped, otherwise
 * unescaped into the arena; the escape of a lone surrogate becomes U+FFFD.  False: i is no string,
 * or there is no memory. */
bool json_text(const struct json_doc *d, json_at i, struct arena *a, struct str *ret) MUST_USE;
/* json_unescape: appends the value of escaped string bytes (as from json_inner) to out. */
struct buf;
bool json_unescape(struct str inner, struct buf *out) MUST_USE;

/* utf8_valid: strict UTF-8 (no overlong forms, surrogates, or values above U+10FFFF). */
bool utf8_valid(const char *text, size_t len);

/* --- print: prints a scanned value in a canonical spacing and escaping, however it was
 * written. */

/* json_print: appends the value as compact JSON: no white space, and only those escapes that RFC
 * 8259 requires; the escape of a lone surrogate stays.  False: out is full or memory is short; out
 * may have a part of the value then. */
bool json_print(const struct json_doc *d, json_at i, struct buf *out) MUST_USE;
