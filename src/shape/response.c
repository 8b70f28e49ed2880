/* Gathers the items of a response, and prints the object. */
#include "shape/response.h"

#include "base/limits.h"
#include "lmc/media.h"
#include "shape/api_words.h"
#include "shape/carry.h"
#include "shape/answer.h"

#include <stdio.h>
#include <stdlib.h>

/* --- items --- */

static const struct {
	const char *type;
	const char *prefix; /* start of ids; the id of a second item ends in "_2" */
} response_kinds[RESPONSE_KIND__COUNT] = {
	[RESPONSE_REASONING] = { "reasoning", "rs_" },
	[RESPONSE_MESSAGE] = { "message", ID_MESSAGE },
	[RESPONSE_CALL] = { "function_call", "fc_" },
	[RESPONSE_IMAGE] = { "image_generation_call", "ig_" },
	[RESPONSE_CUSTOM] = { "custom_tool_call", "ctc_" },
};

static void response_item_free(struct response_item *i)
{
	buf_finish(&i->text);
	buf_finish(&i->refusal);
	buf_finish(&i->name);
	buf_finish(&i->space);
	buf_finish(&i->call_id);
	buf_finish(&i->input);
	buf_finish(&i->logprobs);
	buf_finish(&i->carried);
	buf_finish(&i->own);
	buf_finish(&i->head);
	free(i);
}

static void name_item(const struct response *r, struct response_item *i, size_t nth)
{
	char id[ID_MAX];

	id_text(r->run, response_kinds[i->kind].prefix, id);
	if (nth > 1)
		snprintf(i->id, sizeof i->id, "%s_%zu", id, nth);
	else
		snprintf(i->id, sizeof i->id, "%s", id);
}

/* response_add_item: NULL: there are too many, or memory is short. */
static struct response_item *response_add_item(struct response *r, enum response_kind kind)
{
	struct response_item **grown;
	struct response_item  *i;
	/* Calls of both kinds are counted together, as the Conversations API numbers them. */
	enum response_kind counted = kind == RESPONSE_CUSTOM ? RESPONSE_CALL : kind;

	if (r->count == LIMIT_RESPONSE_ITEMS)
		return NULL;
	if ((r->count & (r->count - 1)) == 0) { /* the room doubles */
		grown = realloc(r->items, (r->count ? 2 * r->count : 1) * sizeof(void *));
		if (!grown)
			return NULL;
		r->items = grown;
	}
	i = calloc(1, sizeof *i);
	if (!i)
		return NULL;
	i->kind = kind;
	i->index = r->base + r->count;
	i->open = true;
	buf_init(&i->text, r->max);
	buf_init(&i->refusal, r->max);
	buf_init(&i->name, r->max);
	buf_init(&i->space, r->max);
	buf_init(&i->call_id, r->max);
	buf_init(&i->input, r->max);
	buf_init(&i->logprobs, r->max);
	buf_init(&i->carried, 2 * r->max);
	buf_init(&i->own, r->max);
	buf_init(&i->head, 4 * KIB);
	name_item(r, i, ++r->nth[counted]);
	r->items[r->count++] = i;
	return i;
}

struct response_item *response_adopt(struct response *r, size_t index, struct str id)
{
	struct response_item *i = response_add_item(r, RESPONSE_MESSAGE);

	if (!i)
		return NULL;
	i->index = index;
	r->base = index;
	str_copy(i->id, sizeof i->id, id);
	r->message = i;
	return i;
}

static bool response_opened(const struct response *r, struct response_item *i)
{
	return !r->watch || r->watch->opened(r->watch_arg, i);
}

static bool response_append(struct response *r, struct buf *to, struct str piece)
{
	if (piece.n > r->max - r->bytes || !buf_str(to, piece))
		return false;
	r->bytes += piece.n;
	return true;
}

/* keep_logprobs: moves what came with a text to the item. */
static bool response_keep_logprobs(struct response *r, struct response_item *i)
{
	if (r->pending.len == 0)
		return true;
	if ((i->logprobs.len > 0 && !buf_text(&i->logprobs, ",")) ||
	    !response_append(r, &i->logprobs, buf_view(&r->pending)))
		return false;
	buf_clear(&r->pending);
	return true;
}

static bool response_grow(struct response *r, struct response_item *i, bool refusal,
			  struct str piece)
{
	struct buf *to = refusal ? &i->refusal : &i->text;
	bool        first = refusal ? to->len == 0 : !i->said;

