/* excerpt: the beginning of a stored message's text in one line, for lists.
 *
 * It is made for each message on the thread that writes: nothing is allocated, and what a long body has beyond
 * its beginning is passed over, not read.  A body that is no message, or has no text for people to read, has none. */
#pragma once

#include "base/str.h"
#include "store/conversation.h"

enum {
	EXCERPT_CHARS = 120,
	OPENING_CHARS = 60,
	EXCERPT_BYTES = 4 * EXCERPT_CHARS + 4, /* room for a character that is one too many */
};

/* Laid open so that it can stand on the stack. */
struct excerpt {
	bool   user; /* the message is a user's */
	size_t chars;
	size_t len;
	char   text[EXCERPT_BYTES]; /* UTF-8 without control characters, not terminated */
};

void excerpt_read(struct excerpt *x, struct str body);

/* excerpt_text: at most EXCERPT_CHARS characters, borrowed of x; empty: none. */
struct str excerpt_text(const struct excerpt *x);
/* excerpt_opening: the text as a title: at most OPENING_CHARS characters and, if that is not all, cut after
 * a word, with an ellipsis at the end.  Borrowed of x, which it changes. */
struct str excerpt_opening(struct excerpt *x);

/* The part of a conversation's row that new messages change; laid open, likewise. */
struct excerpt_row {
	struct excerpt first, last;
	struct str     opening; /* the first message's of a user; empty: there is none */
	struct str     excerpt; /* the last message's; empty: it has no text */
};

void excerpt_row(struct excerpt_row *r, const struct store_message *messages, size_t count);
/* excerpt_row_add: one message more; first: the row is empty before. */
void excerpt_row_add(struct excerpt_row *r, struct str body, bool first);
