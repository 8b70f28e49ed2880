/* Turns: what is written comes back, in order, and only to its owner. */
#include "engine_help.h"
#include "store/events.h"
#include "store/store.h"
#include "store/turn.h"

#define Q(text) "{\"role\":\"user\",\"content\":\"" text "\"}"
#define A(text) "{\"role\":\"assistant\",\"content\":\"" text "\"}"

static int set_up_open(void **state)
{
	set_up(state);
	open_store(*state);
	return 0;
}

static void a_turn_comes_back_whole(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;
	struct turn_begin    t = first_turn(&m, Q("hello"));

	t.metadata = STR("{\"a\":\"b\"}");
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	assert_int_equal(status_of(f, t.run), RUN_RUNNING);
	struct turn_end end = end_of(t.run, RUN_COMPLETED, A("hi"));
	end.usage = (struct usage){ .known = true,
				    .in = 3,
				    .out = 4,
				    .cached_read = 5,
				    .cached_write = 6,
				    .reasoning = 7 };
	end.first_token_ms = 12;
	end.attempts = 2;
	end.provider = STR("far"); /* the one that answered in the end */
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);

	struct run_read r = { .run = t.run };
	arena_init(&r.arena, MIB);
	assert_int_equal(DO(f, run_read, &r), ERR_OK);
	assert_int_equal(r.status, RUN_COMPLETED);
	assert_memory_equal(&r.conversation, &t.conversation, sizeof r.conversation);
	assert_true(id_none(r.continues));
	assert_str(r.model, "echo");
	assert_str(r.provider, "far");
	assert_str(r.finish_reason, "stop");
	assert_int_equal(r.error.n, 0);
	assert_true(r.usage.known && !r.usage.estimated);
	assert_int_equal(r.usage.in, 3);
	assert_int_equal(r.usage.out, 4);
	assert_int_equal(r.usage.cached_read, 5);
	assert_int_equal(r.usage.cached_write, 6);
	assert_int_equal(r.usage.reasoning, 7);
	assert_int_equal(r.created_ms, t.now_ms);
	assert_int_equal(r.first_token_ms, 12);
	assert_int_equal(r.completed_ms, end.completed_ms);
	assert_int_equal(r.attempts, 2);
	arena_finish(&r.arena);

	struct conversation_read c = { .conversation = t.conversation };
	arena_init(&c.arena, MIB);
	assert_int_equal(DO(f, conversation_read, &c), ERR_OK);
	assert_str(c.found.metadata, "{\"a\":\"b\"}");
	assert_int_equal(c.found.title.n, 0);
	assert_int_equal(c.found.created_ms, t.now_ms);
	arena_finish(&c.arena);
}

static void a_branch_is_read_from_root_to_leaf(void **state)
{
	struct fixture      *f = *state;
	struct store_message m[3];
	struct turn_begin    t = first_turn(m, Q("1"));

	m[1] = (struct store_message){ id_new(), STR(Q("2")) };
	t.message_count = 2;
	whole_turn(f, &t, A("3"));

	struct branch_read b = branch_of(t.conversation);
	reread(f, &b);
	assert_false(b.live);
	assert_memory_equal(&b.leaf, &t.run, sizeof b.leaf);
	assert_memory_equal(&b.expected_leaf, &t.run, sizeof b.leaf);

	struct turn_begin next = next_turn(&b, &m[2], Q("4"));
	whole_turn(f, &next, A("5"));
	reread(f, &b);
	assert_int_equal(b.message_count, 5);
	static const char *const want[] = { Q("1"), Q("2"), A("3"), Q("4"), A("5") };
	for (size_t i = 0; i < 5; i++)
		assert_str(b.messages[i].body, want[i]);
	assert_memory_equal(&b.messages[0].id, &m[0].id, sizeof(struct id));
	assert_memory_equal(&b.messages[2].id, &t.run, sizeof(struct id));
	assert_memory_equal(&b.leaf, &next.run, sizeof b.leaf);
	arena_finish(&b.arena);
}

static void a_turn_without_messages_hangs_on_its_parent(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;
	struct turn_begin    t = first_turn(&m, Q("1"));

	whole_turn(f, &t, A("2"));
	struct branch_read b = branch_of(t.conversation);
	reread(f, &b);
	struct turn_begin next = next_turn(&b, &m, "");
	next.message_count = 0;
	whole_turn(f, &next, A("3"));
	reread(f, &b);
	assert_int_equal(b.message_count, 3);
	assert_str(b.messages[2].body, A("3"));
	arena_finish(&b.arena);
}

