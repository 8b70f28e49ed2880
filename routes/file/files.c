/* GET /v1/files, GET and DELETE /v1/files/{id}, as in OpenAI's API. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "http/reply.h"
#include "routes/file/file.h"
#include "routes/kit/lookup.h"
#include "routes/kit/page.h"
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
