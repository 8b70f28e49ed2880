/* The messages of a takeover: one packet each (SOCK_SEQPACKET), with descriptors attached.
 * The protocol, step by step: docs/internals/takeover.md */
#include "app/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	VERSION = 1,
	FDS = 64, /* in one message */
	TEXT = 200,
	WAIT_S = 20, /* time for the next message of the other side */
	HELLO_S = 1, /* time for the first message, which is sent at once */
};

enum word { ASK = 1, LOCK, PLACE, REFUSED, READY, DONE, CANCEL };

struct message {
	uint32_t word;
	uint32_t version;
	uint32_t count; /* LOCK: places that follow; PLACE: sockets of the place */
	uint32_t first; /* PLACE: index of the first socket in this message */
	uint64_t inode;
	uint8_t  admin;
	uint8_t  local;
	uint8_t  inherited;
	int64_t  run_key;
	uint64_t run_secret;
	int64_t  owner;
	char     address[HTTP_BOUND];
	char     bound[HTTP_BOUND];
	char     text[TEXT];
};

/* --- one message --- */

static bool takeover_put(int fd, const struct message *m, int flags, const int *fds, size_t count)
{
	union {
		struct cmsghdr head;
		char           room[CMSG_SPACE(FDS * sizeof(int))];
	} control = { 0 };
	struct iovec  iov = { (void *)(uintptr_t)m, sizeof *m };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (count > 0) {
		msg.msg_control = control.room;
		msg.msg_controllen = CMSG_SPACE(count * sizeof(int));
		struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(c), fds, count * sizeof(int));
	}
	return sendmsg(fd, &msg, MSG_NOSIGNAL | flags) == (ssize_t)sizeof *m;
}

/* Returns the number of descriptors, or -1: no message; errno is 0 at the end of the connection. */
static int takeover_get(int fd, struct message *m, int flags, int fds[FDS])
{
	union {
		struct cmsghdr head;
		char           room[CMSG_SPACE(FDS * sizeof(int))];
	} control;
	struct iovec  iov = { m, sizeof *m };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control.room,
			      .msg_controllen = sizeof control.room };
	size_t        count = 0;

	errno = 0;
	ssize_t n = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC | flags);
	for (struct cmsghdr *c = n >= 0 ? CMSG_FIRSTHDR(&msg) : NULL; c; c = CMSG_NXTHDR(&msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(c), count * sizeof(int));
	}
	if (n == (ssize_t)sizeof *m && m->version == VERSION) {
		m->address[HTTP_BOUND - 1] = m->bound[HTTP_BOUND - 1] = m->text[TEXT - 1] = '\0';
		return (int)count;
	}
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
	if (n > 0)
		errno = EPROTO;
	return -1;
}

static bool is_peer_ours(int fd)
{
	struct ucred who;
	socklen_t    n = sizeof who;

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0 &&
	       (who.uid == geteuid() || who.uid == 0);
}

static void wait_at_most(int fd, int seconds)
{
	struct timeval t = { .tv_sec = seconds };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t);
}

/* --- where --- */

/* The path goes through the folder's descriptor, because it may be longer than a socket's
 * address. */
