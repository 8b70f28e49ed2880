/* shape/response_pass: the events of a provider that speaks OpenAI's Responses API, as they go to the
 * client: the provider's own, with the gateway's numbers, ids and response object (shape/response_raw). */
#pragma once

#include "shape/encoder.h"
#include "shape/response.h"

/* Laid open so that it can be embedded. */
struct response_pass {
	bool            on;      /* the provider's events have come */
	bool            renames; /* as in response_raw_create */
	struct buf      last;    /* its last event, which waits for the store */
	struct buf      object;  /* the response of that event, as the client gets it */
	struct json_doc doc;     /* scratch */
};

/* Where events are printed. */
struct response_pass_to {
	struct buf *out;
	uint64_t   *number; /* of the next event */
	uint64_t    unseen; /* events with lower numbers are left out */
};

void response_pass_init(struct response_pass *p, bool renames);
void response_pass_finish(struct response_pass *p);
/* response_pass_event: takes an event of this form, and prints the provider's, if it carries one; r gets
 * the items, the usage and the finish reason.  False: out is full, or memory is short. */
bool response_pass_event(struct response_pass *p, struct response *r, const struct event *ev,
			 const struct response_pass_to *to) MUST_USE;
/* response_pass_ready: makes the object of the last event.  On any thread, while nobody else uses p and r.
 * False: memory is short. */
bool response_pass_ready(struct response_pass *p, struct response *r, int64_t ended_s) MUST_USE;
/* response_pass_whole: appends the object of a plain answer.  False: out is full, or memory is short. */
bool response_pass_whole(struct response *r, bool renames, const struct encoder_whole *w,
			 int64_t ended_s, struct buf *out) MUST_USE;
