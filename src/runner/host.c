/* Connections of clients: reads frames, begins executions, writes what they tell. */
#include "runner/internal.h"

#include "base/limits.h"
#include "base/log.h"
#include "computer/link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HOST_READ = 64 * KIB, HOST_AT_ONCE = 8 };

struct host {
	struct loop                 *loop;
	const struct runner_options *options;
	struct crowd                *crowd;
	struct watch                 listener;
	uid_t                        peer;
	struct list_head             clients;
	size_t                       client_count;
	struct line                  line; /* clients' executions */
	bool                         stopping;
	char (*seen)[ASK_NAME + 1]; /* owned; a ring of LIMIT_RUNNER_EXECS ids */
	size_t seen_at;
};

struct client {
	struct list_link  all;
	struct line_place place; /* its execution's, in the host's line */
	struct host      *host;
	struct watch      watch;
	uint32_t          events; /* events that are watched */
	struct buf        in, out;
	bool              left; /* the peer has gone, or is to go */
	bool ending; /* nothing more is wanted: what comes is thrown away until the peer closes */
	bool shut;   /* the peer has been told that nothing follows */
	struct ask            ask;
	bool                  asked; /* an execution */
	struct buf            code;
	struct buf            names;
	struct execution_file files[LIMIT_RUNNER_FILES];
	size_t                file_count;
	int                   fds[LIMIT_RUNNER_FILES]; /* owned; they came before their frames */
	size_t                fd_count;
	struct execution     *execution; /* NULL: none, or over */
	int                   download;  /* -1: none */
	int64_t               download_left;
};

/* --- out --- */

static void client_watch(struct client *c)
{
	uint32_t want =
		(uint32_t)EPOLLIN | (c->out.len > 0 || c->download >= 0 ? (uint32_t)EPOLLOUT : 0u);

	if (c->left || want == c->events)
		return;
	c->events = want;
	if (!loop_rewatch(c->host->loop, &c->watch, want))
		c->left = true;
}

/* A client that lets more wait than there is room for is cut off. */
static void client_put(struct client *c, enum frame_kind kind, struct str body)
{
	if (!c->left && !frame_put(&c->out, kind, body))
		c->left = true;
	client_watch(c);
}

static void client_put_buf(struct client *c, enum frame_kind kind, struct buf *body, bool ok)
{
	if (ok)
		client_put(c, kind, buf_view(body));
	else
		c->left = true;
	buf_finish(body);
}

/* JSON of a frame is small: names, numbers, a path. */
static void host_json(struct buf *b)
{
	buf_init(b, 64 * KIB);
}

static void client_refuse(struct client *c, const char *reason, const struct err *e)
{
	struct buf b;

	host_json(&b);
	client_put_buf(c, FRAME_REFUSED, &b,
		       buf_fmt(&b, "{\"reason\":\"%s\",\"message\":", reason) &&
			       err_message(e, &b) && buf_text(&b, "}"));
	c->ending = true;
	client_watch(c);
}

/* --- what an execution tells --- */

static void client_started(void *arg, bool fresh, const char *gone)
{
	struct buf b;

	host_json(&b);
	client_put_buf(
		arg, FRAME_STARTED, &b,
		buf_fmt(&b, "{\"fresh\":%s,\"gone\":\"%s\"}", fresh ? "true" : "false", gone));
}

static void client_line(void *arg, int64_t line)
{
	char text[24];

	snprintf(text, sizeof text, "%lld", (long long)line);
	client_put(arg, FRAME_LINE, str_of(text));
}

static void client_output(void *arg, struct str text)
{
	client_put(arg, FRAME_OUTPUT, text);
}

static void client_part(struct client *c, const struct picture *p, struct str bytes)
{
	const char *format = picture_formats[p->format];
	struct buf  b;

	buf_init(&b, LIMIT_RUNNER_FRAME);
	bool html = p->format == PICTURE_HTML;
	bool ok = html || (buf_text(&b, format) && buf_text(&b, "\n"));
	client_put_buf(c, html ? FRAME_HTML : FRAME_IMAGE, &b, ok && buf_str(&b, bytes));
}