static int takeover_find_place(const char *database, struct sockaddr_un *ret,
			       char ret_name[NAME_MAX + 1])
{
	char  path[PATH_MAX];
	char *absolute = realpath(database, NULL);
	int   n = absolute ? snprintf(path, sizeof path, "%s.takeover", absolute) : -1;

	free(absolute);
	if (n < 0 || (size_t)n >= sizeof path)
		return -1;
	char *slash = strrchr(path, '/');
	snprintf(ret_name, NAME_MAX + 1, "%s", slash + 1);
	*slash = '\0';
	int dir = open(path[0] ? path : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	n = snprintf(ret->sun_path, sizeof ret->sun_path, "/proc/self/fd/%d/%s", dir, ret_name);
	if (dir >= 0 && n > 0 && (size_t)n < sizeof ret->sun_path)
		return dir;
	if (dir >= 0)
		close(dir);
	return -1;
}

/* --- the old one --- */

enum errc takeover_offer(const char *database, int *ret_fd, struct err *e)
{
	struct sockaddr_un at;
	char               name[NAME_MAX + 1];
	int                dir = takeover_find_place(database, &at, name);
	int                fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	bool               ok = dir >= 0 && fd >= 0;

	/* The owner of the database's lock also owns this name: an older socket there is left
	 * over. */
	if (ok)
		(void)unlinkat(dir, name, 0);
	ok = ok && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 &&
	     fchmodat(dir, name, 0600, 0) == 0 && listen(fd, 4) == 0;
	int os = errno;
	if (dir >= 0)
		close(dir);
	if (ok) {
		*ret_fd = fd;
		return ERR_OK;
	}
	if (fd >= 0)
		close(fd);
	char room[80];
	return err_set(e, ERR_STORAGE, "", "no takeover is possible: %s",
		       strerror_r(os, room, sizeof room));
}

int takeover_accept(int fd)
{
	struct message m;
	int            fds[FDS];
	int            peer = accept4(fd, NULL, NULL, SOCK_CLOEXEC);

	if (peer < 0)
		return -1;
	wait_at_most(peer, HELLO_S);
	if (is_peer_ours(peer) && takeover_get(peer, &m, 0, fds) == 0 && m.word == ASK)
		return peer;
	close(peer);
	return -1;
}

static bool give_place(int peer, const struct listen_place *p)
{
	struct message m = { .word = PLACE,
			     .version = VERSION,
			     .count = (uint32_t)p->count,
			     .inode = p->inode,
			     .admin = p->admin,
			     .local = p->local,
			     .inherited = p->inherited };

	memcpy(m.address, p->address, sizeof m.address);
	memcpy(m.bound, p->bound, sizeof m.bound);
	for (size_t i = 0; i < p->count; i += FDS) {
		m.first = (uint32_t)i;
		if (!takeover_put(peer, &m, 0, p->fds + i, p->count - i < FDS ? p->count - i : FDS))
			return false;
	}
	return true;
}

enum errc takeover_give(int peer, int lock_fd, const struct listen_set *s, struct err *e)
{
	struct message m = { .word = LOCK, .version = VERSION, .count = (uint32_t)s->count };
	bool           ok = takeover_put(peer, &m, 0, &lock_fd, 1);

	for (size_t i = 0; ok && i < s->count; i++)
		ok = give_place(peer, &s->places[i]);
	return ok ? ERR_OK : err_set(e, ERR_INTERNAL, "", "who asked for a takeover has gone");
}

void takeover_refuse(int peer, const struct err *why)
{
	struct message m = { .word = REFUSED, .version = VERSION };

	snprintf(m.text, sizeof m.text, "%.*s", TEXT - 1, why->text);
	(void)takeover_put(peer, &m, 0, NULL, 0);
}

enum takeover_word takeover_read(int peer, struct id *ret_run, int64_t *ret_owner)
{
	struct message m;
	int            fds[FDS];
	int            n = takeover_get(peer, &m, MSG_DONTWAIT, fds);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? TAKEOVER_NOTHING : TAKEOVER_LEFT;
	for (int i = 0; i < n; i++)
		close(fds[i]);
	if (m.word == READY)
		return TAKEOVER_READY;
	if (m.word != CANCEL)
		return TAKEOVER_NOTHING;
	*ret_run = (struct id){ m.run_key, m.run_secret };
	*ret_owner = m.owner;
	return TAKEOVER_CANCEL;
}

void takeover_done(int peer)
{
	(void)takeover_put(peer, &(struct message){ .word = DONE, .version = VERSION }, 0, NULL, 0);
}

void takeover_withdraw(const char *database, int fd, bool mine)
{
	struct sockaddr_un at;
	char               name[NAME_MAX + 1];

	if (fd < 0)
		return;
	close(fd);
	int dir = mine ? takeover_find_place(database, &at, name) : -1;
	if (dir < 0)
		return;
	(void)unlinkat(dir, name, 0);
	close(dir);
}

/* --- the new one --- */

static enum errc takeover_lost(struct err *e)
{
	return err_set(e, ERR_OVERLOADED, "", "the takeover failed: the process that serves %s",
		       errno == 0        ? "has gone"
		       : errno == EPROTO ? "is of another version"
					 : "does not answer");
}

/* Without a serving process, *ret_peer is -1. */
static enum errc takeover_reach(const char *database, int *ret_peer, struct err *e)
{
	struct sockaddr_un at;
	char               name[NAME_MAX + 1];
	int                dir = takeover_find_place(database, &at, name);
	int                fd = -1;

	e->code = ERR_OK;
	*ret_peer = -1;
	if (dir < 0)
		return ERR_OK; /* no database yet */
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	bool there = fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0;
	close(dir);
	if (there && is_peer_ours(fd)) {
		wait_at_most(fd, WAIT_S);
		*ret_peer = fd;
		return ERR_OK;
	}
	if (fd >= 0)
		close(fd);
	return there ? err_set(e, ERR_OVERLOADED, "", "another user serves this database") : ERR_OK;
}

static struct listen_place *place_for(struct listen_set *s, const struct message *m)
{
	if (m->first > 0)
		return s->count > 0 ? &s->places[s->count - 1] : NULL;
	if (s->count == LISTEN_PLACES)
		return NULL;
	struct listen_place *p = &s->places[s->count++];
	*p = (struct listen_place){ .admin = m->admin,
				    .local = m->local,
				    .inherited = m->inherited,
				    .inode = (ino_t)m->inode };
	memcpy(p->address, m->address, sizeof p->address);
	memcpy(p->bound, m->bound, sizeof p->bound);
	return p;
}

static enum errc takeover_take_place(int peer, struct listen_set *s, struct err *e)
{
	for (;;) {
		struct message m;
		int            fds[FDS];
		int            n = takeover_get(peer, &m, 0, fds);

		if (n < 0)
			return takeover_lost(e);
		struct listen_place *p = m.word == PLACE ? place_for(s, &m) : NULL;
		for (int i = 0; i < n; i++) {
			if (p && p->count < LISTEN_SOCKETS)
				p->fds[p->count++] = fds[i];
			else
				close(fds[i]);
		}
		if (!p || n == 0)
			return err_set(e, ERR_OVERLOADED, "",
				       "the takeover failed: sockets are missing");
		if (p->count >= m.count)
			return ERR_OK;
	}
}

static enum errc takeover_take_all(int peer, int *ret_lock_fd, struct listen_set *s, struct err *e)
{
	struct message m = { .word = ASK, .version = VERSION };
	int            fds[FDS];

	*ret_lock_fd = -1;
	int n = takeover_put(peer, &m, 0, NULL, 0) ? takeover_get(peer, &m, 0, fds) : -1;
	if (n < 0)
		return takeover_lost(e);
	if (n == 1 && m.word == LOCK)
		*ret_lock_fd = fds[0];
	else
		return err_set(e, ERR_OVERLOADED, "", "the takeover is refused: %s",
			       m.word == REFUSED ? m.text : "it was not understood");
	for (uint32_t left = m.count; left > 0; left--)
		if (takeover_take_place(peer, s, e) != ERR_OK)
			return e->code;
	return ERR_OK;
}

enum errc takeover_ask(const char *database, int *ret_peer, int *ret_lock_fd,
		       struct listen_set *ret_set, struct err *e)
{
	if (takeover_reach(database, ret_peer, e) != ERR_OK || *ret_peer < 0)
		return e->code;
	if (takeover_take_all(*ret_peer, ret_lock_fd, ret_set, e) == ERR_OK)
		return ERR_OK;
	listen_set_finish(ret_set, true);
	if (*ret_lock_fd >= 0)
		close(*ret_lock_fd);
	close(*ret_peer);
	*ret_peer = -1;
	return e->code;
}

enum errc takeover_begin(int peer, struct err *e)
{
	struct message m = { .word = READY, .version = VERSION };
	int            fds[FDS];

	if (takeover_put(peer, &m, 0, NULL, 0) && takeover_get(peer, &m, 0, fds) == 0 &&
	    m.word == DONE)
		return ERR_OK;
	return takeover_lost(e);
}

void takeover_cancel(int peer, struct id run, int64_t owner)
{
	struct message m = { .word = CANCEL,
			     .version = VERSION,
			     .run_key = run.key,
			     .run_secret = run.secret,
			     .owner = owner };

	/* The peer may not read any more; no loop waits for it. */
	(void)takeover_put(peer, &m, MSG_DONTWAIT, NULL, 0);
}
