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
#include "shape/context.h"

/* An image that a message names by its path, read from its file. */
struct transcript_image {
	size_t     message; /* index in the list of messages */
	struct str path;    /* plain text */
	struct str format;  /* base64.png, …; empty: the image can't be read */
	struct str data;    /* base64 */
};

/* A message with uploaded files that was rendered already (context_fill). */
struct transcript_made {
	size_t     message; /* index in the list of messages */
	struct str text;    /* the rendered message, a JSON object */
};

/* The items of OpenAI's Responses API that messages were made of (shape/carry). */
struct transcript_items {
	struct str *list;   /* the caller's, with room for each message given; each zeroed */
	bool        any;    /* some message has items */
	bool        joined; /* messages were joined or taken apart, and list is not filled */
};

struct transcript_options {
	bool   fence;         /* LMC code as fenced text instead of tool calls */
	bool   answers_calls; /* a tool call without an answer gets one */
	size_t old; /* the first `old` messages were sent in earlier turns: no warnings for them */
	bool   unrun; /* see lmc/to_openai.h */
	enum context_files files;
	bool view; /* the result is shown to a client: images that have a path are not read */
	struct warnings               *warnings; /* borrowed */
	const struct transcript_image *images;   /* in the order of the messages */
	size_t                         image_count;
	const struct transcript_made  *made; /* in the order of the messages */
	size_t                         made_count;
	struct arena                  *arena;
	struct transcript_items       *items; /* gets what providers of other APIs are not sent */
};

/* transcript_render: *ret are raw JSON messages; they borrow from messages and the arena.
 * Errors: INVALID_VALUE and the like for a message that breaks the rules, with its path
 * (messages[2].format, counted after the old ones); OVERLOADED. */
enum errc transcript_render(const struct str *messages, size_t count,
			    const struct transcript_options *o, struct str **ret, size_t *ret_count,
			    struct err *e) MUST_USE;

/* transcript_check: checks the LMC message at i of a request by the rules of translation, and the
 * data of images and audio strictly.  path: the message's own, such as messages[2]; paths: images
 * may be named by path.
 * Errors: as transcript_render. */
enum errc transcript_check(const struct json_doc *d, json_at i, const char *path, bool paths,
			   struct err *e) MUST_USE;

/* transcript_images: lists the images that messages name by their paths; *ret is in the arena.
 * Errors: OVERLOADED. */
enum errc transcript_images(const struct str *messages, size_t count, struct arena *arena,
			    struct transcript_image **ret, size_t *ret_count,
			    struct err *e) MUST_USE;

/* --- terminal: the output of the computer as a model is sent it.  What is stored is all that was
 * printed; a model is sent the beginning and the end of a long output, as a terminal would show it: a
 * carriage return overwrites its line. */

/* terminal_fit: the message, where the outputs among its LMC messages fit; *ret is the message itself
 * where nothing has to change, or in the arena.  False: no memory. */
bool terminal_fit(struct str message, struct arena *arena, struct str *ret) MUST_USE;

/* --- view: a stored conversation's messages in the shape that a reader asks for. */

enum view_format {
	VIEW_NATIVE, /* the messages as the store has them */
	VIEW_OPENAI, /* OpenAI's messages, as a provider is sent them */
	VIEW_LMC,    /* LMC messages; a stored LMC message keeps all its members */
	VIEW__COUNT
};

extern const char *const view_formats[]; /* in that order, NULL-terminated */

/* view_print: appends the messages with commas between them to out.  Threads: any.
 * Errors: OVERLOADED (memory); out may have a part of them then. */
enum errc view_print(const struct str *messages, size_t count, enum view_format format,
		     struct warnings *warnings, struct buf *out, struct err *e) MUST_USE;

/* view_cut: how many of the messages make a page if more messages follow.  A page must not end
 * between calls and their results, because a call without a result would be printed with a made-up
 * one.  At least 1; all messages if there is no better cut. */
size_t view_cut(const struct str *messages, size_t count, enum view_format format);
/* view_skip: how many messages at the beginning belong to the page before, if there is one: results
 * whose calls are there.  0 if nothing else were left. */
size_t view_skip(const struct str *messages, size_t count, enum view_format format);

/* view_single: appends one LMC message to out as one message object of OpenAI's: code and its
 * output as text; a message that a provider is not sent as the text of its content.  d, message:
 * the scanned LMC message.  False: no memory. */
bool view_single(const struct json_doc *d, json_at message, struct buf *out) MUST_USE;
