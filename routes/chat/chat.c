/* POST /v1/chat: LLM Chat. */
#include "routes/chat/chat.h"

#include "base/limits.h"
#include "routes/call/call.h"
#include "routes/kit/check.h"
#include "routes/kit/handlers.h"
#include "schema/schema.h"

#include <string.h>

/* Members of config that go into the provider's request under the same name. */
static const char *const forwarded[] = {
	"temperature",       "top_p",           "stop",  "seed",        "presence_penalty",
	"frequency_penalty", "response_format", "tools", "tool_choice", "reasoning_effort",
};

/* Members that config.extra must not set, because the gateway sets them. */
static const char *const owned[] = {
	"model", "messages", "stream",     "stream_options",        "n",
	"store", "metadata", "max_tokens", "max_completion_tokens", "extra",
};

/* --- checks --- */

static bool chat_in_list(const struct json_doc *d, json_at key, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (json_is(d, key, list[i]))
			return true;
	return false;
}

static enum errc check_extra(const struct json_doc *d, json_at extra, struct err *e)
{
	JSON_EACH_MEMBER (k, d, extra) {
		struct str key = json_inner(d, k);
		char       path[160];

		if (!chat_in_list(d, k, forwarded, ARRAY_LEN(forwarded)) &&
		    !chat_in_list(d, k, owned, ARRAY_LEN(owned)))
			continue;
		check_path(path, "config.extra.%.*s", (int)key.n, key.p);
		return err_set(e, ERR_INVALID_VALUE, path,
			       "Parley sets this itself; use the field of config, if there is one");
	}
	return ERR_OK;
}

static enum errc check_stop(const struct json_doc *d, json_at stop, struct err *e)
{
	if (json_kind(d, stop) == JSON_STRING)
		return ERR_OK;
	if (json_kind(d, stop) != JSON_ARRAY || d->tok[stop].count > LIMIT_STOPS)
		return err_set(
			e, json_kind(d, stop) == JSON_ARRAY ? ERR_INVALID_VALUE : ERR_INVALID_TYPE,
			"config.stop", "must be a string or an array of up to %d strings",
			LIMIT_STOPS);
	size_t n = 0;
	for (json_at i = json_first(d, stop); i != json_end(d, stop); i = json_next(d, i), n++) {
		char path[160];

		if (json_kind(d, i) == JSON_STRING)
			continue;
		check_path(path, "config.stop[%zu]", n);
		return err_set(e, ERR_INVALID_TYPE, path, "must be a string");
	}
	return ERR_OK;
}

static enum errc check_tools(const struct json_doc *d, json_at tools, struct err *e)
{
	size_t n = 0;

	for (json_at i = json_first(d, tools); i != json_end(d, tools); i = json_next(d, i), n++) {
		char path[160];

		if (json_kind(d, i) == JSON_OBJECT)
			continue;
		check_path(path, "config.tools[%zu]", n);
		return err_set(e, ERR_INVALID_TYPE, path, "must be an object");
	}
	return ERR_OK;
}

static enum errc check_config(const struct json_doc *d, const struct chat_config *c, struct err *e)
{
	enum errc rc = ERR_OK;

	if (c->stop != JSON_ABSENT)
		rc = check_stop(d, c->stop, e);
	if (rc == ERR_OK && c->tools != JSON_ABSENT)
		rc = check_tools(d, c->tools, e);
	if (rc == ERR_OK && c->tool_choice != JSON_ABSENT &&
	    json_kind(d, c->tool_choice) != JSON_STRING &&
	    json_kind(d, c->tool_choice) != JSON_OBJECT)
		rc = err_set(e, ERR_INVALID_TYPE, "config.tool_choice",
			     "must be a string or an object");
	if (rc == ERR_OK && c->extra != JSON_ABSENT)
		rc = check_extra(d, c->extra, e);
	return rc;
}

/* --- the prompt --- */

static void add_members(const struct json_doc *d, json_at object, bool only_forwarded,
			struct str *list, size_t *n)
{
	JSON_EACH_MEMBER (k, d, object) {
		if (only_forwarded && (!chat_in_list(d, k, forwarded, ARRAY_LEN(forwarded)) ||
				       json_kind(d, json_value(k)) == JSON_NULL))
			continue;
		list[(*n)++] = json_member(d, k);
	}
}

