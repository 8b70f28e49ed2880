/* Followers: a log read in pages, waited for and left, compared with the stream as it was. */
#include "tests/unit/run_desk.h"
#include "store/run.h"

/* clang-format off */
#define TEXT(s) { .kind = EVENT_TEXT, .text = { s, sizeof(s) - 1 } }
#define NAME(s) { s, sizeof(s) - 1 }
/* clang-format on */

static const char chunk_text[] =
	"{\"id\":\"up-1\",\"choices\":[{\"delta\":{\"content\":\"late \",\"tool_calls\":[]}}]}";
static const char chunk_usage_text[] = "{\"choices\":[],\"usage\":{\"prompt_tokens\":3}}";

/* All that makes blocks, none, or several of one number. */
/* clang-format off */
static const struct event rich[] = {
	{ .kind = EVENT_START, .id = NAME("up-1"), .text = NAME("tiny") },
	TEXT("Plan"),
	TEXT(":\\n\\n"),
	TEXT("```py"),
	TEXT("\\nprint(1)\\n"),
	TEXT("``"),
	TEXT("`\\n"),
	TEXT("and "),
	TEXT("\\ud83d"),
	TEXT("\\ude00"),
	{ .kind = EVENT_REASONING, .text = NAME("hm") },
	TEXT("```sh\\nls\\n```\\nthen```js\\n1\\n```\\n"),
	{ .kind = EVENT_TOOL_START, .block = 0, .id = NAME("c0"), .name = NAME("execute") },
	{ .kind = EVENT_TOOL_START, .block = 1, .id = NAME("c1"), .name = NAME("weather") },
	{ .kind = EVENT_TOOL_ARGS, .block = 1, .text = NAME("{\\\"city\\\":") },
	{ .kind = EVENT_TOOL_ARGS, .block = 0,
	  .text = NAME("{\\\"language\\\":\\\"sh\\\",\\\"code\\\":\\\"l") },
	{ .kind = EVENT_TEXT, .raw = { chunk_text, sizeof chunk_text - 1 }, .text = NAME("late ") },
	{ .kind = EVENT_TOOL_ARGS, .block = 0, .text = NAME("s\\\"}"), .cont = true },
	{ .kind = EVENT_TOOL_ARGS, .block = 1, .text = NAME("\\\"Rome\\\"}"), .cont = true },
	{ .kind = EVENT_OTHER, .raw = NAME("{\"choices\":[]}") },
	{ .kind = EVENT_USAGE, .raw = { chunk_usage_text, sizeof chunk_usage_text - 1 },
	  .raw_only_usage = true, .usage = { .known = true, .in = 3 } },
	{ .kind = EVENT_FINISH, .text = NAME("tool_calls") },
};
/* clang-format on */

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

/* Of LLM Chat, by their words in the store. */
static const char *const shapes[] = { SHAPE_NATIVE, SHAPE_LMC };

static const struct shape *shape_of(const char *word)
{
	return family_shape(&family_chat, str_of(word));
}

/* --- the stream as it was --- */

struct stream {
	struct warnings warnings;
	struct encoder *encoder;
	struct buf      out;
	uint64_t        seq;
};

static void stream_encode(struct stream *s, const struct desk *d, const char *shape, bool fences)
{
	s->encoder =
		shape_of(shape)->encoder(&(struct encoder_about){ .want_usage = true,
								  .fences = fences,
								  .run = d->run,
								  .conversation = d->conversation,
								  .model = d->model,
								  .created_s = 1700000000,
								  .warnings = &s->warnings });
	assert_non_null(s->encoder);
}

static void stream_begin(struct stream *s, const struct desk *d, const char *shape)
{
	*s = (struct stream){ 0 };
	warnings_init(&s->warnings);
	buf_init(&s->out, 256 * MIB);
	stream_encode(s, d, shape, true);
}

static void stream_events(struct stream *s, const struct event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		s->seq += !events[i].cont;
		assert_true(s->encoder->ops->event(s->encoder, &events[i], s->seq, &s->out));
	}
}

static void stream_finish(struct stream *s)
{
	encoder_destroy(s->encoder);
	warnings_finish(&s->warnings);
	buf_finish(&s->out);
}

/* stream_of: a whole script and its good end; what its first event says of warnings and fences is
 * told to the encoder beforehand, as a run would. */
static void stream_of(struct stream *s, const struct desk *d, const char *shape,
		      const struct script *script)
{
	const struct event *first = &script->events[0];

	stream_begin(s, d, shape);
	if (first->kind == EVENT_ASKED) {
		encoder_destroy(s->encoder);
		assert_true(warnings_join(&s->warnings, first->text, first->choice));
		stream_encode(s, d, shape, false);
	}
	stream_events(s, script->events, script->count);
	assert_true(s->encoder->ops->done(s->encoder, s->seq + 1, &s->out));
}

/* next_block: takes the first block off; its id as a cursor. */
static struct str next_block(struct str *rest, struct cursor *ret)
{
	const char *end = memmem(rest->p, rest->n, "\n\n", 2);
	struct str  id;

	assert_non_null(end);
	assert_true(str_starts(*rest, STR("id: ")));
	struct str block = { rest->p, (size_t)(end - rest->p) + 2 };
	id = (struct str){ block.p + 4,
			   (size_t)((const char *)memchr(block.p, '\n', block.n) - block.p) - 4 };
	assert_true(family_chat.cursor(id, ret));
	rest->p += block.n;
	rest->n -= block.n;
	return block;
}

