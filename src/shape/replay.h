/* shape/replay: makes the events of a stored answer, for a stream of a run that was not
 * streamed. */
#pragma once

#include "msg/event.h"

/* replay_answer: message is a stored assistant's message; fn gets START, its text, reasoning, refusal
 * and calls as pieces, USAGE if it is known, and FINISH; its LMC messages, where a provider spoke LMC,
 * go before the rest.  fn: false stops.  finish_reason: escaped.
 * False: fn stopped, or message is no object. */
bool replay_answer(struct str message, struct str finish_reason, const struct usage *usage,
		   bool (*fn)(void *arg, const struct event *ev), void *arg) MUST_USE;
