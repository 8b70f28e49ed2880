/* POST /v1/messages: Anthropic's request as a prompt.  The members of its own that OpenAI's request
 * can't say are left out with a warning, because clients add new ones often. */
#include "routes/kit/handlers.h"

#include "base/hash.h"
#include "base/limits.h"
#include "call/admission.h"
#include "desk/live.h"
#include "http/reply.h"
#include "http/request.h"
#include "routes/call/call.h"
#include "routes/kit/check.h"
#include "routes/kit/gateway.h"
#include "routes/messages/internal.h"
#include "run/follow.h"
#include "schema/schema.h"

#include <stdio.h>

enum { USER_MAX = 64, EFFORT_LOW = 2048, EFFORT_MEDIUM = 8192 };

/* Members that are read here, or that mean nothing to a provider of another API. */
static const char *const quiet[] = {
	"model",         "messages",      "max_tokens",     "system",      "stream",
	"temperature",   "top_p",         "top_k",          "tools",       "thinking",
	"output_config", "metadata",      "stop_sequences", "tool_choice", "mcp_servers",
	"service_tier",  "cache_control",
};

/* The members of the prompt as they are made. */
struct ask_members {
	struct message_reading *x;
	struct arena           *arena;
	struct str             *list;
	size_t                  count;
	unsigned                takes; /* enum provider_takes: what all targets of the model take */
};

static enum errc create_no_memory(struct err *e)
{
	return err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
}

/* add_made: the bytes of x->out become a member. */
static enum errc add_made(struct ask_members *m, bool ok, struct err *e)
{
	struct str made = ok ? arena_str(m->arena, buf_view(&m->x->out)) : STR_NONE;

	buf_clear(&m->x->out);
	if (!made.p)
		return create_no_memory(e);
	m->list[m->count++] = made;
	return ERR_OK;
}

static void warn_of_drop(struct message_reading *x, const char *what, const char *why)
{
	warnings_add(&x->warnings, 0, "parameter_dropped", "%s was not sent: %s", what, why);
}

/* --- members --- */

static void warn_others(struct message_reading *x)
{
	JSON_EACH_MEMBER (k, x->doc, 0) {
		struct str key = json_inner(x->doc, k);
		bool       known = json_kind(x->doc, json_value(k)) == JSON_NULL;

		for (size_t i = 0; i < ARRAY_LEN(quiet); i++)
			known = known || json_is(x->doc, k, quiet[i]);
		if (!known)
			warnings_add(&x->warnings, 0, "parameter_dropped",
				     "the parameter \"%.*s\" was not sent",
				     (int)(key.n < 64 ? key.n : 64), key.p);
	}
}

static enum errc add_stops(struct ask_members *m, json_at stops, struct err *e)
{
	struct message_reading *x = m->x;
	bool                    ok = buf_text(&x->out, "\"stop\":[");
	size_t                  n = 0;

	if (stops == JSON_ABSENT || x->doc->tok[stops].count == 0) {
		buf_clear(&x->out);
		return ERR_OK;
	}
	JSON_EACH (i, x->doc, stops) {
		char path[160];

		check_path(path, "stop_sequences.%zu", n);
		if (json_kind(x->doc, i) != JSON_STRING)
			return err_set(e, ERR_INVALID_TYPE, path, "must be a string");
		if (n++ < LIMIT_STOPS)
			ok = ok && (n == 1 || buf_text(&x->out, ",")) &&
			     buf_str(&x->out, json_raw(x->doc, i));
	}
	if (n > LIMIT_STOPS)
		warnings_add(&x->warnings, 0, "parameter_clamped",
			     "only the first %d of stop_sequences were sent", LIMIT_STOPS);
	return add_made(m, ok && buf_text(&x->out, "]"), e);
}

