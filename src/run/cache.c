/* The cache of answers: whether a run has a part in it, the look for a kept answer, the wait for an equal call, and
 * the end. */
#include "run/cache.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/metric.h"
#include "json/member.h"
#include "msg/event_code.h"
#include "run/cache_digest.h"
#include "run/computer.h"
#include "store/store.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
	ENTRY_MOST = 4 * MIB, /* events of one answer */
	ENTRY_PART = 8,       /* likewise: this part of all at most */
	WEIGH_PART = 16,      /* answers are counted when so much has come, or after a while */
	TARGETS_MOST = 64,
	SHRINK_ROUNDS =
		64, /* writes that remove a few of the oldest answers, after one that keeps one */
};
static const int64_t PAUSE_US = (int64_t)50 * 1000;
static const int64_t WEIGH_US = (int64_t)10 * 1000 * 1000;

/* The answers that this process has kept: a look that has found none may have been too early for one of them. */
static atomic_uint kept_count;

static _Atomic int64_t result_counts[CALL_CACHE__COUNT];
static _Atomic int64_t kept_bytes;

static void cache_count(enum call_cache result)
{
	atomic_fetch_add(&result_counts[result], 1);
	metric_add(METRIC_CACHE, (const char *[]){ call_cache_name(result), "", "" }, 1);
}

void run_cache_look(struct run_cache_counts *ret)
{
	ret->hits = atomic_load(&result_counts[CALL_CACHE_HIT]) +
		    atomic_load(&result_counts[CALL_CACHE_JOINED]);
	ret->misses = atomic_load(&result_counts[CALL_CACHE_MISS]);
	ret->bypassed = atomic_load(&result_counts[CALL_CACHE_BYPASS]);
	ret->stored = atomic_load(&result_counts[CALL_CACHE_STORED]);
	ret->bytes = atomic_load(&kept_bytes);
}

/* --- whether the run has a part in it --- */

bool cache_looks(const struct run *r)
{
	const struct run_cache *c = cache_of(r);

	return c && c->result == CALL_CACHE_NONE;
}

bool cache_is_hit(const struct run *r)
{
	const struct run_cache *c = cache_of(r);

	return c && (c->result == CALL_CACHE_HIT || c->result == CALL_CACHE_JOINED);
}

/* cache_unclaim: others may make the call now, or find its answer. */
static void cache_unclaim(struct run_cache *c, enum claim_stage how)
{
	claim_end(TAKE(c->claim), how, NULL);
	if (!id_none(c->taken))
		store_claim_free(c->run->engine->o.store, c->taken);
	c->taken = (struct id){ 0 };
}

/* cache_lacks: e: there is no kept answer, and there may be no other. */
static enum errc cache_lacks(const struct run *r, struct err *e)
{
	if (cache_of(r)->owed) {
		*e = *cache_of(r)->owed;
		return e->code;
	}
	if (!r->rq->manner.cache.only)
		return ERR_OK;
	return err_set(e, ERR_NOT_CACHED, "", "no answer to this request is kept");
}

static enum errc cache_bypass(struct run *r, struct err *e)
{
	struct run_cache *c = cache_of(r);

	c->result = CALL_CACHE_BYPASS;
	cache_unclaim(c, CLAIM_FREED);
	run_stages_leave(r, STAGE_REMEMBER);
	return cache_lacks(r, e);
}

static int64_t ttl_of(const struct run *r, const struct run_settings *now)
{
	int64_t ms = r->rq->manner.cache.ttl_ms;
	int64_t own = r->given.route ? registry_cache_us(r->given.route) / 1000 : 0;

	if (own == 0)
		return 0;
	if (ms == 0)
		ms = own;
	return ms < now->cache_keep_ms ? ms : now->cache_keep_ms;
}

enum step_next cache_begin(struct run *r, struct err *e)
{
	const struct run_settings *now = r->engine->o.settings(r->engine->o.arg);
	struct run_cache          *c = run_stage_own(r, STAGE_REMEMBER, sizeof *c);
	int64_t                    most = now->cache_bytes / ENTRY_PART;

