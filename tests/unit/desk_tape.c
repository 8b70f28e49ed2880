/* Tapes and tickets: what unstored runs and readers without a key need for a short while. */
#include "desk/tape.h"
#include "desk/ticket.h"

#include "base/limits.h"
#include "msg/event_code.h"
#include "store/run.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct tape *made(size_t max, bool shared)
{
	struct tape *t = tape_create(max, shared);

	assert_non_null(t);
	return t;
}

static void add(struct tape *t, uint64_t seq, struct str text, bool cont)
{
	if (!tape_add(t, &(struct event){ .kind = EVENT_TEXT, .text = text, .cont = cont }, seq))
		tape_lose(t);
}

static struct tape *committed_tape(void)
{
	struct tape *t = made(LIMIT_TAPE, true);

	tape_commit(t);
	return t;
}

/* read_all: by pages of max bytes; what the events' texts make, and how many pages. */
static size_t read_all(struct tape *t, size_t max, struct buf *ret, struct tape_state *state)
{
	struct buf   page, error;
	struct event ev;
	uint64_t     seq;
	uint64_t     at = 0;
	size_t       pages = 0;

	buf_init(&page, LIMIT_TAPE);
	buf_init(&error, KIB);
	do {
		buf_clear(&page);
		assert_true(tape_read(t, &at, max, &page, &error, state));
		struct str rest = buf_view(&page);
		while (event_decode(&rest, &ev, &seq))
			assert_true(buf_str(ret, ev.text));
		assert_int_equal(rest.n, 0);
		pages++;
	} while (state->has_more);
	assert_true(buf_str(ret, buf_view(&error)));
	buf_finish(&page);
	buf_finish(&error);
	return pages;
}

static void a_tape_gives_back_what_was_added_in_pages_of_any_size(void **state)
{
	struct tape      *t = committed_tape();
	struct tape_state now;

	(void)state;
	add(t, 1, STR("a"), false);
	add(t, 2, STR("b"), false);
	add(t, 2, STR("c"), true);
	add(t, 3, STR("d"), false);
	for (size_t max = 1; max < 64; max++) {
		struct buf got;

		buf_init(&got, KIB);
		size_t pages = read_all(t, max, &got, &now);
		assert_true(str_is(buf_view(&got), "abcd"));
		assert_true(pages <= 3); /* b and c are one event and stay together */
		assert_int_equal(now.status, RUN_RUNNING);
		buf_finish(&got);
	}
	tape_release(t);
}

static void its_end_is_told_behind_the_last_event(void **state)
{
	struct tape      *t = committed_tape();
	struct tape      *other = tape_hold(t);
	struct tape_state now;
	struct buf        got;

	(void)state;
	buf_init(&got, KIB);
	add(t, 1, STR("a"), false);
	tape_end(t, RUN_FAILED, 2, STR("{}"));
	tape_release(t);
	read_all(other, 1, &got, &now);
	assert_true(str_is(buf_view(&got), "a{}"));
	assert_int_equal(now.status, RUN_FAILED);
	assert_int_equal(now.last_seq, 2);
	buf_finish(&got);
	tape_release(other);
	tape_release(NULL);
}

static void a_tape_that_is_full_has_nothing_left(void **state)
{
	static char       text[64 * 1024];
	struct tape      *t = committed_tape();
	struct tape_state now = { 0 };
	struct buf        got;

	(void)state;
	memset(text, 'x', sizeof text);
	buf_init(&got, LIMIT_TAPE);
	for (uint64_t i = 1; i <= LIMIT_TAPE / sizeof text + 1; i++)
		add(t, i, (struct str){ text, sizeof text }, false);
	read_all(t, 1, &got, &now);
	assert_true(now.full);
	assert_int_equal(got.len, 0);
	buf_finish(&got);
	tape_release(t);
}

/* next_is: the event at *at has this number and text; NULL: there is none. */
static void next_is(const struct tape *t, uint64_t *at, uint64_t seq, const char *text)
{
	struct event ev;
	uint64_t     got;

	if (!tape_next(t, at, &ev, &got)) {
		assert_null(text);
		return;
	}
	assert_non_null(text);
	assert_int_equal(got, seq);
	assert_true(str_is(ev.text, text));
}

