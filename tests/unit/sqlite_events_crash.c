/* The event log after a crash, and after a disk that took no writes. */
#include "sqlite_events_help.h"

#include "store/sqlite/kit/db.h"
#include "store/sqlite/migrate.h"

/* --- after a crash --- */

/* The answer is the numbers of all pieces; a run with a piece "none" gives none. */
static bool assemble_answer(const struct events_piece *pieces, size_t count, struct buf *out)
{
	if (!buf_text(out, "{\"role\":\"assistant\",\"content\":\""))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (str_is(pieces[i].data, "none"))
			return false;
		if (!buf_fmt(out, "%d-%d:%.*s;", (int)pieces[i].first, (int)pieces[i].last,
			     (int)pieces[i].data.n, pieces[i].data.p))
			return false;
	}
	return buf_text(out, "\"}");
}

static void a_crash_leaves_the_answer_so_far(void **state)
{
	struct fixture   *f = *state;
	struct turn_begin t = begin(f);
	struct turn_begin none = begin(f);
	struct turn_begin silent = begin(f);
	struct turn_begin ended = begin(f);

	f->options.assemble = assemble_answer;
	append_one(f, piece(t.run, 1, 3, "a"));
	append_one(f, piece(none.run, 1, 1, "none"));
	append_one(f, piece(t.run, 4, 5, "b"));
	finish(f, ended.run);
	reopen(f);

	struct events_read r = log_of(t.run, 0);
	read_log(f, &r);
	assert_int_equal(r.status, RUN_INCOMPLETE);
	assert_int_equal(r.last_seq, t.seq_reserved + 1);
	assert_int_equal(r.answer.n, 0); /* the pieces say it */
	assert_int_equal(r.finish_reason.n, 0);
	assert_non_null(strstr(r.error.p, "server_stopped"));
	assert_int_equal(r.piece_count, 2);
	arena_finish(&r.arena);

	struct branch_read b = branch_of(t.conversation);
	reread(f, &b);
	assert_memory_equal(&b.leaf, &t.run, sizeof b.leaf);
	assert_int_equal(b.message_count, 2);
	assert_str(b.messages[1].body, "{\"role\":\"assistant\",\"content\":\"1-3:a;4-5:b;\"}");
	arena_finish(&b.arena);

	assert_int_equal(status_of(f, none.run), RUN_INCOMPLETE);
	expect_log(f, none.run, 0, "1-1:none");
	assert_int_equal(status_of(f, silent.run), RUN_INCOMPLETE);
	expect_log(f, silent.run, 0, "");
	assert_int_equal(status_of(f, ended.run), RUN_COMPLETED);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM message WHERE id = run"), 2);
	/* Nothing is done twice. */
	reopen(f);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM message WHERE id = run"), 2);
}

/* Pieces overtake the reservation of their numbers in the writer's queue: whoever has read them has to be
 * told the end all the same. */
static void the_end_after_a_crash_is_behind_all_that_was_logged(void **state)
{
	struct fixture   *f = *state;
	struct turn_begin t = begin(f);

	f->options.assemble = assemble_answer;
	append_one(f, piece(t.run, 1, t.seq_reserved + 7, "a"));
	reopen(f);
	struct events_read r = log_of(t.run, t.seq_reserved + 7);
	read_log(f, &r);
	assert_int_equal(r.status, RUN_INCOMPLETE);
	assert_int_equal(r.last_seq, t.seq_reserved + 8);
	arena_finish(&r.arena);
}

/* --- after a disk that took no writes --- */

static struct answer_find look(struct fixture *f, const char *key)
{
	struct answer_find r = { .key = { .key = str_of(key), .digest = STR("f") } };

	buf_init(&r.bytes, MIB);
	assert_int_equal(DO(f, answer_find, &r), ERR_OK);
	buf_finish(&r.bytes);
	return r;
}

static struct turn_begin begin_keyed(struct fixture *f, const char *key)
{
	static struct store_message m;
	struct turn_begin           t = first_turn(&m, Q);

	t.key = (struct answer_name){ .key = str_of(key), .digest = STR("f") };
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	return t;
}

