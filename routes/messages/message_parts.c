/* Text, images, documents and search results. */
#include "routes/messages/internal.h"

#include "base/id.h"
#include "base/limits.h"
#include "lmc/media.h"
#include "provider/provider.h"
#include "routes/kit/check.h"

#include <stdio.h>
#include <string.h>

/* --- kinds --- */

enum message_block message_parts_kind(const struct json_doc *d, json_at block)
{
	static const struct {
		const char        *type;
		enum message_block kind;
	} types[] = {
		{ "text", BLOCK_TEXT },
		{ "image", BLOCK_IMAGE },
		{ "document", BLOCK_DOCUMENT },
		{ "search_result", BLOCK_SEARCH_RESULT },
		{ "tool_use", BLOCK_TOOL_USE },
		{ "tool_result", BLOCK_TOOL_RESULT },
		{ "thinking", BLOCK_THINKING },
		{ "redacted_thinking", BLOCK_THINKING },
		{ "server_tool_use", BLOCK_FOREIGN },
		{ "mcp_tool_use", BLOCK_FOREIGN },
		{ "container_upload", BLOCK_FOREIGN },
		{ "compaction", BLOCK_FOREIGN },
		{ "tool_reference", BLOCK_FOREIGN },
	};
	static const struct str results = { "_tool_result", 12 };
	struct str              type = json_get_inner(d, block, "type");

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (json_get_is(d, block, "type", types[i].type))
			return types[i].kind;
	if (type.n > results.n && memcmp(type.p + type.n - results.n, results.p, results.n) == 0)
		return BLOCK_FOREIGN;
	return BLOCK_UNKNOWN;
}

/* document_texts: what a document of text has: a string, or blocks; JSON_ABSENT: it is none. */
static json_at document_texts(const struct json_doc *d, json_at block)
{
	json_at source = json_get(d, block, "source");

	if (source == JSON_ABSENT)
		return JSON_ABSENT;
	if (json_get_is(d, source, "type", "text"))
		return json_get(d, source, "data");
	return json_get_is(d, source, "type", "content") ? json_get(d, source, "content")
							 : JSON_ABSENT;
}

static bool all_text(const struct json_doc *d, json_at content)
{
	if (!json_is_kind(d, content, JSON_ARRAY))
		return true;
	JSON_EACH (i, d, content)
		if (message_parts_kind(d, i) == BLOCK_IMAGE)
			return false;
	return true;
}

bool message_parts_is_text(const struct json_doc *d, json_at block)
{
	json_at texts;

	switch (message_parts_kind(d, block)) {
	case BLOCK_TEXT:
	case BLOCK_SEARCH_RESULT: return true;
	case BLOCK_DOCUMENT:
		texts = document_texts(d, block);
		return texts != JSON_ABSENT && all_text(d, texts);
	case BLOCK_IMAGE:
	case BLOCK_TOOL_USE:
	case BLOCK_TOOL_RESULT:
	case BLOCK_THINKING:
	case BLOCK_FOREIGN:
	case BLOCK_UNKNOWN: break;
	}
	return false;
}

/* --- texts --- */

/* open_text, close_text: what stands around the text of a part. */
static bool open_text(struct message_reading *x, struct message_sink *s)
{
	bool first = s->count++ == 0;

	if (s->array)
		return buf_text(&x->out, first ? "{\"type\":\"text\",\"text\":\""
					       : ",{\"type\":\"text\",\"text\":\"");
	return first || buf_text(&x->out, s->gap);
}

static bool close_text(struct message_reading *x, const struct message_sink *s)
{
	return !s->array || buf_text(&x->out, "\"}");
}

bool message_parts_text(struct message_reading *x, struct message_sink *s, struct str escaped)
{
	return open_text(x, s) && buf_str(&x->out, escaped) && close_text(x, s);
}

static enum errc parts_done(bool ok, struct err *e)
{
	return ok ? ERR_OK : err_set(e, ERR_OVERLOADED, "", "no memory for the messages");
}

/* need_text: the string of a member. */
static enum errc need_text(const struct json_doc *d, json_at object, const char *key,
			   const char *path, struct str *ret, struct err *e)
{
	char    at[160];
	json_at i = json_get_some(d, object, key);

	*ret = json_inner_of(d, i);
	if (json_is_kind(d, i, JSON_STRING))
		return ERR_OK;
	check_path(at, "%s.%s", path, key);
	return err_set(e, i == JSON_ABSENT ? ERR_MISSING_PARAMETER : ERR_INVALID_TYPE, at,
		       "must be a string");
}

