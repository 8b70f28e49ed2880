/* Checks the length of the log after each commit. */
#include "store/sqlite/threads.h"

#include "base/limits.h"
#include "store/sqlite/kit/db.h"

enum { FRAME_HEADER = 24 };

/* From this size on, the log should start over soon. */
#define LONG_WAL (4 * (int64_t)LIMIT_STORE_WAL)

static int wal_on_wal(void *arg, sqlite3 *db, const char *name, int frames)
{
	struct wal *w = arg;
	int64_t     bytes = frames * (w->page_bytes + FRAME_HEADER);

	(void)db;
	(void)name;
	if (bytes < w->bytes)
		w->mark = LIMIT_STORE_WAL; /* the log has started over */
	w->bytes = bytes;
	search_give_way(w->search, bytes > LONG_WAL);
	if (bytes > w->mark) {
		/* A reader may hold the log, so the next try follows when the log has grown. */
		w->mark = bytes + (bytes > LONG_WAL ? LIMIT_STORE_WAL / 8 : LIMIT_STORE_WAL);
		checkpoint_want(w->checkpoint);
	}
	return SQLITE_OK;
}

static int64_t wal_page_bytes(sqlite3 *db)
{
	sqlite3_stmt *st = NULL;
	int64_t       bytes = 0;

	if (sqlite3_prepare_v2(db, "PRAGMA page_size", -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW)
		bytes = db_int(st, 0);
	(void)sqlite3_finalize(st);
	return bytes;
}

void wal_watch(struct wal *w, sqlite3 *db, struct checkpoint *checkpoint, struct search *search)
{
	*w = (struct wal){
		.db = db,
		.checkpoint = checkpoint,
		.search = search,
		.page_bytes = wal_page_bytes(db),
		.mark = LIMIT_STORE_WAL,
	};
	(void)sqlite3_wal_hook(db, wal_on_wal, w);
}

void wal_unwatch(struct wal *w)
{
	if (w->db)
		(void)sqlite3_wal_hook(w->db, NULL, NULL);
	w->db = NULL;
}

void wal_copy_back(struct wal *w)
{
	if (checkpoint_due(w->checkpoint))
		(void)sqlite3_wal_checkpoint_v2(w->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}