static enum errc chat_build_prompt(struct input *in, json_at config, const struct chat_config *c,
				   struct prompt *ret, struct err *e)
{
	const struct json_doc *d = &in->doc;
	size_t                 max = 0;
	size_t                 n = 0;

	if (config == JSON_ABSENT)
		return ERR_OK;
	max = d->tok[config].count + (c->extra != JSON_ABSENT ? d->tok[c->extra].count : 0);

	struct str *list = arena_alloc(&in->arena, (max + 1) * sizeof *list);
	if (!list)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
	add_members(d, config, true, list, &n);
	if (c->extra != JSON_ABSENT)
		add_members(d, c->extra, false, list, &n);
	ret->members = list;
	ret->member_count = n;
	if (c->max_tokens > 0)
		ret->max_tokens = json_raw(d, json_get(d, config, "max_tokens"));
	return ERR_OK;
}

/* --- chat_computer: Reads and checks config.computer. */

#define PATH "config.computer"

static enum errc computer_no(struct err *e, const char *path, const char *text)
{
	return err_set(e, ERR_UNSUPPORTED_PARAMETER, path, "%s", text);
}

/* check_caller: whether the gateway executes code at all, and for this caller. */
static enum errc check_caller(const struct gateway *g, const struct call_request *rq, struct err *e)
{
	if (!g->computer)
		return computer_no(
			e, PATH,
			"this gateway executes no code: its operator has not set `computer`");
	if (rq->caller.who == &identity_open)
		return computer_no(e, PATH, "a gateway without API keys executes no code");
	if (!(rq->caller.scopes & SCOPE_EXECUTE))
		return err_set(e, ERR_INSUFFICIENT_SCOPE, PATH,
			       "this API key may not do that; it needs the scope execute");
	return ERR_OK;
}

/* chat_computer_check_tools: a function of the client's of the same name could not be told from the computer's. */
static enum errc chat_computer_check_tools(const struct json_doc *d, json_at tools, struct err *e)
{
	size_t n = 0;

	if (tools == JSON_ABSENT)
		return ERR_OK;
	JSON_EACH (i, d, tools) {
		json_at function = json_get(d, i, "function");
		char    path[160];

		check_path(path, "config.tools[%zu]", n++);
		if (function != JSON_ABSENT && json_kind(d, function) == JSON_OBJECT &&
		    json_get_is(d, function, "name", "execute"))
			return computer_no(
				e, path,
				"the function execute is the computer's own; leave it out");
	}
	return ERR_OK;
}

static enum errc check_request(const struct gateway *g, const struct chat_request *c,
			       const struct chat_computer *k, const struct call_request *rq,
			       struct err *e)
{
	if (c->format != CHAT_FORMAT_LMC)
		return computer_no(e, PATH, "needs `format: lmc`");
	if (k->confirm == CHAT_COMPUTER_ASK && !c->store)
		return computer_no(e, PATH ".confirm",
				   "an approval goes on with a stored run; set `store`");
	if (k->confirm == CHAT_COMPUTER_NEVER && !g->computer_auto)
		return computer_no(
			e, PATH ".confirm",
			"this gateway asks before each execution: its operator has not set "
			"`computer_auto`");
	if (strcmp(rq->what.provider->ops->dialect, "lmc") == 0)
		return computer_no(e, PATH, "the provider of this model has a computer of its own");
	return ERR_OK;
}

static enum errc read_languages(struct input *in, json_at list, struct call_computing *ret,
				struct err *e)
{
	const struct json_doc *d = &in->doc;
	struct str            *names;
	size_t                 n = 0;

	if (list == JSON_ABSENT)
		return ERR_OK;
	names = arena_alloc(&in->arena, d->tok[list].count * sizeof *names);
	if (!names)
		return err_no_memory(e);
	JSON_EACH (i, d, list) {
		char path[160];

		check_path(path, PATH ".languages[%zu]", n);
		if (json_kind(d, i) != JSON_STRING)
			return err_set(e, ERR_INVALID_TYPE, path, "must be a string");
		if (!json_text(d, i, &in->arena, &names[n]))
			return err_no_memory(e);
		n++;
	}
	ret->languages = names;
	ret->language_count = n;
	return ERR_OK;
}

