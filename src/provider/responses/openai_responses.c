/* OpenAI's Responses API: decodes streams and plain answers.
 *
 * A stream is made of items, which may interleave; each event names its item's place, output_index:
 *
 *   response.created --> (output_item.added --> deltas --> output_item.done)*
 *                    --> response.completed | incomplete | failed
 *
 * An error may come at any time. The stream is complete only after response.completed or
 * response.incomplete; [DONE] is not part of the API and proves nothing. Items of tools that the
 * provider runs itself mean nothing to a client of chat completions; their results are in the text.
 * Source: OpenAI's API reference, "Streaming events". */
#include "provider/responses/openai_responses.h"

#include "base/limits.h"
#include "json/scan.h"
#include "shape/api_words.h"
#include "provider/openai/embed.h"
#include "provider/openai/openai.h"
#include "provider/decode.h"

#include <stddef.h>

enum {
	ITEM_ID = 128,
	REASON_MAX = 63, /* bytes; a longer reason is refused */
};

/* A call's place in this array is its index to a client. */
struct call {
	int64_t at;          /* output_index; -1: not known */
	char    id[ITEM_ID]; /* the item's; "": none, or too long */
	bool    begun;       /* some of the arguments were given */
	bool    ended;
};

struct reader {
	struct buf calls; /* struct call */
	size_t     count;
	bool       said;     /* text, a refusal or a call was given */
	bool       reasoned; /* reasoning was given */
	bool       listed;   /* native: events have given whole items */
	struct buf items;    /* reasoning items, for the next call; a comma before each */
	struct buf extra;    /* scratch: the items in the form of shape/carry */
	struct buf name;     /* scratch: of a call */
};

static const struct decode_state reader_state = {
	.size = sizeof(struct reader),
	.bufs = {
		{ offsetof(struct reader, calls), LIMIT_TOOLS * sizeof(struct call) },
		{ offsetof(struct reader, items), LIMIT_ANSWER },
		{ offsetof(struct reader, extra), 2 * (size_t)LIMIT_ANSWER },
		{ offsetof(struct reader, name), LIMIT_ANSWER },
	},
};

/* --- members; obj is never absent --- */

static json_at object_of(const struct json_doc *doc, json_at obj, const char *key)
{
	json_at i = json_get(doc, obj, key);

	return json_is_kind(doc, i, JSON_OBJECT) ? i : JSON_ABSENT;
}

/* --- pieces --- */

/* openai_responses_give_start: response: 0, the root, for an event without a response; the root has
 * neither of the two members. */
static void openai_responses_give_start(struct decode *d, json_at response)
{
	decode_start(d, json_get_inner(d->doc, response, "id"),
		     json_get_inner(d->doc, response, "model"));
}

static enum errc give_text(struct decode *d, struct reader *r, enum event_kind kind, json_at obj,
			   const char *key, struct err *e)
{
	struct str text;

	if (!decode_text(d->doc, obj, key, &text))
		return decode_bad(e, "a piece of an answer that is no string");
	if (text.n == 0)
		return ERR_OK;
	openai_responses_give_start(d, 0);
	if (kind == EVENT_REASONING)
		r->reasoned = true;
	else
		r->said = true;
	decode_give(d, (struct event){ .kind = kind, .text = text });
	return ERR_OK;
}

/* give_break: gives an empty line between two parts of reasoning. */
static void give_break(struct decode *d, const struct reader *r)
{
	if (r->reasoned)
		decode_give(d, (struct event){ .kind = EVENT_REASONING, .text = STR("\\n\\n") });
}

/* --- calls --- */

static struct call *calls_of(const struct reader *r)
{
	return (struct call *)(void *)r->calls.data;
}

static struct call *find_call(const struct decode *d, struct reader *r, struct str id)
{
	json_at i = json_get(d->doc, 0, "output_index");
	int64_t at;