static void assert_same(struct str got, struct str want)
{
	if (str_eq(got, want))
		return;
	print_error("got:\n%.*s\nwant:\n%.*s\n", STR_ARG(got), STR_ARG(want));
	fail();
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

/* put_script: in pieces of so many events; a cut never stands in front of a `cont`. */
static uint64_t put_script(struct desk *d, const struct script *s, size_t each)
{
	uint64_t seq = 0;

	for (size_t i = 0, n; i < s->count; i += n) {
		for (n = each; i + n < s->count && s->events[i + n].cont; n++) {
		}
		if (i + n > s->count)
			n = s->count - i;
		seq = desk_put(d, s->events + i, n, seq + 1);
	}
	return seq;
}

static const struct {
	size_t each;       /* events of a piece */
	size_t page_bytes; /* 1: a piece is a page; 0: all */
} cuts[] = { { 1, 1 }, { 1, 0 }, { 3, 1 }, { 3, 100 }, { 100, 0 } };

static void an_ended_run_is_read_as_it_was(void **state)
{
	(void)state;

	for (size_t n = 0; n < ARRAY_LEN(scripts) * ARRAY_LEN(shapes) * ARRAY_LEN(cuts); n++) {
		const struct script *script = &scripts[n % ARRAY_LEN(scripts)];
		const char          *shape = shapes[n / ARRAY_LEN(scripts) % ARRAY_LEN(shapes)];
		size_t               cut = n / ARRAY_LEN(scripts) / ARRAY_LEN(shapes);
		struct desk          d;
		struct lane          l;
		struct reader        r;
		struct stream        s;

		desk_open(&d);
		lane_start(&l);
		d.page_bytes = cuts[cut].page_bytes;
		desk_end(&d, RUN_COMPLETED, put_script(&d, script, cuts[cut].each) + 1, STR_NONE);
		stream_of(&s, &d, shape, script);
		reader_init(&r, &d, &l);
		r.o.shape = shape_of(shape);
		reader_start(&r);
		assert_int_equal(r.opens, 1);
		assert_same(reader_gets_all(&r), buf_view(&s.out));
		assert_true(r.last);
		reader_finish(&r);
		stream_finish(&s);
		lane_stop(&l);
		desk_close(&d);
	}
}

/* read_behind: what a reader that begins behind the cursor gets. */
static void assert_behind(struct desk *d, struct lane *l, const char *shape, struct cursor c,
			  struct str want)
{
	struct reader r;

	reader_init(&r, d, l);
	r.o.shape = shape_of(shape);
	r.o.cursor = c;
	reader_start(&r);
	if (want.n == 0) {
		assert_int_equal(r.nones, 1);
		assert_false(r.failed);
	} else {
		assert_same(reader_gets_all(&r), want);
		assert_true(r.last);
	}
	reader_finish(&r);
}

static void it_goes_on_behind_every_block(void **state)
{
	(void)state;

	for (size_t n = 0; n < ARRAY_LEN(scripts) * ARRAY_LEN(shapes) * ARRAY_LEN(cuts); n++) {
		const struct script *script = &scripts[n % ARRAY_LEN(scripts)];
		const char          *shape = shapes[n / ARRAY_LEN(scripts) % ARRAY_LEN(shapes)];
		size_t               cut = n / ARRAY_LEN(scripts) / ARRAY_LEN(shapes);
		struct cursor        c = { 0 };
		struct desk          d;
		struct lane          l;
		struct stream        s;
		size_t               blocks = 0;

		desk_open(&d);
		lane_start(&l);
		d.page_bytes = cuts[cut].page_bytes;
		desk_end(&d, RUN_COMPLETED, put_script(&d, script, cuts[cut].each) + 1, STR_NONE);
		stream_of(&s, &d, shape, script);
		for (struct str rest = buf_view(&s.out); rest.n > 0; blocks++) {
			struct cursor before = c;

			next_block(&rest, &c);
			assert_true(c.seq > before.seq ||
				    (c.seq == before.seq && c.nth == before.nth + 1));
			assert_behind(&d, &l, shape, c, rest);
		}
		assert_true(blocks >= 3);
		/* Numbers of the range that a crash left unused were seen, too: only the end is not. */
		assert_behind(&d, &l, shape, (struct cursor){ 0, 5 }, buf_view(&s.out));
		assert_behind(&d, &l, shape, (struct cursor){ UINT64_MAX, 0 }, STR_NONE);
		stream_finish(&s);
		lane_stop(&l);
		desk_close(&d);
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
		struct desk   d;
		struct lane   l;
		struct reader r;
		struct stream s;

		desk_open(&d);
		lane_start(&l);
		d.shape = str_of(cases[i].shape);
		desk_end(&d, RUN_COMPLETED, put_script(&d, &scripts[0], 100) + 1, STR_NONE);
		stream_of(&s, &d, cases[i].want, &scripts[0]);
		reader_init(&r, &d, &l);
		reader_start(&r);
		assert_same(reader_gets_all(&r), buf_view(&s.out));
		reader_finish(&r);
		stream_finish(&s);
		lane_stop(&l);
		desk_close(&d);
	}
}

static void pieces_that_come_twice_are_printed_once(void **state)
{
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		struct desk   d;
		struct lane   l;
		struct reader r;
		struct stream s;

		desk_open(&d);
		lane_start(&l);
		d.page_bytes = 1;
		d.overlaps = true;
		desk_end(&d, RUN_COMPLETED, put_script(&d, &scripts[0], 1) + 1, STR_NONE);
		stream_of(&s, &d, shapes[i], &scripts[0]);
		reader_init(&r, &d, &l);
		r.o.shape = shape_of(shapes[i]);
		reader_start(&r);
		assert_same(reader_gets_all(&r), buf_view(&s.out));
		reader_finish(&r);
		stream_finish(&s);
		lane_stop(&l);
		desk_close(&d);
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
		struct desk   d;
		struct lane   l;
		struct reader r;
		struct stream s;
		uint64_t      last = 0;

		desk_open(&d);
		lane_start(&l);
		desk_put(&d, rich, 1, 1);
		reader_init(&r, &d, &l);
		r.o.shape = shape_of(shapes[i]);
		r.takes = true;
		reader_start(&r);
		last = 0;
		for (size_t n = 0; n < ARRAY_LEN(rich); n++)
			last += !rich[n].cont;
		for (size_t n = 2; n <= ARRAY_LEN(rich); n++) {
			if (n < ARRAY_LEN(rich) && rich[n].cont)
				continue;
			grow(&d, rich, n);
			watch_notify(d.run);
			desk_settle(&d, &l);
		}
		desk_end(&d, RUN_COMPLETED, last + 1, STR_NONE);
		watch_notify(d.run);
		desk_settle(&d, &l);
		stream_of(&s, &d, shapes[i], &scripts[0]);
		assert_same(buf_view(&r.got), buf_view(&s.out));
		reader_finish(&r);
		stream_finish(&s);
		lane_stop(&l);
		desk_close(&d);
	}
}

