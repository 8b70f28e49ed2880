/* Runs whose messages name images by their path: read on a worker before anything else happens, and
 * whatever may come in between. */
#include "tests/unit/run_worker.h"

#include <fcntl.h>
#include <sys/stat.h>

/* clang-format off */
#define IMAGE(path)                                                                                \
	"{\"role\":\"user\",\"type\":\"image\",\"format\":\"path\",\"content\":\"" path "\"}"
#define SHOWN(kind, data)                                                                          \
	"{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":"             \
	"\"data:image/" kind ";base64," data "\",\"detail\":\"low\"}}]}\n"
#define SHOWN_PNG  SHOWN("png", "iVBORw0KGgo=")
#define SHOWN_GIF  SHOWN("gif", "R0lGODlh")
#define SHOWN_WEBP SHOWN("webp", "UklGRgAAAABXRUJQ")
/* clang-format on */

static struct beneath *root;

static void world_begin(struct world *w, unsigned flags)
{
	worker_world_start(w, root);
	set_request(w, flags);
	w->message = IMAGE("a.png");
}

/* --- read --- */

static void an_image_is_read_before_the_provider_is_asked(void **state)
{
	(void)state;
	static const struct {
		const char *why, *message, *prompt;
	} cases[] = {
		{ "PNG", IMAGE("a.png"), SHOWN_PNG },
		{ "JPEG, whatever its name says", IMAGE("b.txt"), SHOWN("jpeg", "/9j/4A==") },
		{ "GIF", IMAGE("c.gif"), SHOWN_GIF },
		{ "WebP, further down", IMAGE("sub/d.webp"), SHOWN_WEBP },
		{ "a path that is written with escapes", IMAGE("sub\\/\\u0064.webp"), SHOWN_WEBP },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w;

		print_message("case: %s\n", cases[i].why);
		world_begin(&w, PLAIN);
		w.message = cases[i].message;
		hold_worker(&w);
		ask(&w);
		assert_int_equal(w.start_rc, ERR_OK);
		assert_asked_later(&w, cases[i].prompt);
		worker_world_end(&w);
	}
}

static void what_is_stored_is_the_path(void **state)
{
	(void)state;
	struct world w;

	world_begin(&w, STORE);
	w.more = IMAGE("c.gif");
	ask(&w);
	worker_is_done(&w);
	assert_trace(&w, "begin");
	assert_stored(&w, IMAGE("a.png") "\n" IMAGE("c.gif") "\n", SHOWN_PNG SHOWN_GIF);
	worker_world_end(&w);
}

static void images_of_a_continued_branch_are_read_again(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *why, *branch, *prompt, *warning;
	} cases[] = {
		{ "it is still there", IMAGE("c.gif"), SHOWN_GIF SHOWN_PNG, NULL },
		{ "it is gone: missed, and told", IMAGE("gone.gif"), SHOWN_PNG,
		  "image_unreadable" },
		{ "it is an image no more", IMAGE("text"), SHOWN_PNG,
		  "image_unreadable" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w;

		print_message("case: %s\n", cases[i].why);
		world_begin(&w, STORE | LOADS);
		w.branch = cases[i].branch;
		ask(&w);
		assert_trace(&w, "load");
		store_answers(&w, OP_LOAD, ERR_OK);
		worker_is_done(&w);
		assert_trace(&w, "begin");
		store_answers(&w, OP_BEGIN, ERR_OK);
		assert_trace(&w, "start");
		assert_prompt(&w, cases[i].prompt);
		provider_answers(&w);
		store_answers(&w, OP_END, ERR_OK);
		assert_warned(&w, cases[i].warning);
		worker_world_end(&w);
	}
}

static void an_old_image_is_read_for_a_turn_without_one(void **state)
{
	(void)state;
	struct world w;

	world_begin(&w, LOADS); /* not stored: only read */
	w.message = HI;
	w.branch = IMAGE("a.png");
	ask_and_load(&w);
	worker_is_done(&w);
	assert_trace(&w, "load start");
	assert_prompt(&w, SHOWN_PNG HI "\n");
	provider_answers(&w);
	worker_world_end(&w);
}

static void who_names_no_image_waits_for_no_worker(void **state)
{
	(void)state;
	struct world w;

	world_begin(&w, PLAIN);
	w.message = HI;
	assert_asked_at_once(&w, HI "\n");
	worker_world_end(&w);
}

