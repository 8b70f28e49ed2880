/* Conversations changed outside their turns, and lists of them. */
#include "engine_help.h"
#include "store/turn.h"

static struct conversation_write change_of(enum conversation_change change, struct id conversation)
{
	struct conversation_write w = { .change = change,
					.conversation = conversation,
					.now_ms = clock_wall_ms() };

	arena_init(&w.arena, MIB);
	return w;
}

static enum errc do_change(struct fixture *f, struct conversation_write *w)
{
	enum errc rc = DO(f, conversation_write, w);

	arena_finish(&w->arena);
	return rc;
}

static struct id make(struct fixture *f, const char *metadata, const struct store_message *messages,
		      size_t count)
{
	struct conversation_write w = change_of(CONVERSATION_CREATE, id_new());

	w.metadata = str_of(metadata);
	w.messages = messages;
	w.message_count = count;
	assert_int_equal(do_change(f, &w), ERR_OK);
	return w.conversation;
}

static enum errc append(struct fixture *f, struct id conversation, struct store_message *m,
			const char *body)
{
	struct conversation_write w = change_of(CONVERSATION_APPEND, conversation);

	*m = (struct store_message){ id_new(), str_of(body) };
	w.messages = m;
	w.message_count = 1;
	return do_change(f, &w);
}

static enum errc take_out(struct fixture *f, struct id conversation, struct id message)
{
	struct conversation_write w = change_of(CONVERSATION_REMOVE_MESSAGE, conversation);

	w.message = message;
	return do_change(f, &w);
}

static enum errc delete (struct fixture *f, struct id conversation) {
	struct conversation_write w = change_of(CONVERSATION_DELETE, conversation);

	return do_change(f, &w);
}

/* The bodies of the branch, one after the other. */
static void assert_branch(struct fixture *f, struct id conversation, const char *want)
{
	struct branch_read b = branch_of(conversation);
	char               got[256] = "";

	assert_int_equal(DO(f, branch_read, &b), ERR_OK);
	for (size_t i = 0; i < b.message_count; i++)
		snprintf(got + strlen(got), sizeof got - strlen(got), "%.*s",
			 STR_ARG(b.messages[i].body));
	assert_string_equal(got, want);
	arena_finish(&b.arena);
}

static void added_messages_are_what_a_turn_goes_on_from(void **state)
{
	struct fixture      *f = *state;
	struct store_message first[2] = { { id_new(), STR("a") }, { id_new(), STR("b") } };
	struct store_message m;

	open_store(f);
	struct id talk = make(f, "{}", first, 2);
	assert_branch(f, talk, "ab");

	struct branch_read b = branch_of(talk);
	reread(f, &b);
	assert_memory_equal(&b.leaf, &first[1].id, sizeof b.leaf);
	struct turn_begin t = next_turn(&b, &m, "q");
	struct turn_begin late = next_turn(&b, &m, "q");
	whole_turn(f, &t, "r");
	assert_branch(f, talk, "abqr");
	/* What was read before is no place to go on from any more. */
	assert_int_equal(DO(f, turn_begin, &late), ERR_CONVERSATION_BUSY);

	reread(f, &b);
	late = next_turn(&b, &m, "q");
	struct store_message added;
	assert_int_equal(append(f, talk, &added, "c"), ERR_OK);
	assert_int_equal(DO(f, turn_begin, &late), ERR_CONVERSATION_BUSY);
	assert_branch(f, talk, "abqrc");

	reread(f, &b);
	t = next_turn(&b, &m, "s");
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	struct store_message other;
	assert_int_equal(append(f, talk, &other, "d"), ERR_CONVERSATION_BUSY);
	assert_int_equal(delete (f, talk), ERR_CONVERSATION_BUSY);
	struct turn_end end = end_of(t.run, RUN_FAILED, NULL);
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
	/* Behind what such a turn hung on, as the next turn would. */
	assert_int_equal(append(f, talk, &other, "d"), ERR_OK);
	assert_branch(f, talk, "abqrcd");
	arena_finish(&b.arena);
}

static void a_removed_message_leaves_no_gap(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;

	open_store(f);
	struct turn_begin t = first_turn(&m, "q");
	t.instruction_set = true;
	t.instruction = STR("short");
	whole_turn(f, &t, "r");
	struct store_message added;
	assert_int_equal(append(f, t.conversation, &added, "c"), ERR_OK);

	assert_int_equal(take_out(f, t.conversation, t.run), ERR_OK);
	assert_int_equal(take_out(f, t.conversation, t.run), ERR_NOT_FOUND);
	assert_branch(f, t.conversation, "qc");
	assert_int_equal(take_out(f, t.conversation, m.id), ERR_OK);
	assert_int_equal(take_out(f, t.conversation, added.id), ERR_OK);
	assert_branch(f, t.conversation, "");
	assert_int_equal(outside_int(f, "SELECT count(*) FROM message WHERE body <> ''"), 0);

	/* The instruction was not said by a message. */
	struct branch_read b = branch_of(t.conversation);
	reread(f, &b);
	assert_true(b.instruction_set);
	assert_true(id_none(b.leaf));
	arena_finish(&b.arena);

	struct item_read one = { .conversation = t.conversation, .message = added.id };
	arena_init(&one.arena, MIB);
	assert_int_equal(DO(f, item_read, &one), ERR_NOT_FOUND);
	arena_finish(&one.arena);
}

