/* provider/registry: which provider answers which model name; made from the configuration, then
 * immutable, so any thread may look things up while it holds the snapshot. */
#pragma once

#include "provider/provider.h"

struct registry;

struct model_options {
	const char *name;           /* may end in '*': the rest is passed through */
	const char *provider;       /* name of a provider */
	const char *upstream_model; /* NULL: the name itself (with a star: what it stands for) */
	bool        images, audio, pdf; /* false: it takes none, though its provider could */
};

/* registry_create: consumes the providers (also on failure), copies the models.
 * default_model: name used when a request has none; may be NULL.
 * Errors: INVALID_VALUE (unknown provider, duplicate or empty name, star not at the end, unknown
 * default). */
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
};

/* registry_find: model may be empty (the default).  An exact name beats a star; the longest star
 * wins.  ERR_MODEL_NOT_FOUND lists what exists; the caller sets the path. */
enum errc registry_find(const struct registry *r, struct str model, struct target *ret,
			struct err *e) MUST_USE;
struct str registry_default(const struct registry *r); /* empty: none */
/* For GET /v1/models: the i-th configured model, false past the end. */
bool registry_model(const struct registry *r, size_t i, struct str *ret_name,
		    struct str *ret_provider);
