/* Gathers the pieces of an answer into one message. */
#include "provider/whole.h"

#include "base/limits.h"
#include "provider/decode.h"

#include <errno.h>

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
