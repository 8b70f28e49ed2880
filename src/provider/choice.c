/* Which of a model's targets is asked now: the healthy ones, the session's place, the weights. */
#include "provider/choice.h"

#include "base/hash.h"
#include "provider/internal.h"

#include <math.h>

struct health_target choice_health(const struct target *t)
{
	return (struct health_target){ t->provider->label, t->upstream_model,
				       &t->provider->health };
}

static void note_block(struct choice_block *block, enum health h, int64_t wait_us)
{
	bool first = !block->cooling && !block->open;

	block->cooling |= h == HEALTH_COOLING;
	block->open |= h == HEALTH_OPEN;
	block->dead |= h == HEALTH_DEAD;
	if (h != HEALTH_DEAD && (first || wait_us < block->wait_us))
		block->wait_us = wait_us;
}

/* fitting_targets: the bits of the healthy targets that are not in tried. *ret_probes: the bits of those
 * that take only a probe. */
static uint32_t fitting_targets(const struct model *m, struct str asked, uint32_t tried,
				int64_t now_us, uint32_t *ret_probes, struct choice_block *block)
{
	uint32_t fit = 0;

	*ret_probes = 0;
	for (size_t i = 0; i < m->target_count; i++) {
		struct target        t = target_of(m, asked, i);
		struct health_target who = choice_health(&t);
		int64_t              wait_us;
		bool                 probe;

		if (tried >> i & 1)
			continue;
		enum health h = health_ask(&who, now_us, &wait_us, &probe);
		if (h != HEALTH_FINE) {
			note_block(block, h, wait_us);
			continue;
		}
		fit |= 1u << i;
		*ret_probes |= (uint32_t)probe << i;
	}
	return fit;
}

bool choice_untried(const struct model *m, struct str asked, uint32_t tried, int64_t now_us)
{
	struct choice_block block = { 0 };
	uint32_t            probes;

	return fitting_targets(m, asked, tried, now_us, &probes, &block) != 0;
}

void choice_well(struct target *t, int64_t now_us)
{
	struct choice_block block = { 0 };
	uint32_t            probes;
	uint32_t fit = fitting_targets(t->model, t->asked, 0, now_us, &probes, &block) & ~probes;

	if (fit != 0)
		*t = target_of(t->model, t->asked, (size_t)__builtin_ctz(fit));
}

/* scatter_bits: each bit of the result depends on all bits of h (the finalizer of MurmurHash3). */
static uint64_t scatter_bits(uint64_t h)
{
	h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
	h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return h ^ h >> 33;
}

/* hash_cost: the lowest of all is first; -ln(u) / weight, with u between 0 and 1, and neither. */
static double hash_cost(uint64_t key, uint64_t mark, int64_t weight)
{
	uint64_t h = scatter_bits(scatter_bits(mark) ^ key);

	return -log(((double)(h >> 11) + 0.5) * 0x1p-53) / (double)weight;
}

/* hashed_target: the target that the rendezvous puts first among those whose bit is in fit: of the entries, by
 * their weights, and then of the entry's keys, so that the number of one entry's keys moves nobody at others. */
static size_t hashed_target(const struct model *m, struct str asked, uint32_t fit, uint64_t session)
{
	uint64_t key = mix_str(session, asked);
	size_t   best = m->target_count;
	double   least = INFINITY, least_key = INFINITY;

	for (size_t i = 0; i < m->target_count; i++) {
		const struct model_target *t = &m->targets[i];

		if (!(fit >> i & 1))
			continue;
		double cost = hash_cost(key, t->entry, t->weight);
		double key_cost = hash_cost(~key, t->mark, 1);
		bool   same = best < m->target_count && m->targets[best].row == t->row;

		if (best < m->target_count && (same ? key_cost >= least_key : cost >= least))
			continue;
		least = cost;
		least_key = key_cost;
		best = i;
	}
	return best;
}

/* held_target: the target that `by` puts first among those in fit; target_count: it says nothing. */
static size_t held_target(const struct model *m, struct str asked, uint32_t fit,
			  const struct affinity *by)
{
	for (size_t i = 0; by->last && i < m->target_count; i++)
		if ((fit >> i & 1) && m->targets[i].mark == by->last)
			return i;
	return by->session ? hashed_target(m, asked, fit, by->session) : m->target_count;
}

/* is_known: whether the target with this mark is one of the model or of its fallbacks. */
static bool is_known_mark(const struct model *m, uint64_t mark)
{
	struct str name;
	uint32_t   others;

	return registry_bit(m, mark) != 0 || registry_marked(m, mark, &name, &others);
}

enum affinity_result choice_affinity(const struct model *m, const struct target *t,
				     const struct affinity *by)
{
	uint32_t all = (uint32_t)((UINT64_C(1) << m->target_count) - 1);
	bool     kept;

	if (!by->session && !by->last)
		return AFFINITY_NONE;
	if (by->last && is_known_mark(m, by->last))
		kept = registry_mark(t) == by->last;
	else
		kept = t->model == m && (!m->rows || held_target(m, t->asked, all, by) == t->index);
	return kept ? AFFINITY_KEPT : AFFINITY_MOVED;
}

static size_t pick_target(const struct model *m, struct str asked, uint32_t fit,
			  const struct affinity *by)
{
	if (!m->rows)
		return 0;
	size_t held = m->holds ? held_target(m, asked, fit, by) : m->target_count;
	pthread_mutex_lock(&m->owner->lock);
	size_t i = balance_pick(m->rows, m->target_count, fit, held);
	m->rows[i].out++;
	pthread_mutex_unlock(&m->owner->lock);
	return i;
}

bool choice_make(const struct model *m, struct str asked, uint32_t tried, const struct affinity *by,
		 int64_t now_us, struct target *ret, struct choice_block *block)
{
	for (;;) {
		uint32_t probes;
		uint32_t fit = fitting_targets(m, asked, tried, now_us, &probes, block);

		if (fit == 0)
			return false;

		struct target        t = target_of(m, asked, pick_target(m, asked, fit, by));
		struct health_target who = choice_health(&t);
		t.probe = probes >> t.index & 1;
		if (!t.probe || health_probe(&who, now_us)) {
			*ret = t;
			return true;
		}
		choice_done(&t); /* another call has claimed the probe */
		tried |= 1u << t.index;
		note_block(block, HEALTH_OPEN, who.rules->pause_us);
	}
}

void choice_done(const struct target *t)
{
	if (!t->model->rows)
		return;
	pthread_mutex_lock(&t->model->owner->lock);
	t->model->rows[t->index].out--;
	pthread_mutex_unlock(&t->model->owner->lock);
}
