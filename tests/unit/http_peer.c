/* Whose request it is: trusted proxies, what they say, and what others only claim. */
#include "http/peer.h"

#include "base/base.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <cmocka.h>

static void networks_are_read(void **state)
{
	(void)state;
	static const char *const good[] = { "10.0.0.0/8", "127.0.0.1",     "0.0.0.0/0",
					    "::/0",       "2001:db8::/32", "::1",
					    "1.2.3.4/32", "::1/128",       "unix" };
	static const char *const bad[] = {
		"",
		"/8",
		"10.0.0.0/",
		"10.0.0.0/33",
		"::1/129",
		"10.0.0/8",
		"10.0.0.0/-1",
		"10.0.0.0/8x",
		"host",
		"[::1]",
		"10.0.0.0/8/8",
		"10.0.0.0/0008",
		"unix:/x",
		" 10.0.0.1",
		"1111111111111111111111111111111111111111111111111111111"
	};
	struct peer_net net;

	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		if (!peer_net_parse(good[i], &net))
			fail_msg("%s", good[i]);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		if (peer_net_parse(bad[i], &net))
			fail_msg("%s", bad[i]);
}

union address {
	struct sockaddr     any;
	struct sockaddr_in  v4;
	struct sockaddr_in6 v6;
};

static union address from(const char *text)
{
	union address a = { .any = { .sa_family = AF_UNIX } };

	if (inet_pton(AF_INET, text, &a.v4.sin_addr) == 1)
		a.v4.sin_family = AF_INET;
	else if (inet_pton(AF_INET6, text, &a.v6.sin6_addr) == 1)
		a.v6.sin6_family = AF_INET6;
	return a;
}

static struct str text_of(const char *s)
{
	return s ? str_of(s) : STR_NONE;
}

/* clang-format off */
static const struct {
	const char *peer, *xff, *forwarded, *client;
} cases[] = {
	/* nobody in front, or nobody whom we trust */
	{ "203.0.113.9", NULL, NULL, "203.0.113.9" },
	{ "203.0.113.9", "198.51.100.1", NULL, "203.0.113.9" },
	{ "203.0.113.9", NULL, "for=198.51.100.1", "203.0.113.9" },
	{ "2001:db8:1::1", "198.51.100.1", NULL, "2001:db8:1::1" },
	/* one proxy */
	{ "10.0.0.1", NULL, NULL, "10.0.0.1" },
	{ "10.0.0.1", "198.51.100.1", NULL, "198.51.100.1" },
	{ "::ffff:10.0.0.1", "198.51.100.1", NULL, "198.51.100.1" },
	{ "10.0.0.1", " 198.51.100.1:4711 ", NULL, "198.51.100.1" },
	{ "10.0.0.1", "2001:db8:2::7", NULL, "2001:db8:2::7" },
	{ "10.0.0.1", "[2001:db8:2::7]:80", NULL, "2001:db8:2::7" },
	{ "10.0.0.1", "[2001:db8:2::7]", NULL, "2001:db8:2::7" },
	/* what the client wrote itself stands on the left */
	{ "10.0.0.1", "1.1.1.1, 198.51.100.1", NULL, "198.51.100.1" },
	{ "10.0.0.1", "127.0.0.1,10.0.0.9,198.51.100.1", NULL, "198.51.100.1" },
	/* more of them */
	{ "10.0.0.1", "198.51.100.1, 10.0.0.2,10.9.9.9", NULL, "198.51.100.1" },
	{ "fd00::1", "198.51.100.1, fd00::2", NULL, "198.51.100.1" },
	{ "10.0.0.1", "10.0.0.3, 10.0.0.2", NULL, "10.0.0.3" },
	/* what can't be read ends the search */
	{ "10.0.0.1", "", NULL, "10.0.0.1" },
	{ "10.0.0.1", "198.51.100.1,", NULL, "10.0.0.1" },
	{ "10.0.0.1", "unknown", NULL, "10.0.0.1" },
	{ "10.0.0.1", "198.51.100.1, nonsense, 10.0.0.2", NULL, "10.0.0.2" },
	{ "10.0.0.1", "[2001:db8::1", NULL, "10.0.0.1" },
	{ "10.0.0.1", "[]", NULL, "10.0.0.1" },
	{ "10.0.0.1", ":", NULL, "10.0.0.1" },
	{ "10.0.0.1", "198.51.100.999", NULL, "10.0.0.1" },
	/* Forwarded */
	{ "10.0.0.1", NULL, "for=198.51.100.1", "198.51.100.1" },
	{ "10.0.0.1", NULL, "For=\"[2001:db8:2::7]:4711\";proto=https", "2001:db8:2::7" },
	{ "10.0.0.1", NULL, "proto=http;by=203.0.113.43;for=198.51.100.1, for=10.0.0.2", "198.51.100.1" },
	{ "10.0.0.1", NULL, "for=_hidden", "10.0.0.1" },
	{ "10.0.0.1", NULL, "proto=https", "10.0.0.1" },
	{ "10.0.0.1", NULL, "for=", "10.0.0.1" },
	{ "10.0.0.1", NULL, "for=\"", "10.0.0.1" },
	/* both: the one that most proxies write */
	{ "10.0.0.1", "198.51.100.1", "for=1.1.1.1", "198.51.100.1" },
	/* a unix socket */
	{ "unix", NULL, NULL, "" },
	{ "unix", "198.51.100.1", NULL, "198.51.100.1" },
};
/* clang-format on */

