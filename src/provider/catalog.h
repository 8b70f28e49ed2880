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
#include "json/scan.h"
#include "upstream/upstream.h"

#include <stdatomic.h>

struct catalog; /* opaque */
struct credential;

/* The inputs and abilities of a model beside text; bits. */
enum catalog_can {
	CATALOG_IMAGES = 1,
	CATALOG_AUDIO = 2,
	CATALOG_PDF = 4,
	CATALOG_REASONING = 8,
	CATALOG_TOOLS = 16,
};

/* The facts that a list gives of a model beside its name; 0 and empty: none. */
struct catalog_facts {
	int64_t    context; /* tokens of a prompt and its answer */
	int64_t    output;  /* the most tokens of an answer */
	unsigned   told;    /* enum catalog_can: of these, `can` is true or false */
	unsigned   can;
	bool       embeds;  /* the model makes vectors alone */
	struct str display; /* up to LIMIT_MODEL bytes without control characters */
};

/* Names in order, without control characters, each of 1 to LIMIT_MODEL bytes; immutable,
 * counted. */
struct catalog_names {
	atomic_int            refs;
	size_t                count;
	struct str           *names; /* in the same allocation, as the next one, of as many */
	struct catalog_facts *facts;
};

/* catalog_create_take: owned; consumes the target, which uses GET, also on failure. credential: borrowed, as long as the
 * catalog lives; NULL: the target's lines are all. NULL: no memory. */
struct catalog *catalog_create_take(struct upstream_target *target, struct credential *credential);
void            catalog_destroy(struct catalog *c); /* NULL is fine */

/* catalog_names: the known names, held for the caller; NULL: none are known. */
struct catalog_names *catalog_names(struct catalog *c, int64_t now_us);
void                  catalog_release(struct catalog_names *n);
bool                  catalog_has(const struct catalog_names *n, struct str name);
/* catalog_facts: what the list says of this model, or else of the model with the tag `latest`, which Ollama's lists add;
 * NULL: it has neither.  n may be NULL. */
const struct catalog_facts *catalog_facts(const struct catalog_names *n, struct str name);
/* catalog_waits: whether nothing is known yet, but a running fetch may change that. */
bool catalog_waits(struct catalog *c, int64_t now_us);
/* catalog_due: whether it is time to fetch; true: the caller must call catalog_fetch next. */
bool catalog_due(struct catalog *c, int64_t now_us);
/* catalog_fetch: fetches the list. done(arg) is called once, on the loop, perhaps from within;
 * until then the catalog must live. provider: its name, for the log; borrowed as long. */
void catalog_fetch(struct catalog *c, const char *provider, struct upstream_pool *pool,
		   void (*done)(void *arg), void *arg);

/* catalog_why: why the last fetch failed; empty: it did not, or there was none. */
void catalog_why(struct catalog *c, char ret[64]);

/* catalog_facts_read: what an entry of a list, which is an object, says of its model.  The display name is in the
 * text or in the arena. */
struct catalog_facts catalog_facts_read(const struct json_doc *d, json_at entry,
					struct arena *arena);

/* catalog_read: reads the names in a list of models in the forms of OpenAI ({"data":[{"id"}]}),
 * Gemini ({"models":[{"name":"models/…"}]}) and Ollama ({"models":[{"name"}]}). NULL: the body
 * is no such list, or no memory. */
struct catalog_names *catalog_read(struct str body);
