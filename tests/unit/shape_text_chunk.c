/* Completions of a prompt: a provider's own bytes as they are, and what stands in their place where a
 * stage has taken them out. */
#include "base/limits.h"
#include "shape/encoders.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define RAW "{\"their\": \"own\"}"
#define HEAD                                                            \
	"{\"id\":\"cmpl-00000000000000010000000000000002\","            \
	"\"object\":\"text_completion\",\"created\":7,\"model\":\"m\"," \
	"\"choices\":["
#define CHOICE(text, index, reason)                                                              \
	"{\"text\":\"" text "\",\"index\":" index ",\"logprobs\":null,\"finish_reason\":" reason \
	"}]"
#define USAGE                                                                        \
	"\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2,\"total_tokens\":5," \
	"\"prompt_tokens_details\":{\"cached_tokens\":0},"                           \
	"\"completion_tokens_details\":{\"reasoning_tokens\":0}}"

#define USED                                     \
	{                                        \
		.known = true, .in = 3, .out = 2 \
	}

static const struct usage used = USED;

static struct encoder *make(bool want_usage)
{
	struct encoder *n = text_chunk_create_raw(&(struct encoder_about){
		.run = { 1, 2 }, .model = STR("m"), .created_s = 7, .want_usage = want_usage });

	assert_non_null(n);
	return n;
}

static void events_are_theirs_or_made(void **state)
{
	(void)state;
	static const struct {
		struct event ev;
		bool         want_usage;
		const char  *want;
	} cases[] = {
		{ { .kind = EVENT_TEXT,
		    .text = { "a", sizeof("a") - 1 },
		    .raw = { RAW, sizeof(RAW) - 1 } },
		  false,
		  "data: " RAW "\n\n" },
		/* The text is in the chunk of an earlier event. */
		{ { .kind = EVENT_TEXT, .text = { "a", sizeof("a") - 1 }, .cont = true },
		  false,
		  "" },
		{ { .kind = EVENT_TEXT, .text = { "a\\n", sizeof("a\\n") - 1 } },
		  false,
		  "data: " HEAD CHOICE("a\\n", "0", "null") "}\n\n" },
		{ { .kind = EVENT_TEXT, .choice = 12, .text = { "a", sizeof("a") - 1 } },
		  false,
		  "data: " HEAD CHOICE("a", "12", "null") "}\n\n" },
		{ { .kind = EVENT_FINISH, .choice = 1, .text = { "length", sizeof("length") - 1 } },
		  false,
		  "data: " HEAD CHOICE("", "1", "\"length\"") "}\n\n" },
		{ { .kind = EVENT_USAGE, .usage = USED }, false, "" },
		{ { .kind = EVENT_USAGE,
		    .usage = USED,
		    .raw = { RAW, sizeof(RAW) - 1 },
		    .raw_only_usage = true },
		  false,
		  "" },
		{ { .kind = EVENT_USAGE, .usage = USED }, true, "data: " HEAD "]," USAGE "}\n\n" },
		{ { .kind = EVENT_OTHER }, false, "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct encoder *n = make(cases[i].want_usage);
		struct buf      out;

		buf_init(&out, KIB);
		assert_true(n->ops->event(n, &cases[i].ev, 1, &out));
		assert_true(buf_add(&out, "", 1));
		assert_string_equal(out.data, cases[i].want);
		buf_finish(&out);
		encoder_destroy(n);
	}
}

static void a_whole_answer_is_theirs_or_made(void **state)
{
	(void)state;
	static const struct {
		struct encoder_whole whole;
		const char          *want;
	} cases[] = {
		{ { .raw = { RAW, sizeof(RAW) - 1 },
		    .text = { "a", sizeof("a") - 1 },
		    .usage = &used },
		  RAW },
		{ { .text = { "a\\\"b", sizeof("a\\\"b") - 1 },
		    .finish_reason = { "stop", sizeof("stop") - 1 },
		    .usage = &used },
		  HEAD CHOICE("a\\\"b", "0", "\"stop\"") "," USAGE "}" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct encoder *n = make(false);
		struct buf      out;

		buf_init(&out, KIB);
		assert_true(n->ops->whole(n, &cases[i].whole, &out));
		assert_true(buf_add(&out, "", 1));
		assert_string_equal(out.data, cases[i].want);
		buf_finish(&out);
		encoder_destroy(n);
	}
}

/* A full buffer leaves no half of a block behind. */
static void no_block_is_half_printed(void **state)
{
	(void)state;
	const struct event events[] = { { .kind = EVENT_TEXT, .text = STR("some") },
					{ .kind = EVENT_TEXT, .raw = STR(RAW) } };

	for (size_t i = 0; i < ARRAY_LEN(events); i++)
		for (size_t max = 0; max < 20; max++) {
			struct encoder *n = make(false);
			struct buf      out;

			buf_init(&out, max);
			assert_false(n->ops->event(n, &events[i], 1, &out));
			assert_int_equal(out.len, 0);
			buf_finish(&out);
			encoder_destroy(n);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_theirs_or_made),
		cmocka_unit_test(a_whole_answer_is_theirs_or_made),
		cmocka_unit_test(no_block_is_half_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