static void the_newest_instruction_of_the_branch_holds(void **state)
{
	static const struct {
		const char *why;
		bool        set;
		const char *text;
		bool        want_set;
		const char *want;
	} turns[] = {
		{ "none yet", false, "", false, "" },
		{ "set", true, "be brief", true, "be brief" },
		{ "kept", false, "", true, "be brief" },
		{ "changed", true, "be long", true, "be long" },
		{ "ended by an empty one", true, "", true, "" },
		{ "still ended", false, "", true, "" },
	};
	struct fixture      *f = *state;
	struct store_message m;
	struct branch_read   b = branch_of((struct id){ 0 });

	for (size_t i = 0; i < ARRAY_LEN(turns); i++) {
		struct turn_begin t = i == 0 ? first_turn(&m, Q("q")) : next_turn(&b, &m, Q("q"));

		print_message("case: %s\n", turns[i].why);
		t.instruction_set = turns[i].set;
		t.instruction = str_of(turns[i].text);
		whole_turn(f, &t, A("a"));
		b.conversation = t.conversation;
		reread(f, &b);
		assert_int_equal(b.instruction_set, turns[i].want_set);
		assert_str(b.instruction, turns[i].want);
	}
	arena_finish(&b.arena);
}

static void a_turn_without_an_answer_is_not_continued_from(void **state)
{
	static const enum run_status ends[] = { RUN_FAILED, RUN_CANCELLED, RUN_INCOMPLETE };
	struct fixture              *f = *state;
	struct store_message         m;
	struct turn_begin            t = first_turn(&m, Q("1"));
	struct branch_read           b = branch_of(t.conversation);

	whole_turn(f, &t, A("2"));
	reread(f, &b);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		struct turn_begin bad = next_turn(&b, &m, Q("lost"));

		assert_int_equal(DO(f, turn_begin, &bad), ERR_OK);
		struct turn_end end = end_of(bad.run, ends[i], NULL);
		end.error = STR("{\"message\":\"x\"}");
		assert_int_equal(DO(f, turn_end, &end), ERR_OK);
		reread(f, &b);
		assert_int_equal(b.message_count, 2);
		assert_memory_equal(&b.leaf, &t.run, sizeof b.leaf);
		assert_memory_equal(&b.expected_leaf, &bad.run, sizeof b.leaf);
	}

	/* The first turn of all can fail too. */
	struct turn_begin alone = first_turn(&m, Q("lost"));
	assert_int_equal(DO(f, turn_begin, &alone), ERR_OK);
	struct turn_end end = end_of(alone.run, RUN_FAILED, NULL);
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
	b.conversation = alone.conversation;
	reread(f, &b);
	assert_int_equal(b.message_count, 0);
	assert_true(id_none(b.leaf));
	struct turn_begin again = next_turn(&b, &m, Q("2"));
	whole_turn(f, &again, A("3"));
	arena_finish(&b.arena);
}

static void an_incomplete_answer_is_continued_from(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;
	struct turn_begin    t = first_turn(&m, Q("1"));

	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	struct turn_end end = end_of(t.run, RUN_INCOMPLETE, A("par"));
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
	struct branch_read b = branch_of(t.conversation);
	reread(f, &b);
	assert_int_equal(b.message_count, 2);
	assert_str(b.messages[1].body, A("par"));
	arena_finish(&b.arena);
}

static void a_live_conversation_is_busy(void **state)
{
	struct fixture      *f = *state;
	struct store_message m[2];
	struct turn_begin    t = first_turn(&m[0], Q("1"));
	struct branch_read   b = branch_of(t.conversation);

	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	reread(f, &b);
	assert_true(b.live);
	assert_memory_equal(&b.expected_leaf, &t.run, sizeof b.leaf);

	struct turn_begin early = next_turn(&b, &m[1], Q("2"));
	assert_int_equal(DO(f, turn_begin, &early), ERR_CONVERSATION_BUSY);
	assert_int_equal(early.job.err.retry_after_ms, 1000);
	assert_string_equal(early.job.err.path, "conversation");

	struct turn_end end = end_of(t.run, RUN_COMPLETED, A("1"));
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
	reread(f, &b);
	struct turn_begin one = next_turn(&b, &m[0], Q("2"));
	struct turn_begin two = next_turn(&b, &m[1], Q("3"));
	whole_turn(f, &one, A("2"));
	/* Read before the other turn came in between. */
	assert_int_equal(DO(f, turn_begin, &two), ERR_CONVERSATION_BUSY);
	reread(f, &b);
	assert_int_equal(b.message_count, 4);
	arena_finish(&b.arena);
}