/* --- waiting --- */

static const struct event one = TEXT("a");

static void a_run_that_goes_on_is_waited_for(void **state)
{
	(void)state;
	struct desk   d;
	struct lane   l;
	struct reader r;
	struct stream s;

	desk_open(&d);
	lane_start(&l);
	stream_begin(&s, &d, SHAPE_NATIVE);
	reader_init(&r, &d, &l);
	reader_start(&r);
	/* There is nothing yet, but there will be. */
	assert_int_equal(r.opens, 1);
	assert_int_equal(r.wakes, 0);
	assert_int_equal(d.reads, 1);
	for (size_t n = 1; n <= 5; n++) {
		desk_put(&d, &one, 1, n);
		stream_events(&s, &one, 1);
		desk_settle(&d, &l);
		assert_int_equal(d.reads, n);
		watch_notify(d.run);
		desk_settle(&d, &l);
		assert_int_equal(d.reads, n + 1);
		assert_int_equal(r.wakes, n);
		assert_same(reader_gets_all(&r), buf_view(&s.out));
		assert_false(r.last);
	}
	/* News of nothing wake nobody. */
	watch_notify(d.run);
	desk_settle(&d, &l);
	assert_int_equal(r.wakes, 5);
	desk_end(&d, RUN_COMPLETED, 6, STR_NONE);
	watch_notify(d.run);
	desk_settle(&d, &l);
	assert_true(s.encoder->ops->done(s.encoder, 6, &s.out));
	assert_same(reader_gets_all(&r), buf_view(&s.out));
	assert_true(r.last);
	size_t reads = d.reads;
	watch_notify(d.run);
	desk_settle(&d, &l);
	assert_int_equal(d.reads, reads);
	reader_finish(&r);
	stream_finish(&s);
	lane_stop(&l);
	desk_close(&d);
}

static void news_during_a_read_lead_to_one_more(void **state)
{
	(void)state;
	struct desk   d;
	struct lane   l;
	struct reader r;
	struct stream s;

	desk_open(&d);
	lane_start(&l);
	d.holds = true;
	stream_begin(&s, &d, SHAPE_NATIVE);
	reader_init(&r, &d, &l);
	reader_start(&r);
	assert_int_equal(d.reads, 1);
	for (int i = 0; i < 3; i++) {
		watch_notify(d.run);
		desk_settle(&d, &l);
	}
	assert_int_equal(d.reads, 1);
	desk_answer(&d);
	desk_settle(&d, &l);
	assert_int_equal(d.reads, 2);
	desk_put(&d, &one, 1, 1);
	stream_events(&s, &one, 1);
	desk_answer(&d);
	desk_settle(&d, &l);
	/* Now it waits. */
	assert_int_equal(d.reads, 2);
	assert_same(reader_gets_all(&r), buf_view(&s.out));
	reader_finish(&r);
	stream_finish(&s);
	lane_stop(&l);
	desk_close(&d);
}

static void a_reader_that_has_seen_all_of_a_run_that_goes_on_gets_what_comes(void **state)
{
	(void)state;
	struct desk   d;
	struct lane   l;
	struct reader r;
	struct stream s;

	desk_open(&d);
	lane_start(&l);
	d.page_bytes = 1;
	for (uint64_t n = 1; n <= 3; n++)
		desk_put(&d, &one, 1, n);
	stream_begin(&s, &d, SHAPE_NATIVE);
	stream_events(&s, (const struct event[]){ one, one, one }, 3);
	reader_init(&r, &d, &l);
	r.o.cursor.seq = 3;
	reader_start(&r);
	assert_int_equal(r.opens, 1);
	assert_int_equal(reader_gets_all(&r).n, 0);
	desk_put(&d, &one, 1, 4);
	watch_notify(d.run);
	desk_settle(&d, &l);
	size_t seen = s.out.len;
	stream_events(&s, &one, 1);
	assert_same(reader_gets_all(&r), (struct str){ s.out.data + seen, s.out.len - seen });
	reader_finish(&r);
	stream_finish(&s);
	lane_stop(&l);
	desk_close(&d);
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
		struct desk       d;
		struct lane       l;
		struct reader     r;
		struct stream     s;
		struct buf        object;
		const struct err *e = &cases[n].err;

		print_message("case: %s\n", cases[n].why);
		desk_open(&d);
		lane_start(&l);
		buf_init(&object, MIB);
		if (e->code != ERR_OK)
			assert_true(err_object(e, STR("req_7"), &object));
		put_script(&d, &(struct script){ rich, 3 }, 2);
		desk_end(&d, cases[n].status, cases[n].seq, buf_view(&object));
		stream_begin(&s, &d, shapes[i % 2]);
		stream_events(&s, rich, 3);
		if (e->code == ERR_OK)
			assert_true(s.encoder->ops->done(s.encoder, cases[n].seq, &s.out));
		else
			assert_true(s.encoder->ops->error(s.encoder, e, STR("req_7"), cases[n].seq,
							  &s.out));
		reader_init(&r, &d, &l);
		r.o.shape = shape_of(shapes[i % 2]);
		reader_start(&r);
		assert_same(reader_gets_all(&r), buf_view(&s.out));
		assert_true(r.last);
		/* Behind each of the end's own blocks, too. */
		struct str    rest = buf_view(&s.out);
		struct cursor c;
		while (rest.n > 0) {
			next_block(&rest, &c);
			assert_behind(&d, &l, shapes[i % 2], c, rest);
		}
		buf_finish(&object);
		reader_finish(&r);
		stream_finish(&s);
		lane_stop(&l);
		desk_close(&d);
	}
}

