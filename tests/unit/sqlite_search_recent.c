/* Turns that wait for the indexer are taken once and whole, or not at all; and they are bounded. */
#include "sqlite_search_help.h"
#include "store/sqlite/search/search_feed.h"

#include "base/limits.h"
#include "store/engine.h"

#include <fcntl.h>

static const struct id run = { 7, 70 };

static struct search_recent *made(void)
{
	struct search_recent *r = search_recent_create();

	assert_non_null(r);
	search_recent_keep(r, true);
	return r;
}

static void begin(struct search_recent *r, struct id of, const char *text)
{
	struct store_message m[] = { { { 5, 50 }, str_of(text) },
				     { { 6, 60 }, STR("{\"content\":\"second\"}") } };

	search_recent_begin(r, of, 3, 4, m, ARRAY_LEN(m));
}

static void assert_text(struct str got, const char *want)
{
	assert_int_equal(got.n, strlen(want));
	assert_memory_equal(got.p, want, got.n);
}

static void a_turn_is_taken_once_and_only_when_it_has_ended(void **state)
{
	struct search_recent *r = made();

	(void)state;
	search_recent_end(r, run, STR("answer of nothing"));
	assert_null(search_recent_take(r, run.key));
	begin(r, run, "{\"content\":\"first\"}");
	assert_null(search_recent_take(r, run.key));
	search_recent_end(r, run, STR("answer"));
	assert_null(search_recent_take(r, run.key + 1));

	struct search_turn *t = search_recent_take(r, run.key);
	assert_non_null(t);
	assert_int_equal(t->owner, 3);
	assert_int_equal(t->conversation, 4);
	assert_int_equal(t->message_count, 2);
	assert_int_equal(t->messages[0].id.key, 5);
	assert_text(t->messages[0].body, "{\"content\":\"first\"}");
	assert_int_equal(t->messages[1].id.key, 6);
	assert_text(t->messages[1].body, "{\"content\":\"second\"}");
	assert_text(t->answer, "answer");
	search_turn_free(t);
	assert_null(search_recent_take(r, run.key));

	search_recent_begin(r, run, 3, 4, NULL, 0);
	search_recent_end(r, run, STR_NONE);
	t = search_recent_take(r, run.key);
	assert_non_null(t);
	assert_int_equal(t->message_count, 0);
	assert_int_equal(t->answer.n, 0);
	search_turn_free(t);
	search_recent_destroy(r);
}

/* The writer repeats a transaction that failed for another job. */
static void what_is_written_again_replaces_what_was_rolled_back(void **state)
{
	struct search_recent *r = made();

	(void)state;
	begin(r, run, "{\"content\":\"once\"}");
	search_recent_end(r, run, STR("a first answer"));
	begin(r, run, "{\"content\":\"again\"}");
	assert_null(search_recent_take(r, run.key));
	search_recent_end(r, run, STR("a second answer"));
	search_recent_end(r, run, STR("a third one"));
	struct search_turn *t = search_recent_take(r, run.key);
	assert_non_null(t);
	assert_text(t->messages[0].body, "{\"content\":\"again\"}");
	assert_text(t->answer, "a third one");
	search_turn_free(t);
	assert_null(search_recent_take(r, run.key));
	search_recent_destroy(r);
}

static void the_oldest_make_room_and_the_largest_are_not_kept(void **state)
{
	enum { LONG = LIMIT_SEARCH_RECENT / 20, TURNS = 100 };
	struct search_recent *r = made();
	size_t                kept = 0;

	(void)state;
	char *text = test_malloc(LIMIT_SEARCH_RECENT);
	memset(text, 'x', LIMIT_SEARCH_RECENT);
	for (int i = 1; i <= TURNS; i++) {
		struct store_message m = { { i, 1 }, { text, LONG } };

		search_recent_begin(r, (struct id){ i, 1 }, 1, 1, &m, 1);
		search_recent_end(r, (struct id){ i, 1 }, STR("x"));
		assert_int_equal(search_recent_fills(r), i >= 10);
	}
	for (int i = 1; i <= TURNS; i++) {
		struct search_turn *t = search_recent_take(r, i);

		/* None is missing among the newest. */
		assert_true(t != NULL || kept == 0);
		kept += t != NULL;
		search_turn_free(t);
	}
	assert_int_equal(kept, 19); /* with what belongs to each, 20 are a little too many */

	struct store_message m = { { 1, 1 }, { text, LIMIT_SEARCH_RECENT / 16 } };
	search_recent_begin(r, run, 1, 1, &m, 1);
	search_recent_end(r, run, STR("x"));
	assert_null(search_recent_take(r, run.key));
	/* An answer that is too large takes the turn along. */
	begin(r, run, "x");
	search_recent_end(r, run, (struct str){ text, LIMIT_SEARCH_RECENT / 16 + 1 });
	assert_null(search_recent_take(r, run.key));
	search_recent_end(r, run, STR("x"));
	assert_null(search_recent_take(r, run.key));
	search_recent_begin(NULL, run, 1, 1, &m, 1); /* as where nothing is indexed */
	search_recent_end(NULL, run, STR("x"));
	test_free(text);
	search_recent_destroy(r);
}

