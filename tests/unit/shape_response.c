/* The Responses API's objects and streams: what the end-to-end tests can't reach. */
#include "base/limits.h"
#include "json/scan.h"
#include "shape/encoder.h"
#include "shape/response.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct id RUN = { 1, 2 };

static struct encoder *made(uint64_t seen)
{
	struct encoder *n = response_stream_create(&(struct encoder_about){
		.run = RUN,
		.created_s = 1700000000,
		.settings =
			STR("{\"model\":\"m\",\"tools\":[{\"type\":\"custom\",\"name\":\"p\"}]}"),
		.seen = { seen, 0 },
	});

	assert_non_null(n);
	return n;
}

static struct event text_event(enum event_kind kind, const char *text)
{
	return (struct event){ .kind = kind, .text = str_of(text) };
}

static void give(struct encoder *n, struct event ev, uint64_t seq, struct buf *out)
{
	assert_true(n->ops->event(n, &ev, seq, out));
}

/* last_number: the sequence_number of the stream's last event. */
static long last_number(const struct buf *out)
{
	static const char key[] = "\"sequence_number\":";
	long              found = -1;

	for (const char *p = out->data, *end = out->data + out->len;
	     (p = memmem(p, (size_t)(end - p), key, sizeof key - 1)); p++)
		found = strtol(p + sizeof key - 1, NULL, 10);
	return found;
}

static size_t count(const struct buf *out, const char *text)
{
	size_t n = 0;

	for (const char *p = out->data, *end = out->data + out->len;
	     p && (p = memmem(p, (size_t)(end - p), text, strlen(text))); p++)
		n++;
	return n;
}

/* A log that a crash has cut gets an end whose number no event can have had that was sent. */
static void the_end_behind_a_gap_is_above_all_that_may_have_been_sent(void **state)
{
	(void)state;
	static const enum event_kind kinds[] = { EVENT_TEXT, EVENT_REASONING, EVENT_REFUSAL };
	struct encoder              *n = made(0);
	struct buf                   out, cut;
	struct err                   e;

	buf_init(&out, MIB);
	buf_init(&cut, MIB);
	for (uint64_t seq = 2; seq < 40; seq++) {
		struct encoder *early = made(0);

		give(n, text_event(kinds[seq % 3], "x"), seq, &out);
		buf_clear(&cut);
		/* The log has only the first events; the end has a number above the lost ones. */
		for (uint64_t had = 2; had < seq && had < 5; had++)
			give(early, text_event(kinds[had % 3], "x"), had, &cut);
		err_set(&e, ERR_INTERNAL, "", "stopped");
		buf_clear(&cut);
		assert_true(early->ops->error(early, &e, STR("req"), seq + 1, &cut));
		if (seq > 4)
			assert_true(last_number(&cut) - 1 > last_number(&out));
		encoder_destroy(early);
	}
	encoder_destroy(n);
	buf_finish(&out);
	buf_finish(&cut);
}

static void a_reader_gets_only_what_is_behind_its_number(void **state)
{
	(void)state;
	struct buf all, rest;

	buf_init(&all, MIB);
	buf_init(&rest, MIB);
	for (uint64_t seen = 0; seen < 12; seen++) {
		struct encoder *n = made(seen);

		buf_clear(&rest);
		give(n, text_event(EVENT_START, ""), 2, &rest);
		give(n, text_event(EVENT_TEXT, "a"), 3, &rest);
		give(n, text_event(EVENT_TEXT, "b"), 4, &rest);
		give(n, text_event(EVENT_FINISH, "stop"), 5, &rest);
		assert_true(n->ops->done(n, 6, &rest));
		if (seen == 0)
			assert_true(buf_str(&all, buf_view(&rest)));
		assert_int_equal(count(&rest, "\n\n"), seen < 10 ? 10 - seen : 0);
		assert_memory_equal(rest.data ? rest.data : "", all.data + all.len - rest.len,
				    rest.len);
		encoder_destroy(n);
	}
	buf_finish(&all);
	buf_finish(&rest);
}

static void an_end_without_a_finish_closes_all_items(void **state)
{
	(void)state;
	struct encoder *n = made(0);
	struct buf      out;

	buf_init(&out, MIB);
	give(n, text_event(EVENT_REASONING, "hm"), 2, &out);
	assert_true(n->ops->done(n, 3, &out));
	assert_int_equal(count(&out, "event: response.output_item.added\n"), 2);
	assert_int_equal(count(&out, "event: response.output_item.done\n"), 2);
	assert_int_equal(count(&out, "event: response.completed\n"), 1);
	encoder_destroy(n);
	buf_finish(&out);
}

