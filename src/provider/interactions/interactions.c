/* Google's Interactions API, without a state at the provider: decodes streams and plain answers.
 *
 * A stream, in the API's own words; steps follow each other, each between its start and stop:
 *
 *   interaction.created --> (step.start --> step.delta* --> step.stop)* --> interaction.completed
 *
 * interaction.status_update and error may come at any time.  The stream is complete only after
 * interaction.completed, whose status says how it has ended; [DONE] proves nothing.  A plain answer is the
 * interaction with its steps.  Sources: ai.google.dev/gemini-api/docs/streaming and /api-errors; the types of
 * google-genai 3.6 (Interaction, InteractionSSEEvent, Step). */
#include "provider/interactions/interactions.h"

#include "base/limits.h"
#include "json/scan.h"
#include "provider/decode.h"
#include "provider/gemini/gemini.h"
#include "provider/openai/openai.h"
#include "shape/api_words.h"
#include "shape/carry.h"

#include <stddef.h>

enum step { STEP_NONE, STEP_OUTPUT, STEP_THOUGHT, STEP_CALL, STEP_OTHER };

struct reader {
	enum step    step; /* the open one */
	int64_t      index;
	bool         begun; /* some of the call's arguments were given */
	bool         called, said;
	bool         stepped; /* a step was read */
	struct usage usage;
	char         status[64]; /* the status of the end; "": the interaction goes on */
	struct buf   signature;  /* the signature of the open thought */
	struct buf   thoughts;   /* signatures for the next call: "a","b" */
	size_t       thought_count;
	struct buf   extra; /* scratch: what a call carries, or an image */
	struct buf   args;  /* scratch: arguments that came as an object */
	struct buf   held;  /* arguments of the step's start, unless pieces follow */
};

static const struct decode_state reader_state = {
	.size = sizeof(struct reader),
	.bufs = {
		{ offsetof(struct reader, signature), LIMIT_ANSWER },
		{ offsetof(struct reader, thoughts), LIMIT_ANSWER },
		{ offsetof(struct reader, extra), 2 * (size_t)LIMIT_ANSWER },
		{ offsetof(struct reader, args), 2 * (size_t)LIMIT_ANSWER },
		{ offsetof(struct reader, held), 2 * (size_t)LIMIT_ANSWER },
	},
};

/* --- usage --- */

/* interactions_read_usage: what the interaction, or an event, has of it: running totals. */
static enum errc interactions_read_usage(struct decode *d, struct reader *r, json_at at,
					 struct err *e)
{
	enum errc rc = interactions_usage(d->doc, at, &r->usage, e);

	d->told = r->usage;
	return rc;
}

/* --- thoughts, which must be sent back with the calls that they led to --- */

/* interactions_end_thought: without a signature, a thought can't be sent back. */
static bool interactions_end_thought(struct reader *r)
{
	bool ok = r->signature.len == 0 ||
		  (buf_text(&r->thoughts, r->thought_count++ > 0 ? ",\"" : "\"") &&
		   buf_str(&r->thoughts, buf_view(&r->signature)) && buf_text(&r->thoughts, "\""));

	buf_clear(&r->signature);
	return ok;
}

/* interactions_last_thought: the signature of the last one; empty: there is none. */
static struct str interactions_last_thought(const struct reader *r)
{
	struct str thoughts = buf_view(&r->thoughts);
	size_t     at = thoughts.n;

	if (r->thought_count == 0)
		return STR_NONE;
	while (thoughts.p[--at - 1] != '"')
		;
	return (struct str){ thoughts.p + at, thoughts.n - 1 - at };
}

