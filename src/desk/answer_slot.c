/* Slots for answers, and the end of their claims. */
#include "desk/answer_slot.h"

#include <stdatomic.h>
#include <stdlib.h>

static void (*_Atomic give_back)(struct id taken);

struct answer_slot *answer_slot_create(const struct answer_label *label)
{
	struct answer_slot *s = calloc(1, sizeof *s);

	if (s)
		s->label = *label;
	return s;
}

struct answer_name answer_slot_name(const struct answer_slot *s)
{
	struct answer_name name = answer_label_name(&s->label);

	name.holder = s->holder;
	return name;
}

void answer_slot_give_back(void (*fn)(struct id taken))
{
	atomic_store(&give_back, fn);
}

void answer_slot_end(struct answer_slot *s, enum claim_stage how, const struct err *e)
{
	void (*free_taken)(struct id) = atomic_load(&give_back);

	if (!s)
		return;
	if (how == CLAIM_FREED && free_taken && !id_none(s->taken))
		free_taken(s->taken);
	claim_end(s->claim, how, e);
	free(s);
}
