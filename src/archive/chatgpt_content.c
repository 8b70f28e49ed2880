/* Contents of ChatGPT's messages: text, code, output of tools, parts, the user's settings. */
#include "archive/archive.h"

/* Texts stay escaped as they are. */
struct text {
	struct chatgpt_content *c;
	struct buf              escaped;
	bool                    ok;
};

static json_at chatgpt_content_inner(const struct json_doc *d, json_at at, const char *key)
{
	return at == JSON_ABSENT ? JSON_ABSENT : json_get_some(d, at, key);
}

static bool chatgpt_content_fail(struct chatgpt_content *c, const char *member, const char *problem)
{
	c->member = member;
	c->problem = problem;
	return false;
}

/* A further stretch of the text, on a line of its own; what is no string, or empty, is nothing. */
static void chatgpt_content_add(struct text *t, json_at at)
{
	const struct json_doc *d = t->c->doc;

	if (at == JSON_ABSENT || json_kind(d, at) != JSON_STRING || json_inner(d, at).n == 0)
		return;
	if (t->escaped.len > 0)
		t->ok = t->ok && buf_text(&t->escaped, "\\n");
	t->ok = t->ok && buf_str(&t->escaped, json_inner(d, at));
}

/* [image: file-…] */
static void add_media(struct text *t, const char *what, json_at pointer)
{
	const struct json_doc *d = t->c->doc;
	struct str             name = STR_NONE;

	t->c->media++;
	if (pointer != JSON_ABSENT && json_kind(d, pointer) == JSON_STRING)
		name = json_inner(d, pointer);
	for (size_t i = 0; i + 2 < name.n; i++)
		if (memcmp(name.p + i, "://", 3) == 0) {
			name = (struct str){ name.p + i + 3, name.n - i - 3 };
			break;
		}
	if (t->escaped.len > 0)
		t->ok = t->ok && buf_text(&t->escaped, "\\n");
	t->ok = t->ok && buf_fmt(&t->escaped, "[%s%s", what, name.n > 0 ? ": " : "") &&
		buf_str(&t->escaped, name) && buf_text(&t->escaped, "]");
}

static bool type_has(const struct json_doc *d, json_at type, const char *word)
{
	struct str s = type != JSON_ABSENT && json_kind(d, type) == JSON_STRING
			       ? json_inner(d, type)
			       : STR_NONE;
	size_t     n = strlen(word);

	for (size_t i = 0; i + n <= s.n; i++)
		if (memcmp(s.p + i, word, n) == 0)
			return true;
	return false;
}

static void chatgpt_content_add_part(struct text *t, json_at part)
{
	const struct json_doc *d = t->c->doc;

	if (json_kind(d, part) == JSON_STRING) {
		chatgpt_content_add(t, part);
		return;
	}
	if (json_kind(d, part) != JSON_OBJECT)
		return;
	json_at type = json_get_some(d, part, "content_type");
	json_at pointer = json_get_some(d, part, "asset_pointer");
	json_at text = json_get_some(d, part, "text");

	if (type_has(d, type, "image"))
		add_media(t, "image", pointer);
	else if (type_has(d, type, "audio_transcription") ||
		 (pointer == JSON_ABSENT && text != JSON_ABSENT))
		chatgpt_content_add(t, text);
	else if (type_has(d, type, "video"))
		add_media(t, "recording",
			  pointer != JSON_ABSENT
				  ? pointer
				  : chatgpt_content_inner(
					    d, json_get_some(d, part, "audio_asset_pointer"),
					    "asset_pointer"));
	else if (type_has(d, type, "audio"))
		add_media(t, "audio", pointer);
	else if (pointer != JSON_ABSENT)
		add_media(t, "file", pointer);
	else
		t->c->left_out++;
}

static bool chatgpt_content_add_parts(struct text *t, json_at content)
{
	const struct json_doc *d = t->c->doc;
	json_at                parts = json_get_some(d, content, "parts");

	if (parts == JSON_ABSENT)
		return true;
	if (json_kind(d, parts) != JSON_ARRAY)
		return chatgpt_content_fail(t->c, "message.content.parts", "must be an array");
	JSON_EACH (i, d, parts)
		chatgpt_content_add_part(t, i);
	return true;
}

