/* Events that a serving process waits for: signals, the end of its workers, a process that takes
 * over. */
#include "app/internal.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/log.h"
#include "desk/live.h"
#include "desk/watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	PEER_LOOK_MS = 50,       /* interval of looking at runs of the previous process */
	TAKEOVER_MS = 60 * 1000, /* time for a new process to become ready */
	SECRETS_LOOK_MS = 1000,  /* interval of looking at files with secrets */
	HAND_OVER_MS = 2000,     /* time for the workers to stop taking new calls */
};

void app_keep_serving(struct app *a, const char *why)
{
	struct err e;

	close(a->after);
	a->after = -1;
	log_note(LOG_WARN, "takeover", "%s: this process continues to serve", why);
	if (store_resume(a->store, &e) != ERR_OK)
		log_note(LOG_ERROR, "takeover", "%s", e.text);
}

/* Passes the sockets and the lock to the process that asks. This process serves until the next one
 * is ready. */
static void app_give_sockets(struct app *a)
{
	struct err e;
	int        lock_fd = -1;
	int        peer = takeover_accept(a->offer);

	if (peer < 0)
		return;
	if (a->after >= 0 || a->given || atomic_load(&a->draining)) {
		err_set(&e, ERR_OVERLOADED, "", "another takeover, or the end, is under way");
	} else if (store_quiesce(a->store, &lock_fd, &e) == ERR_OK) {
		a->after = peer;
		a->after_until_us = clock_mono_us() + TAKEOVER_MS * (int64_t)1000;
		log_note(LOG_INFO, "takeover", "another process asks to take over");
		if (takeover_give(peer, lock_fd, &a->listen, &e) != ERR_OK)
			app_keep_serving(a, e.text);
		return;
	}
	log_note(LOG_WARN, "takeover", "refused: %s", e.text);
	takeover_refuse(peer, &e);
	close(peer);
}

/* read_handover: reads the message of the next process; true: that process is ready and waits for
 * app_hand_over. */
static bool read_handover(struct app *a)
{
	struct id run;
	int64_t   owner;

	for (;;) {
		switch (takeover_read(a->after, &run, &owner)) {
		case TAKEOVER_NOTHING: return false;
		case TAKEOVER_CANCEL: (void)live_cancel(run, owner); break;
		case TAKEOVER_READY:
			if (a->given)
				break;
			a->given = true;
			store_handed_over(a->store);
			return true;
		case TAKEOVER_LEFT:
			if (a->given) {
				close(a->after);
				a->after = -1;
				listen_set_shut(&a->listen);
				log_note(LOG_WARN, "takeover",
					 "the process that took over has gone");
			} else {
				app_keep_serving(a, "the process that asked has gone");
			}
			return false;
		}
	}
}

