/* A call over libcurl's own client of HTTP: with HTTP/2, whose connections calls share and leave to others; or
 * to an http server through a proxy, on a connection of its own.
 *
 * Before a request is sent, the handshake must have chosen HTTP/2.  Otherwise the call goes on over a wire,
 * and so do the target's later ones for an hour. */
#include "base/limits.h"
#include "upstream/internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct curl_call {
	struct transfer       transfer;
	struct upstream_call *call;
	struct timer          resume; /* resumes a paused transfer outside the caller */
	struct curl_slist *headers; /* owned; the call's own is first; NULL: the target's are all */
	char              *url;     /* owned; NULL: the target's */
	struct str         body;    /* borrowed */
	int                socket_errno; /* errno of the failed socket; 0: none */
	bool               held; /* libcurl holds bytes back until the transfer is resumed */
	bool stands; /* on a connection that it may use; else it waits, and nothing was sent */
	bool http1;  /* the server chose HTTP/1.1 */
	char said[CURL_ERROR_SIZE]; /* libcurl's own words on a failure */
	char content_type[96];
};

static struct loop *curl_call_loop(const struct curl_call *w)
{
	return w->call->pool->loop;
}

static enum handle_kind curl_call_kind(const struct upstream_call *c)
{
	return c->stream ? HANDLE_STREAM : HANDLE_WHOLE;
}

static void curl_call_drop(struct upstream_call *c)
{
	struct curl_call *w = TAKE(c->on_way);

	timer_stop(curl_call_loop(w), &w->resume);
	transfer_cancel(c->pool->transfers, &w->transfer);
	handles_put_take(w->transfer.easy, c->target, curl_call_kind(c));
	curl_slist_free_all(w->headers);
	free(w->url);
	free(w);
}

/* --- the protocol --- */

