/* Stored completions: which runs are some, lists of them, their messages, and what changes them. */
#include "engine_help.h"
#include "store/completion.h"
#include "store/turn.h"

enum { OWNER = 3, STRANGER = 4 };

static struct turn_begin asked(struct store_message *m, const char *model, const char *metadata)
{
	struct turn_begin t = first_turn(m, "{\"role\":\"user\",\"content\":\"q\"}");

	t.owner = OWNER;
	t.shape = STR("openai");
	t.model = str_of(model);
	t.metadata = str_of(metadata);
	t.request_id = STR("req_1");
	t.settings = STR("{\"seed\":1}");
	return t;
}

static struct turn_begin complete(struct fixture *f, const char *model, const char *metadata)
{
	struct store_message m;
	struct turn_begin    t = asked(&m, model, metadata);

	whole_turn(f, &t, "{\"role\":\"assistant\",\"content\":\"r\"}");
	return t;
}

static enum errc read_one(struct fixture *f, int64_t owner, struct id run)
{
	struct completion_read r = { .owner = owner, .run = run };

	arena_init(&r.arena, MIB);
	enum errc rc = DO(f, completion_read, &r);
	arena_finish(&r.arena);
	return rc;
}

static enum errc change(struct fixture *f, int64_t owner, struct id run, const char *metadata)
{
	struct completion_write w = {
		.owner = owner, .run = run, .delete = !metadata, .metadata = str_of(metadata)
	};

	arena_init(&w.arena, 4 * MIB);
	enum errc rc = DO(f, completion_write, &w);
	if (rc == ERR_OK && metadata)
		assert_str(w.now.metadata, metadata);
	arena_finish(&w.arena);
	return rc;
}

static struct completions_read page_of(size_t limit)
{
	struct completions_read p = { .owner = OWNER, .limit = limit, .page_bytes = MIB };

	arena_init(&p.arena, 4 * MIB);
	return p;
}

/* Reads the page and frees it; its completions are those of runs[from], runs[from + step], … */
static bool expect_page(struct fixture *f, struct completions_read p, const struct id *runs,
			size_t n, int step)
{
	assert_int_equal(DO(f, completions_read, &p), ERR_OK);
	assert_int_equal(p.completion_count, n);
	for (size_t i = 0; i < n; i++, runs += step)
		assert_memory_equal(&p.completions[i].run, runs, sizeof *runs);
	arena_finish(&p.arena);
	return p.has_more;
}

static void a_completion_is_shown_with_all_that_is_known(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;

	open_store(f);
	struct turn_begin t = asked(&m, "small", "{\"a\":\"b\"}");
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	assert_int_equal(read_one(f, OWNER, t.run), ERR_NOT_FOUND); /* it goes on */
	struct turn_end end = end_of(t.run, RUN_COMPLETED, "{\"role\":\"assistant\"}");
	end.usage = (struct usage){
		.known = true, .in = 3, .out = 4, .cached_read = 1, .reasoning = 2
	};
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);

	struct completion_read r = { .owner = OWNER, .run = t.run };
	arena_init(&r.arena, MIB);
	assert_int_equal(DO(f, completion_read, &r), ERR_OK);
	assert_memory_equal(&r.found.run, &t.run, sizeof t.run);
	assert_int_equal(r.found.created_ms, t.now_ms);
	assert_str(r.found.model, "small");
	assert_str(r.found.finish_reason, "stop");
	assert_str(r.found.request_id, "req_1");
	assert_str(r.found.settings, "{\"seed\":1}");
	assert_str(r.found.answer, "{\"role\":\"assistant\"}");
	assert_str(r.found.metadata, "{\"a\":\"b\"}");
	assert_true(r.found.usage.known);
	assert_int_equal(r.found.usage.in, 3);
	assert_int_equal(r.found.usage.reasoning, 2);
	arena_finish(&r.arena);
}

static void only_what_ended_well_and_has_an_answer_is_one(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;
	static const struct {
		enum run_status status;
		const char     *answer;
		const char     *shape;
	} cases[] = {
		{ RUN_INCOMPLETE, "{}", "openai" }, { RUN_FAILED, NULL, "openai" },
		{ RUN_CANCELLED, "{}", "openai" },  { RUN_COMPLETED, NULL, "openai" },
		{ RUN_COMPLETED, "{}", "native" },  { RUN_COMPLETED, "{}", "lmc" },
	};

	open_store(f);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct turn_begin t = asked(&m, "echo", NULL);

		t.shape = str_of(cases[i].shape);
		assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
		struct turn_end end = end_of(t.run, cases[i].status, cases[i].answer);
		assert_int_equal(DO(f, turn_end, &end), ERR_OK);
		assert_int_equal(read_one(f, OWNER, t.run), ERR_NOT_FOUND);
		assert_int_equal(change(f, OWNER, t.run, "{}"), ERR_NOT_FOUND);
		assert_int_equal(change(f, OWNER, t.run, NULL), ERR_NOT_FOUND);
	}
	assert_false(expect_page(f, page_of(10), NULL, 0, 1));
}

