/* Ids of files as text and back. */
#include "base/base.h"
#include "base/id.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define UUID "00064217-c0a1-f444-9b1c-4e7a2d8f3b64"

static void there_and_back(void **state)
{
	char      text[FILE_ID_MAX];
	struct id id, again;

	(void)state;
	assert_true(file_id_parse(STR("file-" UUID), false, &id));
	assert_int_equal(id.key, 0x00064217c0a1f444);
	assert_true(id.secret == 0x9b1c4e7a2d8f3b64);
	assert_true(str_is(file_id_text(id, text), "file-" UUID));
	for (int i = 0; i < 1000; i++) {
		id = id_new();
		assert_true(file_id_parse(file_id_text(id, text), i % 2, &again));
		assert_true(id.key == again.key && id.secret == again.secret);
	}
}

static void what_is_no_id_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"file-",
		"x",
		"file-x",
		"File-" UUID,
		"file_" UUID,
		" " UUID,
		UUID " ",
		UUID "0",
		"file-" UUID "0",
		"file-file-" UUID,
		"00064217c0a1f4449b1c4e7a2d8f3b64",
		"00064217-c0a1-f444-9b1c4-e7a2d8f3b64",
		"00064217-C0A1-F444-9B1C-4E7A2D8F3B64",
		"00000000-0000-0000-9b1c-4e7a2d8f3b64",
		"00064217-c0a1-f444-9b1c-4e7a2d8f3b6g",
	};
	struct id id;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		assert_false(file_id_parse(str_of(bad[i]), true, &id));
		assert_false(file_id_parse(str_of(bad[i]), false, &id));
	}
	assert_true(file_id_parse(STR(UUID), true, &id));
	assert_false(file_id_parse(STR(UUID), false, &id));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(what_is_no_id_is_refused),
	};

	return cmocka_run_group_tests_name("base/file_id", tests, NULL, NULL);
}
