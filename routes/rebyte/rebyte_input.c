/* Makes messages of LLM Chat from messages of Rebyte's: a text becomes content, attachments become
 * parts of it or, where they name uploaded files, the message's context. */
#include "routes/rebyte/internal.h"

#include "base/id.h"
#include "base/limits.h"
#include "lmc/media.h"
#include "routes/kit/check.h"
#include "schema/schema.h"

#include <stdarg.h>
#include <stdio.h>

struct rebyte_input {
	const struct json_doc *d;
	struct arena          *arena;
	const char            *path; /* path of the message */
	struct err            *e;
	struct buf             made;
	size_t                 parts; /* in made, so far */
};

/* --- errors --- */

static PRINTF(4, 5) bool rebyte_refuse(const struct rebyte_input *x, enum errc code,
				       const char *text, const char *place, ...)
{
	char    rest[160];
	va_list ap;

	va_start(ap, place);
	vsnprintf(rest, sizeof rest, place, ap);
	va_end(ap);
	err_set(x->e, code, rest, "%s", text);
	if (x->path[0])
		err_at(x->e, x->path);
	return false;
}

static bool rebyte_full(const struct rebyte_input *x)
{
	err_set(x->e, ERR_OVERLOADED, "", "no memory for the messages");
	return false;
}

/* rebyte_string: a member of a part that must be a string. */
static bool rebyte_string(const struct rebyte_input *x, json_at object, size_t n, const char *place,
			  const char *key, json_at *ret)
{
	*ret = json_get_some(x->d, object, key);
	if (*ret == JSON_ABSENT)
		return rebyte_refuse(x, ERR_MISSING_PARAMETER, "is required", "parts[%zu].%s%s", n,
				     place, key);
	return json_kind(x->d, *ret) == JSON_STRING ||
	       rebyte_refuse(x, ERR_INVALID_TYPE, "must be a string", "parts[%zu].%s%s", n, place,
			     key);
}

/* --- parts --- */

enum rebyte_part {
	PART_TEXT,
	PART_IMAGE,
	PART_BLOB,
	PART_FILE,
	PART_LINK,
	PART_TABLE,
	PART__COUNT
};

static const char *const part_types[PART__COUNT] = {
	[PART_TEXT] = "text", [PART_IMAGE] = "image_url", [PART_BLOB] = "blob",
	[PART_FILE] = "file", [PART_LINK] = "link",       [PART_TABLE] = "table",
};

/* part_kind: PART__COUNT: none of them. */
static enum rebyte_part part_kind(const struct json_doc *d, json_at part)
{
	enum rebyte_part kind = PART_TEXT;

	if (json_kind(d, part) != JSON_OBJECT)
		return PART__COUNT;
	while (kind < PART__COUNT && !json_get_is(d, part, "type", part_types[kind]))
		kind++;
	return kind;
}

static bool rebyte_open(struct rebyte_input *x, const char *text)
{
	return (x->parts++ == 0 || buf_text(&x->made, ",")) && buf_text(&x->made, text);
}

static bool rebyte_put(struct rebyte_input *x, const char *text, json_at value)
{
	return buf_text(&x->made, text) && buf_str(&x->made, json_raw(x->d, value));
}

static bool rebyte_put_text(struct rebyte_input *x, json_at text)
{
	return (rebyte_open(x, "{\"type\":\"text\",\"text\":") && rebyte_put(x, "", text) &&
		buf_text(&x->made, "}")) ||
	       rebyte_full(x);
}

static bool put_image_url(struct rebyte_input *x, json_at image, size_t n)
{
	json_at url;
	json_at detail = json_get_some(x->d, image, "detail");

	if (!rebyte_string(x, image, n, "image_url.", "url", &url))
		return false;
	if (detail != JSON_ABSENT && !json_is(x->d, detail, "low") &&
	    !json_is(x->d, detail, "high"))
		return rebyte_refuse(x, ERR_INVALID_VALUE, "must be one of: low, high",
				     "parts[%zu].image_url.detail", n);
	return (rebyte_open(x, "{\"type\":\"image_url\",\"image_url\":{\"url\":") &&
		rebyte_put(x, "", url) &&
		(detail == JSON_ABSENT || rebyte_put(x, ",\"detail\":", detail)) &&
		buf_text(&x->made, "}}")) ||
	       rebyte_full(x);
}

static bool is_mime(struct str s)
{
	bool slash = false;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] <= ' ' || s.p[i] > '~' || strchr("\"\\;,", s.p[i]))
			return false;
		slash = slash || s.p[i] == '/';
	}
	return slash;
}

