/* Pages of a conversation's items: every cut, both orders, exact has_more. */
#include "engine_help.h"
#include "store/turn.h"

enum { TURNS = 4, ITEMS = 2 * TURNS };

struct talk {
	struct id conversation;
	struct id items[ITEMS + 1]; /* oldest first */
	size_t    count;
};

/* TURNS answered turns, and one message whose turn failed if asked for. */
static void make_talk(struct fixture *f, struct talk *ret, bool failed)
{
	struct store_message m;
	struct branch_read   b = branch_of((struct id){ 0 });

	*ret = (struct talk){ .count = 0 };
	for (int i = 0; i < TURNS; i++) {
		const char       *q = "{\"q\":1}";
		struct turn_begin t = i == 0 ? first_turn(&m, q) : next_turn(&b, &m, q);

		whole_turn(f, &t, "{\"a\":1}");
		ret->items[ret->count++] = m.id;
		ret->items[ret->count++] = t.run;
		ret->conversation = b.conversation = t.conversation;
		reread(f, &b);
	}
	if (failed) {
		struct turn_begin t = next_turn(&b, &m, "{\"q\":2}");
		struct turn_end   end = end_of(t.run, RUN_FAILED, NULL);

		assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
		assert_int_equal(DO(f, turn_end, &end), ERR_OK);
		ret->items[ret->count++] = m.id;
	}
	arena_finish(&b.arena);
}

static struct items_read page(const struct talk *t, bool descending, size_t limit)
{
	struct items_read j = { .conversation = t->conversation,
				.descending = descending,
				.limit = limit };

	arena_init(&j.arena, MIB);
	return j;
}

/* The page behind each item in turn, for each limit. */
static void check_all_pages(struct fixture *f, const struct talk *t, bool descending)
{
	for (size_t from = 0; from <= t->count; from++)
		for (size_t limit = 1; limit <= t->count + 1; limit++) {
			struct items_read j = page(t, descending, limit);
			size_t            left = t->count - from;
			size_t            want = left < limit ? left : limit;

			if (from > 0)
				j.after = t->items[descending ? t->count - from : from - 1];
			assert_int_equal(DO(f, items_read, &j), ERR_OK);
			assert_int_equal(j.item_count, want);
			assert_int_equal(j.has_more, left > limit);
			for (size_t i = 0; i < want; i++) {
				size_t at = descending ? t->count - 1 - from - i : from + i;

				assert_memory_equal(&j.items[i].message.id, &t->items[at],
						    sizeof(struct id));
				assert_int_equal(j.items[i].status, RUN_COMPLETED);
				assert_true(j.items[i].created_ms > 0);
			}
			arena_finish(&j.arena);
		}
}

static void pages_are_exact_in_both_orders(void **state)
{
	struct fixture *f = *state;
	struct talk     t;

	open_store(f);
	make_talk(f, &t, false);
	check_all_pages(f, &t, false);
	check_all_pages(f, &t, true);
}

static void an_unanswered_message_stays_readable(void **state)
{
	struct fixture *f = *state;
	struct talk     t;

	open_store(f);
	make_talk(f, &t, true);
	check_all_pages(f, &t, false);
	check_all_pages(f, &t, true);
}

static void an_answer_tells_how_its_run_ended(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;

	open_store(f);
	struct turn_begin t = first_turn(&m, "{}");
	struct turn_end   end = end_of(t.run, RUN_INCOMPLETE, "{\"a\":1}");
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);

	struct items_read j = { .conversation = t.conversation, .limit = 9 };
	arena_init(&j.arena, MIB);
	assert_int_equal(DO(f, items_read, &j), ERR_OK);
	assert_int_equal(j.item_count, 2);
	assert_int_equal(j.items[0].status, RUN_COMPLETED);
	assert_int_equal(j.items[1].status, RUN_INCOMPLETE);
	assert_str(j.items[1].message.body, "{\"a\":1}");
	arena_finish(&j.arena);
}

/* A list must not end early in silence. */
static void a_branch_with_a_gap_is_damaged(void **state)
{
	struct fixture *f = *state;
	struct talk     t;
	char            sql[96];

	open_store(f);
	make_talk(f, &t, false);
	snprintf(sql, sizeof sql, "DELETE FROM message WHERE id = %lld", (long long)t.items[2].key);
	outside(f, sql);
	for (int descending = 0; descending <= 1; descending++) {
		struct items_read j = page(&t, descending, ITEMS);

		assert_int_equal(DO(f, items_read, &j), ERR_STORAGE);
		assert_int_equal(j.item_count, 0);
		arena_finish(&j.arena);
	}
	struct branch_read b = branch_of(t.conversation);
	assert_int_equal(DO(f, branch_read, &b), ERR_STORAGE);
	assert_int_equal(b.message_count, 0);
	arena_finish(&b.arena);
	struct tree_read all = { .conversation = t.conversation, .limit = TURNS };
	arena_init(&all.arena, MIB);
	assert_int_equal(DO(f, tree_read, &all), ERR_STORAGE);
	assert_int_equal(all.node_count, 0);
	arena_finish(&all.arena);
	/* The page before the gap is whole. */
	struct items_read j = page(&t, true, 2);
	assert_int_equal(DO(f, items_read, &j), ERR_OK);
	assert_int_equal(j.item_count, 2);
	arena_finish(&j.arena);
}

