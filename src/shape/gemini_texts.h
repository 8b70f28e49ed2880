/* shape/gemini_texts: what a request of Gemini's own API has besides the texts that stand in it as such.  Pure. */
#pragma once

#include "json/scan.h"

enum gemini_mark {
	GEMINI_PLAIN,
	GEMINI_ALONE, /* a text that becomes a text of a message by itself: neither joined with others nor left out */
	GEMINI_IMAGE, /* base64 of inlineData in a part, as the next ones */
	GEMINI_SOUND,
	GEMINI_FILE,
};

/* gemini_marks: of each value of the document, what it is, as enum gemini_mark; owned.  request: the object with the contents: the
 * root, or one within it.  NULL: no memory. */
unsigned char *gemini_marks(const struct json_doc *d, json_at request) MUST_USE;
/* gemini_hides: whether there is data that may be a text, so that nobody can say what the provider reads without decoding it:
 * data of another type than those of media, or an object with two types or twice with data. */
bool gemini_hides(const struct json_doc *d);