/* add_user: clients put whole sessions into the id, and providers limit its length. */
static enum errc add_user(struct ask_members *m, json_at metadata, struct err *e)
{
	struct message_reading *x = m->x;
	unsigned char           digest[HASH_BYTES];
	char                    hex[HASH_HEX + 1];
	json_at                 id =
                metadata != JSON_ABSENT ? json_get_some(x->doc, metadata, "user_id") : JSON_ABSENT;

	if (id == JSON_ABSENT)
		return ERR_OK;
	if (json_kind(x->doc, id) != JSON_STRING)
		return err_set(e, ERR_INVALID_TYPE, "metadata.user_id", "must be a string");
	struct str user = json_inner(x->doc, id);
	if (user.n > USER_MAX) {
		hash_sha256(user.p, user.n, digest);
		hash_hex(digest, sizeof digest, hex);
		user = str_of(hex);
	}
	return add_made(m,
			buf_text(&x->out, "\"user\":\"") && buf_str(&x->out, user) &&
				buf_text(&x->out, "\""),
			e);
}

static enum errc add_raw(struct ask_members *m, const char *key, struct err *e)
{
	json_at v = json_get_some(m->x->doc, 0, key);

	if (v == JSON_ABSENT)
		return ERR_OK;
	return add_made(m,
			buf_fmt(&m->x->out, "\"%s\":", key) &&
				buf_str(&m->x->out, json_raw(m->x->doc, v)),
			e);
}

static enum errc add_sampling(struct ask_members *m, struct err *e)
{
	enum errc rc = add_raw(m, "temperature", e);

	if (rc == ERR_OK)
		rc = add_raw(m, "top_p", e);
	if (rc != ERR_OK || json_get_some(m->x->doc, 0, "top_k") == JSON_ABSENT)
		return rc;
	if (m->takes & PROVIDER_TOP_K)
		return add_raw(m, "top_k", e);
	warn_of_drop(m->x, "top_k", "this provider has no such parameter");
	return ERR_OK;
}

/* --- effort and format --- */

/* effort_of: NULL: the request says nothing of it.  The effort that is named decides. */
static const char *effort_of(const struct json_doc *d, const struct message_request *c)
{
	int64_t budget = 0;

	if (c->output_config != JSON_ABSENT) {
		if (json_get_is(d, c->output_config, "effort", "low"))
			return "low";
		if (json_get_is(d, c->output_config, "effort", "medium"))
			return "medium";
		if (json_is_kind(d, json_get(d, c->output_config, "effort"), JSON_STRING))
			return "high"; /* also what is above it */
	}
	if (c->thinking == JSON_ABSENT)
		return NULL;
	if (json_get_is(d, c->thinking, "type", "disabled"))
		return "none";
	if (!json_get_is(d, c->thinking, "type", "enabled"))
		return NULL; /* adaptive: the model decides */
	json_at tokens = json_get(d, c->thinking, "budget_tokens");
	if (tokens != JSON_ABSENT)
		(void)json_int(d, tokens, &budget);
	return budget <= EFFORT_LOW ? "low" : budget <= EFFORT_MEDIUM ? "medium" : "high";
}

static enum errc add_effort(struct ask_members *m, const struct message_request *c, struct err *e)
{
	const char *effort = effort_of(m->x->doc, c);

	if (effort && (m->takes & PROVIDER_REASONS))
		return add_made(m, buf_fmt(&m->x->out, "\"reasoning_effort\":\"%s\"", effort), e);
	if (effort && strcmp(effort, "none") != 0)
		warn_of_drop(m->x, "the effort of thinking",
			     "the model's entry does not say that it reasons");
	if (c->thinking != JSON_ABSENT &&
	    json_get_is(m->x->doc, c->thinking, "type", "between_tools"))
		warn_of_drop(m->x, "thinking between tools", "this provider has no such parameter");
	return ERR_OK;
}

/* is_strict: whether OpenAI takes the schema with strict: each object names its members, requires them all
 * and allows no other (https://platform.openai.com/docs/guides/structured-outputs#supported-schemas). */
