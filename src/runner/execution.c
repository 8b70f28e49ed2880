/* An execution: the bounds of its output, lines, images and time, and what its end is called. */
#include "runner/internal.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/limits.h"
#include "runner/mark.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char *const outcome_names[OUTCOME__COUNT] = { "ok",     "error",  "interrupted",
						    "time",   "output", "memory",
						    "exited", "killed", "lost" };

struct execution {
	struct loop           *loop;
	struct session        *session; /* not to be used after the end */
	const struct language *language;
	const struct sink     *sink;
	void                  *sink_arg;
	void (*over)(void *arg);
	void                  *over_arg;
	struct program        *program; /* borrowed; NULL: not started, or gone */
	struct buf             code;
	struct execution_file *files; /* owned, with descriptors; names in `names` */
	size_t                 file_count;
	struct buf             names;
	int64_t                time_us;
	bool                   fresh;
	const char            *gone;

	struct timer    time, stop, piece;
	struct task     last;
	bool            stopping, urged;
	bool            done;
	bool            dying;
	enum outcome    reason; /* reason for stopping */
	int64_t         began_us, cpu_us;
	struct timespec since;
	struct timespec brought;  /* when the client's files were */
	char            file[64]; /* the code's path */

	struct buf piece_buf; /* output that waits for more */
	struct buf tail;      /* the last of what was left out */
	int64_t    kept, left_out;
	int64_t    lines, line_us;
	int64_t    images;
};

/* --- output --- */

static void execution_flush(struct execution *x)
{
	timer_stop(x->loop, &x->piece);
	if (x->piece_buf.len > 0)
		x->sink->output(x->sink_arg, buf_view(&x->piece_buf));
	buf_clear(&x->piece_buf);
}

static void execution_on_piece(struct timer *t)
{
	execution_flush(container_of(t, struct execution, piece));
}

/* Bytes of the whole characters that fit into n. */
static size_t execution_cut(struct str text, size_t n)
{
	if (n >= text.n)
		return text.n;
	while (n > 0 && ((unsigned char)text.p[n] & 0xc0) == 0x80)
		n--;
	return n;
}

static void execution_put(struct execution *x, struct str text)
{
	while (text.n > 0) {
		size_t n = execution_cut(text, LIMIT_RUNNER_PIECE - x->piece_buf.len);

		/* without memory, output is lost; its program can't be helped */
		if (n > 0 && !buf_add(&x->piece_buf, text.p, n))
			return;
		text = (struct str){ text.p + n, text.n - n };
		if (text.n > 0)
			execution_flush(x);
	}
	if (x->piece_buf.len > 0 && !timer_running(&x->piece))
		timer_start(x->loop, &x->piece, (int64_t)LIMIT_RUNNER_PIECE_MS * 1000);
}

/* A line of the runner's own, for model and user alike. */
PRINTF(2, 3) static void execution_say(struct execution *x, const char *fmt, ...)
{
	char    text[300];
	va_list list;

	va_start(list, fmt);
	int n = vsnprintf(text, sizeof text, fmt, list);
	va_end(list);
	if (n > 0)
		execution_put(x, str_of(text));
}

static void execution_keep_tail(struct execution *x, struct str text)
{
	x->left_out += (int64_t)text.n;
	if (text.n > LIMIT_RUNNER_TAIL) {
		buf_clear(&x->tail);
		text = (struct str){ text.p + text.n - LIMIT_RUNNER_TAIL, LIMIT_RUNNER_TAIL };
	}
	if (x->tail.len + text.n > LIMIT_RUNNER_TAIL)
		buf_take_front(&x->tail, x->tail.len + text.n - LIMIT_RUNNER_TAIL);
	(void)!buf_str(&x->tail, text);
}

/* The number of bytes left out, and the last of the output. */
static void execution_tail(struct execution *x)
{
	struct str tail = buf_view(&x->tail);

	while (tail.n > 0 && ((unsigned char)tail.p[0] & 0xc0) == 0x80)
		tail = (struct str){ tail.p + 1, tail.n - 1 };
	if (x->left_out == 0)
		return;
	x->left_out -= (int64_t)tail.n;
	if (x->left_out > 0)
		execution_say(x, "\n[%lld bytes left out]\n", (long long)x->left_out);
	execution_put(x, tail);
}

/* --- stop --- */

static void execution_finish(struct execution *x, enum outcome outcome, int status);

static void execution_interrupt(struct execution *x, enum outcome reason)
{
	if (x->stopping || x->done)
		return;
	x->stopping = true;
	x->reason = reason;
	if (!x->program) { /* nothing has run */
		execution_finish(x, reason, 0);
		return;
	}
	session_signal(x->session, x->language, SIGINT);
	if (x->language->way == LANGUAGE_DRIVER)
		(void)!program_order(x->program, "stop\n");
	timer_start(x->loop, &x->stop, (int64_t)LIMIT_RUNNER_STOP_MS * 1000 / 2);
}

