/* lmc/text: the strings of the translation: decoding of JSON's escapes, and printing with escapes.
 *
 * Text inside lmc/ is UTF-8 that may also have lone surrogates, in three bytes each (WTF-8), so
 * that no string that JSON can write is lost.  The escape of half a surrogate pair, such as \ud83d,
 * is joined with the other half if the next piece begins with it; a half that stays alone is
 * printed as an escape again. */
#pragma once

#include "base/buf.h"
#include "json/scan.h"

/* text_add: decodes the bytes between the quotes of a JSON string (checked before), and appends the
 * text to out; the first half of a surrogate pair at the end of out is joined with the second half
 * at the beginning of the text.  False: out is full, or an escape is wrong. */
bool text_add(struct buf *out, struct str escaped) MUST_USE;
/* text_join: appends decoded text; halves of a surrogate pair join in the same way. */
bool text_join(struct buf *out, struct str text) MUST_USE;
/* text_put: appends text with the escapes that it needs between two quotes; text_quote: with the
 * quotes too. */
bool text_put(struct buf *out, struct str text) MUST_USE;
bool text_quote(struct buf *out, struct str text) MUST_USE;
/* text_of: appends the text of a JSON value (rule G6): of a string its value, of null nothing, of
 * other values their JSON without spaces. */
bool text_of(const struct json_doc *d, json_at i, struct buf *out) MUST_USE;
/* text_view: the same text, borrowed from the document if nothing is escaped; otherwise out is
 * cleared and holds the text. */
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
/* text_whole: the length of s without a character or surrogate pair at its end that may be
 * incomplete: s.n, or up to three bytes less. */
size_t text_whole(struct str s);
