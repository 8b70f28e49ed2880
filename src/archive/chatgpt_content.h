/* archive/chatgpt_content: turns one message of a ChatGPT export into a message for the store. */
#pragma once

#include "base/buf.h"
#include "json/scan.h"

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