/* A turn in the database of a store that is closed. */
static struct turn_begin stored(struct fixture *f)
{
	open_store(f);
	struct turn_begin t = say(f, 1, "stored question", "stored answer");
	close_store(f);
	return t;
}

/* Leaves one row in the queue: of the kind, with its id, and for SEARCH_RUNS the run. */
static void queue(const struct fixture *f, int kind, int64_t id, int64_t of)
{
	char sql[200];

	snprintf(sql, sizeof sql,
		 "DELETE FROM search_queue; INSERT INTO search_queue (kind, id, runs) "
		 "VALUES (%d, %lld, nullif('%lld', '0'))",
		 kind, (long long)id, (long long)of);
	outside(f, sql);
}

/* Fills a batch from the queue for an empty index, and returns how many messages it has. */
static size_t fed(struct fixture *f, struct search_recent *r, struct search_batch *b)
{
	struct search_feed   feed;
	struct search_index  x;
	struct search_source source;
	bool                 anew;
	int64_t              waiting;
	char                 name[160];

	snprintf(name, sizeof name, "%s.other", f->path);
	assert_int_equal(search_feed_open(&feed, f->path, 1000, &f->err), ERR_OK);
	feed.recent = r;
	assert_int_equal(search_feed_source(&feed, &source), SQLITE_OK);
	source.first = 0; /* the queue was cleared up to here */
	assert_int_equal(search_index_open(&x, name, 1000, &source, &anew), SQLITE_OK);
	assert_int_equal(search_feed_fill(&feed, &x, false, b, &waiting), SQLITE_OK);
	search_index_close(&x);
	search_index_remove(name);
	search_feed_close(&feed);
	return b->count;
}

static void the_feed_prefers_what_is_here_and_reads_the_rest(void **state)
{
	struct fixture       *f = *state;
	struct search_recent *r = made();
	struct search_batch   b;

	assert_true(search_batch_init(&b));
	struct turn_begin t = stored(f);
	queue(f, SEARCH_RUNS, 1, t.run.key);
	assert_int_equal(fed(f, r, &b), 2);
	assert_text((struct str){ b.texts.data, b.ops[0].text_n }, "stored answer");

	struct store_message m = { { 5, 50 }, STR("{\"content\":\"kept question\"}") };
	search_recent_begin(r, t.run, 8, 9, &m, 1);
	search_recent_end(r, t.run, STR("{\"role\":\"assistant\",\"content\":\"kept answer\"}"));
	assert_int_equal(fed(f, r, &b), 2);
	assert_text((struct str){ b.texts.data, b.ops[0].text_n }, "kept answer");
	assert_int_equal(b.ops[0].owner, 8);
	assert_int_equal(b.ops[0].conversation, 9);
	assert_text((struct str){ b.texts.data + b.ops[1].text_at, b.ops[1].text_n },
		    "kept question");
	assert_null(search_recent_take(r, t.run.key));
	search_batch_finish(&b);
	search_recent_destroy(r);
}

static enum errc change(struct fixture *f, enum conversation_change what, struct id conversation,
			struct id message)
{
	struct conversation_write w = {
		.change = what, .owner = 1, .conversation = conversation, .message = message
	};

	arena_init(&w.arena, MIB);
	enum errc rc = DO(f, conversation_write, &w);
	arena_finish(&w.arena);
	return rc;
}

/* A turn that is deleted before the indexer comes leaves nothing, whether it is still in memory or not. */
static void what_is_deleted_at_once_is_not_found(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	for (int i = 0; i < 20; i++) {
		struct turn_begin t = say(f, 1, "word of a question", "word of an answer");

		assert_int_equal(
			change(f, CONVERSATION_DELETE, t.conversation, (struct id){ 0, 0 }),
			ERR_OK);
	}
	say(f, 1, "word that stays", "yes");
	assert_int_equal(found(f, "word", 1), 1);
	assert_int_equal(index_int(f, "SELECT count(*) FROM doc"), 2);
	assert_int_equal(index_int(f, "SELECT count FROM state"), 2);
}

