/* The file of the search index may be killed, lost, damaged or swapped. */
#include "sqlite_search_help.h"
#include "store/sqlite/search/search_feed.h"

#include <fcntl.h>

static void index_name(const struct fixture *f, char name[128])
{
	snprintf(name, 128, "%s.search", f->path);
}

static void copy(const char *from, const char *to)
{
	char   bytes[65536];
	FILE  *in = fopen(from, "rb");
	FILE  *out = fopen(to, "wb");
	size_t n;

	assert_true(in && out);
	while ((n = fread(bytes, 1, sizeof bytes, in)) > 0)
		assert_int_equal(fwrite(bytes, 1, n, out), n);
	fclose(in);
	assert_int_equal(fclose(out), 0);
}

static void talk(struct fixture *f)
{
	for (int i = 0; i < 10; i++)
		say(f, 1, "word of a question", "word of an answer");
}

static void assert_all_once(struct fixture *f, size_t n)
{
	assert_int_equal(found(f, "word", 1), n);
	assert_int_equal(index_int(f, "SELECT count(*) FROM doc"), n);
	assert_int_equal(index_int(f, "SELECT count FROM state"), n);
	/* No row is in FTS5's table twice. */
	assert_int_equal(index_int(f, "SELECT cnt FROM word WHERE term = 'word'"), n);
}

static int64_t waiting(const struct fixture *f)
{
	struct store_stats s;

	store_stats(f->store, &s);
	return s.search_waiting;
}

