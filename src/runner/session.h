/* runner/session: one conversation's sandbox: its languages' processes, its folder, and how it ends. */
#pragma once

#include "base/list.h"
#include "loop/loop.h"
#include "runner/cgroup.h"
#include "runner/program.h"
#include "runner/sandbox.h"

#include <time.h>

enum { SESSION_NAME = 64 };

/* Who uses a session just now: an execution. */
struct session_user {
	void (*ready)(void *arg);
	/* it is over, and why, in a few words; the session goes when this returns */
	void (*lost)(void *arg, const char *why);
};

struct session_home; /* what all sessions share */

struct session {
	struct list_link           all;
	struct session_home       *home;
	char                       name[SESSION_NAME + 1];
	char                       owner[SESSION_NAME + 1];
	struct sandbox             box;
	struct cgroup              group;
	bool                       ready;
	bool                       closing; /* killed; its end is awaited */
	const char                *why;     /* of the end that is coming */
	const struct session_user *user;    /* NULL: idle */
	void                      *user_arg;
	int64_t                    began_us, used_us;
	int64_t                    peak; /* bytes that were seen */
	struct program            *programs[LANGUAGE__MAX];
	uint32_t                   last_program;
	uint32_t                   last_cell;
	struct timespec            told; /* changed files were told up to here */
	char                       directory[SEAT_DIRECTORY]; /* where the next shell begins */
	struct watch               news, process;
	struct timer               starting, pausing;
};

struct session_home {
	struct loop                 *loop;
	const struct runner_options *options;
	struct sandbox_ground       *ground;
	struct cgroups              *cgroups; /* NULL: no guard by cgroups */
	/* the session is taken out, and is destroyed when this returns */
	void (*gone)(struct session_home *h, struct session *s, const char *why);
	struct list_head leaving; /* cgroups that still have processes */
};

/* session_leave_all: waits a moment for the cgroups of sessions that are gone; the loop does not run any more. */
void session_leave_all(struct session_home *h);
/* session_create: begins a sandbox.  Errors: INTERNAL. */
enum errc session_create(struct session_home *h, struct str name, struct str owner,
			 struct session **ret, struct err *e) MUST_USE;
/* session_destroy: the caller has taken it out of its list; nobody uses it. */
void session_destroy(struct session *s);
OWNABLE(session);
/* session_close: kills it; `lost` of its user and `gone` follow, with why (a literal). */
void session_close(struct session *s, const char *why);

/* session_program: the process of a language, started if need be.  file: as program_start; of a
 * language without a driver each call starts one.  Errors: INTERNAL. */
enum errc session_program(struct session *s, const struct language *l, const char *file,
			  struct program **ret, bool *ret_fresh, struct err *e) MUST_USE;
/* session_drop: forgets a language's process, whose group is killed.  May be called in its own callbacks. */
void session_drop(struct session *s, const struct language *l);
/* session_signal: to a language's process group. */
void session_signal(struct session *s, const struct language *l, int signal);
/* session_pause: in a moment, nothing in it runs until session_go_on, where a cgroup can see to that. */
void session_pause(struct session *s);
void session_go_on(struct session *s);
struct session_usage {
	int64_t memory, peak, cpu_us, killed;
};
void session_usage(struct session *s, struct session_usage *ret);
