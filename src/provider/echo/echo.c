/* The provider that repeats the user's last message, or gives a scripted reply: for first tries,
 * tests and measurements. */
#include "base/buf.h"
#include "base/limits.h"
#include "json/scan.h"
#include "json/member.h"
#include "provider/dialect.h"
#include "provider/echo/echo_embed.h"

#include <stdlib.h>

enum {
	PIECES_A_TURN = 64,
	/* The reply may be as long as a request's body; a step of the loop must stay short. */
	PIECE_MAX = 16 * KIB,
	BYTES_A_TURN = 64 * KIB,
};

struct echo {
	struct provider provider;
	struct buf      reply; /* scripted, JSON-escaped; only when scripted */
	bool            scripted;
	int64_t         piece; /* bytes; 0: a word */
	int64_t         delay_us;
	int64_t         error_at;
};

/* Facts about the reply, found by encoding. In an encoded prompt this struct follows the reply. */
struct how {
	struct usage usage;
	int64_t      pieces; /* pieces of a plain answer, if delay_us or error_at is set; else 0 */
	bool         cut;    /* max_tokens was reached */
};

struct echo_call {
	struct provider_call call;
	const struct echo   *echo;
	struct loop         *loop;
	struct task          more;  /* continues in the loop's next turn; can't be cancelled */
	struct timer         timer; /* begins the answer, and waits between pieces */
	provider_event_fn    on_event;
	void                *arg;
	struct buf text;   /* the reply: text, JSON-escaped; or a message object; or vectors */
	struct buf model;  /* JSON-escaped */
	size_t     at;     /* the next piece's index in text */
	int64_t    number; /* pieces given so far */
	int64_t    due_us; /* when the next piece may be given */
	struct how how;
	bool       stream;
	bool       embed;
	bool       started;
	bool       paused;
	bool       queued;    /* the loop has `more` */
	bool       cancelled; /* `more` will free the call */
};

/* --- text: JSON-escaped bytes, walked by character --- */

static size_t echo_skip(struct str s, size_t at, size_t end, bool space)
{
	while (at < end) {
		struct json_unit u = json_unit(s, at);

		if (u.space != space)
			break;
		at += u.bytes;
	}
	return at;
}

/* The end of the word at `at` and of the white space after it, at most one character beyond end.
 * The first word includes the white space before it. */
static size_t word_end(struct str s, size_t at, size_t end)
{
	if (at == 0)
		at = echo_skip(s, at, end, true);
	return echo_skip(s, echo_skip(s, at, end, false), end, true);
}

static int64_t count_words(struct str s)
{
	int64_t n = 0;

	for (size_t at = echo_skip(s, 0, s.n, true); at < s.n; n++)
		at = word_end(s, at, s.n);
	return n;
}

static size_t piece_end(const struct echo *echo, struct str s, size_t at)
{
	int64_t max = echo->piece < PIECE_MAX ? echo->piece : PIECE_MAX;

	if (max > 0)
		return at + json_cut((struct str){ s.p + at, s.n - at }, (size_t)max);
	return word_end(s, at, s.n - at < PIECE_MAX ? s.n : at + PIECE_MAX);
}

static int64_t count_pieces(const struct echo *echo, struct str s)
{
	int64_t n = 0;

	for (size_t at = 0; at < s.n; n++)
		at = piece_end(echo, s, at);
	return n;
}

/* --- giving --- */

static void echo_call_free(struct echo_call *c)
{
	timer_stop(c->loop, &c->timer);
	if (c->queued) {
		c->cancelled = true;
		return;
	}
	buf_finish(&c->text);
	buf_finish(&c->model);
	free(c);
}

static void echo_give(struct echo_call *c, const struct event *ev)
{
	c->on_event(c->arg, ev);
}

static void give_error(struct echo_call *c)
{
	provider_event_fn on_event = c->on_event;
	void             *arg = c->arg;
	struct err        e;

	err_set(&e, ERR_UPSTREAM_ERROR, NULL, "scripted error");
	echo_call_free(c);
	on_event(arg, &(struct event){ .kind = EVENT_ERROR, .err = &e });
}