static void lose_end(struct fixture *f, struct id run, int http, struct events_piece last)
{
	struct turn_end end = end_of(run, RUN_COMPLETED, A);

	end.keyed = true;
	end.kept_answer.http = http;
	end.events[0] = last;
	assert_int_equal(DO(f, turn_end, &end), ERR_STORAGE);
}

static void an_end_that_was_lost_is_made_as_after_a_crash(void **state)
{
	struct fixture    *f = *state;
	struct store_stats now;
	sqlite3           *db;
	struct buf         b;

	close_store(f);
	f->options.assemble = assemble_answer;
	f->options.busy_ms = 50;
	open_store(f);
	struct turn_begin begun = begin_keyed(f, "begun");
	struct turn_begin plain = begin_keyed(f, "plain");
	struct turn_begin refused = begin_keyed(f, "refused");
	encode(&b, 1, 3);
	append_one(f, (struct events_piece){ begun.run, 1, 3, buf_view(&b) });

	db = outside_hold(f);
	lose_end(f, begun.run, 200, piece(begun.run, 4, 4, "lost"));
	lose_end(f, plain.run, 200, (struct events_piece){ 0 });
	lose_end(f, refused.run, 0, (struct events_piece){ 0 });
	store_stats(f->store, &now);
	assert_int_equal(now.unfinished, 3);
	outside_release(db);
	int64_t deadline = clock_mono_us() + 20000000;
	while (!now.writable || now.unfinished > 0) {
		assert_true(clock_mono_us() < deadline);
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
		store_stats(f->store, &now);
	}

	struct events_read r = log_of(begun.run, 0);
	read_log(f, &r);
	assert_int_equal(r.status, RUN_INCOMPLETE);
	assert_int_equal(r.last_seq, 7);
	assert_int_equal(r.piece_count, 1);
	assert_non_null(strstr(r.error.p, "storage_unavailable"));
	arena_finish(&r.arena);
	assert_int_equal(outside_int(f,
				     "SELECT count(*) FROM message JOIN run ON run.id = message.id "
				     "WHERE body LIKE '%1-3:%' AND status = 3"),
			 1);
	assert_int_equal(look(f, "begun").answer.http, 200);
	assert_int_equal(look(f, "begun").outcome, RUN_INCOMPLETE);

	assert_int_equal(status_of(f, plain.run), RUN_FAILED);
	assert_int_equal(look(f, "plain").answer.http, 503);
	assert_int_equal(status_of(f, refused.run), RUN_FAILED);
	assert_false(look(f, "refused").found);
	buf_finish(&b);
}

static void lost_ends_with_long_logs_are_made_one_after_another(void **state)
{
	enum { RUNS = 6, BYTES = 800 * 1024 };
	struct fixture    *f = *state;
	struct turn_begin  t[RUNS];
	struct store_stats now = { .writable = false };
	static char        text[BYTES];
	sqlite3           *db;
	struct buf         b;

	close_store(f);
	f->options.busy_ms = 50;
	open_store(f);
	memset(text, 'x', sizeof text);
	buf_init(&b, 2 * MIB);
	struct event ev = { .kind = EVENT_TEXT, .text = { text, sizeof text } };
	assert_true(event_encode(&ev, 1, &b));
	for (size_t i = 0; i < RUNS; i++) {
		t[i] = begin(f);
		append_one(f, (struct events_piece){ t[i].run, 1, 1, buf_view(&b) });
	}
	db = outside_hold(f);
	for (size_t i = 0; i < RUNS; i++)
		lose_end(f, t[i].run, 200, (struct events_piece){ 0 });
	outside_release(db);
	int64_t deadline = clock_mono_us() + 20000000;
	while (!now.writable || now.unfinished > 0) {
		assert_true(clock_mono_us() < deadline);
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
		store_stats(f->store, &now);
	}
	for (size_t i = 0; i < RUNS; i++)
		assert_int_equal(status_of(f, t[i].run), RUN_INCOMPLETE);
	buf_finish(&b);
}

