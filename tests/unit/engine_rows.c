/* The row that a list shows of a conversation: written with its turns, and never counted. */
#include "engine_help.h"

#define SAYS(who, what) "{\"role\":\"" who "\",\"content\":\"" what "\"}"

static size_t lines(struct fixture *f, struct conversations_read *j)
{
	arena_init(&j->arena, MIB);
	assert_int_equal(DO(f, conversations_read, j), ERR_OK);
	return j->line_count;
}

/* assert_row: the newest conversation of the owner 0. */
static void assert_row(struct fixture *f, const char *title, const char *excerpt, int64_t messages,
		       int64_t nano)
{
	struct conversations_read       j = { .limit = 1, .descending = true };
	const struct conversation_line *l;

	assert_int_equal(lines(f, &j), 1);
	l = j.lines;
	assert_str(l->conversation.title.n > 0 ? l->conversation.title : l->conversation.opening,
		   title);
	assert_str(l->excerpt, excerpt);
	assert_int_equal(l->messages, messages);
	assert_int_equal(l->costs, nano >= 0);
	assert_int_equal(l->cost_nano, nano >= 0 ? nano : 0);
	arena_finish(&j.arena);
}

static void end_turn(struct fixture *f, struct id run, const char *answer, int64_t nano)
{
	struct turn_end end = end_of(run, answer ? RUN_COMPLETED : RUN_FAILED, answer);

	end.answer = answer ? str_of(answer) : STR_NONE;
	end.costs = nano >= 0;
	end.cost_nano = nano >= 0 ? nano : 0;
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
}

static enum errc change(struct fixture *f, struct conversation_write *w)
{
	w->now_ms = clock_wall_ms();
	arena_init(&w->arena, MIB);
	enum errc rc = DO(f, conversation_write, w);
	arena_finish(&w->arena);
	return rc;
}

static void turns_write_the_row(void **state)
{
	struct fixture      *f = *state;
	struct store_message m, n;
	struct turn_begin    t = first_turn(&m, SAYS("user", "How far is it?"));

	open_store(f);
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	assert_row(f, "How far is it?", "How far is it?", 1, -1);
	end_turn(f, t.run, SAYS("assistant", "Very far."), 1500);
	assert_row(f, "How far is it?", "Very far.", 2, 1500);

	struct branch_read b = branch_of(t.conversation);
	assert_int_equal(DO(f, branch_read, &b), ERR_OK);
	struct turn_begin again = next_turn(&b, &n, SAYS("user", "And back?"));
	assert_int_equal(DO(f, turn_begin, &again), ERR_OK);
	assert_row(f, "How far is it?", "And back?", 3, 1500);
	end_turn(f, again.run, NULL, -1); /* a failure without a cost changes nothing */
	assert_row(f, "How far is it?", "And back?", 3, 1500);
	arena_finish(&b.arena);
}

static void changes_write_it_too(void **state)
{
	struct fixture           *f = *state;
	struct store_message      m[] = { { id_new(), STR(SAYS("user", "one")) },
					  { id_new(), STR(SAYS("assistant", "two")) } };
	struct conversation_write made = { .change = CONVERSATION_CREATE,
					   .conversation = id_new(),
					   .messages = m,
					   .message_count = 1 };

	open_store(f);
	assert_int_equal(change(f, &made), ERR_OK);
	assert_row(f, "one", "one", 1, -1);
	struct conversation_write more = { .change = CONVERSATION_APPEND,
					   .conversation = made.conversation,
					   .messages = &m[1],
					   .message_count = 1 };
	assert_int_equal(change(f, &more), ERR_OK);
	assert_row(f, "one", "two", 2, -1);
	struct conversation_write fork = { .change = CONVERSATION_FORK,
					   .conversation = id_new(),
					   .source = made.conversation,
					   .message = m[0].id };
	assert_int_equal(change(f, &fork), ERR_OK);
	assert_row(f, "one", "one", 1, -1);
	struct conversation_write all = { .change = CONVERSATION_DELETE,
					  .conversation = fork.conversation };
	assert_int_equal(change(f, &all), ERR_OK);

	/* Content that was removed is in no list. */
	struct conversation_write gone = { .change = CONVERSATION_REMOVE_MESSAGE,
					   .conversation = made.conversation,
					   .message = m[0].id };
	assert_int_equal(change(f, &gone), ERR_OK);
	assert_row(f, "", "two", 1, -1);
	gone.message = m[1].id;
	assert_int_equal(change(f, &gone), ERR_OK);
	assert_row(f, "", "", 0, -1);
}

