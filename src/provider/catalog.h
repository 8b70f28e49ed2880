/* provider/catalog: the models that a provider itself lists, for names that end in a star. The
 * list is fetched when a client asks, kept, and fetched again in the background.
 *
 *   nothing known, or old --catalog_due--> FETCHING --answer--> known
 *         ^                                   |
 *         +-------- a while later ----failed--+
 *
 * Threads: any; a fetch belongs to the loop that began it. A catalog belongs to its provider. */
#pragma once

#include "base/buf.h"
#include "upstream/upstream.h"

#include <stdatomic.h>

struct catalog; /* opaque */

/* Names in order, without control characters, each of 1 to LIMIT_MODEL bytes; immutable,
 * counted. */
struct catalog_names {
	atomic_int  refs;
	size_t      count;
	struct str *names; /* in the same allocation */
};

/* catalog_create_take: owned; consumes the target, which uses GET, also on failure. NULL: no
 * memory. */
struct catalog *catalog_create_take(struct upstream_target *target);
void            catalog_destroy(struct catalog *c); /* NULL is fine */

/* catalog_names: the known names, held for the caller; NULL: none are known. */
struct catalog_names *catalog_names(struct catalog *c, int64_t now_us);
void                  catalog_release(struct catalog_names *n);
bool                  catalog_has(const struct catalog_names *n, struct str name);
/* catalog_waits: whether nothing is known yet, but a running fetch may change that. */
bool catalog_waits(struct catalog *c, int64_t now_us);
/* catalog_due: whether it is time to fetch; true: the caller must call catalog_fetch next. */
bool catalog_due(struct catalog *c, int64_t now_us);
/* catalog_fetch: fetches the list. done(arg) is called once, on the loop, perhaps from within;
 * until then the catalog must live. provider: its name, for the log; borrowed as long. */
void catalog_fetch(struct catalog *c, const char *provider, struct upstream_pool *pool,
		   void (*done)(void *arg), void *arg);

/* catalog_read: reads the names in a list of models in the forms of OpenAI ({"data":[{"id"}]}),
 * Gemini ({"models":[{"name":"models/…"}]}) and Ollama ({"models":[{"name"}]}). NULL: the body
 * is no such list, or no memory. */
struct catalog_names *catalog_read(struct str body);
