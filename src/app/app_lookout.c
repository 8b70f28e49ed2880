/* Looks at the providers once a second, on the loop of the first worker, notes changes of their health in the store,
 * and tells of what is wrong with them, with budgets and with the database.  Calls pay nothing for it.  A state of less
 * than a second may be missed; a provider that changes all the time has an entry each five seconds. */
#include "app/internal.h"

#include "base/api_key.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "store/health.h"
#include "store/usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>

enum {
	LOOK_US = 1000 * 1000,
	REST_US = 5 * 1000 * 1000, /* from one entry of a provider to its next one */
	WATCHED = 256,             /* providers; further ones have no history */
	DISK_LOOKS = 10,           /* looks at the providers between two at the disk */
	BUDGET_LOOKS = 15,
	BUDGETS = 100,       /* keys and groups nearest to the ends of their budgets */
	DISK_LOW_PART = 20,  /* a disk is low with less than this part of it free */
	DISK_WELL_PART = 16, /* and well again with more than that */
};

struct watched {
	char        name[PROVIDER_LABEL];
	enum health state;
	bool        known; /* the store has the state, or will have it */
	int64_t     noted_us;
};

struct lookout {
	struct lookout_options o;
	struct gateway        *gateway; /* o's */
	struct alerts         *alerts;  /* owned */
	unsigned               looks;
	bool                   reading; /* the store looks at budgets */
	struct budgets_read    budgets;
	struct timer           look;
	struct watched         providers[WATCHED];
	size_t                 count;
};

static const char *const state_names[HEALTH__COUNT] = {
	[HEALTH_FINE] = "fine",
	[HEALTH_COOLING] = "cooling",
	[HEALTH_OPEN] = "open",
	[HEALTH_DEAD] = "dead_key",
};

static const struct alert_kind provider_down = { "provider_down", "provider_up",
						 "calls go through again to" };
static const struct alert_kind provider_gone = { "provider_down", "provider_up",
						 "the configuration does not have any more" };
static const struct alert_kind store_failing = { "store_failing", "store_ok",
						 "the database can be written again" };
static const struct alert_kind disk_low = { "disk_low", "disk_ok", "the disk has room again" };
static const struct alert_kind budget_near = { "budget_near", NULL, "" };
static const struct alert_kind budget_used_up = { "budget_used_up", NULL, "" };

/* --- the entry in the store --- */

struct lookout_write {
	struct health_write write;
	char                provider[PROVIDER_LABEL];
};

static void lookout_on_written(struct store_job *job)
{
	struct lookout_write *x = container_of(job, struct lookout_write, write.job);

	if (job->err.code != ERR_OK)
		log_note(LOG_WARN, "provider_health", "a change of %s was not stored: %s",
			 x->provider, job->err.text);
	free(x);
}

/* lookout_note: false: there is no room for it now. */
static bool lookout_note(struct lookout *w, const char *provider, enum health state)
{
	struct lookout_write *x = calloc(1, sizeof *x);

	if (!x)
		return false;
	str_copy(x->provider, sizeof x->provider, str_of(provider));
	x->write = (struct health_write){
		.job = { .loop = w->gateway->loop, .done = lookout_on_written },
		.provider = str_of(x->provider),
		.state = str_of(state_names[state]),
		.at_ms = clock_wall_ms(),
	};
	if (store_health_write(w->gateway->store, &x->write))
		return true;
	free(x);
	return false;
}

/* --- the look --- */

static struct watched *lookout_find(struct lookout *w, const char *name)
{
	for (size_t i = 0; i < w->count; i++)
		if (strcmp(w->providers[i].name, name) == 0)
			return &w->providers[i];
	if (w->count == WATCHED)
		return NULL;
	struct watched *x = &w->providers[w->count++];
	*x = (struct watched){ .state = HEALTH_FINE };
	str_copy(x->name, sizeof x->name, str_of(name));
	return x;
}

