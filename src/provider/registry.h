/* provider/registry: finds a model by its name, and chooses one of its targets. A registry is made
 * from the configuration, and then immutable except for the balance of targets. Threads: any that
 * holds the snapshot. */
#pragma once

#include "base/identity.h"
#include "msg/price.h"
#include "provider/provider.h"

struct registry;
struct model;

/* One of the targets that share a model's calls. */
struct target_options {
	const char *provider;
	const char *upstream_model; /* NULL: as in struct model_options */
	int64_t     weight;         /* 1 to 1000 */
};

/* Values for calls whose clients do not give their own. */
struct model_defaults {
	struct str  instruction; /* plain text; empty: none */
	struct str *members;     /* each `"key":value` */
	size_t      member_count;
	struct str  max_tokens; /* raw JSON; empty: none */
};

struct model_options {
	const char                  *name; /* may end in '*', which stands for the rest of a name */
	const char                  *provider;       /* name of a provider */
	const char                  *upstream_model; /* NULL: name, or what its star stands for */
	const struct target_options *targets;        /* in place of these two; count 0: none */
	size_t                       target_count;
	const char *const           *fallback; /* names of models, tried in order */
	size_t                       fallback_count;
	bool         images, audio, pdf; /* false: the model accepts none, whatever its provider */
	bool         reasons;            /* the model accepts reasoning_effort */
	bool         no_sampling;        /* it refuses temperature, top_p and top_k */
	struct price price;              /* all targets'; not known: see provider/price_table */
	bool         no_table;           /* provider/price_table is not used */
	int64_t max_output; /* most tokens of an answer if a call sets no limit; 0: not known */
	struct model_defaults defaults;
};

/* registry_create_take: consumes the providers (also on failure), copies the models.
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
	struct str             label; /* configured name, for metrics: with its star, if any */
	unsigned               takes; /* enum provider_takes */
	const struct model    *model;
	struct str             asked; /* borrowed; the name by which the model was found */
	size_t                 index; /* among the model's targets */
	bool    probe; /* from registry_choose: the one call that an open breaker lets through */
	int64_t max_output; /* the most tokens of an answer, by the model's entry; 0: not known */
};

/* registry_find: finds the first target of a model, whatever its health. An empty name means the
 * default model. An exact name has priority over names with a star, and of these the longest.
 * Errors: MODEL_NOT_FOUND, MISSING_PARAMETER (no name, and no default model); the text lists
 * the models; the caller sets the path. */
enum errc registry_find(const struct registry *r, struct str model, struct target *ret,
			struct err *e) MUST_USE;
/* registry_find_for: the same among the models that who may use; other models do not exist for
 * this call. */
enum errc registry_find_for(const struct registry *r, struct str model, const struct identity *who,
			    struct target *ret, struct err *e) MUST_USE;

/* registry_several: whether the model has several targets, or fallbacks. */
bool registry_several(const struct model *m);
/* The reasons why no target of a model can be asked now. */
struct registry_block {
	bool    cooling, open, dead;
	int64_t wait_us; /* the shortest wait of cooling and open targets */
};
/* registry_choose: chooses the target to ask now, among those whose bit is not in tried. asked: the
 * name by which the model was found. Until registry_done, the target counts as having one more
 * running call. False: no target can be asked; the reasons are added to *block. Threads: any. */
bool registry_choose(const struct model *m, struct str asked, uint32_t tried, int64_t now_us,
		     struct target *ret, struct registry_block *block);
void registry_done(const struct target *t);
/* registry_untried: whether there is a healthy target whose bit is not in tried. */
bool registry_untried(const struct model *m, struct str asked, uint32_t tried, int64_t now_us);
/* registry_fallback: the i-th fallback of a model, and the name that leads to it; NULL: there is
 * none. */
const struct model *registry_fallback(const struct model *m, size_t i, struct str *ret_name);
/* registry_defaults: what holds for calls of a model, not for those of its fallbacks. */
const struct model_defaults *registry_defaults(const struct model *m);
/* registry_price: the price of a target that was chosen or found. */
struct price registry_price(const struct target *t);
/* The bounds of a call, whichever of a model's targets and fallbacks is asked. */
struct registry_bound {
	struct price price;      /* the highest of each kind; known if all prices are known */
	int64_t      max_output; /* the smallest of all; 0: a model has none */
	struct str   unpriced;   /* the first model without a price; empty: none */
	unsigned     takes;      /* enum provider_takes; what all of them take */
	unsigned     some;       /* enum provider_takes; what at least one of them takes */
	struct str   unlimited;  /* the first model without max_output; empty: none */
};
struct registry_bound registry_bound(const struct model *m, struct str asked);
struct tally;
/* registry_tally: where the calls of a target are counted; NULL: nowhere. */
struct tally *registry_tally(const struct target *t);
/* A configured target, as an operator sees it. */
struct registry_view {
	struct str             model; /* with its star */
	const struct provider *provider;
	struct str             upstream; /* empty: what the star stands for */
	int64_t                weight;
	struct price           price;
	bool                   own; /* the price is the model's own */
	bool              table;    /* else the built-in table has it, or may have it for a star */
	int64_t           max_output;
	const struct str *fallback;
	size_t            fallback_count;
	struct tally     *tally;
};
/* registry_look: the t-th target of the i-th model; false: there is none. */
bool registry_look(const struct registry *r, size_t i, size_t t, struct registry_view *ret);
/* target_health: the name under which provider/health knows the target. */
struct health_target target_health(const struct target *t);

/* registry_provider: the i-th provider entry; NULL past the end. */
const struct provider *registry_provider(const struct registry *r, size_t i);
/* registry_behind: the provider whose own list replaces the star in the name of the i-th model.
 * NULL: the name has no star, or the provider no list. */
const struct provider *registry_behind(const struct registry *r, size_t i);
/* registry_model: for GET /v1/models: the i-th configured model; false past the end. */
bool registry_model(const struct registry *r, size_t i, struct str *ret_name,
		    struct str *ret_provider);

/* --- price_table: the built-in prices of common models (price_table.def). */

/* price_table_find: the price for a provider's name of a model; .known is false if the table
 * does not have it. */
struct price price_table_find(struct str model);
