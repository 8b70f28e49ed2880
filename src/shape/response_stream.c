/* Prints the events of a Responses stream.
 *
 *   response.created, response.in_progress
 *     --> (output_item.added --> parts and deltas --> output_item.done)*
 *     --> response.completed | incomplete | (error -->) failed
 *
 * sequence_number counts the printed events from 0.  A later reader gets the same numbers, because
 * its encoder prints all events from the first on, and leaves out those that the reader has.
 *
 * After a crash, the log may lack the last events that were sent, and the number of the end tells
 * how many there may have been.  Then the count jumps: no number that a client has seen comes
 * again.
 * Source: OpenAI's API reference, "Streaming events". */
#include "shape/response.h"

#include "base/limits.h"
#include "shape/answer.h"

#include <stdlib.h>

/* One event of a run makes at most so many events of the stream: a piece opens an item and a part,
 * and both are closed later, each with one event for its text and one for itself.  A call closes a
 * message, and opens and closes reasoning before itself (shape/carry). */
enum { EVENTS_EACH = 9 };

struct response_stream {
	struct encoder       encoder;
	struct encoder_about about;
	struct response      r;
	bool                 begun;
	struct blocks        blocks;
	uint64_t             last_seq; /* number of the run's last event */
	struct response_pass pass;
	struct buf          *out; /* output of the current call */
};

/* --- one event --- */

static bool response_stream_put(struct response_stream *s, const char *text)
{
	return buf_text(s->out, text);
}

/* stream_open: the object stays open, after its number. */
static bool stream_open(struct response_stream *s, const char *type)
{
	return block_open(&s->blocks, str_of(type), s->out) &&
	       response_stream_put(s, "{\"type\":\"") && response_stream_put(s, type) &&
	       response_stream_put(s, "\",\"sequence_number\":") &&
	       buf_int(s->out, (int64_t)response_number(&s->blocks));
}

static bool stream_close(struct response_stream *s)
{
	return response_stream_put(s, "}") && response_block_close(&s->blocks, s->out);
}

static bool stream_put_quoted(struct response_stream *s, const char *before, struct str escaped)
{
	return response_stream_put(s, before) && response_stream_put(s, "\"") &&
	       buf_str(s->out, escaped) && response_stream_put(s, "\"");
}

/* --- events with the whole response --- */

static bool stream_put_response(struct response_stream *s, const char *type,
				const struct response_state *state)
{
	size_t size = state->over && s->r.bytes > LIMIT_LOOP_JSON ? s->r.bytes + 4 * KIB : 0;

	return buf_reserve(s->out, size) && stream_open(s, type) &&
	       response_stream_put(s, ",\"response\":") && response_print(&s->r, state, s->out) &&
	       stream_close(s);
}

static bool response_stream_begin(struct response_stream *s)
{
	const struct response_state state = { .status = "in_progress" };

	if (s->begun)
		return true;
	s->begun = true;
	return stream_put_response(s, "response.created", &state) &&
	       stream_put_response(s, "response.in_progress", &state);
}

/* --- events of items --- */

/* part_open: an event of a part, with the place of the part. */
static bool part_open(struct response_stream *s, const char *type, const struct response_item *i,
		      bool refusal)
{
	static const char *const index[RESPONSE_KIND__COUNT] = {
		[RESPONSE_REASONING] = ",\"summary_index\":",
		[RESPONSE_MESSAGE] = ",\"content_index\":",
	};
	bool second = refusal && i->said;

	return stream_open(s, type) && response_stream_put(s, ",\"item_id\":\"") &&
	       response_stream_put(s, i->id) && response_stream_put(s, "\",\"output_index\":") &&
	       buf_int(s->out, (int64_t)i->index) &&
	       (!index[i->kind] || (response_stream_put(s, index[i->kind]) &&
				    response_stream_put(s, second ? "1" : "0")));
}

static bool item_event(struct response_stream *s, const char *type, const struct response_item *i,
		       bool fresh)
{
	return stream_open(s, type) && response_stream_put(s, ",\"output_index\":") &&
	       buf_int(s->out, (int64_t)i->index) && response_stream_put(s, ",\"item\":") &&
	       response_print_item(i, fresh, s->out) && stream_close(s);
}