static void lookout_provider(struct lookout *w, const struct provider *p, int64_t now_us)
{
	struct watched *x = lookout_find(w, p->label);
	bool            probe;
	enum health     state = health_entry(p->label, now_us, &probe);

	if (!x || (x->known && (x->state == state || now_us - x->noted_us < REST_US)))
		return;
	x->known = lookout_note(w, p->label, state);
	x->state = state;
	x->noted_us = now_us;
	/* The state stands for the window: a key that is dead is news, also while the breaker is open. */
	if (state == HEALTH_OPEN)
		alert_set(w->alerts, &provider_down, p->label, (int64_t)state,
			  "the provider %s fails, and is asked no more for a while", p->label);
	else if (state == HEALTH_DEAD)
		alert_set(w->alerts, &provider_down, p->label, (int64_t)state,
			  "the provider %s refuses the gateway's key", p->label);
	else if (state == HEALTH_FINE)
		alert_clear(w->alerts, &provider_down, p->label);
}

static bool lookout_has(const struct lookout *w, const char *name)
{
	const struct provider *p;

	for (size_t i = 0; (p = registry_provider(w->gateway->now->registry, i)); i++)
		if (strcmp(p->label, name) == 0)
			return true;
	return false;
}

/* lookout_forget: providers that a reload has removed; one that comes back is looked at anew. */
static void lookout_forget(struct lookout *w)
{
	for (size_t i = 0; i < w->count; i++) {
		struct watched *x = &w->providers[i];

		if (!lookout_has(w, x->name)) {
			x->known = false;
			alert_clear(w->alerts, &provider_gone, x->name);
		}
	}
}

static void lookout_store(struct lookout *w)
{
	struct store_stats s;

	store_stats(w->gateway->store, &s);
	if (s.writable)
		alert_clear(w->alerts, &store_failing, "");
	else
		alert_set(w->alerts, &store_failing, "", 0, "the database can't be written: %s",
			  s.reason);
}

/* lookout_disk: between the two bounds, what stood stands. */
static void lookout_disk(struct lookout *w)
{
	struct statvfs v;

	if (!w->o.database || statvfs(w->o.database, &v) != 0 || v.f_blocks == 0)
		return;
	int64_t free_mib = (int64_t)(v.f_bavail * v.f_frsize / MIB);

	if (v.f_bavail < v.f_blocks / DISK_LOW_PART)
		alert_set(w->alerts, &disk_low, "", 0,
			  "the database's disk has %lld MiB left, less than a twentieth of it",
			  (long long)free_mib);
	else if (v.f_bavail > v.f_blocks / DISK_WELL_PART)
		alert_clear(w->alerts, &disk_low, "");
}

/* --- budgets --- */

/* lookout_percent: of what a key or a group may spend; the more advanced of money and tokens. */
static int64_t lookout_percent(const struct budget_row *b, int64_t now_ms)
{
	const struct allowance *a = &b->allowance;
	int64_t                 ends_ms = b->began_ms + a->budget_window_us / 1000;
	double                  most = 0;

	if (a->budget_window_us > 0 && ends_ms <= now_ms)
		return 0;
	if (a->budget_nano > 0)
		most = (double)b->spent_nano / (double)a->budget_nano;
	if (a->budget_tokens > 0 && (double)b->spent_tokens / (double)a->budget_tokens > most)
		most = (double)b->spent_tokens / (double)a->budget_tokens;
	return (int64_t)(100 * most);
}

static void lookout_budget(struct lookout *w, const struct budget_row *b, int64_t now_ms)
{
	const char *of = b->of;
	int64_t     percent = lookout_percent(b, now_ms);
	struct str  id;

	if (percent < w->o.alert_budget) {
		alert_clear(w->alerts, &budget_near, of);
		alert_clear(w->alerts, &budget_used_up, of);
		return;
	}
	if (percent < 100) {
		alert_clear(w->alerts, &budget_used_up, of);
		alert_set(w->alerts, &budget_near, of, b->began_ms,
			  "%s has spent %lld %% of its budget", of, (long long)percent);
	} else {
		alert_clear(w->alerts, &budget_near, of);
		alert_set(w->alerts, &budget_used_up, of, b->began_ms,
			  api_key_group(str_of(of), &id)
				  ? "%s has used its budget up; the calls of its keys are refused"
				  : "%s has used its budget up; its calls are refused",
			  of);
	}
}