static void an_end_without_an_error_to_read_is_a_failure(void **state)
{
	(void)state;
	static const char *const objects[] = { "", "{", "null", "[]", "{\"message\":7}" };

	for (size_t i = 0; i < ARRAY_LEN(objects); i++) {
		struct desk   d;
		struct lane   l;
		struct reader r;

		desk_open(&d);
		lane_start(&l);
		desk_end(&d, RUN_FAILED, 1, str_of(objects[i]));
		reader_init(&r, &d, &l);
		reader_start(&r);
		struct str got = reader_gets_all(&r);
		assert_true(
			str_starts(got, STR("id: 1\nevent: error\ndata: {\"error\":{\"message\":"
					    "\"the run failed\"")));
		assert_true(r.last);
		reader_finish(&r);
		lane_stop(&l);
		desk_close(&d);
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
		struct desk   d;
		struct lane   l;
		struct reader r;
		struct stream s;
		struct cursor c;

		desk_open(&d);
		lane_start(&l);
		d.answer = STR("{\"role\":\"assistant\",\"content\":\"yo\"}");
		d.finish_reason = STR("stop");
		desk_end(&d, RUN_COMPLETED, 9, STR_NONE);
		stream_begin(&s, &d, shapes[i]);
		stream_events(&s, want, ARRAY_LEN(want));
		assert_true(s.encoder->ops->done(s.encoder, 9, &s.out));
		reader_init(&r, &d, &l);
		r.o.shape = shape_of(shapes[i]);
		reader_start(&r);
		assert_same(reader_gets_all(&r), buf_view(&s.out));
		for (struct str rest = buf_view(&s.out); rest.n > 0;) {
			next_block(&rest, &c);
			assert_behind(&d, &l, shapes[i], c, rest);
		}
		reader_finish(&r);
		stream_finish(&s);
		lane_stop(&l);
		desk_close(&d);
	}
}

/* --- failures --- */

static void what_can_not_be_read_is_said_instead_of_a_stream(void **state)
{
	(void)state;
	static const struct {
		const char *why;
		bool        swept, refuses, damaged;
		enum errc   fails;
		enum errc   want;
	} cases[] = {
		{ "swept", true, false, false, ERR_OK, ERR_GONE },
		{ "no such run", false, false, false, ERR_NOT_FOUND, ERR_NOT_FOUND },
		{ "the disk", false, false, false, ERR_STORAGE, ERR_STORAGE },
		{ "the store's queue is full", false, true, false, ERR_OK, ERR_OVERLOADED },
		{ "damaged", false, false, true, ERR_OK, ERR_INTERNAL },
	};

	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		size_t        n = i / 2;
		struct desk   d;
		struct lane   l;
		struct reader r;

		print_message("case: %s\n", cases[n].why);
		desk_open(&d);
		lane_start(&l);
		desk_put(&d, rich, 3, 1);
		if (cases[n].damaged)
			desk_put_bytes(&d, 4, 4, STR("\2\1\4\x20\0\7short"));
		if (i % 2)
			desk_end(&d, RUN_COMPLETED, 5, STR_NONE);
		d.swept = cases[n].swept;
		d.refuses = cases[n].refuses;
		d.fails = cases[n].fails;
		reader_init(&r, &d, &l);
		reader_start(&r);
		assert_int_equal(r.opens, 0);
		assert_int_equal(r.nones, 1);
		assert_true(r.failed);
		assert_int_equal(r.err.code, cases[n].want);
		assert_int_equal(d.reads, 1);
		/* News that come now find nobody. */
		watch_notify(d.run);
		desk_settle(&d, &l);
		assert_int_equal(d.reads, 1);
		reader_finish(&r);
		lane_stop(&l);
		desk_close(&d);
	}
}

