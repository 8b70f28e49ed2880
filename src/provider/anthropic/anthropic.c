/* Anthropic's Messages API: its streams and whole answers as events.
 *
 * A stream, in the API's own words; blocks follow each other, each between its start and stop:
 *
 *   message_start --> (content_block_start --> content_block_delta* --> content_block_stop)*
 *                 --> message_delta (stop reason, usage) --> message_stop
 *
 * ping and error come at any time.  The stream is good only if message_stop was seen.  Source:
 * Anthropic's API reference, "Streaming Messages". */
#include "provider/anthropic/anthropic.h"

#include "base/limits.h"
#include "provider/openai/openai.h"
#include "provider/whole.h"

#include <stdlib.h>

struct reader {
	bool         call;  /* the open block is a call, */
	bool         begun; /* some of its arguments were given */
	struct usage usage;
	char         stop[64]; /* its stop reason; "": not told yet */
	struct buf   input;    /* scratch: arguments that came as an object */
	bool         thinks;   /* the open block is of thinking */
	struct buf   thought;  /* its text, and */
	struct buf   signature;
	struct buf   thoughts; /* blocks that go back with the next call, each with a comma in front */
};

static enum errc bad(struct err *e, const char *what)
{
	return err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL, "the provider sent %s", what);
}

static enum errc no_memory(struct err *e)
{
	return err_set(e, ERR_OVERLOADED, NULL, "there is no memory for the provider's answer");
}

static struct reader *reader_of(struct decode *d)
{
	struct reader *r = d->state;

	if (r)
		return r;
	r = calloc(1, sizeof *r);
	if (r) {
		buf_init(&r->input, 2 * (size_t)LIMIT_ANSWER);
		buf_init(&r->thought, LIMIT_ANSWER);
		buf_init(&r->signature, LIMIT_ANSWER);
		buf_init(&r->thoughts, LIMIT_ANSWER);
	}
	d->state = r;
	return r;
}

static void finish(struct decode *d)
{
	struct reader *r = d->state;

	if (!r)
		return;
	buf_finish(&r->input);
	buf_finish(&r->thought);
	buf_finish(&r->signature);
	buf_finish(&r->thoughts);
	free(r);
	d->state = NULL;
}

static void give(struct decode *d, struct event ev)
{
	d->on_event(d->arg, &ev);
}

/* inner, type_is: an object that is absent is the root, which has no such member. */
static struct str inner(const struct json_doc *doc, json_at obj, const char *key)
{
	return openai_inner(doc, json_get(doc, obj, key));
}

static bool type_is(const struct json_doc *doc, json_at obj, const char *type)
{
	json_at i = json_get(doc, obj, "type");

	return i != JSON_ABSENT && json_is(doc, i, type);
}

/* --- usage and stop reason --- */

static void read_count(const struct json_doc *doc, json_at usage, const char *key, int64_t *ret)
{
	json_at i = json_get(doc, usage, key);
	int64_t n;

	/* Totals are told again with each event: they replace each other, and what is left out holds.
	 * They are added up: no number that is told is one that would overflow. */
	if (i != JSON_ABSENT && json_int(doc, i, &n) && n >= 0 && n <= LIMIT_TOKENS)
		*ret = n;
}

/* read_usage: input_tokens there leaves out what the cache gave and took. */
static void read_usage(struct reader *r, const struct json_doc *doc, json_at usage)
{
	int64_t in = r->usage.in - r->usage.cached_read - r->usage.cached_write;

	if (usage == JSON_ABSENT || json_kind(doc, usage) != JSON_OBJECT)
		return;
	read_count(doc, usage, "input_tokens", &in);
	read_count(doc, usage, "cache_read_input_tokens", &r->usage.cached_read);
	read_count(doc, usage, "cache_creation_input_tokens", &r->usage.cached_write);
	read_count(doc, usage, "output_tokens", &r->usage.out);
	r->usage.in = in + r->usage.cached_read + r->usage.cached_write;
	r->usage.known = true;
}

