/* The echo provider: what it says, in which pieces, and when. */
#include "base/buf.h"
#include "loop/loop.h"
#include "provider/provider.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define MS ((int64_t)1000)

struct heard {
	struct loop          *loop;
	struct provider_call *call;
	struct timer          watchdog;
	struct timer          later;
	struct buf            out; /* pieces with bars between them, then the rest */
	int                   pieces;
	int                   ends;
	int                   pause_at; /* piece */
	int                   max_in_turn;
	int                   in_turn;
	int64_t               turn_us;
	int64_t               end_us;
};

static void on_event(void *arg, const struct event *ev)
{
	struct heard *h = arg;
	bool          ok = true;

	assert_int_equal(h->ends, 0);
	assert_int_equal(ev->raw.n, 0);
	switch (ev->kind) {
	case EVENT_TEXT:
		ok = buf_str(&h->out, ev->text) && buf_text(&h->out, "|");
		if (loop_now_us(h->loop) != h->turn_us)
			h->in_turn = 0;
		h->turn_us = loop_now_us(h->loop);
		h->in_turn++;
		if (h->in_turn > h->max_in_turn)
			h->max_in_turn = h->in_turn;
		if (++h->pieces == h->pause_at)
			h->call->provider->ops->pause(h->call, true);
		break;
	case EVENT_MESSAGE: ok = buf_str(&h->out, ev->text); break;
	case EVENT_START:
		assert_int_equal(ev->id.n, 0); /* the run gives its own */
		ok = buf_text(&h->out, "<") && buf_str(&h->out, ev->text) && buf_text(&h->out, ">");
		break;
	case EVENT_USAGE:
		assert_true(ev->usage.known);
		ok = buf_fmt(&h->out, " %d+%d", (int)ev->usage.in, (int)ev->usage.out);
		break;
	case EVENT_FINISH: ok = buf_text(&h->out, " ") && buf_str(&h->out, ev->text); break;
	case EVENT_ERROR: ok = buf_text(&h->out, " !") && buf_text(&h->out, ev->err->text); break;
	case EVENT_END: ok = buf_text(&h->out, " end"); break;
	case EVENT_STEP:
	case EVENT_EXECUTE:
	case EVENT_EXECUTED:
	case EVENT_RESUMED:
	case EVENT_REASONING:
	case EVENT_REFUSAL:
	case EVENT_TOOL_START:
	case EVENT_TOOL_ARGS:
	case EVENT_BLOCK_END:
	case EVENT_MEDIA:
	case EVENT_LMC:
	case EVENT_ASKED:
	case EVENT_OTHER:
	case EVENT__COUNT: fail_msg("event %d", (int)ev->kind);
	}
	assert_true(ok);
	if (ev->kind == EVENT_ERROR || ev->kind == EVENT_END) {
		h->ends++;
		h->call = NULL;
		h->end_us = loop_now_us(h->loop);
		loop_stop(h->loop);
	}
}

static void on_watchdog(struct timer *t)
{
	(void)t;
	fail_msg("nothing happened for 10 s");
}

static void heard_open(struct heard *h)
{
	struct err e;

	*h = (struct heard){ .watchdog = { .fn = on_watchdog } };
	buf_init(&h->out, 1 << 20);
	assert_int_equal(loop_create(0, &h->loop, &e), ERR_OK);
	timer_start(h->loop, &h->watchdog, 100 * 1000 * MS);
}

static void heard_close(struct heard *h)
{
	loop_destroy(h->loop);
	buf_finish(&h->out);
}

static struct provider *echo(struct provider_options o)
{
	struct provider *p = NULL;
	struct err       e = { 0 };

	o.name = "echo";
	o.dialect = "echo";
	if (provider_create(&o, &p, &e) != ERR_OK)
		fail_msg("%s", e.text);
	return p;
}

static enum errc start(struct heard *h, const struct provider *p, const char *const *messages,
		       bool stream, const char *max_tokens, struct err *e)
{
	struct str          list[8];
	struct provider_env env = { .loop = h->loop };
	struct prompt       prompt = { .model = STR("e\"cho"), .messages = list, .stream = stream };

	for (; prompt.message_count < 8 && messages[prompt.message_count]; prompt.message_count++)
		list[prompt.message_count] = str_of(messages[prompt.message_count]);
	prompt.max_tokens = str_of(max_tokens);
	enum errc rc = p->ops->start(p, &env, &prompt, on_event, h, &h->call, e);
	assert_int_equal(h->out.len, 0); /* nothing from within start */
	memset(list, 0, sizeof list);    /* and nothing of the prompt's pieces is kept */
	return rc;
}

#define USER(content) "{\"role\":\"user\",\"content\":" content "}"

