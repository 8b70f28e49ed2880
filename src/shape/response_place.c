/* Translates paths: messages[3].content[0].image_url.url is input[2].content[0].image_url. */
#include "shape/response.h"

#include "base/err.h"

#include <stdio.h>

struct word {
	const char *from;
	const char *to;
};

/* Members of a chat's request.  What follows the name stays as it is. */
static const struct word members[] = {
	{ "response_format.json_schema", "text.format" }, { "response_format", "text.format" },
	{ "reasoning_effort", "reasoning.effort" },       { "verbosity", "text.verbosity" },
	{ "max_completion_tokens", "max_output_tokens" }, { "max_tokens", "max_output_tokens" },
	{ "tool_choice.function", "tool_choice" },
};

/* Words that follow a part, a call or a message.  Others mean nothing in an item. */
static const struct word in_part[] = {
	{ ".image_url.url", ".image_url" },
	{ ".image_url.detail", ".detail" },
	{ ".image_url", ".image_url" },
	{ ".file.file_data", ".file_data" },
	{ ".file.filename", ".filename" },
	{ ".file.uuid", ".file_id" },
	{ ".input_audio", ".input_audio" },
	{ ".text", ".text" },
	{ ".type", ".type" },
};
static const struct word in_call[] = {
	{ ".function.arguments", ".arguments" },
	{ ".function.name", ".name" },
	{ ".id", ".call_id" },
};
static const struct word in_message[] = {
	{ ".tool_call_id", ".call_id" },
	{ ".role", ".role" },
	{ ".content", ".content" },
};

/* --- reading a path --- */

/* place_take: reads a word that a dot, a bracket or the end follows. */
static bool place_take(const char **at, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*at, word, n) != 0 || (*at)[n] == '_' || ((*at)[n] >= 'a' && (*at)[n] <= 'z'))
		return false;
	*at += n;
	return true;
}

/* place_index: reads [N], or .N as some providers write it. */
static bool place_index(const char **at, uint32_t *ret)
{
	const char *p = *at;
	uint32_t    n = 0;
	bool        bracket = *p == '[';

	if ((!bracket && *p != '.') || p[1] < '0' || p[1] > '9')
		return false;
	for (p++; *p >= '0' && *p <= '9'; p++) {
		if (n > UINT32_MAX / 10 - 1)
			return false;
		n = 10 * n + (uint32_t)(*p - '0');
	}
	if (bracket && *p++ != ']')
		return false;
	*ret = n;
	*at = p;
	return true;
}

static const char *word_of(const struct word *list, size_t count, const char *at)
{
	for (size_t i = 0; i < count; i++) {
		const char *p = at;

		if (place_take(&p, list[i].from))
			return list[i].to;
	}
	return "";
}

/* --- rows --- */

/* place_row: NULL: there is no such row. */
static const struct origin *place_row(const struct origins *o, enum origin_of of, size_t message,
				      uint32_t n)
{
	for (size_t i = 0; i < o->count; i++)
		if (o->list[i].of == of && o->list[i].message == message && o->list[i].n == n)
			return &o->list[i];
	return NULL;
}

/* --- writing a path --- */

static void place_part(const struct origins *o, const struct origin *message, uint32_t n,
		       const char *at, char *ret, size_t max)
{
	const struct origin *row = place_row(o, ORIGIN_PART, message->message, n);
	const char          *rest = word_of(in_part, ARRAY_LEN(in_part), at);

	if (!(row ? row : message)->key[0]) {
		snprintf(ret, max, "input[%u]", row ? row->item : message->item);
		return;
	}
	snprintf(ret, max, "input[%u].%s[%u]%s", row ? row->item : message->item,
		 row ? row->key : message->key, row ? row->at : n, rest);
}

