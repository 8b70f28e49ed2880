/* routes/response/response_draft: the messages of a chat while they are made from the items of a
 * response's input.  Shared by the files that read items: response_parts, response_said,
 * response_calls, response_named. */
#pragma once

#include "base/buf.h"
#include "json/scan.h"
#include "routes/response/response_origins.h"
#include "routes/response/response_reading.h"
#include "run/run.h"

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
	struct buf    text; /* these three escaped */
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
	 * message can't say all that they do, and is stored with them (shape/raw_items). */
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

/* response_draft_raw: appends a value of the request behind a text. */
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
