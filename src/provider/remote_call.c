/* One call over HTTP: sends the request, splits the answer into events, and decodes them. */
#include "provider/remote.h"

#include "base/limits.h"
#include "loop/work.h"
#include "provider/decode.h"
#include "upstream/upstream.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	AGAIN_US = 10 * 1000, /* wait before a full pool of workers is asked again */
};

enum call_answer {
	ANSWER_NONE,   /* no head yet */
	ANSWER_EVENTS, /* a stream, decoded while it arrives */
	ANSWER_WHOLE,  /* a plain answer, decoded at its end */
	ANSWER_ERROR,  /* the status is not 2xx, or the answer to a stream request is no stream */
};

struct remote_call {
	struct provider_call  call;
	const struct dialect *dialect;
	struct loop          *loop;
	struct upstream_call *upstream; /* NULL: the transfer has ended */
	struct buf            ask;      /* the request's body; libcurl reads it in place */
	struct buf            body;     /* the answer, if it is collected */
	struct buf            url;      /* NUL-terminated; empty: the target's URL */
	union framing_state   framing;  /* the dialect's */
	struct json_doc       doc;
	struct decode         decode;
	struct timer          finish; /* ends a call whose terminator came before the body's end */
	struct err           *err;    /* owned; an error found in the body; NULL: none */
	struct embed_want    *want;   /* owned; NULL: a chat */
	struct names         *names;  /* owned; NULL: the answer's names stay */
	struct remote_sign   *sign;   /* owned; NULL: the call needs no signature */
	enum call_answer      answer;
	bool                  html; /* the content type is none of JSON */
	bool                  stream;
	int64_t               retry_after_ms;
	provider_event_fn     on_event;
	void                 *arg;

	/* A worker decodes a long answer or event, and owns the decoder while it does. The later
	 * events of the stream wait in frames. */
	struct work_pool *cpu;
	struct work_job   job;
	struct timer      next;    /* calls remote_advance */
	bool              behind;  /* a worker decodes, or frames or kept events wait */
	bool              aside;   /* a worker has the decoder */
	bool              dropped; /* cancelled while aside; the provider may be gone */
	bool              paused;  /* by the receiver */
	bool              flushed; /* remote_flush has been called */
	bool              begun;   /* the first frame is being decoded, or has been */
	struct mask      *mask;    /* held for the worker; the provider's; NULL: not needed yet */
	struct frame     *frames;  /* owned */
	struct frame    **frames_end;
	struct kept       kept; /* decoded events that were not handed over yet */
	struct err *found;      /* owned; an error of decoding, after the kept events; NULL: none */
	struct err *ended;      /* owned; the body's end, if it came during `behind`; NULL: none */
};

_Static_assert(sizeof(struct remote_call) <= 896,
	       "mimalloc's next size is 1024, for each open stream");

/* An event of a stream that was split off and not decoded yet. */
struct frame {
	struct frame *next;
	struct buf    data;
	size_t        from; /* where the event begins in data */
	size_t        name_len;
	char          name[];
};

static void frame_free(struct frame *f)
{
	if (f)
		buf_finish(&f->data);
	free(f);
}

static struct frame *frame_pop(struct remote_call *c)
{
	struct frame *f = c->frames;

	c->frames = f ? f->next : NULL;
	if (!c->frames)
		c->frames_end = &c->frames;
	return f;
}

static void frames_drop(struct remote_call *c)
{
	while (c->frames)
		frame_free(frame_pop(c));
}

/* --- the end --- */

static void remote_call_free(struct remote_call *c)
{
	timer_stop(c->loop, &c->finish);
	timer_stop(c->loop, &c->next);
	c->dialect->framing->finish(&c->framing);
	json_doc_finish(&c->doc);
	if (c->dialect->finish)
		c->dialect->finish(&c->decode);
	remote_sign_leave_take(c->sign, &c->ask);
	buf_finish(&c->ask);
	buf_finish(&c->body);
	buf_finish(&c->url);
	kept_finish(&c->kept);
	frames_drop(c);
	err_drop(&c->ended);
	err_drop(&c->found);
	err_drop(&c->err);
	mask_destroy(c->mask);
	free(c->want);
	names_free(c->names);
	free(c);
}

/* The call is freed before its last event is sent: the receiver may free the objects that the call
 * uses. */
