/* Prints answers in LMC's shape: events become segments, and segments become chunks or messages. */
#include "shape/encoders.h"

#include "base/limits.h"
#include "json/scan.h"
#include "lmc/media.h"
#include "lmc/segment.h"
#include "lmc/text.h"
#include "lmc/to_lmc.h"
#include "lmc/speech.h"

#include <stdlib.h>

struct lmc_stream {
	struct encoder       encoder;
	struct encoder_about about;
	struct speech       *speech;  /* owned */
	struct buf           decoded; /* scratch: an event's text, where something was escaped */
	struct buf           images;  /* images of the model: JSON parts with commas between them */
	struct json_doc      doc;     /* scratch: a chunk of a provider that speaks LMC */
	bool                 ended;   /* the turn has ended */
	bool                 failed;  /* the stream ends with an error, so no code may be run */
	bool                 told_reasoning;
	struct cursor        rest;              /* the number of the first block that was put off */
	char                 finish_reason[64]; /* escaped */
	char                 resumed[512]; /* where the answer went on, escaped; empty: nowhere */
	uint32_t             resumed_at;

	/* The open segment. */
	bool              open;
	enum segment_kind kind;
	struct buf        head; /* start of its chunks: `{"role":…,"type":…,"format":…` */
	struct buf        code; /* the assistant's code so far, escaped, for the confirmation */

	/* State of printing one event. */
	struct blocks blocks;
	bool          in_piece; /* the last block may still grow */
	struct buf   *out;      /* borrowed */
	/* length of the whole blocks in out; `open` is the state after them */
	size_t whole;
};

/* --- blocks --- */

static bool lmc_stream_end_block(struct lmc_stream *s, const char *rest)
{
	if (!buf_text(s->out, rest) || !block_close(&s->blocks, s->out))
		return false;
	s->whole = s->out->len;
	return true;
}

/* close_piece: ends the block of an event's addition to a segment. The parsers may give it in
 * several pieces. */
static bool close_piece(struct lmc_stream *s)
{
	if (!s->in_piece)
		return true;
	s->in_piece = false;
	return lmc_stream_end_block(s, "\"}");
}

/* lmc_stream_settle: if out is full, removes the last block, so that no block is half printed. */
static bool lmc_stream_settle(struct lmc_stream *s, bool ok)
{
	if (!ok) {
		s->out->len = s->whole;
		s->in_piece = false;
	}
	return ok;
}

static bool open_block(struct lmc_stream *s, struct str name)
{
	return close_piece(s) && block_open(&s->blocks, name, s->out);
}

static bool lmc_stream_put_flag(struct lmc_stream *s, const char *flag)
{
	return open_block(s, STR_NONE) && buf_str(s->out, buf_view(&s->head)) &&
	       buf_text(s->out, ",\"") && buf_text(s->out, flag) &&
	       lmc_stream_end_block(s, "\":true}");
}

/* --- segments of a turn --- */

static bool segment_open(void *arg, enum segment_kind kind, struct str format)
{
	struct lmc_stream *s = arg;

	buf_clear(&s->head);
	buf_clear(&s->code);
	s->kind = kind;
	s->open = spool_head(&s->head, kind, format.p != NULL, format) &&
		  lmc_stream_put_flag(s, "start");
	return s->open;
}

static bool segment_text(void *arg, struct str text)
{
	struct lmc_stream *s = arg;
	struct buf        *out = s->out;

	if (!s->in_piece && (!open_block(s, STR_NONE) || !buf_str(out, buf_view(&s->head)) ||
			     !buf_text(out, ",\"content\":\"")))
		return false;
	s->in_piece = true;

	size_t from = out->len;
	if (!text_put(out, text))
		return false;
	return s->kind != SEGMENT_CODE || buf_add(&s->code, out->data + from, out->len - from);
}