/* The picture in parts, and an empty one after them. */
static void client_picture(void *arg, const struct picture *p)
{
	struct str rest = p->bytes;

	while (rest.n > 0) {
		size_t n = rest.n < LIMIT_RUNNER_FRAME / 2 ? rest.n : LIMIT_RUNNER_FRAME / 2;

		client_part(arg, p, (struct str){ rest.p, n });
		rest = (struct str){ rest.p + n, rest.n - n };
	}
	client_part(arg, p, STR(""));
}

static void client_file(void *arg, struct str path, int64_t bytes)
{
	struct buf b;

	host_json(&b);
	client_put_buf(arg, FRAME_FILE, &b,
		       buf_text(&b, "{\"path\":") && buf_json_string(&b, path) &&
			       buf_fmt(&b, ",\"bytes\":%lld}", (long long)bytes));
}

static void client_end(void *arg, const struct result *r)
{
	struct client *c = arg;
	struct buf     b;

	host_json(&b);
	client_put_buf(c, FRAME_END, &b,
		       buf_fmt(&b,
			       "{\"outcome\":\"%s\",\"exit\":%d,\"ms\":%lld,\"cpu_ms\":%lld,"
			       "\"peak\":%lld,\"left_out\":%lld}",
			       outcome_names[r->outcome], r->exit, (long long)r->ms,
			       (long long)r->cpu_ms, (long long)r->peak, (long long)r->left_out));
	c->ending = true;
	client_watch(c);

	struct log_line l;
	log_begin(&l, LOG_INFO, "executed");
	log_str(&l, "exec", str_of(c->ask.exec));
	log_str(&l, "language", str_of(c->ask.language));
	log_str(&l, "outcome", str_of(outcome_names[r->outcome]));
	log_int(&l, "ms", r->ms);
	log_end(&l);
}

static bool client_full(void *arg)
{
	const struct client *c = arg;

	return !c->left && c->out.len > LIMIT_RUNNER_QUEUE;
}

/* --- the end of a connection --- */

static void host_next(struct host *s);

static void client_destroy(struct client *c)
{
	struct host *s = c->host;

	line_leave(&c->place);
	list_take_out(&c->all);
	s->client_count--;
	if (c->watch.fd >= 0) {
		loop_unwatch(s->loop, &c->watch);
		close(c->watch.fd);
	}
	for (size_t i = 0; i < c->fd_count; i++)
		close(c->fds[i]);
	for (size_t i = 0; i < c->file_count; i++)
		close(c->files[i].fd);
	if (c->download >= 0)
		close(c->download);
	buf_finish(&c->in);
	buf_finish(&c->out);
	buf_finish(&c->code);
	buf_finish(&c->names);
	free(c);
}

/* A client that leaves stops its execution, whose end destroys it. */
static void client_leave(struct client *c)
{
	c->left = true;
	if (!c->execution) {
		client_destroy(c);
		return;
	}
	if (c->watch.fd >= 0) {
		loop_unwatch(c->host->loop, &c->watch);
		close(c->watch.fd);
		c->watch.fd = -1;
	}
	buf_finish(&c->out);
	execution_stop(c->execution);
	if (c->execution)
		execution_resume(c->execution);
}

/* The peer closes when it has read all. */
static void client_shut(struct client *c)
{
	if (c->left || c->shut || !c->ending || c->execution || c->out.len > 0 || c->download >= 0)
		return;
	c->shut = true;
	shutdown(c->watch.fd, SHUT_WR);
}

static void client_over(void *arg)
{
	struct client *c = arg;
	struct host   *s = c->host;

	execution_destroy(TAKE(c->execution));
	line_leave(&c->place);
	if (c->left || c->watch.fd < 0)
		client_leave(c);
	else
		client_shut(c);
	host_next(s);
}

/* --- executions --- */

static const struct sink client_sink = { .started = client_started,
					 .line = client_line,
					 .output = client_output,
					 .picture = client_picture,
					 .file = client_file,
					 .end = client_end,
					 .full = client_full };

static const char *host_reason(const struct err *e)
{
	switch ((int)e->code) {
	case ERR_OVERLOADED: return "full";
	case ERR_CONVERSATION_BUSY: return "busy";
	default: return "invalid";
	}
}

