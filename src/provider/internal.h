/* Internals that the files of the registry share: its models and their targets laid open.  Not for other folders.
 *
 * registry_create.c  makes them of the configuration
 * registry.c         finds them by their names, and tells what is known of them
 * choice.c           chooses a target of one
 * balance.c          its turn by weight */
#pragma once

#include "base/arena.h"
#include "provider/balance.h"
#include "provider/registry.h"

#include <pthread.h>

struct model_target {
	struct str             upstream; /* empty: the model's name, or what its star stands for */
	const struct provider *provider;
	unsigned               takes; /* enum provider_takes */
	int64_t                weight;
	uint64_t               mark;  /* its name among all targets */
	uint64_t               entry; /* the same of all its keys */
	size_t        row;   /* in the list of the configuration, of which all keys are one */
	struct tally *tally; /* borrowed; NULL: none */
};

struct model {
	struct registry     *owner;
	struct str           name;    /* the configured one, with its star */
	struct str           stem;    /* the name without its star */
	struct model_target *targets; /* at least one */
	/* The targets' rows; guarded by the owner's lock; NULL: only one target. */
	struct balance_row   *rows;
	size_t                target_count;
	struct str           *fallback;
	size_t                fallback_count;
	struct price          price;  /* the configured one; .known false: there is none */
	struct price_file    *prices; /* held */
	bool                  no_table;
	int64_t               max_output;
	bool                  star;
	bool                  holds;  /* affinity */
	bool                  caches; /* prompt_cache */
	bool                  resumes, restarts, prefills;
	int64_t               cache_us;
	struct registry_told  told;
	struct model_defaults defaults;
};

struct registry {
	struct provider **providers; /* owned */
	size_t            provider_count;
	struct model     *models; /* in the arena, as all names */
	size_t            model_count;
	struct str        by_default;
	struct arena      memory;
	pthread_mutex_t   lock; /* guards the rows of all models, and nothing else */
};

/* target_of: the i-th target of a model, which was found by the name asked. */
static inline struct target target_of(const struct model *m, struct str asked, size_t i)
{
	const struct model_target *t = &m->targets[i];
	struct str                 upstream = t->upstream;

	if (upstream.n == 0 && m->star)
		upstream = (struct str){ asked.p + m->stem.n, asked.n - m->stem.n };
	else if (upstream.n == 0)
		upstream = m->name;
	return (struct target){ .provider = t->provider,
				.upstream_model = upstream,
				.label = m->name,
				.takes = t->takes,
				.index = (uint16_t)i,
				.model = m,
				.asked = asked,
				.max_output = m->max_output };
}