static void what_is_anothers_is_not_there(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	struct id                       run = complete(f, "echo", "{\"a\":\"b\"}").run;
	struct id                       wrong = { run.key, run.secret ^ 1 };
	struct completion_messages_read m = {
		.owner = STRANGER, .run = run, .after = -1, .limit = 1
	};

	assert_int_equal(read_one(f, STRANGER, run), ERR_NOT_FOUND);
	assert_int_equal(read_one(f, OWNER, wrong), ERR_NOT_FOUND);
	assert_int_equal(change(f, STRANGER, run, "{}"), ERR_NOT_FOUND);
	assert_int_equal(change(f, OWNER, wrong, "{}"), ERR_NOT_FOUND);
	assert_int_equal(change(f, STRANGER, run, NULL), ERR_NOT_FOUND);
	arena_init(&m.arena, MIB);
	assert_int_equal(DO(f, completion_messages_read, &m), ERR_NOT_FOUND);
	m.owner = OWNER;
	m.run = wrong;
	assert_int_equal(DO(f, completion_messages_read, &m), ERR_NOT_FOUND);
	arena_finish(&m.arena);

	struct completions_read p = page_of(10);
	p.owner = STRANGER;
	p.after = run;
	assert_int_equal(DO(f, completions_read, &p), ERR_INVALID_VALUE);
	assert_string_equal(p.job.err.path, "after");
	p.owner = OWNER;
	p.after = wrong;
	assert_int_equal(DO(f, completions_read, &p), ERR_INVALID_VALUE);
	p.owner = STRANGER;
	p.after = (struct id){ 0 };
	assert_false(expect_page(f, p, NULL, 0, 1));
	p = page_of(10);
	p.owner = STRANGER;
	p.model = STR("echo");
	assert_false(expect_page(f, p, NULL, 0, 1));
	p = page_of(10);
	p.owner = STRANGER;
	p.labels.key = STR("a");
	p.labels.value = STR("b");
	p.labels.filter = STR("{\"a\":\"b\"}");
	assert_false(expect_page(f, p, NULL, 0, 1));
	assert_int_equal(read_one(f, OWNER, run), ERR_OK);
}

static void lists_go_both_ways_with_exact_ends(void **state)
{
	struct fixture *f = *state;
	struct id       runs[6];

	open_store(f);
	for (size_t i = 0; i < ARRAY_LEN(runs); i++)
		runs[i] = complete(f, i == 4 ? "big" : "small",
				   i % 2 ? "{\"odd\":\"1\",\"all\":\"1\"}" : "{\"all\":\"1\"}")
				  .run;

	assert_true(expect_page(f, page_of(5), runs, 5, 1));
	assert_false(expect_page(f, page_of(6), runs, 6, 1));
	struct completions_read p = page_of(3);
	p.after = runs[2];
	assert_false(expect_page(f, p, runs + 3, 3, 1));
	p = page_of(2);
	p.descending = true;
	assert_true(expect_page(f, p, runs + 5, 2, -1));
	p = page_of(2);
	p.descending = true;
	p.after = runs[2];
	assert_false(expect_page(f, p, runs + 1, 2, -1));
	p = page_of(10);
	p.model = STR("big");
	assert_false(expect_page(f, p, runs + 4, 1, 1));
	p = page_of(3);
	p.model = STR("small");
	p.descending = true;
	p.after = runs[5];
	assert_true(expect_page(f, p, runs + 3, 3, -1));
	for (int descending = 0; descending < 2; descending++) {
		p = page_of(2);
		p.labels.key = STR("all");
		p.labels.value = STR("1");
		p.labels.filter = STR("{\"all\":\"1\",\"odd\":\"1\"}");
		p.descending = descending;
		assert_true(expect_page(f, p, runs + (descending ? 5 : 1), 2, descending ? -2 : 2));
		p = page_of(2);
		p.labels.key = STR("all");
		p.labels.value = STR("1");
		p.labels.filter = STR("{\"all\":\"1\",\"odd\":\"1\"}");
		p.descending = descending;
		p.after = runs[3];
		assert_false(expect_page(f, p, runs + (descending ? 1 : 5), 1, 1));
	}
	p = page_of(10);
	p.labels.key = STR("all");
	p.labels.value = STR("1");
	p.labels.filter = STR("{\"all\":\"1\"}");
	p.model = STR("big");
	assert_false(expect_page(f, p, runs + 4, 1, 1));
}

