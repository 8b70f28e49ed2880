/* Prints the text of an answer; calls, reasoning and images have no place in this shape.  What a
 * provider says in this shape itself goes through in its own bytes. */
#include "shape/encoders.h"

#include "json/scan.h"

#include <stdlib.h>

struct text_printer {
	struct encoder       encoder;
	struct encoder_about about;
	struct blocks        blocks; /* without numbers */
	char                 own_text[ID_MAX];
	struct str           own_id;
};

static struct text_printer *text_printer_of(struct encoder *n)
{
	return container_of(n, struct text_printer, encoder);
}

/* --- pieces --- */

static bool put_text_head(const struct text_printer *p, struct buf *out)
{
	return buf_text(out, "{\"id\":\"") && buf_str(out, p->own_id) &&
	       buf_text(out, "\",\"object\":\"text_completion\",\"created\":") &&
	       buf_int(out, p->about.created_s) && buf_text(out, ",\"model\":") &&
	       buf_json_string(out, p->about.model) && buf_text(out, ",\"choices\":[");
}

/* reason_of: this API knows no others. */
static const char *reason_of(struct str finish)
{
	if (str_is(finish, "length"))
		return "length";
	return str_is(finish, "content_filter") ? "content_filter" : "stop";
}

static bool put_text_end(uint32_t choice, const char *reason, struct buf *out)
{
	if (!buf_text(out, "\",\"index\":") || !buf_int(out, choice) ||
	    !buf_text(out, ",\"logprobs\":null,\"finish_reason\":"))
		return false;
	return reason ? buf_fmt(out, "\"%s\"}]", reason) : buf_text(out, "null}]");
}

/* --- a stream --- */

static bool text_chunk_open(struct text_printer *p, struct buf *out)
{
	return block_open(&p->blocks, STR_NONE, out) && put_text_head(p, out);
}

static bool text_chunk_close(struct text_printer *p, struct buf *out)
{
	return buf_text(out, "}") && block_close(&p->blocks, out);
}

static bool put_text_chunk(struct text_printer *p, const struct event *ev, struct buf *out)
{
	switch (ev->kind) {
	case EVENT_TEXT:
	case EVENT_REFUSAL:
		return text_chunk_open(p, out) && buf_text(out, "{\"text\":\"") &&
		       buf_str(out, ev->text) && put_text_end(ev->choice, NULL, out) &&
		       text_chunk_close(p, out);
	case EVENT_FINISH:
		return text_chunk_open(p, out) && buf_text(out, "{\"text\":\"") &&
		       put_text_end(ev->choice, reason_of(ev->text), out) &&
		       text_chunk_close(p, out);
	case EVENT_USAGE:
		return !p->about.want_usage ||
		       (text_chunk_open(p, out) && buf_text(out, "],\"usage\":") &&
			chunk_usage(&ev->usage, out) && text_chunk_close(p, out));
	case EVENT_START:
	case EVENT_REASONING:
	case EVENT_TOOL_START:
	case EVENT_TOOL_ARGS:
	case EVENT_BLOCK_END:
	case EVENT_MEDIA:
	case EVENT_MESSAGE:
	case EVENT_LMC:
	case EVENT_ASKED:
	case EVENT_OTHER:
	case EVENT_ERROR:
	case EVENT_END:
	case EVENT_STEP:
	case EVENT_EXECUTE:
	case EVENT_EXECUTED:
	case EVENT_RESUMED:
	case EVENT__COUNT: break;
	}
	return true;
}

static bool text_chunk_event(struct encoder *n, const struct event *ev, uint64_t seq,
			     struct buf *out)
{
	size_t start = out->len;

	(void)seq;
	if (ev->choice != 0 || put_text_chunk(text_printer_of(n), ev, out))
		return true;
	out->len = start;
	return false;
}

static bool text_chunk_done(struct encoder *n, uint64_t seq, struct buf *out)
{
	return block_done(&text_printer_of(n)->blocks, seq, out);
}

