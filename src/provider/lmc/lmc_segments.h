/* provider/lmc/lmc_segments: makes a provider's LMC chunks obey the grammar (rules C2 to C9 in
 * tests/fixtures/lmc), whatever the provider sent. The chunks are given as EVENT_LMC; what the
 * assistant says in them is also given as events of the other kinds. Internal to provider/. */
#pragma once

#include "provider/lmc/lmc_say.h"

struct lmc_segments {
	provider_event_fn on_event;
	void             *arg;
	struct lmc_say    say;

	/* The open segment; its states are drawn in lmc_segments.c. */
	int           state;
	enum lmc_role role;
	struct buf    said[LMC_SAID__COUNT]; /* JSON; empty: not known yet */
	struct buf    head;           /* beginning of both flags, so that they have equal members */
	struct buf    others;         /* further members of a flag */
	struct buf    flag_recipient; /* from the start flag; empty: none */

	struct buf    line; /* an active line that waits for its console; empty: none */
	enum lmc_role line_role;
	struct buf    out; /* scratch: a printed chunk */
};

void lmc_segments_init(struct lmc_segments *s, provider_event_fn on_event, void *arg);
void lmc_segments_finish(struct lmc_segments *s);
/* lmc_segments_add: takes a chunk of any role. A chunk of the server closes the open segment, and
 * is not given. False: no memory, or a segment's head is over its limit. */
bool lmc_segments_add(struct lmc_segments *s, const struct lmc_chunk *c) MUST_USE;
/* lmc_segments_end: closes the open segment. */
bool lmc_segments_end(struct lmc_segments *s) MUST_USE;