static void place_call(const struct origins *o, const struct origin *message, uint32_t n,
		       const char *at, char *ret, size_t max)
{
	const struct origin *row = place_row(o, ORIGIN_CALL, message->message, n);
	const char          *rest = word_of(in_call, ARRAY_LEN(in_call), at);

	if (strcmp(rest, ".arguments") == 0 && row)
		snprintf(ret, max, "input[%u].%s", row->item, row->key);
	else
		snprintf(ret, max, "input[%u]%s", row ? row->item : message->item, rest);
}

static void place_in_message(const struct origins *o, const struct origin *message, const char *at,
			     char *ret, size_t max)
{
	const char *rest = at;
	uint32_t    n;

	if (!message->key) { /* the input is a text */
		snprintf(ret, max, "input");
	} else if (place_take(&rest, ".content") && place_index(&rest, &n)) {
		place_part(o, message, n, rest, ret, max);
	} else if (!message->key[0]) {
		snprintf(ret, max, "input[%u]", message->item);
	} else if (rest = at, place_take(&rest, ".tool_calls") && place_index(&rest, &n)) {
		place_call(o, message, n, rest, ret, max);
	} else {
		const char *word = word_of(in_message, ARRAY_LEN(in_message), at);

		if (strcmp(word, ".content") == 0)
			snprintf(ret, max, "input[%u].%s", message->item, message->key);
		else
			snprintf(ret, max, "input[%u]%s", message->item, word);
	}
}

static void place_message(const struct origins *o, uint32_t n, const char *at, char *ret,
			  size_t max)
{
	const struct origin *message =
		n < o->before ? NULL : place_row(o, ORIGIN_MESSAGE, n - o->before, 0);

	if (message)
		place_in_message(o, message, at, ret, max);
	else if (n == 0 && o->instructed)
		snprintf(ret, max, "instructions");
	else if (n < o->before)
		snprintf(ret, max, "%s", o->follows ? "previous_response_id" : "conversation");
	else
		snprintf(ret, max, "input");
}

static void place_tool(const struct origins *o, uint32_t n, const char *at, char *ret, size_t max)
{
	const struct origin *row = place_row(o, ORIGIN_TOOL, 0, n);

	place_take(&at, ".function");
	if (row && row->key)
		snprintf(ret, max, "%s[%u].tools[%u]%s", row->key, row->item, row->at, at);
	else
		snprintf(ret, max, "tools[%u]%s", row ? row->item : n, at);
}

/* place_member: false: the path is that of the client. */
static bool place_member(const char *at, char *ret, size_t max)
{
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		const char *rest = at;

		if (place_take(&rest, members[i].from)) {
			snprintf(ret, max, "%s%s", members[i].to, rest);
			return true;
		}
	}
	return false;
}

static bool place_path(const struct origins *o, const struct err *e, char *ret, size_t max)
{
	const char *at = e->path;
	uint32_t    n;

	if (place_take(&at, "messages")) {
		if (place_index(&at, &n))
			place_message(o, n, at, ret, max);
		else
			snprintf(ret, max, "input");
		return true;
	}
	/* A provider of OpenAI's Responses API counts items of its own. */
	if (e->upstream_status != 0 && place_take(&at, "input")) {
		snprintf(ret, max, "input");
		return true;
	}
	if (place_take(&at, "tools") && place_index(&at, &n)) {
		place_tool(o, n, at, ret, max);
		return true;
	}
	return place_member(e->path, ret, max);
}

/* place_text: a provider's text may repeat the path. */
static void place_text(struct err *e, const char *path)
{
	char        text[sizeof e->text];
	const char *found = strstr(e->text, e->path);

	if (!found)
		return;
	snprintf(text, sizeof text, "%.*s%s%s", (int)(found - e->text), e->text, path,
		 found + strlen(e->path));
	str_copy(e->text, sizeof e->text, str_of(text));
}

void response_place(const struct origins *o, struct err *e)
{
	char path[sizeof e->path];

	if (!e->path[0] || !place_path(o, e, path, sizeof path))
		return;
	place_text(e, path);
	str_copy(e->path, sizeof e->path, str_of(path));
}
