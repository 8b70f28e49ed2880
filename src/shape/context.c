/* Renders the files of a message's context into its content, for a provider. */
#include "shape/context.h"

#include "base/buf.h"
#include "json/scan.h"
#include "lmc/media.h"
#include "lmc/text.h"

#include <strings.h>

/* A message's content while it is written. Without media, the content is one string, or a text part
 * before the existing parts; `text` is then always true. With media, the content is an array, and
 * text parts begin and end as needed. */
struct render {
	const struct json_doc         *d;
	const struct context_contents *contents; /* NULL: uploaded files are not shown */
	enum context_files             files;
	struct buf                    *out;
	size_t                         upload; /* the place of the next uploaded file */
	bool                           media;
	bool                           text;  /* a text is open */
	bool                           parts; /* the array has a part */
	struct err                    *e;
	enum errc                      rc; /* error other than a lack of memory */
};

/* --- text that can't leave its block --- */

static const char *escape_of(char c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	default: return (unsigned char)c < 0x20 || c == 0x7f ? " " : NULL;
	}
}

static bool context_put_name(struct buf *out, struct str name)
{
	size_t from = 0;

	if (name.n == 0)
		return true;
	for (size_t i = 0; i < name.n; i++) {
		const char *escape = escape_of(name.p[i]);

		if (!escape)
			continue;
		if (!buf_json_escape(out, (struct str){ name.p + from, i - from }) ||
		    !buf_text(out, escape))
			return false;
		from = i + 1;
	}
	return buf_json_escape(out, (struct str){ name.p + from, name.n - from });
}

/* closing_from: the place of the next </file from i on; s.n: there is none. */
static size_t closing_from(struct str s, size_t i)
{
	static const char mark[] = "</file";
	const size_t      n = sizeof mark - 1;

	while (i < s.n) {
		const char *at = memchr(s.p + i, '<', s.n - i);

		if (!at)
			return s.n;
		i = (size_t)(at - s.p);
		if (s.n - i >= n && strncasecmp(at, mark, n) == 0)
			return i;
		i++;
	}
	return s.n;
}

static bool context_put_text(struct buf *out, struct str text)
{
	size_t from = 0;

	if (text.n == 0)
		return true;
	for (size_t i = closing_from(text, 0); i < text.n; i = closing_from(text, i + 1)) {
		if (!buf_json_escape(out, (struct str){ text.p + from, i - from }) ||
		    !buf_text(out, "&lt;"))
			return false;
		from = i + 1;
	}
	return buf_json_escape(out, (struct str){ text.p + from, text.n - from });
}

static bool is_harmless(struct str text, bool name)
{
	if (!name)
		return closing_from(text, 0) == text.n;
	for (size_t i = 0; i < text.n; i++)
		if (escape_of(text.p[i]))
			return false;
	return true;
}

/* put_string: prints a string of the message, unchanged if nothing in it does harm. */
static bool put_string(struct render *r, json_at i, bool name)
{
	struct str inner = json_inner(r->d, i);
	struct buf plain;
	bool       ok;

	buf_init(&plain, inner.n);
	ok = !(r->d->tok[i].flags & JSON_ESCAPED) || json_unescape(inner, &plain);
	struct str text = r->d->tok[i].flags & JSON_ESCAPED ? buf_view(&plain) : inner;
	if (ok && is_harmless(text, name))
		ok = buf_str(r->out, inner);
	else if (ok)
		ok = name ? context_put_name(r->out, text) : context_put_text(r->out, text);
	buf_finish(&plain);
	return ok;
}

/* --- parts --- */

static bool begin_part(struct render *r)
{
	bool more = r->parts;

	r->parts = true;
	return buf_text(r->out, more ? "," : "");
}

static bool begin_text(struct render *r)
{
	if (r->text)
		return true;
	r->text = true;
	return begin_part(r) && buf_text(r->out, "{\"type\":\"text\",\"text\":\"");
}

static bool end_text(struct render *r)
{
	if (!r->text)
		return true;
	r->text = false;
	return buf_text(r->out, "\"}");
}

/* --- files --- */

struct str context_place(struct str name, char ret[LIMIT_FILE_NAME + 1])
{
	struct str part = { name.p, name.n < LIMIT_FILE_NAME ? name.n : LIMIT_FILE_NAME };

	part.n = text_whole(part);
	if (part.n == 0 || str_is(part, ".") || str_is(part, ".."))
		part = STR("file");
	str_copy(ret, LIMIT_FILE_NAME + 1, part);
	for (size_t i = 0; i < part.n; i++)
		if (ret[i] == '/' || (unsigned char)ret[i] < 0x20 || ret[i] == 0x7f)
			ret[i] = '_';
	return (struct str){ ret, part.n };
}

