/* Prints events as parts of a candidate's content. */
#include "shape/encoders.h"

#include "base/limits.h"
#include "json/scan.h"
#include "lmc/media.h"
#include "shape/api_words.h"
#include "shape/carry.h"
#include "shape/gemini_pass.h"
#include "shape/piece.h"

#include <stdlib.h>

struct gemini_printer {
	struct encoder       encoder;
	struct encoder_about about;
	struct blocks        blocks;
	struct held_calls    calls;
	struct half          said, thought;
	struct carry        *carry; /* owned; goes out with the next call; NULL: nothing */
	bool                 thoughts;
	bool                 refused;
	struct usage         usage;
	int64_t              weight; /* bytes of the answer, where nobody tells its tokens */
	char                 finish[64];
	char                 own_text[ID_MAX];
	struct str           own_id;
	struct json_doc      doc; /* scratch, as the next one */
	struct buf           text;
	struct gemini_pass   pass;
};

static struct gemini_printer *gemini_printer_of(struct encoder *n)
{
	return container_of(n, struct gemini_printer, encoder);
}

/* --- parts --- */

static bool gemini_stream_put_quoted(const char *before, struct str escaped, const char *after,
				     struct buf *out)
{
	return buf_text(out, before) && buf_str(out, escaped) && buf_text(out, after);
}

static bool gemini_stream_put_text_part(bool thought, struct str escaped, struct buf *out)
{
	return gemini_stream_put_quoted("{\"text\":\"", escaped,
					thought ? "\",\"thought\":true}" : "\"}", out);
}

/* own_signature: the signature of a call, if that is all that its provider must get back; else empty. */
static struct str own_signature(struct gemini_printer *p, struct str extra)
{
	struct err e;

	if (extra.n == 0 || extra.p[0] != '{')
		return extra;
	if (json_scan(&p->doc, extra.p, extra.n, &json_limits_upstream, &e) != ERR_OK ||
	    p->doc.tok[0].count != 1)
		return STR_NONE;
	json_at google = json_get(&p->doc, 0, "google");
	return json_is_kind(&p->doc, google, JSON_OBJECT) && p->doc.tok[google].count == 1
		       ? json_get_inner(&p->doc, google, "thought_signature")
		       : STR_NONE;
}

/* gemini_stream_put_carry: what was gathered, as a signature, which is base64. */
static bool gemini_stream_put_carry(struct gemini_printer *p, struct buf *out)
{
	struct buf plain;
	bool       ok;

	buf_clear(&p->text);
	buf_init(&plain, 2 * (size_t)LIMIT_ANSWER);
	ok = carry_take(p->carry, &p->text) && json_unescape(buf_view(&p->text), &plain) &&
	     buf_text(out, ",\"thoughtSignature\":\"") && media_encode(buf_view(&plain), out) &&
	     buf_text(out, "\"");
	buf_finish(&plain);
	return ok;
}

static bool carry_make(struct gemini_printer *p)
{
	if (!p->carry)
		p->carry = carry_create();
	return p->carry;
}

/* gemini_stream_put_signature: what comes back with the call.  Some of it is thinking, which a setting may hide. */
static bool gemini_stream_put_signature(struct gemini_printer *p, struct str extra, struct buf *out)
{
	struct str own = own_signature(p, extra);

	if (p->about.reasoning == REASONING_NONE)
		return true;
	if (own.n > 0 && !carry_any(p->carry))
		return gemini_stream_put_quoted(",\"thoughtSignature\":\"", own, "\"", out);
	if (extra.n > 0 &&
	    (!carry_make(p) || !carry_add_extra(p->carry, STR(GEMINI_CARRIED), extra)))
		return false;
	return !carry_any(p->carry) || gemini_stream_put_carry(p, out);
}

static bool gemini_put_call(struct gemini_printer *p, struct str id, struct str name,
			    struct str extra, struct str args, struct buf *out)
{
	return buf_text(out, "{\"functionCall\":{") &&
	       (id.n == 0 || gemini_stream_put_quoted("\"id\":\"", id, "\",", out)) &&
	       gemini_stream_put_quoted("\"name\":\"", name, "\",\"args\":", out) &&
	       held_args_put(args, &p->doc, &p->text, out) && buf_text(out, "}") &&
	       gemini_stream_put_signature(p, extra, out) && buf_text(out, "}");
}

