/* Forks: what is copied, what holds in the copy, and that neither needs the other. */
#include "engine_help.h"
#include "store/turn.h"

static struct conversation_write fork_of(struct id source, struct id at)
{
	struct conversation_write w = {
		.change = CONVERSATION_FORK,
		.conversation = id_new(),
		.source = source,
		.message = at,
		.now_ms = clock_wall_ms(),
	};

	arena_init(&w.arena, MIB);
	return w;
}

static enum errc do_write(struct fixture *f, struct conversation_write *w)
{
	enum errc rc = DO(f, conversation_write, w);

	arena_finish(&w->arena);
	return rc;
}

static struct id forked(struct fixture *f, struct id source, struct id at)
{
	struct conversation_write w = fork_of(source, at);

	assert_int_equal(do_write(f, &w), ERR_OK);
	return w.conversation;
}

static void change(struct fixture *f, enum conversation_change change, struct id talk,
		   struct id message)
{
	struct conversation_write w = { .change = change,
					.conversation = talk,
					.message = message,
					.now_ms = clock_wall_ms() };

	arena_init(&w.arena, MIB);
	assert_int_equal(do_write(f, &w), ERR_OK);
}

/* A list of messages tells the same instruction as the branch. */
static void assert_listed(struct fixture *f, struct id talk, struct str instruction)
{
	struct items_read j = { .conversation = talk, .limit = 1, .with_instruction = true };

	arena_init(&j.arena, MIB);
	assert_int_equal(DO(f, items_read, &j), ERR_OK);
	assert_true(str_eq(j.instruction, instruction));
	arena_finish(&j.arena);
}

/* Bodies of the branch and the instruction: "INSTRUCTION:abc", "-:abc" where none is set. */
static void assert_branch(struct fixture *f, struct id talk, const char *want)
{
	struct branch_read b = branch_of(talk);
	char               got[256];

	assert_int_equal(DO(f, branch_read, &b), ERR_OK);
	snprintf(got, sizeof got, "%.*s:", STR_ARG(b.instruction_set ? b.instruction : STR("-")));
	for (size_t i = 0; i < b.message_count; i++)
		snprintf(got + strlen(got), sizeof got - strlen(got), "%.*s",
			 STR_ARG(b.messages[i].body));
	assert_string_equal(got, want);
	assert_listed(f, talk, b.instruction);
	arena_finish(&b.arena);
}

static struct turn_begin turn_with(struct turn_begin t, const char *instruction)
{
	t.instruction_set = instruction != NULL;
	t.instruction = instruction ? str_of(instruction) : STR_NONE;
	return t;
}

/* The next turn, question and answer. */
static struct turn_begin go_on(struct fixture *f, struct id talk, struct id from,
			       const char *instruction, struct store_message *m,
			       const char *question, const char *answer)
{
	struct branch_read b = branch_of(talk);

	b.from = from;
	assert_int_equal(DO(f, branch_read, &b), ERR_OK);
	struct turn_begin t = turn_with(next_turn(&b, m, question), instruction);
	t.branching = !id_none(from);
	arena_finish(&b.arena);
	whole_turn(f, &t, answer);
	return t;
}

static struct turn_begin start(struct fixture *f, const char *instruction, struct store_message *m,
			       const char *question, const char *answer)
{
	struct turn_begin t = turn_with(first_turn(m, question), instruction);

	whole_turn(f, &t, answer);
	return t;
}

static const struct id none;

static void a_branch_is_copied_to_a_message(void **state)
{
	struct fixture      *f = *state;
	struct store_message m, n, o;
	struct turn_begin    one = start(f, "I", &m, "a", "b");
	struct turn_begin    two = go_on(f, one.conversation, none, NULL, &n, "c", "d");
	struct turn_begin    side = go_on(f, one.conversation, one.run, "J", &o, "x", "y");
	struct id            talk = one.conversation;

	assert_branch(f, talk, "J:abxy");
	assert_branch(f, forked(f, talk, none), "J:abxy");
	assert_branch(f, forked(f, talk, side.run), "J:abxy");
	assert_branch(f, forked(f, talk, o.id), "J:abx");
	assert_branch(f, forked(f, talk, two.run), "I:abcd");
	assert_branch(f, forked(f, talk, n.id), "I:abc");
	assert_branch(f, forked(f, talk, m.id), "I:a");
	/* The source is as it was. */
	assert_branch(f, talk, "J:abxy");
}

