/* Ollama's lines: the pieces of a stream, calls that come whole, errors, and whole answers. */
#include "base/limits.h"
#include "shape/encoder.h"
#include "shape/encoders.h"
#include "shape/family.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define HEAD    "{\"model\":\"tiny\",\"created_at\":\"0-0-0T0:0:0.0Z\","
#define CHAT(m) HEAD "\"message\":{\"role\":\"assistant\",\"content\":" m "}"
#define MORE    ",\"done\":false}\n"
#define LINE(m) CHAT(m) MORE
#define END(why)                                                                               \
	",\"done\":true,\"done_reason\":\"" why "\",\"total_duration\":0,\"load_duration\":0," \
	"\"prompt_eval_count\":9,\"prompt_eval_duration\":0,\"eval_count\":7,\"eval_duration\":0}"

static const struct usage used = { .known = true, .in = 9, .out = 7 };

/* mask: numbers of a time or a duration become 0. */
static void mask(struct buf *out)
{
	static const char *const names[] = { "\"created_at\":\"", "_duration\":" };
	char                    *to = out->data;

	assert_true(buf_add(out, "", 1));
	for (const char *p = out->data; *p;) {
		bool timed = false;

		for (size_t i = 0; i < ARRAY_LEN(names); i++)
			timed = timed ||
				(to - out->data >= (ptrdiff_t)strlen(names[i]) &&
				 strncmp(to - strlen(names[i]), names[i], strlen(names[i])) == 0);
		while (timed && *p && !strchr("\",}", *p)) {
			bool digit = isdigit((unsigned char)*p);

			*to++ = *p;
			while (digit && isdigit((unsigned char)*p))
				p++;
			if (digit)
				to[-1] = '0';
			else
				p++;
		}
		*to++ = *p++;
	}
	*to = '\0';
}

static struct encoder *encoder_new(struct encoder *(*create)(const struct encoder_about *about),
				   struct str settings)
{
	struct encoder *n = create(&(struct encoder_about){ .run = { 1, 2 },
							    .model = STR("tiny"),
							    .settings = settings,
							    .framing = family_ollama.framing });

	assert_non_null(n);
	return n;
}

static const struct event events[] = {
	{ .kind = EVENT_START, .id = { "up-1", 4 } },
	{ .kind = EVENT_REASONING, .text = { "hm", 2 } },
	{ .kind = EVENT_TEXT, .text = { "a", 1 } },
	{ .kind = EVENT_TOOL_START, .block = 1, .id = { "c1", 2 }, .name = { "f", 1 } },
	{ .kind = EVENT_TOOL_START, .block = 2, .name = { "g", 1 } },
	{ .kind = EVENT_TOOL_ARGS, .block = 1, .text = { "{\\\"x\\\":", 7 } },
	{ .kind = EVENT_TEXT, .text = { "\\ud83d", 6 } }, /* half of a character */
	{ .kind = EVENT_TEXT, .text = { "\\ude00", 6 } },
	{ .kind = EVENT_BLOCK_END, .block = 2 },
	{ .kind = EVENT_TOOL_ARGS, .block = 1, .text = { "1}", 2 } },
	{ .kind = EVENT_BLOCK_END, .block = 1 },
	{ .kind = EVENT_USAGE, .usage = { .known = true, .in = 9, .out = 7 } },
	{ .kind = EVENT_FINISH, .text = { "tool_calls", 10 } },
};

#define CALLS                                                                                \
	LINE("\"\",\"tool_calls\":[{\"id\":\"c1\",\"function\":{\"index\":0,\"name\":\"f\"," \
	     "\"arguments\":{\"x\":1}}}]")                                                   \
	LINE("\"\",\"tool_calls\":[{\"id\":\"call_00000000000000010000000000000002_1\","     \
	     "\"function\":{\"index\":1,\"name\":\"g\",\"arguments\":{}}}]")

static void lines_of_a_stream(void **state)
{
	(void)state;
	static const struct {
		const char *settings, *want;
		bool        failed;
	} cases[] = {
		{ "",
		  LINE("\"\",\"thinking\":\"hm\"") LINE("\"a\"") LINE("\"\\ud83d\\ude00\"")
			  CALLS CHAT("\"\"") END("stop") "\n",
		  false },
		{ OLLAMA_UNTHINKING,
		  LINE("\"a\"") LINE("\"\\ud83d\\ude00\"") CALLS "{\"error\":\"it broke\"}\n",
		  true },
	};

	for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
		struct encoder *n = encoder_new(ollama_stream_create, str_of(cases[c].settings));
		struct buf      out;
		struct err      e;

		buf_init(&out, 16 * KIB);
		err_set(&e, ERR_UPSTREAM_BAD_RESPONSE, NULL, "it broke");
		for (size_t i = 0; i < ARRAY_LEN(events); i++)
			assert_true(n->ops->event(n, &events[i], 1 + i, &out));
		assert_true(cases[c].failed ? n->ops->error(n, &e, STR("req_1"), 99, &out)
					    : n->ops->done(n, 99, &out));
		mask(&out);
		assert_string_equal(out.data, cases[c].want);
		encoder_destroy(n);
		buf_finish(&out);
	}
}

static void whole_answers(void **state)
{
	(void)state;
	static const struct {
		const char *why, *message, *finish, *want;
		bool        text;
	} cases[] = {
		{ "a text", "{\"role\":\"assistant\",\"content\":\"a\"}", "stop",
		  CHAT("\"a\"") END("stop"), false },
		{ "a prompt's", "{\"content\":\"a\",\"reasoning_content\":\"hm\"}", "length",
		  HEAD "\"response\":\"a\",\"thinking\":\"hm\"" END("length"), true },
		{ "parts and a refusal, which was filtered",
		  "{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}],\"refusal\":\"no\"}",
		  "content_filter", CHAT("\"abno\"") END("content_filter"), false },
		{ "nothing", "", "stop", CHAT("\"\"") END("stop"), false },
		{ "a call that was cut",
		  "{\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"\"}}]}",
		  "tool_calls",
		  CHAT("\"\",\"tool_calls\":[{\"id\":\"c\",\"function\":{\"index\":0,\"name\":\"f\","
		       "\"arguments\":{\"INVALID_JSON\":\"{\\\"\"}}}]") END("stop"),
		  false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct encoder *n = encoder_new(
			cases[i].text ? ollama_stream_create_text : ollama_stream_create, STR_NONE);
		const struct encoder_whole w = { .message = str_of(cases[i].message),
						 .finish_reason = str_of(cases[i].finish),
						 .usage = &used };
		struct buf                 out;

		print_message("case: %s\n", cases[i].why);
		buf_init(&out, 16 * KIB);
		assert_true(n->ops->whole(n, &w, &out));
		mask(&out);
		assert_string_equal(out.data, cases[i].want);
		buf_finish(&out);
		buf_init(&out, 64);
		assert_true(buf_text(&out, "kept"));
		assert_false(n->ops->whole(n, &w, &out));
		assert_int_equal(out.len, 4);
		encoder_destroy(n);
		buf_finish(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_a_stream),
		cmocka_unit_test(whole_answers),
	};

	return cmocka_run_group_tests_name("shape/ollama_stream", tests, NULL, NULL);
}
