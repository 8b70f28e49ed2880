/* Reads a language's pipe and control socket. */
#include "runner/internal.h"

#include "base/limits.h"
#include "runner/mark.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PROGRAM_READ = 64 * KIB, PROGRAM_LAST_READS = 16 };

struct program {
	struct loop              *loop;
	uint32_t                  id;
	const struct program_ear *ear; /* NULL: nobody listens */
	void                     *ear_arg;
	struct watch              pipe, control;
	bool                      pipe_open, control_open; /* the watches that are on */
	bool                      waits;                   /* the pipe is not read for now */
	struct marks              marks;
	struct clean              clean;
	struct buf                text;     /* text of one read, cleaned */
	struct buf                left;     /* said while nobody listened */
	struct buf                pictures; /* from the control socket */
	bool                      ended;
	bool                      told; /* its end was told */
	int                       status;
	int         last_reads; /* reads of the pipe after the end: children may go on writing */
	char        directory[SEAT_DIRECTORY];
	struct task burial;
};

/* --- what it says --- */

static void program_tell(struct program *p)
{
	struct str text = buf_view(&p->text);

	if (text.n > 0 && p->ear)
		p->ear->text(p->ear_arg, text);
	else if (text.n > 0 && p->left.len + text.n <= p->left.max)
		(void)!buf_str(&p->left, text);
	buf_clear(&p->text);
}

static void program_text(void *arg, struct str text)
{
	struct program *p = arg;

	/* text has room for three times a read; what is lost without memory is a program's output */
	(void)!clean_feed(&p->clean, text, &p->text);
}

static void program_read_control(struct program *p);

static void program_picture(struct program *p, int64_t number)
{
	struct picture     pic;
	enum picture_found found;

	program_read_control(p);
	while ((found = picture_look(buf_view(&p->pictures), &pic)) == PICTURE_WHOLE &&
	       pic.number < number)
		buf_take_front(&p->pictures, pic.used);
	if (found == PICTURE_WHOLE && pic.number == number) {
		p->ear->picture(p->ear_arg, &pic);
		buf_take_front(&p->pictures, pic.used);
	}
	if (found == PICTURE_BAD)
		buf_clear(&p->pictures);
	if (p->control_open)
		(void)!loop_rewatch(p->loop, &p->control, EPOLLIN);
}

static void program_done(struct program *p, int64_t status, struct str directory, bool dying)
{
	if (directory.n > 0 && directory.n < sizeof p->directory && directory.p[0] == '/')
		str_copy(p->directory, sizeof p->directory, directory);
	p->ear->done(p->ear_arg, status, dying);
}

static void program_mark(void *arg, struct str mark)
{
	struct program *p = arg;
	char            letter;
	int64_t         number;
	struct str      rest;

	(void)!clean_end(&p->clean, &p->text);
	program_tell(p);
	if (!p->ear || !mark_parse(mark, &letter, &number, &rest))
		return;
	if (letter == 'L')
		p->ear->line(p->ear_arg, number);
	else if (letter == 'I')
		program_picture(p, number);
	else if (letter == 'E' || letter == 'D')
		program_done(p, number, rest, letter == 'D');
}

/* --- descriptors --- */

static void program_close_watch(struct program *p, struct watch *w, bool *open)
{
	if (*open)
		loop_unwatch(p->loop, w);
	*open = false;
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
}

static void program_tell_end(struct program *p)
{
	if (!p->ended || p->told)
		return;
	(void)!clean_end(&p->clean, &p->text);
	program_tell(p);
	if (!p->ear)
		return;
	p->told = true;
	p->ear->ended(p->ear_arg, p->status);
}

/* Reads once; false: there is nothing more now. */
static bool program_read_once(struct program *p)
{
	char             part[PROGRAM_READ];
	struct mark_sink sink = { program_text, program_mark, p };
	ssize_t          n = p->pipe.fd >= 0 ? read(p->pipe.fd, part, sizeof part) : 0;

	if (n == 0)
		program_close_watch(p, &p->pipe, &p->pipe_open);
	if (n <= 0)
		return false;
	/* without memory a beginning of a mark is lost, which its program then does not get told */
	(void)!mark_feed(&p->marks, (struct str){ part, (size_t)n }, &sink);
	program_tell(p);
	return true;
}

static void program_read_pipe(struct program *p)
{
	bool more = true;

	while (more) {
		if (p->ear && p->ear->full(p->ear_arg)) {
			p->waits = true;
			if (p->pipe_open)
				(void)!loop_rewatch(p->loop, &p->pipe, 0);
			return;
		}
		more = program_read_once(p) && p->ended && ++p->last_reads < PROGRAM_LAST_READS;
	}
	program_tell_end(p);
}

static void program_on_pipe(struct watch *w, uint32_t events)
{
	(void)events;
	program_read_pipe(container_of(w, struct program, pipe));
}

/* Until it would wait, or one whole image is there. */
static void program_read_control(struct program *p)
{
	struct picture pic;
	char           part[PROGRAM_READ];

	while (p->control.fd >= 0) {
		enum picture_found found = picture_look(buf_view(&p->pictures), &pic);

		if (found == PICTURE_BAD) { /* its sender must not wait for somebody who reads it */
			buf_clear(&p->pictures);
		} else if (found == PICTURE_WHOLE) {
			if (p->control_open)
				(void)!loop_rewatch(p->loop, &p->control, 0);
			return;
		}

		size_t  room = p->pictures.max - p->pictures.len;
		ssize_t n = recv(p->control.fd, part, room < sizeof part ? room : sizeof part,
				 MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0 || !buf_add(&p->pictures, part, (size_t)n)) {
			program_close_watch(p, &p->control, &p->control_open);
			return;
		}
	}
}