/* put_blob: url carries base64, in spite of its name. */
static bool put_blob(struct rebyte_input *x, json_at blob, size_t n)
{
	json_at type;
	json_at data;

	if (!rebyte_string(x, blob, n, "blob.", "mime_type", &type) ||
	    !rebyte_string(x, blob, n, "blob.", "url", &data))
		return false;
	struct str mime = json_inner(x->d, type);
	bool       image = str_starts(mime, STR("image/"));
	if (!is_mime(mime))
		return rebyte_refuse(x, ERR_INVALID_VALUE,
				     "must be a media type, such as image/png",
				     "parts[%zu].blob.mime_type", n);
	if (json_inner(x->d, data).n == 0 || !media_base64(json_inner(x->d, data)))
		return rebyte_refuse(x, ERR_INVALID_VALUE, "must be base64 without gaps",
				     "parts[%zu].blob.url", n);
	return (rebyte_open(x, image ? "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:"
				     : "{\"type\":\"file\",\"file\":{\"filename\":\"file\","
				       "\"file_data\":\"data:") &&
		buf_str(&x->made, mime) && buf_text(&x->made, ";base64,") &&
		buf_str(&x->made, json_inner(x->d, data)) && buf_text(&x->made, "\"}}")) ||
	       rebyte_full(x);
}

/* put_link: a text, because providers know no links. */
static bool put_link(struct rebyte_input *x, json_at link, size_t n)
{
	json_at    url;
	json_at    title = json_get_some(x->d, link, "title");
	struct str name = json_inner_of(x->d, title);

	if (!rebyte_string(x, link, n, "link.", "url", &url))
		return false;
	if (title != JSON_ABSENT && json_kind(x->d, title) != JSON_STRING)
		return rebyte_refuse(x, ERR_INVALID_TYPE, "must be a string",
				     "parts[%zu].link.title", n);
	return (rebyte_open(x, "{\"type\":\"text\",\"text\":\"") && buf_str(&x->made, name) &&
		buf_text(&x->made, name.n > 0 ? ": " : "") &&
		buf_str(&x->made, json_inner(x->d, url)) && buf_text(&x->made, "\"}")) ||
	       rebyte_full(x);
}

/* rebyte_put_row: strings with tabs between them, and the line's end. */
static bool rebyte_put_row(struct rebyte_input *x, json_at row, const char *place, ...)
	PRINTF(3, 4);
static bool rebyte_put_row(struct rebyte_input *x, json_at row, const char *place, ...)
{
	char    path[96];
	size_t  cell = 0;
	va_list ap;

	va_start(ap, place);
	vsnprintf(path, sizeof path, place, ap);
	va_end(ap);
	if (!json_is_kind(x->d, row, JSON_ARRAY))
		return rebyte_refuse(x, ERR_INVALID_TYPE, "must be an array of strings", "%s",
				     path);
	JSON_EACH (i, x->d, row) {
		if (json_kind(x->d, i) != JSON_STRING)
			return rebyte_refuse(x, ERR_INVALID_TYPE, "must be a string", "%s[%zu]",
					     path, cell);
		if ((cell++ > 0 && !buf_text(&x->made, "\\t")) ||
		    !buf_str(&x->made, json_inner(x->d, i)))
			return rebyte_full(x);
	}
	return buf_text(&x->made, "\\n") || rebyte_full(x);
}

/* put_table: a text with a line for the name, the columns and each row. */
static bool put_table(struct rebyte_input *x, json_at table, size_t n)
{
	json_at data = json_get_some(x->d, table, "data");
	size_t  row = 0;
	json_at name;

	if (!rebyte_string(x, table, n, "table.", "name", &name))
		return false;
	if (!json_is_kind(x->d, data, JSON_ARRAY))
		return rebyte_refuse(x, ERR_INVALID_TYPE, "must be an array of {value}",
				     "parts[%zu].table.data", n);
	if (!rebyte_open(x, "{\"type\":\"text\",\"text\":\"") ||
	    !buf_str(&x->made, json_inner(x->d, name)) || !buf_text(&x->made, "\\n"))
		return rebyte_full(x);
	if (!rebyte_put_row(x, json_get_some(x->d, table, "columns"), "parts[%zu].table.columns",
			    n))
		return false;
	JSON_EACH (i, x->d, data) {
		json_at value = json_is_kind(x->d, i, JSON_OBJECT) ? json_get_some(x->d, i, "value")
								   : JSON_ABSENT;

		if (!rebyte_put_row(x, value, "parts[%zu].table.data[%zu].value", n, row++))
			return false;
	}
	return buf_text(&x->made, "\"}") || rebyte_full(x);
}

