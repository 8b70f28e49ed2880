/* Followers get the stream as it was: from every cursor, in every shape, to every end. */
#include "tests/unit/run_follow.h"

#define MESSAGE "{\"role\":\"assistant\",\"type\":\"message\""
#define CONSOLE "{\"role\":\"computer\",\"type\":\"console\",\"format\":\"output\""

/* A provider that speaks LMC: everything twice. */
static const struct event spoken[] = {
	{ .kind = EVENT_START, .id = NAME("up-2"), .text = NAME("tiny") },
	{ .kind = EVENT_LMC, .text = NAME(MESSAGE ",\"start\":true}") },
	{ .kind = EVENT_LMC, .text = NAME(MESSAGE ",\"content\":\"yo\"}") },
	{ .kind = EVENT_TEXT, .text = NAME("yo"), .from_lmc = true, .cont = true },
	{ .kind = EVENT_LMC, .text = NAME(MESSAGE ",\"end\":true}") },
	{ .kind = EVENT_LMC, .text = NAME(CONSOLE ",\"start\":true}") },
	{ .kind = EVENT_LMC, .text = NAME(CONSOLE ",\"content\":\"1\"}") },
	{ .kind = EVENT_LMC, .text = NAME(CONSOLE ",\"end\":true}") },
	{ .kind = EVENT_FINISH, .text = NAME("stop") },
};

/* clang-format off */
static const struct event asked[] = {
	{ .kind = EVENT_ASKED, .choice = 1, .block = 0,
	  .text = NAME("{\"index\":0,\"code\":\"x\",\"message\":\"y\"}") },
	{ .kind = EVENT_START, .id = NAME("up-1"), .text = NAME("tiny") },
	TEXT("```py\\n1\\n```\\n"),
	{ .kind = EVENT_FINISH, .text = NAME("stop") },
};
/* clang-format on */

struct script {
	const struct event *events;
	size_t              count;
};
static const struct script scripts[] = { { rich, ARRAY_LEN(rich) },
					 { spoken, ARRAY_LEN(spoken) },
					 { asked, ARRAY_LEN(asked) } };

/* scene_play: a script in pieces of so many events, and its good end; a cut never stands in front of a
 * `cont`.  The stream knows beforehand what the script's first event says of warnings and fences, as the
 * stream of a run would. */
static void scene_play(struct scene *s, const struct script *script, size_t each)
{
	const struct event *first = &script->events[0];

	if (first->kind == EVENT_ASKED) {
		assert_true(warnings_join(&s->stream.warnings, first->text, first->choice));
		s->stream.fences = false;
	}
	for (size_t i = 0, n; i < script->count; i += n) {
		for (n = each; i + n < script->count && script->events[i + n].cont; n++) {
		}
		if (i + n > script->count)
			n = script->count - i;
		scene_put(s, script->events + i, n);
	}
	scene_complete(s);
}

static const struct {
	size_t each;       /* events of a piece */
	size_t page_bytes; /* 1: a piece is a page; 0: all */
} cuts[] = { { 1, 1 }, { 1, 0 }, { 3, 1 }, { 3, 100 }, { 100, 0 } };

enum {
	SHAPED = ARRAY_LEN(scripts) * ARRAY_LEN(shapes), /* each script in each shape */
	SHAPED_AND_CUT = SHAPED * ARRAY_LEN(cuts),       /* each of these in each cut */
};

/* scene_open_cut: the n-th of SHAPED_AND_CUT. */
static void scene_open_cut(struct scene *s, size_t n)
{
	scene_open(s);
	scene_use_shape(s, shapes[n / ARRAY_LEN(scripts) % ARRAY_LEN(shapes)]);
	s->desk.page_bytes = cuts[n / SHAPED].page_bytes;
	scene_play(s, &scripts[n % ARRAY_LEN(scripts)], cuts[n / SHAPED].each);
}

/* next_block: takes the first block off; its id as a cursor. */
static struct cursor next_block(struct str *rest)
{
	const char   *end = memmem(rest->p, rest->n, "\n\n", 2);
	struct cursor c;