static int curl_call_on_stand(void *arg, char *ip, char *own_ip, int port, int own_port)
{
	struct curl_call *w = arg;

	(void)ip, (void)own_ip, (void)port, (void)own_port;
	w->http1 = w->transfer.shared && !secure_chose_http2(w->transfer.easy);
	w->stands = !w->http1;
	return w->http1 ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

/* curl_call_to_wire: goes on over our own client.  False: the call has ended. */
static bool curl_call_to_wire(struct curl_call *w)
{
	struct upstream_call *c = w->call;
	struct curl_slist    *headers = TAKE(w->headers);
	char                 *url = TAKE(w->url);
	struct upstream_ask   ask = { .url = url,
				      .header = headers ? headers->data : NULL,
				      .body = w->body,
				      .stream = c->stream };
	bool                  goes_on = upstream_call_switch(c, &wire_call_way, &ask);

	curl_slist_free_all(headers);
	free(url);
	return goes_on;
}

/* curl_calls_to_wires: all calls that wait for a connection to the target, of which libcurl would make one
 * after the other.  A call that ends here may change the list; those that are left then find out by
 * themselves. */
static void curl_calls_to_wires(struct upstream_pool *p, struct upstream_target *t)
{
	target_speaks_http1(t, loop_now_us(p->loop));
	LIST_EACH (c, &p->calls, struct upstream_call, link) {
		struct curl_call *w = c->on_way;

		if (c->target != t || c->way != &curl_call_way || !w->transfer.shared ||
		    w->stands || c->released)
			continue;
		if (!curl_call_to_wire(w))
			return;
	}
}

/* --- the answer --- */

static const char *curl_call_header(CURL *easy, const char *name)
{
	struct curl_header *h;

	return curl_easy_header(easy, name, 0, CURLH_HEADER, -1, &h) == CURLHE_OK ? h->value : NULL;
}

static void curl_call_read_type(struct curl_call *w)
{
	const char *text = NULL;
	size_t      n = 0;

	curl_easy_getinfo(w->transfer.easy, CURLINFO_CONTENT_TYPE, &text);
	for (; text && text[n] && n < sizeof w->content_type - 1; n++) {
		char ch = text[n];

		w->content_type[n] = ch >= 'A' && ch <= 'Z' ? (char)(ch + ('a' - 'A')) : ch;
	}
	w->content_type[n] = '\0';
}

/* The head is read only once, so that a chunk of a stream costs nothing here. */
static struct upstream_head curl_call_head(struct curl_call *w)
{
	struct upstream_head h = { .status = 0 };
	CURL                *easy = w->transfer.easy;
	long                 status = 0;

	if (w->call->head_given)
		return h;

	const char *encoding = curl_call_header(easy, "content-encoding");
	curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
	curl_call_read_type(w);
	h.status = (int)status;
	h.content_type = w->content_type;
	h.compressed = encoding && encoding[0] && strcasecmp(encoding, "identity") != 0;
	h.retry_after = curl_call_header(easy, "retry-after");
	h.retry_after_ms = curl_call_header(easy, "retry-after-ms");
	return h;
}

/* Returning 0 for bytes makes libcurl end the transfer; why is in c->err.  With HTTP/2 only the end of
 * its connection tells the server so, where it has that alone. */
static size_t curl_call_on_write(char *bytes, size_t size, size_t count, void *arg)
{
	struct curl_call     *w = arg;
	struct upstream_call *c = w->call;
	size_t                n = size * count;

	/* A whole answer is bounded and collected: pausing it would stop those that share its
	 * connection, as libcurl 7.88 reads none of them while one holds back. */
	if (c->paused && !c->released && !w->transfer.shared) {
		w->held = true;
		return CURL_WRITEFUNC_PAUSE;
	}

	struct upstream_head head = curl_call_head(w);
	if (upstream_call_give(c, &head, bytes, n))
		return n;
	curl_easy_setopt(w->transfer.easy, CURLOPT_FORBID_REUSE, 1L);
	return 0;
}

/* A kept connection has ended when it was used again, before any byte came back. libcurl repeats
 * such a call with HTTP/1; with HTTP/2 it does so only for a refused stream. */
static bool curl_call_again(struct curl_call *w, CURLcode code)
{
	CURL *h = w->transfer.easy;
	bool  broke = code == CURLE_HTTP2 || code == CURLE_PARTIAL_FILE ||
		     code == CURLE_GOT_NOTHING || code == CURLE_SEND_ERROR ||
		     code == CURLE_RECV_ERROR;
	long connects = 1;
	long head = 0;

	curl_easy_getinfo(h, CURLINFO_NUM_CONNECTS, &connects);
	curl_easy_getinfo(h, CURLINFO_HEADER_SIZE, &head);
	if (!w->call->target->http2 || !broke || connects > 0 || head > 0 ||
	    !upstream_call_again(w->call))
		return false;
	curl_easy_setopt(h, CURLOPT_FRESH_CONNECT, 1L);
	return transfer_start(w->call->pool->transfers, &w->transfer);
}

static void curl_call_on_done(struct transfer *t, int curl_code)
{
	struct curl_call     *w = container_of(t, struct curl_call, transfer);
	struct upstream_call *c = w->call;
	CURLcode              code = (CURLcode)curl_code;
	struct err            e = { 0 };

	if (w->http1 && !c->released) {
		curl_calls_to_wires(c->pool, c->target);
		return;
	}
	if (curl_call_again(w, code))
		return;
	if (!c->released && !c->err && code != CURLE_OK)
		failure_fill(t->easy, code, w->said, c->bytes > 0, w->socket_errno, &e);
	if (!c->err && code == CURLE_OK) {
		struct upstream_head head = curl_call_head(w);

		(void)!upstream_call_give_head(c,
					       &head); /* an empty body; a refusal is in c->err */
	}
	if (c->err)
		e = *c->err;
	upstream_call_end(c, &e);
}

/* --- the start --- */

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

/* curl_call_prepare: sets the options of this call; a kept handle may have those of another. */
static bool curl_call_prepare(struct curl_call *w, const struct upstream_ask *ask)
{
	const struct upstream_target *t = w->call->target;
	CURL                         *h = w->transfer.easy;
	struct curl_slist            *headers = ask->stream ? t->stream : t->plain;
	unsigned                      bad = 0;

	w->body = ask->body;
	if (ask->url && !(w->url = strdup(ask->url)))
		return false;
	if (ask->header) {
		headers = w->headers = own_headers(headers, ask->header);
		if (!headers)
			return false;
	}
#define SET(option, value) bad |= (unsigned)curl_easy_setopt(h, CURLOPT_##option, value)
	SET(HTTPHEADER, headers);
	SET(URL, ask->url ? ask->url : t->url);
	if (!t->get) {
		SET(POSTFIELDS, ask->body.n > 0 ? ask->body.p : "");
		SET(POSTFIELDSIZE_LARGE, (curl_off_t)ask->body.n);
	}
	SET(PREREQFUNCTION, curl_call_on_stand);
	SET(PREREQDATA, w);
	SET(WRITEFUNCTION, curl_call_on_write);
	SET(WRITEDATA, w);
	SET(FRESH_CONNECT, 0L);
	/* A large body is sent in pieces of this size, a small one with the head. */
	SET(UPLOAD_BUFFERSIZE, ask->body.n > 64 * KIB ? 262144L : 16384L);
#undef SET
	return bad == 0 && handles_set_errors(h, w->said, &w->socket_errno);
}

/* libcurl hands out what it held from within this call, and when the callee then ends the call,
 * libcurl does not: a paused transfer would stay for ever. */
static void curl_call_on_resume(struct timer *t)
{
	struct curl_call     *w = container_of(t, struct curl_call, resume);
	struct upstream_call *c = w->call;

	w->held = false;
	transfer_unpause(c->pool->transfers, &w->transfer);
	if (c->err) {
		struct err e = *c->err;

		upstream_call_end(c, &e);
	}
}

static bool curl_call_start(struct upstream_call *c, const struct upstream_ask *ask)
{
	CURL             *easy = handles_get(c->target, curl_call_kind(c));
	struct curl_call *w = easy ? calloc(1, sizeof *w) : NULL;

	if (!w) {
		curl_easy_cleanup(easy);
		return false;
	}
	w->transfer = (struct transfer){ .easy = easy,
					 .done = curl_call_on_done,
					 .shared = c->target->http2 && !ask->stream };
	w->call = c;
	w->resume.fn = curl_call_on_resume;
	c->on_way = w;
	return curl_call_prepare(w, ask) && transfer_start(c->pool->transfers, &w->transfer);
}

/* --- pause and release --- */

static void curl_call_pause(struct upstream_call *c)
{
	struct curl_call *w = c->on_way;

	if (c->paused)
		timer_stop(c->pool->loop, &w->resume);
	else if (w->held)
		timer_start(c->pool->loop, &w->resume, 0);
}

static bool curl_call_sent(const struct upstream_call *c, size_t len)
{
	const struct curl_call *w = c->on_way;
	curl_off_t              sent = 0;

	curl_easy_getinfo(w->transfer.easy, CURLINFO_SIZE_UPLOAD_T, &sent);
	return sent >= 0 && (uint64_t)sent >= len;
}

static bool curl_call_lingers(const struct upstream_call *c)
{
	const struct curl_call *w = c->on_way;

	return !w->held;
}

const struct upstream_way curl_call_way = {
	.start = curl_call_start,
	.drop = curl_call_drop,
	.pause = curl_call_pause,
	.sent = curl_call_sent,
	.lingers = curl_call_lingers,
};
