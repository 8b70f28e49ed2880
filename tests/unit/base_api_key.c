/* The text of API keys: its form, its checksum, and that no slip in it passes. */
#include "base/api_key.h"
#include "base/identity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void a_new_key_is_read_back(void **state)
{
	(void)state;
	char last[API_KEY_MAX] = "";

	for (int i = 0; i < 1000; i++) {
		char       id[API_KEY_ID + 1], text[API_KEY_MAX];
		struct str got;

		api_key_make(id, text);
		assert_int_equal(strlen(text), API_KEY_LENGTH);
		assert_memory_equal(text, "parley_sk_", 10);
		assert_true(api_key_parse(str_of(text), &got));
		assert_true(str_is(got, id));
		assert_string_not_equal(text, last);
		memcpy(last, text, sizeof last);

		api_key_remake(id, text);
		assert_true(api_key_parse(str_of(text), &got));
		assert_true(str_is(got, id));
		assert_string_not_equal(text, last);
		api_key_wipe(last);
		assert_int_equal(last[0], 0);
		memcpy(last, text, sizeof last);
	}
}

/* What a scanner of sources relies on; the check was made with zlib.crc32 and base 62. */
static void the_checksum_is_crc32(void **state)
{
	(void)state;
	struct str id;

	assert_true(api_key_parse(
		STR("parley_sk_01234567_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopq0EpOJv"), &id));
	assert_true(str_is(id, "01234567"));
}

static void no_slip_passes(void **state)
{
	(void)state;
	char       id[API_KEY_ID + 1], text[API_KEY_MAX];
	struct str got;

	api_key_make(id, text);
	for (size_t i = 0; i < API_KEY_LENGTH; i++) {
		for (int c = 0; c < 256; c++) {
			char was = text[i];

			text[i] = (char)c;
			if (text[i] != was)
				assert_false(
					api_key_parse((struct str){ text, API_KEY_LENGTH }, &got));
			text[i] = was;
		}
		/* two neighbours that changed places */
		if (i > 0 && text[i] != text[i - 1]) {
			char was = text[i];

			text[i] = text[i - 1];
			text[i - 1] = was;
			assert_false(api_key_parse((struct str){ text, API_KEY_LENGTH }, &got));
			text[i - 1] = text[i];
			text[i] = was;
		}
		assert_false(api_key_parse((struct str){ text, i }, &got));
	}
	assert_false(api_key_parse((struct str){ text, API_KEY_LENGTH + 1 }, &got));
	assert_false(api_key_parse(STR_NONE, &got));
	assert_true(api_key_parse((struct str){ text, API_KEY_LENGTH }, &got));
}

static void a_key_is_noticed_anywhere(void **state)
{
	(void)state;
	assert_true(api_key_within(STR("/v1/runs/parley_sk_01234567_x")));
	assert_true(api_key_within(STR("parley_sk_")));
	assert_true(api_key_within(STR("/v1/runs/parley_st_0123")));
	assert_true(api_key_within(STR("/v1/runs/eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UifQ.AA")));
	assert_false(api_key_within(STR("/v1/runs/parley_s")));
	assert_false(api_key_within(STR_NONE));
}

static void ids_have_one_form(void **state)
{
	(void)state;
	static const char *const wrong[] = { "",
					     "key_",
					     "key_0123456",
					     "key_012345678",
					     "key_0123456i",
					     "key_0123456A",
					     "KEY_01234567",
					     "01234567",
					     "key-01234567" };
	struct str               id;

	assert_true(api_key_id(STR("key_0123456z"), &id));
	assert_true(str_is(id, "0123456z"));
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
		assert_false(api_key_id(str_of(wrong[i]), &id));
}

static void an_identity_sees_its_models(void **state)
{
	(void)state;
	struct str       models[] = { STR("small"), STR("local/*"), STR("") };
	struct identity *who =
		identity_create(&(struct identity_options){ .id = STR("key_01234567"),
							    .number = 7,
							    .owner = 9,
							    .scopes = SCOPE_READ,
							    .models = models,
							    .model_count = 3,
							    .used_ms = 5 });

	assert_non_null(who);
	memset(models, 0, sizeof models); /* they were copied */
	assert_string_equal(who->id, "key_01234567");
	assert_true(identity_sees(who, STR("small")));
	assert_true(identity_sees(who, STR("local/x/y")));
	assert_true(identity_sees(who, STR("local/*")));
	assert_false(identity_sees(who, STR("smal")));
	assert_false(identity_sees(who, STR("small2")));
	assert_false(identity_sees(who, STR("local")));
	assert_false(identity_sees(who, STR("x/local/y")));
	assert_true(identity_sees(&identity_open, STR("anything")));
	assert_int_equal(identity_nobody.scopes, 0);
	assert_ptr_equal(identity_hold(who), who);
	identity_release(who);
	identity_release(who);
	identity_release(NULL);
	identity_release(identity_hold(&identity_open));
	identity_release(&identity_open);
	assert_int_equal(identity_open.scopes, SCOPES_OPEN);
}

static void scopes_have_names(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SCOPE_COUNT; i++)
		assert_int_equal(scope_find(str_of(scope_name(i))), 1u << i);
	assert_int_equal(scope_find(STR("root")), 0);
	assert_int_equal(scope_find(STR("")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_key_is_read_back),
		cmocka_unit_test(the_checksum_is_crc32),
		cmocka_unit_test(no_slip_passes),
		cmocka_unit_test(a_key_is_noticed_anywhere),
		cmocka_unit_test(ids_have_one_form),
		cmocka_unit_test(an_identity_sees_its_models),
		cmocka_unit_test(scopes_have_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