/* put_picture: an image that the model made: its bytes, or its address.  *ret_any: whether anything was
 * appended. */
static bool put_picture(const struct json_doc *d, json_at part, bool first, bool *ret_any,
			struct buf *out)
{
	json_at    url = picture_url(d, part);
	struct str text = json_inner_of(d, url);
	struct str signature = STR_NONE;
	json_at    extra = json_get(d, part, "extra_content");
	char       type[MEDIA_TYPE];
	struct str data;

	*ret_any = url != JSON_ABSENT && text.n > 0;
	if (!*ret_any)
		return true;
	json_at google = extra != JSON_ABSENT ? json_get(d, extra, "google") : JSON_ABSENT;

	if (google != JSON_ABSENT)
		signature = json_get_inner(d, google, "thought_signature");
	if (!first && !buf_text(out, ","))
		return false;
	bool ok = media_data(text, type, &data)
			  ? buf_text(out, "{\"inlineData\":{\"mimeType\":") &&
				    buf_json_string(out, str_of(type)) &&
				    gemini_stream_put_quoted(",\"data\":\"", data, "\"}", out)
			  : gemini_stream_put_quoted("{\"fileData\":{\"fileUri\":\"", text, "\"}",
						     out);
	return ok &&
	       (signature.n == 0 ||
		gemini_stream_put_quoted(",\"thoughtSignature\":\"", signature, "\"", out)) &&
	       buf_text(out, "}");
}

/* --- answers --- */

static bool open_candidate(struct buf *out)
{
	return buf_text(out, "{\"candidates\":[{\"content\":{\"parts\":[");
}

/* close_candidate: more: what stands after the content. */
static bool close_candidate(const struct gemini_printer *p, const char *finish, struct buf *out)
{
	return buf_text(out, "],\"role\":\"model\"}") &&
	       (!finish || buf_fmt(out, ",\"finishReason\":\"%s\"", finish)) &&
	       buf_text(out, ",\"index\":0}],\"modelVersion\":") &&
	       buf_json_string(out, p->about.model) &&
	       gemini_stream_put_quoted(",\"responseId\":\"", p->own_id, "\"", out);
}

static const char *finish_word(const struct gemini_printer *p, struct str finish)
{
	const char *word = api_words_reason(&words_gemini, finish);

	if (p->refused)
		return "SAFETY";
	return word ? word : "STOP";
}

static bool count_put(const char *key, int64_t n, struct buf *out)
{
	return n <= 0 || (buf_text(out, key) && buf_int(out, n));
}

/* gemini_put_usage: thinking is not among the candidates' tokens here. */
static bool gemini_put_usage(const struct usage *u, struct buf *out)
{
	int64_t thoughts = u->reasoning < u->out ? u->reasoning : u->out;

	return buf_text(out, ",\"usageMetadata\":{\"promptTokenCount\":") && buf_int(out, u->in) &&
	       buf_text(out, ",\"candidatesTokenCount\":") && buf_int(out, u->out - thoughts) &&
	       buf_text(out, ",\"totalTokenCount\":") && buf_int(out, u->in + u->out) &&
	       count_put(",\"thoughtsTokenCount\":", thoughts, out) &&
	       count_put(",\"cachedContentTokenCount\":", u->cached_read, out) &&
	       buf_text(out, "}");
}

/* --- a stream --- */

static bool gemini_stream_open_piece(struct gemini_printer *p, struct buf *out)
{
	return block_open(&p->blocks, STR_NONE, out) && open_candidate(out);
}

static bool gemini_stream_close_piece(struct gemini_printer *p, struct buf *out)
{
	return close_candidate(p, NULL, out) && buf_text(out, "}") && block_close(&p->blocks, out);
}

static bool gemini_stream_take_text(struct gemini_printer *p, bool thought, struct str text,
				    struct buf *out)
{
	struct half *half = thought ? &p->thought : &p->said;