static void an_unknown_cursor_is_refused(void **state)
{
	struct fixture *f = *state;
	struct talk     t;
	struct talk     other;

	open_store(f);
	make_talk(f, &t, false);
	make_talk(f, &other, false);
	const struct id cases[] = {
		{ 12345, 1 },                              /* never made */
		{ t.items[3].key, t.items[3].secret ^ 1 }, /* guessed */
		other.items[3],                            /* of another conversation */
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (int descending = 0; descending < 2; descending++) {
			struct items_read j = page(&t, descending, 2);

			j.after = cases[i];
			assert_int_equal(DO(f, items_read, &j), ERR_INVALID_VALUE);
			assert_string_equal(j.job.err.path, "after");
			arena_finish(&j.arena);
		}
}

static void a_tree_has_every_message_once(void **state)
{
	struct fixture *f = *state;
	struct talk     t;

	open_store(f);
	make_talk(f, &t, true);
	struct tree_read j = { .conversation = t.conversation, .limit = TURNS + 1 };
	arena_init(&j.arena, MIB);
	assert_int_equal(DO(f, tree_read, &j), ERR_OK);
	assert_int_equal(j.node_count, t.count);
	assert_false(j.has_more);
	for (size_t i = 0; i < t.count; i++) {
		const struct tree_node *n = &j.nodes[i];

		assert_memory_equal(&n->message, &t.items[i], sizeof n->message);
		assert_int_equal(n->answer, i % 2);
		if (i > 0)
			assert_memory_equal(&n->parent, &t.items[i - 1], sizeof n->parent);
		else
			assert_true(id_none(n->parent));
	}
	arena_finish(&j.arena);
	arena_init(&j.arena, 64); /* no room for a page */
	assert_int_equal(DO(f, tree_read, &j), ERR_OVERLOADED);
	arena_finish(&j.arena);
}

static void a_page_ends_where_memory_does(void **state)
{
	struct fixture      *f = *state;
	struct store_message m[5];
	char                *body = malloc(50 * KIB + 1);

	open_store(f);
	memset(body, 'x', 50 * KIB);
	body[50 * KIB] = '\0';
	struct turn_begin t = first_turn(m, body);
	for (size_t i = 1; i < 5; i++)
		m[i] = (struct store_message){ id_new(), str_of(body) };
	t.message_count = 5;
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);

	struct items_read j = { .conversation = t.conversation, .limit = 5 };
	arena_init(&j.arena, 120 * KIB);
	assert_int_equal(DO(f, items_read, &j), ERR_OK);
	assert_int_equal(j.item_count, 2);
	assert_true(j.has_more);
	arena_finish(&j.arena);
	arena_init(&j.arena, 20 * KIB);
	assert_int_equal(DO(f, items_read, &j), ERR_REQUEST_TOO_LARGE);
	arena_finish(&j.arena);
	free(body);
}

static void a_page_of_large_messages_is_cut_and_the_next_goes_on(void **state)
{
	struct fixture      *f = *state;
	struct store_message m[7];
	char                *body = malloc(300 * KIB + 1);

	open_store(f);
	memset(body, 'x', 300 * KIB);
	body[300 * KIB] = '\0';
	struct turn_begin t = first_turn(m, body);
	/* The one in the middle is a page of its own. */
	for (size_t i = 0; i < 7; i++)
		m[i] = (struct store_message){ id_new(), { body, (i == 3 ? 300 : 40) * KIB } };
	t.message_count = 7;
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);

	static const size_t pages[] = { 2, 1, 1, 2, 1 };
	struct items_read   j = { .conversation = t.conversation, .limit = 100 };
	size_t              seen = 0;
	for (size_t i = 0; i < ARRAY_LEN(pages); i++) {
		arena_init(&j.arena, MIB);
		j.page_bytes = 100 * KIB;
		assert_int_equal(DO(f, items_read, &j), ERR_OK);
		assert_int_equal(j.item_count, pages[i]);
		for (size_t k = 0; k < j.item_count; k++, seen++)
			assert_memory_equal(&j.items[k].message.id, &m[seen].id, sizeof(struct id));
		assert_int_equal(j.has_more, seen < 7);
		j.after = j.items[j.item_count - 1].message.id;
		arena_finish(&j.arena);
	}
	free(body);
}