static bool content_part_event(struct response_stream *s, const char *type,
			       const struct response_item *i, bool refusal, bool fresh)
{
	return part_open(s, type, i, refusal) && response_stream_put(s, ",\"part\":") &&
	       response_print_part(i, refusal, fresh, s->out) && stream_close(s);
}

static bool summary_part_event(struct response_stream *s, const char *type,
			       const struct response_item *i, struct str text)
{
	return part_open(s, type, i, false) &&
	       stream_put_quoted(s, ",\"part\":{\"type\":\"summary_text\",\"text\":", text) &&
	       response_stream_put(s, "}") && stream_close(s);
}

static bool response_stream_opened(void *arg, struct response_item *i)
{
	struct response_stream *s = arg;

	return item_event(s, "response.output_item.added", i, true);
}

/* --- deltas --- */

/* stream_make_head: what all deltas of an item have before their numbers, made once. */
static bool stream_make_head(const struct response_stream *s, struct response_item *i)
{
	static const struct {
		const char *type;
		const char *index;
	} kinds[RESPONSE_KIND__COUNT] = {
		[RESPONSE_REASONING] = { "response.reasoning_summary_text.delta",
					 ",\"summary_index\":0" },
		[RESPONSE_MESSAGE] = { "response.output_text.delta", ",\"content_index\":0" },
		[RESPONSE_CALL] = { "response.function_call_arguments.delta", "" },
		[RESPONSE_CUSTOM] = { "response.custom_tool_call_input.delta", "" },
	};
	const char *type = kinds[i->kind].type;
	const char *index = kinds[i->kind].index;

	if (i->head.len > 0 ||
	    (block_head(&s->blocks, str_of(type), &i->head) &&
	     buf_fmt(&i->head,
		     "{\"type\":\"%s\",\"item_id\":\"%s\",\"output_index\":%zu%s,"
		     "\"sequence_number\":",
		     type, i->id, i->index, index)))
		return true;
	buf_clear(&i->head); /* or half of it would be taken for the head */
	return false;
}

static bool stream_put_logprobs(struct response_stream *s, const struct buf *elements)
{
	if (elements->len == 0)
		return response_stream_put(s, ",\"logprobs\":[]");
	return response_stream_put(s, ",\"logprobs\":[") && buf_str(s->out, buf_view(elements)) &&
	       response_stream_put(s, "]");
}

static bool response_stream_delta(struct response_stream *s, struct response_item *i,
				  struct str piece)
{
	struct buf *out = s->out;
	bool        told = i->kind == RESPONSE_MESSAGE;

	if (!stream_make_head(s, i) || !block_open_head(&s->blocks, &i->head, out) ||
	    !buf_int(out, (int64_t)response_number(&s->blocks)))
		return false;
	/* One text instead of two, because there is one of them for each event. */
	if (told && s->r.pending.len == 0 ? !buf_text(out, ",\"logprobs\":[],\"delta\":\"")
					  : ((told && !stream_put_logprobs(s, &s->r.pending)) ||
					     !buf_text(out, ",\"delta\":\"")))
		return false;
	return buf_str(out, piece) && buf_text(out, "\"}") && response_block_close(&s->blocks, out);
}

static bool refusal_delta(struct response_stream *s, const struct response_item *i,
			  struct str piece)
{
	return part_open(s, "response.refusal.delta", i, true) &&
	       stream_put_quoted(s, ",\"delta\":", piece) && stream_close(s);
}

static bool response_stream_grew(void *arg, struct response_item *i, bool refusal, bool first,
				 struct str piece)
{
	struct response_stream *s = arg;

	if (i->kind == RESPONSE_CUSTOM)
		return true;
	if (i->kind == RESPONSE_MESSAGE && first &&
	    !content_part_event(s, "response.content_part.added", i, refusal, true))
		return false;
	if (i->kind == RESPONSE_REASONING && first &&
	    !summary_part_event(s, "response.reasoning_summary_part.added", i, STR_NONE))
		return false;
	if (piece.n == 0)
		return true;
	return refusal ? refusal_delta(s, i, piece) : response_stream_delta(s, i, piece);
}

