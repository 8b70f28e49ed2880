/* Opens listening sockets for addresses in the operator's form. */
#include "http/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 4096 };

union address {
	struct sockaddr         any;
	struct sockaddr_in      v4;
	struct sockaddr_in6     v6;
	struct sockaddr_un      un;
	struct sockaddr_storage storage;
};

/* split_address: cuts "HOST:PORT" or "[V6]:PORT". */
static bool split_address(const char *text, char host[256], char port[8])
{
	const char *colon = strrchr(text, ':');

	if (!colon || colon == text || strlen(colon + 1) == 0 || strlen(colon + 1) > 5 ||
	    strspn(colon + 1, "0123456789") != strlen(colon + 1) || atol(colon + 1) > 65535)
		return false;

	size_t n = (size_t)(colon - text);
	if (text[0] == '[') {
		if (n < 3 || text[n - 1] != ']')
			return false;
		text++;
		n -= 2;
	} else if (memchr(text, ':', n)) {
		return false; /* an IPv6 address without its brackets */
	}
	if (n >= 256)
		return false;
	memcpy(host, text, n);
	host[n] = '\0';
	snprintf(port, 8, "%s", colon + 1);
	return true;
}

static struct addrinfo *resolve_all(const char *address)
{
	char             host[256];
	char             port[8];
	struct addrinfo  hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
	struct addrinfo *found = NULL;

	if (!split_address(address, host, port) || getaddrinfo(host, port, &hints, &found) != 0)
		return NULL;
	return found;
}

static bool resolve_address(const char *address, union address *ret, socklen_t *ret_len)
{
	struct addrinfo *found = resolve_all(address);

	if (!found)
		return false;
	memcpy(ret, found->ai_addr, found->ai_addrlen);
	*ret_len = found->ai_addrlen;
	freeaddrinfo(found);
	return true;
}

static bool is_loopback(const struct addrinfo *a)
{
	union address at = { 0 };

	memcpy(&at, a->ai_addr, a->ai_addrlen);
	if (at.any.sa_family == AF_INET)
		return ntohl(at.v4.sin_addr.s_addr) >> 24 == 127;
	return at.any.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&at.v6.sin6_addr);
}

bool http_is_loopback(const char *address)
{
	if (strncmp(address, "unix:", 5) == 0)
		return true;

	struct addrinfo *found = resolve_all(address);
	bool             all = found != NULL;

	for (const struct addrinfo *a = found; a; a = a->ai_next)
		all = all && is_loopback(a);
	if (found)
		freeaddrinfo(found);
	return all;
}

static int open_socket(const union address *a, socklen_t len, bool share, bool listening)
{
	int one = 1;
	int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (a->any.sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
	if ((share && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one) != 0) ||
	    bind(fd, &a->any, len) != 0 || (listening && listen(fd, BACKLOG) != 0)) {
		int saved = errno;

		close(fd);
		errno = saved;
		return -1;
	}
	return fd;
}

static void listen_describe(int fd, char ret_bound[64])
{
	union address a = { 0 };
	socklen_t     len = sizeof a;
	char          host[INET6_ADDRSTRLEN] = "";

	getsockname(fd, &a.any, &len);
	if (a.any.sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &a.v6.sin6_addr, host, sizeof host);
		snprintf(ret_bound, 64, "[%s]:%u", host, ntohs(a.v6.sin6_port));
	} else {
		inet_ntop(AF_INET, &a.v4.sin_addr, host, sizeof host);
		snprintf(ret_bound, 64, "%s:%u", host, ntohs(a.v4.sin_port));
	}
}

enum errc http_listen(const char *address, bool probe, int *ret_fd, char ret_bound[64],
		      struct err *e)
{
	union address a = { 0 };
	socklen_t     len;

	if (!resolve_address(address, &a, &len))
		return err_set(e, ERR_INVALID_VALUE, "listen",
			       "%s is no address to listen on; write ADDR:PORT or [V6]:PORT",
			       address);
	/* SO_REUSEPORT would let a second gateway share the port unnoticed. So the first socket
	 * listens without it, because two such listeners exclude each other. */
	if (probe) {
		int fd = open_socket(&a, len, false, true);

		if (fd < 0)
			return err_set(e, ERR_OVERLOADED, "listen", "can't listen on %s: %s",
				       address, strerror(errno));
		len = sizeof a;
		getsockname(fd, &a.any, &len); /* port 0 has become a real port */
		close(fd);
	}

