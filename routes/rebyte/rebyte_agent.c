/* Runs an agent, which is a model of the configuration. */
#include "routes/rebyte/internal.h"

#include "base/limits.h"
#include "lmc/warnings.h"
#include "routes/call/call.h"
#include "routes/kit/check.h"
#include "routes/kit/handlers.h"
#include "schema/schema.h"
#include "shape/encoders.h"

#include <string.h>

/* Members of an action's settings that go into the provider's request under the same name. */
static const char *const sent[] = {
	"temperature",       "top_p",           "stop",       "seed", "presence_penalty",
	"frequency_penalty", "response_format", "max_tokens",
};
/* Members that mean nothing here. */
static const char *const unused[] = {
	"provider_id", "model_id", "use_stream", "use_cache", "use_semantic_cache",
};

/* The state of reading one request. */
struct agent_reading {
	struct input    *in;
	struct warnings *warnings;
	bool             said[ARRAY_LEN(sent)];
	struct str      *members; /* in the arena */
	size_t           count;
	struct str       max_tokens;
	bool             cache; /* an action asks for the cache of answers */
};

bool rebyte_agent_id(struct str text, const char *prefix, struct id *ret)
{
	char whole[ID_MAX];

	if (id_parse(text, prefix, ret))
		return true;
	if (text.n != ID_BODY)
		return false;
	str_copy(whole, sizeof whole, str_of(prefix));
	str_copy(whole + strlen(prefix), sizeof whole - strlen(prefix), text);
	return id_parse(str_of(whole), prefix, ret);
}

/* --- config --- */

static bool agent_in_list(const struct json_doc *d, json_at key, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (json_is(d, key, list[i]))
			return true;
	return false;
}

static enum errc agent_check_stop(const struct json_doc *d, json_at stop, const char *action,
				  struct err *e)
{
	bool ok = json_kind(d, stop) == JSON_STRING ||
		  (json_kind(d, stop) == JSON_ARRAY && d->tok[stop].count <= LIMIT_STOPS);

	if (ok && json_kind(d, stop) == JSON_ARRAY)
		JSON_EACH (i, d, stop)
			ok = ok && json_kind(d, i) == JSON_STRING;
	if (ok)
		return ERR_OK;
	err_set(e, ERR_INVALID_TYPE, "stop", "must be a string or an array of up to %d strings",
		LIMIT_STOPS);
	err_at(e, action);
	return e->code;
}

/* agent_sent: the place of a member's name in `sent`, whatever its spelling; ARRAY_LEN(sent): it is
 * not there. */
static size_t agent_sent(const struct json_doc *d, json_at key)
{
	size_t i = 0;

	while (i < ARRAY_LEN(sent) && !json_is(d, key, sent[i]))
		i++;
	return i;
}

/* agent_add: several actions of a config must not say different things to the one model. */
static enum errc agent_add(struct agent_reading *x, json_at key, const char *action, struct err *e)
{
	const struct json_doc *d = &x->in->doc;
	size_t                 i = agent_sent(d, key);

	if (x->said[i]) {
		err_set(e, ERR_INVALID_VALUE, sent[i], "stands in another action, too");
		err_at(e, action);
		return e->code;
	}
	x->said[i] = true;
	if (json_is(d, key, "max_tokens"))
		x->max_tokens = json_raw(d, json_value(key));
	else
		x->members[x->count++] = json_member(d, key);
	return ERR_OK;
}

/* take_other: a member that is not sent. */
static void take_other(struct agent_reading *x, json_at key)
{
	const struct json_doc *d = &x->in->doc;
	struct str             name = json_inner(d, key);
	bool                   on = json_kind(d, json_value(key)) == JSON_TRUE;

	if (on && json_is(d, key, "use_cache"))
		x->cache = true;
	else if (on && json_is(d, key, "use_semantic_cache"))
		warnings_add(x->warnings, 0, "cache_off",
			     "no cache compares meanings: %.*s is ignored", STR_ARG(name));
	else if (!agent_in_list(d, key, unused, ARRAY_LEN(unused)))
		warnings_add(x->warnings, 0, "parameter_dropped",
			     "the parameter \"%.*s\" was not sent",
			     (int)(name.n < 64 ? name.n : 64), name.p);
}

static enum errc agent_read_action(struct agent_reading *x, json_at action, const char *path,
				   struct err *e)
{
	const struct json_doc *d = &x->in->doc;
	struct rebyte_action   a = rebyte_action_init;
	enum errc              rc;