/* The whole code is sent once more, so that a client can confirm it before it runs. */
static bool put_confirmation(struct lmc_stream *s)
{
	/* The head ends in the format: `{"role":"assistant","type":"code","format":"python"`. */
	static const char front[] = "{\"role\":\"assistant\",";
	struct str        rest = { s->head.data + strlen(front), s->head.len - strlen(front) };

	return open_block(s, STR_NONE) &&
	       buf_text(s->out, "{\"role\":\"computer\",\"type\":\"confirmation\","
				"\"format\":\"execution\",\"content\":{") &&
	       buf_str(s->out, rest) && buf_text(s->out, ",\"content\":\"") &&
	       buf_str(s->out, buf_view(&s->code)) && lmc_stream_end_block(s, "\"}}");
}

static bool segment_close(void *arg)
{
	struct lmc_stream *s = arg;

	if (!lmc_stream_put_flag(s, "end"))
		return false;
	s->open = false;
	return s->kind != SEGMENT_CODE || s->failed || put_confirmation(s);
}

static const struct segment_sink sink = { segment_open, segment_text, segment_close };

static void warn_media(struct lmc_stream *s)
{
	warnings_add(s->about.warnings, 0, "media_not_sent",
		     "a media part of the answer has no place in LMC messages");
}

/* keep_media: keeps an image until the end of the text, because images follow the text in messages
 * too. */
static bool keep_media(struct lmc_stream *s, struct str part)
{
	if (picture_is(part))
		return buf_text(&s->images, s->images.len > 0 ? "," : "[") &&
		       buf_str(&s->images, part);
	warn_media(s);
	return true;
}

static bool lmc_stream_put_image(struct lmc_stream *s, json_at part)
{
	struct media_picture p;

	buf_clear(&s->head);
	if (!buf_text(&s->head, "{\"role\":\"assistant\",\"type\":\"image\""))
		return false;
	if (!picture_read(&s->doc, part, &p)) {
		warn_media(s);
		return true;
	}
	bool ok = picture_format(&p, &s->head) && lmc_stream_put_flag(s, "start") &&
		  open_block(s, STR_NONE) && buf_str(s->out, buf_view(&s->head)) &&
		  picture_content(&p, s->out) && lmc_stream_end_block(s, "}") &&
		  lmc_stream_put_flag(s, "end");
	picture_finish(&p);
	return ok;
}

static bool lmc_stream_put_images(struct lmc_stream *s)
{
	struct err e;

	if (s->images.len == 0)
		return true;
	if (!buf_text(&s->images, "]") ||
	    json_scan(&s->doc, s->images.data, s->images.len, &json_limits_stored, &e) != ERR_OK)
		return false;
	JSON_EACH (i, &s->doc, 0)
		if (!lmc_stream_put_image(s, i))
			return false;
	buf_finish(&s->images);
	return true;
}

static bool end_turn(struct lmc_stream *s)
{
	if (s->ended)
		return true;
	s->ended = true;
	return speech_close(s->speech) && close_piece(s) && lmc_stream_put_images(s);
}

/* put_off: whether the printing of the held text would take a loop too long: then `rest` ends the turn. */
static bool put_off(struct lmc_stream *s)
{
	if (s->ended || s->encoder.rests || speech_held(s->speech) <= LIMIT_LOOP_JSON)
		return s->encoder.rests;
	s->rest = s->blocks.next;
	s->encoder.rests = true;
	return true;
}

/* --- events --- */

/* lmc_stream_decode: decodes the text of an event; most texts have no escapes. */
static bool lmc_stream_decode(struct lmc_stream *s, struct str escaped, struct str *ret)
{
	if (escaped.n == 0 || !memchr(escaped.p, '\\', escaped.n)) {
		*ret = escaped;
		return true;
	}
	buf_clear(&s->decoded);
	if (!text_add(&s->decoded, escaped))
		return false;
	*ret = buf_view(&s->decoded);
	return true;
}