	return text.n == 0 || half_keeps(half, text) ||
	       (gemini_stream_open_piece(p, out) && buf_text(out, "{\"text\":\"") &&
		half_join(half, text, out) &&
		buf_text(out, thought ? "\",\"thought\":true}" : "\"}") &&
		gemini_stream_close_piece(p, out));
}

/* gemini_stream_put_halves: halves whose other halves have not come. */
static bool gemini_stream_put_halves(struct gemini_printer *p, struct buf *out)
{
	bool said = p->said.n > 0, thought = p->thought.n > 0;

	p->said.n = p->thought.n = 0;
	return (!thought || gemini_stream_take_text(p, true, STR(HALF_ALONE), out)) &&
	       (!said || gemini_stream_take_text(p, false, STR(HALF_ALONE), out));
}

static bool gemini_stream_put_held(struct encoder *n, const struct held_call *c, struct buf *out)
{
	struct gemini_printer *p = gemini_printer_of(n);

	return gemini_stream_open_piece(p, out) &&
	       gemini_put_call(p, buf_view(&c->id), buf_view(&c->name), buf_view(&c->extra),
			       buf_view(&c->args), out) &&
	       gemini_stream_close_piece(p, out);
}

static bool gemini_stream_take_details(struct gemini_printer *p, struct str details)
{
	if (details.n == 0 || p->about.reasoning == REASONING_NONE)
		return true;
	p->calls.beside += details.n;
	return carry_make(p) && carry_add_details(p->carry, details);
}

static bool take_picture(struct gemini_printer *p, struct str part, struct buf *out)
{
	struct json_doc d = { 0 };
	struct err      e;
	size_t          start = out->len;
	bool            any = false;
	bool            ok = true;

	if (picture_is(part) && json_scan(&d, part.p, part.n, &json_limits_upstream, &e) == ERR_OK)
		ok = gemini_stream_open_piece(p, out) && put_picture(&d, 0, true, &any, out) &&
		     (!any || gemini_stream_close_piece(p, out));
	json_doc_finish(&d);
	if (!any)
		out->len = start;
	return ok;
}

