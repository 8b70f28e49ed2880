/* lmc/text: strings as translation sees them: decoded, cut nowhere, printed again.
 *
 * Inside lmc/ text is UTF-8 that may also hold lone surrogates in three bytes each (known as
 * WTF-8), so every string that JSON can write survives: an escape such as \ud83d, whose other half
 * comes in the next piece, joins it, and one that stays alone is printed as the escape it was. */
#pragma once

#include "base/buf.h"
#include "json/scan.h"

/* text_add: appends the value of escaped string bytes (as between two quotes; validated) to out; a
 * first half at out's end and a second half in front join.  False: out is full, or an escape is none. */
bool text_add(struct buf *out, struct str escaped) MUST_USE;
/* text_join: appends decoded text; halves of a surrogate pair join in the same way. */
bool text_join(struct buf *out, struct str text) MUST_USE;
/* text_put: appends text, escaped so that it may stand between two quotes; text_quote: with the
 * quotes. */
bool text_put(struct buf *out, struct str text) MUST_USE;
bool text_quote(struct buf *out, struct str text) MUST_USE;
/* text_of: appends the text of a JSON value (rule G6): a string's own, nothing for null, else its
 * JSON without spaces. */
bool text_of(const struct json_doc *d, json_at i, struct buf *out) MUST_USE;
/* text_view: the same without a copy if nothing is escaped; otherwise out (cleared) holds the
 * text. */
bool text_view(const struct json_doc *d, json_at i, struct buf *out, struct str *ret) MUST_USE;

/* White space is space, tab, CR and LF (rule G5). */
static inline bool text_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
struct str text_trim(struct str s);
/* text_language: appends the language in an info text or an argument (rule G8). */
bool text_language(struct str s, struct buf *out) MUST_USE;
/* text_ticks: the length of the longest run of backticks. */
size_t text_ticks(struct str s);
/* text_whole: how much of s can be given without cutting a character or a pair of surrogates that
 * may go on: s.n, or up to three bytes less. */
size_t text_whole(struct str s);
