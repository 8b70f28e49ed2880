/* POST /v1/responses: OpenAI's Responses API.  Its request becomes one of a chat: items become
 * messages, and members get the names that chats have for them. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "routes/call/call.h"
#include "routes/kit/check.h"
#include "routes/response/internal.h"
#include "schema/schema.h"
#include "provider/registry.h"
#include "shape/response.h"

/* The value of `include` that asks for log probabilities. */
#define WITH_LOGPROBS "message.output_text.logprobs"

/* The treatment of a member that the field table does not bind, or binds for its type. */
enum member_rule {
	MEMBER_READ,    /* printed by this file for the provider, if at all */
	MEMBER_FORWARD, /* for providers with the option forward_store */
	MEMBER_ALONE,   /* only this API has it: a provider of another one is not sent it */
	MEMBER_REFUSED, /* it would change the answer, and can't be done here */
	MEMBER_MOVED,   /* a chat's member: `to` is the one to use here */
};

/* The members of openai-python 3.57's types/responses/response_create_params.py, and some of others.  What
 * is neither here nor a member of a chat goes to the provider, which may know it (top_k). */
static const struct member {
	const char      *key;
	enum member_rule rule;
	const char      *to;
} members[] = {
	{ "model", MEMBER_READ, NULL },
	{ "input", MEMBER_READ, NULL },
	{ "instructions", MEMBER_READ, NULL },
	{ "previous_response_id", MEMBER_READ, NULL },
	{ "conversation", MEMBER_READ, NULL },
	{ "background", MEMBER_READ, NULL },
	{ "stream", MEMBER_READ, NULL },
	{ "stream_options", MEMBER_READ, NULL },
	{ "max_output_tokens", MEMBER_READ, NULL },
	{ "max_tool_calls", MEMBER_READ, NULL }, /* limits hosted tools only */
	{ "top_logprobs", MEMBER_READ, NULL },
	{ "tools", MEMBER_READ, NULL },
	{ "tool_choice", MEMBER_READ, NULL },
	{ "parallel_tool_calls", MEMBER_READ, NULL },
	{ "text", MEMBER_READ, NULL },
	{ "reasoning", MEMBER_READ, NULL },
	{ "include", MEMBER_READ, NULL },
	{ "truncation", MEMBER_READ, NULL },
	{ "store", MEMBER_FORWARD, NULL },
	{ "metadata", MEMBER_FORWARD, NULL },
	{ "access_programs", MEMBER_ALONE, NULL },
	{ "background_options", MEMBER_ALONE, NULL },
	{ "client_metadata", MEMBER_ALONE, NULL }, /* sent by Codex */
	{ "context_management", MEMBER_ALONE, NULL },
	{ "image", MEMBER_ALONE, NULL },
	{ "prompt_cache_options", MEMBER_ALONE, NULL },
	{ "prompt", MEMBER_REFUSED, NULL },
	{ "moderation", MEMBER_REFUSED, NULL },
	{ "messages", MEMBER_MOVED, "input" },
	{ "max_tokens", MEMBER_MOVED, "max_output_tokens" },
	{ "max_completion_tokens", MEMBER_MOVED, "max_output_tokens" },
	{ "response_format", MEMBER_MOVED, "text.format" },
	{ "verbosity", MEMBER_MOVED, "text.verbosity" },
	{ "reasoning_effort", MEMBER_MOVED, "reasoning.effort" },
	{ "functions", MEMBER_MOVED, "tools" },
	{ "function_call", MEMBER_MOVED, "tool_choice" },
	{ "logprobs", MEMBER_MOVED, "include" },
	{ "n", MEMBER_MOVED, "one request for each answer" },
};

static const struct member *member_of(const struct json_doc *d, json_at key)
{
	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		if (json_is(d, key, members[i].key))
			return &members[i];
	return NULL;
}

/* is_own_tier: a tier of service that OpenAI's chat completions don't have (openai-python 3.57). */
static bool is_own_tier(const struct json_doc *d, json_at key)
{
	return json_is(d, key, "service_tier") && json_is(d, json_value(key), "ultrafast");
}

/* --- members of the provider's request --- */

struct response_members {
	struct str *list; /* in the arena */
	size_t      count;
};

