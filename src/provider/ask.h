/* provider/ask: a prompt split into parts, for dialects whose requests are not OpenAI's.
 * Internal to provider/.
 *
 * Spans point into the prompt or into the arena. Strings stay JSON-escaped, as they may stand
 * between two quotes of another request: nothing is unescaped on the way. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "json/scan.h"
#include "msg/prompt.h"

enum ask_role {
	ASK_SYSTEM, /* also developer */
	ASK_USER,
	ASK_ASSISTANT,
	ASK_TOOL, /* a tool's result; also function */
	ASK_ROLE__COUNT
};

enum ask_kind {
	ASK_TEXT,     /* text; also a refusal */
	ASK_IMAGE,    /* type and data, or url */
	ASK_AUDIO,    /* type and data */
	ASK_DOCUMENT, /* type and data, or url; name */
	ASK_KIND__COUNT
};

struct ask_part {
	enum ask_kind kind;
	size_t        index;   /* in its message's content; for errors */
	bool          refusal; /* the text is the model's refusal */
	struct str    text;
	struct str    type; /* media type: image/png, audio/wav, application/pdf */
	struct str    data; /* base64 */
	struct str    url;
	struct str    url_type; /* the media type that the client named for the URL; may be empty */
	struct str    name;     /* a document's; may be empty */
	struct str    detail;   /* an image's; may be empty */
	struct str    cache;    /* cache_control, a raw object; empty: none */
	struct str    signature; /* an image's, if a model made it (Gemini); may be empty */
};

struct ask_call {
	struct str id;
	struct str name;
	struct str input;     /* a JSON object */
	struct str signature; /* Gemini's, which must be sent back with the call; empty: none */
	struct str extra;     /* raw; extra_content, an object to be sent back; empty: none */
};

struct ask_message {
	enum ask_role    role;
	size_t           index; /* in the prompt; for errors and warnings */
	struct str       name;  /* empty: none */
	struct ask_part *parts;
	size_t           part_count;
	struct ask_call *calls;     /* ASK_ASSISTANT */
	struct str       reasoning; /* ASK_ASSISTANT: what led to the answer; empty: none */
	struct ask_part *images;    /* ASK_ASSISTANT: images that the model made */
	size_t           image_count;
	size_t           call_count;
	struct str       call_id;   /* ASK_TOOL */
	struct str       cache;     /* ASK_TOOL: cache_control, a raw object; empty: none */
	struct str       call_name; /* ASK_TOOL: the name in the call with that id, else name */
};

struct ask_tool {
	struct str name;
	struct str description; /* empty: none */
	struct str parameters;  /* a JSON Schema object, raw; empty: none */
	bool       strict;
	struct str cache; /* cache_control, a raw object; empty: none */
};

enum ask_choice {
	ASK_CHOICE_ABSENT,
	ASK_CHOICE_AUTO,
	ASK_CHOICE_NONE,
	ASK_CHOICE_ANY,
	ASK_CHOICE_ONE
};
enum ask_format { ASK_FORMAT_TEXT, ASK_FORMAT_JSON, ASK_FORMAT_SCHEMA };

struct provider_options;
struct ask {
	const struct prompt *prompt;
	struct arena         arena;
	struct ask_message  *messages;
	size_t               count;
	struct ask_tool     *tools;
	size_t               tool_count;
	enum ask_choice      choice;
	struct str           choice_name; /* ASK_CHOICE_ONE */
	bool                 one_call;    /* parallel_tool_calls: false */
	enum ask_format      format;
	struct str           schema; /* raw; ASK_FORMAT_SCHEMA */
};

/* ask_print: splits the prompt and lets put print it. An n other than 1 is refused, because the
 * dialects that use this function give one choice. Errors: INVALID_VALUE, INVALID_TYPE,
 * UNSUPPORTED_PARAMETER with the path of the wrong member; OVERLOADED; put's. */
typedef enum errc (*ask_put_fn)(const struct provider_options *o, const struct ask *a,
				struct buf *out, struct err *e);
enum errc ask_print(const struct provider_options *o, const struct prompt *p, const char *dialect,
		    ask_put_fn put, struct buf *out, struct err *e) MUST_USE;