static bool is_strict(const struct json_doc *d, json_at schema)
{
	json_at properties = json_get(d, schema, "properties");
	json_at required = json_get(d, schema, "required");
	bool    object = json_get_is(d, schema, "type", "object") || properties != JSON_ABSENT;

	if (object && (!json_is_kind(d, properties, JSON_OBJECT) ||
		       !json_is_kind(d, json_get(d, schema, "additionalProperties"), JSON_FALSE) ||
		       !json_is_kind(d, required, JSON_ARRAY) ||
		       d->tok[required].count < d->tok[properties].count))
		return false;
	return true;
}

/* is_strict_all: is_strict of the schema and of all within it, in the order of the text: a nesting needs no stack. */
static bool is_strict_all(const struct json_doc *d, json_at schema)
{
	for (json_at i = schema; i < json_end(d, schema); i++)
		if (json_kind(d, i) == JSON_OBJECT && !is_strict(d, i))
			return false;
	return true;
}

static enum errc add_format(struct ask_members *m, const struct message_request *c, struct err *e)
{
	const struct json_doc *d = m->x->doc;
	json_at                format = c->output_config != JSON_ABSENT
						? json_get_some(d, c->output_config, "format")
						: JSON_ABSENT;

	if (format == JSON_ABSENT)
		return ERR_OK;
	if (!json_is_kind(d, format, JSON_OBJECT) || !json_get_is(d, format, "type", "json_schema"))
		return err_set(e, ERR_INVALID_VALUE, "output_config.format.type",
			       "must be json_schema");
	json_at schema = json_get(d, format, "schema");
	if (!json_is_kind(d, schema, JSON_OBJECT))
		return err_set(e, ERR_INVALID_TYPE, "output_config.format.schema",
			       "must be an object");
	return add_made(
		m,
		buf_text(&m->x->out,
			 "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{"
			 "\"name\":\"output\",") &&
			buf_text(&m->x->out, is_strict_all(d, schema) ? "\"strict\":true," : "") &&
			buf_text(&m->x->out, "\"schema\":") &&
			buf_str(&m->x->out, json_raw(d, schema)) && buf_text(&m->x->out, "}}"),
		e);
}

/* --- tools --- */

static enum errc check_tool(const struct json_doc *d, json_at tool, size_t n, struct err *e)
{
	char    path[160];
	json_at type;

	check_path(path, "tools.%zu", n);
	if (json_kind(d, tool) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, path, "must be an object");
	type = json_get_some(d, tool, "type");
	check_path(path, "tools.%zu.type", n);
	if (type != JSON_ABSENT && !json_is(d, type, "custom"))
		return err_set(e, ERR_UNSUPPORTED_PARAMETER, path,
			       "must be custom: this model has no tools of Anthropic's");
	check_path(path, "tools.%zu.name", n);
	if (json_get_inner(d, tool, "name").n == 0)
		return err_set(e, ERR_MISSING_PARAMETER, path, "must be a string");
	check_path(path, "tools.%zu.input_schema", n);
	if (!json_is_kind(d, json_get(d, tool, "input_schema"), JSON_OBJECT))
		return err_set(e, ERR_MISSING_PARAMETER, path, "must be an object");
	return ERR_OK;
}

static bool put_tool(struct message_reading *x, json_at tool)
{
	const struct json_doc *d = x->doc;
	json_at                description = json_get(d, tool, "description");

	if (!buf_text(&x->out, "{\"type\":\"function\",\"function\":{\"name\":") ||
	    !buf_str(&x->out, json_raw(d, json_get(d, tool, "name"))))
		return false;
	if (json_is_kind(d, description, JSON_STRING) &&
	    (!buf_text(&x->out, ",\"description\":") ||
	     !buf_str(&x->out, json_raw(d, description))))
		return false;
	return buf_text(&x->out, ",\"parameters\":") &&
	       message_schema_put(d, json_get(d, tool, "input_schema"), &x->out) &&
	       buf_text(&x->out, json_is_kind(d, json_get(d, tool, "strict"), JSON_TRUE)
					 ? ",\"strict\":true}"
					 : "}") &&
	       message_parts_mark(x, tool) && buf_text(&x->out, "}");
}

