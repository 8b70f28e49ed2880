/* LMC's dialect: requests as they leave, and recorded plain answers as events. */
#include "tests/unit/lmc_heard.h"

/* --- plain answers --- */

#define SAYS(role, content) \
	"{\"role\":\"" role "\",\"type\":\"message\",\"content\":\"" content "\"}"

/* clang-format off */
static const struct whole_case wholes[] = {
	{ "as Parley sends it",
	  "{\"object\":\"lmc.messages\",\"run\":\"run_1\",\"messages\":["
	  SAYS("assistant", "Look:") ",\n" SAYS("assistant", "here") ","
	  "{\"role\":\"computer\",\"type\":\"image\",\"format\":\"base64.png\",\"content\":\"QQ==\"}],"
	  "\"finish_reason\":\"length\",\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}",
	  ERR_OK,
	  "START() " M_ON "=(\"Look:\") " M_OFF M_ON "=(\"here\") " M_OFF
	  "+computer/image/base64.png =(\"QQ==\") -computer/image/base64.png "
	  "MESSAGE({\"role\":\"assistant\",\"content\":\"Look:\\nhere\"}) USAGE(1,2) FINISH(length) " },
	{ "nothing said, no finish reason",
	  "{\"messages\":[" SAYS("assistant", "") ","
	  "{\"role\":\"server\",\"type\":\"status\",\"content\":\"complete\"}]}",
	  ERR_OK,
	  "START() " M_ON M_OFF "MESSAGE({\"role\":\"assistant\",\"content\":\"\"}) FINISH(stop) " },
	{ "no messages are an answer", "{\"messages\":[]}", ERR_OK,
	  "START() MESSAGE({\"role\":\"assistant\",\"content\":\"\"}) FINISH(stop) " },
	{ "an error with status 200", "{\"error\":{\"code\":502,\"message\":\"bad gateway\"}}",
	  ERR_UPSTREAM_ERROR, "bad gateway" },
	{ "an error among the messages",
	  "{\"messages\":[" SAYS("assistant", "a") ","
	  "{\"role\":\"server\",\"type\":\"error\",\"content\":\"no\"}]}",
	  ERR_UPSTREAM_ERROR, "no" },
	{ "no messages", "{\"choices\":[]}", ERR_UPSTREAM_BAD_RESPONSE,
	  "the provider sent an answer without messages" },
	{ "messages of a wrong type", "{\"messages\":{}}", ERR_UPSTREAM_BAD_RESPONSE,
	  "the provider sent an answer without messages" },
	{ "a message that is none", "{\"messages\":[7]}", ERR_UPSTREAM_BAD_RESPONSE,
	  "the provider sent a message that is no JSON object" },
	{ "a message without a type", "{\"messages\":[{\"role\":\"user\",\"start\":true}]}",
	  ERR_UPSTREAM_BAD_RESPONSE, "the provider sent a message without a type" },
	{ "a bad message behind a good one",
	  "{\"messages\":[" SAYS("assistant", "a") "," SAYS("x", "a") "]}",
	  ERR_UPSTREAM_BAD_RESPONSE, "the provider sent a chunk with a role that LMC does not have" },
	{ "HTML", "<html><body>hi</body></html>", ERR_UPSTREAM_BAD_RESPONSE,
	  "the provider sent an answer that is not JSON" },
	{ "nothing", "", ERR_UPSTREAM_BAD_RESPONSE, "the provider sent an answer that is not JSON" },
	{ "a list", "[]", ERR_UPSTREAM_BAD_RESPONSE,
	  "the provider sent an answer that is no JSON object" },
};
/* clang-format on */

static void whole_answers_become_events(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wholes); i++) {
		struct heard t;

		heard_open(&t);
		check_whole(&t.in, &wholes[i]);
		heard_close(&t);
	}
}

