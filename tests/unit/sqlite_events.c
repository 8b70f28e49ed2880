/* The event log: what is appended comes back in order, once. */
#include "sqlite_events_help.h"

/* --- append and read --- */

static void pieces_come_back_in_order(void **state)
{
	struct fixture   *f = *state;
	struct turn_begin a = begin(f);
	struct turn_begin b = begin(f);

	expect_log(f, a.run, 0, "");
	const struct events_piece first[] = { piece(a.run, 1, 3, "a1"), piece(b.run, 1, 1, "b1") };
	const struct events_piece more[] = { piece(b.run, 2, 2, "b2"), piece(a.run, 4, 4, "a2") };
	append(f, first, 2);
	append(f, more, 2);
	end_with(f, a.run, piece(a.run, 5, 6, "a3"));
	expect_log(f, a.run, 0, "1-3:a1 4-4:a2 5-6:a3");
	expect_log(f, b.run, 0, "1-1:b1 2-2:b2");
}

static void a_reader_goes_on_from_where_it_was(void **state)
{
	static const struct {
		uint64_t    after;
		const char *want;
		const char *why;
	} cases[] = {
		{ 0, "1-3:a 4-6:b 7-9:c", "all" },
		{ 1, "1-3:a 4-6:b 7-9:c", "one that straddles is whole" },
		{ 2, "1-3:a 4-6:b 7-9:c", "one that straddles is whole" },
		{ 3, "4-6:b 7-9:c", "between two" },
		{ 8, "7-9:c", "the last" },
		{ 9, "", "nothing is left" },
		{ 1000, "", "more than there is" },
		{ UINT64_MAX, "", "far more than there is" },
	};
	struct fixture   *f = *state;
	struct turn_begin t = begin(f);

	append_one(f, piece(t.run, 1, 3, "a"));
	append_one(f, piece(t.run, 4, 6, "b"));
	append_one(f, piece(t.run, 7, 9, "c"));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		print_message("case: %s\n", cases[i].why);
		expect_log(f, t.run, cases[i].after, cases[i].want);
	}
}

static void bytes_of_any_kind_are_kept(void **state)
{
	struct fixture     *f = *state;
	struct turn_begin   t = begin(f);
	char                bytes[256];
	struct events_piece p = { t.run, 1, 2, { bytes, sizeof bytes } };

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)i;
	append_one(f, p);
	struct events_read r = log_of(t.run, 0);
	read_log(f, &r);
	assert_int_equal(r.piece_count, 1);
	assert_int_equal(r.pieces[0].data.n, sizeof bytes);
	assert_memory_equal(r.pieces[0].data.p, bytes, sizeof bytes);
	assert_memory_equal(&r.pieces[0].run, &t.run, sizeof t.run);
	arena_finish(&r.arena);
}

static void a_page_tells_how_far_the_run_is(void **state)
{
	struct fixture    *f = *state;
	struct turn_begin  t = begin(f);
	struct events_read r = log_of(t.run, 0);

	append_one(f, piece(t.run, 1, 2, "x"));
	read_log(f, &r);
	assert_int_equal(r.status, RUN_RUNNING);
	assert_int_equal(r.last_seq, 0);
	assert_int_equal(r.answer.n, 0);
	assert_false(r.swept);
	assert_str(r.model, "echo");
	assert_str(r.shape, "native");
	assert_memory_equal(&r.conversation, &t.conversation, sizeof r.conversation);
	assert_int_equal(r.created_ms, t.now_ms);

	struct turn_end end = end_of(t.run, RUN_FAILED, A);
	end.error = STR("{\"code\":\"x\"}");
	end.usage = (struct usage){ .known = true, .in = 3, .out = 4 };
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
	read_log(f, &r);
	assert_int_equal(r.status, RUN_FAILED);
	assert_int_equal(r.last_seq, 7);
	assert_int_equal(r.piece_count, 1);
	assert_int_equal(r.answer.n, 0); /* the pieces say it */
	assert_str(r.error, "{\"code\":\"x\"}");
	assert_str(r.finish_reason, "stop");
	assert_true(r.usage.known);
	assert_int_equal(r.usage.in, 3);
	assert_int_equal(r.usage.out, 4);
	arena_finish(&r.arena);
}

static void a_run_without_events_is_not_swept(void **state)
{
	struct fixture    *f = *state;
	struct turn_begin  t = begin(f);
	struct events_read r = log_of(t.run, 0);

	finish(f, t.run);
	read_log(f, &r);
	assert_false(r.swept);
	assert_int_equal(r.piece_count, 0);
	assert_str(r.answer, A);
	arena_finish(&r.arena);
}