	/* The index goes first: some servers write another id in each event of an item. */
	if (i != JSON_ABSENT && json_int(d->doc, i, &at))
		for (size_t k = 0; k < r->count; k++)
			if (calls_of(r)[k].at == at)
				return &calls_of(r)[k];
	for (size_t k = 0; id.n > 0 && k < r->count; k++)
		if (str_is(id, calls_of(r)[k].id))
			return &calls_of(r)[k];
	return NULL;
}

static void openai_responses_give_args(struct decode *d, struct reader *r, struct call *c,
				       struct str args)
{
	if (args.n == 0)
		return;
	c->begun = true;
	decode_give(d, (struct event){ .kind = EVENT_TOOL_ARGS,
				       .block = (uint32_t)(c - calls_of(r)),
				       .text = args });
}

static void end_call(struct decode *d, struct reader *r, struct call *c)
{
	c->ended = true;
	decode_give(
		d, (struct event){ .kind = EVENT_BLOCK_END, .block = (uint32_t)(c - calls_of(r)) });
}

/* keep_reasoning: keeps an item of reasoning for the next call. The provider stores nothing, so
 * only an item with its encrypted content can be sent back. */
static bool keep_reasoning(struct reader *r, const struct json_doc *doc, json_at item)
{
	static const char *const members[] = { "id", "summary", "content", "encrypted_content" };
	bool                     ok = true;

	if (json_get_inner(doc, item, "encrypted_content").n == 0)
		return true;
	ok = buf_text(&r->items, ",{\"type\":\"reasoning\"");
	for (size_t i = 0; ok && i < ARRAY_LEN(members); i++) {
		json_at v = json_get_some(doc, item, members[i]);

		ok = v == JSON_ABSENT ||
		     (buf_fmt(&r->items, ",\"%s\":", members[i]) && json_print(doc, v, &r->items));
	}
	return ok && buf_text(&r->items, "}");
}

/* openai_responses_give_call: gives the start of a call, with the reasoning that led to the
 * call. */
static bool openai_responses_give_call(struct decode *d, struct reader *r, struct str id,
				       struct str name)
{
	struct event ev = {
		.kind = EVENT_TOOL_START, .block = (uint32_t)r->count++, .id = id, .name = name
	};

	buf_clear(&r->extra);
	if (r->items.len > 0) {
		struct str all = { r->items.data + 1, r->items.len - 1 };

		if (!buf_text(&r->extra, "{\"openai\":{\"reasoning\":[") ||
		    !buf_str(&r->extra, all) || !buf_text(&r->extra, "]}}"))
			return false;
		ev.text = buf_view(&r->extra);
	}
	decode_give(d, ev);
	buf_clear(&r->items);
	return true;
}

/* name_of_call: a tool of a namespace has both names in a chat; empty: there is none. */
static struct str name_of_call(struct reader *r, const struct json_doc *doc, json_at item)
{
	struct str name = json_get_inner(doc, item, "name");
	struct str space = json_get_inner(doc, item, "namespace");

	buf_clear(&r->name);
	if (space.n == 0 || name.n == 0 || !buf_str(&r->name, space) || !buf_text(&r->name, "__") ||
	    !buf_str(&r->name, name))
		return name;
	return buf_view(&r->name);
}

/* begin_call: clients get call_id as the id of the call; the id of the item only connects the
 * events of the stream. */
static enum errc begin_call(struct decode *d, struct reader *r, json_at item, struct call **ret,
			    struct err *e)
{
	struct str name = name_of_call(r, d->doc, item);
	struct str call_id = json_get_inner(d->doc, item, "call_id");
	struct str id = json_get_inner(d->doc, item, "id");
	json_at    at = json_get(d->doc, 0, "output_index");

	if (name.n == 0 || call_id.n + id.n == 0)
		return decode_bad(e, "a function_call without a name or a call_id");
	if (r->count == LIMIT_TOOLS)
		return decode_bad(e, "too many function calls");
	if (!buf_add(&r->calls, &(struct call){ .at = -1 }, sizeof(struct call)))
		return err_no_memory(e);
	*ret = &calls_of(r)[r->count];
	if (at == JSON_ABSENT || !json_int(d->doc, at, &(*ret)->at))
		(*ret)->at = -1;
	if (id.n < ITEM_ID)
		str_copy((*ret)->id, ITEM_ID, id);
	openai_responses_give_start(d, 0);
	r->said = true;
	return openai_responses_give_call(d, r, call_id.n > 0 ? call_id : id, name)
		       ? ERR_OK
		       : err_no_memory(e);
}

