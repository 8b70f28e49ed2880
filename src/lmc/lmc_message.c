/* Reads one LMC message by itself: its kind, whether it is sent, and its faults. */
#include "lmc/to_openai.h"

#include "base/limits.h"
#include "lmc/text.h"
#include "lmc/warnings.h"

#include <stdio.h>
#include <strings.h>

enum role { ROLE_USER, ROLE_ASSISTANT, ROLE_COMPUTER, ROLE_SYSTEM, ROLE_SERVER, ROLE__COUNT };

static const char *const roles[ROLE__COUNT] = {
	[ROLE_USER] = "user",     [ROLE_ASSISTANT] = "assistant", [ROLE_COMPUTER] = "computer",
	[ROLE_SYSTEM] = "system", [ROLE_SERVER] = "server",
};

enum type {
	TYPE_MESSAGE,
	TYPE_CODE,
	TYPE_CONSOLE,
	TYPE_IMAGE,
	TYPE_AUDIO,
	TYPE_FILE,
	TYPE_TOOL_CALL,
	TYPE__COUNT, /* any other type: never sent */
};

/* clang-format off */
static const char *const types[TYPE__COUNT] = {
	[TYPE_MESSAGE] = "message", [TYPE_CODE] = "code",   [TYPE_CONSOLE] = "console",
	[TYPE_IMAGE] = "image",     [TYPE_AUDIO] = "audio", [TYPE_FILE] = "file",
	[TYPE_TOOL_CALL] = "tool_call",
};
/* clang-format on */

/* The members of a message; JSON_ABSENT if a member is missing. */
struct given {
	enum role role;
	enum type type;
	json_at   type_at;
	json_at   recipient;
	json_at   content;
};

void lmc_message_reader_init(struct lmc_reader *r, const struct to_openai_options *o)
{
	*r = (struct lmc_reader){ .options = o };
	buf_init(&r->format, LIMIT_TRANSLATION);
	buf_init(&r->text, LIMIT_TRANSLATION);
}

void lmc_message_reader_finish(struct lmc_reader *r)
{
	buf_finish(&r->format);
	buf_finish(&r->text);
}

static enum errc message_refuse(const struct lmc_reader *r, enum errc code, const char *member,
				const char *text, struct err *e)
{
	char path[sizeof e->path];

	snprintf(path, sizeof path, "%s%s%s", r->path, r->path[0] ? "." : "", member);
	return err_set(e, code, path, "%s", text);
}

static enum errc message_skip(const struct lmc_reader *r, struct lmc_message *ret, const char *why)
{
	warnings_add(r->options->warnings, r->index, "not_sent", "%s", why);
	ret->kind = LMC_SKIPPED;
	ret->role = NULL;
	return ERR_OK;
}

/* skip_word: like skip, with a word of the client, which may be long. */
static enum errc skip_word(const struct lmc_reader *r, struct lmc_message *ret, const char *what,
			   struct str word)
{
	enum { WORD = 40 };
	char why[128];

	word.n = word.n < WORD ? word.n : WORD;
	word.n = text_whole(word);
	snprintf(why, sizeof why, "%s '%.*s' are not sent to a model", what, STR_ARG(word));
	return message_skip(r, ret, why);
}

/* --- L1: role, type and format --- */

static enum errc message_read_role(const struct lmc_reader *r, struct given *m, struct err *e)
{
#define ROLES "user, assistant, computer, system, server"
	json_at at = json_get_some(r->d, r->message, "role");

	if (at == JSON_ABSENT)
		return message_refuse(r, ERR_MISSING_PARAMETER, "role",
				      "a message needs a role: one of " ROLES, e);
	if (json_kind(r->d, at) != JSON_STRING)
		return message_refuse(r, ERR_INVALID_TYPE, "role",
				      "must be a string: one of " ROLES, e);
	for (m->role = 0; m->role < ROLE__COUNT; m->role++)
		if (json_is(r->d, at, roles[m->role]))
			return ERR_OK;
	return message_refuse(r, ERR_INVALID_VALUE, "role", "must be one of " ROLES, e);
#undef ROLES
}

static enum errc read_type(const struct lmc_reader *r, struct given *m, struct err *e)
{
	m->type_at = json_get_some(r->d, r->message, "type");
	if (m->type_at == JSON_ABSENT)
		return message_refuse(r, ERR_MISSING_PARAMETER, "type",
				      "a message needs a type, such as message, code or console",
				      e);
	if (json_kind(r->d, m->type_at) != JSON_STRING)
		return message_refuse(r, ERR_INVALID_TYPE, "type",
				      "must be a string, such as message, code or console", e);
	m->type = 0;
	while (m->type < TYPE__COUNT && !json_is(r->d, m->type_at, types[m->type]))
		m->type++;
	return ERR_OK;
}

static enum errc message_read_format(struct lmc_reader *r, struct lmc_message *ret, struct err *e)
{
	json_at at = json_get_some(r->d, r->message, "format");