static bool lmc_stream_feed(struct lmc_stream *s, const struct event *ev)
{
	struct str escaped = ev->kind == EVENT_TOOL_START ? ev->name : ev->text;
	struct str text;

	if (s->ended || s->encoder.rests)
		return true;
	if (!lmc_stream_decode(s, escaped, &text))
		return false;
	if (ev->kind == EVENT_TOOL_START)
		return speech_name(s->speech, ev->block, text);
	if (ev->kind == EVENT_TOOL_ARGS)
		return speech_args(s->speech, ev->block, text);
	return speech_text(s->speech, text);
}

/* lmc_stream_put_chunk: prints a chunk of the provider, and remembers the open segment, in case the
 * provider does not send its end. */
static bool lmc_stream_put_chunk(struct lmc_stream *s, struct str chunk)
{
	static const char flag[] = ",\"start\":true}";
	const size_t      flag_len = sizeof flag - 1;
	struct err        e;

	if (json_scan(&s->doc, chunk.p, chunk.n, &json_limits_upstream, &e) != ERR_OK)
		return false;
	bool starts = json_get(&s->doc, 0, "start") != JSON_ABSENT;
	bool ends = json_get(&s->doc, 0, "end") != JSON_ABSENT;

	if (starts) {
		/* Dialects print the flag last, as this file does. A damaged log may have it
		 * elsewhere. */
		if (chunk.n <= flag_len ||
		    memcmp(chunk.p + chunk.n - flag_len, flag, flag_len) != 0)
			return false;
		buf_clear(&s->head);
		if (!buf_add(&s->head, chunk.p, chunk.n - flag_len))
			return false;
	}
	if (!open_block(s, STR_NONE) || !buf_str(s->out, chunk) || !lmc_stream_end_block(s, ""))
		return false;
	s->open = starts || (s->open && !ends);
	return true;
}

static bool lmc_stream_print(struct lmc_stream *s, const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_TEXT:
	case EVENT_REFUSAL:
	case EVENT_TOOL_START:
	case EVENT_TOOL_ARGS: return ev->from_lmc || ev->choice != 0 || lmc_stream_feed(s, ev);
	case EVENT_LMC: return lmc_stream_put_chunk(s, ev->text);
	case EVENT_REASONING:
		if (!s->told_reasoning)
			warnings_add(s->about.warnings, 0, "reasoning_not_sent",
				     "the model's reasoning has no place in LMC messages");
		s->told_reasoning = true;
		return true;
	case EVENT_MEDIA:
		return ev->choice != 0 || s->ended || s->encoder.rests || keep_media(s, ev->text);
	case EVENT_FINISH:
		if (ev->choice != 0 || s->finish_reason[0])
			return true;
		if (ev->text.n < sizeof s->finish_reason)
			str_copy(s->finish_reason, sizeof s->finish_reason, ev->text);
		/* Held text is sent now, and does not wait for the disk. */
		return put_off(s) || end_turn(s);
	case EVENT_RESUMED:
		str_copy(s->resumed, sizeof s->resumed, ev->id);
		s->resumed_at = ev->block;
		return true;
	case EVENT_START:
	case EVENT_BLOCK_END:
	case EVENT_MESSAGE:
	case EVENT_ASKED:
	case EVENT_OTHER:
	case EVENT_USAGE:
	case EVENT_ERROR:
	case EVENT_END:
	case EVENT_STEP:
	case EVENT_EXECUTE:
	case EVENT_EXECUTED:
	case EVENT__COUNT: break;
	}
	return true;
}

static struct lmc_stream *lmc_stream_begin(struct encoder *n, uint64_t seq, struct buf *out)
{
	struct lmc_stream *s = container_of(n, struct lmc_stream, encoder);

	block_event(&s->blocks, seq);
	s->in_piece = false;
	s->out = out;
	s->whole = out->len;
	return s;
}

static bool lmc_event(struct encoder *n, const struct event *ev, uint64_t seq, struct buf *out)
{
	struct lmc_stream *s = lmc_stream_begin(n, seq, out);

	return lmc_stream_settle(s, lmc_stream_print(s, ev) && close_piece(s));
}

