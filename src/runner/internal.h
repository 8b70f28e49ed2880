/* runner/internal: what the files of this room share: the host of sessions, sessions, their executions, and the programs in them. */
#pragma once

#include "base/base.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/list.h"
#include "base/str.h"
#include "computer/computer_console.h"
#include "loop/loop.h"
#include "runner/runner.h"
#include "runner/sandbox.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct crowd;
struct execution;
struct host;
struct program;

/* --- language: the languages that a sandbox can run, as a table. */

enum { LANGUAGE__MAX = 16 };

enum language_way {
	LANGUAGE_DRIVER,  /* a process that stays and keeps variables */
	LANGUAGE_PROCESS, /* a process for each execution */
	LANGUAGE_SHOWN,   /* html: not run */
};

struct language {
	const char       *name;
	const char       *aliases; /* between commas */
	enum language_way way;
	const char       *ending;  /* extension of the code's file */
	const char       *program; /* has to be in /usr/bin or /usr/local/bin; NULL: none */
	/* Separated by spaces; % is the file with the code, @ the program's path, $ the driver's folder.  Of
	 * a driver: the file's name comes over the control socket. */
	const char *command;
};

/* language_find: by name or alias, whatever the case; NULL: unknown, not installed, or not offered. */
const struct language *language_find(const struct runner_options *o, struct str name);
/* language_list: appends the names of those that are offered, separated by ", ". */
bool language_list(const struct runner_options *o, struct buf *out) MUST_USE;
/* language_command: the arguments with their NULs.  False: no room. */
bool language_command(const struct language *l, const char *folder, const char *file,
		      struct buf *out) MUST_USE;
/* language_aliases: "py=python, python3=python, …" of those that are offered. */
bool language_aliases(const struct runner_options *o, struct buf *out);
/* language_name: of the i-th of the table; NULL: there are fewer. */
const char *language_name(size_t i);
size_t      language_index(const struct language *l);

/* --- program: a language's process in a sandbox: its output, cleaned and without marks, its
 * images, and its end.  Everything that it says may be forged; all of it is bounded. */

/* Callbacks for all that a program says while somebody listens; the spans are borrowed for the call.
 * None may destroy the program. */
struct program_ear {
	void (*text)(void *arg, struct str text); /* whole characters */
	void (*line)(void *arg, int64_t line);
	void (*picture)(void *arg, const struct picture *p);
	/* the execution's end, as the driver tells it; dying: the process ends after it */
	void (*done)(void *arg, int64_t status, bool dying);
	/* the process has ended, and its output was told; status as waitpid(2) gives it */
	void (*ended)(void *arg, int status);
	/* the client takes no more for now: nothing is read until program_resume */
	bool (*full)(void *arg);
};

/* program_start: the options' folder for code has file already (of a language without a driver).  Errors: INTERNAL. */
enum errc program_start(struct loop *loop, struct sandbox *box, uint32_t id,
			const struct language *l, const char *directory, const char *file,
			struct program **ret, struct err *e) MUST_USE;
void      program_destroy(struct program *p);
OWNABLE(program);
/* program_bury: destroys it at the end of the loop's turn, so that it may be called in its callbacks. */
void program_bury(struct program *p);

/* program_listen: from here on ear gets what the program says, beginning with what it has said since
 * the last one left; marks are told by these digits ("": there are none).  ear is borrowed. */
void program_listen(struct program *p, const struct program_ear *ear, void *arg,
		    const char *digits);
void program_leave(struct program *p);
/* program_order: a line for the driver.  False: it does not read. */
bool program_order(struct program *p, const char *line) MUST_USE;
void program_resume(struct program *p);
/* program_has_ended: the seat said so. */
void     program_has_ended(struct program *p, int status);
uint32_t program_id(const struct program *p);
/* program_directory: where a shell that ended was; "": not told. */
const char *program_directory(const struct program *p);

/* --- session: one conversation's sandbox: its languages' processes, its folder, and how it ends. */

enum { SESSION_NAME = 64 };

/* Who uses a session just now: an execution. */
struct session_user {
	void (*ready)(void *arg);
	/* it is over, and why, in a few words; the session goes when this returns */
	void (*lost)(void *arg, const char *why);
};