/* put_titled: one text of a title, a source and texts, each on a line of its own if it is there. */
static enum errc put_titled(struct message_reading *x, struct message_sink *s, json_at block,
			    struct str source, json_at texts, struct err *e)
{
	const struct json_doc *d = x->doc;
	const struct str       heads[] = { json_get_inner(d, block, "title"), source };
	struct str             text = json_inner_of(d, texts);
	bool                   any = false;
	bool                   ok = open_text(x, s);

	for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
		if (heads[i].n > 0)
			ok = ok && (!any || buf_text(&x->out, "\\n")) && buf_str(&x->out, heads[i]);
		any = any || heads[i].n > 0;
	}
	if (text.n > 0)
		ok = ok && (!any || buf_text(&x->out, "\\n")) && buf_str(&x->out, text);
	if (json_is_kind(d, texts, JSON_ARRAY))
		for (json_at i = json_first(d, texts); ok && i != json_end(d, texts);
		     i = json_next(d, i)) {
			struct str piece = json_get_inner(d, i, "text");

			ok = (!any || buf_text(&x->out, "\\n")) && buf_str(&x->out, piece);
			any = true;
		}
	return parts_done(ok && close_text(x, s), e);
}

/* --- media --- */

static bool is_media_type(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] <= ' ' || s.p[i] > '~' || s.p[i] == '"' || s.p[i] == ';' ||
		    s.p[i] == ',')
			return false;
	return s.n > 0;
}

static enum errc need_base64(const struct json_doc *d, json_at source, const char *path,
			     struct str *ret_type, struct str *ret_data, struct err *e)
{
	char      at[160];
	enum errc rc = need_text(d, source, "media_type", path, ret_type, e);

	if (rc == ERR_OK && !is_media_type(*ret_type)) {
		check_path(at, "%s.media_type", path);
		rc = err_set(e, ERR_INVALID_VALUE, at, "must be a media type, such as image/png");
	}
	if (rc == ERR_OK)
		rc = need_text(d, source, "data", path, ret_data, e);
	if (rc == ERR_OK && !media_base64(*ret_data)) {
		check_path(at, "%s.data", path);
		rc = err_set(e, ERR_INVALID_VALUE, at, "must be base64 without gaps");
	}
	return rc;
}

static bool put_data(struct message_reading *x, struct str type, struct str data)
{
	return buf_text(&x->out, "\"data:") && buf_str(&x->out, type) &&
	       buf_text(&x->out, ";base64,") && buf_str(&x->out, data) && buf_text(&x->out, "\"");
}

/* note_upload: keeps where a file is named.  path: the source's. */
static enum errc note_upload(struct message_reading *x, const struct message_sink *s,
			     json_at source, bool image, const char *path, struct err *e)
{
	struct prompt_upload u = { .source = source,
				   .message = x->message,
				   .part = (uint32_t)s->count - 1,
				   .image = image };
	int                  n = 0;

	if (x->upload_count == LIMIT_ATTACHED_COUNT)
		return err_set(e, ERR_INVALID_VALUE, path,
			       "the messages name more than %d uploaded files",
			       LIMIT_ATTACHED_COUNT);
	if (!x->uploads)
		x->uploads = arena_alloc(x->arena, LIMIT_ATTACHED_COUNT * sizeof *x->uploads);
	if (!x->uploads)
		return parts_done(false, e);
	if (sscanf(path, "messages.%u.content.%u%n", &u.item, &u.at, &n) == 2)
		u.within = strcmp(path + n, ".source") != 0;
	x->uploads[x->upload_count++] = u;
	return ERR_OK;
}

/* put_uploaded: names the file; the run puts its content there (shape/context). */
static enum errc put_uploaded(struct message_reading *x, const struct message_sink *s,
			      json_at source, struct str title, bool image, const char *path,
			      struct err *e)
{
	char       at[160];
	struct str name;
	struct id  id;
	enum errc  rc = need_text(x->doc, source, "file_id", path, &name, e);

	if (rc == ERR_OK && !file_id_parse(name, false, &id)) {
		check_path(at, "%s.file_id", path);
		rc = err_set(e, ERR_INVALID_VALUE, at,
			     "there is no such file; this model knows files that were uploaded to "
			     "this gateway");
	}
	if (rc == ERR_OK)
		rc = note_upload(x, s, source, image, path, e);
	if (rc != ERR_OK)
		return rc;
	return parts_done(
		buf_text(&x->out, image ? "{\"type\":\"image_url\",\"image_url\":{\"uuid\":\""
					: "{\"type\":\"file\",\"file\":{\"uuid\":\"") &&
			buf_str(&x->out, name) &&
			(title.n == 0 ||
			 (buf_text(&x->out, "\",\"filename\":\"") && buf_str(&x->out, title))) &&
			buf_text(&x->out, "\"}}"),
		e);
}

