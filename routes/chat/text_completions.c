/* POST /v1/completions: OpenAI's older request, for clients that have not moved on.  A provider with
 * the option `completions` gets it as it is.  For all others the prompt becomes a chat of one message;
 * what only a completion can do is refused. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "routes/call/call.h"
#include "routes/kit/check.h"
#include "schema/schema.h"

/* Members that the prompt has in places of their own. */
static const char *const read_always[] = { "model", "stream", "stream_options", "max_tokens" };

/* Members that mean something else in a chat. */
static const char *const read_for_chat[] = {
	"prompt", "n", "best_of", "echo", "logprobs", "suffix", "store", "metadata",
};

/* --- as a chat --- */

static enum errc refuse_member(const char *key, struct err *e)
{
	return err_set(e, ERR_UNSUPPORTED_PARAMETER, key,
		       "is not supported: the model answers a chat of one message; use POST "
		       "/v1/chat/completions, or a provider with the option completions");
}

static enum errc check_members(const struct text_completion_request *c, struct err *e)
{
	if (c->echo)
		return refuse_member("echo", e);
	if (c->logprobs != INT64_MIN)
		return refuse_member("logprobs", e);
	if (c->n > 1)
		return refuse_member("n", e);
	if (c->best_of > 1)
		return refuse_member("best_of", e);
	return c->suffix.n > 0 ? refuse_member("suffix", e) : ERR_OK;
}

static enum errc text_message(struct input *in, json_at prompt, struct call_request *ret,
			      struct err *e)
{
	const struct json_doc *d = &in->doc;
	struct str            *message = arena_alloc(&in->arena, sizeof *message);
	struct buf             out;

	if (json_kind(d, prompt) == JSON_ARRAY && d->tok[prompt].count == 1)
		prompt = json_first(d, prompt);
	if (json_kind(d, prompt) != JSON_STRING)
		return err_set(e, ERR_INVALID_TYPE, "prompt",
			       "must be a string, or a list of one string; lists of tokens and of "
			       "several prompts are not supported");
	buf_init(&out, LIMIT_BODY_MAX + KIB);
	if (message && buf_text(&out, "{\"role\":\"user\",\"content\":") &&
	    buf_str(&out, json_raw(d, prompt)) && buf_text(&out, "}"))
		*message = arena_str(&in->arena, buf_view(&out));
	buf_finish(&out);
	if (!message || !message->p)
		return err_no_memory(e);
	ret->what.messages = message;
	ret->what.message_count = 1;
	return ERR_OK;
}

/* --- as it is --- */

/* text_count: the number of prompts; 0: e says what is wrong. */
static size_t text_count(const struct json_doc *d, json_at prompt, struct err *e)
{
	struct tokens_list list;

	return tokens_read(d, prompt, "prompt", &list, e) == ERR_OK ? list.count : 0;
}

/* --- both --- */

static bool is_one_of(const struct json_doc *d, json_at key, const char *const *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (json_is(d, key, keys[i]))
			return true;
	return false;
}

static enum errc text_prompt(struct input *in, const struct text_completion_request *c,
			     struct call_request *ret, struct err *e)
{
	const struct json_doc *d = &in->doc;
	struct str            *list = arena_alloc(&in->arena, (d->tok[0].count + 1) * sizeof *list);
	json_at                max = json_get_some(d, 0, "max_tokens");
	bool                   chat = ret->what.prompt.text == 0;
	size_t                 n = 0;

	if (!list)
		return err_no_memory(e);
	JSON_EACH_MEMBER (k, d, 0)
		if (!is_one_of(d, k, read_always, ARRAY_LEN(read_always)) &&
		    !(chat && is_one_of(d, k, read_for_chat, ARRAY_LEN(read_for_chat))))
			list[n++] = json_member(d, k);
	ret->what.prompt.members = list;
	ret->what.prompt.member_count = n;
	ret->what.prompt.stream = c->stream;
	ret->what.prompt.want_usage = c->stream;
	if (max != JSON_ABSENT)
		ret->what.prompt.max_tokens = json_raw(d, max);
	if (c->stream_options != JSON_ABSENT) {
		ret->manner.want_usage =
			json_is_kind(d, json_get(d, c->stream_options, "include_usage"), JSON_TRUE);
		if (!chat)
			ret->what.prompt.stream_options = json_raw(d, c->stream_options);
	}
	return ERR_OK;
}

static enum errc text_read_how(struct input *in, const struct text_completion_request *c,
			       struct call_request *ret, struct err *e)
{
	enum errc rc = ERR_OK;

	if (ret->what.takes & PROVIDER_TEXT) {
		ret->what.prompt.text = text_count(&in->doc, c->prompt, e);
		ret->manner.shape = family_shape(&family_text, STR(SHAPE_TEXT_RAW));
		return ret->what.prompt.text > 0 ? text_prompt(in, c, ret, e) : e->code;
	}
	rc = check_members(c, e);
	if (rc == ERR_OK)
		rc = text_message(in, c->prompt, ret, e);
	return rc == ERR_OK ? text_prompt(in, c, ret, e) : rc;
}

static enum errc text_completions_read(struct input *in, const struct gateway *g,
				       struct call_request *ret, struct err *e)
{
	struct text_completion_request c = text_completion_request_init;
	enum errc                      rc =
		fields_read(&text_completion_request_fields, &in->doc, 0, "", &in->arena, &c, e);

	if (rc == ERR_OK)
		rc = intake_model(g, c.model, ret, e);
	return rc == ERR_OK ? text_read_how(in, &c, ret, e) : rc;
}

void text_completions_post(struct request *r, void *app)
{
	intake_serve(r, app, text_completions_read);
}
