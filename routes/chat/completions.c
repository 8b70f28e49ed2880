/* POST /v1/chat/completions: OpenAI's request. Members that Parley does not use pass byte for
 * byte. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "routes/kit/check.h"
#include "routes/call/call.h"
#include "schema/schema.h"

/* Members that Parley uses, or that the dialect writes itself. */
static const char *const taken[] = {
	"model", "messages", "stream",     "stream_options",
	"store", "metadata", "max_tokens", "max_completion_tokens",
};

static const char *const roles[] = {
	"developer", "system", "user", "assistant", "tool", "function",
};

static enum errc check_role(const struct json_doc *d, json_at i, size_t n, struct err *e)
{
	char    path[160];
	json_at role = json_kind(d, i) == JSON_OBJECT ? json_get(d, i, "role") : JSON_ABSENT;

	for (size_t k = 0; role != JSON_ABSENT && k < ARRAY_LEN(roles); k++)
		if (json_is(d, role, roles[k]))
			return ERR_OK;
	check_path(path, "messages[%zu]", n);
	if (json_kind(d, i) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, path, "must be a message object");
	err_set(e, role == JSON_ABSENT ? ERR_MISSING_PARAMETER : ERR_INVALID_VALUE, "role",
		"must be one of: developer, system, user, assistant, tool, function");
	err_at(e, path);
	return e->code;
}

static enum errc completions_read_messages(struct input *in, json_at messages,
					   struct call_request *ret, struct err *e)
{
	const struct json_doc *d = &in->doc;
	struct str *list = arena_alloc(&in->arena, (d->tok[messages].count + 1) * sizeof *list);
	size_t      n = 0;

	if (!list)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the messages");
	if (d->tok[messages].count == 0)
		return err_set(e, ERR_INVALID_VALUE, "messages", "must not be empty");
	JSON_EACH (i, d, messages) {
		enum errc rc = check_role(d, i, n, e);

		if (rc != ERR_OK)
			return rc;
		list[n++] = json_raw(d, i);
	}
	ret->what.messages = list;
	ret->what.message_count = n;
	return ERR_OK;
}

static bool completions_is_taken(const struct json_doc *d, json_at key)
{
	for (size_t i = 0; i < ARRAY_LEN(taken); i++)
		if (json_is(d, key, taken[i]))
			return true;
	return false;
}

static enum errc completions_build_prompt(struct input *in, const struct completion_request *c,
					  struct prompt *ret, struct err *e)
{
	const struct json_doc *d = &in->doc;
	struct str            *list = arena_alloc(&in->arena, (d->tok[0].count + 1) * sizeof *list);
	size_t                 n = 0;

	if (!list)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
	JSON_EACH_MEMBER (k, d, 0) {
		if (json_is(d, k, "store"))
			ret->forward[0] = json_member(d, k);
		else if (json_is(d, k, "metadata"))
			ret->forward[1] = json_member(d, k);
		else if (!completions_is_taken(d, k))
			list[n++] = json_member(d, k);
	}
	ret->members = list;
	ret->member_count = n;
	ret->as_sent = true;
	ret->stream = c->stream;
	ret->want_usage = c->stream;
	if (c->stream_options != JSON_ABSENT)
		ret->stream_options = json_raw(d, c->stream_options);

	/* If both names are given, the newer one counts, as at OpenAI. */
	json_at newer = json_get_some(d, 0, "max_completion_tokens");
	json_at older = json_get_some(d, 0, "max_tokens");
	if (newer != JSON_ABSENT || older != JSON_ABSENT) {
		ret->max_tokens = json_raw(d, newer != JSON_ABSENT ? newer : older);
		ret->max_tokens_key = newer != JSON_ABSENT ? "max_completion_tokens" : "max_tokens";
	}
	return ERR_OK;
}

/* The members of the request that a stored completion shows. */
static const char *const shown[] = {
	"temperature", "top_p",           "seed", "presence_penalty", "frequency_penalty", "tools",
	"tool_choice", "response_format", "user", "service_tier",
};

static enum errc read_settings(struct input *in, struct str *ret, struct err *e)
{
	const struct json_doc *d = &in->doc;
	struct buf             text;
	bool                   ok = true;

	buf_init(&text, LIMIT_BODY_MAX);
	for (size_t i = 0; ok && i < ARRAY_LEN(shown); i++) {
		json_at v = json_get_some(d, 0, shown[i]);

		if (v != JSON_ABSENT)
			ok = buf_fmt(&text, "%s\"%s\":", text.len > 0 ? "," : "{", shown[i]) &&
			     buf_str(&text, json_raw(d, v));
	}
	if (ok && text.len > 0) {
		ok = buf_text(&text, "}");
		*ret = arena_str(&in->arena, buf_view(&text));
		ok = ok && ret->p;
	}
	buf_finish(&text);
	return ok ? ERR_OK : err_set(e, ERR_OVERLOADED, "", "no memory for the request");
}

static bool wants_usage(const struct json_doc *d, const struct completion_request *c)
{
	json_at want = c->stream_options != JSON_ABSENT
			       ? json_get(d, c->stream_options, "include_usage")
			       : JSON_ABSENT;

	return want != JSON_ABSENT && json_kind(d, want) == JSON_TRUE;
}

static enum errc completions_read_request(struct input *in, const struct gateway *g,
					  struct call_request *ret, struct err *e)
{
	struct completion_request c = completion_request_init;
	enum errc                 rc;

	rc = fields_read(&completion_request_fields, &in->doc, 0, "", &in->arena, &c, e);
	if (rc == ERR_OK)
		rc = completions_read_messages(in, c.messages, ret, e);
	if (rc == ERR_OK && c.metadata != JSON_ABSENT)
		rc = check_metadata(&in->doc, c.metadata, e);
	if (rc == ERR_OK && c.store && c.n > 1)
		rc = err_set(e, ERR_NOT_SUPPORTED_YET, "n",
			     "storing more than one choice is not supported yet");
	if (rc == ERR_OK)
		rc = completions_build_prompt(in, &c, &ret->what.prompt, e);
	if (rc == ERR_OK && c.store)
		rc = read_settings(in, &ret->manner.settings, e);
	if (rc == ERR_OK)
		rc = intake_model(g, c.model, ret, e);
	if (rc != ERR_OK)
		return rc;

	ret->manner.store = c.store;
	ret->manner.finish = c.store;
	ret->manner.fences = true; /* the text is read as LMC later */
	ret->manner.want_usage = wants_usage(&in->doc, &c);
	if (c.metadata != JSON_ABSENT)
		ret->thread.metadata = json_raw(&in->doc, c.metadata);
	return ERR_OK;
}

void completions_post(struct request *r, void *app)
{
	intake_serve(r, app, completions_read_request);
}
