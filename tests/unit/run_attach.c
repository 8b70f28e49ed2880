/* Runs whose messages name uploaded files: found by the store, read on a worker before anything else
 * happens, and whatever may come in between. */
#include "run/internal.h"
#include "store/file.h"
#include "store/store.h"
#include "store/blob.h"
#include "tests/unit/run_worker.h"

/* clang-format off */
#define UUID(n)  "00000000-0000-0001-0000-00000000000" n
#define ASKS(files)                                                                                \
	"{\"role\":\"user\",\"content\":\"hi\",\"context\":{\"files\":[" files "]}}"
#define NAMES(n) "{\"uuid\":\"" UUID(n) "\"}"
#define TXT      "1" /* ids as fill_world makes them */
#define PICTURE  "2"
#define SOUND    "3"
#define BINARY   "4"
#define LOST     "5"
#define NONE     "6"
#define BLOCK    "<file name=\\\"t.txt\\\">\\nhello\\n</file>\\n\\n"
#define GONE(n, why) "<file name=\\\"" n "\\\" missing=\\\"" why "\\\">\\n</file>\\n\\n"
#define SEEN(text) "{\"role\":\"user\",\"content\":\"" text "hi\"}\n"
#define SEEN_PICTURE                                                                               \
	"{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":"             \
	"\"data:image/gif;base64,R0lGODlh\"}},{\"type\":\"text\",\"text\":\"hi\"}]}\n"
/* clang-format on */

static struct blobs     *blobs;
static struct store_file kept[5]; /* by their ids, from 1 */

/* --- a store that knows files --- */

static struct files_find *finding;
static bool               refuses;

static bool submit(struct store *s, struct store_job *job)
{
	if (job->kind->job != JOB_FILES_FIND)
		return world_submit(s, job);
	said(world_of_store(s), "find");
	if (refuses)
		return false;
	finding = container_of(job, struct files_find, job);
	return true;
}

static void found_fn(struct world *w)
{
	struct files_find *j = TAKE(finding);

	CHECK(j && j->some && j->owner == w->rq.caller.owner);
	j->job.err.code = ERR_OK;
	if (w->with != ERR_OK)
		err_set(&j->job.err, w->with, "", "the store said no");
	j->files = arena_alloc(&j->arena, (j->count + 1) * sizeof *j->files);
	CHECK(j->files);
	for (size_t i = 0; i < j->count; i++)
		for (size_t k = 0; k < ARRAY_LEN(kept); k++)
			if (kept[k].id.key == j->ids[i].key &&
			    kept[k].id.secret == j->ids[i].secret)
				j->files[i] = kept[k];
	j->job.done(&j->job);
}

static void store_found(struct world *w, enum errc with)
{
	w->with = with;
	on_loop(w, found_fn);
}

/* read_files: the store finds the files, and the worker reads them. */
static void read_files(struct world *w)
{
	store_found(w, ERR_OK);
	worker_is_done(w);
}

/* --- the world --- */

static void world_begin(struct world *w, unsigned flags)
{
	static const struct store_ops ops = { .name = "fake",
					      .submit = submit,
					      .does = world_does };

	worker_world_start(w, NULL);
	set_request(w, flags);
	w->store.ops = &ops;
	w->store.blobs = blobs;
	w->rq.caller.owner = 42;
	w->rq.what.takes = PROVIDER_IMAGES;
	w->message = ASKS(NAMES(TXT));
	refuses = false;
}

/* --- read --- */