static bool lmc_rest(struct encoder *n, struct buf *out)
{
	if (!n->rests)
		return true;
	n->rests = false;

	struct lmc_stream *s = container_of(n, struct lmc_stream, encoder);
	(void)lmc_stream_begin(n, s->rest.seq, out);
	s->blocks.next = s->rest;
	return lmc_stream_settle(s, end_turn(s));
}

static void lmc_over(struct encoder *n, bool failed)
{
	struct lmc_stream *s = container_of(n, struct lmc_stream, encoder);

	/* A turn that a finish_reason has ended has its code, and the confirmation after it. */
	s->failed = s->failed || (failed && !s->ended && !n->rests);
	(void)!put_off(s);
}

/* --- the end --- */

static bool lmc_stream_usual(const char *finish_reason)
{
	return !finish_reason[0] || strcmp(finish_reason, "stop") == 0 ||
	       strcmp(finish_reason, "tool_calls") == 0;
}

static bool put_status(struct lmc_stream *s, struct str name)
{
	struct buf *out = s->out;

	if (!open_block(s, name) ||
	    !buf_text(out, "{\"role\":\"server\",\"type\":\"status\",\"content\":\"complete\""))
		return false;
	if (!lmc_stream_usual(s->finish_reason) &&
	    (!buf_text(out, ",\"finish_reason\":\"") || !buf_text(out, s->finish_reason) ||
	     !buf_text(out, "\"")))
		return false;
	if (s->resumed[0] && !chunk_resumed(str_of(s->resumed), s->resumed_at, out))
		return false;
	if (s->about.warnings && s->about.warnings->count > 0 &&
	    (!buf_text(out, ",\"warnings\":") || !warnings_print(s->about.warnings, out)))
		return false;
	return lmc_stream_end_block(s, "}");
}

static bool lmc_done(struct encoder *n, uint64_t seq, struct buf *out)
{
	lmc_over(n, false);

	bool               rest = lmc_rest(n, out);
	struct lmc_stream *s = lmc_stream_begin(n, seq, out);

	return lmc_stream_settle(s, rest && end_turn(s) && put_status(s, STR("done")) &&
					    block_end(&s->blocks, false, out));
}

static bool lmc_error(struct encoder *n, const struct err *e, struct str request_id, uint64_t seq,
		      struct buf *out)
{
	lmc_over(n, true);
	(void)!lmc_rest(n, out);

	struct lmc_stream *s = lmc_stream_begin(n, seq, out);

	s->failed = true;
	/* None, as in its row; a run that waited for an approval may be cancelled after its finish. */
	if (strcmp(err_wire(e), err_code_wire(ERR_CANCELLED)) == 0)
		s->finish_reason[0] = '\0';
	/* If the encoder itself has failed, its held text is lost, but an open segment gets its
	 * end. */
	(void)lmc_stream_settle(s, end_turn(s));
	return lmc_stream_settle(
		s, (!s->open || segment_close(s)) && open_block(s, STR_NONE) &&
			   buf_text(out, "{\"role\":\"server\",\"type\":\"error\","
					 "\"content\":") &&
			   err_object(e, request_id, out) && lmc_stream_end_block(s, "}") &&
			   put_status(s, STR("error")) && block_end(&s->blocks, true, out));
}

/* --- whole answers --- */

static bool has_text(const struct json_doc *d, const char *key)
{
	json_at i = json_get(d, 0, key);

	return i != JSON_ABSENT && json_kind(d, i) == JSON_STRING && json_inner(d, i).n > 0;
}