	if (!c) {
		err_no_memory(e);
		return STEP_FAILED;
	}
	c->run = r;
	c->ttl_ms = ttl_of(r, now);
	c->most = now->cache_bytes;
	buf_init(&c->events, most < ENTRY_MOST ? (size_t)most : ENTRY_MOST);
	buf_init(&c->find.events, ENTRY_MOST);
	if (r->given.refused) { /* a hook has blocked the request */
		c->result = CALL_CACHE_BYPASS;
		return STEP_MORE;
	}
	if (c->ttl_ms > 0 && c->most > 0 && !r->computer && !r->given.embed && r->engine->o.store)
		return STEP_MORE;
	return cache_bypass(r, e) == ERR_OK ? STEP_MORE : STEP_FAILED;
}

/* --- the digest --- */

static bool cache_has_member(const struct prompt *p, struct str key)
{
	for (size_t i = 0; i < p->member_count; i++)
		if (json_member_is(p->members[i], key))
			return true;
	return false;
}

/* is_apart: a stream's events do not have all of a plain answer, nor the other way round: several answers, log
 * probabilities, completions of a prompt, and what only the provider's own objects have. */
static bool is_apart(const struct run *r, const struct provider *target)
{
	const struct prompt *p = &r->rq->what.prompt;

	return r->given.text || r->given.logprobs || cache_of(r)->answers != 1 ||
	       cache_has_member(p, STR("audio")) || cache_has_member(p, STR("modalities")) ||
	       cache_has_member(p, STR("logprobs")) || cache_has_member(p, STR("top_logprobs")) ||
	       prompt_is_native(p, target->takes) || strcmp(target->ops->dialect, "lmc") == 0;
}

/* is_told: whether the provider is told that the answer is to be stored, and so stores it under a name of its own,
 * or leaves out what only such a client lacks. */
static bool is_told(const struct run *r, const struct provider *target)
{
	return target->forward_store || (target->takes & PROVIDER_RESPONSES &&
					 prompt_is_native(&r->rq->what.prompt, PROVIDER_RESPONSES));
}

static enum errc cache_name_work(struct run *r, struct err *e)
{
	struct run_cache    *c = cache_of(r);
	struct cache_target  targets[TARGETS_MOST];
	struct target        t;
	struct cache_subject s = {
		.owner = r->given.owner,
		.family = str_of(r->given.family->name),
		.model = r->rq->what.model,
		.targets = targets,
		.prompt = &r->rq->what.prompt,
	};

	if (!budget_answers(s.prompt, &c->answers))
		c->answers = 0;
	for (size_t i = 0;
	     i < TARGETS_MOST && registry_upstream(r->given.route, i, r->given.asked, &t); i++) {
		targets[i] = (struct cache_target){
			.provider = str_of(t.provider->name),
			.model = t.upstream_model,
			.settings = { .print = t.provider->print,
				      .takes = t.takes,
				      .max_output = t.max_output },
		};
		s.apart = s.apart || is_apart(r, t.provider);
		s.keeps = s.keeps || (r->given.store && is_told(r, t.provider));
		s.target_count = i + 1;
	}
	if (cache_digest(&s, c->digest))
		return ERR_OK;
	return cache_bypass(r, e);
}

enum step_next cache_name(struct run *r, struct err *e)
{
	return step_aside(r, cache_name_work, e);
}

/* --- the look, and the wait --- */

static bool cache_find_submit(struct run_cache *c);

/* cache_go_on: what the run was parked for is over. */
static void cache_go_on(struct run_cache *c, struct err *e)
{
	if (c->parked)
		attempt_waited(c->run);
	step_over(c->run, e);
}

/* cache_is_past: true: the run has ended while it waited. */
static bool cache_is_past(struct run *r)
{
	if (r->state < STATE_ENDING)
		return false;
	run_free_if_over(r);
	return true;
}

/* cache_give_up: the run makes the answer itself, without a part in the cache. */
static void cache_give_up(struct run_cache *c)
{
	struct err e = { .code = ERR_OK };

	e.code = cache_bypass(c->run, &e);
	cache_go_on(c, &e);
}

