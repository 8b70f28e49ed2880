/* A prompt as an LLM Chat request whose messages are LMC. */
#include "provider/lmc/lmc_request.h"

#include "json/member.h"
#include "lmc/to_lmc.h"
#include "provider/ask_param.h"

#include <stdio.h>

/* The members that have the same name in OpenAI's request and in the config of LLM Chat; all others
 * are sent in extra. */
static const char *const config_keys[] = {
	"temperature",       "top_p",           "stop",  "seed",        "presence_penalty",
	"frequency_penalty", "response_format", "tools", "tool_choice", "reasoning_effort",
};

/* lmc_request_check_parts: refuses a part that LMC has no message for, because the translation
 * would leave it out. */
static enum errc lmc_request_check_parts(const struct json_doc *d, size_t index, struct err *e)
{
	json_at content = json_get(d, 0, "content");
	json_at role = json_get(d, 0, "role");
	bool    user = role != JSON_ABSENT && json_is(d, role, "user");
	size_t  j = 0;

	if (!json_is_kind(d, content, JSON_ARRAY))
		return ERR_OK;
	for (json_at i = json_first(d, content); i != json_end(d, content);
	     i = json_next(d, i), j++) {
		json_at type = json_get(d, i, "type");
		char    path[64];

		if (json_kind(d, i) != JSON_OBJECT ||
		    (type != JSON_ABSENT &&
		     (json_is(d, type, "text") || (user && (json_is(d, type, "image_url") ||
							    json_is(d, type, "input_audio"))))))
			continue;
		snprintf(path, sizeof path, "messages[%zu].content[%zu]", index, j);
		return err_set(e, ERR_UNSUPPORTED_PARAMETER, path,
			       "this provider speaks LMC, which has no message for this part; it "
			       "takes text, and of a user also image_url and input_audio");
	}
	return ERR_OK;
}

static enum errc lmc_request_put_message(struct json_doc *d, struct str message, size_t index,
					 struct buf *out, struct err *e)
{
	static const struct to_lmc_options o = { .fences = true };
	char                               path[32];
	enum errc rc = json_scan(d, message.p, message.n, &json_limits_stored, e);

	if (rc != ERR_OK)
		return rc;
	rc = lmc_request_check_parts(d, index, e);
	if (rc != ERR_OK)
		return rc;
	snprintf(path, sizeof path, "messages[%zu]", index);
	return to_lmc_message(d, 0, path, index, &o, out, e);
}

static enum errc lmc_request_put_messages(const struct prompt *p, struct buf *out, struct err *e)
{
	struct json_doc d = { 0 };
	enum errc       rc = ERR_OK;
	struct buf      list;

	buf_init(&list, out->max);
	for (size_t i = 0; rc == ERR_OK && i < p->message_count; i++)
		rc = lmc_request_put_message(&d, p->messages[i], i, &list, e);
	json_doc_finish(&d);
	if (rc == ERR_OK && list.len == 0)
		rc = err_set(e, ERR_INVALID_VALUE, "messages",
			     "all of them are empty; this provider needs one with content");
	if (rc == ERR_OK && !(buf_text(out, "{\"messages\":[") && buf_str(out, buf_view(&list)) &&
			      buf_text(out, "]")))
		rc = ask_too_large(e);
	buf_finish(&list);
	return rc;
}

static bool is_config(struct str member)
{
	for (size_t i = 0; i < ARRAY_LEN(config_keys); i++)
		if (json_member_is(member, str_of(config_keys[i])))
			return true;
	return false;
}

/* lmc_request_put_members: prints the members of config itself, or those of its extra. */
static bool lmc_request_put_members(const struct prompt *p, bool config, const char *between,
				    struct buf *out)
{
	for (size_t i = 0; i < p->member_count; i++) {
		/* LMC has one choice; a higher n was refused before. */
		if (json_member_is(p->members[i], STR("n")) || is_config(p->members[i]) != config)
			continue;
		if (!buf_text(out, between) || !buf_str(out, p->members[i]))
			return false;
		between = ",";
	}
	return true;
}

static bool lmc_request_put_config(const struct prompt *p, struct buf *out)
{
	size_t before;

	if (!buf_text(out, ",\"config\":{\"model\":") || !buf_json_string(out, p->model) ||
	    !lmc_request_put_members(p, true, ",", out))
		return false;
	if (p->max_tokens.n > 0 &&
	    (!buf_text(out, ",\"max_tokens\":") || !buf_str(out, p->max_tokens)))
		return false;
	before = out->len;
	if (!lmc_request_put_members(p, false, ",\"extra\":{", out))
		return false;
	return (out->len == before || buf_text(out, "}")) && buf_text(out, "}");
}

/* lmc_request_check_choices: refuses an n other than 1: an answer in LMC is one choice. */
static enum errc lmc_request_check_choices(const struct prompt *p, struct err *e)
{
	for (size_t i = 0; i < p->member_count; i++) {
		struct str m = p->members[i];
		struct str value = json_member_is(m, STR("n")) ? json_member_value(m) : STR_NONE;

		if (value.n > 0 && !str_is(value, "1"))
			return err_set(e, ERR_UNSUPPORTED_PARAMETER, "n",
				       "must be 1: a provider that speaks LMC gives one choice");
	}
	return ERR_OK;
}

static bool lmc_request_put_store(const struct provider_options *o, const struct prompt *p,
				  struct buf *out)
{
	bool asked = o->forward_store && p->forward[0].n > 0;

	if (!buf_text(out, ",") || !buf_str(out, asked ? p->forward[0] : STR("\"store\":false")))
		return false;
	return !o->forward_store || p->forward[1].n == 0 ||
	       (buf_text(out, ",") && buf_str(out, p->forward[1]));
}

enum errc lmc_request_encode(const struct provider_options *o, const struct prompt *p,
			     struct buf *out, struct err *e)
{
	enum errc rc = lmc_request_check_choices(p, e);

	if (rc == ERR_OK)
		rc = lmc_request_put_messages(p, out, e);
	if (rc != ERR_OK)
		return rc;
	if (!buf_text(out, ",\"format\":\"lmc\",\"stream\":") ||
	    !buf_text(out, p->stream ? "true" : "false") || !lmc_request_put_store(o, p, out) ||
	    !lmc_request_put_config(p, out) || !buf_text(out, "}"))
		return ask_too_large(e);
	return ERR_OK;
}
