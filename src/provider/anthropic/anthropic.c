/* Anthropic's Messages API: decodes streams and plain answers.
 *
 * A stream, in the API's own words; blocks follow each other, each between its start and stop:
 *
 *   message_start --> (content_block_start --> content_block_delta* --> content_block_stop)*
 *                 --> message_delta (stop reason, usage) --> message_stop
 *
 * ping and error may come at any time. The stream is complete only after message_stop. Source:
 * Anthropic's API reference, "Streaming Messages". */
#include "provider/anthropic/anthropic.h"

#include "base/limits.h"
#include "shape/api_words.h"
#include "provider/openai/openai.h"
#include "provider/decode.h"

#include <stddef.h>

/* Tokens: the input that was not in the cache; the input read from it, and written to it, of the
 * latter for five minutes and for an hour; and the output that is thinking. */
struct counts {
	int64_t fresh, read, written, minutes, hour, thought;
};

struct reader {
	bool          call;  /* the open block is a call */
	bool          begun; /* some of the call's arguments were given */
	struct counts counts;
	struct usage  usage;
	char          stop[64]; /* the stop reason; "": not known yet */
	struct buf    input;    /* scratch: arguments that came as an object */
	bool          thinks;   /* the open block is of thinking */
	struct buf    thought;  /* its text */
	struct buf    signature;
	struct buf    thoughts; /* blocks of thinking for the next call; a comma before each */
	struct buf    chunk;    /* the event, where it came in another form */
};

static const struct decode_state reader_state = {
	.size = sizeof(struct reader),
	.bufs = {
		{ offsetof(struct reader, input), 2 * (size_t)LIMIT_ANSWER },
		{ offsetof(struct reader, thought), LIMIT_ANSWER },
		{ offsetof(struct reader, signature), LIMIT_ANSWER },
		{ offsetof(struct reader, thoughts), LIMIT_ANSWER },
		{ offsetof(struct reader, chunk), LIMIT_SSE_EVENT },
	},
};

/* --- usage and stop reason --- */

/* Each event repeats totals.  A total replaces the one before; one that is left out, or is 0, as some
 * servers write in their last event, stays. */
static bool anthropic_read_count(const struct json_doc *doc, json_at obj, const char *key,
				 int64_t *ret)
{
	int64_t n = 0;
	bool    ok = decode_count_some(doc, obj, key, &n);

	if (n > 0)
		*ret = n;
	return ok;
}

static void anthropic_read_parts(struct counts *c, const struct json_doc *doc, json_at usage)
{
	json_at kept = json_get_some(doc, usage, "cache_creation");
	json_at out = json_get_some(doc, usage, "output_tokens_details");

	anthropic_read_count(doc, usage, "cache_read_input_tokens", &c->read);
	anthropic_read_count(doc, usage, "cache_creation_input_tokens", &c->written);
	if (json_is_kind(doc, kept, JSON_OBJECT)) {
		anthropic_read_count(doc, kept, "ephemeral_5m_input_tokens", &c->minutes);
		anthropic_read_count(doc, kept, "ephemeral_1h_input_tokens", &c->hour);
	}
	if (json_is_kind(doc, out, JSON_OBJECT))
		anthropic_read_count(doc, out, "thinking_tokens", &c->thought);
	if (c->written < c->minutes + c->hour)
		c->written = c->minutes + c->hour;
}

/* anthropic_read_class: the class that has served the call, and what some of those that speak this API too charge
 * for it.  Only the first event has it. */
static void anthropic_read_class(struct reader *r, const struct json_doc *doc, json_at usage)
{
	enum usage_class class = usage_class_of(json_get_inner(doc, usage, "service_tier"));
	struct usage told = { 0 };

	if (json_get_is(doc, usage, "speed", "fast"))
		class = CLASS_FAST;
	if (class != CLASS_UNTOLD)
		r->usage.class = (uint8_t) class;
	openai_bill(doc, usage, &told);
	if (told.billed) {
		r->usage.billed = true;
		r->usage.bill = told.bill;
	}
}

/* anthropic_read_usage: the API's input_tokens do not include the tokens that were read from the
 * cache or written to it; ours do. */
static enum errc anthropic_read_usage(struct reader *r, const struct json_doc *doc, json_at usage,
				      struct err *e)
{
	struct counts *c = &r->counts;
	int64_t        out = 0;

