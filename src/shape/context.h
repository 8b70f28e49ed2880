/* shape/context: what a provider sees of a message with files: the documented template.
 *
 * A text file, inline or uploaded, stands before the message's text as
 *     <file name="NAME">
 *     CONTENT
 *     </file>
 * with an empty line behind it.  In NAME, & < > " are written as &amp; &lt; &gt; &quot; and control
 * characters as blanks; in CONTENT, </file (in any case) begins with &lt; so that no content ends
 * its block.  Of an uploaded file that was deleted, or that is not shown here, the block says so:
 *     <file name="NAME" missing="deleted">
 *     </file>
 * Images, sound and PDF become OpenAI's parts image_url, input_audio and file.  With one of those
 * the content becomes an array: files in their order, adjacent text files in one text part, then
 * the message's own content; else text stays text.  The stored message keeps its context as it
 * came. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "shape/attachment.h"

struct buf;

/* context_render: message is a native message object (checked).  *ret borrows from it when it has
 * no context, else it is a new object in the arena, without the context member.  Uploaded files
 * are not shown.
 * Errors: OVERLOADED (memory). */
enum errc context_render(struct str message, struct arena *arena, struct str *ret,
			 struct err *e) MUST_USE;

/* A file that a message names by its uuid. */
struct context_named {
	size_t     file; /* its place in context.files */
	struct str uuid; /* plain text, as everything here */
	struct str name; /* what the message calls it; or empty */
	bool       user; /* the message is the user's */
};

/* context_may_name: a quick look at the bytes of a message, without a scan; false: the message
 * names no uploaded file. */
bool context_may_name(struct str message);
/* context_uploads: the uploaded files that a message names, in their order; *ret is in the
 * arena, its spans also in the message. A message that is no object, or an LMC message, has
 * none. Errors: OVERLOADED (memory). */
enum errc context_uploads(struct str message, struct arena *arena, struct context_named **ret,
			  size_t *ret_count, struct err *e) MUST_USE;

/* An uploaded file as the provider sees it. */
struct context_shown {
	struct str        name;
	struct attachment is;
	const char       *missing; /* why it has no content; NULL: it has */
};

/* The contents of a message's uploaded files, in the order of context_uploads. */
struct context_contents {
	const struct context_shown *list;
	size_t                      count;
	/* read: the content of list[n]; borrowed until the next call. */
	enum errc (*read)(void *arg, size_t n, struct str *ret, struct err *e);
	void *arg;
};

/* context_fill: as context_render, with the contents of uploaded files, appended to out.
 * Errors: those of read; OVERLOADED: no memory, or more than out may hold. */
enum errc context_fill(struct str message, const struct context_contents *contents, struct buf *out,
		       struct err *e) MUST_USE;
