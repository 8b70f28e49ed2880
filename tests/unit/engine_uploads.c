/* Uploaded files in the store: rows, contents, owners. */
#include "engine_help.h"
#include "store/file.h"

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

static struct blob_name put_bytes(struct fixture *f, struct str bytes)
{
	struct blob_write *w = NULL;
	struct blob_name   name = { 0 };

	assert_int_equal(blob_begin(f->store->blobs, &w, &f->err), ERR_OK);
	assert_int_equal(blob_add(w, bytes, &f->err), ERR_OK);
	assert_int_equal(blob_place(w, &name, &f->err), ERR_OK);
	blob_write_destroy(w);
	return name;
}

/* Whether the content can be read, and has these bytes. */
static bool has(struct fixture *f, const unsigned char *sha256, struct str bytes)
{
	struct err e = { 0 };
	int        fd = -1;
	size_t     n = 0;
	ssize_t    got;

	if (blob_open(f->store->blobs, sha256, &fd, &e) != ERR_OK) {
		assert_int_equal(e.code, ERR_STORAGE);
		return false;
	}
	char *text = malloc(bytes.n + 1);
	assert_non_null(text);
	while ((got = read(fd, text + n, bytes.n + 1 - n)) > 0)
		n += (size_t)got;
	bool same = n == bytes.n && memcmp(text, bytes.p, n) == 0;
	free(text);
	close(fd);
	return same;
}

static struct blob_name put(struct fixture *f, const char *text)
{
	return put_bytes(f, str_of(text));
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

static enum errc found(struct fixture *f, int64_t owner, const struct id *ids, size_t n,
		       size_t *ret_missing)
{
	struct files_find j = { .owner = owner, .ids = ids, .count = n };

	arena_init(&j.arena, 64 * KIB);
	enum errc rc = DO(f, files_find, &j);
	for (size_t i = 0; rc == ERR_OK && i < n; i++) {
		assert_int_equal(j.files[i].id.key, ids[i].key);
		assert_str(j.files[i].name, "a.txt");
		assert_str(j.files[i].type, "text/plain");
		assert_int_equal(j.files[i].bytes, 3);
		assert_true(has(f, j.files[i].sha256, i == 1 ? STR("two") : STR("one")));
	}
	*ret_missing = j.missing;
	arena_finish(&j.arena);
	return rc;
}

static void rows_have_owners(void **state)
{
	struct fixture *f = *state;
	struct id       ids[3] = { add(f, 1, "batch", "one"), add(f, 1, "evals", "two") };
	size_t          missing;

	ids[2] = add(f, 2, "batch", "one");
	assert_int_equal(found(f, 1, ids, 2, &missing), ERR_OK);
	assert_int_equal(found(f, 1, ids, 3, &missing), ERR_NOT_FOUND);
	assert_int_equal(missing, 2);
	ids[0].secret++;
	assert_int_equal(found(f, 1, ids, 1, &missing), ERR_NOT_FOUND);
	assert_int_equal(removed(f, 1, ids[0]), ERR_NOT_FOUND);
	assert_int_equal(removed(f, 1, ids[2]), ERR_NOT_FOUND);
	assert_int_equal(removed(f, 2, ids[2]), ERR_OK);
	assert_int_equal(removed(f, 2, ids[2]), ERR_NOT_FOUND);
}

static void lists(void **state)
{
	struct fixture *f = *state;
	struct id       ids[5];

	for (size_t i = 0; i < 5; i++)
		ids[i] = add(f, 1, i % 2 ? "batch" : "evals", "x");
	add(f, 2, "batch", "x");
	for (int way = 0; way < 4; way++) {
		bool              up = way & 1;
		size_t            step = way & 2 ? 2 : 1;
		size_t            at = up ? 0 : 4;
		struct files_read j = { .owner = 1,
					.ascending = up,
					.limit = 1,
					.purpose = step == 2 ? STR("evals") : STR_NONE };

		for (bool more = true; more; at = up ? at + step : at - step) {
			arena_init(&j.arena, 64 * KIB);
			assert_int_equal(DO(f, files_read, &j), ERR_OK);
			assert_int_equal(j.file_count, 1);
			assert_int_equal(j.files[0].id.key, ids[at].key);
			assert_int_equal(j.files[0].id.secret, ids[at].secret);
			j.after = j.files[0].id;
			more = j.has_more;
			arena_finish(&j.arena);
		}
		assert_int_equal(at, up ? 4 + step : (size_t)0 - step);
	}
	struct files_read foreign = { .owner = 2, .after = ids[0], .limit = 1 };
	arena_init(&foreign.arena, 64 * KIB);
	assert_int_equal(DO(f, files_read, &foreign), ERR_INVALID_VALUE);
	arena_finish(&foreign.arena);
}

static void contents_go_with_their_last_file(void **state)
{
	struct fixture *f = *state;
	struct id       one = add(f, 1, "batch", "one");
	struct id       two = add(f, 2, "batch", "one");
	unsigned char   sum[HASH_BYTES];

	hash_sha256("one", 3, sum);
	assert_int_equal(removed(f, 1, one), ERR_OK);
	assert_true(has(f, sum, STR("one")));
	assert_int_equal(removed(f, 2, two), ERR_OK);
	assert_false(has(f, sum, STR("one")));
}

static void a_file_without_its_content_is_refused(void **state)
{
	struct fixture *f = *state;
	struct id       other = add(f, 1, "batch", "one");
	struct file_add j = new_file(1, "batch", put(f, "one"));

	/* The other one goes between this one's place and its row. */
	assert_int_equal(removed(f, 1, other), ERR_OK);
	assert_int_equal(DO(f, file_add, &j), ERR_OVERLOADED);
}

static void contents_of_every_size_are_whole(void **state)
{
	static const size_t sizes[] = { 0,   1,          256 * KIB - 1, 256 * KIB, 256 * KIB + 1,
					MIB, 3 * MIB + 7 };
	struct fixture     *f = *state;
	char               *bytes = malloc(4 * MIB);

	assert_non_null(bytes);
	for (size_t i = 0; i < 4 * MIB; i++)
		bytes[i] = (char)(i * 31 + i / 251);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct str       s = { bytes, sizes[i] };
		struct blob_name name = put_bytes(f, s);

		assert_true(has(f, name.sha256, s));
		/* The same once more changes nothing. */
		name = put_bytes(f, s);
		assert_true(has(f, name.sha256, s));
	}
	free(bytes);
}

static void a_content_that_is_not_there_is_an_error(void **state)
{
	unsigned char sum[HASH_BYTES] = { 1 };

	assert_false(has(*state, sum, STR("")));
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, set_up_files, tear_down_files)
	static const struct CMUnitTest tests[] = {
		TEST(rows_have_owners),
		TEST(lists),
		TEST(contents_go_with_their_last_file),
		TEST(a_file_without_its_content_is_refused),
		TEST(contents_of_every_size_are_whole),
		TEST(a_content_that_is_not_there_is_an_error),
	};
#undef TEST

	return cmocka_run_group_tests(tests, NULL, NULL);
}