/* lookout_reads_budget: whether the key or the group of this alert was among those that were read. */
static bool lookout_reads_budget(const struct lookout *w, const char *of)
{
	for (size_t i = 0; i < w->budgets.row_count; i++)
		if (strcmp(w->budgets.rows[i].of, of) == 0)
			return true;
	return false;
}

/* lookout_drop_budgets: alerts of keys and groups that have no budget any more, are revoked or deleted, or have expired. */
static void lookout_drop_budgets(struct lookout *w)
{
	const struct alert_kind *const kinds[] = { &budget_near, &budget_used_up };
	struct process_alert           a;

	for (size_t i = 0; process_alert_at(w->gateway->process, i, &a);) {
		const struct alert_kind *kind = NULL;

		for (size_t k = 0; k < ARRAY_LEN(kinds); k++)
			if (strcmp(a.type, kinds[k]->begins) == 0)
				kind = kinds[k];
		if (!kind || lookout_reads_budget(w, a.subject))
			i++;
		else
			alert_clear(w->alerts, kind, a.subject); /* the last one takes its place */
	}
}

static void lookout_on_budgets(struct store_job *job)
{
	struct lookout *w = container_of(job, struct lookout, budgets.job);
	int64_t         now_ms = clock_wall_ms();

	for (size_t i = 0; job->err.code == ERR_OK && i < w->budgets.row_count; i++)
		lookout_budget(w, &w->budgets.rows[i], now_ms);
	if (job->err.code == ERR_OK && !w->budgets.has_more)
		lookout_drop_budgets(w);
	arena_finish(&w->budgets.arena);
	w->reading = false;
}

static void lookout_ask_budgets(struct lookout *w)
{
	if (w->reading)
		return;
	w->budgets = (struct budgets_read){
		.job = { .loop = w->gateway->loop, .done = lookout_on_budgets },
		.now_ms = clock_wall_ms(),
		.limit = BUDGETS,
	};
	arena_init(&w->budgets.arena, MIB);
	w->reading = store_budgets_read(w->gateway->store, &w->budgets);
	if (!w->reading)
		arena_finish(&w->budgets.arena);
}

static void lookout_on_look(struct timer *t)
{
	struct lookout        *w = container_of(t, struct lookout, look);
	const struct provider *p;
	int64_t                now_us = clock_mono_us();

	if (atomic_load(w->gateway->draining))
		return;
	for (size_t i = 0; (p = registry_provider(w->gateway->now->registry, i)); i++)
		lookout_provider(w, p, now_us);
	lookout_forget(w);
	lookout_store(w);
	if (w->looks % DISK_LOOKS == 0)
		lookout_disk(w);
	if (w->looks++ % BUDGET_LOOKS == 0)
		lookout_ask_budgets(w);
	timer_start(w->gateway->loop, &w->look, LOOK_US);
}

enum errc lookout_create(const struct lookout_options *o, struct lookout **ret, struct err *e)
{
	struct lookout *w = calloc(1, sizeof *w);

	if (!w)
		return err_set(e, ERR_INTERNAL, "", "out of memory");
	w->o = *o;
	w->gateway = o->gateway;
	w->look.fn = lookout_on_look;
	enum errc rc = alerts_create(o->gateway, o->alert_url, o->alert_token, &w->alerts, e);
	if (rc != ERR_OK) {
		free(w);
		return rc;
	}
	timer_start(w->gateway->loop, &w->look, 0);
	*ret = w;
	return ERR_OK;
}

void lookout_destroy(struct lookout *w)
{
	if (!w)
		return;
	timer_stop(w->gateway->loop, &w->look);
	alerts_destroy(w->alerts);
	free(w);
}