static enum errc add_tool_choice(struct ask_members *m, json_at choice, struct err *e)
{
	static const struct {
		const char *type, *word;
	} words[] = { { "auto", "auto" }, { "any", "required" }, { "none", "none" } };
	const struct json_doc *d = m->x->doc;

	if (choice == JSON_ABSENT)
		return ERR_OK;
	if (json_is_kind(d, json_get(d, choice, "disable_parallel_tool_use"), JSON_TRUE) &&
	    add_made(m, buf_text(&m->x->out, "\"parallel_tool_calls\":false"), e) != ERR_OK)
		return e->code;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (json_get_is(d, choice, "type", words[i].type))
			return add_made(
				m, buf_fmt(&m->x->out, "\"tool_choice\":\"%s\"", words[i].word), e);
	if (!json_get_is(d, choice, "type", "tool"))
		return err_set(e, ERR_INVALID_VALUE, "tool_choice.type",
			       "must be one of: auto, any, none, tool");
	json_at name = json_get(d, choice, "name");
	if (!json_is_kind(d, name, JSON_STRING))
		return err_set(e, ERR_MISSING_PARAMETER, "tool_choice.name", "must be a string");
	return add_made(m,
			buf_text(&m->x->out, "\"tool_choice\":{\"type\":\"function\","
					     "\"function\":{\"name\":") &&
				buf_str(&m->x->out, json_raw(d, name)) &&
				buf_text(&m->x->out, "}}"),
			e);
}

static enum errc add_tools(struct ask_members *m, const struct message_request *c, struct err *e)
{
	struct message_reading *x = m->x;
	bool                    ok = buf_text(&x->out, "\"tools\":[");
	size_t                  n = 0;

	if (c->tools == JSON_ABSENT || x->doc->tok[c->tools].count == 0) {
		buf_clear(&x->out);
		return ERR_OK; /* without tools, OpenAI refuses a choice among them */
	}
	JSON_EACH (i, x->doc, c->tools) {
		enum errc rc = check_tool(x->doc, i, n, e);

		if (rc != ERR_OK)
			return rc;
		ok = ok && (n++ == 0 || buf_text(&x->out, ",")) && put_tool(x, i);
	}
	enum errc rc = add_made(m, ok && buf_text(&x->out, "]"), e);
	return rc == ERR_OK ? add_tool_choice(m, c->tool_choice, e) : rc;
}

/* --- the request --- */

static enum errc create_members(struct ask_members *m, const struct message_request *c,
				struct call_request *ret, struct err *e)
{
	enum errc rc = add_sampling(m, e);

	if (rc == ERR_OK)
		rc = add_stops(m, c->stop_sequences, e);
	if (rc == ERR_OK)
		rc = add_user(m, c->metadata, e);
	if (rc == ERR_OK)
		rc = add_effort(m, c, e);
	if (rc == ERR_OK)
		rc = add_format(m, c, e);
	if (rc == ERR_OK)
		rc = add_tools(m, c, e);
	ret->what.prompt.members = m->list;
	ret->what.prompt.member_count = m->count;
	return rc;
}