static void a_page_ends_where_it_would_be_too_large(void **state)
{
	struct fixture *f = *state;
	struct id       runs[3];

	open_store(f);
	for (size_t i = 0; i < ARRAY_LEN(runs); i++)
		runs[i] = complete(f, "echo", NULL).run;
	struct completions_read p = page_of(10);
	p.page_bytes = 1; /* the first goes on it all the same */
	assert_true(expect_page(f, p, runs, 1, 1));
	p = page_of(1);
	arena_finish(&p.arena);
	arena_init(&p.arena, 512);
	assert_int_equal(DO(f, completions_read, &p), ERR_REQUEST_TOO_LARGE);
	arena_finish(&p.arena);
}

static void metadata_is_the_conversations(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	struct turn_begin t = complete(f, "echo", "{\"a\":\"b\"}");
	assert_int_equal(change(f, OWNER, t.run, "{\"c\":\"d\"}"), ERR_OK);

	struct conversation_read c = { .owner = OWNER, .conversation = t.conversation };
	arena_init(&c.arena, MIB);
	assert_int_equal(DO(f, conversation_read, &c), ERR_OK);
	assert_str(c.found.metadata, "{\"c\":\"d\"}");
	arena_finish(&c.arena);
	struct completions_read p = page_of(10);
	p.labels.key = STR("c");
	p.labels.value = STR("d");
	p.labels.filter = STR("{\"c\":\"d\"}");
	assert_false(expect_page(f, p, &t.run, 1, 1));
	p = page_of(10);
	p.labels.key = STR("a");
	p.labels.value = STR("b");
	p.labels.filter = STR("{\"a\":\"b\"}");
	assert_false(expect_page(f, p, NULL, 0, 1));
	assert_int_equal(outside_int(f, "SELECT count(*) FROM conversation_label"), 1);
}

static void one_alone_goes_with_its_conversation(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	struct turn_begin t = complete(f, "echo", "{\"a\":\"b\"}");
	struct turn_begin kept = complete(f, "echo", NULL);
	assert_int_equal(change(f, OWNER, t.run, NULL), ERR_OK);
	assert_int_equal(change(f, OWNER, t.run, NULL), ERR_NOT_FOUND);
	assert_int_equal(read_one(f, OWNER, t.run), ERR_NOT_FOUND);
	assert_false(expect_page(f, page_of(10), &kept.run, 1, 1));
	assert_int_equal(outside_int(f, "SELECT count(*) FROM conversation"), 1);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM message"), 2);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM run"), 1);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM conversation_label"), 0);
}

static void one_that_was_gone_on_with_leaves_its_conversation(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;

	open_store(f);
	struct turn_begin  t = complete(f, "echo", NULL);
	struct branch_read b = branch_of(t.conversation);
	b.owner = OWNER;
	reread(f, &b);
	struct turn_begin next = next_turn(&b, &m, "{\"role\":\"user\",\"content\":\"n\"}");
	whole_turn(f, &next, "{\"role\":\"assistant\",\"content\":\"a\"}");

	assert_int_equal(change(f, OWNER, t.run, NULL), ERR_OK);
	assert_int_equal(read_one(f, OWNER, t.run), ERR_NOT_FOUND);
	reread(f, &b);
	assert_int_equal(b.message_count, 3); /* the question, and the next turn */
	assert_memory_equal(&b.leaf, &next.run, sizeof b.leaf);
	assert_false(expect_page(f, page_of(10), NULL, 0, 1));
	arena_finish(&b.arena);
	/* Lists don't go through it any more. */
	assert_int_equal(outside_int(f, "SELECT count(*) FROM run WHERE shape = 'openai'"), 0);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM run WHERE status = 2"), 2);
}

/* --- messages --- */

static void expect_messages(struct fixture *f, struct id run, int64_t after, bool descending,
			    size_t limit, const char *want, bool more)
{
	struct completion_messages_read r = {
		.owner = OWNER,
		.run = run,
		.after = after,
		.descending = descending,
		.limit = limit,
		.page_bytes = MIB,
	};
	char got[64] = "";

	arena_init(&r.arena, 2 * MIB);
	assert_int_equal(DO(f, completion_messages_read, &r), ERR_OK);
	for (size_t i = 0; i < r.message_count; i++)
		snprintf(got + strlen(got), sizeof got - strlen(got), "%d%.*s ",
			 (int)r.messages[i].place, STR_ARG(r.messages[i].body));
	assert_string_equal(got, want);
	assert_int_equal(r.has_more, more);
	arena_finish(&r.arena);
}