static void remote_call_end(struct remote_call *c, const struct err *why)
{
	provider_event_fn on_event = c->on_event;
	void             *arg = c->arg;
	struct err        e = why ? *why : (struct err){ 0 };
	struct event      ev = { .kind = why ? EVENT_ERROR : EVENT_END, .err = why ? &e : NULL };

	if (why)
		ev.usage = c->decode.told;

	remote_call_free(c);
	on_event(arg, &ev);
}

/* Lower layers don't know the provider's name; their texts begin with "the provider". */
bool remote_call_name(const char *name, const char *opening, struct err *e)
{
	char   text[sizeof e->text];
	size_t n = strlen(opening);

	if (strncmp(e->text, opening, n) != 0)
		return false;
	snprintf(text, sizeof text, "the provider '%s'%.240s", name, e->text + n);
	memcpy(e->text, text, sizeof text);
	return true;
}

static void call_fail(struct remote_call *c, struct err *e)
{
	remote_call_name(c->call.provider->name, "the provider", e);
	upstream_target_failed(c->call.provider->target, e, loop_now_us(c->loop));
	if (c->call.http != 0 && e->upstream_status == 0)
		e->upstream_status = c->call.http;
	/* Some providers give the wait in the body; the header has priority. */
	if ((err_http(e) == 429 || err_http(e) >= 500) && c->retry_after_ms > 0)
		e->retry_after_ms = c->retry_after_ms;
	remote_call_end(c, e);
}

/* --- the answer --- */

static bool remote_has(const char *text, const char *what)
{
	return strstr(text, what) != NULL;
}

static enum call_answer answer_kind(const struct remote_call *c, int status, const char *type)
{
	if (status < 200 || status > 299)
		return ANSWER_ERROR;
	if (!c->stream)
		return ANSWER_WHOLE;
	/* Small servers send no content type, or text/plain. */
	if (type[0] == '\0' || strncmp(type, "text/plain", 10) == 0)
		return ANSWER_EVENTS;
	return c->dialect->framing->fits(type) ? ANSWER_EVENTS : ANSWER_ERROR;
}

static void remote_on_head(void *arg, int status, const char *content_type, int64_t retry_after_ms)
{
	struct remote_call *c = arg;

	c->call.http = status;
	c->retry_after_ms = retry_after_ms;
	c->html = content_type[0] != '\0' && !remote_has(content_type, "json") &&
		  strncmp(content_type, "text/plain", 10) != 0;
	c->answer = answer_kind(c, status, content_type);
}

static void remote_go_on(struct remote_call *c, int64_t after_us)
{
	timer_start(c->loop, &c->next, after_us);
}

/* frame_fill: gives a frame its event; of a long one, the memory moves. */
static bool frame_fill(struct remote_call *c, struct frame *f, struct str data)
{
	if (c->dialect->framing->take(&c->framing, data, &f->data, &f->from))
		return true;
	buf_init(&f->data, LIMIT_SSE_EVENT);
	return buf_str(&f->data, data);
}

/* frame_add: keeps an event for remote_advance. The first one pauses the transfer, so that at most
 * the rest of one read is kept. */
static enum errc frame_add(struct remote_call *c, struct str name, struct str data, struct err *e)
{
	struct frame *f = malloc(sizeof *f + name.n);

	if (!f)
		return err_no_memory(e);
	*f = (struct frame){ .name_len = name.n };
	if (name.n > 0)
		memcpy(f->name, name.p, name.n);
	if (!frame_fill(c, f, data)) {
		frame_free(f);
		return err_no_memory(e);
	}
	*c->frames_end = f;
	c->frames_end = &f->next;
	if (c->behind)
		return ERR_OK;
	c->behind = true;
	if (c->upstream)
		upstream_pause(c->upstream, true);
	remote_go_on(c, 0);
	return ERR_OK;
}

static enum errc on_framed(void *arg, struct str name, struct str data, struct err *e)
{
	struct remote_call *c = arg;

	/* Anthropic's own pings reach a client that gets this provider's objects. */
	if ((name.n > 0 || data.n < 8) && decode_beats(name, data) &&
	    !(c->decode.native && (c->dialect->takes & PROVIDER_MESSAGES) &&
	      str_starts(data, STR("{"))))
		return ERR_OK;
	if (c->behind || (data.n > LIMIT_LOOP_JSON && c->cpu))
		return frame_add(c, name, data, e);
	return c->dialect->decode_event(&c->decode, name, data, e);
}

