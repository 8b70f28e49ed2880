/* The log of a run's attempts, and the list that is printed of it. */
#include "base/limits.h"
#include "json/scan.h"
#include "msg/attempt_log.h"
#include "routes/call/call.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { MADE_MS = 1000 * 1000 };

/* clang-format off */
#define AT(name, place) (&(struct attempt_asked){ STR(name), (place) })
/* clang-format on */

static const struct attempt_past failed = {
	.provider = "p\"1",
	.code = "upstream_error",
	.http = 500,
	.ended_ms = MADE_MS + 40,
	.usage = { .known = true, .in = 30, .out = 7, .cached_read = 3 },
	.costs = true,
	.nano = 5,
};

static const struct attempt_price unknown;

static const struct run_read row = {
	.status = RUN_COMPLETED,
	.provider = { "q", 1 },
	.created_ms = MADE_MS,
	.first_token_ms = MADE_MS + 60,
	.completed_ms = MADE_MS + 90,
	.attempts = 2,
	.usage = { .known = true, .in = 2, .out = 4 },
	.costs = true,
	.cost_nano = 12,
};

/* printed: the list of the run, which is JSON. */
static const char *printed(const struct run_read *run)
{
	static char     text[64 * KIB];
	struct buf      out;
	struct json_doc doc = { 0 };
	struct err      e;

	buf_init(&out, sizeof text - 2);
	assert_true(attempt_print(&out, run));
	snprintf(text, sizeof text, "{%.*s}", STR_ARG(((struct str){ out.data + 1, out.len - 1 })));
	buf_finish(&out);
	assert_int_equal(json_scan(&doc, text, strlen(text), &json_limits_stored, &e), ERR_OK);
	json_doc_finish(&doc);
	return text;
}

static const char *printed_log(const struct attempt_log *l, struct run_read run)
{
	run.attempt_log = buf_view(&l->text);
	return printed(&run);
}

#define UNPRICED ",\"price_source\":null,\"price_tier\":null,\"price_class\":null"
#define NOTHING  "\"usage\":null,\"usage_source\":null,\"cost\":null" UNPRICED

static void one_attempt_takes_the_rest_from_the_run(void **state)
{
	struct attempt_log l;
	const char *on = "{\"attempt_list\":[{\"provider\":\"q\",\"key\":null,\"model\":\"m/8\",";
	const char *text;

	(void)state;
	attempt_log_init(&l);
	attempt_log_begun(&l, MADE_MS, AT("m/8", 0), MADE_MS + 10);
	assert_true(str_eq(buf_view(&l.text), STR("[[\"m/8\",10,null]]")));
	text = printed_log(&l, (struct run_read){ .status = RUN_RUNNING,
						  .provider = STR("q"),
						  .created_ms = MADE_MS,
						  .attempts = 1 });
	assert_non_null(strstr(text, on));
	assert_non_null(strstr(text, "\"started_at_ms\":1000010,\"first_token_at_ms\":null,"
				     "\"ended_at_ms\":null,\"outcome\":\"running\","
				     "\"http_status\":null,\"error_code\":null," NOTHING "}]}"));
	l.http = 201;
	attempt_log_last(&l, MADE_MS, AT("m/8", 0), false, true, 99, &unknown);
	assert_true(str_eq(buf_view(&l.text), STR("[[\"m/8\",10,201]]")));
	text = printed_log(&l, row);
	assert_non_null(strstr(text, on));
	assert_non_null(strstr(text, "\"first_token_at_ms\":1000060,\"ended_at_ms\":1000090,"
				     "\"outcome\":\"completed\",\"http_status\":201,"));
	assert_non_null(strstr(text, "\"cost\":\"0.000000012\"" UNPRICED "}]}"));
	attempt_log_finish(&l);
}

static void an_earlier_life_is_gone_on_with(void **state)
{
	struct attempt_log was, l;

	(void)state;
	attempt_log_init(&was);
	attempt_log_begun(&was, MADE_MS, AT("one", 0), MADE_MS + 10);
	attempt_log_past(&was, MADE_MS, AT("one", 0), &failed);
	attempt_log_init(&l);
	attempt_log_again(&l, (struct str){ was.text.data + 1, was.text.len - 2 }, 1, MADE_MS + 20);
	assert_true(str_eq(buf_view(&l.text), buf_view(&was.text)));
	attempt_log_past(&l, MADE_MS, AT("two", 0), &failed);
	attempt_log_begun(&was, MADE_MS, AT("two", 0), MADE_MS + 20);
	attempt_log_past(&was, MADE_MS, AT("two", 0), &failed);
	assert_true(str_eq(buf_view(&l.text), buf_view(&was.text)));
	attempt_log_finish(&l);
	attempt_log_init(&l);
	attempt_log_again(&l, STR_NONE, 0, MADE_MS + 10);
	attempt_log_past(&l, MADE_MS, AT("one", 0), &failed);
	assert_int_equal(l.count, 1);
	attempt_log_finish(&l);
	attempt_log_finish(&was);
}

