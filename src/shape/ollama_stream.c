/* Prints events as the lines of Ollama's answers: of a chat, whose lines have messages, or of a prompt, whose lines
 * have texts. */
#include "shape/encoders.h"

#include "base/clock.h"
#include "base/limits.h"
#include "json/scan.h"
#include "shape/piece.h"

#include <stdlib.h>
#include <string.h>

enum { STAMP_MAX = 40 };

struct ollama_printer {
	struct encoder       encoder;
	struct encoder_about about;
	struct blocks        blocks;
	bool                 chat;
	bool                 thinks; /* the client gets the thoughts */
	struct half          said, thought;
	struct held_calls    calls;
	uint32_t             call_number; /* calls printed so far */
	struct usage         usage;
	int64_t              weight; /* bytes of the answer, where nobody tells its tokens */
	int64_t              begun_us, first_us; /* monotonic; the first piece; 0: there was none */
	char                 finish[64];
	char                 own_text[ID_MAX];
	struct str           own_id;
	char                 stamp[STAMP_MAX]; /* the second of the last line */
	int64_t              stamp_s;
	struct json_doc      doc; /* scratch, as the next one */
	struct buf           text;
};

static struct ollama_printer *ollama_printer_of(struct encoder *n)
{
	return container_of(n, struct ollama_printer, encoder);
}

/* --- lines --- */

static bool ollama_stream_quote(const char *before, struct str escaped, const char *after,
				struct buf *out)
{
	return buf_text(out, before) && buf_str(out, escaped) && buf_text(out, after);
}

/* put_stamp: the time of day with its milliseconds (RFC 3339). */
static bool put_stamp(struct ollama_printer *p, struct buf *out)
{
	int64_t   now = clock_wall_ms();
	time_t    s = (time_t)(now / 1000);
	struct tm t;
	char      rest[] = ".000Z\"";

	if (p->stamp_s != s) {
		if (!gmtime_r(&s, &t) ||
		    strftime(p->stamp, sizeof p->stamp, "%Y-%m-%dT%H:%M:%S", &t) == 0)
			return false;
		p->stamp_s = s;
	}
	for (int i = 3; i > 0; i--, now /= 10)
		rest[i] = (char)('0' + now % 10);
	return buf_text(out, ",\"created_at\":\"") && buf_text(out, p->stamp) &&
	       buf_text(out, rest);
}

static bool line_head(struct ollama_printer *p, struct buf *out)
{
	return buf_text(out, "{\"model\":") && buf_json_string(out, p->about.model) &&
	       put_stamp(p, out) &&
	       buf_text(out, p->chat ? ",\"message\":{\"role\":\"assistant\",\"content\":\""
				     : ",\"response\":\"");
}

/* line_tail: after what the answer has. */
static bool line_tail(const struct ollama_printer *p, const char *done, struct buf *out)
{
	return buf_text(out, p->chat ? "}" : "") && buf_text(out, done);
}

static bool line_open(struct ollama_printer *p, struct buf *out)
{
	return block_open(&p->blocks, STR_NONE, out) && line_head(p, out);
}

static bool line_close(struct ollama_printer *p, struct buf *out)
{
	return line_tail(p, ",\"done\":false}", out) && block_close(&p->blocks, out);
}

static bool ollama_stream_take_text(struct ollama_printer *p, struct str text, struct buf *out)
{
	if (text.n == 0 || half_keeps(&p->said, text))
		return true;
	return line_open(p, out) && half_join(&p->said, text, out) && buf_text(out, "\"") &&
	       line_close(p, out);
}

static bool ollama_stream_take_thought(struct ollama_printer *p, struct str text, struct buf *out)
{
	if (!p->thinks || text.n == 0 || half_keeps(&p->thought, text))
		return true;
	return line_open(p, out) && buf_text(out, "\",\"thinking\":\"") &&
	       half_join(&p->thought, text, out) && buf_text(out, "\"") && line_close(p, out);
}

/* --- calls --- */

static bool ollama_stream_put_call(struct ollama_printer *p, struct str id, struct str name,
				   struct str args, struct buf *out)
{
	bool ok = buf_text(out, "{\"id\":\"") &&
		  (id.n > 0 ? buf_str(out, id)
			    : buf_text(out, "call_") &&
				      buf_add(out, p->own_id.p + sizeof ID_RUN - 1, ID_BODY) &&
				      buf_fmt(out, "_%u", p->call_number)) &&
		  buf_text(out, "\",\"function\":{\"index\":") && buf_int(out, p->call_number) &&
		  ollama_stream_quote(",\"name\":\"", name, "\",\"arguments\":", out) &&
		  held_args_put(args, &p->doc, &p->text, out) && buf_text(out, "}}");

	p->call_number++;
	return ok;
}

