/* Streams whose clients read each piece alone: long calls wait for a worker, and characters come whole. */
#include "base/limits.h"
#include "shape/encoder.h"
#include "shape/encoders.h"
#include "shape/family.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { LONG_TEXT = 300 * KIB };

static const struct {
	const char *name;
	struct encoder *(*create)(const struct encoder_about *about);
	const struct family *family;
} shapes[] = {
	{ "gemini", gemini_stream_create, &family_gemini },
	{ "ollama", ollama_stream_create, &family_ollama },
};

static struct encoder *piece_encoder(size_t shape)
{
	struct encoder *n = shapes[shape].create(
		&(struct encoder_about){ .run = { 1, 2 },
					 .model = STR("tiny"),
					 .settings = STR(GEMINI_THOUGHTS),
					 .framing = shapes[shape].family->framing });

	assert_non_null(n);
	return n;
}

/* piece_places: where words stand in the output, which has each of them once, in their order; else it fails. */
static void piece_places(const struct buf *out, const char *const *words)
{
	const char *at = out->data;

	for (; *words; words++) {
		const char *found = strstr(at, *words);

		print_message("word: %s\n", *words);
		assert_non_null(found);
		at = found + strlen(*words);
		assert_null(strstr(at, *words));
	}
}

/* long_events: two calls, the first of them long; it ends before a text comes, or with the answer. */
static void long_events(struct encoder *n, bool ended, bool finishes, const char *args,
			struct buf *out)
{
	const struct event events[] = {
		{ .kind = EVENT_TOOL_START, .block = 1, .id = STR("c1"), .name = STR("f") },
		{ .kind = EVENT_TOOL_ARGS, .block = 1, .text = str_of(args) },
		{ .kind = EVENT_TOOL_START, .block = 2, .id = STR("c2"), .name = STR("g") },
		{ .kind = EVENT_BLOCK_END, .block = ended ? 1 : 9 },
		{ .kind = EVENT_BLOCK_END, .block = ended ? 2 : 9 },
		{ .kind = EVENT_TEXT, .text = STR("said") },
		{ .kind = EVENT_FINISH, .text = STR("tool_calls") },
	};

	for (size_t i = 0; i < ARRAY_LEN(events) - !finishes; i++)
		assert_true(n->ops->event(n, &events[i], 1 + i, out));
	assert_true(out->len < KIB);
	assert_int_equal(n->rests, finishes);
}

static void long_calls_are_put_off_for_a_worker(void **state)
{
	static const char  front[] = "{\\\"a\\\":\\\"";
	static char        args[LONG_TEXT + 64];
	const char *const  calls[] = { "said", "c1", "{\"a\":\"xxx", "c2", NULL };
	static const char *none[] = { "said", NULL };
	(void)state;

	memset(args, 'x', LONG_TEXT);
	memcpy(args, front, strlen(front));
	memcpy(args + LONG_TEXT, "\\\"}", sizeof "\\\"}");
	for (size_t i = 0; i < ARRAY_LEN(shapes) * 16; i++) {
		struct encoder *n = piece_encoder(i / 16);
		bool            ended = i & 1, finishes = i & 2, worker = i & 4, fails = i & 8;
		bool            whole = ended || finishes || !fails;
		struct err      e;
		struct buf      out;

		print_message("%s, ended %d, finish %d, worker %d, fails %d\n", shapes[i / 16].name,
			      ended, finishes, worker, fails);
		buf_init(&out, 4 * MIB);
		long_events(n, ended, finishes, args, &out);
		if (worker) {
			encoder_over(n, fails);
			assert_int_equal(n->rests, whole);
			assert_true(n->ops->rest(n, &out));
			assert_false(n->rests);
			assert_int_equal(out.len > LONG_TEXT, whole);
		}
		err_set(&e, ERR_INTERNAL, "", "it failed");
		assert_true(fails ? n->ops->error(n, &e, STR_NONE, 9, &out)
				  : n->ops->done(n, 9, &out));
		assert_true(buf_add(&out, "", 1));
		piece_places(&out, whole ? calls : none);
		assert_int_equal(strstr(out.data, "it failed") != NULL, fails);
		encoder_destroy(n);
		buf_finish(&out);
	}
}

static void long_calls_without_room_lose_no_end(void **state)
{
	static char args[LONG_TEXT + 1];
	(void)state;

	memset(args, 'x', LONG_TEXT);
	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		struct encoder *n = piece_encoder(i);
		struct err      e;
		struct buf      out;

		buf_init(&out, LONG_TEXT);
		long_events(n, true, true, args, &out);
		size_t said = out.len;
		assert_false(n->ops->rest(n, &out));
		assert_int_equal(out.len, said);
		err_set(&e, ERR_INTERNAL, "", "it failed");
		assert_true(n->ops->error(n, &e, STR_NONE, 9, &out) && buf_add(&out, "", 1));
		assert_non_null(strstr(out.data, "it failed"));
		encoder_destroy(n);
		buf_finish(&out);
	}
}

static void characters_come_whole(void **state)
{
	static const char *const pieces[] = { "a\\ud83d", "\\ude00b", "\\\\ud83d", "\\uD83D",
					      "\\uDE00",  "\\ud83d",  "c",         "\\ud83d" };
	static const char *const words[] = { "\"a\"",
					     "\"\\ud83d\\ude00b\"",
					     "\"\\\\ud83d\"",
					     "\"\\uD83D\\uDE00\"",
					     "\""
					     "\xef\xbf\xbd"
					     "c\"",
					     "\""
					     "\xef\xbf\xbd"
					     "\"",
					     NULL };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(shapes) * 2; i++) {
		struct encoder *n = piece_encoder(i / 2);
		struct buf      out;

		buf_init(&out, 16 * KIB);
		for (size_t k = 0; k < ARRAY_LEN(pieces); k++) {
			struct event ev = { .kind = i % 2 ? EVENT_REASONING : EVENT_TEXT,
					    .text = str_of(pieces[k]) };

			assert_true(n->ops->event(n, &ev, 1 + k, &out));
		}
		assert_true(n->ops->done(n, 99, &out) && buf_add(&out, "", 1));
		piece_places(&out, words);
		encoder_destroy(n);
		buf_finish(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_calls_are_put_off_for_a_worker),
		cmocka_unit_test(long_calls_without_room_lose_no_end),
		cmocka_unit_test(characters_come_whole),
	};

	return cmocka_run_group_tests_name("shape/piece", tests, NULL, NULL);
}
