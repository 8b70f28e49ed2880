/* archive/chatgpt: turns the file conversations.json of a ChatGPT export into lines of an
 * archive. Pure.
 *
 * The file is one array; each of its conversations is cut out and read alone. */
#pragma once

#include "base/buf.h"
#include "json/scan.h"

/* The conversations in the file, one after the other.  Laid open so that it can be embedded. */
struct chatgpt {
	struct str      text; /* the whole file, borrowed */
	size_t          at;
	size_t          count; /* conversations taken so far */
	int64_t         now_ms;
	struct json_doc doc;
};

/* The counts of what an archive can't carry of a conversation. */
struct chatgpt_losses {
	size_t media;   /* images and sound; a note stands in their place */
	size_t content; /* kinds of content that are left out: thoughts and the like */
};

void chatgpt_init(struct chatgpt *c, struct str text, int64_t now_ms);
void chatgpt_finish(struct chatgpt *c);
/* chatgpt_next: appends the lines of the next conversation to out; *ret_more false: there was
 * none. Errors: with the path of the wrong member ("conversations[3].mapping"). */
enum errc chatgpt_next(struct chatgpt *c, struct buf *out, struct chatgpt_losses *ret_losses,
		       bool *ret_more, struct err *e) MUST_USE;

/* --- chatgpt_content: turns one message of a ChatGPT export into a message for the store. */

struct chatgpt_content {
	const struct json_doc *doc;
	struct buf            *out;
	/* out */
	size_t      media;    /* images and sound that a note stands for */
	size_t      left_out; /* contents of kinds that can't be carried */
	const char *member;   /* where it is wrong, and what is; problem NULL: memory is short */
	const char *problem;
};

/* chatgpt_content_put: appends the message object; nothing if no content can be kept. */
bool chatgpt_content_put(struct chatgpt_content *c, json_at message) MUST_USE;