static void a_stream_that_was_begun_ends_without_its_last_block(void **state)
{
	(void)state;
	static const struct {
		const char *why;
		bool        swept, damaged;
		enum errc   fails;
	} cases[] = {
		{ "swept meanwhile", true, false, ERR_OK },
		{ "gone", false, false, ERR_NOT_FOUND },
		{ "damaged", false, true, ERR_OK },
	};

	for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
		struct desk   d;
		struct lane   l;
		struct reader r;
		struct stream s;

		print_message("case: %s\n", cases[n].why);
		desk_open(&d);
		lane_start(&l);
		desk_put(&d, &one, 1, 1);
		stream_begin(&s, &d, SHAPE_NATIVE);
		stream_events(&s, &one, 1);
		reader_init(&r, &d, &l);
		reader_start(&r);
		d.swept = cases[n].swept;
		d.fails = cases[n].fails;
		desk_put(&d, &one, 1, 2);
		if (cases[n].damaged) {
			stream_events(&s, &one, 1); /* all in front of it counts */
			desk_put_bytes(&d, 3, 3, STR("\2\1\3\x20\0\7short"));
		}
		watch_notify(d.run);
		desk_settle(&d, &l);
		assert_int_equal(r.wakes, 1);
		assert_same(reader_gets_all(&r), buf_view(&s.out));
		assert_true(r.last);
		size_t reads = d.reads;
		watch_notify(d.run);
		desk_settle(&d, &l);
		assert_int_equal(d.reads, reads);
		reader_finish(&r);
		stream_finish(&s);
		lane_stop(&l);
		desk_close(&d);
	}
}

static void a_gap_in_the_log_is_no_stream(void **state)
{
	(void)state;
	struct desk   d;
	struct lane   l;
	struct reader r;

	desk_open(&d);
	lane_start(&l);
	desk_put(&d, &one, 1, 1);
	desk_put(&d, &one, 1, 3);
	desk_end(&d, RUN_COMPLETED, 4, STR_NONE);
	reader_init(&r, &d, &l);
	reader_start(&r);
	assert_int_equal(r.opens, 0);
	assert_true(r.failed);
	assert_int_equal(r.err.code, ERR_INTERNAL);
	reader_finish(&r);
	lane_stop(&l);
	desk_close(&d);
}

/* --- slow readers --- */

enum { BIG = 100 * 1024 };

static void put_big(struct desk *d, size_t count)
{
	char *text = malloc(BIG);

	assert_non_null(text);
	memset(text, 'a', BIG);
	for (size_t i = 0; i < count; i++)
		desk_put(d, &(struct event){ .kind = EVENT_TEXT, .text = { text, BIG } }, 1,
			 d->piece_count + 1);
	free(text);
}

static void a_slow_reader_is_read_for_no_further(void **state)
{
	(void)state;
	struct desk   d;
	struct lane   l;
	struct reader r;

	desk_open(&d);
	lane_start(&l);
	d.page_bytes = 1;
	put_big(&d, 10);
	reader_init(&r, &d, &l);
	reader_start(&r);
	/* The third page fills it. */
	assert_int_equal(d.reads, 3);
	watch_notify(d.run);
	desk_settle(&d, &l);
	assert_int_equal(d.reads, 3);
	/* Down to the lower mark, then on again. */
	reader_gets(&r, 3 * BIG - LIMIT_FEED_LOW - 1000);
	assert_int_equal(d.reads, 3);
	reader_gets(&r, 4000);
	assert_int_equal(d.reads, 5);
	reader_gets_all(&r);
	assert_true(r.got.len > 10 * BIG);
	size_t reads = d.reads;
	put_big(&d, 1);
	watch_notify(d.run);
	desk_settle(&d, &l);
	assert_int_equal(d.reads, reads + 1);
	reader_finish(&r);
	lane_stop(&l);
	desk_close(&d);
}

static void a_slow_reader_of_a_run_that_goes_on_is_read_for_no_further_either(void **state)
{
	(void)state;
	struct desk   d;
	struct lane   l;
	struct reader r;
	struct stream s;

	desk_open(&d);
	lane_start(&l);
	reader_init(&r, &d, &l);
	reader_start(&r);
	for (int i = 0; i < 20; i++) {
		put_big(&d, 1);
		watch_notify(d.run);
		desk_settle(&d, &l);
	}
	assert_true(d.reads <= 5);
	desk_end(&d, RUN_COMPLETED, 21, STR_NONE);
	watch_notify(d.run);
	desk_settle(&d, &l);
	stream_begin(&s, &d, SHAPE_NATIVE);
	for (size_t i = 0; i < d.piece_count; i++) {
		struct str   bytes = d.pieces[i].data;
		struct event ev;
		uint64_t     seq;

		assert_true(event_decode(&bytes, &ev, &seq));
		stream_events(&s, &ev, 1);
	}
	assert_true(s.encoder->ops->done(s.encoder, 21, &s.out));
	assert_true(str_eq(reader_gets_all(&r), buf_view(&s.out)));
	assert_true(r.last);
	reader_finish(&r);
	stream_finish(&s);
	lane_stop(&l);
	desk_close(&d);
}

static void bytes_may_be_taken_in_any_portions(void **state)
{
	(void)state;
	static const size_t portions[] = { 1, 7, 100, 5000 };

	for (size_t i = 0; i < ARRAY_LEN(portions); i++) {
		struct desk   d;
		struct lane   l;
		struct reader r;
		struct stream s;

		desk_open(&d);
		lane_start(&l);
		d.page_bytes = 1;
		desk_end(&d, RUN_COMPLETED, put_script(&d, &scripts[0], 3) + 1, STR_NONE);
		stream_of(&s, &d, SHAPE_LMC, &scripts[0]);
		reader_init(&r, &d, &l);
		r.o.shape = shape_of(SHAPE_LMC);
		reader_start(&r);
		while (r.got.len < s.out.len) {
			size_t before = r.got.len;

			r.take_max = portions[i];
			on_lane(&l, reader_take_fn, &r);
			assert_true(r.got.len > before);
		}
		assert_same(buf_view(&r.got), buf_view(&s.out));
		assert_true(r.last);
		reader_finish(&r);
		stream_finish(&s);
		lane_stop(&l);
		desk_close(&d);
	}
}

