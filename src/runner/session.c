/* A session's sandbox: news of its seat, its processes, its end. */
#include "base/clock.h"
#include "base/limits.h"
#include "runner/internal.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* --- look: Sums of /proc/PID/status and /proc/PID/stat over a tree of processes. */

struct look {
	int64_t memory; /* bytes that no file backs */
	int64_t shared; /* bytes of shared memory and of files in memory, where they are mapped */
	int64_t cpu_us; /* CPU time of the processes that live */
};

enum { LOOK_MOST = 512 };

static bool look_read(pid_t pid, const char *file, char *ret, size_t size)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
	int     fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, ret, size - 1) : -1;
	if (fd >= 0)
		close(fd);
	ret[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Bytes: the number of kB after a word of the text; 0: there is none. */
static int64_t look_kilobytes(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? strtoll(at + strlen(word), NULL, 10) * 1024 : 0;
}

/* exact: the proportional share of what processes share. */
static void look_at_memory(pid_t pid, bool exact, struct look *ret)
{
	char text[2048];
	bool parts = exact && look_read(pid, "smaps_rollup", text, sizeof text);

	if (!parts && !look_read(pid, "status", text, sizeof text))
		return;
	ret->memory += look_kilobytes(text, parts ? "\nPss_Anon:" : "\nRssAnon:");
	ret->shared += look_kilobytes(text, parts ? "\nPss_Shmem:" : "\nRssShmem:");
}

static void look_at_one(pid_t pid, bool exact, struct look *ret)
{
	char text[512];

	look_at_memory(pid, exact, ret);
	if (look_read(pid, "stat", text, sizeof text)) {
		char *at = strrchr(text, ')'); /* a program's name may have anything in it */

		for (int i = 0; at && i < 12; i++)
			at = strchr(at + 1, ' ');
		long long user = at ? strtoll(at, &at, 10) : 0;
		long long system = at ? strtoll(at, NULL, 10) : 0;
		ret->cpu_us += (user + system) * 1000000 / sysconf(_SC_CLK_TCK);
	}
}

/* look_at: the process and all below it, of which at most a few hundred are looked at.  exact: a page that
 * processes share counts once, which takes the kernel a walk over all pages. */
static void look_at(pid_t top, bool exact, struct look *ret)
{
	pid_t  pids[LOOK_MOST] = { top };
	size_t count = 1;

	*ret = (struct look){ 0 };
	for (size_t i = 0; i < count; i++) {
		char  file[48];
		char  text[4096];
		char *at = text;

		look_at_one(pids[i], exact, ret);
		snprintf(file, sizeof file, "task/%d/children", (int)pids[i]);
		if (!look_read(pids[i], file, text, sizeof text))
			continue;
		while (count < LOOK_MOST) {
			char     *end;
			long long pid = strtoll(at, &end, 10);

			if (end == at)
				break;
			pids[count++] = (pid_t)pid;
			at = end;
		}
	}
}

enum { SESSION_PAUSE_US = 50000, SESSION_LEAVE_MS = 10, SESSION_LEAVE_TRIES = 300 };

/* --- the end --- */

static void session_unwatch(struct watch *w, struct loop *l)
{
	if (w->fd >= 0)
		loop_unwatch(l, w);
	w->fd = -1;
}

/* A cgroup whose last process is just ending stays for a moment. */
struct session_leaving {
	struct list_link     link;
	struct session_home *home;
	struct cgroup        group;
	struct timer         again;
};

static void session_leave(struct timer *t)
{
	struct session_leaving *g = container_of(t, struct session_leaving, again);

	if (!cgroup_remove(g->home->cgroups, &g->group)) {
		timer_start(g->home->loop, t, 10000);
		return;
	}
	list_take_out(&g->link);
	free(g);
}

void session_leave_all(struct session_home *h)
{
	struct session_leaving *next;
	int                     tries = 0;

	for (struct session_leaving *g = LIST_FIRST(&h->leaving, struct session_leaving, link); g;
	     g = next) {
		next = LIST_NEXT(g, struct session_leaving, link);
		/* a group that stays is swept up by the next start */
		while (!cgroup_remove(h->cgroups, &g->group) && tries++ < SESSION_LEAVE_TRIES)
			(void)poll(NULL, 0, SESSION_LEAVE_MS);
		timer_stop(h->loop, &g->again);
		free(g);
	}
	h->leaving = (struct list_head){ .first = NULL };
}

static void session_remove_group(struct session *s)
{
	struct session_home *h = s->home;

	if (!h->cgroups || s->group.folder < 0 || cgroup_remove(h->cgroups, &s->group))
		return;

	struct session_leaving *g = calloc(1, sizeof *g);
	if (!g)
		return;
	*g = (struct session_leaving){ .home = h,
				       .group = s->group,
				       .again = { .fn = session_leave } };
	list_put_back(&h->leaving, &g->link);
	timer_start(h->loop, &g->again, 10000);
}

void session_destroy(struct session *s)
{
	if (!s)
		return;
	timer_stop(s->home->loop, &s->starting);
	timer_stop(s->home->loop, &s->pausing);
	session_unwatch(&s->news, s->home->loop);
	session_unwatch(&s->process, s->home->loop);
	for (size_t i = 0; i < LANGUAGE__MAX; i++)
		program_destroy(s->programs[i]);
	sandbox_finish(&s->box);
	session_remove_group(s);
	free(s);
}

static void session_over(struct session *s)
{
	const struct session_user *user = s->user;
	struct session_usage       u;

	session_usage(s, &u);
	if (!s->why && u.killed > 0)
		s->why = "memory";
	s->user = NULL;
	if (user)
		user->lost(s->user_arg, s->why ? s->why : "lost");
	s->home->gone(s->home, s, s->why ? s->why : "lost");
	session_destroy(s);
}

static void session_on_process(struct watch *w, uint32_t events)
{
	(void)events;
	session_over(container_of(w, struct session, process));
}

void session_close(struct session *s, const char *why)
{
	if (s->closing)
		return;
	s->closing = true;
	s->why = why;
	/* a frozen process does not even die */
	session_go_on(s);
	sandbox_kill(&s->box);
}

/* --- news --- */

static void session_program_ended(struct session *s, const struct seat_say *say)
{
	for (size_t i = 0; i < LANGUAGE__MAX; i++)
		if (s->programs[i] && program_id(s->programs[i]) == say->id) {
			program_has_ended(s->programs[i], say->status);
			return;
		}
}

static void session_on_news(struct watch *w, uint32_t events)
{
	struct session    *s = container_of(w, struct session, news);
	struct seat_say    say;
	enum sandbox_heard heard = sandbox_hear(&s->box, &say);

	(void)events;
	if (heard == SANDBOX_CLOSED) {
		session_unwatch(&s->news, s->home->loop);
		session_close(s, s->why);
	}
	if (heard != SANDBOX_NEWS)
		return;
	if (say.news == SEAT_ENDED)
		session_program_ended(s, &say);
	if (say.news != SEAT_READY || s->ready || s->box.space < 0)
		return;
	s->ready = true;
	timer_stop(s->home->loop, &s->starting);
	if (s->user)
		s->user->ready(s->user_arg);
}

static void session_late(struct timer *t)
{
	session_close(container_of(t, struct session, starting), "the sandbox did not start");
}

/* --- the beginning --- */

static void session_on_pausing(struct timer *t)
{
	cgroup_pause(&container_of(t, struct session, pausing)->group, true);
}

enum errc session_create(struct session_home *h, struct str name, struct str owner,
			 struct session **ret, struct err *e)
{
	struct session *s = calloc(1, sizeof *s);

	if (!s)
		return err_no_memory(e);
	s->home = h;
	s->group.folder = -1;
	s->box = (struct sandbox){ .process = -1, .channel = -1, .space = -1, .code = -1 };
	s->news = (struct watch){ session_on_news, -1 };
	s->process = (struct watch){ session_on_process, -1 };
	s->starting.fn = session_late;
	s->pausing.fn = session_on_pausing;
	s->began_us = s->used_us = clock_mono_us();
	str_copy(s->name, sizeof s->name, name);
	str_copy(s->owner, sizeof s->owner, owner);
	str_copy(s->directory, sizeof s->directory, str_of(SANDBOX_SPACE));

	enum errc rc = h->cgroups ? cgroup_make(h->cgroups, h->options, &s->group, e) : ERR_OK;
	int       procs = cgroup_procs(&s->group);
	if (rc == ERR_OK)
		rc = sandbox_start(h->ground, procs, -1, &s->box, e);
	if (procs >= 0)
		close(procs);
	if (rc == ERR_OK) {
		s->news.fd = s->box.channel;
		s->process.fd = s->box.process;
		bool news = loop_watch(h->loop, &s->news, EPOLLIN);
		if (!news || !loop_watch(h->loop, &s->process, EPOLLIN)) {
			if (!news)
				s->news.fd = -1;
			s->process.fd = -1;
			rc = err_no_memory(e);
		}
	}
	if (rc != ERR_OK) {
		session_destroy(s);
		return rc;
	}
	timer_start(h->loop, &s->starting, (int64_t)LIMIT_RUNNER_START_MS * 1000);
	*ret = s;
	return ERR_OK;
}

/* --- programs --- */

enum errc session_program(struct session *s, const struct language *l, const char *file,
			  struct program **ret, bool *ret_fresh, struct err *e)
{
	struct program **p = &s->programs[language_index(l)];

	*ret_fresh = !*p;
	if (!*p) {
		enum errc rc = program_start(s->home->loop, &s->box, ++s->last_program, l,
					     s->directory, file, p, e);

		if (rc != ERR_OK)
			return rc;
	}
	*ret = *p;
	return ERR_OK;
}

void session_drop(struct session *s, const struct language *l)
{
	struct program **p = &s->programs[language_index(l)];

	if (!*p)
		return;
	sandbox_signal(&s->box, program_id(*p), SIGKILL);
	if (program_directory(*p)[0])
		str_copy(s->directory, sizeof s->directory, str_of(program_directory(*p)));
	program_bury(TAKE(*p));
}

void session_signal(struct session *s, const struct language *l, int signal)
{
	const struct program *p = s->programs[language_index(l)];

	if (p)
		sandbox_signal(&s->box, program_id(p), signal);
}

/* The seat still has a signal to pass on, or the driver to come back to its orders. */
void session_pause(struct session *s)
{
	timer_start(s->home->loop, &s->pausing, SESSION_PAUSE_US);
}

void session_go_on(struct session *s)
{
	timer_stop(s->home->loop, &s->pausing);
	cgroup_pause(&s->group, false);
}

/* --- use --- */

/* Files in the folder take memory too; one that is mapped is among what processes share. */
static int64_t session_memory(const struct look *l, int64_t space)
{
	return l->memory + (l->shared > space ? l->shared : space);
}

static int64_t session_space_used(const struct session *s)
{
	struct statfs st;

	if (s->box.space < 0 || fstatfs(s->box.space, &st) != 0)
		return 0;
	return (int64_t)(st.f_blocks - st.f_bfree) * (int64_t)st.f_bsize;
}

void session_usage(struct session *s, struct session_usage *ret)
{
	*ret = (struct session_usage){ 0 };
	if (s->group.folder >= 0) {
		struct cgroup_used u;

		cgroup_used(&s->group, &u);
		*ret = (struct session_usage){ u.memory, u.peak, u.cpu_us, u.killed };
		return;
	}
	if (s->box.pid > 0) {
		struct look l;
		int64_t     space = session_space_used(s);

		look_at(s->box.pid, false, &l);
		/* forked processes share most of it */
		if (session_memory(&l, space) > s->home->options->memory)
			look_at(s->box.pid, true, &l);
		ret->memory = session_memory(&l, space);
		ret->cpu_us = l.cpu_us;
	}
	if (ret->memory > s->peak)
		s->peak = ret->memory;
	ret->peak = s->peak;
}