static void client_begin(struct client *c)
{
	struct host         *s = c->host;
	int64_t              most = s->options->max_time_us;
	int64_t              time_us = c->ask.time_us ? c->ask.time_us : s->options->time_us;
	struct execution_ask ask = { .language = language_find(s->options, str_of(c->ask.language)),
				     .code = buf_view(&c->code),
				     .files = c->files,
				     .file_count = c->file_count,
				     .time_us = time_us < most ? time_us : most };
	struct session      *session;
	struct err           e;
	enum errc rc = crowd_take(s->crowd, str_of(c->ask.session), str_of(c->ask.owner), &session,
				  &ask.fresh, &ask.gone, &e);

	if (rc == ERR_OK)
		rc = execution_create(session, &ask, &client_sink, c, client_over, c, &c->execution,
				      &e);
	if (rc != ERR_OK) {
		line_leave(&c->place);
		client_refuse(c, rc == ERR_INTERNAL ? "failed" : host_reason(&e), &e);
	}
}

/* One more than one key may have. */
static int64_t host_at_once(const struct runner_options *o)
{
	int64_t cores = sysconf(_SC_NPROCESSORS_ONLN);

	return o->segments ? o->segments : (cores > 1 ? cores : 2) + 1;
}

static void host_next(struct host *s)
{
	struct line_place *p;

	while (!s->stopping && (p = line_next(&s->line)))
		client_begin(container_of(p, struct client, place));
}

static bool host_has_seen(struct host *s, const char *exec)
{
	size_t n = s->seen_at < LIMIT_RUNNER_EXECS ? s->seen_at : LIMIT_RUNNER_EXECS;

	for (size_t i = 0; i < n; i++)
		if (strcmp(s->seen[i], exec) == 0)
			return true;
	str_copy(s->seen[s->seen_at++ % LIMIT_RUNNER_EXECS], ASK_NAME + 1, str_of(exec));
	return false;
}

static bool host_has_language(struct client *c, struct err *e)
{
	const struct runner_options *o = c->host->options;
	const struct language       *l = language_find(o, str_of(c->ask.language));
	struct buf                   list;

	if (l && l->way != LANGUAGE_SHOWN)
		return true;
	buf_init(&list, KIB);
	/* a list that has no room is cut */
	(void)!language_list(o, &list);
	err_set(e, ERR_INVALID_VALUE, NULL, "`%s` disabled or not supported; there are: %.*s",
		c->ask.language, STR_ARG(buf_view(&list)));
	buf_finish(&list);
	return false;
}

static void client_go(struct client *c)
{
	struct host *s = c->host;
	struct err   e;

	if (s->stopping) {
		err_set(&e, ERR_SHUTTING_DOWN, NULL, "the runner is stopping");
		client_refuse(c, "stopping", &e);
	} else if (!host_has_language(c, &e)) {
		client_refuse(c, "language", &e);
	} else if (host_has_seen(s, c->ask.exec)) {
		err_set(&e, ERR_NOT_CONTINUABLE, "exec", "was executed before");
		client_refuse(c, "seen", &e);
	} else if (!line_enter(&s->line, &c->place, c->ask.owner)) {
		err_set(&e, ERR_OVERLOADED, NULL, "%d executions of this key are waiting",
			LIMIT_RUNNER_WAITING);
		client_refuse(c, "full", &e);
	} else {
		host_next(s);
	}
}

/* --- other frames --- */

static void client_ping(struct client *c)
{
	const struct runner_options *o = c->host->options;
	struct buf                   b;
	struct buf                   list;
	struct buf                   aliases;

	host_json(&b);
	buf_init(&list, KIB);
	buf_init(&aliases, KIB);
	client_put_buf(c, FRAME_PING, &b,
		       language_list(o, &list) &&
			       buf_fmt(&b,
				       "{\"version\":%d,\"guard\":\"%s\",\"sessions\":%zu,"
				       "\"executions\":%lld,\"languages\":",
				       ASK_VERSION, o->guard == RUNNER_CGROUP ? "cgroup" : "rlimit",
				       crowd_count(c->host->crowd),
				       (long long)line_begun(&c->host->line)) &&
			       buf_json_string(&b, buf_view(&list)) &&
			       language_aliases(o, &aliases) && buf_text(&b, ",\"aliases\":") &&
			       buf_json_string(&b, buf_view(&aliases)) && buf_text(&b, "}"));
	buf_finish(&list);
	buf_finish(&aliases);
}

