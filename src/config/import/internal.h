/* config/import/internal: what the readers of other gateways' configurations share: what they make, how they read a
 * member, and how they note what is lost. */
#pragma once

#include "base/arena.h"
#include "base/limits.h"
#include "config/import/import.h"
#include "config/internal.h"
#include "msg/price.h"

enum { IMPORT_DEFAULTS = 9, IMPORT_HEADERS = 16, IMPORT_AUTH = 5 };

/* --- what is made; all of it borrowed from the arena or from static memory --- */

struct import_header {
	const char *name;
	const char *value; /* NULL: it is in the variable */
	const char *env;
};

struct import_provider {
	struct import_provider *next;
	const char             *stem; /* the name without a number */
	const char             *name;
	const char             *dialect;
	const char             *base_url;
	const char             *query;             /* NULL: none */
	const char             *key_env;           /* NULL: no key is sent */
	const char             *hosting;           /* NULL: the vendor itself */
	struct import_header    auth[IMPORT_AUTH]; /* members of the map; count 0: there is none */
	size_t                  auth_count;
	struct import_header    headers[IMPORT_HEADERS];
	size_t                  header_count;
	int64_t                 retries;  /* -1: the default */
	int64_t                 wait_us;  /* until the first byte; 0: the default */
	int64_t                 idle_us;  /* between two pieces */
	int64_t                 failures; /* before a target is left alone; -1: the default */
	int64_t                 pause_us;
	bool                    used;
};

struct import_target {
	struct import_target     *next;
	struct import_provider   *provider;
	const char               *upstream; /* NULL: the client's name, or the star's rest */
	const struct config_node *node;     /* its first place in the source */
	int64_t                   weight;   /* in any unit; all are 0: the same for all */
	int64_t rates[2]; /* calls and tokens a minute, which LiteLLM takes for weights */
};

struct import_model {
	struct import_model      *next;
	const char               *name;
	const struct config_node *node; /* its first place in the source */
	struct import_target     *targets, **last_target;
	size_t                    target_count;
	const char               *fallback[LIMIT_FALLBACKS];
	size_t                    fallback_count;
	int64_t                   rates[PRICE__RATES];
	int64_t                   context_window, max_output, cache_us; /* 0: none */
	bool                      no_images, no_audio, no_pdf, no_tools, reasons;
	/* nodes whose keys are members of defaults.config */
	const struct config_node *defaults[IMPORT_DEFAULTS];
	size_t                    default_count;
};

struct import_note {
	struct import_note       *next;
	const struct config_node *node;
	const char               *text;
};

/* A name of a variable that the output uses or the source names. */
struct import_variable {
	struct import_variable *next;
	const char             *name;
	const struct config_node *
		literal; /* the key that it takes the place of; NULL: the source names the variable */
};

struct import {
	const char *file;
	const char *(*variable)(const char *name);
	struct arena           *arena;
	bool                    starved; /* memory was short; the result is worthless */
	struct import_provider *providers, **last_provider;
	struct import_model    *models, **last_model;
	struct import_note     *notes, **last_note;
	struct import_variable *variables;
	const char             *api_key_env;   /* NULL: the source has no key of its own */
	int64_t                 cache_keep_us; /* 0: the default */
	struct import_counts    counts;
};

/* --- import: memory, notes, keys --- */

/* import_alloc: zeroed; NULL when memory is short, which im remembers. */
void *import_alloc(struct import *im, size_t n) MUST_USE;
/* import_text: formatted; "" when memory is short. */
const char *import_text(struct import *im, const char *fmt, ...) PRINTF(2, 3);
/* import_note: n was not carried over; text is a clause that says why, or what to do.  It has no value of the source. */
void import_note(struct import *im, const struct config_node *n, const char *text);
/* import_fail: n has a form that can't be read. */
enum errc import_fail(const struct import *im, const struct config_node *n, const char *what,
		      struct err *e);
/* import_map, import_list: n has to be of this kind.  Errors: INVALID_VALUE. */
enum errc import_map(const struct import *im, const struct config_node *n, struct err *e) MUST_USE;
enum errc import_list(const struct import *im, const struct config_node *n, struct err *e) MUST_USE;