static void read_stop(struct reader *r, struct str reason)
{
	if (reason.n > 0 && reason.n < sizeof r->stop)
		str_copy(r->stop, sizeof r->stop, reason);
}

/* What a stop reason is in OpenAI's words; one that is none of theirs stays what it is. */
static struct str word_of(const char *stop)
{
	static const struct {
		const char *stop;
		struct str  word;
	} words[] = {
		{ "end_turn", { "stop", 4 } },
		{ "stop_sequence", { "stop", 4 } },
		{ "max_tokens", { "length", 6 } },
		{ "model_context_window_exceeded", { "length", 6 } },
		{ "tool_use", { "tool_calls", 10 } },
		{ "refusal", { "content_filter", 14 } },
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strcmp(words[i].stop, stop) == 0)
			return words[i].word;
	return str_of(stop);
}

static void give_end(struct decode *d, const struct reader *r)
{
	give(d, (struct event){ .kind = EVENT_FINISH,
				.text = word_of(r->stop),
				.name = str_of(r->stop) });
	/* Behind it, as OpenAI's clients look for it in the last chunk. */
	if (r->usage.known)
		give(d, (struct event){ .kind = EVENT_USAGE, .usage = r->usage });
	d->finished = true;
}

/* --- blocks --- */

static void give_start(struct decode *d, json_at message)
{
	if (!d->started)
		give(d, (struct event){ .kind = EVENT_START,
					.id = inner(d->doc, message, "id"),
					.text = inner(d->doc, message, "model") });
	d->started = true;
}

static void give_text(struct decode *d, enum event_kind kind, struct str text)
{
	if (text.n > 0)
		give(d, (struct event){ .kind = kind, .text = text });
}

static void give_args(struct decode *d, struct reader *r, struct str args)
{
	if (args.n == 0)
		return;
	r->begun = true;
	give(d, (struct event){ .kind = EVENT_TOOL_ARGS, .block = d->next_tool - 1, .text = args });
}

/* give_input: arguments that came as an object; the empty one of a stream's start is none yet. */
static bool give_input(struct decode *d, struct reader *r, json_at block)
{
	json_at input = json_get(d->doc, block, "input");

	if (input == JSON_ABSENT || json_kind(d->doc, input) != JSON_OBJECT ||
	    d->doc->tok[input].count == 0)
		return true;
	buf_clear(&r->input);
	if (!buf_json_escape(&r->input, json_raw(d->doc, input)))
		return false;
	give_args(d, r, buf_view(&r->input));
	return true;
}

/* --- thinking, which has to come back with the calls that it led to --- */

static bool add_thought(struct reader *r, struct str thought, struct str signature)
{
	return buf_str(&r->thought, thought) && buf_str(&r->signature, signature);
}

static bool begin_thought(struct decode *d, struct reader *r, json_at block)
{
	struct str data = inner(d->doc, block, "data");

	r->thinks = type_is(d->doc, block, "thinking");
	if (type_is(d->doc, block, "redacted_thinking") && data.n > 0)
		return buf_text(&r->thoughts, ",{\"type\":\"redacted_thinking\",\"data\":\"") &&
		       buf_str(&r->thoughts, data) && buf_text(&r->thoughts, "\"}");
	buf_clear(&r->thought);
	buf_clear(&r->signature);
	return !r->thinks || add_thought(r, inner(d->doc, block, "thinking"),
					 inner(d->doc, block, "signature"));
}

/* end_thought: one without a signature is of no use to anybody later. */
static bool end_thought(struct reader *r)
{
	bool ends = r->thinks && r->signature.len > 0;

	r->thinks = false;
	return !ends || (buf_text(&r->thoughts, ",{\"type\":\"thinking\",\"thinking\":\"") &&
			 buf_str(&r->thoughts, buf_view(&r->thought)) &&
			 buf_text(&r->thoughts, "\",\"signature\":\"") &&
			 buf_str(&r->thoughts, buf_view(&r->signature)) &&
			 buf_text(&r->thoughts, "\"}"));
}