	assert_non_null(end);
	assert_true(str_starts(*rest, STR("id: ")));
	const char *id = rest->p + 4;
	const char *id_end = memchr(id, '\n', (size_t)(end + 1 - id));
	assert_true(family_chat.cursor((struct str){ id, (size_t)(id_end - id) }, &c));
	rest->n -= (size_t)(end + 2 - rest->p);
	rest->p = end + 2;
	return c;
}

/* assert_behind: what another reader, of the same shape, gets behind the cursor. */
static void assert_behind(struct scene *s, struct cursor c, struct str want)
{
	struct reader r;

	reader_init(&r, &s->desk, &s->lane);
	r.tape = s->tape;
	r.o.shape = shape_of(s->stream.shape);
	r.o.cursor = c;
	reader_start(&r);
	assert_same(reader_gets_all(&r), want);
	assert_int_equal(r.nones, want.n == 0);
	assert_false(r.failed);
	assert_int_equal(r.last, want.n > 0);
	reader_finish(&r);
}

/* assert_behind_every_block: what comes behind each block, whose cursors count up.  Returns the number of
 * blocks. */
static size_t assert_behind_every_block(struct scene *s)
{
	struct cursor before = { 0 };
	size_t        blocks = 0;

	for (struct str rest = buf_view(&s->stream.out); rest.n > 0; blocks++) {
		struct cursor c = next_block(&rest);

		assert_true(c.seq > before.seq || (c.seq == before.seq && c.nth == before.nth + 1));
		assert_behind(s, c, rest);
		before = c;
	}
	return blocks;
}

/* --- cursors --- */

static void a_cursor_is_a_number_or_two(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool        good;
		uint64_t    seq, nth;
	} cases[] = {
		{ "0", true, 0, 0 },
		{ "1", true, 1, 0 },
		{ "12.3", true, 12, 3 },
		{ "12.0", true, 12, 0 },
		{ "0.7", true, 0, 7 },
		{ "9999999999999999999", true, 9999999999999999999u, 0 },
		{ "99999999999999999999", false, 0, 0 },
		{ "1.99999999999999999999", false, 0, 0 },
		{ "", false, 0, 0 },
		{ "x", false, 0, 0 },
		{ "-1", false, 0, 0 },
		{ "+1", false, 0, 0 },
		{ " 1", false, 0, 0 },
		{ "1 ", false, 0, 0 },
		{ "1.", false, 0, 0 },
		{ ".1", false, 0, 0 },
		{ ".", false, 0, 0 },
		{ "1.1.1", false, 0, 0 },
		{ "1..1", false, 0, 0 },
		{ "01", false, 0, 0 },
		{ "1.01", false, 0, 0 },
		{ "1e3", false, 0, 0 },
		{ "0x1", false, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct cursor c = { 55, 66 };
		size_t        n = strlen(cases[i].text);
		char         *copy = malloc(n ? n : 1);

		print_message("case: %s\n", cases[i].text);
		assert_non_null(copy);
		memcpy(copy, cases[i].text, n);
		assert_int_equal(family_chat.cursor((struct str){ copy, n }, &c), cases[i].good);
		assert_true(c.seq == (cases[i].good ? cases[i].seq : 55));
		assert_true(c.nth == (cases[i].good ? cases[i].nth : 66));
		free(copy);
	}
}

/* --- pages --- */

static void an_ended_run_is_read_as_it_was(void **state)
{
	(void)state;

	for (size_t n = 0; n < SHAPED_AND_CUT; n++) {
		struct scene s;

		scene_open_cut(&s, n);
		reader_start(&s.reader);
		assert_int_equal(s.reader.opens, 1);
		assert_got_all(&s);
		scene_close(&s);
	}
}

static void it_goes_on_behind_every_block(void **state)
{
	(void)state;

	for (size_t n = 0; n < SHAPED_AND_CUT; n++) {
		struct scene s;

		scene_open_cut(&s, n);
		assert_true(assert_behind_every_block(&s) >= 3);
		/* Numbers of the range that a crash left unused were seen, too: only the end is not. */
		assert_behind(&s, (struct cursor){ 0, 5 }, buf_view(&s.stream.out));
		assert_behind(&s, (struct cursor){ UINT64_MAX, 0 }, STR_NONE);
		scene_close(&s);
	}
}

