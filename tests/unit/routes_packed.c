/* gzip's bytes become what they were; what is no gzip, or of another length, does not. */
#include "base/limits.h"
#include "routes/kit/packed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* "hello\n", as gzip -9n makes it. */
static const char hello[] =
	"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\xe7\x02\x00"
	"\x20\x30\x3a\x36\x06\x00\x00\x00";
enum { HELLO = sizeof hello - 1 };

static bool inflates(const char *p, size_t n, size_t len, struct buf *out)
{
	/* A copy of exactly this length, so that no byte behind it is read unnoticed. */
	char *copy = malloc(n ? n : 1);

	assert_non_null(copy);
	memcpy(copy, p, n);
	buf_finish(out);
	bool ok = packed_inflate((struct str){ copy, n }, len, out);
	free(copy);
	return ok;
}

static void the_bytes_are_those_of_before(void **state)
{
	(void)state;
	struct buf out;

	buf_init(&out, KIB);
	assert_true(inflates(hello, HELLO, 6, &out));
	assert_true(str_is(buf_view(&out), "hello\n"));
	assert_true(packed_inflate((struct str){ hello, HELLO }, 6, &out));
	assert_true(str_is(buf_view(&out), "hello\nhello\n"));
	buf_finish(&out);
}

static void what_is_wrong_is_noticed(void **state)
{
	(void)state;
	struct buf out;
	char       bad[HELLO + 1];

	buf_init(&out, KIB);
	for (size_t n = 0; n < HELLO; n++)
		assert_false(inflates(hello, n, 6, &out));
	for (size_t len = 0; len < 20; len++)
		assert_true(inflates(hello, HELLO, len, &out) == (len == 6));
	memcpy(bad, hello, sizeof bad);
	bad[HELLO] = 'x';
	assert_false(inflates(bad, HELLO + 1, 6, &out)); /* a byte behind the end */
	bad[12] ^= 1;
	assert_false(inflates(bad, HELLO, 6, &out)); /* the checksum tells */
	buf_finish(&out);
	buf_init(&out, 5);
	assert_false(inflates(hello, HELLO, 6, &out)); /* no room */
	buf_finish(&out);
}

static void check_files(const struct packed *f)
{
	for (; f->name; f++) {
		struct buf out;

		buf_init(&out, f->len);
		if (!packed_inflate((struct str){ f->gzip, f->gzip_len }, f->len, &out))
			fail_msg("%s", f->name);
		assert_int_equal(out.len, f->len);
		assert_int_equal(strlen(f->tag), 32);
		buf_finish(&out);
	}
}

static void every_embedded_file_is_whole(void **state)
{
	(void)state;
	check_files(console_files);
	check_files(openapi_files);
	assert_string_equal(openapi_files[0].name, "openapi.json");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_bytes_are_those_of_before),
		cmocka_unit_test(what_is_wrong_is_noticed),
		cmocka_unit_test(every_embedded_file_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