static int min_timeout(int a, int b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* app_patience: the time until the next look at something that sends no signal.  was_alive: what the
 * last look found.  To ask the store anew would miss an end between the two. */
static int app_patience(const struct app *a, int timeout_ms, bool was_alive)
{
	if (a->after >= 0 && !a->given)
		timeout_ms = min_timeout(timeout_ms, 1000);
	if (was_alive)
		timeout_ms = min_timeout(timeout_ms, PEER_LOOK_MS);
	return timeout_ms;
}

static void look_around(struct app *a, bool *was_alive)
{
	bool alive = store_peer_alive(a->store);

	/* One more look follows the end of the other process: by now its interrupted runs have an
	 * end. */
	if (alive || *was_alive)
		watch_look_again();
	*was_alive = alive;
	if (a->after >= 0 && !a->given && clock_mono_us() > a->after_until_us)
		app_keep_serving(a, "the process that asked is not ready in time");
}

/* next_signal: the next signal; 0: before it, `want` workers have drained; -1: time-out. */
static int next_signal(struct app *a, uint64_t *drained, uint64_t want, int timeout_ms)
{
	int64_t until = clock_mono_us() + timeout_ms * (int64_t)1000;
	bool    was_alive = true; /* the other process may have ended before the first look */

	for (;;) {
		struct signalfd_siginfo info;
		uint64_t                n;
		struct pollfd           fds[4] = { { .fd = a->signal_fd, .events = POLLIN },
						   { .fd = a->done_fd, .events = POLLIN },
						   { .fd = a->offer, .events = POLLIN },
						   { .fd = a->after, .events = POLLIN } };
		int64_t                 left = (until - clock_mono_us() + 999) / 1000;

		if (timeout_ms >= 0 && left <= 0)
			return -1;
		if (poll(fds, 4, app_patience(a, timeout_ms < 0 ? -1 : (int)left, was_alive)) < 0 &&
		    errno != EINTR)
			return SIGTERM;
		look_around(a, &was_alive);
		if ((fds[1].revents & POLLIN) &&
		    read(a->done_fd, &n, sizeof n) == (ssize_t)sizeof n) {
			*drained += n;
			if (*drained >= want)
				return 0;
		}
		if ((fds[0].revents & POLLIN) &&
		    read(a->signal_fd, &info, sizeof info) == (ssize_t)sizeof info)
			return (int)info.ssi_signo;
		if (fds[3].revents && a->after >= 0 && read_handover(a))
			return SIGNAL_GIVEN;
		if (fds[2].revents & POLLIN)
			app_give_sockets(a);
	}
}

/* app_notify_pause_ms: how often WATCHDOG=1 has to come, halved; -1: nobody waits for it. */
static int app_notify_pause_ms(void)
{
	const char *us = getenv("WATCHDOG_USEC");
	const char *pid = getenv("WATCHDOG_PID");
	long long   n = us ? strtoll(us, NULL, 10) : 0;

	if (n <= 0 || !getenv("NOTIFY_SOCKET") || (pid && strtol(pid, NULL, 10) != (long)getpid()))
		return -1;
	n /= 2000;
	return n < 1 ? 1 : n > 3600000 ? 3600000 : (int)n;
}

const struct config *app_config(const struct app *a)
{
	return a->read ? a->read : a->config;
}

/* Hanging loops are left to the health checks of clients. */
int app_serve_on(struct app *a)
{
	uint64_t none = 0;
	int      sig;

	for (;;) {
		bool files = config_has_secret_files(app_config(a));
		int  pause = min_timeout(app_notify_pause_ms(), files ? SECRETS_LOOK_MS : -1);

		sig = next_signal(a, &none, UINT64_MAX, pause);
		if (sig != -1)
			return sig;
		app_notify("WATCHDOG=1");
		if (a->secrets_again_us > 0 && clock_mono_us() >= a->secrets_again_us) {
			a->secrets_seen = 0;
			a->secrets_again_us = 0;
		}
		if (config_secrets_changed(app_config(a), &a->secrets_seen))
			return SIGNAL_SECRETS;
	}
}

int app_wait_drained(struct app *a, uint64_t *drained, int64_t timeout_ms)
{
	int ms = timeout_ms < INT32_MAX ? (int)timeout_ms : INT32_MAX;
	int sig;

	/* A reload has no use here, but does not count as a second order to stop. */
	do {
		sig = next_signal(a, drained, a->worker_count, ms);
	} while (sig == SIGHUP || sig == SIGNAL_GIVEN);
	return sig;
}

void app_hand_over(struct app *a)
{
	int64_t  until = clock_mono_us() + HAND_OVER_MS * (int64_t)1000;
	uint64_t quiet = 0;

	while (quiet < a->worker_count) {
		struct pollfd fd = { .fd = a->quiet_fd, .events = POLLIN };
		int64_t       left = (until - clock_mono_us() + 999) / 1000;
		uint64_t      n;

		if (left <= 0 || (poll(&fd, 1, (int)left) < 0 && errno != EINTR))
			break;
		if ((fd.revents & POLLIN) && read(a->quiet_fd, &n, sizeof n) == (ssize_t)sizeof n)
			quiet += n;
	}
	takeover_done(a->after);
}

/* --- app_notify: Datagrams to the socket that NOTIFY_SOCKET names: without libsystemd, which is large. */

void app_notify(const char *state)
{
	const char        *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	size_t             n = path ? strlen(path) : 0;

	if (n < 2 || n >= sizeof a.sun_path || (path[0] != '/' && path[0] != '@'))
		return;
	memcpy(a.sun_path, path, n);
	if (a.sun_path[0] == '@') /* Linux' abstract names */
		a.sun_path[0] = '\0';

	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* Without a receiver, the gateway serves all the same. */
	(void)!sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&a,
		      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
	close(fd);
}

void app_notify_reloading(void)
{
	char text[64];

	snprintf(text, sizeof text, "RELOADING=1\nMONOTONIC_USEC=%lld", (long long)clock_mono_us());
	app_notify(text);
}