/* put_path: closes the name, and says where the file is. */
static bool put_path(struct render *r, struct str name)
{
	char place[LIMIT_FILE_NAME + 1];

	if (r->files == CONTEXT_PROMPT)
		return buf_text(r->out, "\\\">\\n");
	return buf_text(r->out, "\\\" path=\\\"" CONTEXT_FOLDER) &&
	       context_put_name(r->out, context_place(name, place)) && buf_text(r->out, "\\\">\\n");
}

static bool put_inline_path(struct render *r, json_at name)
{
	struct buf plain;
	struct str text = STR(""); // a file without a name is placed as one whose name is empty

	if (name == JSON_ABSENT || r->files == CONTEXT_PROMPT)
		return put_path(r, text);
	buf_init(&plain, json_inner(r->d, name).n);
	bool ok = text_view(r->d, name, &plain, &text) && put_path(r, text);
	buf_finish(&plain);
	return ok;
}

static bool put_inline(struct render *r, json_at name, json_at content)
{
	return begin_text(r) && buf_text(r->out, "<file name=\\\"") &&
	       (name == JSON_ABSENT || put_string(r, name, true)) && put_inline_path(r, name) &&
	       (r->files == CONTEXT_WORKSPACE ||
		(put_string(r, content, false) && buf_text(r->out, "\\n"))) &&
	       buf_text(r->out, "</file>\\n\\n");
}

static bool put_missing(struct render *r, struct str name, const char *why)
{
	return begin_text(r) && buf_text(r->out, "<file name=\\\"") &&
	       context_put_name(r->out, name) && buf_text(r->out, "\\\" missing=\\\"") &&
	       buf_text(r->out, why) && buf_text(r->out, "\\\">\\n</file>\\n\\n");
}

static bool put_block(struct render *r, const struct context_shown *f, struct str content)
{
	return begin_text(r) && buf_text(r->out, "<file name=\\\"") &&
	       context_put_name(r->out, f->name) && put_path(r, f->name) &&
	       context_put_text(r->out, content) && buf_text(r->out, "\\n</file>\\n\\n");
}

/* put_stub: where a file is, without its content. */
static bool put_stub(struct render *r, const struct context_shown *f)
{
	return begin_text(r) && buf_text(r->out, "<file name=\\\"") &&
	       context_put_name(r->out, f->name) && put_path(r, f->name) &&
	       buf_text(r->out, "</file>\\n\\n");
}

static bool context_put_image(struct render *r, const struct context_shown *f, json_at file,
			      struct str content)
{
	json_at detail = json_get_some(r->d, file, "detail");

	return buf_text(r->out, "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/") &&
	       buf_text(r->out, f->is.format) && buf_text(r->out, ";base64,") &&
	       media_encode(content, r->out) && buf_text(r->out, "\"") &&
	       (detail == JSON_ABSENT ||
		(buf_text(r->out, ",\"detail\":") && buf_str(r->out, json_raw(r->d, detail)))) &&
	       buf_text(r->out, "}}");
}

