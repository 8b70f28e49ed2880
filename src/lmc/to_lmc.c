/* Translates OpenAI's messages, one at a time, to LMC messages. */
#include "lmc/to_lmc.h"

#include "base/limits.h"
#include "lmc/media.h"
#include "lmc/segment.h"
#include "lmc/text.h"
#include "lmc/speech.h"

#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

enum { PATH = 160 };

/* The state of translating one message. */
struct work {
	const struct json_doc       *d;
	const char                  *path; /* path of the message */
	size_t                       index;
	const struct to_lmc_options *o;
	struct buf                  *out;
	struct to_lmc_scratch       *scratch;
	struct err                  *e;
};

/* sub_path: a path below that of the message. */
static const char *sub_path(const struct work *w, char to[PATH], const char *fmt, ...) PRINTF(3, 4);
static const char *sub_path(const struct work *w, char to[PATH], const char *fmt, ...)
{
	char    below[PATH];
	va_list list;

	va_start(list, fmt);
	vsnprintf(below, sizeof below, fmt, list);
	va_end(list);
	snprintf(to, PATH, "%.60s%.90s", w->path, below);
	return to;
}

/* missing_or: the error code for a wrong member: missing, or the given code. */
static enum errc missing_or(const struct work *w, json_at member, enum errc otherwise)
{
	if (member == JSON_ABSENT)
		return ERR_MISSING_PARAMETER;
	return json_kind(w->d, member) != JSON_STRING ? ERR_INVALID_TYPE : otherwise;
}

/* to_lmc_member_of: json_get for an object that may be absent; json_get itself would take that for
 * the root. */
static json_at to_lmc_member_of(const struct json_doc *d, json_at object, const char *key)
{
	return object == JSON_ABSENT ? JSON_ABSENT : json_get(d, object, key);
}

static bool to_lmc_is_string(const struct work *w, json_at i)
{
	return i != JSON_ABSENT && json_kind(w->d, i) == JSON_STRING;
}

static bool is_text_part(const struct work *w, json_at part)
{
	json_at type = json_get(w->d, part, "type");

	return type != JSON_ABSENT && json_is(w->d, type, "text");
}

/* to_lmc_put_message: prints one LMC message; type and format are JSON already. */
static enum errc to_lmc_put_message(struct work *w, const char *role, const char *type,
				    const char *format, struct str content)
{
	struct buf *out = w->out;

	if (buf_text(out, out->len > 0 ? ",{\"role\":\"" : "{\"role\":\"") && buf_text(out, role) &&
	    buf_text(out, "\",\"type\":\"") && buf_text(out, type) &&
	    (!format || (buf_text(out, "\",\"format\":\"") && buf_text(out, format))) &&
	    buf_text(out, "\",\"content\":\"") && text_put(out, content) && buf_text(out, "\"}"))
		return ERR_OK;
	return err_no_memory(w->e);
}

static void to_lmc_warn_dropped(const struct work *w, json_at part, size_t j)
{
	json_at    type = json_get(w->d, part, "type");
	struct str name =
		to_lmc_is_string(w, type) ? json_inner(w->d, type) : STR("without a type");

	if (name.n > 40) {
		name.n = 40;
		name.n = text_whole(name);
	}
	warnings_add(w->o->warnings, w->index, "part_dropped",
		     "part %zu of the content cannot be translated and is dropped: %.*s", j,
		     STR_ARG(name));
}

/* --- content (O1) --- */

/* to_lmc_check_part: checks the rules for parts of all roles. */
static enum errc to_lmc_check_part(const struct work *w, json_at part, size_t j)
{
	char to[PATH];

	if (json_kind(w->d, part) != JSON_OBJECT)
		return err_set(w->e, ERR_INVALID_TYPE, sub_path(w, to, ".content[%zu]", j),
			       "a part of the content must be an object");

	json_at text = json_get(w->d, part, "text");
	if (is_text_part(w, part) && !to_lmc_is_string(w, text))
		return err_set(w->e, missing_or(w, text, ERR_INVALID_TYPE),
			       sub_path(w, to, ".content[%zu].text", j),
			       "a part of type text must have a string 'text'");
	return ERR_OK;
}