	if (at == JSON_ABSENT)
		return ERR_OK;
	if (json_kind(r->d, at) != JSON_STRING)
		return message_refuse(r, ERR_INVALID_TYPE, "format",
				      "must be a string, null or absent", e);
	return text_view(r->d, at, &r->format, &ret->format) ? ERR_OK : err_no_memory(e);
}

/* --- L2: what is not sent, whatever it holds --- */

/* message_skipped: false: the message is kept. */
static bool message_skipped(struct lmc_reader *r, const struct given *m, struct lmc_message *ret)
{
	if (m->role == ROLE_SERVER) {
		(void)message_skip(r, ret, "messages of the role server are not sent to a model");
		return true;
	}
	if (m->recipient != JSON_ABSENT && !json_is(r->d, m->recipient, "assistant")) {
		(void)message_skip(r, ret, "the message has another recipient than the assistant");
		return true;
	}
	if (m->type == TYPE_CONSOLE && ret->format.p && !str_is(ret->format, "output")) {
		(void)skip_word(r, ret, "console messages of the format", ret->format);
		return true;
	}
	if (m->type == TYPE__COUNT) {
		struct str word;

		if (!text_view(r->d, m->type_at, &r->text, &word))
			word = STR("?");
		(void)skip_word(r, ret, "messages of the type", word);
		return true;
	}
	return false;
}

/* --- L3 to L9: each type --- */

/* message_read_text: reads the text of the content (G6). */
static bool message_read_text(struct lmc_reader *r, const struct given *m, struct lmc_message *ret)
{
	ret->plain = json_kind(r->d, m->content) == JSON_STRING &&
		     !(r->d->tok[m->content].flags & JSON_ESCAPED);
	return text_view(r->d, m->content, &r->text, &ret->text);
}

static enum errc message_read_words(struct lmc_reader *r, const struct given *m, const char *role,
				    struct lmc_message *ret, struct err *e)
{
	if (!message_read_text(r, m, ret))
		return err_no_memory(e);
	ret->text = text_trim(ret->text);
	if (ret->text.n == 0)
		return message_skip(r, ret, "the message has no text");
	ret->kind = LMC_TEXT;
	ret->role = role;
	return ERR_OK;
}

static enum errc message_read_message(struct lmc_reader *r, const struct given *m,
				      struct lmc_message *ret, struct err *e)
{
	return message_read_words(r, m, m->role == ROLE_COMPUTER ? "user" : roles[m->role], ret, e);
}

static enum errc message_read_code(struct lmc_reader *r, const struct given *m,
				   struct lmc_message *ret, struct err *e)
{
	bool call = m->role == ROLE_ASSISTANT;

	if (!message_read_text(r, m, ret))
		return err_no_memory(e);
	ret->kind = call ? LMC_CALL : LMC_CODE;
	ret->role = call ? "assistant" : "user";
	return ERR_OK;
}

static enum errc read_output(struct lmc_reader *r, const struct given *m, struct lmc_message *ret,
			     struct err *e)
{
	if (!message_read_text(r, m, ret))
		return err_no_memory(e);
	ret->text = text_trim(ret->text);
	ret->kind = LMC_OUTPUT;
	ret->role = "user";
	return ERR_OK;
}

static enum errc read_tool_call(struct lmc_reader *r, const struct given *m,
				struct lmc_message *ret, struct err *e)
{
	if (m->role != ROLE_ASSISTANT)
		return message_skip(r, ret, "only a tool_call of the assistant is sent to a model");
	if (r->options->fence)
		return message_skip(r, ret, "a tool_call has no form as fenced text");
	if (!message_read_text(r, m, ret))
		return err_no_memory(e);
	ret->kind = LMC_TOOL_CALL;
	ret->role = "assistant";
	return ERR_OK;
}

/* image_kind: the media type of a format with base64 data; NULL: another format. */
static const char *image_kind(struct str format)
{
	static const struct {
		const char *format;
		const char *kind;
	} known[] = {
		{ "base64", "png" },      { "base64.png", "png" }, { "base64.jpeg", "jpeg" },
		{ "base64.jpg", "jpeg" }, { "base64.gif", "gif" }, { "base64.webp", "webp" },
	};

	if (!format.p)
		return "png";
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (str_is(format, known[i].format))
			return known[i].kind;
	return NULL;
}

static bool starts_ignoring_case(struct str s, struct str prefix)
{
	return s.n >= prefix.n && strncasecmp(s.p, prefix.p, prefix.n) == 0;
}

static enum errc read_image_url(struct lmc_reader *r, const struct given *m,
				struct lmc_message *ret, struct err *e)
{
	if (!message_read_text(r, m, ret))
		return err_no_memory(e);
	if (!starts_ignoring_case(ret->text, STR("http://")) &&
	    !starts_ignoring_case(ret->text, STR("https://")))
		return message_refuse(r, ERR_INVALID_VALUE, "content",
				      "the URL of an image must begin with http:// or https://", e);
	ret->data = json_inner(r->d, m->content);
	return ERR_OK;
}

static enum errc read_image_path(struct lmc_reader *r, struct lmc_message *ret, struct err *e)
{
	const struct to_openai_options *o = r->options;
	struct str                      format = STR_NONE;

