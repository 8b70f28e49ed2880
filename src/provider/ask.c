/* OpenAI's messages, tools and formats as plain structs. */
#include "provider/ask.h"

#include "base/limits.h"
#include "shape/carry.h"
#include "shape/reasoning.h"
#include "lmc/media.h"
#include "provider/ask_param.h"

#include <stdio.h>

enum { PATH = 96 };

/* part_member: a string member of an object in a message; empty if either is missing. */
static struct str part_member(const struct json_doc *d, json_at object, const char *key)
{
	return json_is_kind(d, object, JSON_OBJECT) ? json_get_inner(d, object, key) : STR_NONE;
}

static enum errc bad_part(const struct ask_message *m, size_t index, const char *what,
			  struct err *e)
{
	char path[PATH];

	snprintf(path, sizeof path, "messages[%zu].content[%zu]", m->index, index);
	return err_set(e, ERR_INVALID_VALUE, path, "%s", what);
}

enum errc ask_refuse_part(const struct ask_message *m, const struct ask_part *part,
			  const char *dialect, struct err *e)
{
	static const char *const names[ASK_KIND__COUNT] = { "text", "an image", "audio",
							    "a document" };
	char                     path[PATH];

	snprintf(path, sizeof path, "messages[%zu].content[%zu]", m->index, part->index);
	return err_set(e, ERR_UNSUPPORTED_PARAMETER, path,
		       "a provider of dialect %s does not accept %s here", dialect,
		       names[part->kind]);
}

/* ask_cache: the mark up to which Anthropic's API keeps a prompt in its cache. */
static struct str ask_cache(const struct json_doc *d, json_at object)
{
	json_at mark = json_is_kind(d, object, JSON_OBJECT) || object == 0
			       ? json_get(d, object, "cache_control")
			       : JSON_ABSENT;

	return json_is_kind(d, mark, JSON_OBJECT) ? json_raw(d, mark) : STR_NONE;
}

/* --- parts --- */

/* read_data: reads a data URL. Of its characters, only the slash may be escaped. */
static bool read_data(struct str url, struct arena *a, struct ask_part *ret)
{
	char type[MEDIA_TYPE];

	if (url.n > 0 && memchr(url.p, '\\', url.n)) {
		struct buf text;

		buf_init(&text, url.n);
		if (json_unescape(url, &text))
			url = arena_str(a, buf_view(&text));
		buf_finish(&text);
		if (!url.p)
			return false;
	}
	if (!media_data(url, type, &ret->data))
		return false;
	ret->type = arena_str(a, str_of(type));
	return ret->type.p != NULL;
}

/* read_url: reads a URL, or the data in it. i: an object with a url, or the URL itself, as some
 * clients send it. */
static enum errc read_url(const struct json_doc *d, json_at i, const struct ask_message *m,
			  struct arena *a, struct ask_part *ret, struct err *e)
{
	struct str url =
		json_inner_of(d, json_is_kind(d, i, JSON_OBJECT) ? json_get(d, i, "url") : i);

	if (url.n == 0)
		return bad_part(m, ret->index, "the part has no url", e);
	if (!media_is_data(url)) {
		ret->url = url;
		ret->url_type = part_member(d, i, "mime_type");
		return ERR_OK;
	}
	return read_data(url, a, ret)
		       ? ERR_OK
		       : bad_part(m, ret->index,
				  "a data URL must be data:TYPE;base64, and base64 without gaps",
				  e);
}

static enum errc read_audio(const struct json_doc *d, json_at i, const struct ask_message *m,
			    struct ask_part *ret, struct err *e)
{
	/* OpenAI has the first two; the others are Gemini's. */
	static const struct {
		const char *format, *type;
	} formats[] = {
		{ "wav", "audio/wav" },   { "mp3", "audio/mpeg" }, { "ogg", "audio/ogg" },
		{ "flac", "audio/flac" }, { "aac", "audio/aac" },  { "aiff", "audio/aiff" },
	};