static const enum context_files places[] = {
	[CHAT_COMPUTER_PROMPT] = CONTEXT_PROMPT,
	[CHAT_COMPUTER_WORKSPACE] = CONTEXT_WORKSPACE,
	[CHAT_COMPUTER_BOTH] = CONTEXT_BOTH,
};

/* chat_computer_read: checks config->computer, and makes ret->computing of it; the other members of ret
 * were read before.  Where ret->computing is set already, the request approves code, and what it says of
 * that stays; config->computer may be absent then.
 * Errors: UNSUPPORTED_PARAMETER for what this gateway, its model or this request can't have,
 * INSUFFICIENT_SCOPE, and those of fields_read; the path is that of the member. */
static enum errc chat_computer_read(struct input *in, const struct gateway *g,
				    const struct chat_request *c, const struct chat_config *config,
				    struct call_request *ret, struct err *e)
{
	struct chat_computer   k = chat_computer_init;
	struct call_computing *q = arena_alloc(&in->arena, sizeof *q);
	enum errc              rc = check_caller(g, ret, e);

	if (!q)
		return err_no_memory(e);
	if (rc == ERR_OK && config->computer != JSON_ABSENT)
		rc = fields_read(&chat_computer_fields, &in->doc, config->computer, PATH,
				 &in->arena, &k, e);
	if (rc == ERR_OK)
		rc = check_request(g, c, &k, ret, e);
	if (rc == ERR_OK)
		rc = chat_computer_check_tools(&in->doc, config->tools, e);
	if (ret->manner.computing)
		*q = *ret->manner.computing;
	q->files = places[k.files];
	q->ask = k.confirm == CHAT_COMPUTER_ASK;
	q->max_steps = k.max_steps;
	if (rc == ERR_OK)
		rc = read_languages(in, k.languages, q, e);
	if (rc != ERR_OK)
		return rc;
	ret->manner.computing = q;
	/* Fenced code is only code to be executed where the request says so. */
	if (c->lmc == JSON_ABSENT || json_get_some(&in->doc, c->lmc, "fences") == JSON_ABSENT)
		ret->manner.fences = ret->manner.fence;
	return ERR_OK;
}

/* --- the request --- */

static enum errc chat_read_conversation(const struct chat_request *c, struct call_request *ret,
					struct err *e)
{
	if (c->parent.p && !c->conversation.p)
		return err_set(e, ERR_INVALID_VALUE, "parent",
			       "is allowed only together with conversation");
	if (!c->conversation.p)
		return ERR_OK;
	if (!id_parse(c->conversation, ID_CONVERSATION, &ret->thread.conversation))
		return err_set(e, ERR_NOT_FOUND, "conversation", "there is no such conversation");
	ret->thread.root = c->parent.p && str_is(c->parent, "none");
	if (c->parent.p && !ret->thread.root &&
	    !id_parse(c->parent, ID_MESSAGE, &ret->thread.parent))
		return err_set(e, ERR_NOT_FOUND, "parent", "this conversation has no such message");
	return ERR_OK;
}

/* read_lmc: reads the shape of the answer, and how code is translated. */
static enum errc read_lmc(struct input *in, const struct chat_request *c, struct call_request *ret,
			  struct err *e)
{
	struct chat_lmc lmc = chat_lmc_init;
	enum errc       rc = ERR_OK;

	if (c->lmc != JSON_ABSENT)
		rc = fields_read(&chat_lmc_fields, &in->doc, c->lmc, "lmc", &in->arena, &lmc, e);
	if (rc != ERR_OK)
		return rc;
	ret->manner.shape = family_format(&family_chat, str_of(chat_formats[c->format]));
	ret->what.answers_calls = c->format == CHAT_FORMAT_LMC || c->lmc != JSON_ABSENT;
	ret->manner.fence = lmc.code == CHAT_LMC_CODE_FENCE;
	ret->manner.fences = lmc.fences;
	return ERR_OK;
}

static enum errc chat_read_messages(struct input *in, const struct gateway *g,
				    const struct chat_request *c, struct call_request *ret,
				    struct err *e)
{
	struct str *messages = NULL;
	enum errc   rc;

	rc = chat_messages_read(in, c->messages, g->image_root != NULL, &messages,
				&ret->what.message_count, e);
	if (rc != ERR_OK)
		return rc;
	ret->what.messages = messages;
	if (ret->what.message_count == 0 && !c->conversation.p)
		return err_set(e, ERR_INVALID_VALUE, "messages",
			       "may be empty only together with conversation");
	if (ret->what.message_count == 0 && ret->thread.root)
		return err_set(e, ERR_INVALID_VALUE, "messages",
			       "may not be empty where parent is \"none\"");
	return ERR_OK;
}

