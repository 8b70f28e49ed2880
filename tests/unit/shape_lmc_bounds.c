/* Answers in LMC's shape at their limits, without room, and cut anywhere. */
#include "tests/unit/shape_lmc_help.h"

/* --- limits --- */

/* What a provider says is more than may be held: the stream fails and says so. */
static void an_answer_with_too_many_calls_still_gets_its_error(void **state)
{
	(void)state;
	struct stream s;
	struct seen   v;
	struct event  call = CALL(0, "python");
	struct event  args = ARGS(0, "x");

	stream_begin(&s, true, 64 * MIB);
	assert_true(give(&s, &(struct event)TEXT("Look: ")));
	assert_true(give(&s, &call));
	assert_true(give(&s, &args));
	for (call.block = 1; call.block < LIMIT_TOOLS; call.block++)
		assert_true(give(&s, &call));
	assert_false(give(&s, &call));
	assert_false(give(&s, &(struct event)TEXT("a")));
	assert_true(give_error(&s));
	see(&v, buf_view(&s.out));
	assert_text(&v.text,
		    "\"role\":\"assistant\",\"type\":\"message\",<Look: >\n"
		    "\"role\":\"assistant\",\"type\":\"code\",\"format\":\"python\",<x>\n");
	assert_int_equal(v.confirmations, 0);
	assert_int_equal(v.last, 1);
	seen_finish(&v);
	stream_finish(&s);
}

/* --- held text that is long --- */

enum { LONG_CODE = 300 * KIB };

/* put_expected: the blocks of one call whose code is LONG_CODE times x, numbered as the third event's. */
static void put_expected(struct buf *out, const char *code)
{
	assert_true(buf_text(
		out, START("3", C("python")) "id: 3.1\ndata: " C("python") ",\"content\":\""));
	assert_true(buf_text(out, code));
	assert_true(buf_text(
		out,
		"\"}\n\n" ENDS(
			"3.2",
			C("python")) "id: 3.3\ndata: {\"role\":\"computer\","
				     "\"type\":\"confirmation\",\"format\":\"execution\",\"content\":"
				     "{\"type\":\"code\",\"format\":\"python\",\"content\":\""));
	assert_true(buf_text(out, code));
	assert_true(buf_text(out, "\"}}\n\n"));
}

/* give_long: a later call with long code, the end of the turn, and what counts no more behind that. */
static void give_long(struct stream *s, const char *code)
{
	const struct event events[] = {
		CALL(1, "python"),
		{ .kind = EVENT_TOOL_ARGS, .block = 1, .text = str_of(code) },
		FINISH("tool_calls"),
		TEXT("no more"),
		PICTURE("{\"type\":\"image_url\",\"image_url\":{\"url\":"
			"\"data:image/png;base64,AA==\"}}")
	};

	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		assert_true(give(s, &events[i]));
		assert_int_equal(s->n->rests, i >= 2);
	}
	assert_int_equal(s->out.len, 0);
}

static void long_held_text_is_put_off_for_a_worker(void **state)
{
	static char code[LONG_CODE + 1];
	(void)state;

	memset(code, 'x', LONG_CODE);
	/* Whether a worker prints it or the end does, the bytes are the same. */
	for (unsigned way = 0; way < 4; way++) {
		bool          worker = way & 1;
		bool          fails = way & 2;
		struct stream s;
		struct buf    expected;

		stream_begin(&s, true, 4 * MIB);
		give_long(&s, code);
		buf_init(&expected, 4 * MIB);
		put_expected(&expected, code);
		if (worker) {
			assert_true(s.n->ops->rest(s.n, &s.out));
			assert_false(s.n->rests);
			assert_true(str_eq(buf_view(&s.out), buf_view(&expected)));
			assert_true(s.n->ops->rest(s.n, &s.out)); /* once is enough */
		}
		assert_true(fails ? give_error(&s) : give_done(&s));
		assert_true(buf_text(&expected,
				     fails ? FAILED("6") LAST("6.1", "error", "") : DONE("6")));
		assert_true(str_eq(buf_view(&s.out), buf_view(&expected)));
		buf_finish(&expected);
		stream_finish(&s);
	}
}