static void nothing_of_a_deleted_conversation_is_left(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;
	struct store_message n;

	open_store(f);
	struct turn_begin kept = first_turn(&m, "kept");
	whole_turn(f, &kept, "kept");
	struct turn_begin t = first_turn(&m, "q");
	t.metadata = STR("{\"a\":\"b\"}");
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	struct turn_end end = end_of(t.run, RUN_COMPLETED, "r");
	end.events[0] = (struct events_piece){ t.run, 1, 7, STR("not looked at") };
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
	assert_int_equal(append(f, t.conversation, &n, "c"), ERR_OK);
	assert_int_equal(take_out(f, t.conversation, n.id), ERR_OK);
	assert_int_equal(append(f, t.conversation, &n, "d"), ERR_OK);

	struct id wrong = { t.conversation.key, t.conversation.secret + 1 };
	assert_int_equal(delete (f, wrong), ERR_NOT_FOUND);
	assert_int_equal(delete (f, t.conversation), ERR_OK);
	assert_int_equal(delete (f, t.conversation), ERR_NOT_FOUND);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM conversation"), 1);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM message"), 2);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM run"), 1);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM event"), 0);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM conversation_label"), 0);
	assert_int_equal(outside_int(f, SQL_LOG_BYTES), 0);
	assert_branch(f, kept.conversation, "keptkept");
}

static size_t listed(struct fixture *f, struct conversations_read *j, struct id *ret)
{
	arena_init(&j->arena, MIB);
	assert_int_equal(DO(f, conversations_read, j), ERR_OK);
	for (size_t i = 0; i < j->line_count; i++)
		ret[i] = j->lines[i].conversation.id;
	arena_finish(&j->arena);
	return j->line_count;
}

static void lists_are_exact(void **state)
{
	enum { COUNT = 5 };
	struct fixture *f = *state;
	struct id       all[COUNT];
	struct id       got[COUNT + 1];

	open_store(f);
	for (size_t i = 0; i < COUNT; i++)
		all[i] = make(f, i % 2 ? "{\"k\":\"\\u0061\",\"n\":\"1\"}" : "{\"k\":\"a\"}", NULL,
			      0);
	for (int descending = 0; descending < 2; descending++)
		for (int labels = 0; labels < 2; labels++)
			for (size_t from = 0; from <= COUNT; from++)
				for (size_t limit = 1; limit <= COUNT + 1; limit++) {
					struct conversations_read j = { .descending = descending,
									.limit = limit };
					size_t                    left = COUNT - from;
					size_t want = left < limit ? left : limit;

					if (labels) {
						j.labels.key = STR("k");
						j.labels.value = STR("a");
						j.labels.filter = STR("{\"k\":\"a\"}");
					}
					if (from > 0)
						j.after = all[descending ? COUNT - from : from - 1];
					assert_int_equal(listed(f, &j, got), want);
					assert_int_equal(j.has_more, left > limit);
					for (size_t i = 0; i < want; i++)
						assert_int_equal(
							got[i].key,
							all[descending ? COUNT - 1 - from - i
								       : from + i]
								.key);
				}

	struct conversations_read both = { .limit = 9,
					   .labels.key = STR("k"),
					   .labels.value = STR("a"),
					   .labels.filter = STR("{\"k\":\"a\",\"n\":\"1\"}") };
	assert_int_equal(listed(f, &both, got), 2);
	struct conversations_read foreign = { .owner = 1, .limit = 9 };
	assert_int_equal(listed(f, &foreign, got), 0);
	foreign.after = all[0];
	arena_init(&foreign.arena, MIB);
	assert_int_equal(DO(f, conversations_read, &foreign), ERR_INVALID_VALUE);
	assert_string_equal(foreign.job.err.path, "after");
	arena_finish(&foreign.arena);

	struct conversation_write w = change_of(CONVERSATION_UPDATE, all[1]);
	w.metadata_set = true;
	w.metadata = STR("{\"n\":\"1\"}");
	assert_int_equal(do_change(f, &w), ERR_OK);
	assert_int_equal(w.now.revision, 2);
	assert_int_equal(listed(f, &both, got), 1);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM conversation_label"), 6);
}

static void foreign_changes_are_refused(void **state)
{
	struct fixture      *f = *state;
	struct store_message m = { id_new(), STR("a") };

	open_store(f);
	struct id talk = make(f, "{}", &m, 1);
	for (int change = CONVERSATION_UPDATE; change < CONVERSATION_CHANGE__COUNT; change++) {
		struct store_message      n = { id_new(), STR("b") };
		struct conversation_write w = change_of((enum conversation_change)change, talk);

		w.owner = 1;
		w.message = m.id;
		w.title_set = true;
		w.title = STR("t");
		w.messages = &n;
		w.message_count = 1;
		assert_int_equal(do_change(f, &w), ERR_NOT_FOUND);
	}
	assert_branch(f, talk, "a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(added_messages_are_what_a_turn_goes_on_from, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_removed_message_leaves_no_gap, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nothing_of_a_deleted_conversation_is_left, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(lists_are_exact, set_up, tear_down),
		cmocka_unit_test_setup_teardown(foreign_changes_are_refused, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
