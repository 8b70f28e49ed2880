/* json/scan: a strict one-pass validator that leaves a tape of spans behind; our gate and hot path.
 *
 * RFC 8259 to the letter plus what a gateway needs: whole input used up (one BOM in front is
 * skipped), UTF-8 without overlong forms or surrogates, no raw control characters, no NUL escape in
 * a key, no duplicate keys in the levels that matter, bounded depth, keys and token count.  A string
 * is bounded by its text alone, so what holds the text (max_body, a row of the store) says how long.
 * Nothing is copied: tokens are spans of the text, so what is forwarded is what the client sent.
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
	JSON_HAS_NUL = 4, /* string: holds \u0000 */
};

/* One value.  In an object, keys and values alternate as tokens; the root is token 0. */
struct json_tok {
	uint32_t at;    /* of the first byte, the quote of a string included */
	uint32_t len;   /* of the whole value, quotes or brackets included */
	uint32_t next;  /* index of the token behind this value and all inside it */
	uint32_t count; /* elements of an array, members of an object */
	uint8_t  kind;  /* enum json_kind */
	uint8_t  flags; /* enum json_flag */
};

/* Laid open so that it can be embedded and reused; zero-initialised is empty. */
struct json_doc {
	const char      *text; /* borrowed; as long as spans are used */
	size_t           len;
	struct json_tok *tok; /* owned, grown by scans, reused by the next scan */
	uint32_t         count;
	uint32_t         cap;
};

struct json_limits {
	uint32_t depth; /* of nesting */
	uint32_t tokens;
	uint32_t unique; /* no duplicate keys in objects at depth <= unique (root object: 1) */
	bool     fold;   /* numbers in arrays leave no tokens: count alone tells of them */
};

/* For request bodies: LIMIT_JSON_*, keys unique in the first LIMIT_JSON_UNIQUE levels (a content
 * part or a tool call's function included). */
extern const struct json_limits json_limits_request;
/* For a provider's events and bodies: the same without a duplicate check. */
extern const struct json_limits json_limits_upstream;
/* For what is stored, which was scanned on its way in. */
extern const struct json_limits json_limits_stored;
/* For a provider's vectors, which may have millions of numbers: as upstream, folded. */
extern const struct json_limits json_limits_vectors;

/* json_scan: validates text[0..len) and fills doc (its old content is gone, its memory reused).
 * Errors, each with the byte offset in the text: ERR_INVALID_JSON; for a duplicate key its path in
 * e->path; with the path of the place as well, where the text may be JSON but goes beyond a limit of
 * ours: ERR_INVALID_VALUE (depth, a key's length: the path is its object's), ERR_REQUEST_TOO_LARGE
 * (tokens).  ERR_OVERLOADED when memory is short.  On failure doc is empty. */
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

/* json_is_kind: the value is there and of that kind; false for JSON_ABSENT. */
static inline bool json_is_kind(const struct json_doc *d, json_at i, enum json_kind kind)
{
	return i != JSON_ABSENT && json_kind(d, i) == kind;
}

/* json_raw: the value's own bytes, quotes included. */
static inline struct str json_raw(const struct json_doc *d, json_at i)
{
	return (struct str){ d->text + d->tok[i].at, d->tok[i].len };
}

/* json_inner: a string's bytes between the quotes, still escaped. */
static inline struct str json_inner(const struct json_doc *d, json_at i)
{
	return (struct str){ d->text + d->tok[i].at + 1, d->tok[i].len - 2 };
}
/* json_inner_of: the same for a value of any kind, or none; empty for what is no string. */
static inline struct str json_inner_of(const struct json_doc *d, json_at i)
{
	return json_is_kind(d, i, JSON_STRING) ? json_inner(d, i) : STR_NONE;
}

/* Walking: JSON_EACH visits the elements of an array. In an object, JSON_EACH_MEMBER visits the keys, and
 * json_value(i) is the member's value. A walk with a further condition is written out:
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

/* json_get: the value of a member by its (plain ASCII) key; JSON_ABSENT if obj is no object or has
 * none.  Keys written with escapes are compared by value. */
json_at json_get(const struct json_doc *d, json_at obj, const char *key);
/* json_get_some: the same, but a member that is null counts as absent. */
json_at json_get_some(const struct json_doc *d, json_at obj, const char *key);
/* json_get_inner: a member's string, still escaped; empty where there is none. */
struct str json_get_inner(const struct json_doc *d, json_at obj, const char *key);
/* json_get_is: a member that is a string whose value is text. */
bool json_get_is(const struct json_doc *d, json_at obj, const char *key, const char *text);
/* json_is: i is a string whose value is text. */
bool json_is(const struct json_doc *d, json_at i, const char *text);
/* json_int: false when i is no integer or does not fit. */
bool json_int(const struct json_doc *d, json_at i, int64_t *ret);
/* json_number: false when i is no number, not finite, or written with more than 511 bytes. */
bool json_number(const struct json_doc *d, json_at i, double *ret);
/* json_text: a string's value; borrowed from the text when nothing is escaped, else unescaped into
 * the arena (a lone surrogate escape becomes U+FFFD).  False: no string, or no memory. */
bool json_text(const struct json_doc *d, json_at i, struct arena *a, struct str *ret) MUST_USE;
/* json_unescape: appends the value of escaped string bytes (as from json_inner) to out. */
struct buf;
bool json_unescape(struct str inner, struct buf *out) MUST_USE;

/* utf8_valid: strict UTF-8 (no overlong forms, surrogates, or values above U+10FFFF). */
bool utf8_valid(const char *text, size_t len);
