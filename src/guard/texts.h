/* guard/texts: which strings of a JSON value are texts that a hook has to see, and the same value with other texts.
 *
 * Every string value counts, at any depth and under any name, so that nothing goes past a hook because nobody thought of
 * its member.  What a provider may decode is shown as the text that it is.  Left out are only identifiers that look like ones, known words of the API (role, type), and media where an
 * API has them: base64 and data URLs.  Keys of objects are no texts.  Pure. */
#pragma once

#include "base/buf.h"
#include "json/scan.h"

enum texts_kind {
	TEXTS_NONE,
	TEXTS_TEXT,
	TEXTS_MEDIA, /* base64, or a data URL */
	/* Kinds of texts_find_asked alone: */
	TEXTS_DATA,      /* the same with a text in it (lmc/datum) */
	TEXTS_DATA_WORD, /* likewise, and the string is a text by itself, too */
	TEXTS_HIDDEN,    /* data that should be a text, and can't be read */
};

/* texts_find: of each value of the document, what it is, as enum texts_kind; owned.  NULL: no memory. */
unsigned char *texts_find(const struct json_doc *d) MUST_USE;
/* texts_find_asked: the same of what a provider is asked, which may decode data. */
unsigned char *texts_find_asked(const struct json_doc *d) MUST_USE;
/* texts_hides: whether anything is TEXTS_HIDDEN.  texts_hidden: why it is not sent. */
bool              texts_hides(const struct json_doc *d, const unsigned char *kinds);
extern const char texts_hidden[];
/* texts_data: appends the text of TEXTS_DATA or TEXTS_DATA_WORD, as it is between the quotes of JSON.  False: no memory. */
bool texts_data(const struct json_doc *d, json_at value, struct buf *out) MUST_USE;
/* texts_is_signature: whether an escaped string is base64 of some length, as signatures are. */
bool texts_is_signature(struct str s);
/* texts_is_id: whether an escaped string looks like an identifier, as calls have. */
bool texts_is_id(struct str s);

/* texts_list_of: the same of a value. */
bool texts_list_of(const struct json_doc *d, json_at at, struct buf *out, size_t *count) MUST_USE;
/* texts_images: appends the media of the document in the same way. */
bool texts_images(const struct json_doc *d, struct buf *out) MUST_USE;
/* texts_gather: appends the strings of a kind in a value as JSON strings, with commas between them and one before them if out
 * is not empty; *count grows by their number.  False: no memory. */
bool texts_gather(const struct json_doc *d, const unsigned char *kinds, enum texts_kind kind,
		  json_at at, struct buf *out, size_t *count) MUST_USE;

/* A string in a text: its place between the quotes, and what stands there instead, escaped. */
struct texts_new {
	size_t     at, len;
	struct str text;
};
/* texts_put: the text with new strings, in the order of their places.  False: out is full, or memory is short. */
bool texts_put(struct str text, const struct texts_new *list, size_t count,
	       struct buf *out) MUST_USE;

/* texts_cut: how much of the beginning of an escaped text may leave, where at least the last `overlap` characters have to
 * stay: bytes up to the end of a word, so that nothing of a word leaves before the whole of it was seen.  Scripts without
 * spaces may be cut between any two of their characters. */
size_t texts_cut(struct str escaped, size_t overlap);
/* texts_count: its characters. */
size_t texts_count(struct str escaped);
/* texts_common: bytes of the text that say what the other one begins with, in whatever escapes. */
size_t texts_common(struct str text, struct str other);
/* texts_same: whether both say the same, in whatever escapes. */
bool texts_same(struct str a, struct str b);
/* texts_half: whether it ends in the first half of a surrogate pair, whose other half may follow. */
bool texts_half(struct str escaped);