	if (json_kind(d, action) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, path, "must be an object");
	rc = fields_read(&rebyte_action_fields, d, action, path, &x->in->arena, &a, e);
	if (rc == ERR_OK && a.stop != JSON_ABSENT)
		rc = agent_check_stop(d, a.stop, path, e);
	if (rc != ERR_OK)
		return rc;
	JSON_EACH_MEMBER (k, d, action) {
		if (json_kind(d, json_value(k)) == JSON_NULL)
			continue;
		if (agent_sent(d, k) == ARRAY_LEN(sent))
			take_other(x, k);
		else if (agent_add(x, k, path, e) != ERR_OK)
			return e->code;
	}
	return ERR_OK;
}

static enum errc agent_read_config(struct agent_reading *x, json_at config, struct err *e)
{
	const struct json_doc *d = &x->in->doc;

	/* No member is added twice. */
	x->members = arena_alloc(&x->in->arena, ARRAY_LEN(sent) * sizeof *x->members);
	if (!x->members)
		return err_no_memory(e);
	if (config == JSON_ABSENT)
		return ERR_OK;
	JSON_EACH_MEMBER (k, d, config) {
		struct str name = json_inner(d, k);
		char       path[160];

		check_path(path, "config.%.*s", (int)(name.n < 64 ? name.n : 64), name.p);
		if (json_kind(d, json_value(k)) == JSON_NULL)
			continue;
		if (agent_read_action(x, json_value(k), path, e) != ERR_OK)
			return e->code;
	}
	return ERR_OK;
}

/* --- inputs --- */

static enum errc agent_read_row(struct agent_reading *x, json_at row, struct call_request *ret,
				struct err *e)
{
	const struct json_doc *d = &x->in->doc;
	json_at                messages;

	if (json_kind(d, row) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, "inputs[0]", "must be an object");
	messages = json_get_some(d, row, "messages");
	if (messages == JSON_ABSENT && json_get(d, row, "content") != JSON_ABSENT) {
		struct str *one = arena_alloc(&x->in->arena, sizeof *one);

		ret->what.messages = one;
		ret->what.message_count = 1;
		return one ? rebyte_input_read_one(x->in, row, "inputs[0]", one, e)
			   : err_no_memory(e);
	}
	if (messages == JSON_ABSENT)
		return err_set(e, ERR_MISSING_PARAMETER, "inputs[0].messages",
			       "a row needs messages, or is a message: {role, content}");
	if (json_kind(d, messages) != JSON_ARRAY)
		return err_set(e, ERR_INVALID_TYPE, "inputs[0].messages", "must be an array");
	if (d->tok[messages].count > LIMIT_MESSAGES)
		return err_set(e, ERR_INVALID_VALUE, "inputs[0].messages",
			       "must have at most %d messages", LIMIT_MESSAGES);
	JSON_EACH_MEMBER (k, d, row)
		if (!json_is(d, k, "messages"))
			warnings_add(x->warnings, 0, "parameter_dropped",
				     "the input \"%.*s\" was not sent",
				     (int)(json_inner(d, k).n < 64 ? json_inner(d, k).n : 64),
				     json_inner(d, k).p);
	struct str *list = NULL;
	enum errc   rc = rebyte_input_read(x->in, messages, "inputs[0].messages", &list,
					   &ret->what.message_count, e);
	ret->what.messages = list;
	return rc;
}

static enum errc agent_read_inputs(struct agent_reading *x, const struct rebyte_run *c,
				   struct call_request *ret, struct err *e)
{
	const struct json_doc *d = &x->in->doc;
	enum errc              rc = ERR_OK;

	if (c->inputs == JSON_ABSENT && !c->thread_id.p)
		return err_set(e, ERR_MISSING_PARAMETER, "inputs", "is required");
	if (c->inputs != JSON_ABSENT && d->tok[c->inputs].count > 0)
		rc = agent_read_row(x, json_first(d, c->inputs), ret, e);
	if (rc == ERR_OK && ret->what.message_count == 0 && !c->thread_id.p)
		return err_set(e, ERR_INVALID_VALUE, "inputs",
			       "may be without messages only together with thread_id");
	return rc;
}

/* --- the rest --- */

static enum errc agent_check(struct agent_reading *x, const struct rebyte_run *c, struct err *e)
{
	const struct json_doc *d = &x->in->doc;
	int64_t                version;
	size_t                 n = 0;

