/* The families' const structs: what every one of them must have, and how shapes are found. */
#include "base/err.h"
#include "base/limits.h"
#include "json/scan.h"
#include "schema/schema.h"
#include "shape/encoders.h"
#include "shape/encoder.h"
#include "shape/family.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct family *const families[] = { &family_chat,     &family_completions,
						 &family_messages, &family_responses,
						 &family_text,     &family_rebyte,
						 &family_gemini,   &family_ollama };

static void every_shape_is_stored_under_a_word_of_its_own(void **state)
{
	(void)state;
	static const char *const words[] = { SHAPE_WORDS };
	size_t                   found[ARRAY_LEN(words)] = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(families); i++)
		for (const struct shape *s = families[i]->shapes; s->word; s++)
			for (size_t n = 0; n < ARRAY_LEN(words); n++)
				found[n] += strcmp(words[n], s->word) == 0;
	for (size_t n = 0; n < ARRAY_LEN(words); n++)
		assert_int_equal(found[n], 1);
}

static void every_shape_has_an_encoder(void **state)
{
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(families); i++)
		for (const struct shape *s = families[i]->shapes; s->word; s++) {
			struct encoder *n = s->encoder(&(struct encoder_about){ .run = { 1, 2 } });

			assert_non_null(n);
			encoder_destroy(n);
		}
}

static void every_family_says_what_was_refused(void **state)
{
	(void)state;
	struct err e;

	err_set(&e, ERR_MISSING_API_KEY, "x", "no key");
	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		struct buf out;

		assert_non_null(families[i]->run_id);
		assert_non_null(families[i]->framing);
		buf_init(&out, KIB);
		assert_true(families[i]->error(&e, STR("req_1"), &out));
		assert_non_null(memmem(out.data, out.len, "\"x: no key\"", 11));
		/* Ollama's clients know the text alone. */
		assert_true(families[i] == &family_ollama ||
			    memmem(out.data, out.len, "\"req_1\"", 7));
		assert_int_equal(out.data[out.len - 1], '\n');
		buf_finish(&out);
		buf_init(&out, 8);
		assert_false(families[i]->error(&e, STR("req_1"), &out));
		buf_finish(&out);
	}
}

static void a_request_has_room_for_a_family_s_headers(void **state)
{
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		size_t n = 0;

		while (families[i]->headers && families[i]->headers[n])
			n++;
		assert_true(n <= FAMILY_HEADERS);
	}
}

static void a_shape_is_found_by_its_word_and_by_its_name(void **state)
{
	(void)state;
	const struct family *f = &family_chat;
	const struct shape  *lmc = family_shape(f, STR(SHAPE_LMC));

	assert_string_equal(lmc->word, SHAPE_LMC);
	assert_ptr_equal(family_shape(f, STR(SHAPE_NATIVE)), f->shapes);
	/* Runs of others, and rows from before there were words, are shown as usual. */
	assert_ptr_equal(family_shape(f, STR(SHAPE_OPENAI)), f->shapes);
	assert_ptr_equal(family_shape(f, STR_NONE), f->shapes);
	assert_ptr_equal(family_format(f, STR("lmc")), lmc);
	assert_ptr_equal(family_format(f, STR("openai")), f->shapes);
	for (size_t i = 0; chat_formats[i]; i++)
		assert_non_null(family_format(f, str_of(chat_formats[i])));
	assert_null(family_format(f, STR("native")));
	assert_null(family_format(&family_completions, STR("lmc")));
}

/* A reader that comes again needs both: blocks that say their number, and somebody who reads it.
 * OpenAI's clients can't read the line `id:`; the number stands in the data. */
static void blocks_have_numbers_where_a_cursor_is_read(void **state)
{
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(families); i++)
		for (const struct shape *s = families[i]->shapes; s->word; s++) {
			struct encoder *n = s->encoder(&(struct encoder_about){ .run = { 1, 2 } });
			struct buf      out;

			assert_non_null(n);
			buf_init(&out, 8 * KIB);
			assert_true(n->ops->done(n, 7, &out));
			assert_int_equal(
				str_starts(buf_view(&out), STR("id: 7\n")) ||
					(out.len > 0 &&
					 memmem(out.data, out.len, "\"sequence_number\":", 18)),
				families[i]->cursor != NULL);
			encoder_destroy(n);
			buf_finish(&out);
		}
}

