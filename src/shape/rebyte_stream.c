/* Prints the events of a run as Rebyte's: {"type":…,"content":{…}}.
 *
 *   run_status (running), tokens …, block_execution, run_status (succeeded), final, [DONE]
 *
 * Blocks have no numbers: this API can't continue a stream. */
#include "shape/encoders.h"

#include "json/scan.h"

#include <stdlib.h>

#define BLOCK "\"block_type\":\"llm_chat\",\"block_name\":\"MODEL_CALL\""

struct rebyte_stream {
	struct encoder       encoder;
	struct encoder_about about;
	struct blocks        blocks;
	struct rebyte_value  value;
	bool                 begun; /* the first block was printed */
	bool                 bare;  /* a plain answer is its text alone */
	char                 run[ID_MAX];
};

static struct rebyte_stream *rebyte_stream_of(struct encoder *n)
{
	return container_of(n, struct rebyte_stream, encoder);
}

static bool rebyte_stream_open(struct rebyte_stream *s, const char *type, struct buf *out)
{
	return block_open(&s->blocks, STR_NONE, out) && buf_text(out, "{\"type\":\"") &&
	       buf_text(out, type) && buf_text(out, "\",\"content\":");
}

static bool rebyte_stream_close(struct rebyte_stream *s, const char *rest, struct buf *out)
{
	return buf_text(out, rest) && block_close(&s->blocks, out);
}

static bool rebyte_stream_put_status(struct rebyte_stream *s, const char *status, struct buf *out)
{
	return rebyte_stream_open(s, "run_status", out) &&
	       buf_fmt(out, "{\"status\":\"%s\",\"run_id\":\"%s\"", status, s->run) &&
	       (id_none(s->about.conversation) ||
		buf_fmt(out, ",\"thread_id\":\"%s\"",
			id_text(s->about.conversation, ID_CONVERSATION, (char[ID_MAX]){ 0 }).p)) &&
	       rebyte_stream_close(s, "}}", out);
}

static bool rebyte_begin(struct rebyte_stream *s, struct buf *out)
{
	if (s->begun)
		return true;
	s->begun = true;
	return rebyte_stream_put_status(s, "running", out);
}

/* rebyte_stream_put_tokens: type: its own text, or the arguments of a call. */
static bool rebyte_stream_put_tokens(struct rebyte_stream *s, const char *type, struct str text,
				     struct buf *out)
{
	return rebyte_stream_open(s, type, out) &&
	       buf_text(out, "{" BLOCK ",\"input_index\":0,\"map\":null,\"tokens\":{\"text\":\"") &&
	       buf_str(out, text) && rebyte_stream_close(s, "\"}}}", out);
}

static bool rebyte_stream_put_function(struct rebyte_stream *s, struct str name, struct buf *out)
{
	return rebyte_stream_open(s, "function_call", out) &&
	       buf_text(out, "{" BLOCK
			     ",\"input_index\":0,\"map\":null,\"function_call\":{\"name\":\"") &&
	       buf_str(out, name) && rebyte_stream_close(s, "\"}}}", out);
}