static void openais_requests_name_none(void **state)
{
	(void)state;
	struct world w;

	world_begin(&w, PLAIN);
	w.rq.manner.family = &family_completions;
	assert_asked_at_once(&w, IMAGE("a.png") "\n");
	worker_world_end(&w);
}

/* --- refused --- */

static void an_image_that_can_not_be_read_ends_the_run_before_it_begins(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *why, *message, *more, *branch, *path, *text;
		bool        store;
	} cases[] = {
		{ "there is none", IMAGE("none.png"), NULL, NULL, "messages[0].content", "no readable file",
		  false },
		{ "the same, to be stored", IMAGE("none.png"), NULL, NULL, "messages[0].content",
		  "no readable file", true },
		{ "the second one", IMAGE("a.png"), IMAGE("../x"), NULL, "messages[1].content",
		  "no readable file", true },
		{ "the first of two", IMAGE("text"), IMAGE("none.png"), NULL, "messages[0].content",
		  "none of these images", true },
		{ "a directory", IMAGE("sub"), NULL, NULL, "messages[0].content", "no readable file",
		  true },
		{ "an empty name", IMAGE(""), NULL, NULL, "messages[0].content", "no readable file", true },
		{ "a name with a NUL", IMAGE("a.png\\u0000"), NULL, NULL, "messages[0].content",
		  "no readable file", true },
		{ "no image", IMAGE("text"), NULL, NULL, "messages[0].content", "none of these images",
		  true },
		{ "an empty file", IMAGE("empty"), NULL, NULL, "messages[0].content",
		  "none of these images", true },
		{ "one that is too large", IMAGE("large"), NULL, NULL, "messages[0].content",
		  "the limit", true },
		{ "behind a branch it is counted from there", HI, IMAGE("none.png"), IMAGE("gone.gif"),
		  "messages[1].content", "no readable file", true },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w;

		print_message("case: %s\n", cases[i].why);
		world_begin(&w, (cases[i].store ? STORE : 0) | (cases[i].branch ? LOADS : 0) |
					(i % 2 ? STREAM : 0));
		w.message = cases[i].message;
		w.more = cases[i].more;
		w.branch = cases[i].branch;
		ask_and_load(&w);
		worker_is_done(&w);
		/* Nothing is stored, and nobody asked. */
		assert_trace(&w, w.branch ? "load failed" : "failed");
		assert_refused(&w, ERR_INVALID_VALUE, cases[i].path, cases[i].text);
		worker_world_end(&w);
	}
}

static void without_a_directory_no_image_has_a_path(void **state)
{
	(void)state;
	struct world w;

	world_start(&w);
	w.message = IMAGE("a.png");
	ask(&w);
	/* The route refuses it earlier, and this is what happens if not. */
	assert_trace(&w, "failed");
	assert_int_equal(w.done_err.code, ERR_INVALID_VALUE);
	assert_string_equal(w.done_err.path, "messages[0].format");
	end_world(&w);
}

static void too_many_files_waiting_is_told(void **state)
{
	(void)state;
	for (int load = 0; load < 2; load++) {
		struct world w;

		world_begin(&w, load ? STORE | LOADS : STORE);
		hold_pool(&w);
		ask(&w);
		if (load) {
			/* It is found out too late for run_start to say so. */
			assert_int_equal(w.start_rc, ERR_OK);
			store_answers(&w, OP_LOAD, ERR_OK);
			assert_trace(&w, "load failed");
			assert_int_equal(w.done_err.code, ERR_OVERLOADED);
		} else {
			assert_int_equal(w.start_rc, ERR_OVERLOADED);
			assert_int_equal(w.live, 0);
			assert_trace(&w, "");
		}
		let_pool();
		worker_world_end(&w);
	}
}

/* --- while they are read --- */

