/* The engine under test: PostgreSQL.  Included by engine_help.h alone.
 *
 * Each program starts a server of its own, on a socket in a folder of its own; the server ends with it. */
#pragma once

#include "store/postgres/link.h"
#include "store/postgres/engine.h"

#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* A byte string of a zero; whether a column has the word. */
#define SQL_ZERO_BYTE          "'\\x00'"
#define SQL_HAS_CANARY(column) "position('canary'::bytea IN " column ") > 0"
/* Whether this process writes the database to the disk itself. */
#define ENGINE_OWN_DISK 0
/* Bytes of the event log. */
#define SQL_LOG_BYTES "SELECT sum(octet_length(data)) FROM event"

HELP const struct store_engine *const engine = &postgres_engine;

static struct {
	char  dir[64];
	pid_t pid;
	pid_t owner;
	int   databases;
} server;

/* That of the environment, Debian's newest, or that of the path. */
HELP void server_program(const char *name, char *ret, size_t size)
{
	const char    *folder = getenv("PARLEY_TEST_POSTGRES_BIN");
	DIR           *d = opendir("/usr/lib/postgresql");
	struct dirent *at;
	long           newest = 0;

	while (d && (at = readdir(d)) != NULL) {
		long n = strtol(at->d_name, NULL, 10);

		/* The client's package makes such a folder, too. */
		snprintf(ret, size, "/usr/lib/postgresql/%ld/bin/postgres", n);
		if (n > newest && access(ret, X_OK) == 0)
			newest = n;
	}
	if (d)
		closedir(d);
	if (folder && folder[0])
		snprintf(ret, size, "%s/%s", folder, name);
	else if (newest > 0)
		snprintf(ret, size, "/usr/lib/postgresql/%ld/bin/%s", newest, name);
	else
		snprintf(ret, size, "%s", name);
}

/* PostgreSQL refuses root, so root hands its server over to the package's user. */
HELP void server_user(void)
{
	const struct passwd *user = geteuid() == 0 ? getpwnam("postgres") : NULL;

	if (user && (setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0))
		_exit(1);
}

HELP pid_t server_run(const char *name, const char *const *more)
{
	char        path[160];
	const char *line[24] = { path };
	pid_t       pid = fork();

	assert_true(pid >= 0);
	if (pid > 0)
		return pid;
	server_program(name, path, sizeof path);
	for (size_t n = 0; more[n]; n++)
		line[n + 1] = more[n];
	int null = open("/dev/null", O_RDWR);
	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
	server_user();
	prctl(PR_SET_PDEATHSIG, SIGQUIT);
	execvp(path, (char *const *)(uintptr_t)line);
	_exit(127);
}

HELP void server_stop(void)
{
	char command[128];

	if (server.pid <= 0 || server.owner != getpid())
		return;
	kill(server.pid, SIGQUIT);
	(void)waitpid(server.pid, NULL, 0);
	snprintf(command, sizeof command, "rm -rf %s", server.dir);
	if (system(command) != 0)
		print_message("%s was left\n", server.dir);
}

HELP void server_launch(void)
{
	char data[80];

	snprintf(data, sizeof data, "%s/data", server.dir);
	server.pid = server_run("postgres", (const char *const[]){ "-D", data, "-k", server.dir,
								   "-c", "listen_addresses=", "-c",
								   "fsync=off", NULL });
}

HELP void database_path(const char *name, char *ret, size_t size)
{
	snprintf(ret, size, "postgres:///%s?host=%s&user=parley", name, server.dir);
}

