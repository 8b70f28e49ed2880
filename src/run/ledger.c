/* A run's row in the ledger of calls. */
#include "store/ledger.h"

#include "base/clock.h"
#include "run/cache.h"

enum call_outcome run_outcome(const struct run *r)
{
	switch (r->outcome) {
	case RUN_COMPLETED: return CALL_COMPLETED;
	case RUN_CANCELLED: return r->cancelled ? CALL_CANCELLED : CALL_CLIENT_LEFT;
	case RUN_QUEUED:
	case RUN_RUNNING:
	case RUN_INCOMPLETE:
	case RUN_FAILED:
	case RUN_STATUS__COUNT: break;
	}
	return r->attempt.count > 0 ? CALL_FAILED : CALL_REFUSED;
}

/* ledger_http: 0: nobody got an answer. */
static int ledger_http(const struct run *r)
{
	if (r->feed.headers_sent)
		return 200;
	if (!r->observer)
		return 0;
	return r->failure ? family_http(r->given.family, r->failure) : 200;
}

/* A run that nobody was told of has no row: its request has one, with another id. */
void ledger_over(struct run *r)
{
	struct store *s = r->engine->o.store;

	if (!s || !s->ledger || !r->dispatched)
		return;
	/* Its time is that of the arrival, as its duration counts from there; the run began after the admission. */
	int64_t                 arrived = r->given.arrived_us;
	int64_t                 first = r->attempt.first_token_us;
	int64_t                 us = arrived > 0 ? clock_mono_us() - arrived : 0;
	const struct run_cache *c = cache_of(r);
	bool                    hit = c && cache_is_hit(r); /* no provider is asked */

	store_call_add(
		s,
		&(struct call_row){
			.id = r->names.id,
			.owner = r->given.owner,
			.created_ms =
				arrived > 0 ? clock_wall_ms() - us / 1000 : r->given.created_ms,
			.duration_us = us,
			.first_us = arrived > 0 && first > arrived ? first - arrived : 0,
			.key = str_of(r->bill.who ? r->bill.who->id : ""),
			.group = r->bill.who && r->bill.who->group ? str_of(r->bill.who->group->id)
								   : STR_NONE,
			.model = str_of(r->given.model),
			.label = str_of(r->given.label),
			.provider = hit ? STR_NONE : str_of(r->provider->name),
			.family = str_of(r->given.embed ? "embeddings" : r->given.family->name),
			.error = r->failure ? str_of(err_wire(r->failure)) : STR_NONE,
			.finish_reason = r->outcome == RUN_CANCELLED
						 ? STR_NONE
						 : str_of(r->kept.finish_reason),
			.outcome = run_outcome(r),
			.status = r->outcome,
			.http = ledger_http(r),
			.stored = run_stored(r),
			.stream = r->given.stream,
			.costs = r->bill.charged && !r->bill.unpriced,
			.cost_nano = run_cost(r),
			.attempts = r->attempt.count,
			.provider_key = r->provider->place,
			.usage = hit ? (struct usage){ 0 } : r->kept.usage,
			.cache = c ? c->result : CALL_CACHE_NONE,
			.cached_from = hit ? c->find.run : (struct id){ 0 },
		});
}