static void its_own_shape_is_taken_where_none_is_asked_for(void **state)
{
	(void)state;
	static const struct {
		const char *shape;
		const char *want;
	} cases[] = { { "native", SHAPE_NATIVE },
		      { "openai", SHAPE_NATIVE },
		      { "lmc", SHAPE_LMC } };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct scene s;

		scene_open(&s);
		s.desk.shape = str_of(cases[i].shape);
		s.stream.shape = cases[i].want;
		scene_play(&s, &scripts[0], 100);
		reader_start(&s.reader);
		assert_got_all(&s);
		scene_close(&s);
	}
}

static void pieces_that_come_twice_are_printed_once(void **state)
{
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		struct scene s;

		scene_open(&s);
		scene_use_shape(&s, shapes[i]);
		s.desk.page_bytes = 1;
		s.desk.overlaps = true;
		scene_play(&s, &scripts[0], 1);
		reader_start(&s.reader);
		assert_got_all(&s);
		scene_close(&s);
	}
}

/* grow: the log's only piece is made longer, so that it straddles what was read of it. */
static void grow(struct desk *d, const struct event *events, size_t count)
{
	pthread_mutex_lock(&d->lock);
	free((void *)(uintptr_t)d->pieces[0].data.p);
	d->piece_count = 0;
	pthread_mutex_unlock(&d->lock);
	desk_put(d, events, count, 1);
}

static void a_piece_that_straddles_the_page_before_is_printed_from_there(void **state)
{
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		struct scene s;

		scene_open(&s);
		scene_use_shape(&s, shapes[i]);
		desk_put(&s.desk, rich, 1, 1);
		s.reader.takes = true;
		reader_start(&s.reader);
		for (size_t n = 2; n <= ARRAY_LEN(rich); n++) {
			if (n < ARRAY_LEN(rich) && rich[n].cont)
				continue;
			grow(&s.desk, rich, n);
			scene_news(&s);
		}
		stream_events(&s.stream, rich, ARRAY_LEN(rich));
		scene_complete(&s);
		scene_news(&s);
		assert_same(buf_view(&s.reader.got), buf_view(&s.stream.out));
		scene_close(&s);
	}
}

static void bytes_may_be_taken_in_any_portions(void **state)
{
	(void)state;
	static const size_t portions[] = { 1, 7, 100, 5000 };

	for (size_t i = 0; i < ARRAY_LEN(portions); i++) {
		struct scene   s;
		struct reader *r = &s.reader;

		scene_open(&s);
		scene_use_shape(&s, SHAPE_LMC);
		s.desk.page_bytes = 1;
		scene_play(&s, &scripts[0], 3);
		reader_start(r);
		while (r->got.len < s.stream.out.len) {
			size_t before = r->got.len;

			r->take_max = portions[i];
			on_lane(&s.lane, reader_take_fn, r);
			assert_true(r->got.len > before);
		}
		assert_same(buf_view(&r->got), buf_view(&s.stream.out));
		assert_true(r->last);
		scene_close(&s);
	}
}

static void a_tape_is_read_as_a_log_is(void **state)
{
	(void)state;

	for (size_t n = 0; n < SHAPED; n++) {
		struct scene s;

		scene_open(&s);
		scene_use_tape(&s);
		scene_use_shape(&s, shapes[n / ARRAY_LEN(scripts)]);
		scene_play(&s, &scripts[n % ARRAY_LEN(scripts)], 1);
		assert_behind(&s, (struct cursor){ 0 }, buf_view(&s.stream.out));
		assert_behind_every_block(&s);
		assert_int_equal(s.desk.reads, 0);
		scene_close(&s);
	}
}

/* --- ends --- */

