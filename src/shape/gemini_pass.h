/* shape/gemini_pass: the objects of a provider that speaks Gemini's API, for a client of this API: as they are, but for the
 * id of a stored answer.  One that has a finishReason waits until it is known what follows: a client takes it for the
 * end.  Internal to shape/. */
#pragma once

#include "base/buf.h"
#include "msg/event.h"
#include "shape/encoder.h"
#include "shape/encoders.h"

/* Embedded in an encoder. */
struct gemini_pass {
	struct blocks *blocks; /* borrowed, as the next one */
	struct str     own_id; /* the gateway's id for the answer, if it is stored; else empty */
	bool           on;     /* the answer is told by the provider's objects */
	struct buf     held;
};

void gemini_pass_init(struct gemini_pass *p, struct blocks *blocks, struct str own_id);
void gemini_pass_finish(struct gemini_pass *p);

/* gemini_pass_put: appends an object; id: the value of its responseId, within raw, or empty.
 * gemini_pass_event: takes an event that is one, or a part of one.
 * gemini_pass_end: appends what is held; gemini_pass_break: without saying that the answer has ended.
 * False: out is full, or memory is short. */
bool gemini_pass_put(const struct gemini_pass *p, struct str raw, struct str id,
		     struct buf *out) MUST_USE;
bool gemini_pass_event(struct gemini_pass *p, const struct event *ev, struct buf *out) MUST_USE;
bool gemini_pass_end(struct gemini_pass *p, struct buf *out) MUST_USE;
bool gemini_pass_break(struct gemini_pass *p, struct buf *out) MUST_USE;

/* gemini_pass_binds: whether an object has what another target can't go on with: anything but texts of one candidate. */
bool gemini_pass_binds(struct str raw);
