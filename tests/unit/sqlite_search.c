/* Searches: whose messages are found, in which windows, and when what was removed is forgotten. */
#include "sqlite_search_help.h"
#include "store/words/search_query.h"

static void only_the_owners_messages_are_found(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	struct turn_begin a = say(f, 1, "green tea from 東京", "a cup of tea");
	struct turn_begin b = say(f, 2, "green tea too", "nothing");

	assert_int_equal(found(f, "tea", 1), 2);
	assert_int_equal(found(f, "tea", 2), 1);
	assert_int_equal(found(f, "tea", 3), 0);
	assert_int_equal(found(f, "東京", 1), 1);
	assert_int_equal(found(f, "京東", 1), 0);
	assert_int_equal(found(f, "o2", 1), 0);
	assert_int_equal(found(f, "tea -cup", 1), 1);

	struct search_read j = search_for("tea", 1);
	j.conversation = a.conversation;
	j.role = SEARCH_ROLE_ASSISTANT;
	ask(f, &j);
	assert_int_equal(j.hit_count, 1);
	assert_memory_equal(&j.hits[0].message, &a.run, sizeof a.run);
	assert_memory_equal(&j.hits[0].conversation, &a.conversation, sizeof a.conversation);
	assert_int_equal(j.hits[0].role, SEARCH_ROLE_ASSISTANT);
	assert_int_equal(j.hits[0].segment_count, 2);
	assert_true(str_is(j.hits[0].segments[0].text, "a cup of "));
	assert_true(str_is(j.hits[0].segments[1].text, "tea") && j.hits[0].segments[1].match);
	j.conversation = b.conversation;
	ask(f, &j);
	assert_int_equal(j.hit_count, 0);
	arena_finish(&j.arena);
}

/* Well before the indexer would do it of itself.  The machine may be too busy for it once. */
static void a_search_waits_for_the_index(void **state)
{
	struct fixture *f = *state;
	int             at_once = 0;

	open_store(f);
	for (size_t i = 1; i <= 5; i++) {
		struct search_read j = search_for("tea", 1);

		say(f, 1, "green tea", "nothing");
		assert_int_equal(DO(f, search_read, &j), ERR_OK);
		at_once += j.complete && j.hit_count == i;
		arena_finish(&j.arena);
	}
	assert_true(at_once > 0);
	assert_int_equal(found(f, "tea", 1), 5);
}

static void messages_of_every_writer_are_found(void **state)
{
	struct fixture *f = *state;
	/* clang-format off */
	struct store_message     m[2] = {
		    { id_new(), STR("{\"role\":\"user\",\"content\":\"loose one\"}") },
		    { id_new(), STR("{\"role\":\"user\",\"content\":\"loose two\"}") } };
	struct conversation_write c = { .change = CONVERSATION_CREATE, .owner = 1,
		                        .conversation = id_new(), .title_set = true,
		                        .title = STR("A title"), .messages = m, .message_count = 2 };

	arena_init(&c.arena, MIB);
	open_store(f);
	assert_int_equal(DO(f, conversation_write, &c), ERR_OK);
	assert_int_equal(found(f, "loose", 1), 2);

	/* A turn that failed: what was asked is there all the same. */
	struct store_message asked;
	struct turn_begin    t = first_turn(&asked, "{\"role\":\"user\",\"content\":\"asked\"}");
	t.owner = 1;
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	struct turn_end end = end_of(t.run, RUN_FAILED, NULL);
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
	assert_int_equal(found(f, "asked", 1), 1);

	/* And one that the process did not live to end. */
	struct turn_begin cut = first_turn(&asked, "{\"role\":\"user\",\"content\":\"cut off\"}");
	cut.owner = 1;
	assert_int_equal(DO(f, turn_begin, &cut), ERR_OK);
	close_store(f);
	open_store(f);
	assert_int_equal(found(f, "\"cut off\"", 1), 1);

	struct search_read j = search_for("two", 1);
	ask(f, &j);
	assert_true(str_is(j.hits[0].title, "A title"));
	arena_finish(&j.arena);
	arena_finish(&c.arena);
}

static void pages_repeat_and_lose_nothing(void **state)
{
	enum { N = 45 };
	struct fixture *f = *state;
	int64_t         seen[N + 1];
	size_t          count = 0;
	char            next[SEARCH_CURSOR + 1] = "";
	int64_t         score = INT64_MAX;

	open_store(f);
	for (int i = 0; i < N; i++)
		say(f, 1, i % 3 ? "word and other things" : "word word word", "-");
	do {
		struct search_read j = search_for("word", 1);

		j.limit = 7;
		j.after = str_of(next[0] ? next : NULL);
		ask(f, &j);
		assert_int_equal(j.job.err.code, ERR_OK);
		for (size_t i = 0; i < j.hit_count; i++) {
			assert_true(count < N);
			for (size_t k = 0; k < count; k++)
				assert_true(seen[k] != j.hits[i].message.key);
			seen[count++] = j.hits[i].message.key;
			assert_true(j.hits[i].score <= score);
			score = j.hits[i].score;
		}
		if (count == 7)
			say(f, 1, "word word word", "-"); /* which the pages that follow don't show */
		str_copy(next, sizeof next, j.next);
		arena_finish(&j.arena);
	} while (next[0]);
	/* clang-format on */
	assert_int_equal(count, N);
}