static void echo_give_end(struct echo_call *c)
{
	provider_event_fn on_event = c->on_event;
	void             *arg = c->arg;
	struct event      usage = { .kind = EVENT_USAGE, .usage = c->how.usage };
	struct event      finish = { .kind = EVENT_FINISH,
				     .text = c->how.cut ? STR("length") : STR("stop") };

	/* The usage of a stream comes after the finish, as with OpenAI. */
	echo_give(c, c->stream ? &finish : &usage);
	echo_give(c, c->stream ? &usage : &finish);
	echo_call_free(c);
	on_event(arg, &(struct event){ .kind = EVENT_END });
}

/* The start has no id, so that the run chooses the id of the answer. */
static void echo_give_start(struct echo_call *c)
{
	c->started = true;
	echo_give(c, &(struct event){ .kind = EVENT_START, .text = buf_view(&c->model) });
}

static bool error_is_due(const struct echo_call *c)
{
	int64_t at = c->echo->error_at;

	return at > 0 && c->number == at - 1 && (c->at < c->text.len || at == 1);
}

static void echo_give_whole(struct echo_call *c)
{
	int64_t at = c->echo->error_at;

	if (at == 1 || (at > 1 && at <= c->how.pieces)) {
		give_error(c);
		return;
	}
	echo_give_start(c);
	echo_give(c, &(struct event){
			     .kind = EVENT_MESSAGE, .text = buf_view(&c->text), .give = &c->text });
	echo_give_end(c);
}

static void give_list(struct echo_call *c)
{
	provider_event_fn on_event = c->on_event;
	void             *arg = c->arg;

	if (c->echo->error_at == 1) {
		give_error(c);
		return;
	}
	echo_give(c, &(struct event){
			     .kind = EVENT_OTHER, .raw = buf_view(&c->text), .give = &c->text });
	echo_give(c, &(struct event){ .kind = EVENT_USAGE, .usage = c->how.usage, .cont = true });
	echo_call_free(c);
	on_event(arg, &(struct event){ .kind = EVENT_END });
}

static void go_on_later(struct echo_call *c)
{
	if (c->queued)
		return;
	c->queued = true;
	loop_later(c->loop, &c->more);
}

/* Gives the pieces that are due, at most a batch; then waits, ends, or continues in the next
 * turn. */
static void echo_give_pieces(struct echo_call *c)
{
	int64_t now_us = loop_now_us(c->loop);
	size_t  enough = c->at + BYTES_A_TURN;

	if (!c->started && !error_is_due(c))
		echo_give_start(c);
	for (int i = 0; i < PIECES_A_TURN && c->at < enough && !c->paused; i++) {
		if (error_is_due(c)) {
			give_error(c);
			return;
		}
		if (c->at >= c->text.len) {
			echo_give_end(c);
			return;
		}
		if (c->due_us > now_us) {
			timer_start(c->loop, &c->timer, c->due_us - now_us);
			return;
		}
		size_t     end = piece_end(c->echo, buf_view(&c->text), c->at);
		struct str piece = { c->text.data + c->at, end - c->at };

		c->at = end;
		c->number++;
		c->due_us += c->echo->delay_us;
		echo_give(c, &(struct event){ .kind = EVENT_TEXT, .text = piece });
	}
	if (!c->paused)
		go_on_later(c);
}

static void echo_on_timer(struct timer *t)
{
	struct echo_call *c = container_of(t, struct echo_call, timer);

	if (c->embed)
		give_list(c);
	else if (c->stream)
		echo_give_pieces(c);
	else
		echo_give_whole(c);
}

static void on_more(struct task *t)
{
	struct echo_call *c = container_of(t, struct echo_call, more);

	c->queued = false;
	if (c->cancelled)
		echo_call_free(c);
	else if (!c->paused && !timer_running(&c->timer))
		echo_give_pieces(c);
}

/* --- the reply --- */

/* Calls fn for each text of a message: the content, or the text parts of the content. */
static void each_text(const struct json_doc *doc, bool (*fn)(void *arg, struct str text), void *arg)
{
	json_at content = json_get(doc, 0, "content");

	if (content == JSON_ABSENT)
		return;
	if (json_kind(doc, content) == JSON_STRING && !fn(arg, json_inner(doc, content)))
		return;
	if (json_kind(doc, content) != JSON_ARRAY)
		return;
	JSON_EACH (i, doc, content) {
		json_at text = json_get(doc, i, "text");

		if (json_is_kind(doc, text, JSON_STRING) && !fn(arg, json_inner(doc, text)))
			return;
	}
}