static void cache_on_later(struct task *t)
{
	struct run_cache *c = container_of(t, struct run_cache, later);

	run_release(c->run);
	c->watching = false;
	if (!cache_is_past(c->run) && c->parked && !cache_find_submit(c))
		cache_give_up(c);
}

static void cache_watch_gone(struct claim_watch *w)
{
	struct run_cache *c = container_of(w, struct run_cache, watch);

	loop_later(run_loop(c->run), &c->later);
}

static void cache_leave(struct run_cache *c)
{
	if (c->leaving)
		return;
	c->leaving = true;
	claim_leave(&c->watch);
}

static void cache_on_claim(struct claim_watch *w)
{
	struct run_cache *c = container_of(w, struct run_cache, watch);

	c->late = c->late || (!c->waited && w->stage >= CLAIM_COMMITTED);
	c->waited = true;
	if (w->stage == CLAIM_FREED || w->stage == CLAIM_KEPT)
		cache_leave(c);
}

void cache_unwant(struct run *r)
{
	struct run_cache *c = cache_of(r);

	if (!c)
		return;
	c->unwanted = true;
	if (c->watching)
		cache_leave(c);
	if (c->pausing)
		timer_start(run_loop(r), &c->pause, 0);
}

/* claim_name: the name under which the call is known to others that want the same; no Idempotency-Key has a space.
 * ret: its digest. */
static void claim_name(struct run_cache *c, unsigned char ret[HASH_BYTES])
{
	memcpy(c->name, "cache ", 6);
	hash_hex(c->digest, HASH_BYTES, c->name + 6);
	hash_sha256(c->name, 6 + HASH_HEX, ret);
}

/* cache_claims: true: an equal call goes on, and the run waits for it. */
static bool cache_claims(struct run_cache *c)
{
	unsigned char name[HASH_BYTES];

	claim_name(c, name);
	c->watch = (struct claim_watch){ .loop = run_loop(c->run),
					 .fn = cache_on_claim,
					 .gone = cache_watch_gone };
	c->later.fn = cache_on_later;
	if (claim_digest(name, name, &c->watch, &c->claim) != CLAIM_WATCHED)
		return false;
	c->watching = true;
	c->leaving = false;
	run_hold(c->run);
	return true;
}

/* cache_miss: the run makes the answer itself; e: it may not. */
static enum errc cache_miss(struct run *r, struct err *e)
{
	struct run_cache *c = cache_of(r);
	bool              keeps = !r->rq->manner.cache.unkept;

	c->result = CALL_CACHE_MISS;
	c->began_ms = clock_wall_ms();
	c->records = keeps;
	if (!keeps)
		run_stages_leave(r, STAGE_REMEMBER);
	return cache_lacks(r, e); /* a claim goes with the run's end */
}

/* cache_joins: true: an equal call goes on, and the run waits.  Of many that have waited for an answer that was not
 * kept, each makes its own now. */
static bool cache_joins(struct run_cache *c)
{
	return !c->run->rq->manner.cache.unkept && !c->waited && !c->claim && cache_claims(c);
}

static void cache_take(struct run_cache *c)
{
	c->result = c->waited && !c->late ? CALL_CACHE_JOINED : CALL_CACHE_HIT;
	cache_unclaim(c, CLAIM_KEPT);
	buf_finish(&c->events);
	c->events = c->find.events;
	c->find.events = (struct buf){ 0 };
	run_stages_leave(c->run, STAGE_REMEMBER);
}

/* was_early: the answer may have been kept between the look and the claim. */
static bool was_early(struct run_cache *c)
{
	bool early = c->claim && !c->again && c->seen != atomic_load(&kept_count);

	c->again = c->again || early;
	return early;
}

/* cache_waits_here: false: the run waits in the step `await`, after those that make it known.  A client that wants no
 * other answer is told by the status whether there is one. */
static bool cache_waits_here(struct run_cache *c)
{
	c->parked = c->run->rq->manner.cache.only;
	return c->parked;
}

