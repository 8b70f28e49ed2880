/* Kept answers: their names are bound, freed, kept through restarts, swept. */
#include "engine_help.h"

#include "base/buf.h"
#include "msg/event_code.h"
#include "store/turn.h"

#define Q(text) "{\"role\":\"user\",\"content\":\"" text "\"}"
#define A(text) "{\"role\":\"assistant\",\"content\":\"" text "\"}"

static const char fingerprint[] = "a digest of thirty-two bytes...";

static int set_up_open(void **state)
{
	set_up(state);
	open_store(*state);
	return 0;
}

static struct answer_name key_named(const char *name)
{
	return (struct answer_name){ .key = str_of(name),
				     .digest = { fingerprint, sizeof fingerprint } };
}

static struct answer_find look(struct fixture *f, const char *name)
{
	struct answer_find r = { .key = key_named(name) };

	buf_init(&r.bytes, MIB);
	assert_int_equal(DO(f, answer_find, &r), ERR_OK);
	return r;
}

static bool known(struct fixture *f, const char *name)
{
	struct answer_find r = look(f, name);

	buf_finish(&r.bytes);
	return r.found;
}

static struct turn_begin begin(struct fixture *f, const char *name)
{
	struct store_message m;
	struct turn_begin    t = first_turn(&m, Q("hello"));

	t.key = key_named(name);
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	return t;
}

static void end(struct fixture *f, const struct turn_begin *t, enum run_status status, int http,
		const char *body)
{
	struct turn_end e = end_of(t->run, status, http ? A("hi") : NULL);

	e.keyed = true;
	e.kept_answer = (struct kept_answer){ http, str_of(body) };
	assert_int_equal(DO(f, turn_end, &e), ERR_OK);
}

static void a_key_is_bound_with_its_answer(void **state)
{
	struct fixture    *f = *state;
	struct turn_begin  t = begin(f, "one");
	struct answer_find r = look(f, "one");

	assert_true(r.found && r.same && r.stored);
	assert_int_equal(r.outcome, RUN_RUNNING);
	assert_int_equal(r.answer.http, 0);
	assert_int_equal(r.answer.body.n, 0);
	buf_finish(&r.bytes);

	end(f, &t, RUN_COMPLETED, 200, "{\"a\":1}");
	r = look(f, "one");
	assert_memory_equal(&r.run, &t.run, sizeof r.run);
	assert_memory_equal(&r.conversation, &t.conversation, sizeof r.conversation);
	assert_int_equal(r.outcome, RUN_COMPLETED);
	assert_int_equal(r.answer.http, 200);
	assert_true(str_is(r.answer.body, "{\"a\":1}"));
	buf_finish(&r.bytes);
	assert_false(known(f, "other"));
}

static void another_request_and_another_owner_are_told_apart(void **state)
{
	struct fixture    *f = *state;
	struct turn_begin  t = begin(f, "one");
	struct answer_find r = { .key = key_named("one") };

	end(f, &t, RUN_COMPLETED, 200, "x");
	r.key.digest = STR("something else");
	buf_init(&r.bytes, MIB);
	assert_int_equal(DO(f, answer_find, &r), ERR_OK);
	assert_true(r.found);
	assert_false(r.same);
	r.owner = 5;
	assert_int_equal(DO(f, answer_find, &r), ERR_OK);
	assert_false(r.found);
	buf_finish(&r.bytes);
}

static void an_end_without_an_answer_frees_the_key(void **state)
{
	struct fixture   *f = *state;
	struct turn_begin t = begin(f, "one");

	end(f, &t, RUN_FAILED, 0, "");
	assert_false(known(f, "one"));
	t = begin(f, "one");
	end(f, &t, RUN_INCOMPLETE, 200, "");
	assert_true(known(f, "one"));
}

static void an_answer_that_is_stored_nowhere_is_kept_with_its_key(void **state)
{
	struct fixture    *f = *state;
	struct answer_keep k = {
		.created_ms = clock_wall_ms(),
		.run = id_new(),
		.key = key_named("one"),
		.outcome = RUN_FAILED,
		.answer = { 502, STR("bytes \x01") },
	};

	assert_int_equal(DO(f, answer_keep, &k), ERR_OK);
	close_store(f);
	open_store(f);
	struct answer_find r = look(f, "one");
	assert_true(r.found && r.same && !r.stored);
	assert_memory_equal(&r.run, &k.run, sizeof r.run);
	assert_true(id_none(r.conversation));
	assert_int_equal(r.outcome, RUN_FAILED);
	assert_int_equal(r.answer.http, 502);
	assert_true(str_is(r.answer.body, "bytes \x01"));
	buf_finish(&r.bytes);
	assert_true(id_new().key > k.run.key);
}