static bool context_put_audio(struct render *r, const struct context_shown *f, struct str content)
{
	return buf_text(r->out, "{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"") &&
	       media_encode(content, r->out) && buf_text(r->out, "\",\"format\":\"") &&
	       buf_text(r->out, f->is.format) && buf_text(r->out, "\"}}");
}

static bool put_pdf(struct render *r, const struct context_shown *f, struct str content)
{
	return buf_text(r->out, "{\"type\":\"file\",\"file\":{\"filename\":") &&
	       buf_json_string(r->out, f->name) &&
	       buf_text(r->out, ",\"file_data\":\"data:application/pdf;base64,") &&
	       media_encode(content, r->out) && buf_text(r->out, "\"}}");
}

static bool put_upload(struct render *r, json_at file)
{
	size_t     n = r->upload++;
	struct str content = STR_NONE;

	if (!r->contents || n >= r->contents->count) {
		json_at name = json_get_some(r->d, file, "name");

		if (name == JSON_ABSENT || json_kind(r->d, name) != JSON_STRING)
			name = json_get(r->d, file, "uuid");
		return begin_text(r) && buf_text(r->out, "<file name=\\\"") &&
		       put_string(r, name, true) &&
		       buf_text(r->out, "\\\" missing=\\\"not shown\\\">\\n</file>\\n\\n");
	}
	const struct context_shown *f = &r->contents->list[n];
	if (f->missing)
		return put_missing(r, f->name, f->missing);
	if (r->files == CONTEXT_WORKSPACE)
		return put_stub(r, f);
	r->rc = r->contents->read(r->contents->arg, n, &content, r->e);
	if (r->rc != ERR_OK)
		return false;
	if (f->is.kind == ATTACHMENT_TEXT)
		return put_block(r, f, content);
	if (r->files == CONTEXT_BOTH && !put_stub(r, f))
		return false;
	if (!end_text(r) || !begin_part(r))
		return false;
	switch (f->is.kind) {
	case ATTACHMENT_IMAGE: return context_put_image(r, f, file, content);
	case ATTACHMENT_AUDIO: return context_put_audio(r, f, content);
	case ATTACHMENT_PDF: return put_pdf(r, f, content);
	case ATTACHMENT_TEXT:
	case ATTACHMENT__COUNT: break;
	}
	return false;
}

static bool context_is_string(const struct json_doc *d, json_at i)
{
	return i != JSON_ABSENT && json_kind(d, i) == JSON_STRING;
}

/* put_files: prints the files. Messages of OpenAI's routes may have other values there, which are
 * skipped. */
static bool put_files(struct render *r, json_at files)
{
	const struct json_doc *d = r->d;

	JSON_EACH (f, d, files) {
		json_at name = json_get_some(d, f, "name");
		json_at content = json_get_some(d, f, "content");
		bool    ok = true;

		if (context_is_string(d, json_get_some(d, f, "uuid")))
			ok = put_upload(r, f);
		else if (context_is_string(d, content))
			ok = put_inline(r, context_is_string(d, name) ? name : JSON_ABSENT,
					content);
		if (!ok)
			return false;
	}
	return true;
}

/* --- the message --- */

/* naming_of: the object with the uuid of a part that names an uploaded file; absent: the part names
 * none. */
static json_at naming_of(const struct json_doc *d, json_at part)
{
	static const char *const types[] = { "file", "image_url" };

	if (json_kind(d, part) != JSON_OBJECT)
		return JSON_ABSENT;
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		json_at at = json_get_is(d, part, "type", types[i]) ? json_get(d, part, types[i])
								    : JSON_ABSENT;

		if (json_is_kind(d, at, JSON_OBJECT) &&
		    context_is_string(d, json_get_some(d, at, "uuid")))
			return at;
	}
	return JSON_ABSENT;
}

static bool parts_name(const struct json_doc *d, json_at content)
{
	if (content == JSON_ABSENT || json_kind(d, content) != JSON_ARRAY)
		return false;
	JSON_EACH (i, d, content)
		if (naming_of(d, i) != JSON_ABSENT)
			return true;
	return false;
}

/* put_named: prints the parts, with files in the place of those that name them. */
static bool put_named(struct render *r, json_at content)
{
	JSON_EACH (i, r->d, content) {
		json_at file = naming_of(r->d, i);

		if (!(file != JSON_ABSENT ? put_upload(r, file) && end_text(r)
					  : begin_part(r) && buf_str(r->out, json_raw(r->d, i))))
			return false;
	}
	return buf_text(r->out, "]");
}

static bool context_put_rest(struct render *r, json_at content)
{
	struct str parts = json_raw(r->d, content);
	bool       more = r->d->tok[content].count > 0;

	if (r->contents && parts_name(r->d, content))
		return put_named(r, content);
	return buf_text(r->out, more && r->parts ? "," : "") &&
	       buf_add(r->out, parts.p + 1, parts.n - 1);
}

/* put_array: prints files and content as parts. */
static bool put_array(struct render *r, json_at content, json_at files)
{
	if (!buf_text(r->out, "[") || (files != JSON_ABSENT && !put_files(r, files)) ||
	    !end_text(r))
		return false;
	if (content != JSON_ABSENT && json_kind(r->d, content) == JSON_ARRAY)
		return context_put_rest(r, content);
	/* Some providers refuse an empty text. */
	if (context_is_string(r->d, content) && json_inner(r->d, content).n > 0 &&
	    !(begin_text(r) && buf_str(r->out, json_inner(r->d, content)) && end_text(r)))
		return false;
	return buf_text(r->out, "]");
}

