/* Entries of the audit: written with their acts, or not at all; read by page and filter. */
#include "engine_help.h"
#include "store/api_key.h"
#include "store/audit.h"
#include "store/conversation.h"

static struct api_key_write key_change(enum api_key_change change, const char *id,
				       struct audit_entry *x)
{
	struct api_key_write w = { .change = change, .now_ms = clock_wall_ms() };

	str_copy(w.id, sizeof w.id, str_of(id));
	hash_sha256(id, strlen(id), w.sha256);
	w.name = STR("one");
	w.owner = 7;
	w.scopes = SCOPES_USUAL;
	arena_init(&w.arena, 64 * KIB);
	audit_begin(x, change == API_KEY_CREATE ? AUDIT_KEY_CREATE : AUDIT_KEY_REVOKE, "key_boss");
	str_copy(x->object, sizeof x->object, str_of(id));
	str_copy(x->address, sizeof x->address, STR("192.0.2.1"));
	w.job.audit = x;
	return w;
}

static enum errc change_key(struct fixture *f, enum api_key_change change, const char *id)
{
	struct audit_entry   x;
	struct api_key_write w = key_change(change, id, &x);
	enum errc            rc = DO(f, api_key_write, &w);

	arena_finish(&w.arena);
	return rc;
}

static void note(struct fixture *f, enum audit_action action, const char *actor, const char *object)
{
	struct audit_entry x;
	struct audit_write w = { .job.audit = &x };

	audit_begin(&x, action, actor);
	str_copy(x.object, sizeof x.object, str_of(object));
	assert_int_equal(DO(f, audit_write, &w), ERR_OK);
}

static struct audit_read page_of(size_t limit)
{
	struct audit_read p = { .limit = limit, .to_ms = INT64_MAX };

	arena_init(&p.arena, MIB);
	return p;
}

static size_t count(struct fixture *f, const char *actor, const char *action, const char *object)
{
	struct audit_read p = page_of(100);

	p.actor = str_of(actor);
	p.action = str_of(action);
	p.object = str_of(object);
	assert_int_equal(DO(f, audit_read, &p), ERR_OK);
	size_t n = p.row_count;
	arena_finish(&p.arena);
	return n;
}

static void an_entry_is_written_with_its_act(void **state)
{
	struct fixture   *f = *state;
	struct audit_read p = page_of(10);

	open_store(f);
	assert_int_equal(change_key(f, API_KEY_CREATE, "aaaaaaaa"), ERR_OK);
	assert_int_equal(DO(f, audit_read, &p), ERR_OK);
	assert_int_equal(p.row_count, 1);
	assert_false(p.has_more);
	assert_str(p.rows[0].actor, "key_boss");
	assert_str(p.rows[0].action, "key.create");
	assert_str(p.rows[0].object, "aaaaaaaa");
	assert_str(p.rows[0].address, "192.0.2.1");
	assert_str(p.rows[0].session, "");
	assert_true(clock_wall_ms() - p.rows[0].at_ms < 60000);
	arena_finish(&p.arena);
	/* The same for a job beside the gateway. */
	struct audit_entry   x;
	struct err           e;
	struct api_key_write w = key_change(API_KEY_REVOKE, "aaaaaaaa", &x);

	assert_int_equal(at_once(f, JOB_API_KEY_WRITE, &w.job, &e), ERR_OK);
	arena_finish(&w.arena);
	assert_int_equal(count(f, "", "key.revoke", ""), 1);
}

static void what_was_refused_or_changed_nothing_has_no_entry(void **state)
{
	struct fixture           *f = *state;
	struct audit_entry        x;
	struct conversation_write c = { .change = CONVERSATION_DELETE, .conversation = id_new() };

	open_store(f);
	assert_int_equal(change_key(f, API_KEY_REVOKE, "zzzzzzzz"), ERR_NOT_FOUND);
	assert_int_equal(count(f, "", "", ""), 0);
	assert_int_equal(change_key(f, API_KEY_CREATE, "aaaaaaaa"), ERR_OK);
	assert_int_equal(change_key(f, API_KEY_REVOKE, "aaaaaaaa"), ERR_OK);
	assert_int_equal(change_key(f, API_KEY_REVOKE, "aaaaaaaa"), ERR_OK);
	assert_int_equal(count(f, "", "key.revoke", ""), 1);

	audit_begin(&x, AUDIT_CONVERSATION_DELETE, "key_boss");
	c.job.audit = &x;
	arena_init(&c.arena, MIB);
	assert_int_equal(DO(f, conversation_write, &c), ERR_NOT_FOUND);
	arena_finish(&c.arena);
	assert_int_equal(count(f, "", "conversation.delete", ""), 0);
}

static void a_deletion_has_its_entry(void **state)
{
	struct fixture      *f = *state;
	struct store_message m;
	struct turn_begin    t = first_turn(&m, "{\"role\":\"user\",\"content\":\"q\"}");
	struct audit_entry   x;

	open_store(f);
	whole_turn(f, &t, "{\"role\":\"assistant\",\"content\":\"r\"}");
	struct conversation_write c = { .change = CONVERSATION_DELETE,
					.conversation = t.conversation };

	audit_begin(&x, AUDIT_CONVERSATION_DELETE, "nobody");
	c.job.audit = &x;
	arena_init(&c.arena, MIB);
	assert_int_equal(DO(f, conversation_write, &c), ERR_OK);
	arena_finish(&c.arena);
	assert_int_equal(count(f, "nobody", "conversation.delete", ""), 1);
}

static void entries_are_read_newest_first_by_page_and_filter(void **state)
{
	struct fixture *f = *state;
	char            object[16];

	open_store(f);
	for (int i = 0; i < 25; i++) {
		snprintf(object, sizeof object, "o%d", i);
		note(f, i % 2 ? AUDIT_SESSION_BEGIN : AUDIT_SESSION_END, i % 5 ? "a" : "b", object);
	}
	struct audit_read p = page_of(10);
	size_t            seen = 0;

	do {
		assert_int_equal(DO(f, audit_read, &p), ERR_OK);
		for (size_t i = 0; i < p.row_count; i++, seen++) {
			snprintf(object, sizeof object, "o%d", 24 - (int)seen);
			assert_str(p.rows[i].object, object);
		}
		p.after = p.rows[p.row_count - 1].id;
	} while (p.has_more);
	assert_int_equal(seen, 25);
	p.after.secret ^= 1;
	assert_int_equal(DO(f, audit_read, &p), ERR_INVALID_VALUE);
	p.after = (struct id){ 0 };
	p.to_ms = 1000;
	assert_int_equal(DO(f, audit_read, &p), ERR_OK);
	assert_int_equal(p.row_count, 0);
	arena_finish(&p.arena);

	assert_int_equal(count(f, "b", "", ""), 5);
	assert_int_equal(count(f, "", "session.begin", ""), 12);
	assert_int_equal(count(f, "b", "session.begin", ""), 2);
	assert_int_equal(count(f, "", "", "o7"), 1);
	assert_int_equal(count(f, "b", "", "o7"), 0);
	assert_int_equal(count(f, "a", "session.begin", "o7"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_entry_is_written_with_its_act, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_was_refused_or_changed_nothing_has_no_entry,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_deletion_has_its_entry, set_up, tear_down),
		cmocka_unit_test_setup_teardown(entries_are_read_newest_first_by_page_and_filter,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
