/* One call: a transfer with its callbacks, its pause and its deadlines. */
#include "upstream/upstream.h"

#include "base/buf.h"
#include "base/limits.h"
#include "upstream/failure.h"
#include "upstream/handles.h"
#include "upstream/internal.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>

/* The time for a released call to end by itself, before its connection is closed. */
enum { LINGER_US = 200 * 1000 };

/* Within this time after its start, the end of a call means that an idle connection was closed.
 * Later, the provider may have worked on the call. */
enum { AGAIN_US = 1000 * 1000 };

struct upstream_call {
	struct transfer           transfer;
	struct transfers         *transfers;
	struct upstream_target   *target; /* held */
	struct upstream_callbacks cb;
	void                     *arg;
	struct upstream_limits    limits;
	struct timer              timer;  /* timer of the deadlines; set again only when it fires */
	struct timer              resume; /* resumes a paused transfer outside the caller */
	int64_t                   start_us;
	int64_t            last_us; /* time of the last body byte, or of the end of a pause */
	uint64_t           bytes;   /* of the body so far */
	struct curl_slist *headers; /* owned; NULL: the target's are all */
	struct buf         body;    /* only of a released call */
	char               said[CURL_ERROR_SIZE]; /* libcurl's own words on a failure */
	int                socket_errno;          /* errno of the failed socket; 0: none */
	/* owned; the reason why the write callback ended the call; NULL: none */
	struct err *err;
	char        content_type[96];
	bool        stream;
	bool        head_given;
	bool        paused;
	bool        held; /* libcurl holds bytes back until the transfer is resumed */
	bool        released;
	bool        again;     /* the call was started a second time */
	bool        half_made; /* the handle lacks options and can't be kept */
};

static struct loop *loop_of(const struct upstream_call *c)
{
	return transfers_loop(c->transfers);
}

/* --- the end --- */

/* Everything is freed before `done`, because `done` may free the owner's memory. */
static void upstream_call_end(struct upstream_call *c, const struct err *why)
{
	struct upstream_callbacks cb = c->cb;
	void                     *arg = c->arg;
	bool                      silent = c->released || !why;
	struct err                e = why ? *why : (struct err){ 0 };

	timer_stop(loop_of(c), &c->timer);
	timer_stop(loop_of(c), &c->resume);
	if (c->half_made) {
		curl_easy_cleanup(c->transfer.easy);
	} else {
		curl_easy_setopt(c->transfer.easy, CURLOPT_ERRORBUFFER, NULL);
		handles_put_take(c->transfer.easy, c->target, c->stream);
	}
	upstream_target_destroy(c->target);
	curl_slist_free_all(c->headers);
	buf_finish(&c->body);
	err_drop(&c->err);
	free(c);
	if (!silent)
		cb.done(arg, &e);
}

static void call_abort(struct upstream_call *c, const struct err *why)
{
	transfer_cancel(c->transfers, &c->transfer);
	upstream_call_end(c, why);
}

void upstream_cancel(struct upstream_call *c)
{
	call_abort(c, NULL);
}

/* --- deadlines --- */

struct deadline {
	int64_t     at_us; /* INT64_MAX: none */
	enum errc   code;
	const char *text;
};

static struct deadline next_deadline(const struct upstream_call *c)
{
	struct deadline d = { INT64_MAX, ERR_TOTAL_TIMEOUT,
			      "the provider did not finish within the total time limit" };

	if (c->limits.total_us > 0)
		d.at_us = c->start_us + c->limits.total_us;
	if (c->paused)
		return d;

	bool    begun = c->bytes > 0;
	int64_t limit_us = begun ? c->limits.idle_us : c->limits.first_byte_us;
	int64_t at_us = (begun ? c->last_us : c->start_us) + limit_us;
	if (limit_us <= 0 || at_us >= d.at_us)
		return d;
	if (begun)
		return (struct deadline){
			at_us, ERR_IDLE_TIMEOUT,
			"the provider fell silent for longer than the idle time limit"
		};
	return (struct deadline){ at_us, ERR_FIRST_BYTE_TIMEOUT,
				  "the provider sent nothing within the first-byte time limit" };
}

/* Moves the timer only to an earlier time. A later deadline is found when the timer fires. */
static void deadline_arm(struct upstream_call *c)
{
	int64_t at_us = next_deadline(c).at_us;

	if (at_us == INT64_MAX || (timer_running(&c->timer) && c->timer.at_us <= at_us))
		return;

	int64_t after_us = at_us - loop_now_us(loop_of(c));
	timer_start(loop_of(c), &c->timer, after_us > 0 ? after_us : 0);
}