/* interactions_carry: what a call carries, whose own signature is `own`.  False: no memory. */
static bool interactions_carry(struct reader *r, struct str own, struct str *ret)
{
	struct str thoughts = buf_view(&r->thoughts);
	struct str last = own;

	*ret = STR_NONE;
	if (r->thought_count == 0 && own.n == 0)
		return true;
	if (r->thought_count == 1 && own.n == 0) {
		*ret = (struct str){ thoughts.p + 1, thoughts.n - 2 };
		/* shape/carry would take it for an object. */
		if (str_starts(*ret, STR("{")))
			*ret = STR_NONE;
		return true;
	}
	if (last.n == 0)
		last = interactions_last_thought(r);
	buf_clear(&r->extra);
	bool ok = buf_text(&r->extra, "{\"google\":{\"thought_signature\":\"") &&
		  buf_str(&r->extra, last) &&
		  buf_text(&r->extra, "\",\"" INTERACTIONS_CARRIED "\":{\"thoughts\":[") &&
		  buf_str(&r->extra, thoughts) && buf_text(&r->extra, "]") &&
		  (own.n == 0 || (buf_text(&r->extra, ",\"call\":\"") && buf_str(&r->extra, own) &&
				  buf_text(&r->extra, "\""))) &&
		  buf_text(&r->extra, "}}}");
	*ret = buf_view(&r->extra);
	return ok;
}

static void interactions_forget_thoughts(struct reader *r)
{
	buf_clear(&r->thoughts);
	r->thought_count = 0;
}

/* --- contents --- */

/* interactions_give_media: gives an image in the form in which OpenRouter gives images of models, with the thoughts
 * before it, and other media as the provider sent them. */
static enum errc interactions_give_media(struct decode *d, struct reader *r, json_at at,
					 struct err *e)
{
	struct str type = json_get_inner(d->doc, at, "mime_type");
	struct str data = json_get_inner(d->doc, at, "data");
	struct str uri = json_get_inner(d->doc, at, "uri");
	struct str thought = interactions_last_thought(r);

	r->said = true;
	if (!json_get_is(d->doc, at, "type", "image") || data.n + uri.n == 0) {
		decode_give(d, (struct event){ .kind = EVENT_MEDIA, .text = json_raw(d->doc, at) });
		return ERR_OK;
	}
	buf_clear(&r->extra);
	bool ok = buf_text(&r->extra, "{\"type\":\"image_url\",\"image_url\":{\"url\":\"");
	if (data.n > 0)
		ok = ok && buf_text(&r->extra, "data:") &&
		     buf_str(&r->extra, type.n > 0 ? type : STR("image/jpeg")) &&
		     buf_text(&r->extra, ";base64,") && buf_str(&r->extra, data);
	else
		ok = ok && buf_str(&r->extra, uri);
	ok = ok && buf_text(&r->extra, "\"}");
	if (!str_starts(thought, STR("{"))) /* shape/carry would take it for an object */
		ok = ok && extra_put(thought, &r->extra);
	if (!ok || !buf_text(&r->extra, "}"))
		return err_no_memory(e);
	interactions_forget_thoughts(r);
	r->usage.images++;
	decode_give(d, (struct event){ .kind = EVENT_MEDIA, .text = buf_view(&r->extra) });
	return ERR_OK;
}

/* interactions_give_content: a content of a step, or a piece of one. */
static enum errc interactions_give_content(struct decode *d, struct reader *r, enum event_kind kind,
					   json_at at, struct err *e)
{
	static const char *const media[] = { "image", "audio", "video", "document" };
	struct str               text;

	if (json_kind(d->doc, at) != JSON_OBJECT)
		return decode_bad(e, "a piece of an answer that is no object");
	if (json_get_is(d->doc, at, "type", "text")) {
		if (!decode_text(d->doc, at, "text", &text))
			return decode_bad(e, "a text that is no string");
		r->said = r->said || (kind == EVENT_TEXT && text.n > 0);
		decode_piece(d, kind, text);
		return ERR_OK;
	}
	for (size_t i = 0; kind == EVENT_TEXT && i < ARRAY_LEN(media); i++)
		if (json_get_is(d->doc, at, "type", media[i]))
			return interactions_give_media(d, r, at, e);
	return ERR_OK;
}

static enum errc interactions_give_contents(struct decode *d, struct reader *r,
					    enum event_kind kind, json_at step, const char *key,
					    struct err *e)
{
	json_at   list = json_get_some(d->doc, step, key);
	enum errc rc = ERR_OK;