static void what_is_foreign_is_not_found(void **state)
{
	struct fixture      *f = *state;
	struct store_message m[2];
	struct turn_begin    t = first_turn(&m[0], Q("1"));

	t.owner = 5;
	whole_turn(f, &t, A("2"));

	struct id wrong_c = { t.conversation.key, t.conversation.secret ^ 1 };
	struct id wrong_r = { t.run.key, t.run.secret ^ 1 };
	const struct {
		const char *why;
		int64_t     owner;
		struct id   conversation;
		struct id   run;
		enum errc   want;
	} cases[] = {
		{ "its own", 5, t.conversation, t.run, ERR_OK },
		{ "another owner", 6, t.conversation, t.run, ERR_NOT_FOUND },
		{ "no owner", 0, t.conversation, t.run, ERR_NOT_FOUND },
		{ "wrong secret", 5, wrong_c, wrong_r, ERR_NOT_FOUND },
		{ "never made", 5, { 1, 2 }, { 1, 2 }, ERR_NOT_FOUND },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t                  owner = cases[i].owner;
		struct id                talk = cases[i].conversation;
		struct branch_read       b = { .owner = owner, .conversation = talk };
		struct conversation_read c = { .owner = owner, .conversation = talk };
		struct items_read        it = { .owner = owner, .conversation = talk, .limit = 5 };
		struct run_read          r = { .owner = owner, .run = cases[i].run };

		print_message("case: %s\n", cases[i].why);
		arena_init(&b.arena, MIB);
		arena_init(&c.arena, MIB);
		arena_init(&it.arena, MIB);
		arena_init(&r.arena, MIB);
		assert_int_equal(DO(f, branch_read, &b), cases[i].want);
		assert_int_equal(DO(f, conversation_read, &c), cases[i].want);
		assert_int_equal(DO(f, items_read, &it), cases[i].want);
		assert_int_equal(DO(f, run_read, &r), cases[i].want);
		if (cases[i].want != ERR_OK) {
			struct turn_begin in = first_turn(&m[1], Q("in"));

			in.owner = cases[i].owner;
			in.new_conversation = false;
			in.conversation = cases[i].conversation;
			in.expected_leaf = t.run;
			in.parent = t.run;
			assert_int_equal(DO(f, turn_begin, &in), cases[i].want);
			assert_string_equal(in.job.err.path, "conversation");
		}
		arena_finish(&b.arena);
		arena_finish(&c.arena);
		arena_finish(&it.arena);
		arena_finish(&r.arena);
	}
	assert_int_equal(outside_int(f, "SELECT count(*) FROM message"), 2);
}

static void a_parent_must_be_of_the_conversation(void **state)
{
	struct fixture      *f = *state;
	struct store_message m[3];
	struct turn_begin    a = first_turn(&m[0], Q("1"));
	struct turn_begin    b = first_turn(&m[1], Q("1"));
	struct turn_begin    t = first_turn(&m[2], Q("2"));

	whole_turn(f, &a, A("2"));
	whole_turn(f, &b, A("2"));
	t.new_conversation = false;
	t.conversation = a.conversation;
	t.expected_leaf = a.run;
	t.parent = b.run;
	assert_int_equal(DO(f, turn_begin, &t), ERR_NOT_FOUND);
	assert_string_equal(t.job.err.path, "parent");
}

static void a_run_ends_once(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;
	struct turn_begin    t = first_turn(&m, Q("1"));

	whole_turn(f, &t, A("2"));
	struct turn_end again = end_of(t.run, RUN_FAILED, NULL);
	assert_int_equal(DO(f, turn_end, &again), ERR_INTERNAL);
	assert_int_equal(status_of(f, t.run), RUN_COMPLETED);
	struct turn_end unknown = end_of(id_new(), RUN_FAILED, NULL);
	assert_int_equal(DO(f, turn_end, &unknown), ERR_NOT_FOUND);
	struct seq_reserve more = { .run = id_new(), .upto = 5 };
	assert_int_equal(DO(f, seq_reserve, &more), ERR_NOT_FOUND);
}

/* append: events that nobody decodes; returns whether the log has refused them. */
static bool append(struct fixture *f, struct id run, const struct run_news *news, bool sync)
{
	struct events_entry  x = { .piece = { run, 1, 1, STR("data") }, .news = news };
	struct events_append a = { .entries = &x, .entry_count = 1, .sync = sync };

	assert_int_equal(DO(f, events_append, &a), ERR_OK);
	return x.refused;
}

