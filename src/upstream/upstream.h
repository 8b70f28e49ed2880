/* upstream: one HTTP call to a provider: start, cancel, pause, four deadlines.
 *
 * Calls go one of two ways.  Our own HTTP/1.1 client (upstream/wire_call) carries streams, and whole
 * answers where HTTP/2 is not offered; with libcurl's a plain call takes 68,000 instructions more.
 * libcurl's client (upstream/curl_call) carries whole answers of https providers that choose HTTP/2, and
 * calls to http providers through a proxy, where the request line is another.
 *
 * Deadlines: connect (until the connection stands), first byte (of the body; from the start),
 * idle (between body bytes; not while paused), total.  Which one fired is in the error's code; a
 * limit of 0 is none.  Error texts begin with "the provider", so that a caller can put its name in,
 * and never hold host names, addresses or keys.
 * Threads: the loop's own.  The whole mechanism: docs/internals/connections.md */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "loop/loop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct upstream_call;
struct upstream_pool;
struct upstream_target;

struct upstream_limits {
	int64_t first_byte_us;
	int64_t idle_us;
	int64_t total_us;
};

/* Never called from within upstream_start or upstream_cancel. */
struct upstream_callbacks {
	/* head: final status and content type (lower case, may be ""), once, before any data;
	 * retry_after_ms from Retry-After or retry-after-ms, 0: none. */
	void (*head)(void *arg, int status, const char *content_type, int64_t retry_after_ms);
	/* data: as it came; false ends the call (the callee has its error; done is still called). */
	bool (*data)(void *arg, const char *bytes, size_t len);
	/* done: the body ended (e->code ERR_OK) or failed (UPSTREAM_CONNECT, CONNECT_TIMEOUT,
	 * FIRST_BYTE_TIMEOUT, IDLE_TIMEOUT, TOTAL_TIMEOUT, STREAM_INCOMPLETE for a body cut short, …).
	 * The call is gone when this returns. */
	void (*done)(void *arg, const struct err *e);
};

struct upstream_ask {
	/* NULL: the target's own; else it differs after the host alone, and all calls of the target
	 * name one. */
	const char *url;
	const char *
		header; /* further lines, "Name: value", with CRLF between two; copied; NULL: none */
	struct str body; /* borrowed until done, cancel or release */
	/* Small buffers, SSE accept, and no bound on the answer's length but the deadlines (the callee
	 * keeps none of it); else an answer above LIMIT_UPSTREAM_BODY is UPSTREAM_BAD_RESPONSE. */
	bool stream;
};

/* upstream_start: starts a call: a POST with a body, otherwise a GET. */
enum errc upstream_start(struct upstream_pool *pool, const struct upstream_target *target,
			 const struct upstream_ask *ask, const struct upstream_limits *limits,
			 const struct upstream_callbacks *cb, void *arg, struct upstream_call **ret,
			 struct err *e) MUST_USE;
/* upstream_cancel: closes the socket now, or resets the stream of one that others use; no callback follows.  Not from within a callback. */
void upstream_cancel(struct upstream_call *c);
/* upstream_sent: whether the kernel has taken all len bytes of the body, which then are not
 * needed again. */
bool upstream_sent(const struct upstream_call *c, size_t len);
/* upstream_pause: of a stream: data comes no more from now on, or goes on with the next turn; from anywhere. */
void upstream_pause(struct upstream_call *c, bool pause);
/* upstream_release_take: ends a call whose answer has been read as far as it matters. The rest
 * is read and dropped for a moment, so that the connection can be used again; no callback
 * follows. Consumes the bytes given at the start. Not from within a callback. */
void upstream_release_take(struct upstream_call *c, struct buf *body);

/* --- pool: a loop's connections to all providers: libcurl's transfers, and the connections of
 * our own HTTP/1.1 client that are kept between two calls.
 *
 * Threads: the loop's own. */

/* upstream_pool_create: *ret is owned, and must be destroyed before the loop.
 * Errors: INTERNAL (memory). */