/* host_languages: those that have a process in the session. */
static bool host_languages(const struct session *s, struct buf *out)
{
	bool ok = true;

	for (size_t i = 0; s && ok && language_name(i); i++)
		if (s->programs[i])
			ok = buf_text(out, out->len > 0 ? ", " : "") &&
			     buf_text(out, language_name(i));
	return ok;
}

static void client_state(struct client *c, const struct ask *ask)
{
	struct session      *s = crowd_find(c->host->crowd, str_of(ask->session));
	struct session_usage u = { 0 };
	struct buf           b;
	struct buf           list;

	if (s)
		session_usage(s, &u);
	host_json(&b);
	buf_init(&list, KIB);
	client_put_buf(
		c, FRAME_STATE, &b,
		buf_fmt(&b, "{\"state\":\"%s\",\"idle_ms\":%lld,\"memory\":%lld,\"languages\":",
			!s        ? "none"
			: s->user ? "busy"
				  : "idle",
			s && !s->user ? (long long)(loop_now_us(c->host->loop) - s->used_us) / 1000
				      : 0,
			(long long)u.memory) &&
			host_languages(s, &list) && buf_json_string(&b, buf_view(&list)) &&
			buf_text(&b, "}"));
	buf_finish(&list);
}

static void client_reset(struct client *c, const struct ask *ask)
{
	struct session *s = crowd_find(c->host->crowd, str_of(ask->session));

	if (s)
		session_close(s, "reset");
	client_put(c, FRAME_RESET, STR("{}"));
}

static bool client_list_file(void *arg, struct str path, int64_t bytes)
{
	struct client *c = arg;

	client_file(c, path, bytes);
	return !c->left;
}

static void client_list(struct client *c, const struct session *s)
{
	bool whole = workspace_walk(s->box.space, (struct timespec){ 0 }, (struct timespec){ 0 },
				    LIMIT_RUNNER_LISTED, client_list_file, c);

	client_put(c, FRAME_END,
		   whole ? STR("{\"outcome\":\"ok\",\"more\":false}")
			 : STR("{\"outcome\":\"ok\",\"more\":true}"));
}

static void client_download(struct client *c, const struct ask *ask)
{
	struct session *s = crowd_find(c->host->crowd, str_of(ask->session));
	struct str      path = str_of(ask->path);
	struct err      e;
	enum errc       rc = ERR_OK;

	if (!s || s->box.space < 0)
		rc = err_set(&e, ERR_NOT_FOUND, "session", "there is no session");
	else if (path.n > 0 && c->download < 0)
		rc = workspace_open(s->box.space, path, &c->download, &c->download_left, &e);
	if (rc != ERR_OK)
		client_refuse(c, "not_found", &e);
	else if (path.n > 0)
		client_file(c, path, c->download_left);
	else
		client_list(c, s);
	client_watch(c);
}

/* One part of a downloaded file, when the last one is out.  Its length was told, and stays. */
static void client_download_more(struct client *c)
{
	char    part[HOST_READ];
	int64_t left = c->download_left;
	ssize_t n = read(c->download, part, left < HOST_READ ? (size_t)left : HOST_READ);

	if (n > 0) {
		c->download_left -= n;
		client_put(c, FRAME_BYTES, (struct str){ part, (size_t)n });
		return;
	}
	close(c->download);
	c->download = -1;
	client_put(c, FRAME_END,
		   n == 0 && left == 0 ? STR("{\"outcome\":\"ok\"}")
				       : STR("{\"outcome\":\"lost\"}"));
	c->ending = true;
}

/* --- in --- */

static bool client_give(struct client *c, struct str name, struct err *e)
{
	size_t at = c->names.len;

	if (c->fd_count == 0 || c->file_count == LIMIT_RUNNER_FILES || name.n > LIMIT_FILE_NAME ||
	    !buf_str(&c->names, name)) {
		err_set(e, ERR_INVALID_VALUE, "file", "is too much, or has no descriptor");
		return false;
	}
	/* names has all its room from the start, so that it does not move */
	c->files[c->file_count++] =
		(struct execution_file){ { c->names.data + at, name.n }, c->fds[0] };
	memmove(c->fds, c->fds + 1, --c->fd_count * sizeof c->fds[0]);
	return true;
}