static void pages_are_bounded(void **state)
{
	enum { PIECES = 300, BYTES = 40000 }; /* twelve parts of the log */
	struct fixture      *f = *state;
	struct turn_begin    t = begin(f);
	struct turn_begin    other = begin(f);
	struct events_piece *p = calloc(2 * PIECES, sizeof *p);
	char                *data = malloc(BYTES);
	size_t               pages = 0;
	size_t               seen = 0;
	struct events_read   r = log_of(t.run, 0);

	memset(data, 'x', BYTES);
	for (size_t i = 0; i < PIECES; i++) {
		p[2 * i] = (struct events_piece){ t.run, 2 * i + 1, 2 * i + 2, { data, BYTES } };
		p[2 * i + 1] = (struct events_piece){ other.run, i + 1, i + 1, { data, 100 } };
	}
	append(f, p, 2 * PIECES);
	finish(f, t.run);
	r.page_bytes = 10 * BYTES;
	do {
		read_log(f, &r);
		pages++;
		assert_true(r.piece_count <= 10);
		assert_int_equal(r.answer.n, 0);
		for (size_t i = 0; i < r.piece_count; i++)
			assert_int_equal(r.pieces[i].first, 2 * seen++ + 1);
		r.after = 2 * seen;
	} while (r.has_more);
	assert_int_equal(seen, PIECES);
	assert_int_equal(pages, 30);

	r.page_bytes = 1;
	r.after = 4;
	read_log(f, &r);
	assert_int_equal(r.piece_count, 1);
	assert_true(r.has_more);

	/* The arena ends a page as well. */
	r.page_bytes = SIZE_MAX / 2;
	arena_finish(&r.arena);
	arena_init(&r.arena, 3 * BYTES);
	read_log(f, &r);
	assert_int_equal(r.piece_count, 2);
	assert_true(r.has_more);
	arena_finish(&r.arena);
	arena_init(&r.arena, BYTES);
	assert_int_equal(DO(f, events_read, &r), ERR_REQUEST_TOO_LARGE);
	arena_finish(&r.arena);
	free(data);
	free(p);
}

static void an_answer_is_read_only_where_nothing_was_logged(void **state)
{
	struct fixture    *f = *state;
	struct turn_begin  t = begin(f);
	struct turn_begin  plain = begin(f);
	struct events_read r = log_of(t.run, 0);
	static char        answer[5001];

	memset(answer, 'y', sizeof answer - 1);
	struct turn_end end = end_of(t.run, RUN_COMPLETED, answer);
	end.events[0] = piece(t.run, 1, 4, "x");
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
	arena_init(&r.arena, 4000);
	read_log(f, &r);
	assert_int_equal(r.piece_count, 1);
	assert_false(r.has_more);
	r.after = 4;
	read_log(f, &r);
	assert_int_equal(r.piece_count, 0);
	assert_int_equal(r.answer.n, 0);

	end = end_of(plain.run, RUN_COMPLETED, answer);
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
	r.run = plain.run;
	r.after = 0;
	arena_finish(&r.arena);
	arena_init(&r.arena, 4000);
	assert_int_equal(DO(f, events_read, &r), ERR_REQUEST_TOO_LARGE);
	arena_finish(&r.arena);
	arena_init(&r.arena, 16000);
	read_log(f, &r);
	assert_int_equal(r.answer.n, sizeof answer - 1);
	arena_finish(&r.arena);
}

/* What a long lock has made to wait comes as one piece. */
static void check_long_piece(struct fixture *f, bool at_end)
{
	enum { EVENTS = 30, BYTES = MIB };
	struct turn_begin  t = begin(f);
	struct turn_end    end = end_of(t.run, RUN_COMPLETED, "{}");
	struct events_read r = log_of(t.run, 0);
	static char        text[BYTES];
	struct buf         b;
	uint64_t           next = 1;

	memset(text, 'x', sizeof text);
	buf_init(&b, 2 * EVENTS * (size_t)MIB);
	for (uint64_t seq = 1; seq <= EVENTS; seq++) {
		struct event ev = { .kind = EVENT_TEXT, .text = { text, sizeof text } };

		assert_true(event_encode(&ev, seq, &b));
		ev = (struct event){ .kind = EVENT_TEXT, .cont = true, .text = STR("more") };
		assert_true(event_encode(&ev, seq, &b));
	}
	struct events_piece whole = { t.run, 1, EVENTS, buf_view(&b) };
	if (at_end)
		end.events[1] = whole;
	else
		append_one(f, whole);
	end.last_seq = EVENTS;
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
	arena_init(&r.arena, 10 * (size_t)MIB);
	do {
		assert_int_equal(DO(f, events_read, &r), ERR_OK);
		for (size_t i = 0; i < r.piece_count; i++) {
			struct str   data = r.pieces[i].data;
			struct event ev;
			uint64_t     seq = 0;

			assert_int_equal(r.pieces[i].first, next);
			while (event_decode(&data, &ev, &seq))
				assert_int_equal(seq, ev.cont ? next++ : next);
			assert_int_equal(data.n, 0);
			assert_int_equal(r.pieces[i].last, seq);
		}
		r.after = next - 1;
		arena_finish(&r.arena);
		arena_init(&r.arena, 10 * (size_t)MIB);
	} while (r.has_more);
	assert_int_equal(next, EVENTS + 1);
	arena_finish(&r.arena);
	buf_finish(&b);
}

