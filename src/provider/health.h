/* provider/health: remembers which targets must not be asked for a while, and why; shared by all
 * loops.
 *
 * A target is one upstream model of one provider entry. The names of both identify it, so that its
 * state outlives a reload of the configuration. A refused key concerns the whole provider entry.
 *
 *              failures in a row                     pause over
 *   CLOSED ----------------------> OPEN ------------------------------> one probe
 *     ^                             ^                                    |   |
 *     |          success            |              failure               |   |
 *     +-----------------------------|------------------------------------+   |
 *                                   +----------------------------------------+
 *
 *   429: COOLING for the time that the provider demands.   A refused key: DEAD for a time.
 *
 * Only targets in trouble are in the table. While the table is empty, health_ask and the report of
 * a success cost one load.
 * Threads: any. */
#pragma once

#include "base/base.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* The rules of a provider entry; a 0 switches a rule off. */
struct health_rules {
	int64_t failures;   /* so many in a row open the breaker */
	int64_t window_us;  /* in which the failures are counted */
	int64_t pause_us;   /* until a probe, and between probes */
	int64_t cooling_us; /* after a 429 that names no time */
	int64_t dead_us;    /* after a refused key, or a used-up one */
};

enum { PROVIDER_LABEL = 64 + 4 }; /* bytes of an entry's name, and its key's place: "openai#2" */

/* All borrowed for the call. */
struct health_target {
	const char                *provider; /* the entry's name, and its key's place */
	struct str                 model;    /* the upstream's name */
	const struct health_rules *rules;
};

enum health { HEALTH_FINE, HEALTH_COOLING, HEALTH_OPEN, HEALTH_DEAD, HEALTH__COUNT };

/* health_ask: HEALTH_FINE if the target may be called; otherwise *ret_wait_us is the time until it
 * may be. *ret_probe: one call may be made, as a probe, by the caller to which health_probe returns
 * true. */
enum health health_ask(const struct health_target *t, int64_t now_us, int64_t *ret_wait_us,
		       bool *ret_probe);
/* health_probe: claims the probe of a target. False: another caller has claimed it. */
bool health_probe(const struct health_target *t, int64_t now_us);

enum health_news {
	HEALTH_GOOD,    /* the target answers */
	HEALTH_FAILED,  /* connect, 5xx, time limits */
	HEALTH_UNSURE,  /* a failure that may be the request's: counts a quarter */
	HEALTH_LIMITED, /* 429 */
	HEALTH_USED_UP, /* the key's money or quota is used up: the target cools for dead_us */
	HEALTH_REFUSED, /* the key was refused */
	HEALTH_NEITHER, /* the result says nothing about the target's health */
};

/* health_tell: reports the result of a call. told_us: the wait that a 429 demanded; 0: none was
 * given. probe: the call was one. */
void health_tell(const struct health_target *t, enum health_news news, int64_t told_us, bool probe,
		 int64_t now_us);

/* health_count: the number of targets and keys in each state. */
void health_count(int64_t now_us, int64_t ret[HEALTH__COUNT]);
/* health_entry: the worst state of a provider entry and its targets (a refused key before an
 * open breaker before cooling). *ret_probe: the breaker is open, but lets a probe through. */
enum health health_entry(const char *provider, int64_t now_us, bool *ret_probe);
/* The health of a target, as far as it is known. */
struct health_view {
	enum health state;
	bool        probe;    /* HEALTH_OPEN, but the next call is a probe */
	int64_t     until_us; /* when it may be called again; 0: now */
	int64_t     failures; /* in a row */
};
/* health_look: the worst of a target and of its provider's key; an empty model: of all targets of
 * the entry. */
struct health_view health_look(const char *provider, struct str model, int64_t now_us);
/* health_word: its name for clients. */
const char *health_word(const struct health_view *v);
/* health_forgive: allows refused and used-up keys again, because the configuration was read
 * again. */
void health_forgive(void);
/* health_revive: the same for one entry, which has new keys. */
void health_revive(const char *provider);
/* health_reset: forgets all states. */
void health_reset(void);
