/* Which requests are equal for the cache of answers. */
#include "base/base.h"
#include "json/scan.h"
#include "run/cache_digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { PARTS = 4 };
#define LONG8(s) s s s s s s s s
#define LONG     LONG8(LONG8("0123456789")) /* more than is hashed together */
#define SAYS(text)                                             \
	{                                                      \
		"{\"role\":\"user\",\"content\":\"" text "\"}" \
	}

/* A request; what is not set is as in `usual`. */
struct ask {
	int64_t     owner;
	const char *family, *model, *provider, *upstream;
	const char *messages[PARTS], *members[PARTS];
	const char *max_tokens, *native, *version, *beta;
	bool        stream, apart;
};

static const struct ask usual = {
	.owner = 1,
	.family = "openai",
	.model = "m",
	.provider = "p",
	.upstream = "u",
	.messages = { "{\"role\":\"user\",\"content\":\"hi\"}" },
	.members = { "\"temperature\":1" },
	.max_tokens = "",
	.version = "",
	.beta = "",
};

static struct ask filled(struct ask a)
{
	if (a.owner == 0)
		a.owner = usual.owner;
	a.family = a.family ? a.family : usual.family;
	a.model = a.model ? a.model : usual.model;
	a.provider = a.provider ? a.provider : usual.provider;
	a.upstream = a.upstream ? a.upstream : usual.upstream;
	a.max_tokens = a.max_tokens ? a.max_tokens : usual.max_tokens;
	a.version = a.version ? a.version : usual.version;
	a.beta = a.beta ? a.beta : usual.beta;
	if (!a.messages[0])
		memcpy(a.messages, usual.messages, sizeof a.messages);
	if (!a.members[0])
		memcpy(a.members, usual.members, sizeof a.members);
	return a;
}

static size_t parts(const char *const list[PARTS], struct str ret[PARTS])
{
	size_t n = 0;

	for (; n < PARTS && list[n]; n++)
		ret[n] = str_of(list[n]);
	return n;
}

static bool digest(struct ask given, unsigned char ret[HASH_BYTES])
{
	struct ask           a = filled(given);
	struct str           messages[PARTS], members[PARTS];
	struct json_doc      doc = { 0 };
	struct prompt_native native = { .doc = &doc,
					.version = str_of(a.version),
					.beta = str_of(a.beta) };
	struct cache_target  target = { .provider = str_of(a.provider),
					.model = str_of(a.upstream) };
	struct err           e;
	struct prompt        p = {
		       .messages = messages,
		       .message_count = parts(a.messages, messages),
		       .members = members,
		       .member_count = parts(a.members, members),
		       .max_tokens = str_of(a.max_tokens),
		       .stream = a.stream,
		       .native = a.native ? &native : NULL,
	};

	if (a.native)
		assert_int_equal(
			json_scan(&doc, a.native, strlen(a.native), &json_limits_request, &e),
			ERR_OK);
	bool ok = cache_digest(
		&(struct cache_subject){
			.owner = a.owner,
			.family = str_of(a.family),
			.model = str_of(a.model),
			.targets = &target,
			.target_count = 1,
			.prompt = &p,
			.apart = a.apart,
		},
		ret);
	json_doc_finish(&doc);
	return ok;
}

static bool equal(struct ask a, struct ask b)
{
	unsigned char x[HASH_BYTES], y[HASH_BYTES];

	assert_true(digest(a, x) && digest(b, y));
	return memcmp(x, y, sizeof x) == 0;
}

