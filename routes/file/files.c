/* GET /v1/files, GET and DELETE /v1/files/{id}, as in OpenAI's API. */
#include "routes/file/files.h"

#include "base/limits.h"
#include "http/reply.h"
#include "routes/file/file_print.h"
#include "routes/kit/lookup.h"
#include "routes/kit/page.h"
#include "store/file.h"
#include "store/job.h"

#include <stdlib.h>

enum {
	FILES_MAX = 10000, /* what may be asked for, and the default, as in OpenAI's API */
	FILES_PAGE = 1000, /* what one page has at most: its printing keeps a loop for a millisecond */
};

static bool file_id(struct request *r, struct id *ret)
{
	if (file_id_parse(request_param(r, 0), false, ret))
		return true;
	reply_refuse(r, ERR_NOT_FOUND, "", "there is no such file");
	return false;
}

static void no_memory(struct request *r)
{
	reply_refuse(r, ERR_OVERLOADED, "", "no memory for the request");
}

/* --- one file --- */

struct get {
	struct lookup     lookup;
	struct files_find find;
	struct id         id;
};

static bool print_file(struct lookup *l, struct buf *out)
{
	return file_print(out, container_of(l, struct get, lookup)->find.files);
}

static void get_destroy(struct lookup *l)
{
	struct get *x = container_of(l, struct get, lookup);

	arena_finish(&x->find.arena);
	free(x);
}

static void get_done(struct store_job *job)
{
	lookup_done(&container_of(job, struct get, find.job)->lookup, &job->err);
}

void files_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       id;

	if (!file_id(r, &id))
		return;
	struct get *x = calloc(1, sizeof *x);
	if (!x) {
		no_memory(r);
		return;
	}
	x->lookup = (struct lookup){
		.job = &x->find.job, .print = print_file, .destroy = get_destroy
	};
	x->id = id;
	x->find = (struct files_find){
		.job = { .loop = g->loop, .done = get_done },
		.owner = request_owner(r),
		.ids = &x->id,
		.count = 1,
	};
	arena_init(&x->find.arena, 64 * KIB);
	lookup_start(&x->lookup, r, store_files_find(g->store, &x->find));
}

/* --- deleting --- */

struct removal {
	struct lookup      lookup;
	struct file_delete write;
};

static bool print_deleted(struct lookup *l, struct buf *out)
{
	char id[FILE_ID_MAX];

	return buf_text(out, "{\"id\":\"") &&
	       buf_str(out, file_id_text(container_of(l, struct removal, lookup)->write.file, id)) &&
	       buf_text(out, "\",\"object\":\"file\",\"deleted\":true}");
}

static void removal_destroy(struct lookup *l)
{
	free(container_of(l, struct removal, lookup));
}

static void removal_done(struct store_job *job)
{
	lookup_done(&container_of(job, struct removal, write.job)->lookup, &job->err);
}

void files_delete(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       id;

	if (!file_id(r, &id))
		return;
	struct removal *x = calloc(1, sizeof *x);
	if (!x) {
		no_memory(r);
		return;
	}
	x->lookup = (struct lookup){
		.job = &x->write.job, .print = print_deleted, .destroy = removal_destroy
	};
	x->write = (struct file_delete){
		.job = { .loop = g->loop, .done = removal_done },
		.owner = request_owner(r),
		.file = id,
	};
	lookup_start(&x->lookup, r, store_file_delete(g->store, &x->write));
}

/* --- a list of them --- */

struct list {
	struct lookup     lookup;
	struct files_read read;
	char              purpose[32];
};

static bool print_list(struct lookup *l, struct buf *out)
{
	const struct files_read *read = &container_of(l, struct list, lookup)->read;
	char first[FILE_ID_MAX] = "", last[FILE_ID_MAX] = "";

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

static void list_destroy(struct lookup *l)
{
	struct list *x = container_of(l, struct list, lookup);

	arena_finish(&x->read.arena);
	free(x);
}

static void list_done(struct store_job *job)
{
	lookup_done(&container_of(job, struct list, read.job)->lookup, &job->err);
}

static bool read_query(struct request *r, struct files_read *ret, struct str *ret_purpose)
{
	struct str text;
	bool       descending = true;

	if (!page_limit(r, FILES_PAGE, FILES_MAX, &ret->limit) || !page_order(r, &descending))
		return false;
	/* More may be asked for than one page has. */
	if (ret->limit > FILES_PAGE)
		ret->limit = FILES_PAGE;
	ret->ascending = !descending;
	if (request_query(r, "after", 0, &text) &&
	    !file_id_parse(text, false, &ret->after)) {
		reply_refuse(r, ERR_INVALID_VALUE, "after", "must be the id of a file of this list");
		return false;
	}
	*ret_purpose = STR_NONE;
	if (request_query(r, "purpose", 0, &text)) {
		if (!file_purpose_ok(text)) {
			reply_refuse(r, ERR_INVALID_VALUE, "purpose", FILE_PURPOSES);
			return false;
		}
		*ret_purpose = text;
	}
	return true;
}

void files_get_all(struct request *r, void *app)
{
	struct gateway   *g = app;
	struct files_read read = { .owner = request_owner(r) };
	struct str        purpose;

	if (!read_query(r, &read, &purpose))
		return;
	struct list *x = calloc(1, sizeof *x);
	if (!x) {
		no_memory(r);
		return;
	}
	x->lookup = (struct lookup){
		.job = &x->read.job, .print = print_list, .destroy = list_destroy
	};
	x->read = read;
	/* The request, and its query with it, may be gone before the read is done. */
	str_copy(x->purpose, sizeof x->purpose, purpose);
	x->read.purpose = str_of(x->purpose);
	x->read.job.loop = g->loop;
	x->read.job.done = list_done;
	arena_init(&x->read.arena, 4 * MIB);
	lookup_start(&x->lookup, r, store_files_read(g->store, &x->read));
}
