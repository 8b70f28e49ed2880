/* Listening sockets: addresses, ports in use, groups of listeners. */
#include "http/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static bool has_ipv6(void)
{
	struct sockaddr_in6 at = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int                 fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool                ok = fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0;

	if (fd >= 0)
		close(fd);
	return ok;
}

static void a_port_of_the_systems_choice_is_told(void **state)
{
	(void)state;
	static const struct {
		const char *address, *host;
	} cases[] = {
		{ "127.0.0.1:0", "127.0.0.1:" },
		{ "[::1]:0", "[::1]:" }, /* not on every machine,
		  nor what localhost may stand for */
		{ "localhost:0", "" },
	};
	size_t count = has_ipv6() ? ARRAY_LEN(cases) : 1;

	for (size_t i = 0; i < count; i++)
		for (int probe = 0; probe < 2; probe++) {
			int        fd = -1;
			char       bound[64];
			struct err e;

			assert_int_equal(http_listen(cases[i].address, probe, &fd, bound, &e),
					 ERR_OK);
			assert_true(str_starts(str_of(bound), str_of(cases[i].host)));
			assert_true(strtoul(strrchr(bound, ':') + 1, NULL, 10) > 0);
			assert_int_not_equal(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
			assert_int_not_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
			close(fd);
		}
}

static void what_was_bound_takes_connections(void **state)
{
	(void)state;
	int                fd = -1;
	char               bound[64];
	struct err         e;
	struct sockaddr_in to = { .sin_family = AF_INET };

	assert_int_equal(http_listen("127.0.0.1:0", true, &fd, bound, &e), ERR_OK);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	to.sin_port = htons((uint16_t)strtoul(strrchr(bound, ':') + 1, NULL, 10));

	int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(client, (struct sockaddr *)&to, sizeof to), 0);
	close(client);
	close(fd);
}

static void a_first_start_refuses_a_port_in_use_and_others_join(void **state)
{
	(void)state;
	int        first = -1;
	int        second = -1;
	int        untouched = -7;
	char       bound[64];
	char       again[64];
	struct err e;

	assert_int_equal(http_listen("127.0.0.1:0", true, &first, bound, &e), ERR_OK);
	assert_int_equal(http_listen(bound, true, &untouched, again, &e), ERR_OVERLOADED);
	assert_int_equal(untouched, -7);
	assert_non_null(strstr(e.text, bound));
	assert_int_equal(http_listen(bound, false, &second, again, &e), ERR_OK);
	assert_string_equal(again, bound);
	close(second);
	close(first);
	/* Free again: a restart finds its port. */
	assert_int_equal(http_listen(bound, true, &first, again, &e), ERR_OK);
	assert_string_equal(again, bound);
	close(first);
}

static void a_port_of_somebody_else_is_refused_either_way(void **state)
{
	(void)state;
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t          n = sizeof at;
	int                fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char               address[64];
	char               bound[64];
	struct err         e;
	int                got;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
	snprintf(address, sizeof address, "127.0.0.1:%u", ntohs(at.sin_port));
	assert_int_equal(http_listen(address, true, &got, bound, &e), ERR_OVERLOADED);
	assert_int_equal(http_listen(address, false, &got, bound, &e), ERR_OVERLOADED);
	close(fd);
}

/* None of these needs a name to be looked up. */
static const struct {
	const char *why, *address;
} bad[] = {
	{ "empty", "" },
	{ "a port alone", "8080" },
	{ "no host", ":8080" },
	{ "no port", "127.0.0.1" },
	{ "an empty port", "127.0.0.1:" },
	{ "a port that is too large", "127.0.0.1:65536" },
	{ "a port of six digits", "127.0.0.1:123456" },
	{ "a sign", "127.0.0.1:+80" },
	{ "a negative port", "127.0.0.1:-1" },
	{ "a blank", "127.0.0.1: 80" },
	{ "letters", "127.0.0.1:http" },
	{ "IPv6 without brackets", "::1:8080" },
	{ "half a bracket", "[::1:8080" },
	{ "empty brackets", "[]:8080" },
	{ "nothing behind the brackets", "[::1]" },
};

static void what_is_no_address_is_refused(void **state)
{
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		int        fd = -7;
		char       bound[64] = "untouched";
		struct err e;

		if (http_listen(bad[i].address, true, &fd, bound, &e) != ERR_INVALID_VALUE ||
		    fd != -7)
			fail_msg("case: %s", bad[i].why);
		assert_string_equal(bound, "untouched");
		assert_string_equal(e.path, "listen");
		assert_false(http_is_loopback(bad[i].address));
	}
}

static void loopback_addresses_are_told_from_others(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *address;
		bool        loopback;
	} cases[] = {
		{ "127.0.0.1:8080", true },   { "127.255.0.3:1", true }, { "[::1]:8080", true },
		{ "localhost:8080", true },   { "0.0.0.0:8080", false }, { "[::]:8080", false },
		{ "192.0.2.1:8080", false },  { "128.0.0.1:8080", false }, { "[2001:db8::1]:80",
		  false },
		{ "[::ffff:192.0.2.1]:80", false }, { "unix:/run/p.sock", true },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (http_is_loopback(cases[i].address) != cases[i].loopback)
			fail_msg("%s", cases[i].address);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_port_of_the_systems_choice_is_told),
		cmocka_unit_test(what_was_bound_takes_connections),
		cmocka_unit_test(a_first_start_refuses_a_port_in_use_and_others_join),
		cmocka_unit_test(a_port_of_somebody_else_is_refused_either_way),
		cmocka_unit_test(what_is_no_address_is_refused),
		cmocka_unit_test(loopback_addresses_are_told_from_others),
	};

	return cmocka_run_group_tests_name("http/listen", tests, NULL, NULL);
}