/* Frames of an execution before it runs.  Returns false with e set when the client is wrong. */
static bool client_prepare(struct client *c, const struct frame *f, struct err *e)
{
	switch (f->kind) {
	case FRAME_EXECUTE:
		if (c->asked || !buf_reserve(&c->names, c->names.max))
			return err_set(e, ERR_BAD_REQUEST, NULL,
				       "one execution for a connection") == ERR_OK;
		c->asked = true;
		return ask_read(f->body, true, &c->ask, e) == ERR_OK;
	case FRAME_CODE:
		if (buf_str(&c->code, f->body))
			return true;
		return err_set(e, ERR_REQUEST_TOO_LARGE, "code", "is larger than %u bytes",
			       LIMIT_RUNNER_CODE) == ERR_OK;
	case FRAME_GIVE: return client_give(c, f->body, e);
	case FRAME_GO: client_go(c); return true;
	default:
		return err_set(e, ERR_BAD_REQUEST, NULL,
			       "a frame of this kind is not known here") == ERR_OK;
	}
}

static bool client_question(struct client *c, const struct frame *f, struct err *e)
{
	struct ask ask;

	if (f->kind == FRAME_PING) {
		client_ping(c);
		return true;
	}
	if (ask_read(f->body, false, &ask, e) != ERR_OK)
		return false;
	if (f->kind == FRAME_STATE)
		client_state(c, &ask);
	else if (f->kind == FRAME_RESET)
		client_reset(c, &ask);
	else
		client_download(c, &ask);
	return true;
}

static void client_frame(struct client *c, const struct frame *f)
{
	bool       begun = c->execution || c->place.link.in;
	struct err e;
	bool       ok;

	if (f->kind == FRAME_STOP) {
		if (c->execution)
			execution_stop(c->execution);
		else
			c->left = true;
		return;
	}
	if (!c->asked && f->kind != FRAME_EXECUTE)
		ok = client_question(c, f, &e);
	else
		ok = !begun ? client_prepare(c, f, &e)
			    : err_set(&e, ERR_BAD_REQUEST, NULL, "the execution has begun") ==
				      ERR_OK;
	if (!ok && begun)
		c->left = true;
	else if (!ok)
		client_refuse(c, "invalid", &e);
}

static void client_take_fds(struct client *c, const struct msghdr *m)
{
	const struct cmsghdr *h = CMSG_FIRSTHDR(m);

	if (!h || h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS)
		return;
	for (size_t at = 0; h->cmsg_len >= CMSG_LEN(at + sizeof(int)); at += sizeof(int)) {
		int fd;

		memcpy(&fd, CMSG_DATA(h) + at, sizeof fd);
		if (c->fd_count < LIMIT_RUNNER_FILES)
			c->fds[c->fd_count++] = fd;
		else
			close(fd);
	}
}