	if (o->image_path && o->image_path(o->arg, r->index, &format, &ret->data))
		ret->media = image_kind(format);
	if (!ret->media)
		return message_refuse(r, ERR_INVALID_VALUE, "format",
				      "an image is not read from a path: send it as base64.png, "
				      "base64.jpeg, base64.gif, base64.webp or url",
				      e);
	return ERR_OK;
}

static enum errc read_image(struct lmc_reader *r, const struct given *m, struct lmc_message *ret,
			    struct err *e)
{
	if (str_is(ret->format, "description"))
		return message_read_message(r, m, ret, e);
	if (!r->options->vision)
		return message_skip(r, ret, "the model takes no images");

	bool url = str_is(ret->format, "url");
	bool path = str_is(ret->format, "path");

	ret->kind = LMC_IMAGE;
	ret->role = "user";
	if (path)
		return read_image_path(r, ret, e);
	ret->media = url ? NULL : image_kind(ret->format);
	if (!url && !ret->media)
		return message_refuse(
			r, ERR_INVALID_VALUE, "format",
			"the format of an image must be base64, base64.png, base64.jpeg, "
			"base64.gif, base64.webp, url or description",
			e);
	if (json_kind(r->d, m->content) != JSON_STRING)
		return message_refuse(r, ERR_INVALID_TYPE, "content",
				      url ? "the content of an image must be a string: its URL"
					  : "the content of an image must be a string: base64",
				      e);
	if (url)
		return read_image_url(r, m, ret, e);
	/* The data stays escaped: an image may be large, and nobody has to read it here. */
	ret->data = json_inner(r->d, m->content);
	return ERR_OK;
}

/* is_base64: checks exactly what L8 asks for. Bits that the padding leaves unused may have any
 * value. */
static bool is_base64(struct str s)
{
	size_t n = s.n;

	if (n == 0 || n % 4 != 0)
		return false;
	for (int i = 0; i < 2 && s.p[n - 1] == '='; i++)
		n--;
	for (size_t i = 0; i < n; i++) {
		char c = s.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '+' || c == '/'))
			return false;
	}
	return true;
}

static enum errc message_read_audio(struct lmc_reader *r, const struct given *m,
				    struct lmc_message *ret, struct err *e)
{
	ret->media = !ret->format.p || str_is(ret->format, "wav") ? "wav"
		     : str_is(ret->format, "mp3")                 ? "mp3"
								  : NULL;
	if (!ret->media)
		return message_refuse(r, ERR_INVALID_VALUE, "format",
				      "the format of audio must be wav or mp3", e);
	if (json_kind(r->d, m->content) != JSON_STRING)
		return message_refuse(r, ERR_INVALID_TYPE, "content",
				      "the content of audio must be a string: base64", e);
	if (!message_read_text(r, m, ret))
		return err_no_memory(e);
	if (!is_base64(ret->text))
		return message_refuse(
			r, ERR_INVALID_VALUE, "content",
			"the content of audio must be base64 with its padding, not empty", e);
	ret->kind = LMC_AUDIO;
	ret->role = "user";
	/* Base64 has no characters that need escapes. */
	ret->data = ret->text;
	return ERR_OK;
}

static enum errc read_kept(struct lmc_reader *r, const struct given *m, struct lmc_message *ret,
			   struct err *e)
{
	switch (m->type) {
	case TYPE_MESSAGE: return message_read_message(r, m, ret, e);
	case TYPE_CODE: return message_read_code(r, m, ret, e);
	case TYPE_CONSOLE: return read_output(r, m, ret, e);
	case TYPE_IMAGE: return read_image(r, m, ret, e);
	case TYPE_AUDIO: return message_read_audio(r, m, ret, e);
	case TYPE_FILE: return message_read_words(r, m, "user", ret, e);
	case TYPE_TOOL_CALL: return read_tool_call(r, m, ret, e);
	case TYPE__COUNT: break;
	}
	return message_skip(r, ret, "messages of this type are not sent to a model");
}

enum errc lmc_message_read(struct lmc_reader *r, struct lmc_message *ret, struct err *e)
{
	struct given       m = { 0 };
	struct lmc_message got = { 0 };

	if (json_kind(r->d, r->message) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, r->path, "a message must be an object");

	enum errc code = message_read_role(r, &m, e);
	if (code == ERR_OK)
		code = read_type(r, &m, e);
	if (code == ERR_OK)
		code = message_read_format(r, &got, e);
	if (code != ERR_OK)
		return code;

	got.computer = m.role == ROLE_COMPUTER;
	m.recipient = json_get_some(r->d, r->message, "recipient");
	if (!message_skipped(r, &m, &got)) {
		m.content = json_get(r->d, r->message, "content");
		if (m.content == JSON_ABSENT)
			return message_refuse(r, ERR_MISSING_PARAMETER, "content",
					      "a message needs a content, if only an empty string",
					      e);
		code = read_kept(r, &m, &got, e);
	}
	if (code == ERR_OK)
		*ret = got;
	return code;
}