static void windows_follow_each_other(void **state)
{
	enum { N = LIMIT_SEARCH_WINDOW + 150 };
	struct fixture      *f = *state;
	struct store_message m[200];
	char                 next[SEARCH_CURSOR + 1] = "";
	size_t               count = 0;
	int64_t              sum = 0;
	int64_t              want = 0;

	open_store(f);
	for (int done = 0; done < N;) {
		int               n = N - done < 200 ? N - done : 200;
		struct turn_begin t = first_turn(m, "");

		for (int i = 0; i < n; i++) {
			m[i] = (struct store_message){
				id_new(), STR("{\"role\":\"user\",\"content\":\"word\"}")
			};
			want += m[i].id.key % 1000003;
		}
		t.message_count = (size_t)n;
		t.owner = 1;
		whole_turn(f, &t, "{\"role\":\"assistant\",\"content\":\"-\"}");
		done += n;
	}
	do {
		struct search_read j = search_for("word", 1);

		j.after = str_of(next[0] ? next : NULL);
		ask(f, &j);
		assert_int_equal(j.job.err.code, ERR_OK);
		for (size_t i = 0; i < j.hit_count; i++)
			sum += j.hits[i].message.key % 1000003;
		count += j.hit_count;
		str_copy(next, sizeof next, j.next);
		arena_finish(&j.arena);
	} while (next[0]);
	assert_int_equal(count, N);
	assert_int_equal(sum, want);
}

static void a_cursor_belongs_to_its_search(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	say(f, 1, "word", "word");
	struct search_read j = search_for("word", 1);
	j.limit = 1;
	ask(f, &j);
	char next[SEARCH_CURSOR + 1];
	str_copy(next, sizeof next, j.next);
	assert_int_equal(strlen(next), SEARCH_CURSOR);

	j.after = str_of(next);
	j.role = SEARCH_ROLE_USER;
	ask(f, &j);
	assert_int_equal(j.job.err.code, ERR_INVALID_VALUE);
	assert_string_equal(j.job.err.path, "after");
	j.role = -1;
	j.owner = 2;
	ask(f, &j);
	assert_int_equal(j.job.err.code, ERR_INVALID_VALUE);
	j.owner = 1;
	ask(f, &j);
	assert_int_equal(j.hit_count, 1);
	arena_finish(&j.arena);
}

/* A turn that no batch has room for. */
static void a_long_turn_takes_several_batches(void **state)
{
	enum { N = 2 * LIMIT_SEARCH_BATCH_TEXT / LIMIT_SEARCH_TEXT };
	static struct store_message m[N];
	struct fixture             *f = *state;
	struct turn_begin           t = first_turn(m, "");
	struct buf                  body;

	buf_init(&body, MIB);
	assert_true(buf_text(&body, "{\"role\":\"user\",\"content\":\"word"));
	while (body.len < LIMIT_SEARCH_TEXT)
		assert_true(buf_text(&body, " filler"));
	assert_true(buf_text(&body, "\"}"));
	_Static_assert(N + 1 == 65, "the statement below has the number");
	open_store(f);
	for (size_t i = 0; i < N; i++)
		m[i] = (struct store_message){ id_new(), buf_view(&body) };
	t.message_count = N;
	t.owner = 1;
	whole_turn(f, &t, "{\"role\":\"assistant\",\"content\":\"word\"}");
	wait_for(f, true, "SELECT count(*) = 65 FROM doc");
	buf_finish(&body);
}

static void what_is_removed_is_forgotten(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	struct turn_begin a = say(f, 1, "first secret", "second secret");
	struct turn_begin b = say(f, 1, "third secret", "kept");
	assert_int_equal(found(f, "secret", 1), 3);

	struct conversation_write w = { .change = CONVERSATION_REMOVE_MESSAGE,
					.owner = 1,
					.conversation = a.conversation,
					.message = a.run };
	struct search_read        j = search_for("secret", 1);
	arena_init(&w.arena, MIB);
	assert_int_equal(DO(f, conversation_write, &w), ERR_OK);
	assert_int_equal(DO(f, search_read, &j), ERR_OK);
	assert_int_equal(j.hit_count, 2); /* at once, whatever the index has */
	w.change = CONVERSATION_DELETE;
	w.conversation = b.conversation;
	assert_int_equal(DO(f, conversation_write, &w), ERR_OK);
	arena_finish(&j.arena);
	assert_int_equal(DO(f, search_read, &j), ERR_OK);
	assert_int_equal(j.hit_count, 1);
	arena_finish(&j.arena);
	arena_finish(&w.arena);

	wait_for(f, true, "SELECT count(*) = 1 FROM doc");
	wait_for(f, false, "SELECT count(*) = 0 FROM search_queue WHERE text IS NOT NULL");
	wait_for(f, false, "SELECT count(*) = 1 FROM search_queue");
	close_store(f);
	assert_int_equal(index_int(f, "SELECT count FROM state"), 1);
	open_store(f);
	assert_int_equal(found(f, "secret", 1), 1);
	assert_int_equal(found(f, "kept", 1), 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(only_the_owners_messages_are_found), T(a_search_waits_for_the_index),
		T(messages_of_every_writer_are_found), T(pages_repeat_and_lose_nothing),
		T(windows_follow_each_other),          T(a_cursor_belongs_to_its_search),
		T(a_long_turn_takes_several_batches),  T(what_is_removed_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
