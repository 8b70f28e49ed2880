/* Amazon Bedrock's Converse API: decodes streams and plain answers.
 *
 * A stream comes in Amazon's frames, whose names are:
 *
 *   messageStart --> (contentBlockStart? --> contentBlockDelta* --> contentBlockStop)*
 *                --> messageStop (stop reason) --> metadata (usage)
 *
 * Only calls have a contentBlockStart.  An exception may come at any time.  The stream is complete only after
 * messageStop; the usage follows it.  Source: Amazon's API reference, "ConverseStream", and the service model
 * bedrock-runtime. */
#include "provider/bedrock/bedrock.h"

#include "base/limits.h"
#include "provider/decode.h"
#include "provider/openai/openai.h"

#include <stddef.h>

enum { NO_BLOCK = -1 };

struct reader {
	int64_t      call;  /* the index of the open block, if it is a call; or NO_BLOCK */
	bool         begun; /* some of the call's arguments were given */
	struct usage usage;
	char         stop[64]; /* the stop reason; "": not known yet */
	struct buf   input;    /* scratch: arguments that came as an object, an image */
	struct buf   thought;  /* the text of the open block of thinking */
	struct buf   signature;
	struct buf   thoughts; /* blocks of thinking for the next call; a comma before each */
};

static const struct decode_state reader_state = {
	.size = sizeof(struct reader),
	.bufs = {
		{ offsetof(struct reader, input), 2 * (size_t)LIMIT_ANSWER },
		{ offsetof(struct reader, thought), LIMIT_ANSWER },
		{ offsetof(struct reader, signature), LIMIT_ANSWER },
		{ offsetof(struct reader, thoughts), LIMIT_ANSWER },
	},
};

static struct reader *bedrock_reader(struct decode *d)
{
	bool           fresh = !d->state;
	struct reader *r = decode_state(d, &reader_state);

	if (fresh && r)
		r->call = NO_BLOCK;
	return r;
}

/* bedrock_member: a member that must be an object; JSON_ABSENT if it is absent or null. */
static enum errc bedrock_member(const struct json_doc *doc, json_at obj, const char *key,
				json_at *ret, struct err *e)
{
	json_at i = json_get_some(doc, obj, key);

	*ret = i;
	if (i == JSON_ABSENT || json_kind(doc, i) == JSON_OBJECT)
		return ERR_OK;
	*ret = JSON_ABSENT;
	return err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL,
		       "the provider sent a %s that is no object", key);
}

/* --- usage and the end --- */

/* read_hour: what was written to the cache for an hour. */
static int64_t read_hour(const struct json_doc *doc, json_at usage)
{
	json_at list = json_get(doc, usage, "cacheDetails");
	int64_t n = 0;

	if (json_is_kind(doc, list, JSON_ARRAY))
		JSON_EACH (i, doc, list)
			if (json_is_kind(doc, i, JSON_OBJECT) && json_get_is(doc, i, "ttl", "1h"))
				n += decode_count(doc, i, "inputTokens");
	return n;
}

/* bedrock_read_usage: the API's inputTokens do not include the tokens that were read from the cache or written
 * to it; ours do. */
static enum errc bedrock_read_usage(struct decode *d, struct reader *r, struct err *e)
{
	const struct json_doc *doc = d->doc;
	struct usage          *u = &r->usage;
	json_at                at, tier;
	int64_t                fresh = 0, out = 0;
	enum errc              rc = bedrock_member(doc, 0, "usage", &at, e);

	if (rc == ERR_OK)
		rc = bedrock_member(doc, 0, "serviceTier", &tier, e);
	if (rc != ERR_OK || at == JSON_ABSENT)
		return rc;
	bool ok = decode_count_some(doc, at, "inputTokens", &fresh) &&
		  decode_count_some(doc, at, "outputTokens", &out);
	u->cached_read = decode_count(doc, at, "cacheReadInputTokens");
	u->cached_write = decode_count(doc, at, "cacheWriteInputTokens");
	u->cached_hour = usage_small(read_hour(doc, at));
	u->in = fresh + u->cached_read + u->cached_write;
	u->out = out;
	u->known = ok;
	if (tier != JSON_ABSENT)
		u->class = (uint8_t)usage_class_of(json_get_inner(doc, tier, "type"));
	d->told = *u;
	return ERR_OK;
}