static void several_have_their_own(void **state)
{
	struct attempt_log l;

	(void)state;
	attempt_log_init(&l);
	attempt_log_begun(&l, MADE_MS, AT("one", 0), MADE_MS + 10);
	attempt_log_past(&l, MADE_MS, AT("one", 0), &failed);
	assert_true(str_eq(buf_view(&l.text), STR("[[\"one\",10,500,\"p\\\"1\",30,"
						  "\"upstream_error\",0,30,7,3,0,0,5,null]]")));
	attempt_log_begun(&l, MADE_MS, AT("two", 0), MADE_MS + 50);
	l.http = 200;
	attempt_log_last(&l, MADE_MS, AT("two", 0), true, true, 7, &unknown);
	const char *text = printed_log(&l, row);
	assert_non_null(strstr(text, "{\"provider\":\"p\\\"1\",\"key\":null,\"model\":\"one\","
				     "\"started_at_ms\":1000010,\"first_token_at_ms\":null,"
				     "\"ended_at_ms\":1000040,\"outcome\":\"failed\","
				     "\"http_status\":500,\"error_code\":\"upstream_error\","
				     "\"usage\":{\"prompt_tokens\":30,\"completion_tokens\":7,"));
	assert_non_null(
		strstr(text, "\"usage_source\":\"provider\",\"cost\":\"0.000000005\"" UNPRICED "},{"
			     "\"provider\":\"q\",\"key\":null,\"model\":\"two\","
			     "\"started_at_ms\":1000050,\"first_token_at_ms\":1000060,"));
	assert_non_null(strstr(text, "\"cost\":\"0.000000007\"" UNPRICED "}]}"));
	attempt_log_finish(&l);
}

static void each_tells_what_its_price_was_made_of(void **state)
{
	static const struct attempt_price long_flex = {
		.told = true, .source = "table", .above = 272000, .class = "flex"
	};
	static const struct attempt_price base = { .told = true, .source = "own" };
	struct attempt_past               dropped = failed;
	struct attempt_log                l;

	(void)state;
	attempt_log_init(&l);
	attempt_log_begun(&l, MADE_MS, AT("one", 0), MADE_MS + 10);
	attempt_log_last(&l, MADE_MS, AT("one", 0), false, true, 7, &base);
	assert_true(str_eq(buf_view(&l.text), STR("[[\"one\",10,null,\"own\",null,null]]")));
	assert_non_null(strstr(printed_log(&l, row), "\"cost\":\"0.000000012\",\"price_source\":"
						     "\"own\",\"price_tier\":null,"
						     "\"price_class\":null}]}"));
	attempt_log_finish(&l);

	dropped.price = long_flex;
	attempt_log_init(&l);
	attempt_log_begun(&l, MADE_MS, AT("one", 0), MADE_MS + 10);
	attempt_log_past(&l, MADE_MS, AT("one", 0), &dropped);
	attempt_log_begun(&l, MADE_MS, AT("two", 0), MADE_MS + 50);
	attempt_log_last(&l, MADE_MS, AT("two", 0), true, true, 7, &long_flex);
	const char *text = printed_log(&l, row);
	assert_non_null(strstr(text, "\"cost\":\"0.000000005\",\"price_source\":\"table\","
				     "\"price_tier\":272000,\"price_class\":\"flex\"},{"));
	assert_non_null(strstr(text, "\"cost\":\"0.000000007\",\"price_source\":\"table\","
				     "\"price_tier\":272000,\"price_class\":\"flex\"}]}"));
	attempt_log_finish(&l);
}

static void given_up_and_no_other_asked(void **state)
{
	struct attempt_log l;
	struct run_read    run = row;
	const char        *text;

	(void)state;
	attempt_log_init(&l);
	attempt_log_begun(&l, MADE_MS, AT("one", 0), MADE_MS + 10);
	attempt_log_past(&l, MADE_MS, AT("one", 0), &failed);
	attempt_log_last(&l, MADE_MS, AT("one", 0), true, true, 7,
			 &unknown); /* none is open: nothing is added */
	run.status = RUN_CANCELLED;
	text = printed_log(&l, run);
	assert_non_null(strstr(text, "\"outcome\":\"failed\""));
	assert_null(strstr(text, "\"outcome\":\"cancelled\""));
	attempt_log_finish(&l);
}

