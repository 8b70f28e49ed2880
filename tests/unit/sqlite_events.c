/* The event log: what is appended comes back in order, once, through crashes, until it is swept. */
#include "engine_help.h"

#include "msg/event_code.h"
#include "store/store.h"
#include "store/turn.h"
#include "store/sqlite/kit/db.h"
#include "store/sqlite/migrate.h"

#define Q "{\"role\":\"user\",\"content\":\"hello\"}"
#define A "{\"role\":\"assistant\",\"content\":\"hello\"}"

static int set_up_open(void **state)
{
	set_up(state);
	open_store(*state);
	return 0;
}

/* --- pieces --- */

/* Only those events are cut that we have encoded; all else is bytes to the store. */
static struct events_piece piece(struct id run, uint64_t first, uint64_t last, const char *data)
{
	return (struct events_piece){ run, first, last, str_of(data) };
}

static void encode(struct buf *b, uint64_t first, uint64_t last)
{
	buf_init(b, MIB);
	for (uint64_t seq = first; seq <= last; seq++) {
		char         text[16];
		struct event ev = { .kind = EVENT_TEXT };

		snprintf(text, sizeof text, "<%d>", (int)seq);
		ev.text = str_of(text);
		assert_true(event_encode(&ev, seq, b));
	}
}

static void append(struct fixture *f, const struct events_piece *pieces, size_t count)
{
	struct events_entry *entries = calloc(count, sizeof *entries);
	struct events_append a = { .entries = entries, .entry_count = count };

	assert_non_null(entries);
	for (size_t i = 0; i < count; i++)
		entries[i].piece = pieces[i];
	assert_int_equal(DO(f, events_append, &a), ERR_OK);
	for (size_t i = 0; i < count; i++)
		assert_false(entries[i].refused);
	free(entries);
}

static void append_one(struct fixture *f, struct events_piece p)
{
	append(f, &p, 1);
}

static struct events_read log_of(struct id run, uint64_t after)
{
	struct events_read r = { .run = run, .after = after, .page_bytes = 64 * KIB };

	arena_init(&r.arena, MIB);
	return r;
}

static void read_log(struct fixture *f, struct events_read *r)
{
	arena_finish(&r->arena);
	assert_int_equal(DO(f, events_read, r), ERR_OK);
}

/* The pieces above `after` as "first-last:data first-last:data", and a * for has_more. */
static void expect_log(struct fixture *f, struct id run, uint64_t after, const char *want)
{
	struct events_read r = log_of(run, after);
	struct buf         b;

	buf_init(&b, MIB);
	read_log(f, &r);
	for (size_t i = 0; i < r.piece_count; i++)
		assert_true(buf_fmt(&b, "%s%d-%d:%.*s", i > 0 ? " " : "", (int)r.pieces[i].first,
				    (int)r.pieces[i].last, (int)r.pieces[i].data.n,
				    r.pieces[i].data.p));
	if (r.has_more)
		assert_true(buf_text(&b, "*"));
	assert_true(buf_add(&b, "", 1));
	assert_string_equal(b.data, want);
	buf_finish(&b);
	arena_finish(&r.arena);
}

static struct turn_begin begin(struct fixture *f)
{
	static struct store_message m;
	struct turn_begin           t = first_turn(&m, Q);

	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	return t;
}

static void end_with(struct fixture *f, struct id run, struct events_piece last)
{
	struct turn_end end = end_of(run, RUN_COMPLETED, A);

	end.events[0] = last;
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
}

static void finish(struct fixture *f, struct id run)
{
	end_with(f, run, (struct events_piece){ 0 });
}

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

/* --- after a crash --- */

/* Closing is as good as a crash here: the engine ends no runs by itself. */
static void reopen(struct fixture *f)
{
	close_store(f);
	open_store(f);
}

/* The answer is the numbers of all pieces; a run with a piece "none" gives none. */
static bool assemble(const struct events_piece *pieces, size_t count, struct buf *out)
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

	f->options.assemble = assemble;
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

	f->options.assemble = assemble;
	append_one(f, piece(t.run, 1, t.seq_reserved + 7, "a"));
	reopen(f);
	struct events_read r = log_of(t.run, t.seq_reserved + 7);
	read_log(f, &r);
	assert_int_equal(r.status, RUN_INCOMPLETE);
	assert_int_equal(r.last_seq, t.seq_reserved + 8);
	arena_finish(&r.arena);
}

/* --- after a disk that took no writes --- */

static struct idem_read look(struct fixture *f, const char *key)
{
	struct idem_read r = { .key = { str_of(key), STR("f") } };