static void a_client_may_leave_meanwhile(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *why, *message;
		unsigned    flags;
		const char *trace; /* when the files were read, and all others go on */
	} cases[] = {
		{ "cancel", IMAGE("a.png"), PLAIN, "" },
		{ "cancel, a stream", IMAGE("a.png"), STREAM, "" },
		{ "cancel, stored: nothing is", IMAGE("a.png"), STORE | STREAM, "" },
		{ "cancel, behind a load", IMAGE("a.png"), LOADS | STORE, "" },
		{ "cancel, and it can't be read", IMAGE("none"), STORE, "" },
		{ "finish", IMAGE("a.png"), FINISHES, "start" },
		{ "finish, stored", IMAGE("a.png"), STORE | FINISHES, "begin start end" },
		{ "finish, behind a load", IMAGE("a.png"), LOADS | STORE | FINISHES | STREAM,
		  "begin start end" },
		{ "finish, and it can't be read", IMAGE("none"), LOADS | STORE | FINISHES, "" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w;

		print_message("case: %s\n", cases[i].why);
		world_begin(&w, cases[i].flags);
		w.message = cases[i].message;
		hold_worker(&w);
		ask_and_load(&w);
		buf_clear(&w.trace);
		reader_leaves(&w);
		assert_trace(&w, "");
		/* It lives as long as the worker has its list. */
		assert_int_equal(w.live, 1);
		assert_int_equal(w.released, 0);
		let_worker();
		worker_is_done(&w);
		finish_rest(&w);
		assert_trace(&w, cases[i].trace);
		worker_world_end(&w);
	}
}

static void the_engine_may_stop_meanwhile(void **state)
{
	(void)state;
	for (int i = 0; i < 8; i++) {
		unsigned     flags = (i & 1 ? LOADS : 0) | (i & 2 ? STREAM : 0);
		bool         leaves = i & 4;
		struct world w;

		world_begin(&w, flags | STORE | FINISHES);
		hold_worker(&w);
		ask_and_load(&w);
		buf_clear(&w.trace);
		on_loop(&w, stop_fn);
		if (leaves)
			reader_leaves(&w);
		assert_trace(&w, "");
		assert_int_equal(w.live, 1);
		let_worker();
		worker_is_done(&w);
		/* Nothing is stored of what was already told to end. */
		assert_trace(&w, leaves ? "" : "failed");
		if (!leaves)
			assert_int_equal(w.done_err.code, ERR_SHUTTING_DOWN);
		worker_world_end(&w);
	}
}

/* A pool that stops finishes what is queued; its answers are handled afterwards. */
static void the_pool_may_stop_meanwhile(void **state)
{
	(void)state;
	struct world w;

	world_begin(&w, PLAIN);
	ask(&w);
	work_pool_stop(pool);
	on_loop(&w, nothing);
	assert_trace(&w, "start");
	reader_leaves(&w);
	buf_clear(&w.trace);
	/* And refuses what comes later. */
	ask(&w);
	assert_int_equal(w.start_rc, ERR_OVERLOADED);
	assert_int_equal(w.released, 2);
	w.released = 1;
	worker_world_end(&w);
}

/* --- the files --- */

static void put(const char *name, struct str bytes, off_t size)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes.p, bytes.n), (ssize_t)bytes.n);
	if (size > 0)
		assert_int_equal(ftruncate(fd, size), 0);
	close(fd);
}

static int make_files(void **state)
{
	struct err e;

	(void)state;
	if (!make_folder("image") || chdir(folder) != 0 || mkdir("sub", 0700) != 0)
		return -1;
	put("a.png", STR("\x89PNG\r\n\x1A\n"), 0);
	put("b.txt", STR("\xFF\xD8\xFF\xE0"), 0);
	put("c.gif", STR("GIF89a"), 0);
	put("sub/d.webp", STR("RIFF\0\0\0\0WEBP"), 0);
	put("text", STR("plain text"), 0);
	put("empty", STR(""), 0);
	put("large", STR("GIF89a"), LIMIT_IMAGE + 1);
	return beneath_open(folder, &root, &e) == ERR_OK ? 0 : -1;
}

static int remove_files(void **state)
{
	(void)state;
	beneath_destroy(root);
	return chdir("/") == 0 ? remove_folder() : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_image_is_read_before_the_provider_is_asked),
		cmocka_unit_test(what_is_stored_is_the_path),
		cmocka_unit_test(images_of_a_continued_branch_are_read_again),
		cmocka_unit_test(an_old_image_is_read_for_a_turn_without_one),
		cmocka_unit_test(who_names_no_image_waits_for_no_worker),
		cmocka_unit_test(openais_requests_name_none),
		cmocka_unit_test(an_image_that_can_not_be_read_ends_the_run_before_it_begins),
		cmocka_unit_test(without_a_directory_no_image_has_a_path),
		cmocka_unit_test(too_many_files_waiting_is_told),
		cmocka_unit_test(a_client_may_leave_meanwhile),
		cmocka_unit_test(the_engine_may_stop_meanwhile),
		cmocka_unit_test(the_pool_may_stop_meanwhile),
	};

	return cmocka_run_group_tests_name("run/image", tests, make_files, remove_files);
}