static bool ollama_stream_put_held(struct encoder *n, const struct held_call *c, struct buf *out)
{
	struct ollama_printer *p = ollama_printer_of(n);

	return line_open(p, out) && buf_text(out, "\",\"tool_calls\":[") &&
	       ollama_stream_put_call(p, buf_view(&c->id), buf_view(&c->name), buf_view(&c->args),
				      out) &&
	       buf_text(out, "]") && line_close(p, out);
}

/* --- events --- */

static bool ollama_stream_take(struct ollama_printer *p, const struct event *ev, struct buf *out)
{
	switch (ev->kind) {
	case EVENT_TEXT:
	case EVENT_REFUSAL: return ollama_stream_take_text(p, ev->text, out);
	case EVENT_REASONING: return ollama_stream_take_thought(p, ev->text, out);
	case EVENT_TOOL_START:
	case EVENT_TOOL_ARGS: return held_calls_take(&p->calls, ev);
	case EVENT_BLOCK_END: return held_calls_end(&p->calls, &p->encoder, ev->block, out);
	case EVENT_USAGE: p->usage = ev->usage; return true;
	case EVENT_FINISH:
		if (!p->finish[0] && ev->text.n < sizeof p->finish)
			str_copy(p->finish, sizeof p->finish, ev->text);
		return held_calls_finished(&p->calls, &p->encoder, out);
	case EVENT_MEDIA: /* clients take a message with images for a broken one */
	case EVENT_START:
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

static bool ollama_stream_event(struct encoder *n, const struct event *ev, uint64_t seq,
				struct buf *out)
{
	struct ollama_printer *p = ollama_printer_of(n);
	int64_t                weight = event_weight(ev);
	size_t                 start = out->len;

	(void)seq;
	if (ev->choice != 0)
		return true;
	p->weight += weight;
	if (weight > 0 && p->first_us == 0)
		p->first_us = clock_mono_us();
	if (ollama_stream_take(p, ev, out))
		return true;
	out->len = start;
	return false;
}

/* --- the end --- */

/* put_duration: in nanoseconds, never 0: clients divide by some of them. */
static bool put_duration(const char *name, int64_t us, struct buf *out)
{
	return buf_text(out, name) && buf_int(out, us > 0 ? us * 1000 : 1);
}

/* done_word: of an answer with calls, too, Ollama says that it has stopped. */
static const char *done_word(struct str finish)
{
	return str_is(finish, "length")           ? "length"
	       : str_is(finish, "content_filter") ? "content_filter"
						  : "stop";
}

/* line_done: the members of the last line after its message.  Nothing is loaded here. */
static bool line_done(const struct ollama_printer *p, struct str finish, const struct usage *u,
		      struct buf *out)
{
	int64_t now = clock_mono_us();
	int64_t first = p->first_us > 0 ? p->first_us : p->begun_us;

	return line_tail(p, ",\"done\":true,\"done_reason\":\"", out) &&
	       buf_text(out, done_word(finish)) &&
	       put_duration("\",\"total_duration\":", now - p->begun_us, out) &&
	       put_duration(",\"load_duration\":", 0, out) &&
	       buf_text(out, ",\"prompt_eval_count\":") && buf_int(out, u->in) &&
	       put_duration(",\"prompt_eval_duration\":", first - p->begun_us, out) &&
	       buf_text(out, ",\"eval_count\":") && buf_int(out, u->out) &&
	       put_duration(",\"eval_duration\":", now - first, out) && buf_text(out, "}");
}

/* put_halves: halves whose other halves have not come. */
static bool put_halves(struct ollama_printer *p, struct buf *out)
{
	bool said = p->said.n > 0, thought = p->thought.n > 0;

	p->said.n = p->thought.n = 0;
	return (!thought || ollama_stream_take_thought(p, STR(HALF_ALONE), out)) &&
	       (!said || ollama_stream_take_text(p, STR(HALF_ALONE), out));
}

static bool ollama_stream_done(struct encoder *n, uint64_t seq, struct buf *out)
{
	struct ollama_printer *p = ollama_printer_of(n);
	size_t                 start = out->len;

	(void)seq;
	if (!p->usage.known) {
		p->usage = usage_guess(0, p->weight);
		p->usage.in = p->about.guess_in;
	}
	if (held_calls_last(&p->calls, n, false, out) && put_halves(p, out) && line_open(p, out) &&
	    buf_text(out, "\"") && line_done(p, str_of(p->finish), &p->usage, out) &&
	    block_close(&p->blocks, out) && block_end(&p->blocks, false, out))
		return true;
	out->len = start;
	return false;
}

static bool ollama_stream_error(struct encoder *n, const struct err *e, struct str request_id,
				uint64_t seq, struct buf *out)
{
	struct ollama_printer *p = ollama_printer_of(n);
	struct blocks         *b = &p->blocks;
	size_t                 start = out->len;

	(void)seq;
	if (!held_calls_last(&p->calls, n, true, out))
		out->len = start;
	start = out->len;
	if (block_open(b, STR_NONE, out) && ollama_error_put(e, request_id, out) &&
	    block_close(b, out) && block_end(b, true, out))
		return true;
	out->len = start;
	return false;
}

static bool ollama_stream_rest(struct encoder *n, struct buf *out)
{
	return held_calls_rest(&ollama_printer_of(n)->calls, n, out);
}

static void ollama_stream_over(struct encoder *n, bool failed)
{
	held_calls_over(&ollama_printer_of(n)->calls, n, failed);
}

/* --- a whole answer --- */

static bool ollama_stream_whole_text(const struct json_doc *d, struct buf *out)
{
	json_at content = json_get(d, 0, "content");
	bool    ok = buf_str(out, json_inner_of(d, content));

	if (json_is_kind(d, content, JSON_ARRAY))
		for (json_at i = json_first(d, content); ok && i != json_end(d, content);
		     i = json_next(d, i))
			ok = buf_str(out, json_get_inner(d, i, "text"));
	return ok && buf_str(out, json_get_inner(d, 0, "refusal"));
}

static bool ollama_stream_whole_calls(struct ollama_printer *p, const struct json_doc *d,
				      struct buf *out)
{
	json_at calls = json_get(d, 0, "tool_calls");
	bool    ok = true;

	if (!json_is_kind(d, calls, JSON_ARRAY) || d->tok[calls].count == 0)
		return true;
	ok = buf_text(out, ",\"tool_calls\":[");
	for (json_at i = json_first(d, calls); ok && i != json_end(d, calls); i = json_next(d, i)) {
		json_at function = json_get(d, i, "function");

		if (json_is_kind(d, function, JSON_OBJECT))
			ok = (p->call_number == 0 || buf_text(out, ",")) &&
			     ollama_stream_put_call(p, json_get_inner(d, i, "id"),
						    json_get_inner(d, function, "name"),
						    json_get_inner(d, function, "arguments"), out);
	}
	return ok && buf_text(out, "]");
}

static bool ollama_stream_whole_message(struct ollama_printer *p, const struct json_doc *d,
					struct buf *out)
{
	json_at thoughts = p->thinks ? reasoning_text_of(d, 0) : JSON_ABSENT;

	return ollama_stream_whole_text(d, out) && buf_text(out, "\"") &&
	       (thoughts == JSON_ABSENT ||
		ollama_stream_quote(",\"thinking\":\"", json_inner_of(d, thoughts), "\"", out)) &&
	       (!p->chat || ollama_stream_whole_calls(p, d, out));
}

static bool ollama_stream_whole(struct encoder *n, const struct encoder_whole *w, struct buf *out)
{
	struct ollama_printer *p = ollama_printer_of(n);
	struct json_doc        doc = { 0 };
	struct err             e;
	size_t                 start = out->len;
	bool                   ok = line_head(p, out);

	if (ok && w->message.n > 0)
		ok = json_scan(&doc, w->message.p, w->message.n, &json_limits_upstream, &e) ==
			     ERR_OK &&
		     ollama_stream_whole_message(p, &doc, out);
	else
		ok = ok && buf_text(out, "\"");
	ok = ok && line_done(p, w->finish_reason, w->usage, out);
	json_doc_finish(&doc);
	if (!ok)
		out->len = start;
	return ok;
}

/* --- birth and death --- */

static void ollama_stream_destroy(struct encoder *n)
{
	struct ollama_printer *p = ollama_printer_of(n);

	held_calls_finish(&p->calls);
	buf_finish(&p->text);
	json_doc_finish(&p->doc);
	free(p);
}

static const struct encoder_ops ollama_stream_ops = {
	.event = ollama_stream_event,
	.done = ollama_stream_done,
	.error = ollama_stream_error,
	.whole = ollama_stream_whole,
	.rest = ollama_stream_rest,
	.over = ollama_stream_over,
	.destroy = ollama_stream_destroy,
};

static struct encoder *ollama_encoder(const struct encoder_about *about, bool chat)
{
	struct ollama_printer *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->encoder.ops = &ollama_stream_ops;
	p->calls.put = ollama_stream_put_held;
	p->about = *about;
	p->blocks.framing = block_framing(about->framing, &framing_plain);
	p->chat = chat;
	p->thinks =
		about->reasoning != REASONING_NONE && !str_is(about->settings, OLLAMA_UNTHINKING);
	p->begun_us = clock_mono_us();
	buf_init(&p->text, 2 * (size_t)LIMIT_ANSWER);
	p->own_id = id_text(about->run, ID_RUN, p->own_text);
	return &p->encoder;
}

struct encoder *ollama_stream_create(const struct encoder_about *about)
{
	return ollama_encoder(about, true);
}

struct encoder *ollama_stream_create_text(const struct encoder_about *about)
{
	return ollama_encoder(about, false);
}
