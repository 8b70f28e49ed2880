/* The client's address from headers. Only the entries that trusted proxies have added count,
 * because anybody can write the others. */
#include "http/peer.h"

#include "base/money.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>

struct ip {
	uint8_t bytes[16];
	bool    known;
	bool    unix_socket;
};

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

static bool parse_ip(const char *text, uint8_t ret[16], bool *ret_v4)
{
	*ret_v4 = inet_pton(AF_INET, text, ret + 12) == 1;
	if (*ret_v4) {
		memcpy(ret, mapped, sizeof mapped);
		return true;
	}
	return inet_pton(AF_INET6, text, ret) == 1;
}

static bool is_v4(const uint8_t bytes[16])
{
	return memcmp(bytes, mapped, sizeof mapped) == 0;
}

bool peer_net_parse(const char *text, struct peer_net *ret)
{
	char        host[PEER_TEXT];
	const char *slash = strchr(text, '/');
	size_t      n = slash ? (size_t)(slash - text) : strlen(text);
	bool        v4;

	*ret = (struct peer_net){ .unix_too = strcmp(text, "unix") == 0 };
	if (ret->unix_too)
		return true;
	if (n >= sizeof host)
		return false;
	memcpy(host, text, n);
	host[n] = '\0';
	if (!parse_ip(host, ret->address, &v4))
		return false;
	ret->bits = 128;
	if (!slash)
		return true;
	size_t digits = strspn(slash + 1, "0123456789");
	if (digits == 0 || digits > 3 || slash[1 + digits])
		return false;
	unsigned long bits = strtoul(slash + 1, NULL, 10);
	if (bits > (v4 ? 32 : 128))
		return false;
	ret->bits = (unsigned)bits + (v4 ? 96 : 0);
	return true;
}

static bool peer_contains(const struct peer_net *net, const struct ip *ip)
{
	unsigned bytes = net->bits / 8;
	unsigned rest = net->bits % 8;

	if (net->unix_too || ip->unix_socket)
		return net->unix_too && ip->unix_socket;
	if (memcmp(net->address, ip->bytes, bytes) != 0)
		return false;
	return rest == 0 || ((net->address[bytes] ^ ip->bytes[bytes]) >> (8 - rest)) == 0;
}

static bool is_trusted(const struct ip *ip, const struct peer_net *nets, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (peer_contains(&nets[i], ip))
			return true;
	return false;
}

static struct ip of_socket(const struct sockaddr *peer)
{
	struct ip           ip = { .known = false };
	struct sockaddr_in  v4;
	struct sockaddr_in6 v6;

	if (!peer)
		return ip;
	if (peer->sa_family == AF_INET) {
		memcpy(&v4, peer, sizeof v4);
		memcpy(ip.bytes, mapped, sizeof mapped);
		memcpy(ip.bytes + 12, &v4.sin_addr, 4);
		ip.known = true;
	} else if (peer->sa_family == AF_INET6) {
		memcpy(&v6, peer, sizeof v6);
		memcpy(ip.bytes, &v6.sin6_addr, 16);
		ip.known = true;
	}
	ip.unix_socket = peer->sa_family == AF_UNIX;
	return ip;
}

/* --- lists --- */

static struct str peer_trim(struct str s)
{
	while (s.n > 0 && (s.p[0] == ' ' || s.p[0] == '\t')) {
		s.p++;
		s.n--;
	}
	while (s.n > 0 && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

/* Cuts the text after the last separator off *list; false: the list is empty. */
static bool take_last(struct str *list, char separator, struct str *ret)
{
	if (!list->p)
		return false;
	const char *at = list->n > 0 ? memrchr(list->p, separator, list->n) : NULL;
	size_t      from = at ? (size_t)(at - list->p) + 1 : 0;

	*ret = peer_trim((struct str){ list->p + from, list->n - from });
	*list = at ? (struct str){ list->p, from - 1 } : STR_NONE;
	return true;
}

/* The value of for= in an element of Forwarded, without its quotes (RFC 7239). */
static struct str forwarded_for(struct str element)
{
	struct str pair;

	while (take_last(&element, ';', &pair))
		if (pair.n > 4 && strncasecmp(pair.p, "for=", 4) == 0) {
			struct str v = { pair.p + 4, pair.n - 4 };

			if (v.n >= 2 && v.p[0] == '"' && v.p[v.n - 1] == '"')
				v = (struct str){ v.p + 1, v.n - 2 };
			return v;
		}
	return STR_NONE;
}

/* Accepts 1.2.3.4, 1.2.3.4:567, 2001:db8::1, [2001:db8::1] and [2001:db8::1]:567. */
static bool parse_node(struct str s, struct ip *ret)
{
	char        text[PEER_TEXT];
	const char *end;
	bool        v4;

	*ret = (struct ip){ .known = true };
	if (s.n > 0 && s.p[0] == '[') {
		end = memchr(s.p, ']', s.n);
		if (!end)
			return false;
		s = (struct str){ s.p + 1, (size_t)(end - s.p) - 1 };
	} else if (s.n > 0) {
		end = memchr(s.p, ':', s.n);
		/* One colon begins a port; several colons belong to an address. */
		if (end && !memchr(end + 1, ':', s.n - (size_t)(end + 1 - s.p)))
			s.n = (size_t)(end - s.p);
	}
	if (s.n == 0 || s.n >= sizeof text || memchr(s.p, '\0', s.n))
		return false;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	return parse_ip(text, ret->bytes, &v4);
}

/* inet_ntop uses printf, and every request is logged. */
static void print_v4(const uint8_t bytes[4], char *ret)
{
	for (int i = 0; i < 4; i++) {
		char       digits[DECIMAL_MAX];
		struct str part = decimal_int(bytes[i], digits);

		memcpy(ret, part.p, part.n);
		ret += part.n;
		*ret++ = i < 3 ? '.' : '\0';
	}
}

static void peer_print(const struct ip *ip, char ret[PEER_TEXT])
{
	ret[0] = '\0';
	if (!ip->known)
		return;
	if (is_v4(ip->bytes))
		print_v4(ip->bytes + 12, ret);
	else
		inet_ntop(AF_INET6, ip->bytes, ret, PEER_TEXT);
}

void peer_client(const struct sockaddr *peer, struct str x_forwarded_for, struct str forwarded,
		 const struct peer_net *nets, size_t count, char ret[PEER_TEXT])
{
	struct ip  at = of_socket(peer);
	bool       plain = x_forwarded_for.p != NULL;
	struct str list = plain ? x_forwarded_for : forwarded;
	struct str element;

	while (is_trusted(&at, nets, count) && take_last(&list, ',', &element)) {
		struct ip next;

		if (!parse_node(plain ? element : forwarded_for(element), &next))
			break;
		at = next;
	}
	peer_print(&at, ret);
}