static enum errc refuse_source(const char *path, const char *what, struct err *e)
{
	return err_set(e, ERR_UNSUPPORTED_PARAMETER, path, "%s", what);
}

static enum errc put_image(struct message_reading *x, const struct message_sink *s, json_at source,
			   const char *path, struct err *e)
{
	const struct json_doc *d = x->doc;
	struct str             type;
	struct str             data;
	enum errc              rc;

	if (json_get_is(d, source, "type", "base64")) {
		rc = need_base64(d, source, path, &type, &data, e);
		if (rc != ERR_OK)
			return rc;
		return parts_done(
			buf_text(&x->out, "{\"type\":\"image_url\",\"image_url\":{\"url\":") &&
				put_data(x, type, data) && buf_text(&x->out, "}}"),
			e);
	}
	if (json_get_is(d, source, "type", "file"))
		return put_uploaded(x, s, source, STR_NONE, true, path, e);
	if (!json_get_is(d, source, "type", "url"))
		return refuse_source(path, "an image must be of type base64, url or file", e);
	rc = need_text(d, source, "url", path, &data, e);
	if (rc != ERR_OK)
		return rc;
	return parts_done(buf_text(&x->out, "{\"type\":\"image_url\",\"image_url\":{\"url\":\"") &&
				  buf_str(&x->out, data) && buf_text(&x->out, "\"}}"),
			  e);
}

static enum errc put_address(struct message_reading *x, json_at source, struct str title,
			     const char *path, struct err *e)
{
	struct str url;
	enum errc  rc = need_text(x->doc, source, "url", path, &url, e);

	if (rc != ERR_OK)
		return rc;
	return parts_done(buf_text(&x->out, "{\"type\":\"file\",\"file\":{\"file_url\":\"") &&
				  buf_str(&x->out, url) &&
				  (title.n == 0 || (buf_text(&x->out, "\",\"filename\":\"") &&
						    buf_str(&x->out, title))) &&
				  buf_text(&x->out, "\"}}"),
			  e);
}

static enum errc parts_put_document(struct message_reading *x, const struct message_sink *s,
				    json_at source, struct str title, const char *path,
				    struct err *e)
{
	struct str type;
	struct str data;

	if (json_get_is(x->doc, source, "type", "file"))
		return put_uploaded(x, s, source, title, false, path, e);
	if (json_get_is(x->doc, source, "type", "url") && (x->takes & PROVIDER_FILE_URL))
		return put_address(x, source, title, path, e);
	if (!json_get_is(x->doc, source, "type", "base64"))
		return refuse_source(path,
				     "a document must be of type base64, text, content or file for "
				     "this model",
				     e);
	enum errc rc = need_base64(x->doc, source, path, &type, &data, e);
	if (rc != ERR_OK)
		return rc;
	return parts_done(buf_text(&x->out, "{\"type\":\"file\",\"file\":{\"filename\":\"") &&
				  buf_str(&x->out, title.n > 0 ? title : STR("document.pdf")) &&
				  buf_text(&x->out, "\",\"file_data\":") &&
				  put_data(x, type, data) && buf_text(&x->out, "}}"),
			  e);
}

/* put_pages: the blocks of a document that has images. */
static enum errc put_pages(struct message_reading *x, struct message_sink *s, json_at blocks,
			   const char *path, struct err *e)
{
	enum errc rc = ERR_OK;
	size_t    n = 0;

	for (json_at i = json_first(x->doc, blocks); rc == ERR_OK && i != json_end(x->doc, blocks);
	     i = json_next(x->doc, i), n++) {
		char               at[160];
		enum message_block kind = message_parts_kind(x->doc, i);

		check_path(at, "%s.content.%zu", path, n);
		if (kind != BLOCK_TEXT && kind != BLOCK_IMAGE)
			return err_set(e, ERR_INVALID_VALUE, at, "must be a text or an image");
		rc = message_parts_put(x, s, i, at, e);
	}
	return rc;
}