static bool text_chunk_error(struct encoder *n, const struct err *e, struct str request_id,
			     uint64_t seq, struct buf *out)
{
	return block_error(&text_printer_of(n)->blocks, e, request_id, seq, out);
}

/* --- a whole answer --- */

static bool put_message_text(const struct json_doc *d, struct buf *out)
{
	json_at content = json_get(d, 0, "content");
	bool    ok = buf_str(out, json_inner_of(d, content)) &&
		  buf_str(out, json_get_inner(d, 0, "refusal"));

	if (json_is_kind(d, content, JSON_ARRAY))
		for (json_at i = json_first(d, content); ok && i != json_end(d, content);
		     i = json_next(d, i))
			ok = buf_str(out, json_get_inner(d, i, "text"));
	return ok;
}

static bool text_chunk_whole(struct encoder *n, const struct encoder_whole *w, struct buf *out)
{
	struct text_printer *p = text_printer_of(n);
	struct json_doc      doc = { 0 };
	struct err           e;
	size_t               start = out->len;
	bool                 ok = put_text_head(p, out) && buf_text(out, "{\"text\":\"");

	if (ok && w->message.n > 0)
		ok = json_scan(&doc, w->message.p, w->message.n, &json_limits_upstream, &e) ==
			     ERR_OK &&
		     put_message_text(&doc, out);
	json_doc_finish(&doc);
	ok = ok && buf_str(out, w->text) && put_text_end(0, reason_of(w->finish_reason), out);
	if (ok && w->usage->known)
		ok = buf_text(out, ",\"usage\":") && chunk_usage(w->usage, out);
	ok = ok && buf_text(out, "}");
	if (!ok)
		out->len = start;
	return ok;
}

/* --- the provider's own bytes, where there are any --- */

static bool text_raw_event(struct encoder *n, const struct event *ev, uint64_t seq, struct buf *out)
{
	struct text_printer *p = text_printer_of(n);
	size_t               start = out->len;

	(void)seq;
	if (ev->cont || (ev->raw_only_usage && !p->about.want_usage))
		return true;
	if (ev->raw.n == 0 ? put_text_chunk(p, ev, out)
			   : block_open(&p->blocks, STR_NONE, out) && block_raw(ev->raw, out) &&
				     block_close(&p->blocks, out))
		return true;
	out->len = start;
	return false;
}

static bool text_raw_whole(struct encoder *n, const struct encoder_whole *w, struct buf *out)
{
	return w->raw.n > 0 ? buf_str(out, w->raw) : text_chunk_whole(n, w, out);
}

/* --- birth and death --- */

static void text_chunk_destroy(struct encoder *n)
{
	free(text_printer_of(n));
}

static const struct encoder_ops text_chunk_ops = {
	.event = text_chunk_event,
	.done = text_chunk_done,
	.error = text_chunk_error,
	.whole = text_chunk_whole,
	.destroy = text_chunk_destroy,
};

static const struct encoder_ops text_raw_ops = {
	.event = text_raw_event,
	.done = text_chunk_done,
	.error = text_chunk_error,
	.whole = text_raw_whole,
	.destroy = text_chunk_destroy,
};

static struct encoder *text_encoder(const struct encoder_about *about,
				    const struct encoder_ops   *ops)
{
	struct text_printer *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->encoder.ops = ops;
	p->encoder.raws = ops == &text_raw_ops ? 1u << RAW_OPENAI : 0;
	p->about = *about;
	p->blocks.framing = block_framing(about->framing, &framing_plain);
	p->own_id = id_text(about->run, ID_TEXT_COMPLETION, p->own_text);
	return &p->encoder;
}

struct encoder *text_chunk_create(const struct encoder_about *about)
{
	return text_encoder(about, &text_chunk_ops);
}

struct encoder *text_chunk_create_raw(const struct encoder_about *about)
{
	return text_encoder(about, &text_raw_ops);
}