static void a_user_s_title_stays(void **state)
{
	struct fixture           *f = *state;
	struct store_message      m;
	struct turn_begin         t = first_turn(&m, SAYS("user", "words"));
	struct conversation_write by_model = { .change = CONVERSATION_TITLE,
					       .conversation = t.conversation,
					       .title_set = true,
					       .title = STR("A model's") };
	struct conversation_write by_user = { .change = CONVERSATION_UPDATE,
					      .conversation = t.conversation,
					      .title_set = true,
					      .title = STR("A user's") };

	open_store(f);
	whole_turn(f, &t, SAYS("assistant", "answer"));
	assert_int_equal(change(f, &by_model), ERR_OK);
	assert_int_equal(by_model.now.titled, TITLED_BY_MODEL);
	assert_row(f, "A model's", "answer", 2, -1);
	assert_int_equal(change(f, &by_user), ERR_OK);
	assert_int_equal(by_user.now.titled, TITLED_BY_USER);
	assert_int_equal(change(f, &by_model), ERR_OK);
	assert_row(f, "A user's", "answer", 2, -1);
	by_user.title = STR("");
	assert_int_equal(change(f, &by_user), ERR_OK);
	assert_int_equal(by_user.now.titled, TITLED_BY_WORDS);
	assert_row(f, "words", "answer", 2, -1);
}

static void assert_list(struct fixture *f, struct conversations_read j, const struct id *want,
			size_t count)
{
	struct id after = { 0 };

	/* In pages of one, which are all in the right place. */
	for (size_t i = 0; i <= count; i++) {
		struct conversations_read page = j;

		page.limit = 1;
		page.after = after;
		assert_int_equal(lines(f, &page), i < count);
		assert_int_equal(page.has_more, i + 1 < count);
		if (i < count) {
			assert_int_equal(page.lines[0].conversation.id.key, want[i].key);
			after = want[i];
		}
		arena_finish(&page.arena);
	}
}

static void each_list_has_its_own(void **state)
{
	enum { COUNT = 6 };
	struct fixture      *f = *state;
	struct turn_begin    t[COUNT];
	struct store_message m[COUNT];
	struct store_message n;

	open_store(f);
	for (size_t i = 0; i < COUNT; i++) {
		t[i] = first_turn(&m[i], SAYS("user", "hello"));
		t[i].origin = i % 2 ? ORIGIN_CONSOLE : ORIGIN_PROGRAM;
		whole_turn(f, &t[i], SAYS("assistant", "hi"));
	}
#define C(i) t[i].conversation
	assert_list(f, (struct conversations_read){ .of = CONVERSATIONS_ALL },
		    (struct id[]){ C(0), C(1), C(2), C(3), C(4), C(5) }, COUNT);
	assert_list(f, (struct conversations_read){ .of = CONVERSATIONS_ALL, .descending = true },
		    (struct id[]){ C(5), C(4), C(3), C(2), C(1), C(0) }, COUNT);
	assert_list(f,
		    (struct conversations_read){ .of = CONVERSATIONS_PROGRAM, .descending = true },
		    (struct id[]){ C(4), C(2), C(0) }, 3);
	assert_list(f, (struct conversations_read){ .of = CONVERSATIONS_CONSOLE },
		    (struct id[]){ C(1), C(3), C(5) }, 3);

	/* The one with the newest turn comes first. */
	struct branch_read b = branch_of(C(1));
	assert_int_equal(DO(f, branch_read, &b), ERR_OK);
	struct turn_begin again = next_turn(&b, &n, SAYS("user", "more"));
	whole_turn(f, &again, SAYS("assistant", "yes"));
	arena_finish(&b.arena);
	assert_list(f,
		    (struct conversations_read){ .of = CONVERSATIONS_RECENT, .descending = true },
		    (struct id[]){ C(1), C(5), C(3) }, 3);

	struct conversation_write pin = { .change = CONVERSATION_UPDATE,
					  .conversation = C(2),
					  .pinned_set = true,
					  .pinned = true };
	assert_int_equal(change(f, &pin), ERR_OK);
	assert_true(pin.now.pinned);
	pin.conversation = C(3);
	assert_int_equal(change(f, &pin), ERR_OK);
	assert_list(f,
		    (struct conversations_read){ .of = CONVERSATIONS_PINNED, .descending = true },
		    (struct id[]){ C(3), C(2) }, 2);
	pin.pinned = false;
	assert_int_equal(change(f, &pin), ERR_OK);
	assert_list(f, (struct conversations_read){ .of = CONVERSATIONS_PINNED },
		    (struct id[]){ C(2) }, 1);
	assert_list(f, (struct conversations_read){ .of = CONVERSATIONS_PINNED, .owner = 1 }, NULL,
		    0);
#undef C
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(turns_write_the_row, set_up, tear_down),
		cmocka_unit_test_setup_teardown(changes_write_it_too, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_user_s_title_stays, set_up, tear_down),
		cmocka_unit_test_setup_teardown(each_list_has_its_own, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