static void what_a_crash_cut_off_is_told_as_that(void **state)
{
	struct fixture    *f = *state;
	struct answer_keep k = {
		.created_ms = clock_wall_ms(),
		.run = id_new(),
		.key = key_named("one"),
		.outcome = RUN_RUNNING,
	};

	assert_int_equal(DO(f, answer_keep, &k), ERR_OK);
	struct answer_find r = look(f, "one");
	assert_int_equal(r.answer.http, 0);
	buf_finish(&r.bytes);
	close_store(f);
	open_store(f);
	r = look(f, "one");
	assert_int_equal(r.outcome, RUN_INCOMPLETE);
	assert_int_equal(r.answer.http, 500);
	assert_int_equal(r.answer.body.n, 0);
	buf_finish(&r.bytes);
}

static void append(struct fixture *f, struct id run, const struct event *ev, uint64_t seq)
{
	struct buf data;

	buf_init(&data, MIB);
	assert_true(event_encode(ev, seq, &data));
	struct events_entry  entry = { .piece = { run, seq, seq, buf_view(&data) } };
	struct events_append a = { .entries = &entry, .entry_count = 1 };
	assert_int_equal(DO(f, events_append, &a), ERR_OK);
	buf_finish(&data);
}

/* A crash: runs that go on when the store is closed are what a process leaves behind that was killed. */
static void after_a_crash_a_key_is_bound_if_the_provider_had_begun(void **state)
{
	struct fixture   *f = *state;
	struct turn_begin asked = begin(f, "asked");
	struct turn_begin begun = begin(f, "begun");

	begin(f, "nothing");
	append(f, asked.run, &(struct event){ .kind = EVENT_ASKED }, 1);
	append(f, begun.run, &(struct event){ .kind = EVENT_ASKED }, 1);
	append(f, begun.run, &(struct event){ .kind = EVENT_START }, 2);
	close_store(f);
	open_store(f);
	assert_false(known(f, "asked"));
	assert_false(known(f, "nothing"));
	struct answer_find r = look(f, "begun");
	assert_true(r.found);
	assert_int_equal(r.outcome, RUN_INCOMPLETE);
	assert_int_equal(r.answer.http, 200);
	assert_int_equal(r.answer.body.n, 0);
	buf_finish(&r.bytes);
}

static void a_deleted_run_takes_its_answer_along(void **state)
{
	struct fixture   *f = *state;
	struct turn_begin t = begin(f, "one");

	end(f, &t, RUN_COMPLETED, 200, "x");
	struct conversation_write gone = { .change = CONVERSATION_DELETE,
					   .conversation = t.conversation,
					   .now_ms = clock_wall_ms() };
	arena_init(&gone.arena, MIB);
	assert_int_equal(DO(f, conversation_write, &gone), ERR_OK);
	arena_finish(&gone.arena);
	struct answer_find r = look(f, "one");
	assert_true(r.found);
	assert_int_equal(r.answer.http, 410);
	assert_int_equal(r.answer.body.n, 0);
	buf_finish(&r.bytes);
}

static void old_keys_are_swept_and_those_of_live_runs_are_not(void **state)
{
	struct fixture *f = *state;
	char            name[16];

	close_store(f);
	f->options.answer_keep_ms = 3600 * 1000;
	open_store(f);
	begin(f, "live");
	for (int i = 0; i < 50; i++) {
		snprintf(name, sizeof name, "old%d", i);
		struct turn_begin t = begin(f, name);
		end(f, &t, RUN_COMPLETED, 200, "x");
	}
	outside(f, "UPDATE idempotency SET created_ms = created_ms - 4000000");
	struct turn_begin t = begin(f, "new");
	end(f, &t, RUN_COMPLETED, 200, "x");
	for (int i = 0; i < 200; i++) {
		if (outside_int(f, "SELECT count(*) FROM idempotency") == 2)
			break;
		nanosleep(&(struct timespec){ .tv_nsec = 50 * 1000000 }, NULL);
	}
	assert_int_equal(outside_int(f, "SELECT count(*) FROM idempotency"), 2);
	assert_true(known(f, "live"));
	assert_true(known(f, "new"));
}

static bool take(struct fixture *f, const char *name, struct id claim)
{
	struct claim_take t = { .created_ms = clock_wall_ms(),
				.claim = claim,
				.key = key_named(name) };

	assert_int_equal(DO(f, claim_take, &t), ERR_OK);
	return t.taken;
}

/* until_free: waits until the key is not known any more; false: it stays. */
static bool until_free(struct fixture *f, const char *name)
{
	for (int i = 0; i < 200 && known(f, name); i++)
		nanosleep(&(struct timespec){ .tv_nsec = 50 * 1000000 }, NULL);
	return !known(f, name);
}

/* In a store that is not shared, the process's own claims suffice. */
static void one_of_many_takes_a_key(void **state)
{
	struct fixture *f = *state;
	struct id       first = id_new();
	struct id       second = id_new();

	assert_true(take(f, "one", first));
	if (!store_is_shared(f->store)) {
		assert_false(known(f, "one"));
		return;
	}
	assert_false(take(f, "one", second));
	assert_true(take(f, "two", second));
	assert_true(take(f, "one", first)); /* as a batch does that is sent again */
	struct answer_find r = look(f, "one");
	assert_true(r.found && r.same && !r.stored && !r.begun);
	assert_int_equal(r.outcome, RUN_QUEUED);
	assert_int_equal(r.answer.http, 0);
	buf_finish(&r.bytes);
	store_claim_free(f->store, first);
	assert_true(until_free(f, "one"));
	assert_true(known(f, "two"));
	assert_true(take(f, "one", id_new()));
}

