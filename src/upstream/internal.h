/* upstream/internal: the structs of a target, a pool and a call, shared by the files of upstream/.  Not
 * for other folders. */
#pragma once

#include "base/base.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/list.h"
#include "loop/transfer.h"
#include "upstream/upstream.h"

#include <curl/curl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

struct share;
struct wire;

/* --- share: the data that all calls to a target share across threads: name look-ups and
 * TLS sessions, so that each connection after the first resumes a session. Connections stay with
 * their thread, because libcurl can't share them. Internal to upstream/. */

/* share_create: owned; NULL: no memory. */
struct share *share_create(void);
/* share_destroy: frees the share; all handles that had it must be gone. */
void    share_destroy(struct share *s);
CURLSH *share_handle(const struct share *s);

/* --- internal --- */

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
	char               *socket;  /* path; NULL: none */
	struct curl_slist  *plain;   /* headers of a call that wants JSON */
	struct curl_slist  *stream;  /* and of one that wants events */
	char               *head;    /* head of our own requests: Host and the headers of plain */
	char               *stream_head;
	size_t              origin; /* length of the URL's part before its path */
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
	char              room[READ_AT_ONCE]; /* bytes of one read, until they are handed on */
};

/* The differences between a call over libcurl (upstream/curl_call) and one over a wire of our own
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
	const char *retry_after;    /* value as sent; NULL or "": none */
	const char *retry_after_ms; /* value as sent; NULL or "": none */
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
	struct timer               timer; /* timer of the deadlines; set again only when it fires */
	int64_t                    start_us;
	int64_t     last_us; /* time of the last body byte, or of the end of a pause */
	uint64_t    bytes;   /* bytes of the body so far */
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

/* --- failure: turns the failure of a transfer into an error of Parley's. Internal to
 * upstream/. */

/* failure_init: starts libcurl, once for the process, with a count of its memory. False: libcurl can't be
 * started. */
bool failure_init(void);

/* failure_fill: fills e for libcurl's code (not CURLE_OK). said: libcurl's own message, or "";
 * begun: bytes of the body had come; socket_errno: why no socket could be made, or 0. A shortage
 * on our side (memory, descriptors, ports) is OVERLOADED, and no fault of the provider's. */
void failure_fill(CURL *easy, CURLcode code, const char *said, bool begun, int socket_errno,
		  struct err *e);

/* failure_cut: the connection ended in the middle of an answer, or without one where no byte of a body
 * had come. words: more about it, or "". */
void failure_cut(bool begun, const char *words, struct err *e);
/* failure_wrong: the answer can't be read; what: what of it. */
void failure_wrong(bool begun, const char *what, struct err *e);
/* failure_length: the answer is longer than LIMIT_UPSTREAM_BODY. */
void failure_length(struct err *e);

/* --- handles: libcurl's easy handles of calls that ended, kept with their options for the next
 * call to the same target. Internal to upstream/. Each thread has its own handles, and frees
 * them when it ends. */

enum handle_kind {
	HANDLE_WHOLE,   /* a call whose answer comes whole */
	HANDLE_STREAM,  /* a call whose answer is a stream */
	HANDLE_CONNECT, /* only sets a connection up */
};

/* handles_get: a handle with the options of the target and of its kind; owned. NULL: no memory. */
CURL *handles_get(const struct upstream_target *target, enum handle_kind kind) MUST_USE;
/* handles_put_take: keeps the handle for the next call, or frees an older one. */
void handles_put_take(CURL *easy, struct upstream_target *target, enum handle_kind kind);
/* handles_set_errors: where libcurl's words (CURL_ERROR_SIZE bytes) and the errno of a failed socket go to from now on. */
bool handles_set_errors(CURL *easy, char *said, int *socket_errno) MUST_USE;

/* --- http1: reads the answer to one HTTP/1.1 request: the head, and the framing of the body.
 * Does no I/O, and knows no other header than those that a call needs.
 *
 *   STATUS --> HEADER --> COUNTED ------------------------------------> OVER
 *     ^          |  |---> SIZE --> CHUNK --> CHUNK_END --+               ^
 *     +-- 1xx ---+  |      ^ |                           |               |
 *                   |      | +--> TRAILER ---------------|---------------+
 *                   |      +-----------------------------+               |
 *                   +---> UNTIL_CLOSE --------(the connection ends)------+
 *
 * Source: RFC 9112.  Like its section 2.2 allows, a line may end with LF alone.  Stricter than it must
 * be: unequal lengths, a length that is no number, codings other than chunked, a folded line of a
 * header that is read, and a header name with a space are errors, because the end of the body would
 * be a guess. */

enum http1_state {
	HTTP1_STATUS,
	HTTP1_HEADER,
	HTTP1_COUNTED,
	HTTP1_SIZE,
	HTTP1_CHUNK,
	HTTP1_CHUNK_END,
	HTTP1_TRAILER,
	HTTP1_UNTIL_CLOSE,
	HTTP1_OVER,
	HTTP1_STATE__COUNT
};

/* Laid open so that it can be embedded; use the functions.  The head's values are valid as soon as
 * http1_head_read says so. */
