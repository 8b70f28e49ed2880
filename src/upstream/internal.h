/* upstream/internal: the structs of a target, a pool and a call, shared by the files of upstream/.  Not
 * for other folders. */
#pragma once

#include "base/buf.h"
#include "base/list.h"
#include "loop/transfer.h"
#include "upstream/pool.h"
#include "upstream/share.h"
#include "upstream/target.h"
#include "upstream/upstream.h"

#include <curl/curl.h>
#include <stdatomic.h>

enum {
	READ_AT_ONCE = 64 * 1024, /* the most that one read of a connection takes */
	/* And of a stream's: its events are decoded in one step of the loop, and still come after a
	 * pause. */
	READ_OF_STREAM = 16 * 1024,
	IDLE_LISTS = 64,
};

struct upstream_target {
	atomic_int refs;
	/* Monotonic times, set by any loop (target_distrust, target_speaks_http1). */
	atomic_int_fast64_t alone_until_us; /* before: each connection carries one call */
	atomic_int_fast64_t told_us;        /* when the log was last told why */
	atomic_int_fast64_t failed_us;      /* when the log was last told of a failure */
	atomic_int_fast64_t http1_until_us; /* before: HTTP/2 is not offered again */
	char               *name;           /* NULL: none */
	char               *url;
	char               *ca_file; /* NULL: the system's */
	char               *proxy;   /* NULL: none */
	struct curl_slist  *plain;   /* headers of a call that wants JSON */
	struct curl_slist  *stream;  /* and of one that wants events */
	char               *head;    /* of our own requests: Host and these headers, plain */
	char               *stream_head;
	size_t              origin; /* length of the URL's part in front of its path */
	struct share       *share;
	long                connect_ms;
	bool                get; /* its calls are GETs, else POSTs */
	bool                tls;
	bool                http2; /* where the server offers it, and only with TLS */
};

/* target_ref: adds a holder; each upstream_target_destroy removes one. */
struct upstream_target *target_ref(const struct upstream_target *t);

/* target_distrust: the provider has sent bytes that no call asked for.  From now on and for a while, each
 * of its connections carries one call; the log and a metric say so. */
void target_distrust(struct upstream_target *t, int64_t now_us);

/* target_is_alone: whether a connection of this target carries one call only. */
static inline bool target_is_alone(const struct upstream_target *t, int64_t now_us)
{
	return now_us < atomic_load_explicit(&t->alone_until_us, memory_order_relaxed);
}

/* target_speaks_http1: the server was offered HTTP/2 and chose HTTP/1.1: for an hour, calls take our own
 * client. */
void target_speaks_http1(struct upstream_target *t, int64_t now_us);

static inline bool target_offers_http2(const struct upstream_target *t, int64_t now_us)
{
	return t->http2 && now_us >= atomic_load_explicit(&t->http1_until_us, memory_order_relaxed);
}

struct upstream_pool {
	struct loop      *loop;
	struct transfers *transfers;
	struct list_head  calls;
	struct list_head  idle[IDLE_LISTS]; /* wires, by their target; the longest idle last */
	size_t            idle_count;
	struct timer      sweep;
	char              room[READ_AT_ONCE]; /* what a read brings, until it is handed on */
};

/* What differs between a call over libcurl (upstream/curl_call) and one over a wire of our own
 * (upstream/wire_call). */
struct upstream_way {
	/* start: sets c->on_way, maybe also where it returns false: no memory. */
	bool (*start)(struct upstream_call *c, const struct upstream_ask *ask);
	/* drop: closes what is under way and frees on_way. */
	void (*drop)(struct upstream_call *c);
	/* pause: c->paused has just changed. */
	void (*pause)(struct upstream_call *c);
	bool (*sent)(const struct upstream_call *c, size_t len);
	/* lingers: whether the rest of the answer can be read and dropped. */
	bool (*lingers)(const struct upstream_call *c);
};

extern const struct upstream_way curl_call_way;
extern const struct upstream_way wire_call_way;

/* The head of an answer, as a way has read it; all borrowed. */
struct upstream_head {
	int         status;
	const char *content_type;   /* lower case; "": none */
	const char *retry_after;    /* as sent; NULL or "": none */
	const char *retry_after_ms; /* as sent; NULL or "": none */
	bool        compressed;
};

struct upstream_call {
	const struct upstream_way *way;
	void                      *on_way; /* the way's own state, owned by it; NULL: none */
	struct upstream_pool      *pool;
	struct upstream_target    *target; /* held */
	struct list_link           link;   /* in the pool's list */
	struct upstream_callbacks  cb;
	void                      *arg;
	struct upstream_limits     limits;
	struct timer               timer; /* of the deadlines; set again only when it fires */
	int64_t                    start_us;
	int64_t     last_us; /* time of the last body byte, or of the end of a pause */
	uint64_t    bytes;   /* of the body so far */
	struct buf  body;    /* only of a released call */
	struct err *err;     /* owned; why the call was ended on our side; NULL: it was not */
	bool        stream;
	bool        head_given;
	bool        paused;
	bool        released;
	bool        again; /* the call was started a second time */
};

/* upstream_call_give: hands bytes of the body over, and before the first of them the head. False: the
 * call must end; c->err says why. */
bool upstream_call_give(struct upstream_call *c, const struct upstream_head *head,
			const char *bytes, size_t n) MUST_USE;
/* upstream_call_give_head: for an answer without a body. */
bool upstream_call_give_head(struct upstream_call *c, const struct upstream_head *head) MUST_USE;
/* upstream_call_again: whether an end without any byte means that an idle connection was closed, and
 * the call may be started again; afterwards it may not. */
bool upstream_call_again(struct upstream_call *c) MUST_USE;
/* upstream_call_may_again: what upstream_call_again would say. */
bool upstream_call_may_again(const struct upstream_call *c);
/* upstream_call_switch: goes on the other way, before a byte was sent; ask as it was at the start.  False:
 * there was no memory, and the call has ended. */
bool upstream_call_switch(struct upstream_call *c, const struct upstream_way *way,
			  const struct upstream_ask *ask);
/* upstream_call_end: drops and frees the call, and then tells its owner, unless it was released or why is
 * NULL. */
void upstream_call_end(struct upstream_call *c, const struct err *why);
