/* Prints the log of a run's attempts. */
#include "msg/attempt_log.h"

void attempt_log_init(struct attempt_log *l)
{
	*l = (struct attempt_log){ 0 };
	buf_init(&l->text, ATTEMPT_LOG_BYTES);
}

void attempt_log_finish(struct attempt_log *l)
{
	buf_finish(&l->text);
}

/* log_cut: leaves the attempts that were given up. Their closing bracket has had its place before. */
static void log_cut(struct attempt_log *l)
{
	l->text.len = l->past;
	if (l->past > 0)
		l->text.data[l->text.len++] = ']';
}

void attempt_log_again(struct attempt_log *l, struct str past, size_t count, int64_t begun_ms)
{
	l->open = true;
	l->begun_ms = begun_ms;
	if (count == 0 || count >= ATTEMPT_LOG_MOST || !buf_text(&l->text, "[") ||
	    !buf_str(&l->text, past)) {
		l->text.len = 0;
		return;
	}
	l->count = (uint8_t)count;
	l->past = (uint32_t)l->text.len;
	if (!buf_text(&l->text, "]"))
		l->text.len = l->past = 0;
}

static bool log_maybe(struct buf *out, bool known, int64_t v)
{
	return buf_text(out, ",") && (known ? buf_int(out, v) : buf_text(out, "null"));
}

/* log_open: begins an element after those that were given up. */
static bool log_open(struct attempt_log *l, int64_t made_ms, const struct attempt_asked *a)
{
	struct buf *out = &l->text;

	out->len = l->past;
	return buf_text(out, l->past > 0 ? ",[" : "[[") && buf_json_string(out, a->model) &&
	       buf_text(out, ",") && buf_int(out, l->begun_ms - made_ms) &&
	       log_maybe(out, l->http != 0, l->http);
}

/* log_end_row: ends the element, and the log. */
static bool log_end_row(struct buf *out, const struct attempt_asked *a)
{
	return (a->key == 0 || buf_fmt(out, ",[%u]", a->key)) && buf_text(out, "]]");
}

void attempt_log_begun(struct attempt_log *l, int64_t made_ms, const struct attempt_asked *a,
		       int64_t begun_ms)
{
	l->open = true;
	l->begun_ms = begun_ms;
	l->http = 0;
	if (!log_open(l, made_ms, a) || (l->count > 0 && !buf_text(&l->text, ",null")) ||
	    !log_end_row(&l->text, a))
		log_cut(l);
}

static bool log_usage(struct buf *out, const struct usage *u)
{
	bool any = u->known || u->estimated;

	return log_maybe(out, any, !u->known) && log_maybe(out, any, u->in) &&
	       log_maybe(out, any, u->out) && log_maybe(out, any, u->cached_read) &&
	       log_maybe(out, any, u->cached_write) && log_maybe(out, any, u->reasoning);
}

static bool log_price(struct buf *out, const struct attempt_price *p)
{
	return !p->told ||
	       (buf_text(out, ",") && buf_json_string(out, str_of(p->source)) &&
		log_maybe(out, p->above > 0, p->above) && buf_text(out, ",") &&
		(p->class ? buf_json_string(out, str_of(p->class)) : buf_text(out, "null")));
}

/* log_row: the whole element of an attempt. */
static bool log_row(struct attempt_log *l, int64_t made_ms, const struct attempt_asked *a,
		    const struct attempt_past *p)
{
	struct buf *out = &l->text;

	l->open = false;
	l->http = (int16_t)p->http;
	return log_open(l, made_ms, a) && buf_text(out, ",") &&
	       buf_json_string(out, str_of(p->provider)) &&
	       log_maybe(out, true, p->ended_ms - l->begun_ms) && buf_text(out, ",") &&
	       buf_json_string(out, str_of(p->code)) && log_usage(out, &p->usage) &&
	       log_maybe(out, p->costs, p->nano) &&
	       log_maybe(out, p->first_ms > 0, p->first_ms - l->begun_ms) &&
	       log_price(out, &p->price) && log_end_row(out, a);
}

void attempt_log_past(struct attempt_log *l, int64_t made_ms, const struct attempt_asked *a,
		      const struct attempt_past *p)
{
	if (!log_row(l, made_ms, a, p) || l->count + 1 >= ATTEMPT_LOG_MOST) {
		log_cut(l);
		return;
	}
	l->count++;
	l->past = (uint32_t)(l->text.len - 1);
}

void attempt_log_last_step(struct attempt_log *l, int64_t made_ms, const struct attempt_asked *a,
			   const struct attempt_past *p)
{
	if (l->open && !log_row(l, made_ms, a, p))
		log_cut(l);
}

void attempt_log_last(struct attempt_log *l, int64_t made_ms, const struct attempt_asked *a,
		      bool several, bool costs, int64_t nano, const struct attempt_price *price)
{
	if (!l->open)
		return;
	if (!log_open(l, made_ms, a) || (several && !log_maybe(&l->text, costs, nano)) ||
	    !log_price(&l->text, price) || !log_end_row(&l->text, a))
		log_cut(l);
}