/* give_call: with what was thought before it. */
static bool give_call(struct decode *d, struct reader *r, json_at block)
{
	struct event ev = { .kind = EVENT_TOOL_START,
			    .block = d->next_tool++,
			    .id = inner(d->doc, block, "id"),
			    .name = inner(d->doc, block, "name") };

	buf_clear(&r->input);
	if (r->thoughts.len > 0) {
		struct str all = { r->thoughts.data + 1, r->thoughts.len - 1 };

		if (!buf_text(&r->input, "{\"anthropic\":{\"thinking_blocks\":[") ||
		    !buf_str(&r->input, all) || !buf_text(&r->input, "]}}"))
			return false;
		ev.text = buf_view(&r->input);
	}
	give(d, ev);
	buf_clear(&r->thoughts);
	return true;
}

/* begin_block: blocks of other kinds (a search of the provider's own, say) mean nothing to a client
 * of OpenAI's; what they led to is in the text. */
static bool begin_block(struct decode *d, struct reader *r, json_at block)
{
	r->call = type_is(d->doc, block, "tool_use");
	r->begun = false;
	if (type_is(d->doc, block, "text"))
		give_text(d, EVENT_TEXT, inner(d->doc, block, "text"));
	else if (type_is(d->doc, block, "thinking"))
		give_text(d, EVENT_REASONING, inner(d->doc, block, "thinking"));
	if (!r->call)
		return begin_thought(d, r, block);
	return give_call(d, r, block) && give_input(d, r, block);
}

static bool add_delta(struct decode *d, struct reader *r, json_at delta)
{
	if (type_is(d->doc, delta, "text_delta"))
		give_text(d, EVENT_TEXT, inner(d->doc, delta, "text"));
	else if (type_is(d->doc, delta, "thinking_delta"))
		give_text(d, EVENT_REASONING, inner(d->doc, delta, "thinking"));
	else if (type_is(d->doc, delta, "input_json_delta") && r->call)
		give_args(d, r, inner(d->doc, delta, "partial_json"));
	return !r->thinks || add_thought(r, inner(d->doc, delta, "thinking"),
					 inner(d->doc, delta, "signature"));
}

static bool end_block(struct decode *d, struct reader *r)
{
	if (!r->call)
		return end_thought(r);
	/* A call without arguments streams none; a client parses them all the same. */
	if (!r->begun)
		give_args(d, r, STR("{}"));
	give(d, (struct event){ .kind = EVENT_BLOCK_END, .block = d->next_tool - 1 });
	r->call = false;
	return true;
}

/* --- errors --- */

/* In a stream an error has no status but its type. */
static int status_of(const struct json_doc *doc, json_at error)
{
	static const struct {
		const char *type;
		int         status;
	} types[] = {
		{ "invalid_request_error", 400 }, { "authentication_error", 401 },
		{ "billing_error", 402 },         { "permission_error", 403 },
		{ "not_found_error", 404 },       { "request_too_large", 413 },
		{ "rate_limit_error", 429 },      { "timeout_error", 504 },
		{ "overloaded_error", 529 },
	};

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (type_is(doc, error, types[i].type))
			return types[i].status;
	return 500;
}

static void decode_error(const struct decode *d, int status, struct str body, struct err *e)
{
	/* Their own number for "overloaded": to a client it is what 503 is. */
	openai_decode_error(d, status == 529 ? 503 : status, body, e);
	e->upstream_status = status;
}

static enum errc take_error(struct decode *d, struct str data, struct err *e)
{
	decode_error(d, status_of(d->doc, json_get(d->doc, 0, "error")), data, e);
	return e->code;
}

/* --- a stream --- */

static enum errc take_event(struct decode *d, struct reader *r, struct err *e)
{
	const struct json_doc *doc = d->doc;
	json_at                message = json_get(doc, 0, "message");

