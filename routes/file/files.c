/* GET /v1/files, GET and DELETE /v1/files/{id}, as in OpenAI's API. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "http/reply.h"
#include "routes/file/file.h"
#include "routes/kit/lookup.h"
#include "store/file.h"
#include "store/job.h"

enum {
	FILES_MAX = 10000, /* largest and default limit, as in OpenAI's API */
	FILES_PAGE = 1000, /* largest page: printing it takes a millisecond on the loop */
};

static bool files_file_id(struct request *r, struct id *ret)
{
	if (file_id_parse(request_param(r, 0), false, ret))
		return true;
	reply_refuse(r, ERR_NOT_FOUND, "", "there is no such file");
	return false;
}

/* --- one file --- */

struct get {
	struct lookup     lookup;
	struct files_find find;
	struct id         id;
};

static bool files_print_file(struct lookup *l, struct buf *out)
{
	return file_print(out, container_of(l, struct get, lookup)->find.files);
}

static const struct lookup_kind get_kind = {
	LOOKUP(struct get, find),
	LOOKUP_ARENA(struct get, find.arena, 64 * KIB),
	.print = files_print_file,
};

void files_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       id;
	struct get     *x = files_file_id(r, &id) ? lookup_make(&get_kind, r, g) : NULL;

	if (!x)
		return;
	x->id = id;
	x->find.owner = request_owner(r);
	x->find.ids = &x->id;
	x->find.count = 1;
	lookup_start(&x->lookup, store_files_find(g->store, &x->find));
}

/* --- deleting --- */

struct removal {
	struct lookup      lookup;
	struct file_delete write;
	struct audit_entry entry;
};

static bool files_print_deleted(struct lookup *l, struct buf *out)
{
	char id[FILE_ID_MAX];

	return buf_text(out, "{\"id\":\"") &&
	       buf_str(out,
		       file_id_text(container_of(l, struct removal, lookup)->write.file, id)) &&
	       buf_text(out, "\",\"object\":\"file\",\"deleted\":true}");
}

static const struct lookup_kind removal_kind = {
	LOOKUP(struct removal, write),
	.print = files_print_deleted,
};

void files_delete(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       id;
	struct removal *x = files_file_id(r, &id) ? lookup_make(&removal_kind, r, g) : NULL;

	if (!x)
		return;
	x->write.owner = request_owner(r);
	x->write.file = id;
	lookup_audit(&x->lookup, AUDIT_FILE_DELETE, request_param(r, 0), &x->entry);
	lookup_start(&x->lookup, store_file_delete(g->store, &x->write));
}

/* --- a list of them --- */

struct list {
	struct lookup     lookup;
	struct files_read read;
	char              purpose[32];
};

static bool files_print_list(struct lookup *l, struct buf *out)
{
	const struct files_read *read = &container_of(l, struct list, lookup)->read;
	char                     first[FILE_ID_MAX] = "", last[FILE_ID_MAX] = "";

	if (read->file_count > 0) {
		file_id_text(read->files[0].id, first);
		file_id_text(read->files[read->file_count - 1].id, last);
	}
	if (!page_head(out, first, last, read->has_more) || !buf_text(out, ",\"data\":["))
		return false;
	for (size_t i = 0; i < read->file_count; i++)
		if ((i > 0 && !buf_text(out, ",")) || !file_print(out, &read->files[i]))
			return false;
	return buf_text(out, "]}");
}

static const struct lookup_kind list_kind = {
	LOOKUP(struct list, read),
	LOOKUP_ARENA(struct list, read.arena, 4 * MIB),
	.print = files_print_list,
};

static bool files_read_query(struct request *r, struct list *x)
{
	struct files_read *ret = &x->read;
	struct str         text;
	bool               descending = true;

	if (!page_limit(r, FILES_PAGE, FILES_MAX, &ret->limit) || !page_order(r, &descending))
		return false;
	/* The limit of the request may be above the largest page. */
	if (ret->limit > FILES_PAGE)
		ret->limit = FILES_PAGE;
	ret->ascending = !descending;
	if (request_query(r, "after", 0, &text) && !file_id_parse(text, false, &ret->after)) {
		reply_refuse(r, ERR_INVALID_VALUE, "after",
			     "must be the id of a file of this list");
		return false;
	}
	if (request_query(r, "purpose", 0, &text)) {
		if (!file_purpose_ok(text)) {
			reply_refuse(r, ERR_INVALID_VALUE, "purpose", FILE_PURPOSES);
			return false;
		}
		/* The request and its query may end before the read is done. */
		str_copy(x->purpose, sizeof x->purpose, text);
		ret->purpose = str_of(x->purpose);
	}
	return true;
}