static void files_are_found_and_read_before_the_provider_is_asked(void **state)
{
	static const struct {
		const char *why, *message, *prompt;
	} cases[] = {
		{ "text", ASKS(NAMES(TXT)), SEEN(BLOCK) },
		{ "an image", ASKS(NAMES(PICTURE)), SEEN_PICTURE },
		{ "under another name, with file-",
		  ASKS("{\"uuid\":\"file-" UUID(TXT) "\",\"name\":\"n\"}"),
		  SEEN("<file name=\\\"n\\\">\\nhello\\n</file>\\n\\n") },
		{ "twice", ASKS(NAMES(TXT) "," NAMES(TXT)), SEEN(BLOCK BLOCK) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w;

		print_message("case: %s\n", cases[i].why);
		world_begin(&w, PLAIN);
		w.message = cases[i].message;
		ask(&w);
		assert_trace(&w, "find");
		hold_worker(&w);
		store_found(&w, ERR_OK);
		assert_asked_later(&w, cases[i].prompt);
		worker_world_end(&w);
	}
}

static void what_is_stored_are_the_names(void **state)
{
	struct world w;

	(void)state;
	world_begin(&w, STORE);
	w.more = HI;
	ask(&w);
	read_files(&w);
	assert_trace(&w, "find begin");
	assert_stored(&w, ASKS(NAMES(TXT)) "\n" HI "\n", SEEN(BLOCK) HI "\n");
	worker_world_end(&w);
}

static void files_of_a_branch_are_read_again(void **state)
{
	/* clang-format off */
	static const struct {
		const char *why, *branch, *seen, *warning;
	} cases[] = {
		{ "it is still there", ASKS(NAMES(TXT)), SEEN(BLOCK), NULL },
		{ "deleted", ASKS(NAMES(NONE)), SEEN(GONE(UUID(NONE), "deleted")), "file_deleted" },
		{ "deleted, and it had a name", ASKS("{\"uuid\":\"" UUID(NONE) "\",\"name\":\"n\"}"),
		  SEEN(GONE("n", "deleted")), "file_deleted" },
		{ "what OpenAI's routes took in", ASKS("{\"uuid\":\"odd\"}"), SEEN(GONE("odd", "deleted")),
		  "file_deleted" },
		{ "not on the disk", ASKS(NAMES(LOST)), SEEN(GONE("lost", "unreadable")),
		  "file_unreadable" },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w;

		print_message("case: %s\n", cases[i].why);
		world_begin(&w, LOADS);
		w.message = HI;
		w.branch = cases[i].branch;
		ask_and_load(&w);
		read_files(&w);
		assert_trace(&w, "load find start");
		char want[1024];
		snprintf(want, sizeof want, "%s%s\n", cases[i].seen, HI);
		assert_prompt(&w, want);
		provider_answers(&w);
		assert_warned(&w, cases[i].warning);
		worker_world_end(&w);
	}
}

static void who_names_none_waits_for_nobody(void **state)
{
	(void)state;
	for (int openai = 0; openai < 2; openai++) {
		struct world w;

		world_begin(&w, PLAIN);
		w.rq.manner.family = openai ? &family_completions : &family_chat;
		w.message = openai ? ASKS(NAMES(NONE)) : HI;
		assert_asked_at_once(&w, openai ? ASKS(NAMES(NONE)) "\n" : HI "\n");
		worker_world_end(&w);
	}
}

/* --- refused --- */

static void what_can_not_be_sent_ends_the_run_before_it_begins(void **state)
{
	/* clang-format off */
	static const struct {
		const char *why, *message, *more, *branch;
		enum errc   code;
		const char *path, *text;
		bool        continues;
	} cases[] = {
		{ "there is none", ASKS(NAMES(NONE)), NULL, NULL, ERR_NOT_FOUND,
		  "messages[0].context.files[0].uuid", "no such file", false },
		{ "the second of the second", HI, ASKS(NAMES(TXT) "," NAMES(NONE)), NULL, ERR_NOT_FOUND,
		  "messages[1].context.files[1].uuid", "no such file", false },
		{ "behind a branch it is counted from there", ASKS(NAMES(NONE)), NULL, ASKS(NAMES(NONE)),
		  ERR_NOT_FOUND, "messages[0].context.files[0].uuid", "no such file", false },
		{ "neither text nor media", ASKS("{\"name\":\"a\",\"content\":\"\"}," NAMES(BINARY)), NULL,
		  NULL, ERR_INVALID_VALUE, "messages[0].context.files[1]", "x/binary", false },
		{ "not on the disk", ASKS(NAMES(LOST)), NULL, NULL, ERR_STORAGE,
		  "messages[0].context.files[0]", "can't be read", false },
		{ "the model takes no sound", ASKS(NAMES(SOUND)), NULL, NULL, ERR_UNSUPPORTED_PARAMETER,
		  "messages[0].context.files[0]", "audio, which the model 'small' of the provider 'fake'",
		  false },
		{ "nor what was sent earlier", HI, NULL, ASKS(NAMES(SOUND)), ERR_UNSUPPORTED_PARAMETER,
		  "conversation", "file-" UUID(SOUND) ", of an earlier message: the file is audio", false },
		{ "nor in a run that goes on", HI, NULL, ASKS(NAMES(SOUND)), ERR_UNSUPPORTED_PARAMETER, "",
		  "of an earlier message", true },
		{ "an image of the assistant's", "{\"role\":\"assistant\",\"content\":\"\",\"context\":{"
		  "\"files\":[" NAMES(PICTURE) "]}}", NULL, NULL, ERR_INVALID_VALUE,
		  "messages[0].context.files[0]", "only a message of the user", false },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w;

		print_message("case: %s\n", cases[i].why);
		world_begin(&w, STORE | (cases[i].branch ? LOADS : 0) | (i % 2 ? STREAM : 0));
		w.message = cases[i].message;
		w.more = cases[i].more;
		w.branch = cases[i].branch;
		if (cases[i].continues)
			w.rq.thread.continues = (struct id){ 7, 7 };
		ask_and_load(&w);
		read_files(&w);
		/* Nothing is stored, and nobody asked. */
		assert_trace(&w, w.branch ? "load find failed" : "find failed");
		assert_refused(&w, cases[i].code, cases[i].path, cases[i].text);
		worker_world_end(&w);
	}
}

static void sizes_are_judged_before_anything_is_read(void **state)
{
	/* clang-format off */
	static const struct {
		const char *why, *message;
		int64_t     bytes; /* as the store has it: more than there is */
		const char *path, *text;
	} cases[] = {
		{ "one that is larger than all kinds", ASKS(NAMES(LOST)), LIMIT_ATTACHED_PDF + 1ll,
		  "messages[0].context.files[0]", "no file of more than" },
		{ "the largest number", ASKS(NAMES(LOST)), INT64_MAX, "messages[0].context.files[0]",
		  "no file of more than" },
		{ "two that are too large together", ASKS(NAMES(LOST) "," NAMES(LOST)), 30ll * MIB,
		  "messages[0].context.files[1]", "with this one" },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w;
		int64_t      before = kept[4].bytes;

		print_message("case: %s\n", cases[i].why);
		world_begin(&w, PLAIN);
		w.message = cases[i].message;
		kept[4].bytes = cases[i].bytes;
		hold_worker(&w);
		ask(&w);
		store_found(&w, ERR_OK);
		assert_trace(&w, "find failed");
		assert_refused(&w, ERR_REQUEST_TOO_LARGE, cases[i].path, cases[i].text);
		let_worker();
		kept[4].bytes = before;
		worker_world_end(&w);
	}
}

static void too_much_at_once_is_told(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct world w;

		world_begin(&w, i % 2 ? STORE | LOADS : STORE);
		refuses = i < 2;
		hold_pool(&w);
		ask_and_load(&w);
		if (!refuses)
			store_found(&w, ERR_OK);
		if (i == 0) {
			assert_int_equal(w.start_rc, ERR_OVERLOADED);
			assert_int_equal(w.live, 0);
		} else {
			assert_trace(&w, i % 2 ? "load find failed" : "find failed");
			assert_int_equal(w.done_err.code, ERR_OVERLOADED);
		}
		let_pool();
		worker_world_end(&w);
	}
}

