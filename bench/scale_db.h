/* scale_db: one database under measure, with a loop that is a queue. */
#pragma once

#include "scale_text.h"
#include "store/store.h"

#include <pthread.h>

struct loop {
	pthread_mutex_t lock;
	pthread_cond_t  wake;
	struct task    *first;
	struct task   **end;
	size_t          done; /* jobs answered by count_done */
};

struct db {
	char          path[512];
	struct store *store; /* NULL: closed */
	struct loop   loop;
	struct dice   dice;
	uint32_t      conversations; /* as it was made */
	struct id    *ids;           /* owned */
	uint32_t      id_count;
	int64_t       fill_ms;
	int64_t       index_ms; /* that the search index took behind it */
	int64_t       index_bytes;

	/* What the last operation took. */
	int64_t from_ns;
	int64_t from_cpu_ns;
	int64_t took_ns;
	int64_t took_cpu_ns; /* of all threads */
};

enum { DB_SMALL, DB_BIG, DB__COUNT };

_Noreturn void fail(const char *what, const struct err *e);

void db_set_up(struct db *db, const char *dir, uint32_t conversations);
void db_open_store(struct db *db);
void db_close_store(struct db *db);
/* db_remove: the closed database's files. */
void    db_remove(const struct db *db);
int64_t db_bytes(const struct db *db);
/* db_list: all ids of its conversations, through the store's own list. */
void db_list(struct db *db);
/* db_await_index: until the search index has all; exits when it has not at the deadline. */
void db_await_index(struct db *db, int64_t deadline_us);
/* db_forget: the system's cache of the files goes, as far as it may. */
void db_forget(const struct db *db);

/* db_random: a conversation that is there: deleted ones have no id. */
struct id db_random(struct db *db);

/* db_turn: waits for answers and hands them out, once. */
void db_turn(struct db *db);
/* db_wait: until count_done was called n times since the start. */
void db_wait(struct db *db, size_t n);
void count_done(struct store_job *job);

/* The clock of an operation; what stands between is what was measured. */
void db_begin(struct db *db);
void db_end(struct db *db);

int64_t clock_ns(void);

#define SUBMIT(db, kind, j) \
	((j)->job.loop = &(db)->loop, (j)->job.done = count_done, store_##kind((db)->store, (j)))

/* A job waited for; it has to succeed. */
#define DO(db, kind, j)                                   \
	do {                                              \
		size_t want_ = (db)->loop.done + 1;       \
		if (!SUBMIT(db, kind, j))                 \
			fail(#kind " was refused", NULL); \
		db_wait(db, want_);                       \
		if ((j)->job.err.code != ERR_OK)          \
			fail(#kind, &(j)->job.err);       \
	} while (0)

/* The same under the clock. */
#define TIMED(db, kind, j)       \
	do {                     \
		db_begin(db);    \
		DO(db, kind, j); \
		db_end(db);      \
	} while (0)