static void a_block_that_was_seen_is_not_printed_again(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *why;
		struct cursor seen;
		bool printed;
	} cases[] = {
		{ "nothing was seen", { 0, 0 }, true },
		{ "nor is a part of nothing", { 0, 9 }, true },
		{ "the one before", { 6, 5 }, true },
		{ "itself", { 7, 0 }, false },
		{ "a later one of the same event", { 7, 1 }, false },
		{ "a later event", { 8, 0 }, false },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (const struct shape *s = family_chat.shapes; s->word; s++) {
			struct encoder *n = s->encoder(
				&(struct encoder_about){ .run = { 1, 2 }, .seen = cases[i].seen });
			struct buf out;

			print_message("case: %s, %s\n", cases[i].why, s->word);
			assert_non_null(n);
			buf_init(&out, KIB);
			assert_true(buf_text(&out, "kept"));
			assert_true(n->ops->done(n, 7, &out));
			assert_int_equal(out.len > 4, cases[i].printed);
			assert_true(str_starts(buf_view(&out), STR("kept")));
			encoder_destroy(n);
			buf_finish(&out);
		}
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

/* A framing of the test's own: the body is one JSON array. */
static const struct framing array = { .open = array_open, .end = array_end };

static void every_encoder_prints_in_any_framing(void **state)
{
	static const struct event events[] = {
		{ .kind = EVENT_START, .id = { "up-1", 4 }, .text = { "tiny", 4 } },
		{ .kind = EVENT_REASONING, .text = { "hm", 2 } },
		{ .kind = EVENT_TEXT, .text = { "a", 1 } },
		{ .kind = EVENT_TEXT, .text = { "b", 1 } },
		{ .kind = EVENT_TOOL_START, .block = 1, .id = { "c1", 2 }, .name = { "f", 1 } },
		{ .kind = EVENT_TOOL_ARGS, .block = 1, .text = { "{}", 2 } },
		{ .kind = EVENT_BLOCK_END, .block = 1 },
		{ .kind = EVENT_FINISH, .text = { "tool_calls", 10 } },
	};
	struct json_doc doc = { 0 };
	struct err      e, failure;

	(void)state;
	err_set(&failure, ERR_INTERNAL, "", "no more");
	for (size_t i = 0; i < 2 * ARRAY_LEN(families); i++)
		for (const struct shape *s = families[i / 2]->shapes; s->word; s++) {
			struct encoder *n = s->encoder(&(struct encoder_about){
				.framing = &array, .run = { 1, 2 }, .model = STR("tiny") });
			struct buf      out;

			print_message("case: %s, %s\n", s->word, i % 2 ? "fails" : "ends");
			assert_non_null(n);
			if (n->vectors) { /* embeddings have no streams */
				encoder_destroy(n);
				continue;
			}
			buf_init(&out, 64 * KIB);
			for (size_t k = 0; k < ARRAY_LEN(events); k++)
				assert_true(n->ops->event(n, &events[k], 2 + k, &out));
			assert_true(i % 2 ? n->ops->error(n, &failure, STR("req_1"), 99, &out)
					  : n->ops->done(n, 99, &out));
			assert_int_equal(
				json_scan(&doc, out.data, out.len, &json_limits_stored, &e),
				ERR_OK);
			assert_int_equal(json_kind(&doc, 0), JSON_ARRAY);
			/* The provider's own objects, of which there are none here, are all that it prints. */
			assert_true(doc.tok[0].count >= 3 || strcmp(s->word, "text_raw") == 0);
			encoder_destroy(n);
			buf_finish(&out);
		}
	json_doc_finish(&doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shape_is_stored_under_a_word_of_its_own),
		cmocka_unit_test(every_shape_has_an_encoder),
		cmocka_unit_test(every_family_says_what_was_refused),
		cmocka_unit_test(a_request_has_room_for_a_family_s_headers),
		cmocka_unit_test(a_shape_is_found_by_its_word_and_by_its_name),
		cmocka_unit_test(blocks_have_numbers_where_a_cursor_is_read),
		cmocka_unit_test(a_block_that_was_seen_is_not_printed_again),
		cmocka_unit_test(every_encoder_prints_in_any_framing),
	};

	return cmocka_run_group_tests_name("shape/family", tests, NULL, NULL);
}
