/* provider/lmc/lmc_say: translates what the assistant says in LMC into events of OpenAI's model
 * (rules S1 to S6 in tests/fixtures/lmc; code becomes tool calls). Internal to provider/. */
#pragma once

#include "base/buf.h"
#include "msg/event.h"
#include "provider/lmc/lmc_chunk.h"
#include "provider/provider.h"

/*
 * One message:
 *
 *   SAYS_NOTHING --begin--> SAYS_TEXT --text--> SAYS_TEXT
 *        ^      \---------> SAYS_CODE --text--> SAYS_CODE      (arguments are given as they come)
 *        |       \--------> SAYS_CALL --text--> SAYS_CALL      (its name is known: likewise)
 *        |        \-------> SAYS_UNNAMED --text--> SAYS_UNNAMED (held)
 *        |                       +----- the name came -------> SAYS_CALL
 *        +------------------------------end, from each of them
 */
enum lmc_says { SAYS_NOTHING, SAYS_TEXT, SAYS_CODE, SAYS_CALL, SAYS_UNNAMED };

/* Defined here so that other structs can embed it. */
struct lmc_say {
	provider_event_fn on_event;
	void             *arg;

	/* The open message. */
	enum lmc_says says;
	bool          begun;    /* some of the message's text was given */
	bool          language; /* SAYS_CODE: the language was not known at the start */

	/* The answer so far. */
	bool     in_line; /* text was given and did not end in LF */
	uint32_t calls;   /* begun so far; the open call is the last one */
	uint64_t salt;    /* part of the calls' ids, different in each answer */

	bool hollow; /* set while the events of a message without content are given */

	struct buf decoded; /* scratch */
	struct buf escaped; /* scratch */
	struct buf args;    /* SAYS_UNNAMED: the arguments so far; escaped once */
};

void lmc_say_init(struct lmc_say *s, provider_event_fn on_event, void *arg);
void lmc_say_finish(struct lmc_say *s);

/* lmc_say_begin: begins a message, whose role, type and recipient are final. The format may still
 * be unknown; the next calls get it again. False, here and below: no memory, or the text is over
 * its limit. */
bool lmc_say_begin(struct lmc_say *s, enum lmc_role role,
		   const struct str said[LMC_SAID__COUNT]) MUST_USE;
/* lmc_say_text: adds a piece of the message's content. */
bool lmc_say_text(struct lmc_say *s, const struct json_doc *d, json_at content,
		  struct str format) MUST_USE;
bool lmc_say_end(struct lmc_say *s, struct str format) MUST_USE;