static enum errc put_medium(struct message_reading *x, struct message_sink *s, json_at block,
			    const char *path, struct err *e)
{
	json_at source = json_get(x->doc, block, "source");
	char    at[160];

	check_path(at, "%s.source", path);
	if (!json_is_kind(x->doc, source, JSON_OBJECT))
		return err_set(e, ERR_MISSING_PARAMETER, at, "must be an object");

	struct str title = json_get_inner(x->doc, block, "title");
	json_at    texts = document_texts(x->doc, block);
	if (texts != JSON_ABSENT && message_parts_kind(x->doc, block) == BLOCK_DOCUMENT)
		return all_text(x->doc, texts) ? put_titled(x, s, block, STR_NONE, texts, e)
					       : put_pages(x, s, texts, at, e);
	if (s->count++ > 0 && !buf_text(&x->out, ","))
		return parts_done(false, e);
	return message_parts_kind(x->doc, block) == BLOCK_IMAGE
		       ? put_image(x, s, source, at, e)
		       : parts_put_document(x, s, source, title, at, e);
}

/* --- marks of the cache --- */

static json_at parts_mark_of(const struct message_reading *x, json_at block)
{
	json_at mark = JSON_ABSENT;

	if ((x->takes & PROVIDER_CACHE) && json_is_kind(x->doc, block, JSON_OBJECT))
		mark = json_get(x->doc, block, "cache_control");
	return json_is_kind(x->doc, mark, JSON_OBJECT) ? mark : JSON_ABSENT;
}

bool message_parts_is_marked(const struct message_reading *x, json_at block)
{
	return parts_mark_of(x, block) != JSON_ABSENT;
}

bool message_parts_marked(const struct message_reading *x, json_at blocks)
{
	if (json_is_kind(x->doc, blocks, JSON_ARRAY))
		JSON_EACH (i, x->doc, blocks)
			if (parts_mark_of(x, i) != JSON_ABSENT)
				return true;
	return false;
}

bool message_parts_mark(struct message_reading *x, json_at block)
{
	json_at mark = parts_mark_of(x, block);

	return mark == JSON_ABSENT || (buf_text(&x->out, ",\"cache_control\":") &&
				       buf_str(&x->out, json_raw(x->doc, mark)));
}

static enum errc parts_put_block(struct message_reading *x, struct message_sink *s, json_at block,
				 const char *path, struct err *e)
{
	struct str text;
	enum errc  rc;

	switch (message_parts_kind(x->doc, block)) {
	case BLOCK_TEXT:
		rc = need_text(x->doc, block, "text", path, &text, e);
		if (rc != ERR_OK)
			return rc;
		return parts_done(open_text(x, s) && buf_str(&x->out, text) && close_text(x, s), e);
	case BLOCK_SEARCH_RESULT:
		return put_titled(x, s, block, json_get_inner(x->doc, block, "source"),
				  json_get(x->doc, block, "content"), e);
	case BLOCK_IMAGE:
	case BLOCK_DOCUMENT: return put_medium(x, s, block, path, e);
	case BLOCK_TOOL_USE:
	case BLOCK_TOOL_RESULT:
	case BLOCK_THINKING:
	case BLOCK_FOREIGN:
	case BLOCK_UNKNOWN: break;
	}
	return err_set(e, ERR_INVALID_VALUE, path, "a block of this type is not allowed here");
}

enum errc message_parts_put(struct message_reading *x, struct message_sink *s, json_at block,
			    const char *path, struct err *e)
{
	size_t    start = x->out.len;
	enum errc rc = parts_put_block(x, s, block, path, e);

	if (rc != ERR_OK || !s->array || x->out.len == start ||
	    parts_mark_of(x, block) == JSON_ABSENT)
		return rc;
	x->out.len--; /* the brace of the last part */
	return parts_done(message_parts_mark(x, block) && buf_text(&x->out, "}"), e);
}

/* --- message_native: Headers that go to a provider, and files that can't. */

static enum errc check_value(struct str value, const char *name, struct err *e)
{
	bool ok = value.n <= LIMIT_PASSED_HEADER;

	for (size_t i = 0; i < value.n; i++)
		ok = ok && value.p[i] >= ' ' && value.p[i] <= '~';
	return ok ? ERR_OK
		  : err_set(e, ERR_INVALID_VALUE, name,
			    "the header must be at most %d bytes of ASCII", LIMIT_PASSED_HEADER);
}

enum errc message_native_check(const struct prompt_native *n, struct err *e)
{
	enum errc rc = check_value(n->version, "anthropic-version", e);

	return rc == ERR_OK ? check_value(n->beta, "anthropic-beta", e) : rc;
}

bool message_native_uploads(const struct json_doc *d)
{
	struct id id;

	for (json_at i = 0; i < d->count; i++)
		if (json_kind(d, i) == JSON_OBJECT && json_get_is(d, i, "type", "file") &&
		    file_id_parse(json_get_inner(d, i, "file_id"), false, &id))
			return true;
	return false;
}