/* check_content: checks the form of the content. *ret is JSON_ABSENT if the content counts as
 * empty. */
static enum errc check_content(const struct work *w, json_at content, bool may_miss, json_at *ret)
{
	char to[PATH];
	bool missing = content == JSON_ABSENT || json_kind(w->d, content) == JSON_NULL;

	if (missing && may_miss) {
		*ret = JSON_ABSENT;
		return ERR_OK;
	}
	if (content == JSON_ABSENT)
		return err_set(w->e, ERR_MISSING_PARAMETER, sub_path(w, to, ".content"),
			       "is missing; it must be a string or a list of parts");
	if (json_kind(w->d, content) != JSON_STRING && json_kind(w->d, content) != JSON_ARRAY)
		return err_set(w->e, ERR_INVALID_TYPE, sub_path(w, to, ".content"),
			       "must be a string or a list of parts%s",
			       may_miss ? ", or null" : "");
	*ret = content;
	return ERR_OK;
}

/* joined_text: the text of a content. The text parts of a list are joined without a separator;
 * other parts are dropped with a warning (O3). Borrowed from the document or from the scratch. */
static enum errc joined_text(struct work *w, json_at content, struct str *ret)
{
	size_t j = 0;

	*ret = STR_NONE;
	if (content == JSON_ABSENT)
		return ERR_OK;
	if (json_kind(w->d, content) == JSON_STRING)
		return text_view(w->d, content, &w->scratch->text, ret) ? ERR_OK
									: err_no_memory(w->e);

	buf_clear(&w->scratch->text);
	for (json_at i = json_first(w->d, content); i != json_end(w->d, content);
	     i = json_next(w->d, i), j++) {
		enum errc code = to_lmc_check_part(w, i, j);

		if (code != ERR_OK)
			return code;
		if (!is_text_part(w, i))
			to_lmc_warn_dropped(w, i, j);
		else if (!text_add(&w->scratch->text, json_inner(w->d, json_get(w->d, i, "text"))))
			return err_no_memory(w->e);
	}
	*ret = buf_view(&w->scratch->text);
	return ERR_OK;
}

/* --- images and sound of a user (O3, O4) --- */

/* is_word: true if s is `word`, without regard to case; `word` is in lower case. */
static bool is_word(struct str s, const char *word)
{
	return s.n == strlen(word) && strncasecmp(s.p, word, s.n) == 0;
}

static bool starts_word(struct str s, const char *word)
{
	size_t n = strlen(word);

	return s.n >= n && strncasecmp(s.p, word, n) == 0;
}

/* data_format: the LMC format for the media type and parameters of a data URL (between `data:` and
 * the comma); NULL: not an image in base64. */
static const char *data_format(struct str head)
{
	static const struct {
		const char *media;
		const char *format;
	} kinds[] = {
		{ "image/png", "base64.png" },   { "image/jpeg", "base64.jpeg" },
		{ "image/jpg", "base64.jpeg" },  { "image/gif", "base64.gif" },
		{ "image/webp", "base64.webp" },
	};
	const char *semicolon = memchr(head.p, ';', head.n);

	if (!semicolon)
		return NULL;

	const char *last = memrchr(head.p, ';', head.n);
	struct str  media = { head.p, (size_t)(semicolon - head.p) };
	struct str  coding = { last + 1, head.n - (size_t)(last + 1 - head.p) };
	if (!is_word(coding, "base64"))
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (is_word(media, kinds[i].media))
			return kinds[i].format;
	return NULL;
}

static enum errc to_lmc_put_image(struct work *w, json_at part, size_t j)
{
	json_at    url = to_lmc_member_of(w->d, json_get(w->d, part, "image_url"), "url");
	struct str text = STR_NONE;
	char       to[PATH];

