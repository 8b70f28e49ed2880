/* Opening, listing and timing one database. */
#include "scale_db.h"

#include "base/clock.h"
#include "base/limits.h"
#include "store/conversation.h"
#include "store/engine.h"
#include "store/sqlite/engine.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const ends[] = { "",        "-wal",        "-shm",       ".lock",
				    ".search", ".search-wal", ".search-shm" };

void fail(const char *what, const struct err *e)
{
	fprintf(stderr, "bench_store_scale: %s%s%s\n", what, e ? ": " : "", e ? e->text : "");
	exit(2);
}

/* --- a loop --- */

/* In place of the real one: no descriptor is between the store's answer and the clock. */
void loop_post(struct loop *l, struct task *t)
{
	t->next = NULL;
	pthread_mutex_lock(&l->lock);
	*l->end = t;
	l->end = &t->next;
	pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
}

void db_turn(struct db *db)
{
	struct loop *l = &db->loop;

	pthread_mutex_lock(&l->lock);
	while (!l->first)
		pthread_cond_wait(&l->wake, &l->lock);
	struct task *t = l->first;
	l->first = NULL;
	l->end = &l->first;
	pthread_mutex_unlock(&l->lock);
	while (t) {
		struct task *next = t->next;

		t->fn(t);
		t = next;
	}
}

void db_wait(struct db *db, size_t n)
{
	while (db->loop.done < n)
		db_turn(db);
}

void count_done(struct store_job *job)
{
	job->loop->done++;
}

/* --- a database --- */

void db_set_up(struct db *db, const char *dir, uint32_t conversations)
{
	*db = (struct db){ .conversations = conversations, .dice = { conversations } };
	db->loop.end = &db->loop.first;
	pthread_mutex_init(&db->loop.lock, NULL);
	pthread_cond_init(&db->loop.wake, NULL);
	size_t room = sizeof db->path - 16;
	int    n = snprintf(db->path, room, "%s/store-scale-%u.db", dir, conversations);
	if (n < 0 || (size_t)n >= room)
		fail("the directory's name is too long", NULL);
}

/* As the server opens it with its default configuration. */
void db_open_store(struct db *db)
{
	struct store_options o = {
		.path = db->path,
		.readers = 2,
		.busy_ms = 5000,
		.migrate = true,
		.events_keep_ms = (int64_t)24 * 3600 * 1000,
		.events_keep_bytes = (int64_t)1 << 30,
		.answer_keep_ms = (int64_t)24 * 3600 * 1000,
	};
	struct err e = { .code = ERR_OK };

	if (sqlite_engine.open(&o, &db->store, &e) != ERR_OK)
		fail("store_open", &e);
}

void db_close_store(struct db *db)
{
	store_destroy(TAKE(db->store));
}

void db_remove(const struct db *db)
{
	char name[sizeof db->path + 16];

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		snprintf(name, sizeof name, "%s%s", db->path, ends[i]);
		unlink(name);
	}
	snprintf(name, sizeof name, "%s.files/tmp", db->path);
	rmdir(name);
	snprintf(name, sizeof name, "%s.files", db->path);
	rmdir(name);
}

int64_t db_bytes(const struct db *db)
{
	struct stat st;

	return stat(db->path, &st) == 0 ? (int64_t)st.st_size : 0;
}

void db_list(struct db *db)
{
	struct conversations_read j = { .limit = 10000, .has_more = true };

	free(db->ids);
	db->id_count = 0;
	db->ids = calloc(db->conversations + 1, sizeof *db->ids);
	if (!db->ids)
		fail("out of memory", NULL);
	while (j.has_more && db->id_count < db->conversations) {
		arena_init(&j.arena, 32 * MIB);
		DO(db, conversations_read, &j);
		for (size_t i = 0; i < j.line_count; i++)
			if (db->id_count < db->conversations)
				db->ids[db->id_count++] = j.after = j.lines[i].conversation.id;
		arena_finish(&j.arena);
	}
	if (db->id_count == 0)
		fail("the database is empty", NULL);
}

static void forget(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
}

void db_forget(const struct db *db)
{
	char index[sizeof db->path + 16];

	snprintf(index, sizeof index, "%s.search", db->path);
	forget(db->path);
	forget(index);
}

void db_await_index(struct db *db, int64_t deadline_us)
{
	int64_t            from = clock_mono_us();
	struct store_stats st;
	struct stat        file;
	char               index[sizeof db->path + 16];

	for (;;) {
		store_stats(db->store, &st);
		if (st.search_complete && st.search_waiting == 0)
			break;
		if (clock_mono_us() > deadline_us)
			fail("the search index takes too long", NULL);
		nanosleep(&(struct timespec){ .tv_nsec = 50 * 1000000 }, NULL);
	}
	db->index_ms = (clock_mono_us() - from) / 1000;
	snprintf(index, sizeof index, "%s.search", db->path);
	db->index_bytes = stat(index, &file) == 0 ? (int64_t)file.st_size : 0;
}

struct id db_random(struct db *db)
{
	struct id id;

	do
		id = db->ids[dice_below(&db->dice, db->id_count)];
	while (id_none(id));
	return id;
}

/* --- the clock --- */

static int64_t ns_of(clockid_t which)
{
	struct timespec t;

	clock_gettime(which, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t clock_ns(void)
{
	return ns_of(CLOCK_MONOTONIC);
}

void db_begin(struct db *db)
{
	db->from_cpu_ns = ns_of(CLOCK_PROCESS_CPUTIME_ID);
	db->from_ns = clock_ns();
}

void db_end(struct db *db)
{
	db->took_ns = clock_ns() - db->from_ns;
	db->took_cpu_ns = ns_of(CLOCK_PROCESS_CPUTIME_ID) - db->from_cpu_ns;
}
