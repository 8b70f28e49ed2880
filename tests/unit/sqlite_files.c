/* Uploaded files in the store: rows, contents, owners, and what a crash leaves. */
#include "engine_help.h"
#include "store/file.h"

#include <fcntl.h>

static void path_in(const struct fixture *f, const char *rest, char ret[256])
{
	snprintf(ret, 256, "%s.files/%s", f->path, rest);
}

static void content_path(const struct fixture *f, const unsigned char *sha256, char ret[256])
{
	char hex[HASH_HEX + 1];
	char rest[128];

	hash_hex(sha256, HASH_BYTES, hex);
	snprintf(rest, sizeof rest, "%.2s/%.2s/%s", hex, hex + 2, hex);
	path_in(f, rest, ret);
}

static int set_up_files(void **state)
{
	set_up(state);
	open_store(*state);
	return 0;
}

static int tear_down_files(void **state)
{
	struct fixture *f = *state;
	char            command[256];

	snprintf(command, sizeof command, "rm -rf '%s.files'", f->path);
	assert_int_equal(system(command), 0);
	return tear_down(state);
}

static struct blob_name put(struct fixture *f, const char *text)
{
	struct blob_write *w = NULL;
	struct blob_name   name = { 0 };

	assert_int_equal(blob_begin(f->store->blobs, &w, &f->err), ERR_OK);
	assert_int_equal(blob_add(w, str_of(text), &f->err), ERR_OK);
	assert_int_equal(blob_place(w, &name, &f->err), ERR_OK);
	blob_write_destroy(w);
	return name;
}

static struct file_add new_file(int64_t owner, const char *purpose, struct blob_name content)
{
	return (struct file_add){
		.owner = owner,
		.file = { .id = id_new(),
			  .created_ms = 5,
			  .bytes = 3,
			  .name = STR("a.txt"),
			  .type = STR("text/plain"),
			  .purpose = str_of(purpose) },
		.content = content,
	};
}

static struct id add(struct fixture *f, int64_t owner, const char *purpose, const char *text)
{
	struct file_add j = new_file(owner, purpose, put(f, text));

	assert_int_equal(DO(f, file_add, &j), ERR_OK);
	return j.file.id;
}

static enum errc removed(struct fixture *f, int64_t owner, struct id id)
{
	struct file_delete j = { .owner = owner, .file = id };

	return DO(f, file_delete, &j);
}

static size_t marks(struct fixture *f)
{
	char  command[256];
	char  line[32] = "";
	FILE *p;

	snprintf(command, sizeof command, "ls '%s.files/tmp' | wc -l", f->path);
	p = popen(command, "r");
	assert_non_null(p);
	assert_non_null(fgets(line, sizeof line, p));
	pclose(p);
	return (size_t)strtoul(line, NULL, 10);
}

static void contents_go_with_their_last_row(void **state)
{
	struct fixture *f = *state;
	unsigned char   sum[HASH_BYTES];
	struct id       one = add(f, 1, "batch", "one");
	struct id       two = add(f, 2, "batch", "one");

	hash_sha256("one", 3, sum);
	assert_int_equal(removed(f, 1, one), ERR_OK);
	assert_true(blob_exists(f->store->blobs, sum));
	assert_int_equal(removed(f, 2, two), ERR_OK);
	assert_false(blob_exists(f->store->blobs, sum));
	assert_int_equal(marks(f), 0);
}

static void a_row_without_its_content_is_refused(void **state)
{
	struct fixture *f = *state;
	struct id       other = add(f, 1, "batch", "one");
	struct file_add j = new_file(1, "batch", put(f, "one"));

	/* The other one goes between this one's place and its row. */
	assert_int_equal(removed(f, 1, other), ERR_OK);
	assert_int_equal(DO(f, file_add, &j), ERR_OVERLOADED);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM file"), 0);
	assert_int_equal(marks(f), 0);
}

static void a_write_that_is_given_up_leaves_nothing(void **state)
{
	struct fixture    *f = *state;
	struct blob_write *w = NULL;

	assert_int_equal(blob_begin(f->store->blobs, &w, &f->err), ERR_OK);
	assert_int_equal(blob_add(w, STR("half"), &f->err), ERR_OK);
	assert_int_equal(marks(f), 1);
	blob_write_destroy(w);
	assert_int_equal(marks(f), 0);
	blob_write_destroy(NULL);
}

static void a_start_sweeps(void **state)
{
	struct fixture    *f = *state;
	struct blob_write *w = NULL;
	char               path[256];

	add(f, 1, "batch", "kept");
	struct blob_name kept = put(f, "kept");
	struct blob_name stray = put(f, "stray");
	assert_int_equal(blob_begin(f->store->blobs, &w, &f->err), ERR_OK);
	assert_int_equal(marks(f), 3);
	path_in(f, "tmp/something-else", path);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	close_store(f);
	open_store(f);
	assert_true(blob_exists(f->store->blobs, kept.sha256));
	assert_false(blob_exists(f->store->blobs, stray.sha256));
	assert_int_equal(marks(f), 1); /* what is not ours stays */
	content_path(f, kept.sha256, path);
	assert_int_equal(access(path, R_OK), 0);
	blob_write_destroy(w);
}

static void ids_go_on_behind_the_last_file(void **state)
{
	struct fixture *f = *state;
	struct id       late = { id_new().key + (1LL << 50), 1 };
	struct file_add j = new_file(1, "batch", put(f, "one"));

	j.file.id = late;
	assert_int_equal(DO(f, file_add, &j), ERR_OK);
	close_store(f);
	open_store(f);
	assert_true(id_new().key > late.key);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, set_up_files, tear_down_files)
	const struct CMUnitTest tests[] = {
		TEST(contents_go_with_their_last_row),
		TEST(a_row_without_its_content_is_refused),
		TEST(a_write_that_is_given_up_leaves_nothing),
		TEST(a_start_sweeps),
		TEST(ids_go_on_behind_the_last_file),
	};
#undef TEST

	return cmocka_run_group_tests(tests, NULL, NULL);
}
