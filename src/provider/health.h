/* provider/health: which targets are not to be asked for a while, and why; shared by all loops.
 *
 * A target is one upstream model of one provider entry, known by these two names, so that what is
 * known of it outlives a reload of the configuration.  A refused key is the provider entry's.
 *
 *              failures in a row                     pause over
 *   CLOSED ----------------------> OPEN ------------------------------> one probe
 *     ^                             ^                                    |   |
 *     |          success            |              failure               |   |
 *     +-----------------------------|------------------------------------+   |
 *                                   +----------------------------------------+
 *
 *   429: COOLING until the provider's time is over.   a refused key: DEAD for a time, all of the entry.
 *
 * Only targets in trouble have an entry: while there is none, asking and telling cost one load.
 * Threads: any. */
#pragma once

#include "base/base.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* Of a provider entry; a 0 switches the thing off. */
struct health_rules {
	int64_t failures;   /* in a row, and the breaker opens */
	int64_t window_us;  /* within which they count */
	int64_t pause_us;   /* until a probe, and between probes */
	int64_t cooling_us; /* after a 429 that did not say for how long */
	int64_t dead_us;    /* after a refused key; also after a used-up one */
};

struct health_target {
	const char                *provider; /* the entry's name */
	struct str                 model;    /* upstream's */
	const struct health_rules *rules;
};

enum health { HEALTH_FINE, HEALTH_COOLING, HEALTH_OPEN, HEALTH_DEAD, HEALTH__COUNT };

/* health_ask: may it be called?  Else *ret_wait_us says for how long not.  *ret_probe: it may,
 * once, and health_probe takes that. */
enum health health_ask(const struct health_target *t, int64_t now_us, int64_t *ret_wait_us,
		       bool *ret_probe);
/* health_probe: false: somebody else has taken it. */
bool health_probe(const struct health_target *t, int64_t now_us);

enum health_news {
	HEALTH_GOOD,    /* it answers */
	HEALTH_FAILED,  /* connect, 5xx, time limits */
	HEALTH_LIMITED, /* 429 */
	HEALTH_USED_UP, /* the key's money or quota is gone: as long as a refused key, this target alone */
	HEALTH_REFUSED, /* the key */
	HEALTH_NEITHER, /* says nothing of its health */
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
/* health_forgive: allows refused and used-up keys again, because the configuration was read
 * again. */
void health_forgive(void);
/* health_reset: forgets all states. */
void health_reset(void);