/* A stop reason in OpenAI's words; NULL: the model stopped without a usable answer. */
static const struct {
	const char *reason, *word;
} reasons[] = {
	{ "end_turn", "stop" },
	{ "stop_sequence", "stop" },
	{ "max_tokens", "length" },
	{ "model_context_window_exceeded", "length" },
	{ "tool_use", "tool_calls" },
	{ "guardrail_intervened", "content_filter" },
	{ "content_filtered", "content_filter" },
	{ "malformed_model_output", NULL },
	{ "malformed_tool_use", NULL },
};

static enum errc bedrock_read_stop(struct reader *r, struct str reason, struct err *e)
{
	if (reason.n == 0 || reason.n >= sizeof r->stop)
		return decode_bad(e, "a stopReason that is no word");
	for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
		if (str_is(reason, reasons[i].reason) && !reasons[i].word) {
			err_set(e, ERR_UPSTREAM_ERROR, NULL,
				"the provider ended the answer with %.*s", STR_ARG(reason));
			str_copy(e->wire, sizeof e->wire, reason);
			return e->code;
		}
	str_copy(r->stop, sizeof r->stop, reason);
	return ERR_OK;
}

static void bedrock_give_end(struct decode *d, const struct reader *r)
{
	struct str native = str_of(r->stop);
	struct str word = native;

	for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
		if (str_is(native, reasons[i].reason))
			word = str_of(reasons[i].word);
	decode_end(d, word, native, &r->usage);
}

/* --- thinking, which must be sent back with the calls that it led to --- */

/* keep_thought: keeps a block of thinking, as Anthropic's API has it.  Without a signature it could not be sent
 * back. */
static bool keep_thought(struct reader *r)
{
	bool ok = r->signature.len == 0 ||
		  (buf_text(&r->thoughts, ",{\"type\":\"thinking\",\"thinking\":\"") &&
		   buf_str(&r->thoughts, buf_view(&r->thought)) &&
		   buf_text(&r->thoughts, "\",\"signature\":\"") &&
		   buf_str(&r->thoughts, buf_view(&r->signature)) && buf_text(&r->thoughts, "\"}"));

	buf_clear(&r->thought);
	buf_clear(&r->signature);
	return ok;
}

/* take_thought: the members of a block or of a piece of one. */
static enum errc take_thought(struct decode *d, struct reader *r, json_at at, struct err *e)
{
	struct str text, signature, redacted;

	if (!decode_text(d->doc, at, "text", &text) ||
	    !decode_text(d->doc, at, "signature", &signature) ||
	    !decode_text(d->doc, at, "redactedContent", &redacted))
		return decode_bad(e, "a piece of reasoning that is no string");
	decode_piece(d, EVENT_REASONING, text);
	bool ok = buf_str(&r->thought, text) && buf_str(&r->signature, signature);
	if (ok && redacted.n > 0)
		ok = buf_text(&r->thoughts, ",{\"type\":\"redacted_thinking\",\"data\":\"") &&
		     buf_str(&r->thoughts, redacted) && buf_text(&r->thoughts, "\"}");
	return ok ? ERR_OK : err_no_memory(e);
}

/* --- calls --- */

static void bedrock_give_args(struct decode *d, struct reader *r, struct str args)
{
	if (args.n == 0)
		return;
	r->begun = true;
	decode_give(d, (struct event){
			       .kind = EVENT_TOOL_ARGS, .block = d->next_tool - 1, .text = args });
}

/* bedrock_give_call: gives the start of a call, with the blocks of thinking before it. */
static enum errc bedrock_give_call(struct decode *d, struct reader *r, json_at call, int64_t block,
				   struct err *e)
{
	struct event ev = { .kind = EVENT_TOOL_START, .block = d->next_tool };
	char         made[ID_MAX];