static void an_error_before_the_first_event_has_the_whole_frame(void **state)
{
	(void)state;
	struct encoder *n = made(0);
	struct buf      out;
	struct err      e;

	buf_init(&out, MIB);
	err_set(&e, ERR_RATE_LIMIT, "here", "too \"much\"");
	assert_true(n->ops->error(n, &e, STR("req_1"), 1, &out));
	assert_int_equal(count(&out, "event: response.created\n"), 1);
	assert_int_equal(count(&out, "event: error\n"), 1);
	assert_int_equal(count(&out, "\"code\":\"rate_limit_exceeded\",\"message\":\"here: too "
				     "\\\"much\\\"\""),
			 2);
	assert_int_equal(last_number(&out), 3);
	encoder_destroy(n);
	buf_finish(&out);
}

static void what_does_not_fit_leaves_no_half_event(void **state)
{
	(void)state;

	for (size_t max = 0; max < 5000; max += 7) {
		struct encoder *n = made(0);
		struct buf      out;
		struct event    evs[] = { text_event(EVENT_TEXT, "a"),
					  text_event(EVENT_FINISH, "stop") };
		bool            ok = true;

		buf_init(&out, max);
		for (size_t i = 0; ok && i < ARRAY_LEN(evs); i++)
			ok = n->ops->event(n, &evs[i], 2 + i, &out);
		if (ok)
			ok = n->ops->done(n, 4, &out);
		assert_true(out.len == 0 || memcmp(out.data + out.len - 2, "\n\n", 2) == 0);
		encoder_destroy(n);
		buf_finish(&out);
	}
}

static void a_text_above_the_limit_is_refused(void **state)
{
	(void)state;
	struct response r;
	struct event    ev = text_event(EVENT_TEXT, "12345678");

	assert_true(response_init(&r, RUN, 0, STR_NONE, 16));
	assert_true(response_event(&r, &ev));
	assert_true(response_event(&r, &ev));
	assert_false(response_event(&r, &ev));
	response_finish(&r);
}

static void items_have_a_limit(void **state)
{
	(void)state;
	struct response r;
	bool            ok = true;
	size_t          n = 0;

	assert_true(response_init(&r, RUN, 0, STR_NONE, MIB));
	for (; ok && n < 2 * LIMIT_RESPONSE_ITEMS; n++) {
		struct event ev = text_event(n % 2 ? EVENT_TEXT : EVENT_REASONING, "x");

		ok = response_event(&r, &ev);
	}
	assert_false(ok);
	assert_int_equal(r.count, LIMIT_RESPONSE_ITEMS);
	response_finish(&r);
}

static void a_custom_calls_input_is_taken_out_of_its_arguments(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *arguments; /* escaped, as an event has them */
		const char *input;
	} cases[] = {
		{ "{\\\"input\\\":\\\"a\\\\nb\\\"}", "a\\nb" },
		{ "{ \\\"input\\\" : \\\"\\\" }", "" },
		{ "{\\\"input\\\":5}", "{\\\"input\\\":5}" },
		{ "{\\\"input\\\":\\\"a\\\",\\\"b\\\":1}", "{\\\"input\\\":\\\"a\\\",\\\"b\\\":1}" },
		{ "plain \\\"text\\\"", "plain \\\"text\\\"" },
		{ "", "" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct response r;
		struct event start = { .kind = EVENT_TOOL_START, .id = STR("c"), .name = STR("p") };
		struct event args = text_event(EVENT_TOOL_ARGS, cases[i].arguments);

		assert_true(response_init(&r, RUN, 0,
					  STR("{\"tools\":[{\"type\":\"custom\",\"name\":\"p\"}]}"),
					  MIB));
		assert_true(response_event(&r, &start) && response_event(&r, &args) &&
			    response_end(&r));
		assert_int_equal(r.items[0]->kind, RESPONSE_CUSTOM);
		assert_true(str_is(buf_view(&r.items[0]->input), cases[i].input));
		response_finish(&r);
	}
}

/* The chunk comes with the first of its events, which need not be the one with the text. */
static void log_probabilities_wait_for_their_text(void **state)
{
	(void)state;
	static const char raw[] =
		"{\"choices\":[{\"logprobs\":{\"content\":[{\"token\":\"a\",\"logprob\":0}]}}]}";
	static const char token[] =
		"\"logprobs\":[{\"token\":\"a\",\"logprob\":0,\"bytes\":[],\"top_logprobs\":[]}]";
	struct event evs[] = { text_event(EVENT_START, ""), text_event(EVENT_TEXT, "a"),
			       text_event(EVENT_TEXT, "b"), text_event(EVENT_FINISH, "stop") };

	evs[0].raw = str_of(raw);
	evs[1].cont = true;
	for (int asked = 0; asked < 2; asked++) {
		struct buf      out;
		struct encoder *n = response_stream_create(
			&(struct encoder_about){ .run = RUN, .logprobs = asked });

		assert_non_null(n);
		buf_init(&out, MIB);
		for (size_t i = 0; i < ARRAY_LEN(evs); i++)
			give(n, evs[i], 2 + i, &out);
		assert_true(n->ops->done(n, 6, &out));
		/* The first delta, the ends of text, part and item, and the response. */
		assert_int_equal(count(&out, token), asked ? 5 : 0);
		assert_int_equal(count(&out, "\"logprobs\":[]"), asked ? 2 : 7);
		encoder_destroy(n);
		buf_finish(&out);
	}
}