static void expect_executions(struct fixture *f, struct id run, const char *want)
{
	struct run_read r = { .run = run };

	arena_init(&r.arena, MIB);
	assert_int_equal(DO(f, run_read, &r), ERR_OK);
	assert_str(r.executions, want);
	arena_finish(&r.arena);
}

/* waiting_turn: a turn whose run has ended in front of code that waits for an approval. */
static void waiting_turn(struct fixture *f, struct turn_begin *t, const char *reason)
{
	struct turn_end end = end_of(t->run, RUN_COMPLETED, A("print(1)"));

	assert_int_equal(DO(f, turn_begin, t), ERR_OK);
	end.finish_reason = str_of(reason);
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
}

static void a_run_that_waits_can_be_withdrawn(void **state)
{
	struct fixture      *f = *state;
	struct store_message m, n;
	struct turn_begin    t = first_turn(&m, Q("hello"));
	struct branch_read   b = branch_of(t.conversation);
	struct run_read      r = { .run = t.run };
	struct run_withdraw  w = { .run = t.run, .error = STR("{\"code\":\"cancelled\"}") };

	waiting_turn(f, &t, "confirmation");
	reread(f, &b);
	struct turn_begin approval = next_turn(&b, &n, Q("unused"));
	approval.message_count = 0;
	approval.continues = t.run;
	approval.waits = true;

	w.owner = 8;
	assert_int_equal(DO(f, run_withdraw, &w), ERR_OK);
	assert_int_equal(status_of(f, t.run), RUN_COMPLETED);
	w.owner = 0;
	assert_int_equal(DO(f, run_withdraw, &w), ERR_OK);
	arena_init(&r.arena, MIB);
	assert_int_equal(DO(f, run_read, &r), ERR_OK);
	assert_int_equal(r.status, RUN_CANCELLED);
	assert_int_equal(r.finish_reason.n, 0);
	assert_str(r.error, "{\"code\":\"cancelled\"}");
	arena_finish(&r.arena);

	/* The approval had read the run before. */
	assert_int_equal(DO(f, turn_begin, &approval), ERR_CONVERSATION_BUSY);
	approval.waits = false;
	assert_int_equal(DO(f, turn_begin, &approval), ERR_OK);
	arena_finish(&b.arena);
}

static void a_run_that_does_not_wait_is_not_withdrawn(void **state)
{
	static const char *const reasons[] = { "stop", "max_steps", "confirmation" };
	struct fixture          *f = *state;

	for (size_t i = 0; i < ARRAY_LEN(reasons); i++) {
		struct store_message m, n;
		struct turn_begin    t = first_turn(&m, Q("hello"));
		struct branch_read   b = branch_of(t.conversation);
		struct run_withdraw  w = { .run = t.run, .error = STR("{}") };

		waiting_turn(f, &t, reasons[i]);
		reread(f, &b);
		if (strcmp(reasons[i], "confirmation") == 0) { /* approved, or passed over */
			struct turn_begin next = next_turn(&b, &n, Q("more"));

			next.continues = t.run;
			next.waits = true;
			assert_int_equal(DO(f, turn_begin, &next), ERR_OK);
		}
		assert_int_equal(DO(f, run_withdraw, &w), ERR_OK);
		assert_int_equal(status_of(f, t.run), RUN_COMPLETED);
		arena_finish(&b.arena);
	}
}

static void executions_are_kept_from_the_news_to_the_end(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;
	struct turn_begin    t = first_turn(&m, Q("1"));
	struct run_news      news = { .attempts = 1 };

	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	expect_executions(f, t.run, "");
	news.run = t.run;
	news.executions = STR("[{\"id\":\"exec_1\"}]");
	assert_false(append(f, t.run, &news, true));
	expect_executions(f, t.run, "[{\"id\":\"exec_1\"}]");
	news.executions = STR_NONE; /* not known: those that are there stay */
	assert_false(append(f, t.run, &news, false));
	struct turn_end end = end_of(t.run, RUN_COMPLETED, A("2"));
	end.executions = STR("[{\"id\":\"exec_1\"},{\"id\":\"exec_2\"}]");
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
	expect_executions(f, t.run, "[{\"id\":\"exec_1\"},{\"id\":\"exec_2\"}]");
}

static void an_end_that_knows_no_executions_leaves_those_of_the_news(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;
	struct turn_begin    t = first_turn(&m, Q("1"));
	struct run_news      news = { .attempts = 1, .executions = STR("[1]") };

	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	news.run = t.run;
	assert_false(append(f, t.run, &news, false));
	struct turn_end end = end_of(t.run, RUN_INCOMPLETE, A("2"));
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
	expect_executions(f, t.run, "[1]");
}