	if (!decode_text(d->doc, call, "toolUseId", &ev.id) ||
	    !decode_text(d->doc, call, "name", &ev.name) || ev.name.n == 0)
		return decode_bad(e, "a toolUse without a name");
	if (d->next_tool == LIMIT_TOOLS)
		return decode_bad(e, "too many tool calls");
	if (ev.id.n == 0)
		ev.id = decode_made_id(made);
	buf_clear(&r->input);
	if (r->thoughts.len > 0) {
		struct str all = { r->thoughts.data + 1, r->thoughts.len - 1 };

		if (!buf_text(&r->input, "{\"anthropic\":{\"thinking_blocks\":[") ||
		    !buf_str(&r->input, all) || !buf_text(&r->input, "]}}"))
			return err_no_memory(e);
		ev.text = buf_view(&r->input);
	}
	decode_give(d, ev);
	d->next_tool++;
	buf_clear(&r->thoughts);
	r->call = block;
	r->begun = false;
	return ERR_OK;
}

/* bedrock_end_call: a call without arguments streams none, but clients parse the arguments as JSON. */
static void bedrock_end_call(struct decode *d, struct reader *r)
{
	if (!r->begun)
		bedrock_give_args(d, r, STR("{}"));
	decode_give(d, (struct event){ .kind = EVENT_BLOCK_END, .block = d->next_tool - 1 });
	r->call = NO_BLOCK;
}

/* --- images that models make --- */

/* bedrock_give_image: in the form in which OpenRouter gives images of models. */
static enum errc bedrock_give_image(struct decode *d, struct reader *r, struct str format,
				    json_at image, struct err *e)
{
	json_at    source = json_get_some(d->doc, image, "source");
	struct str bytes = json_is_kind(d->doc, source, JSON_OBJECT)
				   ? json_get_inner(d->doc, source, "bytes")
				   : STR_NONE;

	if (bytes.n == 0)
		return ERR_OK;
	buf_clear(&r->input);
	if (!buf_text(&r->input, "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/") ||
	    !buf_str(&r->input, format) || !buf_text(&r->input, ";base64,") ||
	    !buf_str(&r->input, bytes) || !buf_text(&r->input, "\"}}"))
		return err_no_memory(e);
	r->usage.images++;
	decode_give(d, (struct event){ .kind = EVENT_MEDIA, .text = buf_view(&r->input) });
	return ERR_OK;
}

/* --- a stream --- */

static enum errc bedrock_begin_block(struct decode *d, struct reader *r, struct err *e)
{
	json_at   start, call;
	int64_t   block = 0;
	enum errc rc = bedrock_member(d->doc, 0, "start", &start, e);

	if (rc == ERR_OK && start != JSON_ABSENT)
		rc = bedrock_member(d->doc, start, "toolUse", &call, e);
	if (rc != ERR_OK || start == JSON_ABSENT || call == JSON_ABSENT)
		return rc;
	/* Blocks follow each other; a call that was not closed ends with the next. */
	if (r->call != NO_BLOCK)
		bedrock_end_call(d, r);
	decode_count_some(d->doc, 0, "contentBlockIndex", &block);
	return bedrock_give_call(d, r, call, block, e);
}

static enum errc add_args(struct decode *d, struct reader *r, json_at call, struct err *e)
{
	int64_t    block = 0;
	struct str args;

	decode_count_some(d->doc, 0, "contentBlockIndex", &block);
	if (r->call != block)
		return decode_bad(e, "the input of a call that has not begun");
	if (!decode_text(d->doc, call, "input", &args))
		return decode_bad(e, "a piece of a call's input that is no string");
	bedrock_give_args(d, r, args);
	return ERR_OK;
}

static enum errc bedrock_add_delta(struct decode *d, struct reader *r, struct err *e)
{
	json_at    delta, call = JSON_ABSENT, thought = JSON_ABSENT, image = JSON_ABSENT;
	struct str text = STR_NONE;
	enum errc  rc = bedrock_member(d->doc, 0, "delta", &delta, e);

	if (rc != ERR_OK || delta == JSON_ABSENT)
		return rc;
	rc = bedrock_member(d->doc, delta, "toolUse", &call, e);
	if (rc == ERR_OK)
		rc = bedrock_member(d->doc, delta, "reasoningContent", &thought, e);
	if (rc == ERR_OK)
		rc = bedrock_member(d->doc, delta, "image", &image, e);
	if (rc == ERR_OK && !decode_text(d->doc, delta, "text", &text))
		rc = decode_bad(e, "a piece of an answer that is no string");
	if (rc != ERR_OK)
		return rc;
	decode_piece(d, EVENT_TEXT, text);
	if (thought != JSON_ABSENT)
		rc = take_thought(d, r, thought, e);
	if (rc == ERR_OK && image != JSON_ABSENT)
		rc = bedrock_give_image(d, r, STR("png"), image, e);
	return rc == ERR_OK && call != JSON_ABSENT ? add_args(d, r, call, e) : rc;
}