static enum errc response_read_member(const struct json_doc *d, json_at k,
				      struct response_members       *list,
				      const struct response_reading *reading, struct prompt *prompt,
				      struct err *e)
{
	const struct member *m = member_of(d, k);

	if (json_kind(d, json_value(k)) == JSON_NULL)
		return ERR_OK;
	if (!m && !is_own_tier(d, k)) {
		list->list[list->count++] = json_member(d, k);
		return ERR_OK;
	}
	switch (m ? m->rule : MEMBER_ALONE) {
	case MEMBER_READ: return ERR_OK;
	case MEMBER_FORWARD:
		prompt->forward[json_is(d, k, "store") ? 0 : 1] = json_member(d, k);
		return ERR_OK;
	case MEMBER_ALONE:
		warnings_add(reading->warnings, 0, "parameter_dropped",
			     "%s was not sent: only OpenAI's Responses API has it",
			     m ? m->key : "service_tier of this name");
		return ERR_OK;
	case MEMBER_REFUSED:
		if (reading->passes)
			return ERR_OK;
		return err_set(e, ERR_UNSUPPORTED_PARAMETER, m->key, "is not supported here");
	case MEMBER_MOVED:
		return err_set(e, ERR_UNSUPPORTED_PARAMETER, m->key,
			       "is no member of a response's request; use %s", m->to);
	}
	return ERR_OK;
}

/* response_add: adds the member that was printed, if any was; one at a time, because a dialect looks for
 * each by its key. */
static enum errc response_add(struct input *in, struct buf *text, struct response_members *list,
			      struct err *e)
{
	struct str copy = arena_str(&in->arena, buf_view(text));

	buf_clear(text);
	if (!copy.p)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
	if (copy.n > 0)
		list->list[list->count++] = copy;
	return ERR_OK;
}

/* put_format: text.format as a chat's response_format. */
static enum errc put_format(const struct json_doc *d, json_at format, struct buf *out,
			    struct err *e)
{
	bool ok = true;
	bool first = true;

	if (json_get_is(d, format, "type", "text"))
		return ERR_OK;
	if (json_get_is(d, format, "type", "json_object")) {
		ok = buf_text(out, "\"response_format\":{\"type\":\"json_object\"}");
	} else if (json_get_is(d, format, "type", "json_schema")) {
		ok = buf_text(out, "\"response_format\":{\"type\":\"json_schema\","
				   "\"json_schema\":{");
		JSON_EACH_MEMBER (k, d, format) {
			if (json_is(d, k, "type") || json_kind(d, json_value(k)) == JSON_NULL)
				continue;
			ok = ok && (first || buf_text(out, ",")) && buf_str(out, json_member(d, k));
			first = false;
		}
		ok = ok && buf_text(out, "}}");
	} else {
		return err_set(e, ERR_INVALID_VALUE, "text.format.type",
			       "must be one of: text, json_object, json_schema");
	}
	return ok ? ERR_OK : err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
}

static enum errc response_post_text(struct input *in, json_at text, struct response_members *list,
				    struct err *e)
{
	const struct json_doc *d = &in->doc;
	struct buf             made;
	enum errc              rc = ERR_OK;

	if (text == JSON_ABSENT)
		return ERR_OK;
	json_at format = json_get_some(d, text, "format");
	json_at verbosity = json_get_some(d, text, "verbosity");
	if (format != JSON_ABSENT && json_kind(d, format) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, "text.format", "must be an object");
	buf_init(&made, LIMIT_BODY_MAX);
	if (format != JSON_ABSENT)
		rc = put_format(d, format, &made, e);
	if (rc == ERR_OK)
		rc = response_add(in, &made, list, e);
	if (rc == ERR_OK && verbosity != JSON_ABSENT) {
		if (!buf_text(&made, "\"verbosity\":") || !buf_str(&made, json_raw(d, verbosity)))
			rc = err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
		else
			rc = response_add(in, &made, list, e);
	}
	buf_finish(&made);
	return rc;
}

static enum errc response_post_effort(struct input *in, json_at reasoning,
				      struct response_members *list, struct err *e)
{
	const struct json_doc *d = &in->doc;
	struct buf             made;
	json_at                effort =
                reasoning != JSON_ABSENT ? json_get_some(d, reasoning, "effort") : JSON_ABSENT;

