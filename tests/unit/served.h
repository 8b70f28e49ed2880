/* A loop whose connections go to a scripted server, for as long as a test may take. */
#pragma once

#include "loop/loop.h"
#include "tests/unit/loopback.h"
#include "upstream/upstream.h"

#define SECOND ((int64_t)1000000)
/* How nearly every script begins. */
#define ASKED                \
	{ ACT_ACCEPT, "" },  \
	{                    \
		ACT_READ, "" \
	}

struct served {
	struct loop          *loop;
	struct upstream_pool *upstreams;
	struct timer          watchdog;
	struct loopback       server;
	bool                  joined;
};

static inline void on_watchdog(struct timer *t)
{
	(void)t;
	fail_msg("nothing happened for 100 s");
}

static inline void served_open(struct served *s, const struct step *script)
{
	struct err e;

	*s = (struct served){ .watchdog = { .fn = on_watchdog } };
	loopback_start(&s->server, script);
	assert_int_equal(loop_create(0, &s->loop, &e), ERR_OK);
	assert_int_equal(upstream_pool_create(s->loop, &s->upstreams, &e), ERR_OK);
	timer_start(s->loop, &s->watchdog, 100 * SECOND);
}

/* served_join: waits for the end of the script, while the connections are still open here. */
static inline void served_join(struct served *s)
{
	loopback_join(&s->server);
	s->joined = true;
}

static inline void served_close(struct served *s)
{
	upstream_pool_destroy(s->upstreams);
	loop_destroy(s->loop);
	if (!s->joined)
		loopback_join(&s->server);
	loopback_finish(&s->server);
}