	if (!to_lmc_is_string(w, url))
		return err_set(w->e, missing_or(w, url, ERR_INVALID_TYPE),
			       sub_path(w, to, ".content[%zu].image_url.url", j),
			       "an image must have the string image_url.url");
	if (!text_view(w->d, url, &w->scratch->text, &text))
		return err_no_memory(w->e);
	if (starts_word(text, "http://") || starts_word(text, "https://"))
		return to_lmc_put_message(w, "user", "image", "url", text);

	struct str  head = { text.p + 5, text.n - 5 };
	const char *comma = starts_word(text, "data:") ? memchr(head.p, ',', head.n) : NULL;
	const char *format = NULL;
	if (comma) {
		head.n = (size_t)(comma - head.p);
		format = data_format(head);
	}
	if (!format)
		return err_set(w->e, ERR_INVALID_VALUE,
			       sub_path(w, to, ".content[%zu].image_url.url", j),
			       "the URL of an image must begin with http:// or https://, or be a "
			       "data URL of a png, jpeg, gif or webp image in base64");

	struct str data = { comma + 1, text.n - (size_t)(comma + 1 - text.p) };
	return to_lmc_put_message(w, "user", "image", format, data);
}

static enum errc to_lmc_put_audio(struct work *w, json_at part, size_t j)
{
	json_at     audio = json_get(w->d, part, "input_audio");
	json_at     format = to_lmc_member_of(w->d, audio, "format");
	json_at     data = to_lmc_member_of(w->d, audio, "data");
	struct str  text = STR_NONE;
	const char *name = NULL;
	char        to[PATH];

	if (to_lmc_is_string(w, format) && json_is(w->d, format, "wav"))
		name = "wav";
	else if (to_lmc_is_string(w, format) && json_is(w->d, format, "mp3"))
		name = "mp3";
	if (!name)
		return err_set(w->e, missing_or(w, format, ERR_INVALID_VALUE),
			       sub_path(w, to, ".content[%zu].input_audio.format", j),
			       "the format of input_audio must be 'wav' or 'mp3'");
	if (!to_lmc_is_string(w, data))
		return err_set(w->e, missing_or(w, data, ERR_INVALID_TYPE),
			       sub_path(w, to, ".content[%zu].input_audio.data", j),
			       "input_audio must have a string 'data'");
	if (!text_view(w->d, data, &w->scratch->text, &text))
		return err_no_memory(w->e);
	return to_lmc_put_message(w, "user", "audio", name, text);
}

/* --- roles --- */

static enum errc put_user_part(struct work *w, json_at part, size_t j)
{
	json_at    type = json_get(w->d, part, "type");
	struct str text = STR_NONE;
	enum errc  code = to_lmc_check_part(w, part, j);

	if (code != ERR_OK)
		return code;
	if (is_text_part(w, part)) {
		if (!text_view(w->d, json_get(w->d, part, "text"), &w->scratch->text, &text))
			return err_no_memory(w->e);
		return text.n == 0 ? ERR_OK : to_lmc_put_message(w, "user", "message", NULL, text);
	}
	if (type != JSON_ABSENT && json_is(w->d, type, "image_url"))
		return to_lmc_put_image(w, part, j);
	if (type != JSON_ABSENT && json_is(w->d, type, "input_audio"))
		return to_lmc_put_audio(w, part, j);
	to_lmc_warn_dropped(w, part, j);
	return ERR_OK;
}

static enum errc to_lmc_put_parts(struct work *w, json_at parts)
{
	size_t j = 0;

	for (json_at i = json_first(w->d, parts); i != json_end(w->d, parts);
	     i = json_next(w->d, i), j++) {
		enum errc code = put_user_part(w, i, j);

		if (code != ERR_OK)
			return code;
	}
	return ERR_OK;
}

static enum errc from_user(struct work *w, json_at message, json_at content)
{
	struct str text = STR_NONE;

	(void)message;
	if (json_kind(w->d, content) == JSON_ARRAY)
		return to_lmc_put_parts(w, content);
	if (!text_view(w->d, content, &w->scratch->text, &text))
		return err_no_memory(w->e);
	return text.n == 0 ? ERR_OK : to_lmc_put_message(w, "user", "message", NULL, text);
}

static enum errc from_system(struct work *w, json_at message, json_at content)
{
	struct str text = STR_NONE;
	enum errc  code = joined_text(w, content, &text);