static void what_is_not_committed_is_cut_off_and_seen_by_nobody(void **state)
{
	struct tape      *t = made(LIMIT_TAPE, true);
	struct tape_state now;
	struct buf        got;
	uint64_t          at = 0;

	(void)state;
	buf_init(&got, KIB);
	add(t, 1, STR("lost"), false);
	assert_true(tape_uncommitted(t).n > 0);
	next_is(t, &at, 0, NULL);
	read_all(t, 1, &got, &now);
	tape_cut(t);
	assert_int_equal(tape_head(t), 0);
	add(t, 1, STR("a"), false);
	tape_commit(t);
	assert_int_equal(tape_uncommitted(t).n, 0);
	tape_cut(t); /* comes too late */
	read_all(t, 1, &got, &now);
	assert_true(str_is(buf_view(&got), "a"));
	next_is(t, &at, 1, "a");
	next_is(t, &at, 0, NULL);
	buf_finish(&got);
	tape_release(t);
}

static void nothing_is_kept_behind_the_commit_where_nobody_reads_later(void **state)
{
	static char  text[LIMIT_COMMIT_BYTES];
	struct tape *t = made(0, false);
	struct event ev = { .kind = EVENT_TEXT, .text = { text, sizeof text } };

	(void)state;
	assert_false(tape_keeps(t));
	add(t, 1, STR("a"), false);
	assert_false(tape_add(t, &ev, 2)); /* no more than this waits for an answer to begin */
	assert_true(tape_uncommitted(t).n > 0);
	tape_commit(t);
	tape_clear(t);
	assert_int_equal(tape_newest(t), tape_head(t));
	tape_release(t);
}

static void the_store_is_handed_each_event_once_and_the_end_what_may_be_missing(void **state)
{
	struct tape        *t = made(LIMIT_TAPE, false);
	struct events_piece sent, rest[EVENTS_REST];
	struct event        ev;
	uint64_t            seq;
	uint64_t            at = 0;

	(void)state;
	add(t, 1, STR("a"), false);
	tape_hand(t, &sent);
	assert_int_equal(sent.data.n, 0); /* not committed */
	tape_forget(t);
	tape_commit(t);
	add(t, 2, STR("b"), false);
	tape_hand(t, &sent);
	assert_true(sent.data.n > 0 && sent.first == 1 && sent.last == 2);
	assert_true(tape_handed(t) == 2 && tape_stored(t) == 0);
	add(t, 3, STR("c"), false);
	next_is(t, &at, 1, "a");
	tape_rest(t, rest); /* what is on its way goes along, in front */
	assert_true(rest[0].first == 1 && rest[0].last == 2);
	assert_true(rest[0].data.p == sent.data.p && rest[0].data.n == sent.data.n);
	assert_true(rest[1].first == 3 && rest[1].last == 3);
	next_is(t, &at, 2, "b");
	tape_arrived(t);
	assert_int_equal(tape_stored(t), 2);
	tape_forget(t); /* but the end has it still */
	assert_true(event_decode(&rest[0].data, &ev, &seq));
	assert_true(seq == 1 && str_is(ev.text, "a"));
	next_is(t, &at, 3, "c");
	tape_clear(t);
	next_is(t, &at, 0, NULL);
	tape_release(t);
}

static void a_reader_goes_from_what_was_handed_over_to_what_came_since(void **state)
{
	struct tape        *t = made(LIMIT_TAPE, false);
	struct events_piece piece;
	uint64_t            at = 0;

	(void)state;
	tape_commit(t);
	for (uint64_t seq = 1; seq <= 20; seq += 2) {
		uint64_t before = at;

		add(t, seq, STR("a"), false);
		tape_hand(t, &piece);
		add(t, seq + 1, STR("b"), false);
		next_is(t, &at, seq, "a");
		assert_int_equal(at, tape_newest(t));
		next_is(t, &at, seq + 1, "b");
		assert_int_equal(at, tape_head(t));
		tape_arrived(t);
		tape_forget(t);
		next_is(t, &before, 0, NULL); /* it is in the log now */
		tape_hand(t, &piece);
		assert_int_equal(piece.first, seq + 1);
		tape_arrived(t);
		tape_forget(t);
	}
	tape_release(t);
}