	if (list == JSON_ABSENT)
		return ERR_OK;
	if (json_kind(d->doc, list) != JSON_ARRAY)
		return decode_bad(e, "contents of a step that are no list");
	for (json_at i = json_first(d->doc, list); rc == ERR_OK && i != json_end(d->doc, list);
	     i = json_next(d->doc, i))
		rc = interactions_give_content(d, r, kind, i, e);
	return rc;
}

/* --- calls --- */

static void interactions_give_args(struct decode *d, struct reader *r, struct str args)
{
	if (args.n == 0)
		return;
	r->begun = true;
	decode_give(d, (struct event){
			       .kind = EVENT_TOOL_ARGS, .block = d->next_tool - 1, .text = args });
}

/* interactions_read_args: arguments, which may be a text or an object; of an empty object, none. */
static enum errc interactions_read_args(struct decode *d, struct reader *r, json_at holder,
					struct str *ret, struct err *e)
{
	json_at at = json_get_some(d->doc, holder, "arguments");

	*ret = STR_NONE;
	return json_is_kind(d->doc, at, JSON_OBJECT) && d->doc->tok[at].count == 0
		       ? ERR_OK
		       : decode_args(d->doc, at, &r->args, ret, e);
}

static enum errc hold_args(struct decode *d, struct reader *r, json_at step, struct err *e)
{
	struct str args;
	enum errc  rc = interactions_read_args(d, r, step, &args, e);

	buf_clear(&r->held);
	return rc != ERR_OK || buf_str(&r->held, args) ? rc : err_no_memory(e);
}

static enum errc interactions_give_call(struct decode *d, struct reader *r, json_at step,
					struct err *e)
{
	struct event ev = { .kind = EVENT_TOOL_START, .block = d->next_tool };
	struct str   own;
	char         made[ID_MAX];

	if (!decode_text(d->doc, step, "id", &ev.id) ||
	    !decode_text(d->doc, step, "name", &ev.name) ||
	    !decode_text(d->doc, step, "signature", &own) || ev.name.n == 0)
		return decode_bad(e, "a call without a name");
	if (d->next_tool == LIMIT_TOOLS)
		return decode_bad(e, "too many tool calls");
	if (ev.id.n == 0)
		ev.id = decode_made_id(made);
	if (!interactions_carry(r, own, &ev.text))
		return err_no_memory(e);
	d->next_tool++;
	r->called = true;
	r->begun = false;
	decode_give(d, ev);
	interactions_forget_thoughts(r);
	return hold_args(d, r, step, e);
}

/* --- steps --- */

static enum errc interactions_end_step(struct decode *d, struct reader *r, struct err *e)
{
	bool ok = true;

	if (r->step == STEP_THOUGHT) {
		ok = interactions_end_thought(r);
	} else if (r->step == STEP_CALL) {
		/* A call without arguments has none, but clients parse the arguments as JSON. */
		if (!r->begun)
			interactions_give_args(d, r,
					       r->held.len > 0 ? buf_view(&r->held) : STR("{}"));
		decode_give(d,
			    (struct event){ .kind = EVENT_BLOCK_END, .block = d->next_tool - 1 });
	}
	r->step = STEP_NONE;
	return ok ? ERR_OK : err_no_memory(e);
}

/* interactions_begin_step: steps of other types (such as a search that the provider runs) mean nothing to a client
 * of another API; their results are in the text. */
static enum errc interactions_begin_step(struct decode *d, struct reader *r, json_at step,
					 struct err *e)
{
	struct str signature;
	json_at    error;
	enum errc  rc = interactions_end_step(d, r, e);