/* context_put_content: prints the files before a string, or as text parts before parts. */
static bool context_put_content(struct render *r, json_at content, json_at files)
{
	bool none = files == JSON_ABSENT || r->d->tok[files].count == 0;

	if (none && !(r->contents && parts_name(r->d, content)))
		return content == JSON_ABSENT ? buf_text(r->out, "null")
					      : buf_str(r->out, json_raw(r->d, content));
	if (r->media || (content != JSON_ABSENT && !context_is_string(r->d, content)))
		return put_array(r, content, files);
	r->text = true;
	return buf_text(r->out, "\"") && put_files(r, files) &&
	       (content == JSON_ABSENT || buf_str(r->out, json_inner(r->d, content))) &&
	       buf_text(r->out, "\"");
}

static bool context_put_message(struct render *r, json_at files)
{
	const struct json_doc *d = r->d;
	bool                   first = true;

	JSON_EACH_MEMBER (k, d, 0) {
		if (json_is(d, k, "context") || json_is(d, k, "content"))
			continue;
		if (!buf_text(r->out, first ? "{" : ",") || !buf_str(r->out, json_raw(d, k)) ||
		    !buf_text(r->out, ":") || !buf_str(r->out, json_raw(d, json_value(k))))
			return false;
		first = false;
	}
	return buf_text(r->out, first ? "{\"content\":" : ",\"content\":") &&
	       context_put_content(r, json_get_some(d, 0, "content"), files) &&
	       buf_text(r->out, "}");
}

static json_at files_of(const struct json_doc *d)
{
	json_at context = json_get(d, 0, "context");
	json_at files = context != JSON_ABSENT ? json_get_some(d, context, "files") : JSON_ABSENT;

	return files != JSON_ABSENT && json_kind(d, files) == JSON_ARRAY ? files : JSON_ABSENT;
}

static bool has_media(const struct context_contents *c)
{
	if (c->files == CONTEXT_WORKSPACE)
		return false;
	for (size_t i = 0; i < c->count; i++)
		if (!c->list[i].missing && c->list[i].is.kind != ATTACHMENT_TEXT)
			return true;
	return false;
}

enum errc context_render(struct str message, enum context_files files, struct arena *arena,
			 struct str *ret, struct err *e)
{
	struct json_doc doc = { 0 };
	struct buf      out;
	struct render   r = { .d = &doc, .files = files, .out = &out, .e = e };
	bool            ok = true;

	/* The key may be written with escapes. */
	if (!mention_find(message, MENTION_CONTEXT | MENTION_ESCAPED)) {
		*ret = message;
		return ERR_OK;
	}

	enum errc rc = json_scan(&doc, message.p, message.n, &json_limits_stored, e);
	if (rc != ERR_OK) {
		json_doc_finish(&doc);
		return rc;
	}
	buf_init(&out, LIMIT_BODY_MAX);
	if (json_get(&doc, 0, "context") == JSON_ABSENT) { /* a null member is removed too */
		*ret = message;                            /* the word is not a key here */
	} else {
		struct str copy = STR_NONE;

		ok = context_put_message(&r, files_of(&doc));
		if (ok)
			copy = arena_str(arena, buf_view(&out));
		ok = ok && copy.p;
		if (ok)
			*ret = copy;
	}
	buf_finish(&out);
	json_doc_finish(&doc);
	return ok ? ERR_OK : err_no_memory(e);
}

enum errc context_fill(struct str message, const struct context_contents *contents, struct buf *out,
		       struct err *e)
{
	struct json_doc doc = { 0 };
	struct render   r = { .d = &doc,
			      .contents = contents,
			      .files = contents->files,
			      .out = out,
			      .media = has_media(contents),
			      .e = e };
	enum errc       rc = json_scan(&doc, message.p, message.n, &json_limits_stored, e);

	if (rc == ERR_OK && !context_put_message(&r, files_of(&doc)))
		rc = r.rc != ERR_OK ? r.rc : err_no_memory(e);
	json_doc_finish(&doc);
	return rc;
}

/* --- who is named --- */

/* list_named: the files of a list: context.files, or the content. */
static bool list_named(const struct json_doc *d, json_at files, bool parts, struct arena *arena,
		       struct context_named *list, size_t *ret_count)
{
	bool   user = json_get_is(d, 0, "role", "user");
	size_t place = 0;

	if (files == JSON_ABSENT)
		return true;
	for (json_at i = json_first(d, files); i != json_end(d, files);
	     i = json_next(d, i), place++) {
		json_at f = parts ? naming_of(d, i) : i;
		json_at uuid = f != JSON_ABSENT ? json_get_some(d, f, "uuid") : JSON_ABSENT;
		json_at name = f != JSON_ABSENT ? json_get_some(d, f, parts ? "filename" : "name")
						: JSON_ABSENT;
		struct context_named *at = &list[*ret_count];

		if (!context_is_string(d, uuid))
			continue;
		*at = (struct context_named){ .file = place, .part = parts, .user = user };
		if (!json_text(d, uuid, arena, &at->uuid) ||
		    (context_is_string(d, name) && !json_text(d, name, arena, &at->name)))
			return false;
		++*ret_count;
	}
	return true;
}