	if (effort == JSON_ABSENT)
		return ERR_OK;
	if (json_kind(d, effort) != JSON_STRING)
		return err_set(e, ERR_INVALID_TYPE, "reasoning.effort", "must be a string");
	buf_init(&made, KIB);
	enum errc rc =
		buf_text(&made, "\"reasoning_effort\":") && buf_str(&made, json_raw(d, effort))
			? response_add(in, &made, list, e)
			: err_set(e, ERR_INVALID_VALUE, "reasoning.effort", "is too long");
	buf_finish(&made);
	return rc;
}

/* wants_logprobs: OpenAI's clients ask for log probabilities by `include`, and by `top_logprobs` for
 * those of other tokens. */
static bool wants_logprobs(const struct json_doc *d, const struct response_request *c)
{
	if (c->top_logprobs > 0)
		return true;
	if (c->include != JSON_ABSENT)
		JSON_EACH (i, d, c->include)
			if (json_is(d, i, WITH_LOGPROBS))
				return true;
	return false;
}

static enum errc response_post_logprobs(struct input *in, const struct response_request *c,
					struct response_members *list, struct err *e)
{
	struct buf made;

	if (!wants_logprobs(&in->doc, c))
		return ERR_OK;
	buf_init(&made, KIB);
	enum errc rc = buf_text(&made, "\"logprobs\":true")
			       ? response_add(in, &made, list, e)
			       : err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
	if (rc == ERR_OK && c->top_logprobs > 0)
		rc = buf_fmt(&made, "\"top_logprobs\":%lld", (long long)c->top_logprobs)
			     ? response_add(in, &made, list, e)
			     : err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
	buf_finish(&made);
	return rc;
}

static enum errc response_post_tools(struct input *in, const struct response_tools *t,
				     struct response_members *list, struct err *e)
{
	const struct json_doc *d = &in->doc;
	json_at                parallel = json_get_some(d, 0, "parallel_tool_calls");
	struct buf             made;

	buf_init(&made, LIMIT_BODY_MAX);
	enum errc rc = response_tools_read(t, &made, e);
	bool      some = made.len > 0;

	if (rc == ERR_OK)
		rc = response_add(in, &made, list, e);
	/* Providers refuse both where there are no tools. */
	if (rc == ERR_OK && some)
		rc = response_tools_put_choice(t, &made)
			     ? response_add(in, &made, list, e)
			     : err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
	if (rc == ERR_OK && some && parallel != JSON_ABSENT) {
		if (!buf_text(&made, "\"parallel_tool_calls\":") ||
		    !buf_str(&made, json_raw(d, parallel)))
			rc = err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
		else
			rc = response_add(in, &made, list, e);
	}
	buf_finish(&made);
	return rc;
}

static enum errc response_build_prompt(struct input *in, const struct response_request *c,
				       const struct response_reading *reading,
				       const struct response_tools *tools, struct prompt *ret,
				       struct err *e)
{
	const struct json_doc  *d = &in->doc;
	struct response_members list = { 0 };
	enum errc               rc = ERR_OK;

	/* Each member makes at most one, except for text and top_logprobs, which make two. */
	list.list = arena_alloc(&in->arena, (d->tok[0].count + 6) * sizeof *list.list);
	if (!list.list)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
	JSON_EACH_MEMBER (k, d, 0) {
		rc = response_read_member(d, k, &list, reading, ret, e);
		if (rc != ERR_OK)
			return rc;
	}
	rc = response_post_text(in, c->text, &list, e);
	if (rc == ERR_OK)
		rc = response_post_effort(in, c->reasoning, &list, e);
	if (rc == ERR_OK)
		rc = response_post_tools(in, tools, &list, e);
	if (rc == ERR_OK)
		rc = response_post_logprobs(in, c, &list, e);
	if (rc != ERR_OK)
		return rc;
	ret->members = list.list;
	ret->member_count = list.count;
	ret->stream = c->stream || c->background;
	ret->want_usage = ret->stream;
	if (c->max_output_tokens != INT64_MIN)
		ret->max_tokens = json_raw(d, json_get(d, 0, "max_output_tokens"));
	return ERR_OK;
}

/* --- the request --- */

