/* provider/registry: which provider answers which model name; made from the configuration, then
 * immutable but for what targets are owed, so any thread may look things up while it holds the
 * snapshot. */
#pragma once

#include "base/identity.h"
#include "msg/price.h"
#include "provider/provider.h"

struct registry;
struct model;

/* One of the targets that share a model's calls. */
struct target_options {
	const char *provider;
	const char *upstream_model; /* NULL: as for a model */
	int64_t     weight;         /* 1 to 1000 */
};

struct model_options {
	const char *name;           /* may end in '*': the rest is passed through */
	const char *provider;       /* name of a provider */
	const char *upstream_model; /* NULL: the name itself (with a star: what it stands for) */
	const struct target_options *targets; /* instead of these two; count 0: none */
	size_t      target_count;
	const char *const *fallback; /* names of models, tried in order */
	size_t      fallback_count;
	bool        images, audio, pdf; /* false: it takes none, though its provider could */
	struct price price;         /* of all its targets; not known: that of the shipped table */
	bool        no_table;       /* which doesn't count */
	int64_t     max_output;     /* tokens of an answer for which a call sets no limit; 0: not known */
};

/* registry_create: consumes the providers (also on failure), copies the models.
 * default_model: name used when a request has none; may be NULL.
 * Errors: INVALID_VALUE (unknown provider, duplicate or empty name, star not at the end, unknown
 * default or fallback, too many of something). */
enum errc registry_create_take(struct provider **providers, size_t provider_count,
			       const struct model_options *models, size_t model_count,
			       const char *default_model, struct registry **ret,
			       struct err *e) MUST_USE;
void      registry_destroy(struct registry *r);
OWNABLE(registry);

struct target {
	const struct provider *provider;
	struct str             upstream_model; /* borrowed from registry or from the asked name */
	struct str             label;          /* configured name, for metrics: with its star, if any */
	unsigned               takes;          /* enum provider_takes */
	const struct model    *model;
	struct str             asked;          /* the name that it was found by */
	size_t                 index;          /* among its targets */
	bool                   probe;          /* registry_choose: the one call that a breaker lets through */
};

/* registry_find: model may be empty (the default).  An exact name beats a star; the longest star
 * wins.  ERR_MODEL_NOT_FOUND lists what exists; the caller sets the path. */
enum errc registry_find(const struct registry *r, struct str model, struct target *ret,
			struct err *e) MUST_USE;
/* registry_find_for: the same, of those that who may see; others are as if they were not there. */
enum errc registry_find_for(const struct registry *r, struct str model, const struct identity *who,
			    struct target *ret, struct err *e) MUST_USE;
/* registry_find's target is the model's first one, whatever its health. */

/* registry_several: more than one call may be made for it: it has targets or fallbacks. */
bool registry_several(const struct model *m);
/* What stands in the way of targets. */
struct registry_block {
	bool    cooling, open, dead;
	int64_t wait_us; /* the shortest of the first two */
};
/* registry_choose: the target to ask now, of those whose bit is not in tried; asked is the name by
 * which the model was found.  It counts as called until registry_done.  False: none; why is added to
 * *block.  Threads: any. */
bool registry_choose(const struct model *m, struct str asked, uint32_t tried, int64_t now_us,
		     struct target *ret, struct registry_block *block);
void registry_done(const struct target *t);
/* registry_untried: is there a healthy one left? */
bool registry_untried(const struct model *m, struct str asked, uint32_t tried, int64_t now_us);
/* registry_fallback: its i-th fallback and the name that leads to it; NULL: there is none. */
const struct model *registry_fallback(const struct model *m, size_t i, struct str *ret_name);
/* registry_price: of a target that was chosen or found. */
struct price registry_price(const struct target *t);
/* What a call may cost, whichever of a model's targets and fallbacks is asked. */
struct registry_bound {
	struct price price;      /* the dearest of each kind; known: all are */
	int64_t      max_output; /* the least of all; 0: one has none */
	struct str   unpriced;   /* the first model that is wanting in one */
	struct str   unlimited;
};
struct registry_bound registry_bound(const struct model *m, struct str asked);
/* target_health: by what its health is known. */
struct health_target target_health(const struct target *t);

struct str registry_default(const struct registry *r); /* empty: none */
/* registry_provider: the i-th provider entry; NULL past the end. */
const struct provider *registry_provider(const struct registry *r, size_t i);
/* registry_behind: the provider whose own names the i-th model passes on: they stand in the place of its
 * star.  NULL: none, or it can't tell them. */
const struct provider *registry_behind(const struct registry *r, size_t i);
/* For GET /v1/models: the i-th configured model, false past the end. */
bool registry_model(const struct registry *r, size_t i, struct str *ret_name,
		    struct str *ret_provider);
