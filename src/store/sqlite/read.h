/* read: the statements that read, each job in one read transaction, on one thread's connection. */
#pragma once

#include "store/sqlite/api_key_rows.h"
#include "store/sqlite/archive_page.h"
#include "store/sqlite/claim.h"
#include "store/sqlite/completion_chain.h"
#include "store/sqlite/completion_list.h"
#include "store/sqlite/kit/db.h"
#include "store/sqlite/file_rows.h"
#include "store/sqlite/listing.h"
#include "store/sqlite/runs.h"
#include "store/sqlite/search/search_read.h"
#include "store/sqlite/usage_rows.h"
#include "store/store.h"

enum read_sql {
	READ_SQL_BEGIN,
	READ_SQL_COMMIT,
	READ_SQL_CONVERSATION,
	READ_SQL_TURN,
	READ_SQL_MESSAGE,
	READ_SQL_LINK,
	READ_SQL_INSTRUCTION,
	READ_SQL_ITEM,
	READ_SQL_ITEM_OWNED,
	READ_SQL__COUNT
};

struct reads {
	sqlite3_stmt *st[READ_SQL__COUNT];
	struct runs   runs;
	struct listing listing;
	struct claim_reads claims;
	struct file_rows files;
	struct archive_pages archives;
	struct completion_list completions;
	struct completion_chain completion_chain;
	struct search_reads search;
	struct api_key_rows keys;
	struct usage_rows usage;
};

/* reads_prepare: search: NULL where no search will be asked for. */
enum errc reads_prepare(struct reads *r, sqlite3 *db, struct search *search, int64_t busy_ms,
                        struct err *e) MUST_USE;
void      reads_finish(struct reads *r);
/* reads_run: does a read job of any kind; its result and job->err are set. */
void reads_run(struct reads *r, struct store_job *job);