	if (!response_append(r, to, piece))
		return false;
	i->said = i->said || !refusal;
	return (!r->watch || r->watch->grew(r->watch_arg, i, refusal, first, piece)) &&
	       (refusal || i->kind != RESPONSE_MESSAGE || response_keep_logprobs(r, i));
}

bool response_adopt_text(struct response *r, struct response_item *i, struct str text,
			 struct str logprobs)
{
	i->said = true;
	return response_append(r, &i->text, text) && response_append(r, &i->logprobs, logprobs);
}

/* read_input: the input of a custom call: the member `input` of its arguments, or the arguments as
 * they are if they have another form. */
static bool read_input(struct response_item *i)
{
	struct json_doc d = { 0 };
	struct buf      text;
	struct err      e;
	struct str      input = buf_view(&i->text);

	buf_init(&text, i->text.len);
	bool ok = json_unescape(input, &text);
	if (ok && json_scan(&d, text.data, text.len, &json_limits_upstream, &e) == ERR_OK &&
	    json_kind(&d, 0) == JSON_OBJECT && d.tok[0].count == 1) {
		json_at at = json_get(&d, 0, "input");

		if (json_is_kind(&d, at, JSON_STRING))
			input = json_inner(&d, at);
	}
	ok = ok && buf_str(&i->input, input);
	json_doc_finish(&d);
	buf_finish(&text);
	return ok;
}

static bool response_close(struct response *r, struct response_item *i)
{
	if (!i || !i->open)
		return true;
	i->open = false;
	i->cut = r->finished && (r->broken || response_incomplete(r));
	if (i == r->reasoning)
		r->reasoning = NULL;
	if (i == r->message)
		r->message = NULL;
	/* A last chunk may have log probabilities without a text. */
	if ((i->kind == RESPONSE_CUSTOM && !read_input(i)) ||
	    (i->kind == RESPONSE_MESSAGE && i->said && !response_keep_logprobs(r, i)))
		return false;
	return !r->watch || r->watch->closed(r->watch_arg, i);
}

/* --- calls --- */

static struct response_item *response_call_of(const struct response *r, uint32_t block)
{
	for (size_t n = r->count; n > 0; n--) {
		struct response_item *i = r->items[n - 1];

		if ((i->kind == RESPONSE_CALL || i->kind == RESPONSE_CUSTOM) && i->block == block)
			return i;
	}
	return NULL;
}

static bool call_id_taken(const struct response *r, size_t before, struct str id)
{
	for (size_t n = 0; n < before; n++)
		if (str_eq(buf_view(&r->items[n]->call_id), id))
			return true;
	return false;
}

/* response_put_call_id: clients refuse a response with two calls of one id, or of none, so such a call gets
 * an id of its own.  before: the number of items before the call's. */
static bool response_put_call_id(const struct response *r, size_t before, struct str id,
				 struct buf *out)
{
	char body[ID_MAX];

	if (id.n > 0 && !call_id_taken(r, before, id))
		return buf_str(out, id);
	id_text(r->run, "call_", body);
	return buf_fmt(out, "%s_%zu", body, before + 1);
}

/* --- reasoning, and what goes back to the provider with it --- */

static bool response_open_reasoning(struct response *r)
{
	if (!r->reasoning)
		r->reasoning = response_add_item(r, RESPONSE_REASONING);
	else
		return true;
	return r->reasoning && response_opened(r, r->reasoning);
}

static bool response_add_details(struct response *r, struct str list)
{
	if (list.n == 0 || !r->carries || r->unthinking)
		return true;
	if (!r->carry)
		r->carry = carry_create();
	return r->carry && carry_add_details(r->carry, list);
}

/* response_carry_call: what has come, and what came with a call, goes into reasoning before it. */
static bool response_carry_call(struct response *r, const struct event *ev)
{
	struct buf id;

	if (!r->carries || r->unthinking || (ev->text.n == 0 && !carry_any(r->carry)))
		return true;
	if (!r->carry)
		r->carry = carry_create();
	if (!r->carry || !response_open_reasoning(r))
		return false;
	buf_init(&id, r->max);
	bool ok = response_put_call_id(r, r->count, ev->id, &id) &&
		  carry_add_extra(r->carry, buf_view(&id), ev->text) &&
		  carry_take(r->carry, &r->reasoning->carried);
	buf_finish(&id);
	return ok;
}