/* --- ends of items --- */

static bool response_stream_text_done(struct response_stream *s, const char *type,
				      const struct response_item *i, bool refusal,
				      const char *before, struct str text, const char *behind)
{
	return part_open(s, type, i, refusal) && stream_put_quoted(s, before, text) &&
	       response_stream_put(s, behind) && stream_close(s);
}

static bool message_closed(struct response_stream *s, const struct response_item *i)
{
	if (i->said && (!part_open(s, "response.output_text.done", i, false) ||
			!stream_put_quoted(s, ",\"text\":", buf_view(&i->text)) ||
			!stream_put_logprobs(s, &i->logprobs) || !stream_close(s) ||
			!content_part_event(s, "response.content_part.done", i, false, false)))
		return false;
	return i->refusal.len == 0 ||
	       (response_stream_text_done(s, "response.refusal.done", i, true,
					  ",\"refusal\":", buf_view(&i->refusal), "") &&
		content_part_event(s, "response.content_part.done", i, true, false));
}

static bool reasoning_closed(struct response_stream *s, const struct response_item *i)
{
	struct str text = buf_view(&i->text);

	return !i->said || (response_stream_text_done(s, "response.reasoning_summary_text.done", i,
						      false, ",\"text\":", text, "") &&
			    summary_part_event(s, "response.reasoning_summary_part.done", i, text));
}

static bool call_closed(struct response_stream *s, struct response_item *i)
{
	struct str text = buf_view(i->kind == RESPONSE_CUSTOM ? &i->input : &i->text);

	if (i->kind == RESPONSE_CUSTOM)
		return (text.n == 0 || response_stream_delta(s, i, text)) &&
		       response_stream_text_done(s, "response.custom_tool_call_input.done", i,
						 false, ",\"input\":", text, "");
	return part_open(s, "response.function_call_arguments.done", i, false) &&
	       stream_put_quoted(s, ",\"name\":", buf_view(&i->name)) &&
	       stream_put_quoted(s, ",\"arguments\":", text) && stream_close(s);
}

static bool response_stream_closed(void *arg, struct response_item *i)
{
	struct response_stream *s = arg;
	/* A buffer that doubles would copy a long text again and again. */
	size_t size = i->text.len + i->logprobs.len;
	bool   ok = size <= LIMIT_LOOP_JSON || buf_reserve(s->out, 3 * size + 4 * KIB);

	if (!ok)
		return false;
	switch (i->kind) {
	case RESPONSE_IMAGE: ok = true; break;
	case RESPONSE_REASONING: ok = reasoning_closed(s, i); break;
	case RESPONSE_MESSAGE: ok = message_closed(s, i); break;
	case RESPONSE_CALL:
	case RESPONSE_CUSTOM: ok = call_closed(s, i); break;
	case RESPONSE_KIND__COUNT: break;
	}
	return ok && item_event(s, "response.output_item.done", i, false);
}

static const struct response_watch response_stream_watch = {
	response_stream_opened,
	response_stream_grew,
	response_stream_closed,
};

/* --- the encoder --- */

static struct response_stream *response_stream_of(struct encoder *n, struct buf *out)
{
	struct response_stream *s = container_of(n, struct response_stream, encoder);

	s->out = out;
	return s;
}

/* puts_off: the ends of items repeat their texts three times; a worker prints those of long ones. */
static bool puts_off(struct response_stream *s, const struct event *ev)
{
	if (ev->kind != EVENT_FINISH || ev->choice != 0 || s->r.finished ||
	    s->r.bytes <= LIMIT_LOOP_JSON)
		return false;
	str_copy(s->r.finish, sizeof s->r.finish, ev->text);
	s->encoder.rests = true;
	return true;
}

