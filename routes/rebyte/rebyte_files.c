/* Uploaded files, which are those of /v1/files: their uuid is the id without "file-". */
#include "routes/kit/handlers.h"

#include "base/id.h"
#include "base/limits.h"
#include "http/reply.h"
#include "routes/file/file.h"
#include "routes/kit/lookup.h"
#include "store/file.h"

#include <time.h>

enum { FILES_PAGE = 1000 }; /* printing it takes a millisecond on the loop */

/* --- objects --- */

static const char *file_uuid(struct id id, char ret[FILE_ID_MAX])
{
	return file_id_text(id, ret).p + sizeof "file-" - 1;
}

static bool rebyte_file_time(int64_t ms, struct buf *out)
{
	time_t    second = (time_t)(ms / 1000);
	struct tm t;

	return gmtime_r(&second, &t) &&
	       buf_fmt(out, "\"%04d-%02d-%02dT%02d:%02d:%02d.%03dZ\"", t.tm_year + 1900,
		       t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec, (int)(ms % 1000));
}

static bool rebyte_file(const struct store_file *f, struct buf *out)
{
	char id[FILE_ID_MAX];

	return buf_fmt(out, "{\"uuid\":\"%s\",\"name\":", file_uuid(f->id, id)) &&
	       buf_json_string(out, f->name) && buf_text(out, ",\"mimeType\":") &&
	       buf_json_string(out, f->type) &&
	       buf_fmt(out, ",\"size\":%lld,\"projectId\":\"default\",\"createdAt\":",
		       (long long)f->bytes) &&
	       rebyte_file_time(f->created_ms, out) && buf_text(out, "}");
}

static bool rebyte_file_id(struct request *r, struct id *ret)
{
	if (file_id_parse(request_param(r, 0), true, ret))
		return true;
	reply_refuse(r, ERR_NOT_FOUND, "", "there is no such file");
	return false;
}

/* --- upload --- */

static bool rebyte_file_uploaded(struct buf *out, const struct store_file *f)
{
	char        id[FILE_ID_MAX];
	const char *uuid = file_uuid(f->id, id);

	return buf_fmt(out,
		       "{\"message\":\"upload file success\",\"fileId\":\"%s\","
		       "\"path\":\"default/%s\"}",
		       uuid, uuid);
}

static const struct file_form rebyte_form = {
	.path = "/api/sdk/files",
	.purpose = "user_data",
	.print = rebyte_file_uploaded,
};

void rebyte_files_post(struct request *r, void *app)
{
	file_upload_start(r, app, &rebyte_form);
}

/* --- one file --- */

struct rebyte_file_get {
	struct lookup     lookup;
	struct files_find find;
	struct id         id;
};

static bool rebyte_file_print(struct lookup *l, struct buf *out)
{
	return buf_text(out, "{\"file\":") &&
	       rebyte_file(container_of(l, struct rebyte_file_get, lookup)->find.files, out) &&
	       buf_text(out, "}");
}

static const struct lookup_kind rebyte_file_kind = {
	LOOKUP(struct rebyte_file_get, find),
	LOOKUP_ARENA(struct rebyte_file_get, find.arena, 64 * KIB),
	.print = rebyte_file_print,
};

void rebyte_files_get(struct request *r, void *app)
{
	struct gateway         *g = app;
	struct id               id;
	struct rebyte_file_get *x =
		rebyte_file_id(r, &id) ? lookup_make(&rebyte_file_kind, r, g) : NULL;

	if (!x)
		return;
	x->id = id;
	x->find.owner = request_owner(r);
	x->find.ids = &x->id;
	x->find.count = 1;
	lookup_start(&x->lookup, store_files_find(g->store, &x->find));
}

/* --- deleting --- */

struct rebyte_file_removal {
	struct lookup      lookup;
	struct file_delete write;
	struct audit_entry entry;
};

static bool rebyte_file_deleted(struct lookup *l, struct buf *out)
{
	char id[FILE_ID_MAX];

	return buf_fmt(
		out, "{\"message\":\"deleted\",\"fileId\":\"%s\"}",
		file_uuid(container_of(l, struct rebyte_file_removal, lookup)->write.file, id));
}

static const struct lookup_kind rebyte_file_removal_kind = {
	LOOKUP(struct rebyte_file_removal, write),
	.print = rebyte_file_deleted,
};

void rebyte_files_delete(struct request *r, void *app)
{
	struct gateway             *g = app;
	struct id                   id;
	struct rebyte_file_removal *x =
		rebyte_file_id(r, &id) ? lookup_make(&rebyte_file_removal_kind, r, g) : NULL;

	if (!x)
		return;
	x->write.owner = request_owner(r);
	x->write.file = id;
	lookup_audit(&x->lookup, AUDIT_FILE_DELETE, request_param(r, 0), &x->entry);
	lookup_start(&x->lookup, store_file_delete(g->store, &x->write));
}

/* --- all files --- */

struct rebyte_file_list {
	struct lookup     lookup;
	struct files_read read;
};

static bool rebyte_file_list_print(struct lookup *l, struct buf *out)
{
	const struct files_read *read = &container_of(l, struct rebyte_file_list, lookup)->read;
	bool                     ok = buf_text(out, "{\"files\":[");

	for (size_t i = 0; ok && i < read->file_count; i++)
		ok = (i == 0 || buf_text(out, ",")) && rebyte_file(&read->files[i], out);
	return ok && buf_text(out, "]}");
}

static const struct lookup_kind rebyte_file_list_kind = {
	LOOKUP(struct rebyte_file_list, read),
	LOOKUP_ARENA(struct rebyte_file_list, read.arena, 4 * MIB),
	.print = rebyte_file_list_print,
};

void rebyte_files_list(struct request *r, void *app)
{
	struct gateway          *g = app;
	struct rebyte_file_list *x = lookup_make(&rebyte_file_list_kind, r, g);
	struct str               text;
	bool                     descending = true;

	if (!x)
		return;
	x->read.owner = request_owner(r);
	if (!page_limit(r, FILES_PAGE, FILES_PAGE, &x->read.limit) || !page_order(r, &descending)) {
		lookup_refuse(&x->lookup, NULL);
		return;
	}
	x->read.ascending = !descending;
	if (request_query(r, "after", 0, &text) && !file_id_parse(text, true, &x->read.after)) {
		reply_refuse(r, ERR_INVALID_VALUE, "after", "must be an id of this list");
		lookup_refuse(&x->lookup, NULL);
		return;
	}
	lookup_start(&x->lookup, store_files_read(g->store, &x->read));
}