/* take_whole_call: takes an item with all of its arguments. c: the call that an earlier event
 * began; NULL: none did. */
static enum errc take_whole_call(struct decode *d, struct reader *r, json_at item, struct call *c,
				 struct err *e)
{
	struct str args;
	enum errc  rc = ERR_OK;

	if (c && c->ended)
		return ERR_OK;
	if (!c)
		rc = begin_call(d, r, item, &c, e);
	if (rc == ERR_OK)
		rc = decode_args(d->doc, json_get_some(d->doc, item, "arguments"), &r->extra, &args,
				 e);
	if (rc != ERR_OK || !c)
		return rc;
	if (!c->begun)
		openai_responses_give_args(d, r, c, args.n > 0 ? args : STR("{}"));
	end_call(d, r, c);
	return ERR_OK;
}

/* take_custom: takes the call of a custom tool, which is one of a function with one text in a chat. */
static enum errc take_custom(struct decode *d, struct reader *r, json_at item, struct err *e)
{
	struct str   input;
	struct call *c = NULL;

	if (!decode_text(d->doc, item, "input", &input))
		return decode_bad(e, "a custom_tool_call whose input is no string");
	enum errc rc = begin_call(d, r, item, &c, e);
	if (rc != ERR_OK || !c)
		return rc;
	buf_clear(&r->name);
	buf_clear(&r->extra);
	if (!buf_text(&r->name, "{\"input\":\"") || !buf_str(&r->name, input) ||
	    !buf_text(&r->name, "\"}") || !buf_json_escape(&r->extra, buf_view(&r->name)))
		return err_no_memory(e);
	openai_responses_give_args(d, r, c, buf_view(&r->extra));
	end_call(d, r, c);
	return ERR_OK;
}

/* --- whole items --- */

/* give_parts: gives the texts of those parts of a list that have one type. */
static enum errc give_parts(struct decode *d, struct reader *r, json_at list, const char *type,
			    const char *key, enum event_kind kind, struct err *e)
{
	enum errc rc = ERR_OK;

	if (list == JSON_ABSENT)
		return ERR_OK;
	if (json_kind(d->doc, list) != JSON_ARRAY)
		return decode_bad(e, "an item whose content is no array");
	for (json_at i = json_first(d->doc, list); rc == ERR_OK && i != json_end(d->doc, list);
	     i = json_next(d->doc, i)) {
		json_at t = json_get(d->doc, i, "type");

		if (t == JSON_ABSENT || !json_is(d->doc, t, type))
			continue;
		if (kind == EVENT_REASONING)
			give_break(d, r);
		rc = give_text(d, r, kind, i, key, e);
	}
	return rc;
}

/* give_whole: gives the item as it is, before what it means in a chat. */
static void give_whole(struct decode *d, json_at item)
{
	if (d->native)
		decode_give(d,
			    (struct event){ .kind = EVENT_OTHER, .text = json_raw(d->doc, item) });
}

static enum errc give_item(struct decode *d, struct reader *r, json_at item, struct err *e)
{
	const struct json_doc *doc = d->doc;
	struct str             type = json_get_inner(doc, item, "type");
	json_at                content = json_get_some(doc, item, "content");
	enum errc              rc = ERR_OK;