	(void)message;
	if (code != ERR_OK || text.n == 0)
		return code;
	return to_lmc_put_message(w, "system", "message", NULL, text);
}

static enum errc from_tool(struct work *w, json_at message, json_at content)
{
	struct str text = STR_NONE;
	enum errc  code = joined_text(w, content, &text);

	(void)message;
	if (code != ERR_OK)
		return code;
	return to_lmc_put_message(w, "computer", "console", "output",
				  str_is(text, "No output") ? STR_NONE : text);
}

/* --- the assistant (O5) --- */

/* One call of a message, from tool_calls, or the legacy call, which follows them. */
struct call {
	uint32_t index;
	bool     legacy;
};

/* call_path: the path of the call's function, or of a member of the function, such as .name. */
static const char *call_path(const struct work *w, char to[PATH], struct call call,
			     const char *member)
{
	if (call.legacy)
		return sub_path(w, to, ".function_call%s", member);
	return sub_path(w, to, ".tool_calls[%u].function%s", (unsigned)call.index, member);
}

static bool may_be_object(const struct work *w, json_at i)
{
	return i == JSON_ABSENT || json_kind(w->d, i) == JSON_OBJECT;
}

static enum errc no_object(const struct work *w, const char *path)
{
	return err_set(w->e, ERR_INVALID_TYPE, path, "must be an object");
}

/* to_lmc_add_function: adds a call; without name or arguments it is still a call. */
static enum errc to_lmc_add_function(struct work *w, json_at function, struct call call,
				     struct speech *speech)
{
	json_at    name = to_lmc_member_of(w->d, function, "name");
	json_at    args = to_lmc_member_of(w->d, function, "arguments");
	struct str text = STR_NONE;
	char       to[PATH];

	if (!may_be_object(w, function))
		return no_object(w, call_path(w, to, call, ""));
	if (name != JSON_ABSENT && json_kind(w->d, name) == JSON_NULL)
		name = JSON_ABSENT;
	if (name != JSON_ABSENT && !to_lmc_is_string(w, name))
		return err_set(w->e, ERR_INVALID_TYPE, call_path(w, to, call, ".name"),
			       "the name of a function must be a string");
	if (name != JSON_ABSENT && !text_view(w->d, name, &w->scratch->text, &text))
		return err_no_memory(w->e);
	if (!speech_name(speech, call.index, text))
		return err_no_memory(w->e);
	if (args == JSON_ABSENT)
		return ERR_OK;
	if (!text_view(w->d, args, &w->scratch->text, &text) ||
	    !speech_args(speech, call.index, text))
		return err_no_memory(w->e);
	return ERR_OK;
}

static enum errc add_tool_call(struct work *w, json_at i, uint32_t j, struct speech *speech)
{
	char to[PATH];

	if (!may_be_object(w, i))
		return no_object(w, sub_path(w, to, ".tool_calls[%u]", (unsigned)j));
	return to_lmc_add_function(w, json_get_some(w->d, i, "function"),
				   (struct call){ .index = j }, speech);
}

static enum errc to_lmc_add_calls(struct work *w, json_at message, struct speech *speech)
{
	json_at  calls = json_get_some(w->d, message, "tool_calls");
	json_at  legacy = json_get_some(w->d, message, "function_call");
	uint32_t count = 0;
	char     to[PATH];

	if (calls != JSON_ABSENT && json_kind(w->d, calls) != JSON_ARRAY)
		return err_set(w->e, ERR_INVALID_TYPE, sub_path(w, to, ".tool_calls"),
			       "must be an array");
	if (calls != JSON_ABSENT && w->d->tok[calls].count + (legacy != JSON_ABSENT) > LIMIT_TOOLS)
		return err_set(w->e, ERR_INVALID_VALUE, sub_path(w, to, ".tool_calls"),
			       "a message may have up to %d calls", LIMIT_TOOLS);
	if (calls != JSON_ABSENT)
		JSON_EACH (i, w->d, calls) {
			enum errc code = add_tool_call(w, i, count++, speech);

			if (code != ERR_OK)
				return code;
		}
	if (legacy == JSON_ABSENT)
		return ERR_OK;
	return to_lmc_add_function(w, legacy, (struct call){ .index = count, .legacy = true },
				   speech);
}

