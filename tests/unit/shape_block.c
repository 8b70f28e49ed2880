/* Blocks in framings: server-sent events, and two that no family has: a value a line, and an array. */
#include "shape/encoders.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool line_open(const struct blocks *b, struct str name, struct buf *out)
{
	(void)b;
	(void)name;
	return buf_text(out, "");
}

static bool array_open(const struct blocks *b, struct str name, struct buf *out)
{
	(void)name;
	return buf_text(out, b->begun ? "," : "[");
}

static bool array_end(struct blocks *b, bool failed, struct buf *out)
{
	(void)failed;
	return buf_text(out, b->begun ? "]" : "[]");
}

static const struct framing lines = {
	"application/x-ndjson", { "\n", 1 }, line_open, { "\n", 1 }, NULL, { 0 }
};
static const struct framing array = {
	"application/json", { 0 }, array_open, { 0 }, array_end, { 0 }
};

static bool print_block(struct blocks *b, uint64_t seq, const char *json, struct buf *out)
{
	block_event(b, seq);
	return block_open(b, STR_NONE, out) && buf_text(out, json) && block_close(b, out);
}

static void a_framing_says_how_blocks_stand_in_a_body(void **state)
{
	static const struct {
		const struct framing *framing;
		size_t                blocks;
		bool                  failed;
		const char           *want;
	} cases[] = {
		{ &framing_plain, 2, false, "data: {}\n\ndata: {}\n\ndata: [DONE]\n\n" },
		{ &framing_events, 2, false,
		  "id: 1\ndata: {}\n\nid: 2\ndata: {}\n\nid: 9\nevent: done\ndata: [DONE]\n\n" },
		{ &framing_plain, 0, false, "data: [DONE]\n\n" },
		{ &framing_plain, 1, true, "data: {}\n\ndata: {\"error\":" },
		{ &framing_events, 0, true, "id: 9\nevent: error\ndata: {\"error\":" },
		{ &lines, 2, false, "{}\n{}\n" },
		{ &lines, 1, false, "{}\n" },
		{ &lines, 0, false, "" },
		{ &lines, 1, true, "{}\n{\"error\":" },
		{ &array, 2, false, "[{},{}]" },
		{ &array, 0, false, "[]" },
		{ &array, 1, true, "[{},{\"error\":" },
		{ &array, 0, true, "[{\"error\":" },
	};
	struct err e;

	(void)state;
	err_set(&e, ERR_INTERNAL, "", "no more");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char   *end = cases[i].framing == &array ? "}}]" : "}}";
		struct blocks b = { .framing = cases[i].framing };
		struct buf    out;

		print_message("case: %zu\n", i);
		buf_init(&out, 1024);
		for (size_t n = 0; n < cases[i].blocks; n++)
			assert_true(print_block(&b, n + 1, "{}", &out));
		if (cases[i].failed)
			assert_true(block_error(&b, &e, STR("req_1"), 9, &out));
		else
			assert_true(block_done(&b, 9, &out));
		if (cases[i].failed) {
			assert_true(str_starts(buf_view(&out), str_of(cases[i].want)));
			assert_non_null(memmem(out.data, out.len, end, strlen(end)));
		} else {
			assert_true(str_is(buf_view(&out), cases[i].want));
		}
		buf_finish(&out);
	}
}

static void blocks_that_were_seen_begin_nothing(void **state)
{
	struct blocks b = { .framing = &array, .seen = { 2, 0 } };
	struct buf    out;

	(void)state;
	buf_init(&out, 64);
	for (uint64_t seq = 1; seq <= 4; seq++)
		assert_true(print_block(&b, seq, "{}", &out));
	assert_true(block_done(&b, 5, &out));
	assert_true(str_is(buf_view(&out), "[{},{}]"));
	buf_finish(&out);
}

static void an_end_for_which_there_is_no_room_leaves_nothing(void **state)
{
	static const struct framing *const framings[] = { &framing_events, &array };
	struct err                         e;

	(void)state;
	err_set(&e, ERR_INTERNAL, "", "no more");
	for (size_t i = 0; i < ARRAY_LEN(framings); i++)
		for (size_t room = 0; room < 2; room++) {
			struct blocks b = { .framing = framings[i] };
			struct buf    out;

			buf_init(&out, room);
			assert_false(block_done(&b, 1, &out));
			assert_int_equal(out.len, 0);
			assert_false(block_error(&b, &e, STR("req_1"), 1, &out));
			assert_int_equal(out.len, 0);
			buf_finish(&out);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_framing_says_how_blocks_stand_in_a_body),
		cmocka_unit_test(blocks_that_were_seen_begin_nothing),
		cmocka_unit_test(an_end_for_which_there_is_no_room_leaves_nothing),
	};

	return cmocka_run_group_tests_name("shape/block", tests, NULL, NULL);
}