static void code_in_a_whole_answer_is_a_tool_call(void **state)
{
	static const char body[] = "{\"messages\":[" SAYS(
		"assistant",
		"Look") ","
			"{\"role\":\"assistant\",\"type\":\"code\",\"format\":\"r\",\"content\":\"a\\\"\\n\"},"
			"{\"role\":\"assistant\",\"type\":\"tool_call\",\"format\":\"f\",\"content\":\"{}\"}]}";
	struct heard t;
	char         got[1024];

	(void)state;
	heard_open(&t);
	assert_int_equal(t.in.dialect->decode_whole(&t.in.decode, str_of(body), &t.in.err), ERR_OK);
	str_copy(got, sizeof got, buf_view(&t.in.out));

	/* The ids are random behind their number. */
	for (char *id = strstr(got, "call_"); id; id = strstr(id + 7, "\"call_")) {
		char *tail = strchr(id, '_') + 2;

		memmove(tail, tail + 17, strlen(tail + 17) + 1);
	}
	expect_text(
		"code", str_of(got),
		"START() " M_ON "=(\"Look\") " M_OFF "+assistant/code/r =(\"a\\\"\\n\") "
		"-assistant/code/r +assistant/tool_call/f =(\"{}\") -assistant/tool_call/f "
		"MESSAGE({\"role\":\"assistant\",\"content\":\"Look\",\"tool_calls\":["
		"{\"id\":\"call_0\",\"type\":\"function\",\"function\":{\"name\":\"execute\","
		"\"arguments\":\"{\\\"language\\\":\\\"r\\\",\\\"code\\\":\\\"a\\\\\\\"\\\\n\\\"}\"}},"
		"{\"id\":\"call_1\",\"type\":\"function\",\"function\":{\"name\":\"f\","
		"\"arguments\":\"{}\"}}]}) FINISH(tool_calls) ");
	heard_close(&t);
}

static void statuses_become_errors(void **state)
{
	(void)state;
	struct err e = status_error(&dialect_lmc, 400,
				    "{\"error\":{\"message\":\"no\",\"param\":\"config.seed\"}}");
	assert_int_equal(e.code, ERR_UPSTREAM_REJECTED);
	assert_string_equal(e.path, "config.seed");
	e = status_error(&dialect_lmc, 503, "<html>");
	assert_int_equal(e.code, ERR_UPSTREAM_UNAVAILABLE);
}

/* --- requests --- */

#define USER(content) "{\"role\":\"user\",\"content\":" content "}"
#define WANT(messages, stream, store, config)                                                    \
	"{\"messages\":[" messages "],\"format\":\"lmc\",\"stream\":" stream ",\"store\":" store \
	",\"config\":{\"model\":\"org/\\\"m\\\"\"" config "}}"