static void its_messages_come_in_pages(void **state)
{
	struct fixture      *f = *state;
	struct store_message all[4];
	struct turn_begin    t = asked(&all[0], "echo", NULL);

	open_store(f);
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		all[i] = (struct store_message){ id_new(), (struct str){ &"abcd"[i], 1 } };
	t.messages = all;
	t.message_count = ARRAY_LEN(all);
	whole_turn(f, &t, "{}");
	expect_messages(f, t.run, -1, false, 4, "0a 1b 2c 3d ", false);
	expect_messages(f, t.run, -1, false, 3, "0a 1b 2c ", true);
	expect_messages(f, t.run, 2, false, 3, "3d ", false);
	expect_messages(f, t.run, 3, false, 3, "", false);
	expect_messages(f, t.run, -1, true, 2, "3d 2c ", true);
	expect_messages(f, t.run, 2, true, 2, "1b 0a ", false);
	expect_messages(f, t.run, 0, true, 2, "", false);

	struct conversation_write w = {
		.change = CONVERSATION_REMOVE_MESSAGE,
		.owner = OWNER,
		.conversation = t.conversation,
		.message = all[3].id,
	};
	arena_init(&w.arena, MIB);
	assert_int_equal(DO(f, conversation_write, &w), ERR_OK);
	arena_finish(&w.arena);
	expect_messages(f, t.run, -1, false, 3, "0a 1b 2c ", false);
	expect_messages(f, t.run, 3, true, 1, "2c ", true);

	struct completion_messages_read r = {
		.owner = OWNER, .run = t.run, .after = 4, .limit = 1
	};
	arena_init(&r.arena, MIB);
	assert_int_equal(DO(f, completion_messages_read, &r), ERR_INVALID_VALUE);
	assert_string_equal(r.job.err.path, "after");
	arena_finish(&r.arena);
}

/* A list must not end early in silence: neither at its last message, nor before it. */
static void a_gap_between_its_messages_is_damage(void **state)
{
	struct fixture      *f = *state;
	struct store_message all[3];
	struct turn_begin    t = asked(&all[0], "echo", NULL);

	open_store(f);
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		all[i] = (struct store_message){ id_new(), (struct str){ &"abc"[i], 1 } };
	t.messages = all;
	t.message_count = ARRAY_LEN(all);
	whole_turn(f, &t, "{\"a\":1}");
	for (size_t gap = 1; gap < ARRAY_LEN(all); gap++) {
		struct completion_messages_read r = {
			.owner = OWNER, .run = t.run, .after = -1, .limit = 9, .page_bytes = MIB
		};
		char sql[96];

		snprintf(sql, sizeof sql, "DELETE FROM message WHERE id = %lld",
			 (long long)all[gap].id.key);
		outside(f, sql);
		arena_init(&r.arena, MIB);
		assert_int_equal(DO(f, completion_messages_read, &r), ERR_STORAGE);
		assert_int_equal(r.message_count, 0);
		arena_finish(&r.arena);
	}
}

static void an_answer_that_is_removed_elsewhere_is_none(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	struct turn_begin         t = complete(f, "echo", NULL);
	struct conversation_write w = {
		.change = CONVERSATION_REMOVE_MESSAGE,
		.owner = OWNER,
		.conversation = t.conversation,
		.message = t.run,
	};
	arena_init(&w.arena, MIB);
	assert_int_equal(DO(f, conversation_write, &w), ERR_OK);
	arena_finish(&w.arena);
	assert_int_equal(read_one(f, OWNER, t.run), ERR_NOT_FOUND);
	assert_int_equal(change(f, OWNER, t.run, NULL), ERR_NOT_FOUND);
	/* As a cursor it is still good. */
	struct id               next = complete(f, "echo", NULL).run;
	struct completions_read p = page_of(10);
	p.after = t.run;
	assert_false(expect_page(f, p, &next, 1, 1));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_completion_is_shown_with_all_that_is_known),
		TEST(only_what_ended_well_and_has_an_answer_is_one),
		TEST(what_is_anothers_is_not_there),
		TEST(lists_go_both_ways_with_exact_ends),
		TEST(a_page_ends_where_it_would_be_too_large),
		TEST(metadata_is_the_conversations),
		TEST(one_alone_goes_with_its_conversation),
		TEST(one_that_was_gone_on_with_leaves_its_conversation),
		TEST(its_messages_come_in_pages),
		TEST(a_gap_between_its_messages_is_damage),
		TEST(an_answer_that_is_removed_elsewhere_is_none),
	};

	return cmocka_run_group_tests_name("engine/completions", tests, NULL, NULL);
}
