/* Passes completions of a prompt on. */

#include "base/limits.h"
#include "provider/openai/openai.h"

/* --- the request --- */

/* A prompt of text has no messages: the client's `prompt` is one of its members. */
enum errc openai_text_encode(const struct provider_options *o, const struct prompt *p,
			     struct buf *out, struct err *e)
{
	struct provider_options plain = *o;

	plain.max_tokens_field = "max_tokens"; /* the only name that this API has for it */
	return dialect_openai.encode(&plain, p, out, e);
}

/* --- the answer --- */

/* text_give: gives an event.  The first one of a chunk carries its bytes, the others go with it. */
static void text_give(struct decode *d, struct event *ev, struct str *raw,
		      const struct openai_top *top)
{
	ev->raw = *raw;
	ev->cont = raw->n == 0;
	if (raw->n > 0)
		ev->raw_usage = top->usage_cut;
	*raw = STR_NONE;
	d->on_event(d->arg, ev);
}

static enum errc text_finish(struct decode *d, json_at choice, uint32_t index, struct str *raw,
			     const struct openai_top *top, struct err *e)
{
	struct event ev = { .kind = EVENT_FINISH, .choice = index };
	uint64_t     bit = index < LIMIT_CHOICES ? (uint64_t)1 << (index % 64) : 0;
	bool         changed;
	enum errc    rc = openai_finish_word(d->doc, json_get(d->doc, choice, "finish_reason"),
					     &ev.text, &changed, e);

	if (bit)
		d->begun[index / 64] |= bit;
	if (rc != ERR_OK)
		return rc;
	if (ev.text.n == 0) {
		if (bit)
			d->open[index / 64] |= bit;
		return ERR_OK;
	}
	if (bit)
		d->open[index / 64] &= ~bit;
	ev.name = openai_native(d->doc, choice);
	text_give(d, &ev, raw, top);
	return ERR_OK;
}

static enum errc text_choice(struct decode *d, json_at choice, struct str *raw,
			     const struct openai_top *top, struct err *e)
{
	int64_t index = 0;
	json_at at = json_get(d->doc, choice, "index");

	if (json_kind(d->doc, choice) != JSON_OBJECT)
		return decode_bad(e, "a choice that is no object");
	if (at != JSON_ABSENT && (!json_int(d->doc, at, &index) || index < 0 || index > UINT32_MAX))
		return decode_bad(e, "a choice whose index is no number");

	struct event ev = { .kind = EVENT_TEXT,
			    .choice = (uint32_t)index,
			    .text = json_get_inner(d->doc, choice, "text") };
	if (ev.text.n > 0)
		text_give(d, &ev, raw, top);
	return text_finish(d, choice, ev.choice, raw, top, e);
}

/* text_tell: gives a chunk, or a whole answer, that d->doc has. */
static enum errc text_tell(struct decode *d, const struct openai_top *top, struct err *e)
{
	const struct json_doc *doc = d->doc;
	struct str             raw = json_raw(doc, 0);
	struct event           usage = { .kind = EVENT_USAGE };
	bool                   some = json_is_kind(doc, top->choices, JSON_ARRAY);
	bool                   plain;

	if (!some && (!d->stream || top->usage == JSON_ABSENT))
		return d->stream ? ERR_OK : decode_bad(e, "an answer without choices");
	d->started = true;
	if (!d->stream)
		text_give(d, &(struct event){ .kind = EVENT_OTHER, .certain = true }, &raw, top);
	if (some)
		for (json_at i = json_first(doc, top->choices); i != json_end(doc, top->choices);
		     i = json_next(doc, i)) {
			enum errc rc = text_choice(d, i, &raw, top, e);

			if (rc != ERR_OK)
				return rc;
		}
	usage.raw_only_usage = !some || doc->tok[top->choices].count == 0;
	if (openai_usage(doc, top->usage, &usage.usage, &plain)) {
		usage_take(&d->told, &usage.usage);
		usage.usage = d->told;
		text_give(d, &usage, &raw, top);
	}
	if (raw.n > 0)
		text_give(d, &(struct event){ .kind = EVENT_OTHER }, &raw, top);
	d->finished =
		!d->stream || ((d->begun[0] | d->begun[1]) != 0 && (d->open[0] | d->open[1]) == 0);
	return ERR_OK;
}

enum errc openai_text_decode_event(struct decode *d, struct str name, struct str data,
				   struct err *e)
{
	struct openai_top top;

	if (d->done_mark)
		return ERR_OK;
	d->done_mark = str_is(str_trim(data), "[DONE]");
	if (d->done_mark)
		return ERR_OK;
	enum errc rc = openai_scan_event(d, name, data, e);
	if (rc == ERR_OK)
		rc = openai_answer(d, &name, &top, e);
	return rc == ERR_OK ? text_tell(d, &top, e) : rc;
}

enum errc openai_text_decode_whole(struct decode *d, struct str body, struct err *e)
{
	struct openai_top top;
	enum errc         rc = openai_scan_body(d, body, e);

	if (rc == ERR_OK)
		rc = openai_answer(d, NULL, &top, e);
	return rc == ERR_OK ? text_tell(d, &top, e) : rc;
}

const struct dialect openai_text = {
	.name = "openai",
	.path = "/completions",
	.framing = &upstream_events,
	.encode = openai_text_encode,
	.decode_event = openai_text_decode_event,
	.decode_whole = openai_text_decode_whole,
	.decode_error = openai_decode_error,
};