static void every_end_is_told_as_it_was(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char     *why;
		enum run_status status;
		struct err      err;
		uint64_t        seq;
	} cases[] = {
		{ "completed", RUN_COMPLETED, { .code = ERR_OK }, 4 },
		{ "failed", RUN_FAILED, { .code = ERR_UPSTREAM_CONNECT, .text = "no \"one\" there" },
		  4 },
		{ "in the provider's own words", RUN_FAILED,
		  { .code = ERR_UPSTREAM_ERROR, .text = "bad", .path = "messages[2].content",
		    .type = "own_type", .wire = "own_code", .verbatim = true }, 4 },
		{ "at a place of the request", RUN_FAILED,
		  { .code = ERR_INVALID_VALUE, .text = "must be a number", .path = "config.n" }, 4 },
		{ "cancelled", RUN_CANCELLED,
		  { .code = ERR_CANCELLED, .text = "the run was cancelled" }, 4 },
		{ "cut off by a crash, at the next range", RUN_INCOMPLETE,
		  { .code = ERR_SHUTTING_DOWN, .text = "The server stopped." }, 1025 },
	};
	/* clang-format on */

	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		size_t            n = i / 2;
		struct scene      s;
		struct buf        object;
		const struct err *e = &cases[n].err;

		print_message("case: %s\n", cases[n].why);
		scene_open(&s);
		scene_use_shape(&s, shapes[i % 2]);
		buf_init(&object, MIB);
		scene_put(&s, rich, 2);
		scene_put(&s, rich + 2, 1);
		if (e->code == ERR_OK) {
			stream_done(&s.stream, cases[n].seq);
		} else {
			struct encoder *to = stream_encoder(&s.stream);

			assert_true(err_object(e, STR("req_7"), &object));
			assert_true(
				to->ops->error(to, e, STR("req_7"), cases[n].seq, &s.stream.out));
		}
		scene_end(&s, cases[n].status, cases[n].seq, buf_view(&object));
		reader_start(&s.reader);
		assert_got_all(&s);
		/* Behind each of the end's own blocks, too. */
		assert_behind_every_block(&s);
		scene_close(&s);
		buf_finish(&object);
	}
}

static void an_end_without_an_error_to_read_is_a_failure(void **state)
{
	(void)state;
	static const char *const objects[] = { "", "{", "null", "[]", "{\"message\":7}" };

	for (size_t i = 0; i < ARRAY_LEN(objects); i++) {
		struct scene s;

		scene_open(&s);
		scene_end(&s, RUN_FAILED, 1, str_of(objects[i]));
		reader_start(&s.reader);
		assert_true(str_starts(reader_gets_all(&s.reader),
				       STR("id: 1\nevent: error\ndata: {\"error\":{\"message\":"
					   "\"the run failed\"")));
		assert_true(s.reader.last);
		scene_close(&s);
	}
}

static void an_answer_that_was_never_logged_is_told_as_a_stream(void **state)
{
	(void)state;
	static const struct event want[] = {
		{ .kind = EVENT_START },
		TEXT("yo"),
		{ .kind = EVENT_FINISH, .text = NAME("stop") },
	};

	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		struct scene s;

		scene_open(&s);
		scene_use_shape(&s, shapes[i]);
		s.desk.answer = STR("{\"role\":\"assistant\",\"content\":\"yo\"}");
		s.desk.finish_reason = STR("stop");
		scene_end(&s, RUN_COMPLETED, 9, STR_NONE);
		stream_events(&s.stream, want, ARRAY_LEN(want));
		stream_done(&s.stream, 9);
		reader_start(&s.reader);
		assert_got_all(&s);
		assert_behind_every_block(&s);
		scene_close(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cursor_is_a_number_or_two),
		cmocka_unit_test(an_ended_run_is_read_as_it_was),
		cmocka_unit_test(it_goes_on_behind_every_block),
		cmocka_unit_test(its_own_shape_is_taken_where_none_is_asked_for),
		cmocka_unit_test(pieces_that_come_twice_are_printed_once),
		cmocka_unit_test(a_piece_that_straddles_the_page_before_is_printed_from_there),
		cmocka_unit_test(bytes_may_be_taken_in_any_portions),
		cmocka_unit_test(a_tape_is_read_as_a_log_is),
		cmocka_unit_test(every_end_is_told_as_it_was),
		cmocka_unit_test(an_end_without_an_error_to_read_is_a_failure),
		cmocka_unit_test(an_answer_that_was_never_logged_is_told_as_a_stream),
	};

	return cmocka_run_group_tests_name("run/follow_stream", tests, NULL, NULL);
}
