/* Which keys a message mentions: at their own place only, whatever stands around them. */
#include "shape/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct {
	const char *json;
	unsigned    has;
} rows[] = {
	{ "{\"role\":\"user\",\"content\":\"Hello there\"}", 0 },
	{ "{\"type\":1}", MENTION_TYPE },
	{ "{\"content\":[{\"type\":\"text\"}]}", MENTION_TYPE },
	{ "{\"types\":1,\"a type\":2}", 0 },
	{ "{\"content\":\"\\\"type\\\":1\"}", 0 },
	{ "{\"content\":\"\\\\\",\"type\":1}", MENTION_TYPE },
	{ "{\"lmc\":[]}", MENTION_LMC },
	{ "{\"context\":null,\"uuid\":1}", MENTION_CONTEXT | MENTION_UUID },
	{ "{\"reasoning\":1}", MENTION_REASONING },
	{ "{\"reasoning_content\":\"type\"}", MENTION_REASONING | MENTION_TYPE },
	{ "{\"content\":\"caf\\u00e9\"}", MENTION_ESCAPED },
	{ "{\"\\u0074ype\":1}", MENTION_ESCAPED },
	{ "{\"uu\\u0069d\":1}", MENTION_ESCAPED | MENTION_ESCAPED_UUID },
	{ "{\"content\":\"\\\\u0069\"}", 0 },
	{ "{\"content\":\"\\\\\\u0064\"}", MENTION_ESCAPED | MENTION_ESCAPED_UUID },
	{ "{\n\t\"a\" : \"\xe2\x82\xac\",\r\n\"type\"\n:1}", MENTION_TYPE },
	{ "\"type\"", MENTION_TYPE },
	{ "\"type", 0 },
	{ "\\", 0 },
	{ "\"", 0 },
	{ "", 0 },
};

static void each_key_is_found_at_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (unsigned bit = 1; bit <= MENTION_ESCAPED_UUID; bit <<= 1) {
			size_t n = strlen(rows[i].json);
			/* without a byte to spare */
			char *copy = malloc(n ? n : 1);

			assert_non_null(copy);
			memcpy(copy, rows[i].json, n);
			if (mention_find((struct str){ copy, n }, bit) !=
			    ((rows[i].has & bit) != 0))
				fail_msg("%s: %u", rows[i].json, bit);
			free(copy);
		}
}

static void a_key_is_found_behind_text_of_any_length(void **state)
{
	(void)state;
	char json[256];

	for (int n = 0; n < 200; n++) {
		int len = snprintf(json, sizeof json, "{\"content\":\"%0*d\",\"lmc\":[]}", n, 0);

		assert_true(mention_find((struct str){ json, (size_t)len },
					 MENTION_LMC | MENTION_CONTEXT));
		assert_false(
			mention_find((struct str){ json, (size_t)len }, ~(unsigned)MENTION_LMC));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_key_is_found_at_its_place),
		cmocka_unit_test(a_key_is_found_behind_text_of_any_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
