/* Rows of API keys: made, changed, revoked, rotated; known to the process at once, and to another. */
#include "base/identity.h"
#include "base/limits.h"
#include "tests/unit/engine_help.h"
#include "store/api_key.h"
#include "store/job.h"
#include "store/key_ring.h"

static struct api_key_write change_of(enum api_key_change change, const char *id)
{
	struct api_key_write w = { .change = change, .now_ms = clock_wall_ms() };

	str_copy(w.id, sizeof w.id, str_of(id));
	arena_init(&w.arena, 64 * KIB);
	return w;
}

static struct api_key_write new_key(const char *id, const char *text, int64_t owner)
{
	struct api_key_write w = change_of(API_KEY_CREATE, id);

	hash_sha256(text, strlen(text), w.sha256);
	w.owner = owner;
	w.name = STR("one");
	w.scopes = SCOPES_USUAL;
	return w;
}

static enum errc done(struct fixture *f, struct api_key_write *w)
{
	enum errc rc = DO(f, api_key_write, w);

	if (rc != ERR_OK)
		f->err = w->job.err;
	arena_finish(&w->arena);
	return rc;
}

static void make(struct fixture *f, const char *id, const char *text, int64_t owner)
{
	struct api_key_write w = new_key(id, text, owner);

	assert_int_equal(done(f, &w), ERR_OK);
}

static struct identity *ask(struct fixture *f, const char *id, const char *text)
{
	unsigned char sum[HASH_BYTES];

	hash_sha256(text, strlen(text), sum);
	return key_ring_find(f->store->ring, str_of(id), sum, clock_wall_ms());
}

static int64_t owner_of(struct fixture *f, const char *id, const char *text)
{
	struct identity *who = ask(f, id, text);
	int64_t          owner = who ? who->owner : 0;

	identity_release(who);
	return owner;
}

static void a_key_is_good_when_its_write_is_answered(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	assert_false(key_ring_any(f->store->ring));
	make(f, "aaaaaaaa", "first", 11);
	assert_true(key_ring_any(f->store->ring));
	assert_int_equal(owner_of(f, "aaaaaaaa", "first"), 11);
	assert_int_equal(owner_of(f, "aaaaaaaa", "other"), 0);

	struct api_key_write w = change_of(API_KEY_REVOKE, "aaaaaaaa");
	assert_int_equal(done(f, &w), ERR_OK);
	assert_int_equal(owner_of(f, "aaaaaaaa", "first"), 0);
	int64_t when = w.now.revoked_ms;
	assert_true(when > 0);
	w = change_of(API_KEY_REVOKE, "aaaaaaaa");
	w.now_ms += 1000;
	assert_int_equal(done(f, &w), ERR_OK);
	assert_int_equal(w.now.revoked_ms, when);
	assert_true(key_ring_any(f->store->ring)); /* what was shut stays shut */

	close_store(f);
	open_store(f);
	assert_true(key_ring_any(f->store->ring));
	assert_int_equal(owner_of(f, "aaaaaaaa", "first"), 0);
}

static void a_revoked_key_is_neither_changed_nor_rotated(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	make(f, "aaaaaaaa", "first", 11);
	struct api_key_write w = change_of(API_KEY_REVOKE, "aaaaaaaa");
	assert_int_equal(done(f, &w), ERR_OK);
	w = change_of(API_KEY_UPDATE, "aaaaaaaa");
	assert_int_equal(done(f, &w), ERR_GONE);
	w = change_of(API_KEY_ROTATE, "aaaaaaaa");
	assert_int_equal(done(f, &w), ERR_GONE);
	for (int c = API_KEY_UPDATE; c < API_KEY_CHANGE__COUNT; c++) {
		w = change_of((enum api_key_change)c, "zzzzzzzz");
		assert_int_equal(done(f, &w), ERR_NOT_FOUND);
	}
}