static void the_client_is_the_rightmost_that_is_no_proxy(void **state)
{
	(void)state;
	struct peer_net nets[3];

	assert_true(peer_net_parse("10.0.0.0/8", &nets[0]));
	assert_true(peer_net_parse("fd00::/8", &nets[1]));
	assert_true(peer_net_parse("unix", &nets[2]));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char          client[PEER_TEXT] = "untouched";
		union address peer = from(cases[i].peer);

		peer_client(&peer.any, text_of(cases[i].xff), text_of(cases[i].forwarded), nets, 3,
			    client);
		if (strcmp(client, cases[i].client) != 0)
			fail_msg("case %zu: %s, not %s", i, client, cases[i].client);
	}
}

static void without_proxies_headers_are_nothing(void **state)
{
	(void)state;
	char          client[PEER_TEXT];
	union address peer = from("127.0.0.1");

	peer_client(&peer.any, STR("1.2.3.4"), STR("for=1.2.3.4"), NULL, 0, client);
	assert_string_equal(client, "127.0.0.1");
	peer = from("unix");
	peer_client(&peer.any, STR("1.2.3.4"), STR("for=1.2.3.4"), NULL, 0, client);
	assert_string_equal(client, "");
	peer_client(NULL, STR("1.2.3.4"), STR_NONE, NULL, 0, client);
	assert_string_equal(client, "");
}

static void prefixes_end_within_bytes(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *net, *peer;
		bool        trusted;
	} rows[] = {
		{ "10.0.0.0/9", "10.127.0.1", true },	 { "10.0.0.0/9", "10.128.0.1", false },
		{ "192.0.2.128/25", "192.0.2.200", true }, { "192.0.2.128/25", "192.0.2.5", false },
		{ "0.0.0.0/0", "203.0.113.1", true },	 { "0.0.0.0/0", "2001:db8::1", false },
		{ "::/0", "203.0.113.1", true },	 { "2001:db8::/33", "2001:db8:7fff::1", true },
		{ "2001:db8::/33", "2001:db8:8000::1", false }, { "10.0.0.1", "10.0.0.2", false },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char            client[PEER_TEXT];
		struct peer_net net;
		union address   peer = from(rows[i].peer);

		assert_true(peer_net_parse(rows[i].net, &net));
		peer_client(&peer.any, STR("198.18.0.1"), STR_NONE, &net, 1, client);
		/* what is passed on may be within the net itself */
		if ((strcmp(client, "198.18.0.1") == 0) != rows[i].trusted)
			fail_msg("%s in %s: %s", rows[i].peer, rows[i].net, client);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(networks_are_read),
		cmocka_unit_test(the_client_is_the_rightmost_that_is_no_proxy),
		cmocka_unit_test(without_proxies_headers_are_nothing),
		cmocka_unit_test(prefixes_end_within_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
