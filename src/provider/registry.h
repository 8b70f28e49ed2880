/* provider/registry: finds a model by its name. A registry is made from the configuration, and then
 * immutable except for the balance of targets (provider/choice). Threads: any that holds the snapshot. */
#pragma once

#include "base/identity.h"
#include "msg/price.h"
#include "provider/price_table.h"
#include "provider/provider.h"

struct price_file;
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

/* model_resume: an answer that breaks off goes on at another target, or after the death of its gateway. */
enum model_resume { MODEL_RESUME_FALLBACK = 1, MODEL_RESUME_RESTART = 2 };

struct model_options {
	const char                  *name; /* may end in '*', which stands for the rest of a name */
	const char                  *provider;       /* name of a provider */
	const char                  *upstream_model; /* NULL: name, or what its star stands for */
	const struct target_options *targets;        /* in place of these two; count 0: none */
	size_t                       target_count;
	const char *const           *fallback; /* names of models, tried in order */
	size_t                       fallback_count;
	bool images, audio, pdf; /* false: the model accepts none, whatever its provider */
	bool reasons;            /* the model accepts reasoning_effort */
	bool no_sampling;        /* it refuses temperature, top_p and top_k */
	struct price
		price; /* all targets', with rates that are not set; not known: the next two's */
	const struct price_file *prices;   /* held by the registry's model; NULL: none */
	bool                     no_table; /* provider/price_table is not used */
	int64_t     max_output; /* most tokens of an answer if a call sets no limit; 0: not known */
	const char *affinity;   /* "session" or "off"; NULL: session */
	const char *prompt_cache; /* "auto" or "off"; NULL: off */
	int64_t     cache_ttl_us; /* how long the answer cache keeps an answer; 0: it keeps none */
	unsigned    resume;       /* bits of enum model_resume */
	bool        prefill;      /* it goes on with a last message that is an assistant\'s */
	/* The next three are for lists of models alone. */
	int64_t               context_window; /* tokens of a prompt and its answer; 0: not known */
	const char           *display_name;   /* NULL: not known */
	bool                  tools;          /* false: the model calls no tools */
	struct model_defaults defaults;
};

/* registry_create_take: consumes the providers (also on failure), copies the models.  Providers of one name
 * are the keys of one entry, by their places; a target that names them is one for each of them.
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
	uint16_t               index; /* among the model's targets */
	bool probe; /* from choice_make: the one call that an open breaker lets through */
	const struct model *model;
	struct str          asked; /* borrowed; the name by which the model was found */
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
/* registry_holds: whether calls of one session stay at one of the model's targets.  registry_caches: whether
 * the provider is told to keep what calls of one session begin with. */
bool registry_holds(const struct model *m);
bool registry_caches(const struct model *m);
/* registry_resumes: whether an answer that breaks off goes on at another target.  registry_restarts: whether it
 * does after its gateway's death.  registry_prefills: whether the target goes on with a last message that is an
 * assistant's. */
bool registry_resumes(const struct model *m);
bool registry_restarts(const struct model *m);
bool registry_prefills(const struct target *t);
/* registry_cache_us: how long the answer cache keeps an answer of the model; 0: it keeps none. */
int64_t registry_cache_us(const struct model *m);
/* registry_upstream: the i-th target of a model that was asked for as `asked`; false: there are fewer. */
bool registry_upstream(const struct model *m, size_t i, struct str asked, struct target *ret);
/* registry_mark: a hash of the target's entry, key and upstream model, the same at all gateways. */
uint64_t registry_mark(const struct target *t);
/* registry_bit: the bit of the model's target with this mark; 0: it has none. */
uint32_t registry_bit(const struct model *m, uint64_t mark);
/* registry_fallback: the i-th fallback of a model, and the name that leads to it; NULL: there is
 * none. */
const struct model *registry_fallback(const struct model *m, size_t i, struct str *ret_name);
/* registry_marked: the fallback of a model that has the target with this mark, unless the model itself has it;
 * *ret_others: the bits of the fallback's other targets.  NULL: none has it. */
const struct model *registry_marked(const struct model *m, uint64_t mark, struct str *ret_name,
				    uint32_t *ret_others);
/* registry_defaults: what holds for calls of a model, not for those of its fallbacks. */
const struct model_defaults *registry_defaults(const struct model *m);
/* registry_price: the price of a target that was chosen or found. */
struct price registry_price(const struct target *t);
/* registry_prices: the list of prices that models look into; NULL: none does. */
const struct price_file *registry_prices(const struct registry *r);
/* The bounds of a call, whichever of a model's targets and fallbacks is asked. */
struct registry_bound {
	struct price price;      /* the highest of each kind; known if all prices are known */
	int64_t      max_output; /* the smallest of all; 0: a model has none */
	struct str   unpriced;   /* the first model without a price; empty: none */
	unsigned     takes;      /* enum provider_takes; what all of them take */
	unsigned     some;       /* enum provider_takes; what at least one of them takes */
	struct str   unlimited;  /* the first model without max_output; empty: none */
};
/* registry_bound: of a call with at most so many tokens in its prompt, that asks for this class. */
struct registry_bound registry_bound(const struct model *m, struct str asked, int64_t prompt,
				     enum usage_class class);
/* The most tokens of an answer, by the entries of models and the built-in table. */
struct registry_output {
	int64_t most;   /* the highest of all targets and fallbacks; 0: that of one is not known */
	int64_t least;  /* the smallest; 0: likewise */
	bool    thinks; /* one of them may write tokens that nobody sees */
};
struct registry_output registry_output(const struct model *m, struct str asked);
/* registry_limits: the limits of a target, from its model's entry or the table.  registry_all_limits: limits that
 * hold for each target of a model; 0 if one's is not known. */
struct table_limits registry_limits(const struct target *t);
struct table_limits registry_all_limits(const struct model *m, struct str asked);
/* The facts for lists that a model's entry gives; 0 and empty: none. */
struct registry_told {
	int64_t    context, output;
	struct str display;
	bool       tools; /* false: the model calls none */
};
struct registry_told registry_told(const struct model *m);
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
	bool                   table;      /* a price may be found for what a star stands for */
	int64_t                max_output; /* the model's, by its entry */
	struct table_limits    limits;     /* all but `output` 0 where a star stands for the name */
	const struct str      *fallback;
	size_t                 fallback_count;
	struct tally          *tally;
};
/* registry_look: the t-th target of the i-th model; false: there is none. */
bool registry_look(const struct registry *r, size_t i, size_t t, struct registry_view *ret);
/* registry_provider: the i-th provider entry; NULL past the end. */
const struct provider *registry_provider(const struct registry *r, size_t i);
/* registry_behind: the provider whose own list replaces the star in the name of the i-th model.
 * NULL: the name has no star, or the provider no list. */
const struct provider *registry_behind(const struct registry *r, size_t i);
/* registry_model: for GET /v1/models: the i-th configured model; false past the end. */
bool registry_model(const struct registry *r, size_t i, struct str *ret_name,
		    struct str *ret_provider);