	ret->data = part_member(d, i, "data");
	for (size_t k = 0; json_is_kind(d, i, JSON_OBJECT) && k < ARRAY_LEN(formats); k++)
		if (json_get_is(d, i, "format", formats[k].format))
			ret->type = str_of(formats[k].type);
	if (ret->type.n > 0 && media_base64(ret->data))
		return ERR_OK;
	return bad_part(m, ret->index,
			"input_audio needs data in base64 and a format: wav, mp3, ogg, flac, aac "
			"or aiff",
			e);
}

static enum errc read_file(const struct json_doc *d, json_at i, const struct ask_message *m,
			   struct arena *a, struct ask_part *ret, struct err *e)
{
	struct str data = part_member(d, i, "file_data");

	ret->name = part_member(d, i, "filename");
	ret->url = data.n == 0 ? part_member(d, i, "file_url") : STR_NONE;
	ret->url_type = part_member(d, i, "mime_type");
	if (ret->url.n > 0)
		return ERR_OK;
	if (media_is_data(data) && read_data(data, a, ret))
		return ERR_OK;
	/* A file without a type is nearly always a PDF. */
	ret->type = STR("application/pdf");
	ret->data = data;
	if (media_base64(data))
		return ERR_OK;
	return bad_part(m, ret->index,
			"this provider needs a file's content as file_data in base64; it knows no "
			"file_id of another provider",
			e);
}

static enum errc ask_read_part(const struct json_doc *d, json_at i, const struct ask_message *m,
			       struct arena *a, struct ask_part *ret, struct err *e)
{
	json_at type = json_is_kind(d, i, JSON_OBJECT) ? json_get(d, i, "type") : JSON_ABSENT;

	ret->kind = ASK_TEXT;
	ret->cache = ask_cache(d, i);
	if (json_is_kind(d, i, JSON_OBJECT) && (type == JSON_ABSENT || json_is(d, type, "text"))) {
		ret->text = json_get_inner(d, i, "text");
		return ERR_OK;
	}
	if (type == JSON_ABSENT)
		return bad_part(m, ret->index, "a part of content must be an object with a type",
				e);
	if (json_is(d, type, "refusal")) {
		ret->text = json_get_inner(d, i, "refusal");
		ret->refusal = true;
		return ERR_OK;
	}
	if (json_is(d, type, "image_url")) {
		json_at image = json_get(d, i, "image_url");

		ret->kind = ASK_IMAGE;
		ret->detail = part_member(d, image, "detail");
		return read_url(d, image, m, a, ret, e);
	}
	if (json_is(d, type, "input_audio")) {
		ret->kind = ASK_AUDIO;
		return read_audio(d, json_get(d, i, "input_audio"), m, ret, e);
	}
	if (json_is(d, type, "file")) {
		ret->kind = ASK_DOCUMENT;
		return read_file(d, json_get(d, i, "file"), m, a, ret, e);
	}
	return bad_part(m, ret->index,
			"this provider takes parts of type text, image_url, input_audio and file",
			e);
}

bool ask_is_text(const struct ask_part *part)
{
	return part->kind == ASK_DOCUMENT && part->data.n > 0 &&
	       (str_starts(part->type, STR("text/")) || str_is(part->type, "application/json"));
}

enum errc ask_put_document(const struct ask_message *m, const struct ask_part *part,
			   struct buf *out, struct err *e)
{
	struct buf text;
	enum errc  rc = ERR_OK;

	buf_init(&text, part->data.n);
	if (!media_decode(part->data, &text))
		rc = ask_too_large(e);
	else if (!utf8_valid(text.data, text.len))
		rc = bad_part(m, part->index, "a file of text must be in UTF-8", e);
	else if (!buf_json_escape(out, buf_view(&text)))
		rc = ask_too_large(e);
	buf_finish(&text);
	return rc;
}

static enum errc read_content(const struct json_doc *d, json_at content, struct arena *a,
			      struct ask_message *m, struct err *e)
{
	size_t n = 0;