static enum errc bedrock_end_block(struct decode *d, struct reader *r, struct err *e)
{
	if (r->call != NO_BLOCK)
		bedrock_end_call(d, r);
	return keep_thought(r) ? ERR_OK : err_no_memory(e);
}

static enum errc bedrock_take_event(struct decode *d, struct reader *r, struct str name,
				    struct err *e)
{
	enum errc rc = ERR_OK;

	if (str_starts(name, STR("contentBlock")) || str_is(name, "messageStart"))
		decode_start(d, STR_NONE, STR_NONE);
	if (str_is(name, "contentBlockStart")) {
		rc = bedrock_begin_block(d, r, e);
	} else if (str_is(name, "contentBlockDelta")) {
		rc = bedrock_add_delta(d, r, e);
	} else if (str_is(name, "contentBlockStop")) {
		rc = bedrock_end_block(d, r, e);
	} else if (str_is(name, "messageStop")) {
		decode_start(d, STR_NONE, STR_NONE);
		rc = bedrock_end_block(d, r, e);
		if (rc == ERR_OK)
			rc = bedrock_read_stop(r, json_get_inner(d->doc, 0, "stopReason"), e);
	} else if (str_is(name, "metadata")) {
		rc = bedrock_read_usage(d, r, e);
		if (rc == ERR_OK && r->stop[0]) {
			d->done_mark = true;
			bedrock_give_end(d, r);
		}
	}
	return rc;
}

static enum errc bedrock_decode_event(struct decode *d, struct str name, struct str data,
				      struct err *e)
{
	struct reader *r = bedrock_reader(d);

	if (!r)
		return err_no_memory(e);
	if (d->done_mark)
		return ERR_OK;
	if (bedrock_is_fault(name) && r->stop[0]) {
		d->done_mark = true; /* the answer is whole, and its usage will not come */
		bedrock_give_end(d, r);
		return ERR_OK;
	}
	if (bedrock_is_fault(name))
		return bedrock_fault(d, name, data, e);
	enum errc rc = openai_scan_event(d, STR_NONE, data, e);
	if (rc != ERR_OK)
		return rc;
	if (json_kind(d->doc, 0) != JSON_OBJECT)
		return decode_bad(e, "a stream event that is no JSON object");
	return bedrock_take_event(d, r, name, e);
}

/* bedrock_over: the usage did not come; the answer is whole nevertheless. */
static void bedrock_over(struct decode *d, bool well)
{
	struct reader *r = d->state;

	(void)well;
	if (r && r->stop[0] && !d->finished)
		bedrock_give_end(d, r);
}

/* --- the plain answer --- */

/* give_citations: the text that has sources, which is all that clients of other APIs have a place for. */
static enum errc give_citations(struct decode *d, json_at block, struct err *e)
{
	json_at    list = json_get_some(d->doc, block, "content");
	struct str text;

	if (!json_is_kind(d->doc, list, JSON_ARRAY))
		return ERR_OK;
	JSON_EACH (i, d->doc, list) {
		if (!json_is_kind(d->doc, i, JSON_OBJECT) || !decode_text(d->doc, i, "text", &text))
			return decode_bad(e, "a text with sources that is no string");
		decode_piece(d, EVENT_TEXT, text);
	}
	return ERR_OK;
}

static enum errc give_whole_call(struct decode *d, struct reader *r, json_at call, struct err *e)
{
	struct str args = STR_NONE;
	enum errc  rc = bedrock_give_call(d, r, call, 0, e);

	if (rc == ERR_OK)
		rc = decode_args(d->doc, json_get_some(d->doc, call, "input"), &r->input, &args, e);
	if (rc != ERR_OK)
		return rc;
	bedrock_give_args(d, r, args);
	bedrock_end_call(d, r);
	return ERR_OK;
}

static enum errc give_thought(struct decode *d, struct reader *r, json_at thought, struct err *e)
{
	json_at   text;
	enum errc rc = bedrock_member(d->doc, thought, "reasoningText", &text, e);

