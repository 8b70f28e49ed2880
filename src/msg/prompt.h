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
	/* All other members of the request, each raw as `"key":value`, in the client's order, but
	 * without model, messages, stream, stream_options, max_tokens, max_completion_tokens,
	 * store, metadata and the members that are Parley's own. */
	const struct str *members;
	size_t            member_count;
	/* The value of max_tokens or max_completion_tokens, raw JSON, empty if absent; and the name
	 * that the client used, NULL: a request of LLM Chat, and the provider's max_tokens_field
	 * decides. */
	struct str  max_tokens;
	const char *max_tokens_key;
	bool        stream;
	struct str  stream_options; /* raw object as the client sent it, or empty */
	bool        want_usage; /* the provider is asked for usage, even if the client did not */
	/* Raw `"store":…` and `"metadata":…`, for providers with the option forward_store. */
	struct str forward[2];
	/* Borrowed; a dialect adds what it could not pass on to the provider; NULL: nobody reads
	 * warnings. */
	struct warnings *warnings;
	/* A request for embeddings: messages are empty, stream is false, and members are all
	 * members of the request except for the model.  NULL: a chat. */
	const struct embed *embed;
	/* The provider's body, if the prompt was encoded before; start takes its bytes.  NULL:
	 * start encodes the prompt. */
	struct buf *body;
	/* The attempt's span, for providers with the option propagate_trace; NULL: no trace. */
	const struct trace *trace;
};