static void a_cancelled_read_is_answered_without_being_done(void **state)
{
	struct fixture *f = *state;
	struct talk     t;

	open_store(f);
	make_talk(f, &t, false);
	struct items_read j = page(&t, false, 100);
	atomic_store(&j.job.cancelled, true);
	assert_int_equal(DO(f, items_read, &j), ERR_CANCELLED);
	assert_int_equal(j.item_count, 0);
	assert_int_equal(j.arena.used, 0);
	arena_finish(&j.arena);
}

static void reads_that_nobody_handles_are_bounded_in_number(void **state)
{
	struct fixture    *f = *state;
	struct talk        t;
	struct items_read *all = calloc(LIMIT_STORE_READS + 1, sizeof *all);

	open_store(f);
	make_talk(f, &t, false);
	size_t done = f->loop.done;
	for (size_t i = 0; i <= LIMIT_STORE_READS; i++) {
		all[i] = page(&t, false, 1);
		assert_int_equal(SUBMIT(f, items_read, &all[i]), i < LIMIT_STORE_READS);
	}
	loop_until(&f->loop, done + LIMIT_STORE_READS);
	assert_int_equal(DO(f, items_read, &all[LIMIT_STORE_READS]), ERR_OK);
	for (size_t i = 0; i <= LIMIT_STORE_READS; i++)
		arena_finish(&all[i].arena);
	free(all);
}

/* Readers of event logs may be many, and ask together; others find a place all the same. */
static void readers_of_events_leave_places_for_others(void **state)
{
	struct fixture     *f = *state;
	struct talk         t;
	struct events_read *all = calloc(LIMIT_STORE_EVENT_READS + 1, sizeof *all);

	open_store(f);
	make_talk(f, &t, false);
	size_t done = f->loop.done;
	for (size_t i = 0; i <= LIMIT_STORE_EVENT_READS; i++) {
		all[i] = (struct events_read){ .run = t.items[1], .page_bytes = KIB };
		arena_init(&all[i].arena, KIB);
		assert_int_equal(SUBMIT(f, events_read, &all[i]), i < LIMIT_STORE_EVENT_READS);
	}
	struct items_read other = page(&t, false, 1);
	assert_true(SUBMIT(f, items_read, &other));
	loop_until(&f->loop, done + LIMIT_STORE_EVENT_READS + 1);
	assert_int_equal(DO(f, events_read, &all[LIMIT_STORE_EVENT_READS]), ERR_OK);
	for (size_t i = 0; i <= LIMIT_STORE_EVENT_READS; i++)
		arena_finish(&all[i].arena);
	arena_finish(&other.arena);
	free(all);
}

static void the_pool_waits_while_answers_fill_their_memory(void **state)
{
	enum { READS = 24, EACH = 4 * MIB };
	struct fixture      *f = *state;
	struct store_message m;
	struct items_read    all[READS];
	char                *body = calloc(1, EACH + 1);

	open_store(f);
	memset(body, 'x', EACH);
	struct turn_begin t = first_turn(&m, body);
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	size_t done = f->loop.done;
	for (size_t i = 0; i < READS; i++) {
		all[i] = (struct items_read){ .conversation = t.conversation, .limit = 1 };
		arena_init(&all[i].arena, 2 * EACH);
		assert_true(SUBMIT(f, items_read, &all[i]));
	}
	/* All come, though the pool had to pause: handling an answer lets it go on. */
	loop_until(&f->loop, done + READS);
	for (size_t i = 0; i < READS; i++) {
		assert_int_equal(all[i].item_count, 1);
		arena_finish(&all[i].arena);
		assert_true(SUBMIT(f, items_read, &all[i]));
	}
	/* The end does not wait for anybody; answers come all the same. */
	close_store(f);
	loop_until(&f->loop, done + 2 * READS);
	for (size_t i = 0; i < READS; i++)
		arena_finish(&all[i].arena);
	free(body);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(pages_are_exact_in_both_orders),
		T(an_unanswered_message_stays_readable),
		T(an_answer_tells_how_its_run_ended),
		T(a_branch_with_a_gap_is_damaged),
		T(an_unknown_cursor_is_refused),
		T(a_tree_has_every_message_once),
		T(a_page_ends_where_memory_does),
		T(a_page_of_large_messages_is_cut_and_the_next_goes_on),
		T(a_cancelled_read_is_answered_without_being_done),
		T(reads_that_nobody_handles_are_bounded_in_number),
		T(readers_of_events_leave_places_for_others),
		T(the_pool_waits_while_answers_fill_their_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