	if (usage == JSON_ABSENT || json_kind(doc, usage) == JSON_NULL)
		return ERR_OK;
	if (json_kind(doc, usage) != JSON_OBJECT)
		return decode_bad(e, "usage that is no object");
	bool in_ok = anthropic_read_count(doc, usage, "input_tokens", &c->fresh);
	bool out_ok = anthropic_read_count(doc, usage, "output_tokens", &out);
	anthropic_read_parts(c, doc, usage);
	if (out > r->usage.out)
		r->usage.out = out;
	r->usage.in = c->fresh + c->read + c->written;
	r->usage.cached_read = c->read;
	r->usage.cached_write = c->written;
	r->usage.cached_hour = usage_small(c->hour);
	r->usage.reasoning = c->thought;
	r->usage.known = in_ok && out_ok;
	anthropic_read_class(r, doc, usage);
	return ERR_OK;
}

static void read_stop(struct reader *r, struct str reason)
{
	if (reason.n > 0 && reason.n < sizeof r->stop)
		str_copy(r->stop, sizeof r->stop, reason);
}

static void anthropic_give_end(struct decode *d, const struct reader *r)
{
	struct str  native = str_of(r->stop);
	const char *word = api_words_finish(&words_anthropic, native);

	decode_end(d, word ? str_of(word) : native, native, &r->usage);
}

/* --- blocks --- */

static void anthropic_give_start(struct decode *d, json_at message)
{
	decode_start(d, json_get_inner(d->doc, message, "id"),
		     json_get_inner(d->doc, message, "model"));
}

static void anthropic_give_args(struct decode *d, struct reader *r, struct str args)
{
	if (args.n == 0)
		return;
	r->begun = true;
	decode_give(d, (struct event){
			       .kind = EVENT_TOOL_ARGS, .block = d->next_tool - 1, .text = args });
}

/* give_input: gives arguments that came with the call. In a stream, a block starts with an empty
 * object, and its arguments follow.  Servers that imitate the API may send the text of an object. */
static enum errc give_input(struct decode *d, struct reader *r, json_at block, struct err *e)
{
	json_at    input = json_get_some(d->doc, block, "input");
	struct str args = STR_NONE;
	enum errc  rc = ERR_OK;

	if (!json_is_kind(d->doc, input, JSON_OBJECT) || d->doc->tok[input].count > 0)
		rc = decode_args(d->doc, input, &r->input, &args, e);
	if (rc == ERR_OK)
		anthropic_give_args(d, r, args);
	return rc;
}

/* --- thinking, which must be sent back with the calls that it led to --- */

static bool add_thought(struct reader *r, struct str thought, struct str signature)
{
	return buf_str(&r->thought, thought) && buf_str(&r->signature, signature);
}

static bool begin_thought(struct decode *d, struct reader *r, json_at block)
{
	struct str data = json_get_inner(d->doc, block, "data");

	r->thinks = json_get_is(d->doc, block, "type", "thinking");
	if (json_get_is(d->doc, block, "type", "redacted_thinking") && data.n > 0)
		return buf_text(&r->thoughts, ",{\"type\":\"redacted_thinking\",\"data\":\"") &&
		       buf_str(&r->thoughts, data) && buf_text(&r->thoughts, "\"}");
	buf_clear(&r->thought);
	buf_clear(&r->signature);
	return !r->thinks || add_thought(r, json_get_inner(d->doc, block, "thinking"),
					 json_get_inner(d->doc, block, "signature"));
}

/* end_thought: keeps the block of thinking. Without a signature it could not be sent back. */
static bool end_thought(struct reader *r)
{
	bool ends = r->thinks && r->signature.len > 0;

	r->thinks = false;
	return !ends ||
	       (buf_text(&r->thoughts, ",{\"type\":\"thinking\",\"thinking\":\"") &&
		buf_str(&r->thoughts, buf_view(&r->thought)) &&
		buf_text(&r->thoughts, "\",\"signature\":\"") &&
		buf_str(&r->thoughts, buf_view(&r->signature)) && buf_text(&r->thoughts, "\"}"));
}

/* anthropic_give_call: gives the start of a call, with the blocks of thinking before it. */
static enum errc anthropic_give_call(struct decode *d, struct reader *r, json_at block,
				     struct err *e)
{
	struct event ev = { .kind = EVENT_TOOL_START, .block = d->next_tool++ };
	char         made[ID_MAX];

	if (!decode_text(d->doc, block, "id", &ev.id) ||
	    !decode_text(d->doc, block, "name", &ev.name) || ev.name.n == 0)
		return decode_bad(e, "a tool_use without a name");
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
	buf_clear(&r->thoughts);
	return give_input(d, r, block, e);
}

/* anthropic_give_piece: gives the text of a member. */
static enum errc anthropic_give_piece(struct decode *d, enum event_kind kind, json_at obj,
				      const char *key, struct err *e)
{
	struct str text;

	if (!decode_text(d->doc, obj, key, &text))
		return decode_bad(e, "a piece of an answer that is no string");
	decode_piece(d, kind, text);
	return ERR_OK;
}