	if (content == JSON_ABSENT || json_kind(d, content) == JSON_NULL)
		return ERR_OK;
	/* One more has room for read_refusal. */
	m->parts = arena_alloc(
		a, (json_kind(d, content) == JSON_ARRAY ? d->tok[content].count + 1 : 2) *
			   sizeof *m->parts);
	if (!m->parts)
		return err_no_memory(e);
	if (json_kind(d, content) == JSON_STRING) {
		m->parts[0] = (struct ask_part){ .text = json_inner(d, content) };
		m->part_count = !ask_is_blank(m->parts[0].text);
		return ERR_OK;
	}
	if (json_kind(d, content) != JSON_ARRAY)
		return bad_part(m, 0, "must be a string or an array of parts", e);
	JSON_EACH (i, d, content) {
		struct ask_part *part = &m->parts[m->part_count];

		*part = (struct ask_part){ .index = n++ };
		enum errc rc = ask_read_part(d, i, m, a, part, e);
		if (rc != ERR_OK)
			return rc;
		/* Most providers refuse an empty text, and Anthropic's one without words. */
		m->part_count += part->kind != ASK_TEXT || !ask_is_blank(part->text);
	}
	return ERR_OK;
}

/* read_refusal: a refusal may stand beside the content. */
static enum errc read_refusal(const struct json_doc *d, struct arena *a, struct ask_message *m,
			      struct err *e)
{
	struct str text = json_get_inner(d, 0, "refusal");

	if (text.n == 0)
		return ERR_OK;
	if (!m->parts)
		m->parts = arena_alloc(a, sizeof *m->parts);
	if (!m->parts)
		return err_no_memory(e);
	m->parts[m->part_count] = (struct ask_part){ .index = m->part_count, .text = text };
	m->parts[m->part_count++].refusal = true;
	return ERR_OK;
}

/* --- calls and results --- */

/* ask_read_input: arguments are a string that should be a JSON object. Any other string is sent as
 * the member arguments of an object. */
static bool ask_read_input(struct str arguments, struct arena *a, struct str *ret)
{
	struct json_doc d = { 0 };
	struct err      e;
	struct buf      text;
	bool            ok = true;

	buf_init(&text, arguments.n + 32);
	*ret = STR("{}");
	if (arguments.n > 0) {
		ok = json_unescape(arguments, &text);
		if (ok &&
		    (json_scan(&d, text.data, text.len, &json_limits_upstream, &e) != ERR_OK ||
		     json_kind(&d, 0) != JSON_OBJECT)) {
			buf_clear(&text);
			ok = buf_text(&text, "{\"arguments\":\"") && buf_str(&text, arguments) &&
			     buf_text(&text, "\"}");
		}
		*ret = ok ? arena_str(a, buf_view(&text)) : STR_NONE;
	}
	json_doc_finish(&d);
	buf_finish(&text);
	return ret->p != NULL;
}

/* read_signature: the thought_signature, at the place where Google's own route for OpenAI's clients
 * has it. */
static struct str read_signature(const struct json_doc *d, json_at call)
{
	json_at extra = json_get(d, call, "extra_content");
	json_at google =
		json_is_kind(d, extra, JSON_OBJECT) ? json_get(d, extra, "google") : JSON_ABSENT;

	return part_member(d, google, "thought_signature");
}

static enum errc read_call(const struct json_doc *d, json_at i, struct arena *a,
			   struct ask_call *ret, struct err *e)
{
	json_at function =
		json_is_kind(d, i, JSON_OBJECT) ? json_get(d, i, "function") : JSON_ABSENT;
	struct str arguments = STR_NONE;

	*ret = (struct ask_call){ .id = part_member(d, i, "id") };
	if (json_is_kind(d, function, JSON_OBJECT)) {
		ret->name = json_get_inner(d, function, "name");
		arguments = json_get_inner(d, function, "arguments");
		ret->signature = read_signature(d, i);
		ret->extra = extra_of(d, i);
	}
	return ask_read_input(arguments, a, &ret->input) ? ERR_OK : err_no_memory(e);
}

/* read_older_call: the member function_call, which OpenAI had before tool_calls.  The call has no id, and its
 * result, a message of the role function, has its name: the name is the id. */
static enum errc read_older_call(const struct json_doc *d, struct arena *a, struct ask_message *m,
				 struct err *e)
{
	json_at function = json_get(d, 0, "function_call");