/* How often the index has the word. */
static int64_t words_left(const struct fixture *f)
{
	return index_int(f, "SELECT ifnull((SELECT cnt FROM word WHERE term = 'secret'), 0)");
}

static void a_message_removed_before_the_end_stays_out(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;

	open_store(f);
	struct turn_begin t = first_turn(&m, "{\"role\":\"user\",\"content\":\"secret\"}");
	t.owner = 1;
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	assert_int_equal(change(f, CONVERSATION_REMOVE_MESSAGE, t.conversation, m.id), ERR_OK);
	struct turn_end end =
		end_of(t.run, RUN_COMPLETED, "{\"role\":\"assistant\",\"content\":\"fine\"}");
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
	assert_int_equal(found(f, "fine", 1), 1);
	assert_int_equal(words_left(f), 0);
	assert_int_equal(index_int(f, "SELECT count(*) FROM doc"), 1);
}

/* The end and the deletion in one transaction: while it waits for a lock, another one is first. */
static void a_turn_deleted_with_its_end_stays_out(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;
	struct store_message m2;
	struct store_stats   stats = { .queue = 1 };

	open_store(f);
	struct turn_begin t = first_turn(&m, "{\"role\":\"user\",\"content\":\"secret\"}");
	struct turn_begin other = first_turn(&m2, "{\"role\":\"user\",\"content\":\"other\"}");
	t.owner = other.owner = 1;
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	void  *held = outside_hold(f);
	size_t want = f->loop.done + 3;
	assert_true(SUBMIT(f, turn_begin, &other));
	for (int i = 0; i < 20000 && stats.queue > 0; i++) {
		store_stats(f->store, &stats);
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	assert_int_equal(stats.queue, 0);
	struct turn_end end =
		end_of(t.run, RUN_COMPLETED, "{\"role\":\"assistant\",\"content\":\"secret\"}");
	struct conversation_write w = { .change = CONVERSATION_DELETE,
					.owner = 1,
					.conversation = t.conversation };
	arena_init(&w.arena, MIB);
	assert_true(SUBMIT(f, turn_end, &end));
	assert_true(SUBMIT(f, conversation_write, &w));
	outside_release(held);
	loop_until(&f->loop, want);
	arena_finish(&w.arena);
	assert_int_equal(end.job.err.code, ERR_OK);
	assert_int_equal(w.job.err.code, ERR_OK);
	say(f, 1, "word", "word");
	assert_int_equal(found(f, "word", 1), 2);
	assert_int_equal(words_left(f), 0);
}

/* Two processes, here two stores: the old one still answers, and removes what the new one has begun. */
static void what_another_process_removes_stays_out(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;

	open_store(f);
	struct store        *old = f->store;
	struct store        *next = NULL;
	struct store_options o = f->options;
	assert_int_equal(store_quiesce(old, &o.handover_fd, &f->err), ERR_OK);
	o.handover = true;
	o.handover_fd = fcntl(o.handover_fd, F_DUPFD_CLOEXEC, 0);
	assert_int_equal(engine->open(&o, &next, &f->err), ERR_OK);
	store_handed_over(old);
	store_taken_over(next);

	f->store = next;
	struct turn_begin t = first_turn(&m, "{\"role\":\"user\",\"content\":\"secret\"}");
	t.owner = 1;
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	f->store = old;
	assert_int_equal(change(f, CONVERSATION_REMOVE_MESSAGE, t.conversation, m.id), ERR_OK);
	f->store = next;
	struct turn_end end =
		end_of(t.run, RUN_COMPLETED, "{\"role\":\"assistant\",\"content\":\"fine\"}");
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
	assert_int_equal(found(f, "fine", 1), 1);
	assert_int_equal(words_left(f), 0);
	store_destroy(old);
	char mark[128];
	snprintf(mark, sizeof mark, "%s.drain", f->path);
	assert_int_equal(unlink(mark), 0);
}

/* A fork whose batch can't be written is read once more from its beginning. */
static void a_conversation_is_whole_after_a_failed_batch(void **state)
{
	struct fixture *f = *state;
	struct fixture  x = { 0 };

	f->options.busy_ms = 50;
	open_store(f);
	struct turn_begin t = say(f, 1, "word of a question", "word of an answer");
	assert_int_equal(found(f, "word", 1), 2);
	char name[sizeof x.path + 8];
	snprintf(name, sizeof name, "%s.search", f->path);
	str_copy(x.path, sizeof x.path, str_of(name));
	void                     *held = outside_hold(&x);
	struct conversation_write w = { .change = CONVERSATION_FORK,
					.owner = 1,
					.source = t.conversation,
					.conversation = id_new() };
	arena_init(&w.arena, MIB);
	assert_int_equal(DO(f, conversation_write, &w), ERR_OK);
	arena_finish(&w.arena);
	struct store_stats stats = { .search_complete = true };
	for (int i = 0; i < 20000 && stats.search_complete; i++) {
		store_stats(f->store, &stats);
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	assert_false(stats.search_complete); /* the batch failed */
	outside_release(held);
	assert_int_equal(found(f, "word", 1), 4);
	assert_int_equal(index_int(f, "SELECT count(*) FROM doc"), 4);
}

static void what_ends_is_bounded_too_and_calls_once(void **state)
{
	enum { LONG = LIMIT_SEARCH_RECENT / 20, TURNS = 100 };
	struct search_recent *r = made();
	size_t                kept = 0;

	(void)state;
	char *text = test_malloc(LONG);
	memset(text, 'x', LONG);
	for (int i = 1; i <= TURNS; i++)
		begin(r, (struct id){ i, 1 }, "x");
	assert_false(search_recent_fills(r));
	for (int i = 1; i <= TURNS; i++)
		search_recent_end(r, (struct id){ i, 1 }, (struct str){ text, LONG });
	assert_true(search_recent_fills(r));
	for (int i = 1; i <= TURNS; i++) {
		struct search_turn *t = search_recent_take(r, i);

		kept += t != NULL;
		search_turn_free(t);
	}
	assert_int_equal(kept, 19);
	search_recent_seen(r);
	assert_false(search_recent_fills(r));

	/* What nobody ever takes does not call the indexer for ever. */
	struct store_message m = { { 1, 1 }, { text, LONG } };
	for (int i = 1; i <= 18; i++) {
		search_recent_begin(r, (struct id){ i, 1 }, 1, 1, &m, 1);
		search_recent_end(r, (struct id){ i, 1 }, STR("x"));
	}
	assert_true(search_recent_fills(r));
	search_recent_seen(r);
	assert_false(search_recent_fills(r));

	search_recent_keep(r, false);
	assert_null(search_recent_take(r, 18));
	begin(r, run, "x");
	search_recent_keep(r, true);
	search_recent_end(r, run, STR("x"));
	assert_null(search_recent_take(r, run.key));
	begin(r, run, "x");
	search_recent_drop(r, run.key + 1);
	search_recent_end(r, run, STR("x"));
	search_recent_drop(NULL, run.key);
	struct search_turn *t = search_recent_take(r, run.key);
	assert_non_null(t);
	search_turn_free(t);
	begin(r, run, "x");
	search_recent_drop(r, run.key);
	search_recent_end(r, run, STR("x"));
	assert_null(search_recent_take(r, run.key));
	test_free(text);
	search_recent_destroy(r);
}

/* Of a conversation that was copied, only what is in the database may go into the index: the end of a
 * turn may be in memory without being committed. */
static void a_conversation_is_read_from_the_database(void **state)
{
	struct fixture       *f = *state;
	struct search_recent *r = made();
	struct search_batch   b;

	assert_true(search_batch_init(&b));
	struct turn_begin t = stored(f);
	queue(f, SEARCH_CONVERSATION, t.conversation.key, 0);
	search_recent_begin(r, t.run, 8, 9, NULL, 0);
	search_recent_end(r, t.run, STR("{\"role\":\"assistant\",\"content\":\"not committed\"}"));
	assert_int_equal(fed(f, r, &b), 2);
	assert_text((struct str){ b.texts.data, b.ops[0].text_n }, "stored answer");
	search_batch_finish(&b);
	search_recent_destroy(r);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_turn_is_taken_once_and_only_when_it_has_ended),
		cmocka_unit_test(what_is_written_again_replaces_what_was_rolled_back),
		cmocka_unit_test(the_oldest_make_room_and_the_largest_are_not_kept),
		T(the_feed_prefers_what_is_here_and_reads_the_rest),
		T(what_is_deleted_at_once_is_not_found),
		T(a_message_removed_before_the_end_stays_out),
		T(a_turn_deleted_with_its_end_stays_out),
		T(what_another_process_removes_stays_out),
		T(a_conversation_is_whole_after_a_failed_batch),
		T(a_conversation_is_read_from_the_database),
		cmocka_unit_test(what_ends_is_bounded_too_and_calls_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
