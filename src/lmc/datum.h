/* lmc/datum: texts that requests have as data: in base64, or in data URLs (RFC 2397).  It reads more than strict base64,
 * because some providers do: both alphabets, without padding, with white space.  Pure. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

enum datum_is {
	DATUM_NOT,    /* no data: the string is what it says */
	DATUM_BYTES,  /* bytes that are no text, and have no type of texts */
	DATUM_TEXT,   /* a text in UTF-8 */
	DATUM_HIDDEN, /* data that should be a text, and can't be read; or memory is short */
};

struct datum {
	enum datum_is is;
	bool          word; /* the string itself may say something as well */
};

/* datum_url: reads an escaped string that may be a data URL; text: gets the bytes of a text. */
struct datum datum_url(struct str escaped, struct buf *text);
/* datum_base64: the same of base64; type: its media type, escaped; empty: it has none. */
struct datum datum_base64(struct str escaped, struct str type, struct buf *text);
/* datum_put: appends the string with another text: an escaped one, in the place of that of DATUM_TEXT.  False: no memory. */
bool datum_put(struct str escaped, struct str now, struct buf *out) MUST_USE;