static void a_rotated_key_keeps_all_but_its_text(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	make(f, "aaaaaaaa", "first", 11);
	struct api_key_write w = change_of(API_KEY_ROTATE, "aaaaaaaa");
	hash_sha256("second", 6, w.sha256);
	w.old_until_ms = w.now_ms + 600000;
	assert_int_equal(done(f, &w), ERR_OK);
	assert_int_equal(owner_of(f, "aaaaaaaa", "first"), 11);
	assert_int_equal(owner_of(f, "aaaaaaaa", "second"), 11);

	w = change_of(API_KEY_ROTATE, "aaaaaaaa");
	hash_sha256("third", 5, w.sha256);
	assert_int_equal(done(f, &w), ERR_OK);
	assert_int_equal(owner_of(f, "aaaaaaaa", "first"), 0);
	assert_int_equal(owner_of(f, "aaaaaaaa", "second"), 0);
	assert_int_equal(owner_of(f, "aaaaaaaa", "third"), 11);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM api_key WHERE old_sha256 IS NULL"),
			 1);
}

static void what_is_set_is_changed(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	make(f, "aaaaaaaa", "first", 11);
	struct api_key_write w = change_of(API_KEY_UPDATE, "aaaaaaaa");
	w.models_set = true;
	w.models = STR("[\"small\",\"a\\u00e4/*\"]");
	w.scopes_set = true;
	w.scopes = SCOPE_READ;
	assert_int_equal(done(f, &w), ERR_OK);
	struct identity *who = ask(f, "aaaaaaaa", "first");
	assert_non_null(who);
	assert_string_equal(who->id, "key_aaaaaaaa");
	assert_int_equal(who->scopes, SCOPE_READ);
	assert_true(identity_sees(who, STR("small")));
	assert_true(identity_sees(who, STR("a\xC3\xA4/x")));
	assert_false(identity_sees(who, STR("large")));
	identity_release(who);

	w = change_of(API_KEY_UPDATE, "aaaaaaaa");
	w.expires_set = true;
	w.expires_ms = w.now_ms - 1;
	w.models_set = true;
	assert_int_equal(DO(f, api_key_write, &w), ERR_OK);
	assert_true(str_is(w.now.name, "one"));
	assert_int_equal(w.now.scopes, SCOPE_READ);
	assert_int_equal(w.now.models.n, 0);
	arena_finish(&w.arena);
	assert_null(ask(f, "aaaaaaaa", "first"));
}

static void a_key_may_share_what_another_owns(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	make(f, "aaaaaaaa", "first", 11);
	struct api_key_write w = new_key("bbbbbbbb", "second", 22);
	w.shares = STR("aaaaaaaa");
	assert_int_equal(done(f, &w), ERR_OK);
	assert_int_equal(owner_of(f, "bbbbbbbb", "second"), 11);
	w = new_key("cccccccc", "third", 33);
	w.shares = STR("zzzzzzzz");
	assert_int_equal(done(f, &w), ERR_NOT_FOUND);
	assert_string_equal(f->err.path, "shares");
	assert_null(ask(f, "cccccccc", "third"));
}

static void a_list_has_pages(void **state)
{
	struct fixture *f = *state;
	char            id[API_KEY_ID + 1] = "";
	size_t          seen = 0;

	open_store(f);
	for (int i = 0; i < 7; i++) {
		snprintf(id, sizeof id, "aaaaaaa%d", i);
		make(f, id, id, i + 1);
	}
	id[0] = '\0';
	for (bool more = true; more;) {
		struct api_keys_read r = { .limit = 3 };

		memcpy(r.after, id, sizeof id);
		arena_init(&r.arena, MIB);
		assert_int_equal(DO(f, api_keys_read, &r), ERR_OK);
		for (size_t i = 0; i < r.key_count; i++)
			assert_int_equal(r.keys[i].owner, 7 - (int64_t)seen++);
		memcpy(id, r.keys[r.key_count - 1].id, sizeof id);
		more = r.has_more;
		arena_finish(&r.arena);
	}
	assert_int_equal(seen, 7);

	struct api_keys_read r = { .limit = 3, .after = "zzzzzzzz" };
	arena_init(&r.arena, MIB);
	assert_int_equal(DO(f, api_keys_read, &r), ERR_INVALID_VALUE);
	r = (struct api_keys_read){ .limit = 3, .id = "zzzzzzzz", .arena = r.arena };
	assert_int_equal(DO(f, api_keys_read, &r), ERR_NOT_FOUND);
	memcpy(r.id, "aaaaaaa4", sizeof r.id);
	assert_int_equal(DO(f, api_keys_read, &r), ERR_OK);
	assert_int_equal(r.key_count, 1);
	assert_int_equal(r.keys[0].owner, 5);
	arena_finish(&r.arena);
}