static enum errc fill_speech(struct work *w, json_at message, struct str text,
			     struct speech *speech)
{
	if (!speech_text(speech, text))
		return err_no_memory(w->e);

	enum errc code = to_lmc_add_calls(w, message, speech);
	if (code != ERR_OK)
		return code;
	return speech_close(speech) ? ERR_OK : err_no_memory(w->e);
}

static enum errc put_speech(struct work *w, json_at message, struct str text)
{
	struct spool          spool;
	struct speech_options o = {
		.fences = w->o->fences,
		.sink = &spool_sink,
		.arg = &spool,
		.warnings = w->o->warnings,
		/* A turn may hold half of this, and no text is longer than the document. */
		.max = 2 * (size_t)LIMIT_TRANSLATION,
	};
	struct speech *speech = w->scratch->speech;

	if (speech)
		speech_again(speech, &o);
	else
		speech = speech_create(&o);
	if (!speech)
		return err_no_memory(w->e);
	spool_init(&spool, w->out, NULL);
	speech_at(speech, w->index);
	enum errc code = fill_speech(w, message, text, speech);
	spool_finish(&spool);
	/* After a failure the turn can't be used again, and after a large message it keeps too much
	 * memory. */
	if (code != ERR_OK || json_raw(w->d, message).n > MIB)
		speech_destroy(TAKE(speech));
	w->scratch->speech = speech;
	return code;
}

/* to_lmc_is_plain: true if the message is only text, without a fence. */
static bool to_lmc_is_plain(const struct work *w, json_at message, struct str text)
{
	return (text.n == 0 || !memchr(text.p, '`', text.n)) &&
	       json_get_some(w->d, message, "tool_calls") == JSON_ABSENT &&
	       json_get_some(w->d, message, "function_call") == JSON_ABSENT;
}

static enum errc from_assistant(struct work *w, json_at message, json_at content)
{
	struct str text = STR_NONE;
	enum errc  code = joined_text(w, content, &text);

	if (code != ERR_OK)
		return code;
	if (!to_lmc_is_plain(w, message, text))
		return put_speech(w, message, text);
	/* Most answers are plain and need no parser: white space alone makes no message (F9), other
	 * text is one message. */
	if (text_trim(text).n == 0)
		return ERR_OK;
	return to_lmc_put_message(w, "assistant", "message", NULL, text);
}

/* --- messages --- */

/* clang-format off */
static const struct role {
	const char *name;
	bool        may_miss; /* the content may be null or absent */
	enum errc (*put)(struct work *w, json_at message, json_at content);
} roles[] = {
	/* The most frequent roles come first. */
	{ "user", false, from_user },          { "assistant", true, from_assistant },
	{ "tool", true, from_tool },           { "system", false, from_system },
	{ "developer", false, from_system },   { "function", true, from_tool },
};
/* clang-format on */

/* find_role: NULL: an unknown role, and *e says so. */
static const struct role *find_role(const struct work *w, json_at message)
{
	json_at role = json_get(w->d, message, "role");
	char    to[PATH];

	for (size_t i = 0; role != JSON_ABSENT && i < ARRAY_LEN(roles); i++)
		if (json_is(w->d, role, roles[i].name))
			return &roles[i];
	err_set(w->e, missing_or(w, role, ERR_INVALID_VALUE), sub_path(w, to, ".role"),
		"must be one of system, developer, user, assistant, tool, function");
	return NULL;
}

static enum errc to_lmc_put(struct work *w, json_at message)
{
	const struct role *role = find_role(w, message);
	json_at            content = JSON_ABSENT;
	size_t             start = w->out->len;
	enum errc          code;

	if (!role)
		return w->e->code;
	code = check_content(w, json_get(w->d, message, "content"), role->may_miss, &content);
	if (code != ERR_OK)
		return code;
	code = role->put(w, message, content);
	if (code == ERR_OK && w->out->len == start)
		warnings_add(w->o->warnings, w->index, "empty_message",
			     "the message has nothing to translate and is left out");
	return code;
}

