/* routes/gemini/internal: what the readers of Gemini's requests share. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "json/scan.h"
#include "lmc/warnings.h"
#include "shape/proto.h"

/* The state of reading one request. */
struct gemini_reading {
	const struct json_doc *doc; /* borrowed: the request */
	struct arena          *arena;
	struct buf             out; /* the JSON that is made of it */
	struct warnings        warnings;
	unsigned               takes; /* enum provider_takes: what all targets of the model take */
	bool                   drops; /* tools that Google runs are left out, not refused */
	bool                   native; /* some of its targets get the request as it is: what others can't be told binds it to those */
	bool                   bound; /* it is */
	bool                   stored;
	struct err             why;     /* bound: what others are refused with */
	struct str            *members; /* in the arena; the prompt's, as they are made */
	size_t                 member_count;
	int64_t                max_tokens; /* 0: the request does not say */
	bool                   thoughts;   /* the client wants the thoughts */
};

/* reading_add: the bytes of x->out, a member, become one of the prompt's; nothing if !ok.  Errors: OVERLOADED. */
enum errc reading_add(struct gemini_reading *x, bool ok, struct err *e) MUST_USE;
/* reading_warn: says that a parameter was not sent. */
void reading_warn(struct gemini_reading *x, const char *what, const char *why);
/* reading_bind: e is set: the request can't be told in OpenAI's words.  ERR_OK: it is bound to the targets that get it as it
 * is; else e's code: there are none. */
enum errc reading_bind(struct gemini_reading *x, struct err *e) MUST_USE;
enum { READING_MEMBERS = 16 }; /* the most that are made */

/* --- part: a part of a content.  Pure; strings stay escaped. */

enum part_kind {
	PART_EMPTY, /* nothing but marks */
	PART_TEXT,
	PART_DATA,
	PART_FILE,
	PART_CALL,
	PART_RESPONSE,
	PART_FOREIGN, /* a tool that Google runs has made it; left out with a warning */
};

struct part {
	enum part_kind kind;
	json_at        value;   /* a string of PART_TEXT, else an object */
	const char    *dropped; /* a mark that no provider is sent; NULL: there is none */
	bool           thought; /* the text is what the model thought */
	struct str     signature;
};

/* part_read: native: as in struct gemini_reading: what nobody here knows is PART_FOREIGN, or a mark.  Errors: INVALID_TYPE,
 * INVALID_VALUE.  Here and below, the path of an error is within the part, and the
 * caller puts that of the part before it (err_at): paths are printed for errors alone. */
enum errc part_read(const struct json_doc *d, json_at at, bool native, struct part *ret,
		    struct err *e) MUST_USE;

/* Where parts go: into one string, or into an array of parts. */
struct part_sink {
	bool        array;
	const char *gap;   /* between two texts of one string, escaped */
	size_t      count; /* parts so far */
};

/* part_is_text: whether it is a text, or data that is one. */
bool part_is_text(const struct gemini_reading *x, const struct part *p);
/* part_put_text: appends an escaped text as a part.  False: memory is short. */
bool part_put_text(struct gemini_reading *x, struct part_sink *s, struct str escaped) MUST_USE;
/* part_put: appends a text, data or a file; in a sink that is no array only what part_is_text.
 * Errors: INVALID_TYPE, INVALID_VALUE, MISSING_PARAMETER, UNSUPPORTED_PARAMETER, OVERLOADED. */
enum errc part_put(struct gemini_reading *x, struct part_sink *s, const struct part *p,
		   struct err *e) MUST_USE;
/* part_put_made: appends an image that the model made, as an element of a message's images. */
enum errc part_put_made(struct gemini_reading *x, const struct part *p, struct err *e) MUST_USE;

/* --- contents: the instruction and the contents as OpenAI's messages.
 *
 * Contents of the model that follow each other become one message, as clients keep each piece of a stream as a content.
 * The results of functions become messages of their own, before the rest of what the user says. */

/* contents_read: *ret, in the arena: JSON objects; *ret_origins: as struct prompt's.  Errors, with paths such as
 * contents[1].parts[0].inlineData: part_put's. */
enum errc contents_read(struct gemini_reading *x, json_at system, json_at contents,
			const struct str **ret, size_t *ret_count, const uint32_t **ret_origins,
			struct err *e) MUST_USE;

/* --- content_walk: what the readers of contents share. */

/* A call that may still be answered. */
struct pending {
	struct str id;   /* escaped; of the request, or made */
	struct str name; /* escaped */
	bool       made; /* the request has no id for it */
	bool       answered;
};

/* The list that is made.  A message without a pointer is the next `n` bytes of x->out. */
struct content_list {
	struct gemini_reading *x;
	struct str            *list;
	uint32_t              *origins;
	uint32_t               place; /* the index of the content that is read, or PROMPT_SYSTEM */
	size_t                 count;
	size_t                 start;   /* where the open message begins in x->out */
	struct pending        *pending; /* the calls of the model's last contents; LIMIT_TOOLS */
	size_t                 pending_count;
	unsigned               made; /* ids */
};

/* A run of contents of one role, and the part that a walk has reached. */
struct walk {
	const struct json_doc *d;
	bool                   native;
	json_at                content, end; /* the end: the first content after the run */
	size_t                 place;        /* the content's index */
	json_at next; /* the part that comes next; JSON_ABSENT: of the next content */
	json_at list; /* the parts */
	size_t  nth;
};

enum errc content_walk_no_memory(struct err *e);
/* content_walk_done: OVERLOADED unless ok. */
enum errc content_walk_done(bool ok, struct err *e);
/* content_walk_open: a message begins with this text; content_walk_close: it ends with a brace, and is added.  False:
 * memory is short. */
bool content_walk_open(struct content_list *t, const char *text) MUST_USE;
bool content_walk_close(struct content_list *t) MUST_USE;
/* content_walk_parts: the parts of a content; JSON_ABSENT: there are none. */
enum errc content_walk_parts(const struct json_doc *d, json_at content, const char *path,
			     json_at *ret, struct err *e) MUST_USE;
/* content_walk_next: the next part of the run; *ret_more: there is one. */
enum errc content_walk_next(struct walk *w, struct part *ret, bool *ret_more,
			    struct err *e) MUST_USE;
/* content_walk_at: puts the place of the part that was visited last before the path of an error; returns the code. */
enum errc content_walk_at(const struct walk *w, struct err *e);
void      content_walk_warn(const struct content_list *t); /* a part of Google's is left out */

/* --- content_user, content_model: a run of contents as messages.  Errors: as contents_read. */
enum errc content_user_read(struct content_list *t, struct walk w, struct err *e) MUST_USE;
enum errc content_model_read(struct content_list *t, struct walk w, struct err *e) MUST_USE;

/* --- functions: tools and toolConfig as members of the prompt. */

/* functions_read: Errors: INVALID_TYPE, INVALID_VALUE, MISSING_PARAMETER, UNSUPPORTED_PARAMETER, OVERLOADED. */
enum errc functions_read(struct gemini_reading *x, json_at tools, json_at config,
			 struct err *e) MUST_USE;
/* functions_schema: appends a schema of Google's own kind as JSON Schema.  False: memory is short. */
bool functions_schema(const struct json_doc *d, json_at schema, struct buf *out) MUST_USE;

/* --- generation: generationConfig as members of the prompt.  Errors: as functions_read. */
enum errc generation_read(struct gemini_reading *x, json_at config, struct err *e) MUST_USE;
