/* Gives events, and reads the members of answers. */
#include "provider/decode.h"

#include "msg/event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum errc decode_bad(struct err *e, const char *what)
{
	return err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL, "the provider sent %s", what);
}

bool decode_beats(struct str name, struct str data)
{
	static const char *const names[] = { "ping", "keepalive", "keep-alive", "heartbeat" };

	for (size_t i = 0; name.n > 0 && i < ARRAY_LEN(names); i++)
		if (str_is(name, names[i]))
			return true;
	return str_is(str_trim(data), "\"\"");
}

void decode_attach(struct decode *d, struct event *ev)
{
	ev->form = d->form;
	ev->raw = d->raw;
	ev->raw_id = d->raw_id;
	ev->raw_created = d->raw_created;
	ev->cont = d->raw.n == 0;
	d->raw = d->raw_id = d->raw_created = STR_NONE;
}

void decode_start(struct decode *d, struct str id, struct str model)
{
	if (!d->started)
		decode_give(d, (struct event){ .kind = EVENT_START, .id = id, .text = model });
	d->started = true;
}

enum errc decode_give_count(struct decode *d, const char *key, struct err *e)
{
	int64_t n;
	json_at at = json_get(d->doc, 0, key);

	if (at == JSON_ABSENT || !json_int(d->doc, at, &n) || n < 0)
		return decode_bad(e, "a count without its number");
	decode_give(d, (struct event){ .kind = EVENT_OTHER });
	return ERR_OK;
}

void decode_piece(struct decode *d, enum event_kind kind, struct str text)
{
	if (text.n > 0)
		decode_give(d, (struct event){ .kind = kind, .text = text });
}

void decode_end(struct decode *d, struct str word, struct str native, const struct usage *usage)
{
	decode_give(d, (struct event){ .kind = EVENT_FINISH, .text = word, .name = native });
	if (usage && usage->known)
		decode_give(d, (struct event){ .kind = EVENT_USAGE, .usage = *usage });
	d->finished = true;
}

bool decode_text(const struct json_doc *doc, json_at obj, const char *key, struct str *ret)
{
	json_at i = json_get_some(doc, obj, key);

	*ret = json_inner_of(doc, i);
	return i == JSON_ABSENT || json_kind(doc, i) == JSON_STRING;
}

struct str decode_made_id(char ret[ID_MAX])
{
	snprintf(ret, ID_MAX, "call_%016llx%08x", (unsigned long long)id_random(),
		 (unsigned)(id_random() & UINT32_MAX));
	return str_of(ret);
}

enum errc decode_args(const struct json_doc *doc, json_at at, struct buf *scratch, struct str *ret,
		      struct err *e)
{
	*ret = json_inner_of(doc, at);
	if (at == JSON_ABSENT || json_kind(doc, at) == JSON_STRING)
		return ERR_OK;
	if (json_kind(doc, at) != JSON_OBJECT)
		return decode_bad(e, "arguments of a call that are neither a string nor an object");
	buf_clear(scratch);
	if (!buf_json_escape(scratch, json_raw(doc, at)))
		return err_no_memory(e);
	*ret = buf_view(scratch);
	return ERR_OK;
}

bool decode_count_some(const struct json_doc *doc, json_at obj, const char *key, int64_t *ret)
{
	return decode_count_value(doc, json_get(doc, obj, key), ret);
}

bool decode_count_value(const struct json_doc *doc, json_at i, int64_t *ret)
{
	double  v;
	int64_t n;

	if (i == JSON_ABSENT || json_kind(doc, i) == JSON_NULL)
		return true;
	if (!json_int(doc, i, &n)) {
		if (!json_number(doc, i, &v) || v < 0 || v > LIMIT_TOKENS ||
		    v != (double)(int64_t)v)
			return false;
		n = (int64_t)v;
	}
	if (n < 0 || n > LIMIT_TOKENS)
		return false;
	*ret = n;
	return true;
}

int64_t decode_count(const struct json_doc *doc, json_at obj, const char *key)
{
	int64_t n = 0;

	decode_count_some(doc, obj, key, &n);
	return n;
}

static struct buf *decode_buf(const struct decode *d, size_t i)
{
	return (struct buf *)(void *)((char *)d->state + d->kind->bufs[i].at);
}

void *decode_state(struct decode *d, const struct decode_state *kind)
{
	if (d->state)
		return d->state;
	d->kind = kind;
	d->state = calloc(1, kind->size);
	for (size_t i = 0; d->state && i < ARRAY_LEN(kind->bufs); i++)
		if (kind->bufs[i].max > 0)
			buf_init(decode_buf(d, i), kind->bufs[i].max);
	return d->state;
}

