/* shape/context: turns a message with files into the message that a provider is sent. The form is
 * documented for clients (docs/api.md), so it must not change silently.
 *
 * A text file, inline or uploaded, stands before the message's text as
 *     <file name="NAME">
 *     CONTENT
 *     </file>
 * followed by an empty line.  In NAME, & < > " are written as &amp; &lt; &gt; &quot; and control
 * characters as blanks; in CONTENT, </file (in any case) begins with &lt; so that no content ends
 * its block.  The block of an uploaded file that was deleted, or that is not shown here, says so:
 *     <file name="NAME" missing="deleted">
 *     </file>
 * Images, audio and PDF become OpenAI's parts image_url, input_audio and file.  If a message has
 * one of these, its content becomes an array: the files in their order, adjacent text files in one
 * text part, then the message's own content; otherwise a text stays a text.  The stored message
 * keeps its context unchanged.
 *
 * A part of the content may name an uploaded file, too, and the file then takes the place of the
 * part: {"type":"file","file":{"uuid":…,"filename":…}}, or
 * {"type":"image_url","image_url":{"uuid":…,"detail":…}}.
 *
 * A request with a computer may have the files in its sandbox.  A block then names the place, and
 * has the content only with CONTEXT_BOTH:
 *     <file name="NAME" path="/space/in/NAME">
 *     </file> */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/str.h"
#include "msg/call_request.h"

#include <stdbool.h>

struct buf;

/* --- attachment: the kind of an uploaded file: text, or one of the media that OpenAI's
 * content parts know. The content decides; the media type only where the content does not. */

enum attachment_kind {
	ATTACHMENT_TEXT,  /* UTF-8 without NUL */
	ATTACHMENT_IMAGE, /* format: png, jpeg, gif or webp */
	ATTACHMENT_AUDIO, /* format: wav or mp3 */
	ATTACHMENT_PDF,
	ATTACHMENT__COUNT
};

struct attachment {
	enum attachment_kind kind;
	const char          *format; /* named above; "": the kind has only one format */
};

/* attachment_tell: finds the kind of a file from its first bytes (all, or LIMIT_ATTACHED_HEAD of
 * them) and the media type of its upload. False: it is of no known kind. The rest of a text must
 * still be checked. */
bool attachment_tell(struct str head, struct str type, struct attachment *ret);
/* attachment_is_text: whether a whole content is text. */
bool attachment_is_text(struct str content);
/* attachment_limit: the maximum size of a file of this kind, in bytes. */
size_t attachment_limit(enum attachment_kind kind);
/* attachment_name: the kind for people: "text", "an image", "audio", "a PDF". */
const char *attachment_name(enum attachment_kind kind);

/* --- context --- */

#define CONTEXT_FOLDER "/space/in/"

/* context_place: the name of a file in that folder. */
struct str context_place(struct str name, char ret[LIMIT_FILE_NAME + 1]);

/* Who is told of the files of a message, in their order; false: no more. */
struct context_walker {
	/* inlined: plain texts, borrowed for the call. */
	bool (*inlined)(void *arg, struct str name, struct str content);
	bool (*uploaded)(void *arg, size_t n); /* the n-th of context_uploads */
	void *arg;
};

/* context_walk: Errors: OVERLOADED. */
enum errc context_walk(struct str message, const struct context_walker *w, struct err *e) MUST_USE;

/* context_render: renders a message object of LLM Chat (checked before).  *ret is the message
 * itself if the message has no context, otherwise a new object in the arena, without the member
 * context.  The contents of uploaded files are not shown.
 * Errors: OVERLOADED (memory). */
enum errc context_render(struct str message, enum context_files files, struct arena *arena,
			 struct str *ret, struct err *e) MUST_USE;

/* A file that a message names by its uuid. */
struct context_named {
	size_t     file; /* index in context.files, or in the content */
	bool       part; /* the file is named by a part of the content */
	struct str uuid; /* plain text, like name */
	struct str name; /* the name in the message, or empty */
	bool       user; /* the message has the role user */
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
	struct str        name; /* plain text */
	struct attachment is;   /* the kind of the content */
	const char *missing;    /* why the content is not shown (deleted, …); NULL: it is shown */
};

/* The contents of a message's uploaded files, in the order of context_uploads. */
struct context_contents {
	enum context_files          files;
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

/* --- mention: which of the keys that a message's form depends on may stand in its bytes, found in
 * one pass.  Only a message that mentions one has to be scanned. */

enum mention {
	MENTION_TYPE = 1,
	MENTION_LMC = 2,
	MENTION_CONTEXT = 4,
	MENTION_UUID = 8,
	MENTION_REASONING = 16,    /* a key that begins so */
	MENTION_ESCAPED = 32,      /* \u, with which any key may be written */
	MENTION_ESCAPED_UUID = 64, /* \u with a letter of uuid */
};

/* mention_find: whether json, a value that was scanned before, has one of these (enum mention) at its
 * place: the beginning of a string, or an escape. */
bool mention_find(struct str json, unsigned wanted);
