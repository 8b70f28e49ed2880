/* What the tests of searches share: turns that are found, and what the index has. */
#pragma once

#include "engine_help.h"
#include "store/search.h"
#include "store/turn.h"
#include "store/words/search_token.h"

/* --- a store --- */

HELP struct search_read search_for(const char *query, int64_t owner)
{
	struct search_read j = { .query = str_of(query), .owner = owner, .role = -1, .limit = 100 };

	arena_init(&j.arena, 4 * MIB);
	return j;
}

/* Once all that was stored has been indexed. */
HELP void ask(struct fixture *f, struct search_read *j)
{
	for (int i = 0; i < 20000; i++) {
		arena_finish(&j->arena);
		DO(f, search_read, j);
		if (j->job.err.code != ERR_STORAGE && (j->complete || j->job.err.code != ERR_OK))
			return;
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	fail_msg("the index never became complete");
}

HELP size_t found(struct fixture *f, const char *query, int64_t owner)
{
	struct search_read j = search_for(query, owner);

	ask(f, &j);
	assert_int_equal(j.job.err.code, ERR_OK);
	size_t n = j.hit_count;
	arena_finish(&j.arena);
	return n;
}

/* A turn of a new conversation; body is a plain text without quotes. */
HELP struct turn_begin say(struct fixture *f, int64_t owner, const char *text, const char *reply)
{
	static char          body[2][512];
	struct store_message m;

	snprintf(body[0], sizeof body[0], "{\"role\":\"user\",\"content\":\"%s\"}", text);
	snprintf(body[1], sizeof body[1], "{\"role\":\"assistant\",\"content\":\"%s\"}", reply);
	struct turn_begin t = first_turn(&m, body[0]);
	t.owner = owner;
	whole_turn(f, &t, body[1]);
	return t;
}

HELP int64_t index_int(const struct fixture *f, const char *sql)
{
	char          name[128];
	sqlite3      *db = NULL;
	sqlite3_stmt *st = NULL;
	int64_t       v = -1; /* it may just be taken away */

	snprintf(name, sizeof name, "%s.search", f->path);
	if (sqlite3_open_v2(name, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
	    search_token_register(db) == SQLITE_OK &&
	    sqlite3_exec(db, "CREATE VIRTUAL TABLE temp.word USING fts5vocab (main, entry, row)",
			 NULL, NULL, NULL) == SQLITE_OK &&
	    sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW)
		v = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return v;
}

HELP void wait_for(const struct fixture *f, bool index, const char *sql)
{
	for (int i = 0; i < 20000; i++) {
		if ((index ? index_int(f, sql) : outside_int(f, sql)) == 1)
			return;
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	fail_msg("never: %s", sql);
}
