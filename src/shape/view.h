/* shape/view: a stored conversation's messages in the shape that a reader asks for. */
#pragma once

#include "base/err.h"
#include "json/scan.h"
#include "lmc/warnings.h"

enum view_format {
	VIEW_NATIVE, /* as they were sent, and as the provider's answers are kept */
	VIEW_OPENAI, /* OpenAI's messages, as a provider would be asked with them */
	VIEW_LMC,    /* LMC messages; those that were sent as such with all their keys */
	VIEW__COUNT
};

extern const char *const view_formats[]; /* in that order, NULL-terminated */

/* view_print: the messages with commas between them, appended to out.  Any thread.
 * Errors: OVERLOADED (memory); out may hold a part then. */
enum errc view_print(const struct str *messages, size_t count, enum view_format format,
		     struct warnings *warnings, struct buf *out, struct err *e) MUST_USE;

/* view_cut: how many of the messages make a page, where more follow: calls and what they gave back stay
 * together, as a call without its result is given one.  At least 1, and all where no other cut is. */
size_t view_cut(const struct str *messages, size_t count, enum view_format format);

/* view_single: one LMC message alone as one message object of OpenAI's, appended to out: code and
 * what it printed as text; what would not be handed to a provider as the text of its content.
 * d, message: its scan. */
bool view_single(const struct json_doc *d, json_at message, struct buf *out) MUST_USE;