/* begin_block: blocks of other types (such as a search that the provider runs) mean nothing to a
 * client of OpenAI's API; their results are in the text. */
static enum errc begin_block(struct decode *d, struct reader *r, json_at block, struct err *e)
{
	enum errc rc = ERR_OK;

	r->call = json_get_is(d->doc, block, "type", "tool_use");
	r->begun = false;
	if (r->call)
		return anthropic_give_call(d, r, block, e);
	if (json_get_is(d->doc, block, "type", "text"))
		rc = anthropic_give_piece(d, EVENT_TEXT, block, "text", e);
	else if (json_get_is(d->doc, block, "type", "thinking"))
		rc = anthropic_give_piece(d, EVENT_REASONING, block, "thinking", e);
	if (rc == ERR_OK && !begin_thought(d, r, block))
		rc = err_no_memory(e);
	return rc;
}

static enum errc add_delta(struct decode *d, struct reader *r, json_at delta, struct err *e)
{
	enum errc  rc = ERR_OK;
	struct str args;

	if (json_get_is(d->doc, delta, "type", "text_delta")) {
		rc = anthropic_give_piece(d, EVENT_TEXT, delta, "text", e);
	} else if (json_get_is(d->doc, delta, "type", "thinking_delta")) {
		rc = anthropic_give_piece(d, EVENT_REASONING, delta, "thinking", e);
	} else if (json_get_is(d->doc, delta, "type", "input_json_delta") && r->call) {
		if (!decode_text(d->doc, delta, "partial_json", &args))
			return decode_bad(e, "a piece of a call's input that is no string");
		anthropic_give_args(d, r, args);
	}
	if (rc == ERR_OK && r->thinks &&
	    !add_thought(r, json_get_inner(d->doc, delta, "thinking"),
			 json_get_inner(d->doc, delta, "signature")))
		rc = err_no_memory(e);
	return rc;
}

static enum errc end_block(struct decode *d, struct reader *r, struct err *e)
{
	if (!r->call)
		return end_thought(r) ? ERR_OK : err_no_memory(e);
	/* A call without arguments streams none, but clients parse the arguments as JSON. */
	if (!r->begun)
		anthropic_give_args(d, r, STR("{}"));
	decode_give(d, (struct event){ .kind = EVENT_BLOCK_END, .block = d->next_tool - 1 });
	r->call = false;
	return ERR_OK;
}

/* --- errors --- */

static enum errc anthropic_take_error(struct decode *d, struct str data, struct err *e)
{
	json_at                 error = json_get(d->doc, 0, "error");
	const struct api_error *row =
		api_words_error(&words_anthropic, json_get_inner(d->doc, error, "type"));

	/* An error in a stream has no HTTP status; its type stands for one. */
	openai_decode_error(d, row ? row->http : 500, data, e);
	return e->code;
}

/* --- a stream --- */

static enum errc take_event(struct decode *d, struct reader *r, struct err *e)
{
	const struct json_doc *doc = d->doc;
	json_at                message = json_get(doc, 0, "message");
	struct str             type = json_get_inner(doc, 0, "type");

	if (str_is(type, "message_start")) {
		anthropic_give_start(d, message);
		return message == JSON_ABSENT
			       ? ERR_OK
			       : anthropic_read_usage(r, doc, json_get(doc, message, "usage"), e);
	}
	if (str_is(type, "content_block_start")) {
		anthropic_give_start(d, JSON_ABSENT);
		return begin_block(d, r, json_get(doc, 0, "content_block"), e);
	}
	if (str_is(type, "content_block_delta")) {
		anthropic_give_start(d, JSON_ABSENT);
		return add_delta(d, r, json_get(doc, 0, "delta"), e);
	}
	if (str_is(type, "content_block_stop"))
		return end_block(d, r, e);
	if (str_is(type, "message_delta")) {
		read_stop(r, json_get_inner(doc, json_get(doc, 0, "delta"), "stop_reason"));
		return anthropic_read_usage(r, doc, json_get(doc, 0, "usage"), e);
	}
	if (str_is(type, "message_stop")) {
		d->done_mark = true;
		/* Without a stop reason, the answer may be incomplete; without a finish, the call
		 * fails. */
		if (r->stop[0])
			anthropic_give_end(d, r);
		d->raw = STR_NONE;
	}
	return ERR_OK;
}