	if (!json_is_kind(d, function, JSON_OBJECT))
		return ERR_OK;
	m->calls = arena_alloc(a, sizeof *m->calls);
	if (!m->calls)
		return err_no_memory(e);
	m->calls[0] = (struct ask_call){ .name = json_get_inner(d, function, "name") };
	m->calls[0].id = m->calls[0].name;
	m->call_count = 1;
	return ask_read_input(json_get_inner(d, function, "arguments"), a, &m->calls[0].input)
		       ? ERR_OK
		       : err_no_memory(e);
}

static enum errc read_calls(const struct json_doc *d, json_at calls, struct arena *a,
			    struct ask_message *m, struct err *e)
{
	if (!json_is_kind(d, calls, JSON_ARRAY) || d->tok[calls].count == 0)
		return read_older_call(d, a, m, e);
	m->calls = arena_alloc(a, d->tok[calls].count * sizeof *m->calls);
	if (!m->calls)
		return err_no_memory(e);
	JSON_EACH (i, d, calls) {
		enum errc rc = read_call(d, i, a, &m->calls[m->call_count++], e);

		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

/* ask_name_of: the name of the newest call with this id among the last LIMIT_TOOLS messages.
 * Results follow their calls, and a long list of results must not be searched for each result. */
static struct str ask_name_of(const struct ask *a, struct str id)
{
	for (size_t i = a->count; i > 0 && a->count - i <= LIMIT_TOOLS; i--) {
		const struct ask_message *m = &a->messages[i - 1];

		for (size_t k = 0; k < m->call_count; k++)
			if (str_eq(m->calls[k].id, id))
				return m->calls[k].name;
	}
	return STR_NONE;
}

static enum ask_role ask_role_of(const struct json_doc *d)
{
	static const struct {
		const char   *name;
		enum ask_role role;
	} roles[] = {
		{ "user", ASK_USER }, { "assistant", ASK_ASSISTANT }, { "system", ASK_SYSTEM },
		{ "tool", ASK_TOOL }, { "developer", ASK_SYSTEM },    { "function", ASK_TOOL },
	};

	for (size_t i = 0; i < ARRAY_LEN(roles); i++)
		if (json_get_is(d, 0, "role", roles[i].name))
			return roles[i].role;
	return ASK_USER;
}

/* ask_read_images: reads the images that a model made. An image that can't be read is left out,
 * because the client did not make it. */
static enum errc ask_read_images(const struct json_doc *d, struct arena *a, struct ask_message *m,
				 struct err *e)
{
	json_at    list = picture_list(d, 0);
	struct err ignored;

	if (list == JSON_ABSENT)
		return ERR_OK;
	m->images = arena_alloc(a, d->tok[list].count * sizeof *m->images);
	if (!m->images)
		return err_no_memory(e);
	JSON_EACH (i, d, list) {
		struct ask_part *part = &m->images[m->image_count];

		*part = (struct ask_part){ 0 };
		if (!json_is_kind(d, i, JSON_OBJECT) ||
		    ask_read_part(d, i, m, a, part, &ignored) != ERR_OK || part->kind != ASK_IMAGE)
			continue;
		part->signature = read_signature(d, i);
		m->image_count++;
	}
	return ERR_OK;
}

/* forget_signed: leaves out what a provider has signed for itself. */
static void forget_signed(struct ask_message *m)
{
	for (size_t i = 0; i < m->call_count; i++)
		m->calls[i].signature = m->calls[i].extra = STR_NONE;
	for (size_t i = 0; i < m->image_count; i++)
		m->images[i].signature = STR_NONE;
}

static enum errc ask_read_message(struct json_doc *d, struct str raw, struct ask *a, struct err *e)
{
	CHECK(a->messages != NULL);
	struct ask_message *m = &a->messages[a->count];
	enum errc           rc = json_scan(d, raw.p, raw.n, &json_limits_upstream, e);

	if (rc != ERR_OK)
		return rc;
	*m = (struct ask_message){ .role = ask_role_of(d), .index = a->count };
	m->name = json_get_inner(d, 0, "name");
	rc = read_content(d, json_get(d, 0, "content"), &a->arena, m, e);
	if (rc == ERR_OK && m->role == ASK_ASSISTANT)
		rc = read_refusal(d, &a->arena, m, e);
	if (rc == ERR_OK && m->role == ASK_ASSISTANT)
		rc = read_calls(d, json_get(d, 0, "tool_calls"), &a->arena, m, e);
	if (m->role == ASK_ASSISTANT)
		m->reasoning = json_inner_of(d, reasoning_text_of(d, 0));
	if (rc == ERR_OK && m->role == ASK_ASSISTANT)
		rc = ask_read_images(d, &a->arena, m, e);
	if (a->prompt->bare)
		forget_signed(m);
	if (m->role == ASK_TOOL) {
		m->call_id = json_get_inner(
			d, 0, json_get_is(d, 0, "role", "function") ? "name" : "tool_call_id");
		m->cache = ask_cache(d, 0);
		m->call_name = ask_name_of(a, m->call_id);
		if (m->call_name.n == 0)
			m->call_name = m->name;
	}
	a->count++;
	return rc;
}

/* --- tools and formats --- */

static enum errc bad_member(const char *path, const char *what, struct err *e)
{
	return err_set(e, ERR_INVALID_VALUE, path, "%s", what);
}

static enum errc ask_read_tool(const struct json_doc *d, json_at i, struct ask_tool *ret,
			       struct err *e)
{
	json_at type = json_is_kind(d, i, JSON_OBJECT) ? json_get(d, i, "type") : JSON_ABSENT;
	json_at f = json_is_kind(d, i, JSON_OBJECT) ? json_get(d, i, "function") : JSON_ABSENT;

	if (!json_is_kind(d, f, JSON_OBJECT) ||
	    (type != JSON_ABSENT && !json_is(d, type, "function")))
		return bad_member("tools", "this provider takes tools of type function alone", e);

	json_at parameters = json_get_some(d, f, "parameters");
	json_at strict = json_get(d, f, "strict");
	*ret = (struct ask_tool){
		.name = json_get_inner(d, f, "name"),
		.description = json_get_inner(d, f, "description"),
		.parameters = parameters != JSON_ABSENT ? json_raw(d, parameters) : STR_NONE,
		.strict = json_is_kind(d, strict, JSON_TRUE),
		.cache = ask_cache(d, i),
	};
	return ret->name.n > 0 ? ERR_OK : bad_member("tools", "a tool has no name", e);
}

static enum errc read_tools(struct json_doc *d, struct ask *a, struct err *e)
{
	struct str raw = ask_param_value(a->prompt, "tools");
	enum errc  rc = ERR_OK;

	if (raw.n == 0)
		return ERR_OK;
	if (json_scan(d, raw.p, raw.n, &json_limits_upstream, e) != ERR_OK ||
	    json_kind(d, 0) != JSON_ARRAY)
		return bad_member("tools", "must be an array of tools", e);
	a->tools = arena_alloc(&a->arena, d->tok[0].count * sizeof *a->tools + 1);
	if (!a->tools)
		return err_no_memory(e);
	for (json_at i = json_first(d, 0); rc == ERR_OK && i != json_end(d, 0); i = json_next(d, i))
		rc = ask_read_tool(d, i, &a->tools[a->tool_count++], e);
	return rc;
}

static enum errc ask_read_choice(struct json_doc *d, struct ask *a, struct err *e)
{
	static const struct {
		const char     *name;
		enum ask_choice choice;
	} words[] = {
		{ "auto", ASK_CHOICE_AUTO },
		{ "none", ASK_CHOICE_NONE },
		{ "required", ASK_CHOICE_ANY },
	};
	struct str raw = ask_param_value(a->prompt, "tool_choice");

	a->one_call = str_is(ask_param_value(a->prompt, "parallel_tool_calls"), "false");
	if (raw.n == 0)
		return ERR_OK;
	if (json_scan(d, raw.p, raw.n, &json_limits_upstream, e) != ERR_OK)
		return e->code;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (json_is(d, 0, words[i].name)) {
			a->choice = words[i].choice;
			return ERR_OK;
		}
	json_at f = json_get(d, 0, "function");
	a->choice = ASK_CHOICE_ONE;
	a->choice_name = part_member(d, f, "name");
	return a->choice_name.n > 0
		       ? ERR_OK
		       : bad_member("tool_choice",
				    "must be none, auto, required or a function's name", e);
}

static enum errc ask_read_format(struct json_doc *d, struct ask *a, struct err *e)
{
	struct str raw = ask_param_value(a->prompt, "response_format");

	if (raw.n == 0)
		return ERR_OK;
	if (json_scan(d, raw.p, raw.n, &json_limits_upstream, e) != ERR_OK)
		return e->code;

	json_at schema = json_get(d, 0, "json_schema");
	json_at inside = json_is_kind(d, schema, JSON_OBJECT) ? json_get_some(d, schema, "schema")
							      : JSON_ABSENT;
	if (json_get_is(d, 0, "type", "text"))
		return ERR_OK;
	a->format = ASK_FORMAT_JSON;
	if (json_get_is(d, 0, "type", "json_object"))
		return ERR_OK;
	if (!json_get_is(d, 0, "type", "json_schema") || inside == JSON_ABSENT)
		return bad_member("response_format",
				  "must be of type text, json_object, or json_schema with a schema",
				  e);
	a->format = ASK_FORMAT_SCHEMA;
	a->schema = json_raw(d, inside);
	return ERR_OK;
}

/* ask_read: p may be changed, and ret points to it. */
static enum errc ask_read(struct prompt *p, struct ask *ret, struct err *e)
{
	struct json_doc d = { 0 };
	enum errc       rc = ERR_OK;

	*ret = (struct ask){ .prompt = p };
	arena_init(&ret->arena, LIMIT_UPSTREAM_ASK);
	ret->messages = arena_alloc(&ret->arena, p->message_count * sizeof *ret->messages + 1);
	if (!ret->messages)
		rc = err_no_memory(e);
	for (size_t i = 0; rc == ERR_OK && i < p->message_count; i++)
		rc = ask_read_message(&d, p->messages[i], ret, e);
	if (rc == ERR_OK)
		rc = allowed_apply(p, &ret->arena, e);
	if (rc == ERR_OK)
		rc = read_tools(&d, ret, e);
	if (rc == ERR_OK)
		rc = ask_read_choice(&d, ret, e);
	if (rc == ERR_OK)
		rc = ask_read_format(&d, ret, e);
	json_doc_finish(&d);
	return rc;
}

enum errc ask_print(const struct provider_options *o, const struct prompt *p, const char *dialect,
		    ask_put_fn put, struct buf *out, struct err *e)
{
	struct ask    a;
	struct prompt own = *p;
	struct str    n = ask_param_value(p, "n");
	enum errc     rc = ask_read(&own, &a, e);

	if (rc == ERR_OK && n.n > 0 && !str_is(n, "1"))
		rc = err_set(e, ERR_UNSUPPORTED_PARAMETER, "n",
			     "must be 1: a provider of dialect %s gives one choice", dialect);
	if (rc == ERR_OK)
		rc = put(o, &a, out, e);
	arena_finish(&a.arena);
	return rc;
}

/* --- what is sent back to the provider --- */

static bool put_listed(const struct json_doc *d, json_at list, const char *const *types,
		       bool *first, struct buf *out)
{
	JSON_EACH (i, d, list) {
		json_at type = json_get(d, i, "type");
		bool    known = false;

		for (size_t t = 0; types[t] && type != JSON_ABSENT; t++)
			known = known || json_is(d, type, types[t]);
		if (!known)
			continue;
		if (!ask_put_comma(first, out) || !buf_str(out, json_raw(d, i)))
			return false;
	}
	return true;
}

bool ask_put_extra(const struct ask_call *call, const char *vendor, const char *member,
		   const char *const *types, bool *first, struct buf *out)
{
	struct json_doc d = { 0 };
	struct err      e;
	bool            ok = true;

	if (call->extra.n == 0)
		return true;
	if (json_scan(&d, call->extra.p, call->extra.n, &json_limits_stored, &e) == ERR_OK) {
		json_at of = json_get(&d, 0, vendor);
		json_at list =
			json_is_kind(&d, of, JSON_OBJECT) ? json_get(&d, of, member) : JSON_ABSENT;

		if (json_is_kind(&d, list, JSON_ARRAY))
			ok = put_listed(&d, list, types, first, out);
	}
	json_doc_finish(&d);
	return ok;
}
