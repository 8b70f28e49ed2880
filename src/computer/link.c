/* Sends frames to the runner, and reads its frames. */
#include "computer/link.h"

#include "base/limits.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { LINK_READ = 64 * KIB };

struct link {
	struct loop            *loop;
	struct watch            watch;
	struct timer            resume; /* tells what was read before a pause */
	uint32_t                events; /* watched events */
	struct buf              out;
	struct buf              in;
	const struct link_ear  *ear;
	void                   *arg;
	const struct link_file *files; /* borrowed: those that are not sent yet */
	size_t                  file_count;
	size_t                  sent; /* bytes of the frames */
	bool                    paused;
	bool                    telling; /* a callback runs: the link must stay */
	bool                    closed;
};

static void link_free(struct link *l)
{
	timer_stop(l->loop, &l->resume);
	loop_unwatch(l->loop, &l->watch);
	close(l->watch.fd);
	buf_finish(&l->out);
	buf_finish(&l->in);
	free(l);
}

void link_close(struct link *l)
{
	if (!l)
		return;
	l->closed = true;
	if (!l->telling)
		link_free(l);
}

static void link_lose(struct link *l)
{
	const struct link_ear *ear = l->ear;
	void                  *arg = l->arg;

	link_free(l);
	ear->lost(arg);
}

static bool link_watch(struct link *l)
{
	uint32_t want =
		(l->paused ? 0u : (uint32_t)EPOLLIN) | (l->out.len > 0 ? (uint32_t)EPOLLOUT : 0u);

	if (want == l->events)
		return true;
	l->events = want;
	return loop_rewatch(l->loop, &l->watch, want);
}

/* link_put: sends the next n bytes, with a descriptor, if fd is none of -1. */
static ssize_t link_put(struct link *l, size_t n, int fd)
{
	union {
		char           bytes[CMSG_SPACE(sizeof fd)];
		struct cmsghdr align;
	} room = { 0 };
	struct iovec    from = { l->out.data, n };
	struct msghdr   m = { .msg_iov = &from, .msg_iovlen = 1 };
	struct cmsghdr *h = &room.align;

	if (fd >= 0) {
		m.msg_control = room.bytes;
		m.msg_controllen = sizeof room.bytes;
		*h = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof fd),
				       .cmsg_level = SOL_SOCKET,
				       .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(h), &fd, sizeof fd);
	}
	return sendmsg(l->watch.fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* link_send: a message of the socket's carries one descriptor at most, with its first byte. */
static bool link_send(struct link *l)
{
	bool   due = l->file_count > 0 && l->files->at == l->sent;
	size_t next = l->file_count > due ? l->files[due].at - l->sent : l->out.len;

	if (l->out.len == 0)
		return true;
	ssize_t n = link_put(l, next, due ? l->files->fd : -1);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	l->sent += (size_t)n;
	buf_take_front(&l->out, (size_t)n);
	if (due) {
		l->files++;
		l->file_count--;
	}
	return true;
}

/* link_tell: tells the whole frames; false: the runner has sent one that is too long. */
static bool link_tell(struct link *l)
{
	struct frame     f;
	enum frame_found found = FRAME_WHOLE;

	l->telling = true;
	while (!l->closed && !l->paused &&
	       (found = frame_look(buf_view(&l->in), &f)) == FRAME_WHOLE) {
		l->ear->frame(l->arg, &f);
		buf_take_front(&l->in, FRAME_HEAD + f.body.n);
	}
	l->telling = false;
	return found != FRAME_TOO_LARGE;
}

/* link_read: false: nothing comes any more. */
static bool link_read(struct link *l)
{
	char    part[LINK_READ];
	ssize_t n = recv(l->watch.fd, part, sizeof part, MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	return n > 0 && buf_add(&l->in, part, (size_t)n) && link_tell(l);
}

static void link_on_event(struct watch *w, uint32_t events)
{
	struct link *l = container_of(w, struct link, watch);
	bool         ok = true;

	if (events & EPOLLOUT)
		ok = link_send(l);
	if (ok && !l->paused && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		ok = link_read(l);
	else if (l->paused && (events & (EPOLLHUP | EPOLLERR)))
		ok = false;
	if (l->closed)
		link_free(l);
	else if (!ok || !link_watch(l))
		link_lose(l);
}

static void link_on_resume(struct timer *t)
{
	struct link *l = container_of(t, struct link, resume);
	bool         ok = link_tell(l);

	if (l->closed)
		link_free(l);
	else if (!ok || !link_watch(l))
		link_lose(l);
}

void link_files(struct link *l, const struct link_file *files, size_t count)
{
	l->files = files;
	l->file_count = count;
}

void link_pause(struct link *l, bool pause)
{
	l->paused = pause;
	if (pause)
		timer_stop(l->loop, &l->resume);
	else /* bytes read before would wait for the runner's next byte */
		timer_start(l->loop, &l->resume, 0);
}

static enum errc link_connect(const char *path, int *ret, struct err *e)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int                fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	str_copy(a.sun_path, sizeof a.sun_path, str_of(path));
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&a, sizeof a) == 0) {
		*ret = fd;
		return ERR_OK;
	}
	if (fd >= 0)
		close(fd);
	return err_set(e, ERR_COMPUTER, "",
		       "the computer can't be reached: its runner is not running, or does not take "
		       "this gateway");
}

enum errc link_open(struct loop *loop, const char *path, struct buf *out,
		    const struct link_ear *ear, void *arg, struct link **ret, struct err *e)
{
	struct link *l = calloc(1, sizeof *l);

	if (!l)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the computer");
	*l = (struct link){ .loop = loop, .ear = ear, .arg = arg };
	l->watch = (struct watch){ link_on_event, -1 };
	l->resume.fn = link_on_resume;
	l->events = EPOLLIN | EPOLLOUT;
	buf_init(&l->in, FRAME_HEAD + LIMIT_RUNNER_FRAME + LINK_READ);
	buf_init(&l->out, 0);
	if (link_connect(path, &l->watch.fd, e) != ERR_OK) {
		free(l);
		return e->code;
	}
	if (!loop_watch(loop, &l->watch, l->events)) {
		close(l->watch.fd);
		free(l);
		return err_set(e, ERR_OVERLOADED, "", "no memory for the computer");
	}
	l->out = *out;
	buf_init(out, 0);
	*ret = l;
	return ERR_OK;
}

/* --- frame: Reads and writes single frames. */

enum frame_found frame_look(struct str bytes, struct frame *ret)
{
	const unsigned char *p = (const unsigned char *)bytes.p;

	if (bytes.n < 4)
		return FRAME_NONE;

	size_t n = (size_t)p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 | (size_t)p[3] << 24;
	if (n > LIMIT_RUNNER_FRAME)
		return FRAME_TOO_LARGE;
	if (bytes.n < FRAME_HEAD + n)
		return FRAME_NONE;
	*ret = (struct frame){ bytes.p[4], { bytes.p + FRAME_HEAD, n } };
	return FRAME_WHOLE;
}

bool frame_put(struct buf *out, enum frame_kind kind, struct str body)
{
	char head[FRAME_HEAD] = { (char)(body.n & 0xff), (char)(body.n >> 8 & 0xff),
				  (char)(body.n >> 16 & 0xff), (char)(body.n >> 24 & 0xff),
				  (char)kind };

	CHECK(body.n <= LIMIT_RUNNER_FRAME);
	return buf_reserve(out, FRAME_HEAD + body.n) && buf_add(out, head, sizeof head) &&
	       buf_str(out, body);
}