	if (!r->listed)
		give_whole(d, item);
	if (str_is(type, "function_call"))
		return take_whole_call(d, r, item, NULL, e);
	if (str_is(type, "custom_tool_call"))
		return take_custom(d, r, item, e);
	if (str_is(type, "message")) {
		rc = give_parts(d, r, content, "output_text", "text", EVENT_TEXT, e);
		if (rc == ERR_OK)
			rc = give_parts(d, r, content, "refusal", "refusal", EVENT_REFUSAL, e);
	} else if (str_is(type, "reasoning")) {
		rc = give_parts(d, r, json_get_some(doc, item, "summary"), "summary_text", "text",
				EVENT_REASONING, e);
		if (rc == ERR_OK)
			rc = give_parts(d, r, content, "reasoning_text", "text", EVENT_REASONING,
					e);
		if (rc == ERR_OK && !keep_reasoning(r, doc, item))
			rc = err_no_memory(e);
	}
	return rc;
}

static enum errc give_output(struct decode *d, struct reader *r, json_at output, struct err *e)
{
	enum errc rc = ERR_OK;

	for (json_at i = json_first(d->doc, output); rc == ERR_OK && i != json_end(d->doc, output);
	     i = json_next(d->doc, i))
		rc = give_item(d, r, i, e);
	return rc;
}

/* --- errors --- */

/* An error within an answer has no HTTP status; its code stands for one. */
static int openai_responses_status_of(const struct json_doc *doc, json_at error)
{
	json_at                 code = json_get(doc, error, "code");
	const struct api_error *row;
	int64_t                 n;

	if (code == JSON_ABSENT)
		return 500;
	if (json_int(doc, code, &n) && n >= 400 && n <= 599)
		return (int)n;
	row = api_words_error(&words_responses, json_inner_of(doc, code));
	return row ? row->http : 500;
}

/* openai_responses_take_error: where: the error's object or string, or the root: an event of type
 * error may have the members of the error beside its type. */
static enum errc openai_responses_take_error(const struct decode *d, json_at where, struct err *e)
{
	openai_decode_error(d, openai_responses_status_of(d->doc, where), json_raw(d->doc, where),
			    e);
	/* The type is the event's, not the error's. */
	if (strcmp(e->type, "error") == 0)
		e->type[0] = '\0';
	return e->code;
}

/* --- the end --- */

static int64_t count_in(const struct json_doc *doc, json_at usage, const char *within,
			const char *key)
{
	json_at at = object_of(doc, usage, within);

	return at != JSON_ABSENT ? decode_count(doc, at, key) : 0;
}

/* long_kept: what is kept for half a day. */
static int64_t long_kept(const struct json_doc *doc, json_at usage)
{
	json_at at = object_of(doc, usage, "input_tokens_details");

	return at != JSON_ABSENT ? count_in(doc, at, "cache_write_tokens_details", "ttl_12h_tokens")
				 : 0;
}

static struct usage openai_responses_read_usage(const struct decode *d, json_at response)
{
	const struct json_doc *doc = d->doc;
	json_at                usage = object_of(doc, response, "usage");
	struct usage           u = { .known = true };

	if (usage == JSON_ABSENT || json_get_some(doc, usage, "input_tokens") == JSON_ABSENT ||
	    !decode_count_some(doc, usage, "input_tokens", &u.in) ||
	    !decode_count_some(doc, usage, "output_tokens", &u.out))
		return (struct usage){ .known = false };
	u.cached_read = count_in(doc, usage, "input_tokens_details", "cached_tokens");
	u.cached_write = count_in(doc, usage, "input_tokens_details", "cache_write_tokens");
	u.cached_hour = usage_small(long_kept(doc, usage));
	u.reasoning = count_in(doc, usage, "output_tokens_details", "reasoning_tokens");
	u.class = (uint8_t)openai_class(doc, json_get(doc, response, "service_tier"));
	openai_bill(doc, usage, &u);
	/* xAI counts the reasoning beside the rest, as in chat completions. */
	if (u.reasoning > 0 &&
	    decode_count(doc, usage, "total_tokens") == u.in + u.out + u.reasoning)
		u.out += u.reasoning;
	return u;
}

static void give_finish(struct decode *d, json_at response, struct str word, struct str native)
{
	struct usage usage = openai_responses_read_usage(d, response);

	decode_end(d, word, native, &usage);
}