/* clang-format off */
static const struct {
	const char             *why;
	const char             *messages[4];
	struct provider_options options;
	const char             *max_tokens;
	const char             *stream; /* what is heard of it */
	const char             *plain;
} cases[] = {
	{ .why = "words keep the white space behind them",
	  .messages = { USER("\"one  two\\n\\nthree \"") },
	  .stream = "<e\\\"cho>one  |two\\n\\n|three | stop 3+3 end",
	  .plain = "<e\\\"cho>{\"role\":\"assistant\",\"content\":\"one  two\\n\\nthree \"} 3+3 stop end" },
	{ .why = "white space in front goes with the first",
	  .messages = { USER("\" \\t a b\"") },
	  .stream = "<e\\\"cho> \\t a |b| stop 2+2 end" },
	{ .why = "the last message of the user's, all are counted",
	  .messages = { "{\"role\":\"system\",\"content\":\"be kind\"}", USER("\"x\""),
			USER("\"a b\""), "{\"role\":\"assistant\",\"content\":\"c\"}" },
	  .stream = "<e\\\"cho>a |b| stop 6+2 end" },
	{ .why = "text parts are joined",
	  .messages = { USER("[{\"type\":\"text\",\"text\":\"a \"},{\"type\":\"image_url\",\"image_url\":"
			     "{\"url\":\"u\"}},{\"type\":\"text\",\"text\":\"b\"}]") },
	  .stream = "<e\\\"cho>a |b| stop 2+2 end" },
	{ .why = "no text at all",
	  .messages = { USER("null") },
	  .stream = "<e\\\"cho> stop 1+1 end",
	  .plain = "<e\\\"cho>{\"role\":\"assistant\",\"content\":\"\"} 1+1 stop end" },
	{ .why = "no user at all",
	  .messages = { "{\"role\":\"system\",\"content\":\"x y\"}" },
	  .stream = "<e\\\"cho> stop 2+1 end" },
	{ .why = "only white space",
	  .messages = { USER("\"  \"") },
	  .stream = "<e\\\"cho>  | stop 1+1 end" },
	{ .why = "escaped white space is white space",
	  .messages = { USER("\"a\\u0020b\\u000ac\\u0041\"") },
	  .stream = "<e\\\"cho>a\\u0020|b\\u000a|c\\u0041| stop 3+3 end" },
	{ .why = "max_tokens cuts behind a word",
	  .messages = { USER("\"a b c\"") },
	  .max_tokens = "2",
	  .stream = "<e\\\"cho>a |b | length 3+2 end",
	  .plain = "<e\\\"cho>{\"role\":\"assistant\",\"content\":\"a b \"} 3+2 length end" },
	{ .why = "max_tokens that is enough",
	  .messages = { USER("\"a b\"") },
	  .max_tokens = "2",
	  .stream = "<e\\\"cho>a |b| stop 2+2 end" },
	{ .why = "pieces of bytes",
	  .messages = { USER("\"abcdefg\"") },
	  .options = { .piece = 3 },
	  .stream = "<e\\\"cho>abc|def|g| stop 1+1 end" },
	{ .why = "a piece never cuts a character or an escape",
	  .messages = { USER("\"\xC3\xA4\xE2\x82\xAC\\n\\ud83d\\ude00\\u00e4z\"") },
	  .options = { .piece = 1 },
	  .stream = "<e\\\"cho>\xC3\xA4|\xE2\x82\xAC|\\n|\\ud83d\\ude00|\\u00e4|z| stop 2+2 end" },
	{ .why = "a scripted reply",
	  .messages = { USER("\"x\"") },
	  .options = { .reply = "say \"hi\"\n" },
	  .stream = "<e\\\"cho>say |\\\"hi\\\"\\n| stop 1+2 end" },
	{ .why = "an error at a piece",
	  .messages = { USER("\"a b c\"") },
	  .options = { .error_at = 3 },
	  .stream = "<e\\\"cho>a |b | !scripted error",
	  .plain = " !scripted error" },
	{ .why = "an error at the first piece comes before everything",
	  .messages = { USER("\"a\"") },
	  .options = { .error_at = 1 },
	  .stream = " !scripted error",
	  .plain = " !scripted error" },
	{ .why = "an error behind the last piece is none",
	  .messages = { USER("\"a b\"") },
	  .options = { .error_at = 3 },
	  .stream = "<e\\\"cho>a |b| stop 2+2 end",
	  .plain = "<e\\\"cho>{\"role\":\"assistant\",\"content\":\"a b\"} 2+2 stop end" },
	{ .why = "with a delay it says the same",
	  .messages = { USER("\"a b c\"") },
	  .options = { .delay_us = 2000 },
	  .stream = "<e\\\"cho>a |b |c| stop 3+3 end",
	  .plain = "<e\\\"cho>{\"role\":\"assistant\",\"content\":\"a b c\"} 3+3 stop end" },
};
/* clang-format on */

static void run_case(size_t i, bool stream, const char *want)
{
	struct heard     h;
	struct err       e = { 0 };
	struct provider *p = echo(cases[i].options);

	heard_open(&h);
	if (start(&h, p, cases[i].messages, stream, cases[i].max_tokens, &e) != ERR_OK)
		fail_msg("%s: %s", cases[i].why, e.text);
	loop_run(h.loop);
	if (!str_is(buf_view(&h.out), want))
		fail_msg("%s: got %.*s", cases[i].why, STR_ARG(buf_view(&h.out)));
	provider_destroy(p);
	heard_close(&h);
}