	buf_init(&r.bytes, MIB);
	assert_int_equal(DO(f, idem_read, &r), ERR_OK);
	buf_finish(&r.bytes);
	return r;
}

static struct turn_begin begin_keyed(struct fixture *f, const char *key)
{
	static struct store_message m;
	struct turn_begin           t = first_turn(&m, Q);

	t.key = (struct store_idem){ str_of(key), STR("f") };
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	return t;
}

static void lose_end(struct fixture *f, struct id run, int http, struct events_piece last)
{
	struct turn_end end = end_of(run, RUN_COMPLETED, A);

	end.keyed = true;
	end.idem_answer.http = http;
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
	f->options.assemble = assemble;
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
	f->options.assemble = assemble;
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
	f->options.assemble = assemble;
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

/* --- retention --- */

static void wait_for(struct fixture *f, const char *sql, int64_t want)
{
	int64_t deadline = clock_mono_us() + 20000000;

	while (outside_int(f, sql) != want) {
		assert_true(clock_mono_us() < deadline);
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	}
}

static bool swept(struct fixture *f, struct id run)
{
	struct events_read r = log_of(run, 0);

	read_log(f, &r);
	if (r.swept) {
		assert_int_equal(r.piece_count, 0);
		assert_false(r.has_more);
		assert_str(r.answer, A);
	}
	arena_finish(&r.arena);
	return r.swept;
}

static struct turn_begin old_turn(struct fixture *f, int64_t age_ms)
{
	static struct store_message m;
	struct turn_begin           t = first_turn(&m, Q);

	t.now_ms -= age_ms;
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	return t;
}

static void end_old(struct fixture *f, struct id run, int64_t age_ms)
{
	struct turn_end end = end_of(run, RUN_COMPLETED, A);

	end.completed_ms -= age_ms;
	end.events[0] = piece(run, 1000, 1000, "end");
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
}

static void old_logs_are_swept(void **state)
{
	enum { HOUR = 3600000 };
	struct fixture   *f = *state;
	struct turn_begin live = old_turn(f, 3 * HOUR);
	struct turn_begin old = old_turn(f, 3 * HOUR);
	struct turn_begin late = old_turn(f, 3 * HOUR); /* ended lately */

	append_one(f, piece(live.run, 1, 1, "live"));
	append_one(f, piece(late.run, 1, 1, "late"));
	for (uint64_t i = 1; i <= 600; i++)
		append_one(f, piece(old.run, i, i, "old"));
	end_old(f, old.run, 2 * HOUR);
	end_old(f, late.run, 0);
	struct turn_begin fresh = begin(f);
	end_with(f, fresh.run, piece(fresh.run, 1, 1, "fresh"));

	f->options.events_keep_ms = HOUR;
	reopen(f);
	wait_for(f, "SELECT count(*) FROM event", 4);
	assert_true(swept(f, old.run));
	assert_false(swept(f, late.run));
	assert_false(swept(f, fresh.run));
	expect_log(f, late.run, 0, "1-1:late 1000-1000:end");
	expect_log(f, live.run, 0, "1-1:live");
	assert_int_equal(outside_int(f, "SELECT written - removed FROM event_size"),
			 outside_int(f, "SELECT sum(length(data)) FROM event"));
	/* What was cut off ended just now: it is kept as long as any other. */
	assert_int_equal(status_of(f, live.run), RUN_INCOMPLETE);
}

static void a_log_that_is_too_large_is_swept_from_its_front(void **state)
{
	enum { RUNS = 20, BYTES = 10000 };
	struct fixture   *f = *state;
	struct turn_begin t[RUNS];
	static char       data[BYTES];

	f->options.events_keep_bytes = 5 * BYTES + 100;
	reopen(f);
	struct turn_begin live = begin(f);
	append_one(f, piece(live.run, 1, 1, "live"));
	for (size_t i = 0; i < RUNS; i++) {
		t[i] = begin(f);
		end_with(f, t[i].run, (struct events_piece){ t[i].run, 1, 9, { data, BYTES } });
	}
	wait_for(f, "SELECT count(*) FROM event", 6);
	for (size_t i = 0; i < RUNS; i++)
		assert_true(swept(f, t[i].run) == (i < RUNS - 5));
	expect_log(f, live.run, 0, "1-1:live");

	/* The size is known after a start too, also where the end of the log was taken. */
	append_one(f, piece(live.run, 2, 2, "live"));
	reopen(f);
	struct turn_begin next = begin(f);
	end_with(f, next.run, (struct events_piece){ next.run, 1, 9, { data, BYTES } });
	wait_for(f, "SELECT count(*) FROM event", 6);
	assert_false(swept(f, next.run));
	assert_false(swept(f, t[RUNS - 4].run));
	assert_true(swept(f, t[RUNS - 5].run));
}

static void a_log_that_was_swept_in_part_is_gone(void **state)
{
	enum { PIECES = 1000, BYTES = 1000 };
	struct fixture     *f = *state;
	struct turn_begin   t = begin(f);
	static char         data[BYTES];
	struct events_piece p[PIECES];

	for (size_t i = 0; i < PIECES; i++)
		p[i] = (struct events_piece){ t.run, i + 1, i + 1, { data, BYTES } };
	append(f, p, PIECES);
	finish(f, t.run);
	f->options.events_keep_bytes = 300 * BYTES;
	reopen(f);
	wait_for(f, "SELECT count(*) FROM event", 300);
	assert_true(swept(f, t.run));

	/* Nothing at all is left of it. */
	f->options.events_keep_bytes = 1;
	reopen(f);
	wait_for(f, "SELECT count(*) FROM event", 0);
	assert_true(swept(f, t.run));
	struct turn_begin next = begin(f);
	append_one(f, piece(next.run, 1, 1, "x"));
	expect_log(f, next.run, 0, "1-1:x");
}

static void pages_of_swept_logs_are_used_again(void **state)
{
	enum { ROUNDS = 12, RUNS = 40, BYTES = 10000, SETTLED = 4 };
	struct fixture *f = *state;
	static char     data[BYTES];
	int64_t         settled = 0;

	f->options.events_keep_bytes = 5 * BYTES;
	reopen(f);
	for (int round = 1; round <= ROUNDS; round++) {
		for (int i = 0; i < RUNS; i++) {
			struct turn_begin t = begin(f);

			end_with(f, t.run, (struct events_piece){ t.run, 1, 9, { data, BYTES } });
		}
		wait_for(f, "SELECT count(*) FROM event", 5);
		if (round == SETTLED)
			settled = outside_int(f, "PRAGMA page_count");
	}
	/* Eight more rounds logged 400 pages; the runs themselves take some. */
	int64_t more = outside_int(f, "PRAGMA page_count") - settled;
	if (more > 80)
		fail_msg("the file grew by %d pages", (int)more);
}

static void without_bounds_everything_is_kept(void **state)
{
	struct fixture   *f = *state;
	struct turn_begin t = old_turn(f, (int64_t)1 << 40);

	end_old(f, t.run, (int64_t)1 << 40);
	reopen(f);
	begin(f);
	assert_false(swept(f, t.run));
}

/* --- lists --- */

static void expect_runs(struct fixture *f, struct runs_read *r, const struct id *want, size_t n,
			bool more)
{
	arena_finish(&r->arena);
	arena_init(&r->arena, MIB);
	assert_int_equal(DO(f, runs_read, r), ERR_OK);
	assert_int_equal(r->run_count, n);
	for (size_t i = 0; i < n; i++)
		assert_memory_equal(&r->runs[i].run, &want[i], sizeof want[i]);
	assert_int_equal(r->has_more, more);
}

static void runs_are_listed_newest_first(void **state)
{
	struct fixture      *f = *state;
	struct store_message m[5];
	struct turn_begin    a = first_turn(&m[0], Q);
	struct branch_read   b = branch_of(a.conversation);

	whole_turn(f, &a, A);
	struct turn_begin other = first_turn(&m[1], Q);
	assert_int_equal(DO(f, turn_begin, &other), ERR_OK);
	struct turn_end failed = end_of(other.run, RUN_FAILED, NULL);
	failed.error = STR("{\"code\":\"x\"}");
	assert_int_equal(DO(f, turn_end, &failed), ERR_OK);
	reread(f, &b);
	struct turn_begin second = next_turn(&b, &m[2], Q);
	assert_int_equal(DO(f, turn_begin, &second), ERR_OK);
	struct turn_begin foreign = first_turn(&m[3], Q);
	foreign.owner = 9;
	assert_int_equal(DO(f, turn_begin, &foreign), ERR_OK);

	const struct id  all[] = { second.run, other.run, a.run };
	const struct id  own[] = { second.run, a.run };
	struct runs_read r = { .status = -1, .limit = 10 };

	expect_runs(f, &r, all, 3, false);
	assert_int_equal(r.runs[0].status, RUN_RUNNING);
	assert_str(r.runs[1].error, "{\"code\":\"x\"}");
	assert_str(r.runs[2].model, "echo");
	assert_str(r.runs[2].finish_reason, "stop");
	assert_memory_equal(&r.runs[2].conversation, &a.conversation, sizeof a.conversation);
	r.limit = 2;
	expect_runs(f, &r, all, 2, true);
	r.after = other.run;
	expect_runs(f, &r, &all[2], 1, false);
	arena_finish(&r.arena);
	r = (struct runs_read){ .status = RUN_FAILED, .limit = 10 };
	expect_runs(f, &r, &all[1], 1, false);
	r.status = RUN_RUNNING;
	expect_runs(f, &r, &all[0], 1, false);
	r.status = RUN_COMPLETED;
	expect_runs(f, &r, &all[2], 1, false);
	r.status = RUN_CANCELLED;
	expect_runs(f, &r, NULL, 0, false);

	arena_finish(&r.arena);
	r = (struct runs_read){ .status = -1, .limit = 10, .conversation = a.conversation };
	expect_runs(f, &r, own, 2, false);
	r.limit = 1;
	expect_runs(f, &r, own, 1, true);
	r.after = second.run;
	expect_runs(f, &r, &own[1], 1, false);
	arena_finish(&r.arena);
	r = (struct runs_read){ .status = RUN_RUNNING, .limit = 1, .conversation = a.conversation };
	expect_runs(f, &r, own, 1, false);
	r.conversation.secret++;
	expect_runs(f, &r, NULL, 0, false);
	arena_finish(&r.arena);
	r = (struct runs_read){ .status = -1, .limit = 10, .owner = 9 };
	expect_runs(f, &r, &foreign.run, 1, false);
	arena_finish(&r.arena);
	arena_finish(&b.arena);
}

static void a_cursor_has_to_be_of_the_list(void **state)
{
	struct fixture   *f = *state;
	struct turn_begin t = begin(f);
	struct turn_begin other = begin(f);
	const struct {
		const char *why;
		struct id   after;
		struct id   conversation;
		int64_t     owner;
	} cases[] = {
		{ "never made", id_new(), { 0 }, 0 },
		{ "wrong secret", { t.run.key, t.run.secret + 1 }, { 0 }, 0 },
		{ "another owner", t.run, { 0 }, 4 },
		{ "another conversation", other.run, t.conversation, 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct runs_read r = { .status = -1,
				       .limit = 5,
				       .after = cases[i].after,
				       .conversation = cases[i].conversation,
				       .owner = cases[i].owner };

		print_message("case: %s\n", cases[i].why);
		arena_init(&r.arena, MIB);
		assert_int_equal(DO(f, runs_read, &r), ERR_INVALID_VALUE);
		assert_string_equal(r.job.err.path, "after");
		arena_finish(&r.arena);
	}
}

/* --- with everything else --- */

enum { THREADS = 8, ROUNDS = 30 };

static void *stream(void *arg)
{
	struct fixture       mine = { .store = ((struct fixture *)arg)->store };
	struct store_message m;
	char                 data[300];

	loop_set_up(&mine.loop);
	memset(data, 'x', sizeof data);
	for (int i = 0; i < ROUNDS; i++) {
		struct turn_begin  t = first_turn(&m, Q);
		struct events_read r = log_of(t.run, 0);

		assert_int_equal(DO(&mine, turn_begin, &t), ERR_OK);
		for (uint64_t seq = 1; seq <= 5; seq++) {
			append_one(&mine, (struct events_piece){ t.run, seq, seq, { data, 300 } });
			read_log(&mine, &r);
			assert_int_equal(r.piece_count, 1);
			r.after = seq;
		}
		end_with(&mine, t.run, (struct events_piece){ t.run, 6, 6, { data, 300 } });
		arena_finish(&r.arena);
	}
	return NULL;
}

static void streams_sweeps_and_readers_share_the_log(void **state)
{
	struct fixture *f = *state;
	pthread_t       threads[THREADS];

	f->options.events_keep_bytes = 3000;
	reopen(f);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, stream, f), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	wait_for(f, "SELECT count(*) FROM event", 10);
	assert_int_equal(
		outside_int(f, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
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
		T(a_crash_leaves_the_answer_so_far),
		T(the_end_after_a_crash_is_behind_all_that_was_logged),
		T(an_end_that_was_lost_is_made_as_after_a_crash),
		T(lost_ends_with_long_logs_are_made_one_after_another),
		T(many_runs_are_recovered_in_no_time),
		cmocka_unit_test_setup_teardown(a_database_from_before_the_log_is_taken_over,
						set_up, tear_down),
		T(old_logs_are_swept),
		T(a_log_that_is_too_large_is_swept_from_its_front),
		T(a_log_that_was_swept_in_part_is_gone),
		T(pages_of_swept_logs_are_used_again),
		T(without_bounds_everything_is_kept),
		T(runs_are_listed_newest_first),
		T(a_cursor_has_to_be_of_the_list),
		T(streams_sweeps_and_readers_share_the_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