static enum errc read_config(struct input *in, const struct gateway *g,
			     const struct chat_request *c, struct str default_model,
			     struct call_request *ret, struct err *e)
{
	struct chat_config config = chat_config_init;
	enum errc          rc = ERR_OK;

	if (c->config != JSON_ABSENT)
		rc = fields_read(&chat_config_fields, &in->doc, c->config, "config", &in->arena,
				 &config, e);
	if (rc == ERR_OK)
		rc = check_config(&in->doc, &config, e);
	if (rc == ERR_OK)
		rc = chat_build_prompt(in, c->config, &config, &ret->what.prompt, e);
	if (rc == ERR_OK)
		rc = door_target(g->now->registry, config.model.p ? config.model : default_model,
				 "config.model", ret, e);
	if (rc == ERR_OK && config.max_cost != JSON_ABSENT)
		rc = check_money(&in->doc, config.max_cost, "config.max_cost",
				 &ret->manner.max_nano, e);
	if (rc == ERR_OK && (config.computer != JSON_ABSENT || ret->manner.computing))
		rc = chat_computer_read(in, g, c, &config, ret, e);
	return rc;
}

enum errc chat_read_how(struct input *in, const struct gateway *g, const struct chat_request *c,
			struct str default_model, struct call_request *ret, struct err *e)
{
	enum errc rc = read_lmc(in, c, ret, e);

	if (rc == ERR_OK)
		rc = read_config(in, g, c, default_model, ret, e);
	if (rc == ERR_OK && c->background && !c->store)
		rc = err_set(e, ERR_INVALID_VALUE, "background",
			     "an answer in the background must be stored");
	if (rc != ERR_OK)
		return rc;

	ret->manner.background = c->background;
	ret->manner.store = c->store;
	ret->manner.want_usage = true;
	ret->manner.finish =
		c->background || (c->on_disconnect == CHAT_ON_DISCONNECT_UNSET
					  ? c->store
					  : c->on_disconnect == CHAT_ON_DISCONNECT_FINISH);
	/* A background run is a stream, because clients read its events. */
	ret->what.prompt.stream = c->stream || c->background;
	ret->what.prompt.want_usage = ret->what.prompt.stream;
	return ERR_OK;
}

static enum errc chat_read_expiry(struct input *in, json_at at, int64_t *ret_ms, struct err *e)
{
	struct expires_after b = expires_after_init;
	enum errc            rc = ERR_OK;

	if (at != JSON_ABSENT)
		rc = fields_read(&expires_after_fields, &in->doc, at, "expires_after", &in->arena,
				 &b, e);
	*ret_ms = b.seconds * 1000;
	return rc;
}

static enum errc chat_read_request(struct input *in, const struct gateway *g,
				   struct call_request *ret, struct err *e)
{
	struct chat_request c = chat_request_init;
	enum errc           rc;

	rc = fields_read(&chat_request_fields, &in->doc, 0, "", &in->arena, &c, e);
	if (rc == ERR_OK && c.metadata != JSON_ABSENT)
		rc = check_metadata(&in->doc, c.metadata, e);
	if (rc == ERR_OK)
		rc = chat_read_conversation(&c, ret, e);
	if (rc == ERR_OK)
		rc = chat_read_messages(in, g, &c, ret, e);
	if (rc == ERR_OK)
		rc = chat_read_how(in, g, &c, STR_NONE, ret, e);
	if (rc != ERR_OK)
		return rc;

	ret->what.instruction_set = c.instruction.p != NULL;
	ret->what.instruction = c.instruction;
	if (c.metadata != JSON_ABSENT)
		ret->thread.metadata = json_raw(&in->doc, c.metadata);
	rc = chat_read_expiry(in, c.expires_after, &ret->thread.keep_ms, e);
	if (rc == ERR_OK && ret->thread.keep_ms > 0 && !ret->manner.store)
		rc = err_set(e, ERR_INVALID_VALUE, "expires_after",
			     "is for stored conversations; this one is not stored");
	return rc;
}

void chat_post(struct request *r, void *app)
{
	intake_serve(r, app, chat_read_request);
}
