/* Ollama's native chat API: decodes streams and plain answers.
 *
 * A stream is one JSON object a line, and a plain answer is one such object:
 *
 *   {"model","created_at","message":{"role","content","thinking","tool_calls"},"done":false}*
 *   {…,"done":true,"done_reason","prompt_eval_count","eval_count"}
 *
 * The stream is complete only after done: true. A failure in the middle is a line {"error":"…"}. A
 * call comes in one piece, with its arguments as an object; older servers give calls no ids.
 * Source: Ollama's api/types.go and docs/api.md. */
#include "provider/ollama/ollama.h"

#include "base/hash.h"
#include "base/id.h"
#include "base/limits.h"
#include "provider/ask_param.h"
#include "provider/decode.h"
#include "provider/openai/embed.h"
#include "provider/openai/openai.h"

#include <stdio.h>

enum {
	ID_DIGEST = 12,  /* bytes of the hash in a made id: enough to make it unique */
	REASON_MAX = 63, /* bytes; a longer reason is refused */
};

/* --- calls --- */

/* ollama_make_id: makes the id of a call that came without one. The call's time, name and arguments
 * make the id unique in its conversation; if the server gives no time, a random number does. */
static void ollama_make_id(const struct decode *d, struct str name, struct str input,
			   char ret[ID_MAX])
{
	struct str       when = json_get_inner(d->doc, 0, "created_at");
	uint64_t         chance = when.n > 0 ? 0 : id_random();
	char             head[48];
	unsigned char    digest[HASH_BYTES] = { 0 };
	struct hash_sum *h = hash_sum_begin();

	snprintf(head, sizeof head, "%u %llx ", d->next_tool, (unsigned long long)chance);
	if (h) {
		hash_sum_add(h, head, strlen(head));
		hash_sum_add(h, when.p ? when.p : "", when.n);
		hash_sum_add(h, name.p, name.n);
		hash_sum_add(h, input.p, input.n);
		hash_sum_end(h, digest);
	}
	memcpy(ret, "call_", 5);
	hash_hex(digest, ID_DIGEST, ret + 5);
	hash_sum_destroy(h);
}

/* ollama_give_args: gives the arguments, an object, as a string. Servers that imitate Ollama send
 * the string itself. */
static enum errc ollama_give_args(struct decode *d, json_at input, struct err *e)
{
	struct event ev = { .kind = EVENT_TOOL_ARGS, .block = d->next_tool };
	struct buf   text;

	buf_init(&text, 2 * (size_t)LIMIT_ANSWER);
	enum errc rc = decode_args(d->doc, input, &text, &ev.text, e);
	if (ev.text.n == 0)
		ev.text = STR("{}");
	if (rc == ERR_OK)
		decode_give(d, ev);
	buf_finish(&text);
	return rc;
}

static enum errc ollama_give_call(struct decode *d, json_at call, struct err *e)
{
	const struct json_doc *doc = d->doc;
	json_at                function = json_get(doc, call, "function");
	struct str             name = STR_NONE, id = STR_NONE;
	char                   made[ID_MAX];

	if (!json_is_kind(doc, function, JSON_OBJECT) ||
	    !decode_text(doc, function, "name", &name) || name.n == 0 ||
	    !decode_text(doc, call, "id", &id))
		return decode_bad(e, "a tool call without a function's name");
	if (d->next_tool == LIMIT_TOOLS)
		return decode_bad(e, "too many tool calls");

	json_at input = json_get_some(doc, function, "arguments");
	if (id.n == 0) {
		ollama_make_id(d, name, input != JSON_ABSENT ? json_raw(doc, input) : STR("{}"),
			       made);
		id = str_of(made);
	}
	decode_give(d, (struct event){ .kind = EVENT_TOOL_START,
				       .block = d->next_tool,
				       .id = id,
				       .name = name });
	enum errc rc = ollama_give_args(d, input, e);
	if (rc == ERR_OK)
		decode_give(d, (struct event){ .kind = EVENT_BLOCK_END, .block = d->next_tool++ });
	return rc;
}

static enum errc give_calls(struct decode *d, json_at calls, struct err *e)
{
	enum errc rc = ERR_OK;

	if (calls == JSON_ABSENT)
		return ERR_OK;
	if (json_kind(d->doc, calls) != JSON_ARRAY)
		return decode_bad(e, "tool_calls that are no array");
	for (json_at i = json_first(d->doc, calls); rc == ERR_OK && i != json_end(d->doc, calls);
	     i = json_next(d->doc, i))
		rc = ollama_give_call(d, i, e);
	return rc;
}

/* --- the end --- */

/* Ollama omits a count of zero: that of the prompt, for example, if the whole prompt was in the
 * cache. */
static struct usage ollama_read_usage(const struct decode *d)
{
	int64_t in = -1, out = -1;
	bool    ok = decode_count_some(d->doc, 0, "prompt_eval_count", &in) &&
		  decode_count_some(d->doc, 0, "eval_count", &out);

	return (struct usage){ .known = ok && in + out > -2,
			       .in = in > 0 ? in : 0,
			       .out = out > 0 ? out : 0 };
}

/* ollama_give_end: ends the answer, except for an object that only reports the loading or unloading
 * of a model. */
static enum errc ollama_give_end(struct decode *d, struct err *e)
{
	struct str reason;