struct session_home; /* the part that all sessions share */

struct session {
	struct list_link           all;
	struct session_home       *home;
	char                       name[SESSION_NAME + 1];
	char                       owner[SESSION_NAME + 1];
	struct sandbox             box;
	struct cgroup              group;
	bool                       ready;
	bool                       closing; /* killed; its end is awaited */
	const char                *why;     /* reason for the end that is coming */
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

/* --- crowd: all sessions of a runner: how many there may be, when one ends that nobody uses, and why the
 * last ones ended. */

/* crowd_create: the options, ground and cgroups (NULL: none) are borrowed for its life. */
enum errc crowd_create(struct loop *loop, const struct runner_options *o,
		       struct sandbox_ground *ground, struct cgroups *cgroups, struct crowd **ret,
		       struct err *e) MUST_USE;
/* crowd_destroy: no session is left (crowd_close, crowd_count). */
void crowd_destroy(struct crowd *c);
/* crowd_find: NULL: there is none. */
struct session *crowd_find(struct crowd *c, struct str name);
/* crowd_take: the session of this name, made if need be; the one that is idle longest makes room.
 * *ret_gone: why an earlier one of the name ended, a literal; "": not known.  Errors: OVERLOADED,
 * CONVERSATION_BUSY, INTERNAL. */
enum errc crowd_take(struct crowd *c, struct str name, struct str owner, struct session **ret,
		     bool *ret_fresh, const char **ret_gone, struct err *e) MUST_USE;
/* crowd_close: all of them. */
void   crowd_close(struct crowd *c);
size_t crowd_count(const struct crowd *c);
/* crowd_tell_empty: fn is called when the last session has gone. */
void crowd_tell_empty(struct crowd *c, void (*fn)(void *arg), void *arg);

/* --- host: the runner's socket and its clients' connections; each executes once, or asks something. */

/* host_create: fd is a listening socket, consumed.  peer: the user whose processes may connect, besides the
 * runner's own. */
enum errc host_create(struct loop *loop, const struct runner_options *o, struct crowd *crowd,
		      int fd, uid_t peer, struct host **ret, struct err *e) MUST_USE;
/* host_stop: accepts and begins nothing more, and stops what runs. */
void host_stop(struct host *s);
/* host_running: executions that go on. */
int64_t host_running(const struct host *s);
/* host_destroy: the loop does not run any more. */
void host_destroy(struct host *s);
OWNABLE(host);

/* --- workspace: files of a session, seen from outside of its sandbox: through a descriptor of the
 * folder, never by a path that something in the sandbox could turn elsewhere. */

/* workspace_code: writes the file of an execution; errno is set when it is false. */
bool workspace_code(int folder, const char *name, struct str code) MUST_USE;
/* workspace_give: copies a client's file to in/NAME; *ret_changed: its time of change.  Errors: INVALID_VALUE (the name, no regular file, too
 * large), INTERNAL (as: no space left). */
enum errc workspace_give(int folder, struct str name, int from, struct timespec *ret_changed,
			 struct err *e) MUST_USE;
/* workspace_open: a regular file, to read.  Errors: NOT_FOUND, also for links and paths that lead out. */
enum errc workspace_open(int folder, struct str path, int *ret_fd, int64_t *ret_bytes,
			 struct err *e) MUST_USE;

/* workspace_walk: tells regular files that were changed at `since` or later, those in the folder `in` after
 * `brought` alone; at most `most`.  False of tell: enough.
 * False: there may be more files than were told. */
typedef bool (*workspace_tell_fn)(void *arg, struct str path, int64_t bytes);
bool workspace_walk(int folder, struct timespec since, struct timespec brought, size_t most,
		    workspace_tell_fn tell, void *arg);

/* --- ask: what a client wants, read from the JSON of a frame. */

enum { ASK_VERSION = 1, ASK_NAME = SESSION_NAME };

struct ask {
	char    exec[ASK_NAME + 1]; /* "": none */
	char    session[ASK_NAME + 1];
	char    owner[ASK_NAME + 1];
	char    language[32];
	char    path[1025]; /* a file's; "": none */
	int64_t time_us;    /* 0: not said */
};

/* ask_read: names are letters, digits, "_" and "-".  execute: of FRAME_EXECUTE, which needs version, exec and
 * language; all need a session.  Errors: INVALID_JSON, INVALID_VALUE, MISSING_PARAMETER, ... */
enum errc ask_read(struct str json, bool execute, struct ask *ret, struct err *e) MUST_USE;

/* --- sink: where an execution tells what happens: a client's connection, or the printer of --try. */

enum outcome {
	OUTCOME_OK,
	OUTCOME_ERROR,       /* the code failed: an exception, an exit status that is not 0 */
	OUTCOME_INTERRUPTED, /* the client wanted it */
	OUTCOME_TIME,
	OUTCOME_OUTPUT,
	OUTCOME_MEMORY,
	OUTCOME_EXITED, /* the language's process ended itself */
	OUTCOME_KILLED, /* a signal ended it */
	OUTCOME_LOST,   /* the sandbox is gone */
	OUTCOME__COUNT
};
extern const char *const outcome_names[OUTCOME__COUNT];

struct result {
	enum outcome outcome;
	int          exit; /* status of a process, or of a shell's last command */
	int64_t      ms, cpu_ms;
	int64_t      peak; /* bytes of memory; the most that was seen */
	int64_t      left_out;
};

/* All spans are borrowed for the call; `arg` is the sink's own. */
struct sink {
	/* gone: why a session of this name has ended; "": none is remembered */
	void (*started)(void *arg, bool fresh, const char *gone);
	void (*line)(void *arg, int64_t line);
	void (*output)(void *arg, struct str text);
	void (*picture)(void *arg, const struct picture *p);
	void (*file)(void *arg, struct str path, int64_t bytes);
	void (*end)(void *arg, const struct result *r); /* the last one */
	bool (*full)(void *arg); /* takes no more for now; execution_resume follows */
};

/* --- execution: one piece of code that runs in a session, with its bounds. */

/* A client's file; the descriptor is the asker's. */
struct execution_file {
	struct str name;
	int        fd;
};

/* Borrowed for the call. */
struct execution_ask {
	const struct language       *language;
	struct str                   code;
	const struct execution_file *files;
	size_t                       file_count;
	int64_t                      time_us; /* at most the option's maximum */
	bool                         fresh;   /* the session was made for it */
	const char                  *gone;
};

/* execution_create: begins it in a session that nobody uses, ready or not.  `over` is called in the
 * loop's turn after the sink's end, and must destroy the execution.  Errors: INTERNAL. */
enum errc execution_create(struct session *s, const struct execution_ask *ask,
			   const struct sink *sink, void *sink_arg, void (*over)(void *arg),
			   void *over_arg, struct execution **ret, struct err *e) MUST_USE;
/* execution_destroy: of one that is over. */
void execution_destroy(struct execution *x);
/* execution_stop: SIGINT, then SIGKILL; its end follows. */
void execution_stop(struct execution *x);
/* execution_resume: the sink takes more. */
void execution_resume(struct execution *x);

/* --- line: whose execution begins next.  Keys take turns: the first of those that wait whose key has the fewest
 * at work begins, and the others of its key go to the end of the line.  One key has at most one less at work than
 * there may be, so that others need not wait for its end.
 *
 *   enter --> waiting --next--> begun --leave-->        (leave: from either) */

/* All zero but for most: an empty one. */
struct line {
	int64_t          most; /* at work at once */
	struct list_head waiting, begun;
};

/* Embedded in its owner, zero before. */
struct line_place {
	struct list_link link;
	const char      *key; /* borrowed while it is in a line */
};

/* line_enter: false: too many of the key wait; the place is in no line. */
bool line_enter(struct line *l, struct line_place *p, const char *key) MUST_USE;
/* line_next: the place whose execution begins now; NULL: none does. */
struct line_place *line_next(struct line *l);
/* line_leave: it may be in no line. */
void line_leave(struct line_place *p);
/* line_begun: how many are at work. */
int64_t line_begun(const struct line *l);