/* read_max: some clients send the same high number to all models. */
static enum errc read_max(struct message_reading *x, struct arena *arena, int64_t max_output,
			  const struct message_request *c, struct call_request *ret, struct err *e)
{
	int64_t max = c->max_tokens;
	char    text[24];

	if (max == 0)
		return err_set(e, ERR_MISSING_PARAMETER, "max_tokens", "is required");
	if (max_output > 0 && max > max_output) {
		warnings_add(&x->warnings, 0, "parameter_clamped",
			     "max_tokens was sent as %lld, the most that the model writes",
			     (long long)max_output);
		max = max_output;
	}
	snprintf(text, sizeof text, "%lld", (long long)max);
	ret->what.prompt.max_tokens = arena_str(arena, str_of(text));
	return ret->what.prompt.max_tokens.p ? ERR_OK : create_no_memory(e);
}

/* warn_prefill: Anthropic's older models go on with the answer that a request ends in. */
static void warn_prefill(struct message_reading *x, json_at messages, const struct call_request *rq)
{
	json_at last = JSON_ABSENT;

	JSON_EACH (i, x->doc, messages)
		last = i;
	if (json_get_is(x->doc, last, "role", "assistant") &&
	    strcmp(rq->what.provider->ops->dialect, "anthropic") != 0)
		warnings_add(&x->warnings, x->doc->tok[messages].count - 1, "prefill",
			     "the last message is the assistant's: this model may not go on with "
			     "it");
}

static enum errc create_translate(struct message_reading *x, struct input *in,
				  const struct message_request *c, const struct registry_bound *b,
				  struct call_request *ret, struct err *e)
{
	struct ask_members m = { .x = x, .arena = &in->arena, .takes = b->takes };

	if (c->mcp_servers != JSON_ABSENT && x->doc->tok[c->mcp_servers].count > 0)
		return err_set(e, ERR_UNSUPPORTED_PARAMETER, "mcp_servers",
			       "must be empty: this gateway calls no MCP servers");
	if (json_get_some(x->doc, 0, "thread") != JSON_ABSENT) /* its other messages are not here */
		return err_set(e, ERR_UNSUPPORTED_PARAMETER, "thread",
			       "this gateway keeps no threads: send all messages");
	/* At most one for each row of the table, and one for calls in parallel. */
	m.list = arena_alloc(&in->arena, (message_request_fields.count + 1) * sizeof *m.list);
	if (!m.list)
		return create_no_memory(e);
	enum errc rc = message_turns_read(x, &in->arena, c->system, c->messages,
					  &ret->what.messages, &ret->what.message_count, e);
	buf_clear(&x->out);
	ret->what.prompt.origins = x->origins;
	if (rc == ERR_OK)
		rc = read_max(x, &in->arena, b->max_output, c, ret, e);
	if (rc == ERR_OK)
		rc = create_members(&m, c, ret, e);
	if (rc != ERR_OK)
		return rc;
	warn_others(x);
	warn_prefill(x, c->messages, ret);
	ret->what.warning_count = x->warnings.count;
	ret->what.warnings = arena_str(&in->arena, buf_view(&x->warnings.json));
	return ret->what.warnings.p ? ERR_OK : create_no_memory(e);
}

/* create_origins: where the files of the prompt are named. */
static enum errc create_origins(struct input *in, const struct message_reading *x,
				struct call_request *ret, struct err *e)
{
	struct origin *list;

	if (x->upload_count == 0)
		return ERR_OK;
	list = arena_alloc(&in->arena, x->upload_count * sizeof *list);
	if (!list)
		return create_no_memory(e);
	for (size_t i = 0; i < x->upload_count; i++) {
		const struct prompt_upload *u = &x->uploads[i];

		list[i] = (struct origin){ .of = ORIGIN_PART,
					   .message = u->message,
					   .n = u->part,
					   .item = u->item,
					   .at = u->at,
					   .key = u->within ? "content" : "source" };
	}
	ret->what.origins.list = list;
	ret->what.origins.count = x->upload_count;
	return ERR_OK;
}

/* create_pass: keeps the request as it is for the targets that take it so.  A request that can't be
 * translated is none for the others. */
static enum errc create_pass(struct input *in, const struct message_reading *x,
			     const struct registry_bound *b, struct call_request *ret,
			     enum errc translated, struct err *e)
{
	struct prompt_native *native = arena_alloc(&in->arena, sizeof *native);

