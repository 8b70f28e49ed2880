/* Calls to a scripted server, one after the other, and what is heard of them. */
#pragma once

#include "tests/unit/served.h"
#include "upstream/upstream.h"

#define OK_HEAD "HTTP/1.1 200 OK\r\nContent-Type: Application/JSON\r\n"

/* One call with everything that is heard of it. */
struct heard {
	struct served           net;
	struct upstream_target *target;
	struct upstream_call   *call;
	struct timer            later;
	struct buf              data;
	char                    type[64];
	int                     status;
	int64_t                 retry_ms;
	int                     heads;
	int                     dones;
	struct err              err;
	int64_t                 used_us; /* of the thread's CPU, while paused */
	bool                    refuse;  /* data returns false */
	bool                    pause_at_data;
	bool                    streams; /* what the next call is, for `then` */
	/* At the end of a call, instead of stopping the loop; NULL: stops it. */
	void (*then)(struct heard *h);
};

static inline void on_head(void *arg, int status, const char *content_type, int64_t retry_after_ms)
{
	struct heard *h = arg;

	h->heads++;
	h->status = status;
	h->retry_ms = retry_after_ms;
	snprintf(h->type, sizeof h->type, "%s", content_type);
}

static inline bool on_data(void *arg, const char *bytes, size_t len)
{
	struct heard *h = arg;

	assert_int_equal(h->heads, 1);
	assert_int_equal(h->dones, 0);
	assert_true(buf_add(&h->data, bytes, len));
	if (h->pause_at_data)
		upstream_pause(h->call, true);
	return !h->refuse;
}

static inline void on_done(void *arg, const struct err *e)
{
	struct heard *h = arg;

	h->dones++;
	h->call = NULL;
	h->err = *e;
	if (h->then)
		h->then(h);
	else
		loop_stop(h->net.loop);
}

static const struct upstream_callbacks callbacks = { on_head, on_data, on_done };

static inline struct upstream_target *target_for(unsigned port, int64_t connect_us)
{
	static const char *const headers[] = { "Authorization: Bearer k", "X-Title: a b" };
	struct upstream_target  *t = NULL;
	struct err               e = { 0 };
	char                     url[64];

	snprintf(url, sizeof url, "http://127.0.0.1:%u/v1/chat/completions?a=b", port);
	enum errc rc = upstream_target_create(
		&(struct upstream_target_options){ .name = "p",
						   .url = url,
						   .headers = headers,
						   .header_count = 2,
						   .connect_us = connect_us },
		&t, &e);
	if (rc != ERR_OK)
		fail_msg("%s", e.text);
	return t;
}

static inline void heard_open(struct heard *h, const struct step *script)
{
	*h = (struct heard){ 0 };
	buf_init(&h->data, 64u << 20);
	served_open(&h->net, script);
	h->target = target_for(h->net.server.port, 60 * SECOND);
}

static inline void heard_close(struct heard *h)
{
	upstream_target_destroy(h->target);
	served_close(&h->net);
	buf_finish(&h->data);
}

static const struct upstream_limits no_limits;

static inline void start_with(struct heard *h, struct str body, bool stream,
			      struct upstream_limits limits)
{
	struct err          e = { 0 };
	struct upstream_ask ask = { .body = body, .stream = stream };

	assert_int_equal(upstream_start(h->net.upstreams, h->target, &ask, &limits, &callbacks, h,
					&h->call, &e),
			 ERR_OK);
	assert_int_equal(h->heads + h->dones, 0);
}

static inline void start(struct heard *h, bool stream, struct upstream_limits limits)
{
	start_with(h, STR("{\"a\":1}"), stream, limits);
}
