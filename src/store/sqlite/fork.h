/* fork: copying a branch into a new conversation, inside the writer's transaction.  The functions
 * return codes as those of turn.h do. */
#pragma once

#include "store/sqlite/kit/db.h"
#include "store/store.h"

enum fork_sql {
	FORK_SQL_FIND,
	FORK_SQL_TURN,
	FORK_SQL_LINK,
	FORK_SQL_INSTRUCTS,
	FORK_SQL_COPY,
	FORK_SQL_FINISH,
	FORK_SQL__COUNT
};

struct forks {
	sqlite3_stmt *st[FORK_SQL__COUNT];
};

enum errc forks_prepare(struct forks *f, sqlite3 *db, struct err *e) MUST_USE;
void      forks_finish(struct forks *f);

/* What is to be copied; owned by the caller, all zero at first. */
struct fork {
	int64_t *keys; /* owned; of the messages, newest first */
	size_t   count;
	size_t   cap;
	int64_t  run;  /* the one whose instruction holds; 0: none has set one */
};

/* fork_plan: walks the branch to j->message, or to the newest message: leaf and tip are the source's.
 * j->job.err: NOT_FOUND "at", REQUEST_TOO_LARGE "at". */
int  fork_plan(struct forks *f, struct conversation_write *j, int64_t leaf, int64_t tip,
               struct fork *ret) MUST_USE;
/* fork_copy: into j->conversation, which is there, and empty. */
int  fork_copy(struct forks *f, const struct conversation_write *j, const struct fork *fork) MUST_USE;
void fork_finish(struct fork *fork);