static bool response_stream_rest(struct encoder *n, struct buf *out)
{
	struct response_stream *s = response_stream_of(n, out);
	size_t                  start = out->len;

	if (!n->rests)
		return true;
	n->rests = false;
	if (s->pass.on)
		return response_pass_ready(&s->pass, &s->r, n->ended_s);
	if (response_stream_begin(s) && response_end(&s->r))
		return true;
	out->len = start;
	return false;
}

static bool response_stream_take_passed(struct response_stream *s, const struct event *ev)
{
	s->begun = true;
	if (!response_pass_event(&s->pass, &s->r, ev, &s->blocks, s->out))
		return false;
	s->encoder.rests =
		s->r.finished && s->pass.object.len == 0 && s->pass.last.len > LIMIT_LOOP_JSON;
	return true;
}

static bool pass_done(struct response_stream *s)
{
	bool early = response_incomplete(&s->r);

	return response_pass_ready(&s->pass, &s->r, s->encoder.ended_s) &&
	       stream_open(s, early ? "response.incomplete" : "response.completed") &&
	       response_stream_put(s, ",\"response\":") &&
	       buf_str(s->out, buf_view(&s->pass.object)) && stream_close(s);
}

static bool response_stream_event(struct encoder *n, const struct event *ev, uint64_t seq,
				  struct buf *out)
{
	struct response_stream *s = response_stream_of(n, out);
	size_t                  start = out->len;

	s->last_seq = seq;
	if (ev->kind == EVENT_RESUMED && s->pass.on) {
		if (response_join(&s->pass, &s->r, &s->blocks, out))
			return true;
		out->len = start;
		return false;
	}
	if (n->raws && (s->pass.on || event_passed(ev, RAW_RESPONSES))) {
		if (response_stream_take_passed(s, ev))
			return true;
		out->len = start;
		return false;
	}
	if (puts_off(s, ev))
		return true;
	if (response_stream_begin(s) && response_event(&s->r, ev))
		return true;
	out->len = start;
	return false;
}

/* stream_jump: leaves out the numbers of events that may have been sent and were not logged. */
static void stream_jump(struct response_stream *s, uint64_t seq)
{
	if (seq > s->last_seq + 1)
		block_event(&s->blocks, s->blocks.next.seq +
						EVENTS_EACH * (seq - s->last_seq - 1 + s->r.count));
}

static bool response_stream_done(struct encoder *n, uint64_t seq, struct buf *out)
{
	struct response_stream *s = response_stream_of(n, out);
	size_t                  start = out->len;
	bool                    ok = response_stream_begin(s) && response_stream_rest(n, out) &&
		  (s->pass.on || response_end(&s->r));
	bool early = response_incomplete(&s->r);

	stream_jump(s, seq);
	if (s->pass.on) {
		ok = ok && pass_done(s) && block_end(&s->blocks, false, out);
		if (!ok)
			out->len = start;
		return ok;
	}
	ok = ok &&
	     stream_put_response(s, early ? "response.incomplete" : "response.completed",
				 &(struct response_state){
					 .status = early ? "incomplete" : "completed",
					 .over = true,
					 .completed_s = n->ended_s,
				 }) &&
	     block_end(&s->blocks, false, out);
	if (!ok)
		out->len = start;
	return ok;
}

/* put_error: clients of OpenAI's SDKs raise at this event; AI SDK and Codex read response.failed,
 * which follows. */
static bool response_stream_put_error(struct response_stream *s, const struct err *e,
				      struct str message, struct str request_id)
{
	return stream_open(s, "error") && response_stream_put(s, ",\"code\":\"") &&
	       response_stream_put(s, err_wire(e)) && response_stream_put(s, "\",\"message\":") &&
	       buf_str(s->out, message) && response_stream_put(s, ",\"param\":null,\"error\":") &&
	       err_object(e, request_id, s->out) && stream_close(s);
}

static bool response_stream_put_failed(struct response_stream *s, const struct err *e,
				       struct str message)
{
	bool cancelled = e->code == ERR_CANCELLED;

	return stream_put_response(
		s, "response.failed",
		&(struct response_state){
			.status = cancelled ? "cancelled" : "failed",
			.over = true,
			.error_code = cancelled ? NULL : response_code(str_of(err_wire(e))),
			.error_message = message,
		});
}

