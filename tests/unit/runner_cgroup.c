/* runner/cgroup: what a runner that was killed has left.  A folder stands for the cgroup that systemd delegates, and a
 * thread for the kernel: the folder of a session goes when its cgroup.kill was written. */
#include "runner/sandbox.h"

#include "base/str.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define UNIT "mount/unit"

static atomic_bool over;

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static bool says_kill(const char *path)
{
	char text[2] = "";
	int  fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && read(fd, text, sizeof text) == 1 && text[0] == '1';

	if (fd >= 0)
		close(fd);
	return ok;
}

static void *run_kernel(void *arg)
{
	static const char file[] = UNIT "/session-7/cgroup.kill";

	(void)arg;
	while (!atomic_load(&over) && !says_kill(file))
		usleep(1000);
	unlink(file);
	return NULL;
}

static void what_lives_in_an_old_session_is_killed_and_awaited(void **state)
{
	struct cgroups *c = NULL;
	struct err      e;
	pthread_t       kernel;

	(void)state;
	atomic_store(&over, false);
	assert_int_equal(mkdir(UNIT "/session-7", 0700), 0);
	put(UNIT "/session-7/cgroup.kill", "");
	assert_int_equal(pthread_create(&kernel, NULL, run_kernel, NULL), 0);
	enum errc rc = cgroup_open("mount", "self", &c, &e);
	atomic_store(&over, true);
	pthread_join(kernel, NULL);
	cgroup_close(c);
	bool swept = access(UNIT "/session-7", F_OK) != 0;
	rmdir(UNIT "/session-7");
	assert_int_equal(rc, ERR_OK);
	assert_true(swept);
}

static int enter_folder(void **state)
{
	char name[] = P_tmpdir "/parley_cgroup_XXXXXX";

	(void)state;
	if (!mkdtemp(name) || chdir(name) != 0 || mkdir("mount", 0700) != 0 ||
	    mkdir(UNIT, 0700) != 0 || mkdir(UNIT "/runner", 0700) != 0)
		return -1;
	put("self", "0::/unit\n");
	put(UNIT "/cgroup.controllers", "cpu memory pids\n");
	put(UNIT "/cgroup.subtree_control", "");
	put(UNIT "/runner/cgroup.procs", "");
	return 0;
}

static int leave_folder(void **state)
{
	static const char *const files[] = { "self", UNIT "/cgroup.controllers",
					     UNIT "/cgroup.subtree_control",
					     UNIT "/runner/cgroup.procs" };
	static const char *const folders[] = { UNIT "/runner", UNIT, "mount" };
	char                     name[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		unlink(files[i]);
	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		rmdir(folders[i]);
	return !getcwd(name, sizeof name) || chdir("/") != 0 || rmdir(name) != 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_lives_in_an_old_session_is_killed_and_awaited),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
