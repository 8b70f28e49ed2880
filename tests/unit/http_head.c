/* What is read of a head without a connection: local hosts, lists of tokens. */
#include "http/head.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void only_loopback_names_are_local(void **state)
{
	(void)state;
	static const struct {
		const char *host;
		bool        local;
		const char *why;
	} cases[] = {
		{ "localhost", true, "the name" },
		{ "LocalHost", true, "in any case" },
		{ "localhost:8080", true, "with a port" },
		{ "127.0.0.1", true, "the address" },
		{ "127.0.0.1:1", true, "with a port of one digit" },
		{ "127.0.0.1:65535", true, "with one of five" },
		{ "[::1]", true, "IPv6" },
		{ "[::1]:8080", true, "with a port" },
		{ "", false, "nothing" },
		{ "localhost.example.com", false, "a name that begins so: DNS rebinding" },
		{ "127.0.0.1.example.com", false, "the same with the address" },
		{ "localhost:8080.example.com", false, "behind a port" },
		{ "localhost:123456", false, "no port" },
		{ "localhost:8080 ", false, "a blank" },
		{ "localhost:-1", false, "no digits" },
		{ "localhost@example.com", false, "a user" },
		{ "example.com", false, "elsewhere" },
		{ "xlocalhost", false, "letters in front" },
		{ "::1", false, "without brackets" },
		{ "[::1", false, "half a bracket" },
		{ "[::2]", false, "another address" },
		{ "127.0.0.2", false, "only the one that is documented" },
		{ "0.0.0.0", false, "all addresses" },
		{ "local", false, "cut" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str host = str_of(cases[i].host);
		/* Not NUL-terminated, as it comes from a connection. */
		char *copy = malloc(host.n ? host.n : 1);

		assert_non_null(copy);
		memcpy(copy, host.p, host.n);
		if (head_host_is_local((struct str){ copy, host.n }) != cases[i].local)
			fail_msg("%s: %s", cases[i].host, cases[i].why);
		free(copy);
	}
	assert_false(head_host_is_local(STR_NONE));
}

static void an_origin_is_the_same_where_the_host_is(void **state)
{
	(void)state;
	static const struct {
		const char *host, *origin;
		bool        same;
	} cases[] = {
		{ "localhost:8080", "http://localhost:8080", true },
		{ "localhost:8080", "https://LOCALHOST:8080", true },
		{ "[::1]:1", "http://[::1]:1", true },
		{ "localhost:8080", "http://localhost:8081", false },
		{ "localhost:8080", "http://localhost:80", false },
		{ "localhost", "http://localhost:8080", false },
		{ "localhost:8080", "http://evil.example", false },
		{ "localhost:8080", "null", false },
		{ "localhost:8080", "", false },
		{ "localhost:8080", "localhost:8080", false },
		{ "localhost:8080", "file://localhost:8080", false },
		{ "", "http://", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct head h = { .host = str_of(cases[i].host),
				  .origin = str_of(cases[i].origin) };

		if (head_is_same_origin(&h) != cases[i].same)
			fail_msg("%s, %s", cases[i].host, cases[i].origin);
	}
}

static void a_list_of_header_names_holds_tokens_only(void **state)
{
	(void)state;
	static const struct {
		const char *list;
		bool        ok;
		const char *why;
	} cases[] = {
		{ "content-type", true, "one" },
		{ "content-type, authorization", true, "two" },
		{ "a,b,c", true, "without blanks" },
		{ "x-stainless-os,X_y!#$%&'*+-.^`|~09", true, "all letters that a token may have" },
		{ "a\r\nset-cookie: x", false, "a second header line" },
		{ "a: b", false, "a colon" },
		{ "a;b", false, "a semicolon" },
		{ "a\"b", false, "a quote" },
		{ "a\x01", false, "a control character" },
		{ "\xc3\xa9", false, "not ASCII" },
		{ "(a)", false, "a comment" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (head_token_list(str_of(cases[i].list)) != cases[i].ok)
			fail_msg("%s: %s", cases[i].list, cases[i].why);
	assert_false(head_token_list(STR("a\0b")));
}

static void a_blank_within_a_header_name_is_refused(void **state)
{
	(void)state;
	assert_false(head_token_list(STR("content type")));
}

static void gzip_is_taken_where_it_is_named(void **state)
{
	(void)state;
	static const struct {
		const char *list;
		bool        takes;
	} cases[] = {
		{ "gzip", true },
		{ "GZip", true },
		{ "gzip, deflate, br, zstd", true },
		{ "br;q=1.0, gzip;q=0.8, *;q=0.1", true },
		{ "deflate,\tgzip ; q=0.5", true },
		{ "*", true },
		{ "identity;q=0, *", true },
		{ "gzip;q=0.001", true },
		{ "gzip;q=1", true },
		{ "", false },
		{ "identity", false },
		{ "br", false },
		{ "gzip;q=0", false },
		{ "gzip; q=0.000", false },
		{ "gzip;Q=0", false },
		{ "*, gzip;q=0", false },
		{ "gzip;q=0, *;q=1", false },
		{ "*;q=0", false },
		{ "xgzip", false },
		{ "gzipx", false },
		{ ",,;;", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (head_takes_gzip(str_of(cases[i].list)) != cases[i].takes)
			fail_msg("%s", cases[i].list);
	assert_false(head_takes_gzip(STR_NONE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_loopback_names_are_local),
		cmocka_unit_test(an_origin_is_the_same_where_the_host_is),
		cmocka_unit_test(a_list_of_header_names_holds_tokens_only),
		cmocka_unit_test(a_blank_within_a_header_name_is_refused),
		cmocka_unit_test(gzip_is_taken_where_it_is_named),
	};

	return cmocka_run_group_tests_name("http/head", tests, NULL, NULL);
}
