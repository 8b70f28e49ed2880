/* routes/response/internal: what the readers of a response's request share. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "json/input.h"
#include "json/scan.h"
#include "lmc/warnings.h"
#include "msg/prompt.h"
#include "run/run.h"
#include "schema/schema.h"

/* --- response_origins: the list of where messages and tools of a chat come from, while
 * it grows. */

struct response_origins {
	struct arena  *arena;
	struct origin *list; /* in the arena */
	size_t         count;
	size_t         room;
};

/* response_origins_add: false: no memory. */
bool response_origins_add(struct response_origins *l, struct origin row) MUST_USE;

/* --- response_tools: the tools of a response as tools of a chat.
 *
 * Tools of a namespace become functions with both names, `crm__find`, and their calls get the two
 * names back (shape/response). */

/* Between the names of a namespace and of its tool. */
#define RESPONSE_TOOLS_JOINT "__"

/* Tools that an item of the input brings along. */
struct response_tools_more {
	json_at  list;
	uint32_t item; /* the item's index */
};

struct response_tools {
	const struct json_doc            *d;
	json_at                           list; /* array, or absent */
	const struct response_tools_more *more;
	size_t                            more_count;
	json_at                           choice; /* or absent */
	bool                              drops;  /* tools that OpenAI runs itself are left out */
	bool                     shows;    /* such tools are shown, as a provider may take them */
	struct warnings         *warnings; /* borrowed; says what was left out */
	struct response_origins *origins;  /* borrowed; gets the places of tools that have moved */
};

/* response_tools_read: checks the tools and the choice, and appends the member `"tools":[…]` to ret; the
 * choice of some allowed tools leaves the other tools out.  Nothing if there are no tools.
 * Errors: with the path of the culprit, such as tools[2].type; OVERLOADED. */
enum errc response_tools_read(const struct response_tools *t, struct buf *ret,
			      struct err *e) MUST_USE;
/* response_tools_put_choice: appends the member `"tool_choice":…`, if there is a choice that a chat has a
 * word for; it was checked.  False: no memory. */
bool response_tools_put_choice(const struct response_tools *t, struct buf *out) MUST_USE;
/* response_tools_show: appends the array of tools that the response shows.  False: no memory. */
bool response_tools_show(const struct response_tools *t, struct buf *out) MUST_USE;

/* --- response_reading: how the input of a response is read, and what it has besides
 * messages.  Plain data. */

struct response_reading {
	struct response_origins *origins;  /* borrowed; gets where the messages come from */
	struct warnings         *warnings; /* borrowed; says what was left out */
	bool                     drops;    /* items of tools that OpenAI runs itself are left out */
	bool native; /* some targets take the request as it is; passes: all of them do */
	bool passes;
	bool follows; /* the input goes on with earlier messages */

	/* Each item's outcome, in the order of the input; in the arena. */
	struct prompt_item *items;
	size_t              item_count;
	/* A file of this gateway is named where only the item itself could go to a provider of this API. */
	bool unsendable;
	/* The tools that items bring along; in the arena. */
	struct response_tools_more *more;
	size_t                      more_count;
};

/* --- response_draft: the messages of a chat while they are made from the items of a
 * response's input.  Shared by the files that read items: response_parts, response_said,
 * response_calls, response_named. */

struct response_draft {
	const struct json_doc   *d;
	struct arena            *arena;
	struct err              *e;
	struct str              *list; /* in the arena */
	size_t                   count;
	size_t                   item; /* index of the current item */
	json_at                  at;   /* the current item */
	struct response_origins *origins;
	struct response_reading *reading;
	struct buf               made; /* the message that is being made */

	/* The assistant's message that further items may add to. */
	bool          has_text;
	struct buf    text; /* text, refusal and reasoning are escaped */
	struct buf    refusal;
	struct buf    reasoning;
	struct buf    calls;
	size_t        call_count;
	struct carry *carry; /* owned; what reasoning carries for the message; NULL: nothing */

	/* The stored message that its items name; none: it has no such item. */
	struct id              stored;
	struct call_reference *references; /* in the arena */
	size_t                 reference_count;

	/* The items of the message that is being made, and of those before it that made none; lossy: the
	 * message can't say all that they do, and is stored with them (shape/carry). */
	json_at *raws; /* in the arena; NULL: the input is a text */
	size_t   raw_count;
	bool     lossy;

	struct buf media; /* parts of results that only a user's message can have */
	size_t     media_count;
	size_t     media_origins; /* from here on, rows may lack the number of their message */
};

void response_draft_init(struct response_draft *x);
void response_draft_finish(struct response_draft *x);

/* response_draft_refuse: sets the error of a place in the current item; response_draft_full: the
 * lack of memory.  Both return false. */
