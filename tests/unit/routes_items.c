/* Stored messages as items, and items' ids as cursors. */
#include "base/buf.h"
#include "base/limits.h"
#include "routes/conversation/conversation.h"
#include "store/conversation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define BODY "000000000000000700000000000000ff"
static const struct id id_7 = { 7, 255 };

#define MESSAGE(status, role)                                                                      \
	"{\"type\":\"message\",\"id\":\"msg_" BODY "\",\"status\":\"" status "\",\"role\":\"" role \
	"\",\"content\":["
#define MADE               "],\"created_at\":1700000000}"
#define MADE_WITH(members) "]," members ",\"created_at\":1700000000}"

struct row {
	const char     *why, *message;
	enum run_status status;
	const char     *want;
};

static void check_row(const struct row *row)
{
	struct store_item item = {
		{ id_7, str_of(row->message) }, 1700000000999, row->status, STR_NONE
	};
	struct items list;
	struct buf   out;

	print_message("case: %s\n", row->why);
	buf_init(&out, 64 * KIB);
	items_init(&list, &out);
	assert_true(buf_text(&out, "["));
	assert_true(items_push(&list, &item));
	assert_true(buf_add(&out, "]", 2));
	assert_string_equal(out.data, row->want);
	items_finish(&list);
	buf_finish(&out);
}

