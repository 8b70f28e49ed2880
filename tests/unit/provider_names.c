/* Names of functions that become short ones and are turned back. */
#include "provider/remote.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define L16 "abcdefgh_-ABCD12"
#define L64 L16 L16 L16 L16
#define L65 L64 "x"
#define F(n)                                                                                      \
	"{\"type\":\"function\",\"function\":{\"name\":\"" n "\",\"parameters\":{\"name\":\"" L65 \
	"\"}}}"

static struct str shorten(const char *member, const char *message, struct arena *a, struct str *ret)
{
	const struct str members[] = { STR("\"temperature\":1"), str_of(member) };
	const struct str messages[] = { STR("{\"role\":\"user\",\"content\":\"\\\"name\\\":\\\"" L65
					    "\\\"\"}"),
					str_of(message) };
	struct prompt    p = {
		   .members = members, .member_count = 2, .messages = messages, .message_count = 2
	};
	struct err e;

	assert_int_equal(names_shorten(&p, a, &e), ERR_OK);
	assert_true(p.members[0].p == members[0].p && p.messages[0].p == messages[0].p);
	*ret = p.messages[1];
	return p.members[1];
}

static void only_names_that_are_refused_are_replaced(void **state)
{
	static const struct {
		const char *member, *message;
		int         members, messages; /* how many names become short */
	} cases[] = {
		{ "\"tools\":[" F("f") "," F(L64) "]", "{}", 0, 0 },
		{ "\"tools\":[" F("f") "," F(L65) "]", "{}", 1, 0 },
		{ "\"tools\":[" F("a.b") "," F("a b") "," F("") "]", "{}", 2, 0 },
		{ "\"tools\":[{\"type\":\"custom\",\"custom\":{\"name\":\"" L65
		  "\"}}, 7, {\"function\":7}]",
		  "{}", 1, 0 },
		{ "\"tools\":7", "{}", 0, 0 },
		{ "\"tool_choice\":{\"type\":\"function\",\"function\":{ \"name\" : \"" L65 "\" }}",
		  "{}", 1, 0 },
		{ "\"tool_choice\":{\"allowed_tools\":{\"tools\":[" F(L65) "]}}", "{}", 1, 0 },
		{ "\"tool_choice\":\"auto\"",
		  "{\"role\":\"assistant\",\"content\":\"\\\"name\\\":1\",\"tool_calls\":[" F(
			  L65) "," F("f") "," F("\\u0000") "]}",
		  0, 2 },
		{ "\"x\":{\"name\":\"" L65 "\"}",
		  "{\"role\":\"tool\",\"name\":\"" L65 "\",\"content\":\"\"}", 0, 1 },
		{ "\"x\":1", "{\"role\":\"assistant\",\"name\":\"" L65 "\",\"content\":\"\"}", 0,
		  0 },
		{ "\"x\":1", "{\"role\":\"assistant\",\"tool_calls\":{\"name\":\"" L65 "\"}}", 0,
		  0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct arena a;
		struct str   message;
		int          members = 0;
		int          messages = 0;

		arena_init(&a, 1 << 20);
		struct str member = shorten(cases[i].member, cases[i].message, &a, &message);
		/* A short name has at most 64 bytes, and the hash after its last underscore. */
		for (size_t k = 17; k < member.n; k++)
			members += member.p[k] == '"' && member.p[k - 17] == '_' &&
				   strspn(member.p + k - 16, "0123456789abcdef") == 16;
		for (size_t k = 17; k < message.n; k++)
			messages += message.p[k] == '"' && message.p[k - 17] == '_' &&
				    strspn(message.p + k - 16, "0123456789abcdef") == 16;
		if (members != cases[i].members || messages != cases[i].messages)
			fail_msg("case %zu: %.*s %.*s", i, STR_ARG(member), STR_ARG(message));
		if (members == 0)
			assert_int_equal(member.n, strlen(cases[i].member));
		arena_finish(&a);
	}
}

static void events_get_the_clients_names_and_lose_the_providers_bytes(void **state)
{
	const struct str members[] = { STR("\"tools\":[" F("a.b") "," F("f") "]") };
	struct prompt    p = { .members = members, .member_count = 1 };
	struct arena     a;
	struct names    *n = NULL;
	struct err       e;
	bool             starved;
	char             text[512];

	(void)state;
	assert_int_equal(names_read(&p, &n, &e), ERR_OK);
	assert_non_null(n);
	arena_init(&a, 1 << 20);
	assert_int_equal(names_shorten(&p, &a, &e), ERR_OK);
	struct str  brief = p.members[0];
	const char *at = memmem(brief.p, brief.n, "a_b_", 4);
	assert_non_null(at);
	brief = (struct str){ at, 20 };

	struct event ev = {
		.kind = EVENT_TOOL_START, .name = brief, .raw = STR("{}"), .cont = true
	};
	assert_true(names_restore(n, &ev, &starved));
	assert_true(str_is(ev.name, "a.b") && ev.raw.n == 0 && !ev.cont);
	ev = (struct event){ .kind = EVENT_TOOL_START, .name = STR("f") };
	assert_true(names_restore(n, &ev, &starved) && str_is(ev.name, "f"));
	snprintf(text, sizeof text,
		 "{\"content\":\"%.*s\",\"tool_calls\":[{\"function\":{\"name\":\"%.*s\"}}, {}]}",
		 STR_ARG(brief), STR_ARG(brief));
	ev = (struct event){ .kind = EVENT_MESSAGE, .text = str_of(text) };
	assert_true(names_restore(n, &ev, &starved));
	assert_non_null(memmem(ev.text.p, ev.text.n, "{\"name\":\"a.b\"}}, {}]}", 20));
	assert_non_null(memmem(ev.text.p, ev.text.n, brief.p, brief.n));
	ev = (struct event){ .kind = EVENT_OTHER, .raw = STR("{}") };
	assert_true(!names_restore(n, &ev, &starved) && !starved);
	ev = (struct event){ .kind = EVENT_OTHER, .name = STR("[]"), .raw = STR("{}") };
	assert_true(names_restore(n, &ev, &starved) && str_is(ev.name, "[]") && ev.raw.n == 0);
	arena_finish(&a);
	names_free(n);
}

static void a_request_without_such_names_has_nothing_to_turn_back(void **state)
{
	static const char *const members[] = { "\"tools\":[" F("f") "]", "\"tools\":[]",
					       "\"tools\":7", "\"x\":1",
					       "\"tools\":[{\"name\":\"" L65 "\"}]" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		const struct str member = str_of(members[i]);
		struct prompt    p = { .members = &member, .member_count = 1 };
		struct names    *n = NULL;
		struct err       e;

		assert_int_equal(names_read(&p, &n, &e), ERR_OK);
		assert_null(n);
	}
	names_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_names_that_are_refused_are_replaced),
		cmocka_unit_test(events_get_the_clients_names_and_lose_the_providers_bytes),
		cmocka_unit_test(a_request_without_such_names_has_nothing_to_turn_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