static bool feed_events(struct remote_call *c, const char *bytes, size_t len)
{
	if (c->decode.done_mark)
		return true;
	struct err e;

	/* A prompt may be large and a stream long. Once the whole request has been sent, nothing
	 * reads it again. */
	if (c->ask.data && upstream_sent(c->upstream, c->ask.len))
		buf_finish(&c->ask);
	if (c->dialect->framing->feed(&c->framing, bytes, len, on_framed, c, &e) != ERR_OK) {
		err_keep(&c->err, &e);
		return false;
	}
	/* The end of the body usually comes in the same read; then the connection is free for the
	 * next call. If it does not come, the client must not wait for it. */
	if (c->decode.done_mark)
		timer_start(c->loop, &c->finish, 0);
	return true;
}

static bool remote_collect(struct remote_call *c, const char *bytes, size_t len)
{
	struct err e;

	if (buf_add(&c->body, bytes, len))
		return true;
	/* The error is read from the part of its body that has been collected. */
	if (c->answer != ANSWER_ERROR) {
		if (buf_starved())
			err_set(&e, ERR_OVERLOADED, NULL, "no memory for the provider's answer");
		else
			err_set(&e, ERR_UPSTREAM_BAD_RESPONSE, NULL,
				"the provider sent an answer that is too large");
		err_keep(&c->err, &e);
	}
	return false;
}

static bool remote_on_data(void *arg, const char *bytes, size_t len)
{
	struct remote_call *c = arg;

	switch (c->answer) {
	case ANSWER_EVENTS: return feed_events(c, bytes, len);
	case ANSWER_ERROR: c->body.max = LIMIT_ERROR_BODY; return remote_collect(c, bytes, len);
	case ANSWER_WHOLE: return remote_collect(c, bytes, len);
	case ANSWER_NONE: break;
	}
	return false;
}

/* judge_stream: whether an ended stream is a complete answer. e: the body's end; code ERR_OK: the
 * body ended well. */
static enum errc judge_stream(struct remote_call *c, const struct err *e, struct err *ret)
{
	if (c->dialect->over)
		c->dialect->over(&c->decode, e->code == ERR_OK);
	/* The answer is complete; how the connection ended does not matter. */
	if (c->decode.finished)
		return ERR_OK;
	if (e->code != ERR_OK) {
		*ret = *e;
		return ret->code;
	}
	if (!c->decode.started)
		return err_set(ret, ERR_UPSTREAM_BAD_RESPONSE, NULL,
			       "the provider returned an empty stream");
	return err_set(ret, ERR_STREAM_INCOMPLETE, NULL,
		       "the provider ended the stream before the answer was finished");
}

static enum errc judge_whole(struct remote_call *c, const struct err *e, struct err *ret)
{
	if (e->code != ERR_OK) {
		*ret = *e;
		return ret->code;
	}
	if (c->html)
		return err_set(ret, ERR_UPSTREAM_BAD_RESPONSE, NULL,
			       "the provider answered with something other than JSON");
	if (c->want)
		return c->dialect->embed->decode(&c->decode, c->want, buf_view(&c->body), ret);
	return c->dialect->decode_whole(&c->decode, buf_view(&c->body), ret);
}

/* judge_not_stream: the error for a 2xx answer that should have been a stream. Its body may be an
 * error object; then that is the error. */
static enum errc judge_not_stream(struct remote_call *c, struct err *ret)
{
	struct str body = buf_view(&c->body);

	if (!c->html && body.n > 0) {
		enum errc rc = c->dialect->decode_event(&c->decode, STR_NONE, body, ret);

		if (rc != ERR_OK && rc != ERR_UPSTREAM_BAD_RESPONSE)
			return rc;
	}
	return err_set(ret, ERR_UPSTREAM_BAD_RESPONSE, NULL,
		       "the provider answered a stream request with something other than a stream");
}

static void no_event(void *arg, const struct event *ev)
{
	(void)arg;
	(void)ev;
}

static enum errc judge_error(struct remote_call *c, struct err *ret)
{
	if (c->call.http >= 200 && c->call.http <= 299) {
		provider_event_fn on_event = c->on_event;

		/* Only an error object matters. The events of a plain answer are dropped, because
		 * the request was for a stream. */
		c->on_event = no_event;
		judge_not_stream(c, ret);
		c->on_event = on_event;
		c->decode.told = (struct usage){ .known = false };
		return ret->code;
	}
	c->dialect->decode_error(&c->decode, c->call.http, buf_view(&c->body), ret);
	if (c->sign && remote_sign_refused(c->sign, c->call.http, buf_view(&c->body)))
		err_set(ret, ERR_UPSTREAM_AUTH, NULL,
			"the provider refused the gateway's credentials (status %d)", c->call.http);
	return ret->code;
}