enum errc upstream_pool_create(struct loop *l, struct upstream_pool **ret, struct err *e) MUST_USE;
/* upstream_pool_destroy: ends calls that still run; their done gets CANCELLED or a failure. */
void upstream_pool_destroy(struct upstream_pool *p);
OWNABLE(upstream_pool);

/* --- target: the address of calls, prepared once for each provider: URL, header lines,
 * TLS, proxy. */

struct upstream_target_options {
	const char *name; /* the provider's, for the log and the metrics; NULL: it has none */
	const char *url;
	const char *const
		   *headers; /* "Name: value", count of them; content-type and accept are added */
	size_t      header_count;
	const char *ca_file;
	const char *proxy;
	int64_t     connect_us;
	bool        http2;  /* offered to https servers; else HTTP/1.1 */
	bool        get;    /* all of its calls are GETs, without a body */
	const char *socket; /* path of the Unix socket where an http server listens; NULL: none */
};
enum { UPSTREAM_SOCKET_PATH = 108 }; /* room for its path, with a NUL */
/* Everything is copied; immutable and shared by all loops.  Calls keep a target alive, so it may be
 * destroyed while some still run.
 * Errors: INVALID_VALUE for control bytes in a header or URL, for headers that are HTTP's own, for a
 * user name in the URL, and for schemes other than http and https; INTERNAL: libcurl can't be started. */
enum errc upstream_target_create(const struct upstream_target_options *o,
				 struct upstream_target **ret, struct err *e) MUST_USE;
void      upstream_target_destroy(struct upstream_target *t);
OWNABLE(upstream_target);

/* upstream_url_is_safe: https, or http that stays on this machine. */
bool upstream_url_is_safe(const char *url);

/* upstream_target_url, upstream_target_head: the URL of calls that name no other, and the header
 * lines of all calls, each with CRLF. */
const char *upstream_target_url(const struct upstream_target *t);
const char *upstream_target_head(const struct upstream_target *t, bool stream);

/* upstream_target_failed: the target was not reached, fell silent, or gave no valid answer; from time to time, the log
 * tells which host that is.  Other errors are the provider's own words, and no news. */
void upstream_target_failed(struct upstream_target *t, const struct err *e, int64_t now_us);

/* --- probe: one blocking GET of the gateway's own listener, for the command `parley
 * health`. */

enum { PROBE_BODY = 512 };

/* probe_get: http://ADDRESS/PATH, or https:// with tls (a certificate of whatever name, as it is our own
 * listener; unix sockets speak no TLS), with the address as `listen` has it: HOST:PORT, [V6]:PORT or
 * unix:PATH; where that means any address, loopback is asked.  The answer's status, and its body's
 * beginning, printable.
 * Errors: INVALID_VALUE (no address that can be asked), UPSTREAM_CONNECT (no answer in timeout_ms). */
enum errc probe_get(const char *address, bool tls, const char *path, long timeout_ms,
		    long *ret_status, char ret_body[PROBE_BODY], struct err *e) MUST_USE;

/* --- fetch: one request on a thread that may wait, such as a worker; its job's end ends it, too.
 * No redirect is followed. */

struct fetch_ask {
	const char        *method; /* GET, PUT or POST; the last one alone has a body */
	const char        *url;
	const char *const *headers; /* "Name: value", count of them */
	size_t             header_count;
	struct str         body;
	const char        *ca_file; /* NULL: the system's */
	const char        *proxy;   /* NULL: none */
	long               connect_ms;
	long               total_ms;
};
/* fetch_do: the answer's status, and its body, which is appended to body and may be as long as that
 * can get.  Error texts have no host names.  Errors: UPSTREAM_CONNECT, CONNECT_TIMEOUT,
 * UPSTREAM_BAD_RESPONSE, OVERLOADED, INTERNAL. */
enum errc fetch_do(const struct fetch_ask *ask, long *ret_status, struct buf *body,
		   struct err *e) MUST_USE;