static void execution_on_time(struct timer *t)
{
	execution_interrupt(container_of(t, struct execution, time), OUTCOME_TIME);
}

static void execution_on_stop(struct timer *t)
{
	struct execution *x = container_of(t, struct execution, stop);

	/* A shell that gets the signal between a command's line and the command's process waits for that
	 * process, which has not got it. */
	if (!x->urged) {
		x->urged = true;
		session_signal(x->session, x->language, SIGINT);
		timer_start(x->loop, &x->stop, (int64_t)LIMIT_RUNNER_STOP_MS * 1000 / 2);
		return;
	}
	session_signal(x->session, x->language, SIGKILL);
	/* a language whose driver is being awaited by nobody any more */
	session_drop(x->session, x->language);
	x->program = NULL;
	execution_finish(x, x->reason, -1);
}

void execution_stop(struct execution *x)
{
	execution_interrupt(x, OUTCOME_INTERRUPTED);
}

/* --- the end --- */

static bool execution_tell_file(void *arg, struct str path, int64_t bytes)
{
	struct execution *x = arg;

	x->sink->file(x->sink_arg, path, bytes);
	return true;
}

/* -1: SIGKILL had to end it. */
static void execution_explain(struct execution *x, enum outcome outcome, int status)
{
	bool        stays = x->language->way == LANGUAGE_DRIVER;
	const char *gone = stays && !x->program ? ": its variables are gone" : "";

	switch (outcome) {
	case OUTCOME_OK:
	case OUTCOME_ERROR: break;
	case OUTCOME_INTERRUPTED: execution_say(x, "[interrupted%s]\n", gone); break;
	case OUTCOME_TIME:
		execution_say(x, "[stopped after %lld s%s]\n", (long long)(x->time_us / 1000000),
			      gone);
		break;
	case OUTCOME_OUTPUT: execution_say(x, "\n[stopped: too much output%s]\n", gone); break;
	case OUTCOME_MEMORY:
		execution_say(x, "[out of memory: the session and its variables are gone]\n");
		break;
	case OUTCOME_EXITED:
		execution_say(x, "[%s has ended with status %d: its variables are gone]\n",
			      x->language->name, status);
		break;
	case OUTCOME_KILLED:
		execution_say(x, "[%s was ended by signal %d (%s)%s]\n", x->language->name, status,
			      sigabbrev_np(status) ? sigabbrev_np(status) : "unknown", gone);
		break;
	case OUTCOME_LOST:
		execution_say(x,
			      "[the computer stopped: the session and its variables are gone]\n");
		break;
	case OUTCOME__COUNT: break;
	}
}

static void execution_on_last(struct task *t)
{
	struct execution *x = container_of(t, struct execution, last);

	x->over(x->over_arg);
}

static void execution_finish(struct execution *x, enum outcome outcome, int status)
{
	struct session_usage u;

	if (x->done)
		return;
	x->done = true;
	timer_stop(x->loop, &x->time);
	timer_stop(x->loop, &x->stop);
	execution_tail(x);
	execution_explain(x, outcome, status);
	execution_flush(x);
	session_usage(x->session, &u);
	if (x->session->box.space >= 0)
		(void)workspace_walk(x->session->box.space, x->since, x->brought,
				     LIMIT_RUNNER_NOTED, execution_tell_file, x);
	clock_gettime(CLOCK_REALTIME, &x->session->told);
	if (x->session->box.code >= 0 && x->file[0])
		(void)unlinkat(x->session->box.code, strrchr(x->file, '/') + 1, 0);
	if (x->program && x->language->way == LANGUAGE_DRIVER)
		program_leave(x->program);
	x->program = NULL;
	x->session->user = NULL;
	x->session->used_us = clock_mono_us();
	session_pause(x->session);

	struct result r = { .outcome = outcome,
			    .exit = status,
			    .ms = (clock_mono_us() - x->began_us) / 1000,
			    .cpu_ms = u.cpu_us > x->cpu_us ? (u.cpu_us - x->cpu_us) / 1000 : 0,
			    .peak = u.peak,
			    .left_out = x->left_out };
	x->sink->end(x->sink_arg, &r);
	loop_later(x->loop, &x->last);
}

/* --- what the program says --- */