	if (rc == ERR_OK)
		rc = take_thought(d, r, text != JSON_ABSENT ? text : thought, e);
	return rc != ERR_OK || keep_thought(r) ? rc : err_no_memory(e);
}

static enum errc give_block(struct decode *d, struct reader *r, json_at block, struct err *e)
{
	const struct json_doc *doc = d->doc;
	json_at                call, thought, image, cited;
	struct str             text;

	if (json_kind(doc, block) != JSON_OBJECT || !decode_text(doc, block, "text", &text))
		return decode_bad(e, "a block of content that is no object with a text");
	enum errc rc = bedrock_member(doc, block, "toolUse", &call, e);
	if (rc == ERR_OK)
		rc = bedrock_member(doc, block, "reasoningContent", &thought, e);
	if (rc == ERR_OK)
		rc = bedrock_member(doc, block, "image", &image, e);
	if (rc == ERR_OK)
		rc = bedrock_member(doc, block, "citationsContent", &cited, e);
	if (rc != ERR_OK)
		return rc;
	decode_piece(d, EVENT_TEXT, text);
	if (thought != JSON_ABSENT)
		return give_thought(d, r, thought, e);
	if (image != JSON_ABSENT)
		return bedrock_give_image(d, r, json_get_inner(doc, image, "format"), image, e);
	if (cited != JSON_ABSENT)
		return give_citations(d, cited, e);
	return call != JSON_ABSENT ? give_whole_call(d, r, call, e) : ERR_OK;
}

static enum errc bedrock_read_message(struct decode *d, struct reader *r, struct err *e)
{
	const struct json_doc *doc = d->doc;
	json_at                output, message = JSON_ABSENT;
	enum errc              rc = bedrock_member(doc, 0, "output", &output, e);

	if (rc == ERR_OK && output != JSON_ABSENT)
		rc = bedrock_member(doc, output, "message", &message, e);
	if (rc != ERR_OK)
		return rc;
	json_at content =
		message != JSON_ABSENT ? json_get_some(doc, message, "content") : JSON_ABSENT;
	if (!json_is_kind(doc, content, JSON_ARRAY))
		return decode_bad(e, "an answer without content");
	decode_start(d, STR_NONE, STR_NONE);
	for (json_at i = json_first(doc, content); rc == ERR_OK && i != json_end(doc, content);
	     i = json_next(doc, i))
		rc = give_block(d, r, i, e);
	if (rc == ERR_OK)
		rc = bedrock_read_stop(r, json_get_inner(doc, 0, "stopReason"), e);
	if (rc == ERR_OK)
		rc = bedrock_read_usage(d, r, e);
	if (rc == ERR_OK)
		bedrock_give_end(d, r);
	return rc;
}

static enum errc bedrock_decode_whole(struct decode *d, struct str body, struct err *e)
{
	struct reader *r = bedrock_reader(d);
	struct whole   w;

	if (!r)
		return err_no_memory(e);
	if (openai_scan_object(d, body, e) != ERR_OK)
		return e->code;
	if (json_get_some(d->doc, 0, "__type") != JSON_ABSENT) {
		bedrock_decode_error(d, 500, body, e);
		return e->code;
	}
	whole_begin(&w, d);
	return whole_end(&w, bedrock_read_message(d, r, e), e);
}

/* --- place --- */

static bool bedrock_place(const struct provider_options *o, const struct prompt *p, struct buf *out)
{
	(void)o;
	return buf_text(out, "/model/") && place_segment(out, p->model) &&
	       buf_text(out, p->stream ? "/converse-stream" : "/converse");
}

const struct dialect dialect_bedrock = {
	.name = "bedrock",
	.names = NAMES_BRIEF,
	.takes = PROVIDER_IMAGES | PROVIDER_AUDIO | PROVIDER_PDF | PROVIDER_TOP_K | PROVIDER_CACHE |
		 PROVIDER_CACHE_ALL | PROVIDER_TIER,
	.path = "/model",
	.root = "/v1",
	.place = bedrock_place,
	.framing = &upstream_aws_frames,
	.encode = bedrock_encode,
	.decode_event = bedrock_decode_event,
	.over = bedrock_over,
	.decode_whole = bedrock_decode_whole,
	.decode_error = bedrock_decode_error,
	.finish = decode_state_finish,
};
