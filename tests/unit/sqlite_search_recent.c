/* Turns that wait for the indexer are taken once and whole, or not at all; and they are bounded. */
#include "sqlite_search_help.h"
#include "store/sqlite/search/search_feed.h"

#include "base/limits.h"

static const struct id run = { 7, 70 };

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
	struct search_recent *r = search_recent_create();

	(void)state;
	assert_non_null(r);
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
	struct search_recent *r = search_recent_create();

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
	struct search_recent *r = search_recent_create();
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
	assert_false(search_recent_fills(r));

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

/* The batch's first text, and their number, as the feed reads them now. */
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
	struct search_recent *r = search_recent_create();
	struct search_batch   b;

	assert_true(search_batch_init(&b));
	open_store(f);
	struct turn_begin t = say(f, 1, "stored question", "stored answer");
	close_store(f);
	char sql[160];
	snprintf(sql, sizeof sql, "INSERT INTO search_queue (kind, id, runs) VALUES (5, 1, '%lld')",
		 (long long)t.run.key);
	outside(f, sql);

	/* The last row of before is still there: the same run twice, and then the index has both. */
	size_t read = fed(f, r, &b);
	assert_true(read >= 2);
	assert_text((struct str){ b.texts.data, b.ops[0].text_n }, "stored answer");

	struct store_message m = { { 5, 50 }, STR("{\"content\":\"kept question\"}") };
	search_recent_begin(r, t.run, 8, 9, &m, 1);
	search_recent_end(r, t.run, STR("{\"role\":\"assistant\",\"content\":\"kept answer\"}"));
	assert_int_equal(fed(f, r, &b), read);
	assert_text((struct str){ b.texts.data, b.ops[0].text_n }, "kept answer");
	assert_int_equal(b.ops[0].owner, 8);
	assert_int_equal(b.ops[0].conversation, 9);
	assert_text((struct str){ b.texts.data + b.ops[1].text_at, b.ops[1].text_n },
		    "kept question");
	assert_null(search_recent_take(r, t.run.key));
	search_batch_finish(&b);
	search_recent_destroy(r);
}

/* A turn that is deleted before the indexer comes is added from memory and then dropped. */
static void what_is_deleted_at_once_is_not_found(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	for (int i = 0; i < 20; i++) {
		struct turn_begin         t = say(f, 1, "word of a question", "word of an answer");
		struct conversation_write w = { .change = CONVERSATION_DELETE,
						.owner = 1,
						.conversation = t.conversation };

		arena_init(&w.arena, MIB);
		assert_int_equal(DO(f, conversation_write, &w), ERR_OK);
		arena_finish(&w.arena);
	}
	say(f, 1, "word that stays", "yes");
	assert_int_equal(found(f, "word", 1), 1);
	assert_int_equal(index_int(f, "SELECT count(*) FROM doc"), 2);
	assert_int_equal(index_int(f, "SELECT count FROM state"), 2);
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