bool response_draft_refuse(const struct response_draft *x, enum errc code, const char *text,
			   const char *place, ...) PRINTF(4, 5);
bool response_draft_full(const struct response_draft *x);
/* response_draft_string: the member must be a string. */
bool response_draft_string(const struct response_draft *x, json_at object, const char *place,
			   const char *key, json_at *ret) MUST_USE;

/* response_draft_raw: appends a text and then a value of the request. */
bool response_draft_raw(const struct response_draft *x, struct buf *out, const char *before,
			json_at value) MUST_USE;
/* response_draft_origin: says that the current item has what is described; response_draft_begin: and
 * so has begun the message that is pushed next, whose content stands in the member `key`. */
bool response_draft_origin(struct response_draft *x, struct origin row) MUST_USE;
bool response_draft_begin(struct response_draft *x, const char *key) MUST_USE;
/* response_draft_belongs: the current item is a part of the message that is pushed next.
 * response_draft_keep: so it is, but the message lacks something of it if `lossy`. */
void response_draft_belongs(struct response_draft *x);
void response_draft_keep(struct response_draft *x, bool lossy);
/* response_draft_push: the message that was made is the next one. */
bool response_draft_push(struct response_draft *x) MUST_USE;
/* response_draft_media: a part of x->media comes from element `at` of a member of the current item;
 * key "": from the item. */
bool response_draft_media(struct response_draft *x, const char *key, size_t at) MUST_USE;
/* response_draft_flush: makes messages of what earlier items have begun: the assistant's
 * (_flush_said), and the parts that only a user's message can have (_flush_media).
 * response_draft_said: whether there is anything but reasoning for the assistant's message. */
bool response_draft_said(const struct response_draft *x) MUST_USE;
bool response_draft_flush_said(struct response_draft *x) MUST_USE;
bool response_draft_flush_media(struct response_draft *x) MUST_USE;
bool response_draft_flush(struct response_draft *x) MUST_USE;

/* --- response_parts: the parts of an item's content as parts of a chat's message. */

/* response_parts_is_upload: whether a part names a file of this gateway. */
bool response_parts_is_upload(const struct json_doc *d, json_at part);
bool response_parts_is_text(const struct json_doc *d, json_at part);
/* response_parts_at: the place of the n-th part, which must be an object. */
bool response_parts_at(const struct response_draft *x, json_at part, const char *key, size_t n,
		       char ret[96]) MUST_USE;
/* response_parts_put: appends a part of a user's message, with a comma before it if it is not the
 * first. */
bool response_parts_put(struct response_draft *x, json_at part, const char *place,
			struct buf *out) MUST_USE;
/* response_parts_image: an image that a model has made (image_generation_call) is handed on as one of
 * a user, because an assistant's message has no place for it. */
bool response_parts_image(struct response_draft *x, json_at item) MUST_USE;
/* response_parts_read: appends the parts of a user's message to x->made; the only part of one text
 * becomes a string. */
bool response_parts_read(struct response_draft *x, json_at content) MUST_USE;

/* --- response_calls: calls and their results in the input of a response. */

/* --- response_named: stored items that the input of a response names by their ids. */

/* --- response_order: the order in which the items of a response's input become messages.
 *
 * In a chat, the calls of one turn are one message, and their results follow it at once.  This API's
 * clients may have anything between the two, and reasoning between two calls. */

struct response_ordered {
	json_at  item;
	uint32_t at; /* its index in the input */
};

/* response_order: *ret: all items of the input, in the arena: reasoning that stands between calls comes
 * before them, as does what the model said between calls and their results, which come right after the calls.  follows: the input goes on with earlier
 * messages, whose calls the results of calls that are not in the input answer: these come first.
 * False: no memory. */
bool response_order(const struct json_doc *d, json_at input, bool follows, struct arena *arena,
		    struct response_ordered **ret) MUST_USE;

/* --- response_said: messages and reasoning in the input of a response. */

/* --- response_show: the members that a response shows of its request. */

/* response_show: sets ret->settings, in the arena of `in`.  Errors: OVERLOADED. */
enum errc response_show(struct input *in, const struct response_request *c,
			const struct response_tools *tools, struct call_request *ret,
			struct err *e) MUST_USE;

/* --- response_input: the input of a response as messages of a chat. */

/* response_input_read: input: a string, or an array of items.  Sets messages of *ret, and what goes
 * with them: message objects, as they are stored, in the arena of `in`.  Calls that follow each
 * other, or the text of an assistant, are one message; so are items of one stored message that
 * follow each other by their ids (item_reference), and the calls that follow them.
 * Errors: with the path of the culprit, such as input[2].content[0].image_url; OVERLOADED. */
enum errc response_input_read(struct input *in, json_at input, struct response_reading *reading,
			      struct call_request *ret, struct err *e) MUST_USE;