static void the_copies_are_loose_messages_of_their_time(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;
	struct turn_begin t = first_turn(&m, "{\"content\":\"\\u00e4 \xc3\xa4\",\"extra\": 1.0}");

	t.now_ms = 5000;
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	struct turn_end e = end_of(t.run, RUN_INCOMPLETE, "half");
	e.completed_ms = 7000;
	assert_int_equal(DO(f, turn_end, &e), ERR_OK);
	struct id copy = forked(f, t.conversation, t.run);

	struct items_read j = { .conversation = copy, .limit = 10 };
	arena_init(&j.arena, MIB);
	assert_int_equal(DO(f, items_read, &j), ERR_OK);
	assert_int_equal(j.item_count, 2);
	assert_true(str_eq(j.items[0].message.body, m.body));
	assert_int_equal(j.items[0].created_ms, 5000);
	assert_str(j.items[1].message.body, "half");
	assert_int_equal(j.items[1].status, RUN_COMPLETED);
	assert_true(j.items[0].message.id.key != m.id.key);
	assert_true(j.items[1].message.id.key > j.items[0].message.id.key);
	arena_finish(&j.arena);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM run"), 1);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM message WHERE run = 0"), 2);
	assert_int_equal(outside_int(f, "SELECT count(DISTINCT secret) FROM message"), 4);
	assert_int_equal(outside_int(f,
				     "SELECT a.created_ms - b.created_ms FROM message a, message b "
				     "WHERE a.body = 'half' AND b.body = 'half' AND a.id < b.id"),
			 0);
}

static void removed_messages_are_passed_over(void **state)
{
	struct fixture      *f = *state;
	struct store_message m, n;
	struct turn_begin    one = start(f, "I", &m, "a", "b");

	go_on(f, one.conversation, none, NULL, &n, "c", "d");
	change(f, CONVERSATION_REMOVE_MESSAGE, one.conversation, m.id);
	change(f, CONVERSATION_REMOVE_MESSAGE, one.conversation, one.run);
	assert_branch(f, forked(f, one.conversation, none), "I:cd");
	struct conversation_write w = fork_of(one.conversation, m.id);
	assert_int_equal(do_write(f, &w), ERR_NOT_FOUND);
	assert_string_equal(w.job.err.path, "at");
	assert_int_equal(outside_int(f, "SELECT count(*) FROM message WHERE body = ''"), 2);
}

static void the_instruction_holds_on(void **state)
{
	struct fixture      *f = *state;
	struct store_message m, n, o;
	struct turn_begin    one = start(f, "I", &m, "a", "b");
	struct id            talk = forked(f, one.conversation, none);
	struct id            again = forked(f, talk, none);

	assert_branch(f, again, "I:ab");
	struct turn_begin two = go_on(f, again, none, NULL, &n, "c", "d");
	assert_branch(f, again, "I:abcd");
	struct turn_begin three = go_on(f, again, two.run, "", &o, "e", "f");
	assert_branch(f, again, ":abcdef");
	assert_branch(f, forked(f, again, three.run), "-:abcdef");
	assert_branch(f, forked(f, again, two.run), "I:abcd");
	go_on(f, talk, none, "K", &n, "x", "y");
	assert_branch(f, talk, "K:abxy");

	/* A turn from the middle of a fork knows it, too. */
	struct branch_read b = branch_of(again);
	b.from = two.run;
	reread(f, &b);
	assert_true(b.instruction_set);
	assert_str(b.instruction, "I");
	arena_finish(&b.arena);

	/* Without any message. */
	change(f, CONVERSATION_REMOVE_MESSAGE, one.conversation, m.id);
	change(f, CONVERSATION_REMOVE_MESSAGE, one.conversation, one.run);
	assert_branch(f, forked(f, one.conversation, none), "I:");
	change(f, CONVERSATION_DELETE, one.conversation, none);
	assert_branch(f, forked(f, talk, none), "K:abxy");
}