static void on_deadline(struct timer *t)
{
	struct upstream_call *c = container_of(t, struct upstream_call, timer);
	struct deadline       d = next_deadline(c);
	struct err            e;

	if (d.at_us > loop_now_us(loop_of(c))) {
		deadline_arm(c);
		return;
	}
	err_set(&e, d.code, NULL, "%s", d.text);
	call_abort(c, &e);
}

/* --- the answer --- */

static const char *header_of(CURL *easy, const char *name)
{
	struct curl_header *h;

	return curl_easy_header(easy, name, 0, CURLH_HEADER, -1, &h) == CURLHE_OK ? h->value : NULL;
}

static int64_t upstream_retry_after_ms(CURL *easy)
{
	const int64_t max_ms = (int64_t)24 * 3600 * 1000;
	const char   *text = header_of(easy, "retry-after-ms");
	curl_off_t    seconds = 0;

	if (text && text[0] >= '0' && text[0] <= '9') {
		double ms = strtod(text, NULL);

		return ms < (double)max_ms ? (int64_t)ms : max_ms;
	}
	/* libcurl reads both forms: seconds, and a date. */
	curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &seconds);
	if (seconds <= 0)
		return 0;
	return seconds < max_ms / 1000 ? seconds * 1000 : max_ms;
}

static void read_content_type(struct upstream_call *c)
{
	const char *text = NULL;
	size_t      n = 0;

	curl_easy_getinfo(c->transfer.easy, CURLINFO_CONTENT_TYPE, &text);
	for (; text && text[n] && n < sizeof c->content_type - 1; n++) {
		char ch = text[n];

		c->content_type[n] = ch >= 'A' && ch <= 'Z' ? (char)(ch + ('a' - 'A')) : ch;
	}
	c->content_type[n] = '\0';
}

static bool give_head(struct upstream_call *c)
{
	CURL       *easy = c->transfer.easy;
	const char *encoding = header_of(easy, "content-encoding");
	long        status = 0;

	c->head_given = true;
	if (encoding && encoding[0] && strcasecmp(encoding, "identity") != 0) {
		struct err e;

		err_set(&e, ERR_UPSTREAM_BAD_RESPONSE, NULL,
			"the provider compressed its answer, which it was not asked for");
		err_keep(&c->err, &e);
		return false;
	}
	curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
	read_content_type(c);
	c->cb.head(c->arg, (int)status, c->content_type, upstream_retry_after_ms(easy));
	return true;
}

/* Returning 0 for bytes makes libcurl end the transfer; why is in c->err.  With HTTP/2 only the end of
 * its connection tells the server so, where it has that alone. */
static size_t upstream_refuse(struct upstream_call *c)
{
	curl_easy_setopt(c->transfer.easy, CURLOPT_FORBID_REUSE, 1L);
	return 0;
}