static void a_long_piece_is_kept_in_rows_that_can_be_read(void **state)
{
	check_long_piece(*state, false);
	check_long_piece(*state, true);
}

static void strangers_find_nothing(void **state)
{
	struct fixture    *f = *state;
	struct turn_begin  t = begin(f);
	struct events_read r = log_of(t.run, 0);

	append_one(f, piece(t.run, 1, 1, "x"));
	r.owner = 5;
	assert_int_equal(DO(f, events_read, &r), ERR_NOT_FOUND);
	r.owner = 0;
	r.run.secret++;
	assert_int_equal(DO(f, events_read, &r), ERR_NOT_FOUND);
	r.run = id_new();
	assert_int_equal(DO(f, events_read, &r), ERR_NOT_FOUND);
	assert_int_equal(r.piece_count, 0);
	arena_finish(&r.arena);
}

/* --- what is not to be logged --- */

static void what_has_no_live_run_is_dropped(void **state)
{
	struct fixture   *f = *state;
	struct turn_begin t = begin(f);
	struct turn_begin live = begin(f);
	struct id         wrong = live.run;

	wrong.secret++;
	end_with(f, t.run, piece(t.run, 1, 1, "x"));
	const struct events_piece p[] = {
		piece(t.run, 2, 2, "ended"),        piece(id_new(), 1, 1, "never made"),
		piece(wrong, 1, 1, "wrong secret"), piece(live.run, 1, 1, "good"),
		piece(live.run, 2, 2, ""),
	};
	append(f, p, ARRAY_LEN(p));
	expect_log(f, t.run, 0, "1-1:x");
	expect_log(f, live.run, 0, "1-1:good");
	assert_int_equal(outside_int(f, "SELECT count(*) FROM event"), 2);
}

static void what_is_sent_again_is_there_once(void **state)
{
	static const struct {
		uint64_t    first;
		uint64_t    last;
		uint64_t    kept; /* from here on; 0: nothing */
		const char *why;
	} cases[] = {
		{ 1, 5, 0, "the same" },
		{ 2, 4, 0, "a part of it" },
		{ 1, 8, 6, "with more behind it" },
		{ 5, 7, 6, "beginning in it" },
		{ 6, 7, 6, "what follows" },
	};
	struct fixture *f = *state;
	struct buf      first;

	encode(&first, 1, 5);
	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		size_t             c = i / 2;
		bool               at_end = i % 2 == 1; /* the second comes with the end */
		struct turn_begin  t = begin(f);
		struct events_read r = log_of(t.run, 0);
		struct buf         again;
		struct buf         kept;

		print_message("case: %s%s\n", cases[c].why, at_end ? ", at the end" : "");
		encode(&again, cases[c].first, cases[c].last);
		append_one(f, (struct events_piece){ t.run, 1, 5, buf_view(&first) });
		struct events_piece p = { t.run, cases[c].first, cases[c].last, buf_view(&again) };
		if (at_end)
			end_with(f, t.run, p);
		else
			append_one(f, p);

		read_log(f, &r);
		assert_int_equal(r.piece_count, cases[c].kept ? 2 : 1);
		if (cases[c].kept) {
			encode(&kept, cases[c].kept, cases[c].last);
			assert_int_equal(r.pieces[1].first, cases[c].kept);
			assert_int_equal(r.pieces[1].last, cases[c].last);
			assert_int_equal(r.pieces[1].data.n, kept.len);
			assert_memory_equal(r.pieces[1].data.p, kept.data, kept.len);
			buf_finish(&kept);
		}
		arena_finish(&r.arena);
		buf_finish(&again);
	}
	buf_finish(&first);
}

static void a_log_goes_on_after_a_failed_commit(void **state)
{
	struct fixture   *f = *state;
	struct turn_begin t = begin(f);
	struct buf        one;
	struct buf        two;
	sqlite3          *db;

	encode(&one, 1, 2);
	encode(&two, 1, 3);
	append_one(f, (struct events_piece){ t.run, 1, 2, buf_view(&one) });
	db = outside_hold(f);
	struct events_piece  p = { t.run, 1, 3, buf_view(&two) };
	struct events_entry  entry = { .piece = p };
	struct events_append a = { .entries = &entry, .entry_count = 1 };
	assert_int_equal(DO(f, events_append, &a), ERR_STORAGE);
	sqlite3_close(db);
	append_one(f, p);
	finish(f, t.run);

	struct events_read r = log_of(t.run, 0);
	read_log(f, &r);
	assert_int_equal(r.piece_count, 2);
	assert_int_equal(r.pieces[1].first, 3);
	arena_finish(&r.arena);
	buf_finish(&one);
	buf_finish(&two);
}