static void labels_are_the_sources_unless_given(void **state)
{
	struct fixture           *f = *state;
	struct conversation_write w = { .change = CONVERSATION_CREATE,
					.conversation = id_new(),
					.metadata = STR("{\"a\":\"b\"}"),
					.title = STR("T") };
	struct id                 source = w.conversation;

	arena_init(&w.arena, MIB);
	assert_int_equal(do_write(f, &w), ERR_OK);
	w = fork_of(source, none);
	assert_int_equal(DO(f, conversation_write, &w), ERR_OK);
	assert_str(w.now.title, "T");
	assert_str(w.now.metadata, "{\"a\":\"b\"}");
	assert_int_equal(w.now.revision, 1);
	assert_int_equal(w.now.id.key, w.conversation.key);
	assert_int_equal(w.now.created_ms, w.now_ms);
	arena_finish(&w.arena);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM conversation_label"), 2);

	w = fork_of(source, none);
	w.title_set = w.metadata_set = true;
	w.title = STR_NONE;
	w.metadata = STR("{\"c\":\"d\"}");
	assert_int_equal(DO(f, conversation_write, &w), ERR_OK);
	assert_int_equal(w.now.title.n, 0);
	assert_str(w.now.metadata, "{\"c\":\"d\"}");
	arena_finish(&w.arena);

	w = fork_of(source, none);
	w.conditional = true;
	w.revision_count = 1;
	w.revisions[0] = 2;
	assert_int_equal(do_write(f, &w), ERR_PRECONDITION_FAILED);
	w = fork_of(source, none);
	w.conditional = true;
	w.revision_count = 1;
	w.revisions[0] = 1;
	assert_int_equal(do_write(f, &w), ERR_OK);
	assert_int_equal(outside_int(f, "SELECT max(rev) FROM conversation"), 1);
}

static void what_is_not_there_is_refused(void **state)
{
	struct fixture      *f = *state;
	struct store_message m, n;
	struct turn_begin    one = start(f, NULL, &m, "a", "b");
	struct turn_begin    two = start(f, NULL, &n, "c", "d");
	struct id            wrong = { m.id.key, m.id.secret + 1 };
	const struct id      cases[][2] = { { one.conversation, two.run },
					    { one.conversation, wrong },
					    { one.conversation, { 1, 1 } } };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct conversation_write w = fork_of(cases[i][0], cases[i][1]);

		assert_int_equal(do_write(f, &w), ERR_NOT_FOUND);
		assert_string_equal(w.job.err.path, "at");
	}
	struct conversation_write w = fork_of(two.run, none);
	assert_int_equal(do_write(f, &w), ERR_NOT_FOUND);
	assert_string_equal(w.job.err.path, "");
	w = fork_of(one.conversation, none);
	w.owner = 5;
	assert_int_equal(do_write(f, &w), ERR_NOT_FOUND);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM conversation"), 2);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM message"), 4);
}

static void while_a_run_goes_on_and_after_it_failed(void **state)
{
	struct fixture      *f = *state;
	struct store_message m, n;
	struct turn_begin    one = start(f, "I", &m, "a", "b");
	struct branch_read   b = branch_of(one.conversation);

	reread(f, &b);
	struct turn_begin two = turn_with(next_turn(&b, &n, "c"), "J");
	arena_finish(&b.arena);
	assert_int_equal(DO(f, turn_begin, &two), ERR_OK);
	struct id copy = forked(f, one.conversation, none);
	assert_branch(f, copy, "J:abc");
	assert_branch(f, forked(f, one.conversation, one.run), "I:ab");
	/* Its answer is not there yet. */
	struct conversation_write w = fork_of(one.conversation, two.run);
	assert_int_equal(do_write(f, &w), ERR_NOT_FOUND);

	struct turn_end e = end_of(two.run, RUN_FAILED, NULL);
	assert_int_equal(DO(f, turn_end, &e), ERR_OK);
	assert_branch(f, forked(f, one.conversation, none), "J:abc");
	assert_branch(f, copy, "J:abc");
}

