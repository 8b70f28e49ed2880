/* The keys in memory: found by id and digest, good only while they are. */
#include "store/key_ring.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define ID_A "aaaaaaaa"
#define ID_B "bbbbbbbb"
enum { NOW = 1000000 };

static struct key_ring_entry entry(const char *id, int64_t number, const char *text)
{
	struct key_ring_entry e = { 0 };
	char                  name[16];

	snprintf(name, sizeof name, "key_%s", id);
	memcpy(e.id, id, API_KEY_ID);
	hash_sha256(text, strlen(text), e.sha256);
	e.who = identity_create(&(struct identity_options){
		.id = str_of(name), .number = number, .owner = number, .scopes = SCOPES_USUAL });
	assert_non_null(e.who);
	return e;
}

static const unsigned char signing[HASH_BYTES] = { 1, 2, 3 };

static void put(struct key_ring *r, const struct key_ring_entry *e, size_t n, int64_t version)
{
	struct key_ring_table *t = key_ring_table_create(signing);

	assert_non_null(t);
	for (size_t i = 0; i < n; i++)
		assert_true(key_ring_add(t, &e[i]));
	assert_true(key_ring_put(r, t, version, n > 0));
}

/* The number of who holds it; 0: nobody. */
static int64_t asked(struct key_ring *r, const char *id, const char *text, int64_t now)
{
	unsigned char sum[HASH_BYTES];

	hash_sha256(text, strlen(text), sum);
	struct identity *who = key_ring_find(r, str_of(id), sum, now);
	int64_t          number = who ? who->number : 0;
	identity_release(who);
	return number;
}

static struct key_ring *make(void)
{
	struct key_ring *r = NULL;
	struct err       e;

	assert_int_equal(key_ring_create(&r, &e), ERR_OK);
	return r;
}

static void a_revoked_key_is_found_by_nobody_and_told_to_who_had_it(void **state)
{
	(void)state;
	struct key_ring      *r = make();
	struct key_ring_entry gone = entry(ID_A, 1, "a");
	unsigned char         sha256[2][HASH_BYTES];

	gone.revoked = true;
	put(r, (struct key_ring_entry[]){ gone, entry(ID_B, 2, "b") }, 2, 1);
	assert_int_equal(asked(r, ID_A, "a", NOW), 0);
	assert_null(key_ring_named(r, str_of(ID_A), NOW));
	assert_null(key_ring_digests(r, str_of(ID_A), NOW, sha256));
	assert_true(key_ring_revoked(r, str_of(ID_A), sha256));
	assert_memory_equal(sha256[0], gone.sha256, HASH_BYTES);
	assert_false(key_ring_revoked(r, str_of(ID_B), sha256));
	assert_false(key_ring_revoked(r, str_of("0"), sha256));
	key_ring_destroy(r);
}

static void keys_are_found_by_id_and_text(void **state)
{
	(void)state;
	struct key_ring *r = make();

	assert_false(key_ring_any(r));
	assert_int_equal(asked(r, ID_A, "a", NOW), 0);
	put(r, (struct key_ring_entry[]){ entry(ID_B, 2, "b"), entry(ID_A, 1, "a") }, 2, 1);
	assert_true(key_ring_any(r));
	assert_int_equal(asked(r, ID_A, "a", NOW), 1);
	assert_int_equal(asked(r, ID_B, "b", NOW), 2);
	assert_int_equal(asked(r, ID_A, "b", NOW), 0);
	assert_int_equal(asked(r, "cccccccc", "a", NOW), 0);
	key_ring_destroy(r);
}

static void an_older_version_changes_nothing(void **state)
{
	(void)state;
	struct key_ring      *r = make();
	struct key_ring_entry a = entry(ID_A, 1, "a");

	put(r, &a, 1, 5);
	put(r, NULL, 0, 4);
	put(r, NULL, 0, 5);
	assert_int_equal(asked(r, ID_A, "a", NOW), 1);
	assert_int_equal(key_ring_version(r), 5);
	put(r, NULL, 0, 6);
	assert_int_equal(asked(r, ID_A, "a", NOW), 0);
	key_ring_destroy(r);
}

