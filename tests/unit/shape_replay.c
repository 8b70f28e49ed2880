/* A stored answer, taken apart into events, makes the same answer again. */

#include "base/limits.h"
#include "shape/answer.h"
#include "tests/unit/event_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct heard {
	struct answer answer;
	struct buf    kinds; /* of the events, in order */
	size_t        stop_after;
	size_t        count;
};

static bool hear(void *arg, const struct event *ev)
{
	struct heard *h = arg;

	if (h->count++ == h->stop_after)
		return false;
	assert_true(buf_text(&h->kinds, event_name(ev->kind)));
	assert_true(buf_text(&h->kinds, ev->from_lmc ? "* " : " "));
	return answer_add(&h->answer, ev);
}

static void begin(struct heard *h)
{
	*h = (struct heard){ .stop_after = SIZE_MAX };
	answer_init(&h->answer);
	buf_init(&h->kinds, KIB);
}

static void finish(struct heard *h)
{
	answer_finish(&h->answer);
	buf_finish(&h->kinds);
}

#define CALLS                                                                                                  \
	"[{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"x\\\":1}\"}}," \
	"{\"id\":\"b\",\"type\":\"function\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}]"

/* clang-format off */
static const struct row {
	const char *why;
	const char *message;
	const char *kinds;
} rows[] = {
	{ "text, with what is escaped", "{\"role\":\"assistant\",\"content\":\"a \\\"b\\\" \\ud83d\"}",
	  "start text finish usage " },
	{ "nothing was said", "{\"role\":\"assistant\",\"content\":\"\"}", "start finish usage " },
	{ "calls", "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":" CALLS "}",
	  "start tool_start tool_args tool_start tool_args finish usage " },
	{ "a call that its provider signed",
	  "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a\","
	  "\"extra_content\":{\"google\":{\"thought_signature\":\"QUJD\"}},"
	  "\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}",
	  "start tool_start tool_args finish usage " },
	{ "reasoning and images",
	  "{\"role\":\"assistant\",\"content\":\"t\",\"reasoning_content\":\"hm\",\"images\":["
	  "{\"image_url\":\"a\"},{\"image_url\":\"b\"}]}",
	  "start reasoning text media media finish usage " },
	{ "details of reasoning",
	  "{\"role\":\"assistant\",\"content\":\"t\",\"reasoning_content\":\"hm\","
	  "\"reasoning_details\":[{\"a\": 1},{}]}",
	  "start reasoning other text finish usage " },
	{ "text, reasoning, a refusal and calls",
	  "{\"role\":\"assistant\",\"content\":\"t\",\"refusal\":\"no\",\"reasoning_content\":\"hm\","
	  "\"tool_calls\":" CALLS "}",
	  "start reasoning text refusal tool_start tool_args tool_start tool_args finish usage " },
	{ "LMC beside it",
	  "{\"role\":\"assistant\",\"content\":\"t\",\"lmc\":["
	  "{\"role\":\"assistant\",\"type\":\"message\",\"content\":\"t\"},"
	  "{\"role\":\"computer\",\"type\":\"console\",\"format\":\"output\",\"content\":\"\"}]}",
	  "start lmc lmc lmc lmc lmc text* finish* usage " },
};
/* clang-format on */

static void an_answer_comes_out_as_it_went_in(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct usage usage = { .known = true, .in = 1, .out = 2 };
		struct heard       h;
		struct buf         printed;

		print_message("case: %s\n", rows[i].why);
		begin(&h);
		buf_init(&printed, MIB);
		assert_true(replay_answer(str_of(rows[i].message), STR("stop"), &usage, hear, &h));
		assert_true(answer_close(&h.answer));
		assert_true(answer_print(&h.answer, &printed));
		assert_true(str_is(buf_view(&printed), rows[i].message));
		assert_true(str_is(buf_view(&h.kinds), rows[i].kinds));
		buf_finish(&printed);
		finish(&h);
	}
}

static void it_stops_where_its_hearer_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (size_t stop = 0;; stop++) {
			const struct usage usage = { .known = true };
			struct heard       h;

			begin(&h);
			h.stop_after = stop;
			bool ok = replay_answer(str_of(rows[i].message), STR("stop"), &usage, hear,
						&h);
			assert_true(ok || h.count == stop + 1);
			finish(&h);
			if (ok)
				break;
		}
}

static void what_is_no_message_makes_no_events(void **state)
{
	static const char *const bad[] = { "", "{", "[]", "5", "\"x\"" };
	const struct usage       usage = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct heard h;

		begin(&h);
		assert_false(replay_answer(str_of(bad[i]), STR("stop"), &usage, hear, &h));
		assert_int_equal(h.count, 0);
		finish(&h);
	}
}

static void members_of_other_kinds_are_stepped_over(void **state)
{
	const struct usage usage = { 0 };
	struct heard       h;

	(void)state;
	begin(&h);
	assert_true(
		replay_answer(STR("{\"content\":5,\"refusal\":[],\"tool_calls\":{},\"lmc\":\"x\"}"),
			      STR("stop"), &usage, hear, &h));
	assert_true(str_is(buf_view(&h.kinds), "start finish "));
	finish(&h);
	begin(&h);
	assert_true(replay_answer(STR("{\"tool_calls\":[5,{},{\"function\":{}}],\"lmc\":[5,{}]}"),
				  STR("stop"), &usage, hear, &h));
	assert_true(str_is(buf_view(&h.kinds), "start tool_start* tool_args* finish* "));
	finish(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_comes_out_as_it_went_in),
		cmocka_unit_test(it_stops_where_its_hearer_does),
		cmocka_unit_test(what_is_no_message_makes_no_events),
		cmocka_unit_test(members_of_other_kinds_are_stepped_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