static void neither_needs_the_other(void **state)
{
	struct fixture      *f = *state;
	struct store_message m, n;
	struct turn_begin    one = start(f, "I", &m, "a", "b");
	struct id            copy = forked(f, one.conversation, none);
	struct id            other = forked(f, one.conversation, m.id);

	go_on(f, copy, none, NULL, &n, "c", "d");
	change(f, CONVERSATION_DELETE, one.conversation, none);
	assert_branch(f, copy, "I:abcd");
	assert_branch(f, other, "I:a");
	change(f, CONVERSATION_DELETE, copy, none);
	assert_branch(f, other, "I:a");
	assert_int_equal(outside_int(f, "SELECT count(*) FROM message"), 1);
	change(f, CONVERSATION_DELETE, other, none);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM message"), 0);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM conversation"), 0);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM conversation_label"), 0);
}

static void any_branch_can_be_read(void **state)
{
	struct fixture      *f = *state;
	struct store_message m, n, o;
	struct turn_begin    one = start(f, NULL, &m, "a", "b");
	struct turn_begin    two = go_on(f, one.conversation, none, NULL, &n, "c", "d");
	struct turn_begin    elsewhere = start(f, NULL, &o, "e", "f");
	const struct {
		struct id   leaf;
		const char *want;
	} cases[] = { { none, "abxy" }, { two.run, "abcd" }, { n.id, "abc" }, { m.id, "a" } };

	go_on(f, one.conversation, one.run, NULL, &o, "x", "y");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct items_read j = { .conversation = one.conversation,
					.leaf = cases[i].leaf,
					.limit = 10 };
		char              got[16] = "";

		arena_init(&j.arena, MIB);
		assert_int_equal(DO(f, items_read, &j), ERR_OK);
		for (size_t k = 0; k < j.item_count; k++)
			strncat(got, j.items[k].message.body.p, 1);
		assert_string_equal(got, cases[i].want);
		arena_finish(&j.arena);
	}
	struct items_read j = { .conversation = one.conversation,
				.leaf = elsewhere.run,
				.limit = 10 };
	arena_init(&j.arena, MIB);
	assert_int_equal(DO(f, items_read, &j), ERR_NOT_FOUND);
	assert_string_equal(j.job.err.path, "leaf");
	/* A cursor of another branch leads nowhere. */
	j.leaf = two.run;
	j.after = o.id;
	assert_int_equal(DO(f, items_read, &j), ERR_INVALID_VALUE);
	arena_finish(&j.arena);
}

/* Messages straight into the file: so many that a turn each would take long. */
static void fill(struct fixture *f, const struct turn_begin *t, int64_t more)
{
	char sql[512];

	snprintf(
		sql, sizeof sql,
		"WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < %lld) "
		"INSERT INTO message (id, secret, owner, conversation, prev, run, created_ms, body) SELECT %lld + i, 1, 0, %lld, %lld + i - 1, 0, 0, 'm' FROM k;"
		"UPDATE conversation SET tip = %lld",
		(long long)more, (long long)t->run.key, (long long)t->conversation.key,
		(long long)t->run.key, (long long)(t->run.key + more));
	outside(f, sql);
}

static void the_longest_fork_and_one_more(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;
	struct turn_begin    t = start(f, NULL, &m, "a", "b");

	fill(f, &t, LIMIT_FORK - 1);
	close_store(f);
	open_store(f);
	struct conversation_write w = fork_of(t.conversation, none);
	assert_int_equal(do_write(f, &w), ERR_REQUEST_TOO_LARGE);
	assert_string_equal(w.job.err.path, "at");
	w = fork_of(t.conversation, (struct id){ t.run.key + LIMIT_FORK - 2, 1 });
	assert_int_equal(do_write(f, &w), ERR_OK);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM message"), 2 * LIMIT_FORK + 1);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM conversation"), 2);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up_open, tear_down)

static int set_up_open(void **state)
{
	set_up(state);
	open_store(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_branch_is_copied_to_a_message),
		T(the_copies_are_loose_messages_of_their_time),
		T(removed_messages_are_passed_over),
		T(the_instruction_holds_on),
		T(labels_are_the_sources_unless_given),
		T(what_is_not_there_is_refused),
		T(while_a_run_goes_on_and_after_it_failed),
		T(neither_needs_the_other),
		T(any_branch_can_be_read),
		T(the_longest_fork_and_one_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
