/* shape/view: a stored conversation's messages in the shape that a reader asks for. */
#pragma once

#include "base/err.h"
#include "json/scan.h"
#include "lmc/warnings.h"

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