static void long_text_without_room_loses_no_end(void **state)
{
	static char   code[LONG_CODE + 1];
	struct stream s;
	struct buf    little;
	(void)state;

	memset(code, 'x', LONG_CODE);
	stream_begin(&s, true, 4 * MIB);
	give_long(&s, code);
	buf_init(&little, LONG_CODE);
	assert_false(s.n->ops->rest(s.n, &little));
	assert_true(str_is(buf_view(&little), START("3", C("python")))); /* no half block */
	buf_finish(&little);
	assert_true(give_error(&s));
	assert_true(str_is(buf_view(&s.out),
			   ENDS("6", C("python")) FAILED("6.1") LAST("6.2", "error", "")));
	stream_finish(&s);
}

static const struct event mixed[] = {
	TEXT("a\\n```py\\nx\\n```\\nb "),
	TEXT("c \\u00e9\\ud83d"),
	REASONING("hm"),
	CALL(0, "execute"),
	ARGS(0, "{\\\"language\\\":\\\"sh\\\",\\\"code\\\":\\\"l"),
	ARGS(0, "s\\\"}"),
	CALL(1, "f"),
	ARGS(1, "{}"),
	FINISH("length"),
};

static const struct event of_lmc[] = {
	CHUNK(M ",\"start\":true}"),
	CHUNK(M ",\"content\":\"a\"}"),
	CHUNK(M ",\"end\":true}"),
	CHUNK(CONSOLE ",\"start\":true}"),
	CHUNK(CONSOLE ",\"content\":\"b\"}"),
	CHUNK(CONSOLE ",\"end\":true}"),
	FINISH("stop"),
};

/* whole_blocks: out ends where a block does. */
static bool whole_blocks(struct str out)
{
	return out.n == 0 || (out.n > 2 && memcmp(out.p + out.n - 2, "\n\n", 2) == 0);
}

static void fill(struct stream *s, const struct event *events, size_t count)
{
	bool ok = true;

	for (size_t i = 0; ok && i < count; i++)
		ok = give(s, &events[i]);
	if (ok)
		assert_false(give_done(s));
}

/* For each size of out: what went out is the beginning of what would have, in whole blocks, and the
 * error that follows ends what is open. */
static void check_full(const struct event *events, size_t count)
{
	struct stream all;

	stream_begin(&all, true, 64 * MIB);
	for (size_t i = 0; i < count; i++)
		assert_true(give(&all, &events[i]));
	assert_true(give_done(&all));
	for (size_t max = 0; max < all.out.len; max++) {
		struct stream s;
		struct seen   v;

		stream_begin(&s, true, max);
		fill(&s, events, count);
		assert_true(whole_blocks(buf_view(&s.out)));
		assert_true(str_starts(buf_view(&all.out), buf_view(&s.out)));
		assert_false(give_error(&s));
		assert_true(whole_blocks(buf_view(&s.out)));
		stream_finish(&s);

		/* Read meanwhile, as a client does. */
		stream_begin(&s, true, max);
		fill(&s, events, count);
		s.out.max = 64 * MIB;
		assert_true(give_error(&s));
		see(&v, buf_view(&s.out));
		assert_int_equal(v.last, 1);
		seen_finish(&v);
		stream_finish(&s);
	}
	stream_finish(&all);
}

static void a_block_is_never_half_printed(void **state)
{
	(void)state;
	check_full(mixed, ARRAY_LEN(mixed));
	check_full(of_lmc, ARRAY_LEN(of_lmc));
}

/* --- any cut gives the same messages --- */

/* Pieces of escaped text that no event cuts. */
static const char *const atoms[] = {
	"`",
	"```",
	"````",
	"\\n",
	"\\r",
	" ",
	"\\t",
	"a",
	"py",
	"\\ud83d",
	"\\ude00",
	"\xc3\xa9",
	"\xf0\x9f\x98\x80",
	"\\\"",
	"\\\\",
	"{",
	"}",
	"\\\"code\\\":\\\"",
	"\\\"language\\\":\\\"",
	"<safe>",
	"</safe>",
	"\\u0000",
	"\\ud83d\\ude00",
	"\xed\x95\x9c",
};