static bool add_words(void *arg, struct str text)
{
	int64_t *n = arg;

	*n += count_words(text);
	return true;
}

static bool echo_add_text(void *arg, struct str text)
{
	return buf_str(arg, text);
}

/* Counts the words of all messages, and keeps the text of the user's last one. */
static enum errc echo_read_messages(const struct prompt *prompt, struct buf *text, struct how *how,
				    struct err *e)
{
	struct json_doc doc = { 0 };
	int64_t         words = 0;
	enum errc       rc = ERR_OK;

	for (size_t i = 0; i < prompt->message_count && rc == ERR_OK; i++) {
		struct str m = prompt->messages[i];

		rc = json_scan(&doc, m.p, m.n, &json_limits_stored, e);
		if (rc != ERR_OK)
			break;
		each_text(&doc, add_words, &words);

		json_at role = json_get(&doc, 0, "role");
		if (role == JSON_ABSENT || !json_is(&doc, role, "user"))
			continue;
		buf_clear(text);
		each_text(&doc, echo_add_text, text);
	}
	json_doc_finish(&doc);
	how->usage.in = words > 0 ? words : 1;
	return rc;
}

static enum errc cut_at_max(const struct prompt *prompt, struct buf *text, struct how *how,
			    struct err *e)
{
	struct json_doc doc = { 0 };
	struct err      ignored;
	int64_t         max = 0;
	size_t          at = 0;

	if (prompt->max_tokens.n == 0 || str_is(prompt->max_tokens, "null"))
		return ERR_OK;

	bool ok = json_scan(&doc, prompt->max_tokens.p, prompt->max_tokens.n, &json_limits_request,
			    &ignored) == ERR_OK &&
		  json_int(&doc, 0, &max) && max >= 1;
	json_doc_finish(&doc);
	if (!ok)
		return err_set(e, ERR_INVALID_VALUE,
			       prompt->max_tokens_key ? prompt->max_tokens_key : "max_tokens",
			       "must be an integer of at least 1");
	for (int64_t n = 0; n < max && at < text->len; n++)
		at = word_end(buf_view(text), at, text->len);
	how->cut = at < text->len;
	text->len = at;
	return ERR_OK;
}

static enum errc make_text(const struct echo *echo, const struct prompt *prompt, struct buf *text,
			   struct how *how, struct err *e)
{
	enum errc rc = echo_read_messages(prompt, text, how, e);

	if (rc != ERR_OK)
		return rc;
	if (echo->scripted) {
		buf_clear(text);
		if (!buf_str(text, buf_view(&echo->reply)))
			return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	}
	rc = cut_at_max(prompt, text, how, e);
	if (rc != ERR_OK)
		return rc;

	struct str said = buf_view(text);
	int64_t    words = count_words(said);
	how->usage.known = true;
	how->usage.out = words > 0 ? words : 1;
	if (!prompt->stream && (echo->delay_us > 0 || echo->error_at > 0))
		how->pieces = count_pieces(echo, said);
	return ERR_OK;
}

/* encode_text: prints the reply: for a stream its text, for a plain call the message object. */
static enum errc encode_text(const struct echo *echo, const struct prompt *prompt, struct buf *out,
			     struct how *how, struct err *e)
{
	struct buf text;
	bool       ok = true;

	buf_init(&text, LIMIT_UPSTREAM_BODY);
	enum errc rc = make_text(echo, prompt, &text, how, e);
	if (rc == ERR_OK && prompt->stream) {
		*out = text;
		return rc;
	}
	if (rc == ERR_OK)
		ok = buf_text(out, "{\"role\":\"assistant\",\"content\":\"") &&
		     buf_str(out, buf_view(&text)) && buf_text(out, "\"}");
	buf_finish(&text);
	return ok ? rc : err_set(e, ERR_OVERLOADED, NULL, "out of memory");
}

/* --- the provider --- */

/* echo_encode: the reply, followed by its struct how. */
static enum errc echo_encode(const struct provider *p, const struct prompt *prompt, struct buf *out,
			     struct err *e)
{
	const struct echo *echo = container_of(p, const struct echo, provider);
	struct how         how = { .pieces = 0 };
	enum errc          rc;

