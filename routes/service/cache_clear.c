/* DELETE /v1/cache and /v1/admin/cache: removes answers from the cache. */
#include "routes/kit/handlers.h"

#include "base/clock.h"
#include "base/identity.h"
#include "http/reply.h"
#include "http/request.h"
#include "routes/kit/lookup.h"
#include "store/audit.h"
#include "store/cache.h"

enum { CLEAR_ROUNDS = 64 };

struct cache_removal {
	struct lookup      lookup;
	struct cache_clear clear;
	struct audit_entry entry;
	char               key[IDENTITY_ID_MAX];
	unsigned           rounds;
	void (*over)(struct store_job *job);
};

static bool cache_print_removed(struct lookup *l, struct buf *out)
{
	const struct cache_removal *x = container_of(l, struct cache_removal, lookup);

	return buf_fmt(out, "{\"object\":\"cache\",\"removed\":%lld}", (long long)x->clear.removed);
}

static const struct lookup_kind cache_kind = { LOOKUP(struct cache_removal, clear),
					       .print = cache_print_removed };

/* cache_on_cleared: after the first job nobody is given any of the answers.  The others remove rows; what they leave
 * goes when its time is over. */
static void cache_on_cleared(struct store_job *job)
{
	struct cache_removal *x = container_of(job, struct cache_removal, clear.job);

	job->audit = NULL;
	x->clear.rest = true;
	if (job->err.code != ERR_OK || !x->clear.more || !x->lookup.request ||
	    x->rounds++ >= CLEAR_ROUNDS || !store_cache_clear(x->lookup.gateway->store, &x->clear))
		x->over(job);
}

static void cache_clear_start(struct cache_removal *x)
{
	x->clear.now_ms = clock_wall_ms();
	x->over = x->clear.job.done;
	x->clear.job.done = cache_on_cleared;
	lookup_start(&x->lookup, store_cache_clear(x->lookup.gateway->store, &x->clear));
}

void cache_delete(struct request *r, void *app)
{
	struct gateway       *g = app;
	struct cache_removal *x = lookup_make(&cache_kind, r, g);

	if (!x)
		return;
	x->clear.owner = request_owner(r);
	cache_clear_start(x);
}

void cache_admin_delete(struct request *r, void *app)
{
	struct gateway       *g = app;
	struct cache_removal *x = lookup_make(&cache_kind, r, g);
	struct str            key;
	struct err            e;

	if (!x)
		return;
	if (!request_query(r, "key", 0, &key) || key.n == 0 || key.n >= sizeof x->key) {
		err_set(&e, ERR_MISSING_PARAMETER, "key",
			"must be the id of the API key whose answers are removed");
		lookup_refuse(&x->lookup, &e);
		return;
	}
	str_copy(x->key, sizeof x->key, key);
	x->clear.key = str_of(x->key);
	lookup_audit(&x->lookup, AUDIT_CACHE_CLEAR, key, &x->entry);
	cache_clear_start(x);
}