static void many_runs_are_recovered_in_no_time(void **state)
{
	enum { RUNS = 3000, AT_ONCE = 500 };
	struct fixture       *f = *state;
	struct store_message *m = calloc(RUNS, sizeof *m);
	struct turn_begin    *t = calloc(RUNS, sizeof *t);
	struct events_piece  *p = calloc(RUNS, sizeof *p);

	for (size_t i = 0; i < RUNS; i++) {
		t[i] = first_turn(&m[i], Q);
		assert_true(SUBMIT(f, turn_begin, &t[i]));
		if (i % AT_ONCE == AT_ONCE - 1)
			loop_until(&f->loop, i + 1);
	}
	for (uint64_t round = 0; round < 5; round++) {
		for (size_t i = 0; i < RUNS; i++)
			p[i] = piece(t[i].run, round + 1, round + 1, i % 7 ? "x" : "none");
		append(f, p, RUNS);
	}
	f->options.assemble = assemble_answer;
	int64_t from = clock_mono_us();
	reopen(f);
	print_message("%d runs in %d ms\n", RUNS, (int)((clock_mono_us() - from) / 1000));
	assert_int_equal(outside_int(f, "SELECT count(*) FROM run WHERE status = 3"), RUNS);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM message WHERE id = run"),
			 RUNS - (RUNS + 6) / 7);
	expect_log(f, t[1].run, 2, "3-3:x 4-4:x 5-5:x");
	free(m);
	free(t);
	free(p);
}

static void a_database_from_before_the_log_is_taken_over(void **state)
{
	const struct migration only_first[] = { migrations[0], { 0 } };
	struct fixture        *f = *state;
	sqlite3               *db = NULL;
	int                    applied = 0;

	fclose(fopen(f->path, "w"));
	assert_int_equal(db_open(f->path, DB_WRITE, 100, &db, &f->err), ERR_OK);
	assert_int_equal(migrate_run(db, f->path, only_first, true, &applied, &f->err), ERR_OK);
	db_close(db);
	outside(f, "INSERT INTO conversation VALUES (10, 1, 0, 5, 12, NULL, NULL),"
		   "(20, 1, 0, 5, 22, NULL, NULL);"
		   "INSERT INTO message VALUES (11, 1, 0, 10, 0, 12, 5, '{}'),"
		   "(12, 2, 0, 10, 11, 12, 5, '" A "'), (21, 1, 0, 20, 0, 22, 5, '{}');"
		   "INSERT INTO run (id, secret, owner, conversation, parent, base, status,"
		   "created_ms, completed_ms, seq_reserved, last_seq, model, shape)"
		   "VALUES (12, 2, 0, 10, 11, 0, 2, 5, 9, 50, 7, 'm', 'native'),"
		   "(22, 2, 0, 20, 21, 0, 1, 5, 0, 50, 0, 'm', 'openai')");
	f->options.assemble = assemble_answer;
	open_store(f);

	struct events_read r = log_of((struct id){ 12, 2 }, 0);
	read_log(f, &r);
	assert_true(r.swept);
	assert_int_equal(r.status, RUN_COMPLETED);
	assert_int_equal(r.last_seq, 7);
	assert_str(r.answer, A);
	r.run.key = 22;
	read_log(f, &r);
	assert_int_equal(r.status, RUN_INCOMPLETE);
	assert_int_equal(r.last_seq, 51);
	assert_int_equal(r.answer.n, 0);
	arena_finish(&r.arena);

	struct branch_read b = branch_of((struct id){ 10, 1 });
	reread(f, &b);
	struct store_message m;
	struct turn_begin    t = next_turn(&b, &m, Q);
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	end_with(f, t.run, piece(t.run, 1, 1, "x"));
	expect_log(f, t.run, 0, "1-1:x");
	arena_finish(&b.arena);
	assert_int_equal(
		outside_int(f, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up_open, tear_down)
	const struct CMUnitTest tests[] = {
		T(a_crash_leaves_the_answer_so_far),
		T(the_end_after_a_crash_is_behind_all_that_was_logged),
		T(an_end_that_was_lost_is_made_as_after_a_crash),
		T(lost_ends_with_long_logs_are_made_one_after_another),
		T(many_runs_are_recovered_in_no_time),
		cmocka_unit_test_setup_teardown(a_database_from_before_the_log_is_taken_over,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
