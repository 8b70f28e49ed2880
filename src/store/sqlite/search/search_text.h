/* search_text: what of a stored message can be searched for, as plain text.
 *
 * Content and text parts, LMC's messages, code and console output, calls of tools, inline files;
 * nothing that is base64.  Cut at LIMIT_SEARCH_TEXT.  The index forgets a message by the same text
 * that it was told, so a change here takes a new SEARCH_FORMAT (search_index.h). */
#pragma once

#include "base/buf.h"
#include "json/scan.h"
#include "store/search.h"

/* Laid open so that it can be embedded and reused. */
struct search_text {
	struct json_doc  doc;
	struct buf       text; /* UTF-8 without NUL; empty: nothing to search for */
	enum search_role role;
};

void search_text_init(struct search_text *t);
void search_text_finish(struct search_text *t);
/* search_text_read: body as it is stored.  What is no message has no text.  False: no memory. */
bool search_text_read(struct search_text *t, struct str body) MUST_USE;