/* A batch that fails while something is stored counts that twice, until the next try. */
static void await_waiting(const struct fixture *f, int64_t n)
{
	for (int i = 0; i < 20000 && waiting(f) != n; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	assert_int_equal(waiting(f), n);
}

static void a_lost_damaged_or_foreign_index_is_made_anew(void **state)
{
	static const char *const harm[] = { "missing",  "empty",        "text",
					    "database", "older format", "of another database" };
	struct fixture          *f = *state;
	char                     name[128];

	index_name(f, name);
	open_store(f);
	talk(f);
	assert_all_once(f, 20);
	for (size_t i = 0; i < ARRAY_LEN(harm); i++) {
		struct fixture x = { 0 };

		close_store(f);
		str_copy(x.path, sizeof x.path, str_of(name));
		if (i <= 3)
			assert_int_equal(unlink(name), 0);
		if (i == 1 || i == 2) {
			FILE *out = fopen(name, "w");

			assert_non_null(out);
			for (int n = 0; i == 2 && n < 5000; n++)
				fputs("this is no index\n", out);
			assert_int_equal(fclose(out), 0);
		}
		if (i == 3)
			outside(&x, "CREATE TABLE state (id INTEGER)");
		if (i == 4)
			outside(&x, "PRAGMA user_version = 0");
		if (i == 5)
			outside(&x, "UPDATE state SET instance = zeroblob(16)");
		open_store(f);
		assert_all_once(f, 20);
	}
	struct stat st;
	assert_int_equal(stat(name, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void damage_is_noticed_while_serving(void **state)
{
	struct fixture *f = *state;
	char            name[128];

	index_name(f, name);
	open_store(f);
	talk(f);
	assert_all_once(f, 20);
	close_store(f);
	/* All but the first pages: what it is still can be read. */
	int fd = open(name, O_WRONLY);
	assert_true(fd >= 0);
	off_t size = lseek(fd, 0, SEEK_END);
	for (off_t at = 4 * 8192; at < size; at++)
		assert_int_equal(pwrite(fd, "\xff", 1, at), 1);
	close(fd);
	open_store(f);
	say(f, 1, "word", "word");
	assert_all_once(f, 22);

	/* Taken away under its feet. */
	assert_int_equal(unlink(name), 0);
	say(f, 1, "word", "word");
	wait_for(f, true, "SELECT count(*) = 24 FROM doc");
	assert_all_once(f, 24);
}

static void either_file_may_be_put_back_from_a_copy(void **state)
{
	struct fixture *f = *state;
	char            name[128];
	char            old[2][128];

	index_name(f, name);
	snprintf(old[0], sizeof old[0], "%s/old", f->dir);
	snprintf(old[1], sizeof old[1], "%s/old.search", f->dir);
	open_store(f);
	talk(f);
	assert_all_once(f, 20);
	close_store(f);
	copy(f->path, old[0]);
	copy(name, old[1]);
	open_store(f);
	talk(f);
	struct turn_begin t = say(f, 1, "word", "word");
	assert_all_once(f, 42);
	struct conversation_write w = { .change = CONVERSATION_DELETE,
					.owner = 1,
					.conversation = t.conversation };
	arena_init(&w.arena, MIB);
	assert_int_equal(DO(f, conversation_write, &w), ERR_OK);
	arena_finish(&w.arena);
	wait_for(f, false, "SELECT count(*) = 1 FROM search_queue");
	wait_for(f, false, "SELECT count(*) = 0 FROM search_queue WHERE text IS NOT NULL");
	close_store(f);

	copy(old[1], name);
	open_store(f);
	assert_all_once(f, 40);
	close_store(f);

	copy(old[0], f->path);
	open_store(f);
	assert_all_once(f, 20);
	unlink(old[0]);
	unlink(old[1]);
}

static void a_database_from_before_is_indexed(void **state)
{
	struct fixture *f = *state;
	char            name[128];

	index_name(f, name);
	open_store(f);
	talk(f);
	close_store(f);
	/* What later migrations made is in their way when they come again. */
	outside(f,
		"DROP TRIGGER search_title_added; DROP TRIGGER search_title_changed;"
		"DROP TRIGGER search_title_removed;"
		"DROP TABLE session_ended;"
		"DROP TABLE audit; DROP TABLE provider_health;"
		"DROP TABLE call_block; DROP TABLE call_hour; DROP TABLE call_size;"
		"DROP TABLE call_sum; DROP TRIGGER cached_run; DROP TABLE cached;"
		"DROP TABLE cached_clear; DROP TABLE cached_size;"
		"DROP TABLE swept; DROP INDEX conversation_due; DROP INDEX file_expiry;"
		"ALTER TABLE conversation DROP COLUMN keep_ms;"
		"ALTER TABLE conversation DROP COLUMN due_ms; ALTER TABLE file DROP COLUMN expires_ms;"
		"DROP TABLE key_group; DROP TABLE usage_group;"
		"DROP TABLE search_queue; DROP TABLE search_source;"
		"ALTER TABLE run DROP COLUMN attempt_log; ALTER TABLE run DROP COLUMN executions;"
		"DROP TABLE api_key; DROP TABLE api_key_change;"
		"DROP TABLE budget; DROP TABLE reservation; DROP TABLE usage_day;"
		"DROP TABLE usage_tag; ALTER TABLE run DROP COLUMN tags;"
		"ALTER TABLE run DROP COLUMN native_reason; ALTER TABLE run DROP COLUMN cost_nano;"
		"ALTER TABLE run DROP COLUMN bill_key; ALTER TABLE run DROP COLUMN bill_model;"
		"ALTER TABLE run DROP COLUMN bill_in; ALTER TABLE run DROP COLUMN bill_price_in;"
		"ALTER TABLE run DROP COLUMN bill_price_out; ALTER TABLE run DROP COLUMN bill_dropped;"
		"DROP INDEX conversation_owner; DROP INDEX conversation_recent; DROP INDEX conversation_pinned;"
		"CREATE INDEX conversation_owner ON conversation (owner);"
		"ALTER TABLE conversation DROP COLUMN origin; ALTER TABLE conversation DROP COLUMN pinned;"
		"ALTER TABLE conversation DROP COLUMN titled; ALTER TABLE conversation DROP COLUMN opening;"
		"ALTER TABLE conversation DROP COLUMN excerpt; ALTER TABLE conversation DROP COLUMN model;"
		"ALTER TABLE conversation DROP COLUMN messages; ALTER TABLE conversation DROP COLUMN cost_nano;"
		"ALTER TABLE conversation DROP COLUMN recent; ALTER TABLE conversation DROP COLUMN target;"
		"DELETE FROM schema_migration WHERE number >= "
		"(SELECT number FROM schema_migration WHERE name LIKE '%search%')");
	assert_int_equal(unlink(name), 0);
	open_store(f);
	talk(f);
	assert_all_once(f, 40);
}

/* Killed at every point of the indexer's work: with a batch read and not put in, put in and not
 * cleared, in the middle of a conversation or of the making, with the removal noted and not done. */
static void an_index_that_was_cut_off_goes_on(void **state)
{
	struct fixture     *f = *state;
	struct search_batch b;
	char                name[128];
	bool                anew;
	int64_t             waiting;

	index_name(f, name);
	assert_true(search_batch_init(&b));
	open_store(f);
	for (int i = 0; i < 3; i++)
		talk(f);
	assert_all_once(f, 60);
	close_store(f);
	for (int cut = 0; cut < 6; cut++) {
		struct search_feed   feed;
		struct search_index  x;
		struct search_source source;

		/* All of it stands in the queue once more, and in the middle of it an old index. */
		outside(f,
			"DELETE FROM search_queue WHERE seq < (SELECT max(seq) FROM search_queue);"
			"INSERT INTO search_queue (kind, id) SELECT 1 + 2 * (id % 2), "
			"iif(id % 2, conversation, id) FROM run;"
			"INSERT INTO search_queue (kind, id, runs) SELECT 5, count(*), "
			"group_concat(id, ' ') FROM run");
		assert_int_equal(search_feed_open(&feed, f->path, 1000, &f->err), ERR_OK);
		assert_int_equal(search_feed_source(&feed, &source), SQLITE_OK);
		if (cut % 2)
			search_index_remove(name);
		assert_int_equal(search_index_open(&x, name, 1000, &source, &anew), SQLITE_OK);
		for (int step = 0; step < cut; step++) {
			assert_int_equal(search_feed_fill(&feed, &x, step % 2, &b, &waiting),
					 SQLITE_OK);
			if (b.count > 7) { /* as if more did not fit */
				b.count = 7;
				b.mark = x.mark;
			}
			if (step + 1 < cut)
				assert_int_equal(search_index_apply(&x, &b, false), SQLITE_OK);
		}
		search_index_close(&x);
		search_feed_close(&feed);
		open_store(f);
		assert_all_once(f, 60);
		close_store(f);
	}
	search_batch_finish(&b);
}

/* holds: whether one of the index's files has the bytes. */
static bool holds(const char *name, const char *bytes)
{
	static const char *const ends[] = { "", "-wal" };
	bool                     found = false;

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		char  file[160];
		char *text = NULL;

		snprintf(file, sizeof file, "%s%s", name, ends[i]);
		FILE *in = fopen(file, "rb");
		assert_non_null(in);
		assert_int_equal(fseek(in, 0, SEEK_END), 0);
		size_t n = (size_t)ftell(in);
		rewind(in);
		assert_non_null(text = malloc(n + 1));
		assert_int_equal(fread(text, 1, n, in), n);
		found |= memmem(text, n, bytes, strlen(bytes)) != NULL;
		free(text);
		fclose(in);
	}
	return found;
}

static void apply_one(struct search_index *x, struct search_batch *b, int64_t id, bool gone,
		      const char *text)
{
	b->count = 1;
	b->ops[0] =
		(struct search_op){ .id = id, .gone = gone, .owner = 1, .text_n = strlen(text) };
	buf_clear(&b->texts);
	assert_true(buf_text(&b->texts, text));
	b->mark.seq++;
	assert_int_equal(search_index_apply(x, b, true), SQLITE_OK);
}

static int purge_all(struct search_index *x)
{
	bool more = true;
	int  steps = 0;

	for (; more && steps < 100; steps++)
		assert_int_equal(search_index_purge(x, 1000, &more), SQLITE_OK);
	return steps;
}

static void the_words_of_a_removed_text_leave_the_files(void **state)
{
	static const unsigned char instance[SEARCH_INSTANCE] = "one";
	struct search_source       source = { .last = INT64_MAX };
	struct fixture            *f = *state;
	struct search_batch        b;
	struct search_index        x;
	sqlite3                   *reader = NULL;
	char                       name[128];
	bool                       anew;
	bool                       more = false;

	memcpy(source.instance, instance, sizeof instance);
	snprintf(name, sizeof name, "%s.other", f->path);
	assert_true(search_batch_init(&b));
	assert_int_equal(search_index_open(&x, name, 1000, &source, &anew), SQLITE_OK);
	assert_false(x.stained);
	for (int64_t i = 1; i < 20; i++)
		apply_one(&x, &b, i, false, i == 7 ? "qxvanishing words" : "words that stay");
	assert_true(holds(name, "vanishing"));
	apply_one(&x, &b, 7, true, "qxvanishing words");
	assert_true(x.stained && holds(name, "vanishing"));

	/* It is known after a start, too, and waits for a reader. */
	search_index_close(&x);
	assert_int_equal(search_index_open(&x, name, 1000, &source, &anew), SQLITE_OK);
	assert_true(x.stained && !anew);
	assert_int_equal(sqlite3_open(name, &reader), SQLITE_OK);
	assert_int_equal(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM doc", NULL, NULL, NULL),
			 SQLITE_OK);
	assert_int_equal(purge_all(&x), 100);
	assert_true(x.stained);
	assert_int_equal(sqlite3_exec(reader, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	assert_true(purge_all(&x) < 10);
	assert_false(x.stained);
	assert_false(holds(name, "vanishing"));
	assert_true(holds(name, "words"));

	/* A removal in the middle of a purge counts for it. */
	apply_one(&x, &b, 8, true, "words that stay");
	assert_int_equal(search_index_purge(&x, 1000, &more), SQLITE_OK);
	apply_one(&x, &b, 30, false, "qxvanishing again");
	apply_one(&x, &b, 30, true, "qxvanishing again");
	assert_true(purge_all(&x) < 10);
	assert_false(x.stained);
	assert_false(holds(name, "vanishing"));
	sqlite3_close(reader);
	search_index_close(&x);
	search_index_remove(name);
	search_batch_finish(&b);
}

static void change_title(struct fixture *f, struct id conversation, enum conversation_change change,
			 const char *title)
{
	struct conversation_write j = { .owner = 1,
					.change = change,
					.now_ms = 5,
					.conversation = conversation,
					.title_set = title,
					.title = str_of(title) };

	arena_init(&j.arena, MIB);
	assert_int_equal(DO(f, conversation_write, &j), ERR_OK);
	arena_finish(&j.arena);
}

/* A conversation of which nothing but the title is to be indexed and forgotten. */
static void change_titles(struct fixture *f)
{
	struct id conversation = id_new();

	change_title(f, conversation, CONVERSATION_CREATE, "a title");
	change_title(f, conversation, CONVERSATION_UPDATE, "another one");
	change_title(f, conversation, CONVERSATION_DELETE, NULL);
}

static void trouble_with_the_index_hurts_no_turn(void **state)
{
	struct fixture *f = *state;
	char            name[128];

	index_name(f, name);
	assert_int_equal(mkdir(name, 0700), 0);
	open_store(f);
	talk(f);
	await_waiting(f, 10);
	change_titles(f);
	assert_int_in_range(waiting(f), 13, 15); /* the triggers' rows are four */
	close_store(f);
	open_store(f);
	struct search_read j = search_for("word", 1);
	for (int i = 0; i < 20000 && DO(f, search_read, &j) == ERR_OK; i++)
		arena_finish(&j.arena);
	assert_int_equal(j.job.err.code, ERR_STORAGE);
	assert_true(j.job.err.retry_after_ms > 0);
	arena_finish(&j.arena);
	await_waiting(f, 14);
	assert_int_equal(rmdir(name), 0);
	assert_all_once(f, 20);
	await_waiting(f, 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(a_lost_damaged_or_foreign_index_is_made_anew),
		T(damage_is_noticed_while_serving),
		T(either_file_may_be_put_back_from_a_copy),
		T(a_database_from_before_is_indexed),
		T(an_index_that_was_cut_off_goes_on),
		T(the_words_of_a_removed_text_leave_the_files),
		T(trouble_with_the_index_hurts_no_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
