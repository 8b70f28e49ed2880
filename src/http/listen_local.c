/* Listening sockets without a network address: paths of unix sockets, and inherited descriptors. */
#include "http/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 4096 };

union address {
	struct sockaddr     any;
	struct sockaddr_in  v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un  un;
};

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