/* remote_flush: decodes a last event that no blank line follows (see upstream/sse.h). */
static void remote_flush(struct remote_call *c, const struct err *e)
{
	struct err found;

	if (c->answer != ANSWER_EVENTS || c->flushed || e->code != ERR_OK || c->decode.done_mark)
		return;
	c->flushed = true;
	if (c->dialect->framing->end(&c->framing, on_framed, c, &found) != ERR_OK)
		err_keep(&c->err, &found);
}

/* --- signed calls --- */

static const struct upstream_callbacks remote_callbacks;

static enum errc sign_send(struct remote_call *c, const char *header, struct err *e)
{
	enum errc rc = remote_sign_send(c->sign,
					&(struct upstream_ask){
						.url = c->url.data,
						.header = header,
						.body = buf_view(&c->ask),
						.stream = c->stream,
					},
					&remote_callbacks, c, &c->upstream, e);

	if (rc == ERR_OK && c->paused)
		upstream_pause(c->upstream, true);
	return rc;
}

/* sign_begin: sends the call, now or when there are keys. */
static enum errc sign_begin(struct remote_call *c, struct err *e)
{
	const char *header;
	enum errc   rc = remote_sign_go(c->sign, c->url.data, buf_view(&c->ask), &header, e);

	return rc == ERR_OK && header ? sign_send(c, header, e) : rc;
}

static void remote_on_signed(void *arg, const char *header, const struct err *e)
{
	struct remote_call *c = arg;
	struct err          found = { .code = ERR_OK };

	if (e)
		found = *e;
	else
		found.code = sign_send(c, header, &found);
	if (found.code != ERR_OK)
		call_fail(c, &found);
}

/* sign_again: asks a second time, with new keys, if the answer refuses the first ones.  It has cost nothing. */
static bool sign_again(struct remote_call *c, const struct err *e)
{
	struct err found;

	if (!c->sign || e->code != ERR_OK ||
	    !remote_sign_again(c->sign, c->call.http, buf_view(&c->body)))
		return false;
	buf_clear(&c->body);
	c->body.max = LIMIT_UPSTREAM_BODY;
	c->answer = ANSWER_NONE;
	c->call.http = 0;
	c->retry_after_ms = 0;
	if (sign_begin(c, &found) != ERR_OK)
		call_fail(c, &found);
	return true;
}

/* answer_over: ends the call after its body has ended, but not before the waiting events. */
static void answer_over(struct remote_call *c, const struct err *e)
{
	struct err found = { 0 };
	enum errc  rc = ERR_OK;

	if (!c->behind)
		remote_flush(c, e);
	if (c->behind) {
		err_keep(&c->ended, e);
		if (!c->aside)
			remote_go_on(c, 0);
		return;
	}
	if (c->err) {
		found = *c->err;
		call_fail(c, &found);
		return;
	}
	switch (c->answer) {
	case ANSWER_EVENTS: rc = judge_stream(c, e, &found); break;
	case ANSWER_WHOLE: rc = judge_whole(c, e, &found); break;
	case ANSWER_ERROR:
		if (sign_again(c, e))
			return;
		rc = judge_error(c, &found);
		break;
	case ANSWER_NONE:
		found = *e;
		rc = found.code;
		break;
	}
	if (rc != ERR_OK)
		call_fail(c, &found);
	else
		remote_call_end(c, NULL);
}

/* --- long answers and events ---
 *
 *   a whole answer ---------------+
 *                                 +--> a worker --> kept --one a turn--> on_event
 *   an event --> frames --one a turn
 *                                 +--> the loop -----------------------> on_event
 *
 * From a long event on, nothing is read from the provider, and the end of its body waits, until no
 * frame and no kept event is left. */

static void call_starved(struct remote_call *c)
{
	struct err e;

	err_no_memory(&e);
	err_keep(&c->found, &e);
}

/* call_hand: hands an event over, with the names that the client knows. */
static void call_hand(struct remote_call *c, const struct event *ev)
{
	struct event own;
	struct err   e;
	bool         starved;

	if (!c->names) {
		c->on_event(c->arg, ev);
		return;
	}
	own = *ev;
	if (names_restore(c->names, &own, &starved)) {
		c->on_event(c->arg, &own);
	} else if (starved) {
		err_no_memory(&e);
		err_keep(&c->err, &e); /* the call fails at its end */
	}
}