void files_get_all(struct request *r, void *app)
{
	struct gateway *g = app;
	struct list    *x = lookup_make(&list_kind, r, g);

	if (!x)
		return;
	x->read.owner = request_owner(r);
	if (files_read_query(r, x))
		lookup_start(&x->lookup, store_files_read(g->store, &x->read));
	else
		lookup_refuse(&x->lookup, NULL);
}

/* --- file_print: Reads labels and media types of uploaded files, and prints their objects. */

/* --- what a client says of a file --- */

void file_label(struct str filename, char ret[FILE_LABEL_MAX])
{
	size_t n = 0;

	for (size_t i = filename.n; i > 0; i--)
		if (filename.p[i - 1] == '/' || filename.p[i - 1] == '\\') {
			filename = (struct str){ filename.p + i, filename.n - i };
			break;
		}
	for (size_t i = 0; i < filename.n && n < LIMIT_FILE_NAME; i++)
		if ((unsigned char)filename.p[i] >= 0x20 && filename.p[i] != 0x7f)
			ret[n++] = filename.p[i];
	/* The cut must not be inside a character. */
	if (n == LIMIT_FILE_NAME) {
		size_t start = n;

		while (start > 0 && ((unsigned char)ret[start - 1] & 0xc0) == 0x80)
			start--;
		if (start > 0 && (unsigned char)ret[start - 1] >= 0xc0) {
			unsigned char lead = (unsigned char)ret[start - 1];
			size_t        want = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;

			if (n - (start - 1) < want)
				n = start - 1;
		}
	}
	ret[n] = '\0';
	if (n == 0 || strcmp(ret, ".") == 0 || strcmp(ret, "..") == 0)
		memcpy(ret, "file", 5);
}

static bool file_print_token(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    (c == '\0' || !strchr("!#$&^_.+-", c)))
			return false;
	}
	return s.n > 0;
}

void file_type(struct str content_type, char ret[FILE_TYPE_MAX])
{
	const char *semicolon = content_type.n ? memchr(content_type.p, ';', content_type.n) : NULL;
	struct str  type = content_type;

	if (semicolon)
		type.n = (size_t)(semicolon - content_type.p);
	while (type.n > 0 && (type.p[type.n - 1] == ' ' || type.p[type.n - 1] == '\t'))
		type.n--;

	const char *slash = type.n ? memchr(type.p, '/', type.n) : NULL;
	size_t      n = slash ? (size_t)(slash - type.p) : 0;
	if (type.n >= FILE_TYPE_MAX || n == 0 || !file_print_token((struct str){ type.p, n }) ||
	    !file_print_token((struct str){ slash + 1, type.n - n - 1 }))
		type = STR("application/octet-stream");
	str_copy(ret, FILE_TYPE_MAX, type);
}

bool file_purpose_ok(struct str purpose)
{
	static const char *const known[] = { "assistants", "batch",     "fine-tune",
					     "vision",     "user_data", "evals" };

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (str_is(purpose, known[i]))
			return true;
	return false;
}

/* --- out --- */

bool file_print(struct buf *out, const struct store_file *f)
{
	char id[FILE_ID_MAX];

	return buf_text(out, "{\"id\":\"") && buf_str(out, file_id_text(f->id, id)) &&
	       buf_fmt(out,
		       "\",\"object\":\"file\",\"bytes\":%lld,\"created_at\":%lld,\"filename\":",
		       (long long)f->bytes, (long long)(f->created_ms / 1000)) &&
	       buf_json_string(out, f->name) && buf_text(out, ",\"purpose\":") &&
	       buf_json_string(out, f->purpose) &&
	       buf_text(out, ",\"status\":\"processed\",\"status_details\":null,\"expires_at\":") &&
	       (f->expires_ms > 0 ? buf_int(out, f->expires_ms / 1000) : buf_text(out, "null")) &&
	       buf_text(out, "}");
}

static bool file_print_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("-._ ", c));
}

bool file_disposition(struct buf *out, struct str name)
{
	bool ok = buf_text(out, "attachment; filename=\"");

	for (size_t i = 0; ok && i < name.n; i++)
		ok = buf_add(out, file_print_plain(name.p[i]) ? &name.p[i] : "_", 1);
	ok = ok && buf_text(out, "\"; filename*=UTF-8''");
	for (size_t i = 0; ok && i < name.n; i++)
		if (file_print_plain(name.p[i]) && name.p[i] != ' ')
			ok = buf_add(out, &name.p[i], 1);
		else
			ok = buf_fmt(out, "%%%02X", (unsigned)(unsigned char)name.p[i]);
	return ok;
}