/* end_calls: ends the calls whose items did not end. False: a call has no arguments at all. */
static bool end_calls(struct decode *d, struct reader *r)
{
	bool all = true;

	for (size_t i = 0; i < r->count; i++) {
		all = all && (calls_of(r)[i].begun || calls_of(r)[i].ended);
		if (!calls_of(r)[i].ended)
			end_call(d, r, &calls_of(r)[i]);
	}
	return all;
}

static enum errc end_completed(struct decode *d, struct reader *r, json_at response, struct err *e)
{
	if (!end_calls(d, r))
		return decode_bad(e, "a function_call without its arguments");
	give_finish(d, response, r->count > 0 ? STR("tool_calls") : STR("stop"), STR("completed"));
	return ERR_OK;
}

static enum errc end_incomplete(struct decode *d, struct reader *r, json_at response, struct err *e)
{
	json_at    details = object_of(d->doc, response, "incomplete_details");
	struct str why =
		details != JSON_ABSENT ? json_get_inner(d->doc, details, "reason") : STR_NONE;

	end_calls(d, r);
	if (why.n == 0 || why.n > REASON_MAX)
		return decode_bad(e, "an incomplete response without a reason");
	const char *word = api_words_finish(&words_responses, why);
	give_finish(d, response, str_of(word ? word : "length"), why);
	return ERR_OK;
}

static enum errc end_failed(struct decode *d, json_at response, struct err *e)
{
	json_at error = json_get_some(d->doc, response, "error");

	d->told = openai_responses_read_usage(d, response);
	if (error != JSON_ABSENT)
		return openai_responses_take_error(d, error, e);
	return err_set(e, ERR_UPSTREAM_ERROR, NULL, "the provider's response failed");
}

static enum errc end_response(struct decode *d, struct reader *r, json_at response,
			      struct str status, struct err *e)
{
	if (str_is(status, "completed"))
		return end_completed(d, r, response, e);
	if (str_is(status, "incomplete"))
		return end_incomplete(d, r, response, e);
	if (str_is(status, "failed"))
		return end_failed(d, response, e);
	if (str_is(status, "cancelled"))
		return err_set(e, ERR_UPSTREAM_ERROR, NULL, "the provider cancelled its response");
	return decode_bad(e, "a response that has not ended");
}

/* --- a stream's events --- */

static enum errc take_created(struct decode *d, struct reader *r, struct err *e)
{
	(void)r;
	(void)e;
	openai_responses_give_start(d, object_of(d->doc, 0, "response"));
	return ERR_OK;
}

static enum errc take_item_added(struct decode *d, struct reader *r, struct err *e)
{
	json_at      item = object_of(d->doc, 0, "item");
	struct call *c;

	openai_responses_give_start(d, 0);
	if (item == JSON_ABSENT || !str_is(json_get_inner(d->doc, item, "type"), "function_call"))
		return ERR_OK;
	return begin_call(d, r, item, &c, e);
}

static enum errc take_item_done(struct decode *d, struct reader *r, struct err *e)
{
	json_at item = object_of(d->doc, 0, "item");

	if (item != JSON_ABSENT) {
		give_whole(d, item);
		r->listed = true;
	}
	if (item != JSON_ABSENT && str_is(json_get_inner(d->doc, item, "type"), "reasoning"))
		return keep_reasoning(r, d->doc, item) ? ERR_OK : err_no_memory(e);
	if (item != JSON_ABSENT && str_is(json_get_inner(d->doc, item, "type"), "custom_tool_call"))
		return take_custom(d, r, item, e);
	if (item == JSON_ABSENT || !str_is(json_get_inner(d->doc, item, "type"), "function_call"))
		return ERR_OK;
	return take_whole_call(d, r, item, find_call(d, r, json_get_inner(d->doc, item, "id")), e);
}

static enum errc take_args(struct decode *d, struct reader *r, bool whole, struct err *e)
{
	struct call *c = find_call(d, r, json_get_inner(d->doc, 0, "item_id"));
	struct str   args;

