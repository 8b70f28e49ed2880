/* provider/choice: chooses one of a model's targets for a call: a healthy one, the session's own if it has one,
 * else by weight.  Threads: any that holds the registry. */
#pragma once

#include "provider/registry.h"

/* Affinity holds a call to a target.  A session's calls go to the target that a weighted rendezvous hash of
 * session, model and target puts first (the least of -ln(hash) / weight), so that all gateways agree
 * without a word, also after a restart, and a target that goes or comes moves its own sessions only. */
struct affinity {
	uint64_t session; /* a hash of the owner and the session's name; 0: the call has none */
	uint64_t last;    /* the mark of the target that goes before the hash; 0: none */
};
/* The result of affinity, for the metric. */
enum affinity_result { AFFINITY_NONE, AFFINITY_KEPT, AFFINITY_MOVED };
/* The reasons why no target of a model can be asked now. */
struct choice_block {
	bool    cooling, open, dead;
	int64_t wait_us; /* the shortest wait of cooling and open targets */
};
/* choice_make: chooses the target to ask now, among those whose bit is not in tried. asked: the
 * name by which the model was found. Until choice_done, the target counts as having one more
 * running call. False: no target can be asked; the reasons are added to *block. Threads: any. */
bool choice_make(const struct model *m, struct str asked, uint32_t tried, const struct affinity *by,
		 int64_t now_us, struct target *ret, struct choice_block *block);
/* choice_affinity: whether the target is the one that `by` puts first for calls of the model, whatever the
 * targets' health. */
enum affinity_result choice_affinity(const struct model *m, const struct target *t,
				     const struct affinity *by);
void                 choice_done(const struct target *t);
/* choice_well: the first healthy target, without booking a call; t stays if there is none. */
void choice_well(struct target *t, int64_t now_us);
/* choice_untried: whether there is a healthy target whose bit is not in tried. */
bool choice_untried(const struct model *m, struct str asked, uint32_t tried, int64_t now_us);
/* choice_health: the name under which provider/health knows the target. */
struct health_target choice_health(const struct target *t);