void to_lmc_scratch_init(struct to_lmc_scratch *s)
{
	*s = (struct to_lmc_scratch){ 0 };
	buf_init(&s->text, LIMIT_TRANSLATION);
}

void to_lmc_scratch_finish(struct to_lmc_scratch *s)
{
	buf_finish(&s->text);
	speech_destroy(TAKE(s->speech));
}

enum errc to_lmc_message(const struct json_doc *d, json_at message, const char *path, size_t index,
			 const struct to_lmc_options *o, struct buf *out, struct err *e)
{
	struct to_lmc_scratch own;
	struct work           w = { .d = d,
				    .path = path,
				    .index = index,
				    .o = o,
				    .out = out,
				    .scratch = o->scratch,
				    .e = e };
	size_t                start = out->len;

	if (!o->scratch) {
		to_lmc_scratch_init(&own);
		w.scratch = &own;
	}
	enum errc code = to_lmc_put(&w, message);
	if (!o->scratch || o->scratch->text.cap > MIB)
		to_lmc_scratch_finish(w.scratch);
	if (code != ERR_OK)
		out->len = start;
	return code;
}

/* refusal_of: the refusal of a message; JSON_ABSENT: none. */
static json_at refusal_of(const struct json_doc *d, json_at message)
{
	json_at i = json_get(d, message, "refusal");

	return i != JSON_ABSENT && json_kind(d, i) == JSON_STRING && json_inner(d, i).n > 0
		       ? i
		       : JSON_ABSENT;
}

/* to_lmc_is_alone: true if a refusal or an image has no content beside it. Its absence needs no
 * warning. */
static bool to_lmc_is_alone(const struct json_doc *d, json_at message)
{
	json_at content = json_get_some(d, message, "content");

	return (content == JSON_ABSENT || json_is(d, content, "")) &&
	       json_get_some(d, message, "tool_calls") == JSON_ABSENT &&
	       json_get_some(d, message, "function_call") == JSON_ABSENT;
}

/* put_pictures: prints the images of the model, after its text. */
static bool put_pictures(const struct json_doc *d, json_at message, size_t index,
			 const struct to_lmc_options *o, struct buf *out)
{
	json_at list = picture_list(d, message);

	if (list == JSON_ABSENT)
		return true;
	JSON_EACH (i, d, list) {
		struct media_picture p;

		if (!picture_read(d, i, &p)) {
			warnings_add(o->warnings, index, "media_not_sent",
				     "a media part of the answer has no place in LMC messages");
			continue;
		}
		bool ok = buf_text(out, out->len > 0 ? "," : "") &&
			  buf_text(out, "{\"role\":\"assistant\",\"type\":\"image\"") &&
			  picture_format(&p, out) && picture_content(&p, out) && buf_text(out, "}");
		picture_finish(&p);
		if (!ok)
			return false;
	}
	return true;
}

enum errc to_lmc_answer(const struct json_doc *d, json_at message, const char *path, size_t index,
			const struct to_lmc_options *o, struct buf *out, struct err *e)
{
	json_at refusal = refusal_of(d, message);
	size_t  start = out->len;

	bool some = refusal != JSON_ABSENT || picture_list(d, message) != JSON_ABSENT;

	if (!some || !to_lmc_is_alone(d, message)) {
		enum errc rc = to_lmc_message(d, message, path, index, o, out, e);

		if (rc != ERR_OK)
			return rc;
	}
	if ((refusal == JSON_ABSENT ||
	     ((out->len == 0 || buf_text(out, ",")) &&
	      buf_text(out, "{\"role\":\"assistant\",\"type\":\"message\",\"content\":") &&
	      buf_str(out, json_raw(d, refusal)) && buf_text(out, "}"))) &&
	    put_pictures(d, message, index, o, out))
		return ERR_OK;
	out->len = start;
	return err_set(e, ERR_OVERLOADED, "", "out of memory");
}