	if (!decode_text(d->doc, 0, whole ? "arguments" : "delta", &args))
		return decode_bad(e, "arguments of a function_call that are no string");
	if (!c || c->ended)
		return decode_bad(e, "arguments of a function_call that is not open");
	if (!whole || !c->begun)
		openai_responses_give_args(d, r, c, args);
	return ERR_OK;
}

static enum errc take_args_delta(struct decode *d, struct reader *r, struct err *e)
{
	return take_args(d, r, false, e);
}

static enum errc take_args_done(struct decode *d, struct reader *r, struct err *e)
{
	return take_args(d, r, true, e);
}

static enum errc take_text(struct decode *d, struct reader *r, struct err *e)
{
	return give_text(d, r, EVENT_TEXT, 0, "delta", e);
}

static enum errc take_refusal(struct decode *d, struct reader *r, struct err *e)
{
	return give_text(d, r, EVENT_REFUSAL, 0, "delta", e);
}

static enum errc take_reasoning(struct decode *d, struct reader *r, struct err *e)
{
	return give_text(d, r, EVENT_REASONING, 0, "delta", e);
}

static enum errc take_summary_part(struct decode *d, struct reader *r, struct err *e)
{
	(void)e;
	give_break(d, r);
	return ERR_OK;
}

static enum errc take_part(struct decode *d, struct reader *r, struct err *e)
{
	json_at part = object_of(d->doc, 0, "part");

	(void)e;
	if (part != JSON_ABSENT && str_is(json_get_inner(d->doc, part, "type"), "reasoning_text"))
		give_break(d, r);
	return ERR_OK;
}

/* take_end: takes the last event. Small servers send the answer in this event only. */
static enum errc take_end(struct decode *d, struct reader *r, struct str status, struct err *e)
{
	json_at   response = object_of(d->doc, 0, "response");
	enum errc rc = ERR_OK;

	if (response == JSON_ABSENT)
		return decode_bad(e, "a last event without its response");
	d->done_mark = true;
	json_at output = json_get_some(d->doc, response, "output");
	if (!str_is(status, "failed"))
		openai_responses_give_start(d, response);
	if (!r->said && !r->reasoned && !str_is(status, "failed") &&
	    json_is_kind(d->doc, output, JSON_ARRAY))
		rc = give_output(d, r, output, e);
	return rc != ERR_OK ? rc : end_response(d, r, response, status, e);
}

static enum errc take_completed(struct decode *d, struct reader *r, struct err *e)
{
	return take_end(d, r, STR("completed"), e);
}

static enum errc take_incomplete(struct decode *d, struct reader *r, struct err *e)
{
	return take_end(d, r, STR("incomplete"), e);
}

static enum errc take_failed(struct decode *d, struct reader *r, struct err *e)
{
	return take_end(d, r, STR("failed"), e);
}

/* carry: the next event carries the provider's object.  The id is that of the item of which it tells. */
static void openai_responses_carry(struct decode *d)
{
	const struct json_doc *doc = d->doc;
	json_at                item = object_of(doc, 0, "item");
	json_at id = item != JSON_ABSENT ? json_get(doc, item, "id") : json_get(doc, 0, "item_id");
	json_at number = json_get(doc, 0, "sequence_number");

	d->form = RAW_RESPONSES;
	d->raw = json_raw(doc, 0);
	d->raw_id = json_is_kind(doc, id, JSON_STRING) ? json_raw(doc, id) : STR_NONE;
	d->raw_created = json_is_kind(doc, number, JSON_NUMBER) ? json_raw(doc, number) : STR_NONE;
}