/* response_carry_rest: what came after the calls. */
static bool response_carry_rest(struct response *r)
{
	bool called = r->nth[RESPONSE_CALL] > 0; /* calls of both kinds */

	return !called || !carry_any(r->carry) ||
	       (response_open_reasoning(r) && carry_take(r->carry, &r->reasoning->carried));
}

static bool response_begin_call(struct response *r, const struct event *ev)
{
	struct response_item *i = response_call_of(r, ev->block);

	/* An event without an id is a further piece of a name. */
	if (i && ev->id.n == 0)
		return response_append(r, &i->name, ev->name);
	if (!response_carry_call(r, ev) || !response_close(r, r->reasoning) ||
	    !response_close(r, r->message))
		return false;

	struct response_tool tool = response_tool_of(&r->doc, r->tools, ev->name);
	bool custom = tool.at != JSON_ABSENT && json_get_is(&r->doc, tool.at, "type", "custom");

	i = response_add_item(r, custom ? RESPONSE_CUSTOM : RESPONSE_CALL);
	if (!i)
		return false;
	i->block = ev->block;
	return response_append(r, &i->space, tool.space) &&
	       response_append(r, &i->name, tool.name) &&
	       response_put_call_id(r, r->count - 1, ev->id, &i->call_id) && response_opened(r, i);
}

static bool call_args(struct response *r, const struct event *ev)
{
	struct response_item *i = response_call_of(r, ev->block);

	return ev->text.n == 0 || !i || !i->open || response_grow(r, i, false, ev->text);
}

/* --- events --- */

static bool response_text(struct response *r, bool refusal, struct str piece)
{
	if (piece.n == 0)
		return true;
	if (!response_close(r, r->reasoning))
		return false;
	/* In the content, a text stands before a refusal. */
	if (!refusal && r->message && !r->message->said && r->message->refusal.len > 0 &&
	    !response_close(r, r->message))
		return false;
	if (!r->message) {
		r->message = response_add_item(r, RESPONSE_MESSAGE);
		if (!r->message || !response_opened(r, r->message))
			return false;
	}
	return response_grow(r, r->message, refusal, piece);
}

static bool response_reasoning(struct response *r, struct str piece)
{
	if (piece.n == 0 || r->unthinking)
		return true;
	return response_open_reasoning(r) && response_grow(r, r->reasoning, false, piece);
}

/* response_image: data is an item, which begins and ends here; an address becomes text, because an
 * item has no place for it. */
static bool response_image(struct response *r, struct str url)
{
	static const struct str mark = { ";base64,", 8 };
	const char             *data = str_starts(url, STR("data:"))
					       ? memmem(url.p, url.n < 256 ? url.n : 256, mark.p, mark.n)
					       : NULL;
	struct response_item   *i;

	if (url.n == 0)
		return true;
	if (!data)
		return response_text(r, false, STR("![image](")) && response_text(r, false, url) &&
		       response_text(r, false, STR(")"));
	if (!response_close(r, r->reasoning) || !response_close(r, r->message))
		return false;
	data += mark.n;
	i = response_add_item(r, RESPONSE_IMAGE);
	return i && response_opened(r, i) &&
	       response_append(r, &i->text, (struct str){ data, (size_t)(url.p + url.n - data) }) &&
	       response_close(r, i);
}

static bool response_media(struct response *r, struct str part)
{
	struct json_doc d = { 0 };
	struct err      e;

	if (!picture_is(part))
		return true;
	bool ok = json_scan(&d, part.p, part.n, &json_limits_upstream, &e) == ERR_OK
			  ? response_image(r, json_inner_of(&d, picture_url(&d, 0)))
			  : e.code != ERR_OVERLOADED;
	json_doc_finish(&d);
	return ok;
}

bool response_end(struct response *r)
{
	bool any = r->answered;

	r->finished = true;
	if (!response_carry_rest(r))
		return false;
	for (size_t n = 0; n < r->count; n++)
		any = any || r->items[n]->kind != RESPONSE_REASONING;
	/* Agents that find no item in a response ask the model again, and again. */
	if (!any) {
		struct response_item *i;

		if (!response_close(r, r->reasoning))
			return false;
		i = response_add_item(r, RESPONSE_MESSAGE);
		if (!i || !response_opened(r, i) || !response_grow(r, i, false, STR("")))
			return false;
	}
	for (size_t n = 0; n < r->count; n++)
		if (!response_close(r, r->items[n]))
			return false;
	return true;
}

