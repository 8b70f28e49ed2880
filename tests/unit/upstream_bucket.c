/* The address of a bucket; tests/e2e/test_s3.py has the requests. */
#include "upstream/bucket.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void test_addresses(void **state)
{
	static const char *const bad[] = {
		"",
		"bucket",
		"s3://bucket",
		"ftp://host/bucket",
		"https:///bucket",
		"https://",
		"https://user@host/bucket",
		"https://user:key@host/bucket",
		"https://host/bucket?x=1",
		"https://host/bucket#x",
		"https://host/a b",
		"https://host/a%41",
		"https://host/a//b",
		"https://host/.a",
		"https://host/../a",
		"https://host/ü",
		"https://ho$t/bucket",
		"https://host:x/bucket",
	};
	struct err e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(bucket_url_check(bad[i], "", &e), ERR_INVALID_VALUE);
	assert_int_equal(bucket_url_check("https://host/b", "eu central", &e), ERR_INVALID_VALUE);
	assert_int_equal(
		bucket_url_check("https://host/b", "a-region-of-more-than-32-characters", &e),
		ERR_INVALID_VALUE);
	assert_int_equal(bucket_url_check("https://host:9000/b/c-d_e.f~/", "eu-central-1", &e),
			 ERR_OK);
	assert_int_equal(bucket_url_check("http://[::1]:9000/b", "", &e), ERR_OK);
}

static void test_regions(void **state)
{
	static const struct {
		const char *url, *region;
	} rows[] = {
		{ "https://b.s3.eu-central-1.amazonaws.com/p", "eu-central-1" },
		{ "https://s3.eu-west-3.amazonaws.com/b", "eu-west-3" },
		{ "https://b.s3.dualstack.eu-west-3.amazonaws.com", "eu-west-3" },
		{ "https://b.s3.cn-north-1.amazonaws.com.cn", "cn-north-1" },
		{ "https://b.s3.amazonaws.com", "us-east-1" },
		{ "https://s3.amazonaws.com/b", "us-east-1" },
		{ "https://minio.example.com/b", "us-east-1" },
		{ "nonsense", "us-east-1" },
	};
	char region[BUCKET_URL_REGION];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		bucket_url_region(rows[i].url, region);
		assert_string_equal(region, rows[i].region);
	}
}

static void test_plain(void **state)
{
	(void)state;
	assert_true(bucket_url_is_plain("http://minio:9000/b"));
	assert_true(bucket_url_is_plain("http://10.0.0.1/b"));
	assert_true(bucket_url_is_plain("http://localhost.example.com/b"));
	assert_false(bucket_url_is_plain("http://127.1.2.3:9000/b"));
	assert_false(bucket_url_is_plain("http://[::1]:9000/b"));
	assert_false(bucket_url_is_plain("http://localhost/b"));
	assert_false(bucket_url_is_plain("https://minio:9000/b"));
}

static void test_keys(void **state)
{
	static const struct {
		const char *id, *secret, *token;
		enum errc   rc;
	} rows[] = {
		{ "id", "secret", NULL, ERR_OK },
		{ "id", "a/b+c:d@e==", "token==", ERR_OK },
		{ "", "secret", NULL, ERR_INVALID_VALUE },
		{ "id", "", NULL, ERR_INVALID_VALUE },
		{ "id", "two words", NULL, ERR_INVALID_VALUE },
		{ "id", "secret", "a\r\nX-A: b", ERR_INVALID_VALUE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		OWNED(bucket) b = NULL;
		struct err e;

		assert_int_equal(bucket_create(&(struct bucket_options){ .url = "https://host/b",
									 .region = "",
									 .key_id = rows[i].id,
									 .secret = rows[i].secret,
									 .token = rows[i].token },
					       &b, &e),
				 rows[i].rc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_regions),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