static void cache_on_pause(struct timer *t)
{
	struct run_cache *c = container_of(t, struct run_cache, pause);

	run_release(c->run);
	c->pausing = false;
	if (!cache_is_past(c->run) && (c->unwanted || !cache_find_submit(c)))
		cache_give_up(c);
}

/* cache_pause: another gateway has the name. */
static void cache_pause(struct run_cache *c)
{
	c->waited = c->pausing = true;
	c->pause.fn = cache_on_pause;
	run_hold(c->run);
	timer_start(run_loop(c->run), &c->pause, PAUSE_US);
}

/* cache_must_wait: before it waits, the run takes the steps that make it known. */
static void cache_must_wait(struct run_cache *c)
{
	struct err e = { .code = ERR_OK };

	c->awaits = true;
	cache_go_on(c, &e);
}

/* cache_on_taken: once the name is taken, another gateway's answer that was kept before is looked for. */
static void cache_on_taken(struct store_job *job)
{
	struct run_cache *c = container_of(job, struct run_cache, take.job);
	struct run       *r = c->run;

	run_release(r);
	/* After an error nobody knows whether it was taken. */
	if (c->take.taken || job->err.code != ERR_OK)
		c->taken = c->take.claim;
	if (cache_is_past(r))
		return;
	if (c->unwanted || job->err.code != ERR_OK)
		cache_give_up(c);
	else if (!c->take.taken && c->parked)
		cache_pause(c);
	else if (!c->take.taken)
		cache_must_wait(c);
	else if (!cache_find_submit(c))
		cache_give_up(c);
}

/* cache_takes: true: the run waits for the name in the store, which other gateways might have. */
static bool cache_takes(struct run_cache *c)
{
	struct run   *r = c->run;
	struct store *s = r->engine->o.store;

	if (!c->claim || !id_none(c->taken) || r->rq->manner.cache.only || !store_is_shared(s))
		return false;
	c->take = (struct claim_take){
		.job = { .loop = run_loop(r), .done = cache_on_taken },
		.owner = r->given.owner,
		.created_ms = clock_wall_ms(),
		.claim = id_new(),
		.key = { .key = str_of(c->name),
			 .digest = { (const char *)c->digest, HASH_BYTES } },
	};
	run_hold(r);
	if (store_claim_take(s, &c->take))
		return true;
	run_release(r);
	return false;
}

/* cache_can_take: the events are those of a whole answer, and every one of them can be given.  The run gets the
 * warnings of the first call's translation, of which there is none now; they are the last record. */
static bool cache_can_take(struct run_cache *c)
{
	struct str   left = buf_view(&c->find.events);
	struct event ev = { .kind = EVENT__COUNT };
	uint64_t     seq;
	bool         finished = false;

	while (event_decode(&left, &ev, &seq))
		finished = finished || ev.kind == EVENT_FINISH;
	return finished && left.n == 0 &&
	       (ev.kind != EVENT_ASKED || warnings_join(run_warnings(c->run), ev.text, ev.choice));
}

static void cache_on_found(struct store_job *job)
{
	struct run_cache *c = container_of(job, struct run_cache, find.job);
	struct run       *r = c->run;
	struct err        e = { .code = ERR_OK };

	run_release(r);
	if (cache_is_past(r))
		return;
	if (job->err.code != ERR_OK)
		e.code = cache_bypass(r, &e);
	else if (c->find.found && cache_can_take(c))
		cache_take(c);
	else if (c->unwanted)
		e.code = cache_bypass(r, &e);
	else if (cache_joins(c) && cache_waits_here(c))
		return;
	else if (c->watching)
		c->awaits = true;
	else if ((was_early(c) && cache_find_submit(c)) || cache_takes(c))
		return;
	else
		e.code = cache_miss(r, &e);
	cache_go_on(c, &e);
}