static bool rebyte_put_part(struct rebyte_input *x, json_at part, size_t n)
{
	enum rebyte_part kind = part_kind(x->d, part);
	json_at          inner;

	if (kind == PART__COUNT)
		return rebyte_refuse(x, ERR_INVALID_VALUE,
				     "must be one of: text, image_url, blob, file, link, table",
				     "parts[%zu].type", n);
	if (kind == PART_TEXT)
		return rebyte_string(x, part, n, "", "text", &inner) && rebyte_put_text(x, inner);
	inner = json_get_some(x->d, part, part_types[kind]);
	if (!json_is_kind(x->d, inner, JSON_OBJECT))
		return rebyte_refuse(
			x, inner == JSON_ABSENT ? ERR_MISSING_PARAMETER : ERR_INVALID_TYPE,
			"must be an object", "parts[%zu].%s", n, part_types[kind]);
	switch (kind) {
	case PART_IMAGE: return put_image_url(x, inner, n);
	case PART_BLOB: return put_blob(x, inner, n);
	case PART_LINK: return put_link(x, inner, n);
	case PART_TABLE: return put_table(x, inner, n);
	case PART_FILE: /* rebyte_put_files has it */
	case PART_TEXT:
	case PART__COUNT: break;
	}
	return true;
}

/* rebyte_put_content: a string where the message has nothing but its text and files. */
static bool rebyte_put_content(struct rebyte_input *x, json_at content, json_at parts)
{
	bool   plain = true;
	size_t n = 0;

	if (json_kind(x->d, content) != JSON_STRING)
		return rebyte_refuse(x, ERR_INVALID_TYPE, "must be a string", "content");
	if (parts != JSON_ABSENT)
		JSON_EACH (i, x->d, parts)
			plain = plain && part_kind(x->d, i) == PART_FILE;
	if (!buf_text(&x->made, ",\"content\":"))
		return rebyte_full(x);
	if (plain && !rebyte_put(x, "", content))
		return rebyte_full(x);
	if (!plain && (!buf_text(&x->made, "[") ||
		       (json_inner(x->d, content).n > 0 && !rebyte_put_text(x, content))))
		return rebyte_full(x);
	if (parts != JSON_ABSENT)
		JSON_EACH (i, x->d, parts)
			if (!rebyte_put_part(x, i, n++))
				return false;
	return plain || buf_text(&x->made, "]") || rebyte_full(x);
}

/* --- files --- */

static bool rebyte_put_file(struct rebyte_input *x, json_at uuid, json_at name, size_t *count)
{
	return (buf_text(&x->made, (*count)++ == 0 ? "{\"uuid\":" : ",{\"uuid\":") &&
		rebyte_put(x, "", uuid) &&
		(name == JSON_ABSENT || rebyte_put(x, ",\"name\":", name)) &&
		buf_text(&x->made, "}")) ||
	       rebyte_full(x);
}

/* is_label: as for files of LLM Chat: a name must not close its tag. */
static bool is_label(const struct rebyte_input *x, json_at name)
{
	struct str text;

	if (json_kind(x->d, name) != JSON_STRING || !json_text(x->d, name, x->arena, &text))
		return false;
	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] < 0x20 || strchr("\"<>\x7f", text.p[i]))
			return false;
	return text.n > 0 && text.n <= LIMIT_FILE_NAME;
}

static bool rebyte_put_file_part(struct rebyte_input *x, json_at file, size_t n, size_t *count)
{
	struct id id;
	json_at   uuid;
	json_at   name = json_get_some(x->d, file, "name");

	if (!rebyte_string(x, file, n, "file.", "id", &uuid))
		return false;
	if (!file_id_parse(json_inner(x->d, uuid), true, &id))
		return rebyte_refuse(x, ERR_NOT_FOUND, "there is no such file",
				     "parts[%zu].file.id", n);
	if (name != JSON_ABSENT && !is_label(x, name))
		return rebyte_refuse(x, ERR_INVALID_VALUE,
				     "must be a name without control characters, quotes and angle "
				     "brackets",
				     "parts[%zu].file.name", n);
	return rebyte_put_file(x, uuid, name, count);
}