/* on_decoded: receives the events of the dialect. A worker's events are kept for the loop. */
static void on_decoded(void *arg, const struct event *ev)
{
	struct remote_call *c = arg;

	if (!c->aside)
		call_hand(c, ev);
	else if (!c->found && !kept_add(&c->kept, ev))
		call_starved(c);
}

static enum errc decode_frame(struct remote_call *c, struct err *e)
{
	struct frame *f = c->frames;

	if (f->from > 0)
		buf_take_front(&f->data, f->from);
	f->from = 0;
	return c->dialect->decode_event(&c->decode, (struct str){ f->name, f->name_len },
					buf_view(&f->data), e);
}

static void decode_aside(struct work_job *job)
{
	struct remote_call *c = container_of(job, struct remote_call, job);
	struct err          none = { .code = ERR_OK };
	struct err          found;
	enum errc rc = c->frames ? decode_frame(c, &found) : judge_whole(c, &none, &found);

	if (rc != ERR_OK && !c->found)
		err_keep(&c->found, &found);
}

static void remote_advance(struct remote_call *c);

static void remote_decoded(struct work_job *job)
{
	struct remote_call *c = container_of(job, struct remote_call, job);

	c->aside = false;
	if (c->dropped)
		remote_call_free(c);
	else
		remote_advance(c);
}

/* remote_submit: lets a worker decode source. False: the queue of the pool is full. */
static bool remote_submit(struct remote_call *c, struct buf *source)
{
	if (!c->mask)
		c->mask = mask_ref(c->call.provider->mask);
	c->decode.doc = &c->doc; /* the shared one belongs to the loop */
	kept_start(&c->kept, source, c->answer == ANSWER_EVENTS);
	c->job = (struct work_job){ .loop = c->loop, .run = decode_aside, .done = remote_decoded };
	c->aside = true;
	if (!work_submit(c->cpu, &c->job))
		c->aside = false;
	return c->aside;
}

static void next_frame(struct remote_call *c)
{
	struct err found;

	if (c->frames->data.len > LIMIT_LOOP_JSON) {
		c->begun = remote_submit(c, &c->frames->data);
		if (!c->begun)
			remote_go_on(c, AGAIN_US);
		return;
	}
	c->begun = true;
	remote_go_on(c, 0);
	if (decode_frame(c, &found) != ERR_OK)
		err_keep(&c->found, &found);
}

static void caught_up(struct remote_call *c)
{
	c->behind = false;
	if (c->answer == ANSWER_WHOLE) {
		remote_call_end(c, NULL);
	} else if (c->ended) {
		struct err e = *c->ended;

		answer_over(c, &e);
	} else {
		if (c->decode.done_mark)
			timer_start(c->loop, &c->finish, 0);
		upstream_pause(c->upstream, false);
	}
}

/* remote_advance: one step: hands over the next kept event, decodes the next frame, or resumes
 * reading. */
static void remote_advance(struct remote_call *c)
{
	/* A receiver that has paused the call still learns of a failure. */
	if (c->paused && !(c->ended && c->ended->code != ERR_OK))
		return;

	const struct event *ev = kept_take(&c->kept, false);
	if (ev) {
		remote_go_on(c, 0);
		for (; ev; ev = kept_take(&c->kept, true))
			call_hand(c, ev);
		return;
	}
	kept_finish(&c->kept);
	if (c->begun)
		frame_free(frame_pop(c));
	c->begun = false;
	if (c->found) {
		struct err e = *c->found;

		if (c->upstream)
			upstream_cancel(TAKE(c->upstream));
		call_fail(c, &e);
		return;
	}
	if (c->decode.done_mark)
		frames_drop(c);
	if (c->frames)
		next_frame(c);
	else
		caught_up(c);
}

static void on_next(struct timer *t)
{
	remote_advance(container_of(t, struct remote_call, next));
}

/* whole_aside: lets a worker decode a long plain answer. False: the loop must decode it, because
 * the answer is short or failed, or the queue of the pool is full. */
static bool whole_aside(struct remote_call *c, const struct err *e)
{
	if (c->answer != ANSWER_WHOLE || !c->cpu || c->html || c->err || e->code != ERR_OK ||
	    c->body.len <= LIMIT_LOOP_JSON)
		return false;
	c->behind = remote_submit(c, &c->body);
	return c->behind;
}

