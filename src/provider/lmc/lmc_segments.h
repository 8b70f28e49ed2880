/* provider/lmc/lmc_segments: a provider's LMC chunks made to obey the grammar (rules C2 to C9),
 * whatever it sent: as EVENT_LMC, and what the assistant says in the other kinds.  Internal to
 * provider/. */
#pragma once

#include "provider/lmc/lmc_say.h"

struct lmc_segments {
	provider_event_fn on_event;
	void             *arg;
	struct lmc_say    say;

	/* The open segment; its states are drawn in lmc_segments.c. */
	int           state;
	enum lmc_role role;
	struct buf    said[LMC_SAID__COUNT]; /* as JSON; empty: not said yet */
	struct buf    head;           /* of its flags: the end has the members of the start */
	struct buf    others;         /* of a start flag */
	struct buf    flag_recipient; /* of the flag whose segment this is; empty: none */

	struct buf    line; /* an active line that waits for its console; empty: none */
	enum lmc_role line_role;
	struct buf    out; /* scratch: the chunk that is given */
};

void lmc_segments_init(struct lmc_segments *s, provider_event_fn on_event, void *arg);
void lmc_segments_finish(struct lmc_segments *s);
/* lmc_segments_add: a chunk of any role; one of the server ends what is open, and is not given.
 * False: no memory, or a segment's head is over its limit. */
bool lmc_segments_add(struct lmc_segments *s, const struct lmc_chunk *c) MUST_USE;
/* lmc_segments_end: what is open is ended. */
bool lmc_segments_end(struct lmc_segments *s) MUST_USE;
