/* guard/hook: services of the operator's that are asked about the texts of a call before they go on: those of the request
 * before a provider is asked, those of the answer before anybody sees them.
 *
 * docs/hooks.md has the whole of it. */
#pragma once

#include "base/err.h"
#include "base/identity.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct upstream_target;

enum hook_protocol { HOOK_PARLEY, HOOK_LITELLM };
enum hook_stream { HOOK_WINDOW, HOOK_HOLD, HOOK_END };
enum hook_phase { HOOK_REQUEST = 1, HOOK_RESPONSE = 2 };

enum { HOOK_MOST = 16, HOOK_NAME = 64, HOOK_API_KEY = 8 * 1024 };

/* An entry of `hooks`; borrowed. */
struct hook_options {
	const char        *name;
	const char        *url;
	const char        *protocol;   /* NULL: parley */
	const char        *stream;     /* NULL: window */
	const char        *on_failure; /* NULL: refuse */
	const char        *history;    /* NULL: all */
	const char        *ca_file;
	const char        *secret;  /* NULL: bodies are not signed */
	const char        *api_key; /* NULL: none is sent */
	unsigned           on;      /* bits of enum hook_phase */
	int64_t            window, overlap;
	int64_t            timeout_us;
	const char *const *models, *const *keys; /* names, or prefixes with '*'; count 0: all */
	size_t      model_count, key_count;
	bool        images, tools, keep_blocked;
	const char *params; /* a JSON object; NULL: {} */
};

struct hook {
	char                    name[HOOK_NAME];
	enum hook_protocol      protocol;
	enum hook_stream        stream;
	unsigned                on;
	size_t                  window, overlap;
	int64_t                 timeout_us;
	bool                    allows; /* texts without a verdict go on */
	bool                    all;    /* a stored conversation is asked about whole */
	bool                    images, tools, keep_blocked;
	char                  **models, **keys; /* owned, as the next ones */
	size_t                  model_count, key_count;
	char                   *secret;
	char                   *params;
	struct upstream_target *target;
};

/* All hooks of a configuration, in its order; immutable, shared by all loops, reference-counted. */
struct hooks {
	size_t      count;
	struct hook list[HOOK_MOST];
};

/* hook_check: whether an entry can work.  e->path: the option at fault.  Errors: INVALID_VALUE. */
enum errc hook_check(const struct hook_options *o, struct err *e) MUST_USE;
/* hooks_create: *ret has one holder; NULL where there are no entries.
 * Errors: INVALID_VALUE, OVERLOADED, INTERNAL. */
enum errc     hooks_create(const struct hook_options *list, size_t count, struct hooks **ret,
			   struct err *e) MUST_USE;
struct hooks *hooks_hold(struct hooks *h);
void          hooks_release(struct hooks *h); /* NULL is fine */

/* hooks_for: bits of the hooks that are asked about this phase of a call. */
uint32_t hooks_for(const struct hooks *h, unsigned phase, struct str model,
		   const struct identity *who);
/* hooks_known: whether all hooks are there that the group asks for; h may be NULL.  Errors: HOOK_UNAVAILABLE. */
enum errc hooks_known(const struct hooks *h, const struct identity_group *g,
		      struct err *e) MUST_USE;
