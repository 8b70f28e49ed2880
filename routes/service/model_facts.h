/* model_facts: what lists of models say of one beside its name, whichever API the list is in.  A model's entry in the
 * configuration comes first, then what its provider's list says (provider/catalog), then the built-in table.
 * Threads: any that holds the snapshot. */
#pragma once

#include "base/buf.h"
#include "base/limits.h"
#include "provider/catalog.h"
#include "provider/registry.h"

struct model_facts {
	struct price price; /* the highest of all targets */
	int64_t context; /* tokens of a prompt and its answer, that hold for each target; 0: not known */
	int64_t     output; /* the most tokens of an answer, likewise */
	unsigned    can;    /* enum catalog_can */
	bool        embeds; /* it makes vectors */
	bool        is_default;
	const char *health;                   /* the best target's, for all others can be avoided */
	char        display[LIMIT_MODEL + 1]; /* empty: nobody has given it one */
};

/* model_facts_find: false: the name leads to no model that `who` may use. */
bool model_facts_find(const struct registry *r, const struct identity *who, struct str name,
		      struct model_facts *ret);
/* model_facts_input: the most tokens of a prompt; 0: not known. */
int64_t model_facts_input(const struct model_facts *f);

/* model_facts_put: appends the members, each after a comma, of OpenAI's list; model_facts_put_limits: of Anthropic's;
 * model_facts_put_google: of Gemini's.
 * False: no memory. */
bool model_facts_put(struct buf *out, const struct model_facts *f);
bool model_facts_put_limits(struct buf *out, const struct model_facts *f);
bool model_facts_put_google(struct buf *out, const struct model_facts *f);