struct http1 {
	enum http1_state state;
	int              status;
	uint64_t         left;       /* bytes left of the counted body, or of the chunk */
	uint64_t         length;     /* length of the body, where it was announced */
	size_t           head_bytes; /* bytes of heads and trailers so far */
	struct buf       line;       /* an unfinished line, carried over */
	const char      *wrong;      /* the unreadable part: "a chunk without a size"; NULL: none */
	bool             starved;    /* it is wrong because memory is short */
	bool             keeps;      /* the connection may carry another request */
	bool             counted;    /* a Content-Length was given */
	bool             chunked;
	bool             compressed;         /* by a Content-Encoding */
	bool             surplus;            /* bytes came after the end */
	bool             folding;            /* the last header line was one that is read */
	char             content_type[96];   /* lower case; "": none */
	char             retry_after[40];    /* "": none */
	char             retry_after_ms[24]; /* "": none */
};

void http1_init(struct http1 *h);
void http1_finish(struct http1 *h);

/* http1_feed: takes n bytes as they came.  *ret_body is what they hold of the body, moved together
 * within `bytes`; it is set also where false is returned: the answer can't be read, h->wrong says
 * why.  Every byte is taken; what follows the end is dropped and noted. */
bool http1_feed(struct http1 *h, char *bytes, size_t n, struct str *ret_body) MUST_USE;
/* http1_end: the connection ended.  False: in the middle of the answer. */
bool http1_end(struct http1 *h) MUST_USE;

static inline bool http1_over(const struct http1 *h)
{
	return h->state == HTTP1_OVER;
}

static inline bool http1_head_read(const struct http1 *h)
{
	return h->state != HTTP1_STATUS && h->state != HTTP1_HEADER;
}

/* http1_begun: whether any byte of an answer has come. */
static inline bool http1_begun(const struct http1 *h)
{
	return h->head_bytes > 0 || h->line.len > 0;
}

/* --- secure: what libcurl does not tell of a connection's TLS, asked of OpenSSL, with which libcurl is
 * built on the systems that Parley is made for.  Of another TLS library nothing is known: then HTTP/2 is not
 * used, and connections with TLS carry one call.
 *
 * Internal to upstream/.  Threads: the handle's own. */

/* secure_chose_http2: whether the server chose h2 in the handshake (ALPN, RFC 7301; RFC 9113, section 3.2).
 * libcurl itself believes the status line, and lets calls share a connection that speaks HTTP/1.1 and
 * says "HTTP/2 200".  From within a callback of a transfer whose connection stands. */
bool secure_chose_http2(CURL *easy);
/* secure_holds_bytes: whether a part of a record has come, of which a read gives nothing yet; true also where
 * nothing is known.  Of two layers, as through a proxy with TLS, the inner one is asked.  After
 * curl_easy_send or curl_easy_recv, which tie the handle to its connection. */
bool secure_holds_bytes(CURL *easy);

/* --- wire: a connection to a provider, on which our own client speaks HTTP/1.1.  libcurl resolves,
 * goes through proxies, connects and does TLS.  A connection without TLS is then taken from it, so that
 * it costs a descriptor and this struct; one with TLS stays libcurl's, which encrypts.
 *
 * HTTP/1.1 has no numbers that say to which request an answer belongs (RFC 9112, section 9.2: a client
 * matches them by their order).  So bytes that come between two calls would be the next call's answer, and
 * that call may be another tenant's.  A connection is looked at before it is kept, while it is idle, and
 * when it is taken; where anything has come, it is closed, and the target keeps none for a while.  Bytes
 * that come once the next request is being sent can't be told from its answer.
 *
 * Internal to upstream/.  Threads: the loop's own. */

/* The user of a wire: one call at a time.  Both functions may destroy or keep the wire. */
struct wire_user {
	/* opened: the connection stands, or e says why it does not: UPSTREAM_CONNECT,
	 * CONNECT_TIMEOUT, OVERLOADED. */
	void (*opened)(struct wire_user *u, const struct err *e);
	/* ready: there may be bytes to read (or an end), or room to write. */
	void (*ready)(struct wire_user *u, bool readable, bool writable);
};

/* wire_open: a kept connection to the target if there is one and `fresh` is false, which is ready at
 * once; else a new one, and `opened` is called later.  NULL: no memory. */
struct wire *wire_open(struct upstream_pool *p, struct upstream_target *t, bool fresh,
		       struct wire_user *u) MUST_USE;
/* wire_destroy: closes the connection, or gives up its set-up. */
void wire_destroy(struct wire *w);
/* wire_keep_take: the answer is over, and the connection may carry another call, if nothing has
 * come after the answer. */
void wire_keep_take(struct wire *w);

/* wire_sweep: closes connections that have been idle for long, or all idle ones. */
void wire_sweep(struct upstream_pool *p, bool all);

bool wire_stands(const struct wire *w);
bool wire_was_kept(const struct wire *w); /* an earlier call used it */

enum { WIRE_LATER = -1, WIRE_BROKEN = -2 };
/* wire_send: how many bytes the kernel, or TLS, took; WIRE_LATER: no room; WIRE_BROKEN. */
ssize_t wire_send(struct wire *w, const struct iovec *iov, int count) MUST_USE;
/* wire_recv: how many bytes came; 0: the end; WIRE_LATER: none yet; WIRE_BROKEN.  *ret_more: TLS may
 * hold more bytes, of which the descriptor knows nothing. */
ssize_t wire_recv(struct wire *w, char *to, size_t size, bool *ret_more) MUST_USE;
/* wire_want: of what `ready` is to tell from now on.  False: no memory in the kernel. */
bool wire_want(struct wire *w, bool readable, bool writable) MUST_USE;