	r->stepped = true;
	r->status[0] = '\0';
	if (rc != ERR_OK)
		return rc;
	if (json_get_is(d->doc, step, "type", "function_call")) {
		r->step = STEP_CALL;
		return interactions_give_call(d, r, step, e);
	}
	if (json_get_is(d->doc, step, "type", "thought")) {
		r->step = STEP_THOUGHT;
		if (!decode_text(d->doc, step, "signature", &signature))
			return decode_bad(e, "a signature that is no string");
		if (!buf_str(&r->signature, signature))
			return err_no_memory(e);
		return interactions_give_contents(d, r, EVENT_REASONING, step, "summary", e);
	}
	r->step = STEP_OTHER;
	if (!json_get_is(d->doc, step, "type", "model_output"))
		return ERR_OK;
	r->step = STEP_OUTPUT;
	rc = interactions_object(d->doc, step, "error", &error, e);
	if (rc == ERR_OK && interactions_is_error(d->doc, error))
		return interactions_take_error(d, error, e);
	return rc == ERR_OK ? interactions_give_contents(d, r, EVENT_TEXT, step, "content", e) : rc;
}

/* interactions_add_delta: the type tells where a piece belongs: the index of an arguments_delta is not always that
 * of its call. */
static enum errc interactions_add_delta(struct decode *d, struct reader *r, json_at delta,
					struct err *e)
{
	struct str signature, args;
	json_at    content;

	if (json_get_is(d->doc, delta, "type", "arguments_delta")) {
		if (r->step != STEP_CALL)
			return decode_bad(e, "the arguments of a call that has not begun");
		enum errc rc = interactions_read_args(d, r, delta, &args, e);
		if (rc == ERR_OK)
			interactions_give_args(d, r, args);
		return rc;
	}
	if (json_get_is(d->doc, delta, "type", "thought_signature")) {
		if (!decode_text(d->doc, delta, "signature", &signature))
			return decode_bad(e, "a signature that is no string");
		/* It may stand in the step's start, too. */
		return r->step != STEP_THOUGHT || str_eq(buf_view(&r->signature), signature) ||
				       buf_str(&r->signature, signature)
			       ? ERR_OK
			       : err_no_memory(e);
	}
	if (json_get_is(d->doc, delta, "type", "thought_summary")) {
		enum errc rc = interactions_object(d->doc, delta, "content", &content, e);

		return rc == ERR_OK && content != JSON_ABSENT
			       ? interactions_give_content(d, r, EVENT_REASONING, content, e)
			       : rc;
	}
	return interactions_give_content(d, r, EVENT_TEXT, delta, e);
}

/* --- the end --- */

static void interactions_give_end(struct decode *d, const struct reader *r)
{
	struct str  native = str_of(r->status);
	const char *word = api_words_finish(&words_interactions, native);

	if (word && (strcmp(word, "stop") == 0 || strcmp(word, "tool_calls") == 0))
		word = r->called ? "tool_calls" : "stop";
	/* The reader of an end of later days must see that the answer is not whole. */
	decode_end(d, str_of(word ? word : "content_filter"), native, &r->usage);
}

/* interactions_fail: an interaction that has ended without a usable answer. */
static enum errc interactions_fail(struct decode *d, json_at interaction, struct str status,
				   struct err *e)
{
	json_at errors = json_get_some(d->doc, interaction, "errors");

	if (json_is_kind(d->doc, errors, JSON_ARRAY) && d->doc->tok[errors].count > 0 &&
	    json_kind(d->doc, json_first(d->doc, errors)) == JSON_OBJECT)
		return interactions_take_error(d, json_first(d->doc, errors), e);
	err_set(e, ERR_UPSTREAM_ERROR, NULL, "the provider ended the answer with %.*s",
		STR_ARG(status));
	str_copy(e->wire, sizeof e->wire, status);
	return e->code;
}

/* interactions_take_status: keeps the status of an interaction that has ended.  A call for whose result it waits must
 * be there. */
static enum errc interactions_take_status(struct decode *d, struct reader *r, json_at interaction,
					  struct err *e)
{
	static const char *const going[] = { "in_progress", "queued", "idle" };
	struct str               status = json_get_inner(d->doc, interaction, "status");
	const char              *word = api_words_finish(&words_interactions, status);

	r->status[0] = '\0';
	if (status.n == 0 || status.n >= sizeof r->status)
		return decode_bad(e, "a status that is no word");
	for (size_t i = 0; i < ARRAY_LEN(going); i++)
		if (str_is(status, going[i]))
			return ERR_OK;
	if (str_is(status, "failed") || str_is(status, "cancelled") ||
	    (!r->said && !r->called && (!word || strcmp(word, "tool_calls") == 0)))
		return interactions_fail(d, interaction, status, e);
	str_copy(r->status, sizeof r->status, status);
	return ERR_OK;
}