static bool cache_find_submit(struct run_cache *c)
{
	struct run *r = c->run;
	int64_t     now_ms = clock_wall_ms();
	int64_t     keep_ms = r->engine->o.settings(r->engine->o.arg)->cache_keep_ms;
	int64_t     age_ms = r->rq->manner.cache.max_age_ms;
	int64_t     max_ms = age_ms < keep_ms ? age_ms : keep_ms; /* which may have been more */

	c->seen = atomic_load(&kept_count);
	c->find.job = (struct store_job){ .loop = run_loop(r), .done = cache_on_found };
	c->find.owner = r->given.owner;
	memcpy(c->find.digest, c->digest, HASH_BYTES);
	c->find.for_stream = r->given.stream;
	c->find.now_ms = now_ms;
	c->find.since_ms = max_ms < now_ms ? now_ms - max_ms : 0;
	run_hold(r);
	if (store_cache_find(r->engine->o.store, &c->find))
		return true;
	run_release(r);
	return false;
}

enum step_next cache_look(struct run *r, struct err *e)
{
	if (r->rq->manner.cache.fresh)
		return cache_miss(r, e) == ERR_OK ? STEP_MORE : STEP_FAILED;
	if (cache_find_submit(cache_of(r)))
		return STEP_PARKED;
	return cache_bypass(r, e) == ERR_OK ? STEP_MORE : STEP_FAILED;
}

bool cache_awaits(const struct run *r)
{
	const struct run_cache *c = cache_of(r);

	return c && c->awaits;
}

bool cache_forgives(struct run *r, const struct err *e)
{
	struct run_cache *c = cache_of(r);

	if (!c || !c->awaits)
		return false;
	err_keep(&c->owed, e);
	return true;
}

enum step_next cache_await(struct run *r, struct err *e)
{
	struct run_cache *c = cache_of(r);

	c->parked = true;
	if (c->claim)
		cache_pause(c);
	else if (!c->watching && !cache_find_submit(c))
		return cache_bypass(r, e) == ERR_OK ? STEP_MORE : STEP_FAILED;
	attempt_waits(r);
	call_waits(r);
	return STEP_PARKED;
}

/* --- the end --- */

bool cache_stop(struct run *r, const struct run_ending *x)
{
	(void)x;
	cache_unwant(r);
	return false;
}

struct cache_keeping {
	struct run       *run;
	struct cache_keep keep;
	struct buf        events;
	char              key[IDENTITY_ID_MAX];
	unsigned          rounds;
};

/* cache_shrink: true: more of the oldest go, in a write of its own. */
static bool cache_shrink(struct cache_keeping *x)
{
	x->keep.events = STR_NONE;
	return x->keep.most > 0 && x->rounds++ < SHRINK_ROUNDS &&
	       store_cache_keep(x->run->engine->o.store, &x->keep);
}

static void cache_on_kept(struct store_job *job)
{
	struct cache_keeping *x = container_of(job, struct cache_keeping, keep.job);
	struct run           *r = x->run;
	bool                  kept = job->err.code == ERR_OK;

	if (kept && x->keep.events.n > 0)
		atomic_fetch_add(&kept_count, 1);
	cache_unclaim(cache_of(r), kept ? CLAIM_KEPT : CLAIM_FREED);
	if (kept && x->keep.events.n > 0)
		cache_count(CALL_CACHE_STORED);
	if (kept && x->keep.bytes >= 0) {
		atomic_store(&kept_bytes, x->keep.bytes);
		metric_set(METRIC_CACHE_BYTES, x->keep.bytes);
	}
	if (kept && x->keep.bytes > x->keep.most) {
		r->engine->cache_weigh_us = 0; /* with the next answer, too */
		if (cache_shrink(x))
			return;
	}
	buf_finish(&x->events);
	free(x);
	run_release(r);
	run_free_if_over(r);
}

/* weigh_due: whether it is time to count what is kept. */
static bool weigh_due(struct run_engine *g, const struct run_cache *c)
{
	int64_t now_us = loop_now_us(g->o.env.loop);

	g->cache_new += (int64_t)c->events.len;
	if (g->cache_new < c->most / WEIGH_PART && now_us < g->cache_weigh_us)
		return false;
	g->cache_new = 0;
	g->cache_weigh_us = now_us + WEIGH_US;
	return true;
}