enum { STEPS = 8, ATOMS = 14 };

/* One thing that the model does; its text is cut in the ways that are tried. */
struct step {
	enum event_kind kind;
	uint32_t        block;
	size_t          count;
	const char     *text[ATOMS];
};

static void make_steps(struct step steps[STEPS], unsigned *seed)
{
	static const enum event_kind kinds[] = {
		EVENT_TEXT,       EVENT_TEXT,      EVENT_REFUSAL,
		EVENT_TOOL_START, EVENT_TOOL_ARGS, EVENT_TOOL_ARGS
	};
	static const char *const names[] = { "python", "execute", "f", "exe" };

	for (size_t i = 0; i < STEPS; i++) {
		struct step *t = &steps[i];

		*t = (struct step){ .kind = kinds[chance(seed, ARRAY_LEN(kinds))],
				    .block = chance(seed, 2) };
		if (t->kind == EVENT_TOOL_START) {
			t->text[t->count++] = names[chance(seed, ARRAY_LEN(names))];
			continue;
		}
		if (t->kind == EVENT_TOOL_ARGS && chance(seed, 2))
			t->text[t->count++] = "{\\\"code\\\":\\\"";
		for (size_t n = 1 + chance(seed, ATOMS - 1); t->count < n;)
			t->text[t->count++] = atoms[chance(seed, ARRAY_LEN(atoms))];
	}
}

/* give_steps: each step in pieces of up to most atoms. */
static void give_steps(struct stream *s, const struct step steps[STEPS], unsigned *seed,
		       unsigned most)
{
	for (size_t i = 0; i < STEPS; i++) {
		for (size_t at = 0; at < steps[i].count;) {
			struct event ev = { .kind = steps[i].kind, .block = steps[i].block };
			size_t       n = 1 + chance(seed, most);
			struct buf   text;

			buf_init(&text, KIB);
			for (; n > 0 && at < steps[i].count; n--)
				assert_true(buf_text(&text, steps[i].text[at++]));
			*(ev.kind == EVENT_TOOL_START ? &ev.name : &ev.text) = buf_view(&text);
			assert_true(give(s, &ev));
			buf_finish(&text);
		}
	}
}

static void any_cut_gives_the_same_messages(void **state)
{
	(void)state;
	unsigned seed = 7;

	for (int round = 0; round < 3000; round++) {
		struct step   steps[STEPS];
		struct stream whole, cut;
		struct seen   one, other;
		bool          fences = chance(&seed, 4) != 0;
		bool          fails = chance(&seed, 4) == 0;

		make_steps(steps, &seed);
		stream_begin(&whole, fences, 64 * MIB);
		stream_begin(&cut, fences, 64 * MIB);
		/* Nearly always more than a step has. */
		give_steps(&whole, steps, &(unsigned){ 1 }, ATOMS * 1000u);
		give_steps(&cut, steps, &seed, 1 + chance(&seed, 3));
		assert_true(fails ? give_error(&whole) && give_error(&cut)
				  : give_done(&whole) && give_done(&cut));
		see(&one, buf_view(&whole.out));
		see(&other, buf_view(&cut.out));
		if (!str_eq(buf_view(&one.text), buf_view(&other.text)))
			fail_msg("round %d: %.*s\nis not %.*s", round,
				 STR_ARG(buf_view(&whole.out)), STR_ARG(buf_view(&cut.out)));
		assert_int_equal(one.confirmations, other.confirmations);
		if (!fails)
			assert_int_equal(one.confirmations, one.codes);
		assert_int_equal(whole.warnings.count, cut.warnings.count);
		seen_finish(&one);
		seen_finish(&other);
		stream_finish(&whole);
		stream_finish(&cut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_with_too_many_calls_still_gets_its_error),
		cmocka_unit_test(long_held_text_is_put_off_for_a_worker),
		cmocka_unit_test(long_text_without_room_loses_no_end),
		cmocka_unit_test(a_block_is_never_half_printed),
		cmocka_unit_test(any_cut_gives_the_same_messages),
	};

	return cmocka_run_group_tests_name("lmc/bounds", tests, NULL, NULL);
}
