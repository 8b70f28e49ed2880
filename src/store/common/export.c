/* Exports conversations, named ones or all. */
#include "store/common/export.h"

#include "base/limits.h"

/* export_one: *ret_begun: some of its lines were handed to `put`. */
static enum errc export_one(const struct export *w, struct id id, bool *ret_begun, struct err *e)
{
	struct store_export *x = w->x;
	struct archive_read  j = { .job.kind = &job_kinds[JOB_ARCHIVE_READ],
				   .any_owner = true,
				   .conversation = id,
				   .page_bytes = LIMIT_ARCHIVE_PAGE };
	enum errc            rc;

	*ret_begun = false;
	buf_init(&j.page, 2 * (size_t)LIMIT_STORE_ROW);
	do {
		buf_clear(&j.page);
		rc = w->read_page(w->arg, &j, e);
		if (rc == ERR_OK) {
			*ret_begun = true;
			rc = x->put(x->arg, buf_view(&j.page), x->count, e);
		}
	} while (rc == ERR_OK && j.has_more);
	archive_read_finish(&j);
	x->count += rc == ERR_OK;
	return rc;
}

static enum errc export_named(const struct export *w, size_t count, struct err *e)
{
	bool begun;

	for (size_t i = 0; i < count; i++)
		if (export_one(w, w->x->ids[i], &begun, e) != ERR_OK) {
			char text[ID_MAX];

			id_text(w->x->ids[i], ID_CONVERSATION, text);
			return e->code == ERR_NOT_FOUND
				       ? err_set(e, ERR_NOT_FOUND, "",
						 "there is no conversation %s", text)
				       : e->code;
		}
	return ERR_OK;
}

static enum errc export_all(const struct export *w, struct err *e)
{
	struct id id = { 0 };

	for (;;) {
		bool begun = false;

		if (w->find_next(w->arg, id.key, &id, e) != ERR_OK)
			return e->code;
		if (id_none(id))
			return ERR_OK;
		/* A conversation that was deleted before its export began is left out. */
		if (export_one(w, id, &begun, e) != ERR_OK && (begun || e->code != ERR_NOT_FOUND))
			return e->code == ERR_NOT_FOUND
				       ? err_set(e, ERR_NOT_FOUND, "",
						 "a conversation was deleted while it was exported; "
						 "export once more")
				       : e->code;
	}
}

enum errc export_run(const struct export *w, struct err *e)
{
	size_t count = w->x->count;

	w->x->count = 0;
	return w->x->ids ? export_named(w, count, e) : export_all(w, e);
}