static void requests_that_mean_the_same_are_equal(void **state)
{
	static const struct ask pairs[][2] = {
		{ { .owner = 1 }, { .owner = 1 } },
		{ { .stream = false }, { .stream = true } },
		{ { .members = { "\"a\":1", "\"b\":2" } },
		  { .members = { "\"b\":2", "\"a\":1" } } },
		{ { .members = { "\"a\":{\"x\":1,\"y\":[1,2]}" } },
		  { .members = { "\"a\" : {\"y\": [1, 2], \"x\": 1}" } } },
		{ { .messages = { "{\"role\":\"user\",\"content\":\"hi\"}" } },
		  { .messages = { "{ \"content\": \"h\\u0069\", \"role\": \"user\" }" } } },
		{ { .messages = SAYS(LONG "hi") }, { .messages = SAYS(LONG "h\\u0069") } },
		{ { .members = { "\"temperature\":1" } },
		  { .members = { "\"temperature\":1", "\"user\":\"u\"",
				 "\"safety_identifier\":\"s\"", "\"prompt_cache_key\":\"k\"" } } },
		{ { .members = { "\"temperature\":1" } },
		  { .members = { "\"temperature\":1", "\"metadata\":{\"a\":\"b\"}",
				 "\"store\":true", "\"stream_options\":{}" } } },
		{ { .native = "{\"a\":1,\"metadata\":{\"user_id\":\"x\"},\"stream\":true}" },
		  { .native = "{\"stream\":false,\"a\":1}" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
		if (!equal(pairs[i][0], pairs[i][1]))
			fail_msg("pair %zu has two digests", i);
}

static void requests_that_differ_are_unequal(void **state)
{
	static const struct ask pairs[][2] = {
		{ { .owner = 1 }, { .owner = 2 } },
		{ { .family = "openai" }, { .family = "chat" } },
		{ { .model = "m" }, { .model = "n" } },
		{ { .provider = "p" }, { .provider = "q" } },
		{ { .upstream = "u" }, { .upstream = "v" } },
		{ { .provider = "pu", .upstream = "x" }, { .provider = "p", .upstream = "ux" } },
		{ { .max_tokens = "" }, { .max_tokens = "5" } },
		{ { .members = { "\"temperature\":1" } }, { .members = { "\"temperature\":0" } } },
		{ { .members = { "\"temperature\":1" } },
		  { .members = { "\"temperature\":1", "\"odd\":true" } } },
		{ { .members = { "\"odd\":1" } }, { .members = { "\"odd\":\"1\"" } } },
		{ { .members = { "\"odd\":[1,2]" } }, { .members = { "\"odd\":[2,1]" } } },
		{ { .members = { "\"odd\":[[1],2]" } }, { .members = { "\"odd\":[[1,2]]" } } },
		{ { .members = { "\"odd\":{\"user\":\"a\"}" } },
		  { .members = { "\"odd\":{\"user\":\"b\"}" } } },
		{ { .messages = { "{\"role\":\"user\",\"content\":\"hi\"}" } },
		  { .messages = { "{\"role\":\"user\",\"content\":\"hi \"}" } } },
		{ { .messages = SAYS(LONG) }, { .messages = SAYS(LONG "0") } },
		{ { .messages = SAYS("0" LONG) }, { .messages = SAYS("1" LONG) } },
		{ { .messages = { "{\"a\":1}", "{\"b\":2}" } },
		  { .messages = { "{\"b\":2}", "{\"a\":1}" } } },
		{ { .messages = { "{\"a\":\"b\",\"c\":\"d\"}" } },
		  { .messages = { "{\"a\":\"d\",\"c\":\"b\"}" } } },
		{ { .apart = true }, { .apart = true, .stream = true } },
		{ { .apart = false }, { .apart = true } },
		{ { .native = "{\"a\":1}" }, { .native = "{\"a\":2}" } },
		{ { .native = "{\"a\":1}" }, { .native = NULL } },
		{ { .native = "{\"a\":{\"metadata\":1}}" }, { .native = "{\"a\":{}}" } },
		{ { .native = "{}", .version = "2023-06-01" }, { .native = "{}", .version = "x" } },
		{ { .native = "{}", .beta = "a" }, { .native = "{}" } },
		{ { .native = "{}", .version = "a" }, { .native = "{}", .beta = "a" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
		if (equal(pairs[i][0], pairs[i][1]))
			fail_msg("pair %zu has one digest", i);
}

static void what_is_no_json_has_no_digest(void **state)
{
	unsigned char ret[HASH_BYTES];

	(void)state;
	assert_false(digest((struct ask){ .messages = { "{" } }, ret));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_that_mean_the_same_are_equal),
		cmocka_unit_test(requests_that_differ_are_unequal),
		cmocka_unit_test(what_is_no_json_has_no_digest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