static void each_form_of_message_has_its_items(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row cases[] = {
		{ "a user's string", "{\"role\":\"user\",\"content\":\"hi \\u00e9\"}",
		  RUN_COMPLETED,
		  "[" MESSAGE("completed", "user")
		  "{\"type\":\"input_text\",\"text\":\"hi \xc3\xa9\"}" MADE "]" },
		{ "no role: a user's", "{\"content\":\"hi\"}", RUN_COMPLETED,
		  "[" MESSAGE("completed", "user") "{\"type\":\"input_text\",\"text\":\"hi\"}" MADE
		  "]" },
		{ "an answer", "{\"role\":\"assistant\",\"content\":\"yo\"}", RUN_COMPLETED,
		  "[" MESSAGE("completed", "assistant")
		  "{\"type\":\"output_text\",\"text\":\"yo\",\"annotations\":[],\"logprobs\":[]}" MADE "]" },
		{ "an answer that was cut", "{\"role\":\"assistant\",\"content\":\"yo\"}",
		  RUN_INCOMPLETE,
		  "[" MESSAGE("incomplete", "assistant")
		  "{\"type\":\"output_text\",\"text\":\"yo\",\"annotations\":[],\"logprobs\":[]}" MADE "]" },
		{ "an answer that is being made", "{\"role\":\"assistant\",\"content\":\"\"}",
		  RUN_RUNNING,
		  "[" MESSAGE("in_progress", "assistant")
		  "{\"type\":\"output_text\",\"text\":\"\",\"annotations\":[],\"logprobs\":[]}" MADE "]" },
		{ "system", "{\"role\":\"system\",\"content\":\"be\"}", RUN_COMPLETED,
		  "[" MESSAGE("completed", "system") "{\"type\":\"input_text\",\"text\":\"be\"}"
		  MADE "]" },
		{ "parts: text, image, file, and what is not known",
		  "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
		  "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:x\",\"detail\":\"low\"}},"
		  "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:y\"}},"
		  "{\"type\":\"file\",\"file\":{\"file_id\":\"f1\",\"filename\":\"n\",\"other\":1}"
		  "},"
		  "{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"x\"}},{\"type\":\"text\"},"
		  "{\"type\":\"image_url\",\"image_url\":\"bare\"},{\"type\":7}]}",
		  RUN_COMPLETED,
		  "[" MESSAGE("completed", "user") "{\"type\":\"input_text\",\"text\":\"a\"},"
		  "{\"type\":\"input_image\",\"image_url\":\"data:x\",\"detail\":\"low\"},"
		  "{\"type\":\"input_image\",\"image_url\":\"data:y\",\"detail\":\"auto\"},"
		  "{\"type\":\"input_file\",\"file_id\":\"f1\",\"filename\":\"n\"},"
		  "{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"x\"}},{\"type\":\"text\"},"
		  "{\"type\":\"image_url\",\"image_url\":\"bare\"},{\"type\":7}" MADE "]" },
		{ "name and context are kept",
		  "{\"role\":\"user\",\"content\":\"a\",\"name\":\"bob\",\"context\":{\"files\":[]"
		  "}}",
		  RUN_COMPLETED,
		  "[" MESSAGE("completed", "user") "{\"type\":\"input_text\",\"text\":\"a\"}"
		  MADE_WITH("\"name\":\"bob\",\"context\":{\"files\":[]}") "]" },
		{ "calls alone",
		  "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c1\","
		  "\"type\":\"function\","
		  "\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}},"
		  "{\"id\":\"c2\",\"function\":{\"name\":\"g\",\"arguments\":\"\"}}]}",
		  RUN_COMPLETED,
		  "[{\"type\":\"function_call\",\"id\":\"fc_" BODY
		  "\",\"call_id\":\"c1\",\"name\":\"f\","
		  "\"arguments\":\"{\\\"a\\\":1}\",\"status\":\"completed\"},"
		  "{\"type\":\"function_call\",\"id\":\"fc_" BODY
		  "_2\",\"call_id\":\"c2\",\"name\":\"g\","
		  "\"arguments\":\"\",\"status\":\"completed\"}]" },
		{ "text and a call",
		  "{\"role\":\"assistant\",\"content\":\"look\",\"tool_calls\":[{\"id\":\"c1\","
		  "\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}",
		  RUN_FAILED,
		  "[" MESSAGE("incomplete", "assistant")
		  "{\"type\":\"output_text\",\"text\":\"look\",\"annotations\":[],\"logprobs\":[]}" MADE ","
		  "{\"type\":\"function_call\",\"id\":\"fc_" BODY
		  "\",\"call_id\":\"c1\",\"name\":\"f\","
		  "\"arguments\":\"\",\"status\":\"incomplete\"}]" },
		{ "calls that are none", "{\"role\":\"assistant\",\"tool_calls\":[5,{\"function\":"
		  "null}]}",
		  RUN_COMPLETED,
		  "[{\"type\":\"function_call\",\"id\":\"fc_" BODY "\",\"status\":\"completed\"},"
		  "{\"type\":\"function_call\",\"id\":\"fc_" BODY "_2\",\"status\":\"completed\"}]"
		  },
		{ "a tool's answer", "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":"
		  "\"42\"}",
		  RUN_COMPLETED,
		  "[{\"type\":\"function_call_output\",\"id\":\"fco_" BODY "\",\"call_id\":\"c1\","
		  "\"output\":\"42\",\"status\":\"completed\"}]" },
		{ "a tool's answer in parts",
		  "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":[{\"type\":\"text\","
		  "\"text\":\"42\"}]}",
		  RUN_COMPLETED,
		  "[{\"type\":\"function_call_output\",\"id\":\"fco_" BODY "\",\"call_id\":\"c1\","
		  "\"output\":[{\"type\":\"input_text\",\"text\":\"42\"}],\"status\":"
		  "\"completed\"}]" },
		{ "no content", "{\"role\":\"user\"}", RUN_COMPLETED,
		  "[" MESSAGE("completed", "user") MADE "]" },
		{ "a role that is very long",
		  "{\"role\":\"0123456789abcdefghij\",\"content\":null}",
		  RUN_COMPLETED, "[" MESSAGE("completed", "0123456789abcde") MADE "]" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check_row(&cases[i]);
}

static void a_tools_answer_without_content_is_not_damage(void **state)
{
	(void)state;
	/* A stored chat completion may hold it: only roles are checked there. */
	check_row(&(struct row){
		"no content", "{\"role\":\"tool\",\"tool_call_id\":\"c1\"}", RUN_COMPLETED,
		"[{\"type\":\"function_call_output\",\"id\":\"fco_" BODY
		"\",\"call_id\":\"c1\",\"output\":\"\",\"status\":\"completed\"}]" });
}

static void a_refusal_is_shown(void **state)
{
	(void)state;
	check_row(&(struct row){
		"a refusal", "{\"role\":\"assistant\",\"content\":null,\"refusal\":\"no\"}",
		RUN_COMPLETED,
		"[" MESSAGE("completed",
			    "assistant") "{\"type\":\"refusal\",\"refusal\":\"no\"}" MADE "]" });
}

static void escapes_white_space_and_numbers_come_out_in_one_form(void **state)
{
	(void)state;
	check_row(&(struct row){
		"escapes",
		"{ \"role\" : \"\\u0075ser\", \"content\" : \"a\\/\\n\\b\\\"\\ud83d\\ude00\\ud800\\u0000\" ,"
		" \"context\" : { \"\\u0061\" : [ 1 , 1.50 , 1e400 , true , null , { } , [ ] ] } }",
		RUN_COMPLETED,
		"[" MESSAGE(
			"completed",
			"user") "{\"type\":\"input_text\",\"text\":"
				"\"a/\\n\\u0008\\\"\xf0\x9f\x98\x80\\ud800\\u0000\"}" MADE_WITH(
					"\"context\":{\"a\":[1,1.50,1e400,true,null,{},[]]}") "]" });
}

#define TEXT_IN(s) "{\"type\":\"input_text\",\"text\":\"" s "\"}"
#define TEXT_OUT(s) \
	"{\"type\":\"output_text\",\"text\":\"" s "\",\"annotations\":[],\"logprobs\":[]}"

static void an_lmc_message_is_one_message_item(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct row cases[] = {
		{ "a message",
		  "{\"role\":\"user\",\"type\":\"message\",\"content\":\"hi\",\"x\":1}",
		  RUN_COMPLETED, "[" MESSAGE("completed", "user") TEXT_IN("hi") MADE "]" },
		{ "of the computer",
		  "{\"role\":\"computer\",\"type\":\"message\",\"content\":\"hi\"}",
		  RUN_COMPLETED, "[" MESSAGE("completed", "user") TEXT_IN("hi") MADE "]" },
		{ "code",
		  "{\"role\":\"assistant\",\"type\":\"code\",\"format\":\"py\",\"content\":\"1\"}",
		  RUN_COMPLETED,
		  "[" MESSAGE("completed", "assistant") TEXT_OUT("```py\\n1\\n```") MADE "]" },
		{ "output", "{\"role\":\"computer\",\"type\":\"console\",\"content\":\"2\"}",
		  RUN_COMPLETED,
		  "[" MESSAGE("completed", "user") TEXT_IN("Output of the code:\\n2") MADE "]" },
		{ "an image",
		  "{\"role\":\"user\",\"type\":\"image\",\"content\":\"AAAA\"}", RUN_COMPLETED,
		  "[" MESSAGE("completed", "user")
		  "{\"type\":\"input_image\",\"image_url\":\"data:image/png;base64,AAAA\","
		  "\"detail\":\"low\"}" MADE "]" },
		{ "a call of a function has no item of its own: it has no id",
		  "{\"role\":\"assistant\",\"type\":\"tool_call\",\"format\":\"f\",\"content\":\"{}\"}",
		  RUN_COMPLETED, "[" MESSAGE("completed", "assistant") TEXT_OUT("{}") MADE "]" },
		{ "what a provider never sees",
		  "{\"role\":\"server\",\"type\":\"x\",\"content\":{\"a\": null}}", RUN_COMPLETED,
		  "[" MESSAGE("completed", "user") TEXT_IN("{\\\"a\\\":null}") MADE "]" },
		{ "its type written with escapes",
		  "{\"role\":\"user\",\"t\\u0079pe\":\"message\",\"content\":\"hi\"}",
		  RUN_COMPLETED, "[" MESSAGE("completed", "user") TEXT_IN("hi") MADE "]" },
		{ "a type that is null is none",
		  "{\"role\":\"user\",\"type\":null,\"content\":\" hi\"}", RUN_COMPLETED,
		  "[" MESSAGE("completed", "user") TEXT_IN(" hi") MADE "]" },
		{ "an answer with LMC messages beside it is shown as the message that it is",
		  "{\"role\":\"assistant\",\"content\":\"a\",\"lmc\":[{\"type\":\"code\"}]}",
		  RUN_INCOMPLETE, "[" MESSAGE("incomplete", "assistant") TEXT_OUT("a") MADE "]" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check_row(&cases[i]);
}

static void an_lmc_message_that_does_not_fit_leaves_nothing_behind(void **state)
{
	(void)state;
	static const char text[] = "{\"role\":\"user\",\"type\":\"message\",\"content\":\"hi\"}";
	struct store_item item = { { id_7, str_of(text) }, 1700000000999, RUN_COMPLETED, STR_NONE };
	struct items      list;

	/* Room for a KiB beside the message is asked for first. */
	for (size_t max = 0; max < sizeof text + KIB; max += 16) {
		struct buf out;

		buf_init(&out, max);
		items_init(&list, &out);
		if (!items_push(&list, &item)) {
			assert_int_equal(out.len, 0);
			assert_int_equal(list.count, 0);
		}
		items_finish(&list);
		buf_finish(&out);
	}
}

static void a_list_knows_its_first_and_last_id(void **state)
{
	(void)state;
	struct store_item item = {
		{ id_7, STR("{\"role\":\"assistant\",\"content\":\"a\",\"tool_calls\":[{},{}]}") },
		0,
		RUN_COMPLETED,
		STR_NONE
	};
	struct items list;
	struct buf   out;

	buf_init(&out, 64 * KIB);
	items_init(&list, &out);
	assert_string_equal(list.first, "");
	assert_true(items_push(&list, &item));
	assert_true(items_push(&list, &item));
	assert_int_equal(list.count, 6);
	assert_string_equal(list.first, "msg_" BODY);
	assert_string_equal(list.last, "fc_" BODY "_2");
	items_finish(&list);
	buf_finish(&out);
}

static void a_damaged_message_is_told(void **state)
{
	(void)state;
	static const char *const messages[] = { "", "{", "[]", "\"text\"", "null" };

	for (size_t i = 0; i < ARRAY_LEN(messages); i++) {
		struct store_item item = {
			{ id_7, str_of(messages[i]) }, 0, RUN_COMPLETED, STR_NONE
		};
		struct items list;
		struct buf   out;

		buf_init(&out, KIB);
		items_init(&list, &out);
		assert_false(items_push(&list, &item));
		assert_int_equal(list.count, 0);
		assert_int_equal(out.len, 0);
		items_finish(&list);
		buf_finish(&out);
	}
}

static void an_items_id_leads_to_its_message(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool        ok;
	} cases[] = {
		{ "msg_" BODY, true },
		{ "fc_" BODY, true },
		{ "fc_" BODY "_2", true },
		{ "fc_" BODY "_12", true },
		{ "fco_" BODY, true },
		{ "", false },
		{ "msg_", false },
		{ "_", false },
		{ "run_" BODY, false },
		{ "conv_" BODY, false },
		{ BODY, false },
		{ "msg_" BODY "0", false },
		{ "fc_" BODY "2", false },
		{ "msg_0000000000000007000000000000000", false },
		{ "msg_00000000000000070000000000000fF0", false },
		{ "msg_00000000000000000000000000000001", false },
		{ "msg_ffffffffffffffff0000000000000001", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct id got = { 99, 99 };

		if (items_cursor(str_of(cases[i].text), &got) != cases[i].ok)
			fail_msg("%s", cases[i].text);
		assert_int_equal(got.key, cases[i].ok ? 7 : 99);
		assert_int_equal(got.secret, cases[i].ok ? 255 : 99);
	}
	assert_false(items_cursor(STR_NONE, &(struct id){ 0 }));
}

static void an_id_with_something_else_behind_it_is_none(void **state)
{
	(void)state;
	static const char *const ids[] = { "msg_" BODY "_2", "fco_" BODY "_2", "fc_" BODY "_",
					   "fc_" BODY "_x", "fc_" BODY "_2_2" };

	for (size_t i = 0; i < ARRAY_LEN(ids); i++)
		assert_false(items_cursor(str_of(ids[i]), &(struct id){ 0 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form_of_message_has_its_items),
		cmocka_unit_test(a_tools_answer_without_content_is_not_damage),
		cmocka_unit_test(a_refusal_is_shown),
		cmocka_unit_test(escapes_white_space_and_numbers_come_out_in_one_form),
		cmocka_unit_test(an_lmc_message_is_one_message_item),
		cmocka_unit_test(an_lmc_message_that_does_not_fit_leaves_nothing_behind),
		cmocka_unit_test(a_list_knows_its_first_and_last_id),
		cmocka_unit_test(a_damaged_message_is_told),
		cmocka_unit_test(an_items_id_leads_to_its_message),
		cmocka_unit_test(an_id_with_something_else_behind_it_is_none),
	};

	return cmocka_run_group_tests_name("routes/conversation/items", tests, NULL, NULL);
}