static void a_run_has_the_key_that_was_taken_for_it(void **state)
{
	struct fixture *f = *state;
	struct id       stored = id_new();
	struct id       unstored = id_new();

	assert_true(take(f, "stored", stored));
	assert_true(take(f, "unstored", unstored));
	struct turn_begin  t = begin(f, "stored");
	struct answer_keep k = { .created_ms = clock_wall_ms(),
				 .run = id_new(),
				 .key = key_named("unstored"),
				 .outcome = RUN_COMPLETED,
				 .answer = { 200, STR("{}") } };
	assert_int_equal(DO(f, answer_keep, &k), ERR_OK);
	/* Too late; a key that was given back after these tells that these were looked at. */
	store_claim_free(f->store, stored);
	store_claim_free(f->store, unstored);
	if (store_is_shared(f->store)) {
		struct id last = id_new();

		assert_true(take(f, "last", last));
		store_claim_free(f->store, last);
		assert_true(until_free(f, "last"));
	}
	struct answer_find r = look(f, "stored");
	assert_true(r.found && r.stored && r.run.key == t.run.key);
	assert_int_equal(r.outcome, RUN_RUNNING);
	buf_finish(&r.bytes);
	r = look(f, "unstored");
	assert_true(r.found && r.run.key == k.run.key);
	assert_int_equal(r.answer.http, 200);
	buf_finish(&r.bytes);
}

/* What a process had taken before others declared it dead, it has no more. */
static void a_key_that_was_taken_under_another_name_begins_nothing(void **state)
{
	struct fixture   *f = *state;
	struct claim_take taken = { .created_ms = clock_wall_ms(),
				    .claim = id_new(),
				    .key = key_named("one") };

	if (!store_is_shared(f->store))
		return;
	assert_int_equal(DO(f, claim_take, &taken), ERR_OK);
	assert_true(taken.taken && taken.holder != 0);
	struct store_message m;
	struct turn_begin    t = first_turn(&m, Q("hello"));

	t.key = taken.key;
	t.key.holder = taken.holder + 1;
	assert_int_equal(DO(f, turn_begin, &t), ERR_STORAGE);
	t.key.holder = taken.holder;
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);

	struct answer_keep k = { .created_ms = clock_wall_ms(),
				 .run = id_new(),
				 .key = taken.key,
				 .outcome = RUN_COMPLETED,
				 .answer = { 200, STR("{}") } };
	k.key.holder = taken.holder + 1;
	assert_int_equal(DO(f, answer_keep, &k), ERR_KEY_LOST);
}

/* A cache, for one: its digest claims nothing, and no Idempotency-Key is in its way. */
static void a_client_without_keys_keeps_an_answer_under_its_digest(void **state)
{
	struct fixture *f = *state;
	unsigned char   digest[HASH_BYTES];
	char            key[HASH_HEX + 8] = "cache ";

	hash_sha256("a prompt", 8, digest);
	hash_hex(digest, HASH_BYTES, key + 6);
	assert_false(known(f, key));
	struct answer_keep k = { .created_ms = 1234,
				 .run = id_new(),
				 .key = key_named(key),
				 .outcome = RUN_COMPLETED,
				 .answer = { 200, STR("the answer") } };
	assert_int_equal(DO(f, answer_keep, &k), ERR_OK);
	assert_false(known(f, key + 6)); /* as an Idempotency-Key */

	struct answer_find r = look(f, key);
	assert_true(r.found && r.same && !r.stored);
	assert_true(r.created_ms == 1234);
	assert_int_equal(r.answer.http, 200);
	assert_int_equal(r.answer.body.n, 10);
	assert_true(str_is(r.answer.body, "the answer"));
	r.owner = 5;
	assert_int_equal(DO(f, answer_find, &r), ERR_OK);
	assert_false(r.found);
	buf_finish(&r.bytes);
}

/* A call that no answer had begun of, did not happen for its client. */
static void a_crash_frees_what_was_only_taken(void **state)
{
	struct fixture *f = *state;

	assert_true(take(f, "one", id_new()));
	close_store(f);
	open_store(f);
	assert_true(until_free(f, "one"));
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up_open, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_key_is_bound_with_its_answer),
		T(another_request_and_another_owner_are_told_apart),
		T(an_end_without_an_answer_frees_the_key),
		T(an_answer_that_is_stored_nowhere_is_kept_with_its_key),
		T(what_a_crash_cut_off_is_told_as_that),
		T(after_a_crash_a_key_is_bound_if_the_provider_had_begun),
		T(a_deleted_run_takes_its_answer_along),
		T(old_keys_are_swept_and_those_of_live_runs_are_not),
		T(one_of_many_takes_a_key),
		T(a_run_has_the_key_that_was_taken_for_it),
		T(a_key_that_was_taken_under_another_name_begins_nothing),
		T(a_client_without_keys_keeps_an_answer_under_its_digest),
		T(a_crash_frees_what_was_only_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