static enum errc check_include(const struct json_doc *d, json_at include, struct err *e)
{
	static const char *const known[] = {
		"file_search_call.results",
		"web_search_call.results",
		"web_search_call.action.sources",
		"message.input_image.image_url",
		"computer_call_output.output.image_url",
		"code_interpreter_call.outputs",
		"reasoning.encrypted_content",
		WITH_LOGPROBS,
	};
	size_t n = 0;

	if (include == JSON_ABSENT)
		return ERR_OK;
	JSON_EACH (i, d, include) {
		char path[160];
		bool found = false;

		check_path(path, "include[%zu]", n++);
		for (size_t k = 0; k < ARRAY_LEN(known); k++)
			found = found || json_is(d, i, known[k]);
		if (!found)
			return err_set(e, ERR_INVALID_VALUE, path, "is not known");
	}
	return ERR_OK;
}

static enum errc response_read_conversation(const struct json_doc         *d,
					    const struct response_request *c,
					    struct call_request *ret, struct err *e)
{
	json_at at = c->conversation;

	if (c->previous_response_id.p && at != JSON_ABSENT)
		return err_set(e, ERR_INVALID_VALUE, "previous_response_id",
			       "is allowed only without conversation");
	if (c->previous_response_id.p &&
	    !id_parse(c->previous_response_id, ID_RESPONSE, &ret->thread.previous))
		return err_set(e, ERR_NOT_FOUND, "previous_response_id",
			       "there is no such response");
	if (at == JSON_ABSENT)
		return ERR_OK;
	if (json_kind(d, at) == JSON_OBJECT)
		at = json_get_some(d, at, "id");
	if (!json_is_kind(d, at, JSON_STRING))
		return err_set(e, ERR_INVALID_TYPE, "conversation",
			       "must be the id of a conversation, or an object with its id");
	if (!id_parse(json_inner(d, at), ID_CONVERSATION, &ret->thread.conversation))
		return err_set(e, ERR_NOT_FOUND, "conversation", "there is no such conversation");
	return c->store ? ERR_OK
			: err_set(e, ERR_INVALID_VALUE, "store",
				  "must be true if conversation is given");
}

static enum errc response_read_input(struct input *in, const struct response_request *c,
				     struct response_reading *reading, struct call_request *ret,
				     struct err *e)
{
	bool      goes_on = reading->follows;
	enum errc rc = ERR_OK;

	if (c->input == JSON_ABSENT && !goes_on)
		return err_set(e, ERR_MISSING_PARAMETER, "input", "is required");
	if (c->input != JSON_ABSENT)
		rc = response_input_read(in, c->input, reading, ret, e);
	if (rc == ERR_OK && ret->what.message_count == 0 && !goes_on)
		return err_set(e, ERR_INVALID_VALUE, "input",
			       "may be empty only together with previous_response_id or "
			       "conversation");
	return rc;
}

static enum errc check_rest(const struct json_doc *d, const struct response_request *c,
			    struct err *e)
{
	enum errc rc = check_include(d, c->include, e);

	if (rc == ERR_OK && c->metadata != JSON_ABSENT)
		rc = check_metadata(d, c->metadata, e);
	if (rc == ERR_OK && c->background && !c->store)
		rc = err_set(e, ERR_INVALID_VALUE, "background",
			     "an answer in the background must be stored");
	return rc;
}

/* keep_warnings: what this file has left out is told with the answer. */
static enum errc keep_warnings(struct input *in, const struct warnings *w, struct call_request *ret,
			       struct err *e)
{
	if (w->count == 0)
		return ERR_OK;
	ret->what.warnings = arena_str(&in->arena, buf_view(&w->json));
	ret->what.warning_count = w->count;
	return ret->what.warnings.p ? ERR_OK
				    : err_set(e, ERR_OVERLOADED, "", "no memory for the request");
}

/* response_warn: what the request asks for, and nothing here does. */
static void response_warn(const struct json_doc *d, const struct response_request *c,
			  struct warnings *w)
{
	static const char *const unread[] = { "context", "generate_summary", "mode" };

	if (c->truncation == RESPONSE_TRUNCATION_AUTO)
		warnings_add(w, 0, "truncation_off", "nothing is left out of a long conversation");
	if (c->include != JSON_ABSENT)
		JSON_EACH (i, d, c->include)
			if (json_is(d, i, "reasoning.encrypted_content"))
				warnings_add(w, 0, "reasoning_not_encrypted",
					     "reasoning comes as a summary, and is not encrypted");
	for (size_t i = 0; c->reasoning != JSON_ABSENT && i < ARRAY_LEN(unread); i++)
		if (json_get_some(d, c->reasoning, unread[i]) != JSON_ABSENT)
			warnings_add(w, 0, "parameter_dropped",
				     "the parameter \"reasoning.%s\" was not sent", unread[i]);
}