/* import_is_null: no value, as YAML and JSON say it. */
bool import_is_null(const struct config_node *n);
/* import_reference: the variable that "os.environ/NAME" names; NULL: it is another text. */
const char *import_reference(const struct config_node *n);
/* import_reserve: no literal key gets this name of a variable.  import_reserve_tree: nor one that the tree below n
 * names. */
void import_reserve(struct import *im, const char *name);
void import_reserve_tree(struct import *im, const struct config_node *n);
/* import_key: the variable for the key in n: the one that it names, else one called `name`, with a number where that is
 * another key's. */
const char *import_key(struct import *im, const struct config_node *n, const char *name);
/* import_key_name: the name of a variable, made of any text: MY_SLUG_API_KEY. */
const char *import_key_name(struct import *im, struct str text);

/* --- members: tables that say what becomes of the members of a map --- */

enum import_kind {
	IMPORT_NOTE,    /* not carried over; why says why */
	IMPORT_ON,      /* the same, unless the value is false */
	IMPORT_SILENT,  /* nothing is lost without it, or it is read elsewhere */
	IMPORT_NODE,    /* const struct config_node *; the reader looks at it */
	IMPORT_DEFAULT, /* into struct import_model_options: a default of the model's calls */
	IMPORT_TEXT,    /* const char *: 1 to 2048 bytes */
	IMPORT_COUNT,   /* int64_t */
	IMPORT_SECONDS, /* int64_t, microseconds; 0 is not set */
	IMPORT_MILLIS,  /* the same from milliseconds */
	IMPORT_NUMBER,  /* int64_t, billionths */
	IMPORT_RATE,    /* int64_t, billionths for a million tokens */
	IMPORT_FALSE,   /* bool: true where the source says false */
	IMPORT_TRUE,    /* bool: true where the source says true */
};

struct import_member {
	const char      *name;
	enum import_kind kind;
	size_t           offset;
	const char      *why; /* the note of IMPORT_NOTE and IMPORT_ON */
};

struct import_members {
	const struct import_member *rows;
	size_t                      count;
	bool                        quiet; /* only reads: the notes are another reader's */
};

/* import_read: reads the members of a map into row; each that is not carried over gets its note. */
void import_read(struct import *im, const struct config_node *map, const struct import_members *t,
		 void *row);
/* import_default: whether n may be a default of a model; else it has its note. */
bool import_default(struct import *im, const struct config_node *n);

/* --- vendors: the providers that the gateways know by a name --- */

enum import_vendor_flag {
	IMPORT_KEYLESS = 1, /* it works without a key */
	IMPORT_FIXED =
		4, /* the gateway speaks another API there, so its address can't be taken over */
};

struct import_vendor {
	const char *litellm;  /* its prefix there; NULL: it has none */
	const char *portkey;  /* its name there */
	const char *dialect;  /* NULL: the model's name says it */
	const char *base_url; /* NULL: each has an address of its own */
	const char *base_env; /* the variable that LiteLLM takes the address from; NULL: none */
	const char *key_env;
	unsigned    flags;
};

extern const struct import_vendor import_vendors[];
extern const size_t               import_vendor_count;

const struct import_vendor *import_vendor_litellm(struct str prefix);
const struct import_vendor *import_vendor_portkey(struct str name);
/* import_vendor_guess: the vendor whose name a slug begins with; NULL: none. */
const struct import_vendor *import_vendor_guess(struct str slug);

/* import_base: the address that a dialect wants, of the one that the gateway has; why it can't be used, or NULL. */
const char *import_base(struct import *im, const struct import_vendor *v, const char *given,
			const char **ret);

/* --- what is added --- */

/* import_provider_add: an entry like p, the one that is there already where they are the same.  NULL: it can't be used,
 * which n got a note for. */
struct import_provider *import_provider_add(struct import *im, const struct import_provider *p,
					    const struct config_node *n);
/* import_model_find: NULL: there is none. */
struct import_model *import_model_find(const struct import *im, const char *name);
/* import_target_add: the target of the model of this name, each a new one where there is none.  NULL: it can't be used,
 * which n got a note for. */
