/* shape/replay: the events that a stored answer would have come in, for the stream of a call that was
 * answered whole. */
#pragma once

#include "msg/event.h"

/* replay_answer: message is a stored assistant's message; fn gets START, its text, reasoning, refusal
 * and calls as pieces, USAGE if it is known, and FINISH; its LMC messages, where a provider spoke LMC,
 * go before the rest.  fn: false stops.  finish_reason: escaped.
 * False: fn stopped, or message is no object. */
bool replay_answer(struct str message, struct str finish_reason, const struct usage *usage,
		   bool (*fn)(void *arg, const struct event *ev), void *arg) MUST_USE;