	if (!decode_text(d->doc, 0, "done_reason", &reason) || reason.n > REASON_MAX)
		return decode_bad(e, "a done_reason that is no word");
	if (str_is(reason, "load") || str_is(reason, "unload"))
		return ERR_OK;
	struct str native = reason;
	if (reason.n == 0 || str_is(reason, "stop"))
		reason = d->next_tool > 0 ? STR("tool_calls") : STR("stop");
	struct usage usage = ollama_read_usage(d);
	decode_end(d, reason, native, &usage);
	d->done_mark = true;
	return ERR_OK;
}

/* --- objects --- */

static enum errc ollama_take_message(struct decode *d, struct err *e)
{
	const struct json_doc *doc = d->doc;
	json_at                message = json_get_some(doc, 0, "message");
	struct str             text, thinking;

	if (message == JSON_ABSENT)
		return ERR_OK;
	if (json_kind(doc, message) != JSON_OBJECT)
		return decode_bad(e, "a message that is no object");
	if (!decode_text(doc, message, "content", &text) ||
	    !decode_text(doc, message, "thinking", &thinking))
		return decode_bad(e, "a message whose content is no string");
	decode_piece(d, EVENT_REASONING, thinking);
	decode_piece(d, EVENT_TEXT, text);
	return give_calls(d, json_get_some(doc, message, "tool_calls"), e);
}

/* take_object: takes a line of a stream, or a plain answer. */
static enum errc take_object(struct decode *d, struct err *e)
{
	const struct json_doc *doc = d->doc;
	json_at                done = json_get_some(doc, 0, "done");

	if (done != JSON_ABSENT && json_kind(doc, done) != JSON_TRUE &&
	    json_kind(doc, done) != JSON_FALSE)
		return decode_bad(e, "a done that is no boolean");
	decode_start(d, STR_NONE, json_get_inner(doc, 0, "model"));
	enum errc rc = ollama_take_message(d, e);
	if (rc == ERR_OK && json_is_kind(doc, done, JSON_TRUE))
		rc = ollama_give_end(d, e);
	return rc;
}

/* read_object: scans an object. Errors: as openai_answer. */
static enum errc read_object(struct decode *d, struct str text, const char *what, struct err *e)
{
	struct openai_top top;

	if (json_scan(d->doc, text.p ? text.p : "", text.n, &json_limits_upstream, e) != ERR_OK ||
	    json_kind(d->doc, 0) != JSON_OBJECT)
		return decode_bad(e, what);
	return openai_answer(d, NULL, &top, e);
}

static enum errc ollama_decode_event(struct decode *d, struct str name, struct str data,
				     struct err *e)
{
	(void)name;
	if (d->done_mark)
		return ERR_OK;
	enum errc rc = read_object(d, data, "a line that is no JSON object", e);
	return rc != ERR_OK ? rc : take_object(d, e);
}

static enum errc ollama_decode_whole(struct decode *d, struct str body, struct err *e)
{
	struct whole w;
	enum errc    rc = read_object(d, body, "an answer that is no JSON object", e);

	if (rc != ERR_OK)
		return rc;
	if (json_get_some(d->doc, 0, "message") == JSON_ABSENT)
		return decode_bad(e, "an answer without a message");
	whole_begin(&w, d);
	rc = take_object(d, e);
	if (rc == ERR_OK && !d->finished)
		rc = decode_bad(e, "an answer that is not done");
	return whole_end(&w, rc, e);
}

const struct dialect dialect_ollama = {
	.name = "ollama",
	.names = NAMES_BRIEF,
	.takes = PROVIDER_IMAGES | PROVIDER_TOP_K | PROVIDER_OLLAMA,
	.path = "/api/chat",
	.models = "/api/tags",
	.root = "/api",
	.framing = &upstream_lines,
	.encode = ollama_encode,
	.decode_event = ollama_decode_event,
	.decode_whole = ollama_decode_whole,
	.decode_error = openai_decode_error,
	.embed = &ollama_embed,
};

/* --- ollama_embed: Ollama's native embeddings, POST /api/embed:
 *
 *   {"model","input":["…"],"dimensions","truncate","options","keep_alive"}
 *   {"model","embeddings":[[…]],"total_duration","load_duration","prompt_eval_count"}
 *
 * Vectors are always numbers. Source: Ollama's api/types.go and docs/api.md. */

static const struct ask_param params[] = {
	{ .key = "input", .rule = ASK_OWN },
	{ .key = "encoding_format", .rule = ASK_OWN },
	{ .key = "dimensions", .rule = ASK_SENT },
	{ .key = NULL },
};

static enum errc ollama_embed_encode(const struct provider_options *o, const struct prompt *p,
				     struct buf *out, struct err *e)
{
	(void)o;
	return embed_put(p, params, "ollama", out, e);
}

static enum errc ollama_embed_decode(struct decode *d, const struct embed_want *want,
				     struct str body, struct err *e)
{
	struct embed_list l;
	enum errc         rc = embed_scan(d, body, e);

	if (rc != ERR_OK)
		return rc;

	struct usage usage = embed_list_usage(d->doc, 0, "prompt_eval_count");
	embed_list_begin(&l, want);
	rc = embed_list_vectors(&l, d->doc, NULL, e);
	return embed_list_give(&l, d, rc, json_get_inner(d->doc, 0, "model"), &usage, e);
}

const struct dialect_embed ollama_embed = {
	.path = "/api/embed",
	.encode = ollama_embed_encode,
	.decode = ollama_embed_decode,
};
