/* Prints the object of a stored completion, from the request and the answer. */
#include "routes/chat/chat.h"

#include "json/scan.h"
#include "shape/encoders.h"
#include "store/completion.h"

#include <stdio.h>

/* Members of the object, and the member of the settings that each shows; null: none. */
static const char *const settings[][2] = {
	{ "temperature", "temperature" },
	{ "top_p", "top_p" },
	{ "seed", "seed" },
	{ "presence_penalty", "presence_penalty" },
	{ "frequency_penalty", "frequency_penalty" },
	{ "tools", "tools" },
	{ "tool_choice", "tool_choice" },
	{ "response_format", "response_format" },
	{ "input_user", "user" },
	{ "service_tier", "service_tier" },
};

static bool completion_print_scan(struct json_doc *d, struct str text)
{
	struct err e;

	return json_scan(d, text.p, text.n, &json_limits_stored, &e) == ERR_OK &&
	       json_kind(d, 0) == JSON_OBJECT;
}

static bool put_settings(struct json_doc *d, struct str text, struct buf *out)
{
	if (!completion_print_scan(d, text.n > 0 ? text : STR("{}")))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
		json_at v = json_get_some(d, 0, settings[i][1]);

		if (!buf_fmt(out, ",\"%s\":", settings[i][0]) ||
		    !buf_str(out, v != JSON_ABSENT ? json_raw(d, v) : STR("null")))
			return false;
	}
	/* Members that only the provider's answer had are not stored. */
	return buf_text(out, ",\"system_fingerprint\":null");
}

static bool completion_print_in_list(const struct json_doc *d, json_at key, const char *const *list)
{
	for (; *list; list++)
		if (json_is(d, key, *list))
			return true;
	return false;
}

/* completion_print_put_members: prints all members except those of a list that ends in NULL, each
 * with a comma before it. */
static bool completion_print_put_members(const struct json_doc *d, const char *const *but,
					 struct buf *out)
{
	JSON_EACH_MEMBER (k, d, 0)
		if (!completion_print_in_list(d, k, but) &&
		    (!buf_text(out, ",") || !buf_str(out, json_member(d, k))))
			return false;
	return true;
}

/* completion_print_put_answer: prints the message with all members of OpenAI, and without the data
 * of other shapes. */
static bool completion_print_put_answer(struct json_doc *d, struct str answer, struct buf *out)
{
	static const char *const but[] = { "role", "lmc", NULL };

	if (!completion_print_scan(d, answer) || !buf_text(out, "{\"role\":\"assistant\"") ||
	    !completion_print_put_members(d, but, out))
		return false;
	if (json_get(d, 0, "content") == JSON_ABSENT && !buf_text(out, ",\"content\":null"))
		return false;
	return (json_get(d, 0, "refusal") != JSON_ABSENT || buf_text(out, ",\"refusal\":null")) &&
	       buf_text(out, "}");
}

static bool completion_print_put_all(struct json_doc *d, const struct store_completion *c,
				     struct buf *out)
{
	char id[ID_MAX];

	id_text(c->run, ID_COMPLETION, id);
	if (!buf_fmt(out, "{\"id\":\"%s\",\"object\":\"chat.completion\",\"created\":%lld", id,
		     (long long)(c->created_ms / 1000)) ||
	    !buf_text(out, ",\"model\":") || !buf_json_string(out, c->model) ||
	    !buf_text(out, ",\"choices\":[{\"index\":0,\"message\":") ||
	    !completion_print_put_answer(d, c->answer, out))
		return false;
	/* The reason is stored escaped. */
	if (!buf_text(out, ",\"logprobs\":null,\"finish_reason\":\"") ||
	    !buf_str(out, c->finish_reason) || !buf_text(out, "\"}],\"usage\":"))
		return false;
	if (!(c->usage.known ? chunk_usage(&c->usage, out) : buf_text(out, "null")) ||
	    !buf_text(out, ",\"metadata\":") || !buf_str(out, c->metadata) ||
	    !buf_text(out, ",\"request_id\":"))
		return false;
	if (!(c->request_id.n > 0 ? buf_json_string(out, c->request_id) : buf_text(out, "null")))
		return false;
	return put_settings(d, c->settings, out) && buf_text(out, "}");
}

bool completion_print(struct buf *out, const struct store_completion *c, enum reasoning_name name)
{
	struct json_doc d = { 0 };
	struct buf      scratch;
	size_t          start = out->len;

	buf_init(&scratch, out->max);
	bool ok = completion_print_put_all(&d, c, out) &&
		  reasoning_rename(name, &d, &scratch, out, start);
	buf_finish(&scratch);
	json_doc_finish(&d);
	return ok;
}

/* --- messages --- */

void completion_print_id(struct id run, int64_t place, char ret[COMPLETION_PRINT_ID])
{
	char id[ID_MAX];

	id_text(run, ID_COMPLETION, id);
	snprintf(ret, COMPLETION_PRINT_ID, "%s-%lld", id, (long long)place);
}

bool completion_print_place(struct str text, struct id run, int64_t *ret)
{
	char       id[ID_MAX];
	struct str start = id_text(run, ID_COMPLETION, id);
	size_t     at = start.n + 1;
	int64_t    place = 0;

	if (!str_starts(text, start) || text.n <= at || text.n > at + 9 || text.p[start.n] != '-' ||
	    (text.p[at] == '0' && text.n > at + 1))
		return false;
	for (; at < text.n; at++) {
		if (text.p[at] < '0' || text.p[at] > '9')
			return false;
		place = place * 10 + (text.p[at] - '0');
	}
	*ret = place;
	return true;
}

/* completion_print_put_content: a text stays a text; parts have their own member. */
static bool completion_print_put_content(const struct json_doc *d, struct buf *out)
{
	json_at    content = json_get_some(d, 0, "content");
	json_at    name = json_get_some(d, 0, "name");
	struct str raw = content != JSON_ABSENT ? json_raw(d, content) : STR("null");
	bool       parts = content != JSON_ABSENT && json_kind(d, content) == JSON_ARRAY;

	return buf_text(out, ",\"content\":") && buf_str(out, parts ? STR("null") : raw) &&
	       buf_text(out, ",\"content_parts\":") && buf_str(out, parts ? raw : STR("null")) &&
	       buf_text(out, ",\"name\":") &&
	       buf_str(out, name != JSON_ABSENT ? json_raw(d, name) : STR("null"));
}

bool completion_print_message(struct buf *out, struct id run, const struct completion_message *m)
{
	static const char *const but[] = { "id", "content", "content_parts", "name", NULL };
	struct json_doc          d = { 0 };
	char                     id[COMPLETION_PRINT_ID];

	completion_print_id(run, m->place, id);
	bool ok = completion_print_scan(&d, m->body) && buf_fmt(out, "{\"id\":\"%s\"", id) &&
		  completion_print_put_members(&d, but, out) &&
		  completion_print_put_content(&d, out) && buf_text(out, "}");
	json_doc_finish(&d);
	return ok;
}