	int fd = open_socket(&a, len, true, true);
	if (fd < 0)
		return err_set(e, ERR_OVERLOADED, "listen", "can't listen on %s: %s", address,
			       strerror(errno));
	listen_describe(fd, ret_bound);
	*ret_fd = fd;
	return ERR_OK;
}

/* --- listen_local: Listening sockets without a network address: paths of unix sockets, and inherited descriptors. */

static enum errc listen_local_fail(const char *path, const char *why, struct err *e)
{
	return err_set(e, ERR_OVERLOADED, "listen", "can't listen on unix:%s: %s", path, why);
}

static bool make_address(const char *path, union address *ret)
{
	size_t n = strlen(path);

	*ret = (union address){ .un = { .sun_family = AF_UNIX } };
	if (n == 0 || path[0] != '/' || n >= sizeof ret->un.sun_path)
		return false;
	memcpy(ret->un.sun_path, path, n + 1);
	return true;
}

/* is_stale: true for a socket without a listener, which a killed process has left. Anything else,
 * also a doubtful case, must not be removed. */
static bool is_stale(const char *path, const union address *a)
{
	struct stat st;

	if (lstat(path, &st) != 0 || !S_ISSOCK(st.st_mode))
		return false;

	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	bool stale = connect(fd, &a->any, sizeof a->un) != 0 && errno == ECONNREFUSED;
	close(fd);
	return stale;
}

static bool bind_path(int fd, const char *path, const union address *a)
{
	if (bind(fd, &a->any, sizeof a->un) == 0)
		return true;
	if (errno != EADDRINUSE)
		return false;
	if (!is_stale(path, a) || unlink(path) != 0) {
		errno = EADDRINUSE;
		return false;
	}
	return bind(fd, &a->any, sizeof a->un) == 0;
}

enum errc http_listen_unix(const char *path, unsigned mode, int *ret_fd, struct err *e)
{
	union address a;

	if (!make_address(path, &a))
		return err_set(
			e, ERR_INVALID_VALUE, "listen",
			"unix:%s is no path of a socket: it begins with / and is shorter than "
			"%zu bytes",
			path, sizeof a.un.sun_path);

	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	/* Nobody can connect before the socket listens, so its mode is set in time. */
	if (fd < 0 || !bind_path(fd, path, &a) || chmod(path, mode) != 0 ||
	    listen(fd, BACKLOG) != 0) {
		int  os = errno;
		char room[80];

		if (fd >= 0)
			close(fd);
		return listen_local_fail(path, strerror_r(os, room, sizeof room), e);
	}
	*ret_fd = fd;
	return ERR_OK;
}

static bool is_listener(int fd)
{
	int       listens = 0;
	int       type = 0;
	socklen_t n = sizeof listens;
	socklen_t m = sizeof type;

	return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &n) == 0 && listens &&
	       getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &m) == 0 && type == SOCK_STREAM;
}

/* listen_local_describe: the address of a socket; *ret_local: no other machine can reach it. */
static bool listen_local_describe(int fd, char ret_bound[HTTP_BOUND], bool *ret_local)
{
	union address a = { 0 };
	socklen_t     len = sizeof a;
	char          host[INET6_ADDRSTRLEN] = "";

	if (getsockname(fd, &a.any, &len) != 0)
		return false;
	switch (a.any.sa_family) {
	case AF_UNIX:
		snprintf(ret_bound, HTTP_BOUND, "unix:%.*s", (int)sizeof a.un.sun_path,
			 a.un.sun_path);
		*ret_local = true;
		return true;
	case AF_INET:
		inet_ntop(AF_INET, &a.v4.sin_addr, host, sizeof host);
		snprintf(ret_bound, HTTP_BOUND, "%s:%u", host, ntohs(a.v4.sin_port));
		*ret_local = ntohl(a.v4.sin_addr.s_addr) >> 24 == 127;
		return true;
	case AF_INET6:
		inet_ntop(AF_INET6, &a.v6.sin6_addr, host, sizeof host);
		snprintf(ret_bound, HTTP_BOUND, "[%s]:%u", host, ntohs(a.v6.sin6_port));
		*ret_local = IN6_IS_ADDR_LOOPBACK(&a.v6.sin6_addr);
		return true;
	}
	return false;
}

enum errc http_listen_given(int fd, char ret_bound[HTTP_BOUND], bool *ret_local, struct err *e)
{
	int flags = is_listener(fd) ? fcntl(fd, F_GETFL) : -1;

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 ||
	    fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || !listen_local_describe(fd, ret_bound, ret_local))
		return err_set(e, ERR_INVALID_VALUE, "listen",
			       "descriptor %d is no stream socket that listens", fd);
	return ERR_OK;
}