static bool rebyte_stream_put(struct rebyte_stream *s, const struct event *ev, struct buf *out)
{
	switch (ev->kind) {
	case EVENT_TEXT:
	case EVENT_REFUSAL:
		return rebyte_begin(s, out) && rebyte_stream_put_tokens(s, "tokens", ev->text, out);
	case EVENT_TOOL_START:
		return rebyte_begin(s, out) && rebyte_stream_put_function(s, ev->name, out);
	case EVENT_TOOL_ARGS:
		return rebyte_begin(s, out) &&
		       rebyte_stream_put_tokens(s, "function_call_arguments_tokens", ev->text, out);
	case EVENT_START: return rebyte_begin(s, out);
	case EVENT_REASONING:
	case EVENT_BLOCK_END:
	case EVENT_MEDIA:
	case EVENT_MESSAGE:
	case EVENT_LMC:
	case EVENT_ASKED:
	case EVENT_OTHER:
	case EVENT_USAGE:
	case EVENT_FINISH:
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

static bool rebyte_stream_event(struct encoder *n, const struct event *ev, uint64_t seq,
				struct buf *out)
{
	struct rebyte_stream *s = rebyte_stream_of(n);
	size_t                start = out->len;
	bool                  begun = s->begun;

	(void)seq;
	if (ev->choice != 0 || (rebyte_stream_put(s, ev, out) && rebyte_value_event(&s->value, ev)))
		return true;
	out->len = start;
	s->begun = begun;
	return false;
}

/* rebyte_stream_put_final: the stream ends in the same way after a failure. */
static bool rebyte_stream_put_final(struct rebyte_stream *s, const char *status, struct buf *out)
{
	return rebyte_stream_put_status(s, status, out) && rebyte_stream_open(s, "final", out) &&
	       rebyte_stream_close(s, "{}}", out) && block_done(&s->blocks, 0, out);
}

static bool rebyte_stream_done(struct encoder *n, uint64_t seq, struct buf *out)
{
	struct rebyte_stream *s = rebyte_stream_of(n);
	size_t                start = out->len;

	(void)seq;
	if (rebyte_begin(s, out) && rebyte_stream_open(s, "block_execution", out) &&
	    buf_text(out, "{" BLOCK ",\"execution\":") && rebyte_value_print(&s->value, out) &&
	    rebyte_stream_close(s, "}}", out) && rebyte_stream_put_final(s, "succeeded", out))
		return true;
	out->len = start;
	return false;
}

static bool rebyte_stream_put_error(struct rebyte_stream *s, const struct err *e, struct buf *out)
{
	return rebyte_stream_open(s, "block_execution", out) &&
	       buf_text(out, "{" BLOCK ",\"execution\":[[{\"value\":null,\"error\":") &&
	       err_message(e, out) && rebyte_stream_close(s, "}]]}}", out);
}

static bool rebyte_stream_error(struct encoder *n, const struct err *e, struct str request_id,
				uint64_t seq, struct buf *out)
{
	struct rebyte_stream *s = rebyte_stream_of(n);
	size_t                start = out->len;

	(void)seq;
	if (rebyte_begin(s, out) && rebyte_stream_put_error(s, e, out) &&
	    rebyte_stream_open(s, "error", out) && rebyte_error_put(e, request_id, out) &&
	    rebyte_stream_close(s, "}", out) && rebyte_stream_put_final(s, "errored", out))
		return true;
	out->len = start;
	return false;
}

/* --- a whole answer --- */

static bool rebyte_stream_put_whole(const struct rebyte_stream *s, const struct rebyte_value *v,
				    const struct usage *usage, struct buf *out)
{
	char conversation[ID_MAX];

	return buf_fmt(out, "{\"run_id\":\"%s\",\"run\":{\"id\":\"%s\",\"created_at\":%lld", s->run,
		       s->run, (long long)s->about.created_s) &&
	       (id_none(s->about.conversation) ||
		buf_fmt(out, ",\"thread_id\":\"%s\"",
			id_text(s->about.conversation, ID_CONVERSATION, conversation).p)) &&
	       buf_text(out, ",\"agent_id\":") && buf_json_string(out, s->about.model) &&
	       buf_text(out, ",\"status\":\"succeeded\",\"results\":") &&
	       rebyte_value_print(v, out) && buf_text(out, "},\"error\":null") &&
	       (!usage->known || (buf_text(out, ",\"usage\":") && chunk_usage(usage, out))) &&
	       buf_text(out, "}");
}

static bool rebyte_stream_whole(struct encoder *n, const struct encoder_whole *w, struct buf *out)
{
	struct rebyte_stream *s = rebyte_stream_of(n);
	struct rebyte_value   v;
	size_t                start = out->len;

	rebyte_value_init(&v);
	bool ok = (w->message.n == 0 || rebyte_value_read(&v, w->message)) &&
		  (s->bare ? json_unescape(buf_view(&v.text), out)
			   : rebyte_stream_put_whole(s, &v, w->usage, out));
	rebyte_value_finish(&v);
	if (!ok)
		out->len = start;
	return ok;
}

/* --- birth and death --- */

static void rebyte_stream_destroy(struct encoder *n)
{
	struct rebyte_stream *s = rebyte_stream_of(n);

	rebyte_value_finish(&s->value);
	free(s);
}

static const struct encoder_ops rebyte_stream_ops = {
	.event = rebyte_stream_event,
	.done = rebyte_stream_done,
	.error = rebyte_stream_error,
	.whole = rebyte_stream_whole,
	.destroy = rebyte_stream_destroy,
};

struct encoder *rebyte_stream_create(const struct encoder_about *about)
{
	struct rebyte_stream *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->encoder.ops = &rebyte_stream_ops;
	s->about = *about;
	s->blocks.framing = block_framing(about->framing, &framing_plain);
	s->bare = str_is(about->settings, REBYTE_CONTENT_ONLY);
	(void)id_text(about->run, ID_RUN, s->run);
	rebyte_value_init(&s->value);
	return &s->encoder;
}