static bool response_stream_error(struct encoder *n, const struct err *e, struct str request_id,
				  uint64_t seq, struct buf *out)
{
	struct response_stream *s = response_stream_of(n, out);
	size_t                  start = out->len;
	struct buf              message;
	bool                    cancelled =
		e->code == ERR_CANCELLED || strcmp(err_wire(e), err_code_wire(ERR_CANCELLED)) == 0;
	struct err as = *e;

	if (cancelled)
		as.code = ERR_CANCELLED;
	buf_init(&message, 4 * KIB);
	bool ok = response_stream_rest(n, out) && response_stream_begin(s) &&
		  err_message(e, &message);
	stream_jump(s, seq);
	ok = ok && (cancelled || response_stream_put_error(s, e, buf_view(&message), request_id)) &&
	     response_stream_put_failed(s, &as, buf_view(&message)) &&
	     block_end(&s->blocks, true, out);
	buf_finish(&message);
	if (!ok)
		out->len = start;
	return ok;
}

/* --- plain answers --- */

static bool whole_take(void *arg, const struct event *ev)
{
	return response_event(arg, ev);
}

static bool response_stream_whole(struct encoder *n, const struct encoder_whole *w, struct buf *out)
{
	struct response_stream *s = response_stream_of(n, out);
	struct response        *r = &s->r;

	r->watch = NULL;
	r->max = LIMIT_UPSTREAM_BODY;
	if (n->raws && w->form == RAW_RESPONSES && w->raw.n > 0)
		return response_pass_whole(r, !id_none(s->about.conversation), w, n->ended_s, out);
	if (r->logprobs && w->form == RAW_OPENAI && !logprobs_add(w->raw, &r->pending))
		return false;
	if (!replay_answer(w->message, w->finish_reason, w->usage, whole_take, r))
		return false;
	return response_print(r,
			      &(struct response_state){
				      .status = response_incomplete(r) ? "incomplete" : "completed",
				      .over = true,
				      .completed_s = n->ended_s,
			      },
			      out);
}

/* --- birth and death --- */

static void response_stream_destroy(struct encoder *n)
{
	struct response_stream *s = container_of(n, struct response_stream, encoder);

	response_finish(&s->r);
	response_pass_finish(&s->pass);
	free(s);
}

static const struct encoder_ops response_stream_ops = {
	.event = response_stream_event,
	.done = response_stream_done,
	.error = response_stream_error,
	.whole = response_stream_whole,
	.rest = response_stream_rest,
	.destroy = response_stream_destroy,
};

struct encoder *response_stream_create(const struct encoder_about *about)
{
	struct response_stream *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->encoder.ops = &response_stream_ops;
	s->about = *about;
	s->blocks = (struct blocks){ .framing = block_framing(about->framing, &framing_named),
				     .seen = about->seen };
	block_event(&s->blocks, 1);
	response_pass_init(&s->pass, !id_none(about->conversation));
	/* A setting hides reasoning; then the items have to be numbered anew. */
	if (about->reasoning != REASONING_NONE)
		s->encoder.raws = 1u << RAW_RESPONSES;
	s->last_seq = 1; /* the first record of a log is EVENT_ASKED, which is not printed */
	if (!response_init(&s->r, about->run, about->created_s, about->settings, LIMIT_ANSWER)) {
		response_stream_destroy(&s->encoder);
		return NULL;
	}
	s->r.logprobs = about->logprobs;
	s->r.unthinking = about->reasoning == REASONING_NONE;
	s->r.carries = id_none(about->conversation);
	s->r.watch = &response_stream_watch;
	s->r.watch_arg = s;
	return &s->encoder;
}

bool response_stream_cursor(struct str text, struct cursor *ret)
{
	struct cursor last;

	if (!cursor_parse(text, &last) || last.nth > 0 || last.seq == UINT64_MAX)
		return false;
	*ret = (struct cursor){ .seq = last.seq + 1 };
	return true;
}