static void remote_on_done(void *arg, const struct err *e)
{
	struct remote_call *c = arg;

	c->upstream = NULL;
	if (!whole_aside(c, e))
		answer_over(c, e);
}

static const struct upstream_callbacks remote_callbacks = { remote_on_head, remote_on_data,
							    remote_on_done };

/* on_finish: the terminator came without the body's end, which is not awaited. */
static void on_finish(struct timer *t)
{
	struct remote_call *c = container_of(t, struct remote_call, finish);
	struct err          none = { 0 };
	struct err          found = { 0 };

	upstream_release_take(TAKE(c->upstream), &c->ask);
	if (judge_stream(c, &none, &found) != ERR_OK)
		call_fail(c, &found);
	else
		remote_call_end(c, NULL);
}

/* --- start, cancel, pause --- */

static struct remote_call *call_new(struct remote_ask *a, const struct provider_env *env,
				    provider_event_fn on_event, void *arg)
{
	struct remote_call *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->call.provider = a->provider;
	c->dialect = a->dialect;
	c->loop = env->loop;
	c->stream = a->stream;
	c->finish.fn = on_finish;
	c->next.fn = on_next;
	c->frames_end = &c->frames;
	c->decode.doc = env->scratch ? env->scratch : &c->doc;
	c->decode.mask = a->provider->mask;
	c->decode.stream = a->stream;
	c->decode.native = a->native;
	c->decode.count = a->count;
	c->decode.on_event = on_decoded;
	c->decode.arg = c;
	c->on_event = on_event;
	c->arg = arg;
	c->cpu = env->cpu;
	kept_init(&c->kept);
	c->ask = a->body;
	c->url = a->url;
	c->want = TAKE(a->want);
	c->names = TAKE(a->names);
	buf_init(&a->body, 0);
	buf_init(&a->url, 0);
	buf_init(&c->body, LIMIT_UPSTREAM_BODY);
	c->dialect->framing->init(&c->framing);
	return c;
}

void remote_ask_init(struct remote_ask *a)
{
	*a = (struct remote_ask){ .provider = NULL };
	buf_init(&a->body, LIMIT_UPSTREAM_ASK);
	buf_init(&a->url, LIMIT_SECRET);
}

void remote_ask_finish(struct remote_ask *a)
{
	buf_finish(&a->body);
	buf_finish(&a->url);
	free(TAKE(a->want));
	names_free(TAKE(a->names));
}

static enum errc call_sign(struct remote_call *c, const struct remote_ask *a,
			   const struct provider_env *env, struct err *e)
{
	c->sign = remote_sign_create(&(struct remote_sign_options){
		.env = env,
		.credential = a->credential,
		.target = a->target,
		.limits = a->limits,
		.stream = a->stream,
		.header = a->header,
		.on_signed = remote_on_signed,
		.arg = c,
	});
	enum errc rc = c->sign ? sign_begin(c, e) : err_no_memory(e);
	if (rc != ERR_OK)
		remote_call_name(c->call.provider->name, "the provider", e);
	return rc;
}

enum errc remote_call_start(struct remote_ask *a, const struct provider_env *env,
			    provider_event_fn on_event, void *arg, struct provider_call **ret,
			    struct err *e)
{
	struct remote_call *c = call_new(a, env, on_event, arg);

	if (!c)
		return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	enum errc rc = a->credential
			       ? call_sign(c, a, env, e)
			       : upstream_start(env->upstreams, a->target,
						&(struct upstream_ask){
							.url = c->url.data,
							.header = a->header,
							.body = buf_view(&c->ask),
							.stream = c->stream,
						},
						&a->limits, &remote_callbacks, c, &c->upstream, e);
	if (rc != ERR_OK)
		remote_call_free(c);
	else
		*ret = &c->call;
	return rc;
}

void remote_call_cancel(struct provider_call *call)
{
	struct remote_call *c = container_of(call, struct remote_call, call);

	if (c->upstream)
		upstream_cancel(c->upstream);
	if (c->aside)
		c->dropped = true;
	else
		remote_call_free(c);
}

void remote_call_pause(struct provider_call *call, bool pause)
{
	struct remote_call *c = container_of(call, struct remote_call, call);

	c->paused = pause;
	if (c->behind && !c->aside && !pause)
		remote_go_on(c, 0);
	else if (!c->behind && c->upstream)
		upstream_pause(c->upstream, pause);
}