/* Returns false when the peer has gone. */
static bool client_receive(struct client *c)
{
	union {
		char           bytes[CMSG_SPACE(HOST_AT_ONCE * sizeof(int))];
		struct cmsghdr align;
	} room;
	char          part[HOST_READ];
	struct iovec  where = { part, sizeof part };
	struct msghdr m = { .msg_iov = &where,
			    .msg_iovlen = 1,
			    .msg_control = room.bytes,
			    .msg_controllen = sizeof room.bytes };
	ssize_t       n = recvmsg(c->watch.fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	client_take_fds(c, &m);
	return n > 0 && buf_add(&c->in, part, (size_t)n);
}

static void client_read(struct client *c)
{
	struct frame f;

	if (!client_receive(c))
		c->left = true;
	/* a socket that is closed with unread bytes is reset, and its last frames are lost */
	if (c->ending)
		buf_clear(&c->in);
	while (!c->left && !c->ending) {
		enum frame_found found = frame_look(buf_view(&c->in), &f);

		if (found == FRAME_TOO_LARGE)
			c->left = true;
		if (found != FRAME_WHOLE)
			return;
		client_frame(c, &f);
		buf_take_front(&c->in, FRAME_HEAD + f.body.n);
	}
}

static void client_write(struct client *c)
{
	if (c->out.len == 0 && c->download >= 0)
		client_download_more(c);

	size_t  most = c->out.len < HOST_READ ? c->out.len : HOST_READ;
	ssize_t n =
		most > 0 ? send(c->watch.fd, c->out.data, most, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		c->left = true;
	if (n > 0)
		buf_take_front(&c->out, (size_t)n);
	if (c->execution && c->out.len <= LIMIT_RUNNER_QUEUE / 2)
		execution_resume(c->execution);
}

static void client_on_event(struct watch *w, uint32_t events)
{
	struct client *c = container_of(w, struct client, watch);

	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		client_read(c);
	if (!c->left && events & EPOLLOUT)
		client_write(c);
	client_watch(c);
	client_shut(c);
	if (c->left)
		client_leave(c);
}

/* --- the listener --- */

static bool host_trusts(const struct host *s, int fd)
{
	struct ucred cred;
	socklen_t    n = sizeof cred;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &n) != 0)
		return false;
	if (cred.uid == s->peer || cred.uid == geteuid())
		return true;
	log_note(LOG_WARN, "peer_refused", "a process of user %u has connected",
		 (unsigned)cred.uid);
	return false;
}

static void host_accept(struct host *s, int fd)
{
	struct client *c = host_trusts(s, fd) && s->client_count < LIMIT_RUNNER_CLIENTS
				   ? calloc(1, sizeof *c)
				   : NULL;

	if (!c) {
		close(fd);
		return;
	}
	c->host = s;
	c->download = -1;
	c->watch = (struct watch){ client_on_event, fd };
	c->events = EPOLLIN;
	buf_init(&c->in, FRAME_HEAD + LIMIT_RUNNER_FRAME + HOST_READ);
	buf_init(&c->out, LIMIT_RUNNER_BACKLOG);
	buf_init(&c->code, LIMIT_RUNNER_CODE);
	buf_init(&c->names, (size_t)LIMIT_RUNNER_FILES * LIMIT_FILE_NAME);
	list_put_back(&s->clients, &c->all);
	s->client_count++;
	if (loop_watch(s->loop, &c->watch, EPOLLIN))
		return;
	c->watch.fd = -1;
	close(fd);
	client_destroy(c);
}

static void host_on_listener(struct watch *w, uint32_t events)
{
	struct host *s = container_of(w, struct host, listener);
	int          fd = accept4(w->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)events;
	if (fd >= 0)
		host_accept(s, fd);
}

enum errc host_create(struct loop *loop, const struct runner_options *o, struct crowd *crowd,
		      int fd, uid_t peer, struct host **ret, struct err *e)
{
	struct host *s = calloc(1, sizeof *s);

	if (s)
		s->seen = calloc(LIMIT_RUNNER_EXECS, sizeof *s->seen);
	if (!s || !s->seen) {
		free(s);
		close(fd);
		return err_no_memory(e);
	}
	s->loop = loop;
	s->options = o;
	s->crowd = crowd;
	s->peer = peer;
	s->line.most = host_at_once(o);
	s->listener = (struct watch){ host_on_listener, fd };
	if (!loop_watch(loop, &s->listener, EPOLLIN)) {
		close(fd);
		free(s->seen);
		free(s);
		return err_no_memory(e);
	}
	*ret = s;
	return ERR_OK;
}

void host_stop(struct host *s)
{
	s->stopping = true;
	if (s->listener.fd >= 0) {
		loop_unwatch(s->loop, &s->listener);
		close(s->listener.fd);
	}
	s->listener.fd = -1;
	LIST_EACH (c, &s->clients, struct client, all)
		if (c->execution)
			execution_stop(c->execution);
}

int64_t host_running(const struct host *s)
{
	return line_begun(&s->line);
}

void host_destroy(struct host *s)
{
	if (!s)
		return;
	while (s->clients.first)
		client_destroy(LIST_FIRST(&s->clients, struct client, all));
	free(s->seen);
	free(s);
}