/* interactions_note_status: an update ends nothing, but may say that the answer is whole. */
static void interactions_note_status(const struct decode *d, struct reader *r)
{
	struct str status = json_get_inner(d->doc, 0, "status");

	r->status[0] = '\0';
	if (status.n < sizeof r->status && api_words_finish(&words_interactions, status))
		str_copy(r->status, sizeof r->status, status);
}

/* interactions_read_steps: the steps of a whole interaction. */
static enum errc interactions_read_steps(struct decode *d, struct reader *r, json_at list,
					 struct err *e)
{
	enum errc rc = ERR_OK;

	if (list == JSON_ABSENT)
		return ERR_OK;
	if (json_kind(d->doc, list) != JSON_ARRAY)
		return decode_bad(e, "steps that are no list");
	for (json_at i = json_first(d->doc, list); rc == ERR_OK && i != json_end(d->doc, list);
	     i = json_next(d->doc, i)) {
		if (json_kind(d->doc, i) != JSON_OBJECT)
			return decode_bad(e, "a step that is no object");
		rc = interactions_begin_step(d, r, i, e);
	}
	return rc == ERR_OK ? interactions_end_step(d, r, e) : rc;
}

static void interactions_give_start(struct decode *d, json_at interaction)
{
	decode_start(d, json_get_inner(d->doc, interaction, "id"),
		     json_get_inner(d->doc, interaction, "model"));
}

/* --- a stream --- */

/* interactions_complete: the last event of a stream seldom has the steps; they count where no other event had
 * them. */
static enum errc interactions_complete(struct decode *d, struct reader *r, struct err *e)
{
	json_at   interaction;
	enum errc rc = interactions_object(d->doc, 0, "interaction", &interaction, e);

	if (rc == ERR_OK && interaction == JSON_ABSENT)
		return decode_bad(e, "the end of an interaction without the interaction");
	if (rc == ERR_OK)
		interactions_give_start(d, interaction);
	if (rc == ERR_OK)
		rc = interactions_end_step(d, r, e);
	if (rc == ERR_OK && !r->stepped)
		rc = interactions_read_steps(d, r, json_get_some(d->doc, interaction, "steps"), e);
	if (rc == ERR_OK)
		rc = interactions_read_usage(d, r, interaction, e);
	if (rc == ERR_OK)
		rc = interactions_take_status(d, r, interaction, e);
	if (rc != ERR_OK)
		return rc;
	if (!r->status[0])
		return decode_bad(e, "the end of an interaction that goes on");
	d->done_mark = true;
	interactions_give_end(d, r);
	return ERR_OK;
}

static enum errc interactions_stop_step(struct decode *d, struct reader *r, struct err *e)
{
	int64_t index = r->index;

	/* A stop of another step says nothing of the open one. */
	decode_count_some(d->doc, 0, "index", &index);
	enum errc rc = index == r->index ? interactions_end_step(d, r, e) : ERR_OK;
	return rc == ERR_OK ? interactions_read_usage(d, r, 0, e) : rc;
}

static enum errc interactions_take_event(struct decode *d, struct reader *r, struct str type,
					 struct err *e)
{
	json_at   at = JSON_ABSENT;
	enum errc rc = ERR_OK;