	if (c->version != JSON_ABSENT && !json_is(d, c->version, "latest") &&
	    !json_is(d, c->version, "live") && (!json_int(d, c->version, &version) || version < 1))
		return err_set(e, ERR_INVALID_VALUE, "version",
			       "must be an integer from 1, \"latest\" or \"live\"");
	if (c->content_only && (c->stream || !c->blocking))
		return err_set(e, ERR_INVALID_VALUE, "contentOnly",
			       "is for an answer that is waited for: blocking, and no stream");
	if (c->block_filter == JSON_ABSENT)
		return ERR_OK;
	if (json_kind(d, c->block_filter) != JSON_ARRAY)
		return err_set(e, ERR_INVALID_TYPE, "block_filter", "must be an array or null");
	JSON_EACH (i, d, c->block_filter) {
		char path[160];

		check_element(path, STR("block_filter"), n++);
		if (json_kind(d, i) != JSON_STRING)
			return err_set(e, ERR_INVALID_TYPE, path, "must be a string");
	}
	if (n > 0)
		warnings_add(x->warnings, 0, "parameter_dropped",
			     "block_filter is ignored: the agent has one block");
	return ERR_OK;
}

static enum errc agent_read_thread(const struct rebyte_run *c, struct call_request *ret,
				   struct err *e)
{
	if (c->thread_id.p &&
	    !rebyte_agent_id(c->thread_id, ID_CONVERSATION, &ret->thread.conversation))
		return err_set(e, ERR_NOT_FOUND, "thread_id", "there is no such thread");
	return ERR_OK;
}

static enum errc agent_read_model(const struct gateway *g, struct call_request *ret, struct err *e)
{
	if (ret->what.asked.n > LIMIT_MODEL)
		return err_set(e, ERR_INVALID_VALUE, "agent_id", "must have at most %d bytes",
			       LIMIT_MODEL);
	return door_target(g->now->registry, ret->what.asked, "agent_id", ret, e);
}

static enum errc agent_read_all(struct agent_reading *x, const struct gateway *g,
				const struct rebyte_run *c, struct call_request *ret, struct err *e)
{
	enum errc rc = agent_check(x, c, e);

	if (rc == ERR_OK)
		rc = agent_read_model(g, ret, e);
	if (rc == ERR_OK)
		rc = agent_read_thread(c, ret, e);
	if (rc == ERR_OK)
		rc = agent_read_config(x, c->config, e);
	if (rc == ERR_OK)
		rc = agent_read_inputs(x, c, ret, e);
	if (rc != ERR_OK || x->warnings->count == 0)
		return rc;
	ret->what.warnings = arena_str(&x->in->arena, buf_view(&x->warnings->json));
	ret->what.warning_count = x->warnings->count;
	return ret->what.warnings.p ? ERR_OK : err_no_memory(e);
}

static enum errc agent_read(struct input *in, const struct gateway *g, struct call_request *ret,
			    struct err *e)
{
	struct rebyte_run    c = rebyte_run_init;
	struct warnings      w;
	struct agent_reading x = { .in = in, .warnings = &w };
	enum errc rc = fields_read(&rebyte_run_fields, &in->doc, 0, "", &in->arena, &c, e);

	if (rc != ERR_OK)
		return rc;
	warnings_init(&w);
	rc = agent_read_all(&x, g, &c, ret, e);
	warnings_finish(&w);
	if (rc != ERR_OK)
		return rc;
	ret->what.prompt.members = x.members;
	ret->what.prompt.member_count = x.count;
	ret->what.prompt.max_tokens = x.max_tokens;
	ret->manner.cache.asked = x.cache;
	ret->manner.background = !c.stream && !c.blocking;
	/* A run that nobody waits for is a stream, because clients may read its events. */
	ret->what.prompt.stream = c.stream || ret->manner.background;
	ret->what.prompt.want_usage = ret->what.prompt.stream;
	ret->manner.want_usage = true;
	ret->manner.bare = c.content_only;
	if (c.content_only)
		ret->manner.settings = STR(REBYTE_CONTENT_ONLY);
	ret->manner.store = true;
	ret->manner.finish = true; /* the run can be read by its id */
	ret->what.answers_calls = true;
	return ERR_OK;
}

void rebyte_agent_post(struct request *r, void *app)
{
	intake_serve_model(r, app, request_param(r, 1), agent_read);
}