/* add_warnings: those of the attempt, in a record after the answer's. */
static bool add_warnings(struct run *r)
{
	const struct warnings *w = run_warnings(r);
	struct str             said = buf_view(&w->json);
	size_t                 before = r->attempt.warnings_len;
	size_t                 count = w->count - r->attempt.warnings_count;

	if (count == 0 || said.n <= before)
		return true;
	before += before > 0; /* the comma */
	return event_encode(&(struct event){ .kind = EVENT_ASKED,
					     .text = { said.p + before, said.n - before },
					     .choice = (uint32_t)count },
			    0, &cache_of(r)->events);
}

static bool cache_keep(struct run *r)
{
	struct run_cache     *c = cache_of(r);
	struct cache_keeping *x = malloc(sizeof *x);
	int64_t               now_ms = clock_wall_ms();

	if (!x)
		return false;
	x->run = r;
	x->rounds = 0;
	x->keep = (struct cache_keep){
		.job = { .loop = run_loop(r), .done = cache_on_kept },
		.owner = r->given.owner,
		.run = r->names.id,
		.began_ms = c->began_ms,
		.created_ms = now_ms,
		.expires_ms = now_ms + c->ttl_ms,
		.stored = run_stored(r),
		.stream = r->given.stream,
		.apart = c->apart,
		.nano = r->bill.nano,
		.most = weigh_due(r->engine, c) ? c->most : 0,
	};
	str_copy(x->key, sizeof x->key, str_of(r->bill.who ? r->bill.who->id : ""));
	memcpy(x->keep.digest, c->digest, HASH_BYTES);
	x->keep.key = str_of(x->key);
	x->events = c->events;
	c->events = (struct buf){ 0 };
	x->keep.events = buf_view(&x->events);
	run_hold(r);
	if (store_cache_keep(r->engine->o.store, &x->keep))
		return true;
	run_release(r);
	buf_finish(&x->events);
	free(x);
	return false;
}

/* is_good: the answer is one that others may get: whole, and of one target of the model itself. */
static bool is_good(const struct run *r)
{
	const struct attempt *a = &r->attempt;
	struct run_cache     *c = cache_of(r);
	struct cache_survey   found;

	if (!c->whole || r->outcome != RUN_COMPLETED || a->step > 0 || a->warm || a->resumed)
		return false;
	found = cache_survey(buf_view(&c->events), c->answers);
	c->apart = found.apart;
	return !found.broken;
}

void cache_over(struct run *r)
{
	struct run_cache *c = cache_of(r);

	if (!c || c->result == CALL_CACHE_NONE)
		return;
	cache_count(c->result);
	if (cache_is_hit(r) && c->find.nano > 0 && r->outcome == RUN_COMPLETED)
		metric_add(METRIC_CACHE_SAVED, (const char *[]){ "", "", "" }, c->find.nano);
	if (c->result != CALL_CACHE_MISS)
		return;
	claim_reach(c->claim, CLAIM_COMMITTED, r->names.id, r->names.conversation);
	if (is_good(r) && add_warnings(r) && cache_keep(r))
		c->result = CALL_CACHE_STORED;
	else
		cache_unclaim(c, CLAIM_FREED);
}

void cache_view(const struct run *r, struct run_view *ret)
{
	const struct run_cache *c = cache_of(r);

	if (!c)
		return;
	ret->cache = c->result == CALL_CACHE_STORED ? CALL_CACHE_MISS : c->result;
	if (c->result == CALL_CACHE_NONE && c->awaits)
		ret->cache = CALL_CACHE_JOINED; /* nobody knows more of it so far */
	if (!cache_is_hit(r))
		return;
	ret->cached_from = c->find.run;
	ret->cached_ms = c->find.created_ms;
}

void cache_drop(void *own)
{
	struct run_cache *c = own;

	cache_unclaim(c, CLAIM_FREED);
	buf_finish(&c->events);
	buf_finish(&c->find.events);
	err_drop(&c->owed);
}
