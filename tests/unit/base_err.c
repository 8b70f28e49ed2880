/* Errors: the table, the path, the overrides and the object that goes out. */
#include "base/buf.h"
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void setting_an_error_clears_what_was_there(void **state)
{
	(void)state;
	struct err e;

	memset(&e, 0x55, sizeof e);
	assert_int_equal(err_set(&e, ERR_INVALID_VALUE, "model", "must be %d", 7),
			 ERR_INVALID_VALUE);
	assert_int_equal(e.code, ERR_INVALID_VALUE);
	assert_string_equal(e.path, "model");
	assert_string_equal(e.text, "must be 7");
	assert_int_equal(e.http, 0);
	assert_string_equal(e.type, "");
	assert_string_equal(e.wire, "");
	assert_int_equal(e.retry_after_ms, 0);
	assert_int_equal(e.upstream_status, 0);
	(void)err_set(&e, ERR_INTERNAL, NULL, "x");
	assert_string_equal(e.path, "");
}

static void long_texts_and_paths_are_cut(void **state)
{
	(void)state;
	struct err e;
	char       text[1000];

	memset(text, 'x', sizeof text);
	text[sizeof text - 1] = '\0';
	(void)err_set(&e, ERR_INTERNAL, text, "%s", text);
	assert_int_equal(strlen(e.path), sizeof e.path - 1);
	assert_int_equal(strlen(e.text), sizeof e.text - 1);
	err_at(&e, "messages[1]");
	assert_int_equal(strlen(e.path), sizeof e.path - 1);
	assert_memory_equal(e.path, "messages[1].xxx", 15);
}

static void a_prefix_joins_the_path(void **state)
{
	(void)state;
	static const struct {
		const char *path;
		const char *prefix;
		const char *want;
	} rows[] = {
		{ "name", "messages[2]", "messages[2].name" },
		{ "[3].type", "content", "content[3].type" },
		{ "", "config", "config" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e;

		(void)err_set(&e, ERR_INVALID_VALUE, rows[i].path, "x");
		err_at(&e, rows[i].prefix);
		assert_string_equal(e.path, rows[i].want);
	}
}

static void every_row_is_fit_to_be_sent(void **state)
{
	(void)state;

	for (int code = ERR_OK + 1; code < ERR__COUNT; code++) {
		struct err e = { .code = (enum errc)code };

		assert_int_in_range(err_http(&e), 400, 599);
		assert_true(err_type(&e)[0]);
		assert_true(err_wire(&e)[0]);
		assert_string_equal(err_wire(&e), err_code_wire(e.code));
		/* One word for clients may stand for several of ours, if it means the same to them. */
		for (int other = ERR_OK + 1; other < code; other++) {
			struct err same = { .code = (enum errc)other };

			if (strcmp(err_wire(&e), err_wire(&same)) != 0)
				continue;
			assert_int_equal(err_http(&e), err_http(&same));
			assert_string_equal(err_type(&e), err_type(&same));
		}
	}
}

static void overrides_win_over_the_table(void **state)
{
	(void)state;
	struct err e;

	(void)err_set(&e, ERR_UPSTREAM_REJECTED, "", "x");
	assert_int_equal(err_http(&e), 400);
	assert_false(err_retryable(&e));
	e.http = 422;
	memcpy(e.type, "their_type", 11);
	memcpy(e.wire, "their_code", 11);
	assert_int_equal(err_http(&e), 422);
	assert_string_equal(err_type(&e), "their_type");
	assert_string_equal(err_wire(&e), "their_code");
	assert_true(err_retryable(&(struct err){ .code = ERR_OVERLOADED }));
}

static void the_object_is_json(void **state)
{
	(void)state;
	struct err e;
	struct buf b;

	buf_init(&b, 1000);
	(void)err_set(&e, ERR_INVALID_VALUE, "messages[0]", "say \"%s\"\n", "x");
	assert_true(err_object(&e, STR("req_1"), &b));
	assert_true(str_is(buf_view(&b), "{\"message\":\"messages[0]: say \\\"x\\\"\\n\","
					 "\"type\":\"invalid_request_error\","
					 "\"param\":\"messages[0]\",\"code\":\"invalid_value\","
					 "\"request_id\":\"req_1\"}"));
	buf_clear(&b);
	(void)err_set(&e, ERR_INTERNAL, "", "%s", "");
	assert_true(err_object(&e, STR_NONE, &b));
	assert_true(str_is(buf_view(&b), "{\"message\":\"unknown error\","
					 "\"type\":\"server_error\",\"param\":null,"
					 "\"code\":\"internal_error\"}"));
	buf_clear(&b);
	(void)err_set(&e, ERR_BAD_REQUEST, "a\xff.", "%s", "\xc3\xbc \xed\xa0\x80 \xe2\x82.");
	assert_true(err_object(&e, STR_NONE, &b));
	assert_true(str_is(buf_view(&b),
			   "{\"message\":\"a\xef\xbf\xbd.: \xc3\xbc "
			   "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd "
			   "\xef\xbf\xbd\xef\xbf\xbd.\",\"type\":\"invalid_request_error\","
			   "\"param\":\"a\xef\xbf\xbd.\",\"code\":\"bad_request\"}"));
	buf_finish(&b);

	for (size_t max = 0; max < 80; max++) {
		buf_init(&b, max);
		assert_false(err_object(&e, STR("req_1"), &b));
		buf_finish(&b);
	}
}

/* A user of an SDK sees the message and nothing else. */
static void a_message_names_the_place(void **state)
{
	(void)state;
	static const struct {
		const char *path;
		bool        verbatim;
		const char *want;
	} rows[] = {
		{ "config.n", false, "{\"message\":\"config.n: must be 1\"," },
		{ "", false, "{\"message\":\"must be 1\"," },
		{ NULL, false, "{\"message\":\"must be 1\"," },
		{ "n", true, "{\"message\":\"must be 1\"," },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e;
		struct buf b;

		buf_init(&b, 1000);
		(void)err_set(&e, ERR_INVALID_VALUE, rows[i].path, "must be 1");
		e.verbatim = rows[i].verbatim;
		assert_true(err_object(&e, STR_NONE, &b));
		assert_true(str_starts(buf_view(&b), str_of(rows[i].want)));
		buf_finish(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(setting_an_error_clears_what_was_there),
		cmocka_unit_test(long_texts_and_paths_are_cut),
		cmocka_unit_test(a_prefix_joins_the_path),
		cmocka_unit_test(every_row_is_fit_to_be_sent),
		cmocka_unit_test(overrides_win_over_the_table),
		cmocka_unit_test(the_object_is_json),
		cmocka_unit_test(a_message_names_the_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