static void events_of_a_run_that_has_ended_are_refused_where_somebody_acts_on_them(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;
	struct turn_begin    t = first_turn(&m, Q("1"));

	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	assert_false(append(f, t.run, NULL, true));
	assert_false(append(f, t.run, NULL, true)); /* sent again */
	struct turn_end end = end_of(t.run, RUN_INCOMPLETE, A("2"));
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
	assert_false(append(f, t.run, NULL, false));
	assert_true(append(f, t.run, NULL, true));
	assert_true(append(f, id_new(), NULL, true));
}

static void text_with_nul_and_large_bodies_survive(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;
	size_t               n = 3 * MIB;
	char                *big = malloc(n + 1);

	memset(big, 'x', n);
	big[0] = '"';
	big[n - 1] = '"';
	big[n] = '\0';
	struct turn_begin t = first_turn(&m, big);
	t.instruction_set = true;
	t.instruction = STR("a\0b");
	whole_turn(f, &t, A("2"));
	struct branch_read b = branch_of(t.conversation);
	reread(f, &b);
	assert_int_equal(b.instruction.n, 3);
	assert_memory_equal(b.instruction.p, "a\0b", 3);
	assert_int_equal(b.messages[0].body.n, n);
	assert_memory_equal(b.messages[0].body.p, big, n);
	arena_finish(&b.arena);

	/* More than the caller's memory is a clear refusal. */
	arena_init(&b.arena, MIB);
	assert_int_equal(DO(f, branch_read, &b), ERR_REQUEST_TOO_LARGE);
	assert_string_equal(b.job.err.path, "conversation");
	arena_finish(&b.arena);
	free(big);
}

static void a_job_that_can_not_be_stored_harms_no_other(void **state)
{
	struct fixture      *f = *state;
	struct store_message m[6];
	struct turn_begin    t[6];
	size_t               size = LIMIT_STORE_ROW + 100;
	char                *big = malloc(size);
	void                *db;

	memset(big, 'x', size);
	for (size_t i = 0; i < 6; i++)
		t[i] = first_turn(&m[i], Q("1"));
	m[1].id = m[0].id; /* a key twice */
	m[3].body = (struct str){ big, size };
	t[4].conversation = t[2].conversation; /* twice as well */

	/* While a stranger has the lock, all six gather in one batch behind the first. */
	db = outside_hold(f);
	for (size_t i = 0; i < 6; i++)
		assert_true(SUBMIT(f, turn_begin, &t[i]));
	outside_release(db);
	loop_until(&f->loop, 6);

	assert_int_equal(t[0].job.err.code, ERR_OK);
	assert_int_equal(t[1].job.err.code, ERR_INTERNAL);
	assert_int_equal(t[2].job.err.code, ERR_OK);
	assert_int_equal(t[3].job.err.code, ERR_REQUEST_TOO_LARGE);
	assert_int_equal(t[4].job.err.code, ERR_INTERNAL);
	assert_int_equal(t[5].job.err.code, ERR_OK);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM run"), 3);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM conversation"), 3);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM message"), 3);
	free(big);
}

static void every_status_has_a_name(void **state)
{
	(void)state;
	for (int i = 0; i < RUN_STATUS__COUNT; i++)
		assert_true(strlen(run_status_name((enum run_status)i)) > 0);
	store_destroy(NULL);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up_open, tear_down)
	const struct CMUnitTest tests[] = {
		T(a_turn_comes_back_whole),
		T(a_branch_is_read_from_root_to_leaf),
		T(a_turn_without_messages_hangs_on_its_parent),
		T(the_newest_instruction_of_the_branch_holds),
		T(a_turn_without_an_answer_is_not_continued_from),
		T(an_incomplete_answer_is_continued_from),
		T(a_live_conversation_is_busy),
		T(what_is_foreign_is_not_found),
		T(a_parent_must_be_of_the_conversation),
		T(a_run_ends_once),
		T(a_run_that_waits_can_be_withdrawn),
		T(a_run_that_does_not_wait_is_not_withdrawn),
		T(executions_are_kept_from_the_news_to_the_end),
		T(an_end_that_knows_no_executions_leaves_those_of_the_news),
		T(events_of_a_run_that_has_ended_are_refused_where_somebody_acts_on_them),
		T(text_with_nul_and_large_bodies_survive),
		T(a_job_that_can_not_be_stored_harms_no_other),
		cmocka_unit_test(every_status_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
