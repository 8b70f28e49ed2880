/* desk/answer_slot: the name under which a call's answer is to be kept (store/answer.h), together with the claims
 * that the call holds meanwhile: in this process (desk/claims.h), and in a store that is shared.
 *
 * A slot belongs to the request, then to its run, which ends it.  A slot without claims keeps an answer that others
 * may make, too. */
#pragma once

#include "desk/claims.h"
#include "store/answer.h"

struct answer_slot {
	struct answer_label label;
	struct claim       *claim; /* owned; NULL: none */
	struct id taken;  /* the claim in the store (struct claim_take); none: it knows of none */
	int64_t   holder; /* same as in claim_take; 0: nobody had to take it */
};

/* answer_slot_create: without claims; owned; NULL: no memory. */
struct answer_slot *answer_slot_create(const struct answer_label *label) MUST_USE;
/* answer_slot_name: for a job of the store; borrowed until the slot ends. */
struct answer_name answer_slot_name(const struct answer_slot *s);
/* answer_slot_end: ends the claims as KEPT or FREED, and frees the slot; e: why the call failed, or NULL.  NULL is
 * fine for s. */
void answer_slot_end(struct answer_slot *s, enum claim_stage how, const struct err *e);
/* answer_slot_give_back: sets the function that gets `taken` of slots that end as FREED, on any thread; NULL:
 * none. */
void answer_slot_give_back(void (*fn)(struct id taken));