static void only_the_first_and_the_last(void **state)
{
	struct attempt_log l;
	size_t             n = 0;

	(void)state;
	attempt_log_init(&l);
	for (int i = 0; i < 3 * ATTEMPT_LOG_MOST; i++) {
		attempt_log_begun(&l, MADE_MS, AT("one", 0), MADE_MS + i);
		attempt_log_past(&l, MADE_MS, AT("one", 0), &failed);
	}
	attempt_log_begun(&l, MADE_MS, AT("two", 0), MADE_MS + 50);
	attempt_log_last(&l, MADE_MS, AT("two", 0), true, false, 0, &unknown);
	for (const char *at = printed_log(&l, row); (at = strstr(at, "\"provider\":")); at++)
		n++;
	assert_int_equal(n, ATTEMPT_LOG_MOST);
	assert_non_null(strstr(printed_log(&l, row), "\"model\":\"two\""));
	attempt_log_finish(&l);
}

static void runs_without_a_log(void **state)
{
	static const struct {
		enum run_status status;
		int64_t         attempts;
		const char     *error;
		const char     *want;
	} cases[] = {
		{ RUN_QUEUED, 1, "", "{\"attempt_list\":[]}" },
		{ RUN_FAILED, 0, "", "{\"attempt_list\":[]}" },
		{ RUN_COMPLETED, 1, "", "\"ended_at_ms\":1000090,\"outcome\":\"completed\"" },
		{ RUN_FAILED, 1, "{\"code\":\"idle_timeout\"}",
		  "\"outcome\":\"failed\",\"http_status\":null,\"error_code\":\"idle_timeout\"" },
		{ RUN_INCOMPLETE, 2, "{\"code\":\"server_stopped\"}",
		  "\"ended_at_ms\":null,\"outcome\":\"lost\"" },
		{ RUN_CANCELLED, 1, "{\"code\":\"cancelled\"}", "\"outcome\":\"cancelled\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct run_read run = row;

		run.status = cases[i].status;
		run.attempts = cases[i].attempts;
		run.error = str_of(cases[i].error);
		assert_non_null(strstr(printed(&run), cases[i].want));
		/* Of several, the cost is that of all. */
		if (run.attempts == 2)
			assert_non_null(strstr(printed(&run), "\"cost\":null"));
	}
}

/* What is no log is none, whatever it is: the run itself still tells. */
static void other_texts(void **state)
{
	static const char *const texts[] = { "{}",  "[1]",   "[[]]",    "[[1,2]]", "[[1,2,3,4,5]]",
					     "nul", "[[,]]", "\"text\"" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct run_read run = row;

		run.attempt_log = str_of(texts[i]);
		assert_non_null(printed(&run));
	}
}

static void the_last_step_has_its_own_rest(void **state)
{
	struct attempt_past step = {
		.provider = "q",
		.code = "",
		.http = 200,
		.first_ms = MADE_MS + 20,
		.ended_ms = MADE_MS + 40,
		.usage = { .known = true, .in = 1, .out = 1 },
		.costs = true,
		.nano = 5,
	};
	struct attempt_log l;
	const char        *text;

	(void)state;
	attempt_log_init(&l);
	attempt_log_begun(&l, MADE_MS, AT("m", 0), MADE_MS + 10);
	attempt_log_past(&l, MADE_MS, AT("m", 0), &step);
	attempt_log_begun(&l, MADE_MS, AT("m", 0), MADE_MS + 50);
	step.first_ms = 0;
	step.ended_ms = MADE_MS + 80;
	step.code = "cancelled";
	attempt_log_last_step(&l, MADE_MS, AT("m", 0), &step);
	text = printed_log(&l, row);
	assert_non_null(strstr(text, "\"started_at_ms\":1000010,\"first_token_at_ms\":1000020,"
				     "\"ended_at_ms\":1000040,\"outcome\":\"completed\""));
	assert_non_null(strstr(text, "\"started_at_ms\":1000050,\"first_token_at_ms\":null,"
				     "\"ended_at_ms\":1000080,\"outcome\":\"cancelled\""));
	assert_null(strstr(text, "\"prompt_tokens\":2")); /* the run's */
	size_t len = l.text.len;
	attempt_log_last_step(&l, MADE_MS, AT("m", 0), &step); /* it is not open any more */
	assert_int_equal(l.text.len, len);
	attempt_log_finish(&l);
}

static void one_of_several_keys_is_told(void **state)
{
	struct attempt_log l;
	struct run_read    run = row;
	struct str kept = STR("[[\"one\",10,500,\"p\\\"1\",30,\"upstream_error\",0,30,7,3,0,0,5,"
			      "null,[3]],[\"two\",50,200,7,[16]]]");

	(void)state;
	attempt_log_init(&l);
	attempt_log_begun(&l, MADE_MS, AT("one", 3), MADE_MS + 10);
	assert_true(str_eq(buf_view(&l.text), STR("[[\"one\",10,null,[3]]]")));
	assert_non_null(
		strstr(printed_log(&l, row), "\"provider\":\"q\",\"key\":3,\"model\":\"one\""));
	attempt_log_past(&l, MADE_MS, AT("one", 3), &failed);
	attempt_log_begun(&l, MADE_MS, AT("two", 16), MADE_MS + 50);
	l.http = 200;
	attempt_log_last(&l, MADE_MS, AT("two", 16), true, true, 7, &unknown);
	assert_true(str_eq(buf_view(&l.text), kept));
	const char *text = printed_log(&l, row);
	assert_non_null(strstr(text, "\"provider\":\"p\\\"1\",\"key\":3,\"model\":\"one\""));
	assert_non_null(strstr(text, "\"provider\":\"q\",\"key\":16,\"model\":\"two\""));
	assert_non_null(strstr(text, "\"cost\":\"0.000000007\"" UNPRICED "}]}"));
	attempt_log_finish(&l);

	/* The ledger alone knows the call. */
	run.call.provider_key = 2;
	assert_non_null(strstr(printed(&run), "\"provider\":\"q\",\"key\":2,\"model\":null"));

	run.attempt_log = STR("[[\"one\",10,500,[]]]");
	assert_non_null(strstr(printed(&run), "\"provider\":\"q\",\"key\":null,\"model\":\"one\""));
}

/* The price stands before the key. */
static void a_key_and_a_price_are_told(void **state)
{
	static const struct attempt_price flex = {
		.told = true, .source = "file", .above = 200000, .class = "flex"
	};
	struct attempt_past dropped = failed;
	struct attempt_log  l;
	struct str          kept = STR(
			 "[[\"one\",10,500,\"p\\\"1\",30,\"upstream_error\",0,30,7,3,0,0,5,null,"
				  "\"file\",200000,\"flex\",[3]],[\"two\",50,200,7,\"file\",200000,\"flex\",[16]]]");

	(void)state;
	dropped.price = flex;
	attempt_log_init(&l);
	attempt_log_begun(&l, MADE_MS, AT("one", 3), MADE_MS + 10);
	attempt_log_past(&l, MADE_MS, AT("one", 3), &dropped);
	attempt_log_begun(&l, MADE_MS, AT("two", 16), MADE_MS + 50);
	l.http = 200;
	attempt_log_last(&l, MADE_MS, AT("two", 16), true, true, 7, &flex);
	assert_true(str_eq(buf_view(&l.text), kept));
	const char *text = printed_log(&l, row);
	assert_non_null(strstr(text, "\"provider\":\"p\\\"1\",\"key\":3,\"model\":\"one\""));
	assert_non_null(strstr(text, "\"cost\":\"0.000000005\",\"price_source\":\"file\","
				     "\"price_tier\":200000,\"price_class\":\"flex\"},{"
				     "\"provider\":\"q\",\"key\":16,\"model\":\"two\""));
	assert_non_null(strstr(text, "\"cost\":\"0.000000007\",\"price_source\":\"file\","
				     "\"price_tier\":200000,\"price_class\":\"flex\"}]}"));
	attempt_log_finish(&l);
}

static void older_logs_are_read(void **state)
{
	struct run_read run = row;

	(void)state;
	run.attempt_log = STR("[[\"m\",10,500,\"p\",30,\"upstream_error\",0,30,7,3,0,0,5],"
			      "[\"m\",50,200,7]]");
	assert_non_null(strstr(printed(&run), "\"first_token_at_ms\":null,\"ended_at_ms\":1000040,"
					      "\"outcome\":\"failed\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_attempt_takes_the_rest_from_the_run),
		cmocka_unit_test(several_have_their_own),
		cmocka_unit_test(an_earlier_life_is_gone_on_with),
		cmocka_unit_test(each_tells_what_its_price_was_made_of),
		cmocka_unit_test(given_up_and_no_other_asked),
		cmocka_unit_test(only_the_first_and_the_last),
		cmocka_unit_test(runs_without_a_log),
		cmocka_unit_test(other_texts),
		cmocka_unit_test(the_last_step_has_its_own_rest),
		cmocka_unit_test(one_of_several_keys_is_told),
		cmocka_unit_test(a_key_and_a_price_are_told),
		cmocka_unit_test(older_logs_are_read),
	};

	return cmocka_run_group_tests_name("routes/attempts", tests, NULL, NULL);
}