static struct tape *committed_tape(void)
{
	struct tape *t = tape_create(LIMIT_TAPE, true);

	assert_non_null(t);
	tape_commit(t);
	return t;
}

static void add_to(struct tape *t, const struct event *ev, uint64_t seq)
{
	if (!tape_add(t, ev, seq))
		tape_lose(t);
}

static void small_events_fill_a_reader_no_further_than_large_ones(void **state)
{
	(void)state;
	static struct event  many[512];
	static struct desk   d;
	static struct reader r;
	struct lane          l;

	for (size_t i = 0; i < ARRAY_LEN(many); i++)
		many[i] = one;
	for (size_t n = 0; n < 2 * ARRAY_LEN(shapes); n++) {
		uint64_t     seq = 0;
		struct tape *tape = n % 2 ? committed_tape() : NULL;
		bool         last;

		desk_open(&d);
		lane_start(&l);
		for (int i = 0; i < 100; i++) {
			for (size_t at = 0; tape && at < ARRAY_LEN(many); at++)
				add_to(tape, &many[at], seq + at + 1);
			seq = desk_put(&d, many, ARRAY_LEN(many), seq + 1);
		}
		desk_end(&d, RUN_COMPLETED, seq + 1, STR_NONE);
		if (tape)
			tape_end(tape, RUN_COMPLETED, seq + 1, STR_NONE);
		reader_init(&r, &d, &l);
		r.tape = tape;
		r.o.shape = shape_of(shapes[n / 2]);
		reader_start(&r);
		assert_non_null(r.follow);
		size_t waits = follow_ready(r.follow, &last).n;
		assert_true(waits >= LIMIT_FEED_HIGH && waits < 4 * LIMIT_FEED_HIGH);
		reader_gets_all(&r);
		assert_true(r.last);
		reader_finish(&r);
		tape_release(tape);
		lane_stop(&l);
		desk_close(&d);
	}
}

/* --- tapes --- */

static uint64_t tape_script(struct tape *t, const struct script *s)
{
	uint64_t seq = 0;

	for (size_t i = 0; i < s->count; i++) {
		seq += !s->events[i].cont;
		add_to(t, &s->events[i], seq);
	}
	return seq;
}

static void a_tape_is_read_as_a_log_is(void **state)
{
	(void)state;

	for (size_t n = 0; n < ARRAY_LEN(scripts) * ARRAY_LEN(shapes); n++) {
		const struct script *script = &scripts[n % ARRAY_LEN(scripts)];
		const char          *shape = shapes[n / ARRAY_LEN(scripts)];
		struct tape         *tape = committed_tape();
		struct cursor        c = { 0 };
		struct desk          d;
		struct lane          l;
		struct stream        s;

		desk_open(&d);
		d.conversation = (struct id){ 0 };
		lane_start(&l);
		tape_end(tape, RUN_COMPLETED, tape_script(tape, script) + 1, STR_NONE);
		stream_of(&s, &d, shape, script);
		for (struct str rest = buf_view(&s.out);;) {
			struct reader r;

			reader_init(&r, &d, &l);
			r.tape = tape;
			r.o.shape = shape_of(shape);
			r.o.cursor = c;
			reader_start(&r);
			assert_same(reader_gets_all(&r), rest);
			assert_int_equal(r.nones, rest.n == 0 ? 1 : 0);
			reader_finish(&r);
			if (rest.n == 0)
				break;
			next_block(&rest, &c);
		}
		assert_int_equal(d.reads, 0);
		stream_finish(&s);
		tape_release(tape);
		lane_stop(&l);
		desk_close(&d);
	}
}

static void a_tape_that_goes_on_is_waited_for(void **state)
{
	(void)state;
	struct tape  *tape = committed_tape();
	struct desk   d;
	struct lane   l;
	struct reader r;
	struct stream s;

	desk_open(&d);
	d.conversation = (struct id){ 0 };
	lane_start(&l);
	stream_begin(&s, &d, SHAPE_NATIVE);
	reader_init(&r, &d, &l);
	r.tape = tape;
	reader_start(&r);
	assert_int_equal(r.opens, 1);
	for (uint64_t n = 1; n <= 5; n++) {
		add_to(tape, &one, n);
		stream_events(&s, &one, 1);
		watch_notify(d.run);
		desk_settle(&d, &l);
		assert_same(reader_gets_all(&r), buf_view(&s.out));
	}
	tape_end(tape, RUN_CANCELLED, 6, STR("{\"message\":\"no more\"}"));
	watch_notify(d.run);
	desk_settle(&d, &l);
	assert_true(
		str_starts((struct str){ reader_gets_all(&r).p + s.out.len, r.got.len - s.out.len },
			   STR("id: 6\nevent: error\ndata: {\"error\":{\"message\":\"no more\"")));
	assert_true(r.last);
	reader_finish(&r);
	stream_finish(&s);
	tape_release(tape);
	lane_stop(&l);
	desk_close(&d);
}

static void tape_notify_and_leave(void *arg)
{
	struct reader *r = arg;

	watch_notify(r->desk->run);
	reader_leave_fn(arg);
}

