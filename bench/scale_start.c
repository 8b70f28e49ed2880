/* Opening a database after a clean end and after the process was killed at work. */
#include "scale_start.h"

#include "base/base.h"
#include "scale_fill.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KILLED_TURNS = 20000, READY_SECONDS = 120 };

/* A process that writes and dies of it.  There is no other thread here: the store is closed. */
static void kill_one(struct db *db)
{
	int   status = 0;
	pid_t child = fork();

	if (child == 0) {
		db_open_store(db);
		fill_until_killed(db, KILLED_TURNS);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFSIGNALED(status) ||
	    WTERMSIG(status) != SIGKILL)
		fail("the process that was to be killed ended in another way", NULL);
}

static double open_once(struct db *db)
{
	int64_t from = clock_ns();

	db_open_store(db);
	double ms = (double)(clock_ns() - from) / 1e6;
	db_close_store(db);
	return ms;
}

static void serve(const struct db *db, const char *parley, int out)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(null, 0);
	dup2(out, 1);
	dup2(null, 2);
	execl(parley, parley, "serve", "--listen", "127.0.0.1:0", "--database", db->path,
	      (char *)NULL);
	_exit(127);
}

/* The line that it prints once it answers. */
static bool wait_ready(int in)
{
	static const char ready[] = "parley ready on ";
	char              text[256];
	size_t            n = 0;
	ssize_t           got;

	while (n < sizeof text - 1 && (got = read(in, text + n, sizeof text - 1 - n)) > 0) {
		n += (size_t)got;
		text[n] = '\0';
		const char *at = strstr(text, ready);
		if (at && strchr(at, '\n'))
			return true;
	}
	return false;
}

static double serve_once(struct db *db, const char *parley)
{
	int     pipes[2];
	int     status = 0;
	int64_t from = clock_ns();

	if (pipe2(pipes, O_CLOEXEC) != 0)
		fail("pipe", NULL);
	pid_t child = fork();
	if (child == 0)
		serve(db, parley, pipes[1]);
	close(pipes[1]);
	alarm(READY_SECONDS);
	if (child < 0 || !wait_ready(pipes[0]))
		fail("parley serve did not become ready", NULL);
	double ms = (double)(clock_ns() - from) / 1e6;
	alarm(0);
	close(pipes[0]);
	kill(child, SIGTERM);
	waitpid(child, &status, 0);
	return ms;
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left;
	double b = *(const double *)right;

	return (a > b) - (a < b);
}

static int64_t log_bytes(const struct db *db)
{
	char        name[sizeof db->path + 8];
	struct stat st;

	snprintf(name, sizeof name, "%s-wal", db->path);
	return stat(name, &st) == 0 ? (int64_t)st.st_size : 0;
}

void start_measure(struct db *db, int state, int way, bool cold, const char *parley,
		   struct starts *ret)
{
	for (size_t i = 0; i < START_TIMES; i++) {
		if (state == START_KILLED)
			kill_one(db);
		ret->log_bytes = log_bytes(db);
		if (cold)
			db_forget(db);
		ret->ms[i] = way == START_SERVE ? serve_once(db, parley) : open_once(db);
	}
	qsort(ret->ms, START_TIMES, sizeof *ret->ms, compare);
}