static void time_ends_keys_and_old_texts(void **state)
{
	(void)state;
	struct key_ring      *r = make();
	struct key_ring_entry a = entry(ID_A, 1, "new");

	a.expires_ms = NOW + 20;
	hash_sha256("old", 3, a.old_sha256);
	a.old_until_ms = NOW + 10;
	put(r, &a, 1, 1);
	assert_int_equal(asked(r, ID_A, "old", NOW + 9), 1);
	assert_int_equal(asked(r, ID_A, "old", NOW + 10), 0);
	assert_int_equal(asked(r, ID_A, "new", NOW + 19), 1);
	assert_int_equal(asked(r, ID_A, "new", NOW + 20), 0);
	assert_int_equal(asked(r, ID_A, "", NOW), 0);
	key_ring_destroy(r);
}

/* No old text: its digest, all zeros, is nobody's. */
static void zeros_open_nothing(void **state)
{
	(void)state;
	struct key_ring      *r = make();
	struct key_ring_entry a = entry(ID_A, 1, "a");
	unsigned char         zeros[HASH_BYTES] = { 0 };

	put(r, &a, 1, 1);
	assert_null(key_ring_find(r, STR(ID_A), zeros, NOW));
	assert_null(key_ring_find(r, STR(ID_B), zeros, NOW));
	key_ring_destroy(r);
}

static void who_is_held_outlives_the_ring_s_change(void **state)
{
	(void)state;
	struct key_ring      *r = make();
	struct key_ring_entry a = entry(ID_A, 1, "a");
	unsigned char         sum[HASH_BYTES];

	put(r, &a, 1, 1);
	hash_sha256("a", 1, sum);
	struct identity *who = key_ring_find(r, STR(ID_A), sum, NOW);
	assert_non_null(who);
	struct identity *again = key_ring_named(r, STR(ID_A), NOW);
	assert_ptr_equal(again, who);
	identity_release(again);
	assert_null(key_ring_named(r, STR(ID_B), NOW));
	assert_null(key_ring_named(r, STR("x"), NOW));
	put(r, NULL, 0, 2);
	assert_int_equal(who->owner, 1);
	assert_null(key_ring_named(r, STR(ID_A), NOW));
	identity_release(who);

	unsigned char got[HASH_BYTES];
	key_ring_signing(r, got);
	assert_memory_equal(got, signing, HASH_BYTES);
	key_ring_destroy(r);
}

static void a_use_is_told_once(void **state)
{
	(void)state;
	struct key_ring      *r = make();
	struct key_ring_entry a = entry(ID_A, 1, "a");
	struct identity      *used[4];

	put(r, &a, 1, 1);
	assert_false(key_ring_is_used(r));
	assert_int_equal(asked(r, ID_A, "wrong", NOW), 0);
	assert_false(key_ring_is_used(r));
	assert_int_equal(asked(r, ID_A, "a", NOW), 1);
	assert_true(key_ring_is_used(r));
	assert_int_equal(key_ring_used(r, used, 0), 0);
	assert_true(key_ring_is_used(r)); /* there was no room to tell it */
	assert_int_equal(key_ring_used(r, used, 4), 1);
	assert_int_equal(used[0]->used_ms, NOW);
	atomic_store(&used[0]->noted_ms, NOW);
	identity_release(used[0]);
	assert_int_equal(asked(r, ID_A, "a", NOW + 500), 1); /* the same second */
	assert_int_equal(key_ring_used(r, used, 4), 0);

	/* A table that is read anew keeps what is known. */
	assert_int_equal(asked(r, ID_A, "a", NOW + 5000), 1);
	a = entry(ID_A, 1, "a");
	put(r, &a, 1, 2);
	assert_int_equal(key_ring_used(r, used, 4), 1);
	assert_int_equal(used[0]->used_ms, NOW + 5000);
	identity_release(used[0]);
	key_ring_destroy(r);
}

static void digests_are_those_of_valid_texts(void **state)
{
	(void)state;
	struct key_ring      *r = make();
	struct key_ring_entry a = entry(ID_A, 1, "new");
	unsigned char         sums[2][HASH_BYTES];
	unsigned char         old[HASH_BYTES];

	a.expires_ms = NOW + 20;
	hash_sha256("old", 3, a.old_sha256);
	memcpy(old, a.old_sha256, sizeof old);
	a.old_until_ms = NOW + 10;
	put(r, &a, 1, 1);
	struct identity *who = key_ring_digests(r, STR(ID_A), NOW + 9, sums);
	assert_non_null(who);
	assert_memory_equal(sums[0], a.sha256, HASH_BYTES);
	assert_memory_equal(sums[1], old, HASH_BYTES);
	identity_release(who);
	who = key_ring_digests(r, STR(ID_A), NOW + 10, sums);
	assert_non_null(who);
	assert_memory_equal(sums[0], a.sha256, HASH_BYTES);
	assert_memory_equal(sums[1], a.sha256, HASH_BYTES);
	assert_false(key_ring_is_used(r));
	key_ring_use(r, who, NOW + 10);
	assert_true(key_ring_is_used(r));
	identity_release(who);
	assert_null(key_ring_digests(r, STR(ID_A), NOW + 20, sums));
	assert_null(key_ring_digests(r, STR(ID_B), NOW, sums));
	assert_null(key_ring_digests(r, STR("x"), NOW, sums));
	key_ring_destroy(r);
}