/* response_take_raw: the items of a stored answer have the gateway's ids. */
static bool response_take_raw(struct response *r, const struct event *ev)
{
	if (!r->passes || ev->form != RAW_RESPONSES || ev->text.n == 0)
		return true;
	if (!r->raw)
		r->raw = response_raw_create(r->run, true);
	return r->raw && response_raw_add(r->raw, ev->text);
}

bool response_event(struct response *r, const struct event *ev)
{
	if (ev->choice != 0)
		return true;
	/* Only the first event of a chunk has the chunk; the text may be a later one's. */
	if (r->logprobs && ev->form == RAW_OPENAI && !logprobs_add(ev->raw, &r->pending))
		return false;
	switch (ev->kind) {
	case EVENT_TEXT: return response_text(r, false, ev->text);
	case EVENT_REFUSAL: return response_text(r, true, ev->text);
	case EVENT_REASONING: return response_reasoning(r, ev->text);
	case EVENT_TOOL_START: return response_begin_call(r, ev);
	case EVENT_TOOL_ARGS: return call_args(r, ev);
	case EVENT_BLOCK_END: return response_close(r, response_call_of(r, ev->block));
	case EVENT_FINISH:
		if (r->finished)
			return true;
		str_copy(r->finish, sizeof r->finish, ev->text);
		return response_end(r);
	case EVENT_USAGE: r->usage = ev->usage; return true;
	case EVENT_MEDIA: return response_media(r, ev->text);
	case EVENT_OTHER: return response_add_details(r, ev->name) && response_take_raw(r, ev);
	case EVENT_START:
	case EVENT_MESSAGE:
	case EVENT_LMC:
	case EVENT_ASKED:
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

const char *response_incomplete(const struct response *r)
{
	return api_words_reason(&words_responses, str_of(r->finish));
}

/* --- birth and death --- */

bool response_init(struct response *r, struct id run, int64_t created_s, struct str settings,
		   size_t max)
{
	struct err e;

	*r = (struct response){ .run = run, .created_s = created_s, .max = max };
	buf_init(&r->settings, LIMIT_STORE_ROW);
	buf_init(&r->pending, LIMIT_UPSTREAM_BODY);
	if (!buf_str(&r->settings, settings))
		return false;
	if (settings.n == 0 || (!memmem(settings.p, settings.n, "\"custom\"", 8) &&
				!memmem(settings.p, settings.n, "\"namespace\"", 11)))
		return true;
	if (json_scan(&r->doc, r->settings.data, r->settings.len, &json_limits_stored, &e) !=
	    ERR_OK)
		return e.code != ERR_OVERLOADED;
	json_at tools = json_get(&r->doc, 0, "tools");
	r->tools = json_is_kind(&r->doc, tools, JSON_ARRAY) ? tools : JSON_ABSENT;
	return true;
}

void response_finish(struct response *r)
{
	for (size_t n = 0; n < r->count; n++)
		response_item_free(r->items[n]);
	free(r->items);
	response_raw_destroy(r->raw);
	carry_destroy(r->carry);
	buf_finish(&r->settings);
	buf_finish(&r->pending);
	json_doc_finish(&r->doc);
	*r = (struct response){ 0 };
}

/* --- printing --- */

static bool response_put_text(struct buf *out, const char *before, struct str escaped)
{
	return buf_text(out, before) && buf_text(out, "\"") && buf_str(out, escaped) &&
	       buf_text(out, "\"");
}

bool response_print_part(const struct response_item *i, bool refusal, bool fresh, struct buf *out)
{
	struct str text = fresh ? STR_NONE : buf_view(refusal ? &i->refusal : &i->text);

	if (refusal)
		return response_put_text(out, "{\"type\":\"refusal\",\"refusal\":", text) &&
		       buf_text(out, "}");
	return response_put_text(out, "{\"type\":\"output_text\",\"text\":", text) &&
	       buf_text(out, ",\"annotations\":[],\"logprobs\":[") &&
	       (fresh || buf_str(out, buf_view(&i->logprobs))) && buf_text(out, "]}");
}

static bool response_put_content(const struct response_item *i, struct buf *out)
{
	bool both = i->said && i->refusal.len > 0;

	return (!i->said || response_print_part(i, false, false, out)) &&
	       (!both || buf_text(out, ",")) &&
	       (i->refusal.len == 0 || response_print_part(i, true, false, out));
}

static const char *response_item_status(const struct response_item *i, bool fresh)
{
	if (fresh)
		return "in_progress";
	return i->open || i->cut ? "incomplete" : "completed";
}

static bool response_put_call(const struct response_item *i, bool fresh, struct buf *out)
{
	bool       custom = i->kind == RESPONSE_CUSTOM;
	struct str text = buf_view(custom && !i->open ? &i->input : &i->text);

	return response_put_text(out, ",\"call_id\":", buf_view(&i->call_id)) &&
	       response_put_text(out, ",\"name\":", buf_view(&i->name)) &&
	       (i->space.len == 0 ||
		response_put_text(out, ",\"namespace\":", buf_view(&i->space))) &&
	       response_put_text(
		       out, custom ? ",\"input\":" : ",\"arguments\":", fresh ? STR_NONE : text) &&
	       buf_text(out, "}");
}

static bool response_put_reasoning(const struct response_item *i, bool fresh, struct buf *out)
{
	if (!buf_text(out, ",\"summary\":["))
		return false;
	if (!fresh && i->said &&
	    !(response_put_text(out, "{\"type\":\"summary_text\",\"text\":", buf_view(&i->text)) &&
	      buf_text(out, "}")))
		return false;
	return buf_text(out, "]") &&
	       (fresh || i->carried.len == 0 ||
		response_put_text(out, ",\"encrypted_content\":", buf_view(&i->carried))) &&
	       buf_text(out, "}");
}

bool response_print_item(const struct response_item *i, bool fresh, struct buf *out)
{
	if (!buf_text(out, "{\"type\":\"") || !buf_text(out, response_kinds[i->kind].type) ||
	    !buf_text(out, "\",\"id\":\"") || !buf_text(out, i->id) || !buf_text(out, "\""))
		return false;
	if (i->kind == RESPONSE_REASONING)
		return response_put_reasoning(i, fresh, out);
	if (!buf_text(out, ",\"status\":\"") || !buf_text(out, response_item_status(i, fresh)) ||
	    !buf_text(out, "\""))
		return false;
	if (i->kind == RESPONSE_IMAGE)
		return (fresh ? buf_text(out, ",\"result\":null")
			      : response_put_text(out, ",\"result\":", buf_view(&i->text))) &&
		       buf_text(out, "}");
	if (i->kind != RESPONSE_MESSAGE)
		return response_put_call(i, fresh, out);
	return buf_text(out, ",\"role\":\"assistant\"") && buf_str(out, buf_view(&i->own)) &&
	       buf_text(out, ",\"content\":[") && (fresh || response_put_content(i, out)) &&
	       buf_text(out, "]}");
}

static bool response_put_output(const struct response *r, struct buf *out)
{
	struct str raw = r->raw ? response_raw_output(r->raw) : STR_NONE;
	bool       any = raw.n > 0;

	if (!buf_str(out, raw))
		return false;
	for (size_t n = 0; (r->base > 0 || raw.n == 0) && n < r->count; n++) {
		if ((any && !buf_text(out, ",")) || !response_print_item(r->items[n], false, out))
			return false;
		any = true;
	}
	return true;
}

const char *response_code(struct str code)
{
	const struct api_error *row = api_words_error(&words_responses, code);

	return row && row->told ? row->word : "server_error";
}

/* AI SDK reads a failed object only if its error has a type. */
static bool response_put_error(const struct response_state *s, struct buf *out)
{
	if (!s->error_code)
		return buf_text(out, ",\"error\":null");
	return buf_fmt(out, ",\"error\":{\"code\":\"%s\",\"message\":", s->error_code) &&
	       buf_str(out, s->error_message) &&
	       buf_fmt(out, ",\"type\":\"%s\",\"param\":null}", s->error_code);
}

static bool response_put_times(const struct response *r, const struct response_state *s,
			       struct buf *out)
{
	char id[ID_MAX];

	id_text(r->run, ID_RESPONSE, id);
	if (!buf_fmt(out, "{\"id\":\"%s\",\"object\":\"response\",\"created_at\":%lld", id,
		     (long long)r->created_s) ||
	    !buf_fmt(out, ",\"status\":\"%s\",\"completed_at\":", s->status))
		return false;
	return s->completed_s > 0 && strcmp(s->status, "completed") == 0
		       ? buf_int(out, s->completed_s)
		       : buf_text(out, "null");
}

bool response_print(const struct response *r, const struct response_state *s, struct buf *out)
{
	const char *why =
		s->over && strcmp(s->status, "incomplete") == 0 ? response_incomplete(r) : NULL;

	if (!response_put_times(r, s, out) || !response_put_error(s, out) ||
	    !(why ? buf_fmt(out, ",\"incomplete_details\":{\"reason\":\"%s\"}", why)
		  : buf_text(out, ",\"incomplete_details\":null")) ||
	    !buf_text(out, ",\"output\":[") || (s->over && !response_put_output(r, out)) ||
	    !buf_text(out, "],\"usage\":") ||
	    !(s->over && r->usage.known ? response_raw_put_usage(&r->usage, out)
					: buf_text(out, "null")))
		return false;
	/* The settings are an object with at least one member, whose first brace is a comma here. */
	if (r->settings.len <= 2)
		return buf_text(out, "}");
	return buf_text(out, ",") && buf_add(out, r->settings.data + 1, r->settings.len - 1);
}

/* --- stored responses --- */

static bool response_take(void *arg, const struct event *ev)
{
	return response_event(arg, ev);
}

/* response_status: OpenAI's word for how a run stands.  A run that broke off has failed: only the
 * provider's own early end is `incomplete`. */
static const char *response_status(const struct response *r, const char *status)
{
	if (strcmp(status, "running") == 0)
		return "in_progress";
	if (strcmp(status, "incomplete") == 0)
		return "failed";
	return strcmp(status, "completed") == 0 && response_incomplete(r) ? "incomplete" : status;
}

/* response_bare: shows a request whose settings were removed with its content. */
static bool response_bare(struct str model, struct buf *out)
{
	return buf_text(out, "{\"model\":") && buf_json_string(out, model) &&
	       buf_text(out,
			",\"instructions\":null,\"metadata\":{},\"parallel_tool_calls\":true,"
			"\"temperature\":1.0,\"presence_penalty\":0.0,\"frequency_penalty\":0.0,"
			"\"tool_choice\":\"auto\",\"top_p\":1.0,\"max_output_tokens\":null,"
			"\"max_tool_calls\":null,\"previous_response_id\":null,"
			"\"prompt_cache_key\":null,\"safety_identifier\":null,"
			"\"service_tier\":\"default\",\"user\":null,\"tools\":[],"
			"\"text\":{\"format\":{\"type\":\"text\"}},"
			"\"reasoning\":{\"effort\":null,\"summary\":null},\"conversation\":null,"
			"\"background\":false,\"store\":true,\"top_logprobs\":0,"
			"\"truncation\":\"disabled\"}");
}

/* object_error: reads the stored error object. */
static bool object_error(struct str error, struct json_doc *d, struct response_state *s)
{
	struct err e;

	s->error_code = "server_error";
	s->error_message = STR("\"the run failed\"");
	if (error.n == 0 || json_scan(d, error.p, error.n, &json_limits_stored, &e) != ERR_OK)
		return error.n == 0 || e.code != ERR_OVERLOADED;
	json_at message = json_get(d, 0, "message");
	s->error_code = response_code(json_get_inner(d, 0, "code"));
	if (json_is_kind(d, message, JSON_STRING))
		s->error_message = json_raw(d, message);
	return true;
}

bool response_object(const struct run_object *o, struct buf *out)
{
	struct response       r;
	struct response_state s = { .completed_s = o->completed_s };
	struct json_doc       d = { 0 };
	struct str            finish = o->finish_reason;
	bool ok = response_init(&r, o->run, o->created_s, o->settings, LIMIT_UPSTREAM_BODY);

	if (ok && o->settings.n == 0)
		ok = response_bare(o->model, &r.settings);
	s.over = strcmp(o->status, "queued") != 0 && strcmp(o->status, "running") != 0;
	r.unthinking = o->unthinking;
	r.passes = !o->unthinking;
	r.broken = s.over && strcmp(o->status, "completed") != 0;
	if (ok && o->answer.n > 0)
		ok = replay_answer(o->answer, finish, o->usage, response_take, &r);
	s.status = response_status(&r, o->status);
	if (ok && strcmp(s.status, "failed") == 0)
		ok = object_error(o->error, &d, &s);
	ok = ok && response_print(&r, &s, out);
	json_doc_finish(&d);
	response_finish(&r);
	return ok;
}

bool response_cancels(struct str settings)
{
	struct json_doc d = { 0 };
	struct err      e;
	bool            background = false;

	if (settings.n > 0 &&
	    json_scan(&d, settings.p, settings.n, &json_limits_stored, &e) == ERR_OK) {
		json_at i = json_get(&d, 0, "background");

		background = json_is_kind(&d, i, JSON_TRUE);
	}
	json_doc_finish(&d);
	return background;
}