static bool gemini_stream_take(struct gemini_printer *p, const struct event *ev, struct buf *out)
{
	switch (ev->kind) {
	case EVENT_TEXT: return gemini_stream_take_text(p, false, ev->text, out);
	case EVENT_REASONING:
		return !p->thoughts || gemini_stream_take_text(p, true, ev->text, out);
	case EVENT_REFUSAL:
		p->refused = true;
		return gemini_stream_take_text(p, false, ev->text, out);
	case EVENT_TOOL_START:
	case EVENT_TOOL_ARGS: return held_calls_take(&p->calls, ev);
	case EVENT_BLOCK_END: return held_calls_end(&p->calls, &p->encoder, ev->block, out);
	case EVENT_MEDIA: return take_picture(p, ev->text, out);
	case EVENT_OTHER: return gemini_stream_take_details(p, ev->name);
	case EVENT_USAGE: p->usage = ev->usage; return true;
	case EVENT_FINISH:
		if (!p->finish[0] && ev->text.n < sizeof p->finish)
			str_copy(p->finish, sizeof p->finish, ev->text);
		return held_calls_finished(&p->calls, &p->encoder, out);
	case EVENT_START:
	case EVENT_MESSAGE:
	case EVENT_LMC:
	case EVENT_ASKED:
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

/* gemini_stream_take_new: an event that is no part of a provider's own object.  Such an end is printed here. */
static bool gemini_stream_take_new(struct gemini_printer *p, const struct event *ev,
				   struct buf *out)
{
	if (ev->kind == EVENT_FINISH)
		p->pass.on = false;
	return gemini_pass_end(&p->pass, out) && gemini_stream_take(p, ev, out);
}

static bool gemini_stream_event(struct encoder *n, const struct event *ev, uint64_t seq,
				struct buf *out)
{
	struct gemini_printer *p = gemini_printer_of(n);
	size_t                 start = out->len;

	(void)seq;
	if (ev->choice != 0)
		return true;
	p->weight += event_weight(ev);
	if (ev->kind == EVENT_RESUMED                         ? gemini_pass_break(&p->pass, out)
	    : p->encoder.raws && event_passed(ev, RAW_GEMINI) ? gemini_pass_event(&p->pass, ev, out)
							      : gemini_stream_take_new(p, ev, out))
		return true;
	out->len = start;
	return false;
}

/* gemini_stream_put_last: Google's last piece has a part without text, and clients take one without parts for broken. */
static bool gemini_stream_put_last(struct gemini_printer *p, struct buf *out)
{
	if (!p->usage.known) {
		p->usage = usage_guess(0, p->weight);
		p->usage.in = p->about.guess_in;
	}
	return held_calls_last(&p->calls, &p->encoder, false, out) &&
	       gemini_stream_put_halves(p, out) && gemini_stream_open_piece(p, out) &&
	       gemini_stream_put_text_part(false, STR_NONE, out) &&
	       close_candidate(p, finish_word(p, str_of(p->finish)), out) &&
	       gemini_put_usage(&p->usage, out) && buf_text(out, "}") &&
	       block_close(&p->blocks, out);
}

static bool gemini_stream_done(struct encoder *n, uint64_t seq, struct buf *out)
{
	struct gemini_printer *p = gemini_printer_of(n);
	size_t                 start = out->len;

	(void)seq;
	if ((p->pass.on ? gemini_pass_end(&p->pass, out) : gemini_stream_put_last(p, out)) &&
	    block_end(&p->blocks, false, out))
		return true;
	out->len = start;
	return false;
}

static bool gemini_stream_error(struct encoder *n, const struct err *e, struct str request_id,
				uint64_t seq, struct buf *out)
{
	struct gemini_printer *p = gemini_printer_of(n);
	struct blocks         *b = &p->blocks;
	size_t                 start = out->len;

	(void)seq;
	if (!gemini_pass_break(&p->pass, out) || !held_calls_last(&p->calls, n, true, out))
		out->len = start;
	start = out->len;
	if (block_open(b, STR_NONE, out) && gemini_error_put(e, request_id, out) &&
	    block_close(b, out) && block_end(b, true, out))
		return true;
	out->len = start;
	return false;
}

static bool gemini_stream_rest(struct encoder *n, struct buf *out)
{
	return held_calls_rest(&gemini_printer_of(n)->calls, n, out);
}

static void gemini_stream_over(struct encoder *n, bool failed)
{
	held_calls_over(&gemini_printer_of(n)->calls, n, failed);
}

/* --- a whole answer --- */

struct gemini_parts {
	struct gemini_printer *printer;
	const struct json_doc *doc; /* the message in OpenAI's form */
	struct buf            *out;
	bool                   any;
};

static bool next_part(struct gemini_parts *c)
{
	bool first = !c->any;

	c->any = true;
	return first || buf_text(c->out, ",");
}

static bool gemini_stream_whole_text(struct gemini_parts *c, bool thought, struct str escaped)
{
	return escaped.n == 0 ||
	       (next_part(c) && gemini_stream_put_text_part(thought, escaped, c->out));
}

static bool gemini_stream_whole_texts(struct gemini_parts *c)
{
	const struct json_doc *d = c->doc;
	json_at                content = json_get(d, 0, "content");
	json_at                thoughts = reasoning_text_of(d, 0);
	struct str             refusal = json_get_inner(d, 0, "refusal");
	bool                   ok = (!c->printer->thoughts || thoughts == JSON_ABSENT ||
                   gemini_stream_whole_text(c, true, json_inner_of(d, thoughts))) &&
		  gemini_stream_whole_text(c, false, json_inner_of(d, content));

	if (json_is_kind(d, content, JSON_ARRAY))
		for (json_at i = json_first(d, content); ok && i != json_end(d, content);
		     i = json_next(d, i))
			ok = gemini_stream_whole_text(c, false, json_get_inner(d, i, "text"));
	c->printer->refused = refusal.n > 0;
	return ok && gemini_stream_whole_text(c, false, refusal);
}

static bool whole_pictures(struct gemini_parts *c)
{
	json_at list = picture_list(c->doc, 0);
	bool    ok = true;

	if (list == JSON_ABSENT)
		return true;
	for (json_at i = json_first(c->doc, list); ok && i != json_end(c->doc, list);
	     i = json_next(c->doc, i)) {
		bool any = false;

		ok = put_picture(c->doc, i, !c->any, &any, c->out);
		c->any = c->any || any;
	}
	return ok;
}

static bool whole_calls(struct gemini_parts *c)
{
	const struct json_doc *d = c->doc;
	json_at                calls = json_get(d, 0, "tool_calls");
	json_at                details = json_get(d, 0, "reasoning_details");
	bool                   ok = true;

	if (json_is_kind(d, details, JSON_ARRAY) && d->tok[details].count > 0 &&
	    c->printer->about.reasoning != REASONING_NONE)
		ok = carry_make(c->printer) &&
		     carry_add_details(c->printer->carry, json_raw(d, details));
	if (!json_is_kind(d, calls, JSON_ARRAY))
		return ok;
	for (json_at i = json_first(d, calls); ok && i != json_end(d, calls); i = json_next(d, i)) {
		json_at function = json_get(d, i, "function");

		if (json_is_kind(d, function, JSON_OBJECT))
			ok = next_part(c) &&
			     gemini_put_call(c->printer, json_get_inner(d, i, "id"),
					     json_get_inner(d, function, "name"), extra_of(d, i),
					     json_get_inner(d, function, "arguments"), c->out);
	}
	return ok;
}

static bool gemini_stream_whole(struct encoder *n, const struct encoder_whole *w, struct buf *out)
{
	struct gemini_printer *p = gemini_printer_of(n);
	struct json_doc        doc = { 0 };
	struct gemini_parts    c = { .printer = p, .doc = &doc, .out = out };
	struct err             e;
	size_t                 start = out->len;

	if (p->encoder.raws && w->form == RAW_GEMINI && w->raw.n > 0) {
		if (gemini_pass_put(&p->pass, w->raw, w->raw_id, out))
			return true;
		out->len = start;
		return false;
	}
	bool ok = open_candidate(out);
	if (ok && w->message.n > 0)
		ok = json_scan(&doc, w->message.p, w->message.n, &json_limits_upstream, &e) ==
			     ERR_OK &&
		     gemini_stream_whole_texts(&c) && whole_pictures(&c) && whole_calls(&c);
	if (ok && !c.any)
		ok = gemini_stream_put_text_part(false, STR_NONE, out);
	ok = ok && close_candidate(p, finish_word(p, w->finish_reason), out) &&
	     (w->usage->in + w->usage->out == 0 || gemini_put_usage(w->usage, out)) &&
	     buf_text(out, "}");
	json_doc_finish(&doc);
	if (!ok)
		out->len = start;
	return ok;
}

/* --- birth and death --- */

static void gemini_stream_destroy(struct encoder *n)
{
	struct gemini_printer *p = gemini_printer_of(n);

	held_calls_finish(&p->calls);
	carry_destroy(p->carry);
	buf_finish(&p->text);
	gemini_pass_finish(&p->pass);
	json_doc_finish(&p->doc);
	free(p);
}

static const struct encoder_ops gemini_stream_ops = {
	.event = gemini_stream_event,
	.done = gemini_stream_done,
	.error = gemini_stream_error,
	.whole = gemini_stream_whole,
	.rest = gemini_stream_rest,
	.over = gemini_stream_over,
	.destroy = gemini_stream_destroy,
};

struct encoder *gemini_stream_create(const struct encoder_about *about)
{
	struct gemini_printer *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->encoder.ops = &gemini_stream_ops;
	p->calls.put = gemini_stream_put_held;
	p->about = *about;
	p->blocks.framing = block_framing(about->framing, &framing_plain);
	p->thoughts =
		about->reasoning != REASONING_NONE && str_is(about->settings, GEMINI_THOUGHTS);
	buf_init(&p->text, 2 * (size_t)LIMIT_ANSWER);
	/* A setting hides thinking. */
	if (about->reasoning != REASONING_NONE)
		p->encoder.raws = 1u << RAW_GEMINI;
	p->own_id = id_text(about->run, ID_RUN, p->own_text);
	gemini_pass_init(&p->pass, &p->blocks, id_none(about->conversation) ? STR_NONE : p->own_id);
	return &p->encoder;
}
