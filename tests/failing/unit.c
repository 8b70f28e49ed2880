/* With PARLEY_REFUSE_UNIT set a unit test's program runs each of its tests again and again, each time in a
 * child in which one more place gets no memory, until a run meets no new place.  Whether the test is content
 * with what comes of that is not asked: nothing may crash, and nothing may be lost.
 *
 * A test that is not content jumps back to cmocka.  Its locals are still on the stack there, so what the leak
 * sanitizer finds then is lost for the program's code as well. */
#include "refuse.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { ENDED = 0, UNTOUCHED = 3, WRONG = 4, LOST = 5, SECONDS = 240, RUNS_MAX = 2000, AGAIN = 8 };

int  __lsan_do_recoverable_leak_check(void);
int  __real__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count,
				    CMFixtureFunction setup, CMFixtureFunction teardown);
int  __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count,
				    CMFixtureFunction setup, CMFixtureFunction teardown);
void __longjmp_chk(struct __jmp_buf_tag *env, int value) __attribute__((noreturn));
void __real_check_failed(const char *expr, const char *file, int line) __attribute__((noreturn));
void __wrap_check_failed(const char *expr, const char *file, int line) __attribute__((noreturn));

static bool child;

static _Noreturn void finish(bool content)
{
	bool touched = refuse_page()->refused > 0;

	refuse_page()->by_place = 0;
	if (!touched)
		_exit(content ? UNTOUCHED : WRONG);
	_exit(__lsan_do_recoverable_leak_check() ? LOST : ENDED);
}

/* cmocka's way out of a test. */
void __longjmp_chk(struct __jmp_buf_tag *env, int value)
{
	if (child)
		finish(false);
	longjmp(env, value);
}

/* A CHECK of a test's surroundings ends a run as an assertion does; one of the program is a bug. */
void __wrap_check_failed(const char *expr, const char *file, int line)
{
	if (child && refuse_page()->refused > 0 && strstr(file, "tests/unit/"))
		finish(false);
	__real_check_failed(expr, file, line);
}

/* Nor does an assertion on another thread, after which cmocka ends the process. */
static void left(void)
{
	finish(false);
}

/* What the children say goes to a file, which is shown where one of them went wrong. */
static int said(void)
{
	char path[] = "/tmp/parley-refuse-XXXXXX";
	int  fd = mkstemp(path);

	if (fd >= 0)
		(void)unlink(path);
	return fd;
}

static void show(int fd)
{
	char    bytes[4096];
	ssize_t n;

	(void)lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, bytes, sizeof bytes)) > 0)
		(void)fwrite(bytes, 1, (size_t)n, stderr);
}

/* One run of a test; its end as waitpid has it. */
static int run(const struct CMUnitTest *test, CMFixtureFunction setup, CMFixtureFunction teardown,
	       int out)
{
	int   status = 0;
	pid_t pid;

	(void)fflush(NULL);
	(void)ftruncate(out, 0);
	(void)lseek(out, 0, SEEK_SET);
	refuse_page()->refused = 0;
	pid = fork();
	if (pid == 0) {
		child = true;
		(void)atexit(left);
		(void)dup2(out, 1);
		(void)dup2(out, 2);
		(void)alarm(SECONDS);
		refuse_page()->by_place = 1;
		finish(__real__cmocka_run_group_tests(test->name, test, 1, setup, teardown) == 0);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* Whether each run ended as one may. */
static bool torment(const struct CMUnitTest *test, CMFixtureFunction setup,
		    CMFixtureFunction teardown, int out)
{
	int again = 0;

	for (int runs = 1; runs < RUNS_MAX; runs++) {
		int status = run(test, setup, teardown, out);

		/* What a test measures in milliseconds may fail on a busy machine; without a refusal, that is for the
		 * units' own run to say. */
		if (WIFEXITED(status) && WEXITSTATUS(status) == WRONG && again++ < AGAIN) {
			runs--;
			continue;
		}
		if (WIFEXITED(status) && WEXITSTATUS(status) == UNTOUCHED) {
			(void)fprintf(stderr, "[ %7d ] %s\n", runs - 1, test->name);
			return true;
		}
		if (!WIFEXITED(status) || WEXITSTATUS(status) != ENDED) {
			show(out);
			(void)fprintf(stderr, "[ FAILED  ] %s, run %d: status %#x\n", test->name,
				      runs, status);
			return false;
		}
	}
	(void)fprintf(stderr, "[ FAILED  ] %s: no end\n", test->name);
	return false;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

/* Runs that end in the middle leave their files behind. */
static void clean(const char *folder)
{
	if (chdir("..") != 0 || nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS) != 0)
		(void)fprintf(stderr, "%s can't be removed\n", folder);
}

int __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count,
				   CMFixtureFunction setup, CMFixtureFunction teardown)
{
	char folder[] = "refuse-XXXXXX", here[4096];
	int  failed = 0, out;

	if (!getenv("PARLEY_REFUSE_UNIT"))
		return __real__cmocka_run_group_tests(name, tests, count, setup, teardown);
	out = said();
	if (!refuse_page() || out < 0 || !mkdtemp(folder) || chdir(folder) != 0 ||
	    !getcwd(here, sizeof here) || setenv("TMPDIR", here, 1) != 0)
		return 1;
	for (size_t i = 0; i < count; i++)
		failed += !torment(&tests[i], setup, teardown, out);
	(void)close(out);
	clean(folder);
	if (refuse_page()->met == 0) {
		(void)fprintf(
			stderr,
			"[ FAILED  ] nothing here takes memory: CMakeLists.txt has to say so\n");
		failed++;
	}
	return failed;
}
