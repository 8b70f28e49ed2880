/* shape/transcript: turns the stored messages of a conversation into the messages that a
 * provider is sent.
 *
 * Stored messages are OpenAI's message objects with a context (shape/context.h), LMC messages
 * (objects with a type), and answers with their LMC messages (shape/answer.h); one conversation
 * may have all kinds. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "json/scan.h"
#include "lmc/warnings.h"

/* An image that a message names by its path, read from its file. */
struct transcript_image {
	size_t     message; /* its place in the list */
	struct str path;    /* plain text */
	struct str format;  /* base64.png, …; empty: it can't be read */
	struct str data;    /* base64 */
};

/* A message with uploaded files that was rendered already (context_fill). */
struct transcript_made {
	size_t     message; /* its place in the list */
	struct str text;
};

struct transcript_options {
	bool   fence;         /* LMC code as fenced text instead of tool calls */
	bool   answers_calls; /* a call that was left without an answer gets one */
	size_t old;  /* so many messages in front were sent earlier: no warnings for them */
	bool   view; /* for reading, not for a provider: no images from files */
	struct warnings               *warnings; /* borrowed */
	const struct transcript_image *images;   /* in the order of the messages */
	size_t                         image_count;
	const struct transcript_made  *made; /* in the order of the messages */
	size_t                         made_count;
	struct arena                  *arena;
};

/* transcript_render: *ret are raw JSON messages; they borrow from messages and the arena.
 * Errors: INVALID_VALUE and the like for a message that breaks the rules, with its path
 * (messages[2].format, counted behind the old ones); OVERLOADED. */
enum errc transcript_render(const struct str *messages, size_t count,
			    const struct transcript_options *o, struct str **ret, size_t *ret_count,
			    struct err *e) MUST_USE;

/* transcript_check: whether the LMC message at i may be taken in: the rules of translation, and
 * strictly what images and sound consist of.  path: its own, as messages[2]; paths: whether images
 * may be named by path.
 * Errors: as transcript_render. */
enum errc transcript_check(const struct json_doc *d, json_at i, const char *path, bool paths,
			   struct err *e) MUST_USE;

/* transcript_images: which of the messages name an image by its path; *ret in the arena.
 * Errors: OVERLOADED. */
enum errc transcript_images(const struct str *messages, size_t count, struct arena *arena,
			    struct transcript_image **ret, size_t *ret_count,
			    struct err *e) MUST_USE;