/* Events that are passed on, as other servers than OpenAI's make them, and what an answer that goes on makes of them. */
static void whatever_was_passed_on_is_ended(void **state)
{
	(void)state;
#define ITEM "{\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":"
	static const struct {
		const char *passed
			[4]; /* a text that begins with '+' is one that the event before carries */
		const char *found[3];
	} cases[] = {
		{ { ITEM "\"reasoning\",\"id\":\"r\",\"summary\":[]}}",
		    "{\"type\":\"response.reasoning_text.delta\",\"delta\":\"hm\"}", "+hm" },
		  { "\"content\":[{\"type\":\"reasoning_text\",\"text\":\"hm\"}]",
		    "response.reasoning_text.done", "\"output_index\":1" } },
		{ { ITEM "\"reasoning\"}}" },
		  { "{\"type\":\"reasoning\",\"id\":\"\",\"summary\":[]}", "\"output_index\":1" } },
		{ { ITEM "\"message\",\"id\":\"m\",\"role\":\"assistant\",\"x\":1}}",
		    "{\"type\":\"response.output_text.delta\",\"delta\":\"a\\\"\"}", "+a\\\"" },
		  { "\"item\":{\"type\":\"message\",\"id\":\"m\",\"status\":\"completed\",\"role\":"
		    "\"assistant\",\"x\":1,\"content\":[{\"type\":\"output_text\",\"text\":\"a\\\"on\"",
		    "\"text\":\"a\\\"on\"" } },
		{ { ITEM "\"message\",\"id\":\"m\"}}",
		    "{\"type\":\"response.content_part.done\",\"part\":{\"type\":\"output_text\","
		    "\"text\":\"a\"}}" },
		  { "\"content\":[{\"type\":\"output_text\",\"text\":\"a\"}]",
		    "\"output_index\":1" } },
		{ { ITEM "5}}", "{\"type\":\"response.output_text.delta\"}", "+a" }, { "on" } },
		{ { "{\"type\":\"keepalive\"}" }, { "\"output_index\":0" } },
	};
#undef ITEM

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct encoder *n = made(0);
		struct buf      out;
		uint64_t        seq = 2;

		buf_init(&out, MIB);
		for (size_t k = 0; k < 4 && cases[i].passed[k]; k++) {
			const char  *text = cases[i].passed[k];
			struct event ev = { .kind = EVENT_OTHER, .form = RAW_RESPONSES };

			if (*text == '+') {
				ev.kind = EVENT_TEXT;
				ev.text = str_of(text + 1);
				ev.cont = true;
			} else {
				ev.raw = str_of(text);
			}
			give(n, ev, seq++, &out);
		}
		give(n, text_event(EVENT_RESUMED, ""), seq++, &out);
		give(n, text_event(EVENT_TEXT, "on"), seq++, &out);
		give(n, text_event(EVENT_FINISH, "stop"), seq++, &out);
		assert_true(n->ops->done(n, seq, &out));
		for (size_t k = 0; k < 3 && cases[i].found[k]; k++)
			if (count(&out, cases[i].found[k]) == 0)
				fail_msg("case %zu: no %s in\n%.*s", i, cases[i].found[k],
					 (int)out.len, out.data);
		encoder_destroy(n);
		buf_finish(&out);
	}
}

static void a_cursor_is_a_number(void **state)
{
	(void)state;
	struct cursor c;

	assert_true(response_stream_cursor(STR("0"), &c));
	assert_int_equal(c.seq, 1);
	assert_true(response_stream_cursor(STR("41"), &c));
	assert_int_equal(c.seq, 42);
	assert_false(response_stream_cursor(STR(""), &c));
	assert_false(response_stream_cursor(STR("-1"), &c));
	assert_false(response_stream_cursor(STR("1.2"), &c));
	assert_false(response_stream_cursor(STR("18446744073709551615"), &c));
	assert_false(response_stream_cursor(STR("99999999999999999999"), &c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_end_behind_a_gap_is_above_all_that_may_have_been_sent),
		cmocka_unit_test(a_reader_gets_only_what_is_behind_its_number),
		cmocka_unit_test(an_end_without_a_finish_closes_all_items),
		cmocka_unit_test(an_error_before_the_first_event_has_the_whole_frame),
		cmocka_unit_test(what_does_not_fit_leaves_no_half_event),
		cmocka_unit_test(a_text_above_the_limit_is_refused),
		cmocka_unit_test(items_have_a_limit),
		cmocka_unit_test(a_custom_calls_input_is_taken_out_of_its_arguments),
		cmocka_unit_test(log_probabilities_wait_for_their_text),
		cmocka_unit_test(whatever_was_passed_on_is_ended),
		cmocka_unit_test(a_cursor_is_a_number),
	};

	return cmocka_run_group_tests_name("shape/response", tests, NULL, NULL);
}
