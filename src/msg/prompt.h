/* msg/prompt: a request to a provider in the terms of OpenAI's chat request, in pieces.
 *
 * Routes of all families make prompts; a dialect encodes a prompt into the provider's own body.
 * Pieces stay raw JSON, so that what a client sent is forwarded byte for byte. Plain data; all
 * spans are borrowed for the provider's start only. */
#pragma once

#include "base/str.h"
#include "base/trace.h"
#include "msg/embed.h"

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct warnings;

struct prompt {
	struct str        model;    /* the upstream's name for it, a plain string */
	const struct str *messages; /* each a raw JSON message object; system message first */
	size_t            message_count;
	/* All other members of the request, each raw as `"key":value`, in the client's order.  Never
	 * among them: model, messages, stream, stream_options, max_tokens, max_completion_tokens,
	 * store, metadata and whatever else is Parley's own. */
	const struct str *members;
	size_t            member_count;
	/* max_tokens, or max_completion_tokens: raw JSON value, empty if absent, and which of the two
	 * names the client used (NULL: native request, the provider's max_tokens_field decides). */
	struct str  max_tokens;
	const char *max_tokens_key;
	bool        stream;
	struct str  stream_options; /* raw object as the client sent it, or empty */
	bool        want_usage;     /* add include_usage if the client did not */
	/* members that only some providers get: raw `"store":…` and `"metadata":…` (forward_store) */
	struct str forward[2];
	/* where an encoder says what it could not hand on (lmc/warnings); NULL: nobody asks */
	struct warnings *warnings;
	/* Not a chat: vectors are wanted.  Then messages are empty, it is no stream, and members are all
	 * of the request but its model.  NULL: a chat. */
	const struct embed *embed;
	/* The provider's own body for it, where it was encoded before; start takes it.  NULL: start
	 * encodes. */
	struct buf *body;
	/* The attempt's span, for providers that are told of it; NULL: none is. */
	const struct trace *trace;
};