static void a_reader_may_leave_a_tape_at_any_time(void **state)
{
	(void)state;
	enum { STARTING, READING_IT, WAITING_FOR_IT, AT_OPEN, AT_WAKE, FULL_OF_IT, TIMES };

	for (int n = 0; n < TIMES; n++) {
		struct tape  *tape = committed_tape();
		struct desk   d;
		struct lane   l;
		struct reader r;

		print_message("case: %d\n", n);
		desk_open(&d);
		lane_start(&l);
		for (uint64_t i = 1; i <= (n == FULL_OF_IT ? 9000 : 3); i++)
			add_to(tape, &one, i);
		reader_init(&r, &d, &l);
		r.tape = tape;
		r.leaving = n == AT_OPEN   ? LEAVES_AT_OPEN
			    : n == AT_WAKE ? LEAVES_AT_WAKE
					   : LEAVES_NEVER;
		if (n == STARTING) {
			on_lane(&l, reader_start_fn, &r);
			on_lane(&l, reader_leave_fn, &r);
		} else {
			reader_start(&r);
		}
		add_to(tape, &one, 10000);
		if (n ==
		    READING_IT) /* the news are taken, and the page is asked for, before it leaves */
			watch_notify(d.run);
		if (n == AT_WAKE) {
			reader_gets(&r, SIZE_MAX);
			watch_notify(d.run);
			desk_settle(&d, &l);
		} else {
			on_lane(&l, tape_notify_and_leave, &r);
		}
		assert_null(r.follow);
		reader_finish(&r);
		tape_release(tape);
		lane_stop(&l);
		desk_close(&d);
	}
}

/* --- leaving --- */

static void start_and_leave(void *arg)
{
	reader_start_fn(arg);
	reader_leave_fn(arg);
}

static void a_reader_may_leave_before_anything_was_read(void **state)
{
	(void)state;
	struct desk   d;
	struct lane   l;
	struct reader r;

	desk_open(&d);
	lane_start(&l);
	reader_init(&r, &d, &l);
	on_lane(&l, start_and_leave, &r);
	desk_settle(&d, &l);
	assert_int_equal(d.reads, 0);
	reader_finish(&r);
	lane_stop(&l);
	desk_close(&d);
}

static void notify_and_leave(void *arg)
{
	struct reader *r = arg;

	watch_notify(r->desk->run);
	reader_leave_fn(arg);
}

static void a_reader_may_leave_in_every_state(void **state)
{
	(void)state;
	static const struct {
		const char *why;
		bool        holds, full, ended, fails;
		size_t      pieces;
	} cases[] = {
		{ "reading the first page", true, false, false, false, 0 },
		{ "waiting", false, false, false, false, 3 },
		{ "full", false, true, false, false, 0 },
		{ "at the end", false, false, true, false, 3 },
		{ "after a failure", false, false, false, true, 3 },
	};

	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		size_t        n = i / 2;
		bool          news = i % 2;
		struct desk   d;
		struct lane   l;
		struct reader r;

		print_message("case: %s%s\n", cases[n].why, news ? ", with news on their way" : "");
		desk_open(&d);
		lane_start(&l);
		d.page_bytes = 1;
		d.holds = cases[n].holds;
		for (size_t p = 0; p < cases[n].pieces; p++)
			desk_put(&d, &one, 1, p + 1);
		if (cases[n].full)
			put_big(&d, 10);
		if (cases[n].ended)
			desk_end(&d, RUN_COMPLETED, 4, STR_NONE);
		reader_init(&r, &d, &l);
		reader_start(&r);
		if (cases[n].fails) {
			d.fails = ERR_STORAGE;
			watch_notify(d.run);
			desk_settle(&d, &l);
		}
		size_t opens = r.opens;
		size_t wakes = r.wakes;
		size_t reads = d.reads;
		on_lane(&l, news ? notify_and_leave : reader_leave_fn, &r);
		if (cases[n].holds)
			assert_true(desk_cancelled(&d));
		desk_answer(&d);
		watch_notify(d.run);
		desk_settle(&d, &l);
		assert_int_equal(r.opens, opens);
		assert_int_equal(r.wakes, wakes);
		assert_int_equal(d.reads, reads);
		reader_finish(&r);
		lane_stop(&l);
		desk_close(&d);
	}
}

static void a_reader_may_leave_from_within_every_callback(void **state)
{
	(void)state;
	static const struct {
		const char  *why;
		enum leaving leaving;
		bool         ended, fails;
	} cases[] = {
		{ "open, while the run goes on", LEAVES_AT_OPEN, false, false },
		{ "open, with more to come", LEAVES_AT_OPEN, true, false },
		{ "wake, while the run goes on", LEAVES_AT_WAKE, false, false },
		{ "wake, at the end", LEAVES_AT_WAKE, true, false },
		{ "wake, as the read failed", LEAVES_AT_WAKE, false, true },
	};

	for (size_t i = 0; i < 3 * ARRAY_LEN(cases); i++) {
		size_t        n = i / 3;
		struct desk   d;
		struct lane   l;
		struct reader r;

		print_message("case: %s, %zu\n", cases[n].why, i % 3);
		desk_open(&d);
		lane_start(&l);
		d.page_bytes = i % 3 == 1 ? 1 : 0;
		desk_put(&d, &one, 1, 1);
		if (cases[n].leaving == LEAVES_AT_OPEN && cases[n].ended)
			desk_put(&d, &one, 1, 2);
		reader_init(&r, &d, &l);
		r.leaving = cases[n].leaving;
		if (cases[n].leaving == LEAVES_AT_OPEN && cases[n].ended)
			desk_end(&d, RUN_COMPLETED, 3, STR_NONE);
		reader_start(&r);
		d.fails = cases[n].fails ? ERR_STORAGE : ERR_OK;
		desk_put(&d, &one, 1, d.piece_count + 1);
		if (cases[n].ended)
			desk_end(&d, RUN_COMPLETED, 9, STR_NONE);
		/* News on their way while it leaves. */
		for (size_t times = 0; times <= i % 3; times++)
			watch_notify(d.run);
		desk_settle(&d, &l);
		assert_null(r.follow);
		reader_finish(&r);
		lane_stop(&l);
		desk_close(&d);
	}
}