/* A connection to the database, waited for. */
HELP struct link_target *server_link(const char *path, struct link *l)
{
	struct link_target *t = NULL;
	struct err          e = { 0 };

	assert_int_equal(pq_load(&e), ERR_OK);
	assert_int_equal(link_target_create(path, NULL, &t, &e), ERR_OK);
	for (int i = 0; i < 1000 && direct_connect(l, t, 10000, &e) != ERR_OK; i++) {
		link_finish(l);
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	if (l->state != LINK_IDLE)
		fail_msg("no server: %s", e.text);
	return t;
}

HELP void server_script(const char *path, const char *sql)
{
	struct link         l;
	struct link_target *t = server_link(path, &l);

	if (!link_script(&l, sql))
		fail_msg("%s: %s", sql, l.fault.text);
	link_finish(&l);
	link_target_destroy(t);
}

HELP void server_start(void)
{
	char           data[80];
	char           path[128];
	int            status;
	int            applied;
	struct err     e = { 0 };
	struct passwd *user = geteuid() == 0 ? getpwnam("postgres") : NULL;

	server.owner = getpid();
	snprintf(server.dir, sizeof server.dir, "/tmp/parley-postgres-XXXXXX");
	assert_non_null(mkdtemp(server.dir));
	if (user)
		assert_int_equal(chown(server.dir, user->pw_uid, user->pw_gid), 0);
	snprintf(data, sizeof data, "%s/data", server.dir);
	pid_t pid = server_run("initdb", (const char *const[]){ "--no-sync", "-U", "parley", "-A",
								"trust", "-E", "UTF8", "--locale=C",
								"-D", data, NULL });
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	server_launch();
	atexit(server_stop);
	database_path("postgres", path, sizeof path);
	server_script(path, "CREATE DATABASE migrated");
	database_path("migrated", path, sizeof path);
	struct store_options o = { .path = path, .migrate = true };
	if (engine->migrate(&o, &applied, &e) != ERR_OK)
		fail_msg("migrate: %s", e.text);
}

HELP void database_make(struct fixture *f)
{
	char path[128];
	char sql[128];

	if (server.pid == 0)
		server_start();
	snprintf(f->dir, sizeof f->dir, "p%d", ++server.databases);
	database_path(f->dir, f->path, sizeof f->path);
	database_path("postgres", path, sizeof path);
	snprintf(sql, sizeof sql, "CREATE DATABASE %s TEMPLATE migrated", f->dir);
	server_script(path, sql);
}

HELP void database_remove(struct fixture *f)
{
	char path[128];
	char sql[128];

	database_path("postgres", path, sizeof path);
	snprintf(sql, sizeof sql, "DROP DATABASE %s WITH (FORCE)", f->dir);
	server_script(path, sql);
}

HELP void outside(const struct fixture *f, const char *sql)
{
	server_script(f->path, sql);
}

HELP int64_t outside_int(const struct fixture *f, const char *sql)
{
	struct link         l;
	struct link_target *t = server_link(f->path, &l);
	struct err          e;
	char                number[512];

	snprintf(number, sizeof number, "SELECT (%s)::bigint", sql);
	param_clear(&l.args);
	if (direct_ask(&l, number, "read", &e) != ERR_OK)
		fail_msg("%s: %s", sql, e.text);
	int64_t v = cell_int(direct_row(&l, 0), 0);
	link_finish(&l);
	link_target_destroy(t);
	return v;
}

struct held {
	struct link         l;
	struct link_target *t;
};

/* Writes must wait, and reads need not. */
HELP void *outside_hold(const struct fixture *f)
{
	struct held *h = calloc(1, sizeof *h);

	assert_non_null(h);
	h->t = server_link(f->path, &h->l);
	assert_true(link_script(&h->l,
				"BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; "
				"LOCK TABLE conversation, run, reservation IN EXCLUSIVE MODE"));
	return h;
}

HELP void outside_release(void *held)
{
	struct held *h = held;

	link_finish(&h->l);
	link_target_destroy(h->t);
	free(h);
}

/* The lease of a process that was killed ends at once, and not after a while. */
HELP void outside_killed(const struct fixture *f)
{
	outside(f, "UPDATE gateway SET lease_until = now() - interval '1 second'");
}