static void program_on_control(struct watch *w, uint32_t events)
{
	(void)events;
	program_read_control(container_of(w, struct program, control));
}

/* --- life --- */

static enum errc program_no_start(struct err *e)
{
	char room[80];

	return err_set(e, ERR_INTERNAL, NULL, "the language can't be started: %s",
		       strerror_r(errno, room, sizeof room));
}

/* Descriptors for the program, which the caller closes. */
static bool program_open(struct program *p, int ret_ends[2])
{
	int pipes[2];
	int sockets[2];

	if (pipe2(pipes, O_CLOEXEC) != 0)
		return false;
	p->pipe.fd = pipes[0];
	ret_ends[0] = pipes[1];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
		return false;
	p->control.fd = sockets[0];
	ret_ends[1] = sockets[1];
	p->pipe_open =
		fcntl(pipes[0], F_SETFL, O_NONBLOCK) == 0 && loop_watch(p->loop, &p->pipe, EPOLLIN);
	p->control_open = loop_watch(p->loop, &p->control, EPOLLIN);
	return p->pipe_open && p->control_open;
}

enum errc program_start(struct loop *loop, struct sandbox *box, uint32_t id,
			const struct language *l, const char *directory, const char *file,
			struct program **ret, struct err *e)
{
	OWNED(program) p = calloc(1, sizeof *p);
	struct buf arguments;
	int        ends[2] = { -1, -1 };

	if (!p)
		return err_no_memory(e);
	p->loop = loop;
	p->id = id;
	p->pipe = (struct watch){ program_on_pipe, -1 };
	p->control = (struct watch){ program_on_control, -1 };
	mark_init(&p->marks);
	buf_init(&p->text, 3 * (PROGRAM_READ + LIMIT_RUNNER_MARK + 8));
	buf_init(&p->left, LIMIT_RUNNER_LEFT);
	buf_init(&p->pictures, LIMIT_RUNNER_IMAGE + 2 * PICTURE_HEAD);
	buf_init(&arguments, SEAT_ARGUMENTS);

	bool ok = program_open(p, ends) && language_command(l, SANDBOX_DRIVERS, file, &arguments) &&
		  sandbox_run(box, id, directory, buf_view(&arguments), ends[0], ends[1]);
	enum errc rc = ok ? ERR_OK : program_no_start(e);
	buf_finish(&arguments);
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	if (ok)
		*ret = TAKE(p);
	return rc;
}

static void program_free(struct program *p)
{
	mark_finish(&p->marks);
	buf_finish(&p->text);
	buf_finish(&p->left);
	buf_finish(&p->pictures);
	free(p);
}

void program_destroy(struct program *p)
{
	if (!p)
		return;
	program_close_watch(p, &p->pipe, &p->pipe_open);
	program_close_watch(p, &p->control, &p->control_open);
	program_free(p);
}

static void program_on_burial(struct task *t)
{
	program_free(container_of(t, struct program, burial));
}

void program_bury(struct program *p)
{
	p->ear = NULL;
	p->told = true;
	program_close_watch(p, &p->pipe, &p->pipe_open);
	program_close_watch(p, &p->control, &p->control_open);
	p->burial.fn = program_on_burial;
	loop_later(p->loop, &p->burial);
}

void program_listen(struct program *p, const struct program_ear *ear, void *arg, const char *digits)
{
	struct mark_sink sink = { program_text, program_mark, p };

	/* output that is already in the pipe comes first */
	while (!p->ended && p->pipe.fd >= 0 && ++p->last_reads < PROGRAM_LAST_READS &&
	       program_read_once(p)) {
	}
	p->last_reads = 0;
	mark_expect(&p->marks, digits, &sink);
	(void)!clean_end(&p->clean, &p->text);
	program_tell(p);
	buf_clear(&p->pictures);
	if (p->control_open)
		(void)!loop_rewatch(p->loop, &p->control, EPOLLIN);
	p->ear = ear;
	p->ear_arg = arg;
	if (p->left.len > 0)
		ear->text(arg, buf_view(&p->left));
	buf_clear(&p->left);
}

void program_leave(struct program *p)
{
	p->ear = NULL;
	program_resume(p);
}

bool program_order(struct program *p, const char *line)
{
	return p->control.fd >= 0 && send(p->control.fd, line, strlen(line),
					  MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)strlen(line);
}

void program_resume(struct program *p)
{
	if (!p->waits)
		return;
	p->waits = false;
	if (p->pipe_open)
		(void)!loop_rewatch(p->loop, &p->pipe, EPOLLIN);
	if (p->ended)
		program_read_pipe(p);
}

void program_has_ended(struct program *p, int status)
{
	p->ended = true;
	p->status = status;
	if (!p->waits)
		program_read_pipe(p);
}

uint32_t program_id(const struct program *p)
{
	return p->id;
}

const char *program_directory(const struct program *p)
{
	return p->directory;
}