	/* Nothing can be stored, and no files read, where no message could be made. */
	if (translated == ERR_OVERLOADED || (translated != ERR_OK && ret->manner.store) ||
	    (translated != ERR_OK && ret->what.message_count == 0 &&
	     message_native_uploads(x->doc)))
		return translated;
	if (!native)
		return create_no_memory(e);
	*native = (struct prompt_native){ .takes = PROVIDER_MESSAGES,
					  .doc = &in->doc,
					  .max_tokens = b->max_output,
					  .uploads = x->uploads,
					  .upload_count = x->upload_count,
					  .version = ret->manner.headers[MESSAGES_VERSION],
					  .beta = ret->manner.headers[MESSAGES_BETA] };
	if (message_native_check(native, e) != ERR_OK)
		return e->code;
	ret->what.prompt.native = native;
	ret->what.untranslated = translated != ERR_OK;
	if (ret->what.untranslated)
		ret->what.prompt.member_count = 0;
	return ERR_OK;
}

/* create_store: the API has no member for it. */
static enum errc create_store(struct call_request *ret, struct err *e)
{
	struct str store = ret->manner.headers[MESSAGES_STORE];

	ret->manner.store = str_is(store, "true");
	return ret->manner.store || store.n == 0 || str_is(store, "false")
		       ? ERR_OK
		       : err_set(e, ERR_INVALID_VALUE, "x-parley-store", "must be true or false");
}

static enum errc create_read(struct input *in, const struct gateway *g, struct call_request *ret,
			     struct err *e)
{
	struct message_request c = message_request_init;
	struct message_reading x = { .doc = &in->doc };
	enum errc rc = fields_read(&message_request_fields, &in->doc, 0, "", &in->arena, &c, e);

	if (rc == ERR_OK)
		rc = create_store(ret, e);
	if (rc == ERR_OK)
		rc = door_target(g->now->registry, c.model, "model", ret, e);
	if (rc != ERR_OK)
		return rc;
	struct registry_bound b =
		registry_bound(ret->what.route, ret->what.asked, 0, CLASS_STANDARD);
	/* Escaping may double the arguments of calls. */
	buf_init(&x.out, 2 * (size_t)LIMIT_BODY_MAX + MIB);
	x.takes = b.takes;
	warnings_init(&x.warnings);
	rc = create_translate(&x, in, &c, &b, ret, e);
	if (b.some & PROVIDER_MESSAGES)
		rc = create_pass(in, &x, &b, ret, rc, e);
	if (rc == ERR_OK)
		rc = create_origins(in, &x, ret, e);
	warnings_finish(&x.warnings);
	buf_finish(&x.out);
	ret->what.prompt.stream = c.stream;
	ret->what.prompt.want_usage = c.stream;
	ret->manner.guess_in = admission_prompt_tokens(in);
	return rc;
}

void messages_create_post(struct request *r, void *app)
{
	intake_serve(r, app, create_read);
}

/* --- message_events: The stream of a stored message once more: from its start, then live.  Its blocks have no numbers, so
 * no reader can begin in the middle. */

void message_events_get(struct request *r, void *app)
{
	struct gateway       *g = app;
	struct live           live;
	struct follow_options o = {
		.loop = g->loop,
		.cpu = g->cpu,
		.store = g->store,
		.owner = request_owner(r),
		.own_only = true,
		.family = request_family(r),
		.reasoning = g->now->run.reasoning,
	};

	if (!id_parse(request_param(r, 0), ID_MESSAGE, &o.run) ||
	    (live_find(o.run, o.owner, &live) && !family_has(o.family, str_of(live.shape->word)))) {
		reply_refuse(r, ERR_NOT_FOUND, "", "there is no such message");
		return;
	}
	run_events_reply(r, &o);
}
