/* Files below a directory: every way out of it is refused, in the same words. */
#include "base/beneath.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

static const char none[] = "no readable file of that name below the configured directory";

/* The tests' folder is the working directory; what may be read lies in root/. */
static char folder[PATH_MAX];

enum { MAX = 64 };

/* --- helpers --- */

static void put(const char *name, struct str bytes)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes.p, bytes.n), (ssize_t)bytes.n);
	close(fd);
}

static struct beneath *opened(const char *root)
{
	struct beneath *b = NULL;
	struct err      e = { 0 };

	if (beneath_open(root, &b, &e) != ERR_OK)
		fail_msg("not opened: %s", e.text);
	return b;
}

/* The text of the error, or NULL and *ret as it was read. */
static const char *refusal(const struct beneath *b, struct str path, struct buf *ret)
{
	static struct err e;
	enum errc         rc = beneath_read(b, path, MAX, ret, &e);

	assert_true(rc == ERR_OK || rc == ERR_INVALID_VALUE);
	return rc == ERR_OK ? NULL : e.text;
}

static void reads(const struct beneath *b, const char *path, const char *want)
{
	struct buf  out;
	const char *why;

	buf_init(&out, MAX);
	why = refusal(b, str_of(path), &out);
	if (why)
		fail_msg("%s: %s", path, why);
	assert_true(str_is(buf_view(&out), want));
	buf_finish(&out);
}

static void refuses(const struct beneath *b, struct str path, const char *reason)
{
	struct buf  out;
	const char *why;

	buf_init(&out, 2 * MAX);
	assert_true(buf_text(&out, "kept"));
	why = refusal(b, path, &out);
	if (!why || strcmp(why, none) != 0)
		fail_msg("%s: %s", reason, why ? why : "was read");
	assert_true(str_is(buf_view(&out), "kept"));
	buf_finish(&out);
}

static int enter_folder(void **state)
{
	char name[] = P_tmpdir "/parley_beneath_XXXXXX";

	(void)state;
	if (!mkdtemp(name) || chdir(name) != 0 || !getcwd(folder, sizeof folder))
		return -1;
	if (mkdir("root", 0700) != 0 || mkdir("root/in", 0700) != 0 || mkdir("root2", 0700) != 0 ||
	    mkdir("out", 0700) != 0)
		return -1;
	put("root/a.png", STR("inside"));
	put("root/in/b", STR("deeper"));
	put("root/..hidden", STR("dots"));
	put("root2/a", STR("secret"));
	put("out/secret", STR("secret"));
	return symlink("../out/secret", "root/link_out") == 0 &&
			       symlink("a.png", "root/link_in") == 0 &&
			       symlink("../a.png", "root/in/link_up") == 0 &&
			       symlink("../out", "root/folder_out") == 0 &&
			       symlink("in", "root/folder_in") == 0 &&
			       symlink("/etc/passwd", "root/link_absolute") == 0 &&
			       symlink("nowhere", "root/link_dangling") == 0 &&
			       symlink("link_loop", "root/link_loop") == 0 &&
			       symlink("/proc/self/cwd/out/secret", "root/link_magic") == 0 &&
			       symlink("root", "other_name") == 0 && mkfifo("root/fifo", 0600) == 0
		       ? 0
		       : -1;
}