/* Events of other types mean nothing to a client of a chat. */
static const struct {
	const char *type;
	enum errc (*take)(struct decode *d, struct reader *r, struct err *e);
} takers[] = {
	{ "response.output_text.delta", take_text },
	{ "response.function_call_arguments.delta", take_args_delta },
	{ "response.reasoning_text.delta", take_reasoning },
	{ "response.reasoning_summary_text.delta", take_reasoning },
	{ "response.refusal.delta", take_refusal },
	{ "response.created", take_created },
	{ "response.in_progress", take_created },
	{ "response.output_item.added", take_item_added },
	{ "response.content_part.added", take_part },
	{ "response.reasoning_summary_part.added", take_summary_part },
	{ "response.function_call_arguments.done", take_args_done },
	{ "response.output_item.done", take_item_done },
	{ "response.completed", take_completed },
	{ "response.incomplete", take_incomplete },
	{ "response.failed", take_failed },
};

static enum errc openai_responses_decode_event(struct decode *d, struct str name, struct str data,
					       struct err *e)
{
	struct reader *r = decode_state(d, &reader_state);

	if (!r)
		return err_no_memory(e);
	/* Servers that speak both APIs may send [DONE] here too. */
	if (d->done_mark || str_is(data, "[DONE]"))
		return ERR_OK;
	enum errc rc = openai_scan_event(d, name, data, e);
	if (rc != ERR_OK)
		return rc;
	if (json_kind(d->doc, 0) != JSON_OBJECT)
		return decode_bad(e, "a stream event that is no JSON object");

	struct str type = json_get_inner(d->doc, 0, "type");
	json_at    error = json_get_some(d->doc, 0, "error");
	if (type.n == 0)
		type = name;
	if (openai_truthy(d->doc, error))
		return openai_responses_take_error(d, error, e);
	if (str_is(type, "error"))
		return openai_responses_take_error(d, 0, e);
	if (d->native)
		openai_responses_carry(d);
	rc = ERR_OK;
	for (size_t i = 0; i < ARRAY_LEN(takers); i++)
		if (str_is(type, takers[i].type))
			rc = takers[i].take(d, r, e);
	if (rc == ERR_OK && d->raw.n > 0)
		decode_give(d, (struct event){ .kind = EVENT_OTHER });
	return rc;
}

/* --- the plain answer --- */

static enum errc read_response(struct decode *d, struct reader *r, struct err *e)
{
	json_at    output = json_get_some(d->doc, 0, "output");
	struct str status = json_get_inner(d->doc, 0, "status");

	if (status.n == 0)
		return decode_bad(e, "an answer without a status");
	if (str_is(status, "failed"))
		return end_failed(d, 0, e);
	if (!json_is_kind(d->doc, output, JSON_ARRAY))
		return decode_bad(e, "an answer without output");
	openai_responses_give_start(d, 0);
	enum errc rc = give_output(d, r, output, e);
	return rc != ERR_OK ? rc : end_response(d, r, 0, status, e);
}

static enum errc openai_responses_decode_whole(struct decode *d, struct str body, struct err *e)
{
	struct reader *r = decode_state(d, &reader_state);
	struct whole   w;

	if (!r)
		return err_no_memory(e);
	if (openai_scan_object(d, body, e) != ERR_OK)
		return e->code;
	json_at error = json_get_some(d->doc, 0, "error");
	if (openai_truthy(d->doc, error))
		return openai_responses_take_error(d, error, e);
	if (d->native) {
		d->form = RAW_RESPONSES;
		d->raw = json_raw(d->doc, 0);
	}
	if (d->count)
		return decode_give_count(d, "input_tokens", e);
	whole_begin(&w, d);
	return whole_end(&w, read_response(d, r, e), e);
}

const struct dialect dialect_openai_responses = {
	.name = "openai-responses",
	.names = NAMES_BRIEF,
	.takes = PROVIDER_IMAGES | PROVIDER_PDF | PROVIDER_FILE_URL | PROVIDER_RESPONSES |
		 PROVIDER_CACHE_KEY | PROVIDER_TIER,
	.path = "/responses",
	.count_path = "/responses/input_tokens",
	.models = "/models",
	.framing = &upstream_events,
	.encode = openai_responses_encode,
	.decode_event = openai_responses_decode_event,
	.decode_whole = openai_responses_decode_whole,
	.decode_error = openai_decode_error,
	.finish = decode_state_finish,
	.embed = &embed_openai,
};
