/* shape/replay: makes the events of a stored answer, for a stream of a run that was not
 * streamed. */
#pragma once

#include "msg/event.h"

/* replay_answer: calls fn for each event of a stored assistant's message: START, its LMC messages
 * if a provider spoke LMC, its reasoning, text, images, refusal and calls, FINISH, and USAGE if the
 * usage is known.  fn returns false to stop.  finish_reason: escaped.
 * False: fn has stopped, or message is no object. */
bool replay_answer(struct str message, struct str finish_reason, const struct usage *usage,
		   bool (*fn)(void *arg, const struct event *ev), void *arg) MUST_USE;