static void *write_tape(void *arg)
{
	for (uint64_t i = 1; i <= 5000; i++)
		add(arg, i, STR("x"), false);
	tape_end(arg, RUN_COMPLETED, 5001, STR_NONE);
	tape_release(arg);
	return NULL;
}

static void one_thread_writes_while_another_reads(void **state)
{
	struct tape      *t = committed_tape();
	struct tape_state now = { 0 };
	struct buf        page, error;
	pthread_t         writer;
	uint64_t          at = 0;

	(void)state;
	buf_init(&page, LIMIT_TAPE);
	buf_init(&error, KIB);
	tape_hold(t);
	assert_int_equal(pthread_create(&writer, NULL, write_tape, t), 0);
	do
		assert_true(tape_read(t, &at, 64, &page, &error, &now));
	while (now.status == RUN_RUNNING || now.has_more);
	pthread_join(writer, NULL);

	struct str   rest = buf_view(&page);
	struct event ev;
	uint64_t     seq;
	uint64_t     count = 0;
	while (event_decode(&rest, &ev, &seq))
		assert_int_equal(seq, ++count);
	assert_int_equal(count, 5000);
	buf_finish(&page);
	buf_finish(&error);
	tape_release(t);
}

static struct identity *maker(void)
{
	struct identity *who =
		identity_create(&(struct identity_options){ .id = STR("key_a"), .owner = 5 });

	assert_non_null(who);
	return who;
}

static void a_ticket_is_good_for_its_run_until_its_time(void **state)
{
	static const unsigned char signing[HASH_BYTES] = { 1 }, others[HASH_BYTES] = { 2 };
	const struct id            run = { 7, 8 }, other = { 7, 9 };
	const int64_t              until = 1800000000;
	struct identity           *who = maker();
	char                       text[TICKET_MAX], name[TICKET_WHO], want[TICKET_WHO];

	(void)state;
	ticket_make(signing, run, who, until, text);
	ticket_who(who, want);
	for (size_t times = 0; times < 2; times++) {
		assert_true(ticket_read(signing, str_of(text), run, until - 1, name));
		assert_string_equal(name, want);
	}
	assert_false(ticket_read(signing, str_of(text), run, until, name));
	assert_false(ticket_read(signing, str_of(text), other, until - 1, name));
	assert_false(ticket_read(others, str_of(text), run, until - 1, name));
	for (size_t i = 0; text[i]; i++) { /* each of its characters counts */
		char was = text[i];

		text[i] = was == '0' ? '1' : '0';
		assert_false(ticket_read(signing, str_of(text), run, 0, name));
		text[i] = was;
	}
	for (size_t n = 0; n < strlen(text); n++)
		assert_false(ticket_read(signing, (struct str){ text, n }, run, 0, name));
	identity_release(who);
}

static void a_ticket_names_stored_and_configured_keys(void **state)
{
	struct identity *stored = identity_create(
		&(struct identity_options){ .id = STR("key_abcdefgh"), .number = 3, .owner = 5 });
	struct identity *configured = identity_create(
		&(struct identity_options){ .id = STR("config:1"), .owner = 0x7fedcba987654321 });
	char name[TICKET_WHO];

	(void)state;
	assert_non_null(stored);
	assert_non_null(configured);
	ticket_who(stored, name);
	assert_string_equal(name, "abcdefgh");
	ticket_who(configured, name);
	assert_string_equal(name, "7fedcba987654321");
	identity_release(stored);
	identity_release(configured);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tape_gives_back_what_was_added_in_pages_of_any_size),
		cmocka_unit_test(its_end_is_told_behind_the_last_event),
		cmocka_unit_test(a_tape_that_is_full_has_nothing_left),
		cmocka_unit_test(what_is_not_committed_is_cut_off_and_seen_by_nobody),
		cmocka_unit_test(nothing_is_kept_behind_the_commit_where_nobody_reads_later),
		cmocka_unit_test(
			the_store_is_handed_each_event_once_and_the_end_what_may_be_missing),
		cmocka_unit_test(a_reader_goes_from_what_was_handed_over_to_what_came_since),
		cmocka_unit_test(one_thread_writes_while_another_reads),
		cmocka_unit_test(a_ticket_is_good_for_its_run_until_its_time),
		cmocka_unit_test(a_ticket_names_stored_and_configured_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