static size_t on_write(char *bytes, size_t size, size_t count, void *arg)
{
	struct upstream_call *c = arg;
	size_t                n = size * count;
	bool                  first = c->bytes == 0;
	struct err            e;

	if (c->released || n == 0)
		return n;
	/* A whole answer is bounded and collected: pausing it would stop those that share its
	 * connection, as libcurl 7.88 reads none of them while one holds back. */
	if (c->paused && !c->transfer.shared) {
		c->held = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	c->last_us = loop_now_us(loop_of(c));
	c->bytes += n;
	if (first)
		deadline_arm(c);
	if (!c->head_given && !give_head(c))
		return upstream_refuse(c);
	if (!c->stream && c->bytes > LIMIT_UPSTREAM_BODY) {
		failure_fill(c->transfer.easy, CURLE_FILESIZE_EXCEEDED, "", true, 0, &e);
		err_keep(&c->err, &e);
		return upstream_refuse(c);
	}
	if (!c->cb.data(c->arg, bytes, n)) {
		err_set(&e, ERR_CANCELLED, NULL, "the call was ended by its owner");
		err_keep(&c->err, &e);
		return upstream_refuse(c);
	}
	return n;
}

/* A kept connection has ended when it was used again, before any byte came back. libcurl repeats
 * such a call with HTTP/1; with HTTP/2 it does so only for a refused stream. */
static bool start_again(struct upstream_call *c, CURLcode code)
{
	CURL *h = c->transfer.easy;
	bool  broke = code == CURLE_HTTP2 || code == CURLE_PARTIAL_FILE ||
		     code == CURLE_GOT_NOTHING || code == CURLE_SEND_ERROR ||
		     code == CURLE_RECV_ERROR;
	long connects = 1;
	long head = 0;

	curl_easy_getinfo(h, CURLINFO_NUM_CONNECTS, &connects);
	curl_easy_getinfo(h, CURLINFO_HEADER_SIZE, &head);
	if (!c->target->http2 || !broke || connects > 0 || head > 0 || c->bytes > 0 || c->again ||
	    c->released || loop_now_us(loop_of(c)) - c->start_us > AGAIN_US)
		return false;
	c->again = true;
	curl_easy_setopt(h, CURLOPT_FRESH_CONNECT, 1L);
	return transfer_start(c->transfers, &c->transfer);
}

static void upstream_on_done(struct transfer *t, int curl_code)
{
	struct upstream_call *c = container_of(t, struct upstream_call, transfer);
	CURLcode              code = (CURLcode)curl_code;

	struct err e = { 0 };

	if (!c->err && start_again(c, code))
		return;
	if (!c->released && !c->err) {
		if (code != CURLE_OK)
			failure_fill(t->easy, code, c->said, c->bytes > 0, c->socket_errno, &e);
		else if (!c->head_given)
			(void)give_head(c); /* an empty body; a refusal is in c->err */
	}
	if (c->err)
		e = *c->err;
	upstream_call_end(c, &e);
}

/* --- the start --- */

/* upstream_on_open: keeps the errno, because libcurl does not report why a socket failed. */
static curl_socket_t upstream_on_open(void *arg, curlsocktype purpose, struct curl_sockaddr *at)
{
	struct upstream_call *c = arg;
	int                   fd = socket(at->family, at->socktype | SOCK_CLOEXEC, at->protocol);

	(void)purpose;
	if (fd < 0)
		c->socket_errno = errno;
	return fd < 0 ? CURL_SOCKET_BAD : fd;
}

/* upstream_prepare: sets the options that a kept handle has already. */
static bool upstream_prepare(const struct upstream_call *c)
{
	CURL                         *h = c->transfer.easy;
	const struct upstream_target *t = c->target;
	unsigned                      bad = 0;

#define SET(option, value) bad |= (unsigned)curl_easy_setopt(h, CURLOPT_##option, value)
	if (t->get)
		SET(HTTPGET, 1L);
	else
		SET(POST, 1L);
	SET(WRITEFUNCTION, on_write);
	SET(NOSIGNAL, 1L);
	SET(QUICK_EXIT, 1L); /* or a cancel waits for a slow name server, with the loop */
	SET(HTTP_VERSION, (long)(t->http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
	/* A call that finds a running handshake waits for it, because its own handshake would not
	 * be faster. */
	SET(PIPEWAIT, c->transfer.shared ? 1L : 0L);
	SET(SHARE, share_handle(t->share));
	SET(PROTOCOLS_STR, "http,https");
	SET(FOLLOWLOCATION, 0L);
	SET(NETRC, (long)CURL_NETRC_IGNORED);
	SET(DISALLOW_USERNAME_IN_URL, 1L);
	/* The option is always set; otherwise the environment would decide. */
	SET(PROXY, t->proxy ? t->proxy : "");
	SET(NOPROXY, t->proxy ? "" : "*");
	SET(SUPPRESS_CONNECT_HEADERS, 1L);
	SET(BUFFERSIZE, c->stream ? 2048L : 16384L);
	SET(TCP_NODELAY, 1L);
	SET(TCP_KEEPALIVE, 1L);
	SET(DNS_CACHE_TIMEOUT, 300L);
	if (!c->stream) /* says so before the first byte, where the length is announced */
		SET(MAXFILESIZE_LARGE, (curl_off_t)LIMIT_UPSTREAM_BODY);
	if (t->connect_ms > 0)
		SET(CONNECTTIMEOUT_MS, t->connect_ms);
	if (t->ca_file)
		SET(CAINFO, t->ca_file);
	return bad == 0;
}

/* own_headers: the target's headers and one of this call; NULL: no memory. */
static struct curl_slist *own_headers(const struct curl_slist *of, const char *more)
{
	struct curl_slist *list = curl_slist_append(NULL, more);

	for (; list && of; of = of->next) {
		struct curl_slist *longer = curl_slist_append(list, of->data);

		if (!longer) {
			curl_slist_free_all(list);
			return NULL;
		}
	}
	return list;
}

/* prepare_call: sets the options of this call. */
static bool prepare_call(struct upstream_call *c, const struct upstream_ask *ask)
{
	CURL              *h = c->transfer.easy;
	struct curl_slist *headers = c->stream ? c->target->stream : c->target->plain;
	unsigned           bad = 0;

	if (ask->header) {
		headers = c->headers = own_headers(headers, ask->header);
		if (!headers)
			return false;
	}
	SET(HTTPHEADER, headers);                       /* a kept handle may have other headers */
	SET(URL, ask->url ? ask->url : c->target->url); /* a kept handle may have another URL */
	if (!c->target->get) {
		SET(POSTFIELDS, ask->body.n > 0 ? ask->body.p : "");
		SET(POSTFIELDSIZE_LARGE, (curl_off_t)ask->body.n);
	}
	SET(WRITEDATA, c);
	SET(ERRORBUFFER, c->said);
	SET(OPENSOCKETFUNCTION, upstream_on_open);
	SET(OPENSOCKETDATA, c);
	SET(FRESH_CONNECT, 0L);
	/* A large body is sent in pieces of this size, a small one with the head. */
	SET(UPLOAD_BUFFERSIZE, ask->body.n > 64 * KIB ? 262144L : 16384L);
#undef SET
	return bad == 0;
}

static void on_resume(struct timer *t);

enum errc upstream_start(struct transfers *ts, const struct upstream_target *target,
			 const struct upstream_ask *ask, const struct upstream_limits *limits,
			 const struct upstream_callbacks *cb, void *arg, struct upstream_call **ret,
			 struct err *e)
{
	bool                  ready;
	CURL                 *easy = handles_get(target, ask->stream, &ready);
	struct upstream_call *c = easy ? calloc(1, sizeof *c) : NULL;

	if (!c) {
		if (easy)
			curl_easy_cleanup(easy);
		return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	}
	*c = (struct upstream_call){
		.transfer = { .easy = easy,
			      .done = upstream_on_done,
			      .shared = target->http2 && !ask->stream },
		.transfers = ts,
		.target = target_ref(target),
		.cb = *cb,
		.arg = arg,
		.limits = *limits,
		.timer = { .fn = on_deadline },
		.resume = { .fn = on_resume },
		.start_us = loop_now_us(transfers_loop(ts)),
		.stream = ask->stream,
	};
	c->half_made = !ready && !upstream_prepare(c);
	if (c->half_made || !prepare_call(c, ask) || !transfer_start(ts, &c->transfer)) {
		upstream_call_end(c, NULL);
		return err_set(e, ERR_OVERLOADED, NULL, "out of memory for a call to the provider");
	}
	deadline_arm(c);
	*ret = c;
	return ERR_OK;
}

/* --- pause and release --- */

/* libcurl hands out what it held from within this call, and when the callee then ends the call,
 * libcurl does not: a paused transfer would stay for ever. */
static void on_resume(struct timer *t)
{
	struct upstream_call *c = container_of(t, struct upstream_call, resume);

	c->held = false;
	transfer_unpause(c->transfers, &c->transfer);
	if (c->err) {
		struct err e = *c->err;

		call_abort(c, &e);
	}
}

bool upstream_sent(const struct upstream_call *c, size_t len)
{
	curl_off_t sent = 0;

	curl_easy_getinfo(c->transfer.easy, CURLINFO_SIZE_UPLOAD_T, &sent);
	return sent >= 0 && (uint64_t)sent >= len;
}

void upstream_pause(struct upstream_call *c, bool pause)
{
	if (c->paused == pause)
		return;
	c->paused = pause;
	if (pause) {
		timer_stop(loop_of(c), &c->resume);
		return;
	}
	c->last_us = loop_now_us(loop_of(c));
	deadline_arm(c);
	if (c->held)
		timer_start(loop_of(c), &c->resume, 0);
}

static void on_linger_end(struct timer *t)
{
	call_abort(container_of(t, struct upstream_call, timer), NULL);
}

void upstream_release_take(struct upstream_call *c, struct buf *body)
{
	c->released = true;
	c->body = *body;
	*body = (struct buf){ .max = body->max };
	if (c->held) {
		upstream_cancel(c);
		return;
	}
	c->timer.fn = on_linger_end;
	timer_start(loop_of(c), &c->timer, LINGER_US);
}