/* carry_object: the next event carries the provider's object, whose id is that of the message. */
static void carry_object(struct decode *d)
{
	const struct json_doc *doc = d->doc;
	json_at                message = json_get(doc, 0, "message");
	json_at id = json_is_kind(doc, message, JSON_OBJECT) ? json_get(doc, message, "id")
							     : JSON_ABSENT;

	d->raw = json_raw(doc, 0);
	d->raw_id = json_is_kind(doc, id, JSON_STRING) ? json_raw(doc, id) : STR_NONE;
}

struct buf *anthropic_chunk(struct decode *d)
{
	struct reader *r = decode_state(d, &reader_state);

	return r ? &r->chunk : NULL;
}

enum errc anthropic_decode_event(struct decode *d, struct str name, struct str data, struct err *e)
{
	struct reader *r = decode_state(d, &reader_state);

	if (!r)
		return err_no_memory(e);
	d->form = RAW_ANTHROPIC;
	if (d->done_mark)
		return ERR_OK;
	enum errc rc = openai_scan_event(d, name, data, e);
	/* The API's own ping goes on to a client that gets the provider's objects. */
	if (decode_beats(name, data) && (rc != ERR_OK || !json_get_is(d->doc, 0, "type", "ping")))
		return ERR_OK;
	if (rc != ERR_OK)
		return rc;
	if (json_kind(d->doc, 0) != JSON_OBJECT)
		return decode_bad(e, "a stream event that is no JSON object");
	if (json_get_is(d->doc, 0, "type", "error") || str_is(name, "error"))
		return anthropic_take_error(d, data, e);

	if (d->native)
		carry_object(d);
	rc = take_event(d, r, e);
	d->told = r->usage;
	if (rc == ERR_OK && d->raw.n > 0)
		decode_give(d, (struct event){ .kind = EVENT_OTHER });
	return rc;
}

/* --- the plain answer --- */

static enum errc anthropic_read_message(struct decode *d, struct reader *r, struct err *e)
{
	const struct json_doc *doc = d->doc;
	json_at                content = json_get(doc, 0, "content");

	if (!json_is_kind(doc, content, JSON_ARRAY))
		return decode_bad(e, "an answer without content");
	read_stop(r, json_get_inner(doc, 0, "stop_reason"));
	if (!r->stop[0])
		return decode_bad(e, "an answer without a stop_reason");
	anthropic_give_start(d, 0);
	for (json_at i = json_first(doc, content); i != json_end(doc, content);
	     i = json_next(doc, i)) {
		enum errc rc = begin_block(d, r, i, e);

		if (rc == ERR_OK)
			rc = end_block(d, r, e);
		if (rc != ERR_OK)
			return rc;
	}
	enum errc rc = anthropic_read_usage(r, doc, json_get(doc, 0, "usage"), e);
	if (rc == ERR_OK)
		anthropic_give_end(d, r);
	return rc;
}

enum errc anthropic_decode_whole(struct decode *d, struct str body, struct err *e)
{
	struct reader *r = decode_state(d, &reader_state);
	struct whole   w;

	if (!r)
		return err_no_memory(e);
	if (openai_scan_object(d, body, e) != ERR_OK)
		return e->code;
	if (json_get_is(d->doc, 0, "type", "error"))
		return anthropic_take_error(d, body, e);
	d->form = RAW_ANTHROPIC;
	if (d->native) {
		json_at id = json_get(d->doc, 0, "id");

		d->raw = json_raw(d->doc, 0);
		d->raw_id = json_is_kind(d->doc, id, JSON_STRING) ? json_raw(d->doc, id) : STR_NONE;
	}
	if (d->count)
		return decode_give_count(d, "input_tokens", e);
	whole_begin(&w, d);
	return whole_end(&w, anthropic_read_message(d, r, e), e);
}

static const struct provider_header headers[] = {
	{ "anthropic-version", "2023-06-01", false },
	{ 0 },
};

/* The version is the first one. */
static const char *const call_headers[] = { "anthropic-version", "anthropic-beta", NULL };

const struct dialect dialect_anthropic = {
	.name = "anthropic",
	.takes = PROVIDER_IMAGES | PROVIDER_PDF | PROVIDER_FILE_URL | PROVIDER_TOP_K |
		 PROVIDER_CACHE | PROVIDER_CACHE_ALL | PROVIDER_MESSAGES,
	/* The base URL of the SDKs has no /v1; the address in the documentation has it. */
	.path = "/v1/messages",
	.models = "/v1/models?limit=1000",
	.root = "/v1",
	.key_header = "x-api-key",
	.headers = headers,
	.call_headers = call_headers,
	.count_path = "/v1/messages/count_tokens",
	.framing = &upstream_events,
	.encode = anthropic_encode,
	.decode_event = anthropic_decode_event,
	.decode_whole = anthropic_decode_whole,
	.decode_error = openai_decode_error,
	.finish = decode_state_finish,
};