/* refuse: from the test's thread, while a reader may be asking. */
static void refuse(struct desk *d, bool on)
{
	pthread_mutex_lock(&d->lock);
	d->refuses = on;
	pthread_mutex_unlock(&d->lock);
}

static void a_stream_that_was_begun_asks_a_full_store_again(void **state)
{
	(void)state;
	for (int leaves = 0; leaves < 2; leaves++) {
		struct desk   d;
		struct lane   l;
		struct reader r;

		desk_open(&d);
		lane_start(&l);
		d.page_bytes = 1;
		put_big(&d, 10);
		reader_init(&r, &d, &l);
		reader_start(&r);
		assert_int_equal(d.reads, 3);
		refuse(&d, true);
		reader_gets_all(&r);
		assert_true(r.got.len > 3 * BIG && r.got.len < 4 * BIG);
		assert_false(r.last);
		refuse(&d, false);
		while (!leaves && r.got.len < 10 * BIG)
			reader_gets_all(&r);
		reader_finish(&r);
		lane_stop(&l);
		desk_close(&d);
	}
}

/* --- many --- */

enum { LANES = 2, READERS = 24, EVENTS = 200 };

struct notifier {
	pthread_t   thread;
	struct id   run;
	atomic_bool done;
};

static void *notify_main(void *arg)
{
	struct notifier *n = arg;

	while (!atomic_load(&n->done)) {
		watch_notify(n->run);
		sched_yield();
	}
	return NULL;
}

static void many_readers_follow_one_run_on_several_loops(void **state)
{
	(void)state;
	static struct desk   d;
	static struct reader r[READERS];
	struct lane          lanes[LANES];
	struct stream        s[2];
	struct notifier      busy = { .run = { 77, 0xabcdef } };

	desk_open(&d);
	for (size_t i = 0; i < LANES; i++)
		lane_start(&lanes[i]);
	for (size_t i = 0; i < 2; i++)
		stream_begin(&s[i], &d, shapes[i]);
	assert_int_equal(pthread_create(&busy.thread, NULL, notify_main, &busy), 0);
	for (uint64_t n = 1; n <= EVENTS; n++) {
		const struct event *ev = n % 7 == 0 ? &rich[11] : &one;

		desk_put(&d, ev, 1, n);
		for (size_t i = 0; i < 2; i++)
			stream_events(&s[i], ev, 1);
		/* They come one after the other, and some leave again. */
		size_t at = (size_t)n / 4;
		if (n % 4 == 0 && at < READERS) {
			reader_init(&r[at], &d, &lanes[at % LANES]);
			r[at].o.shape = shape_of(shapes[at / LANES % 2]);
			r[at].takes = true;
			on_lane(r[at].lane, reader_start_fn, &r[at]);
		}
		if (n % 16 == 8 && at < READERS)
			on_lane(r[at].lane, reader_leave_fn, &r[at]);
	}
	desk_end(&d, RUN_COMPLETED, EVENTS + 1, STR_NONE);
	watch_notify(d.run);
	for (size_t i = 0; i < 2; i++)
		assert_true(s[i].encoder->ops->done(s[i].encoder, EVENTS + 1, &s[i].out));
	atomic_store(&busy.done, true);
	pthread_join(busy.thread, NULL);
	for (size_t i = 0; i < LANES; i++)
		desk_settle(&d, &lanes[i]);
	for (size_t at = 1; at < READERS; at++) {
		if (at % 4 != 2)
			assert_true(str_eq(buf_view(&r[at].got), buf_view(&s[at / LANES % 2].out)));
		reader_finish(&r[at]);
	}
	for (size_t i = 0; i < 2; i++)
		stream_finish(&s[i]);
	for (size_t i = 0; i < LANES; i++)
		lane_stop(&lanes[i]);
	desk_close(&d);
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
		cmocka_unit_test(a_run_that_goes_on_is_waited_for),
		cmocka_unit_test(news_during_a_read_lead_to_one_more),
		cmocka_unit_test(a_reader_that_has_seen_all_of_a_run_that_goes_on_gets_what_comes),
		cmocka_unit_test(every_end_is_told_as_it_was),
		cmocka_unit_test(an_end_without_an_error_to_read_is_a_failure),
		cmocka_unit_test(an_answer_that_was_never_logged_is_told_as_a_stream),
		cmocka_unit_test(what_can_not_be_read_is_said_instead_of_a_stream),
		cmocka_unit_test(a_stream_that_was_begun_ends_without_its_last_block),
		cmocka_unit_test(a_gap_in_the_log_is_no_stream),
		cmocka_unit_test(a_slow_reader_is_read_for_no_further),
		cmocka_unit_test(a_slow_reader_of_a_run_that_goes_on_is_read_for_no_further_either),
		cmocka_unit_test(bytes_may_be_taken_in_any_portions),
		cmocka_unit_test(small_events_fill_a_reader_no_further_than_large_ones),
		cmocka_unit_test(a_tape_is_read_as_a_log_is),
		cmocka_unit_test(a_tape_that_goes_on_is_waited_for),
		cmocka_unit_test(a_reader_may_leave_a_tape_at_any_time),
		cmocka_unit_test(a_reader_may_leave_before_anything_was_read),
		cmocka_unit_test(a_reader_may_leave_in_every_state),
		cmocka_unit_test(a_reader_may_leave_from_within_every_callback),
		cmocka_unit_test(a_stream_that_was_begun_asks_a_full_store_again),
		cmocka_unit_test(many_readers_follow_one_run_on_several_loops),
	};

	return cmocka_run_group_tests_name("run/follow", tests, NULL, NULL);
}