	if (str_is(type, "interaction.completed"))
		return interactions_complete(d, r, e);
	if (str_is(type, "interaction.status_update")) {
		interactions_note_status(d, r);
		return interactions_read_usage(d, r, 0, e);
	}
	if (str_is(type, "step.stop"))
		return interactions_stop_step(d, r, e);
	if (str_is(type, "interaction.created")) {
		rc = interactions_object(d->doc, 0, "interaction", &at, e);
		if (rc == ERR_OK && at != JSON_ABSENT)
			interactions_give_start(d, at);
	} else if (str_is(type, "step.start")) {
		rc = interactions_object(d->doc, 0, "step", &at, e);
		decode_start(d, STR_NONE, STR_NONE);
		if (rc == ERR_OK && at != JSON_ABSENT)
			rc = interactions_begin_step(d, r, at, e);
		r->index = 0;
		decode_count_some(d->doc, 0, "index", &r->index);
	} else if (str_is(type, "step.delta")) {
		rc = interactions_object(d->doc, 0, "delta", &at, e);
		decode_start(d, STR_NONE, STR_NONE);
		r->stepped = true;
		r->status[0] = '\0';
		if (rc == ERR_OK && at != JSON_ABSENT)
			rc = interactions_add_delta(d, r, at, e);
	}
	return rc;
}

static enum errc interactions_decode_event(struct decode *d, struct str name, struct str data,
					   struct err *e)
{
	struct reader *r = decode_state(d, &reader_state);

	if (!r)
		return err_no_memory(e);
	if (d->done_mark || decode_beats(name, data) || str_is(str_trim(data), "[DONE]"))
		return ERR_OK;
	enum errc rc = openai_scan_event(d, name, data, e);
	if (rc != ERR_OK)
		return rc;
	if (json_kind(d->doc, 0) != JSON_OBJECT)
		return decode_bad(e, "a stream event that is no JSON object");
	struct str type = json_get_inner(d->doc, 0, "event_type");

	if (type.n == 0)
		type = name;
	if (str_is(type, "error") || json_get_some(d->doc, 0, "error") != JSON_ABSENT)
		return interactions_fail_all(d, e);
	rc = interactions_take_event(d, r, type, e);
	d->told = r->usage;
	return rc;
}

/* interactions_over: a status said that the answer is whole; its last event, with the usage, did not come. */
static void interactions_over(struct decode *d, bool well)
{
	struct reader *r = d->state;

	if (r && well && r->status[0] && !d->done_mark && r->step == STEP_NONE)
		interactions_give_end(d, r);
}

/* --- the plain answer --- */

static enum errc interactions_read_whole(struct decode *d, struct reader *r, struct err *e)
{
	interactions_give_start(d, 0);
	enum errc rc = interactions_read_usage(d, r, 0, e);
	if (rc == ERR_OK)
		rc = interactions_read_steps(d, r, json_get_some(d->doc, 0, "steps"), e);
	if (rc == ERR_OK)
		rc = interactions_take_status(d, r, 0, e);
	if (rc == ERR_OK && !r->status[0])
		return decode_bad(e, "an interaction that has not ended");
	if (rc == ERR_OK)
		interactions_give_end(d, r);
	return rc;
}

static enum errc interactions_decode_whole(struct decode *d, struct str body, struct err *e)
{
	struct reader *r = decode_state(d, &reader_state);
	struct whole   w;

	if (!r)
		return err_no_memory(e);
	if (openai_scan_object(d, body, e) != ERR_OK)
		return e->code;
	if (json_get_some(d->doc, 0, "error") != JSON_ABSENT)
		return interactions_fail_all(d, e);
	whole_begin(&w, d);
	return whole_end(&w, interactions_read_whole(d, r, e), e);
}

/* --- the dialect --- */

static const struct provider_header interactions_headers[] = {
	{ "Api-Revision", "2026-05-20", false },
	{ 0 },
};

const struct dialect dialect_interactions = {
	.name = "gemini-interactions",
	.names = NAMES_BRIEF,
	.takes =
		PROVIDER_IMAGES | PROVIDER_AUDIO | PROVIDER_PDF | PROVIDER_FILE_URL | PROVIDER_TIER,
	.path = "/interactions",
	.models = "/models?pageSize=1000",
	.key_header = "x-goog-api-key",
	.headers = interactions_headers,
	.framing = &upstream_events,
	.encode = interactions_encode,
	.decode_event = interactions_decode_event,
	.over = interactions_over,
	.decode_whole = interactions_decode_whole,
	.decode_error = gemini_decode_error,
	.finish = decode_state_finish,
	.embed = &gemini_embed,
};