static bool lmc_stream_put_message(struct lmc_stream *s, struct str message, struct buf *messages)
{
	const struct to_lmc_options o = { .fences = s->about.fences,
					  .warnings = s->about.warnings };
	struct json_doc            *d = &s->doc;
	struct err                  e;

	if (json_scan(d, message.p, message.n, &json_limits_stored, &e) != ERR_OK ||
	    json_kind(d, 0) != JSON_OBJECT)
		return false;
	if (has_text(d, "reasoning_content") || has_text(d, "reasoning"))
		warnings_add(s->about.warnings, 0, "reasoning_not_sent",
			     "the model's reasoning has no place in LMC messages");
	enum errc rc = to_lmc_answer(d, 0, "message", 0, &o, messages, &e);
	if (rc == ERR_OK || rc == ERR_OVERLOADED)
		return rc == ERR_OK;
	/* A provider's message may break the rules for messages of clients. */
	warnings_add(s->about.warnings, 0, "not_shown", "%s: %s", e.path, e.text);
	return true;
}

static bool lmc_stream_put_whole(struct lmc_stream *s, const struct encoder_whole *w,
				 struct str messages)
{
	const struct encoder_about *a = &s->about;
	struct buf                 *out = s->out;
	char                        id[ID_MAX];

	if (!buf_text(out, "{\"object\":\"lmc.messages\","))
		return false;
	if (!id_none(a->conversation) &&
	    (!buf_text(out, "\"conversation\":\"") ||
	     !buf_str(out, id_text(a->conversation, ID_CONVERSATION, id)) || !buf_text(out, "\",")))
		return false;
	if (!buf_text(out, "\"run\":\"") || !buf_str(out, id_text(a->run, ID_RUN, id)) ||
	    !buf_text(out, "\",\"messages\":[") || !buf_str(out, messages) ||
	    !buf_text(out, "],\"finish_reason\":\"") || !buf_str(out, w->finish_reason) ||
	    !buf_text(out, "\""))
		return false;
	if (w->usage->known && (!buf_text(out, ",\"usage\":") || !chunk_usage(w->usage, out)))
		return false;
	if (a->warnings && a->warnings->count > 0 &&
	    (!buf_text(out, ",\"warnings\":") || !warnings_print(a->warnings, out)))
		return false;
	return buf_text(out, "}");
}

static bool lmc_whole(struct encoder *n, const struct encoder_whole *w, struct buf *out)
{
	struct lmc_stream *s = lmc_stream_begin(n, 0, out);
	size_t             start = out->len;
	struct buf         messages;

	buf_init(&messages, LIMIT_TRANSLATION);
	bool ok = w->lmc.n > 0 ? buf_str(&messages, w->lmc)
			       : lmc_stream_put_message(s, w->message, &messages);
	ok = ok && lmc_stream_put_whole(s, w, buf_view(&messages));
	buf_finish(&messages);
	if (!ok)
		out->len = start;
	return ok;
}

/* --- birth and death --- */

static void lmc_destroy(struct encoder *n)
{
	struct lmc_stream *s = container_of(n, struct lmc_stream, encoder);

	speech_destroy(s->speech);
	json_doc_finish(&s->doc);
	buf_finish(&s->decoded);
	buf_finish(&s->head);
	buf_finish(&s->code);
	buf_finish(&s->images);
	free(s);
}

static const struct encoder_ops lmc_ops = {
	.event = lmc_event,
	.done = lmc_done,
	.error = lmc_error,
	.whole = lmc_whole,
	.rest = lmc_rest,
	.over = lmc_over,
	.destroy = lmc_destroy,
};

struct encoder *lmc_stream_create(const struct encoder_about *about)
{
	struct lmc_stream *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->encoder.ops = &lmc_ops;
	s->about = *about;
	s->blocks = (struct blocks){ .framing = block_framing(about->framing, &framing_events),
				     .seen = about->seen };
	s->speech = speech_create(&(struct speech_options){
		.fences = about->fences,
		.sink = &sink,
		.arg = s,
		.warnings = about->warnings,
		.max = LIMIT_ANSWER,
	});
	if (!s->speech) {
		free(s);
		return NULL;
	}
	buf_init(&s->decoded, LIMIT_SSE_EVENT);
	buf_init(&s->head, LIMIT_SSE_EVENT);
	buf_init(&s->code, LIMIT_ANSWER);
	buf_init(&s->images, LIMIT_ANSWER);
	return &s->encoder;
}