	buf_finish(out);
	out->max = LIMIT_UPSTREAM_BODY + KIB;
	if (prompt->embed)
		rc = echo_embed(prompt, out, &how.usage, e);
	else
		rc = encode_text(echo, prompt, out, &how, e);
	out->max = LIMIT_UPSTREAM_BODY + KIB;
	if (rc == ERR_OK && !buf_add(out, &how, sizeof how))
		rc = err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	return rc;
}

/* echo_take: takes the encoded prompt, or encodes it now. */
static enum errc echo_take(struct echo_call *c, const struct prompt *prompt, struct err *e)
{
	enum errc rc = ERR_OK;

	if (prompt->body) {
		c->text = *prompt->body;
		buf_init(prompt->body, 0);
	} else {
		rc = echo_encode(c->call.provider, prompt, &c->text, e);
	}
	if (rc == ERR_OK && !buf_json_escape(&c->model, prompt->model))
		rc = err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	if (rc != ERR_OK)
		return rc;
	c->text.len -= sizeof c->how;
	memcpy(&c->how, c->text.data + c->text.len, sizeof c->how);
	return ERR_OK;
}

static enum errc echo_start(const struct provider *p, const struct provider_env *env,
			    const struct prompt *prompt, provider_event_fn on_event, void *arg,
			    struct provider_call **ret, struct err *e)
{
	struct echo_call *c = calloc(1, sizeof *c);

	if (!c)
		return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	c->call.provider = p;
	c->echo = container_of(p, const struct echo, provider);
	c->loop = env->loop;
	c->more.fn = on_more;
	c->timer.fn = echo_on_timer;
	c->on_event = on_event;
	c->arg = arg;
	c->stream = prompt->stream;
	c->embed = prompt->embed;
	buf_init(&c->model, (size_t)16 * LIMIT_MODEL);

	enum errc rc = echo_take(c, prompt, e);
	if (rc != ERR_OK) {
		echo_call_free(c);
		return rc;
	}
	int64_t gaps = c->how.pieces - 1;
	c->due_us = loop_now_us(c->loop);
	timer_start(c->loop, &c->timer, gaps > 0 ? gaps * c->echo->delay_us : 0);
	*ret = &c->call;
	return ERR_OK;
}

static void echo_cancel(struct provider_call *call)
{
	echo_call_free(container_of(call, struct echo_call, call));
}

static void echo_pause(struct provider_call *call, bool pause)
{
	struct echo_call *c = container_of(call, struct echo_call, call);

	if (!c->stream || c->paused == pause)
		return;
	c->paused = pause;
	if (pause) {
		timer_stop(c->loop, &c->timer);
		return;
	}
	if (c->due_us < loop_now_us(c->loop))
		c->due_us =
			loop_now_us(c->loop); /* pieces missed in the pause don't come at once */
	go_on_later(c);
}

static void echo_destroy(struct provider *p)
{
	struct echo *echo = container_of(p, struct echo, provider);

	buf_finish(&echo->reply);
	free(echo);
}

static const struct provider_ops echo_ops = {
	.dialect = "echo",
	.encode = echo_encode,
	.start = echo_start,
	.cancel = echo_cancel,
	.pause = echo_pause,
	.destroy = echo_destroy,
};

enum errc echo_create(const struct provider_options *o, struct provider **ret, struct err *e)
{
	if (o->piece < 0 || o->delay_us < 0 || o->error_at < 0)
		return err_set(
			e, ERR_INVALID_VALUE, "providers",
			"piece, delay and error_at of an echo provider must not be negative");
	if (o->reply && !utf8_valid(o->reply, strlen(o->reply)))
		return err_set(e, ERR_INVALID_VALUE, "reply", "a scripted reply must be UTF-8");

	struct echo *echo = calloc(1, sizeof *echo);
	if (!echo)
		return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	echo->provider.ops = &echo_ops;
	echo->provider.takes = PROVIDER_IMAGES | PROVIDER_AUDIO | PROVIDER_PDF | PROVIDER_EMBED;
	echo->scripted = o->reply != NULL;
	echo->piece = o->piece;
	echo->delay_us = o->delay_us;
	echo->error_at = o->error_at;
	buf_init(&echo->reply, (size_t)6 * LIMIT_CONFIG_FILE);
	if (o->reply && !buf_json_escape(&echo->reply, str_of(o->reply))) {
		echo_destroy(&echo->provider);
		return err_set(e, ERR_INVALID_VALUE, "reply", "the scripted reply is too long");
	}
	*ret = &echo->provider;
	return ERR_OK;
}
