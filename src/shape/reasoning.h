/* shape/reasoning: the member in which clients of OpenAI's shape find the text of a model's
 * reasoning.
 *
 * OpenAI has no member for reasoning; providers and clients use both reasoning_content and
 * reasoning. */
#pragma once

#include "base/buf.h"
#include "json/scan.h"

enum reasoning_name {
	/* The member of a provider that speaks OpenAI's API; reasoning_content for all others. */
	REASONING_PASSTHROUGH,
	REASONING_CONTENT, /* reasoning_content */
	REASONING_SHORT,   /* reasoning */
	REASONING_BOTH,    /* both members, with the same text */
	REASONING_NONE,    /* no member: clients get no reasoning */
};

/* reasoning_text_of: the reasoning of a message, a string; JSON_ABSENT: none. An object under one of
 * the names is something else. */
json_at reasoning_text_of(const struct json_doc *d, json_at message);

/* reasoning_put: appends `"name":"escaped"` once or twice; nothing for REASONING_NONE. False: out
 * is full. */
bool reasoning_put(enum reasoning_name name, struct str escaped, struct buf *out) MUST_USE;

/* reasoning_rename: renames the reasoning of each choice in the chunk or completion that out holds
 * from `start` on; everything else stays unchanged.  doc and scratch are working memory.  False:
 * out is full, or memory is short; out is then unchanged. */
bool reasoning_rename(enum reasoning_name name, struct json_doc *doc, struct buf *scratch,
		      struct buf *out, size_t start) MUST_USE;

/* reasoning_unsaid: a stored answer without its reasoning, for the provider. Reasoning that led
 * to tool calls stays, because providers require it with the calls. *ret borrows from message,
 * or is in the arena. False: memory is short. */
bool reasoning_unsaid(struct str message, struct arena *arena, struct str *ret) MUST_USE;