/* clang-format off */
static const struct {
	const char *why;
	const char *messages[6];
	const char *members[6];
	const char *max_tokens; /* NULL: none */
	bool        stream;
	bool        forward;
	enum errc   code;
	const char *want; /* the request, or PATH: TEXT of the error */
} requests[] = {
	{ .why = "text",
	  .messages = { "{\"role\":\"system\",\"content\":\"s\"}",
			"{\"role\":\"user\", \"content\":\"\\u00e4\"}" },
	  .stream = true,
	  .want = WANT("{\"role\":\"system\",\"type\":\"message\",\"content\":\"s\"},"
		       SAYS("user", "\xC3\xA4"), "true", "false", "") },
	{ .why = "a call and what it printed",
	  .messages = { "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a\","
			"\"type\":\"function\",\"function\":{\"name\":\"execute\",\"arguments\":"
			"\"{\\\"language\\\":\\\"r\\\",\\\"code\\\":\\\"x\\\"}\"}}]}",
			"{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"No output\"}" },
	  .want = WANT("{\"role\":\"assistant\",\"type\":\"code\",\"format\":\"r\",\"content\":\"x\"},"
		       "{\"role\":\"computer\",\"type\":\"console\",\"format\":\"output\",\"content\":\"\"}",
		       "false", "false", "") },
	{ .why = "fenced code is code, and an empty message is none",
	  .messages = { "{\"role\":\"assistant\",\"content\":\"```r\\nx\\n```\"}", USER("\"\"") },
	  .want = WANT("{\"role\":\"assistant\",\"type\":\"code\",\"format\":\"r\",\"content\":\"x\"}",
		       "false", "false", "") },
	{ .why = "members have their places, max_tokens too, and n is one anyway",
	  .messages = { USER("\"a\"") },
	  .members = { "\"temperature\":0.10", "\"user\":\"u\"", "\"n\" : 1", "\"tools\":[]",
		       "\"logit_bias\":{}" },
	  .max_tokens = "7",
	  .want = WANT(SAYS("user", "a"), "false", "false",
		       ",\"temperature\":0.10,\"tools\":[],\"max_tokens\":7,"
		       "\"extra\":{\"user\":\"u\",\"logit_bias\":{}}") },
	{ .why = "store and metadata where they are wanted",
	  .messages = { USER("\"a\"") },
	  .forward = true,
	  .want = WANT(SAYS("user", "a"), "false", "true,\"metadata\":{}", "") },
	{ .why = "more than one choice",
	  .messages = { USER("\"a\"") },
	  .members = { "\"n\":2" },
	  .code = ERR_UNSUPPORTED_PARAMETER,
	  .want = "n: must be 1: a provider that speaks LMC gives one choice" },
	{ .why = "an image that LMC can't say",
	  .messages = { USER("\"a\""),
			USER("[{\"type\":\"image_url\",\"image_url\":{\"url\":\"ftp://x\"}}]") },
	  .code = ERR_INVALID_VALUE,
	  .want = "messages[1].content[0].image_url.url: the URL of an image must begin with http:// or "
		  "https://, or be a data URL of a png, jpeg, gif or webp image in base64" },
	{ .why = "a part that LMC has not",
	  .messages = { USER("[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"file\"}]") },
	  .code = ERR_UNSUPPORTED_PARAMETER,
	  .want = "messages[0].content[1]: this provider speaks LMC, which has no message for this part; "
		  "it takes text, and of a user also image_url and input_audio" },
	{ .why = "nothing to say",
	  .messages = { USER("\"\"") },
	  .code = ERR_INVALID_VALUE,
	  .want = "messages: all of them are empty; this provider needs one with content" },
};
/* clang-format on */

static size_t list_of(const char *const from[6], struct str to[6])
{
	size_t n = 0;

	for (; n < 6 && from[n]; n++)
		to[n] = str_of(from[n]);
	return n;
}

static void requests_are_llm_chat_in_lmc(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
		struct str              messages[6], members[6];
		struct provider_options o = { .stream_usage = true,
					      .forward_store = requests[i].forward };
		struct prompt           p = {
				  .model = STR("org/\"m\""),
				  .messages = messages,
				  .message_count = list_of(requests[i].messages, messages),
				  .members = members,
				  .member_count = list_of(requests[i].members, members),
				  .max_tokens = str_of(requests[i].max_tokens),
				  .stream = requests[i].stream,
				  .want_usage = requests[i].stream,
				  .forward = { STR("\"store\":true"), STR("\"metadata\":{}") },
		};
		struct buf out;
		struct err e = { 0 };
		char       failure[512];

		buf_init(&out, 1 << 20);
		enum errc rc = dialect_lmc.encode(&o, &p, &out, &e);
		snprintf(failure, sizeof failure, "%s: %s", e.path, e.text);
		if (rc != requests[i].code)
			fail_msg("%s: code %d, %s", requests[i].why, (int)rc, failure);
		expect_text(requests[i].why, rc == ERR_OK ? buf_view(&out) : str_of(failure),
			    requests[i].want);
		buf_finish(&out);
	}
}

static void a_request_above_the_buffers_maximum_is_refused(void **state)
{
	(void)state;
	for (size_t max = 70; max < 140; max += 10)
		expect_too_large(max, &dialect_lmc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_answers_become_events),
		cmocka_unit_test(code_in_a_whole_answer_is_a_tool_call),
		cmocka_unit_test(statuses_become_errors),
		cmocka_unit_test(requests_are_llm_chat_in_lmc),
		cmocka_unit_test(a_request_above_the_buffers_maximum_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
