/* shape/response_raw: the items and the object of a provider that speaks OpenAI's Responses API, as its
 * client gets them: the provider's own bytes, but for ids by which this gateway can't find anything.
 *
 * A response always has the gateway's id.  Items of a stored response have, too: rs_, msg_, fc_ and so on
 * with the run's body, so that a later request can name them (routes/response/response_named).
 * Pure; not shared between threads. */
#pragma once

#include "base/buf.h"
#include "base/id.h"
#include "msg/event.h"

#define ID_RESPONSE "resp_"

enum { RESPONSE_ID = ID_MAX + 24 }; /* with the number of the item */

struct response_raw;

/* response_raw_create: renames: items get ids of the gateway.  NULL: no memory. */
struct response_raw *response_raw_create(struct id run, bool renames) MUST_USE;
void                 response_raw_destroy(struct response_raw *x); /* NULL is fine */

/* response_raw_name: an item begins: gives it its id.  response_raw_add: an item is whole, and one of the
 * output.  item: a JSON object.  False: no memory, or the items are too long. */
bool response_raw_name(struct response_raw *x, struct str item) MUST_USE;
bool response_raw_add(struct response_raw *x, struct str item) MUST_USE;
/* response_raw_id: what stands for the raw value of an item's id, with quotes; the value itself if it is
 * not replaced. */
struct str response_raw_id(struct response_raw *x, struct str id);

/* response_raw_output: the items, with commas between them; empty: there are none. */
struct str response_raw_output(const struct response_raw *x);

/* What the gateway says of a response. */
struct response_frame {
	struct id  run;
	int64_t    created_s;
	struct str settings; /* the members that show the request: a JSON object, or empty; the
				       * same in all calls, and borrowed for all of them */
	const struct usage *usage;
	const char         *status; /* OpenAI's word, where the provider says none */
	bool                over;
	int64_t             completed_s; /* 0: not known */
};

/* response_raw_print: appends the response object: the provider's (a JSON object, or empty), with the
 * members that are the gateway's business, and with those that the provider has left out.
 * False: out is full, or memory is short. */
bool response_raw_print(struct response_raw *x, const struct response_frame *f, struct str provider,
			struct buf *out) MUST_USE;

/* response_raw_put_usage: appends usage as this API has it.  False: out is full. */
bool response_raw_put_usage(const struct usage *u, struct buf *out) MUST_USE;
