/* Sockets to serve on, and those that a service manager hands over (LISTEN_FDS). */
#include "app/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_GIVEN = 3 };

/* --- what was inherited --- */

/* given_count: the number of sockets that this process has inherited, from FIRST_GIVEN on. */
static int given_count(void)
{
	const char *pid = getenv("LISTEN_PID");
	const char *count = getenv("LISTEN_FDS");

	if (!pid || !count || strtol(pid, NULL, 10) != (long)getpid())
		return 0;
	long n = strtol(count, NULL, 10);
	return n > 0 && n <= 1024 ? (int)n : 0;
}

/* given_name: the name of the nth socket; systemd separates names by colons. */
static struct str given_name(int nth)
{
	const char *at = getenv("LISTEN_FDNAMES");

	for (; at && nth > 0; nth--) {
		at = strchr(at, ':');
		at = at ? at + 1 : NULL;
	}
	return at ? (struct str){ at, strcspn(at, ":") } : STR_NONE;
}

static bool is_number(const char *text)
{
	size_t n = strspn(text, "0123456789");

	return n > 0 && n <= 4 && !text[n];
}

static bool listen_is_taken(const struct listen_set *s, int fd)
{
	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; k < s->places[i].count; k++)
			if (s->places[i].fds[k] == fd)
				return true;
	return false;
}

/* --- places --- */

static struct listen_place *new_place(struct listen_set *s, const char *address, bool admin,
				      struct err *e)
{
	if (s->count == LISTEN_PLACES) {
		err_set(e, ERR_INVALID_VALUE, "listen", "at most %d addresses are supported",
			LISTEN_PLACES - 1);
		return NULL;
	}

	struct listen_place *p = &s->places[s->count++];
	*p = (struct listen_place){ .admin = admin };
	snprintf(p->address, sizeof p->address, "%s", address);
	return p;
}

static enum errc listen_add_given(struct listen_set *s, const char *address, int fd, bool admin,
				  struct err *e)
{
	if (listen_is_taken(s, fd))
		return err_set(e, ERR_INVALID_VALUE, "listen", "%s is named twice", address);

	struct listen_place *p = new_place(s, address, admin, e);
	if (!p)
		return e->code;
	p->inherited = true;
	if (http_listen_given(fd, p->bound, &p->local, e) != ERR_OK) {
		s->count--;
		return e->code;
	}
	p->fds[p->count++] = fd;
	return ERR_OK;
}

static enum errc add_named(struct listen_set *s, const char *address, bool admin, struct err *e)
{
	const char *name = address + strlen("fd:");

	if (is_number(name))
		return listen_add_given(s, address, (int)strtol(name, NULL, 10), admin, e);
	for (int i = 0; i < given_count(); i++)
		if (str_is(given_name(i), name))
			return listen_add_given(s, address, FIRST_GIVEN + i, admin, e);
	return err_set(e, ERR_INVALID_VALUE, "listen",
		       "no socket named %s was inherited (LISTEN_FDS, LISTEN_FDNAMES)", name);
}

/* Adds all inherited sockets, except those that the configuration names and those of the admin
 * listener. */
static enum errc add_all_given(struct listen_set *s, bool admin, struct err *e)
{
	bool any = false;

	for (int i = 0; i < given_count(); i++) {
		if (listen_is_taken(s, FIRST_GIVEN + i) || str_is(given_name(i), "admin"))
			continue;
		if (listen_add_given(s, "systemd", FIRST_GIVEN + i, admin, e) != ERR_OK)
			return e->code;
		any = true;
	}
	if (!any)
		return err_set(e, ERR_INVALID_VALUE, "listen",
			       "no socket was inherited from systemd (LISTEN_FDS, LISTEN_PID)");
	return ERR_OK;
}

static enum errc add_unix(struct listen_place *p, unsigned mode, struct err *e)
{
	const char *path = p->address + strlen("unix:");
	struct stat st;

	if (http_listen_unix(path, mode, &p->fds[0], e) != ERR_OK)
		return e->code;
	p->count = 1;
	p->local = true;
	memcpy(p->bound, p->address, sizeof p->bound);
	p->inode = lstat(path, &st) == 0 ? st.st_ino : 0;
	return ERR_OK;
}

/* Opens a socket for each loop. The first one finds out whether the port is free. */
static enum errc add_ports(struct listen_place *p, size_t loops, struct err *e)
{
	char bound[64];

	for (size_t i = 0; i < loops && i < LISTEN_SOCKETS; i++) {
		if (http_listen(i == 0 ? p->address : p->bound, i == 0, &p->fds[i], bound, e) !=
		    ERR_OK)
			return e->code;
		p->count++;
		memcpy(p->bound, bound, sizeof bound);
	}
	p->local = http_is_loopback(p->bound);
	return ERR_OK;
}

enum errc listen_set_add(struct listen_set *s, const char *address, bool admin, size_t loops,
			 unsigned mode, struct err *e)
{
	if (strncmp(address, "fd:", 3) == 0)
		return add_named(s, address, admin, e);
	if (strcmp(address, "systemd") == 0)
		return add_all_given(s, admin, e);

	struct listen_place *p = new_place(s, address, admin, e);
	if (!p)
		return e->code;
	return strncmp(address, "unix:", 5) == 0 ? add_unix(p, mode, e)
						 : add_ports(p, admin ? 1 : loops, e);
}

bool listen_set_take(struct listen_set *s, struct listen_set *from, const char *address, bool admin)
{
	bool any = false;

	for (size_t i = 0; i < from->count && s->count < LISTEN_PLACES;) {
		struct listen_place *p = &from->places[i];
		bool                 same = strcmp(p->address, address) == 0;

		/* Equal addresses with port 0 are two places. Only "systemd" takes all inherited
		 * sockets at once. */
		if ((any && strcmp(address, "systemd") != 0) ||
		    (!same && strcmp(p->bound, address) != 0)) {
			i++;
			continue;
		}
		s->places[s->count] = *p;
		s->places[s->count++].admin = admin;
		from->count--;
		memmove(p, p + 1, (from->count - i) * sizeof *p);
		any = true;
	}
	return any;
}

enum errc listen_set_check(const struct listen_set *s, bool open, bool *ret_local, struct err *e)
{
	*ret_local = true;
	for (size_t i = 0; i < s->count; i++) {
		if (s->places[i].local || s->places[i].admin)
			continue;
		*ret_local = false;
		if (open)
			return err_set(
				e, ERR_INVALID_VALUE, "listen",
				"%s is not a loopback address: without API keys only loopback is "
				"served; set api_keys or PARLEY_API_KEY",
				s->places[i].bound);
	}
	return ERR_OK;
}

bool listen_set_is_loopback(const struct listen_set *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (!s->places[i].admin &&
		    (!s->places[i].local || strncmp(s->places[i].bound, "unix:", 5) == 0))
			return false;
	return true;
}

void listen_set_shut(struct listen_set *s)
{
	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; !s->places[i].inherited && k < s->places[i].count; k++)
			shutdown(s->places[i].fds[k], SHUT_RDWR);
}

void listen_set_finish(struct listen_set *s, bool leave)
{
	for (size_t i = 0; i < s->count; i++) {
		struct listen_place *p = &s->places[i];
		const char          *path = p->address + strlen("unix:");
		struct stat          st;

		for (size_t k = 0; k < p->count; k++)
			close(p->fds[k]);
		/* A socket that another process has made at the same path stays. */
		if (p->inode && !leave && lstat(path, &st) == 0 && st.st_ino == p->inode)
			unlink(path);
	}
	s->count = 0;
}