	if (type_is(doc, 0, "message_start")) {
		give_start(d, message);
		read_usage(r, doc, message != JSON_ABSENT ? json_get(doc, message, "usage")
							   : JSON_ABSENT);
	} else if (type_is(doc, 0, "content_block_start")) {
		give_start(d, JSON_ABSENT);
		if (!begin_block(d, r, json_get(doc, 0, "content_block")))
			return no_memory(e);
	} else if (type_is(doc, 0, "content_block_delta")) {
		give_start(d, JSON_ABSENT);
		if (!add_delta(d, r, json_get(doc, 0, "delta")))
			return no_memory(e);
	} else if (type_is(doc, 0, "content_block_stop")) {
		if (!end_block(d, r))
			return no_memory(e);
	} else if (type_is(doc, 0, "message_delta")) {
		read_stop(r, inner(doc, json_get(doc, 0, "delta"), "stop_reason"));
		read_usage(r, doc, json_get(doc, 0, "usage"));
	} else if (type_is(doc, 0, "message_stop")) {
		d->done_mark = true;
		/* Without a reason it is not known that the answer is whole. */
		if (r->stop[0])
			give_end(d, r);
	}
	return ERR_OK;
}

static enum errc decode_event(struct decode *d, struct str name, struct str data, struct err *e)
{
	struct reader *r = reader_of(d);

	if (!r)
		return no_memory(e);
	if (d->done_mark)
		return ERR_OK;
	if (json_scan(d->doc, data.p, data.n, &json_limits_upstream, e) != ERR_OK)
		return str_is(name, "error") ? openai_error_plain(d, data, e) :
					       bad(e, "a stream event that is not JSON");
	if (json_kind(d->doc, 0) != JSON_OBJECT)
		return bad(e, "a stream event that is no JSON object");
	if (type_is(d->doc, 0, "error") || str_is(name, "error"))
		return take_error(d, data, e);

	enum errc rc = take_event(d, r, e);
	d->told = r->usage;
	return rc;
}

/* --- the answer in one piece --- */

static enum errc read_message(struct decode *d, struct reader *r, struct err *e)
{
	const struct json_doc *doc = d->doc;
	json_at                content = json_get(doc, 0, "content");

	if (content == JSON_ABSENT || json_kind(doc, content) != JSON_ARRAY)
		return bad(e, "an answer without content");
	read_stop(r, inner(doc, 0, "stop_reason"));
	if (!r->stop[0])
		return bad(e, "an answer without a stop_reason");
	give(d, (struct event){ .kind = EVENT_START,
				.id = inner(doc, 0, "id"),
				.text = inner(doc, 0, "model") });
	for (json_at i = json_first(doc, content); i != json_end(doc, content);
	     i = json_next(doc, i)) {
		if (!begin_block(d, r, i) || !end_block(d, r))
			return no_memory(e);
	}
	read_usage(r, doc, json_get(doc, 0, "usage"));
	give_end(d, r);
	return ERR_OK;
}

static enum errc decode_whole(struct decode *d, struct str body, struct err *e)
{
	struct reader *r = reader_of(d);
	struct whole   w;

	if (!r)
		return no_memory(e);
	if (json_scan(d->doc, body.p ? body.p : "", body.n, &json_limits_upstream, e) != ERR_OK)
		return bad(e, "an answer that is not JSON");
	if (json_kind(d->doc, 0) != JSON_OBJECT)
		return bad(e, "an answer that is no JSON object");
	if (type_is(d->doc, 0, "error"))
		return take_error(d, body, e);
	whole_begin(&w, d);
	return whole_end(&w, read_message(d, r, e), e);
}

static const struct provider_header headers[] = {
	{ "anthropic-version", "2023-06-01", false },
	{ 0 },
};

const struct dialect dialect_anthropic = {
	.name = "anthropic",
	.takes = PROVIDER_IMAGES | PROVIDER_PDF,
	/* The SDKs' base has no /v1, the documentation's address does. */
	.path = "/v1/messages",
	.models = "/v1/models?limit=1000",
	.root = "/v1",
	.key_header = "x-api-key",
	.headers = headers,
	.encode = anthropic_encode,
	.decode_event = decode_event,
	.decode_whole = decode_whole,
	.decode_error = decode_error,
	.finish = finish,
};