struct import_target *import_target_add(struct import *im, const char *name,
					struct import_provider *p, const char *upstream,
					const struct config_node *n, struct import_model **ret);
/* import_targets_drop: leaves out the targets that get no calls, each with a note: those of weight 0 beside others. */
void import_targets_drop(struct import *im);
/* import_model_copy: the same under another name. */
void import_model_copy(struct import *im, const struct import_model *m, const char *name,
		       const struct config_node *n);
/* import_fallback_add: n: the place of the name. */
void import_fallback_add(struct import *im, struct import_model *m, const char *name,
			 const struct config_node *n);

/* --- the readers --- */

/* Rules of LiteLLM for all deployments that say nothing else; -1 or 0 us: there is none. */
struct import_litellm_rules {
	int64_t retries, timeout_us, stream_us; /* litellm_settings has them */
	int64_t router_retries, router_timeout_us, router_stream_us;
	int64_t failures, router_failures; /* failures that are allowed in a minute */
	int64_t pause_us, router_pause_us;
};

struct litellm {
	struct import              *im;
	const struct config_node   *root;
	struct import_litellm_rules rules;
};

/* The members of litellm_params. */
struct litellm_params {
	const struct config_node *model, *base, *base_url, *key, *version, *organization, *project;
	const struct config_node *headers, *more_headers, *credential, *vendor;
	const struct config_node *region, *endpoint, *role, *session, *external,
		*profile;                                          /* Amazon's */
	const struct config_node *cloud_project, *location, *file; /* Google's */
	int64_t                   retries, max_retries;            /* -1: not said */
	int64_t                   timeout_us, stream_us;
	int64_t                   weight, calls, tokens;
	int64_t                   rates[PRICE__RATES];
};

/* The goal of a deployment. */
struct litellm_goal {
	const struct import_vendor *vendor;
	const char                 *dialect;
	const char                 *base_url;
	const char                 *query;   /* NULL: none */
	const char                 *hosting; /* NULL: the vendor itself */
	struct import_header        auth[IMPORT_AUTH];
	size_t                      auth_count;
	const char                 *upstream; /* with a star where it has one */
};

/* import_goal_find: the goal of a deployment of the model; why Parley can't ask it, or NULL.  import_goal_vendor: only
 * whose model it is, and its name there.  import_goal_key: the node of its key; NULL: it has none of its own. */
const char *import_goal_find(struct litellm *l, const char *name, const struct litellm_params *p,
			     struct litellm_goal *ret);
const char *import_goal_vendor(const struct litellm_params *p, struct litellm_goal *ret);
const struct config_node *import_goal_key(const struct litellm *l, const struct litellm_params *p);
/* import_goal_value: the text of n, or that of the variable that it names; NULL: it has none.  import_goal_credential: a
 * member of the credential that a deployment names, or NULL. */
const char               *import_goal_value(const struct litellm *l, const struct config_node *n);
const struct config_node *import_goal_credential(const struct litellm        *l,
						 const struct litellm_params *p, const char *key);
/* import_goal_note: notes what a credential says that this goal has no use for. */
void import_goal_note(struct litellm *l, const struct litellm_params *p,
		      const struct litellm_goal *g);
/* import_cloud_find: the rest of the goal where the vendor is a cloud. */
const char *import_cloud_find(struct litellm *l, const struct litellm_params *p,
			      struct litellm_goal *g);

enum errc import_litellm(struct import *im, const struct config_node *root, struct err *e) MUST_USE;
/* import_litellm_rules: before the models are read; import_litellm_settings: all other tables, after them. */
enum errc import_litellm_rules(struct import *im, const struct config_node *root,
			       struct import_litellm_rules *ret, struct err *e) MUST_USE;
enum errc import_litellm_settings(struct import *im, const struct config_node *root,
				  struct err *e) MUST_USE;
enum errc import_portkey(struct import *im, const struct config_node *root, struct err *e) MUST_USE;

/* --- import_print --- */

bool import_print(const struct import *im, struct buf *out) MUST_USE;