static int leave_folder(void **state)
{
	static const char *const names[] = {
		"root/a.png",     "root/in/b",          "root/..hidden",
		"root2/a",        "out/secret",         "root/link_out",
		"root/link_in",   "root/in/link_up",    "root/folder_out",
		"root/folder_in", "root/link_absolute", "root/link_dangling",
		"root/link_loop", "root/link_magic",    "other_name",
		"root/fifo",      "root/sized",         "root/moved",
		"moved",          "root/locked",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		unlink(names[i]);
	rmdir("root/in");
	rmdir("root");
	rmdir("root2");
	rmdir("out");
	return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

/* --- what is read --- */

static void files_inside_are_read_whatever_way_leads_to_them(void **state)
{
	OWNED(beneath) b = opened("root");
	static const char *const ways[][3] = {
		{ "a plain name", "a.png", "inside" },
		{ "in a directory", "in/b", "deeper" },
		{ "up, but not out", "in/../a.png", "inside" },
		{ "here, twice", "././/a.png", "inside" },
		{ "a name that begins with two dots", "..hidden", "dots" },
		{ "a link to a neighbour", "link_in", "inside" },
		{ "a link up, but not out", "in/link_up", "inside" },
		{ "through a linked directory", "folder_in/b", "deeper" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++)
		reads(b, ways[i][1], ways[i][2]);
}

static void an_absolute_path_below_the_root_is_read(void **state)
{
	char path[2 * PATH_MAX];
	char root[2 * PATH_MAX];

	(void)state;
	snprintf(root, sizeof root, "%s/other_name//", folder);
	OWNED(beneath) given = opened(root);
	OWNED(beneath) relative = opened("root");

	snprintf(path, sizeof path, "%s/root/in/b", folder);
	reads(relative, path, "deeper");
	reads(given, path, "deeper"); /* by the name without links */
	snprintf(path, sizeof path, "%s/other_name/a.png", folder);
	reads(given, path, "inside"); /* as it was configured */
	refuses(relative, str_of(path), "another name of the root, not told at its opening");
	snprintf(path, sizeof path, "%s/root///in//b", folder);
	reads(relative, path, "deeper");
}

static void the_whole_disk_may_be_the_root(void **state)
{
	OWNED(beneath) b = opened("/");
	char path[2 * PATH_MAX];

	(void)state;
	snprintf(path, sizeof path, "%s/root/a.png", folder);
	reads(b, path, "inside");
	reads(b, path + 1, "inside");
	refuses(b, STR("/"), "the root itself");
}

/* --- what is refused --- */

static void every_way_out_is_refused_in_the_same_words(void **state)
{
	OWNED(beneath) b = opened("root");
	/* clang-format off */
	const struct { const char *why; struct str path; } cases[] = {
		{ "an empty name", { "", 0 } },
		{ "missing", STR("missing") },
		{ "missing directory", STR("missing/a.png") },
		{ "the root", STR(".") },
		{ "above the root", STR("..") },
		{ "up and out", STR("../out/secret") },
		{ "up and out, missing", STR("../out/missing") },
		{ "up and in again", STR("../root/a.png") },
		{ "out in the middle", STR("in/../../out/secret") },
		{ "a link out", STR("link_out") },
		{ "a linked directory out", STR("folder_out/secret") },
		{ "an absolute link", STR("link_absolute") },
		{ "a link to nothing", STR("link_dangling") },
		{ "a link to itself", STR("link_loop") },
		{ "a link through /proc", STR("link_magic") },
		{ "absolute, outside", STR("/etc/passwd") },
		{ "absolute, outside, missing", STR("/etc/no_such_file") },
		{ "absolute, by a magic link", STR("/proc/self/cwd/root/a.png") },
		{ "a pipe without a writer", STR("fifo") },
		{ "a directory", STR("in") },
		{ "a directory, so written", STR("in/") },
		{ "a file as a directory", STR("a.png/") },
		{ "a NUL behind a good name", STR("a.png\0x") },
		{ "a NUL behind a way out", STR("../out/secret\0") },
		{ "only a NUL", STR("\0") },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		refuses(b, cases[i].path, cases[i].why);
}

static void an_absolute_path_is_stripped_only_at_the_border_of_a_component(void **state)
{
	OWNED(beneath) b = opened("root");
	static const char *const tails[] = {
		"",
		"/root",
		"/root/",
		"/root2/a",
		"/root/../out/secret",
		"/root/../root/a.png",
		"/./root/a.png",
	};
	char path[2 * PATH_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(tails); i++) {
		snprintf(path, sizeof path, "%s%s", folder, tails[i]);
		refuses(b, str_of(path), path);
	}
}

static void a_device_is_refused(void **state)
{
	OWNED(beneath) b = opened("/dev");

	(void)state;
	refuses(b, STR("null"), "null");
	refuses(b, STR("zero"), "zero");
	refuses(b, STR("/dev/tty"), "terminal");
}

static void a_path_that_no_kernel_takes_is_refused(void **state)
{
	OWNED(beneath) b = opened("root");
	static char path[2 * PATH_MAX];

	(void)state;
	memset(path, '/', sizeof path);
	path[0] = '.';
	memcpy(path + PATH_MAX - 6, "a.png", 5);
	refuses(b, (struct str){ path, PATH_MAX }, "a byte too long");
	refuses(b, (struct str){ path, sizeof path }, "twice too long");
	path[PATH_MAX - 1] = '\0';
	reads(b, path, "inside"); /* the longest: 4095 bytes */
}

static void a_file_that_must_not_be_read_looks_as_if_it_were_missing(void **state)
{
	OWNED(beneath) b = opened("root");

	(void)state;
	put("root/locked", STR("locked"));
	assert_int_equal(chmod("root/locked", 0), 0);
	assert_int_equal(chmod("root", 0711), 0);
	assert_int_equal(chmod("root/a.png", 0644), 0);
	/* The superuser may read all, but not with the file rights of somebody else. */
	if (geteuid() == 0)
		setfsuid(65534);
	reads(b, "a.png", "inside");
	refuses(b, STR("locked"), "no right to read");
	if (geteuid() == 0)
		setfsuid(0);
}

/* --- sizes --- */

static void the_size_is_limited_to_the_byte(void **state)
{
	OWNED(beneath) b = opened("root");
	char       text[MAX + 1];
	struct buf out;

	(void)state;
	memset(text, 'x', sizeof text);
	buf_init(&out, 4 * MAX);
	put("root/sized", (struct str){ text, MAX });
	assert_null(refusal(b, STR("sized"), &out));
	assert_int_equal(out.len, MAX);

	put("root/sized", (struct str){ text, MAX + 1 });
	assert_string_equal(refusal(b, STR("sized"), &out),
			    "the file has more than 64 bytes; that is the limit");
	assert_int_equal(out.len, MAX);

	put("root/sized", STR(""));
	assert_null(refusal(b, STR("sized"), &out));
	assert_int_equal(out.len, MAX);
	buf_finish(&out);
}

static void a_file_whose_size_is_not_told_is_limited_too(void **state)
{
	OWNED(beneath) b = opened("/proc");
	struct buf out;
	struct err e;

	(void)state;
	buf_init(&out, 1 << 20);
	assert_int_equal(beneath_read(b, STR("version"), 4096, &out, &e), ERR_OK);
	assert_true(out.len > 0);

	size_t len = out.len;
	buf_clear(&out);
	assert_int_equal(beneath_read(b, STR("version"), len, &out, &e), ERR_OK);
	assert_int_equal(beneath_read(b, STR("version"), len - 1, &out, &e), ERR_INVALID_VALUE);
	assert_non_null(strstr(e.text, "that is the limit"));
	assert_int_equal(out.len, len);
	buf_finish(&out);
}

static void a_full_buffer_is_no_memory(void **state)
{
	OWNED(beneath) b = opened("root");
	struct buf out;
	struct err e;

	(void)state;
	buf_init(&out, 3);
	assert_int_equal(beneath_read(b, STR("a.png"), MAX, &out, &e), ERR_OVERLOADED);
	assert_int_equal(out.len, 0);
	buf_finish(&out);
}

/* --- while others write --- */

struct other {
	pthread_t   thread;
	atomic_bool stop;
	atomic_uint turns;
};

static void *grow(void *arg)
{
	struct other *o = arg;
	int           fd = open("root/sized", O_WRONLY | O_TRUNC);

	while (fd >= 0 && !atomic_load(&o->stop)) {
		for (int i = 0; i < 8; i++)
			if (write(fd, "0123456789", 10) != 10)
				break;
		if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0)
			break;
		atomic_fetch_add(&o->turns, 1);
	}
	close(fd);
	return NULL;
}

static void a_file_that_grows_and_shrinks_never_gets_past_the_limit(void **state)
{
	OWNED(beneath) b = opened("root");
	struct other o = { 0 };
	struct buf   out;

	(void)state;
	put("root/sized", STR(""));
	buf_init(&out, 4 * MAX);
	assert_int_equal(pthread_create(&o.thread, NULL, grow, &o), 0);
	for (int i = 0; i < 2000 || atomic_load(&o.turns) < 10; i++) {
		const char *why = refusal(b, STR("sized"), &out);

		assert_true(out.len <= MAX);
		if (why)
			assert_string_equal(why,
					    "the file has more than 64 bytes; that is the limit");
		buf_clear(&out);
	}
	atomic_store(&o.stop, true);
	pthread_join(o.thread, NULL);
	buf_finish(&out);
}

/* A file inside gives its name to a link out, and back. */
static void *swap(void *arg)
{
	struct other *o = arg;

	while (!atomic_load(&o->stop)) {
		if (symlink("../out/secret", "moved") != 0 || rename("moved", "root/moved") != 0)
			break;
		put("moved", STR("inside"));
		if (rename("moved", "root/moved") != 0)
			break;
		atomic_fetch_add(&o->turns, 1);
	}
	return NULL;
}

static void a_name_that_turns_into_a_link_out_is_never_followed(void **state)
{
	OWNED(beneath) b = opened("root");
	struct other o = { 0 };
	struct buf   out;

	(void)state;
	put("root/moved", STR("inside"));
	buf_init(&out, MAX);
	assert_int_equal(pthread_create(&o.thread, NULL, swap, &o), 0);
	for (int i = 0; i < 2000 || atomic_load(&o.turns) < 10; i++) {
		const char *why = refusal(b, STR("moved"), &out);

		if (why)
			assert_string_equal(why, none);
		else
			assert_true(str_is(buf_view(&out), "inside"));
		buf_clear(&out);
	}
	atomic_store(&o.stop, true);
	pthread_join(o.thread, NULL);
	buf_finish(&out);
}

/* --- opening --- */

static void what_is_no_directory_is_refused_at_the_opening(void **state)
{
	/* clang-format off */
	static const struct { const char *root; const char *text; } cases[] = {
		{ "missing", "'missing' is no directory to read from: there is none" },
		{ "", "'' is no directory to read from: there is none" },
		{ "root/a.png", "'root/a.png' is no directory to read from: it is no directory" },
		{ "root/fifo", "'root/fifo' is no directory to read from: it is no directory" },
		{ "root/link_loop", "'root/link_loop' is no directory to read from: "
				    "it can't be opened" },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct beneath *b = NULL;
		struct err      e;

		assert_int_equal(beneath_open(cases[i].root, &b, &e), ERR_INVALID_VALUE);
		assert_string_equal(e.text, cases[i].text);
		assert_null(b);
	}
}

static void the_directory_stays_when_its_name_goes(void **state)
{
	OWNED(beneath) b = opened("root");

	(void)state;
	assert_int_equal(rename("root", "root3"), 0);
	assert_int_equal(mkdir("root", 0700), 0);
	put("root/a.png", STR("another"));
	reads(b, "a.png", "inside");
	unlink("root/a.png");
	assert_int_equal(rmdir("root"), 0);
	assert_int_equal(rename("root3", "root"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_inside_are_read_whatever_way_leads_to_them),
		cmocka_unit_test(an_absolute_path_below_the_root_is_read),
		cmocka_unit_test(the_whole_disk_may_be_the_root),
		cmocka_unit_test(every_way_out_is_refused_in_the_same_words),
		cmocka_unit_test(an_absolute_path_is_stripped_only_at_the_border_of_a_component),
		cmocka_unit_test(a_device_is_refused),
		cmocka_unit_test(a_path_that_no_kernel_takes_is_refused),
		cmocka_unit_test(a_file_that_must_not_be_read_looks_as_if_it_were_missing),
		cmocka_unit_test(the_size_is_limited_to_the_byte),
		cmocka_unit_test(a_file_whose_size_is_not_told_is_limited_too),
		cmocka_unit_test(a_full_buffer_is_no_memory),
		cmocka_unit_test(a_file_that_grows_and_shrinks_never_gets_past_the_limit),
		cmocka_unit_test(a_name_that_turns_into_a_link_out_is_never_followed),
		cmocka_unit_test(what_is_no_directory_is_refused_at_the_opening),
		cmocka_unit_test(the_directory_stays_when_its_name_goes),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