void decode_state_finish(struct decode *d)
{
	for (size_t i = 0; d->state && i < ARRAY_LEN(d->kind->bufs); i++)
		if (d->kind->bufs[i].max > 0)
			buf_finish(decode_buf(d, i));
	free(d->state);
	d->state = NULL;
}

/* --- whole: Gathers the pieces of an answer into one message. */

/* whole_add: the first failure decides whether memory is short, or the answer too large. */
static void whole_add(struct whole *w, const struct event *ev)
{
	if (w->failed)
		return;
	errno = 0;
	w->failed = !answer_add(&w->answer, ev);
	w->starved = w->failed && buf_starved();
}

static void whole_on_piece(void *arg, const struct event *ev)
{
	struct whole *w = arg;

	if (ev->kind == EVENT_USAGE) {
		w->usage = ev->usage;
		w->has_usage = true;
	} else if (ev->kind == EVENT_FINISH) {
		str_copy(w->finish, sizeof w->finish, ev->text);
		if (ev->name.n < sizeof w->native)
			str_copy(w->native, sizeof w->native, ev->name);
		w->finished = true;
	} else if (ev->kind == EVENT_START) {
		w->start = *ev;
		w->start.cont = false;
		w->started = true;
	} else {
		whole_add(w, ev);
	}
}

void whole_begin(struct whole *w, struct decode *d)
{
	*w = (struct whole){ .decode = d,
			     .on_event = d->on_event,
			     .arg = d->arg,
			     .raw = d->raw,
			     .raw_id = d->raw_id };
	d->raw = d->raw_id = STR_NONE;
	answer_init(&w->answer);
	d->on_event = whole_on_piece;
	d->arg = w;
}

enum errc whole_too_much(bool starved, struct err *e)
{
	if (starved)
		return err_no_memory(e);
	return err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL,
		       "the provider sent an answer that is too large");
}

static enum errc whole_give(struct whole *w, struct err *e)
{
	struct event message = { .kind = EVENT_MESSAGE };
	struct buf   out;

	w->decode->raw = w->raw;
	w->decode->raw_id = w->raw_id;
	if (w->raw.n > 0)
		decode_attach(w->decode, &message);
	buf_init(&out, 2 * (size_t)LIMIT_UPSTREAM_BODY);
	errno = 0;
	if (!w->failed && !answer_print(&w->answer, &out)) {
		w->failed = true;
		w->starved = buf_starved();
	}
	if (w->failed) {
		buf_finish(&out);
		return whole_too_much(w->starved, e);
	}
	if (w->started)
		w->on_event(w->arg, &w->start);
	message.text = buf_view(&out);
	w->on_event(w->arg, &message);
	buf_finish(&out);
	if (w->finished)
		w->on_event(w->arg, &(struct event){ .kind = EVENT_FINISH,
						     .text = str_of(w->finish),
						     .name = str_of(w->native) });
	if (w->has_usage)
		w->on_event(w->arg, &(struct event){ .kind = EVENT_USAGE, .usage = w->usage });
	return ERR_OK;
}

enum errc whole_end(struct whole *w, enum errc rc, struct err *e)
{
	w->decode->on_event = w->on_event;
	w->decode->arg = w->arg;
	if (rc == ERR_OK)
		rc = whole_give(w, e);
	answer_finish(&w->answer);
	return rc;
}

/* --- place: Segments of a path. */

/* Servers resolve dot segments also where they are percent-encoded (RFC 3986 section 6.2.2). */
bool place_segment(struct buf *out, struct str text)
{
	if (text.n == 0 || str_is(text, ".") || str_is(text, ".."))
		return false;
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		bool          plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';

		if (!(plain ? buf_add(out, &text.p[i], 1) : buf_fmt(out, "%%%02X", c)))
			return false;
	}
	return true;
}

/* --- embed_want: The part of a request for embeddings that the call keeps, to check the answer. */

struct embed_want *embed_want_create(const struct prompt *p)
{
	struct embed_want *w = calloc(1, sizeof *w);

	if (!w)
		return NULL;
	w->count = p->embed->count;
	w->base64 = p->embed->base64;
	w->guess = usage_guess((int64_t)p->embed->input.n, 0).in;
	str_copy(w->model, sizeof w->model, p->model);
	return w;
}