static void execution_text(void *arg, struct str text)
{
	struct execution            *x = arg;
	const struct runner_options *o = x->session->home->options;
	size_t                       n = execution_cut(text, (size_t)(o->output - x->kept));

	x->kept += (int64_t)n;
	if (n > 0)
		execution_put(x, (struct str){ text.p, n });
	if (n < text.n) {
		x->kept = o->output; /* output after a cut is left out, however short */
		execution_keep_tail(x, (struct str){ text.p + n, text.n - n });
	}
	if (x->left_out > o->dropped)
		execution_interrupt(x, OUTCOME_OUTPUT);
}

static void execution_line(void *arg, int64_t line)
{
	struct execution *x = arg;
	int64_t           now = loop_now_us(x->loop);

	if (++x->lines > LIMIT_RUNNER_LINES &&
	    now - x->line_us < (int64_t)LIMIT_RUNNER_LINE_MS * 1000)
		return;
	x->line_us = now;
	execution_flush(x);
	x->sink->line(x->sink_arg, line);
}

static void execution_picture(void *arg, const struct picture *p)
{
	struct execution *x = arg;

	struct picture copy = *p;
	struct clean   clean = { .held_n = 0 };
	struct buf     html;

	if (++x->images > LIMIT_RUNNER_IMAGES)
		return;
	execution_flush(x);
	buf_init(&html, 3 * (size_t)LIMIT_RUNNER_IMAGE);
	if (p->format == PICTURE_HTML) {
		/* cleaned like output: whole characters */
		(void)!(clean_feed(&clean, p->bytes, &html) && clean_end(&clean, &html));
		copy.bytes = buf_view(&html);
	}
	if (p->format != PICTURE_HTML || html.len <= LIMIT_RUNNER_IMAGE)
		x->sink->picture(x->sink_arg, &copy);
	buf_finish(&html);
}

/* A driver's word on how it went: 0, 130 for an interrupt, or another status. */
static void execution_done(void *arg, int64_t status, bool dying)
{
	struct execution *x = arg;

	if (dying) { /* the process's end follows */
		x->dying = true;
		return;
	}
	enum outcome how = x->stopping ? x->reason : status == 0 ? OUTCOME_OK : OUTCOME_ERROR;
	execution_finish(x, how, (int)(status & 0xff));
}

static void execution_ended(void *arg, int status)
{
	struct execution *x = arg;
	bool              driver = x->language->way == LANGUAGE_DRIVER;
	int               code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);

	session_drop(x->session, x->language);
	x->program = NULL;
	if (x->stopping)
		execution_finish(x, x->reason, code);
	else if (WIFSIGNALED(status))
		execution_finish(x, OUTCOME_KILLED, code);
	else if (driver)
		execution_finish(x, OUTCOME_EXITED, code);
	else
		execution_finish(x, code == 0 ? OUTCOME_OK : OUTCOME_ERROR, code);
}

static bool execution_full(void *arg)
{
	struct execution *x = arg;

	return !x->done && x->sink->full(x->sink_arg);
}

void execution_resume(struct execution *x)
{
	if (x->program)
		program_resume(x->program);
}

/* --- the beginning --- */

static enum errc execution_files(struct execution *x, struct err *e)
{
	enum errc rc = ERR_OK;

	for (size_t i = 0; rc == ERR_OK && i < x->file_count; i++)
		rc = workspace_give(x->session->box.space, x->files[i].name, x->files[i].fd,
				    &x->brought, e);
	return rc;
}

static void execution_digits(char ret[MARK_DIGITS + 1])
{
	uint64_t random[2] = { id_random(), id_random() };

	hash_hex(random, sizeof random, ret);
}

static enum errc execution_run(struct execution *x, struct err *e)
{
	static const struct program_ear ear = { .text = execution_text,
						.line = execution_line,
						.picture = execution_picture,
						.done = execution_done,
						.ended = execution_ended,
						.full = execution_full };
	struct session                 *s = x->session;
	char                            digits[MARK_DIGITS + 1] = "";
	char                            order[160];
	bool                            fresh;
	enum errc                       rc = execution_files(x, e);

	if (rc != ERR_OK)
		return rc;
	snprintf(x->file, sizeof x->file, SANDBOX_CODE "/%u.%s", ++s->last_cell,
		 x->language->ending);
	if (!workspace_code(s->box.code, strrchr(x->file, '/') + 1, buf_view(&x->code)))
		return err_set(e, ERR_INTERNAL, NULL, "the code can't be put into the sandbox: %s",
			       errno == ENOSPC ? "its folder is full" : "something is in its way");
	buf_finish(&x->code);
	rc = session_program(s, x->language, x->file, &x->program, &fresh, e);
	if (rc != ERR_OK)
		return rc;
	if (x->language->way == LANGUAGE_DRIVER)
		execution_digits(digits);
	program_listen(x->program, &ear, x, digits);
	if (x->language->way != LANGUAGE_DRIVER)
		return ERR_OK;
	snprintf(order, sizeof order, "run %u %s %s\n", s->last_cell, digits, x->file);
	/* a driver that does not read is dead or stuck: its end, or the time, ends this too */
	(void)!program_order(x->program, order);
	return ERR_OK;
}

