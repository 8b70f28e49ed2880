/* A request that is written as a plan, and read again as it was. */
#include "run/plan.h"

#include "base/identity.h"
#include "desk/ticket.h"
#include "shape/family.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MEMBERS = 3 };

static const struct str members[MEMBERS] = {
	{ "\"temperature\" : 0.5", 19 },
	{ "\"tools\":[{\"type\":\"function\"}]", 29 },
	{ "\"stop\":\"\\u00e9\\\"\"", 17 },
};

static struct input *written(const struct call_request *rq, size_t max, bool *ret_ok)
{
	struct input *in = input_create(1 << 20);
	struct buf    text;

	assert_non_null(in);
	buf_init(&text, max);
	*ret_ok = plan_print(rq, &text);
	assert_true(buf_str(&in->body, buf_view(&text)));
	buf_finish(&text);
	return in;
}

static void same(struct str a, struct str b)
{
	assert_true(str_eq(a, b));
}

static void all_of_it_comes_back(void **state)
{
	struct identity     who = { .number = 0, .owner = 77 };
	char                name[TICKET_WHO];
	struct call_request rq = {
		.what = { .answers_calls = true,
			  .instruction_once = true,
			  .instruction = STR("Be \"short\"."),
			  .prompt = { .members = members,
				      .member_count = MEMBERS,
				      .max_tokens = STR("99"),
				      .max_tokens_key = "max_completion_tokens",
				      .stream_options = STR("{\"include_usage\":true}"),
				      .forward = { { 0 }, STR("\"metadata\":{\"a\":\"b\"}") },
				      .as_sent = true } },
		.manner = { .family = &family_responses,
			    .guess_in = 12,
			    .want_usage = true,
			    .fences = true },
		.caller = { .who = &who, .session = UINT64_MAX - 3 },
	};
	struct call_request ret = { 0 };
	struct str          named;
	struct err          e;
	bool                ok;
	struct input       *in = written(&rq, 1 << 16, &ok);

	(void)state;
	assert_true(ok);
	assert_int_equal(plan_read(in, &ret, &named, &e), ERR_OK);
	ticket_who(&who, name);
	same(named, str_of(name));
	assert_ptr_equal(ret.manner.family, &family_responses);
	assert_int_equal(ret.what.prompt.member_count, MEMBERS);
	for (size_t i = 0; i < MEMBERS; i++)
		same(ret.what.prompt.members[i], members[i]);
	same(ret.what.prompt.max_tokens, STR("99"));
	assert_string_equal(ret.what.prompt.max_tokens_key, "max_completion_tokens");
	same(ret.what.prompt.stream_options, STR("{\"include_usage\":true}"));
	same(ret.what.prompt.forward[0], STR("\"metadata\":{\"a\":\"b\"}"));
	same(ret.what.instruction, STR("Be \"short\"."));
	assert_true(ret.what.instruction_set && ret.what.instruction_once);
	assert_true(ret.what.answers_calls && ret.what.prompt.as_sent && ret.what.prompt.stream);
	assert_true(ret.manner.want_usage && ret.manner.fences && ret.manner.store);
	assert_false(ret.manner.bare || ret.manner.fence || ret.manner.logprobs);
	assert_false(ret.what.instruction_default || ret.what.prompt.want_usage);
	assert_true(ret.manner.guess_in == 12 && ret.caller.session == UINT64_MAX - 3);
	input_destroy(in);
}

static void an_instruction_of_the_branch_is_not_repeated(void **state)
{
	struct call_request rq = { .what = { .instruction = STR("kept"), .instruction_set = true },
				   .manner = { .family = &family_chat } };
	struct call_request ret = { 0 };
	struct str          named;
	struct err          e;
	bool                ok;
	struct input       *in = written(&rq, 1 << 16, &ok);

	(void)state;
	assert_int_equal(plan_read(in, &ret, &named, &e), ERR_OK);
	assert_int_equal(ret.what.instruction.n, 0);
	assert_false(ret.what.instruction_set);
	assert_true(named.n == 0 && !ret.what.prompt.max_tokens_key);
	input_destroy(in);
}

static void what_is_none_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"[]",
		"{}",
		"{\"family\":\"chat\"}",
		"{\"family\":\"none\",\"who\":\"\",\"session\":1,\"guess\":0,\"members\":{}}",
		"{\"family\":\"chat\",\"who\":\"\",\"session\":\"1\",\"guess\":0,\"members\":{}}",
		"{\"family\":\"chat\",\"who\":\"\",\"session\":1,\"guess\":0,\"members\":[]}",
		"{\"family\":\"chat\",\"who\":\"\",\"session\":1,\"guess\":0,\"members\":{}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct call_request ret = { 0 };
		struct input       *in = input_create(1 << 16);
		struct str          named;
		struct err          e;

		assert_non_null(in);
		assert_true(buf_text(&in->body, bad[i]));
		assert_int_not_equal(plan_read(in, &ret, &named, &e), ERR_OK);
		input_destroy(in);
	}
}

static void a_long_one_is_not_written(void **state)
{
	struct call_request rq = { .what = { .prompt = { .members = members,
							 .member_count = MEMBERS } },
				   .manner = { .family = &family_chat } };
	bool                ok;
	struct input       *in = written(&rq, 64, &ok);

	(void)state;
	assert_false(ok);
	input_destroy(in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it_comes_back),
		cmocka_unit_test(an_instruction_of_the_branch_is_not_repeated),
		cmocka_unit_test(what_is_none_is_refused),
		cmocka_unit_test(a_long_one_is_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