static void a_store_that_fails_is_told(void **state)
{
	struct world w;

	(void)state;
	world_begin(&w, PLAIN);
	ask(&w);
	store_found(&w, ERR_STORAGE);
	assert_trace(&w, "find failed");
	assert_int_equal(w.done_err.code, ERR_STORAGE);
	worker_world_end(&w);
}

static void too_many_files_are_refused_at_once(void **state)
{
	struct world w;
	struct buf   files;

	(void)state;
	world_begin(&w, PLAIN);
	buf_init(&files, MIB);
	for (int i = 0; i <= LIMIT_ATTACHED_COUNT; i++)
		assert_true(buf_text(&files, i ? "," : "") && buf_text(&files, NAMES(TXT)));
	char *message = NULL;
	assert_true(asprintf(&message, ASKS("%.*s"), STR_ARG(buf_view(&files))) > 0);
	w.message = message;
	ask(&w);
	assert_trace(&w, "");
	assert_int_equal(w.start_rc, ERR_INVALID_VALUE);
	assert_string_equal(w.start_err.path, "messages");
	free(message);
	buf_finish(&files);
	worker_world_end(&w);
}

/* --- while they are found and read --- */

static void a_client_may_leave_meanwhile(void **state)
{
	/* clang-format off */
	static const struct {
		const char *why, *message;
		unsigned    flags;
		bool        reading;
		const char *trace; /* when the files were read, and all others go on */
	} cases[] = {
		{ "cancel, while they are found", ASKS(NAMES(TXT)), STORE, false, "" },
		{ "cancel, while they are read", ASKS(NAMES(TXT)), STORE, true, "" },
		{ "cancel, and there is none", ASKS(NAMES(NONE)), STORE, false, "" },
		{ "cancel, not stored", ASKS(NAMES(TXT)), PLAIN, true, "" },
		{ "finish, while they are found", ASKS(NAMES(TXT)), STORE | FINISHES, false,
		  "begin start end" },
		{ "finish, while they are read", ASKS(NAMES(TXT)), STORE | FINISHES, true,
		  "begin start end" },
		{ "finish, and one can't be sent", ASKS(NAMES(BINARY)), STORE | FINISHES, true,
		  "" },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world w;

		print_message("case: %s\n", cases[i].why);
		world_begin(&w, cases[i].flags);
		w.message = cases[i].message;
		hold_worker(&w);
		ask(&w);
		if (cases[i].reading)
			store_found(&w, ERR_OK);
		buf_clear(&w.trace);
		reader_leaves(&w);
		assert_int_equal(w.live, 1);
		if (!cases[i].reading)
			store_found(&w, ERR_OK);
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
	for (int reading = 0; reading < 2; reading++) {
		struct world w;

		world_begin(&w, STORE);
		hold_worker(&w);
		ask(&w);
		if (reading)
			store_found(&w, ERR_OK);
		buf_clear(&w.trace);
		on_loop(&w, stop_fn);
		assert_trace(&w, "");
		if (!reading)
			store_found(&w, ERR_OK);
		let_worker();
		worker_is_done(&w);
		assert_trace(&w, "failed");
		assert_int_equal(w.done_err.code, ERR_SHUTTING_DOWN);
		worker_world_end(&w);
	}
}

/* What is counted among all calls is given back however they end: else these would not all pass. */
static void nothing_stays_counted(void **state)
{
	int64_t before = kept[1].bytes;

	(void)state;
	kept[1].bytes = LIMIT_ATTACHED_IMAGE; /* it has less: it can't be read to its end */
	for (size_t i = 0; i < 2 * LIMIT_ATTACHED_WAITING / LIMIT_ATTACHED_IMAGE; i++) {
		struct world w;

		world_begin(&w, PLAIN);
		w.message = ASKS(NAMES(PICTURE));
		ask(&w);
		read_files(&w);
		assert_trace(&w, "find failed");
		assert_int_equal(w.done_err.code, ERR_STORAGE);
		worker_world_end(&w);
	}
	kept[1].bytes = before;
}

/* --- the files --- */

static void put(size_t i, const char *name, const char *type, struct str bytes)
{
	struct blob_write *w = NULL;
	struct blob_name   at;
	struct err         e;

	kept[i] = (struct store_file){ .id = { 1, i + 1 },
				       .bytes = (int64_t)bytes.n,
				       .name = str_of(name),
				       .type = str_of(type) };
	assert_int_equal(blob_begin(blobs, &w, &e), ERR_OK);
	assert_int_equal(blob_add(w, bytes, &e), ERR_OK);
	assert_int_equal(blob_place(w, &at, &e), ERR_OK);
	blob_write_destroy(w);
	memcpy(kept[i].sha256, at.sha256, sizeof at.sha256);
	blob_settle(blobs, &at, true);
}

static int fill_world(void **state)
{
	char       database[PATH_MAX + 8];
	struct err e;

	(void)state;
	if (!make_folder("attach"))
		return -1;
	snprintf(database, sizeof database, "%s/a.db", folder);
	if (blobs_open(database, &blobs, &e) != ERR_OK)
		return -1;
	put(0, "t.txt", "text/plain", STR("hello"));
	put(1, "p", "image/gif", STR("GIF89a"));
	put(2, "s", "audio/mpeg", STR("\xff\xfb\x90\x64"));
	put(3, "b", "x/binary", STR("\x01\0\x02"));
	kept[4] = (struct store_file){ .id = { 1, 5 },
				       .bytes = 7,
				       .name = STR("lost"),
				       .type = STR("text/plain"),
				       .sha256 = { 1 } };
	return 0;
}

static int remove_world(void **state)
{
	(void)state;
	blobs_destroy(blobs);
	return remove_folder();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_found_and_read_before_the_provider_is_asked),
		cmocka_unit_test(what_is_stored_are_the_names),
		cmocka_unit_test(files_of_a_branch_are_read_again),
		cmocka_unit_test(who_names_none_waits_for_nobody),
		cmocka_unit_test(what_can_not_be_sent_ends_the_run_before_it_begins),
		cmocka_unit_test(sizes_are_judged_before_anything_is_read),
		cmocka_unit_test(too_much_at_once_is_told),
		cmocka_unit_test(a_store_that_fails_is_told),
		cmocka_unit_test(too_many_files_are_refused_at_once),
		cmocka_unit_test(a_client_may_leave_meanwhile),
		cmocka_unit_test(the_engine_may_stop_meanwhile),
		cmocka_unit_test(nothing_stays_counted),
	};

	return cmocka_run_group_tests_name("run/attach", tests, fill_world, remove_world);
}