/* All text of the content. */
static bool add_content(struct text *t, json_at content)
{
	static const char *const members[] = {
		"title", "url",  "result",       "summary",
		"name",  "text", "user_profile", "user_instructions"
	};
	const struct json_doc *d = t->c->doc;
	json_at                type = json_get_some(d, content, "content_type");

	/* The reasoning of a model, and its duration. */
	if (json_is(d, type, "thoughts") || json_is(d, type, "reasoning_recap")) {
		t->c->left_out++;
		return true;
	}
	if (!chatgpt_content_add_parts(t, content))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		chatgpt_content_add(t, json_get_some(d, content, members[i]));
	if (t->escaped.len == 0 && json_get_some(d, content, "parts") == JSON_ABSENT &&
	    json_get_some(d, content, "text") == JSON_ABSENT)
		t->c->left_out++;
	return true;
}

/* The body up to its text: {"role":…,"content":" with the quote of the content open. */
static bool put_start(struct chatgpt_content *c, json_at message, json_at role, json_at type)
{
	const struct json_doc *d = c->doc;
	json_at                language =
		chatgpt_content_inner(d, json_get_some(d, message, "content"), "language");

	if (json_is(d, role, "assistant") && json_is(d, type, "code")) {
		bool named = language != JSON_ABSENT && json_kind(d, language) == JSON_STRING &&
			     json_inner(d, language).n > 0 && !json_is(d, language, "unknown");

		return buf_text(c->out, "{\"role\":\"assistant\",\"type\":\"code\",\"format\":") &&
		       buf_str(c->out, named ? json_raw(d, language) : STR("\"text\"")) &&
		       buf_text(c->out, ",\"content\":\"");
	}
	if (json_is(d, role, "tool") || json_is(d, type, "execution_output"))
		return buf_text(c->out, "{\"role\":\"computer\",\"type\":\"console\","
					"\"format\":\"output\",\"content\":\"");
	if (json_is(d, type, "user_editable_context") || json_is(d, role, "system"))
		return buf_text(c->out, "{\"role\":\"system\",\"content\":\"");
	return buf_text(c->out, json_is(d, role, "user")
					? "{\"role\":\"user\",\"content\":\""
					: "{\"role\":\"assistant\",\"content\":\"");
}

static bool chatgpt_content_hidden(const struct json_doc *d, json_at message)
{
	json_at flag = chatgpt_content_inner(d, json_get_some(d, message, "metadata"),
					     "is_visually_hidden_from_conversation");

	return flag != JSON_ABSENT && json_kind(d, flag) == JSON_TRUE;
}

bool chatgpt_content_put(struct chatgpt_content *c, json_at message)
{
	const struct json_doc *d = c->doc;
	json_at                author = json_get_some(d, message, "author");
	json_at                role = chatgpt_content_inner(d, author, "role");
	json_at                content = json_get_some(d, message, "content");
	json_at                type = chatgpt_content_inner(d, content, "content_type");
	struct text            t = { .c = c, .ok = true };

	if (!json_is(d, role, "user") && !json_is(d, role, "assistant") &&
	    !json_is(d, role, "system") && !json_is(d, role, "tool"))
		return chatgpt_content_fail(c, "message.author.role",
					    "must be one of: user, assistant, system, tool");
	if (content == JSON_ABSENT)
		return true;
	if (json_kind(d, content) != JSON_OBJECT)
		return chatgpt_content_fail(c, "message.content", "must be an object");
	if (json_is(d, role, "system") && chatgpt_content_hidden(d, message))
		return true;
	buf_init(&t.escaped, c->out->max);
	bool ok = add_content(&t, content) && t.ok;
	if (ok && t.escaped.len > 0)
		ok = put_start(c, message, role, type) && buf_str(c->out, buf_view(&t.escaped)) &&
		     buf_text(c->out, "\"}");
	buf_finish(&t.escaped);
	return ok;
}