/* Waits for what the store's own thread does; false: it never came. */
static bool comes(struct fixture *f, const char *id, const char *text, int64_t owner,
		  int64_t *ret_ms)
{
	int64_t from = clock_mono_us();

	while (owner_of(f, id, text) != owner) {
		if (clock_mono_us() - from > 30 * 1000000)
			return false;
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	*ret_ms = (clock_mono_us() - from) / 1000;
	return true;
}

static void another_process_s_changes_are_noticed(void **state)
{
	struct fixture      *f = *state;
	struct api_key_write w = new_key("aaaaaaaa", "first", 11);
	struct err           e;
	int64_t              ms = 0;

	/* Without a gateway it is made and brought up to date. */
	assert_int_equal(at_once(f, JOB_API_KEY_WRITE, &w.job, &e), ERR_OK);
	arena_finish(&w.arena);
	open_store(f);
	assert_int_equal(owner_of(f, "aaaaaaaa", "first"), 11);

	w = new_key("bbbbbbbb", "second", 22);
	assert_int_equal(at_once(f, JOB_API_KEY_WRITE, &w.job, &e), ERR_OK);
	arena_finish(&w.arena);
	assert_true(comes(f, "bbbbbbbb", "second", 22, &ms));
	w = change_of(API_KEY_REVOKE, "bbbbbbbb");
	assert_int_equal(at_once(f, JOB_API_KEY_WRITE, &w.job, &e), ERR_OK);
	arena_finish(&w.arena);
	assert_true(comes(f, "bbbbbbbb", "second", 0, &ms));
	print_message("noticed after %lld ms\n", (long long)ms);

	struct api_keys_read r = { .limit = 10 };
	arena_init(&r.arena, MIB);
	assert_int_equal(at_once(f, JOB_API_KEYS_READ, &r.job, &e), ERR_OK);
	assert_int_equal(r.key_count, 2);
	arena_finish(&r.arena);
	w = change_of(API_KEY_REVOKE, "zzzzzzzz");
	assert_int_equal(at_once(f, JOB_API_KEY_WRITE, &w.job, &e), ERR_NOT_FOUND);
	arena_finish(&w.arena);
}

static void a_damaged_row_lets_nobody_in_and_keeps_nobody_out(void **state)
{
	struct fixture *f = *state;
	int64_t         ms;

	open_store(f);
	make(f, "aaaaaaaa", "first", 11);
	make(f, "bbbbbbbb", "second", 22);
	make(f, "cccccccc", "third", 33);
	outside(f, "UPDATE api_key SET models = '[1' WHERE id = 'aaaaaaaa';"
		   "UPDATE api_key SET sha256 = " SQL_ZERO_BYTE " WHERE id = 'cccccccc';"
		   "UPDATE api_key SET owner = 23 WHERE id = 'bbbbbbbb';"
		   "UPDATE api_key_change SET version = version + 1");
	assert_true(comes(f, "bbbbbbbb", "second", 23, &ms));
	assert_int_equal(owner_of(f, "aaaaaaaa", "first"), 0);
	assert_int_equal(owner_of(f, "cccccccc", "third"), 0);
}

static void uses_are_stored_by_the_end(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	make(f, "aaaaaaaa", "first", 11);
	make(f, "bbbbbbbb", "second", 22);
	int64_t version = outside_int(f, "SELECT version FROM api_key_change");
	assert_int_equal(owner_of(f, "aaaaaaaa", "first"), 11);
	close_store(f);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM api_key WHERE used_ms > 0"), 1);
	assert_int_equal(outside_int(f, "SELECT version FROM api_key_change"), version);
}

static enum errc signed_out(struct fixture *f, uint64_t secret, const char *key, int64_t ends_ms)
{
	struct sign_out w = {
		.session = { 7, secret }, .key = key, .now_ms = clock_wall_ms(), .ends_ms = ends_ms
	};

	return DO(f, sign_out, &w);
}

static bool ended(struct fixture *f, uint64_t secret)
{
	return key_ring_ended(f->store->ring, (struct id){ 7, secret });
}

static void a_session_is_ended_when_the_write_is_answered(void **state)
{
	struct fixture *f = *state;
	int64_t         later = clock_wall_ms() + 60000;

	open_store(f);
	assert_false(ended(f, UINT64_MAX));
	assert_int_equal(signed_out(f, UINT64_MAX, "aaaaaaaa", later), ERR_OK);
	assert_true(ended(f, UINT64_MAX));
	assert_false(ended(f, 1));
	/* once more: as it was */
	assert_int_equal(signed_out(f, UINT64_MAX, "aaaaaaaa", later), ERR_OK);
	assert_true(ended(f, UINT64_MAX));
	/* one whose time is over needs no note, and the next write forgets it */
	assert_int_equal(signed_out(f, 2, "aaaaaaaa", 1000), ERR_OK);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM session_ended"), 2);
	assert_false(ended(f, 2));
	assert_int_equal(signed_out(f, 3, "bbbbbbbb", later), ERR_OK);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM session_ended"), 2);
	assert_true(ended(f, UINT64_MAX) && ended(f, 3));
}

static void a_key_ends_so_many_sessions_and_no_more(void **state)
{
	struct fixture *f = *state;
	int64_t         later = clock_wall_ms() + 60000;

	open_store(f);
	for (uint64_t i = 0; i < LIMIT_SESSIONS_ENDED; i++)
		assert_int_equal(signed_out(f, i, "aaaaaaaa", later), ERR_OK);
	assert_int_equal(signed_out(f, LIMIT_SESSIONS_ENDED, "aaaaaaaa", later), ERR_OVERLOADED);
	assert_false(ended(f, LIMIT_SESSIONS_ENDED));
	assert_int_equal(signed_out(f, LIMIT_SESSIONS_ENDED, "bbbbbbbb", later), ERR_OK);
	assert_true(ended(f, LIMIT_SESSIONS_ENDED));
}

static void no_text_is_stored(void **state)
{
	struct fixture *f = *state;

	open_store(f);
	make(f, "aaaaaaaa", "canaryZq7", 11);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM api_key WHERE " SQL_HAS_CANARY(
						"sha256") " OR " SQL_HAS_CANARY("name")),
			 0);
	assert_int_equal(outside_int(f, "SELECT length(sha256) FROM api_key"), HASH_BYTES);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_key_is_good_when_its_write_is_answered),
		TEST(a_revoked_key_is_neither_changed_nor_rotated),
		TEST(a_rotated_key_keeps_all_but_its_text),
		TEST(what_is_set_is_changed),
		TEST(a_key_may_share_what_another_owns),
		TEST(a_list_has_pages),
		TEST(another_process_s_changes_are_noticed),
		TEST(a_damaged_row_lets_nobody_in_and_keeps_nobody_out),
		TEST(uses_are_stored_by_the_end),
		TEST(a_session_is_ended_when_the_write_is_answered),
		TEST(a_key_ends_so_many_sessions_and_no_more),
		TEST(no_text_is_stored),
	};
#undef TEST
	return cmocka_run_group_tests(tests, NULL, NULL);
}