/* response_pass: keeps the request as it is for the targets that take it so. */
static enum errc response_pass(struct input *in, const struct response_request *c,
			       const struct response_reading *reading, struct call_request *ret,
			       struct err *e)
{
	struct prompt_native *native = arena_alloc(&in->arena, sizeof *native);

	if (!native)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
	*native = (struct prompt_native){
		.takes = PROVIDER_RESPONSES,
		.doc = &in->doc,
		.items = reading->items,
		.item_count = reading->item_count,
		.kept = c->store,
	};
	ret->what.prompt.native = native;
	return ERR_OK;
}

static enum errc response_read_how(struct input *in, const struct response_request *c,
				   const struct response_reading *reading, struct call_request *ret,
				   struct err *e)
{
	struct warnings            *w = reading->warnings;
	const struct response_tools tools = {
		.d = &in->doc,
		.list = c->tools,
		.more = reading->more,
		.more_count = reading->more_count,
		.choice = c->tool_choice,
		.drops = reading->drops,
		.shows = reading->native,
		.warnings = w,
		.origins = reading->origins,
	};
	enum errc rc = response_build_prompt(in, c, reading, &tools, &ret->what.prompt, e);

	if (rc == ERR_OK && reading->native && !reading->unsendable)
		rc = response_pass(in, c, reading, ret, e);
	if (rc == ERR_OK)
		rc = response_show(in, c, &tools, ret, e);
	response_warn(&in->doc, c, w);
	return rc == ERR_OK ? keep_warnings(in, w, ret, e) : rc;
}

static enum errc response_read_request(struct input *in, const struct gateway *g,
				       struct call_request *ret, struct err *e)
{
	struct response_request c = response_request_init;
	struct response_origins origins = { .arena = &in->arena };
	struct warnings         w;
	struct response_reading reading = { .origins = &origins, .warnings = &w };
	enum errc               rc;

	c.store = g->now->responses_store;
	rc = fields_read(&response_request_fields, &in->doc, 0, "", &in->arena, &c, e);
	if (rc == ERR_OK)
		rc = check_rest(&in->doc, &c, e);
	if (rc == ERR_OK)
		rc = response_read_conversation(&in->doc, &c, ret, e);
	if (rc != ERR_OK)
		return rc;
	rc = door_target(g->now->registry, c.model, "model", ret, e);
	if (rc != ERR_OK)
		return rc;
	struct registry_bound b =
		registry_bound(ret->what.route, ret->what.asked, 0, CLASS_STANDARD);
	reading.drops = g->now->drops_hosted;
	reading.native = b.some & PROVIDER_RESPONSES;
	reading.passes = b.takes & PROVIDER_RESPONSES;
	reading.follows = c.previous_response_id.p || c.conversation != JSON_ABSENT;
	warnings_init(&w);
	rc = response_read_input(in, &c, &reading, ret, e);
	if (rc == ERR_OK)
		rc = response_read_how(in, &c, &reading, ret, e);
	warnings_finish(&w);
	if (rc != ERR_OK)
		return rc;

	ret->what.origins = (struct origins){ .list = origins.list, .count = origins.count };
	ret->what.instruction_set = c.instructions.p != NULL;
	ret->what.instruction_once = true;
	ret->what.instruction = c.instructions;
	ret->manner.store = c.store;
	/* A stored answer goes on without its client, and so is there for GET. */
	ret->manner.finish = c.store;
	/* A streamed background response is a stream like others, which goes on anyway. */
	ret->manner.background = c.background && !c.stream;
	ret->manner.fences = true; /* the text is read as LMC later */
	ret->manner.logprobs = wants_logprobs(&in->doc, &c);
	ret->manner.want_usage = true;
	if (c.metadata != JSON_ABSENT)
		ret->thread.metadata = json_raw(&in->doc, c.metadata);
	return ERR_OK;
}

void response_post(struct request *r, void *app)
{
	intake_serve(r, app, response_read_request);
}