static void ended_sessions_are_found(void **state)
{
	(void)state;
	struct key_ring       *r = make();
	struct key_ring_table *t = key_ring_table_create(signing);
	enum { MANY = 1000 };

	assert_non_null(t);
	assert_false(key_ring_ended(r, (struct id){ 1, 1 }));
	for (int i = MANY - 1; i >= 0; i--)
		assert_true(
			key_ring_end(t, (struct id){ 1 + i / 2, UINT64_MAX - (uint64_t)(i % 2) }));
	assert_true(key_ring_put(r, t, 1, true));
	for (int i = 0; i < MANY; i++)
		assert_true(key_ring_ended(
			r, (struct id){ 1 + i / 2, UINT64_MAX - (uint64_t)(i % 2) }));
	assert_false(key_ring_ended(r, (struct id){ 1, UINT64_MAX - 2 }));
	assert_false(key_ring_ended(r, (struct id){ MANY, UINT64_MAX }));
	put(r, NULL, 0, 2);
	assert_false(key_ring_ended(r, (struct id){ 1, UINT64_MAX }));
	key_ring_destroy(r);
}

static struct identity *group_of(const char *id)
{
	struct identity_group g = { .number = id[0] };

	snprintf(g.id, sizeof g.id, "grp_%s", id);
	struct identity *who = identity_create(&(struct identity_options){ .group = &g });
	assert_non_null(who);
	return who;
}

static void groups_are_found_by_id(void **state)
{
	(void)state;
	struct key_ring       *r = make();
	struct key_ring_table *t = key_ring_table_create(signing);

	assert_non_null(t);
	assert_null(key_ring_group(r, STR(ID_A)));
	for (char c = 'z'; c >= 'a'; c--)
		assert_true(key_ring_add_group(
			t, group_of((const char[]){ c, 'x', 'x', 'x', 'x', 'x', 'x', 'x', 0 })));
	assert_true(key_ring_put(r, t, 1, false));
	struct identity *who = key_ring_group(r, STR("bxxxxxxx"));
	assert_non_null(who);
	assert_int_equal(who->group->number, 'b');
	assert_null(key_ring_group(r, STR(ID_A)));
	assert_null(key_ring_group(r, STR("b")));
	put(r, NULL, 0, 2);
	assert_null(key_ring_group(r, STR("bxxxxxxx")));
	assert_string_equal(who->group->id, "grp_bxxxxxxx");
	identity_release(who);
	key_ring_destroy(r);
}

static void *ask_much(void *arg)
{
	int64_t seen = 0;

	for (int i = 0; i < 20000; i++)
		seen += asked(arg, ID_A, "a", NOW + i);
	return (void *)(uintptr_t)(seen == 20000 ? 1 : 0);
}

static void many_ask_while_it_changes(void **state)
{
	(void)state;
	struct key_ring      *r = make();
	struct key_ring_entry a = entry(ID_A, 1, "a");
	pthread_t             threads[3];
	void                 *ok;

	put(r, &a, 1, 1);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_much, r), 0);
	for (int64_t v = 2; v < 300; v++)
		put(r, (struct key_ring_entry[]){ entry(ID_B, 2, "b"), entry(ID_A, 1, "a") }, 2, v);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
		pthread_join(threads[i], &ok);
		assert_non_null(ok);
	}
	key_ring_destroy(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_found_by_id_and_text),
		cmocka_unit_test(a_revoked_key_is_found_by_nobody_and_told_to_who_had_it),
		cmocka_unit_test(an_older_version_changes_nothing),
		cmocka_unit_test(time_ends_keys_and_old_texts),
		cmocka_unit_test(zeros_open_nothing),
		cmocka_unit_test(who_is_held_outlives_the_ring_s_change),
		cmocka_unit_test(a_use_is_told_once),
		cmocka_unit_test(digests_are_those_of_valid_texts),
		cmocka_unit_test(ended_sessions_are_found),
		cmocka_unit_test(groups_are_found_by_id),
		cmocka_unit_test(many_ask_while_it_changes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