/* refuse_zebras: as data does that SQLite itself does not take. */
static void refuse_zebras(const struct fixture *f)
{
	outside(f,
		"CREATE TRIGGER a BEFORE INSERT ON event WHEN instr(NEW.data, CAST('zebra' AS BLOB)) "
		"BEGIN SELECT RAISE(ABORT, 'no zebras'); END");
	outside(f, "CREATE TRIGGER b BEFORE UPDATE ON run WHEN NEW.provider = 'zebra' "
		   "BEGIN SELECT RAISE(ABORT, 'no zebras'); END");
}

static void what_is_refused_is_marked_and_keeps_nothing_else_from_the_log(void **state)
{
	struct fixture     *f = *state;
	struct turn_begin   good = begin(f);
	struct turn_begin   bad = begin(f);
	struct turn_begin   told = begin(f);
	struct run_news     news = { .run = told.run, .attempts = 2, .provider = STR("zebra") };
	struct events_entry entries[] = {
		{ .piece = piece(bad.run, 1, 1, "zebra") },
		{ .piece = piece(told.run, 1, 1, "told"), .news = &news },
		{ .piece = piece(good.run, 1, 1, "good") },
	};
	struct events_append a = { .entries = entries, .entry_count = ARRAY_LEN(entries) };

	refuse_zebras(f);
	assert_int_equal(DO(f, events_append, &a), ERR_OK);
	assert_true(entries[0].refused && entries[1].refused && !entries[2].refused);
	expect_log(f, bad.run, 0, "");
	expect_log(f, told.run, 0, "");
	expect_log(f, good.run, 0, "1-1:good");
	/* Marks are of one time only. */
	entries[0].piece = piece(bad.run, 1, 1, "horse");
	entries[1].news = NULL;
	assert_int_equal(DO(f, events_append, &a), ERR_OK);
	assert_true(!entries[0].refused && !entries[1].refused && !entries[2].refused);
	expect_log(f, bad.run, 0, "1-1:horse");
	expect_log(f, told.run, 0, "1-1:told");
	finish(f, bad.run);
	finish(f, told.run);
	finish(f, good.run);
}

static void a_run_that_was_lost_from_memory_is_found(void **state)
{
	struct fixture      *f = *state;
	struct turn_begin    t = begin(f);
	struct turn_begin    other = begin(f);
	struct store_message m[2];
	static char          big[3 * 1024 * 1024]; /* moves the log three parts on */
	struct buf           b;

	encode(&b, 1, 2);
	append_one(f, (struct events_piece){ t.run, 1, 2, buf_view(&b) });
	append_one(f, (struct events_piece){ other.run, 1, 1, { big, sizeof big } });
	/* A job refused for its own sake makes the writer forget what it knew. */
	struct turn_begin bad = first_turn(&m[0], Q);
	bad.run = t.run;
	assert_int_equal(DO(f, turn_begin, &bad), ERR_INTERNAL);
	append_one(f, (struct events_piece){ t.run, 1, 2, buf_view(&b) });
	append_one(f, piece(t.run, 3, 3, "next"));
	bad = first_turn(&m[1], Q);
	bad.run = t.run;
	assert_int_equal(DO(f, turn_begin, &bad), ERR_INTERNAL);
	end_with(f, t.run, piece(t.run, 3, 3, "next"));

	struct events_read r = log_of(t.run, 0);
	read_log(f, &r);
	assert_int_equal(r.piece_count, 2);
	assert_false(r.swept);
	arena_finish(&r.arena);
	buf_finish(&b);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up_open, tear_down)
	const struct CMUnitTest tests[] = {
		T(pieces_come_back_in_order),
		T(a_reader_goes_on_from_where_it_was),
		T(bytes_of_any_kind_are_kept),
		T(a_page_tells_how_far_the_run_is),
		T(a_run_without_events_is_not_swept),
		T(pages_are_bounded),
		T(an_answer_is_read_only_where_nothing_was_logged),
		T(a_long_piece_is_kept_in_rows_that_can_be_read),
		T(strangers_find_nothing),
		T(what_has_no_live_run_is_dropped),
		T(what_is_sent_again_is_there_once),
		T(a_log_goes_on_after_a_failed_commit),
		T(what_is_refused_is_marked_and_keeps_nothing_else_from_the_log),
		T(a_run_that_was_lost_from_memory_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