/* ask_refuse_part: sets the error for a part that the dialect can't encode. */
enum errc ask_refuse_part(const struct ask_message *m, const struct ask_part *part,
			  const char *dialect, struct err *e);

/* ask_is_text: whether a document is data of a type that is text.  ask_put_document: appends this text, escaped.
 * Errors: INVALID_VALUE at the part if it is not UTF-8; ask_too_large's. */
bool      ask_is_text(const struct ask_part *part);
enum errc ask_put_document(const struct ask_message *m, const struct ask_part *part,
			   struct buf *out, struct err *e) MUST_USE;

/* ask_put_extra: appends the objects of the list VENDOR.MEMBER in the extra_content of a call,
 * each with a comma before it, except, if *first, the first one. Only objects of the given types
 * (ended by NULL) are appended, because clients may send anything. */
bool ask_put_extra(const struct ask_call *call, const char *vendor, const char *member,
		   const char *const *types, bool *first, struct buf *out) MUST_USE;

/* --- turns: prints messages as turns, for APIs in which user and model alternate and a turn
 * is a list of parts. Internal to provider/.
 *
 * Neighbouring messages of one role become one turn. Messages without content are left out. System
 * messages are printed apart from the turns; if there is nothing else, they are the user's turn. */

/* An API of this kind. The strings are printed before the named thing. */
struct turns {
	const char *list; /* the turns, with their bracket */
	const char *user; /* a turn of the user, with the bracket of its parts */
	const char *assistant;
	const char *system;     /* the parts of all system messages, with their bracket */
	const char *system_end; /* printed after these parts */
	/* The system messages are one text, which `system` begins with its quote: the dialect's name, for
	 * errors.  NULL: they are parts. */
	const char *joins;
	const char *text; /* the text of a part, with its opening quote */
	const char *
		begin; /* text of a user's turn before the assistant's first one; NULL: none is needed */
	bool images; /* images that the model made are sent back to it */
	bool marks;  /* parts may have cache_control */
	/* put_point: prints the mark as a part of its own, with a comma before it; NULL: the API has none
	 * such. */
	bool (*put_point)(struct str cache, struct buf *out);
	bool results_apart; /* results of tools make a turn of their own, not the user's */
	/* put_part: prints a part that is no text. */
	enum errc (*put_part)(const struct ask_message *m, const struct ask_part *part,
			      struct buf *out, struct err *e);
	/* put_result: prints the result of a tool as a part. */
	enum errc (*put_result)(const struct turns *t, const struct ask_message *m, bool *first,
				struct buf *out, struct err *e);
	/* put_steps: prints a message as elements of the list itself, with a comma before each but the first; role is
	 * USER for a system message that stands alone.  NULL: the list has turns of parts. */
	enum errc (*put_steps)(const struct turns *t, const struct ask_message *m,
			       enum ask_role role, bool *first, struct buf *out, struct err *e);
	/* put_before, put_behind: print further parts before and after those of a message; false:
	 * out is full. */
	bool (*put_before)(const struct ask_message *m, bool *first,
			   struct buf *out); /* NULL: nothing */
	bool (*put_behind)(const struct ask_message *m, bool *first, struct buf *out);
};

/* turns_put_mark: appends `,"cache_control":…`; nothing if cache is empty. */
bool turns_put_mark(struct str cache, struct buf *out) MUST_USE;
/* turns_mark_last: moves a mark of the whole request to the last part that can be marked, for an API that takes
 * none of the request. */
void turns_mark_last(const struct ask *a, struct str mark);
/* turns_put: prints all turns. Errors: INVALID_VALUE if there is none, put_part's and put_result's,
 * ask_too_large's. */
enum errc turns_put(const struct turns *t, const struct ask *a, struct buf *out,
		    struct err *e) MUST_USE;
/* turns_put_system: prints the parts of all system messages; if there is none, nothing. A system
 * message after the first turn is thereby moved, and a warning says so. */
enum errc turns_put_system(const struct turns *t, const struct ask *a, struct buf *out,
			   struct err *e) MUST_USE;
/* turns_put_parts: prints the parts of a message, with commas; *first: the next part is the first
 * of its list. */
enum errc turns_put_parts(const struct turns *t, const struct ask_message *m, bool *first,
			  struct buf *out, struct err *e) MUST_USE;