static bool rebyte_put_files(struct rebyte_input *x, const struct rebyte_message *m)
{
	struct id id;
	size_t    count = 0;
	size_t    n = 0;

	if (m->parts != JSON_ABSENT)
		JSON_EACH (i, x->d, m->parts) {
			if (part_kind(x->d, i) == PART_FILE &&
			    !rebyte_put_file_part(x, json_get_some(x->d, i, "file"), n, &count))
				return false;
			n++;
		}
	n = 0;
	if (m->file_ids != JSON_ABSENT)
		JSON_EACH (i, x->d, m->file_ids) {
			if (json_kind(x->d, i) != JSON_STRING)
				return rebyte_refuse(x, ERR_INVALID_TYPE, "must be a string",
						     "file_ids[%zu]", n);
			if (!file_id_parse(json_inner(x->d, i), true, &id))
				return rebyte_refuse(x, ERR_NOT_FOUND, "there is no such file",
						     "file_ids[%zu]", n);
			if (!rebyte_put_file(x, i, JSON_ABSENT, &count))
				return false;
			n++;
		}
	return count <= LIMIT_FILES ||
	       rebyte_refuse(x, ERR_INVALID_VALUE, "a message has at most 64 files", "parts");
}
_Static_assert(LIMIT_FILES == 64, "the message names it");

/* rebyte_put_context: what a provider is not sent as it is. */
static bool rebyte_put_context(struct rebyte_input *x, const struct rebyte_message *m)
{
	if (!buf_text(&x->made, ",\"context\":{\"files\":["))
		return rebyte_full(x);
	if (!rebyte_put_files(x, m))
		return false;
	return (buf_text(&x->made, "]") &&
		(m->metadata == JSON_ABSENT || rebyte_put(x, ",\"metadata\":", m->metadata)) &&
		buf_text(&x->made, "}")) ||
	       rebyte_full(x);
}

/* --- the message --- */

static bool has_files(const struct rebyte_input *x, const struct rebyte_message *m)
{
	if (m->file_ids != JSON_ABSENT && x->d->tok[m->file_ids].count > 0)
		return true;
	if (m->parts != JSON_ABSENT)
		JSON_EACH (i, x->d, m->parts)
			if (part_kind(x->d, i) == PART_FILE)
				return true;
	return false;
}

static bool rebyte_put_message(struct rebyte_input *x, const struct rebyte_message *m,
			       json_at object)
{
	if (m->name.p && !check_name(m->name))
		return rebyte_refuse(x, ERR_INVALID_VALUE,
				     "must be 1 to 64 of A-Z, a-z, 0-9, _ and -", "name");
	if (m->metadata != JSON_ABSENT && check_metadata(x->d, m->metadata, x->e) != ERR_OK) {
		if (x->path[0])
			err_at(x->e, x->path);
		return false;
	}
	if (!buf_fmt(&x->made, "{\"role\":\"%s\"", rebyte_roles[m->role]))
		return rebyte_full(x);
	if (!rebyte_put_content(x, m->content, m->parts))
		return false;
	if (m->name.p && !rebyte_put(x, ",\"name\":", json_get(x->d, object, "name")))
		return rebyte_full(x);
	if ((m->metadata != JSON_ABSENT || has_files(x, m)) && !rebyte_put_context(x, m))
		return false;
	return buf_text(&x->made, "}") || rebyte_full(x);
}

enum errc rebyte_input_read_one(struct input *in, json_at message, const char *path,
				struct str *ret, struct err *e)
{
	struct rebyte_message m = rebyte_message_init;
	struct rebyte_input   x = { .d = &in->doc, .arena = &in->arena, .path = path, .e = e };
	enum errc             rc;

	if (json_kind(&in->doc, message) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, path, "must be a message: {role, content}");
	rc = fields_read(&rebyte_message_fields, &in->doc, message, path, &in->arena, &m, e);
	if (rc != ERR_OK)
		return rc;
	/* The text around a part is at most some hundred bytes long. */
	buf_init(&x.made, in->body.len + (size_t)512 * (LIMIT_PARTS + LIMIT_FILES));
	*ret = STR_NONE;
	if (rebyte_put_message(&x, &m, message)) {
		*ret = arena_str(&in->arena, buf_view(&x.made));
		if (!ret->p)
			(void)rebyte_full(&x);
	}
	buf_finish(&x.made);
	return ret->p ? ERR_OK : e->code;
}

enum errc rebyte_input_read(struct input *in, json_at list, const char *path, struct str **ret,
			    size_t *ret_count, struct err *e)
{
	struct str *made = arena_alloc(&in->arena, (in->doc.tok[list].count + 1) * sizeof *made);
	size_t      n = 0;

	if (!made)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the messages");
	JSON_EACH (i, &in->doc, list) {
		char at[160];

		check_path(at, "%s[%zu]", path, n);
		enum errc rc = rebyte_input_read_one(in, i, at, &made[n], e);
		if (rc != ERR_OK)
			return rc;
		n++;
	}
	*ret = made;
	*ret_count = n;
	return ERR_OK;
}