static void it_says_what_it_was_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		run_case(i, true, cases[i].stream);
		if (cases[i].plain)
			run_case(i, false, cases[i].plain);
	}
}

static void delays_add_up(void **state)
{
	static const char *const messages[] = { USER("\"a b c d\""), NULL };

	(void)state;
	for (int stream = 0; stream <= 1; stream++) {
		struct heard     h;
		struct err       e;
		struct provider *p = echo((struct provider_options){ .delay_us = 5 * MS });

		heard_open(&h);
		int64_t begun_us = loop_now_us(h.loop);
		assert_int_equal(start(&h, p, messages, stream, NULL, &e), ERR_OK);
		loop_run(h.loop);
		assert_true(h.end_us - begun_us >= 15 * MS);
		provider_destroy(p);
		heard_close(&h);
	}
}

static const char *long_message(struct buf *b, int words)
{
	bool ok = buf_text(b, "{\"role\":\"user\",\"content\":\"");

	for (int i = 0; i < words; i++)
		ok = ok && buf_text(b, "w ");
	assert_true(ok && buf_add(b, "\"}", 3));
	return b->data;
}

static void go_on(struct timer *t)
{
	struct heard *h = container_of(t, struct heard, later);

	assert_int_equal(h->pieces, h->pause_at);
	h->call->provider->ops->pause(h->call, false);
}

static void a_long_answer_comes_in_batches_and_can_be_paused(void **state)
{
	struct buf       b;
	struct heard     h;
	struct err       e;
	struct provider *p = echo((struct provider_options){ 0 });

	(void)state;
	buf_init(&b, 1 << 16);
	const char *messages[] = { long_message(&b, 5000), NULL };
	heard_open(&h);
	h.pause_at = 100;
	h.later.fn = go_on;
	assert_int_equal(start(&h, p, messages, true, NULL, &e), ERR_OK);
	timer_start(h.loop, &h.later, 20 * MS);
	loop_run(h.loop);
	assert_int_equal(h.pieces, 5000);
	assert_int_equal(h.ends, 1);
	assert_true(h.max_in_turn < 5000);
	provider_destroy(p);
	heard_close(&h);
	buf_finish(&b);
}

static void cancel_it(struct timer *t)
{
	struct heard *h = container_of(t, struct heard, later);

	h->call->provider->ops->cancel(h->call);
	h->call = NULL;
}

static void stop_loop(struct timer *t)
{
	loop_stop(container_of(t, struct heard, watchdog)->loop);
}

static void after_a_cancel_nothing_is_heard(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 20);
	const char *messages[] = { long_message(&b, 200000), NULL };
	for (int64_t delay_us = 0; delay_us <= 5 * MS; delay_us += 5 * MS) {
		struct heard     h;
		struct err       e;
		struct provider *p = echo((struct provider_options){ .delay_us = delay_us });

		heard_open(&h);
		buf_finish(&h.out);
		buf_init(&h.out, 8u << 20);
		h.later.fn = cancel_it;
		assert_int_equal(start(&h, p, messages, true, NULL, &e), ERR_OK);
		timer_start(h.loop, &h.later, 1 * MS);
		h.watchdog.fn = stop_loop;
		timer_start(h.loop, &h.watchdog, 30 * MS);
		loop_run(h.loop);
		assert_int_equal(h.ends, 0);
		assert_true(h.pieces < 200000);
		provider_destroy(p);
		heard_close(&h);
	}
	buf_finish(&b);
}

static void a_call_that_cannot_be_begun_says_why(void **state)
{
	static const struct {
		const char *message;
		const char *max_tokens;
		enum errc   code;
	} bad[] = {
		{ USER("\"a\""), "0", ERR_INVALID_VALUE },
		{ USER("\"a\""), "-1", ERR_INVALID_VALUE },
		{ USER("\"a\""), "1.5", ERR_INVALID_VALUE },
		{ USER("\"a\""), "\"7\"", ERR_INVALID_VALUE },
		{ "{\"role\":", NULL, ERR_INVALID_JSON },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		const char      *messages[] = { bad[i].message, NULL };
		struct heard     h;
		struct err       e;
		struct provider *p = echo((struct provider_options){ 0 });

		heard_open(&h);
		assert_int_equal(start(&h, p, messages, true, bad[i].max_tokens, &e), bad[i].code);
		provider_destroy(p);
		heard_close(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_says_what_it_was_told),
		cmocka_unit_test(delays_add_up),
		cmocka_unit_test(a_long_answer_comes_in_batches_and_can_be_paused),
		cmocka_unit_test(after_a_cancel_nothing_is_heard),
		cmocka_unit_test(a_call_that_cannot_be_begun_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
