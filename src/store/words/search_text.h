/* search_text: the plain text of a stored message for which a search can find it.
 *
 * The text has content and text parts, LMC's messages, code and console output, tool calls and
 * inline files, but nothing in base64; it is cut at LIMIT_SEARCH_TEXT.  The index needs the same
 * text again to remove a message, so a change here needs a new SEARCH_FORMAT (search_index.h). */
#pragma once

#include "base/buf.h"
#include "json/scan.h"
#include "store/search.h"

/* Laid open so that it can be embedded and reused. */
struct search_text {
	struct json_doc  doc;
	struct buf       text; /* UTF-8 without NUL; empty: nothing can be searched for */
	enum search_role role;
};

void search_text_init(struct search_text *t);
void search_text_finish(struct search_text *t);
/* search_text_read: reads the stored body of a message into t->text and t->role.  A body that is no
 * message has no text.  False: no memory. */
bool search_text_read(struct search_text *t, struct str body) MUST_USE;