/* Each turn searches whole conversations, and clients often escape all characters outside ASCII. So
 * only escapes that can spell the key count. */
bool context_may_name(struct str message)
{
	return mention_find(message, MENTION_UUID | MENTION_ESCAPED_UUID);
}

enum errc context_uploads(struct str message, struct arena *arena, struct context_named **ret,
			  size_t *ret_count, struct err *e)
{
	struct json_doc doc = { 0 };
	enum errc       rc = ERR_OK;

	*ret_count = 0;
	if (!context_may_name(message))
		return ERR_OK;
	rc = json_scan(&doc, message.p, message.n, &json_limits_stored, e);
	json_at files = rc == ERR_OK ? files_of(&doc) : JSON_ABSENT;
	json_at content = rc == ERR_OK ? json_get(&doc, 0, "content") : JSON_ABSENT;
	if (!parts_name(&doc, content))
		content = JSON_ABSENT;
	if ((files != JSON_ABSENT || content != JSON_ABSENT) &&
	    json_get_some(&doc, 0, "type") == JSON_ABSENT) {
		size_t count = (files != JSON_ABSENT ? doc.tok[files].count : 0) +
			       (content != JSON_ABSENT ? doc.tok[content].count : 0);
		struct context_named *list = arena_alloc(arena, (count + 1) * sizeof *list);

		if (list && list_named(&doc, files, false, arena, list, ret_count) &&
		    list_named(&doc, content, true, arena, list, ret_count))
			*ret = list;
		else
			rc = err_no_memory(e);
	}
	json_doc_finish(&doc);
	return rc;
}

/* --- the walk --- */

static bool walk_inlined(const struct json_doc *d, json_at name, json_at content,
			 const struct context_walker *w)
{
	struct buf name_plain, plain;
	struct str name_text = STR_NONE;
	struct str text = STR_NONE;

	buf_init(&name_plain, name != JSON_ABSENT ? json_inner(d, name).n : 0);
	buf_init(&plain, json_inner(d, content).n);
	bool ok = (name == JSON_ABSENT || text_view(d, name, &name_plain, &name_text)) &&
		  text_view(d, content, &plain, &text) && w->inlined(w->arg, name_text, text);
	buf_finish(&name_plain);
	buf_finish(&plain);
	return ok;
}

/* walk_files: as put_files; *at counts uploads. */
static bool walk_files(const struct json_doc *d, json_at files, size_t *at,
		       const struct context_walker *w)
{
	JSON_EACH (f, d, files) {
		json_at name = json_get_some(d, f, "name");
		json_at content = json_get_some(d, f, "content");
		bool    ok = true;

		if (context_is_string(d, json_get_some(d, f, "uuid")))
			ok = w->uploaded(w->arg, (*at)++);
		else if (context_is_string(d, content))
			ok = walk_inlined(d, context_is_string(d, name) ? name : JSON_ABSENT,
					  content, w);
		if (!ok)
			return false;
	}
	return true;
}

static bool walk_parts(const struct json_doc *d, json_at content, size_t *at,
		       const struct context_walker *w)
{
	if (!parts_name(d, content))
		return true;
	JSON_EACH (i, d, content)
		if (naming_of(d, i) != JSON_ABSENT && !w->uploaded(w->arg, (*at)++))
			return false;
	return true;
}

enum errc context_walk(struct str message, const struct context_walker *w, struct err *e)
{
	struct json_doc doc = { 0 };
	size_t          at = 0;

	if (!mention_find(message, MENTION_CONTEXT | MENTION_UUID | MENTION_ESCAPED))
		return ERR_OK;
	enum errc rc = json_scan(&doc, message.p, message.n, &json_limits_stored, e);
	if (rc == ERR_OK && json_get_some(&doc, 0, "type") == JSON_ABSENT) {
		json_at files = files_of(&doc);

		if ((files != JSON_ABSENT && !walk_files(&doc, files, &at, w)) ||
		    !walk_parts(&doc, json_get(&doc, 0, "content"), &at, w))
			rc = err_no_memory(e);
	}
	json_doc_finish(&doc);
	return rc;
}
