/* provider/lmc/lmc_say: what the assistant says in LMC, as events of OpenAI's model (rules S1 to
 * S6, with code as tool calls).  Internal to provider/. */
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

/* Laid open so that it can be embedded. */
struct lmc_say {
	provider_event_fn on_event;
	void             *arg;

	/* The message that is being said. */
	enum lmc_says says;
	bool          begun;    /* some of its text was given */
	bool          language; /* code: the language was not known at its beginning */

	/* The answer so far. */
	bool     in_line; /* text was given and did not end in LF */
	uint32_t calls;   /* begun so far; the open one is the last of them */
	uint64_t salt;    /* makes the calls' ids this answer's own */

	bool hollow; /* what is given now is of a message without content */

	struct buf decoded; /* scratch */
	struct buf escaped; /* scratch */
	struct buf args;    /* of a call without a name, held until it has one; escaped once */
};

void lmc_say_init(struct lmc_say *s, provider_event_fn on_event, void *arg);
void lmc_say_finish(struct lmc_say *s);

/* lmc_say_begin: a message with content begins; its role, type and recipient are settled.  The
 * format may still be unknown; it is given again with all that follows.
 * False: no memory, or too much is held. */
bool lmc_say_begin(struct lmc_say *s, enum lmc_role role,
		   const struct str said[LMC_SAID__COUNT]) MUST_USE;
/* lmc_say_text: a piece of its content. */
bool lmc_say_text(struct lmc_say *s, const struct json_doc *d, json_at content,
		  struct str format) MUST_USE;
bool lmc_say_end(struct lmc_say *s, struct str format) MUST_USE;