/* Files are stamped with a clock that may be a tick late.  What has been told is not told again, though a
 * file may miss its mention that was changed within the tick of the last end. */
static void execution_since(struct execution *x)
{
	const struct timespec *told = &x->session->told;

	clock_gettime(CLOCK_REALTIME_COARSE, &x->since);
	if (x->since.tv_sec < told->tv_sec ||
	    (x->since.tv_sec == told->tv_sec && x->since.tv_nsec <= told->tv_nsec))
		x->since = (struct timespec){ told->tv_sec, told->tv_nsec + 1 };
}

static void execution_ready(void *arg)
{
	struct execution    *x = arg;
	struct session_usage u;
	struct err           e;

	session_go_on(x->session);
	session_usage(x->session, &u);
	x->cpu_us = u.cpu_us;
	x->began_us = clock_mono_us();
	execution_since(x);
	timer_start(x->loop, &x->time, x->time_us);
	x->sink->started(x->sink_arg, x->fresh, x->gone);
	if (execution_run(x, &e) != ERR_OK) {
		execution_say(x, "[%s]\n", e.text);
		execution_finish(x, OUTCOME_ERROR, 1);
	}
}

static void execution_lost(void *arg, const char *why)
{
	struct execution *x = arg;

	x->program = NULL;
	execution_finish(x, strcmp(why, "memory") == 0 ? OUTCOME_MEMORY : OUTCOME_LOST, 0);
}

/* Copies, as the asker's own go with its frames. */
static bool execution_keep_files(struct execution *x, const struct execution_ask *ask)
{
	x->files = calloc(ask->file_count + 1, sizeof *x->files);
	if (!x->files || !buf_reserve(&x->names, ask->file_count * (LIMIT_FILE_NAME + 1) + 1))
		return false;
	for (size_t i = 0; i < ask->file_count; i++) {
		struct execution_file *f = &x->files[i];
		struct str             name = ask->files[i].name;

		f->name = (struct str){ x->names.data + x->names.len, name.n };
		if (name.n > LIMIT_FILE_NAME || !buf_str(&x->names, name))
			return false;
		f->fd = dup(ask->files[i].fd);
		if (f->fd < 0)
			return false;
		x->file_count++;
	}
	return true;
}

enum errc execution_create(struct session *s, const struct execution_ask *ask,
			   const struct sink *sink, void *sink_arg, void (*over)(void *arg),
			   void *over_arg, struct execution **ret, struct err *e)
{
	static const struct session_user user = { execution_ready, execution_lost };
	struct execution                *x = calloc(1, sizeof *x);

	if (!x)
		return err_no_memory(e);
	*x = (struct execution){ .loop = s->home->loop,
				 .session = s,
				 .language = ask->language,
				 .sink = sink,
				 .sink_arg = sink_arg,
				 .over = over,
				 .over_arg = over_arg,
				 .time_us = ask->time_us,
				 .fresh = ask->fresh,
				 .gone = ask->gone,
				 .began_us = clock_mono_us(),
				 .time = { .fn = execution_on_time },
				 .stop = { .fn = execution_on_stop },
				 .piece = { .fn = execution_on_piece },
				 .last = { .fn = execution_on_last } };
	buf_init(&x->code, LIMIT_RUNNER_CODE);
	buf_init(&x->names, (size_t)LIMIT_RUNNER_FILES * (LIMIT_FILE_NAME + 1) + 1);
	buf_init(&x->piece_buf, LIMIT_RUNNER_PIECE);
	buf_init(&x->tail, LIMIT_RUNNER_TAIL);
	if (!execution_keep_files(x, ask) || !buf_str(&x->code, ask->code)) {
		execution_destroy(x);
		return err_no_memory(e);
	}
	s->user = &user;
	s->user_arg = x;
	*ret = x;
	if (s->ready)
		execution_ready(x);
	return ERR_OK;
}

void execution_destroy(struct execution *x)
{
	if (!x)
		return;
	timer_stop(x->loop, &x->time);
	timer_stop(x->loop, &x->stop);
	timer_stop(x->loop, &x->piece);
	for (size_t i = 0; i < x->file_count; i++)
		close(x->files[i].fd);
	free(x->files);
	buf_finish(&x->names);
	buf_finish(&x->code);
	buf_finish(&x->piece_buf);
	buf_finish(&x->tail);
	free(x);
}
